"""What a walking agent's network computed: given with an action, kept in a trace, and ignored by scores."""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bearleft.agents.pipe import read_action
from bearleft.envs.game import Action, Decision, Observation
from bearleft.envs.point import PointGame
from bearleft.envs.reach import ReachGame
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.policy import Policy, PolicyStep
from bearleft.records import Direction, Episode, Leg, LegTrace, Point, Pose, Reach, Trace, to_json_line
from bearleft.world.graphs.grid import street_grid

SPANS = ((0, 2), (3, 7))
TOWN = street_grid(np.random.default_rng(5), 3, 3)
POLICY = Policy(
    (
        PolicyStep((0.9, 0.05, 0.03, 0.02), b"\xff\x10", b"\x00\xff\x01"),
        PolicyStep((0.1, 0.0, 0.0, 0.9), b"\x00\xff", b"\xff\x00\x02"),
    ),
    SPANS,
)
LEG_TRACE = LegTrace(("forward", "stop"), ("a", "b"), policy=POLICY)


def decision(action: str = "forward", **changes: Any) -> Decision:
    values: dict[str, Any] = {
        "probabilities": (0.7, 0.1, 0.1, 0.1),
        "words": (0.25, 0.75),
        "spans": SPANS,
        "views": (0.5, 0.5, 0.0),
    }
    return Decision(action, **(values | changes))


def game() -> ReachGame:
    return ReachGame(Leg("go left", Reach((TOWN.ids[0],))), Pose(Direction(0), TOWN.ids[0]), TOWN)


@settings(deadline=None)
@given(arrays(float, st.integers(1, 40), elements=st.floats(0, 1.7e308), fill=st.just(0)))
@example(np.array([5e-324, 0.0]))
@example(np.array([1.7e308, 0.0]))
def test_the_largest_weight_of_a_step_becomes_255(weights: Any) -> None:
    values = np.frombuffer(PolicyStep.quantize((1, 0, 0, 0), weights).words, np.uint8)
    assert values.max() == (255 if weights.any() else 0)
    assert (values[weights == 0] == 0).all()
    assert (values[weights == weights.max()] == values.max()).all()


def test_weights_are_kept_to_a_byte_and_probabilities_to_three_digits() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(30))
    step = PolicyStep.quantize((0.12345, 0.87655, 0.0, 0.0), weights.astype(np.float32), [0, 2, 1])
    assert step.probabilities == (0.123, 0.877, 0.0, 0.0)
    shares = np.frombuffer(step.words, np.uint8).astype(float)
    np.testing.assert_allclose(shares / shares.sum(), weights, atol=0.01 * weights.max())
    assert step.views == bytes([0, 255, 128])


def test_json_is_compact_and_omits_what_is_missing() -> None:
    row = json.loads(json.dumps(LEG_TRACE.to_json()))
    assert row["policy"] == {
        "probabilities": [[0.9, 0.05, 0.03, 0.02], [0.1, 0.0, 0.0, 0.9]],
        "spans": [[0, 2], [3, 7]],
        "words": base64.b64encode(b"\xff\x10\x00\xff").decode(),
        "views": base64.b64encode(b"\x00\xff\x01\xff\x00\x02").decode(),
    }
    assert LegTrace.from_json(row) == LEG_TRACE
    bare = Policy((PolicyStep((1.0, 0.0, 0.0, 0.0)),))
    assert bare.to_json() == {"probabilities": [[1.0, 0.0, 0.0, 0.0]]}
    assert Policy.from_json(bare.to_json()) == bare
    plain = to_json_line(Trace("1", "toy/dev", "me", (replace(LEG_TRACE, policy=None),)))
    assert plain.endswith('"legs":[{"actions":["forward","stop"],"path":["a","b"]}]}')


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"probabilities": []}, r"field legs\[0\]\.policy\.probabilities: expected a list that is not empty"),
        ({"probabilities": [[1, 0, 0], [1, 0, 0, 0]]}, r"policy\.probabilities\[0\]: expected a list of 4"),
        ({"probabilities": [[1, 0, 0, 0], [1, 0, 2, 0]]}, r"policy\.probabilities\[1\]\[2\]: expected a number from 0"),
        ({"spans": [[0, 2], [3, 2]]}, r"policy\.spans\[1\]\[1\]: expected a number from 3"),
        ({"spans": [[-1, 2], [3, 7]]}, r"policy\.spans\[0\]\[0\]: expected a number from 0"),
        ({"spans": [[0, 2], [3, 7.5]]}, r"policy\.spans\[1\]\[1\]: expected a whole number"),
        ({"spans": [[0, 2]]}, r"policy\.words: expected 2 x 1 = 2 bytes, got 4"),
        ({"words": "§"}, r"policy\.words: expected bytes in base64"),
        ({"words": 3}, r"policy\.words: expected a text"),
        ({"views": "AAAAAA=="}, None),
        ({"views": "AAAAAAA="}, r"policy\.views: expected 2 x up to 360 bytes, the same number for each step, got 5"),
        ({"views": "AAAA" * 241}, r"policy\.views: expected 2 x up to 360 bytes"),
    ],
)
def test_an_invalid_policy_in_a_trace_is_named(change: dict[str, Any], message: str | None) -> None:
    row = Trace("1", "toy/dev", "me", (LEG_TRACE,)).to_json()
    assert Trace.from_json(row).legs[0].policy == POLICY
    row["legs"][0]["policy"] |= change
    if message is None:
        Trace.from_json(row)
        return
    with pytest.raises(InputError, match=message):
        Trace.from_json(row)


