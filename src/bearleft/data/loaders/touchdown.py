"""Loaders and writers for Touchdown: navigation (Reach), SDR (Point, up to three panoramas), complete (Reach, Point).

A line describes one target in up to three neighbouring panoramas: the main one, the one before it ("pre") and the one
after it ("post"); the paper calls the targets in the other two propagated. In the complete task an agent may point from
any of them: the Point leg holds the target in the main panorama, and `Point.propagated` the targets in the others.

A line holds ratios of the full equirectangular picture; (-1, -1) means that the target is not visible. The loaders
convert them to directions: heading = yaw + 360 (x - 0.5), pitch = 90 - 180 y, with the panorama's yaw from the graph.

With `has_city_field`, lines are of generated cities, and their field `city` names the world.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from bearleft.data.dataset import (
    Dataset,
    check_writable,
    integer_id,
    order_fields,
    read_route,
    remaining_fields,
    unsupported_episode,
)
from bearleft.data.json_stream import loads
from bearleft.errors import InputError, format_value
from bearleft.geometry import turn
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach
from bearleft.runtime.json_fields import Fields, Json, number

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph

WORLD = "touchdown"
DESCRIPTION_FIELD = "td_location_text"
VIEWS = ("pre", "main", "post")
HIDDEN = '{"x":-1,"y":-1}'
NOT_VISIBLE = "the target is not visible"
NOT_VISIBLE_ANYWHERE = "the target is not visible in any panorama of the graph, so no Point leg is possible"
NOT_AT_GOAL = "the target is not visible in the main panorama, only in neighbouring ones"
NO_YAW = "the panorama is not in the graph: its yaw is not known, headings count from the picture's middle"
NOT_AT_ROUTE_END = "the main panorama is not the end of the route"
MAX_HEADING = 720.0  # degrees; views in the files turn past 360 and below 0
# In the order of the released files.
FIELDS = (
    *("city", "route_id"),
    *("pre_pano", "pre_heading", "pre_pitch", "pre_center", "pre_original_width", "pre_original_height"),
    *("post_pano", "post_heading", "post_pitch", "post_center", "post_original_width", "post_original_height"),
    *("main_pano", "main_heading", "main_pitch", "main_center", "main_original_width", "main_original_height"),
    *("main_static_center", "pre_static_center", "post_static_center"),
    *("navigation_text", "td_location_text", "full_text", "elapsed", "failure_stats", "num_finished"),
    *("route_panoids", "start_heading", "end_heading", "follower_stats"),
)


def read_navigation(dataset: Dataset, has_city_field: bool = False) -> Iterator[Episode]:
    """Yield one Reach leg per line."""
    graph_of = _graph_lookup(dataset, has_city_field)

    def read(row: Fields) -> Iterator[Episode]:
        name, graph = str(row.integer("route_id")), graph_of(row)
        route = read_route(row, "route_panoids", graph)
        leg = Leg(row.nonempty_text("navigation_text"), Reach(route))
        start = Pose(Direction(row.number("start_heading", -MAX_HEADING, MAX_HEADING)), route[0])
        yield Episode(name, dataset.name, graph.name, start, (leg,), remaining_fields(row, "start_heading"))

    return dataset.read_lines(read)


def _graph_lookup(dataset: Dataset, has_city_field: bool) -> Callable[[Fields], Graph]:
    """Return a function from a line to its graph: that of the city it names, or Touchdown's."""
    if has_city_field:
        return lambda row: dataset.world_graph(row.nonempty_text("city"), row.name("city"))
    graph = dataset.touchdown_graph()
    return lambda _: graph


def navigation_rows(episodes: Iterable[Episode], has_city_field: bool = False) -> Iterator[Json]:
    """Yield lines of one Reach leg each."""
    for episode in episodes:
        if len(episode.legs) != 1:
            raise unsupported_episode(episode, "episodes of one Reach leg")
        row = {"route_id": integer_id(episode.id, "Touchdown's route_id"), **route_fields(episode, has_city_field)}
        yield order_fields(dict(episode.extra) | row, FIELDS)


def route_fields(episode: Episode, has_city_field: bool = False) -> dict[str, Json]:
    """Return the fields of the first leg that Touchdown and map2seq share."""
    goal = episode.legs[0].goal
    if not isinstance(goal, Reach):
        raise unsupported_episode(episode, "episodes that begin with a Reach leg")
    start = Pose(Direction(episode.start.look.heading), goal.route[0])
    check_writable(episode, episode.world if has_city_field else WORLD, start)
    heading: Json = episode.extra.get("start_heading")
    if not isinstance(heading, int | float) or Direction(heading) != episode.start.look:
        heading = episode.start.look.heading
    return {
        "route_panoids": list(goal.route),
        "navigation_text": episode.legs[0].text,
        "start_heading": heading,
        **({"city": episode.world} if has_city_field else {}),
    }


