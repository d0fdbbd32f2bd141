"""Many players do what single games do, action by action."""

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
NAMES = (("forward", "left", "right", "pick"), ("forward", "left", "right", "place"))


def task(seed: int, released: bool = False) -> Episode:
    """Things within a few metres of the start, so that random players meet them, often two of a name; piles."""
    rng = np.random.default_rng(seed)
    names = [ITEMS[k].name for k in rng.integers(98, size=3)]
    lying = tuple(
        CityItem(names[rng.integers(3)], (rng.uniform(-5, 5), rng.uniform(-5, 5), 0.06), int(rng.integers(4)))
        for _ in range(2 if released else rng.integers(2, 9))
    )
    standing = [
        RoomItem(ITEMS[rng.integers(98)].name, (column, height, row))
        for column in range(COLUMNS)
        for row in range(ROWS)
        for height in range(1, 1 + int(rng.choice([0, 0, 0, 1, 2, 4])))
    ]
    high = np.zeros((COLUMNS, ROWS), int)
    for one in standing if not released else ():
        high[one.cell[0], one.cell[2]] += 1
    legs = []
    for turn in range(2):
        path = tuple((3.0 * turn, k * 1.0, 0.5) for k in range(rng.integers(1, 5)))
        actions = ("right",) * int(rng.integers(4)) + ("pick",)
        column, row = (int(k) for k in rng.permutation(np.argwhere(high < 4))[0])
        high[column, row] += 1
        cell: Cell = (column, int(high[column, row]) + (released and turn == 0), row)
        legs += [
            Leg(f"walk {turn}", Collect(path, lying[turn].item, lying[turn].at, actions)),
            Leg(f"put {turn}", Assemble(cell, (DOOR,), ("place",))),
        ]
    start = Pose(Direction(float(rng.integers(12)) * 30.0 + (0.0 if released else 28.79325)), position=(0.0, 0.0, 0.5))
    extra = {} if released else {"setting": TaskSetup(lying, tuple(standing), 1).to_json()}
    return Episode(f"e{seed}", "made", f"arramon/{seed}", start, tuple(legs), extra)


def pillars() -> WalkableGrid:
    """A square with a pillar every other metre or so."""
    free = np.ones((160, 160), bool)
    free[::19, ::17] = free[::19, 1::17] = free[1::19, ::17] = False
    return WalkableGrid(-10.0, -10.0, 0.125, free)


class Alone:
    """One player through the single games, from leg to leg."""

    def __init__(
        self, episode: Episode, ground: WalkableGrid, first: int = 0, until: int = 4, retry_pick: bool = False
    ) -> None:
        self.retry_pick = retry_pick
        self.episode, self.ground, self.leg, self.until = episode, ground, first, until
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
        """What happened: "", "refused", "own" or "late"."""
        game = self.game
        try:
            game.step(NAMES[self.leg % 2][action])
        except InputError:
            assert isinstance(game, AssembleGame)
            game.refuse()
        refused = game.actions[-1] == REFUSED
        if not game.done:
            return "refused" if refused else ""
        ended = "own" if action == 3 and not refused else "late"
        self.pose, self.leg = game.end, self.leg + 1
        if self.leg < self.until:
            self._begin()
        return ended


def agrees(many: VectorArraMon, k: int, alone: Alone) -> None:
    state = many.state
    assert [one.item for one in alone.task_state.lying] == [
        ITEMS[many.tasks.item[state.episode[k], j]].name for j in np.flatnonzero(state.lying[k])
    ]
    for one in alone.task_state.standing:
        column, height, row = one.cell
        assert ITEMS[state.room[k, column, row, height - 1]].name == one.item
    assert (state.room[k] >= 0).sum() == len(alone.task_state.standing)
    carried = alone.task_state.carried
    assert (None if state.carried[k] == NOTHING else ITEMS[state.carried[k]].name) == carried
    assert state.ended[k] == (alone.leg >= alone.until) and state.leg[k] == min(alone.leg, alone.until - 1)
    seen = many.observe()
    assert seen.progress[k] == len(alone.game.actions) / alone.game.horizon
    if isinstance(alone.game, CollectGame):
        assert tuple(state.where[k]) == alone.game.position[:2]
        assert seen.position[k].tolist() == alone.game.observe()["position"][:2]
        assert seen.heading[k] == alone.game.heading
    else:
        assert tuple(seen.cell[k]) == alone.game.spot and seen.heading[k] == alone.game.heading


def test_the_released_references_are_right(released: tuple[Dataset, list[Episode]]) -> None:
    """Every item and every cell of the real tasks, all players at once."""
    _, episodes = released
    many = VectorArraMon(episodes, len(episodes))
    many.reset(np.arange(len(episodes)))
    scripts = [
        [NAMES[k % 2].index(action) for k, leg in enumerate(episode.legs) for action in leg.goal.actions]  # type: ignore[union-attr]
        for episode in episodes
    ]
    right = np.zeros(len(episodes), int)
    for step in range(max(map(len, scripts))):
        right += many.step(np.array([script[step] if step < len(script) else 0 for script in scripts])).right
    assert many.state.ended.all() and (right == 4).all()


@settings(deadline=None, max_examples=12)
@given(
    st.integers(0, 10**6), st.sampled_from(["all", "collect", "assemble"]), st.booleans(), st.booleans(), st.booleans()
)
def test_many_do_what_single_games_do(seed: int, part: str, released: bool, walls: bool, retry: bool) -> None:
    rng = np.random.default_rng(seed)
    episodes = [task(seed + k, released) for k in range(8)]
    many = VectorArraMon(episodes, 16, part, *HORIZONS, retry)
    if walls:
        many.ground = pillars()
    chosen, turns = rng.integers(8, size=16), np.zeros(16, int) if part == "all" else rng.integers(2, size=16)
    many.reset(chosen, turns=turns)
    first = 2 * turns + (part == "assemble")
    players = [
        Alone(episodes[k], many.ground, leg, 4 if part == "all" else leg + 1, retry)
        for k, leg in zip(chosen, first, strict=True)
    ]
    shares = [0.5, 0.2, 0.2, 0.1]
    for _ in range(2 * sum(HORIZONS)):
        actions = rng.choice(4, size=16, p=shares)
        running = ~many.state.ended
        events = many.step(actions)
        for k in np.flatnonzero(running):
            alone = players[k]
            game, goal = alone.game, episodes[chosen[k]].legs[alone.leg].goal
            got = alone.step(int(actions[k]))
            assert got != "refused" or events.refused[k]
            assert (bool(events.own[k]), bool(events.late[k])) == (got == "own", got == "late")
            if got in ("own", "late"):
                if isinstance(game, CollectGame):
                    assert isinstance(goal, Collect)
                    taken = game.task_state.taken
                    assert taken is not None and taken.item == game.task_state.carried
                    assert events.right[k] == (game.picked is not None and taken.at == goal.at)
                    assert ITEMS[events.taken[k]].name == game.task_state.carried
                    picked = None if events.picked[k] == NOTHING else ITEMS[events.picked[k]].name
                    assert picked == game.picked
                else:
                    assert isinstance(goal, Assemble) and tuple(events.placed[k]) == game.placed
                    target = episodes[chosen[k]].legs[2 * (game.turn - 1)].goal
                    assert isinstance(target, Collect)
                    meant = game.task_state.took_target(target)
                    assert events.right[k] == (got == "own" and game.placed == goal.cell and meant)
            agrees(many, int(k), alone)
    assert many.state.ended.all()
