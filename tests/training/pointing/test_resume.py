"""Training that was stopped, killed or shared among processes ends where an undisturbed one ends."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft.models.checkpoint import load, read  # noqa: E402
from bearleft.training.history import TrainProgress, read_history  # noqa: E402
from bearleft.training.pointing import train as point  # noqa: E402
from bearleft.training.pointing.train import TrainResult, train  # noqa: E402
from bearleft.training.tensorboard import EVENT_FILE  # noqa: E402
from tests.training.synthetic_task import RECIPE, SHARED, planted, untimed  # noqa: E402

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainResult, Path]:
    """An undisturbed run."""
    folder = tmp_path_factory.mktemp("whole")
    return train(RECIPE, *planted(), folder), folder


def same(one: Path, other: Path) -> bool:
    """Whether two folders hold the same weights, moments and curve, bit by bit."""
    states = [read(folder / "last.pt", kind="training") for folder in (one, other)]
    for name in ("weights", "optimiser", "best", "losses", "waited", "epochs", "done"):
        torch.testing.assert_close(states[0][name], states[1][name], rtol=0, atol=0)
    best = [load(folder / "best.pt").network.state_dict() for folder in (one, other)]
    torch.testing.assert_close(best[0], best[1], rtol=0, atol=0)
    return untimed(read_history(one)) == untimed(read_history(other))


@pytest.fixture(scope="module")
def children(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What child_processes.py leaves."""
    folder, seed = tmp_path_factory.mktemp("children"), random.SystemRandom().randrange(10**6)
    command = [sys.executable, "-m", "tests.training.child_processes", str(folder), str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    return folder


def test_a_killed_run_goes_on_to_the_same_weights_and_curve(whole: tuple[TrainResult, Path], children: Path) -> None:
    assert same(whole[1], children / "killed")
    left = {path.name for path in (children / "killed").iterdir()}
    assert left == {"best.pt", "last.pt", "previous.pt", "history.jsonl", EVENT_FILE, ".lock"}


def test_a_run_killed_before_its_last_row_gets_it(whole: tuple[TrainResult, Path], tmp_path: Path) -> None:
    """All is done but the curve, which is written after the state."""
    shutil.copytree(whole[1], tmp_path / "run")
    curve = tmp_path / "run" / "history.jsonl"
    rows = curve.read_text().splitlines(keepends=True)
    curve.write_text("".join(rows[:-1]))
    train(RECIPE, *planted(), tmp_path / "run")
    assert curve.read_text().splitlines(keepends=True) == rows


def test_training_goes_on_for_more_epochs(whole: tuple[TrainResult, Path], tmp_path: Path) -> None:
    train(replace(RECIPE, epochs=RECIPE.epochs - 1), *planted(), tmp_path)
    assert len(read_history(tmp_path)) == RECIPE.epochs - 1
    train(RECIPE, *planted(), tmp_path)
    assert same(whole[1], tmp_path)


def test_two_processes_learn_what_one_does(children: Path, tmp_path: Path) -> None:
    train(SHARED, *planted(59), tmp_path)
    one, two = (read(folder / "last.pt", kind="training") for folder in (tmp_path, children / "shared"))
    # A bias that moves all scores alike has no gradient but rounding.
    names = [name for name in one["weights"] if not name.startswith("perceptron") or "bias" not in name]
    for name in names:
        torch.testing.assert_close(one["weights"][name], two["weights"][name], rtol=0, atol=1e-6, msg=name)
    for k, mine in one["optimiser"]["state"].items():  # weights would not tell a gradient that is twice as long
        torch.testing.assert_close(mine["exp_avg"], two["optimiser"]["state"][k]["exp_avg"], rtol=1e-3, atol=1e-6)
    for alone, shared in zip(read_history(tmp_path), read_history(children / "shared"), strict=True):
        assert shared["A@80px"] == alone["A@80px"]
        assert shared["loss"] == pytest.approx(alone["loss"], abs=1e-5)


def test_minutes_stop_inside_an_epoch_and_the_curve_goes_on(whole: tuple[TrainResult, Path], tmp_path: Path) -> None:
    stops = []
    for _ in range(20):
        ticks = itertools.count()  # every look at the clock is a second later
        out = train(RECIPE, *planted(), tmp_path, minutes=4 / 60, clock=lambda ticks=ticks: next(ticks))  # type: ignore[misc]
        stops.append(out.stopped)
        if out.finished:
            break
        assert read(tmp_path / "last.pt", kind="training")["done"] % 5 > 0 or len(stops) > 1
    assert stops == ["minutes"] * (len(stops) - 1) + [""] and len(stops) > 3
    assert same(whole[1], tmp_path)


def test_long_epochs_are_written_now_and_then(
    whole: tuple[TrainResult, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report(told: TrainProgress) -> None:
        if told.update == told.updates:
            raise RuntimeError("as good as a kill")

    monkeypatch.setattr(point, "SAVE_INTERVAL", 2.0)
    ticks = itertools.count()
    with pytest.raises(RuntimeError):
        train(RECIPE, *planted(), tmp_path, report=report, clock=lambda: next(ticks))
    state = read(tmp_path / "last.pt", kind="training")
    assert state["epochs"] == 0 and state["done"] > 1
    train(RECIPE, *planted(), tmp_path)
    assert same(whole[1], tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_obeyed_after_the_update(number: int, whole: tuple[TrainResult, Path], tmp_path: Path) -> None:
    def report(told: TrainProgress) -> None:
        if told.epoch == 2:
            os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    out = train(RECIPE, *planted(), tmp_path, report=report)
    assert out.stopped == "signal" and len(out.history) == 2 and signal.getsignal(number) is before
    assert train(RECIPE, *planted(), tmp_path).finished
    assert same(whole[1], tmp_path)


def test_a_finished_run_is_not_trained_again(whole: tuple[TrainResult, Path]) -> None:
    told: list[TrainProgress] = []
    again = train(RECIPE, *planted(), whole[1], report=told.append)
    assert not told and again.history == whole[0].history
    torch.testing.assert_close(again.checkpoint.network.state_dict(), whole[0].checkpoint.network.state_dict())


def test_what_others_draw_stays_the_same(tmp_path: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train(RECIPE, *planted(30), tmp_path, minutes=0)
    assert torch.equal(torch.rand(3), expected)
