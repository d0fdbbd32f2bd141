"""Backbones: features, loading of weights, and errors for invalid weight files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import Tensor
from torch.nn.functional import conv2d, max_pool2d

from bearleft.errors import InputError
from bearleft.models.backbones import registry as backbones
from bearleft.models.backbones.base import weights_hash
from bearleft.models.backbones.registry import Backbone, ResNet18, load_backbone
from tests.models.tolerances import randomize_norms


@pytest.fixture(scope="module")
def resnet() -> ResNet18:
    """Return a backbone with non-trivial batch norms."""
    return randomize_norms(backbones.random_resnet18("random:5").eval())


@pytest.fixture(scope="module")
def pictures() -> Tensor:
    return torch.from_numpy(np.random.default_rng(0).integers(0, 256, (2, 52, 44, 3), np.uint8))


def reference_features(weights: dict[str, Tensor], pictures: Tensor) -> Tensor:
    """Return the features of ResNet-18's first layers, written out in double precision."""
    w = {name: value.double() for name, value in weights.items()}

    def conv_norm(x: Tensor, conv: str, norm: str, stride: int = 1, padding: int = 1) -> Tensor:
        x = conv2d(x, w[f"{conv}.weight"], stride=stride, padding=padding)
        mean, var, gain, bias = (
            w[f"{norm}.{k}"][:, None, None] for k in ("running_mean", "running_var", "weight", "bias")
        )
        return (x - mean) / (var + 1e-5).sqrt() * gain + bias

    x = pictures.double() / 255.0
    x = (x - torch.tensor([0.485, 0.456, 0.406])) / torch.tensor([0.229, 0.224, 0.225])
    x = max_pool2d(conv_norm(x.permute(0, 3, 1, 2), "conv1", "bn1", 2, 3).clamp(min=0), 3, 2, 1)
    for name, stride in (("layer1.0", 1), ("layer1.1", 1), ("layer2.0", 2), ("layer2.1", 1)):
        inner = conv_norm(x, f"{name}.conv1", f"{name}.bn1", stride).clamp(min=0)
        inner = conv_norm(inner, f"{name}.conv2", f"{name}.bn2")
        if stride == 2:
            x = conv_norm(x, f"{name}.downsample.0", f"{name}.downsample.1", 2, 0)
        x = (x + inner).clamp(min=0)
    return x


def test_feature_maps_equal_resnet18(resnet: ResNet18, pictures: Tensor) -> None:
    with torch.no_grad():
        features, expected = resnet(pictures), reference_features(resnet.state_dict(), pictures)
    assert features.shape == (2, 128, 7, 6)  # one cell per 8 pixels, rounded up
    assert torch.allclose(features.double(), expected, atol=1e-3, rtol=1e-4) and expected.std() > 0.1


def test_folded_batch_norms_give_the_same_features(resnet: ResNet18, pictures: Tensor) -> None:
    folded = resnet.fold_batch_norms()
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in folded.modules())
    with torch.no_grad():
        features, folded_features, folded_twice = (
            resnet(pictures),
            folded(pictures),
            folded.fold_batch_norms()(pictures),
        )
    assert torch.allclose(features, folded_features, atol=1e-4 * float(features.max())) and torch.equal(
        folded_features, folded_twice
    )
    assert (folded.name, folded.hash) == (resnet.name, resnet.hash)
    assert folded_features.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("size", [(800, 460, 100, 58), (200, 116, 25, 15), (8, 8, 1, 1)])
def test_map_size_equals_the_slicing(size: tuple[int, int, int, int]) -> None:
    height, width, rows, columns = size
    with torch.no_grad():
        features = load_backbone("random:0").fold_batch_norms()(torch.zeros((1, height, width, 3), dtype=torch.uint8))
    assert features.shape == (1, 128, rows, columns)


def test_half_precision_and_autocast_are_close(resnet: ResNet18, pictures: Tensor) -> None:
    with torch.no_grad():
        full = resnet(pictures)
        with torch.autocast("cpu", torch.bfloat16):
            cast = resnet(pictures).float()
        half = resnet.fold_batch_norms().bfloat16()(pictures).float()
    for other in (cast, half):
        assert (full - other).abs().mean() < 0.03 * full.abs().mean()


