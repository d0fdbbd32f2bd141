"""Tests of the collection game."""

from __future__ import annotations

from dataclasses import replace
from math import dist, hypot

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.legs import EnvOptions, make_game
from bearleft.errors import InputError
from bearleft.records import Collect, Direction, Episode, Pose
from bearleft.world.arramon.moves import GRID_HEADING, is_in_reach, replay
from bearleft.world.arramon.task_setup import CityItem
from bearleft.world.arramon.walkable import UNOBSTRUCTED, WalkableGrid
from tests.envs.arramon.example_tasks import BOOK, MUG, START, TWIN, WALKS, ahead_of, task
from tests.sizes import sized

WALKING = st.lists(st.sampled_from(["forward", "left", "right"]), max_size=40)
TASK = task()


def game(
    episode: Episode = TASK, ground: WalkableGrid = UNOBSTRUCTED, horizon: int = 250, **changed: object
) -> CollectGame:
    task_state = replace(TaskState.from_episode(episode), **changed)  # type: ignore[arg-type]
    return CollectGame(episode.legs[0], episode.start, task_state, ground, horizon)


def play_actions(collect_game: CollectGame, *actions: str) -> CollectGame:
    for action in actions:
        collect_game.step(action)
    return collect_game


def random_obstacles(seed: int) -> WalkableGrid:
    """Return a grid around the start with random blocked squares."""
    free = np.kron(np.random.default_rng(seed).random((12, 12)) < 0.75, np.ones((8, 8))).astype(np.bool_)
    free[40:56, 40:56] = True
    return WalkableGrid(START[0] - 6.0, START[1] - 6.0, 0.125, free)


@given(WALKING)
@settings(deadline=None, max_examples=sized(12, 30))
def test_walk_on_open_ground_equals_replay(actions: list[str]) -> None:
    collect_game = play_actions(game(), *actions)
    path, heading = replay(START, GRID_HEADING, actions)
    assert np.asarray(collect_game.path) == pytest.approx(np.asarray(path), abs=1e-9)
    observation = collect_game.observe()
    assert observation["heading"] == pytest.approx(heading % 360)
    assert observation["position"] == [round(part, 3) for part in collect_game.path[-1]]
    assert observation["kind"] == "collect" and (
        observation["step"],
        observation["horizon"],
        observation["turn_number"],
    ) == (
        len(actions),
        250,
        1,
    )
    trace = collect_game.trace()
    assert trace.actions == tuple(actions) and trace.answer is None and not collect_game.done


@given(st.integers(0, 50), WALKING)
@settings(deadline=None, max_examples=sized(12, 40))
def test_walk_stays_on_free_ground(seed: int, actions: list[str]) -> None:
    ground = random_obstacles(seed)
    collect_game = game(ground=ground)
    for action in actions:
        before, heading = collect_game.position, collect_game.heading
        collect_game.step(action)
        ahead = replay(before, heading, ["forward"])[0][1]
        positions = [
            tuple(a + fraction * (b - a) for a, b in zip(before, ahead, strict=True))
            for fraction in np.arange(1, 9) / 8
        ]
        is_free = action == "forward" and all(bool(ground.free_at(x, y)) for x, y, _ in positions)
        # Slow implementation: a step is taken if every eighth of it is free.
        assert dist(collect_game.position, ahead if is_free else before) < 1e-9
    assert all(bool(ground.free_at(x, y)) for x, y, _ in collect_game.path)
    assert all(dist(a, b) == pytest.approx(1) for a, b in zip(collect_game.path, collect_game.path[1:], strict=False))


@given(
    st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=2, max_size=8),
    st.integers(0, 11),
)
@settings(deadline=None, max_examples=sized(15, 60))
def test_pick_takes_the_nearest_item_within_reach(spots: list[tuple[float, float]], turns: int) -> None:
    city_items = [CityItem(f"{k}", (START[0] + x, START[1] + y, 0.06)) for k, (x, y) in enumerate(spots)]
    collect_game = play_actions(game(city_items=list(city_items)), *["right"] * turns)
    by_distance = sorted(city_items, key=lambda item: hypot(item.at[0] - START[0], item.at[1] - START[1]))
    in_reach = [item for item in by_distance if is_in_reach(START, collect_game.heading, item.at)]
    collect_game.step("pick")
    assert collect_game.done and collect_game.trace().answer == (in_reach[0].item if in_reach else None)
    taken = (in_reach or by_distance)[0]
    assert collect_game.task_state.carried == taken.item and collect_game.task_state.city_items == [
        x for x in city_items if x != taken
    ]


def test_reference_picks_its_target() -> None:
    collect_game = play_actions(game(), *WALKS[0])
    assert collect_game.done and collect_game.trace().answer == BOOK
    assert collect_game.end.position == collect_game.path[-1] and collect_game.end.look == Direction(GRID_HEADING + 30)
    assert collect_game.trace().looks == (collect_game.end.look,)
    assert [item.item for item in collect_game.task_state.city_items] == [MUG, TWIN]
    assert [row[0] for row in collect_game.observe()["city_items"]] == sorted([MUG, TWIN])


def test_nearest_item_is_taken_without_a_pick() -> None:
    # No item is within reach of the start; the twin behind it is nearest.
    for collect_game in (play_actions(game(), "pick"), play_actions(game(horizon=2), "left", "left")):
        assert collect_game.done and collect_game.trace().answer is None and collect_game.task_state.carried == TWIN
        assert collect_game.trace().actions[-1] in ("pick", "left")
    ended_game = play_actions(game(horizon=1), "pick")
    assert ended_game.done and ended_game.trace().actions == ("pick",)


