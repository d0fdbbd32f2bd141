"""Touchdown's lines three ways: navigation (Reach), SDR (Point, three panoramas a line), complete (Reach, Point).

The complete task ends at the goal panorama or at one beside it that the target was propagated to: its Point holds the
target of the main panorama, and those of the others as `propagated`.

A line holds ratios of the full equirectangular picture; (-1, -1) says that the target is not visible there. They become
directions here: heading = yaw + 360 (x - 0.5), pitch = 90 - 180 y, with the panorama's yaw from the graph.

The same lines hold walks through bearleft's own cities: then their field `city` names the world (`named`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from bearleft.data.dataset import Dataset, in_order, kept, must_fit, route_of, whole_id, writing
from bearleft.data.json_stream import loads
from bearleft.errors import InputError, shown
from bearleft.geometry import turn
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach
from bearleft.runtime.json_fields import Fields, Json, number

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph

WORLD = "touchdown"
TEXT = "td_location_text"
VIEWS = ("pre", "main", "post")
HIDDEN = '{"x":-1,"y":-1}'
NOT_VISIBLE = "the target is not visible"
NOWHERE = "the target is not visible in any panorama of the graph, so that nothing can be found"
NOT_AT_GOAL = "the target is not visible in the main panorama, and found from those beside it only"
NO_YAW = "the panorama is not in the graph: its yaw is not known, headings count from the picture's middle"
ELSEWHERE = "the main panorama is not the end of the route"
TURNS = 720.0  # degrees; views in the files turn past 360 and below 0
# The order of the released files.
FIELDS = (
    *("city", "route_id"),
    *("pre_pano", "pre_heading", "pre_pitch", "pre_center", "pre_original_width", "pre_original_height"),
    *("post_pano", "post_heading", "post_pitch", "post_center", "post_original_width", "post_original_height"),
    *("main_pano", "main_heading", "main_pitch", "main_center", "main_original_width", "main_original_height"),
    *("main_static_center", "pre_static_center", "post_static_center"),
    *("navigation_text", "td_location_text", "full_text", "elapsed", "failure_stats", "num_finished"),
    *("route_panoids", "start_heading", "end_heading", "follower_stats"),
)


def navigation(dataset: Dataset, named: bool = False) -> Iterator[Episode]:
    """One Reach leg for each line."""
    streets = _streets(dataset, named)

    def read(row: Fields) -> Iterator[Episode]:
        name, street = str(row.whole("route_id")), streets(row)
        route = route_of(row, "route_panoids", street)
        leg = Leg(row.some_text("navigation_text"), Reach(route))
        start = Pose(Direction(row.number("start_heading", -TURNS, TURNS)), route[0])
        yield Episode(name, dataset.name, street.name, start, (leg,), kept(row, "start_heading"))

    return dataset.by_line(read)


def _streets(dataset: Dataset, named: bool) -> Callable[[Fields], Graph]:
    """The graph of a line: that of the city it names, or Touchdown's."""
    if named:
        return lambda row: dataset.world(row.some_text("city"), row.name("city"))
    street = dataset.street()
    return lambda _: street


def navigation_rows(episodes: Iterable[Episode], named: bool = False) -> Iterator[Json]:
    """Lines of one Reach leg each."""
    for episode in episodes:
        if len(episode.legs) != 1:
            raise writing(episode, "episodes of one Reach leg")
        row = {"route_id": whole_id(episode.id, "Touchdown's route_id"), **route_fields(episode, named)}
        yield in_order(dict(episode.extra) | row, FIELDS)


def route_fields(episode: Episode, named: bool = False) -> dict[str, Json]:
    """The fields of a street episode's first leg, as Touchdown and map2seq write them."""
    goal = episode.legs[0].goal
    if not isinstance(goal, Reach):
        raise writing(episode, "episodes that begin with a Reach leg")
    start = Pose(Direction(episode.start.look.heading), goal.route[0])
    must_fit(episode, episode.world if named else WORLD, start)
    heading: Json = episode.extra.get("start_heading")
    if not isinstance(heading, int | float) or Direction(heading) != episode.start.look:
        heading = episode.start.look.heading
    return {
        "route_panoids": list(goal.route),
        "navigation_text": episode.legs[0].text,
        "start_heading": heading,
        **({"city": episode.world} if named else {}),
    }


