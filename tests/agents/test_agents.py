from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from bearleft.agents.pipe import Pipe, read_action
from bearleft.agents.registry import AGENTS, make_agent
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.play import play
from bearleft.records import Direction, Reach

SPLITS = ("town/dev", "town/point", "town/look")
ECHO_PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "observe" in message:
        seen = message["observe"]
        if seen["kind"] == "reach":
            print(json.dumps({"action": "stop" if seen["step"] == 2 else "forward"}), flush=True)
        else:
            print(json.dumps({"heading": 10, "pitch": -5}), flush=True)
"""


UNPLAYABLE = {
    ("uniform", "town/dev"),
    ("center", "town/dev"),
    ("average", "town/dev"),
    ("frequent", "town/point"),
    ("frequent", "town/look"),
    ("follower", "town/dev"),
    ("follower", "town/point"),
    ("follower", "town/look"),
    ("colour-blind", "town/dev"),
    ("colour-blind", "town/point"),
    ("colour-blind", "town/look"),
}


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("dataset", SPLITS)
def test_every_agent_plays_or_raises(name: str, dataset: str) -> None:
    if (name, dataset) in UNPLAYABLE:
        with pytest.raises(InputError, match=r"can play|a point to average"):
            evaluate(name, dataset, limit=5)
        return
    traces = evaluate(name, dataset, limit=5)
    assert traces == evaluate(name, dataset, limit=5)
    assert all(trace.legs[0].actions for trace in traces)


@pytest.mark.parametrize("name", ["gold", "shortest"])
def test_oracles_reach_the_goal(name: str) -> None:
    for dataset in SPLITS:
        for episode, trace in zip(load(dataset), evaluate(name, dataset), strict=True):
            goal, leg_trace = episode.legs[0].goal, trace.legs[0]
            if isinstance(goal, Reach):
                assert leg_trace.path[-1] == goal.route[-1] and leg_trace.actions[-1] == "stop"
            else:
                assert leg_trace.answer == goal.direction  # type: ignore[union-attr]


def test_gold_replays_recorded_views() -> None:
    episode = load("town/look")[0]
    (leg_trace,) = play(make_agent("gold", "town/look"), episode)
    assert leg_trace.looks == episode.legs[0].goal.views  # type: ignore[union-attr]


def test_random_uses_its_seed_and_stops_at_fifty() -> None:
    first_seed, second_seed = (
        evaluate("random", "town/dev", seed=1, limit=20),
        evaluate("random", "town/dev", seed=2, limit=20),
    )
    assert first_seed != second_seed
    assert {len(trace.legs[0].actions) for trace in first_seed} == {51}
    actions = [action for trace in first_seed for action in trace.legs[0].actions[:-1]]
    shares = [actions.count(action) / len(actions) for action in ("forward", "left", "right")]
    np.testing.assert_allclose(shares, 1 / 3, atol=0.05)


def test_average_is_the_mean_pixel_of_the_split_it_is_fitted_on() -> None:
    other_split = make_agent("average:town/look", "town/point")
    same_split = make_agent("average", "town/point")
    assert other_split.mean != same_split.mean  # type: ignore[attr-defined]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("dataset", SPLITS[:2])
def test_pipe_agent_plays(tmp_path: Path, dataset: str) -> None:
    (tmp_path / "echo.py").write_text(ECHO_PROGRAM)
    traces = evaluate(f"pipe:{sys.executable} {tmp_path / 'echo.py'}", dataset, limit=20, processes=2)
    if dataset == "town/dev":
        assert {trace.legs[0].actions for trace in traces} == {("forward", "forward", "stop")}
    else:
        assert {trace.legs[0].answer for trace in traces} == {Direction(10, -5)}


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys; sys.stdin.readline(); sys.exit(3)", r"its end \(exit code 3\)"),
        ("import sys; sys.stdin.readline(); print('hello', flush=True); sys.stdin.read()", 'in JSON, got "hello"'),
        ("import sys; sys.stdin.readline(); print('{}', flush=True); sys.stdin.read()", "an answer like"),
        ("import sys; sys.stdin.read()", "an answer within 0.5 seconds"),
    ],
)
def test_misbehaving_programs_raise(program: str, message: str) -> None:
    episode = load("town/dev")[0]
    pipe = Pipe(f'{sys.executable} -c "{program}"', timeout=0.5 if "within" in message else 60)
    try:
        with pytest.raises(InputError, match=message):
            play(pipe, episode)
    finally:
        pipe.close()
    assert pipe.process is None


@pytest.mark.parametrize("command", ["pipe:", "pipe:/no/such/program", "pipe:'unclosed"])
def test_commands_that_cannot_be_started_raise(command: str) -> None:
    with pytest.raises(InputError, match=r"a command after pipe:|a program that can be started"):
        evaluate(command, "town/dev", limit=1)


@pytest.mark.parametrize(
    ("line", "action"), [(b'{"action":"left"}', "left"), (b'{"heading":370,"pitch":2}', Direction(10, 2))]
)
def test_actions_are_read_from_json(line: bytes, action: object) -> None:
    assert read_action(line) == action


@pytest.mark.parametrize(
    "line", [b"", b"[]", b'{"action":3}', b'{"heading":1}', b'{"heading":1,"pitch":99}', b"\xff", b"[" * 100_000]
)
def test_invalid_actions_raise(line: bytes) -> None:
    with pytest.raises(InputError, match="an answer"):
        read_action(line)


def test_agent_file_imports_modules_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "words_beside_mine.py").write_text("WORD = 'stop'\n")
    body = "class Mine:\n    def begin(self, episode, rng): pass\n    def act(self, seen): return WORD\n"
    (tmp_path / "mine.py").write_text("from words_beside_mine import WORD\n" + body)
    assert make_agent(str(tmp_path / "mine.py"), "town/dev").act({}) == "stop"


def test_agent_is_loaded_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    class_text = "class {}:\n    def begin(self, episode, rng): pass\n    def act(self, seen): return 'stop'\n"
    path.write_text(class_text.format("Mine"))
    assert type(make_agent(str(path), "town/dev")).__name__ == "Mine"
    path.write_text(class_text.format("Mine") + class_text.format("Other"))
    assert type(make_agent(f"{path}:Other", "town/dev")).__name__ == "Other"
    with pytest.raises(InputError, match=r"got Mine, Other.*mine.py:NAME"):
        make_agent(str(path), "town/dev")
    with pytest.raises(InputError, match="Did you mean Other"):
        make_agent(f"{path}:Othr", "town/dev")
    path.write_text("class Half:\n    def act(self, seen): return 'stop'\n")
    with pytest.raises(InputError, match="one class with begin and act, got Half without begin"):
        make_agent(str(path), "town/dev")
    path.write_text(class_text.format("Mine") + "    def __init__(self, weights): pass\n")
    with pytest.raises(InputError, match="an agent class that can be called without arguments"):
        make_agent(str(path), "town/dev")
    path.write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(InputError, match=r"mine.py:2: expected a Python file that can be imported.*SystemExit"):
        make_agent(str(path), "town/dev")
    path.write_text("x = 1\n")
    with pytest.raises(InputError, match="one class with begin and act, got none"):
        make_agent(str(path), "town/dev")
    path.write_text("x = 1\ny = x / 0\n")
    with pytest.raises(InputError, match=r"mine.py:2: expected a Python file that can be imported.*ZeroDivisionError"):
        make_agent(str(path), "town/dev")
    with pytest.raises(InputError, match="nothing there"):
        make_agent(str(tmp_path / "none.py"), "town/dev")


def test_unknown_name_raises_with_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"Did you mean random\?.*FILE.py for your own"):
        make_agent("randm", "town/dev")


def test_colour_blind_follower_fails_colour_pairs() -> None:
    episodes = load("city/pairs/colour")
    pairs = sorted({episode.extra["pair"] for episode in episodes})
    answers = {
        agent: {trace.episode: trace.legs[0].answer for trace in evaluate(agent, "city/pairs/colour")}
        for agent in ("colour-blind", "follower")
    }
    for pair in pairs:
        first, second = (episode.id for episode in episodes if episode.extra["pair"] == pair)
        assert answers["colour-blind"][first] == answers["colour-blind"][second]
        assert answers["follower"][first] != answers["follower"][second]
    assert len(pairs) == 10
