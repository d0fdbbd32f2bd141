"""Routes as the papers made theirs, through any graph: Touchdown's appendix A, R2R's shortest paths, R4R's joined ones.

Touchdown's rule, in our words: draw two panoramas, take a route between them that keeps to the directions of traffic,
and cut it into pieces of 35 to 45 panoramas, each length as likely as any other. The last piece stays although it may
be shorter. A piece may have gaps, consecutive panoramas that no link joins: with fewer than three they are closed with
panoramas in between, with more the piece is dropped. Nothing is done to end a route at a crossing, so most end in the
middle of a block.

Draws are hashes of (seed, number): the same routes wherever the seed is the same, and the first hundred of a thousand
are the hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
import numpy.typing as npt

from bearleft.data.loaders.r4r import NEAR
from bearleft.errors import InputError, shown
from bearleft.geometry import angles, turn
from bearleft.world.city.plan import check_seed
from bearleft.world.city.randomness import Stage, integers
from bearleft.world.graphs.graph import Graph, Ints
from bearleft.world.graphs.shortest_paths import Ways

SHORTEST, LONGEST = 35, 45  # panoramas of a piece
GAPS = 3  # so many are too many
AROUND = 12  # a gap is closed with at most so many panoramas
LINKS = (4, 6)  # of R2R's paths, in its files
TURN = 45.0  # degrees; a smaller one goes straight on
REACH = 2  # links before and after a crossing that say whether one turned there
BATCH = 256
PATIENCE = 40  # batches without any new route, before giving up

Facing = Literal["north", "link", "any"]
Make = Callable[[npt.NDArray[np.int64]], Iterator["Route"]]  # routes of some numbers
# Which question is asked about a pair of places; LENGTH and HEADING are asked about each piece.
START, GOAL, AWAY, LENGTH, HEADING = 0, 1, 2, 1000, 2000


@dataclass(frozen=True)
class Route:
    """A way through a graph. One starts at its first place, looking at `facing`."""

    places: tuple[str, ...]
    headings: tuple[float, ...]  # of its links
    metres: float
    turns: int  # at crossings
    mid_block: bool  # whether it ends neither at a crossing nor next to one
    facing: float = 0.0


def route(ways: Ways, places: Sequence[int] | Ints, facing: float = 0.0) -> Route:
    """A chain of places, described; an error where it takes a link that may not be taken."""
    graph, chain = ways.graph, np.asarray(places, np.int64)
    links = ways.links(chain)
    if len(chain) < 2 or (links < 0).any():
        got = "fewer" if len(chain) < 2 else f"no way from {graph.ids[chain[int(np.argmin(links))]]} to the next"
        raise InputError("a route of two places or more, each linked to the next", got)
    metres = float(np.linalg.norm(np.diff(graph.positions[chain], axis=0), axis=1).sum())
    headings = tuple(graph.heading[links].tolist())
    ids = tuple(graph.ids[place] for place in chain.tolist())
    return Route(ids, headings, metres, _turns(ways, chain), not ways.by_crossing[chain[-1]], facing)


def _turns(ways: Ways, chain: npt.NDArray[np.int64]) -> int:
    """At how many crossings one turns: by the directions in which one comes and leaves.

    Crossings at most REACH links apart are one.
    """
    at = np.flatnonzero(ways.crossing[chain])
    at = at[(at > 0) & (at < len(chain) - 1)]
    if not len(at):
        return 0
    parted = np.diff(at) > REACH
    begin, end = at[np.concatenate([[True], parted])], at[np.concatenate([parted, [True]])]
    where = ways.graph.positions[chain]
    come, _ = angles(where[begin] - where[np.maximum(begin - REACH, 0)])
    leave, _ = angles(where[np.minimum(end + REACH, len(chain) - 1)] - where[end])
    return int((np.abs(turn(come, leave)) > TURN).sum())


def touchdown_routes(
    ways: Ways,
    count: int,
    seed: int = 0,
    walked: Ways | None = None,
    facing: Facing = "north",
    apart: float = np.inf,
) -> list[Route]:
    """Routes as Touchdown's, `count` of them.

    `ways` says where traffic may drive, `walked` which of the same places are linked for walkers where that differs:
    then there are gaps to repair. Touchdown's routes all start facing north; "link" draws one of the headings of the
    first place's links, "any" a whole number of degrees. Pairs of places further apart than `apart` metres as the crow
    flies are passed over.
    """
    return _drawn(_pieces(ways, seed, walked, facing, apart), count, seed)


def touchdown_stream(ways: Ways, seed: int = 0, facing: Facing = "north", apart: float = np.inf) -> Iterator[Route]:
    """The routes of `touchdown_routes` one by one, until hardly any new one is found."""
    check_seed(seed)
    return _stream(_pieces(ways, seed, None, facing, apart))


def _pieces(ways: Ways, seed: int, walked: Ways | None, facing: Facing, apart: float) -> Make:
    on_foot = walked or ways
    if len(on_foot.graph) != len(ways.graph):
        raise InputError(f"ways along the same {len(ways.graph)} places", f"{len(on_foot.graph)}", "walked")

    def pieces(numbers: npt.NDArray[np.int64]) -> Iterator[Route]:
        starts, goals = (_places(ways, seed, numbers, which) for which in (START, GOAL))
        flight = np.linalg.norm(ways.graph.positions[goals] - ways.graph.positions[starts], axis=1)
        numbers, starts, goals = numbers[flight <= apart], starts[flight <= apart], goals[flight <= apart]
        for number, way in zip(numbers.tolist(), ways.shortest(starts, goals), strict=True):
            for k, piece in enumerate(cut(way, seed, number)):
                whole = repair(on_foot, piece)
                if whole is not None:
                    yield route(on_foot, whole, _facing(on_foot.graph, int(whole[0]), facing, seed, number, k))

    return pieces


def cut(way: Ints, seed: int, number: int) -> list[Ints]:
    """Pieces of SHORTEST to LONGEST places and a last one of what is left; a single place is no route."""
    most = len(way) // SHORTEST + 1
    lengths = integers(seed, Stage.ROUTES, number, SHORTEST, LONGEST, LENGTH + np.arange(most))
    pieces = np.split(way, np.cumsum(lengths)[np.cumsum(lengths) < len(way)])
    return [piece for piece in pieces if len(piece) > 1]


def repair(ways: Ways, places: Ints) -> Ints | None:
    """The places with those added that close its gaps, or None.

    A gap is where no link may be taken from a place to the next. There must be fewer than GAPS of them, a way of at
    most AROUND places must lead across each, and no place may come twice: a way that first goes back is none.
    """
    gaps = np.flatnonzero(ways.links(places) < 0)
    if not len(gaps):
        return places
    if len(gaps) >= GAPS:
        return None
    across = ways.shortest(places[gaps], places[gaps + 1])
    if not all(0 < len(way) <= AROUND + 2 for way in across):
        return None
    parts = np.split(places, gaps + 1)
    chain = [parts[0]]
    for way, part in zip(across, parts[1:], strict=True):
        chain += [way[1:-1], part]
    whole = np.concatenate(chain).astype(np.int32)
    return whole if len(np.unique(whole)) == len(whole) else None


def r2r_routes(
    ways: Ways, count: int, seed: int = 0, links: tuple[int, int] = LINKS, facing: Facing = "any"
) -> list[Route]:
    """Routes as R2R's: shortest paths of a few links, from the least to the most of `links`, begun in any heading."""
    least, most = links
    if not 1 <= least <= most:
        raise InputError("at least one link, and no fewer at most than at least", f"{least} to {most}", "links")

    def paths(numbers: npt.NDArray[np.int64]) -> Iterator[Route]:
        starts = _places(ways, seed, numbers, START)
        away = [_away(ways, int(start), least, most) for start in starts]
        some = np.array([len(goals) > 0 for goals in away])
        numbers, starts, away = numbers[some], starts[some], [goals for goals in away if goals]
        which = integers(seed, Stage.ROUTES, numbers, 0, [len(goals) - 1 for goals in away] or 0, AWAY)
        goals = [goals[k] for goals, k in zip(away, which.tolist(), strict=True)]
        for number, way in zip(numbers.tolist(), ways.shortest(starts, goals), strict=True):
            if least < len(way) <= most + 1:
                yield route(ways, way, _facing(ways.graph, int(way[0]), facing, seed, number, 0))

    return _drawn(paths, count, seed)


