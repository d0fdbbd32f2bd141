"""map2seq's lines: one Reach leg each, on Touchdown's graph; the start faces the route."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bearleft.data.dataset import Dataset, in_order, kept, route_of, whole_id, writing
from bearleft.data.loaders.touchdown import TURNS, WORLD, route_fields
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.runtime.json_fields import Fields, Json

# The order of the released files.
FIELDS = ("id", "instructions_id", "route_panoids", "navigation_text", "start_heading")


def read(dataset: Dataset) -> Iterator[Episode]:
    """One episode for each instruction; its id is `instructions_id`, the route's own `id` is kept beside it."""
    street = dataset.street()

    def episodes(row: Fields) -> Iterator[Episode]:
        name = str(row.whole("instructions_id"))
        route = route_of(row, "route_panoids", street)
        leg = Leg(row.some_text("navigation_text"), Reach(route))
        start = Pose(Direction(row.number("start_heading", -TURNS, TURNS)), route[0])
        yield Episode(name, dataset.name, WORLD, start, (leg,), kept(row, "start_heading"))

    return dataset.by_line(episodes)


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """Lines of one Reach leg each."""
    for episode in episodes:
        if len(episode.legs) != 1:
            raise writing(episode, "episodes of one Reach leg")
        instruction = whole_id(episode.id, "map2seq's instructions_id")
        row = {"id": instruction} | dict(episode.extra) | {"instructions_id": instruction, **route_fields(episode)}
        yield in_order(row, FIELDS)
