"""Rows of Table 4: what they are trained on and asked, their rates, and that a call goes on where one stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from bearleft.experiments.touchdown import train as pointing_runs
from bearleft.experiments.touchdown.answers import read_answers
from bearleft.models.backbones.registry import trunk
from bearleft.models.examples import Examples, joined
from bearleft.training.history import read_curve
from tests.training.synthetic_task import SMALL, planted

COLOUR, DEV = "city/pairs/colour", "city/sdr/dev_unseen"
PLAN = pointing_runs.Plan(epochs=3, asked=20, splits=(DEV,), pairs=(COLOUR,), trial=1)
ROW = pointing_runs.Row("LINGUNET", "lingunet", rates=(1e-9, 0.03), changes={**SMALL, "dropout": 0.0})


def some(given: Examples, begin: int, end: int) -> Examples:
    """Examples with their own panoramas only."""
    return joined([given.some(np.arange(begin, end))])


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pointing_runs.Runs:
    """60 planted examples: 40 to train on, 4 of whose panoramas pairs show too, and 10 that nobody trains on."""
    given, features = planted()
    cut = {pointing_runs.TRAIN: some(given, 0, 40), COLOUR: some(given, 36, 50), DEV: some(given, 50, 60)}
    monkeypatch.setattr(pointing_runs, "load", lambda name, _: [name])
    monkeypatch.setattr(pointing_runs, "examples", lambda names: cut[names[0]])
    monkeypatch.setattr(pointing_runs, "features_for", lambda *_, **__: features)
    return pointing_runs.Runs(tmp_path, PLAN, trunk("random:0"), "cpu")


def test_parts_are_joined_without_a_panorama_twice() -> None:
    given, _ = planted(12)
    parts = [given.some(np.array([3, 1])), given.with_texts(["other"] * 12).some(np.array([1, 7, 3]))]
    found = joined(parts)
    assert found.ids == tuple(f"example-{k}" for k in (3, 1, 1, 7, 3))
    assert found.texts[2:] == ("other",) * 3 and found.texts[0] == given.texts[3]
    assert [found.panoramas[k] for k in found.pictures] == [given.panoramas[k] for k in (3, 1, 1, 7, 3)]
    assert len(set(found.panoramas)) == len(found.panoramas)
    np.testing.assert_array_equal(found.targets, given.targets[[3, 1, 1, 7, 3]])


def test_pairs_of_training_places_are_trained_on_and_others_asked(runs: pointing_runs.Runs) -> None:
    assert runs.training.ids == tuple(f"example-{k}" for k in [*range(40), *range(36, 40)])
    assert runs.asked[COLOUR].ids == tuple(f"example-{k}" for k in range(40, 50))
    assert len(runs.asked[DEV]) == 10


def test_the_best_rate_goes_on_and_further_seeds_take_it(runs: pointing_runs.Runs, tmp_path: Path) -> None:
    assert runs.row(ROW, 10.0)
    curves = {rate: read_curve(tmp_path / f"lingunet-rate{rate}-0") for rate in ("1e-09", "0.03")}
    assert [len(one) for one in curves.values()] == [1, 3]
    assert float((tmp_path / "lingunet-rate.txt").read_text()) == 0.03
    answers = read_answers(tmp_path / "answers" / "LINGUNET_city-sdr-dev_unseen_0.npz")
    assert answers.ids == runs.asked[DEV].ids and answers.about["epochs"] == 3 and answers.about["examples"] == 44
    assert {path.name for path in (tmp_path / "answers").glob("*shuffled*")} == {
        "LINGUNET_city-sdr-dev_unseen_0_shuffled.npz"
    }
    before = torch.random.get_rng_state()
    assert runs.row(replace(ROW, seed=1), 10.0)
    assert torch.equal(before, torch.random.get_rng_state())
    assert len(read_curve(tmp_path / "lingunet-rate0.03-1")) == 3
    assert not (tmp_path / "lingunet-rate1e-09-1").exists()


def test_rates_that_fall_to_nothing_are_tried_to_their_end(runs: pointing_runs.Runs, tmp_path: Path) -> None:
    small = {"width": 16, "layers": 1, "heads": 2, "fine": 4}
    assert runs.row(pointing_runs.Row("BEARING", "bearing", rates=(0.001, 0.002), changes=small), 10.0)
    assert [len(read_curve(tmp_path / f"bearing-rate{rate}-0")) for rate in ("0.001", "0.002")] == [3, 3]


def test_a_call_without_time_leaves_the_row_for_the_next(runs: pointing_runs.Runs) -> None:
    assert pointing_runs.go(runs, [ROW], 0.0) == [ROW] and not runs.row(replace(ROW, rates=(0.03,)), -1.0)
    assert (
        runs.row(replace(ROW, rates=(0.03,)), 10.0) and pointing_runs.go(runs, [replace(ROW, rates=(0.03,))], 1.0) == []
    )
