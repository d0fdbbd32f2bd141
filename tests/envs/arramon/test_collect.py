"""Walking and picking up, rule by rule."""

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

WALKING = st.lists(st.sampled_from(["forward", "left", "right"]), max_size=40)
TASK = task()


def game(
    episode: Episode = TASK, ground: WalkableGrid = UNOBSTRUCTED, horizon: int = 250, **changed: object
) -> CollectGame:
    task_state = replace(TaskState.from_episode(episode), **changed)  # type: ignore[arg-type]
    return CollectGame(episode.legs[0], episode.start, task_state, ground, horizon)


def played(playing: CollectGame, *actions: str) -> CollectGame:
    for action in actions:
        playing.step(action)
    return playing


def yard(seed: int) -> WalkableGrid:
    """Some metres around the start, two cells in three of them free in blocks."""
    free = np.kron(np.random.default_rng(seed).random((12, 12)) < 0.75, np.ones((8, 8))).astype(np.bool_)
    free[40:56, 40:56] = True
    return WalkableGrid(START[0] - 6.0, START[1] - 6.0, 0.125, free)


@given(WALKING)
@settings(deadline=None, max_examples=30)
def test_on_open_ground_actions_lead_where_a_replay_says(actions: list[str]) -> None:
    playing = played(game(), *actions)
    path, heading = replay(START, GRID_HEADING, actions)
    assert np.asarray(playing.path) == pytest.approx(np.asarray(path), abs=1e-9)
    seen = playing.observe()
    assert seen["heading"] == pytest.approx(heading % 360)
    assert seen["position"] == [round(part, 3) for part in playing.path[-1]]
    assert seen["kind"] == "collect" and (seen["step"], seen["horizon"], seen["turn"]) == (len(actions), 250, 1)
    done = playing.trace()
    assert done.actions == tuple(actions) and done.answer is None and not playing.done


@given(st.integers(0, 50), WALKING)
@settings(deadline=None, max_examples=40)
def test_nobody_leaves_free_ground(seed: int, actions: list[str]) -> None:
    ground = yard(seed)
    playing = game(ground=ground)
    for action in actions:
        before, heading = playing.position, playing.heading
        playing.step(action)
        ahead = replay(before, heading, ["forward"])[0][1]
        ways = [tuple(a + part * (b - a) for a, b in zip(before, ahead, strict=True)) for part in np.arange(1, 9) / 8]
        clear = action == "forward" and all(bool(ground.free_at(x, y)) for x, y, _ in ways)
        # A slow version of the same: a step is taken if every eighth of it is free.
        assert dist(playing.position, ahead if clear else before) < 1e-9
    assert all(bool(ground.free_at(x, y)) for x, y, _ in playing.path)
    assert all(dist(a, b) == pytest.approx(1) for a, b in zip(playing.path, playing.path[1:], strict=False))


@given(
    st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=2, max_size=8),
    st.integers(0, 11),
)
@settings(deadline=None, max_examples=60)
def test_the_nearest_within_reach_is_taken(spots: list[tuple[float, float]], turns: int) -> None:
    lying = [CityItem(f"{k}", (START[0] + x, START[1] + y, 0.06)) for k, (x, y) in enumerate(spots)]
    playing = played(game(lying=list(lying)), *["right"] * turns)
    near = sorted(lying, key=lambda one: hypot(one.at[0] - START[0], one.at[1] - START[1]))
    within = [one for one in near if is_in_reach(START, playing.heading, one.at)]
    playing.step("pick")
    assert playing.done and playing.trace().answer == (within[0].item if within else None)
    taken = (within or near)[0]
    assert playing.task_state.carried == taken.item and playing.task_state.lying == [x for x in lying if x != taken]


def test_the_reference_picks_its_target_up_and_the_next_turn_begins_there() -> None:
    playing = played(game(), *WALKS[0])
    assert playing.done and playing.trace().answer == BOOK
    assert playing.end.position == playing.path[-1] and playing.end.look == Direction(GRID_HEADING + 30)
    assert playing.trace().looks == (playing.end.look,)
    assert [one.item for one in playing.task_state.lying] == [MUG, TWIN]
    assert [row[0] for row in playing.observe()["lying"]] == sorted([MUG, TWIN])


def test_what_is_not_picked_up_is_taken_for_the_player() -> None:
    # Nothing lies within reach of the start; the twin behind it is nearest.
    for playing in (played(game(), "pick"), played(game(horizon=2), "left", "left")):
        assert playing.done and playing.trace().answer is None and playing.task_state.carried == TWIN
        assert playing.trace().actions[-1] in ("pick", "left")
    late = played(game(horizon=1), "pick")
    assert late.done and late.trace().actions == ("pick",)