def read_sdr(dataset: Dataset, has_city_field: bool = False) -> Iterator[Episode]:
    """Yield one Point leg for each panorama of a line in which the target is visible."""
    graph_of = _graph_lookup(dataset, has_city_field)

    def read(row: Fields) -> Iterator[Episode]:
        route_id, text, graph = row.integer("route_id"), row.nonempty_text("td_location_text"), graph_of(row)
        extra = remaining_fields(row)
        for view in VIEWS:
            name = f"{route_id}/{view}"
            ratio = _ratio(row, f"{view}_static_center")
            if ratio is None:
                dataset.skip(name, NOT_VISIBLE)
                continue
            place = row.nonempty_text(f"{view}_pano")
            if place in graph.index_by_id:
                yaw = float(graph.yaw[graph.index_by_id[place]])
            elif view == "main":
                raise InputError("a panorama of the graph", format_value(place), "main_pano")
            else:
                dataset.note(name, NO_YAW)
                yaw = 0.0
            point = Point(direction(*ratio, yaw), place, yaw)
            # Not the writer's view, which lies within 120 px of the target in a third of the examples.
            start = Pose(Direction(yaw), place)
            yield Episode(name, dataset.name, graph.name, start, (Leg(text, point),), extra)

    return dataset.read_lines(read)


def sdr_rows(episodes: Iterable[Episode], has_city_field: bool = False) -> Iterator[Json]:
    """Yield lines of up to three Point legs each; a panorama without an episode is written as not visible."""
    seen = set()
    for route, group in groupby(episodes, lambda episode: episode.id.rpartition("/")[0]):
        route_id = integer_id(route, "Touchdown's route_id")
        if route in seen:
            raise InputError("consecutive episodes of a route", f"{route} again", "id")
        seen.add(route)
        row: dict[str, Json] = {}
        views_present = set()
        for episode in group:
            view = episode.id.rpartition("/")[2]
            goal = episode.legs[0].goal
            if view not in VIEWS or len(episode.legs) != 1 or not isinstance(goal, Point) or goal.place is None:
                raise unsupported_episode(episode, "episodes <route>/pre, main or post of one Point leg at a place")
            check_writable(episode, episode.world if has_city_field else WORLD, Pose(Direction(goal.yaw), goal.place))
            if row.get("td_location_text", episode.legs[0].text) != episode.legs[0].text:
                raise InputError(
                    "one text for a route's panoramas", format_value(episode.legs[0].text), "td_location_text"
                )
            views_present.add(view)
            row = dict(episode.extra) | row | {"route_id": route_id, "td_location_text": episode.legs[0].text}
            row |= {"city": episode.world} if has_city_field else {}
            row |= _center(episode.extra, view, goal) | {f"{view}_pano": goal.place}
        for view in VIEWS:
            if view not in views_present:
                center = f"{view}_static_center"
                row[center] = row[center] if center in row and _ratio(Fields(row), center) is None else HIDDEN
        yield order_fields(row, FIELDS)


def read_complete(dataset: Dataset, has_city_field: bool = False) -> Iterator[Episode]:
    """Yield a Reach leg per line, and a Point leg where the target is visible in one of the panoramas."""
    graph_of = _graph_lookup(dataset, has_city_field)

    def read(row: Fields) -> Iterator[Episode]:
        name, graph = str(row.integer("route_id")), graph_of(row)
        route = read_route(row, "route_panoids", graph)
        place = row.nonempty_text("main_pano")
        if place not in graph.index_by_id:
            raise InputError("a panorama of the graph", format_value(place), "main_pano")
        reach = Leg(row.nonempty_text("navigation_text"), Reach(route))
        start = Pose(Direction(row.number("start_heading", -MAX_HEADING, MAX_HEADING)), route[0])
        text, annotated = row.nonempty_text("td_location_text"), _annotated(row, graph)
        if place != route[-1]:
            dataset.note(name, NOT_AT_ROUTE_END)
        legs: tuple[Leg, ...] = (reach,)
        if annotated:
            target, *others = annotated
            legs = reach, Leg(text, replace(target, propagated=tuple(others)))
        if not annotated or annotated[0].place != place:
            dataset.note(name, NOT_AT_GOAL if annotated else NOT_VISIBLE_ANYWHERE)
        extra = remaining_fields(
            row, "start_heading", *(f"{view}_{field}" for view in VIEWS for field in ("pano", "static_center"))
        )
        yield Episode(
            name, dataset.name, graph.name, start, legs, extra | ({} if annotated else {DESCRIPTION_FIELD: text})
        )

    return dataset.read_lines(read)


