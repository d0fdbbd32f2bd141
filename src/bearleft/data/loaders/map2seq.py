"""Loader and writer for map2seq: one Reach leg per line, on Touchdown's graph; the start faces along the route."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bearleft.data.dataset import Dataset, integer_id, order_fields, read_route, remaining_fields, unsupported_episode
from bearleft.data.loaders.touchdown import MAX_HEADING, WORLD, route_fields
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.runtime.json_fields import Fields, Json

# In the order of the released files.
FIELDS = ("id", "instructions_id", "route_panoids", "navigation_text", "start_heading")


def read(dataset: Dataset) -> Iterator[Episode]:
    """Yield one episode per instruction; its id is `instructions_id`, and the route's own `id` is in `extra`."""
    street = dataset.touchdown_graph()

    def episodes(row: Fields) -> Iterator[Episode]:
        name = str(row.integer("instructions_id"))
        route = read_route(row, "route_panoids", street)
        leg = Leg(row.nonempty_text("navigation_text"), Reach(route))
        start = Pose(Direction(row.number("start_heading", -MAX_HEADING, MAX_HEADING)), route[0])
        yield Episode(name, dataset.name, WORLD, start, (leg,), remaining_fields(row, "start_heading"))

    return dataset.read_lines(episodes)


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """Yield lines of one Reach leg each."""
    for episode in episodes:
        if len(episode.legs) != 1:
            raise unsupported_episode(episode, "episodes of one Reach leg")
        instruction = integer_id(episode.id, "map2seq's instructions_id")
        row = {"id": instruction} | dict(episode.extra) | {"instructions_id": instruction, **route_fields(episode)}
        yield order_fields(row, FIELDS)
