"""Maps as files: a region of a world, a dataset's route on it, what was walked, and where one looks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from bearleft.data import open_dataset
from bearleft.data.json_stream import Reader
from bearleft.errors import InputError, shown
from bearleft.geometry import vector
from bearleft.records import Collect, Episode, Point, Reach, Trace
from bearleft.report.pictures.output import Written, checked_output, metres_at, place_number, size_of
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.city.city import City, open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.maps.colours import INK, PAPER, ROUTES
from bearleft.world.maps.frame import Spot
from bearleft.world.maps.map import FORMATS, Cone, Frame, Line, overhead, region, save_map
from bearleft.world.maps.marks import Drawing, Words
from bearleft.world.maps.rooms import room_around
from bearleft.world.visibility.rays import cast
from bearleft.world.worlds import open_world

Progress = Callable[[str, int, int], None]
REACH, REACH_INDOORS = 100.0, 7.0  # metres shown to either side of a place, in a street and indoors outside of rooms
ROOM_EDGE, TITLE = 0.6, 48.0  # metres around a room; usual pixels that a title takes
CLOSE, CLOSE_INDOORS = 40.0, 4.0  # metres around a route, or a spot one points at
WIDE, NARROW = 9.0, 4.5  # usual pixels of the route asked, and of those walked
BEYOND = 150.0  # metres outside the outermost places where a city may still have something
ABOVE = 16.0  # usual pixels from a section to its name
SIZE = 1024  # usual pixels of a side
MOST = len(ROUTES) - 1  # traces on one map


@dataclass(frozen=True)
class Asked:
    """What a map shall show.

    `at` is "EAST,NORTH", `place` an id or a number, `reach` metres from the middle to the nearer edge. A route is the
    episode `episode` of `dataset`, or the shortest way along the ids in `places`. `traces` are files of what was done
    in that episode. With a `heading` the map shows what one sees, `fov` degrees across, from `place`, `at` or the
    route's start.
    """

    at: str | None = None
    place: str | None = None
    reach: float | None = None
    dataset: str | None = None
    episode: str | None = None
    places: str | None = None
    traces: Sequence[str] = ()
    heading: float | None = None
    fov: float = 90.0
    size: str | None = None
    title: str | None = None
    names: bool = True
    plain: bool = False

    def __post_init__(self) -> None:
        if self.at is not None and self.place is not None:
            raise InputError("a place or a position", "both")
        if self.places is not None and (self.dataset is not None or self.traces):
            raise InputError("a dataset's route or the places of one", "both")
        if self.episode is not None and self.dataset is None and not self.traces:
            raise InputError("a dataset or traces beside an episode's id", "neither", "id", hint="Say --route DATASET.")
        Frame(0.0, 0.0, REACH if self.reach is None else self.reach, *self.pixels())
        Cone((0.0, 0.0), self.heading or 0.0, self.fov)
        self.spot()

    def pixels(self) -> tuple[int, int]:
        """Width and height."""
        return size_of(self.size, panorama=False) or (SIZE, SIZE)

    def spot(self) -> Spot | None:
        """East and north, where they are given."""
        if self.at is None:
            return None
        east, north = metres_at(self.at)
        return east, north


def write_map(
    output: str | os.PathLike[str],
    world: str | None = None,
    asked: Asked | None = None,
    city: int | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Draws a map and writes it, as PNG or SVG; the world is that of the route where none is named, else city/0."""
    asked, path = asked or Asked(), checked_output(output, FORMATS)
    traces = _traces(asked)
    episode = _episode(asked, traces, data)
    if episode is not None and world not in (None, episode.world):
        raise InputError(f"{episode.world}, the world of episode {episode.id}", shown(world), "world")
    world = world or (episode.world if episode else "city/0")
    graph = open_world(world, data)
    # A graph alone has no plan; that of Matterport's buildings has none at all.
    built = None if asked.plain or world.startswith("matterport/") else open_city(world, city, data, progress)
    lines = _lines(asked, episode, traces, graph, built)
    frame = _frame(asked, graph, lines, built)
    title = asked.title if asked.title is not None else _title(world, episode)
    cone = _cone(asked, graph, lines, frame)
    drawing = overhead(built.plan if built else graph, frame, lines, title, cone, asked.names)
    if world.startswith("sections/") and built is not None and asked.names:
        _number_sections(drawing, world)
    save_map(drawing, path)
    row = {
        "file": str(path),
        "world": world,
        "episode": episode.id if episode else "",
        "lines": len(lines),
        "width": frame.width,
        "height": frame.height,
        "east": round(frame.east, 3),
        "north": round(frame.north, 3),
        "reach": round(frame.reach, 3),
        "pixels_per_metre": round(frame.scale, 4),
        "marks": len(drawing.marks),
        "words": sum(isinstance(mark, Words) for mark in drawing.marks),
    }
    return Written([row], [])


