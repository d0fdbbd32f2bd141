"""Shards of every command: any number of processes, in any order, some twice and some killed, give the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bearleft import evaluate, make_dataset, visible
from bearleft.cluster.jobs import gather, run_share
from bearleft.cluster.kinds import open_job
from bearleft.errors import InputError
from bearleft.runtime.shards import JobSpec, Share
from bearleft.world.album import shards as album_shards
from bearleft.world.album.write import AlbumConfig, write_album
from tests.commands import run_command
from tests.sizes import sized

WORLD = "city/3/4x5"
PICTURES = AlbumConfig((64, 32), ("rgb", "depth"), samples=1)
EVAL: dict[str, Any] = {
    "agent": "random",
    "dataset": "town/dev",
    "seed": 0,
    "data": None,
    "limit": None,
    "see": None,
    "no_shadows": False,
    "sources": {},
    "networks": {},
    "rules": {"horizon": None, "released_decoder": False, "no_auto_turn": False},
}


@dataclass(frozen=True)
class Work:
    """A command in shards, and the function that does the same in one process."""

    kind: str
    options: dict[str, Any]
    plain: Callable[[Path], object]

    def spec(self, output: Path) -> JobSpec:
        return JobSpec(self.kind, str(output), json.loads(json.dumps(self.options)))


WORKS = {
    "eval": Work("eval", EVAL, lambda output: evaluate("random", "town/dev", output)),
    "render": Work(
        "render",
        {
            "world": WORLD,
            "config": {**asdict(PICTURES), "light": list(asdict(PICTURES.light).values())},
            "city": None,
            "places": "10..29",
            "data": None,
        },
        lambda output: write_album(output, WORLD, PICTURES, places="10..29"),
    ),
    "visible": Work("visible", {"world": WORLD, "width": 32}, lambda output: visible(WORLD, output, 32)),
    "data make": Work(
        "data make",
        {"dataset": "city/touchdown", "splits": ["dev", "dev_unseen"], "size": 12, "world": WORLD},
        lambda output: make_dataset("city/touchdown", ["dev", "dev_unseen"], 12, world=WORLD, out=output, processes=1),
    ),
}


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch, city_cache: None) -> None:  # noqa: ARG001
    monkeypatch.setattr(album_shards, "PLACES_PER_SHARD", 2)


def hashes(output: Path) -> dict[str, str]:
    """Return the hash of each file of an output; locks are no part of it."""
    paths = sorted(output.rglob("*")) if output.is_dir() else [output]
    files = [path for path in paths if path.is_file() and not path.name.endswith(".lock")]
    return {str(path.relative_to(output)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def start(spec: JobSpec, share: Share, writes: int | None = None) -> int:
    """Compute a share in a process of its own, which is killed before it has finished `writes` files."""
    child = os.fork()
    if child:
        return child
    finish, left = os.fsync, [writes]

    def write(descriptor: Any) -> None:
        if left[0] is not None:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        finish(descriptor)

    vars(os)["fsync"] = write
    status = 1
    try:
        run_share(spec, share)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes_in_any_order_some_twice_some_killed_give_the_same_bytes(name: str, tmp_path: Path) -> None:
    work, rng = WORKS[name], random.Random(name)
    suffix = ".jsonl" if work.kind == "eval" else ""
    work.plain(tmp_path / f"plain{suffix}")
    spec, count = work.spec(tmp_path / f"sharded{suffix}"), 3
    runs: list[tuple[int, int | None]] = [(k, None) for k in range(1, count + 1)]
    runs += [(rng.randint(1, count), None), *((rng.randint(1, count), rng.randint(0, 4)) for _ in range(sized(2, 20)))]
    rng.shuffle(runs)
    children = []
    for k, writes in runs:
        children.append(start(spec, Share(k, count), writes))
        if len(children) == 2:
            check_end(children.pop(0))
    for child in children:
        check_end(child)
    gather(spec.output)
    assert hashes(Path(spec.output)) == hashes(tmp_path / f"plain{suffix}")
    assert not spec.manifest.exists()
    job = open_job(spec)  # whoever comes late finds everything finished
    assert job.pending() == []


def check_end(child: int) -> None:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)


def test_missing_shards_are_named_and_nothing_is_joined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "traces.jsonl"
    code, out, err = run_command(capsys, "eval", "stop", "town/dev", "-o", output, "--limit", 40, "--shard", "2/2")
    assert code == 0 and "2 shards of other shares are not finished" in err
    code, out, err = run_command(capsys, "gather", output)
    assert code == 2 and not output.exists() and not out
    assert "expected all shards to be finished, got episodes-00000, episodes-00002 missing" in err
    assert run_command(capsys, "eval", "stop", "town/dev", "-o", output, "--limit", 40, "--shard", "1/2")[0] == 0
    code, out, _ = run_command(capsys, "gather", output, "--json")
    assert code == 0 and json.loads(out) == [{"path": str(output), "agent": "stop", "traces": 40}]
    assert len(output.read_text().splitlines()) == 40
    code, _, err = run_command(capsys, "gather", output)
    assert code == 2 and "expected an output with shards, got none there" in err


def test_other_options_in_the_same_output_are_refused(tmp_path: Path) -> None:
    spec = WORKS["eval"].spec(tmp_path / "traces.jsonl")
    run_share(spec, Share(1, 7))
    with pytest.raises(InputError, match="one whose seed is 0, not 1"):
        run_share(replace(spec, options={**spec.options, "seed": 1}), Share(2, 7))


def test_damaged_shards_are_not_joined(tmp_path: Path) -> None:
    spec = WORKS["eval"].spec(tmp_path / "traces.jsonl")
    run_share(spec, Share(1, 1))
    first, second = (tmp_path / "traces.jsonl.shards" / f"episodes-0000{k}.jsonl" for k in (0, 1))
    whole = first.read_bytes()
    for damaged in (whole[:-30], b"".join(whole.splitlines(True)[:-1]), whole + whole, second.read_bytes()):
        first.write_bytes(damaged)
        with pytest.raises(InputError, match=r"episodes-00000\.jsonl"):
            gather(spec.output)
        assert not (tmp_path / "traces.jsonl").exists()
    first.write_bytes(whole)
    gather(spec.output)
    assert (tmp_path / "traces.jsonl").exists()


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/2/3", "1/10000000"])
def test_impossible_shares_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected a share K/N with K from 1 to N"):
        Share.parse(text)


def test_every_shard_is_in_one_share() -> None:
    shards = [f"places-{k:05d}" for k in range(50)]
    for count in (1, 3, 64):
        selected = [shard for k in range(1, count + 1) for shard in Share(k, count).select(shards)]
        assert sorted(selected) == shards


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("render", "city/0", "-o", "x.png", "--shard", "1/2"), "expected --shard and --ray with --all"),
        (("eval", "llm:m", "town/dev", "-o", "x.jsonl", "--shard", "1/2"), "plays on each machine"),
        (("data", "make", "city/sdr", "dev", "--shard", "1/2"), "the data folder, which all machines share"),
        (("data", "make", "city/sdr", "dev", "-o", "x", "--pictures", "--shard", "1/2"), "no --pictures with"),
        (("visible", "city/0", "-o", "x", "--shard", "1/2", "--ray"), "expected --shard or --ray, got both"),
        (("visible", "city/0", "-o", "x", "--task-cpus", "2"), "with --ray"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run_command(capsys, *arguments)
    assert code == 2 and message in err and not list(tmp_path.iterdir())
