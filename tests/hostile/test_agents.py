"""Agents that misbehave: programs that hang, flood, drip or leave processes, and agents that change what they see."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from bearleft.agents import pipe as pipe_module
from bearleft.agents.oracles import Gold
from bearleft.agents.pipe import Pipe
from bearleft.cli import main
from bearleft.data import load
from bearleft.envs.game import Action, Observation
from bearleft.envs.gym import PointEnv
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.play import play
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.worlds import open_world

READ = "import sys, time, os, signal; line = sys.stdin.readline(); "
STOP = 'print(\'{"action": "stop"}\', flush=True)'
PROGRAMS = {
    "hangs": (READ + "time.sleep(600)", "an answer within 1 seconds, got none"),
    "never reads": (
        "import time; time.sleep(600)",
        "an answer within 1 seconds, got none|reads its input within 1 seconds",
    ),
    "floods": (
        READ + "\nwhile True: sys.stdout.write('x' * 65536)",
        r"an answer of one line, got 1,0\d\d,\d\d\d bytes without a line break",
    ),
    "drips": (
        READ + "\nwhile True: sys.stdout.write(' '); sys.stdout.flush(); time.sleep(0.05)",
        'an answer within 1 seconds, got only " *',
    ),
    "closes its output": (READ + "os.close(1); time.sleep(600)", "closed its input or output and still runs"),
    "closes its input": (
        "import os, time; os.close(0); time.sleep(600)",
        "closed its input or output and still runs|an answer within 1 seconds",
    ),
    "ignores SIGTERM": (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + READ + "time.sleep(600)",
        "an answer within 1 seconds, got none",
    ),
    "is killed": (READ + "os.kill(os.getpid(), signal.SIGKILL)", r"its end \(exit code -9\)"),
}


@pytest.fixture(autouse=True)
def brief_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait briefly for programs that do not end by themselves."""
    monkeypatch.setattr(pipe_module, "EXIT_SECONDS", 1.0)


def command(program: str) -> str:
    return shlex.join([sys.executable, "-I", "-S", "-c", program])


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(pid: int) -> bool:
    end = time.monotonic() + 30
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_running(pid)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize(("program", "message"), PROGRAMS.values(), ids=list(PROGRAMS))
def test_program_that_does_not_answer_is_an_input_error_and_is_ended(program: str, message: str) -> None:
    pipe = Pipe(command(program), timeout=1 if "within 1 seconds" in message else 30)
    try:
        with pytest.raises(InputError, match=message):
            play(pipe, load("town/dev")[0])
        assert pipe.process is not None
        pid = pipe.process.pid
    finally:
        pipe.close()
    assert not is_running(pid)


@pytest.mark.slow
def test_program_that_does_not_read_a_long_observation_is_an_input_error() -> None:
    pipe = Pipe(command("import time; time.sleep(600)"), timeout=0.5)
    try:
        with pytest.raises(InputError, match=r"a program that reads its input within 0.5 seconds"):
            pipe.act({"text": "x" * 1_000_000})
    finally:
        pipe.close()


def test_long_observations_reach_a_slow_reader() -> None:
    pipe = Pipe(command(READ + 'time.sleep(0.2); print(\'{"action": "%d"}\' % len(line), flush=True)'), timeout=30)
    try:
        assert pipe.act({"text": "x" * 1_000_000}) == str(1_000_000 + len('{"observe": {"text": ""}}\n'))
    finally:
        pipe.close()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("ends", [True, False])
def test_processes_that_a_program_leaves_are_ended(tmp_path: Path, ends: bool) -> None:
    child = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
    program = (
        f"import subprocess, sys, time; child = subprocess.Popen({child!r}); "
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid)); "
        f"sys.stdin.readline(); sys.stdin.readline(); {STOP}"
    )
    pipe = Pipe(command(program + ("" if ends else "; time.sleep(600)")), timeout=30)
    try:
        play(pipe, load("town/dev")[0])
        pid = int((tmp_path / "pid").read_text())
        assert is_running(pid)
    finally:
        pipe.close()
    assert wait_for_end(pid)