def _number_sections(drawing: Drawing, world: str) -> None:
    """Names the sections that are seen whole, each above itself."""
    unit, edges = drawing.frame.unit, drawing.box
    for number, (west, south, east, north) in enumerate(open_sections(world).bounds, 1):
        at = (west + east) / 2, north + ABOVE * unit
        if edges[0] <= west and edges[1] <= south and east <= edges[2] and at[1] <= edges[3]:
            drawing.words(Words("section name", at, f"section {number}", 14.0 * unit, INK, PAPER))


def _traces(asked: Asked) -> list[Trace]:
    found: list[Trace] = []
    for file in asked.traces:
        some = [one for one in _read(file) if asked.episode in (None, one.episode)]
        if not some:
            what = f"a trace of episode {shown(asked.episode)}" if asked.episode is not None else "a trace"
            raise InputError(what, "none", file=file)
        first = found[0] if found else some[0]
        found += [one for one in some if (one.episode, one.dataset) == (first.episode, first.dataset)]
    if len(found) > MOST:
        raise InputError(f"at most {MOST} traces of one episode on a map", str(len(found)))
    return found


def _read(file: str) -> list[Trace]:
    def fail(error: InputError) -> None:
        raise error

    found = []
    for line, value in Reader(file, fail).lines():
        try:
            found.append(Trace.from_json(value))
        except InputError as error:
            raise error.at(file=file, line=line) from None
    return found


def _episode(asked: Asked, traces: Sequence[Trace], data: str | os.PathLike[str] | None) -> Episode | None:
    name = asked.dataset or (traces[0].dataset if traces else None)
    if name is None:
        return None
    expected = asked.episode if asked.episode is not None else (traces[0].episode if traces else None)
    first = None
    for episode in open_dataset(name, data):
        if expected in (None, episode.id):
            return episode
        first = first or episode.id
    raise InputError(f"the id of an episode of {name}", shown(expected), "id", hint=f"For example: {first or 'none'}")


def _lines(
    asked: Asked, episode: Episode | None, traces: Sequence[Trace], graph: Graph, city: City | None
) -> list[Line]:
    lines = []
    if asked.places is not None:
        stops = [place_number(graph, one.strip()) for one in asked.places.split(",")]
        if len(different := list(dict.fromkeys(stops))) > 1 and not len(graph.source):
            first, second = (graph.ids[k] for k in different[:2])
            got = f"{graph.name}, where no place has a link to another"
            raise InputError(f"a way from {first} to {second}", got, hint=f"Say --place {first} to see one.")
        way = [place for one, other in pairwise(stops) for place in shortest_route(graph, one, other)]
        lines.append(Line([place for place, _ in groupby(way or [graph.ids[stops[0]]])], ROUTES[0], WIDE))
    if episode is not None:
        route = _route(episode)
        name = "the route" if len(route) > 1 else "where one stands"
        lines.append(Line(route, ROUTES[0], WIDE, name if traces else "", _target(episode, city)))
    for k, trace in enumerate(traces):
        walked = [place for leg in trace.legs for place in leg.path if isinstance(place, str)]
        lines.append(Line([place for place, _ in groupby(walked)], ROUTES[k + 1], NARROW, trace.agent))
    return lines


