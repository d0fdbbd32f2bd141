"""Placing in the room, rule by rule, and beside a slow version of the rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.legs import make_game
from bearleft.errors import InputError
from bearleft.evaluation.play import take
from bearleft.records import Assemble, Direction, Leg
from bearleft.world.arramon.moves import DOOR
from bearleft.world.arramon.room_search import room_actions
from bearleft.world.arramon.task_setup import RoomItem
from tests.envs.arramon.example_tasks import BOOK, DECOYS, ROOMS, TWIN, columns_and_rows, rooms, task

TASK = task()
ACTIONS = st.lists(st.sampled_from(["forward", "forward", "left", "right", "place"]), max_size=30)


def game(standing: list[RoomItem] | None = None, horizon: int = 60, recorded: bool = False) -> AssembleGame:
    things = list(DECOYS) if standing is None else list(standing)
    return AssembleGame(TASK.legs[1], TASK.start, TaskState([], things, recorded, {}, BOOK), horizon)


def played(playing: AssembleGame, *actions: str) -> AssembleGame:
    for action in actions:
        playing.step(action)
    return playing


def rests(standing: list[RoomItem]) -> bool:
    """Whether every thing stands on the floor or on another, one a cell."""
    cells = [one.cell for one in standing]
    below = all(h == 1 or (c, h - 1, r) in cells for c, h, r in cells)
    return below and len(set(cells)) == len(cells) and all(1 <= h <= 4 for _, h, _ in cells)


class Slow:
    """The room as stacks of names, places and views as complex numbers."""

    def __init__(self, standing: list[RoomItem], horizon: int) -> None:
        self.stacks = Counter(complex(one.cell[0], one.cell[2]) for one in standing)
        self.here, self.angle, self.horizon = complex(2, 0), 0, horizon
        self.actions: list[str] = []
        self.placed: tuple[int, int, int] | None = None

    def fits(self, spot: complex) -> bool:
        return 0 <= spot.real <= 4 and 0 <= spot.imag <= 3 and self.stacks[spot] < 4

    def put(self, spot: complex) -> None:
        self.placed = int(spot.real), self.stacks[spot] + 1, int(spot.imag)
        self.stacks[spot] += 1

    def step(self, action: str) -> None:
        straight = self.angle % 90 == 0
        there = self.here + {0: 1j, 90: 1, 180: -1j, 270: -1}.get(self.angle % 360, 0)
        legal = straight and self.fits(there)
        if action == "left":
            self.angle -= 30
        elif action == "right":
            self.angle += 30
        elif action == "forward" and straight and 0 <= there.real <= 4 and 0 <= there.imag <= 3:
            self.here = there if not self.stacks[there] else self.here
        elif action == "place" and legal:
            self.put(there)
        self.actions.append("refused" if action == "place" and not legal else action)
        if self.placed is None and len(self.actions) == self.horizon:
            straight = self.angle % 90 == 0
            there = self.here + {0: 1j, 90: 1, 180: -1j, 270: -1}.get(self.angle % 360, 0)
            choices = [there] if straight and self.fits(there) else []
            spots = [complex(c, r) for c in range(5) for r in range(4) if self.fits(complex(c, r))]
            away = lambda s: abs((s - self.here).real) + abs((s - self.here).imag)  # noqa: E731
            self.put([*choices, *sorted(spots, key=away)][0])


@given(rooms(), ACTIONS, st.integers(1, 20))
@settings(deadline=None, max_examples=120)
def test_the_game_is_its_slow_version(standing: list[RoomItem], actions: list[str], horizon: int) -> None:
    playing, slow = game(standing, horizon), Slow(standing, horizon)
    for action in actions:
        if playing.done:
            break
        take(playing, action)
        slow.step(action)
        assert playing.spot == (slow.here.real, slow.here.imag)
        assert playing.heading == slow.angle % 360 and playing.placed == slow.placed
    done = playing.trace()
    assert done.actions == tuple(slow.actions) and done.path[0] == DOOR and done.answer == slow.placed
    assert playing.done == (slow.placed is not None)
    left = playing.task_state.standing
    assert left[: len(standing)] == standing and rests(left) and len(left) == len(standing) + playing.done
    assert not {(c, r) for c, _, r in done.path[1:]} & {(one.cell[0], one.cell[2]) for one in standing}
    assert all(abs(a[0] - b[0]) + abs(a[2] - b[2]) == 1 for a, b in zip(done.path, done.path[1:], strict=False))


@given(rooms(), columns_and_rows)
@settings(deadline=None, max_examples=60)
def test_room_actions_put_a_thing_where_they_should(standing: list[RoomItem], spot: tuple[int, int]) -> None:
    high = sum((one.cell[0], one.cell[2]) == spot for one in standing)
    cell = (spot[0], high + 1, spot[1])
    actions = room_actions(standing, cell)
    taken = {(one.cell[0], one.cell[2]) for one in standing}
    # Who can stand beside it: flooding from the door.
    flooded, edge = {(2, 0)}, [(2, 0)]
    while edge:
        c, r = edge.pop()
        for there in ((c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)):
            if 0 <= there[0] < 5 and 0 <= there[1] < 4 and there not in taken | flooded:
                flooded.add(there)
                edge.append(there)
    beside = any(abs(c - spot[0]) + abs(r - spot[1]) == 1 for c, r in flooded)
    assert (actions is not None) == (beside and high < 4)
    if actions is not None:
        assert actions[-1] == "place" and played(game(standing), *actions).trace().answer == cell


def test_a_turn_of_a_right_angle_is_three_actions() -> None:
    assert room_actions([], (2, 1, 1)) == ["place"]
    assert room_actions([], (3, 1, 0)) == ["right"] * 3 + ["place"]
    assert room_actions([], (1, 1, 0)) == ["left"] * 3 + ["place"]
    assert room_actions([], (2, 1, 3)) == ["forward"] * 2 + ["place"]
    # The door's own cell: one steps off it and turns around.
    found = room_actions([], (2, 1, 0))
    assert found is not None and found.count("forward") == 1 and len(found) == 8


def test_what_is_seen() -> None:
    seen = game().observe()
    assert (seen["kind"], seen["cell"], seen["heading"], seen["carried"]) == ("assemble", [2, 1, 0], 0.0, BOOK)
    assert seen["ahead"] == [2, 1, 1] and seen["standing"][0] == ["Dotted Blue Tv", [2, 1, 2]]
    assert (seen["step"], seen["horizon"], seen["turn"], seen["text"]) == (0, 60, 1, TASK.legs[1].text)
    assert played(game(), "left").observe()["ahead"] is None
    assert played(game(), "forward").observe()["ahead"] == [2, 2, 2]


def test_steps_are_straight_and_stop_at_walls_and_things() -> None:
    assert played(game(), "left", "forward").trace().path == (DOOR,)
    assert played(game(), *["left"] * 6, "forward").trace().path == (DOOR,)
    assert played(game(), "forward", "forward", "forward").trace().path == (DOOR, (2, 1, 1))
    # In released files people walked through things.
    assert played(game(recorded=True), "forward", "forward").cell == (2, 1, 2)


def test_the_door_may_be_left_and_not_entered() -> None:
    standing = [RoomItem(TWIN, DOOR)]
    playing = played(game(standing), "forward", *["right"] * 6, "forward")
    assert playing.cell == (2, 1, 1)
    assert played(playing, "place").trace().answer == (2, 2, 0)


@pytest.mark.parametrize(
    ("actions", "got"),
    [
        (["left"], "off the axes"),
        (["left"] * 6, "a wall"),
        (["right"] * 3 + ["forward"] * 2 + ["left"] * 3, "a stack of 4"),
    ],
)
def test_a_placing_that_is_not_possible_is_refused(actions: list[str], got: str) -> None:
    playing = played(game([RoomItem(TWIN, (4, h, 1)) for h in range(1, 5)]), *actions)
    with pytest.raises(InputError, match=f"a free cell ahead to place an item on, got .*{got}"):
        playing.step("place")
    assert playing.trace().actions == tuple(actions) and not playing.done  # as if it had not been asked
    playing.refuse()
    assert playing.trace().actions == (*actions, "refused") and not playing.done
    assert played(playing, *["right"] * (-len([a for a in actions if a == "right"]) % 3)).task_state.carried == BOOK


def test_mistakes_leave_the_game_as_it_was() -> None:
    playing = game()
    for action in ("pick", "jump", Direction(0)):
        with pytest.raises(InputError, match="an action: forward, left, right or place"):
            playing.step(action)
    assert played(playing, *ROOMS[0]).trace().answer == (2, 2, 2)
    with pytest.raises(InputError, match="no action after the end"):
        playing.step("left")
    with pytest.raises(InputError, match="no action after the end"):
        playing.refuse()


def test_at_the_horizon_it_is_put_ahead_or_at_ones_feet() -> None:
    assert played(game(horizon=1), "forward").trace().answer == (2, 2, 2)
    assert played(game(horizon=1), "left").trace().answer == DOOR
    assert played(game(horizon=6), *["left"] * 6).trace().answer == DOOR
    full = [RoomItem(TWIN, (2, h, 0)) for h in range(1, 5)]
    assert played(game(full, horizon=1), "left").trace().answer == (1, 1, 0)
    late = game(horizon=1)
    late.step("left")
    assert late.trace().actions[-1] != "place"


def test_the_next_walk_goes_on_where_the_last_ended() -> None:
    playing = played(game(), *ROOMS[0])
    assert playing.end == TASK.start
    assert playing.task_state.turn == 2 and playing.task_state.carried is None
    with pytest.raises(InputError, match="an item to place"):
        AssembleGame(TASK.legs[1], TASK.start, playing.task_state)


def test_released_targets_on_top_of_something_have_something_below() -> None:
    episode = task(recorded=True)
    first = make_game(episode.legs[1], episode.start, episode, np.random.default_rng(0))
    assert isinstance(first, AssembleGame) and first.task_state.below == {(2, 2): 1, (4, 3): 1}
    assert first.observe()["standing"] == []  # nobody knows what it is
    assert played(first, *ROOMS[0]).trace().answer == (2, 2, 2)
    # A second target on top of the first needs nothing else.
    stacked = replace(episode, legs=(*episode.legs[:3], Leg("On top of it.", Assemble((2, 3, 2)))))
    assert TaskState.from_episode(stacked).below == {(2, 2): 1}
