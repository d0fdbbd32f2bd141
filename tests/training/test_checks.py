"""Checks that trainings share."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models import NETWORK_FILE  # noqa: E402
from bearleft.training.checks import (  # noqa: E402
    check_finite,
    check_folder,
    check_resumable,
    check_settings,
    divergence_error,
    mean_loss,
)
from bearleft.training.history import TrainProgress  # noqa: E402
from bearleft.training.state import save_state  # noqa: E402
from bearleft.world.slices import PAPER, TALL  # noqa: E402

SETTINGS = {"network": "unet", "seed": 0}
STATE: dict[str, Any] = {
    "train_config": SETTINGS,
    "examples_hash": "e",
    "backbone_hash": "b",
    "slicing": asdict(PAPER),
    "epochs_done": 2,
    "updates_done": 1000,
}


def test_other_settings_are_named(tmp_path: Path) -> None:
    check_settings({"seed": 0}, {"seed": 0}, tmp_path)
    for old, new in (({"seed": 0}, {"seed": 1}), ({"seed": 0}, {}), ({}, {"seed": 0})):
        with pytest.raises(InputError, match="field seed: expected seed"):
            check_settings(old, new, tmp_path)
    (tmp_path / NETWORK_FILE).write_text("")
    with pytest.raises(InputError, match=str(tmp_path / NETWORK_FILE)):
        check_settings({"network": "a"}, {"network": "b"}, tmp_path)


def test_other_data_and_slices_are_named(tmp_path: Path) -> None:
    check_resumable(STATE, tmp_path, SETTINGS, "e", "b", PAPER)
    for name, examples, backbone in (("examples", "x", "b"), ("backbone", "e", "x")):
        with pytest.raises(InputError, match=f"the {name} that training in this folder began with"):
            check_resumable(STATE, tmp_path, SETTINGS, examples, backbone, PAPER)
    with pytest.raises(InputError, match="Add --slices paper, or name another folder"):
        check_resumable(STATE, tmp_path, SETTINGS, "e", "b", TALL)
    small = {**STATE, "slicing": asdict(replace(PAPER, width=92, height=160))}
    with pytest.raises(InputError, match="Add --slices paper --size 92x160"):
        check_resumable(small, tmp_path, SETTINGS, "e", "b", PAPER)


def test_a_folder_to_resume_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[TrainProgress] = []
    check_folder(tmp_path, SETTINGS, "e", "b", PAPER, reports.append)
    assert not reports
    save_state(tmp_path, STATE)
    check_folder(tmp_path, SETTINGS, "e", "b", PAPER, reports.append)
    assert [report.message for report in reports] == [
        f"Resuming the training in {tmp_path} after epoch 2 and 1,000 updates of the next."
    ]
    monkeypatch.setenv("RANK", "1")
    check_folder(tmp_path, SETTINGS, "e", "b", PAPER, reports.append)
    assert len(reports) == 1
    with pytest.raises(InputError, match="the examples"):
        check_folder(tmp_path, SETTINGS, "x", "b", PAPER, reports.append)


def test_numbers_that_are_not_finite_are_named(tmp_path: Path) -> None:
    def diverged(index: int, loss: float) -> InputError:
        return divergence_error(f"{loss:f}", 100 + index, 0.5, tmp_path, saved="Look here.")

    assert mean_loss(torch.tensor([1.0, 3.0]), diverged) == 2.0 and mean_loss(torch.zeros(0), diverged) == 0.0
    with pytest.raises(InputError, match=r"a finite loss, got inf at update 102, learning rate 0\.5") as error:
        mean_loss(torch.tensor([1.0, 2.0, torch.inf, torch.nan]), diverged)
    expected = "Look here. No state was written yet. Try a lower --learning-rate in another folder."
    assert error.value.hint == expected
    network = torch.nn.Linear(2, 3)
    check_finite(network, lambda got: divergence_error(got, 1, 0.5, tmp_path))
    with torch.no_grad():
        network.weight[2, 1] = torch.nan
    with pytest.raises(InputError, match="weights that are not finite"):
        check_finite(network, lambda got: divergence_error(got, 1, 0.5, tmp_path))
