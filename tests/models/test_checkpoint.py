"""Checkpoints: what is saved is loaded, damage is detected, and files of earlier versions load."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.checkpoint import PointCheckpoint, read_checkpoint, write_checkpoint  # noqa: E402
from bearleft.models.looking.network import Sentences  # noqa: E402
from bearleft.models.looking.player import LookCheckpoint  # noqa: E402
from bearleft.models.looking.sphere import Memory  # noqa: E402
from bearleft.models.pointing.network import Batch, Shape  # noqa: E402
from bearleft.models.pointing.registry import NETWORKS, build_network  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402

FORMAT1 = Path(__file__).parent / "format1"  # files that version 0.1.0 wrote, and scores of their networks
SHAPE = Shape(vocabulary_size=6, rows=8, columns=32, channels=4)
SMALL_CONFIGS = {
    "unet": {"width": 4},
    "concat": {"hidden": 4, "embedding_dim": 4, "lstm_dim": 4},
    "concatconv": {"embedding_dim": 4, "lstm_dim": 4},
    "text2conv": {"embedding_dim": 4, "lstm_dim": 4},
    "lingunet": {"width": 4, "embedding_dim": 4, "lstm_dim": 4},
    "bearing": {"width": 16, "layers": 1, "heads": 2, "cell_width": 8, "max_words": 6},
}


def make_checkpoint(name: str = "unet") -> PointCheckpoint:
    network = build_network(name, SHAPE, 3, **SMALL_CONFIGS[name]).eval()
    words = Vocabulary(("door", "the", "rouge", "straße"))
    return PointCheckpoint(
        network, name, network.config, words, Slicing(32, 64), "city", "ab" * 32, {"seed": 3, "A@80px": 12.5}
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_saved_checkpoint_loads_unchanged(name: str, tmp_path: Path) -> None:
    saved = make_checkpoint(name)
    saved.save(tmp_path / "one.pt")
    loaded = PointCheckpoint.load(tmp_path / "one.pt")
    assert (loaded.name, loaded.config, loaded.vocabulary) == (name, saved.config, saved.vocabulary)
    assert (loaded.slicing, loaded.backbone, loaded.backbone_hash) == (saved.slicing, "city", "ab" * 32)
    assert loaded.training_info == saved.training_info and not loaded.network.training
    rng = torch.Generator().manual_seed(0)
    batch = Batch(torch.randn(2, 4, 8, 32, generator=rng), torch.tensor([[2, 3, 4], [5, 1, 0]]), torch.tensor([3, 2]))
    with torch.no_grad():
        assert torch.equal(loaded.network(batch), saved.network(batch))


def test_torch_can_load_the_file(tmp_path: Path) -> None:
    make_checkpoint().save(tmp_path / "one.pt")
    assert torch.load(tmp_path / "one.pt", weights_only=True)["network"] == "unet"


def test_every_changed_byte_is_detected(tmp_path: Path) -> None:
    make_checkpoint().save(tmp_path / "one.pt")
    original = (tmp_path / "one.pt").read_bytes()
    for position in [*range(0, len(original), 997), len(original) - 1, len(original) - 40]:
        changed = bytearray(original)
        changed[position] ^= 4
        (tmp_path / "bad.pt").write_bytes(changed)
        with pytest.raises(InputError, match=r"bad\.pt: expected a checkpoint of a pointing network, got a"):
            PointCheckpoint.load(tmp_path / "bad.pt")


@pytest.mark.parametrize("length", [0, 10, 500, -1])
def test_truncation_is_detected(length: int, tmp_path: Path) -> None:
    make_checkpoint().save(tmp_path / "one.pt")
    (tmp_path / "one.pt").write_bytes((tmp_path / "one.pt").read_bytes()[:length])
    with pytest.raises(InputError, match="an empty file" if length == 0 else "ends early"):
        PointCheckpoint.load(tmp_path / "one.pt")


def test_other_files_raise(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing there"):
        PointCheckpoint.load(tmp_path / "none.pt")
    write_checkpoint(tmp_path / "state.pt", {"kind": "training"})
    with pytest.raises(InputError, match="got a training state"):
        PointCheckpoint.load(tmp_path / "state.pt")
    assert read_checkpoint(tmp_path / "state.pt", kind="training")["format"] == 2
    write_checkpoint(tmp_path / "new.pt", {"kind": "point", "format": 9})
    with pytest.raises(InputError, match="expected a checkpoint of format 2, got format 9"):
        PointCheckpoint.load(tmp_path / "new.pt")


def test_weights_that_do_not_fit_raise(tmp_path: Path) -> None:
    make_checkpoint().save(tmp_path / "one.pt")
    content = read_checkpoint(tmp_path / "one.pt")
    content["weights"].popitem()
    write_checkpoint(tmp_path / "less.pt", content)
    with pytest.raises(
        InputError, match=r"less\.pt: expected a checkpoint of a pointing network, got one that does not fit"
    ):
        PointCheckpoint.load(tmp_path / "less.pt")
    write_checkpoint(tmp_path / "other.pt", {**content, "network": "nonet"})
    with pytest.raises(InputError, match=r"other\.pt.*nonet"):
        PointCheckpoint.load(tmp_path / "other.pt")


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    make_checkpoint().save(tmp_path / "one.pt")
    with pytest.raises(Exception, match="pickle"):
        write_checkpoint(tmp_path / "one.pt", {"kind": "point", "training_info": lambda: None})
    assert PointCheckpoint.load(tmp_path / "one.pt").name == "unet" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["bearing", "lingunet", "text2conv"])
def test_point_checkpoints_of_format_1_load(name: str) -> None:
    checkpoint = PointCheckpoint.load(FORMAT1 / f"{name}.pt")
    assert (checkpoint.backbone, checkpoint.backbone_hash) == ("city", "ab" * 32)
    assert checkpoint.training_info["train_config"] == {"network": name, "overrides": {}, "learning_rate": None}
    rng = torch.Generator().manual_seed(0)
    batch = Batch(torch.randn(2, 3, 4, 8, generator=rng), torch.tensor([[2, 3, 4], [5, 1, 0]]), torch.tensor([3, 2]))
    with torch.no_grad():
        scores = checkpoint.network(batch)
    expected = json.loads((FORMAT1 / "scores.json").read_text())[name]
    assert scores.flatten()[::13].tolist() == pytest.approx(expected, abs=2e-5)


def test_renamed_fields_of_format_2_are_upgraded(tmp_path: Path) -> None:
    config = {"network": "unet", "tuning_share": 0.1}
    info = {"kind": "point", "train_config": config, "training_info": {"train_config": config, "seed": 3}}
    write_checkpoint(tmp_path / "old.pt", info | {"weights": {"text.age_embedding.weight": torch.zeros(1)}})
    content = read_checkpoint(tmp_path / "old.pt")
    assert content["train_config"] == {"network": "unet", "validation_share": 0.1}
    assert content["training_info"] == {"train_config": content["train_config"], "seed": 3}
    assert list(content["weights"]) == ["text.offset_embedding.weight"]


def test_look_checkpoints_of_format_1_load() -> None:
    checkpoint = LookCheckpoint.load(FORMAT1 / "looker.pt")
    assert (checkpoint.turn_mode, checkpoint.turn_degrees, checkpoint.backbone) == ("discrete", 7.5, "city")
    rng = torch.Generator().manual_seed(0)
    memory = Memory(torch.randn(2, 3, 4, 12, generator=rng), torch.rand(2, 1, 4, 12, generator=rng))
    words, sentence_offsets = torch.tensor([[2, 3, 4], [5, 1, 0]]), torch.tensor([[1, 0, 0], [0, 0, 0]])
    look = torch.tensor([[10.0, 5.0], [200.0, -20.0]])
    network = checkpoint.network
    with torch.no_grad():
        belief = network(Sentences(words, sentence_offsets, torch.tensor([3, 2])), memory, look)
        view = network.score_view(belief, torch.randn(2, 3, 2, 2, generator=rng), look)
        turns = network.score_turns(belief, look)
    scores = [*belief.scores.flatten()[::17], *view.flatten()[::3], *turns.flatten()[::4]]
    expected = json.loads((FORMAT1 / "scores.json").read_text())["looker"]
    assert [float(score) for score in scores] == pytest.approx(expected, abs=2e-5)
