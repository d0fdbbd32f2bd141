from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from bearleft.agents import follower
from bearleft.agents.follower import ColourBlind, Follower
from bearleft.envs import legs
from bearleft.errors import InputError
from bearleft.evaluation.play import play
from bearleft.language import arramon_assembly
from bearleft.language.arramon_assembly.write import placement_writer
from bearleft.language.arramon_navigation.write import walk_writer, write_instruction
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Pose
from bearleft.world.arramon.moves import AGENT_Z
from bearleft.world.arramon.task_setup import RoomItem, TaskSetup
from tests.language.arramon_navigation.section_scene import Walk, section, walks

WORLD = "sections/3"
ROOM = (RoomItem("Dotted Green Bowl", (1, 1, 2)), RoomItem("Striped White Book", (3, 1, 3)))


@pytest.fixture(autouse=True)
def small_section(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the small section of the tests instead of a full world."""
    scene, ground = section()
    monkeypatch.setattr(follower, "open_scene", lambda _: scene)
    monkeypatch.setattr(follower, "load_walkable_grid", lambda _: ground)
    monkeypatch.setattr(legs, "load_walkable_grid", lambda _: ground)


def make_episode(number: int, walk: Walk) -> Episode | None:
    """Return an episode of one turn: a walk, and a cell next to the bowl."""
    cell = (2, 1, 2)
    instruction = write_instruction(
        section()[0], walk.at, walk.heading, walk.actions, walk.target, walk.others, walk_writer(str(number))
    )
    placement = arramon_assembly.write_placement(ROOM, walk.target.item, cell, placement_writer(str(number)))
    if instruction is None or placement is None:
        return None
    assemble = Assemble(cell, ((2, 1, 0), (2, 1, 1)), ("forward", "place"))
    collect = Collect(walk.path, walk.target.item, walk.target.at, walk.actions)
    return Episode(
        id=str(number),
        dataset="test",
        world=WORLD,
        start=Pose(Direction(walk.heading), position=(*walk.at, AGENT_Z)),
        legs=(Leg(instruction.string, collect), Leg(placement.string, assemble)),
        extra={"setting": TaskSetup(walk.city_items, ROOM, 1).to_json()},
    )


@cache
def episodes() -> tuple[Episode, ...]:
    """Return tasks of one turn."""
    candidates = (make_episode(k, walk) for k, walk in enumerate(walks(section(), 14, 8)))
    return tuple(episode for episode in candidates if episode is not None)


def test_follower_collects_and_assembles_by_the_texts() -> None:
    assert len(episodes()) >= 9
    for episode in episodes():
        collected, assembled = play(Follower(), episode)
        goal, cell = episode.legs[0].goal, episode.legs[1].goal
        assert isinstance(goal, Collect)
        assert isinstance(cell, Assemble)
        assert collected.answer == goal.item
        assert collected.actions[-1] == "pick"
        assert assembled.answer == cell.cell
        assert assembled.actions[-1] == "place"


def test_other_text_leads_to_another_item() -> None:
    tasks = episodes()
    unchanged = 0
    for task, other_task in zip(tasks, tasks[3:] + tasks[:3], strict=True):
        swapped = replace(task, legs=(replace(task.legs[0], text=other_task.legs[0].text), task.legs[1]))
        unchanged += play(Follower(), swapped)[0].answer == task.legs[0].goal.item  # type: ignore[union-attr]
    assert unchanged <= len(tasks) // 4


def test_goal_is_not_read() -> None:
    task = episodes()[0]
    goal, cell = (leg.goal for leg in task.legs)
    assert isinstance(goal, Collect)
    assert isinstance(cell, Assemble)
    city_items = TaskSetup.from_episode(task).city_items
    other_item = next(item for item in city_items if item.item != goal.item)
    changed_legs = (
        replace(task.legs[0], goal=replace(goal, item=other_item.item, at=other_item.at, path=goal.path[:1])),
        replace(task.legs[1], goal=replace(cell, cell=(0, 1, 3))),
    )
    changed_task = replace(task, legs=changed_legs, extra={"setting": TaskSetup(city_items[::-1], ROOM, 1).to_json()})
    assert [leg.actions for leg in play(Follower(), task)] == [leg.actions for leg in play(Follower(), changed_task)]


def test_legs_end_even_without_colours_or_readable_texts() -> None:
    for episode in episodes()[:4]:
        assert [leg.actions[-1] for leg in play(ColourBlind(), episode)] == ["pick", "place"]
    empty = replace(episodes()[0], legs=tuple(replace(leg, text="Hello.") for leg in episodes()[0].legs))
    assert [leg.actions[-1] for leg in play(Follower(), empty)] == ["pick", "place"]


def test_released_worlds_raise() -> None:
    with pytest.raises(InputError, match="sections/SEED"):
        play(Follower(), replace(episodes()[0], world="arramon/17"))
