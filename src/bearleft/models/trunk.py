"""What makes cells of pictures: ResNet-18 up to its second layer, 128 channels for every 8 x 8 pixels (appendix D).

Weights are the city's own, which come with bearleft ("city"), torchvision's ImageNet file where a user has it, those of
EfficientNet-Lite0 ("lite0", see `lite`), or drawn from a seed ("random:0"). A trunk reads pictures as they are stored,
bytes with colours last, and normalises them itself.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from bearleft.errors import InputError, shown
from bearleft.store import existing_file

WEIGHTS = Path(__file__).parent / "weights"
CITY = WEIGHTS / "city-trunk.pt"
IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # mean and deviation of red, green and blue, as shares of 255
NAMES = 'a trunk: "city", "lite0", "random:SEED" or a file of torchvision\'s resnet18'
MAKE = "Train one with: python -m bearleft.training.trunk -o trunk.pt, and name the file."
Triple = tuple[float, float, float]


class Trunk(nn.Module, ABC):
    """From pictures (n, height, width, 3), bytes, to cells (n, channels, rows, columns), channels last in memory."""

    channels: int
    name = ""
    hash = ""  # of its weights, whatever file they came from

    def __init__(self, mean: Triple, deviation: Triple) -> None:
        super().__init__()
        self.mean: Tensor
        self.scale: Tensor
        for name, value in (("mean", mean), ("scale", deviation)):
            column = 255.0 * torch.tensor(value).reshape(1, 3, 1, 1)
            self.register_buffer(name, column, persistent=False)

    def forward(self, pictures: Tensor) -> Tensor:
        """One map of cells for each picture; a cell is 8 pixels a side, the last ones may reach beyond the picture."""
        if pictures.ndim != 4 or pictures.shape[3] != 3 or pictures.dtype != torch.uint8:
            came = f"{pictures.dtype} of shape {tuple(pictures.shape)}"
            raise InputError("pictures as bytes (n, height, width, 3)", came, "pictures")
        # Colours last in memory is what convolutions want; single precision, since 255 shades are more than bfloat16's.
        light = (pictures.permute(0, 3, 1, 2).float() - self.mean.float()) / self.scale.float()
        return self.cells(light.to(next(self.parameters()).dtype))

    @abstractmethod
    def cells(self, light: Tensor) -> Tensor:
        """Of normalised pictures (n, 3, height, width)."""

    def folded(self) -> Self:
        """The same function with batch norms made part of the convolutions before them; for use, not for training."""
        made = copy.deepcopy(self).eval()
        for module in list(made.modules()):
            for conv, norm in _pairs(module):
                setattr(module, conv, _joined(getattr(module, conv), getattr(module, norm)))
                setattr(module, norm, nn.Identity())
        return made.requires_grad_(False).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def _pairs(module: nn.Module) -> list[tuple[str, str]]:
    """The names of convolutions and of the norms right after them: children stand in the order they are used."""
    children = list(module.named_children())
    return [
        (one, other)
        for (one, first), (other, second) in pairwise(children)
        if isinstance(first, nn.Conv2d) and isinstance(second, nn.BatchNorm2d)
    ]


@torch.no_grad()
def _joined(conv: nn.Conv2d, norm: nn.BatchNorm2d) -> nn.Conv2d:
    """A convolution that does what a convolution and a norm do; computed in double precision."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    factor = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
    made = copy.deepcopy(conv)
    made.weight.copy_(conv.weight.double() * factor[:, None, None, None])
    made.bias = nn.Parameter((norm.bias.double() - norm.running_mean.double() * factor).to(conv.weight.dtype))
    return made


