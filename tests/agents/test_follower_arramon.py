from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from bearleft.agents import follower
from bearleft.agents.follower import ColourBlind, Follower
from bearleft.envs import legs
from bearleft.errors import InputError
from bearleft.evaluation.play import play
from bearleft.language import arramon_assembly
from bearleft.language.arramon_navigation.write import write_instruction
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Pose
from bearleft.world.arramon.moves import AGENT_Z
from bearleft.world.arramon.task_setup import RoomItem, TaskSetup
from tests.language.arramon_navigation.section_scene import Walk, section, walks

WORLD = "sections/3"
ROOM = (RoomItem("Dotted Green Bowl", (1, 1, 2)), RoomItem("Striped White Book", (3, 1, 3)))


@pytest.fixture(autouse=True)
def small_section(monkeypatch: pytest.MonkeyPatch) -> None:
    """The section of the tests in place of a whole world."""
    scene, ground = section()
    monkeypatch.setattr(follower, "open_scene", lambda _: scene)
    monkeypatch.setattr(follower, "load_walkable_grid", lambda _: ground)
    monkeypatch.setattr(legs, "load_walkable_grid", lambda _: ground)


def _episode(number: int, walk: Walk) -> Episode | None:
    """A turn: a walk and a cell beside the bowl."""
    random = Random(f"episode {number}")
    cell = (2, 1, 2)
    told = write_instruction(section()[0], walk.at, walk.heading, walk.actions, walk.target, walk.others, random)
    placed = arramon_assembly.write_placement(ROOM, walk.target.item, cell, random)
    if told is None or placed is None:
        return None
    assemble = Assemble(cell, ((2, 1, 0), (2, 1, 1)), ("forward", "place"))
    collect = Collect(walk.path, walk.target.item, walk.target.at, walk.actions)
    return Episode(
        id=str(number),
        dataset="test",
        world=WORLD,
        start=Pose(Direction(walk.heading), position=(*walk.at, AGENT_Z)),
        legs=(Leg(told.string, collect), Leg(placed.string, assemble)),
        extra={"setting": TaskSetup(walk.city_items, ROOM, 1).to_json()},
    )


@cache
def episodes() -> tuple[Episode, ...]:
    """Tasks of one turn."""
    candidates = (_episode(k, walk) for k, walk in enumerate(walks(section(), 14, 8)))
    return tuple(episode for episode in candidates if episode is not None)


def test_collects_and_assembles_what_the_texts_say() -> None:
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
    some = episodes()
    right = 0
    for one, other in zip(some, some[3:] + some[:3], strict=True):
        swapped = replace(one, legs=(replace(one.legs[0], text=other.legs[0].text), one.legs[1]))
        right += play(Follower(), swapped)[0].answer == one.legs[0].goal.item  # type: ignore[union-attr]
    assert right <= len(some) // 4


def test_goal_is_not_read() -> None:
    one = episodes()[0]
    goal, cell = (leg.goal for leg in one.legs)
    assert isinstance(goal, Collect)
    assert isinstance(cell, Assemble)
    lying = TaskSetup.from_episode(one).city_items
    other = next(thing for thing in lying if thing.item != goal.item)
    changed = (
        replace(one.legs[0], goal=replace(goal, item=other.item, at=other.at, path=goal.path[:1])),
        replace(one.legs[1], goal=replace(cell, cell=(0, 1, 3))),
    )
    blind = replace(one, legs=changed, extra={"setting": TaskSetup(lying[::-1], ROOM, 1).to_json()})
    assert [leg.actions for leg in play(Follower(), one)] == [leg.actions for leg in play(Follower(), blind)]


def test_legs_end_without_colours_or_sense() -> None:
    for episode in episodes()[:4]:
        assert [leg.actions[-1] for leg in play(ColourBlind(), episode)] == ["pick", "place"]
    empty = replace(episodes()[0], legs=tuple(replace(leg, text="Hello.") for leg in episodes()[0].legs))
    assert [leg.actions[-1] for leg in play(Follower(), empty)] == ["pick", "place"]


def test_released_worlds_raise() -> None:
    with pytest.raises(InputError, match="sections/SEED"):
        play(Follower(), replace(episodes()[0], world="arramon/17"))
