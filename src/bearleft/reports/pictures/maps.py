"""Map files: a region of a world, with a dataset's route, walked paths, and a field of view."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from bearleft.data import open_dataset
from bearleft.data.json_stream import Reader
from bearleft.errors import InputError, format_value
from bearleft.geometry import unit_vectors
from bearleft.records import Collect, Episode, Point, Reach, Trace, check_goals
from bearleft.reports.pictures.output import Written, check_output, parse_position, parse_size, place_number
from bearleft.types import DataFolder, Progress
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.city.city import City, open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.maps.colours import INK, PAPER, ROUTES
from bearleft.world.maps.frame import XY
from bearleft.world.maps.map import FORMATS, Cone, Line, MapExtent, overhead_map, region, save_map
from bearleft.world.maps.rooms import room_around
from bearleft.world.maps.shapes import Drawing, Words
from bearleft.world.visibility.rays import cast
from bearleft.world.worlds import open_world, world_kind

STREET_RADIUS, INDOOR_RADIUS = 100.0, 7.0  # metres shown around a place, outdoors and indoors
ROOM_MARGIN, TITLE_PIXELS = 0.6, 48.0  # metres around a room; pixels of a title
ROUTE_MARGIN, INDOOR_ROUTE_MARGIN = 40.0, 4.0  # metres around a route or a target
ROUTE_WIDTH, WALKED_WIDTH = 9.0, 4.5  # pixels of the reference route and of walked paths
WORLD_MARGIN = 150.0  # metres beyond the outermost places
NAME_OFFSET = 16.0  # pixels from a section to its name
DEFAULT_SIZE = 1024  # pixels
MAX_TRACES = len(ROUTES) - 1  # on one map


@dataclass(frozen=True)
class MapConfig:
    """What a map shows.

    Args:
        at: the centre as "EAST,NORTH" in metres.
        place: the centre as a place's id or number.
        radius: metres from the centre to the nearer edge.
        dataset: the dataset of `episode`, whose route is drawn.
        episode: an id; the default is the first episode.
        places: ids of places; the shortest path along them is drawn.
        traces: files of traces of that episode.
        heading: draws the field of view from `place`, `at` or the route's start.
        fov: degrees of the field of view.
        size: "WIDTHxHEIGHT" or "WIDTH".
        title: the heading.
        names: whether streets are named.
        plain: draws the graph alone.
    """

    at: str | None = None
    place: str | None = None
    radius: float | None = None
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
        MapExtent(0.0, 0.0, STREET_RADIUS if self.radius is None else self.radius, *self.pixels())
        Cone((0.0, 0.0), self.heading or 0.0, self.fov)
        self.xy()

    def pixels(self) -> tuple[int, int]:
        """Return width and height."""
        return parse_size(self.size, panorama=False) or (DEFAULT_SIZE, DEFAULT_SIZE)

    def xy(self) -> XY | None:
        """Return east and north, where given."""
        if self.at is None:
            return None
        east, north = parse_position(self.at)
        return east, north


def draw_map(
    output: str | os.PathLike[str],
    world: str | None = None,
    config: MapConfig | None = None,
    city: int | None = None,
    data: DataFolder = None,
    progress: Progress | None = None,
) -> Written:
    """Draw a map from above and write it as PNG or SVG.

    Args:
        output: File to write, ending in .png or .svg.
        world: World to draw; by default that of the route, else city/0.
        config: What to draw: the region, size, route, traces and names.
        city: Seed of the city to build on a street graph that has none.
        data: Data folder.
        progress: Called while a city is built.

    Returns:
        One row that describes the file, and remarks.

    Raises:
        InputError: If the world, the episode or an option is invalid.
    """
    config, path = config or MapConfig(), check_output(output, FORMATS)
    traces = _load_traces(config)
    episode = _episode(config, traces, data)
    if episode is not None and world not in (None, episode.world):
        raise InputError(f"{episode.world}, the world of episode {episode.id}", format_value(world), "world")
    world = world or (episode.world if episode else "city/0")
    graph = open_world(world, data)
    # Matterport's buildings have no plan.
    built_city = None if config.plain or not world_kind(world).renderable else open_city(world, city, data, progress)
    lines = _make_lines(config, episode, traces, graph, built_city)
    frame = _frame(config, graph, lines, built_city)
    title = config.title if config.title is not None else _title(world, episode)
    cone = _cone(config, graph, lines, frame)
    drawing = overhead_map(built_city.plan if built_city else graph, frame, lines, title, cone, config.names)
    if world_kind(world).name == "sections" and built_city is not None and config.names:
        _draw_section_names(drawing, world)
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
        "radius": round(frame.radius, 3),
        "pixels_per_metre": round(frame.scale, 4),
        "marks": len(drawing.shapes),
        "words": sum(isinstance(shape, Words) for shape in drawing.shapes),
    }
    return Written([row], [])


def _draw_section_names(drawing: Drawing, world: str) -> None:
    """Name the sections that lie inside the map, each above its outline."""
    unit, edges = drawing.frame.unit, drawing.box
    for number, (west, south, east, north) in enumerate(open_sections(world).bounds, 1):
        at = (west + east) / 2, north + NAME_OFFSET * unit
        if edges[0] <= west and edges[1] <= south and east <= edges[2] and at[1] <= edges[3]:
            drawing.words(Words("section name", at, f"section {number}", 14.0 * unit, INK, PAPER))


def _load_traces(config: MapConfig) -> list[Trace]:
    traces: list[Trace] = []
    for file in config.traces:
        matching = [trace for trace in _read_traces(file) if config.episode in (None, trace.episode)]
        if not matching:
            expected = f"a trace of episode {format_value(config.episode)}" if config.episode is not None else "a trace"
            raise InputError(expected, "none", file=file)
        first = traces[0] if traces else matching[0]
        traces += [trace for trace in matching if (trace.episode, trace.dataset) == (first.episode, first.dataset)]
    if len(traces) > MAX_TRACES:
        raise InputError(f"at most {MAX_TRACES} traces of one episode on a map", str(len(traces)))
    return traces


def _read_traces(file: str) -> list[Trace]:
    def fail(error: InputError) -> None:
        raise error

    traces = []
    for line, value in Reader(file, fail).lines():
        try:
            traces.append(Trace.from_json(value))
        except InputError as error:
            raise error.at(file=file, line=line) from None
    return traces


def _episode(config: MapConfig, traces: Sequence[Trace], data: DataFolder) -> Episode | None:
    name = config.dataset or (traces[0].dataset if traces else None)
    if name is None:
        return None
    expected = config.episode if config.episode is not None else (traces[0].episode if traces else None)
    first = None
    for episode in open_dataset(name, data):
        if expected in (None, episode.id):
            check_goals([episode], "to show")
            return episode
        first = first or episode.id
    raise InputError(
        f"the id of an episode of {name}", format_value(expected), "id", hint=f"For example: {first or 'none'}"
    )


def _make_lines(
    config: MapConfig, episode: Episode | None, traces: Sequence[Trace], graph: Graph, city: City | None
) -> list[Line]:
    lines = []
    if config.places is not None:
        stops = [place_number(graph, part.strip()) for part in config.places.split(",")]
        if len(distinct_stops := list(dict.fromkeys(stops))) > 1 and not len(graph.source):
            first, second = (graph.ids[k] for k in distinct_stops[:2])
            got = f"{graph.name}, where no place has a link to another"
            raise InputError(f"a way from {first} to {second}", got, hint=f"Say --place {first} to see one.")
        path = [place for part, next_stop in pairwise(stops) for place in shortest_route(graph, part, next_stop)]
        lines.append(Line([place for place, _ in groupby(path or [graph.ids[stops[0]]])], ROUTES[0], ROUTE_WIDTH))
    if episode is not None:
        route = _route(episode)
        name = "the route" if len(route) > 1 else "where one stands"
        lines.append(Line(route, ROUTES[0], ROUTE_WIDTH, name if traces else "", _target(episode, city)))
    for k, trace in enumerate(traces):
        walked = [place for leg in trace.legs for place in leg.path if isinstance(place, str)]
        lines.append(Line([place for place, _ in groupby(walked)], ROUTES[k + 1], WALKED_WIDTH, trace.agent))
    return lines


def _route(episode: Episode) -> list[str]:
    """Return the places of all legs to walk, or the place from which the episode points."""
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


def _target(episode: Episode, city: City | None) -> XY | None:
    """Return where the last leg that points hits the city; None for other worlds."""
    goals = [leg.goal for leg in episode.legs if isinstance(leg.goal, Point) and leg.goal.place is not None]
    if city is None or not goals or not world_kind(episode.world).rendered_places:
        return None
    goal = goals[-1]
    eye = city.poses([city.graph.place_index(str(goal.place))])[0, :3]
    ray = unit_vectors(goal.direction.heading, goal.direction.pitch).reshape(3)
    depth = float(cast(city.scene, [eye], [ray]).depth[0])
    if not np.isfinite(depth) or depth > city_radius(city.graph):
        return None
    return float(eye[0] + depth * ray[0]), float(eye[1] + depth * ray[1])


def city_radius(graph: Graph) -> float:
    """Metres across a world and what stands around it."""
    return float(np.ptp(graph.positions[:, :2], axis=0).max()) + 2 * WORLD_MARGIN


def _centre(config: MapConfig, graph: Graph) -> XY | None:
    if config.place is None:
        return config.xy()
    east, north = graph.positions[place_number(graph, config.place), :2]
    return float(east), float(north)


def _frame(config: MapConfig, graph: Graph, lines: Sequence[Line], city: City | None) -> MapExtent:
    width, height = config.pixels()
    centre = _centre(config, graph)
    margin, default_radius = (ROUTE_MARGIN, STREET_RADIUS) if _outdoors(graph) else (INDOOR_ROUTE_MARGIN, INDOOR_RADIUS)
    frame = region(graph, lines, margin if lines else None, width, height)
    if centre is not None or config.radius is not None:
        point = centre or (frame.east, frame.north)
        room = room_around(city.plan, point) if city and city.plan.indoors and config.radius is None else None
        if room is not None:
            half_width, half_depth = (max(room[k + 2] - point[k], point[k] - room[k]) for k in range(2))
            corners = [(point[0] - half_width, point[1] - half_depth), (point[0] + half_width, point[1] + half_depth)]
            close_frame = MapExtent.around(corners, ROOM_MARGIN, width, height)
            frame = MapExtent.around(corners, max(ROOM_MARGIN, TITLE_PIXELS * close_frame.unit), width, height)
        else:
            frame = MapExtent(*point, default_radius if config.radius is None else config.radius, width, height)
    west, south, east, north = frame.box
    low, high = graph.positions[:, :2].min(axis=0) - WORLD_MARGIN, graph.positions[:, :2].max(axis=0) + WORLD_MARGIN
    if east < low[0] or north < low[1] or west > high[0] or south > high[1]:
        raise InputError(
            f"a region of {graph.name}: east {low[0]:.0f} to {high[0]:.0f}, north {low[1]:.0f} to {high[1]:.0f} metres",
            f"{frame.east:g},{frame.north:g} with a radius of {frame.radius:g}",
        )
    return frame


def _outdoors(graph: Graph) -> bool:
    return not world_kind(graph.name).indoors


def _cone(config: MapConfig, graph: Graph, lines: Sequence[Line], frame: MapExtent) -> Cone | None:
    if config.heading is None:
        return None
    start = lines[0].places[0] if lines else None
    east, north = graph.positions[graph.place_index(start), :2] if start is not None else (frame.east, frame.north)
    at = _centre(config, graph) or (float(east), float(north))
    return Cone(at, config.heading, config.fov, 0.45 * frame.radius)


def _title(world: str, episode: Episode | None) -> str:
    return f"{world}, episode {episode.id}" if episode else world
