"""What an agent of ArraMon computed is in the page's data, step by step in the city and in the room."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from bearleft.agents.oracles import Gold
from bearleft.data import write
from bearleft.envs.game import Action, Decision, Observation
from bearleft.evaluation.evaluate import evaluate
from bearleft.reports.html.data import arramon_policy
from bearleft.reports.html.loading import load_report_data
from tests.envs.arramon.example_tasks import ROOMS, WALKS, task
from tests.reports.html.test_data import page_data


class Deciding(Gold):
    """The reference as decisions; in the room it first tries to place while it cannot."""

    label = "deciding"
    turned = False

    def act(self, observation: Observation) -> Action:
        """Return the next action with what it computed."""
        is_first_in_room = observation["kind"] == "assemble" and observation["step"] == 1
        action = "place" if is_first_in_room and self.turned else super().act(observation)
        self.turned = action in ("left", "right")
        assert isinstance(action, str)
        return Decision(action, (0.1, 0.2, 0.3, 0.4), (1.0, 3.0), ((0, 2), (3, 6)), np.arange(24.0))


def test_policies_of_both_phases_are_in_the_page(tmp_path: Path) -> None:
    write("jsonl", [task("1")], tmp_path / "mine.jsonl")
    (trace,) = evaluate(Deciding(), str(tmp_path / "mine.jsonl"), tmp_path / "traces.jsonl")
    assert trace.legs[3].actions[1] == "refused"  # after a turn of 30 degrees nothing can be placed
    _, examples = page_data(load_report_data([tmp_path / "traces.jsonl"]))
    legs = examples["examples"][0]["traces"][0]["legs"]
    names = [["forward", "left", "right", "pick"], ["forward", "left", "right", "place"]]
    for k, (leg, leg_trace) in enumerate(zip(legs, trace.legs, strict=True)):
        assert leg["policy"]["names"] == names[k % 2]
        assert len(leg["policy"]["probabilities"]) == len(leg["policy"]["actions"]) == len(leg_trace.actions)
        own = (WALKS if k % 2 == 0 else ROOMS)[k // 2]
        taken = [names[k % 2][action] for action in leg["policy"]["actions"]]
        assert taken == ([*own] if k < 3 else [own[0], "place", *own[1:]])
        assert len(leg.get("places", leg.get("cells"))) >= len(leg_trace.actions)
    assert legs[0]["policy"] == json.loads(json.dumps(legs[0]["policy"]))


def test_a_refused_action_was_to_pick_or_to_place(tmp_path: Path) -> None:
    write("jsonl", [task("1")], tmp_path / "mine.jsonl")
    (trace,) = evaluate(Deciding(), str(tmp_path / "mine.jsonl"), tmp_path / "traces.jsonl")
    policy = trace.legs[3].policy
    assert policy is not None
    shown = arramon_policy(policy, trace.legs[3].actions, inside=True)
    assert isinstance(shown, dict) and shown["actions"][1] == 3
