"""Tests of invalid tasks, options and actions: a clear error, and the environment stays usable."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bearleft.agents.walking_baselines import Random, Stop, reference_lengths
from bearleft.data import load
from bearleft.envs.arramon.gym import ArraMonEnv, CollectEnv
from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv
from bearleft.errors import InputError
from bearleft.evaluation.play import play
from bearleft.records import Assemble, Cell, Collect, Episode, Leg

ENV_TYPES: list[Callable[..., Any]] = [ArraMonEnv, lambda *a, **k: ArraMonVectorEnv(2, *a, **k)]
FORWARD = np.int64(0)


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return load("city/arramon/small")


def with_task_setup(episode: Episode, **changed: Any) -> Episode:
    return replace(episode, extra={"setting": episode.extra["setting"] | changed})


def with_cell(episode: Episode, cell: Cell) -> Episode:
    goal = episode.legs[1].goal
    assert isinstance(goal, Assemble)
    legs = (episode.legs[0], replace(episode.legs[1], goal=replace(goal, cell=cell)), *episode.legs[2:])
    return replace(episode, legs=legs)


def first_changed(rows: list[Any], *row: Any) -> list[Any]:
    return [list(row), *rows[1:]]


INVALID_TASKS: dict[str, tuple[Callable[[Episode, list[Any], list[Any]], Episode], str]] = {
    "no setting": (
        lambda episode, _l, _s: replace(episode, extra={}),
        "field setting: expected a task setup with the items of the task",
    ),
    "no list": (lambda episode, _l, _s: replace(episode, extra={"setting": []}), "expected an object, got a list of 0"),
    "nothing lies": (
        lambda episode, _l, _s: with_task_setup(episode, lying=[]),
        r"setting.lying: expected a list that is not empty",
    ),
    "no target": (
        lambda episode, lying, _: with_task_setup(episode, lying=lying[1:]),
        "expected the .* among the items",
    ),
    "no second target": (
        lambda episode, lying, _: with_task_setup(episode, lying=[lying[0], *lying[2:]]),
        "expected the .* among the items",
    ),
    "wrong item": (
        lambda episode, lying, _: with_task_setup(episode, lying=first_changed(lying, "Plaid Mug", *lying[0][1:])),
        r"setting.lying\[0\]\[0\].item: expected a pattern, a colour and a type, .* got \"Plaid Mug\"",
    ),
    "not a number": (
        lambda episode, lying, _: with_task_setup(
            episode, lying=first_changed(lying, lying[0][0], [float("nan"), 0, 0], 0)
        ),
        r"setting.lying\[0\]\[1\]\[0\]: expected a finite number, got nan",
    ),
    "far away": (
        lambda episode, lying, _: with_task_setup(episode, lying=[*lying, [lying[0][0], [1e300, 0, 0], 0]]),
        "expected a number from -1e\\+06 to 1e\\+06",
    ),
    "section 8": (
        lambda episode, _l, _s: with_task_setup(episode, section=8),
        "setting.section: expected a number from 0 to 7",
    ),
    "outside": (
        lambda episode, _, standing: with_task_setup(
            episode, standing=first_changed(standing, standing[0][0], [5, 1, 0])
        ),
        "expected a number from 0 to 4, got 5",
    ),
    "two in a cell": (
        lambda episode, _, standing: with_task_setup(episode, standing=[standing[0], *standing]),
        "expected items on the floor or on another item, one per cell",
    ),
    "a goal outside": (
        lambda episode, _l, _s: with_cell(episode, (7, 1, 0)),
        r"legs\[1\].assemble: expected a cell of columns 0 to 4, heights 1 to 4, rows 0 to 3, got \[7, 1, 0\]",
    ),
    "a goal in the air": (
        lambda episode, _l, _s: with_cell(episode, (2, 4, 1)),
        r"expected a cell on top of the \d items",
    ),
    "two legs": (
        lambda episode, _l, _s: replace(episode, legs=episode.legs[:2]),
        "expected episodes of Collect, Assemble, Collect",
    ),
}


@pytest.mark.parametrize("name", INVALID_TASKS)
def test_invalid_tasks(episodes: list[Episode], name: str) -> None:
    """The error names the episode, before anything is played."""
    change, message = INVALID_TASKS[name]
    setting = episodes[0].extra["setting"]
    broken = change(episodes[0], setting["lying"], setting["standing"])
    for make_env in ENV_TYPES:
        with pytest.raises(InputError, match=message) as caught:
            make_env([broken, episodes[1]])
        assert episodes[0].id in str(caught.value)
    if name != "two legs":
        with pytest.raises(InputError, match=message):
            play(Stop(), broken)


@pytest.mark.parametrize("world", ["sections/x", "sections/-1", "sections/", "arramon/", "city/0", "mars/1"])
def test_unknown_worlds(episodes: list[Episode], world: str) -> None:
    for make_env in ENV_TYPES:
        with pytest.raises(InputError, match=f'expected .*sections/SEED.*, got "{world}"'):
            make_env([replace(episodes[0], world=world)])


def test_episodes_that_are_not_tasks(episodes: list[Episode]) -> None:
    for make_env in ENV_TYPES:
        with pytest.raises(InputError, match="episodes of one world"):
            make_env([episodes[0], replace(episodes[0], world="arramon/1")])
        with pytest.raises(InputError, match="first leg is to collect, got 100 others"):
            make_env("town/dev")
        with pytest.raises(InputError, match="first leg is to collect"):
            make_env([])
        with pytest.raises(InputError, match='the name of an available dataset, got "city/arramon/none"'):
            make_env("city/arramon/none")


@pytest.mark.parametrize(
    "option",
    [
        *({name: value} for name in ("collect_horizon", "assemble_horizon") for value in (0, -1, 1.5, None, "x")),
        {"see": "panorama"},
        {"render_mode": "human"},
        {"seee": "view"},
        {"see": "view", "device": "tpu"},
        {"see": "view", "size": 0},
        {"depth": True, "samples": 0},
    ],
    ids=str,
)
def test_invalid_options(episodes: list[Episode], option: dict[str, Any]) -> None:
    for make_env in ENV_TYPES:
        with pytest.raises(InputError):
            make_env(episodes, **option)


def test_missing_gpu(episodes: list[Episode]) -> None:
    with contextlib.suppress(InputError):
        from bearleft.world.render.gpu import available

        if available():
            pytest.skip("there is a CUDA GPU")
    for make_env in ENV_TYPES:
        with pytest.raises(InputError, match="expected a CUDA GPU"):
            make_env(episodes, see="view", device="cuda")


def test_invalid_actions_and_resets_do_not_change_the_env(episodes: list[Episode]) -> None:
    env = ArraMonEnv(episodes)
    with pytest.raises(InputError, match="a reset before"):
        env.step(FORWARD)
    env.reset(options={"episode": episodes[0].id})
    before = repr(env.step(FORWARD)[0])
    wrong: list[Any] = [4, -1, 0.5, "forward", None, [0], 2**70]
    for action in wrong:
        with pytest.raises(InputError, match="an action of"):
            env.step(action)
    for options, message in (
        ({"episode": "no such"}, "the id of an episode"),
        ({"episode": [1]}, "the id of an episode"),
        ({"episode": episodes[1].id, "turn_number": 2}, "turn_number 1"),
        (
            {"epsiode": episodes[1].id},
            'field options: expected a reset\'s option: episode or turn_number, got "epsiode"',
        ),
        ([episodes[1].id], "field options: expected options with episode and turn_number, or none"),
    ):
        with pytest.raises(InputError, match=message):
            env.reset(options=options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r'an action of .*, got "forward"$'):
        env.step("forward")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a turn_number, 1 or 2"):
        CollectEnv(episodes).reset(options={"turn_number": 3})
    assert repr(env.unwrapped._observation()) == before  # type: ignore[attr-defined]
    for action in episodes[0].legs[0].goal.actions[1:]:  # type: ignore[union-attr]
        info = env.step(np.int64(("forward", "left", "right", "pick").index(action)))[-1]
    assert "leg" in info and env.episode is episodes[0]


def test_invalid_actions_and_resets_do_not_change_the_vector_env(episodes: list[Episode]) -> None:
    vector_env = ArraMonVectorEnv(2, episodes)
    with pytest.raises(InputError, match="a reset before"):
        vector_env.step(np.zeros(2, np.int64))
    vector_env.reset(seed=0)
    before = repr(vector_env.step(np.zeros(2, np.int64))[0])
    wrong: list[Any] = [[0, 4], [0], 0, [0.5, 0.5], ["x", "y"], None, [[0], [1, 2]], [[0], [1]]]
    for actions in wrong:
        with pytest.raises(InputError, match="2 actions from 0 to 3"):
            vector_env.step(actions)
    wrong_options: list[dict[str, Any]] = [
        {"episode": episodes[0].id},
        {"episode": [episodes[0].id]},
        {"turn_number": 1},
        {"turn_number": [1] * 3},
    ]
    for options in wrong_options:
        with pytest.raises(InputError, match="a list of 2, one for each player"):
            vector_env.reset(options=options)
    with pytest.raises(InputError, match='a reset\'s option: episode or turn_number, got "epsiode"'):
        vector_env.reset(options={"epsiode": [episodes[0].id] * 2})
    assert repr(vector_env._observation()) == before
    for count in (0, 1.5, None):
        with pytest.raises(InputError, match="at least one player"):
            ArraMonVectorEnv(count, episodes)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 episodes from 0 to 23"):
        vector_env.players.reset([0, 24])


def test_random_agent_needs_reference_lengths(episodes: list[Episode]) -> None:
    def bare(leg: Leg) -> Leg:
        assert isinstance(leg.goal, Collect | Assemble)
        return replace(leg, goal=replace(leg.goal, actions=()))

    task = replace(episodes[0], legs=tuple(map(bare, episodes[0].legs)))
    with pytest.raises(InputError, match="a dataset whose collect legs have the actions of a demonstration"):
        play(Random(lengths=lambda: reference_lengths([task])), task)
