"""A network of the user's own file: trained, resumed and evaluated; its code runs only if the user names the file."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import bearleft  # noqa: E402
from bearleft import evaluate  # noqa: E402
from bearleft.agents.checkpoints import CheckpointOptions  # noqa: E402
from bearleft.agents.pointing import PointAgent  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models import NETWORK_FILE  # noqa: E402
from bearleft.models.checkpoint import POINT, PointCheckpoint, read_checkpoint, write_checkpoint  # noqa: E402
from bearleft.models.pointing.network_file import load_network_file  # noqa: E402
from bearleft.training.history import TrainProgress  # noqa: E402
from bearleft.training.inputs import TrainInputs  # noqa: E402
from bearleft.training.pointing.config import TrainConfig  # noqa: E402
from bearleft.training.pointing.train import TrainResult  # noqa: E402
from tests.commands import run_command  # noqa: E402

EXAMPLE = Path(__file__).parents[3] / "examples" / "own_network.py"
DATASET = "city/sdr/small"
RAISE = "raise RuntimeError('this code must not run')\n"


@pytest.fixture
def network_file(tmp_path: Path) -> Path:
    """Return a copy of the example, in a folder of its own."""
    folder = tmp_path / "mine"
    folder.mkdir()
    return Path(shutil.copy(EXAMPLE, folder / "my_net.py"))


def train_arguments(network: Path, store: Path, folder: Path) -> tuple[object, ...]:
    options = ("--features", store, "--limit", 20, "--epochs", 2, "--set", "width=4", "--json")
    return "train", network, DATASET, "-o", folder, *options


def test_own_network_is_trained_resumed_and_evaluated(
    network_file: Path, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    code, out, _ = run_command(capsys, *train_arguments(network_file, store, folder), "--minutes", 0)
    assert code == 0 and json.loads(out) == []
    monkeypatch.chdir(network_file.parent)  # another path to the same file
    code, out, err = run_command(capsys, *train_arguments(Path("my_net.py"), store, folder))
    assert code == 0 and [row["epoch"] for row in json.loads(out)] == [1, 2]
    assert "--network my_net.py" in err and (folder / NETWORK_FILE).read_bytes() == EXAMPLE.read_bytes()
    checkpoint = PointCheckpoint.load(folder / "best.pt", network="my_net.py")
    assert checkpoint.name == "my_net.py" and checkpoint.config.width == 4
    assert checkpoint.network.state_dict()["cells.weight"].shape[0] == 4

    uninterrupted = tmp_path / "uninterrupted"
    code, _, _ = run_command(capsys, *train_arguments(network_file, store, uninterrupted))
    other = PointCheckpoint.load(uninterrupted / "best.pt", network=network_file)
    for name, weight in checkpoint.network.state_dict().items():
        assert torch.equal(weight, other.network.state_dict()[name])

    traces = folder / "traces.jsonl"
    arguments = ("eval", folder, DATASET, "--limit", 2, "--features", store, "--device", "cpu", "-o", traces)
    code, _, err = run_command(capsys, *arguments, "--network", "my_net.py")
    assert code == 0 and "2 new episodes" in err and len(traces.read_text().splitlines()) == 2


def test_ctrl_c_stops_and_the_command_resumes(
    network_file: Path, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(progress: TrainProgress) -> None:
        if progress.update:
            os.kill(os.getpid(), signal.SIGINT)

    config = TrainConfig(str(network_file), epochs=2, overrides={"width": 4})
    inputs = TrainInputs(DATASET, limit=20, features=str(store))
    result = bearleft.train(config, inputs, tmp_path / "run", report=interrupt)
    assert isinstance(result, TrainResult) and result.stopped == "signal"
    code, out, _ = run_command(capsys, *train_arguments(network_file, store, tmp_path / "run"))
    assert code == 0 and [row["epoch"] for row in json.loads(out)] == [1, 2]


def test_changed_file_does_not_resume_nor_evaluate(
    network_file: Path, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert run_command(capsys, *train_arguments(network_file, store, folder))[0] == 0
    network_file.write_text(network_file.read_text() + "# changed\n")
    code, _, err = run_command(capsys, *train_arguments(network_file, store, folder))
    assert code == 2 and 'expected network "my_net.py[' in err and str(folder / NETWORK_FILE) in err
    with pytest.raises(InputError, match=r"the network file that it was trained with, my_net.py.*network.py"):
        PointCheckpoint.load(folder / "best.pt", network=network_file)
    assert PointCheckpoint.load(folder / "best.pt", network=folder / NETWORK_FILE).config.width == 4


@pytest.mark.parametrize("network_hash", [None, "the file's own"])
def test_checkpoint_never_runs_a_file_that_nobody_named(
    network_hash: str | None,
    network_file: Path,
    store: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "run"
    assert run_command(capsys, *train_arguments(network_file, store, folder))[0] == 0
    hostile = tmp_path / "hostile.py"
    hostile.write_text(RAISE)
    (folder / NETWORK_FILE).write_text(RAISE)
    content = read_checkpoint(folder / "best.pt", "cpu", POINT) | {"network": str(hostile)}
    del content["format"]
    if network_hash is None:
        del content["network_hash"]
    write_checkpoint(folder / "best.pt", content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="Python file of its network" if network_hash else "the name of a network"):
        PointCheckpoint.load(folder / "best.pt")
    with pytest.raises(InputError):
        evaluate(str(folder), DATASET, limit=1)


def test_network_file_is_refused_where_none_is_needed(store: Path, tmp_path: Path, network_file: Path) -> None:
    config = TrainConfig("unet", epochs=1, overrides={"width": 4})
    bearleft.train(config, TrainInputs(DATASET, limit=20, features=str(store)), tmp_path / "run")
    network_file.write_text(RAISE)
    with pytest.raises(InputError, match="unet is a network of bearleft"):
        PointAgent(tmp_path / "run" / "best.pt", CheckpointOptions("cpu", network=network_file))


GOOD = EXAMPLE.read_text()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1\n", r"my_net.py: expected NETWORK = NetworkSpec\(.*got no such variable.*own_network.py"),
        ("NETWORK = 3\n", "got a int"),
        ("x = (\n", r"my_net.py:1: expected a Python file that can be imported.*SyntaxError"),
        ("import nothing_of_this_name\n", r"my_net.py:1: .*ModuleNotFoundError"),
        (GOOD.replace("    shape: Shape ", "    form: int = 1 "), "a dataclass with a field shape"),
        (GOOD.replace("Product, learning", "nn.Linear, learning"), "a subclass of PointNetwork"),
    ],
)
def test_files_without_a_network_are_errors(source: str, expected: str, network_file: Path) -> None:
    network_file.write_text(source)
    with pytest.raises(InputError, match=expected):
        load_network_file(network_file)


@pytest.mark.parametrize(
    ("old", "new", "options", "expected"),
    [
        ("bw,bwrc->brc", "bw,bwrc->bcr", (), "scores of shape"),
        ("batch.lengths[:, None]", "batch.size", (), "AttributeError"),
        ("return torch", "return None and torch", (), "got a NoneType"),
        ("return torch", "return batch.features[:, 0] if True else torch", (), "without a gradient"),
        ("config.width, 1)", "config.breadth, 1)", (), "can be built from its Config"),
        ("width: int = 32", "width: object = dataclass", (), "settings that are numbers"),
        ("", "", ("--set", "widht=3"), "Did you mean width?"),
        ("", "", ("--set", "width=wide"), "expected a whole number"),
        ("", "", ("--released",), "released"),
    ],
)
def test_mistakes_are_found_before_features(
    old: str,
    new: str,
    options: tuple[str, ...],
    expected: str,
    network_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def features_for(*_arguments: Any, **_options: Any) -> None:
        raise AssertionError("features are computed")

    monkeypatch.setattr("bearleft.training.pointing.dataset.features_for", features_for)
    network_file.write_text(GOOD.replace(old, new) if old else GOOD)
    small = ("--backbone", "random:0", "--size", "32x64", "--limit", 20)
    code, _, err = run_command(capsys, "train", network_file, DATASET, "-o", tmp_path / "run", *small, *options)
    assert code == 2 and expected in err and not (tmp_path / "run").exists()
