"""Loader and writer for Refer360: one Point leg with several sentences, and the follower's view after each.

Longitude and latitude are degrees of the picture: heading = longitude, pitch = latitude, yaw 0. An episode starts
looking at the ceiling; the environment draws the heading. The file's latitudes carry an adjustment of 0.1 radians, so
that views of the ceiling read up to 95.73 degrees: they become 90 and are noted. Fields in radians are without these
adjustments: see `to_radians`.

With `generated`, items are of generated worlds, and `img_src` is the world and the place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from bearleft.data.dataset import Dataset, integer_id, order_fields, remaining_fields, unsupported_episode
from bearleft.errors import InputError, format_value
from bearleft.records import Direction, Episode, Leg, LegTrace, Point, Pose, Trace
from bearleft.runtime.json_fields import Fields, Json, items, number, parse_list, text
from bearleft.version import VERSION

WORLD = "refer360"
MAX_LATITUDE = 96.0
UP = Direction(0.0, 90.0)
NO_FOLLOWER = "no follower: no views"
VIEWS_MISMATCH = "the follower's views do not match the sentences: no views"
CLAMPED = "a view is recorded above 90 degrees: taken as 90"
# Radians of the released files minus their degrees: the authors' program adjusts both when it converts to degrees.
LONGITUDE_ADJUSTMENT, LATITUDE_ADJUSTMENT = 0.015, -0.1
# In the order of the released files.
FIELDS = (
    *("refexp", "annotationid", "actions", "ann_cat", "xlng_deg", "xlng_rad", "ylat_deg", "ylat_rad"),
    *("img_src", "img_cat", "img_loc", "img_idx"),
)


def read(dataset: Dataset, generated: bool = False) -> Iterator[Episode]:
    """Yield one Point leg per sequence; with `generated` each item names its generated world."""

    def episodes(row: Fields) -> Iterator[Episode]:
        name = str(row.integer("annotationid"))
        words = parse_list(_words, row["refexp"], row.name("refexp"), nonempty=True)
        sentences = tuple(" ".join(sentence) for sentence in words)
        if not " ".join(sentences).strip():
            raise InputError("sentences with words in them", format_value(row["refexp"]), row.name("refexp"))
        target = Direction(row.number("xlng_deg", -360, 360), row.number("ylat_deg", -90, 90))
        place = row.nonempty_text("img_idx")
        world = _world(row, place, dataset) if generated else WORLD
        point = Point(target, place, 0.0, _views(row, name, len(sentences), dataset))
        extra = remaining_fields(row, "actions", "xlng_deg", "ylat_deg")
        if [sentence.split(" ") for sentence in sentences] != row["refexp"]:
            extra["refexp"] = row["refexp"]  # a word that holds a space, or nothing
        leg = Leg(" ".join(sentences), point, sentences)
        yield Episode(name, dataset.name, world, Pose(UP, place), (leg,), extra)

    return dataset.read_items(episodes)


def _world(row: Fields, place: str, dataset: Dataset) -> str:
    """Return the world of an item after checking that it has the item's place."""
    source = row.nonempty_text("img_src")
    graph = dataset.world_graph(source.rpartition("/")[0], row.name("img_src"))
    if source != f"{graph.name}/{place}" or place not in graph.index_by_id:
        raise InputError(
            f"a place of {graph.name}, and img_src to end with it", format_value(place), row.name("img_idx")
        )
    return graph.name


def rows(episodes: Iterable[Episode], generated: bool = False) -> Iterator[Json]:
    """Yield items of one Point leg each; views require the follower's record in `extra`."""
    for episode in episodes:
        leg = episode.legs[0]
        goal = leg.goal
        if len(episode.legs) != 1 or not isinstance(goal, Point) or goal.place is None:
            raise unsupported_episode(episode, "episodes of one Point leg at a place")
        world = episode.world if generated else WORLD
        if (episode.world, episode.start) != (world, Pose(UP, goal.place)):
            got = f"{format_value(episode.world)} and {episode.start} of episode {format_value(episode.id)}"
            raise InputError(f"the world {world} and a start looking up at the goal's place", got, "start")
        if goal.yaw:
            raise InputError("a picture whose middle is heading 0", format_value(goal.yaw), "yaw")
        recorded = [_recorded_views(action) for action in _first_follower(episode)] if goal.views else []
        if goal.views and goal.views not in [_last_views(views) for views in recorded]:
            raise InputError("views that a follower in extra left", f"{len(goal.views)} others", "views")
        sentences = leg.sentences or (leg.text,)
        words: Json = [sentence.split(" ") for sentence in sentences]
        if "refexp" in episode.extra:
            raw_words = parse_list(_words, episode.extra["refexp"], "refexp")
            words = raw_words if tuple(map(" ".join, raw_words)) == sentences else words
        row = (
            {"actions": []}
            | dict(episode.extra)
            | {
                "refexp": words,
                "annotationid": integer_id(episode.id, "Refer360's annotationid"),
                **_target(episode.extra, goal.direction),
                "img_idx": goal.place,
                **({"img_src": f"{world}/{goal.place}"} if generated else {}),
            }
        )
        yield order_fields(row, FIELDS)


