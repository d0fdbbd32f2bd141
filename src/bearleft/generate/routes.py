"""Route sampling in any graph as in the papers: Touchdown's appendix A, R2R's shortest paths, R4R's joined paths.

Touchdown's procedure: draw two panoramas, take a route between them that follows the directions of traffic, and cut it
into pieces of 35 to 45 panoramas, each length with equal probability. The last piece is kept although it may be
shorter. A piece may have gaps, consecutive panoramas without a link: fewer than three are closed with panoramas in
between, otherwise the piece is dropped. Routes need not end at a crossing, so most end in the middle of a block.

Draws are hashes of (seed, number): the same seed gives the same routes, and the first hundred of a thousand routes are
the same as a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
import numpy.typing as npt

from bearleft.data.loaders.r4r import MAX_JOIN_DISTANCE
from bearleft.errors import InputError, format_value
from bearleft.geometry import turn, vector_angles
from bearleft.world.city.plan import check_draw_seed
from bearleft.world.city.randomness import Stage, integers
from bearleft.world.graphs.graph import Graph, Ints
from bearleft.world.graphs.shortest_paths import PathFinder

MIN_PIECE, MAX_PIECE = 35, 45  # panoramas
TOO_MANY_GAPS = 3  # a piece with this number of gaps or more is dropped
MAX_DETOUR = 12  # panoramas added to close a gap
R2R_LINKS = (4, 6)  # fewest and most links of R2R's paths
MIN_TURN = 45.0  # degrees; smaller angles count as straight
CROSSING_REACH = 2  # links before and after a crossing that give the angle of a turn
BATCH_SIZE = 256
MAX_IDLE_BATCHES = 40  # without a new route, before giving up

Facing = Literal["north", "route", "link", "any"]
RouteSource = Callable[[npt.NDArray[np.int64]], Iterator["Route"]]  # from numbers to routes
# Streams of random draws per pair of places; LENGTH and HEADING are drawn per piece.
START, GOAL, AWAY, LENGTH, HEADING = 0, 1, 2, 1000, 2000


@dataclass(frozen=True)
class Route:
    """A path through a graph with its initial heading `facing`."""

    places: tuple[str, ...]
    headings: tuple[float, ...]  # of its links
    metres: float
    turns: int  # at crossings
    mid_block: bool  # whether it ends neither at a crossing nor next to one
    facing: float = 0.0


def make_route(finder: PathFinder, places: Sequence[int] | Ints, facing: float = 0.0) -> Route:
    """Describe a chain of places as a route.

    Raises:
        InputError: The chain has fewer than two places, or takes a link that may not be taken.
    """
    graph, chain = finder.graph, np.asarray(places, np.int64)
    links = finder.links(chain)
    if len(chain) < 2 or (links < 0).any():
        got = "fewer" if len(chain) < 2 else f"no link from {graph.ids[chain[int(np.argmin(links))]]} to the next"
        raise InputError("a route of two places or more, each linked to the next", got)
    metres = float(np.linalg.norm(np.diff(graph.positions[chain], axis=0), axis=1).sum())
    headings = tuple(graph.heading[links].tolist())
    ids = tuple(graph.ids[place] for place in chain.tolist())
    return Route(ids, headings, metres, _count_turns(finder, chain), not finder.by_crossing[chain[-1]], facing)


def _count_turns(finder: PathFinder, chain: npt.NDArray[np.int64]) -> int:
    """Count the crossings where a route turns, by the headings before and after.

    Crossings at most CROSSING_REACH links apart count as one.
    """
    crossings = np.flatnonzero(finder.crossing[chain])
    crossings = crossings[(crossings > 0) & (crossings < len(chain) - 1)]
    if not len(crossings):
        return 0
    separate = np.diff(crossings) > CROSSING_REACH
    begin, end = crossings[np.concatenate([[True], separate])], crossings[np.concatenate([separate, [True]])]
    positions = finder.graph.positions[chain]
    heading_before, _ = vector_angles(positions[begin] - positions[np.maximum(begin - CROSSING_REACH, 0)])
    heading_after, _ = vector_angles(positions[np.minimum(end + CROSSING_REACH, len(chain) - 1)] - positions[end])
    return int((np.abs(turn(heading_before, heading_after)) > MIN_TURN).sum())


def touchdown_routes(
    finder: PathFinder,
    count: int,
    seed: int = 0,
    walkable: PathFinder | None = None,
    facing: Facing = "north",
    max_distance: float = np.inf,
) -> list[Route]:
    """Draw `count` routes by Touchdown's procedure.

    Args:
        finder: The paths that traffic may take.
        count: The number of routes.
        seed: The seed.
        walkable: The paths that walkers may take, if they differ; gaps are then closed along them.
        facing: The initial heading: "north" as in Touchdown, "route" along the route as in map2seq, "link" for one of
            the headings of the first place's links, or "any" for a whole number of degrees.
        max_distance: Skip pairs of places further apart than this, in metres as the crow flies.

    Raises:
        InputError: The graph has fewer routes.
    """
    return _first_routes(_route_pieces(finder, seed, walkable, facing, max_distance), count, seed)


def touchdown_stream(
    finder: PathFinder, seed: int = 0, facing: Facing = "north", max_distance: float = np.inf
) -> Iterator[Route]:
    """Yield the routes of `touchdown_routes` until hardly any new one is found."""
    check_draw_seed(seed)
    return _stream(_route_pieces(finder, seed, None, facing, max_distance))


def _route_pieces(
    finder: PathFinder, seed: int, walkable: PathFinder | None, facing: Facing, max_distance: float
) -> RouteSource:
    on_foot = walkable or finder
    if len(on_foot.graph) != len(finder.graph):
        raise InputError(f"paths over the same {len(finder.graph)} places", f"{len(on_foot.graph)}", "walkable")

    def pieces(numbers: npt.NDArray[np.int64]) -> Iterator[Route]:
        starts, goals = (_draw_places(finder, seed, numbers, which) for which in (START, GOAL))
        distances = np.linalg.norm(finder.graph.positions[goals] - finder.graph.positions[starts], axis=1)
        numbers, starts, goals = (
            numbers[distances <= max_distance],
            starts[distances <= max_distance],
            goals[distances <= max_distance],
        )
        for number, path in zip(numbers.tolist(), finder.shortest(starts, goals), strict=True):
            for k, piece in enumerate(cut_pieces(path, seed, number)):
                closed = close_gaps(on_foot, piece)
                if closed is not None:
                    yield make_route(on_foot, closed, _initial_heading(on_foot, closed, facing, seed, number, k))

    return pieces


def cut_pieces(path: Ints, seed: int, number: int) -> list[Ints]:
    """Cut a path into pieces of MIN_PIECE to MAX_PIECE places and the rest; drop a rest of a single place."""
    max_pieces = len(path) // MIN_PIECE + 1
    lengths = integers(seed, Stage.ROUTES, number, MIN_PIECE, MAX_PIECE, salt=LENGTH + np.arange(max_pieces))
    pieces = np.split(path, np.cumsum(lengths)[np.cumsum(lengths) < len(path)])
    return [piece for piece in pieces if len(piece) > 1]


def close_gaps(finder: PathFinder, places: Ints) -> Ints | None:
    """Return the places with those added that close gaps, or None if the gaps cannot be closed.

    A gap is a pair of consecutive places without a link. There must be fewer than TOO_MANY_GAPS, each closed by a path
    of at most MAX_DETOUR places, and no place may occur twice: paths that first go back are rejected.
    """
    gaps = np.flatnonzero(finder.links(places) < 0)
    if not len(gaps):
        return places
    if len(gaps) >= TOO_MANY_GAPS:
        return None
    detours = finder.shortest(places[gaps], places[gaps + 1])
    if not all(0 < len(detour) <= MAX_DETOUR + 2 for detour in detours):
        return None
    parts = np.split(places, gaps + 1)
    chain = [parts[0]]
    for detour, part in zip(detours, parts[1:], strict=True):
        chain += [detour[1:-1], part]
    closed = np.concatenate(chain).astype(np.int32)
    return closed if len(np.unique(closed)) == len(closed) else None


def r2r_routes(
    finder: PathFinder, count: int, seed: int = 0, links: tuple[int, int] = R2R_LINKS, facing: Facing = "any"
) -> list[Route]:
    """Draw `count` routes as in R2R: shortest paths of a few links.

    Args:
        finder: The paths to use.
        count: The number of routes.
        seed: The seed.
        links: The fewest and most links of a route.
        facing: The initial heading, as in `touchdown_routes`.

    Raises:
        InputError: The graph has fewer routes.
    """
    min_links, max_links = links
    if not 1 <= min_links <= max_links:
        raise InputError("a range of at least one link", f"{min_links} to {max_links}", "links")

    def paths(numbers: npt.NDArray[np.int64]) -> Iterator[Route]:
        starts = _draw_places(finder, seed, numbers, START)
        goals_by_start = [_places_at_distance(finder, int(start), min_links, max_links) for start in starts]
        has_goals = np.array([len(goals) > 0 for goals in goals_by_start])
        numbers, starts, goals_by_start = (
            numbers[has_goals],
            starts[has_goals],
            [goals for goals in goals_by_start if goals],
        )
        which = integers(seed, Stage.ROUTES, numbers, 0, [len(goals) - 1 for goals in goals_by_start] or 0, salt=AWAY)
        goals = [goals[k] for goals, k in zip(goals_by_start, which.tolist(), strict=True)]
        for number, path in zip(numbers.tolist(), finder.shortest(starts, goals), strict=True):
            if min_links < len(path) <= max_links + 1:
                yield make_route(finder, path, _initial_heading(finder, path, facing, seed, number, 0))

    return _first_routes(paths, count, seed)


def _places_at_distance(finder: PathFinder, start: int, min_links: int, max_links: int) -> list[int]:
    """Return the places `min_links` to `max_links` links away from a place."""
    hops, ring = {start: 0}, [start]
    for distance in range(1, max_links + 1):
        neighbours = [
            int(t)
            for place in ring
            for t in finder.targets[finder.link_offsets[place] : finder.link_offsets[place + 1]]
        ]
        ring = [place for place in dict.fromkeys(neighbours) if place not in hops]
        hops |= dict.fromkeys(ring, distance)
    return [place for place, distance in hops.items() if distance >= min_links]


def r4r_routes(finder: PathFinder, routes: Sequence[Route], max_distance: float = MAX_JOIN_DISTANCE) -> Iterator[Route]:
    """Yield routes as in R4R: pairs where the second starts within `max_distance` metres of the first's end.

    Distances are along the paths, and the shortest path connects the two. A place may occur twice, as in R4R.
    """
    graph = finder.graph
    chains = [np.array([graph.place_index(place) for place in route.places], np.int32) for route in routes]
    starts = np.array([chain[0] for chain in chains], np.int32)
    for k, first in enumerate(chains):
        distances = np.linalg.norm(graph.positions[starts] - graph.positions[first[-1]], axis=1)
        candidates = [n for n in np.flatnonzero(distances <= max_distance).tolist() if n != k]
        for n, connection in zip(
            candidates, finder.shortest(np.full(len(candidates), first[-1]), starts[candidates]), strict=True
        ):
            connection_length = np.linalg.norm(np.diff(graph.positions[connection], axis=0), axis=1).sum()
            if len(connection) and connection_length <= max_distance:
                yield make_route(finder, np.concatenate([first[:-1], connection, chains[n][1:]]), routes[k].facing)


def routes_by_region(routes: Iterable[Route], regions: Mapping[str, int]) -> dict[int, list[Route]]:
    """Group the routes that stay inside one region by region, and drop the others."""
    by_region: dict[int, list[Route]] = {}
    for route in routes:
        numbers = {regions[place] for place in route.places}
        if len(numbers) == 1:
            by_region.setdefault(numbers.pop(), []).append(route)
    return dict(sorted(by_region.items()))


def bands(graph: Graph, shares: Sequence[float]) -> dict[str, int]:
    """Return the region of each place, bands from south to north with these shares of the places."""
    if not len(shares) or min(shares) <= 0:
        raise InputError("shares above 0", format_value(list(shares)), "shares")
    limits = np.cumsum(shares)[:-1] / sum(shares) * len(graph)
    order = np.argsort(graph.positions[:, 1], kind="stable")
    number = np.searchsorted(limits, np.arange(len(graph)), side="right")
    return {graph.ids[place]: band for place, band in zip(order.tolist(), number.tolist(), strict=True)}


def _draw_places(finder: PathFinder, seed: int, numbers: npt.NDArray[np.int64], stream: int) -> Ints:
    return finder.places[integers(seed, Stage.ROUTES, numbers, 0, len(finder.places) - 1, salt=stream)]


def _initial_heading(finder: PathFinder, places: Ints, facing: Facing, seed: int, number: int, piece: int) -> float:
    if facing == "north":
        return 0.0
    if facing == "route":
        return float(finder.graph.heading[finder.links(places[:2])[0]])
    if facing == "any":
        return float(integers(seed, Stage.ROUTES, number, 0, 359, salt=HEADING + piece))
    links = finder.graph.links(int(places[0]))
    return float(
        finder.graph.heading[links[integers(seed, Stage.ROUTES, number, 0, len(links) - 1, salt=HEADING + piece)]]
    )


def _first_routes(source: RouteSource, count: int, seed: int) -> list[Route]:
    """Return the first `count` different routes of a source."""
    check_draw_seed(seed)
    if count < 0:
        raise InputError("a count of at least 0", str(count), "count")
    routes = list(islice(_stream(source), count))
    if len(routes) < count:
        raise InputError(f"a graph with {count} different routes", f"{len(routes)} routes", "count")
    return routes


def _stream(source: RouteSource) -> Iterator[Route]:
    """Yield different routes until MAX_IDLE_BATCHES batches have given none."""
    seen: set[tuple[str, ...]] = set()
    number, idle = 0, 0
    while idle < MAX_IDLE_BATCHES:
        before = len(seen)
        for route in source(np.arange(number, number + BATCH_SIZE)):
            if route.places not in seen:
                seen.add(route.places)
                yield route
        number += BATCH_SIZE
        idle = idle + 1 if len(seen) == before else 0
