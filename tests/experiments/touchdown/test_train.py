"""Rows of Table 4: what they are trained on and asked, their rates, and that a call goes on where one stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from bearleft.experiments.touchdown.predictions import read_predictions
from bearleft.experiments.touchdown.train import TRAIN, SystemRun, Table4Config, Table4Trainer
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.examples import Examples, concatenate
from bearleft.training.history import read_history
from tests.training.synthetic_task import SMALL, make_task

COLOUR, DEV = "city/pairs/colour", "city/sdr/dev_unseen"
CONFIG = Table4Config(epochs=3, eval_size=20, splits=(DEV,), pairs=(COLOUR,), trial_epochs=1)
MODULE = "bearleft.experiments.touchdown.train"
RUN = SystemRun("LINGUNET", "lingunet", learning_rates=(1e-9, 0.03), overrides={**SMALL, "dropout": 0.0})


def take(examples: Examples, begin: int, end: int) -> Examples:
    """Examples with their own panoramas only."""
    return concatenate([examples.subset(np.arange(begin, end))])


@pytest.fixture
def trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table4Trainer:
    """Return a trainer on 60 examples: 40 for training, 4 of whose panoramas are in pairs too, and 10 held out."""
    examples, features = make_task()
    cut = {TRAIN: take(examples, 0, 40), COLOUR: take(examples, 36, 50), DEV: take(examples, 50, 60)}
    monkeypatch.setattr(f"{MODULE}.load", lambda name, _: [name])
    monkeypatch.setattr(f"{MODULE}.build_examples", lambda names: cut[names[0]])
    monkeypatch.setattr(f"{MODULE}.features_for", lambda *_, **__: features)
    return Table4Trainer(tmp_path, CONFIG, load_backbone("random:0"), "cpu")


def test_datasets_are_joined_without_duplicate_panoramas() -> None:
    examples, _ = make_task(12)
    parts = [examples.subset(np.array([3, 1])), examples.with_texts(["other"] * 12).subset(np.array([1, 7, 3]))]
    joined = concatenate(parts)
    assert joined.ids == tuple(f"example-{k}" for k in (3, 1, 1, 7, 3))
    assert joined.texts[2:] == ("other",) * 3 and joined.texts[0] == examples.texts[3]
    assert [joined.panoramas[k] for k in joined.panorama_indices] == [examples.panoramas[k] for k in (3, 1, 1, 7, 3)]
    assert len(set(joined.panoramas)) == len(joined.panoramas)
    np.testing.assert_array_equal(joined.targets, examples.targets[[3, 1, 1, 7, 3]])


def test_pairs_at_training_places_are_trained_on(trainer: Table4Trainer) -> None:
    assert trainer.training.ids == tuple(f"example-{k}" for k in [*range(40), *range(36, 40)])
    assert trainer.evaluation[COLOUR].ids == tuple(f"example-{k}" for k in range(40, 50))
    assert len(trainer.evaluation[DEV]) == 10


@pytest.mark.slow
def test_best_rate_is_used_for_further_seeds(trainer: Table4Trainer, tmp_path: Path) -> None:
    assert trainer.train(RUN, 10.0)
    curves = {rate: read_history(tmp_path / f"lingunet-rate{rate}-0") for rate in ("1e-09", "0.03")}
    assert [len(curve) for curve in curves.values()] == [1, 3]
    assert float((tmp_path / "lingunet-rate.txt").read_text()) == 0.03
    answers = read_predictions(tmp_path / "answers" / "LINGUNET_city-sdr-dev_unseen_0.npz")
    assert (
        answers.ids == trainer.evaluation[DEV].ids
        and answers.metadata["epochs"] == 3
        and answers.metadata["examples"] == 44
    )
    assert {path.name for path in (tmp_path / "answers").glob("*shuffled*")} == {
        "LINGUNET_city-sdr-dev_unseen_0_shuffled.npz"
    }
    before = torch.random.get_rng_state()
    assert trainer.train(replace(RUN, seed=1), 10.0)
    assert torch.equal(before, torch.random.get_rng_state())
    assert len(read_history(tmp_path / "lingunet-rate0.03-1")) == 3
    assert not (tmp_path / "lingunet-rate1e-09-1").exists()


@pytest.mark.slow
def test_decaying_rates_train_all_epochs(trainer: Table4Trainer, tmp_path: Path) -> None:
    small = {"width": 16, "layers": 1, "heads": 2, "cell_width": 4}
    assert trainer.train(SystemRun("BEARING", "bearing", learning_rates=(0.001, 0.002), overrides=small), 10.0)
    assert [len(read_history(tmp_path / f"bearing-rate{rate}-0")) for rate in ("0.001", "0.002")] == [3, 3]


def test_run_without_time_is_not_trained(trainer: Table4Trainer) -> None:
    one_rate = replace(RUN, learning_rates=(0.03,))
    assert trainer.train_all([RUN], 0.0) == [RUN] and not trainer.train(one_rate, -1.0)
    assert trainer.train(one_rate, 10.0) and trainer.train_all([one_rate], 1.0) == []