def test_a_policy_has_a_step_for_each_action() -> None:
    row = Trace("1", "toy/dev", "me", (LEG_TRACE,)).to_json()
    row["legs"][0]["actions"].append("stop")
    with pytest.raises(InputError, match=r"field legs\[0\]\.policy: expected a policy of 3 steps, .* got 2"):
        Trace.from_json(row)
    with pytest.raises(InputError, match="a policy of 1 steps"):
        LegTrace(("stop",), ("a",), policy=POLICY)
    with pytest.raises(InputError, match="at least one step"):
        Policy(())
    with pytest.raises(InputError, match=r"steps\[0\]\.words: expected 1 weights, got 2"):
        Policy(POLICY.steps, SPANS[:1])
    with pytest.raises(InputError, match=r"steps\[1\]\.views: expected 3 weights, got 0"):
        Policy((POLICY.steps[0], replace(POLICY.steps[1], views=b"")), SPANS)
    with pytest.raises(InputError, match=r"words: expected bytes.*PolicyStep\.quantize"):
        PolicyStep((1, 0, 0, 0), [1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"probabilities": (0.5, 0.5)}, "probabilities: expected 4 probabilities, of forward, left, right, stop"),
        ({"probabilities": {"forward": 1.0}}, "probabilities: expected a probability of each of forward"),
        ({"probabilities": (0.5, 0.5, 0.5, 0.5)}, "probabilities: expected probabilities that sum to 1"),
        ({"probabilities": (2.0, -1.0, 0.0, 0.0)}, "probabilities: expected probabilities that sum to 1"),
        ({"probabilities": (float("nan"), 1.0, 0.0, 0.0)}, "probabilities: expected probabilities that sum to 1"),
        ({"probabilities": "abcd"}, "probabilities: expected 4 probabilities"),
        ({"probabilities": None}, "probabilities: expected 4 probabilities"),
        ({"words": (0.5, float("nan"))}, "words: expected finite numbers that are not negative, got nan"),
        ({"words": (0.5, float("inf"))}, "words: expected finite numbers that are not negative, got inf"),
        ({"words": (0.5, -0.5)}, "words: expected finite numbers that are not negative, got -0.5"),
        ({"words": [[0.5], [0.5]]}, "words: expected a list of numbers, got an array of shape"),
        ({"words": ("a", "b")}, "words: expected a list of numbers"),
        ({"words": (1.0,)}, "spans: expected 1 spans, one for each weight of words, got 2"),
        ({"spans": ((0, 2), (3, 1))}, r"spans\[1\]\[1\]: expected a number from 3"),
        ({"spans": ((0, 2), (3, 4, 5))}, r"spans\[1\]: expected a list of 2"),
        ({"spans": (0, 2)}, "spans: expected a list of begin and end of each token"),
        ({"views": (0.5, float("nan"))}, "views: expected finite numbers"),
        ({"views": np.ones(361)}, "views: expected at most 360 weights, got 361"),
        ({"action": 3}, "action: expected an action as a text, got 3"),
    ],
)
def test_an_invalid_decision_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decision(**changes)


def test_a_decision_takes_lists_arrays_and_names() -> None:
    by_name = {"stop": 0.1, "left": 0.1, "forward": 0.7, "right": 0.1}
    as_lists = decision(
        probabilities=by_name, words=[0.25, 0.75], spans=[[0, 2], [3, 7]], views=np.array([0.5, 0.5, 0], np.float32)
    )
    as_arrays = decision(probabilities=np.array((0.7, 0.1, 0.1, 0.1)), spans=np.array(SPANS))
    assert as_lists == as_arrays == decision()
    assert hash(as_lists) == hash(decision())
    rounded = np.array([1.0000001, 0, 0, -1e-8])
    assert decision(probabilities=rounded).probabilities == (1.0, 0.0, 0.0, 0.0)
    assert Decision("stop", (0, 0, 0, 1)).to_policy_step() == PolicyStep((0.0, 0.0, 0.0, 1.0))


