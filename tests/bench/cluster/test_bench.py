"""The benchmark of work in shards, at small sizes."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bearleft.bench import bench
from bearleft.bench.cluster.bench import ClusterSizes, cluster
from bearleft.bench.cluster.programs import peaks, run_programs
from bearleft.errors import InputError

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install -e '.[cluster]'")
pytestmark = [
    pytest.mark.usefixtures("city_cache"),
    pytest.mark.filterwarnings("ignore"),  # of Ray's own sockets and processes
]
SMALL = ClusterSizes(shards=4, gigabytes=0.0001, panorama=(64, 32), world="city/3/4x5", traces=1_000)


@needs_ray
def test_ray_is_timed_beside_plain_processes() -> None:
    result = cluster(1, only=["overhead"], sizes=SMALL)
    (row,) = result.rows
    assert row["name"] == "eval follower, 4 shards" and row["rounds"] == 1
    assert row["ratio"] == row["lowest"] == row["highest"] == pytest.approx(row["ray_seconds"] / row["seconds"])
    assert row["seconds"] > 0 and "byte for byte" in result.remarks[0]


@needs_ray
@pytest.mark.slow
def test_memory_of_driver_and_object_store() -> None:
    (row,) = cluster(1, only=["memory"], sizes=SMALL).rows
    assert row["bytes"] >= 100_000 and row["samples"] > 0
    assert row["driver_bytes"] >= row["driver_bytes_after_a_tenth"] > 10 * 2**20
    assert 0 <= row["object_store_bytes"] < 80 * 2**20


@pytest.mark.slow
def test_scoring_in_shards_is_compared_with_one_run() -> None:
    whole, shares, joined = cluster(1, only=["scoring"], sizes=SMALL).rows
    assert [row["name"] for row in (whole, shares, joined)] == [
        "score 1,000 traces",
        "score 1,000 traces --shard K/2",
        "gather 1,000 traces",
    ]
    for row in (whole, shares, joined):
        assert row["per_second"] == pytest.approx(1_000 / row["seconds"])
        assert row["largest_process_bytes"] > 10 * 2**20
    json.dumps([whole, shares, joined])


def test_too_small_a_disk_is_said() -> None:
    with pytest.raises(InputError, match=r"GB of free disk, got .*TMPDIR=FOLDER"):
        cluster(1, only=["scoring"], sizes=ClusterSizes(traces=10**15))


def test_the_memory_of_started_processes_is_found() -> None:
    inner = "import sys; held = bytearray(60_000_000); print('ready', flush=True); sys.stdin.read()"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", outer], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        found = peaks(process.pid)
        process.stdin.close()
    assert process.pid in found and len(found) == 2
    assert max(found.values()) > 60_000_000 > found[process.pid]
    assert peaks(process.pid) == {}


def test_a_command_that_fails_is_said_and_the_others_are_ended(tmp_path: Path) -> None:
    waiting = ["eval", f"pipe:sleep {60 * 60}", "town/dev", "-o", str(tmp_path / "x.jsonl")]
    with pytest.raises(RuntimeError, match=r"bearleft score nothing\.jsonl failed with 2: .*expected a file"):
        run_programs([waiting, ["score", "nothing.jsonl"]])


@pytest.mark.parametrize(
    ("options", "expected"), [({"rounds": 0}, "at least one round"), ({"only": ["scorin"]}, "Did you mean scoring")]
)
def test_mistakes_are_named(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        bench("cluster", **options)
