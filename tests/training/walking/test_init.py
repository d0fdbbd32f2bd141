"""Training that begins with a checkpoint: its weights, tokenizer and sizes, and errors where it does not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.walking.checkpoint import WalkCheckpoint  # noqa: E402
from bearleft.training.walking import init as init_module  # noqa: E402
from bearleft.training.walking.init import check_features  # noqa: E402
from bearleft.training.walking.train import train_walker  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.training.walking.test_resume import make_trainer  # noqa: E402
from tests.training.walking.turn_task import turn_config, turn_task  # noqa: E402

SHORT: dict[str, Any] = {"epochs": 1, "examples_per_epoch": 40, "forcing": "teacher"}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train_walker(turn_config("orar", **SHORT), turn_task(), folder)
    return folder


def test_training_begins_with_the_weights_and_tokenizer_of_a_checkpoint(trained: Path, tmp_path: Path) -> None:
    """A folder stands for its best checkpoint; sizes are the checkpoint's, and dropout can change."""
    checkpoint, task = WalkCheckpoint.load(trained / "best.pt"), turn_task()
    others = replace(task, walks=task.walks.subset(np.arange(10)).with_texts(["other words"] * 10))
    for file in (trained, trained / "best.pt"):
        config = replace(turn_config("orar", **SHORT), overrides={"dropout": 0.5}, init=str(file))
        trainer = make_trainer(config, others, tmp_path)
        assert trainer.tokenizer == checkpoint.tokenizer
        assert trainer.network_config == replace(checkpoint.config, dropout=0.5)
        torch.testing.assert_close(trainer.network.state_dict(), checkpoint.network.state_dict(), rtol=0, atol=0)
        assert trainer.validate()["SPD"] == pytest.approx(checkpoint.training_info["SPD"])


def test_a_run_is_resumed_with_the_same_checkpoint_only(trained: Path, tmp_path: Path) -> None:
    file = tmp_path / "start.pt"
    checkpoint = WalkCheckpoint.load(trained / "best.pt")
    checkpoint.save(file)
    config = replace(turn_config("orar", **SHORT), init=str(file))
    first = train_walker(config, turn_task(), tmp_path / "run", minutes=0)
    assert first.stopped == "minutes" and first.checkpoint.training_info["train_config"]["init"] == config.init_hash
    with pytest.raises(InputError, match=r"field init: .*as in this folder's training"):
        train_walker(replace(config, init=None), turn_task(), tmp_path / "run")
    replace(checkpoint, training_info={}).save(file)
    with pytest.raises(InputError, match=r"field init: .*as in this folder's training"):
        train_walker(replace(config, init=str(file)), turn_task(), tmp_path / "run")
    checkpoint.save(tmp_path / "moved.pt")
    assert train_walker(replace(config, init=str(tmp_path / "moved.pt")), turn_task(), tmp_path / "run").finished


ERRORS: dict[str, tuple[str, dict[str, Any], str]] = {
    "network": ("rconcat", {}, "a checkpoint of rconcat, got one of orar"),
    "turns": ("orar", {"auto_turn": False}, "walkers that turn at junctions, as it was trained"),
    "sizes": ("orar", {"overrides": {"hidden_dim": 32}}, "settings that keep the weights of .*would be"),
    "parts": ("orar", {"overrides": {"junctions": False}}, "settings that keep the weights of .*would be"),
    "unknown": ("orar", {"overrides": {"hidden": 32}}, "hidden"),
}


@pytest.mark.parametrize("error", ERRORS)
def test_a_checkpoint_that_does_not_fit_is_named(error: str, trained: Path, tmp_path: Path) -> None:
    network, options, message = ERRORS[error]
    config = replace(turn_config(network, **SHORT), overrides={}, init=str(trained))
    with pytest.raises(InputError, match=message):
        make_trainer(replace(config, **options), turn_task(), tmp_path)


def test_missing_and_other_files_are_named(trained: Path, tmp_path: Path) -> None:
    for file, message in (
        (tmp_path, "a checkpoint of a walking network, got nothing there"),
        (trained / "last.pt", "a checkpoint of a walking network, got a training state"),
    ):
        with pytest.raises(InputError, match=message):
            make_trainer(replace(turn_config("orar", **SHORT), init=str(file)), turn_task(), tmp_path)


class OtherBackbone:
    """What is checked of a backbone."""

    name, hash = "other.pt", "1234567890"


def test_other_features_are_named(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, backbone = replace(turn_config("orar", **SHORT), init=str(trained)), OtherBackbone()
    loaded = WalkCheckpoint.load(trained / "best.pt")
    init = replace(loaded, backbone="city", backbone_hash="abcdefghij", slicing=Slicing(230, 400))
    monkeypatch.setattr(init_module, "encoder_hash", lambda _: "")

    def check(checkpoint: WalkCheckpoint, message: str) -> None:
        with pytest.raises(InputError, match=message):
            check_features(config, checkpoint, backbone, Slicing())  # type: ignore[arg-type]

    check(init, r"the backbone that it was trained with, city \(abcdefgh\), got other\.pt \(12345678\)")
    same = replace(init, backbone_hash=backbone.hash)
    check(same, "slices of 230 x 400 pixels, as it was trained with, got 460 x 800")
    monkeypatch.setattr(type(same.network), "views", "cells")
    check(replace(same, cells_hash="abcdefghij"), r"the cell encoder that it was trained with \(abcdefgh\), got none")
