"""Tests of the assembly game: each rule, and a comparison with a slow implementation."""

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
from bearleft.evaluation.play import step_game
from bearleft.records import Assemble, Direction, Leg
from bearleft.world.arramon.moves import DOOR
from bearleft.world.arramon.room_search import room_actions
from bearleft.world.arramon.task_setup import RoomItem
from tests.envs.arramon.example_tasks import BOOK, DECOYS, ROOMS, TWIN, columns_and_rows, rooms, task
from tests.sizes import sized

TASK = task()
ACTIONS = st.lists(st.sampled_from(["forward", "forward", "left", "right", "place"]), max_size=30)


def game(room_items: list[RoomItem] | None = None, horizon: int = 60, from_release: bool = False) -> AssembleGame:
    items = list(DECOYS) if room_items is None else list(room_items)
    return AssembleGame(TASK.legs[1], TASK.start, TaskState([], items, from_release, {}, BOOK), horizon)


def play_actions(assemble_game: AssembleGame, *actions: str) -> AssembleGame:
    for action in actions:
        assemble_game.step(action)
    return assemble_game


def is_stacked(room_items: list[RoomItem]) -> bool:
    """Return whether every item is on the floor or on another one, one per cell."""
    cells = [item.cell for item in room_items]
    below = all(h == 1 or (c, h - 1, r) in cells for c, h, r in cells)
    return below and len(set(cells)) == len(cells) and all(1 <= h <= 4 for _, h, _ in cells)


class SlowRoom:
    """Slow implementation of the game, with complex numbers for positions and directions."""

    def __init__(self, room_items: list[RoomItem], horizon: int) -> None:
        self.stacks = Counter(complex(item.cell[0], item.cell[2]) for item in room_items)
        self.position, self.angle, self.horizon = complex(2, 0), 0, horizon
        self.actions: list[str] = []
        self.placed: tuple[int, int, int] | None = None

    def fits(self, floor_cell: complex) -> bool:
        return 0 <= floor_cell.real <= 4 and 0 <= floor_cell.imag <= 3 and self.stacks[floor_cell] < 4

    def put(self, floor_cell: complex) -> None:
        self.placed = int(floor_cell.real), self.stacks[floor_cell] + 1, int(floor_cell.imag)
        self.stacks[floor_cell] += 1

    def step(self, action: str) -> None:
        on_axis = self.angle % 90 == 0
        spot_ahead = self.position + {0: 1j, 90: 1, 180: -1j, 270: -1}.get(self.angle % 360, 0)
        legal = on_axis and self.fits(spot_ahead)
        if action == "left":
            self.angle -= 30
        elif action == "right":
            self.angle += 30
        elif action == "forward" and on_axis and 0 <= spot_ahead.real <= 4 and 0 <= spot_ahead.imag <= 3:
            self.position = spot_ahead if not self.stacks[spot_ahead] else self.position
        elif action == "place" and legal:
            self.put(spot_ahead)
        self.actions.append("refused" if action == "place" and not legal else action)
        if self.placed is None and len(self.actions) == self.horizon:
            on_axis = self.angle % 90 == 0
            spot_ahead = self.position + {0: 1j, 90: 1, 180: -1j, 270: -1}.get(self.angle % 360, 0)
            choices = [spot_ahead] if on_axis and self.fits(spot_ahead) else []
            floor_cells = [complex(c, r) for c in range(5) for r in range(4) if self.fits(complex(c, r))]
            distance = lambda s: abs((s - self.position).real) + abs((s - self.position).imag)  # noqa: E731
            self.put([*choices, *sorted(floor_cells, key=distance)][0])


@given(rooms(), ACTIONS, st.integers(1, 20))
@settings(deadline=None, max_examples=sized(30, 120))
def test_game_equals_slow_implementation(room_items: list[RoomItem], actions: list[str], horizon: int) -> None:
    assemble_game, slow_room = game(room_items, horizon), SlowRoom(room_items, horizon)
    for action in actions:
        if assemble_game.done:
            break
        step_game(assemble_game, action)
        slow_room.step(action)
        assert assemble_game.floor_cell == (slow_room.position.real, slow_room.position.imag)
        assert assemble_game.heading == slow_room.angle % 360 and assemble_game.placed == slow_room.placed
    trace = assemble_game.trace()
    assert trace.actions == tuple(slow_room.actions) and trace.path[0] == DOOR and trace.answer == slow_room.placed
    assert assemble_game.done == (slow_room.placed is not None)
    remaining = assemble_game.task_state.room_items
    assert (
        remaining[: len(room_items)] == room_items
        and is_stacked(remaining)
        and len(remaining) == len(room_items) + assemble_game.done
    )
    assert not {(c, r) for c, _, r in trace.path[1:]} & {(item.cell[0], item.cell[2]) for item in room_items}
    assert all(abs(a[0] - b[0]) + abs(a[2] - b[2]) == 1 for a, b in zip(trace.path, trace.path[1:], strict=False))


@given(rooms(), columns_and_rows)
@settings(deadline=None, max_examples=sized(15, 60))
def test_room_actions_place_an_item_on_its_cell(room_items: list[RoomItem], floor_cell: tuple[int, int]) -> None:
    stack_height = sum((item.cell[0], item.cell[2]) == floor_cell for item in room_items)
    cell = (floor_cell[0], stack_height + 1, floor_cell[1])
    actions = room_actions(room_items, cell)
    occupied = {(item.cell[0], item.cell[2]) for item in room_items}
    # Cells that can be reached from the door.
    flooded, edge = {(2, 0)}, [(2, 0)]
    while edge:
        c, r = edge.pop()
        for neighbour in ((c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)):
            if 0 <= neighbour[0] < 5 and 0 <= neighbour[1] < 4 and neighbour not in occupied | flooded:
                flooded.add(neighbour)
                edge.append(neighbour)
    beside = any(abs(c - floor_cell[0]) + abs(r - floor_cell[1]) == 1 for c, r in flooded)
    assert (actions is not None) == (beside and stack_height < 4)
    if actions is not None:
        assert actions[-1] == "place" and play_actions(game(room_items), *actions).trace().answer == cell