def _route(episode: Episode) -> list[str]:
    """The places of all legs to walk, or the one place from which one points."""
    route = [place for leg in episode.legs if isinstance(leg.goal, Reach) for place in leg.goal.route]
    points = [leg.goal.place for leg in episode.legs if isinstance(leg.goal, Point) and leg.goal.place is not None]
    if not route and not points:
        tasks = any(isinstance(leg.goal, Collect) for leg in episode.legs)
        hint = (
            "`bearleft data show` draws ArraMon's tasks, and `bearleft report` what was done in them." if tasks else ""
        )
        raise InputError(
            "an episode with a route, or a place to point from", f"episode {episode.id}, which has none", hint=hint
        )
    return [place for place, _ in groupby(route or points[:1])]


def _target(episode: Episode, city: City | None) -> Spot | None:
    """Where the last leg to point points, if it meets anything; only where the episode is of this very city."""
    goals = [leg.goal for leg in episode.legs if isinstance(leg.goal, Point) and leg.goal.place is not None]
    if city is None or not goals or not episode.world.startswith(("city/", "rooms/")):
        return None
    goal = goals[-1]
    eye = city.poses([city.graph.number(str(goal.place))])[0, :3]
    way = vector(goal.direction.heading, goal.direction.pitch).reshape(3)
    depth = float(cast(city.scene, [eye], [way]).depth[0])
    if not np.isfinite(depth) or depth > city_reach(city.graph):
        return None
    return float(eye[0] + depth * way[0]), float(eye[1] + depth * way[1])


def city_reach(graph: Graph) -> float:
    """Metres across a world and what stands around it."""
    return float(np.ptp(graph.positions[:, :2], axis=0).max()) + 2 * BEYOND


def _middle(asked: Asked, graph: Graph) -> Spot | None:
    if asked.place is None:
        return asked.spot()
    east, north = graph.positions[place_number(graph, asked.place), :2]
    return float(east), float(north)


def _frame(asked: Asked, graph: Graph, lines: Sequence[Line], city: City | None) -> Frame:
    width, height = asked.pixels()
    middle = _middle(asked, graph)
    close, usual = (CLOSE, REACH) if _outdoors(graph) else (CLOSE_INDOORS, REACH_INDOORS)
    frame = region(graph, lines, close if lines else None, width, height)
    if middle is not None or asked.reach is not None:
        at = middle or (frame.east, frame.north)
        room = room_around(city.plan, at) if city and city.plan.indoors and asked.reach is None else None
        if room is not None:
            wide, deep = (max(room[k + 2] - at[k], at[k] - room[k]) for k in range(2))
            corners = [(at[0] - wide, at[1] - deep), (at[0] + wide, at[1] + deep)]
            near = Frame.around(corners, ROOM_EDGE, width, height)
            frame = Frame.around(corners, max(ROOM_EDGE, TITLE * near.unit), width, height)
        else:
            frame = Frame(*at, usual if asked.reach is None else asked.reach, width, height)
    west, south, east, north = frame.box
    low, high = graph.positions[:, :2].min(axis=0) - BEYOND, graph.positions[:, :2].max(axis=0) + BEYOND
    if east < low[0] or north < low[1] or west > high[0] or south > high[1]:
        raise InputError(
            f"a region of {graph.name}: east {low[0]:.0f} to {high[0]:.0f}, north {low[1]:.0f} to {high[1]:.0f} metres",
            f"{frame.east:g},{frame.north:g} with a reach of {frame.reach:g}",
        )
    return frame


def _outdoors(graph: Graph) -> bool:
    return not graph.name.startswith(("matterport", "rooms"))


def _cone(asked: Asked, graph: Graph, lines: Sequence[Line], frame: Frame) -> Cone | None:
    if asked.heading is None:
        return None
    start = lines[0].places[0] if lines else None
    east, north = graph.positions[graph.number(start), :2] if start is not None else (frame.east, frame.north)
    at = _middle(asked, graph) or (float(east), float(north))
    return Cone(at, asked.heading, asked.fov, 0.45 * frame.reach)


def _title(world: str, episode: Episode | None) -> str:
    return f"{world}, episode {episode.id}" if episode else world
