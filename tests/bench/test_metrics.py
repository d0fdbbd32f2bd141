"""The harness of side-by-side timings, and that the contenders of the metrics benchmark compute the same."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from bearleft.bench import harness, peers
from bearleft.bench.harness import Benchmark, Contender, Inputs
from bearleft.bench.metrics import (
    BENCHMARK,
    incremental,
    make_inputs,
    make_walks,
    ours,
    plain,
    recomputed,
    recomputed_plainly,
)
from bearleft.errors import InputError

CONTENDERS = """
import os, time
import numpy as np

def quick(inputs):
    return lambda: inputs["x"] * 2

def late(inputs):
    def work():
        time.sleep(0.02)
        return inputs["x"] + inputs["x"]
    return work

def rooted(inputs):
    return (lambda: np.sqrt(inputs["x"] * 2)), np.square

def wrong(inputs):
    return lambda: inputs["x"] * 3

def short(inputs):
    return lambda: inputs["x"][:1]

def broken(inputs):
    raise SystemExit(3)

def talkative(inputs):
    print("a library that prints")
    return lambda: inputs["x"] * 2

def settings(inputs):
    threads = [float(os.environ[name]) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "BEARLEFT_THREADS")]
    return lambda: np.array([*threads, len(os.sched_getaffinity(0))])
"""


def inputs() -> Inputs:
    return {"x": np.arange(3.0)}


@pytest.fixture
def contenders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(harness, "ROUND_SECONDS", 0.001)
    path = tmp_path / "contenders.py"
    path.write_text(CONTENDERS)
    return path


def benchmark(path: Path, *peers: Contender, ours: str = "quick") -> Benchmark:
    return Benchmark("toy", inputs, Contender("ours", f"{path}:{ours}"), peers)


@pytest.mark.slow
def test_ours_and_the_peers_take_turns(contenders: Path) -> None:
    result = harness.run(
        benchmark(
            contenders,
            Contender("late", f"{contenders}:late"),
            Contender("rooted", f"{contenders}:rooted", note="with a root"),
            Contender("talkative", f"{contenders}:talkative"),
        ),
        rounds=3,
    )
    assert [row["peer_name"] for row in result.rows] == ["late", "rooted", "talkative"]
    late, rooted, _ = result.rows
    assert {"name", "ours", "peer", "peer_name", "ratio"} <= set(late)
    assert late["peer"] >= 0.02
    assert late["ratio"] == late["peer"] / late["ours"] > 1
    assert late["rounds"] == 3 and late["precision"] == "float64" and rooted["note"] == "with a root"
    json.dumps(result.rows)
    assert "Results agree within 1e-09: ours, late, rooted, talkative." in result.remarks
    assert any("Python" in remark and "cores" in remark for remark in result.remarks)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("name", "message"), [("wrong", "2 apart"), ("short", r"shapes \(1,\) and \(3,\)")])
def test_results_that_differ_are_not_timed(contenders: Path, name: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=f"toy: {name} and we do not agree: {message}"):
        harness.run(benchmark(contenders, Contender(name, f"{contenders}:{name}")), rounds=1)
    peer = Contender(name, f"{contenders}:{name}", comparable=False)
    result = harness.run(benchmark(contenders, peer), rounds=1)
    assert len(result.rows) == 1 and not any("agree" in remark for remark in result.remarks)


def test_a_contender_that_fails_is_named(contenders: Path) -> None:
    with pytest.raises(RuntimeError, match="broken ended with 3"):
        harness.run(benchmark(contenders, Contender("broken", f"{contenders}:broken")), rounds=1)
    with pytest.raises(InputError, match="at least one round"):
        harness.run(benchmark(contenders), rounds=0)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="cores are only pinned on Linux")
def test_everyone_has_one_thread_on_one_core(contenders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEARLEFT_THREADS", "2")
    (contenders.parent / "expected.py").write_text(
        "import numpy as np\ndef ones(inputs):\n    return lambda: np.ones(4)\n"
    )
    toy = Benchmark(
        "toy",
        inputs,
        Contender("ours", f"{contenders.parent / 'expected.py'}:ones"),
        (Contender("settings", f"{contenders}:settings"),),
    )
    assert len(harness.run(toy, rounds=1).rows) == 1


def test_the_peers_environment_is_the_one_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / ".venv-bench" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    monkeypatch.chdir(tmp_path)
    assert harness.peers_python(("anything",)) == str(python)


@pytest.mark.slow
def test_peers_that_cannot_be_installed_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(harness, "__file__", str(tmp_path / "a" / "b" / "c" / "harness.py"))
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InputError, match="make bench"):
        harness.peers_python(("no-such-package-anywhere",))
    assert not (tmp_path / "cache" / "bench" / "peers" / "ready").exists()


@pytest.mark.parametrize("name", ["aeon", "dtaidistance", "tslearn"])
def test_every_peer_computes_the_same(name: str) -> None:
    pytest.importorskip(name, reason=f"needs {name} in the environment of the tests")
    inputs = {key: value[:7] for key, value in make_inputs().items()}
    work, finish = getattr(peers, name)(inputs)
    np.testing.assert_allclose(finish(work()), plain(inputs)(), rtol=1e-9)


def test_we_compute_the_same() -> None:
    inputs = {key: value[:7] for key, value in make_inputs().items()}
    np.testing.assert_allclose(ours(inputs)(), plain(inputs)(), rtol=1e-12)
    assert BENCHMARK.name == "dtw 40x40 batch"
    assert [peer.name for peer in BENCHMARK.peers] == ["aeon", "dtaidistance", "tslearn", "plain python"]


def test_gains_by_the_last_step_equal_those_of_whole_paths() -> None:
    inputs = make_walks()
    np.testing.assert_allclose(incremental(inputs)(), recomputed(inputs)(), atol=1e-12)
    few = inputs | {name: inputs[name][:3] for name in ("paths", "references", "before")}
    np.testing.assert_allclose(recomputed_plainly(few)(), recomputed(few)(), atol=1e-12)
