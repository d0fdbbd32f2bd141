"""Trained agents by name, their export with 8-bit weights, and model cards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from bearleft import evaluate  # noqa: E402
from bearleft.agents.registry import canonical_name, make_agent  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models import pretrained  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.checkpoint import PointCheckpoint, read_checkpoint, write_checkpoint  # noqa: E402
from bearleft.models.export import export_checkpoint  # noqa: E402
from bearleft.models.int8 import dequantize_weights, quantize_weights  # noqa: E402
from bearleft.models.pointing.network import Shape  # noqa: E402
from bearleft.models.pointing.registry import build_network  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.commands import run_command  # noqa: E402

SLICING = Slicing(56, 96)
WORDS = tuple(f"word{k}" for k in range(40))
SPLIT = "city/sdr/small"


def save_network(path: Path, seed: int = 1) -> PointCheckpoint:
    """Write a pointing network with random weights."""
    backbone, vocabulary = load_backbone("random:1"), Vocabulary(WORDS)
    network = build_network(
        "concat", Shape(len(vocabulary), SLICING.rows, SLICING.columns, backbone.channels), seed=seed
    )
    about = {"seed": seed, "epoch": 3, "train_config": {"learning_rate": 0.001}}
    checkpoint = PointCheckpoint(
        network, "concat", network.config, vocabulary, SLICING, "random:1", backbone.hash, about
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    checkpoint.save(path)
    return checkpoint


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for that of the agents that come with bearleft, with one agent."""
    folder = tmp_path / "installed"
    save_network(tmp_path / "source" / "best.pt")
    export_checkpoint(tmp_path / "source", folder / "pointer.pt")
    monkeypatch.setattr(pretrained, "FOLDER", folder)
    return folder


def slow_code(row: list[float], value: float) -> float:
    """One weight as it is read back, computed by itself in double precision."""
    scale = max(abs(v) for v in row) / 127
    return 0.0 if scale == 0.0 else round(value / scale) * scale


@given(
    st.integers(2, 40),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-30, 1e-3, 1.0, 1e4]),
)
def test_8_bit_weights_are_within_half_a_scale(rows: int, width: int, seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    columns = -(-1024 // rows) * width
    values = (rng.normal(size=(rows, columns)) * size).astype(np.float32)
    values[0] = 0.0  # a row without weights
    weights = {"large": torch.from_numpy(values), "bias": torch.ones(2000), "small": torch.ones(3, 3)}
    stored = quantize_weights(weights)
    read = dequantize_weights(stored)
    assert stored["large"]["codes"].dtype == torch.int8
    assert torch.equal(read["bias"], weights["bias"]) and torch.equal(read["small"], weights["small"])
    half = np.abs(values).max(1, keepdims=True) / 127 / 2
    assert (np.abs(read["large"].numpy() - values) <= half * 1.001 + 1e-37).all()
    k = int(rng.integers(1, rows))
    expected = [slow_code(values[k].tolist(), v) for v in values[k].tolist()]
    off = np.abs(read["large"][k].numpy() - np.array(expected))
    assert (off <= 2.001 * half[k]).all() and (off > 1e-4 * half[k]).mean() < 0.01  # ties may round either way


def test_weights_that_are_not_finite_cannot_be_quantized() -> None:
    with pytest.raises(ValueError, match="finite weights, got NaN or infinity in one"):
        quantize_weights({"one": torch.full((64, 64), float("nan"))})


def test_exported_network_is_a_checkpoint_of_a_fourth_of_the_size(tmp_path: Path) -> None:
    saved = save_network(tmp_path / "run" / "best.pt")
    card = export_checkpoint(tmp_path / "run", tmp_path / "small.pt", scores=[{"metric": "A@80px", "value": 50.0}])
    loaded = PointCheckpoint.load(tmp_path / "small.pt")
    assert loaded.metadata() == saved.metadata()
    for name, value in loaded.network.state_dict().items():
        original = saved.network.state_dict()[name]
        assert value.dtype == original.dtype
        assert (value - original).abs().max() <= original.abs().max() / 127 / 2 * 1.001
    assert card["bytes"] < 0.35 * card["source_bytes"] and card["bytes"] == (tmp_path / "small.pt").stat().st_size
    assert json.loads((tmp_path / "small.json").read_text()) == card
    assert (card["kind"], card["network"], card["seed"], card["epoch"]) == ("point", "concat", 1, 3)
    assert card["parameters"] == sum(value.numel() for value in saved.network.state_dict().values())
    assert card["scores"] == [{"metric": "A@80px", "value": 50.0}] and card["licence"] == "Apache-2.0"


def test_export_of_an_export_is_the_same(tmp_path: Path) -> None:
    save_network(tmp_path / "best.pt")
    export_checkpoint(tmp_path / "best.pt", tmp_path / "once.pt")
    export_checkpoint(tmp_path / "once.pt", tmp_path / "twice.pt")
    first, second = (read_checkpoint(tmp_path / name)["weights"] for name in ("once.pt", "twice.pt"))
    assert all(torch.allclose(first[name], second[name], rtol=1e-6, atol=0) for name in first)
    export_checkpoint(tmp_path / "best.pt", tmp_path / "same.pt", bits=32)
    original = read_checkpoint(tmp_path / "best.pt")["weights"]
    assert all(
        torch.equal(value, original[name]) for name, value in read_checkpoint(tmp_path / "same.pt")["weights"].items()
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"codes": torch.zeros(4, 512)}, "8-bit codes"),
        ({"scales": torch.ones(3)}, "finite scale for each row"),
        ({"scales": torch.full((4,), float("inf"))}, "finite scale"),
    ],
)
def test_8_bit_weights_of_another_form_are_an_error(change: dict[str, Any], expected: str, tmp_path: Path) -> None:
    stored = {"codes": torch.zeros(4, 512, dtype=torch.int8), "scales": torch.ones(4)} | change
    write_checkpoint(tmp_path / "bad.pt", {"kind": "point", "weights": {"one": stored}, "weight_bits": 8})
    with pytest.raises(InputError, match=expected):
        read_checkpoint(tmp_path / "bad.pt")


