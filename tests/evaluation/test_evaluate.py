from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.agents.oracles import Gold
from bearleft.envs.game import Action, Observation
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.records import Episode

RUN_CODE = "import sys; from bearleft import evaluate; evaluate(sys.argv[1], 'town/dev', sys.argv[2], seed=7)"
SLOW_AGENT = """
import time
class Slow:
    def begin(self, episode, rng):
        self.rng = rng
    def act(self, observation):
        time.sleep(0.001)
        return "stop" if observation["step"] > 20 else str(self.rng.choice(["forward", "left"]))
"""


class Forward:
    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.steps_left = 3

    def act(self, observation: Observation) -> str:
        self.steps_left -= 1
        return "forward" if self.steps_left else "stop"


def test_killed_run_resumes_with_the_same_traces(tmp_path: Path) -> None:
    agent, uninterrupted, out = tmp_path / "slow.py", tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    agent.write_text(SLOW_AGENT)
    evaluate(str(agent), "town/dev", uninterrupted, seed=7)
    rng = random.Random(3)
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", RUN_CODE, str(agent), str(out)])
        size_before = out.stat().st_size if out.exists() else 0
        started = time.monotonic()
        while process.poll() is None and time.monotonic() < started + 60:
            if out.exists() and out.stat().st_size > size_before:
                break
            time.sleep(0.01)
        time.sleep(rng.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    lines = out.read_bytes()
    assert 0 < lines.count(b"\n") < 100
    out.write_bytes(lines + b'{"format":1,"episode":"half a li')
    evaluate(str(agent), "town/dev", out, seed=7)
    assert out.read_bytes() == uninterrupted.read_bytes()


@pytest.mark.slow
def test_worker_processes_end_when_the_run_is_killed(tmp_path: Path) -> None:
    agent, out = tmp_path / "slow.py", tmp_path / "killed.jsonl"
    agent.write_text(
        SLOW_AGENT.replace("0.001", "0.02")
        + f"\nopen({str(tmp_path)!r} + f'/{{__import__(\"os\").getpid()}}.pid', 'w')"
    )
    code = RUN_CODE.replace("seed=7", "seed=7, processes=2")
    process = subprocess.Popen([sys.executable, "-c", code, str(agent), str(out)])
    started = time.monotonic()
    while len(list(tmp_path.glob("*.pid"))) < 3 and time.monotonic() < started + 60:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 3  # the run itself reads the agent's file too
    while any(map(_alive, pids)) and time.monotonic() < started + 120:
        time.sleep(0.05)
    assert not any(map(_alive, pids))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_number_of_processes_does_not_change_traces(tmp_path: Path) -> None:
    expected = evaluate("random", "town/dev", tmp_path / "one.jsonl", seed=5)
    assert evaluate("random", "town/dev", tmp_path / "two.jsonl", seed=5, processes=2) == expected
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert evaluate("random", "town/dev", seed=6) != expected
    assert evaluate("random", "town/dev", seed=5, limit=10) == expected[:10]


def test_larger_limit_continues_the_file(tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    evaluate("random", "town/dev", out, limit=10)
    first = out.read_bytes()
    reports: list[tuple[str, int, int]] = []
    evaluate("random", "town/dev", out, limit=15, progress=lambda *report: reports.append(report))
    assert out.read_bytes().startswith(first) and out.read_bytes().count(b"\n") == 15
    assert reports[0] == ("random", 10, 15) and reports[-1] == ("random", 15, 15)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"agent": "stop"}, "agent"),
        ({"seed": 1}, "seed"),
        ({"dataset": "town/look"}, "dataset"),
        ({"options": EnvOptions(horizon=60)}, "agent"),
    ],
)
def test_file_of_another_run_is_not_continued(tmp_path: Path, change: dict[str, object], field: str) -> None:
    out = tmp_path / "a.jsonl"
    arguments: dict[str, object] = {"agent": "random", "dataset": "town/dev", "output": out, "limit": 3}
    evaluate(**arguments)  # type: ignore[arg-type]
    content = out.read_bytes()
    with pytest.raises(InputError, match="Write to another file") as caught:
        evaluate(**{**arguments, **change})  # type: ignore[arg-type]
    assert caught.value.field == field and caught.value.line == 1
    assert out.read_bytes() == content