def _annotated(row: Fields, graph: Graph) -> list[Point]:
    """Return the target as annotated in the line's panoramas of the graph, the main one first."""
    points: dict[str, Point] = {}
    for view in ("main", "pre", "post"):
        pano, center = f"{view}_pano", f"{view}_static_center"
        if view != "main" and not (pano in row and center in row):
            continue
        ratio = _ratio(row, center)
        if ratio is None:
            continue
        place = row.nonempty_text(pano)
        if place in graph.index_by_id and place not in points:
            yaw = float(graph.yaw[graph.index_by_id[place]])
            points[place] = Point(direction(*ratio, yaw), place, yaw)
    return list(points.values())


def complete_rows(episodes: Iterable[Episode], has_city_field: bool = False) -> Iterator[Json]:
    """Yield lines of a Reach leg and a Point leg each; of a Reach leg alone where the target is not visible."""
    for episode in episodes:
        row: dict[str, Json] = {"route_id": integer_id(episode.id, "Touchdown's route_id")}
        row |= route_fields(episode, has_city_field) | _annotations(episode)
        yield order_fields(dict(episode.extra) | row, FIELDS)


def _annotations(episode: Episode) -> dict[str, Json]:
    """Return the target's text and its position in each panorama, as in a line of the complete task."""
    extra = episode.extra
    if len(episode.legs) == 1 and DESCRIPTION_FIELD in extra and "main_pano" in extra:
        return {"main_static_center": extra.get("main_static_center", HIDDEN)}
    goal = episode.legs[-1].goal
    if len(episode.legs) != 2 or not isinstance(goal, Point) or goal.place is None:
        raise unsupported_episode(episode, "episodes of a Reach leg and a Point leg at a place")
    open_slots = {view: extra.get(f"{view}_pano") for view in ("main", "pre", "post")}
    open_slots["main"] = open_slots["main"] or goal.place
    row: dict[str, Json] = {
        "main_pano": open_slots["main"],
        "main_static_center": extra.get("main_static_center", HIDDEN),
    }
    for point in (goal, *goal.propagated):
        # Two views may be of one panorama: prefer the one whose click gives this direction.
        views = sorted(
            (v for v in open_slots if open_slots[v] == point.place), key=lambda v: not _is_center(extra, v, point)
        )
        views += [view for view in open_slots if open_slots[view] is None]
        if not views:
            raise InputError("a target in at most three panoramas", format_value(episode.id), "propagated")
        del open_slots[views[0]]
        row |= _center(extra, views[0], point) | {f"{views[0]}_pano": point.place}
    return row | {DESCRIPTION_FIELD: episode.legs[1].text}


def direction(x: float, y: float, yaw: float) -> Direction:
    """Return the direction of a ratio of the picture whose middle has heading `yaw`."""
    return Direction(yaw + 360.0 * (x - 0.5), 90.0 - 180.0 * y)


def ratio_of(towards: Direction, yaw: float) -> tuple[float, float]:
    """Return the ratio of a direction in the picture whose middle has heading `yaw`."""
    return float(turn(yaw, towards.heading)) / 360.0 + 0.5, (90.0 - towards.pitch) / 180.0


def _ratio(row: Fields, name: str) -> tuple[float, float] | None:
    """Return a click's (x, y), which the files hold as JSON inside a text; None for (-1, -1)."""
    value = row[name]
    try:
        click = Fields(loads(value) if isinstance(value, str) else value)
        x, y = click.number("x"), click.number("y")
        if x == y == -1:
            return None
        return number(x, "x", 0, 1), number(y, "y", 0, 1)
    except InputError as error:
        raise error.at(field=row.name(name)) from None


def _is_center(extra: Json, view: str, goal: Point) -> bool:
    """Return whether the click of a view gives the goal's direction."""
    try:
        ratio = _ratio(Fields(dict(extra)), f"{view}_static_center")
    except InputError:  # an episode from another source
        return False
    return ratio is not None and direction(*ratio, goal.yaw) == goal.direction


def _center(extra: Json, view: str, goal: Point) -> dict[str, Json]:
    """Return the click, unchanged where it still gives the goal's direction."""
    name = f"{view}_static_center"
    if _is_center(extra, view, goal):
        return {name: extra[name]}
    x, y = ratio_of(goal.direction, goal.yaw)
    return {name: json.dumps({"x": x, "y": y}, separators=(",", ":"))}