@pytest.mark.parametrize(
    "shape_and_dtype", [((1, 3, 8, 8), torch.uint8), ((1, 8, 8, 3), torch.float32), ((8, 8, 3), torch.uint8)]
)
def test_invalid_pictures_raise(shape_and_dtype: tuple[tuple[int, ...], torch.dtype]) -> None:
    with pytest.raises(InputError, match="expected pictures as bytes"):
        load_backbone("random:0")(torch.zeros(shape_and_dtype[0], dtype=shape_and_dtype[1]))


def test_seed_determines_the_weights(pictures: Tensor) -> None:
    first, same, other = load_backbone("random:3"), load_backbone("random:3"), load_backbone("random:4")
    assert first.hash == same.hash != other.hash and first.name == "random:3" and first.channels == 128
    features = first(pictures)
    assert not features.requires_grad and 0.05 < features.std() < 20 and features.min() >= 0


def test_torchvision_file_loads(tmp_path: Path, resnet: ResNet18, pictures: Tensor) -> None:
    """Such a file also has later layers, and one of an older torch has no batch counters."""
    weights = {name: value for name, value in resnet.state_dict().items() if "num_batches" not in name}
    other_layers = {"layer3.0.conv1.weight": torch.zeros(256, 128, 3, 3), "fc.bias": torch.zeros(1000)}
    torch.save(weights | other_layers, tmp_path / "resnet18-f37072fd.pth")
    loaded = load_backbone(str(tmp_path / "resnet18-f37072fd.pth"))
    assert (
        loaded.name == "resnet18-f37072fd.pth" and loaded.hash == weights_hash(resnet) and isinstance(loaded, Backbone)
    )
    with torch.no_grad():
        assert torch.equal(loaded(pictures), resnet.eval()(pictures))
    assert {"conv1.weight", "bn1.running_var", "layer1.1.bn2.bias", "layer2.0.downsample.0.weight"} <= set(weights)
    assert len(weights) == 50


def test_invalid_weight_files_raise(tmp_path: Path) -> None:
    weights = backbones.random_resnet18("random:0").state_dict()
    file = tmp_path / "some.pth"
    torch.save({k: v for k, v in weights.items() if not k.startswith("layer2.1.conv")}, file)
    with pytest.raises(InputError, match=r"none called layer2\.1\.conv1\.weight, layer2\.1\.conv2\.weight"):
        load_backbone(str(file))
    torch.save(weights | {"bn1.bias": torch.zeros(3)}, file)
    with pytest.raises(InputError, match=r"bn1\.bias of shape \(64,\), got \(3,\)"):
        load_backbone(str(file))
    torch.save(weights | {"bn1.bias": torch.full((64,), torch.nan)}, file)
    with pytest.raises(InputError, match=r"finite numbers in bn1\.bias"):
        load_backbone(str(file))
    torch.save([1, 2], file)
    with pytest.raises(InputError, match="weights by name"):
        load_backbone(str(file))
    torch.save({"conv1.weight": Path("/")}, file)  # objects other than tensors are not read
    with pytest.raises(InputError, match="weights that torch can read"):
        load_backbone(str(file))
    file.write_bytes(b"PK no weights")
    with pytest.raises(InputError, match="weights that torch can read"):
        load_backbone(str(file))
    with pytest.raises(InputError, match='"city", "random:SEED" or a file'):
        load_backbone(str(tmp_path / "none.pth"))
    with pytest.raises(InputError, match="random:SEED with a whole number"):
        load_backbone("random:x")


def test_missing_city_weights_raise_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backbones, "CITY", tmp_path / "none.pt")
    with pytest.raises(InputError, match=r"bearleft train backbone -o"):
        load_backbone("city")


def test_city_weights_match_their_model_card() -> None:
    backbone, card = load_backbone("city"), backbones.model_card()
    assert backbone.hash == card["hash"] and backbone.name == "city"
    assert backbones.CITY.stat().st_size == card["bytes"] <= 3_000_000
    assert {"licence", "data", "train_config", "held-out metrics"} <= set(card)