def test_file_without_traces_is_not_changed(tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("my notes\n")
    with pytest.raises(InputError, match=r"notes.txt:1: expected a trace in JSON"):
        evaluate("stop", "town/dev", out)
    assert out.read_text() == "my notes\n"


@pytest.mark.parametrize("text", ['{"thesis": "all of it"}', "[1, 2", "x"])
def test_unfinished_line_of_another_format_is_not_truncated(tmp_path: Path, text: str) -> None:
    out = tmp_path / "precious.json"
    out.write_text(text)
    with pytest.raises(InputError, match=r"precious.json:1: expected a file of traces"):
        evaluate("stop", "town/dev", out, limit=1)
    assert out.read_text() == text


def test_edited_agent_does_not_continue_old_traces(tmp_path: Path) -> None:
    agent, out = tmp_path / "mine.py", tmp_path / "mine.jsonl"
    agent.write_text(SLOW_AGENT)
    evaluate(str(agent), "town/dev", out, limit=1)
    evaluate(str(agent), "town/dev", out, limit=2)
    agent.write_text(SLOW_AGENT.replace("20", "21"))
    with pytest.raises(InputError, match="Write to another file"):
        evaluate(str(agent), "town/dev", out, limit=2)


def test_devices_are_refused_and_failed_runs_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a device or a pipe"):
        evaluate("stop", "town/dev", "/dev/full")
    with pytest.raises(InputError, match="can play"):
        evaluate("center", "town/dev", tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists()


def test_agent_may_be_an_object() -> None:
    traces = evaluate(Forward(), "town/dev", limit=4)
    assert [trace.agent for trace in traces] == ["Forward"] * 4
    assert traces[0].legs[0].actions == ("forward", "forward", "stop")


@pytest.mark.slow
def test_full_disk_gives_an_error_and_the_run_can_resume(tmp_path: Path) -> None:
    code = f"""
import resource, signal
from bearleft.evaluation.evaluate import evaluate
from bearleft.errors import InputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    evaluate("random", "town/dev", {str(tmp_path / "a.jsonl")!r})
except InputError as error:
    print(error)
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "numba"), "NUMBA_DISABLE_JIT": "1"}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "room to write" in process.stdout and "run the same command again" in process.stdout, process.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20_000
    evaluate("random", "town/dev", tmp_path / "a.jsonl")
    evaluate("random", "town/dev", tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_outputs_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="a folder"):
        evaluate("stop", "town/dev", tmp_path)
    with pytest.raises(InputError, match="can be written"):
        evaluate("stop", "town/dev", tmp_path / "file" / "a.jsonl")


def test_two_runs_cannot_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    code = (
        "import fcntl, sys, time\nstream = open(sys.argv[1], 'ab')\nfcntl.flock(stream, fcntl.LOCK_EX)\n"
        "print('locked', flush=True)\ntime.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(out)], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None and other.stdout.readline() == b"locked\n"
        with pytest.raises(InputError, match="no other run writes"):
            evaluate("stop", "town/dev", out)
    finally:
        other.kill()
        other.communicate()


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_of_this_name", "can be imported"),
        (SLOW_AGENT.replace("self.rng = rng", "import sys; sys.exit(0)"), "an agent that acts, got sys.exit"),
        (SLOW_AGENT + "    def __init__(self): raise OSError('no weights')", "no weights"),
    ],
)
def test_bad_agent_is_an_input_error_in_any_process(tmp_path: Path, text: str, message: str, processes: int) -> None:
    (tmp_path / "bad.py").write_text(text)
    with pytest.raises(InputError, match=message):
        evaluate(str(tmp_path / "bad.py"), "town/dev", tmp_path / "none.jsonl", processes=processes)
    assert not (tmp_path / "none.jsonl").exists()


def test_errors_of_agents_name_the_episode() -> None:
    class Wrong(Forward):
        def act(self, observation: Observation) -> str:
            return "jump"

    class Broken(Forward):
        def act(self, observation: Observation) -> str:
            raise ZeroDivisionError

    with pytest.raises(InputError, match=r'episode 0: expected an action: forward.*got "jump"'):
        evaluate(Wrong(), "town/dev")
    with pytest.raises(ZeroDivisionError) as caught:
        evaluate(Broken(), "town/dev")
    assert caught.value.__notes__ == ["while the agent played episode 0 of town/dev"]


@pytest.mark.parametrize("options", [{"processes": 0}, {"limit": 0}, {"seed": -1}, {"seed": 2**63}])
def test_numbers_out_of_range_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(InputError):
        evaluate("stop", "town/dev", **options)  # type: ignore[arg-type]


class Batched:
    """The gold agent for `batch_size` episodes at a time."""

    label = "gold"

    def __init__(self, batch_size: int) -> None:
        self.batch_size = batch_size
        self.sizes: list[int] = []

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        self.sizes.append(len(episodes))
        self.players = [Gold() for _ in episodes]
        for player, episode, rng in zip(self.players, episodes, rngs, strict=True):
            player.begin(episode, rng)

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        return [self.players[k].act(observation) for k, observation in zip(indices, observations, strict=True)]


def test_batched_agent_gives_the_same_traces(tmp_path: Path) -> None:
    for dataset in ("town/dev", "city/touchdown-complete/small", "city/arramon/small"):
        agent: Any = Batched(3)
        one_by_one, batched = evaluate("gold", dataset, limit=7), evaluate(agent, dataset, limit=7)
        assert [trace.legs for trace in batched] == [trace.legs for trace in one_by_one] and agent.sizes == [3, 3, 1]
    again: Any = Batched(3)
    evaluate(again, "town/dev", tmp_path / "out.jsonl", limit=2)
    evaluate(again, "town/dev", tmp_path / "out.jsonl", limit=7)
    assert again.sizes == [2, 3, 2]


def test_error_in_a_batch_names_its_episode() -> None:
    class Wrong(Batched):
        def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
            return ["forward" if k != 1 else "fly" for k in indices]

    agent: Any = Wrong(3)
    with pytest.raises(InputError, match="episode 1"):
        evaluate(agent, "town/dev", limit=3)


def test_agent_file_may_play_in_batches(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Stop:\n"
        "    batch_size = 4\n"
        "    def begin_batch(self, episodes, rngs): self.count = len(episodes)\n"
        "    def act_batch(self, indices, observations): return ['stop'] * (len(indices) if self.count > 2 else 9)\n"
    )
    agent = str(tmp_path / "mine.py")
    assert [trace.legs for trace in evaluate(agent, "town/dev", limit=4)] == [
        trace.legs for trace in evaluate("stop", "town/dev", limit=4)
    ]
    with pytest.raises(InputError, match="episode 4 and 1 beside it: expected 2 actions, one for each episode, got 9"):
        evaluate(agent, "town/dev", limit=6)
