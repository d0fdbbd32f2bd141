"""A trained network as one file."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.checkpoint import Pointer, load, read, save, write  # noqa: E402
from bearleft.models.pointing.network import Batch, Shape  # noqa: E402
from bearleft.models.pointing.registry import NETWORKS, network  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402

SHAPE = Shape(words=6, rows=8, columns=32, channels=4)
SMALL = {
    "unet": {"width": 4},
    "concat": {"hidden": 4, "vector": 4, "state": 4},
    "concatconv": {"vector": 4, "state": 4},
    "text2conv": {"vector": 4, "state": 4},
    "lingunet": {"width": 4, "vector": 4, "state": 4},
    "bearing": {"width": 16, "layers": 1, "heads": 2, "fine": 8, "longest": 6},
}


def pointer(name: str = "unet") -> Pointer:
    made = network(name, SHAPE, 3, **SMALL[name]).eval()
    words = Vocabulary(("door", "the", "rouge", "straße"))
    return Pointer(made, name, made.config, words, Slicing(32, 64), "city", "ab" * 32, {"seed": 3, "A@80px": 12.5})


@pytest.mark.parametrize("name", NETWORKS)
def test_what_is_saved_is_loaded(name: str, tmp_path: Path) -> None:
    before = pointer(name)
    save(tmp_path / "one.pt", before)
    after = load(tmp_path / "one.pt")
    assert (after.name, after.config, after.vocabulary) == (name, before.config, before.vocabulary)
    assert (after.slicing, after.trunk, after.trunk_hash) == (before.slicing, "city", "ab" * 32)
    assert after.about == before.about and not after.network.training
    rng = torch.Generator().manual_seed(0)
    batch = Batch(torch.randn(2, 4, 8, 32, generator=rng), torch.tensor([[2, 3, 4], [5, 1, 0]]), torch.tensor([3, 2]))
    with torch.no_grad():
        assert torch.equal(after.network(batch), before.network(batch))


def test_torch_reads_it_too_and_runs_nothing(tmp_path: Path) -> None:
    save(tmp_path / "one.pt", pointer())
    assert torch.load(tmp_path / "one.pt", weights_only=True)["network"] == "unet"


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    save(tmp_path / "one.pt", pointer())
    whole = (tmp_path / "one.pt").read_bytes()
    for at in [*range(0, len(whole), 997), len(whole) - 1, len(whole) - 40]:
        changed = bytearray(whole)
        changed[at] ^= 4
        (tmp_path / "bad.pt").write_bytes(changed)
        with pytest.raises(InputError, match=r"bad\.pt: expected a pointer's checkpoint, got a"):
            load(tmp_path / "bad.pt")


@pytest.mark.parametrize("length", [0, 10, 500, -1])
def test_a_file_that_ends_early_is_noticed(length: int, tmp_path: Path) -> None:
    save(tmp_path / "one.pt", pointer())
    (tmp_path / "one.pt").write_bytes((tmp_path / "one.pt").read_bytes()[:length])
    with pytest.raises(InputError, match="an empty file" if length == 0 else "ends early"):
        load(tmp_path / "one.pt")


def test_other_files_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing there"):
        load(tmp_path / "none.pt")
    write(tmp_path / "state.pt", {"kind": "training"})
    with pytest.raises(InputError, match='got one of "training"'):
        load(tmp_path / "state.pt")
    assert read(tmp_path / "state.pt", kind="training")["format"] == 1
    write(tmp_path / "new.pt", {"kind": "pointer", "format": 9})
    with pytest.raises(InputError, match="expected a checkpoint of format 1, got format 9"):
        load(tmp_path / "new.pt")


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    save(tmp_path / "one.pt", pointer())
    content = read(tmp_path / "one.pt")
    content["weights"].popitem()
    write(tmp_path / "less.pt", content)
    with pytest.raises(InputError, match=r"less\.pt: expected a pointer's checkpoint, got one that does not fit"):
        load(tmp_path / "less.pt")
    write(tmp_path / "other.pt", {**content, "network": "nonet"})
    with pytest.raises(InputError, match=r"other\.pt.*nonet"):
        load(tmp_path / "other.pt")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    save(tmp_path / "one.pt", pointer())
    with pytest.raises(Exception, match="pickle"):
        write(tmp_path / "one.pt", {"kind": "pointer", "about": lambda: None})
    assert load(tmp_path / "one.pt").name == "unet" and len(list(tmp_path.iterdir())) == 1
