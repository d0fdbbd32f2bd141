"""Failures during training give a clear error, and the last good state is kept."""

from __future__ import annotations

import itertools
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.checkpoint import PointCheckpoint, read_checkpoint  # noqa: E402
from bearleft.models.examples import Examples  # noqa: E402
from bearleft.runtime.store import exclusive_writer  # noqa: E402
from bearleft.training.history import TrainProgress, read_history  # noqa: E402
from bearleft.training.pointing.batches import epoch_order, split  # noqa: E402
from bearleft.training.pointing.loop import Trainer  # noqa: E402
from bearleft.training.pointing.train import train  # noqa: E402
from bearleft.training.state import load_state, save_state  # noqa: E402
from tests.training.synthetic_task import CONFIG, SMALL, SyntheticFeatures, make_task, without_times  # noqa: E402

SHORT_CONFIG = replace(CONFIG, epochs=2)


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an uninterrupted run of two epochs."""
    folder = tmp_path_factory.mktemp("good")
    train(SHORT_CONFIG, *make_task(40), folder)
    return folder


def copy_run(folder: Path, target: Path) -> Path:
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def flip_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_damaged_state_falls_back_to_the_previous_one(finished_run: Path, tmp_path: Path) -> None:
    folder, reports = copy_run(finished_run, tmp_path), list[TrainProgress]()
    flip_bit(folder / "last.pt")
    train(SHORT_CONFIG, *make_task(40), folder, report=reports.append)
    assert "damaged" in reports[0].message and f"Resuming from {folder / 'previous.pt'}" in reports[0].message
    assert without_times(read_history(folder)) == without_times(read_history(finished_run))
    weights = [
        PointCheckpoint.load(run_folder / "best.pt").network.state_dict() for run_folder in (folder, finished_run)
    ]
    torch.testing.assert_close(weights[0], weights[1], rtol=0, atol=0)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_no_readable_state_raises(damage: str, finished_run: Path, tmp_path: Path) -> None:
    folder = copy_run(finished_run, tmp_path)
    for name in ("last.pt", "previous.pt"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes({"flip": content, "cut": content[:-9], "empty": b""}[damage])
        if damage == "flip":
            flip_bit(folder / name)
    with pytest.raises(InputError, match="No readable state is left to resume from") as error:
        train(SHORT_CONFIG, *make_task(40), folder)
    assert error.value.file == str(folder / "last.pt")


def test_state_written_but_not_renamed_is_used(finished_run: Path, tmp_path: Path) -> None:
    folder = copy_run(finished_run, tmp_path)
    (folder / "last.pt").rename(folder / "next.pt")  # as after a kill between two renames
    reports: list[TrainProgress] = []
    assert train(SHORT_CONFIG, *make_task(40), folder, report=reports.append).finished and not reports
    assert not (folder / "next.pt").exists() and (folder / "last.pt").exists()


@pytest.mark.parametrize("rename", [1, 2, 3])
def test_kill_at_any_rename_leaves_a_state(rename: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_state(tmp_path, {"number": 1})
    save_state(tmp_path, {"number": 2})
    renames, original_replace = itertools.count(1), Path.replace

    def interrupted_replace(self: Path, target: Path) -> Path:
        if next(renames) == rename:
            raise KeyboardInterrupt
        return original_replace(self, target)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", interrupted_replace)
        save_state(tmp_path, {"number": 3})
    state = load_state(tmp_path, pytest.fail)
    assert state is not None and state["number"] == (2 if rename == 1 else 3)


def test_missing_features_raise_before_the_first_update(tmp_path: Path) -> None:
    examples, features = make_task(40)
    fewer = SyntheticFeatures(features.panoramas[:-1], features.maps[:-1])
    with pytest.raises(InputError, match='features of "39" of synthetic'):
        train(SHORT_CONFIG, examples, fewer, tmp_path)
    assert not list(tmp_path.glob("*.pt"))


def test_full_disk_keeps_the_last_good_state(finished_run: Path, tmp_path: Path) -> None:
    def report(progress: TrainProgress) -> None:
        if progress.epoch == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(InputError, match=r"expected a file that can be written, got .*too large") as error:
            train(SHORT_CONFIG, *make_task(40), tmp_path, report=report)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert f"The last good state is {tmp_path / 'last.pt'}" in error.value.hint
    assert not list(tmp_path.glob(".*.part"))
    assert read_checkpoint(tmp_path / "last.pt", kind="training")["epochs_done"] == 1
    assert PointCheckpoint.load(tmp_path / "best.pt").training_info["epoch"] == 1
    train(SHORT_CONFIG, *make_task(40), tmp_path)
    assert without_times(read_history(tmp_path)) == without_times(read_history(finished_run))


def task_with_nan(update: int) -> tuple[Examples, SyntheticFeatures, Callable[[TrainProgress], None]]:
    """Return a task and a callback that makes the loss of one update of the second epoch NaN."""
    examples, features = make_task(40)
    train_indices, _ = split(examples.texts, SHORT_CONFIG.validation_share, SHORT_CONFIG.seed)
    example = train_indices[
        epoch_order(len(train_indices), SHORT_CONFIG.seed, 1)[SHORT_CONFIG.batch_size * (update - 1)]
    ]

    def report(progress: TrainProgress) -> None:
        if progress.message.startswith("epoch 1"):
            features.maps[example, 0, 0, 0] = float("nan")

    return examples, features, report


def test_non_finite_loss_names_its_update(tmp_path: Path) -> None:
    examples, features, report = task_with_nan(update=3)
    with pytest.raises(InputError, match=r"expected a finite loss, got nan at update 7, learning rate 0\.03") as error:
        train(SHORT_CONFIG, examples, features, tmp_path, report=report)
    assert f"The last good state is {tmp_path / 'last.pt'}" in error.value.hint
    state = read_checkpoint(tmp_path / "last.pt", kind="training")
    assert state["epochs_done"] == 1 and all(torch.isfinite(weight).all() for weight in state["weights"].values())


def test_non_finite_weights_are_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples, features, report = task_with_nan(update=4)
    monkeypatch.setattr(
        Trainer, "_check_losses", lambda *_: 0.0
    )  # the last gradient may be broken though all losses are fine
    with pytest.raises(InputError, match="weights that are not finite at update 8"):
        train(SHORT_CONFIG, examples, features, tmp_path, report=report)
    assert read_checkpoint(tmp_path / "last.pt", kind="training")["epochs_done"] == 1


CHANGES = [
    {"seed": 1},
    {"learning_rate": 0.1},
    {"batch_size": 9},
    {"overrides": {**SMALL, "width": 4}},
    {"network": "concat"},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_resume_with_another_config_raises(change: dict[str, Any], finished_run: Path) -> None:
    if "network" in change:
        change = {**change, "overrides": {}}
    with pytest.raises(InputError, match=f"field {next(iter(change))}: .*as in this folder's training"):
        train(replace(SHORT_CONFIG, **change), *make_task(40), finished_run)


def test_resume_with_more_epochs_raises_under_cosine_decay(tmp_path: Path) -> None:
    config = replace(
        SHORT_CONFIG,
        network="bearing",
        learning_rate=None,
        overrides={"width": 16, "layers": 1, "heads": 2, "cell_width": 4},
    )
    train(config, *make_task(40), tmp_path)
    with pytest.raises(InputError, match="field epochs: expected epochs 2, as in this folder's training"):
        train(replace(config, epochs=3), *make_task(40), tmp_path)


def test_resume_with_other_examples_raises(finished_run: Path) -> None:
    examples, features = make_task(40)
    other = examples.with_texts([*examples.texts[:-1], "another text"])
    with pytest.raises(InputError, match="the examples that training in this folder began with"):
        train(SHORT_CONFIG, other, features, finished_run)


def test_folder_has_one_writer(finished_run: Path) -> None:
    with exclusive_writer(finished_run, "a training"), pytest.raises(InputError, match="nobody else writes"):
        train(SHORT_CONFIG, *make_task(40), finished_run)


def test_invalid_configs_raise() -> None:
    for overrides in (
        {"epochs": 0},
        {"learning_rate": -1.0},
        {"validation_share": 1.0},
        {"precision": "int4"},
        {"max_grad_norm": float("nan")},
    ):
        with pytest.raises(InputError) as error:
            replace(SHORT_CONFIG, **overrides)
        assert error.value.field == next(iter(overrides))


def test_too_few_examples_raise(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="enough examples"):
        train(replace(SHORT_CONFIG, validation_share=0.07), *make_task(5), tmp_path)
    with pytest.raises(InputError, match="nonet"):
        train(replace(SHORT_CONFIG, network="nonet"), *make_task(5), tmp_path)
