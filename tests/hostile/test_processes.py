"""Commands that are killed or interrupted at fixed moments, and two that write one output.

`tools/kill_trials.py` does the same at random moments of more commands. Kills of single commands: see also
test_films.py, and test_killed_* in tests/evaluation, tests/world/album, tests/world/tiles and tests/training.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.runtime.store import atomic_write, exclusive_writer, write_text
from bearleft.world.album.importers import import_album
from tests.hostile.conftest import Command

# A process that imports bearleft once and forks for every run. A run gets its signal at the Nth time that it opens,
# renames or removes something in its folder.
SERVER = """
import gc, json, os, signal, sys, warnings
import numba
import rich.console, rich.progress, rich.table
import bearleft.cli, bearleft.evaluation.evaluate, bearleft.evaluation.score, bearleft.world.album.importers
import bearleft.reports.pictures.maps, bearleft.reports.html.report
numba.njit(lambda x: x)(1)  # numba imports its larger half with the first function it compiles
gc.freeze()  # the garbage collector of a run skips these objects
warnings.simplefilter("ignore")
EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.symlink"}
for line in sys.stdin:
    request = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.chdir(request["folder"])
    sink = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(sink, number)
    count = 0
    def hook(event, args):
        global count
        if event in EVENTS and str(args[0]).startswith(request["folder"]):
            count += 1
            if count == request["moment"]:
                os.kill(os.getpid(), request["signal"])
    sys.addaudithook(hook)
    bearleft.cli.main(request["words"])
    sys.exit(0)
"""
MOMENTS = (1, 3, 6)


class Runs:
    """Run commands, each in a fork, and send them a signal at a moment."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __call__(self, folder: Path, words: list[str], moment: int = 0, number: int = signal.SIGKILL) -> int:
        request = {"folder": str(folder), "words": words, "moment": moment, "signal": int(number)}
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tmpdir")


@pytest.fixture(scope="module")
def runs(temporary: Path) -> Runs:
    return Runs(os.environ | {"TMPDIR": str(temporary), "BEARLEFT_THREADS": "1"})


@pytest.fixture(scope="module", autouse=True)
def _closed(runs: Runs) -> Iterator[None]:
    yield
    assert runs.process.stdin is not None and runs.process.stdout is not None
    runs.process.stdin.close()
    runs.process.stdout.close()
    runs.process.wait()


def contents(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if path.name != ".lock"
    }


COMMANDS = {
    "eval": ["eval", "random", "town/dev", "--limit", "12", "-o", "OUT/out/traces.jsonl"],
    "map": ["map", "town/0", "--plain", "-o", "OUT/out/map.svg"],
    "album import": ["album", "import", "SOURCE/pictures", "-o", "OUT/out"],
    "report": ["report", "SOURCE/look.jsonl", "--no-pictures", "-o", "OUT/out/report.html"],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    (folder / "pictures").mkdir()
    for k in range(3):
        Image.new("RGB", (64, 32), (k, 0, 0)).save(folder / "pictures" / f"{k}.jpg")
    evaluate("gold", "town/look", folder / "look.jsonl", limit=1)
    return folder


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_and_interrupted_commands_end_in_the_same_bytes(
    name: str, runs: Runs, source: Path, temporary: Path, tmp_path: Path
) -> None:
    def words(folder: Path) -> list[str]:
        return [word.replace("OUT", str(folder)).replace("SOURCE", str(source)) for word in COMMANDS[name]]

    reference = tmp_path / "reference"
    reference.mkdir()
    assert runs(reference, words(reference)) == 0
    expected = contents(reference)
    assert expected
    ends = set()
    for k, moment in enumerate(MOMENTS):
        folder = tmp_path / f"trial-{moment}"
        folder.mkdir()
        number = (signal.SIGKILL, signal.SIGINT)[k % 2]
        ends.add(runs(folder, words(folder), moment, number))
        assert runs(folder, words(folder)) == 0
        assert contents(folder) == expected, moment
        assert not list(temporary.iterdir())
    assert -signal.SIGKILL in ends and ends <= {0, -signal.SIGKILL, 130}


def test_two_writers_of_one_folder_are_refused(tmp_path: Path, typed: Command) -> None:
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (64, 32)).save(tmp_path / "pictures" / "a.jpg")
    import_album(tmp_path / "pictures", tmp_path / "out")
    before = contents(tmp_path)
    with exclusive_writer(tmp_path / "out", "an album"):
        for words in (
            ("album", "import", tmp_path / "pictures", "-o", tmp_path / "out"),
            ("render", "city/3/4x5", "--all", "--places", "0..1", "-o", tmp_path / "out"),
        ):
            code, err = typed(*words)
            assert code == 2 and "that nobody else writes, got one in use" in err
    assert contents(tmp_path) == before


def test_two_writers_of_one_file_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic_write(path) as first:
        first.write("first, half")
        write_text(path, "second, whole")
        assert path.read_text() == "second, whole"
        first.write(" and whole")
    assert path.read_text() == "first, half and whole" and list(tmp_path.iterdir()) == [path]


def test_two_runs_of_one_file_of_traces_one_after_the_other(tmp_path: Path) -> None:
    """Of runs that start at once, one writes; the others are refused, or find everything done."""
    expected = evaluate("random", "town/dev", tmp_path / "alone.jsonl", limit=20)
    results: list[object] = []

    def work() -> None:
        try:
            results.append(evaluate("random", "town/dev", tmp_path / "shared.jsonl", limit=20))
        except InputError as error:
            results.append(error.expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert expected in results
    assert all(result in (expected, "a file that no other run writes") for result in results)
    assert (tmp_path / "shared.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
