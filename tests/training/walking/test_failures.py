"""Failures during the training of walkers give a clear error, and the last good state is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.checkpoint import read_checkpoint  # noqa: E402
from bearleft.training.history import TrainProgress  # noqa: E402
from bearleft.training.walking.config import WalkTrainConfig  # noqa: E402
from bearleft.training.walking.loop import BAD_BATCH  # noqa: E402
from bearleft.training.walking.train import WalkInputs, train_walker  # noqa: E402
from tests.training.walking import synthetic_walks  # noqa: E402
from tests.training.walking.turn_task import turn_config, turn_task  # noqa: E402

CONFIG = turn_config("rconcat", epochs=1, examples_per_epoch=40)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    train_walker(CONFIG, turn_task(), folder)
    return folder


def test_a_loss_that_is_not_finite_stops_with_its_batch(tmp_path: Path) -> None:
    task = synthetic_walks.make_task()
    views: Any = task.views
    place = int(task.table.place[task.table.start_states[task.walks.starts[5]]])
    config = WalkTrainConfig(
        "rconcat", epochs=3, batch_size=4, learning_rate=0.001, horizon=12, overrides=synthetic_walks.SMALL
    )

    def report(progress: TrainProgress) -> None:
        if progress.message.startswith("epoch 1"):
            views.values[place] = float("nan")

    with pytest.raises(InputError, match=r"a finite loss, got nan at update \d+, learning rate 0\.001") as error:
        train_walker(config, task, tmp_path, report=report)
    assert str(tmp_path / BAD_BATCH) in error.value.hint and "The last good state is" in error.value.hint
    batch = torch.load(tmp_path / BAD_BATCH, weights_only=True)
    assert batch["epoch"] == 2 and len(batch["ids"]) == len(batch["texts"]) == len(batch["places"]) == 4
    assert task.walks.ids[5] in batch["ids"] or place in batch["places"].flatten().tolist()
    for name in ("headings", "actions", "labels"):
        assert batch[name].shape == (4, 12)
    row = batch["ids"].index(batch["ids"][0])
    number = task.walks.ids.index(batch["ids"][row])
    assert batch["texts"][row] == task.walks.texts[number]
    assert batch["actions"][row].tolist() == task.walks.actions[number].tolist()
    state = read_checkpoint(tmp_path / "last.pt", kind="training")
    assert state["epochs_done"] == 1 and all(torch.isfinite(weight).all() for weight in state["weights"].values())


CHANGES: list[dict[str, Any]] = [
    {"seed": 1},
    {"learning_rate": 0.1},
    {"batch_size": 9},
    {"horizon": 7},
    {"forcing": "mixed"},
    {"auto_turn": False},
    {"shuffle_texts": True},
    {"overrides": {**CONFIG.overrides, "hidden_dim": 16}},
    {"network": "ga", "overrides": {"image": False}},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_resuming_with_other_settings_is_refused(change: dict[str, Any], finished: Path) -> None:
    with pytest.raises(InputError, match=f"field {next(iter(change))}: .*as in this folder's training"):
        train_walker(replace(CONFIG, **change), turn_task(), finished)


def test_resuming_with_other_walks_is_refused(finished: Path) -> None:
    task = turn_task()
    other = task.walks.with_texts([*task.walks.texts[:-1], "another text"])
    fewer = task.walks.subset(np.arange(60))
    for inputs in (replace_walks(task, other), replace_walks(task, fewer)):
        with pytest.raises(InputError, match="the examples that training in this folder began with"):
            train_walker(CONFIG, inputs, finished)


def replace_walks(task: WalkInputs, walks: Any) -> WalkInputs:
    return WalkInputs(walks, task.validation, task.table, None, None, task.slicing)


def test_more_epochs_resume_unless_the_rate_decays(finished: Path, tmp_path: Path) -> None:
    longer = train_walker(replace(CONFIG, epochs=2), turn_task(), finished)
    assert [row["epoch"] for row in longer.history] == [1, 2]
    config = turn_config("compass", forcing="teacher", epochs=1, examples_per_epoch=20)
    train_walker(config, turn_task(), tmp_path)
    with pytest.raises(InputError, match="field epochs: expected epochs 1, as in this folder's training"):
        train_walker(replace(config, epochs=2), turn_task(), tmp_path)


def test_invalid_configs_raise() -> None:
    for change in (
        {"epochs": 0},
        {"learning_rate": -1.0},
        {"validation_share": 1.0},
        {"horizon": 65},
        {"forcing": "student"},
        {"clients": -1},
        {"patience": 0},
    ):
        with pytest.raises(InputError, match=next(iter(change))):
            replace(CONFIG, **change)
    with pytest.raises(InputError, match="teacher forcing with HOGWILD! clients"):
        WalkTrainConfig("compass", clients=2)
    with pytest.raises(InputError, match="which is none"):
        WalkTrainConfig("orar", overrides={"shape": 3})
    with pytest.raises(InputError, match="walking network"):
        WalkTrainConfig("oral")
