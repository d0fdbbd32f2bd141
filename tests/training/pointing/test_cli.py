"""`bearleft train` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft import cli  # noqa: E402
from bearleft.cli.train import parse_override  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.checkpoint import PointCheckpoint  # noqa: E402
from bearleft.training.inputs import TrainInputs  # noqa: E402
from bearleft.training.pointing.config import TrainConfig  # noqa: E402
from bearleft.training.pointing.dataset import train_on_dataset  # noqa: E402
from bearleft.world.slices import PAPER, RELEASED, TALL, Slicing  # noqa: E402

DATASET = "city/sdr/small"


def run_train(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = 0
    try:
        cli.main(["train", *map(str, arguments)])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_train_command_stops_and_resumes(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (DATASET, "-o", tmp_path / "run", "--features", store, "--limit", 20, "--epochs", 2, "--set", "width=4")
    code, out, err = run_train(capsys, "unet", *common, "--minutes", 0, "--json")
    assert code == 0 and json.loads(out) == [] and "Stopped after 0 epochs; the same command resumes." in err
    code, out, err = run_train(capsys, "unet", *common, "--json")
    rows = json.loads(out)
    assert code == 0 and [row["epoch"] for row in rows] == [1, 2] and rows[0]["examples"] >= 17
    assert "epoch 2: loss" in err and "best.pt" in err
    checkpoint = PointCheckpoint.load(tmp_path / "run" / "best.pt")
    assert checkpoint.backbone == "random:0" and checkpoint.config.width == 4 and checkpoint.slicing == Slicing(32, 64)
    code, _, err = run_train(capsys, "unet", *common, "--learning-rate", 0.1)
    assert code == 2 and "as in this folder's training" in err


@pytest.mark.slow
def test_released_sets_the_slicing_of_the_folder(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = (DATASET, "-o", tmp_path / "run", "--features", store, "--limit", 20, "--epochs", 1, "--set", "width=4")
    code, _, err = run_train(capsys, "lingunet", *common, "--released")
    assert code == 0 and f"{DATASET}: 0 of 20 targets unreachable with 32x64 released slices" in err
    checkpoint = PointCheckpoint.load(tmp_path / "run" / "best.pt")
    assert checkpoint.slicing == Slicing(32, 64, released=True) and checkpoint.config.released
    again = (*common[:-4], "--epochs", 1, "--set", "width=4", "--size", "32x64", "--released")
    code, _, err = run_train(capsys, "lingunet", *again)
    assert code == 0  # the same slices, given as options
    code, _, err = run_train(capsys, "lingunet", *again, "--slices", "paper")
    assert code == 2 and "expected 32x64 released slices, as in this folder's training, got 32x64" in err
    assert "Add --slices released --size 32x64" in err
    code, _, err = run_train(capsys, "unet", *common, "-o", tmp_path / "new", "--slices", "tall")
    assert code == 2 and "460 x 1600 pixels, got 32 x 64" in err
    assert "bearleft features DATASET -o DIR --backbone random:0 --slices tall" in err


def test_refer360_gets_tall_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store or an option can change this; SDR has the slices of the paper."""
    slicings: list[Slicing] = []

    def features_for(
        _examples: object, _backbone: object, slicing: Slicing, *_more: object, **_options: object
    ) -> None:
        slicings.append(slicing)
        raise InputError("enough")

    monkeypatch.setattr("bearleft.training.pointing.dataset.features_for", features_for)
    messages: list[str] = []
    for config, dataset, slicing in (
        (TrainConfig("unet"), "city/refer360/small", None),
        (TrainConfig("unet"), "city/sdr/small", None),
        (TrainConfig("unet", released=True), "city/refer360/small", None),
        (TrainConfig("unet"), "city/refer360/small", PAPER),
    ):
        with pytest.raises(InputError, match="enough"):
            train_on_dataset(
                config,
                TrainInputs(dataset, backbone="random:0", slicing=slicing),
                tmp_path,
                report=lambda progress: messages.append(progress.message),
            )
    assert slicings == [TALL, PAPER, RELEASED, PAPER]
    assert "0 of 60 targets unreachable with tall slices" in messages[0] and "10 of 60" in messages[3]


