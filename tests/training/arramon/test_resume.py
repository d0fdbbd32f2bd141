"""A training of ArraMon that is stopped or killed has the result of an uninterrupted one."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.checkpoint import read_checkpoint  # noqa: E402
from bearleft.training import run  # noqa: E402
from bearleft.training.arramon.loop import ArraMonTrainer  # noqa: E402
from bearleft.training.arramon.train import train_arramon  # noqa: E402
from bearleft.training.history import read_history  # noqa: E402
from bearleft.training.run import Pause  # noqa: E402
from tests.training.arramon.planted import blind_config, blind_inputs, seeing_config, seeing_inputs  # noqa: E402
from tests.training.child_processes import fork_child  # noqa: E402
from tests.training.walking.turn_task import without_times  # noqa: E402


def check_equal(first: Path, second: Path) -> None:
    states = [read_checkpoint(folder / "last.pt", kind="training") for folder in (first, second)]
    assert without_times(read_history(first)) == without_times(read_history(second))
    for name in ("weights", "optimizer", "best", "losses", "epochs_done", "total_updates"):
        torch.testing.assert_close(states[0][name], states[1][name], rtol=0, atol=0)
    for one, other in zip(states[0]["rounds"], states[1]["rounds"], strict=True):
        assert torch.equal(one["actions"], other["actions"]) and torch.equal(one["labels"], other["labels"])


def pause_every(count: int) -> Callable[[Callable[[], Pause]], Callable[[], Pause]]:
    """Return a wrapper of `should_pause` that stops the training at every so manieth question."""
    asked = 0

    def wrap(_: Callable[[], Pause]) -> Callable[[], Pause]:
        def should_pause() -> Pause:
            nonlocal asked
            asked += 1
            return Pause.MINUTES if asked % count == 0 else Pause.NO

        return should_pause

    return wrap


@pytest.mark.slow
def test_a_stopped_training_of_the_memory_network_goes_on_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = seeing_config("arramon-memory", epochs=3)
    inputs = seeing_inputs(config)
    train_arramon(config, inputs, tmp_path / "whole")
    wrap, run_epoch = pause_every(3), ArraMonTrainer.run_epoch
    monkeypatch.setattr(ArraMonTrainer, "run_epoch", lambda self, pause: run_epoch(self, wrap(pause)))
    for _ in range(20):
        if train_arramon(config, inputs, tmp_path / "stopped").finished:
            break
    else:
        raise AssertionError("it does not end")
    check_equal(tmp_path / "whole", tmp_path / "stopped")


def test_a_killed_training_goes_on_with_the_same_result(tmp_path: Path) -> None:
    config, inputs, rng = blind_config(), blind_inputs(), random.Random(0)
    train_arramon(config, inputs, tmp_path / "whole")
    before, run.SAVE_INTERVAL = run.SAVE_INTERVAL, 0.02
    try:
        for _ in range(2):
            pid = fork_child(lambda: train_arramon(config, inputs, tmp_path / "killed"))
            time.sleep(rng.uniform(0.1, 0.6))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        train_arramon(config, inputs, tmp_path / "killed")
    finally:
        run.SAVE_INTERVAL = before
    check_equal(tmp_path / "whole", tmp_path / "killed")


def test_a_folder_of_other_settings_or_tasks_is_not_resumed(tmp_path: Path) -> None:
    inputs = blind_inputs(8)
    train_arramon(blind_config(epochs=1), inputs, tmp_path)
    with pytest.raises(InputError, match="batch_size"):
        train_arramon(blind_config(epochs=1, batch_size=3), inputs, tmp_path)
    with pytest.raises(InputError, match="examples"):
        train_arramon(blind_config(epochs=1), blind_inputs(9), tmp_path)
    result = train_arramon(blind_config(epochs=2), inputs, tmp_path)  # more epochs may be asked for
    assert [row["epoch"] for row in result.history] == [1, 2]


def test_maps_that_are_not_kept_give_the_same_training(tmp_path: Path) -> None:
    config = seeing_config(epochs=1)
    inputs = seeing_inputs(config, 2)
    rows = [
        train_arramon(seeing_config(epochs=1, view_memory=gigabytes), inputs, tmp_path / str(gigabytes)).history
        for gigabytes in (0.0, 1.0)
    ]
    assert without_times(rows[0]) == without_times(rows[1])
