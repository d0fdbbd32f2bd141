"""Examples of ArraMon's tasks to look at: the section or the room from above, and what the reference saw on the way."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image

from bearleft.envs.arramon.frames import city_top, room_top
from bearleft.records import Assemble, Collect, Episode, LegTrace, Position, Trace
from bearleft.report.arramon_pictures import TaskEyes
from bearleft.report.arramon_replay import Played, played
from bearleft.report.html.strips import Stop, task_stops
from bearleft.world.arramon.moves import FLOOR, STANDING
from bearleft.world.arramon.task_setup import TaskSetup

Shot = tuple[Image.Image, str]  # a view and what it shows


def reference(episode: Episode) -> Trace:
    """The trace of who does what a task's references do."""
    legs = []
    for goal in (leg.goal for leg in episode.legs):
        if isinstance(goal, Collect):
            legs.append(LegTrace(goal.actions, goal.path, (), goal.item))
        elif isinstance(goal, Assemble):
            legs.append(LegTrace(goal.actions, goal.path, (), goal.cell))
    return Trace(episode.id, episode.dataset, "reference", tuple(legs))


def task_pictures(
    episode: Episode, size: int, view: tuple[int, int], most: int
) -> Iterator[tuple[Image.Image, list[Shot]]]:
    """Of each leg the picture from above, `size` pixels a side, and at most so many views."""
    eyes, before = TaskEyes(episode.world, samples=2), list[list[Position]]()
    for one in played(episode, reference(episode)):
        stops = _some(task_stops(one), most)
        names = [eyes.number(eyes.add(one, stop.step)) for stop in stops]
        shots = eyes.views(names, 0.0, size=view, fov=80.0)
        above = _above(episode, one, before, size)
        yield above, [(Image.fromarray(shot), stop.caption) for shot, stop in zip(shots, stops, strict=True)]


def _some(stops: list[Stop], most: int) -> list[Stop]:
    """As many, spread evenly, the first and the last among them."""
    if len(stops) <= most:
        return stops
    return [stops[round(k * (len(stops) - 1) / (most - 1))] for k in range(most)]


def _above(episode: Episode, one: Played, before: list[list[Position]], size: int) -> Image.Image:
    goal, heading = episode.legs[one.leg].goal, one.states[0][1]
    if isinstance(goal, Assemble):
        cell = round(one.states[0][0][0]), FLOOR, round(one.states[0][0][1])
        return Image.fromarray(room_top(one.standing, cell, heading, one.carried, goal.cell, size))
    assert isinstance(goal, Collect)
    before.append([(east, north, STANDING) for (east, north), _ in one.states])
    section = TaskSetup.of(episode).section
    return Image.fromarray(city_top(episode.world, section, one.lying, before, one.states[-1][1], goal.at[:2], size))