def _away(ways: Ways, start: int, least: int, most: int) -> list[int]:
    """The places that lie so many links from one."""
    hops, ring = {start: 0}, [start]
    for far in range(1, most + 1):
        near = [int(t) for place in ring for t in ways.target[ways.first[place] : ways.first[place + 1]]]
        ring = [place for place in dict.fromkeys(near) if place not in hops]
        hops |= dict.fromkeys(ring, far)
    return [place for place, far in hops.items() if far >= least]


def r4r_routes(ways: Ways, routes: Sequence[Route], near: float = NEAR) -> Iterator[Route]:
    """Routes as R4R's: every two that can be joined, the second starting within `near` metres of the first's end.

    Metres are along the ways, and the shortest way lies between. A place may come twice, as in R4R.
    """
    graph = ways.graph
    chains = [np.array([graph.number(place) for place in one.places], np.int32) for one in routes]
    starts = np.array([chain[0] for chain in chains], np.int32)
    for k, first in enumerate(chains):
        flight = np.linalg.norm(graph.positions[starts] - graph.positions[first[-1]], axis=1)
        close = [n for n in np.flatnonzero(flight <= near).tolist() if n != k]
        for n, way in zip(close, ways.shortest(np.full(len(close), first[-1]), starts[close]), strict=True):
            between = np.linalg.norm(np.diff(graph.positions[way], axis=0), axis=1).sum()
            if len(way) and between <= near:
                yield route(ways, np.concatenate([first[:-1], way, chains[n][1:]]), routes[k].facing)


