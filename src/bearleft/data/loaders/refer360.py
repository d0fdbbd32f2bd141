"""Refer360's sequences: one Point leg told sentence by sentence, with the follower's view after each.

Longitude and latitude are degrees of the picture: heading = longitude, pitch = latitude, yaw 0. An episode starts
looking at the ceiling; the environment draws the heading. The file's latitudes carry an adjustment of 0.1 radians, so
that views of the ceiling read up to 95.73 degrees: they become 90 and are noted.

The same items hold places of bearleft's own cities: then `img_src` is the world and the place (`named`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bearleft.data.dataset import Dataset, in_order, kept, whole_id, writing
from bearleft.errors import InputError, shown
from bearleft.records import Direction, Episode, Leg, LegTrace, Point, Pose, Trace
from bearleft.runtime.json_fields import Fields, Json, each, items, number, text
from bearleft.version import VERSION

WORLD = "refer360"
STEEPEST = 96.0
UP = Direction(0.0, 90.0)
NO_FOLLOWER = "no follower: no views"
COUNTS = "the follower's views do not match the sentences: no views"
CLAMPED = "a view is recorded above 90 degrees: taken as 90"
# The order of the released files.
FIELDS = (
    *("refexp", "annotationid", "actions", "ann_cat", "xlng_deg", "xlng_rad", "ylat_deg", "ylat_rad"),
    *("img_src", "img_cat", "img_loc", "img_idx"),
)


def read(dataset: Dataset, named: bool = False) -> Iterator[Episode]:
    """One Point leg for each sequence."""

    def episodes(row: Fields) -> Iterator[Episode]:
        name = str(row.whole("annotationid"))
        words = each(_words, row["refexp"], row.name("refexp"), some=True)
        sentences = tuple(" ".join(sentence) for sentence in words)
        if not " ".join(sentences).strip():
            raise InputError("sentences with words in them", shown(row["refexp"]), row.name("refexp"))
        target = Direction(row.number("xlng_deg", -360, 360), row.number("ylat_deg", -90, 90))
        place = row.some_text("img_idx")
        world = _world(row, place, dataset) if named else WORLD
        point = Point(target, place, 0.0, _views(row, name, len(sentences), dataset))
        extra = kept(row, "actions", "xlng_deg", "ylat_deg")
        if [sentence.split(" ") for sentence in sentences] != row["refexp"]:
            extra["refexp"] = row["refexp"]  # a word that holds a space, or nothing
        leg = Leg(" ".join(sentences), point, sentences)
        yield Episode(name, dataset.name, world, Pose(UP, place), (leg,), extra)

    return dataset.by_item(episodes)


def _world(row: Fields, place: str, dataset: Dataset) -> str:
    """The city of an item, which has its place."""
    source = row.some_text("img_src")
    graph = dataset.world(source.rpartition("/")[0], row.name("img_src"))
    if source != f"{graph.name}/{place}" or place not in graph.index:
        raise InputError(f"a place of {graph.name}, and img_src to end with it", shown(place), row.name("img_idx"))
    return graph.name


def rows(episodes: Iterable[Episode], named: bool = False) -> Iterator[Json]:
    """Items of one Point leg each; views without the follower who left them cannot be written."""
    for episode in episodes:
        leg = episode.legs[0]
        goal = leg.goal
        if len(episode.legs) != 1 or not isinstance(goal, Point) or goal.place is None:
            raise writing(episode, "episodes of one Point leg at a place")
        world = episode.world if named else WORLD
        if (episode.world, episode.start) != (world, Pose(UP, goal.place)):
            got = f"{shown(episode.world)} and {episode.start} of episode {shown(episode.id)}"
            raise InputError(f"the world {world} and a start looking up at the goal's place", got, "start")
        if goal.yaw:
            raise InputError("a picture whose middle is heading 0", shown(goal.yaw), "yaw")
        recorded = [_recorded(action) for action in _first(episode)] if goal.views else []
        if goal.views and goal.views not in [_after_each(views) for views in recorded]:
            raise InputError("views that a follower in extra left", f"{len(goal.views)} others", "views")
        sentences = leg.sentences or (leg.text,)
        words: Json = [sentence.split(" ") for sentence in sentences]
        if "refexp" in episode.extra:
            kept_words = each(_words, episode.extra["refexp"], "refexp")
            words = kept_words if tuple(map(" ".join, kept_words)) == sentences else words
        row = (
            {"actions": []}
            | dict(episode.extra)
            | {
                "refexp": words,
                "annotationid": whole_id(episode.id, "Refer360's annotationid"),
                **_target(episode.extra, goal.direction),
                "img_idx": goal.place,
                **({"img_src": f"{world}/{goal.place}"} if named else {}),
            }
        )
        yield in_order(row, FIELDS)


def followers(dataset: Dataset) -> Iterator[Trace]:
    """What the first follower of each sequence did: every view in order, "next" after each sentence, and the answer.

    There is no trace where nobody followed, and no action where the views do not match the sentences.
    """
    for episode in dataset:
        for action in _first(episode):
            views = _recorded(action)
            told = len(views) == len(episode.legs[0].sentences) and all(
                views
            )  # else nobody knows which view ended what
            turned = (act for sentence in views for act in (*["look"] * len(sentence), "next"))
            leg = LegTrace(
                actions=tuple(turned) if told else (),
                looks=tuple(view for sentence in views for view in sentence),
                answer=_spot((action.number("pred_xlng_deg"), action.number("pred_ylat_deg"))),
            )
            yield Trace(episode.id, dataset.name, "follower", (leg,), 0, dataset.sha256, VERSION)


def _first(episode: Episode) -> list[Fields]:
    """The first follower's record, if anybody followed."""
    if "actions" not in episode.extra:
        raise InputError("an episode of Refer360 with its followers", f"episode {shown(episode.id)} without", "extra")
    return [Fields(action, "actions[0]") for action in items(episode.extra["actions"], "actions")[:1]]