def test_right_angle_is_three_turns() -> None:
    assert room_actions([], (2, 1, 1)) == ["place"]
    assert room_actions([], (3, 1, 0)) == ["right"] * 3 + ["place"]
    assert room_actions([], (1, 1, 0)) == ["left"] * 3 + ["place"]
    assert room_actions([], (2, 1, 3)) == ["forward"] * 2 + ["place"]
    # The cell of the door itself: step off it and turn around.
    actions = room_actions([], (2, 1, 0))
    assert actions is not None and actions.count("forward") == 1 and len(actions) == 8


def test_observation() -> None:
    observation = game().observe()
    assert (observation["kind"], observation["cell"], observation["heading"], observation["carried"]) == (
        "assemble",
        [2, 1, 0],
        0.0,
        BOOK,
    )
    assert observation["ahead"] == [2, 1, 1] and observation["room_items"][0] == ["Dotted Blue Tv", [2, 1, 2]]
    assert (observation["step"], observation["horizon"], observation["turn_number"], observation["text"]) == (
        0,
        60,
        1,
        TASK.legs[1].text,
    )
    assert play_actions(game(), "left").observe()["ahead"] is None
    assert play_actions(game(), "forward").observe()["ahead"] == [2, 2, 2]


def test_steps_are_blocked_by_walls_and_items() -> None:
    assert play_actions(game(), "left", "forward").trace().path == (DOOR,)
    assert play_actions(game(), *["left"] * 6, "forward").trace().path == (DOOR,)
    assert play_actions(game(), "forward", "forward", "forward").trace().path == (DOOR, (2, 1, 1))
    # In released files people walked through things.
    assert play_actions(game(from_release=True), "forward", "forward").cell == (2, 1, 2)


def test_occupied_door_can_be_left_but_not_entered() -> None:
    room_items = [RoomItem(TWIN, DOOR)]
    assemble_game = play_actions(game(room_items), "forward", *["right"] * 6, "forward")
    assert assemble_game.cell == (2, 1, 1)
    assert play_actions(assemble_game, "place").trace().answer == (2, 2, 0)


@pytest.mark.parametrize(
    ("actions", "got"),
    [
        (["left"], "off the axes"),
        (["left"] * 6, "a wall"),
        (["right"] * 3 + ["forward"] * 2 + ["left"] * 3, "a stack of 4"),
    ],
)
def test_impossible_place_is_refused(actions: list[str], got: str) -> None:
    assemble_game = play_actions(game([RoomItem(TWIN, (4, h, 1)) for h in range(1, 5)]), *actions)
    with pytest.raises(InputError, match=f"a free cell ahead to place an item on, got .*{got}"):
        assemble_game.step("place")
    assert assemble_game.trace().actions == tuple(actions) and not assemble_game.done  # the game is unchanged
    assemble_game.record_noop()
    assert assemble_game.trace().actions == (*actions, "refused") and not assemble_game.done
    assert (
        play_actions(assemble_game, *["right"] * (-len([a for a in actions if a == "right"]) % 3)).task_state.carried
        == BOOK
    )


def test_invalid_actions_do_not_change_the_game() -> None:
    assemble_game = game()
    for action in ("pick", "jump", Direction(0)):
        with pytest.raises(InputError, match="an action: forward, left, right or place"):
            assemble_game.step(action)
    assert play_actions(assemble_game, *ROOMS[0]).trace().answer == (2, 2, 2)
    with pytest.raises(InputError, match="no action after the end"):
        assemble_game.step("left")
    with pytest.raises(InputError, match="no action after the end"):
        assemble_game.record_noop()


def test_item_is_placed_at_the_horizon() -> None:
    assert play_actions(game(horizon=1), "forward").trace().answer == (2, 2, 2)
    assert play_actions(game(horizon=1), "left").trace().answer == DOOR
    assert play_actions(game(horizon=6), *["left"] * 6).trace().answer == DOOR
    full = [RoomItem(TWIN, (2, h, 0)) for h in range(1, 5)]
    assert play_actions(game(full, horizon=1), "left").trace().answer == (1, 1, 0)
    ended_game = game(horizon=1)
    ended_game.step("left")
    assert ended_game.trace().actions[-1] != "place"


def test_next_walk_begins_where_the_last_ended() -> None:
    assemble_game = play_actions(game(), *ROOMS[0])
    assert assemble_game.end == TASK.start
    assert assemble_game.task_state.turn_number == 2 and assemble_game.task_state.carried is None
    with pytest.raises(InputError, match="an item to place"):
        AssembleGame(TASK.legs[1], TASK.start, assemble_game.task_state)


def test_released_targets_above_the_floor_have_items_below() -> None:
    episode = task(from_release=True)
    first = make_game(episode.legs[1], episode.start, episode, np.random.default_rng(0))
    assert isinstance(first, AssembleGame) and first.task_state.support_heights == {(2, 2): 1, (4, 3): 1}
    assert first.observe()["room_items"] == []  # items without a name are not observed
    assert play_actions(first, *ROOMS[0]).trace().answer == (2, 2, 2)
    # A second target on top of the first needs nothing else.
    stacked = replace(episode, legs=(*episode.legs[:3], Leg("On top of it.", Assemble((2, 3, 2)))))
    assert TaskState.from_episode(stacked).support_heights == {(2, 2): 1}