def test_errors_are_one_line(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (DATASET, "-o", tmp_path / "run", "--features", store)
    code, _, err = run_train(capsys, "lingnet", *common, "--limit", 20)
    assert code == 2 and "Did you mean lingunet?" in err
    code, _, err = run_train(capsys, "unet", *common, "--limit", 60)
    assert code == 2 and "expected features of" in err and f"-o {store} --backbone random:0 --size 32x64 --half" in err
    code, _, err = run_train(capsys, "unet", *common, "--limit", 20, "--set", "breadth=4")
    assert code == 2 and "breadth" in err
    for setting, expected in (
        ("width=0", "from 1 up"),
        ("width=wide", "from 1 up"),
        ("released=3", "true or false"),
        ("shape=3", "which is none"),
    ):
        code, _, err = run_train(capsys, "unet", *common, "--limit", 20, "--set", setting)
        assert code == 2 and setting.partition("=")[0] in err and expected in err
    code, _, err = run_train(capsys, "unet", *common, "--limit", 20, "--learning-rate", 1e20)
    assert code == 2 and "below a million" in err
    code, _, err = run_train(capsys, "unet", *common, "--limit", 20, "--size", "64x64")
    assert code == 2 and "bearleft features DATASET -o DIR --backbone random:0 --size 64x64" in err
    assert not list((tmp_path / "run").glob("*.pt"))


@pytest.mark.parametrize(("device", "expected"), [("cuda:99", "--device cpu"), ("gpu", "expected cpu or cuda")])
def test_missing_device_is_one_line(
    device: str, expected: str, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("unet", DATASET, "-o", tmp_path / "run", "--features", store, "--limit", 20, "--device", device)
    code, _, err = run_train(capsys, *arguments)
    assert code == 2 and expected in err and not (tmp_path / "run").exists()
    with pytest.raises(InputError, match=expected):
        load_backbone("random:0", device)


def test_set_option_parses_numbers_and_words() -> None:
    assert [parse_override(text) for text in ("m=3", "map_dropout=0.5", "released=true", "a=b")] == [
        ("m", 3),
        ("map_dropout", 0.5),
        ("released", True),
        ("a", "b"),
    ]
    with pytest.raises(InputError, match="a setting like m=3"):
        parse_override("m")


def test_training_in_a_log_file_reports_progress(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also within an epoch, and after every update if updates are slow."""
    for name in ("bearleft.runtime.progress.FIRST_SECONDS", "bearleft.runtime.progress.INTERVAL"):
        monkeypatch.setattr(name, 0.0)
    monkeypatch.setattr("bearleft.training.pointing.loop.REPORT_SECONDS", -1.0)
    options = ("--features", store, "--limit", 20, "--epochs", 1, "--batch-size", 4, "--set", "width=4", "--json")
    code, out, err = run_train(capsys, "unet", DATASET, "-o", tmp_path / "run", *options)
    lines = [line for line in err.splitlines() if line.startswith("epoch 1/1, loss ")]
    assert code == 0 and len(lines) == -(-json.loads(out)[0]["examples"] // 4) and "left" in lines[1]


def test_features_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    from bearleft.models.examples import Panorama
    from bearleft.models.features import sources

    lines: list[str] = []
    monkeypatch.setattr(sources, "announce", lines.append)
    monkeypatch.setattr(sources, "open_pictures", lambda *_: {})
    monkeypatch.setattr(sources, "ComputedFeatures", lambda *_: "computed")
    monkeypatch.setattr(sources, "cache_bytes", lambda *_: 2_500_000_000)
    monkeypatch.setattr(sources.CachedFeatures, "from_source", lambda *_: "cached")
    panoramas = [Panorama("city/0", str(k), 0.0) for k in range(3)]
    assert sources.features_for(panoramas, "random:0", cache=True) == "cached"  # type: ignore[comparison-overlap]
    assert len(lines) == 1 and "3 panoramas into 2.5 GB" in lines[0] and "bearleft features DATASET" in lines[0]
