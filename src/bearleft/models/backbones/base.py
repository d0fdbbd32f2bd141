"""The interface of backbones, and loading of their weights from untrusted files."""

from __future__ import annotations

import copy
import hashlib
import io
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Self

import torch
from torch import Tensor, nn

from bearleft.errors import InputError, format_value

Triple = tuple[float, float, float]


class Backbone(nn.Module, ABC):
    """A network that maps pictures (n, height, width, 3) of bytes to feature maps (n, channels, rows, columns).

    Feature maps have channels last in memory.
    """

    channels: int
    name = ""
    hash = ""  # of the weights, whatever file they came from

    def __init__(self, mean: Triple, deviation: Triple) -> None:
        super().__init__()
        self.mean: Tensor
        self.scale: Tensor
        for name, value in (("mean", mean), ("scale", deviation)):
            column = 255.0 * torch.tensor(value).reshape(1, 3, 1, 1)
            self.register_buffer(name, column, persistent=False)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return a feature map for each picture; a cell is 8 pixels a side, the last may reach beyond the picture."""
        if pictures.ndim != 4 or pictures.shape[3] != 3 or pictures.dtype != torch.uint8:
            got = f"{pictures.dtype} of shape {tuple(pictures.shape)}"
            raise InputError("pictures as bytes (n, height, width, 3)", got, "pictures")
        return self.encode(self.preprocess(pictures))

    def preprocess(self, pictures: Tensor) -> Tensor:
        """Return normalized pictures (n, 3, height, width)."""
        # Convolutions are fastest with channels last; single precision, since bfloat16 cannot tell 256 values apart.
        normalized = (pictures.permute(0, 3, 1, 2).float() - self.mean.float()) / self.scale.float()
        return normalized.to(next(self.parameters()).dtype)

    @abstractmethod
    def encode(self, normalized: Tensor) -> Tensor:
        """Return the feature maps of normalized pictures."""

    def for_inference(self, device: str | torch.device) -> Backbone:
        """Return the same function in its fastest form on a device."""
        return self.fold_batch_norms().to(device)

    def fold_batch_norms(self) -> Self:
        """Return a copy with batch norms folded into the convolutions before them; for inference only."""
        folded = copy.deepcopy(self).eval()
        for module in list(folded.modules()):
            for conv, norm in _conv_norm_pairs(module):
                setattr(module, conv, _fold(getattr(module, conv), getattr(module, norm)))
                setattr(module, norm, nn.Identity())
        return folded.requires_grad_(False).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def _conv_norm_pairs(module: nn.Module) -> list[tuple[str, str]]:
    """Return the names of convolutions and of the norms right after them; children are in the order of use."""
    children = list(module.named_children())
    return [
        (conv_name, norm_name)
        for (conv_name, conv), (norm_name, norm) in pairwise(children)
        if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d)
    ]


@torch.no_grad()
def _fold(conv: nn.Conv2d, norm: nn.BatchNorm2d) -> nn.Conv2d:
    """Return a convolution that equals a convolution and a norm; computed in double precision."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    factor = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
    folded = copy.deepcopy(conv)
    folded.weight.copy_(conv.weight.double() * factor[:, None, None, None])
    folded.bias = nn.Parameter((norm.bias.double() - norm.running_mean.double() * factor).to(conv.weight.dtype))
    return folded


def check_uncompressed(file: Path | io.BytesIO, path: Path, kind: str) -> None:
    """Raise InputError for a file of torch whose parts are compressed: torch writes none, and they may be enormous."""
    if not zipfile.is_zipfile(file):
        return
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise InputError(kind, format_value(str(error)), file=str(path)) from error
    if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
        raise InputError(kind, "a file with compressed parts, which torch does not write", file=str(path))


def read_weights(path: Path) -> Mapping[str, Tensor]:
    """Return the weights in a file, by name; nothing in the file is executed."""
    check_uncompressed(path, path, "a file of weights that torch can read")
    try:
        weights = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for a file that is damaged, or made to do harm
        lines = str(error).splitlines() or [type(error).__name__]
        raise InputError("a file of weights that torch can read", format_value(lines[0]), file=str(path)) from error
    if not isinstance(weights, Mapping) or not all(isinstance(value, Tensor) for value in weights.values()):
        raise InputError("weights by name", format_value(type(weights).__name__), file=str(path))
    return weights


def load_weights(module: nn.Module, weights: Mapping[str, Tensor], file: str) -> None:
    """Copy weights into a network; unknown names are ignored.

    Raises:
        InputError: A weight is missing, misshapen or not finite.
    """
    own = module.state_dict()
    counters = {name for name in own if name.endswith("num_batches_tracked")}  # old files have none
    if missing := [name for name in own if name not in weights and name not in counters]:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise InputError("all weights of the backbone", f"none called {', '.join(missing[:3])}{more}", file=file)
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
    """Return a hash of all weights in single precision, by name; files with the same weights have the same hash."""
    digest = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        if not name.endswith("num_batches_tracked"):
            digest.update(name.encode() + b"\0")
            digest.update(value.detach().float().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
