"""Replay of traces: what agents recorded is possible, and what somebody changed is found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.data import load
from bearleft.envs.game import Action, Observation
from bearleft.envs.legs import EnvOptions
from bearleft.envs.vector import VectorReach
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.replay import Mismatch, replay_trace
from bearleft.generate.hidden import hide_goals
from bearleft.records import Direction, Episode, LegTrace, Trace, to_json_line
from bearleft.world.graphs.transitions import ACTIONS
from bearleft.world.worlds import open_world
from tests.sizes import sized

WALK, COMPLETE, POINT, LOOK = (
    "city/touchdown/small",
    "city/touchdown-complete/small",
    "city/sdr/small",
    "city/refer360/small",
)
ARRAMON = "city/arramon/small"


class Looks:
    """Look in random directions, turn, read on: every action of a look leg."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.rng = rng

    def act(self, observation: Observation) -> Action:
        number = int(self.rng.integers(7))
        if number == 0:
            return Direction(float(self.rng.uniform(0, 360)), float(self.rng.uniform(-90, 90)))
        return ("next", "left", "right", "up", "up", "down")[number - 1]


class Turns(Looks):
    """Turn and read on, and never look in a direction."""

    def act(self, observation: Observation) -> Action:
        return ("next", "left", "right", "up", "down")[int(self.rng.integers(5))]


def hidden(split: str, limit: int | None = None) -> dict[str, Episode]:
    return {episode.id: hide_goals(episode, episode.id) for episode in load(split)[:limit]}


def of_leg(trace: Trace, leg: int = 0, **changes: object) -> Trace:
    legs = list(trace.legs)
    legs[leg] = replace(legs[leg], **changes)  # type: ignore[arg-type]
    return replace(trace, legs=tuple(legs))


@pytest.mark.parametrize("options", [EnvOptions(), EnvOptions(auto_turn=False, border=True, horizon=12)])
@pytest.mark.parametrize("split", [WALK, COMPLETE, POINT, LOOK])
def test_what_agents_record_is_possible(split: str, options: EnvOptions) -> None:
    episodes = hidden(split, sized(6, None))
    for seed in range(sized(2, 10)):
        for trace in evaluate("random", split, seed=seed, options=options, limit=len(episodes)):
            stored = Trace.from_json(json.loads(to_json_line(trace)))
            assert replay_trace(episodes[trace.episode], stored, options=options) is None


@pytest.mark.parametrize(
    "options", [EnvOptions(), EnvOptions(look_lattice=30.0), EnvOptions(look_step=40.0, look_horizon=9)]
)
def test_every_action_of_a_look_leg_is_possible(options: EnvOptions) -> None:
    episodes = hidden(LOOK)
    for agent in (Looks(), Turns()):
        for trace in evaluate(agent, LOOK, options=options):
            assert replay_trace(episodes[trace.episode], trace, options=options) is None


def test_tasks_of_arramon_and_interactive_play_are_repeated_with_goals() -> None:
    for split, options in ((ARRAMON, EnvOptions()), (LOOK, EnvOptions(interactive=True))):
        episodes = {episode.id: episode for episode in load(split)}
        for trace in evaluate("random", split, options=options, limit=3):
            assert replay_trace(episodes[trace.episode], trace, options=options) is None
    trace = evaluate("random", ARRAMON, limit=1)[0]
    path = list(trace.legs[0].path)
    path[2] = (0.0, 0.0, 0.0)
    found = replay_trace(load(ARRAMON)[0], of_leg(trace, path=tuple(path)))
    assert found is not None and (found.leg, found.step) == (0, 2)


def table_path(walkers: VectorReach, number: int, actions: Sequence[str]) -> list[str] | None:
    """Return the path of actions by the vector environment's table; None if they do not end exactly one walk."""
    walkers.reset([number])
    path = [walkers.graph.ids[int(walkers.places[0])]]
    for action in actions:
        if walkers.ended[0] or action not in ACTIONS:
            return None
        walkers.step([ACTIONS.index(action)])
        if action != "stop":
            path.append(walkers.graph.ids[int(walkers.places[0])])
    return path if walkers.ended[0] else None


@pytest.mark.slow
@given(st.data())
def test_a_walk_is_possible_if_the_table_of_another_environment_walks_it(data: st.DataObject) -> None:
    episodes = load(WALK)
    number = data.draw(st.integers(0, len(episodes) - 1))
    episode = hide_goals(episodes[number], episodes[number].id)
    graph = open_world(episode.world)
    walkers = VectorReach([e for e in episodes if e.world == graph.name], graph, 1, 50)
    own = [e.id for e in walkers.episodes].index(episode.id)
    actions = data.draw(st.lists(st.sampled_from(["forward", "forward", "left", "right"]), max_size=52))
    actions += data.draw(st.sampled_from([["stop"], [], ["stop", "forward"]]))
    path = table_path(walkers, own, actions)
    written = path or [str(episode.start.place)]
    if data.draw(st.booleans()):
        k = data.draw(st.integers(0, len(written) - 1))
        written = [*written[:k], data.draw(st.sampled_from(graph.ids[:9])), *written[k + 1 :]]
    looks: tuple[Direction, ...] = ()
    if path is not None:
        looks = (Direction(float(walkers.table.heading[walkers.state[0]])),)
    leg = LegTrace(tuple(actions), tuple(written), looks)
    found = replay_trace(episode, Trace(episode.id, episode.dataset, "me", (leg,), horizon=50))
    assert (found is None) == (path is not None and written == path)


