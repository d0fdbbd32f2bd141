"""Training that is stopped, killed or distributed over processes has the result of an uninterrupted run."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.models.checkpoint import PointCheckpoint, read_checkpoint, write_checkpoint  # noqa: E402
from bearleft.training.history import TrainProgress, read_history  # noqa: E402
from bearleft.training.pointing.train import TrainResult, train  # noqa: E402
from bearleft.training.tensorboard import EVENT_FILE, write_events  # noqa: E402
from tests.training.child_processes import run_killed, run_shared  # noqa: E402
from tests.training.synthetic_task import CONFIG, SHARED, make_task, without_times  # noqa: E402


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainResult, Path]:
    """An uninterrupted run."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    return train(CONFIG, *make_task(), folder), folder


def equal_folders(first: Path, second: Path) -> bool:
    """Return whether two folders have the same weights, optimizer states and history, bit by bit."""
    states = [read_checkpoint(folder / "last.pt", kind="training") for folder in (first, second)]
    for name in ("weights", "optimizer", "best", "losses", "epochs_without_best", "epochs_done", "updates_done"):
        torch.testing.assert_close(states[0][name], states[1][name], rtol=0, atol=0)
    best = [PointCheckpoint.load(folder / "best.pt").network.state_dict() for folder in (first, second)]
    torch.testing.assert_close(best[0], best[1], rtol=0, atol=0)
    return without_times(read_history(first)) == without_times(read_history(second))


def train_children(folder: Path, rng: random.Random) -> None:
    """Train in two processes, then kill a run four times."""
    # One of the two processes has no examples in the last update and in the validation split.
    shared, data = make_task(59), make_task()
    run_shared(lambda: train(SHARED, *shared, folder / "shared"))
    # A whole run takes about 0.4 s.
    run_killed(lambda: train(CONFIG, *data, folder / "killed"), rng, kills=4, seconds=(0.02, 0.3))


@pytest.fixture(scope="module")
def children(run_children: Callable[[str], Path]) -> Path:
    return run_children(__name__)


@pytest.mark.slow
def test_killed_run_resumes_to_the_same_weights_and_history(
    uninterrupted: tuple[TrainResult, Path], children: Path
) -> None:
    assert equal_folders(uninterrupted[1], children / "killed")
    names = {path.name for path in (children / "killed").iterdir()}
    assert names == {"best.pt", "last.pt", "previous.pt", "history.jsonl", EVENT_FILE, ".lock"}