def disjoint(routes: Iterable[Route], region: Mapping[str, int]) -> dict[int, list[Route]]:
    """The routes of each region that stay inside it: no place is shared by two regions' routes; the others go."""
    found: dict[int, list[Route]] = {}
    for one in routes:
        numbers = {region[place] for place in one.places}
        if len(numbers) == 1:
            found.setdefault(numbers.pop(), []).append(one)
    return dict(sorted(found.items()))


def bands(graph: Graph, shares: Sequence[float]) -> dict[str, int]:
    """Regions from south to north with these shares of the places, for `disjoint`: the number of each place's."""
    if not len(shares) or min(shares) <= 0:
        raise InputError("shares above 0", shown(list(shares)), "shares")
    until = np.cumsum(shares)[:-1] / sum(shares) * len(graph)
    order = np.argsort(graph.positions[:, 1], kind="stable")
    number = np.searchsorted(until, np.arange(len(graph)), side="right")
    return {graph.ids[place]: band for place, band in zip(order.tolist(), number.tolist(), strict=True)}


def _places(ways: Ways, seed: int, numbers: npt.NDArray[np.int64], which: int) -> Ints:
    return ways.places[integers(seed, Stage.ROUTES, numbers, 0, len(ways.places) - 1, which)]


def _facing(graph: Graph, place: int, facing: Facing, seed: int, number: int, piece: int) -> float:
    if facing == "north":
        return 0.0
    if facing == "any":
        return float(integers(seed, Stage.ROUTES, number, 0, 359, HEADING + piece))
    links = graph.links(place)
    return float(graph.heading[links[integers(seed, Stage.ROUTES, number, 0, len(links) - 1, HEADING + piece)]])


def _drawn(make: Make, count: int, seed: int) -> list[Route]:
    """The first `count` different routes that `make` makes of the numbers from 0 on."""
    check_seed(seed)
    if count < 0:
        raise InputError("a number of routes from 0 on", str(count), "count")
    found = list(islice(_stream(make), count))
    if len(found) < count:
        raise InputError(f"ways with {count} different routes", f"{len(found)} found", "count")
    return found


def _stream(make: Make) -> Iterator[Route]:
    """Different routes, until PATIENCE batches have brought none."""
    found: set[tuple[str, ...]] = set()
    number, idle = 0, 0
    while idle < PATIENCE:
        before = len(found)
        for one in make(np.arange(number, number + BATCH)):
            if one.places not in found:
                found.add(one.places)
                yield one
        number += BATCH
        idle = idle + 1 if len(found) == before else 0
