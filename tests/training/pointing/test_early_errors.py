"""Mistakes of `bearleft train` are told before anything is rendered, compiled or computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft import cli  # noqa: E402
from bearleft.training.inputs import TrainInputs  # noqa: E402
from bearleft.training.pointing.config import TrainConfig  # noqa: E402
from bearleft.training.pointing.dataset import train_on_dataset  # noqa: E402

DATASET = "city/sdr/small"
SMALL = ("--backbone", "random:0", "--size", "32x64", "--limit", "20")


def run_train(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = 0
    try:
        cli.main(["train", *map(str, arguments)])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    return code, capsys.readouterr().err


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if features are computed, pictures are opened or a look network's views are made."""

    def fail(*_arguments: Any, **_options: Any) -> None:
        raise AssertionError("work has begun")

    for name in (
        "bearleft.training.pointing.dataset.features_for",
        "bearleft.models.features.sources.open_pictures",
        "bearleft.training.looking.Views",
        "bearleft.training.backbone.train.open_city",
        "bearleft.world.pictures.open_city",
    ):
        monkeypatch.setattr(name, fail)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("lingnet", DATASET, *SMALL), "Did you mean lingunet?"),
        (("my_net.py", DATASET, *SMALL), "expected a Python file with a network, got nothing there"),
        (("unet", "city/sdr/smal", *SMALL), "city/sdr/small"),
        (("unet", "nowhere/train", *SMALL), "nowhere"),
        (("unet", DATASET, *SMALL, "--set", "widht=3"), "Did you mean width?"),
        (("unet", DATASET, *SMALL, "--set", "width=-3"), "from 1 up"),
        (("unet", DATASET, *SMALL, "--device", "gpu"), "expected cpu or cuda"),
        (("unet", DATASET, *SMALL, "--device", "cuda:99"), "--device cpu"),
        (("unet", DATASET, *SMALL[2:], "--backbone", "nothing.pt"), "nothing.pt"),
        (("unet", DATASET, *SMALL, "--features", "nothing"), "nothing"),
        (("look", "city/refer360/smal"), "city/refer360/small"),
        (("look", "city/refer360/small", "--device", "gpu"), "expected cpu or cuda"),
        (("look", "city/refer360/small", "--backbone", "nothing.pt"), "nothing.pt"),
        (("backbone", "--device", "gpu"), "the name of a device"),
    ],
)
def test_mistakes_are_told_first(
    arguments: tuple[str, ...],
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, err = run_train(capsys, *arguments, "-o", tmp_path / "run")
    assert code == 2 and expected in err and not (tmp_path / "run").exists()


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("arguments", [("unet", DATASET, *SMALL), ("look", "city/refer360/small"), ("backbone",)])
def test_output_that_cannot_be_written_is_told_first(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    code, err = run_train(capsys, *arguments, "-o", tmp_path / "file" / "run")
    assert code == 2 and f"{tmp_path / 'file'}" in err


def test_other_settings_than_those_of_the_folder_are_told_first(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = TrainInputs(DATASET, limit=20, features=str(store))
    train_on_dataset(TrainConfig("unet", epochs=1, overrides={"width": 4}), inputs, tmp_path / "run")

    def features_for(*_arguments: Any, **_options: Any) -> None:
        raise AssertionError("features are read")

    monkeypatch.setattr("bearleft.training.pointing.dataset.features_for", features_for)
    arguments = ("unet", DATASET, "-o", tmp_path / "run", "--features", store, "--limit", 20)
    code, err = run_train(capsys, *arguments, "--set", "width=5")
    assert code == 2 and "as in this folder's training" in err
    code, err = run_train(capsys, *arguments[:-1], 19, "--set", "width=4")
    assert code == 2 and "the examples that training in this folder began with" in err