class Block(nn.Module):
    """Two convolutions, and what came in added to what comes out."""

    def __init__(self, into: int, out: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(into, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = (
            nn.Sequential(nn.Conv2d(into, out, 1, stride, bias=False), nn.BatchNorm2d(out)) if stride > 1 else None
        )

    def forward(self, x: Tensor) -> Tensor:
        inner = self.bn2(self.conv2(relu(self.bn1(self.conv1(x)))))
        return relu(inner + (x if self.downsample is None else self.downsample(x)))


class ResNet18(Trunk):
    """Up to its second layer; parameters are called as in torchvision's file."""

    channels = 128

    def __init__(self) -> None:
        super().__init__(*IMAGENET)
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(Block(64, 64), Block(64, 64))
        self.layer2 = nn.Sequential(Block(64, 128, 2), Block(128, 128))

    def cells(self, light: Tensor) -> Tensor:
        seen: Tensor = self.layer2(self.layer1(self.maxpool(relu(self.bn1(self.conv1(light))))))
        return seen


def trunk(name: str | os.PathLike[str], device: str | torch.device = "cpu") -> Trunk:
    """A trunk by name, ready for use: "city", "lite0", "random:SEED", or the path of a file of weights."""
    text = os.fspath(name)
    if text == "lite0":
        from bearleft.models.lite import lite0  # it is a trunk itself

        made: Trunk = lite0()
    elif text.startswith("random:"):
        made = drawn(text)
    else:
        made = ResNet18()
        fill(made, read(city_file() if text == "city" else existing_file(text, NAMES)), text)
    made.name = "city" if text == "city" else Path(text).name
    made.hash = weights_hash(made)
    made = made.eval().requires_grad_(False)
    return made.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def city_file() -> Path:
    """Where the city's own weights lie, which are those that their card names."""
    if not CITY.is_file():
        raise InputError("the trunk trained on the city", "none in this installation", hint=MAKE)
    return CITY


def card() -> dict[str, Any]:
    """What is said of the city's weights: licence, data, seed, hash and how well they do."""
    said: dict[str, Any] = json.loads(city_file().with_suffix(".json").read_text(encoding="utf-8"))
    return said


def drawn(name: str) -> ResNet18:
    """Weights drawn from a seed, in He's way, so that nothing dies out or grows on the way."""
    if not re.fullmatch(r"random:[0-9]{1,18}", name):
        raise InputError("random:SEED with a whole number", shown(name))
    generator = torch.Generator().manual_seed(int(name.split(":")[1]))
    made = ResNet18()
    with torch.no_grad():
        for module in made.modules():
            if isinstance(module, nn.Conv2d):
                spread = (2.0 / module.weight[0].numel()) ** 0.5
                module.weight.copy_(torch.randn(module.weight.shape, generator=generator) * spread)
    return made


def read(path: Path) -> Mapping[str, Tensor]:
    """The weights in a file, by name; nothing in the file is run."""
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError, OSError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise InputError("a file of weights that torch can read", shown(lines[0]), file=str(path)) from error
    if not isinstance(found, Mapping) or not all(isinstance(one, Tensor) for one in found.values()):
        raise InputError("weights by name", shown(type(found).__name__), file=str(path))
    return found


def fill(module: nn.Module, weights: Mapping[str, Tensor], file: str) -> None:
    """Puts weights into a network: more names than it has are passed over, missing ones are an error."""
    own = module.state_dict()
    counters = {name for name in own if name.endswith("num_batches_tracked")}  # old files have none
    if missing := [name for name in own if name not in weights and name not in counters]:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise InputError("all weights of the trunk", f"none called {', '.join(missing[:3])}{more}", file=file)
    for name, value in own.items():
        if name in counters:
            continue
        came = weights[name]
        if came.shape != value.shape:
            raise InputError(f"{name} of shape {tuple(value.shape)}", str(tuple(came.shape)), file=file)
        if not torch.isfinite(came).all():
            raise InputError(f"finite numbers in {name}", "NaN or infinity", file=file)
        value.copy_(came)


def weights_hash(module: nn.Module) -> str:
    """A hash of all weights as single precision, by name; files that hold the same weights have the same."""
    made = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        if not name.endswith("num_batches_tracked"):
            made.update(name.encode() + b"\0")
            made.update(value.detach().float().cpu().contiguous().numpy().tobytes())
    return made.hexdigest()