def sdr(dataset: Dataset, named: bool = False) -> Iterator[Episode]:
    """One Point leg for each panorama of a line in which the target is visible."""
    streets = _streets(dataset, named)

    def read(row: Fields) -> Iterator[Episode]:
        route_id, text, street = row.whole("route_id"), row.some_text("td_location_text"), streets(row)
        extra = kept(row)
        for view in VIEWS:
            name = f"{route_id}/{view}"
            ratio = _ratio(row, f"{view}_static_center")
            if ratio is None:
                dataset.leave_out(name, NOT_VISIBLE)
                continue
            place = row.some_text(f"{view}_pano")
            if place in street.index:
                yaw = float(street.yaw[street.index[place]])
            elif view == "main":
                raise InputError("a panorama of the graph", shown(place), "main_pano")
            else:
                dataset.note(name, NO_YAW)
                yaw = 0.0
            point = Point(direction(*ratio, yaw), place, yaw)
            # Not where the writer looked: that view lies within 120 px of the target in a third of the examples.
            start = Pose(Direction(yaw), place)
            yield Episode(name, dataset.name, street.name, start, (Leg(text, point),), extra)

    return dataset.by_line(read)


def sdr_rows(episodes: Iterable[Episode], named: bool = False) -> Iterator[Json]:
    """Lines of up to three Point legs each; a panorama without an episode is written as not visible."""
    written = set()
    for route, group in groupby(episodes, lambda episode: episode.id.rpartition("/")[0]):
        route_id = whole_id(route, "Touchdown's route_id")
        if route in written:
            raise InputError("the episodes of one route beside each other", f"{route} again", "id")
        written.add(route)
        row: dict[str, Json] = {}
        there = set()
        for episode in group:
            view = episode.id.rpartition("/")[2]
            goal = episode.legs[0].goal
            if view not in VIEWS or len(episode.legs) != 1 or not isinstance(goal, Point) or goal.place is None:
                raise writing(episode, "episodes <route>/pre, main or post of one Point leg at a place")
            must_fit(episode, episode.world if named else WORLD, Pose(Direction(goal.yaw), goal.place))
            if row.get("td_location_text", episode.legs[0].text) != episode.legs[0].text:
                raise InputError("one text for a route's panoramas", shown(episode.legs[0].text), "td_location_text")
            there.add(view)
            row = dict(episode.extra) | row | {"route_id": route_id, "td_location_text": episode.legs[0].text}
            row |= {"city": episode.world} if named else {}
            row |= _center(episode.extra, view, goal) | {f"{view}_pano": goal.place}
        for view in VIEWS:
            if view not in there:
                raw = f"{view}_static_center"
                row[raw] = row[raw] if raw in row and _ratio(Fields(row), raw) is None else HIDDEN
        yield in_order(row, FIELDS)


def complete(dataset: Dataset, named: bool = False) -> Iterator[Episode]:
    """A Reach leg for each line, and a Point leg at its end where the target is visible in one of the panoramas."""
    streets = _streets(dataset, named)

    def read(row: Fields) -> Iterator[Episode]:
        name, street = str(row.whole("route_id")), streets(row)
        route = route_of(row, "route_panoids", street)
        place = row.some_text("main_pano")
        if place not in street.index:
            raise InputError("a panorama of the graph", shown(place), "main_pano")
        reach = Leg(row.some_text("navigation_text"), Reach(route))
        start = Pose(Direction(row.number("start_heading", -TURNS, TURNS)), route[0])
        text, annotated = row.some_text("td_location_text"), _annotated(row, street)
        if place != route[-1]:
            dataset.note(name, ELSEWHERE)
        legs: tuple[Leg, ...] = (reach,)
        if annotated:
            target, *others = annotated
            legs = reach, Leg(text, replace(target, propagated=tuple(others)))
        if not annotated or annotated[0].place != place:
            dataset.note(name, NOT_AT_GOAL if annotated else NOWHERE)
        extra = kept(row, "start_heading", *(f"{view}_{what}" for view in VIEWS for what in ("pano", "static_center")))
        yield Episode(name, dataset.name, street.name, start, legs, extra | ({} if annotated else {TEXT: text}))

    return dataset.by_line(read)