def follower_traces(dataset: Dataset) -> Iterator[Trace]:
    """Yield a trace of the first follower of each sequence: all views in order, "next" after each sentence, the answer.

    A sequence without a follower has no trace, and a trace whose views do not match the sentences has no actions.
    """
    for episode in dataset:
        for action in _first_follower(episode):
            views = _recorded_views(action)
            aligned = len(views) == len(episode.legs[0].sentences) and all(
                views
            )  # else the last view of a sentence is unknown
            actions = (action_name for sentence in views for action_name in (*["look"] * len(sentence), "next"))
            leg = LegTrace(
                actions=tuple(actions) if aligned else (),
                looks=tuple(view for sentence in views for view in sentence),
                answer=_direction((action.number("pred_xlng_deg"), action.number("pred_ylat_deg"))),
            )
            yield Trace(episode.id, dataset.name, "follower", (leg,), 0, dataset.sha256, VERSION)


def _first_follower(episode: Episode) -> list[Fields]:
    """Return the first follower's record in a list, or an empty list."""
    if "actions" not in episode.extra:
        raise InputError(
            "an episode of Refer360 with its followers", f"episode {format_value(episode.id)} without them", "extra"
        )
    return [Fields(action, "actions[0]") for action in items(episode.extra["actions"], "actions")[:1]]


def _recorded_views(action: Fields) -> list[list[Direction]]:
    return _directions(parse_list(_view_list, action["act_deg_list"], action.name("act_deg_list")))


def _target(extra: Json, direction: Direction) -> dict[str, Json]:
    """Return longitude and latitude, unchanged where they still give the direction."""
    raw = extra.get("xlng_deg"), extra.get("ylat_deg")
    if all(isinstance(value, int | float) for value in raw) and Direction(*raw) == direction:
        return {"xlng_deg": raw[0], "ylat_deg": raw[1]}
    heading = direction.heading
    longitude = heading - 360.0 if heading > 180.0 else heading
    radians = dict(zip(("xlng_rad", "ylat_rad"), to_radians(longitude, direction.pitch), strict=True))
    return {"xlng_deg": longitude, "ylat_deg": direction.pitch} | {
        name: value for name, value in radians.items() if name in extra
    }


def to_radians(longitude: float, latitude: float) -> list[float]:
    """Return degrees as the radians of the released files: longitude from 0 to 2 pi, both with their adjustments."""
    turn = 2.0 * math.pi
    return [(math.radians(longitude) + LONGITUDE_ADJUSTMENT) % turn, math.radians(latitude) + LATITUDE_ADJUSTMENT]


def _words(value: Json, field: str) -> tuple[str, ...]:
    return parse_list(text, value, field)


LonLat = tuple[float, float]


def _read_lon_lat(value: Json, field: str) -> LonLat:
    longitude, latitude = items(value, field, 2)
    return number(longitude, f"{field}[0]", -360, 360), number(latitude, f"{field}[1]", -MAX_LATITUDE, MAX_LATITUDE)


def _view_list(value: Json, field: str) -> tuple[LonLat, ...]:
    return parse_list(_read_lon_lat, value, field)


def _direction(spot: LonLat) -> Direction:
    return Direction(spot[0], max(-90.0, min(90.0, spot[1])))


def _directions(views: tuple[tuple[LonLat, ...], ...]) -> list[list[Direction]]:
    return [[_direction(spot) for spot in sentence] for sentence in views]


def _last_views(views: list[list[Direction]]) -> tuple[Direction, ...]:
    return tuple(sentence[-1] for sentence in views)


def _views(row: Fields, name: str, sentences: int, dataset: Dataset) -> tuple[Direction, ...]:
    """Return the first follower's view after each sentence, after checking all followers' records."""
    views_after_sentences: tuple[Direction, ...] = ()
    for k, value in enumerate(row.items("actions")):
        action = Fields(value, row.name(f"actions[{k}]"))
        action.number("pred_xlng_deg", -360, 360)
        action.number("pred_ylat_deg", -MAX_LATITUDE, MAX_LATITUDE)
        views = parse_list(_view_list, action["act_deg_list"], action.name("act_deg_list"))
        if k:
            continue  # other followers stay in extra
        if any(abs(latitude) > 90.0 for sentence in views for _, latitude in sentence):
            dataset.note(name, CLAMPED)
        if len(views) != sentences or not all(views):
            dataset.note(name, VIEWS_MISMATCH)
        else:
            views_after_sentences = _last_views(_directions(views))
    if not row["actions"]:
        dataset.note(name, NO_FOLLOWER)
    return views_after_sentences
