"""What goes wrong while training: a clear error, and the last good state is kept."""

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

SHORT = replace(CONFIG, epochs=2)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed run of two epochs."""
    folder = tmp_path_factory.mktemp("good")
    train(SHORT, *make_task(40), folder)
    return folder


def copied(folder: Path, to: Path) -> Path:
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


def spoil(path: Path) -> None:
    held = bytearray(path.read_bytes())
    held[len(held) // 2] ^= 1
    path.write_bytes(held)


def test_damaged_state_falls_back_to_the_previous_one(good: Path, tmp_path: Path) -> None:
    folder, told = copied(good, tmp_path), list[TrainProgress]()
    spoil(folder / "last.pt")
    train(SHORT, *make_task(40), folder, report=told.append)
    assert "damaged" in told[0].message and f"Resuming from {folder / 'previous.pt'}" in told[0].message
    assert without_times(read_history(folder)) == without_times(read_history(good))
    weights = [PointCheckpoint.load(one / "best.pt").network.state_dict() for one in (folder, good)]
    torch.testing.assert_close(weights[0], weights[1], rtol=0, atol=0)


@pytest.mark.parametrize("how", ["flip", "cut", "empty"])
def test_no_readable_state_raises(how: str, good: Path, tmp_path: Path) -> None:
    folder = copied(good, tmp_path)
    for name in ("last.pt", "previous.pt"):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes({"flip": whole, "cut": whole[:-9], "empty": b""}[how])
        if how == "flip":
            spoil(folder / name)
    with pytest.raises(InputError, match="No readable state is left to resume from") as error:
        train(SHORT, *make_task(40), folder)
    assert error.value.file == str(folder / "last.pt")


def test_state_written_but_not_renamed_is_used(good: Path, tmp_path: Path) -> None:
    folder = copied(good, tmp_path)
    (folder / "last.pt").rename(folder / "next.pt")  # as a kill between two renames leaves it
    told: list[TrainProgress] = []
    assert train(SHORT, *make_task(40), folder, report=told.append).finished and not told
    assert not (folder / "next.pt").exists() and (folder / "last.pt").exists()


@pytest.mark.parametrize("rename", [1, 2, 3])
def test_kill_at_any_rename_leaves_a_state(rename: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_state(tmp_path, {"number": 1})
    save_state(tmp_path, {"number": 2})
    done, real = itertools.count(1), Path.replace

    def replaced(self: Path, target: Path) -> Path:
        if next(done) == rename:
            raise KeyboardInterrupt
        return real(self, target)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", replaced)
        save_state(tmp_path, {"number": 3})
    state = load_state(tmp_path, pytest.fail)
    assert state is not None and state["number"] == (2 if rename == 1 else 3)


def test_missing_features_raise_before_the_first_update(tmp_path: Path) -> None:
    examples, features = make_task(40)
    fewer = SyntheticFeatures(features.panoramas[:-1], features.maps[:-1])
    with pytest.raises(InputError, match='features of "39" of synthetic'):
        train(SHORT, examples, fewer, tmp_path)
    assert not list(tmp_path.glob("*.pt"))


def test_full_disk_keeps_the_last_good_state(good: Path, tmp_path: Path) -> None:
    def report(told: TrainProgress) -> None:
        if told.epoch == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(InputError, match=r"expected a file that can be written, got .*too large") as error:
            train(SHORT, *make_task(40), tmp_path, report=report)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert f"The last good state is {tmp_path / 'last.pt'}" in error.value.hint
    assert not list(tmp_path.glob(".*.part"))
    assert read_checkpoint(tmp_path / "last.pt", kind="training")["epochs_done"] == 1
    assert PointCheckpoint.load(tmp_path / "best.pt").training_info["epoch"] == 1
    train(SHORT, *make_task(40), tmp_path)
    assert without_times(read_history(tmp_path)) == without_times(read_history(good))


def poisoned(update: int) -> tuple[Examples, SyntheticFeatures, Callable[[TrainProgress], None]]:
    """What makes the second epoch's loss no number in one of its updates, once the first is done."""
    examples, features = make_task(40)
    trains, _ = split(examples.texts, SHORT.validation_share, SHORT.seed)
    which = trains[epoch_order(len(trains), SHORT.seed, 1)[SHORT.batch_size * (update - 1)]]

    def report(told: TrainProgress) -> None:
        if told.message.startswith("epoch 1"):
            features.maps[which, 0, 0, 0] = float("nan")

    return examples, features, report


def test_non_finite_loss_names_its_update(tmp_path: Path) -> None:
    examples, features, report = poisoned(update=3)
    with pytest.raises(InputError, match=r"expected a finite loss, got nan at update 7, learning rate 0\.03") as error:
        train(SHORT, examples, features, tmp_path, report=report)
    assert f"The last good state is {tmp_path / 'last.pt'}" in error.value.hint
    state = read_checkpoint(tmp_path / "last.pt", kind="training")
    assert state["epochs_done"] == 1 and all(torch.isfinite(weight).all() for weight in state["weights"].values())


def test_non_finite_weights_are_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples, features, report = poisoned(update=4)
    monkeypatch.setattr(
        Trainer, "_check_losses", lambda *_: 0.0
    )  # the last gradient may be broken though all losses are fine
    with pytest.raises(InputError, match="weights that are not finite at update 8"):
        train(SHORT, examples, features, tmp_path, report=report)
    assert read_checkpoint(tmp_path / "last.pt", kind="training")["epochs_done"] == 1


CHANGED = [
    {"seed": 1},
    {"learning_rate": 0.1},
    {"batch_size": 9},
    {"overrides": {**SMALL, "width": 4}},
    {"network": "concat"},
]


@pytest.mark.parametrize("change", CHANGED, ids=lambda change: next(iter(change)))
def test_resume_with_another_config_raises(change: dict[str, Any], good: Path) -> None:
    if "network" in change:
        change = {**change, "overrides": {}}
    with pytest.raises(InputError, match=f"field {next(iter(change))}: .*as in this folder's training"):
        train(replace(SHORT, **change), *make_task(40), good)


def test_resume_with_more_epochs_raises_under_cosine_decay(tmp_path: Path) -> None:
    ours = replace(
        SHORT, network="bearing", learning_rate=None, overrides={"width": 16, "layers": 1, "heads": 2, "cell_width": 4}
    )
    train(ours, *make_task(40), tmp_path)
    with pytest.raises(InputError, match="field epochs: expected epochs 2, as in this folder's training"):
        train(replace(ours, epochs=3), *make_task(40), tmp_path)


def test_resume_with_other_examples_raises(good: Path) -> None:
    examples, features = make_task(40)
    other = examples.with_texts([*examples.texts[:-1], "another text"])
    with pytest.raises(InputError, match="the examples that training in this folder began with"):
        train(SHORT, other, features, good)


def test_folder_has_one_writer(good: Path) -> None:
    with exclusive_writer(good, "a training"), pytest.raises(InputError, match="nobody else writes"):
        train(SHORT, *make_task(40), good)


def test_invalid_configs_raise() -> None:
    for wrong in (
        {"epochs": 0},
        {"learning_rate": -1.0},
        {"validation_share": 1.0},
        {"precision": "int4"},
        {"max_grad_norm": float("nan")},
    ):
        with pytest.raises(InputError) as error:
            replace(SHORT, **wrong)
        assert error.value.field == next(iter(wrong))


def test_too_few_examples_raise(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="enough examples"):
        train(replace(SHORT, validation_share=0.07), *make_task(5), tmp_path)
    with pytest.raises(InputError, match="nonet"):
        train(replace(SHORT, network="nonet"), *make_task(5), tmp_path)