def _annotated(row: Fields, street: Graph) -> list[Point]:
    """The target as annotated in the line's panoramas of the graph, the main one first."""
    found: dict[str, Point] = {}
    for view in ("main", "pre", "post"):
        pano, center = f"{view}_pano", f"{view}_static_center"
        if view != "main" and not (pano in row and center in row):
            continue
        ratio = _ratio(row, center)
        if ratio is None:
            continue
        place = row.some_text(pano)
        if place in street.index and place not in found:
            yaw = float(street.yaw[street.index[place]])
            found[place] = Point(direction(*ratio, yaw), place, yaw)
    return list(found.values())


def complete_rows(episodes: Iterable[Episode], named: bool = False) -> Iterator[Json]:
    """Lines of a Reach leg and a Point leg each; of a Reach leg alone where the target is visible nowhere."""
    for episode in episodes:
        row: dict[str, Json] = {"route_id": whole_id(episode.id, "Touchdown's route_id")}
        row |= route_fields(episode, named) | _annotations(episode)
        yield in_order(dict(episode.extra) | row, FIELDS)


def _annotations(episode: Episode) -> dict[str, Json]:
    """The target's text and where it is in each panorama, as a line of the complete task says it."""
    extra = episode.extra
    if len(episode.legs) == 1 and TEXT in extra and "main_pano" in extra:
        return {"main_static_center": extra.get("main_static_center", HIDDEN)}
    goal = episode.legs[-1].goal
    if len(episode.legs) != 2 or not isinstance(goal, Point) or goal.place is None:
        raise writing(episode, "episodes of a Reach leg and a Point leg at a place")
    free = {view: extra.get(f"{view}_pano") for view in ("main", "pre", "post")}
    free["main"] = free["main"] or goal.place
    row: dict[str, Json] = {"main_pano": free["main"], "main_static_center": extra.get("main_static_center", HIDDEN)}
    for point in (goal, *goal.propagated):
        # Two views may be of one panorama: then that whose click says so.
        views = sorted((v for v in free if free[v] == point.place), key=lambda v: not _is_center(extra, v, point))
        views += [view for view in free if free[view] is None]
        if not views:
            raise InputError("a target in at most three panoramas", shown(episode.id), "propagated")
        del free[views[0]]
        row |= _center(extra, views[0], point) | {f"{views[0]}_pano": point.place}
    return row | {TEXT: episode.legs[1].text}


def direction(x: float, y: float, yaw: float) -> Direction:
    """The direction of a ratio of the picture whose middle has heading `yaw`."""
    return Direction(yaw + 360.0 * (x - 0.5), 90.0 - 180.0 * y)


def ratio_of(towards: Direction, yaw: float) -> tuple[float, float]:
    """The ratio of a direction in the picture whose middle has heading `yaw`."""
    return float(turn(yaw, towards.heading)) / 360.0 + 0.5, (90.0 - towards.pitch) / 180.0


def _ratio(row: Fields, name: str) -> tuple[float, float] | None:
    """A click's (x, y), which the files hold as JSON inside a text; None for (-1, -1)."""
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
    """Whether the click of a view means the goal's direction."""
    try:
        ratio = _ratio(Fields(dict(extra)), f"{view}_static_center")
    except InputError:  # an episode that did not come from such a line
        return False
    return ratio is not None and direction(*ratio, goal.yaw) == goal.direction


def _center(extra: Json, view: str, goal: Point) -> dict[str, Json]:
    """The click, as it was where it still means the goal's direction."""
    name = f"{view}_static_center"
    if _is_center(extra, view, goal):
        return {name: extra[name]}
    x, y = ratio_of(goal.direction, goal.yaw)
    return {name: json.dumps({"x": x, "y": y}, separators=(",", ":"))}