def changed_walks(trace: Trace, other: Trace) -> dict[str, tuple[Trace, str]]:
    leg = trace.legs[0]
    k = next(k for k in range(3, len(leg.path)) if leg.path[k] != leg.path[k - 1])
    swapped = list(leg.actions)
    swapped[k - 1] = "left"
    return {
        "action": (of_leg(trace, actions=tuple(swapped)), f"leg 1, step {k}: expected "),
        "jump": (of_leg(trace, path=(*leg.path[:k], "c000000", *leg.path[k + 1 :])), f'step {k}: .* got "c000000"'),
        "start": (of_leg(trace, path=(other.legs[0].path[0], *leg.path[1:])), "step 0: expected "),
        "shorter path": (of_leg(trace, path=leg.path[:-1]), "a path of "),
        "unknown action": (
            of_leg(trace, actions=("fly", *leg.actions[1:])),
            'step 0: expected an action: .* got "fly"',
        ),
        "far link": (
            of_leg(trace, actions=("c000000", *leg.actions[1:])),
            "step 0: expected an action: a place linked",
        ),
        "no end": (of_leg(trace, actions=leg.actions[:-1], path=leg.path[:-1]), "an action that ends the leg"),
        "after the end": (of_leg(trace, actions=(*leg.actions, "stop")), "no action after the end of the leg"),
        "heading": (of_leg(trace, looks=(Direction(leg.looks[0].heading + 1),)), r"expected a view of \["),
        "no heading": (of_leg(trace, looks=()), "expected 1 looks, got 0"),
        "answer": (of_leg(trace, answer=Direction(0)), "expected the answer None"),
        "longer horizon": (replace(trace, horizon=51), "a horizon of at most 50 actions, got 51"),
        "other episode": (replace(trace, episode=other.episode), "expected a trace of this episode"),
        "missing leg": (replace(trace, legs=()), "expected 1 legs, got 0"),
    }


def test_changed_walks_are_found() -> None:
    episodes = hidden(WALK)
    traces = evaluate("random", WALK, limit=9)
    first = traces[0]
    other = next(trace for trace in traces if trace.legs[0].path[0] != first.legs[0].path[0])
    for name, (trace, message) in changed_walks(first, other).items():
        found = replay_trace(episodes[first.episode], trace)
        assert found is not None, name
        with pytest.raises(AssertionError, match=message):
            raise AssertionError(str(found))


def test_changed_answers_are_found() -> None:
    episodes = hidden(COMPLETE)
    trace = evaluate("random", COMPLETE, limit=1)[0]
    elsewhere = of_leg(trace, 1, path=("c000000",))
    found = replay_trace(episodes[trace.episode], elsewhere)
    assert isinstance(found, Mismatch) and (found.leg, found.step) == (1, 0), "pointed from another place"
    unanswered = of_leg(trace, 1, answer=None)
    assert "an answer that is a direction" in str(replay_trace(episodes[trace.episode], unanswered))
    free = of_leg(trace, 1, answer=Direction(12, 3))
    assert replay_trace(episodes[trace.episode], free) is None, "one may point anywhere"


def test_changed_views_are_found() -> None:
    episodes = hidden(LOOK)
    first, second = evaluate(Turns(), LOOK, limit=2)
    swapped = of_leg(first, answer=second.legs[0].answer)
    assert "expected the answer [" in str(replay_trace(episodes[first.episode], swapped))
    looks = (Direction(first.legs[0].looks[0].heading + 5, first.legs[0].looks[0].pitch), *first.legs[0].looks[1:])
    nearer = of_leg(first, looks=(Direction(1, 2), *looks[1:]))
    assert "expected a view of [" in str(replay_trace(episodes[first.episode], nearer))
    other_seed = replace(first, seed=first.seed + 1)
    assert replay_trace(episodes[first.episode], other_seed) is not None, "first views are drawn by the seed"
    # After a free look, turns still tell what the view can be: a turn up from anywhere does not end at the floor.
    episode = episodes[first.episode]
    sentences = len(episode.legs[0].sentences)
    actions = ("look", "up", *["next"] * sentences)
    leg = LegTrace(actions, (), (Direction(0, -80),) * sentences, Direction(0, -80))
    assert "expected a view of [" in str(replay_trace(episode, replace(first, legs=(leg,))))
    possible = replace(leg, looks=(Direction(0, -75),) * sentences, answer=Direction(0, -75))
    assert replay_trace(episode, replace(first, legs=(possible,))) is None