def _recorded(action: Fields) -> list[list[Direction]]:
    return _spots(each(_view_list, action["act_deg_list"], action.name("act_deg_list")))


def _target(extra: Json, direction: Direction) -> dict[str, Json]:
    """Longitude and latitude, as they were where they still mean the direction."""
    raw = extra.get("xlng_deg"), extra.get("ylat_deg")
    if all(isinstance(value, int | float) for value in raw) and Direction(*raw) == direction:
        return {"xlng_deg": raw[0], "ylat_deg": raw[1]}
    heading = direction.heading
    return {"xlng_deg": heading - 360.0 if heading > 180.0 else heading, "ylat_deg": direction.pitch}


def _words(value: Json, field: str) -> tuple[str, ...]:
    return each(text, value, field)


Spot = tuple[float, float]


def _spot_of(value: Json, field: str) -> Spot:
    longitude, latitude = items(value, field, 2)
    return number(longitude, f"{field}[0]", -360, 360), number(latitude, f"{field}[1]", -STEEPEST, STEEPEST)


def _view_list(value: Json, field: str) -> tuple[Spot, ...]:
    return each(_spot_of, value, field)


def _spot(spot: Spot) -> Direction:
    return Direction(spot[0], max(-90.0, min(90.0, spot[1])))


def _spots(views: tuple[tuple[Spot, ...], ...]) -> list[list[Direction]]:
    return [[_spot(spot) for spot in sentence] for sentence in views]


def _after_each(views: list[list[Direction]]) -> tuple[Direction, ...]:
    return tuple(sentence[-1] for sentence in views)


def _views(row: Fields, name: str, sentences: int, dataset: Dataset) -> tuple[Direction, ...]:
    """The first follower's view after each sentence; every follower's record is checked."""
    after: tuple[Direction, ...] = ()
    for k, value in enumerate(row.items("actions")):
        action = Fields(value, row.name(f"actions[{k}]"))
        action.number("pred_xlng_deg", -360, 360)
        action.number("pred_ylat_deg", -STEEPEST, STEEPEST)
        views = each(_view_list, action["act_deg_list"], action.name("act_deg_list"))
        if k:
            continue  # a second follower is checked and kept in extra
        if any(abs(latitude) > 90.0 for sentence in views for _, latitude in sentence):
            dataset.note(name, CLAMPED)
        if len(views) != sentences or not all(views):
            dataset.note(name, COUNTS)
        else:
            after = _after_each(_spots(views))
    if not row["actions"]:
        dataset.note(name, NO_FOLLOWER)
    return after
