"""Example pictures of ArraMon's tasks: the section or the room from above, and the reference's views."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image

from bearleft.envs.arramon.frames import room_map, section_map
from bearleft.records import Assemble, Collect, Episode, LegTrace, Position, Trace
from bearleft.reports.arramon_pictures import TaskPictures
from bearleft.reports.arramon_replay import ReplayedLeg, replay
from bearleft.reports.html.strips import Stop, choose_task_stops
from bearleft.world.arramon.moves import AGENT_Z, FLOOR
from bearleft.world.arramon.task_setup import TaskSetup

CaptionedView = tuple[Image.Image, str]  # a view and its caption


def reference_trace(episode: Episode) -> Trace:
    """Return the trace of a task's references."""
    legs = []
    for goal in (leg.goal for leg in episode.legs):
        if isinstance(goal, Collect):
            legs.append(LegTrace(goal.actions, goal.path, (), goal.item))
        elif isinstance(goal, Assemble):
            legs.append(LegTrace(goal.actions, goal.path, (), goal.cell))
    return Trace(episode.id, episode.dataset, "reference", tuple(legs))


def task_pictures(
    episode: Episode, size: int, view: tuple[int, int], max_views: int
) -> Iterator[tuple[Image.Image, list[CaptionedView]]]:
    """Yield for each leg the map, `size` pixels a side, and at most `max_views` views."""
    pictures, paths = TaskPictures(episode.world, samples=2), list[list[Position]]()
    for replayed in replay(episode, reference_trace(episode)):
        stops = _spread(choose_task_stops(replayed), max_views)
        numbers = [pictures.place_index(pictures.add(replayed, stop.step)) for stop in stops]
        views = pictures.views(numbers, 0.0, size=view, fov=80.0)
        map_picture = _map(episode, replayed, paths, size)
        yield map_picture, [(Image.fromarray(shot), stop.caption) for shot, stop in zip(views, stops, strict=True)]


def _spread(stops: list[Stop], count: int) -> list[Stop]:
    """Return `count` stops, spread evenly, including the first and the last."""
    if len(stops) <= count:
        return stops
    return [stops[round(k * (len(stops) - 1) / (count - 1))] for k in range(count)]


def _map(episode: Episode, replayed: ReplayedLeg, paths: list[list[Position]], size: int) -> Image.Image:
    goal, heading = episode.legs[replayed.leg].goal, replayed.states[0][1]
    if isinstance(goal, Assemble):
        cell = round(replayed.states[0][0][0]), FLOOR, round(replayed.states[0][0][1])
        return Image.fromarray(room_map(replayed.room_items, cell, heading, replayed.carried, goal.cell, size))
    assert isinstance(goal, Collect)
    paths.append([(east, north, AGENT_Z) for (east, north), _ in replayed.states])
    section = TaskSetup.from_episode(episode).section
    return Image.fromarray(
        section_map(episode.world, section, replayed.city_items, paths, replayed.states[-1][1], goal.at[:2], size)
    )