def test_what_a_killed_run_left_of_an_event_file_is_removed(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    left = tmp_path / ".events-killed"
    left.mkdir()
    (left / "events.out").write_bytes(b"half")
    write_events(tmp_path, [(0.0, 1, {"loss": 0.5})])
    assert [path.name for path in tmp_path.iterdir()] == [EVENT_FILE]


def test_missing_last_history_row_is_written(uninterrupted: tuple[TrainResult, Path], tmp_path: Path) -> None:
    """The state is complete, but the history, which is written after it, is not."""
    shutil.copytree(uninterrupted[1], tmp_path / "run")
    history = tmp_path / "run" / "history.jsonl"
    rows = history.read_text().splitlines(keepends=True)
    history.write_text("".join(rows[:-1]))
    train(CONFIG, *make_task(), tmp_path / "run")
    assert history.read_text().splitlines(keepends=True) == rows


def test_resume_with_more_epochs_equals_uninterrupted_run(
    uninterrupted: tuple[TrainResult, Path], tmp_path: Path
) -> None:
    train(replace(CONFIG, epochs=CONFIG.epochs - 1), *make_task(), tmp_path)
    assert len(read_history(tmp_path)) == CONFIG.epochs - 1
    train(CONFIG, *make_task(), tmp_path)
    assert equal_folders(uninterrupted[1], tmp_path)


def test_two_processes_equal_one(children: Path, tmp_path: Path) -> None:
    train(SHARED, *make_task(59), tmp_path)
    single_state, shared_state = (
        read_checkpoint(folder / "last.pt", kind="training") for folder in (tmp_path, children / "shared")
    )
    # A bias that shifts all scores equally has a gradient of rounding errors only.
    names = [name for name in single_state["weights"] if not name.startswith("perceptron") or "bias" not in name]
    for name in names:
        torch.testing.assert_close(
            single_state["weights"][name], shared_state["weights"][name], rtol=0, atol=1e-6, msg=name
        )
    for k, optimizer_state in single_state["optimizer"][
        "state"
    ].items():  # weights would not show a gradient of twice the length
        torch.testing.assert_close(
            optimizer_state["exp_avg"], shared_state["optimizer"]["state"][k]["exp_avg"], rtol=1e-3, atol=1e-6
        )
    for single_row, shared_row in zip(read_history(tmp_path), read_history(children / "shared"), strict=True):
        assert shared_row["A@80px"] == single_row["A@80px"]
        assert shared_row["loss"] == pytest.approx(single_row["loss"], abs=1e-5)


@pytest.mark.slow
def test_time_limit_stops_inside_an_epoch_and_resumes(uninterrupted: tuple[TrainResult, Path], tmp_path: Path) -> None:
    stops = []
    for _ in range(20):
        ticks = itertools.count()  # each call of the clock is a second later
        result = train(
            CONFIG,
            *make_task(),
            tmp_path,
            minutes=4 / 60,
            clock=lambda ticks=ticks: next(ticks),  # type: ignore[misc]
        )
        stops.append(result.stopped)
        if result.finished:
            break
        assert read_checkpoint(tmp_path / "last.pt", kind="training")["updates_done"] % 5 > 0 or len(stops) > 1
    assert stops == ["minutes"] * (len(stops) - 1) + [""] and len(stops) > 3
    assert equal_folders(uninterrupted[1], tmp_path)


def test_states_are_saved_within_long_epochs(
    uninterrupted: tuple[TrainResult, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report(progress: TrainProgress) -> None:
        if progress.update == progress.updates:
            raise RuntimeError("simulates a kill")

    monkeypatch.setattr("bearleft.training.run.SAVE_INTERVAL", 2.0)
    ticks = itertools.count()
    with pytest.raises(RuntimeError):
        train(CONFIG, *make_task(), tmp_path, report=report, clock=lambda: next(ticks))
    state = read_checkpoint(tmp_path / "last.pt", kind="training")
    assert state["epochs_done"] == 0 and state["updates_done"] > 1
    train(CONFIG, *make_task(), tmp_path)
    assert equal_folders(uninterrupted[1], tmp_path)


STATE_KEYS_OF_FORMAT_1 = {
    "train_config": "recipe",
    "examples_hash": "examples",
    "backbone_hash": "trunk",
    "epochs_done": "epochs",
    "updates_done": "done",
    "optimizer": "optimiser",
    "history": "rows",
    "epochs_without_best": "waited",
}
FIELDS_OF_FORMAT_1 = {
    "examples_per_epoch": "epoch",
    "batch_size": "batch",
    "learning_rate": "rate",
    "validation_share": "tuning",
    "max_grad_norm": "clip",
    "shuffle_texts": "shuffled",
    "overrides": "changes",
    "embedding_dim": "vector",
    "lstm_dim": "state",
}


def old_fields(values: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with the field names of format 1."""
    return {
        FIELDS_OF_FORMAT_1.get(name, name): old_fields(value) if isinstance(value, dict) else value
        for name, value in values.items()
    }


def old_weights(weights: dict[str, Any]) -> dict[str, Any]:
    """Return the weights of a LingUNet with the module names of format 1."""
    return {name.replace("text.embedding.", "text.vectors."): value for name, value in weights.items()}


def test_training_states_of_format_1_resume(uninterrupted: tuple[TrainResult, Path], tmp_path: Path) -> None:
    train(replace(CONFIG, epochs=CONFIG.epochs - 1), *make_task(), tmp_path)
    state = read_checkpoint(tmp_path / "last.pt", kind="training")
    state["train_config"] = old_fields(state["train_config"])
    state["weights"] = old_weights(state["weights"])
    state["best"]["weights"] = old_weights(state["best"]["weights"])
    old_state = {STATE_KEYS_OF_FORMAT_1.get(key, key): value for key, value in state.items()}
    write_checkpoint(tmp_path / "last.pt", {**old_state, "format": 1})
    (tmp_path / "previous.pt").unlink()
    (tmp_path / "history.jsonl").rename(tmp_path / "curve.jsonl")
    assert len(read_history(tmp_path)) == CONFIG.epochs - 1
    train(CONFIG, *make_task(), tmp_path)
    assert equal_folders(uninterrupted[1], tmp_path) and not (tmp_path / "curve.jsonl").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_after_the_update(number: int, uninterrupted: tuple[TrainResult, Path], tmp_path: Path) -> None:
    def report(progress: TrainProgress) -> None:
        if progress.epoch == 2:
            os.kill(os.getpid(), number)

    handler = signal.getsignal(number)
    result = train(CONFIG, *make_task(), tmp_path, report=report)
    assert result.stopped == "signal" and len(result.history) == 2 and signal.getsignal(number) is handler
    assert train(CONFIG, *make_task(), tmp_path).finished
    assert equal_folders(uninterrupted[1], tmp_path)


def test_finished_run_is_not_trained_again(uninterrupted: tuple[TrainResult, Path]) -> None:
    progress: list[TrainProgress] = []
    again = train(CONFIG, *make_task(), uninterrupted[1], report=progress.append)
    assert not progress and again.history == uninterrupted[0].history
    torch.testing.assert_close(again.checkpoint.network.state_dict(), uninterrupted[0].checkpoint.network.state_dict())


def test_caller_random_state_is_unchanged(tmp_path: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train(CONFIG, *make_task(30), tmp_path, minutes=0)
    assert torch.equal(torch.rand(3), expected)
