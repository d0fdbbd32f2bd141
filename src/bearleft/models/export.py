"""Export of trained networks: one file with 8-bit weights, and a model card that says what it is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from bearleft.errors import InputError, format_value
from bearleft.models import BEST
from bearleft.models.checkpoint import checkpoint_kind, read_checkpoint, write_checkpoint
from bearleft.models.int8 import quantize_weights
from bearleft.models.pretrained import CARD_SUFFIX, SUFFIX
from bearleft.runtime.store import sha256, write_text
from bearleft.version import VERSION

BITS = (8, 32)
LICENCE = "Apache-2.0"
Scores = Sequence[Mapping[str, Any]]


def read_any_checkpoint(file: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a checkpoint of any network; errors are those of `read_checkpoint`."""
    return read_checkpoint(file, kind=checkpoint_kind(file))


def describe_checkpoint(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a checkpoint's content says of the network and its training, as plain values."""
    about = dict(content["training_info"])
    epoch = about.pop("epoch", about.pop("epochs", None))
    return {
        "kind": content["kind"],
        "network": content.get("network", content["kind"]),
        "parameters": count_parameters(content["weights"]),
        "backbone": content.get("backbone", ""),
        "backbone_hash": content.get("backbone_hash", ""),
        "seed": about.pop("seed", about.get("train_config", {}).get("seed", "")),
        "epoch": "" if epoch is None else epoch,
        "training": about,
    }


def count_parameters(weights: Mapping[str, Tensor]) -> int:
    """Return the number of weights, buffers included."""
    return sum(value.numel() for value in weights.values())


def export_checkpoint(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    bits: int = 8,
    scores: Scores = (),
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write a trained network with smaller weights and a model card; the result is a checkpoint like any other.

    Args:
        source: A checkpoint, or the folder of a training.
        output: The file, NAME.pt; the model card is NAME.json beside it.
        bits: 8 for weights as 8-bit codes with a scale for each row, 32 for weights as they are.
        scores: Rows of `bearleft score --json`, for the card.
        about: Further entries of the card, such as the command and the data of the training.

    Returns:
        The model card.

    Raises:
        InputError: The source cannot be read, or the output's name does not end in .pt.
    """
    file = Path(source) / BEST if Path(source).is_dir() else Path(source)
    path = Path(output)
    if bits not in BITS:
        raise InputError("8 or 32 bits", str(bits), "bits")
    if path.suffix != SUFFIX:
        raise InputError(f"a file name that ends in {SUFFIX}", format_value(path.name), "output")
    if path.exists() and file.exists() and path.samefile(file):
        raise InputError("a new file", "the checkpoint itself", "output", str(path))
    content = read_any_checkpoint(file)
    stored = dict(content)
    stored.pop("weight_bits", None)
    if bits == 8:
        try:
            stored |= {"weights": quantize_weights(content["weights"]), "weight_bits": 8}
        except ValueError as error:
            raise InputError("finite weights", str(error), file=str(file)) from error
    write_checkpoint(path, stored)
    card = {
        "name": path.stem,
        **describe_checkpoint(content),
        **(about or {}),
        "weight_bits": bits,
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
        "source_bytes": file.stat().st_size,
        "licence": LICENCE,
        "bearleft": VERSION,
        "scores": [dict(row) for row in scores],
    }
    write_text(path.with_suffix(CARD_SUFFIX), json.dumps(card, indent=1) + "\n")
    return card