def test_the_trace_of_a_walk_keeps_its_decisions() -> None:
    walk, plain = game(), game()
    for action in ("forward", "left", "forward", "stop"):
        walk.step(decision(action, words=(0.5, 1.0) if action == "left" else (1.0, 0.0)))
        plain.step(action)
    trace = walk.trace()
    assert replace(trace, policy=None) == plain.trace()
    assert trace.policy is not None and trace.policy.spans == SPANS
    assert [list(step.words) for step in trace.policy.steps] == [[255, 0], [128, 255], [255, 0], [255, 0]]
    assert trace.policy.steps[0] == PolicyStep((0.7, 0.1, 0.1, 0.1), b"\xff\x00", b"\xff\xff\x00")
    assert LegTrace.from_json(json.loads(json.dumps(trace.to_json()))) == trace
    assert game().trace().policy is None


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (decision(), "forward", "a Decision for every action of a leg, or for none, got a plain action after one"),
        ("forward", decision(), "a Decision for every action of a leg, or for none, got one after a plain action"),
        (decision(), decision(spans=((0, 1), (3, 7))), "spans: expected the same spans and number of views"),
        (decision(), decision(views=()), "the same spans and number of views"),
        (decision(), decision(spans=((0, 2), (3, 8))), "the same spans"),
        (decision(spans=((0, 2), (3, 8))), None, "spans: expected spans of the text, which has 7 characters, got 8"),
        (decision("fly"), None, "an action: forward, left, right, stop or a linked place, got .fly"),
    ],
)
def test_decisions_of_a_walk_belong_together(first: Action, second: Action | None, message: str) -> None:
    walk = game()
    if second is not None:
        walk.step(first)
    before = walk.trace()
    with pytest.raises(InputError, match=message):
        walk.step(first if second is None else second)
    assert walk.trace() == before


def test_other_legs_take_no_decision() -> None:
    point = PointGame(Leg("there", Point(Direction(5))), Pose(Direction(0), "a"))
    with pytest.raises(InputError, match="a Direction or a Prediction, got Decision"):
        point.step(decision())


class Reader:
    """Walks five steps, with decisions or without."""

    plain = False

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.rng = rng

    def act(self, observation: Observation) -> Action:
        action = "forward" if observation["step"] < 5 else "stop"
        probabilities, words = self.rng.dirichlet(np.ones(4)), self.rng.dirichlet(np.ones(2))
        return action if self.plain else Decision(action, probabilities, words, SPANS)


class PlainReader(Reader):
    plain = True


def test_policies_are_kept_resumed_and_not_scored(tmp_path: Path) -> None:
    out = tmp_path / "reader.jsonl"
    whole = evaluate(Reader(), "town/dev", out, limit=20)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:8]) + lines[8][:100])
    assert evaluate(Reader(), "town/dev", out, limit=20) == whole
    assert out.read_bytes() == b"".join(lines)
    assert all(trace.legs[0].policy is not None for trace in whole)
    plain = evaluate(PlainReader(), "town/dev", tmp_path / "plain.jsonl", limit=20)
    assert [replace(trace.legs[0], policy=None) for trace in whole] == [trace.legs[0] for trace in plain]
    rows = [
        [{key: row[key] for key in row if key not in ("agent", "file")} for row in score(tmp_path / name).rows]
        for name in ("reader.jsonl", "plain.jsonl")
    ]
    assert rows[0] == rows[1]


def test_an_invalid_policy_names_its_line(tmp_path: Path) -> None:
    out = tmp_path / "reader.jsonl"
    evaluate(Reader(), "town/dev", out, limit=1)
    row = json.loads(out.read_text())
    row["legs"][0]["policy"]["words"] = "AAAA"
    out.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=r"reader\.jsonl:1, field legs\[0\]\.policy\.words: expected 6 x 2 = 12 bytes"):
        evaluate(Reader(), "town/dev", out, limit=2)


def test_a_program_gives_a_decision_too() -> None:
    answer: dict[str, Any] = {"action": "left", "probabilities": [0.1, 0.8, 0.1, 0]}
    assert read_action(json.dumps(answer).encode()) == Decision("left", (0.1, 0.8, 0.1, 0))
    answer |= {"words": [0.25, 0.75], "spans": [[0, 2], [3, 7]], "views": [1]}
    assert read_action(json.dumps(answer).encode()) == Decision("left", (0.1, 0.8, 0.1, 0), (0.25, 0.75), SPANS, (1,))
    for change, message in (
        ({"spans": []}, "field spans: expected 2 spans"),
        ({"probabilities": [1]}, "field probabilities: expected 4 probabilities"),
        ({"words": "ab"}, "field words: expected a list"),
    ):
        with pytest.raises(InputError, match=message):
            read_action(json.dumps(answer | change).encode())


PROGRAM = """
import json, sys
for line in sys.stdin:
    if "observe" in json.loads(line):
        answer = {"action": "stop", "probabilities": [0, 0, 0, 1], "words": [1], "spans": [[0, 4]], "views": [1, 3]}
        print(json.dumps(answer), flush=True)
"""


def test_a_decision_over_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "walker.py").write_text(PROGRAM)
    (trace,) = evaluate(f"pipe:{sys.executable} {tmp_path / 'walker.py'}", "town/dev", limit=1)
    assert trace.legs[0].policy == Policy((PolicyStep((0, 0, 0, 1), b"\xff", b"\x55\xff"),), ((0, 4),))
