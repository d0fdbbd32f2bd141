"""Hostile surroundings: folders that cannot be written or are full, hash seeds, time zones, locales, little memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import open_dataset
from bearleft.doctor import doctor
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.runtime import memory
from bearleft.runtime.memory import available_memory, check_memory
from bearleft.runtime.store import atomic_write, file_lock
from bearleft.world.city import city as city_module
from bearleft.world.city.city import open_city
from tests.hostile.conftest import Command
from tests.sizes import sized

NOWHERE = "/proc/nowhere"  # where nobody can write, not even root
FOLDERS = ("HOME", "XDG_CACHE_HOME", "BEARLEFT_CACHE", "TMPDIR")
# One program for all surroundings: it walks, scores, and draws; what it prints and writes is compared.
PROGRAM = """
import sys
from bearleft.cli import main
main(["eval", "random", "town/dev", "--limit", "5", "-o", "random.jsonl"])
main(["score", "random.jsonl", "--json", "--resamples", "50"])
sys.stdout.flush()
sys.stdout = sys.stderr  # the table for people has other lines where there are no other characters
main(["map", "town/0", "--plain", "-o", "map.svg"])
"""


def run(folder: Path, code: str = PROGRAM, **environment: str) -> tuple[str, dict[str, bytes]]:
    """Return what a program prints, and the files it writes."""
    folder.mkdir(exist_ok=True)
    variables = {**os.environ, **environment}
    variables.pop("BEARLEFT_DATA", None)
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=folder, env=variables, check=False, timeout=300
    )
    assert process.returncode == 0, process.stderr.decode(errors="replace")
    return process.stdout.decode(), {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """Return what is printed and written in usual surroundings."""
    return run(tmp_path_factory.mktemp("usual"), PYTHONHASHSEED="0", TZ="UTC", LC_ALL="C.UTF-8")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONHASHSEED": "1", "TZ": ":nonsense", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        | {"PYTHONIOENCODING": "ascii", "LC_ALL": "nonsense", "COLUMNS": "1", "TERM": "dumb"},
        *sized([], [{"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]),
    ],
    ids=lambda environment: environment["LC_ALL"],
)
def test_hash_seed_time_zone_and_locale_change_no_byte(
    tmp_path: Path, usual: tuple[str, dict[str, bytes]], environment: dict[str, str]
) -> None:
    assert run(tmp_path / "out", **environment) == usual


@pytest.mark.slow
def test_commands_work_where_home_cache_and_tmpdir_cannot_be_written(
    tmp_path: Path, usual: tuple[str, dict[str, bytes]]
) -> None:
    assert run(tmp_path / "out", **dict.fromkeys(FOLDERS, NOWHERE)) == usual


@pytest.mark.slow
def test_full_disk_of_compiled_code_does_not_stop_the_work(tmp_path: Path) -> None:
    # Files that may not grow are what a full disk is to the writer.
    code = (
        "import resource; from bearleft.runtime.compiled import jit\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))\n"
        "add = jit(lambda x: x + 1)\n"
        "print(add(1), flush=True)"
    )
    variables = {**os.environ, "BEARLEFT_CACHE": str(tmp_path / "cache")}
    for name in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT"):
        variables.pop(name, None)
    (tmp_path / "program.py").write_text(code)  # numba caches functions of files only
    process = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, cwd=tmp_path, env=variables, check=False
    )
    assert process.stdout == "2\n", process.stderr
    assert "compiled code is not cached: [Errno 27] File too large" in process.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 100


@pytest.mark.slow
def test_cache_that_cannot_be_written_is_an_input_error_that_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    words = ["eval", "follower", "city/touchdown/small", "--limit", "1", "-o", str(tmp_path / "out.jsonl")]
    process = subprocess.run(  # this process may hold the table of the city in memory
        [sys.executable, "-m", "bearleft", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "BEARLEFT_CACHE": NOWHERE},
    )
    assert process.returncode == 2 and NOWHERE in process.stderr and "BEARLEFT_CACHE" in process.stderr, process.stderr
    assert not (tmp_path / "out.jsonl").exists()
    for folder in (NOWHERE, str(tmp_path / "file"), "/dev/full"):
        monkeypatch.setenv("BEARLEFT_CACHE", folder)
        with (
            pytest.raises(InputError, match="Name another cache folder with BEARLEFT_CACHE"),
            file_lock(f"{folder}/a/b"),
        ):
            pass
        message = "Name another cache folder with BEARLEFT_CACHE"
        with pytest.raises(InputError, match=message), file_lock(f"{folder}/a/b"):
            pass
        with pytest.raises(InputError, match=message), atomic_write(f"{folder}/a/b"):
            pass


def test_doctor_says_that_the_cache_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEARLEFT_CACHE", NOWHERE)
    (row,) = (row for row in doctor() if row["component"] == "cache")
    assert row["ok"] is False and "BEARLEFT_CACHE" in str(row["hint"])


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("output", ["/dev/full/out", "/proc/nowhere/out", "/dev/null/out"])
def test_outputs_on_a_full_disk_or_in_no_folder_are_input_errors(
    output: str, typed: Command, walk_traces: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "traces.jsonl"
    file.write_bytes(walk_traces)
    for words in (
        ("eval", "stop", "town/dev", "-o", output),
        ("report", file, "--no-pictures", "-o", f"{output}.html"),
        ("map", "town/0", "--plain", "-o", f"{output}.svg"),
        ("render", "city/3/4x5", "--all", "--places", "0..1", "-o", output),
        ("render", "episode", file, "-o", f"{output}.mp4"),
        ("data", "make", "city/sdr", "--size", "1", "-o", output),
        ("album", "import", tmp_path, "-o", output),
        ("tiles", "city/3/4x5", "-o", output),
        ("visible", "city/3/4x5", "-o", output),
    ):
        code, err = typed(*words)
        assert code == 2 and "expected" in err, (words, err)


def test_memory_of_a_city_of_64_x_64_is_said_before_it_is_taken(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, typed: Command, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 4_000_000_000)
    monkeypatch.setattr(city_module, "build_plan", lambda *_, **__: pytest.fail("the plan was begun"))
    monkeypatch.setattr(city_module, "open_world", lambda *_: range(81_598))
    code, err = typed("render", "city/0/64x64", "-o", tmp_path / "a.png")
    assert code == 2
    assert "expected 6.5 GB of memory for city/0/64x64 with 81,598 places, got 4.0 GB available" in err
    assert "city/0/8x12" in err
    monkeypatch.setattr(memory, "available_memory", lambda: 64_000_000_000)
    with pytest.raises(pytest.fail.Exception, match="the plan was begun"):
        open_city("city/0/64x64")
    assert caplog.messages == ["city/0/64x64 with 81,598 places needs about 6.5 GB of memory"]


def test_available_memory_is_the_least_of_machine_and_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert available_memory() is None
    check_memory("anything", 10**18)  # where nothing is known, nothing is refused
    (tmp_path / "meminfo").write_text("MemTotal:       24642560 kB\nMemAvailable:   1000000 kB\n")
    assert available_memory() == 1_024_000_000
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("100000000\n")
    assert available_memory() == 1_024_000_000
    (tmp_path / "memory.max").write_text("300000000\n")
    assert available_memory() == 200_000_000
    with pytest.raises(InputError, match=r"expected 0.3 GB of memory for anything, got 0.2 GB available. Try less"):
        check_memory("anything", 300_000_000, "Try less.")


def test_worlds_of_enormous_numbers_are_refused_at_once(typed: Command, tmp_path: Path) -> None:
    for world in ("city/0/65x65", "city/0/999999999x999999999", "rooms/0/999999999", "sections/999999999999999999"):
        code, err = typed("render", world, "-o", tmp_path / "a.png")
        assert code == 2 and "expected" in err


def test_eight_threads_score_at_once(tmp_path: Path) -> None:
    files = []
    for seed in range(2):
        evaluate("random", "town/dev", tmp_path / f"{seed}.jsonl", seed=seed, limit=30)
        evaluate("uniform", "town/point", tmp_path / f"{seed}p.jsonl", seed=seed, limit=30)
        files += [tmp_path / f"{seed}.jsonl", tmp_path / f"{seed}p.jsonl"]
    expected = [json.dumps(score(file, resamples=50).rows) for file in files]
    found: dict[int, str] = {}
    barrier = threading.Barrier(8)

    def work(k: int) -> None:
        barrier.wait()
        found[k] = json.dumps(score(files[k % 4], resamples=50).rows)

    threads: list[Any] = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found.get(k) for k in range(8)] == expected * 2


@pytest.mark.slow
def test_eight_threads_open_datasets_and_worlds_at_once() -> None:
    world = "city/5/2x2"  # which no other test opens
    found: list[tuple[str, int]] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        found.append((open_dataset("town/dev").sha256, len(open_city(world).plan.things)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1
