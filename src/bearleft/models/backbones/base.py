"""What all trunks have in common: pictures go in, cells come out, and weights come from files that may be anybody's."""

from __future__ import annotations

import copy
import hashlib
import pickle
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Self

import torch
from torch import Tensor, nn

from bearleft.errors import InputError, shown

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
            got = f"{pictures.dtype} of shape {tuple(pictures.shape)}"
            raise InputError("pictures as bytes (n, height, width, 3)", got, "pictures")
        return self.cells(self.light(pictures))

    def light(self, pictures: Tensor) -> Tensor:
        """Normalised pictures (n, 3, height, width)."""
        # Colours last in memory is what convolutions want; single precision, since 255 shades are more than bfloat16's.
        light = (pictures.permute(0, 3, 1, 2).float() - self.mean.float()) / self.scale.float()
        return light.to(next(self.parameters()).dtype)

    @abstractmethod
    def cells(self, light: Tensor) -> Tensor:
        """Of normalised pictures."""

    def ready(self, device: str | torch.device) -> Trunk:
        """The same function in the form that is used on a device, where it lies."""
        return self.folded().to(device)

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
        got = weights[name]
        if got.shape != value.shape:
            raise InputError(f"{name} of shape {tuple(value.shape)}", str(tuple(got.shape)), file=file)
        if not torch.isfinite(got).all():
            raise InputError(f"finite numbers in {name}", "NaN or infinity", file=file)
        value.copy_(got)


def weights_hash(module: nn.Module) -> str:
    """A hash of all weights as single precision, by name; files that hold the same weights have the same."""
    made = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        if not name.endswith("num_batches_tracked"):
            made.update(name.encode() + b"\0")
            made.update(value.detach().float().cpu().contiguous().numpy().tobytes())
    return made.hexdigest()
