"""Weights that come with a model card: a JSON file beside them that says what they are and how they were trained."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bearleft.runtime.store import atomic_write, sha256, write_text
from bearleft.version import VERSION

LICENCE = "Apache-2.0"


def write_with_card(path: Path, weights: Mapping[str, Tensor], card: Mapping[str, Any], device: str) -> dict[str, Any]:
    """Write weights and their model card, and return the card.

    Args:
        path: File of the weights; the card is written beside it as JSON.
        weights: The weights.
        card: What the card says; licence, version, file and device are added.
        device: cpu or cuda, where the weights were trained.
    """
    with atomic_write(path, "wb") as stream:
        torch.save(dict(weights), stream)
    whole = {
        **card,
        "licence": LICENCE,
        "bearleft": VERSION,
        "sha256": sha256(path),
        "bytes": path.stat().st_size,
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
    }
    write_text(path.with_suffix(".json"), json.dumps(whole, indent=1) + "\n")
    return whole