@pytest.mark.slow
def test_programs_of_worker_processes_are_ended(tmp_path: Path) -> None:
    program = (
        f"import os, signal, sys, time; open({str(tmp_path)!r} + '/%d.pid' % os.getpid(), 'w')\n"
        f"for line in sys.stdin:\n    if 'observe' in line: {STOP}\n"
        "time.sleep(600)"
    )
    evaluate(f"pipe:{command(program)}", "town/dev", limit=17, processes=2)
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert pids and all(map(wait_for_end, pids))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("when", ["after its start", "during its start"])
def test_ctrl_c_ends_the_program_too(tmp_path: Path, when: str) -> None:
    pid = tmp_path / "pid"
    program = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    code = (
        "import os, signal, subprocess, time; from bearleft.agents import pipe; from bearleft.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # shells start background jobs without it
        "class Interrupted(subprocess.Popen):\n"
        "    def __init__(self, *args, **kwargs):\n"
        "        super().__init__(*args, **kwargs)\n"
        f"        while not (os.path.exists({str(pid)!r}) and os.path.getsize({str(pid)!r})):\n"
        "            time.sleep(0.01)\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        f"if {when!r} == 'during its start': pipe.subprocess.Popen = Interrupted\n"
        "pipe.EXIT_SECONDS = 0.1\n"
        f"main(['eval', {f'pipe:{command(program)}'!r}, 'town/dev', '-o', {str(tmp_path / 'out.jsonl')!r}])"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while not (pid.exists() and pid.read_text()) and time.monotonic() < end:
            time.sleep(0.01)
        if when == "after its start":
            process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.kill(int(pid.read_text()), signal.SIGKILL)
            raise
    assert (process.returncode, err.splitlines()[-1]) == (130, "bearleft: stopped") and "Traceback" not in err
    assert wait_for_end(int(pid.read_text()))
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.slow
def test_misbehaving_program_exits_with_code_2_and_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["eval", f"pipe:{command(PROGRAMS['closes its output'][0])}", "town/dev", "-o", str(tmp_path / "o.jsonl")])
    assert caught.value.code == 2 and "still runs" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def spoil(value: Any) -> None:
    """Change everything in an observation that can be changed."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value[...] = 0
        for base in (value.base,):
            if isinstance(base, np.ndarray) and base.flags.writeable:
                base[...] = 0
    elif isinstance(value, dict):
        for part in list(value.values()):
            spoil(part)
        value.clear()
    elif isinstance(value, list):
        for part in value:
            spoil(part)
        value.clear()


class Spoiler(Gold):
    """The gold agent; it keeps a copy of what it saw, and destroys the original."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def act(self, observation: Observation) -> Action:
        action = super().act(dict(observation))
        self.seen.append(repr(observation))
        self.spoil(observation)
        return action

    def spoil(self, observation: Observation) -> None:
        spoil(observation)


class Reader(Spoiler):
    def spoil(self, observation: Observation) -> None:
        pass


@pytest.mark.parametrize(
    "dataset", ["town/dev", "town/point", "town/look", "city/touchdown-complete/small", "city/arramon/small"]
)
def test_agent_that_changes_its_observations_changes_nothing_else(dataset: str) -> None:
    reader, spoiler = Reader(), Spoiler()
    expected = [trace.legs for trace in evaluate(reader, dataset, limit=3)]
    assert [trace.legs for trace in evaluate(spoiler, dataset, limit=3)] == expected
    assert spoiler.seen == reader.seen
    assert [trace.legs for trace in evaluate(Reader(), dataset, limit=3)] == expected


def spoiled_and_not(make: Callable[[], gym.Env[Any, Any]]) -> list[list[str]]:
    """Play five steps twice: with every observation destroyed, and without."""
    runs: list[list[str]] = []
    for spoiled in (True, False):
        env = make()
        env.action_space.seed(1)
        observation, info = env.reset(seed=1)
        seen = []
        for _ in range(5):
            with np.printoptions(threshold=sys.maxsize):
                seen.append(repr((observation, info)))
            if spoiled:
                spoil(observation)
                spoil(info)
            observation, _, terminated, truncated, info = env.step(env.action_space.sample())
            if terminated or truncated:
                observation, info = env.reset(seed=1)
        runs.append(seen)
    return runs


ENVS: list[dict[str, Any]] = [
    {"id": "bearleft/Reach-v0"},
    {"id": "bearleft/Look-v0"},
    {"id": "bearleft/ArraMon-v0", "raise_on_invalid": False},
]


@pytest.mark.parametrize("config", ENVS, ids=str)
def test_observations_of_environments_may_be_changed(config: dict[str, Any]) -> None:
    first, second = spoiled_and_not(lambda: gym.make(**config).unwrapped)
    assert first == second


@pytest.mark.parametrize("stored", [False, True])
def test_pictures_of_environments_may_be_changed(tmp_path: Path, stored: bool) -> None:
    world = "city/3/4x5"
    place = open_world(world).ids[0]
    leg = Leg("There.", Point(Direction(40.0, 5.0), place, 0.0))
    episodes = [Episode("p", "own", world, Pose(Direction(0.0), place), (leg,))]
    options: dict[str, Any] = {"see": "panorama", "size": (64, 32)}
    if stored:
        write_album(tmp_path / "album", world, AlbumConfig((64, 32), samples=1, picture="png"), places="0..1")
        options["pictures"] = tmp_path / "album"
    first, second = spoiled_and_not(lambda: PointEnv(dataset=episodes, **options))
    assert first == second and len(first[0]) > 64 * 32