def test_a_pick_at_the_horizon_is_the_players_own() -> None:
    playing = played(game(horizon=len(WALKS[0])), *WALKS[0])
    assert playing.trace().answer == BOOK


def test_the_order_of_what_is_seen_does_not_tell_the_target() -> None:
    seen = game().observe()["lying"]
    assert [row[0] for row in seen] == sorted([BOOK, MUG, TWIN]) != [BOOK, MUG, TWIN]
    setting = TASK.extra["setting"]
    turned = replace(TASK, extra={"setting": setting | {"lying": setting["lying"][::-1]}})
    assert game(turned).observe()["lying"] == seen


def test_mistakes_leave_the_game_as_it_was() -> None:
    playing = game()
    wrong: list[object] = ["place", "jump", "", Direction(3)]
    for action in wrong:
        with pytest.raises(InputError, match="an action: forward, left, right or pick"):
            playing.step(action)  # type: ignore[arg-type]
    assert played(playing, *WALKS[0]).trace().answer == BOOK
    with pytest.raises(InputError, match="no action after the end"):
        playing.step("forward")
    assert playing.trace().actions == WALKS[0]


def test_what_cannot_be_played_is_said() -> None:
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


def test_a_leg_alone_begins_after_the_references_of_those_before() -> None:
    rng = np.random.default_rng(0)
    path, heading = replay(START, GRID_HEADING, WALKS[0])
    start = Pose(Direction(heading), position=path[-1])
    second = make_game(TASK.legs[2], start, TASK, rng)
    assert isinstance(second, CollectGame) and second.observe()["turn"] == 2
    assert [one.item for one in second.task_state.lying] == [MUG, TWIN]
    assert [one.cell for one in second.task_state.standing][-1] == (2, 2, 2)
    assert played(second, *WALKS[1]).trace().answer == MUG


def moved_target(episode: Episode, by: float) -> Episode:
    """The first leg's target lies elsewhere, as the recorded ones out of reach do."""
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    far = replace(goal, at=ahead_of(goal.path[-1], GRID_HEADING + 120, by))
    extra = dict(episode.extra)
    if "setting" in extra:
        (name, _, facing), *others = extra["setting"]["lying"]
        extra["setting"] = extra["setting"] | {"lying": [[name, list(far.at), facing], *others]}
    return replace(episode, legs=(replace(episode.legs[0], goal=far), *episode.legs[1:]), extra=extra)


@pytest.mark.parametrize("recorded", [True, False])
def test_references_are_replayed_to_the_last_digit(recorded: bool) -> None:
    episode = task(recorded=recorded)
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    # Written to five digits, as the files have it; the error of one step does not reach the next.
    rounded = replace(goal, path=tuple((round(x, 5), round(y, 5), up) for x, y, up in goal.path))
    legs = (replace(episode.legs[0], goal=rounded), *episode.legs[1:])
    playing = played(game(replace(episode, legs=legs)), *WALKS[0])
    assert playing.trace().path == rounded.path != goal.path
    assert played(game(episode), "right", "forward").position != goal.path[1]


def test_in_released_files_who_ends_where_people_did_has_what_they_had() -> None:
    episode = moved_target(task(recorded=True), 3.2)
    assert played(game(episode), *WALKS[0]).trace().answer == BOOK
    assert played(game(episode), *WALKS[0][1:]).trace().answer is None  # one metre short of it
    assert played(game(moved_target(TASK, 3.2)), *WALKS[0]).trace().answer is None


def test_a_failed_pick_may_go_on() -> None:
    """As ArraMon's released decoder has it: only a pick that takes something ends the walk."""
    task_state = TaskState.from_episode(TASK)
    playing = CollectGame(TASK.legs[0], TASK.start, task_state, UNOBSTRUCTED, 250, retry_pick=True)
    played(playing, "pick", *WALKS[0])
    assert playing.done and playing.trace().actions == ("refused", *WALKS[0]) and playing.trace().answer == BOOK
    late = CollectGame(TASK.legs[0], TASK.start, TaskState.from_episode(TASK), UNOBSTRUCTED, 3, retry_pick=True)
    played(late, "pick", "pick", "pick")
    assert late.done and late.trace().actions == ("refused",) * 3 and late.trace().answer is None
    options = EnvOptions(retry_pick=True)
    assert make_game(TASK.legs[0], TASK.start, TASK, np.random.default_rng(0), None, options).retry_pick  # type: ignore[union-attr]