def test_a_pretrained_agent_plays_by_its_name(installed: Path, tmp_path: Path) -> None:
    traces = evaluate("pointer", SPLIT, tmp_path / "named.jsonl", limit=2)
    direct = evaluate(str(installed / "pointer.pt"), SPLIT, limit=2)
    assert [trace.legs for trace in traces] == [trace.legs for trace in direct]
    assert traces[0].agent.startswith("pointer[") and str(tmp_path) not in traces[0].agent
    assert make_agent("pointer", SPLIT).label == traces[0].agent  # type: ignore[attr-defined]
    assert evaluate("pointer", SPLIT, tmp_path / "named.jsonl", limit=2) == traces  # nothing is left to play


@pytest.mark.usefixtures("installed")
def test_a_folder_of_the_same_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pointer").mkdir()
    assert canonical_name("pointer") == "pointer"  # a folder without a training
    save_network(Path("pointer/best.pt"), seed=2)
    with pytest.raises(InputError, match=r"comes with bearleft, and a folder here.*\./pointer"):
        evaluate("pointer", SPLIT, limit=1)
    assert evaluate("./pointer", SPLIT, limit=1)[0].agent.startswith("pointer/best.pt[")


@pytest.mark.usefixtures("installed")
def test_a_misspelt_name_is_suggested() -> None:
    with pytest.raises(InputError, match="Did you mean pointer"):
        make_agent("ponter", SPLIT)


def test_models_lists_agents_and_trainings(installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = tmp_path / "runs"
    save_network(runs / "b" / "best.pt", seed=5)
    (runs / "a").mkdir()
    (runs / "a" / "best.pt").write_bytes(b"damaged")
    save_network(runs / ".hidden" / "best.pt")
    code, out, err = run_command(capsys, "models", "--runs", runs, "--json")
    rows = json.loads(out)
    assert code == 0 and not err
    assert [row["model"] for row in rows] == ["pointer", str(runs / "a"), str(runs / "b")]
    assert [row["network"] for row in rows] == ["concat", "", "concat"]
    assert [row["seed"] for row in rows] == [1, "", 5]
    assert rows[0]["bytes"] == (installed / "pointer.pt").stat().st_size
    code, out, err = run_command(capsys, "models", "--runs", runs)
    assert code == 0 and "comes with bearleft" in out and "size" in out and "Next: bearleft eval" in err
    code, _, err = run_command(capsys, "models", "--runs", tmp_path / "none")
    assert code == 2 and "a folder with trainings" in err


def test_an_empty_list_says_how_to_train(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    code, out, err = run_command(capsys, "models", "--runs", tmp_path)
    assert code == 0 and not out.strip() and "no training below" in err and "bearleft train" in err
    assert run_command(capsys, "models", "--runs", tmp_path, "--json")[1].strip() == "[]"


def test_model_card_command(installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_command(capsys, "models", "card", "pointer")
    assert code == 0 and json.loads(out)["name"] == "pointer"
    code, _, err = run_command(capsys, "models", "card", "ponter")
    assert code == 2 and "Did you mean pointer" in err
    code, _, err = run_command(capsys, "models", "card", tmp_path / "source" / "best.pt")
    assert code == 2 and "a model card beside the weights" in err and "bearleft models export" in err
    (installed / "pointer.json").write_text("[]")
    code, _, err = run_command(capsys, "models", "card", "pointer")
    assert code == 2 and "a model card in JSON" in err


def test_export_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_network(tmp_path / "run" / "best.pt")
    scores = tmp_path / "scores.json"
    scores.write_text('[{"metric": "A@80px", "value": 1.5}]')
    options = ["--scores", scores, "--about", "data=city/sdr/train"]
    code, _, err = run_command(capsys, "models", "export", tmp_path / "run", "-o", tmp_path / "out.pt", *options)
    card = json.loads((tmp_path / "out.json").read_text())
    assert code == 0 and "Next: bearleft eval" in err
    assert card["data"] == "city/sdr/train" and card["scores"][0]["value"] == 1.5


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("none -o out.pt", "a checkpoint"),
        ("run -o out", "a file name that ends in .pt"),
        ("run -o run/best.pt", "a new file"),
        ("run -o out.pt --about data", "NAME=TEXT"),
        ("run -o out.pt --scores none.json", "bearleft score TRACES.jsonl --json > none.json"),
        ("run -o out.pt --scores bad.json", "rows of scores in JSON"),
        ("run -o out.pt --scores text.json", "rows of scores in JSON"),
    ],
)
def test_mistakes_in_exports(
    arguments: str,
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    save_network(Path("run/best.pt"))
    Path("bad.json").write_text("{}")
    Path("text.json").write_text("metric")
    code, out, err = run_command(capsys, "models", "export", *arguments.split())
    assert code == 2 and not out and expected in err
    assert not Path("out.pt").exists() and not Path("out.json").exists()


def test_the_list_needs_no_torch(installed: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from bearleft.models import pretrained
pretrained.FOLDER = Path({str(installed)!r})
print(pretrained.pretrained_names(), pretrained.agent_card("pointer")["network"], "torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['pointer'] concat False\n"
