"""Tests of the vectorized games against single games, action by action."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.data.dataset import Dataset
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.arramon.tasks import NOTHING
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.errors import InputError
from bearleft.records import REFUSED, Assemble, Cell, Collect, Direction, Episode, Leg, Pose
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROWS
from bearleft.world.arramon.task_setup import CityItem, RoomItem, TaskSetup
from bearleft.world.arramon.walkable import WalkableGrid

HORIZONS = 14, 9
ACTION_NAMES = (("forward", "left", "right", "pick"), ("forward", "left", "right", "place"))


def task(seed: int, released: bool = False) -> Episode:
    """Return a random task with items near the start, so that random players meet them; names and cells repeat."""
    rng = np.random.default_rng(seed)
    names = [ITEMS[k].name for k in rng.integers(98, size=3)]
    city_items = tuple(
        CityItem(names[rng.integers(3)], (rng.uniform(-5, 5), rng.uniform(-5, 5), 0.06), int(rng.integers(4)))
        for _ in range(2 if released else rng.integers(2, 9))
    )
    room_items = [
        RoomItem(ITEMS[rng.integers(98)].name, (column, height, row))
        for column in range(COLUMNS)
        for row in range(ROWS)
        for height in range(1, 1 + int(rng.choice([0, 0, 0, 1, 2, 4])))
    ]
    stack_heights = np.zeros((COLUMNS, ROWS), int)
    for item in room_items if not released else ():
        stack_heights[item.cell[0], item.cell[2]] += 1
    legs = []
    for turn_index in range(2):
        path = tuple((3.0 * turn_index, k * 1.0, 0.5) for k in range(rng.integers(1, 5)))
        actions = ("right",) * int(rng.integers(4)) + ("pick",)
        column, row = (int(k) for k in rng.permutation(np.argwhere(stack_heights < 4))[0])
        stack_heights[column, row] += 1
        cell: Cell = (column, int(stack_heights[column, row]) + (released and turn_index == 0), row)
        legs += [
            Leg(f"walk {turn_index}", Collect(path, city_items[turn_index].item, city_items[turn_index].at, actions)),
            Leg(f"put {turn_index}", Assemble(cell, (DOOR,), ("place",))),
        ]
    start = Pose(Direction(float(rng.integers(12)) * 30.0 + (0.0 if released else 28.79325)), position=(0.0, 0.0, 0.5))
    extra = {} if released else {"setting": TaskSetup(city_items, tuple(room_items), 1).to_json()}
    return Episode(f"e{seed}", "made", f"arramon/{seed}", start, tuple(legs), extra)


def pillars() -> WalkableGrid:
    """Return a square with a pillar about every other metre."""
    free = np.ones((160, 160), bool)
    free[::19, ::17] = free[::19, 1::17] = free[1::19, ::17] = False
    return WalkableGrid(-10.0, -10.0, 0.125, free)


class SinglePlayer:
    """One player of the single games, leg after leg."""

    def __init__(
        self, episode: Episode, ground: WalkableGrid, first: int = 0, end_leg: int = 4, retry_pick: bool = False
    ) -> None:
        self.retry_pick = retry_pick
        self.episode, self.ground, self.leg, self.end_leg = episode, ground, first, end_leg
        self.task_state = TaskState.at_leg(episode, first)
        self.pose = episode.start
        if first >= 2:
            goal = episode.legs[2].goal
            assert isinstance(goal, Collect)
            before = episode.legs[0].goal
            assert isinstance(before, Collect)
            turned = 30.0 * before.actions.count("right")
            self.pose = Pose(Direction(episode.start.look.heading + turned), position=goal.path[0])
        self._begin()

    def _begin(self) -> None:
        leg = self.episode.legs[self.leg]
        self.game: CollectGame | AssembleGame = (
            AssembleGame(leg, self.pose, self.task_state, HORIZONS[1])
            if self.leg % 2
            else CollectGame(leg, self.pose, self.task_state, self.ground, HORIZONS[0], self.retry_pick)
        )

    def step(self, action: int) -> str:
        """Take an action and return its outcome: "", "refused", "by_agent" or "timed_out"."""
        game = self.game
        try:
            game.step(ACTION_NAMES[self.leg % 2][action])
        except InputError:
            assert isinstance(game, AssembleGame)
            game.record_noop()
        refused = game.actions[-1] == REFUSED
        if not game.done:
            return "refused" if refused else ""
        ended = "by_agent" if action == 3 and not refused else "timed_out"
        self.pose, self.leg = game.end, self.leg + 1
        if self.leg < self.end_leg:
            self._begin()
        return ended


def assert_same_state(vector_env: VectorArraMon, k: int, player: SinglePlayer) -> None:
    state = vector_env.state
    assert [item.item for item in player.task_state.city_items] == [
        ITEMS[vector_env.tasks.items[state.episode[k], j]].name for j in np.flatnonzero(state.in_city[k])
    ]
    for item in player.task_state.room_items:
        column, height, row = item.cell
        assert ITEMS[state.room_items[k, column, row, height - 1]].name == item.item
    assert (state.room_items[k] >= 0).sum() == len(player.task_state.room_items)
    carried = player.task_state.carried
    assert (None if state.carried[k] == NOTHING else ITEMS[state.carried[k]].name) == carried
    assert state.ended[k] == (player.leg >= player.end_leg) and state.leg[k] == min(player.leg, player.end_leg - 1)
    observation = vector_env.observe()
    assert observation.progress[k] == len(player.game.actions) / player.game.horizon
    if isinstance(player.game, CollectGame):
        assert tuple(state.position[k]) == player.game.position[:2]
        assert observation.position[k].tolist() == player.game.observe()["position"][:2]
        assert observation.heading[k] == player.game.heading
    else:
        assert tuple(observation.cell[k]) == player.game.floor_cell and observation.heading[k] == player.game.heading


def test_released_references_are_correct(released: tuple[Dataset, list[Episode]]) -> None:
    """Replay the references of all released tasks at once."""
    _, episodes = released
    vector_env = VectorArraMon(episodes, len(episodes))
    vector_env.reset(np.arange(len(episodes)))
    scripts = [
        [ACTION_NAMES[k % 2].index(action) for k, leg in enumerate(episode.legs) for action in leg.goal.actions]  # type: ignore[union-attr]
        for episode in episodes
    ]
    correct = np.zeros(len(episodes), int)
    for step in range(max(map(len, scripts))):
        correct += vector_env.step(np.array([script[step] if step < len(script) else 0 for script in scripts])).correct
    assert vector_env.state.ended.all() and (correct == 4).all()


@settings(deadline=None, max_examples=12)
@given(
    st.integers(0, 10**6), st.sampled_from(["all", "collect", "assemble"]), st.booleans(), st.booleans(), st.booleans()
)
def test_vector_game_equals_single_games(
    seed: int, phase: str, from_release: bool, obstacles: bool, retry: bool
) -> None:
    rng = np.random.default_rng(seed)
    episodes = [task(seed + k, from_release) for k in range(8)]
    vector_env = VectorArraMon(episodes, 16, phase, *HORIZONS, retry)
    if obstacles:
        vector_env.ground = pillars()
    chosen, turn_indices = rng.integers(8, size=16), np.zeros(16, int) if phase == "all" else rng.integers(2, size=16)
    vector_env.reset(chosen, turn_indices=turn_indices)
    first = 2 * turn_indices + (phase == "assemble")
    players = [
        SinglePlayer(episodes[k], vector_env.ground, leg, 4 if phase == "all" else leg + 1, retry)
        for k, leg in zip(chosen, first, strict=True)
    ]
    shares = [0.5, 0.2, 0.2, 0.1]
    for _ in range(2 * sum(HORIZONS)):
        actions = rng.choice(4, size=16, p=shares)
        running = ~vector_env.state.ended
        events = vector_env.step(actions)
        for k in np.flatnonzero(running):
            player = players[k]
            game, goal = player.game, episodes[chosen[k]].legs[player.leg].goal
            outcome = player.step(int(actions[k]))
            assert outcome != "refused" or events.refused[k]
            assert (bool(events.by_agent[k]), bool(events.timed_out[k])) == (
                outcome == "by_agent",
                outcome == "timed_out",
            )
            if outcome in ("by_agent", "timed_out"):
                if isinstance(game, CollectGame):
                    assert isinstance(goal, Collect)
                    taken = game.task_state.taken
                    assert taken is not None and taken.item == game.task_state.carried
                    assert events.correct[k] == (game.picked is not None and taken.at == goal.at)
                    assert ITEMS[events.taken[k]].name == game.task_state.carried
                    picked = None if events.picked[k] == NOTHING else ITEMS[events.picked[k]].name
                    assert picked == game.picked
                else:
                    assert isinstance(goal, Assemble) and tuple(events.placed[k]) == game.placed
                    target = episodes[chosen[k]].legs[2 * (game.turn_number - 1)].goal
                    assert isinstance(target, Collect)
                    is_target = game.task_state.took_target(target)
                    assert events.correct[k] == (outcome == "by_agent" and game.placed == goal.cell and is_target)
            assert_same_state(vector_env, int(k), player)
    assert vector_env.state.ended.all()