def test_pick_at_the_horizon_counts() -> None:
    collect_game = play_actions(game(horizon=len(WALKS[0])), *WALKS[0])
    assert collect_game.trace().answer == BOOK


def test_order_of_items_does_not_reveal_the_target() -> None:
    city_items = game().observe()["city_items"]
    assert [row[0] for row in city_items] == sorted([BOOK, MUG, TWIN]) != [BOOK, MUG, TWIN]
    setting = TASK.extra["setting"]
    reversed_task = replace(TASK, extra={"setting": setting | {"lying": setting["lying"][::-1]}})
    assert game(reversed_task).observe()["city_items"] == city_items


def test_invalid_actions_do_not_change_the_game() -> None:
    collect_game = game()
    wrong: list[object] = ["place", "jump", "", Direction(3)]
    for action in wrong:
        with pytest.raises(InputError, match="an action: forward, left, right or pick"):
            collect_game.step(action)  # type: ignore[arg-type]
    assert play_actions(collect_game, *WALKS[0]).trace().answer == BOOK
    with pytest.raises(InputError, match="no action after the end"):
        collect_game.step("forward")
    assert collect_game.trace().actions == WALKS[0]


def test_invalid_arguments() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=r"a world of ArraMon: sections/SEED"):
        make_game(TASK.legs[0], TASK.start, replace(TASK, world="city/3"), rng)
    with pytest.raises(InputError, match="a leg of the episode 1, got another"):
        make_game(replace(TASK.legs[0]), TASK.start, TASK, rng)
    with pytest.raises(InputError, match="a start with a position"):
        CollectGame(TASK.legs[0], Pose(Direction(0), "p1"), TaskState.from_episode(TASK), UNOBSTRUCTED)
    with pytest.raises(InputError, match="a horizon of at least 1"):
        EnvOptions(collect_horizon=0)
    setting = TASK.extra["setting"] | {"lying": TASK.extra["setting"]["lying"][:1]}
    with pytest.raises(InputError, match=r"the Dotted Red Mug at .* among the items, got none"):
        TaskState.from_episode(replace(TASK, extra={"setting": setting}))


def test_later_leg_begins_after_earlier_references() -> None:
    rng = np.random.default_rng(0)
    path, heading = replay(START, GRID_HEADING, WALKS[0])
    start = Pose(Direction(heading), position=path[-1])
    second = make_game(TASK.legs[2], start, TASK, rng)
    assert isinstance(second, CollectGame) and second.observe()["turn_number"] == 2
    assert [item.item for item in second.task_state.city_items] == [MUG, TWIN]
    assert [item.cell for item in second.task_state.room_items][-1] == (2, 2, 2)
    assert play_actions(second, *WALKS[1]).trace().answer == MUG


def move_target(episode: Episode, metres: float) -> Episode:
    """Return the episode with the first target moved, as some recorded ones are out of reach."""
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    moved_goal = replace(goal, at=ahead_of(goal.path[-1], GRID_HEADING + 120, metres))
    extra = dict(episode.extra)
    if "setting" in extra:
        (name, _, facing), *others = extra["setting"]["lying"]
        extra["setting"] = extra["setting"] | {"lying": [[name, list(moved_goal.at), facing], *others]}
    return replace(episode, legs=(replace(episode.legs[0], goal=moved_goal), *episode.legs[1:]), extra=extra)


@pytest.mark.parametrize("from_release", [True, False])
def test_references_are_replayed_exactly(from_release: bool) -> None:
    episode = task(from_release=from_release)
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    # Written to five digits, as the files have it; the error of one step does not reach the next.
    rounded = replace(goal, path=tuple((round(x, 5), round(y, 5), up) for x, y, up in goal.path))
    legs = (replace(episode.legs[0], goal=rounded), *episode.legs[1:])
    collect_game = play_actions(game(replace(episode, legs=legs)), *WALKS[0])
    assert collect_game.trace().path == rounded.path != goal.path
    assert play_actions(game(episode), "right", "forward").position != goal.path[1]


def test_recorded_item_is_taken_at_the_end_of_a_recorded_walk() -> None:
    episode = move_target(task(from_release=True), 3.2)
    assert play_actions(game(episode), *WALKS[0]).trace().answer == BOOK
    assert play_actions(game(episode), *WALKS[0][1:]).trace().answer is None  # one metre short of it
    assert play_actions(game(move_target(TASK, 3.2)), *WALKS[0]).trace().answer is None


def test_retry_pick() -> None:
    """With `retry_pick`, only a pick that takes an item ends the walk, as in ArraMon's released decoder."""
    task_state = TaskState.from_episode(TASK)
    collect_game = CollectGame(TASK.legs[0], TASK.start, task_state, UNOBSTRUCTED, 250, retry_pick=True)
    play_actions(collect_game, "pick", *WALKS[0])
    assert (
        collect_game.done
        and collect_game.trace().actions == ("refused", *WALKS[0])
        and collect_game.trace().answer == BOOK
    )
    ended_game = CollectGame(TASK.legs[0], TASK.start, TaskState.from_episode(TASK), UNOBSTRUCTED, 3, retry_pick=True)
    play_actions(ended_game, "pick", "pick", "pick")
    assert ended_game.done and ended_game.trace().actions == ("refused",) * 3 and ended_game.trace().answer is None
    options = EnvOptions(retry_pick=True)
    assert make_game(TASK.legs[0], TASK.start, TASK, np.random.default_rng(0), None, options).retry_pick  # type: ignore[union-attr]
