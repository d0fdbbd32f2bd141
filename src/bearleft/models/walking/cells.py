"""Cells of panoramas: what is seen in 64 directions and four bands of pitch, as vectors that name objects and colours.

The cell encoder that comes with bearleft applies three convolutions to each slice's feature map, takes mean and maximum
of a cell's positions, and projects them. It was trained to name the objects, their colours and parts in a cell, so
that a distant hydrant is not lost among the pavement. It fits the backbone that it was trained on; the cells of other
backbones are the mean and the maximum of their channels.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.backbones.base import read_weights
from bearleft.models.backbones.registry import WEIGHTS, Backbone
from bearleft.models.walking.network import BANDS, SECTORS
from bearleft.world.slices import SLICE_COUNT

CITY_CELLS = WEIGHTS / "city-cells.pt"
SLICE_SECTORS = SECTORS // SLICE_COUNT
BAND_EDGES = (0.0, 0.3, 0.5, 0.65, 1.0)  # of the rows of a feature map
HIDDEN_DIM, CELL_DIM = 256, 192


class CellEncoder(nn.Module):
    """Encodes the cells of slices' feature maps.

    Args:
        channels: Channels of the maps.
        hidden_dim: Channels of which the mean and the maximum in each cell are taken.
        dim: Size of a cell's vector.
    """

    def __init__(self, channels: int, hidden_dim: int = HIDDEN_DIM, dim: int = CELL_DIM) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, hidden_dim, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(hidden_dim, hidden_dim, 3, padding=1)
        self.conv3 = nn.Conv2d(hidden_dim, hidden_dim, 3, padding=1)
        self.output = nn.Linear(2 * hidden_dim, dim)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the cells (n, SLICE_SECTORS, BANDS, dim) of slices' feature maps (n, channels, rows, columns)."""
        hidden = torch.relu(self.conv1(maps))
        for conv in (self.conv2, self.conv3):
            hidden = torch.relu(hidden + conv(hidden))
        cells = self.output(pool_cells(hidden, SLICE_SECTORS))
        return functional.layer_norm(cells, cells.shape[-1:])

    def encode_panoramas(self, maps: Tensor) -> Tensor:
        """Return the cells (n, SECTORS, BANDS, dim) of the maps (n, channels, rows, columns) of whole panoramas."""
        n, channels, rows, columns = maps.shape
        slices = maps.reshape(n, channels, rows, SLICE_COUNT, columns // SLICE_COUNT).permute(0, 3, 1, 2, 4)
        cells: Tensor = self(slices.reshape(n * SLICE_COUNT, channels, rows, -1).to(self.conv1.weight.dtype))
        return cells.view(n, SECTORS, BANDS, -1)


def pool_cells(maps: Tensor, sectors: int = SECTORS) -> Tensor:
    """Return means and maxima (n, sectors, BANDS, 2 x channels) of maps (n, channels, rows, columns), from the left."""
    rows = maps.shape[2]
    edges = [round(edge * rows) for edge in BAND_EDGES]
    bands = []
    for top, bottom in pairwise(edges):
        first = min(top, rows - 1)  # of maps with very few rows
        band = maps[:, :, first : max(bottom, first + 1)].float()
        mean = functional.adaptive_avg_pool2d(band, (1, sectors))
        highest = functional.adaptive_max_pool2d(band, (1, sectors))
        bands.append(torch.cat([mean, highest], 1)[:, :, 0].transpose(1, 2))
    return torch.stack(bands, 2)


def plain_cells(maps: Tensor) -> Tensor:
    """Return normalized means and maxima (n, SECTORS, BANDS, 2 x channels) of feature maps."""
    cells = pool_cells(maps)
    return functional.layer_norm(cells, cells.shape[-1:])


def cell_dim(backbone: Backbone) -> int:
    """Return the size of the vectors of cells that are seen by a backbone."""
    card = _card()
    fits = card is not None and card["backbone_hash"] == backbone.hash
    return int(card["dim"]) if card is not None and fits else 2 * backbone.channels


def encoder_hash(backbone: Backbone) -> str:
    """Return the hash of the encoder of a backbone's cells; "" if they are means and maxima."""
    card = _card()
    return str(card["hash"]) if card is not None and card["backbone_hash"] == backbone.hash else ""


def load_cell_encoder(backbone: Backbone, device: str | torch.device, path: Path = CITY_CELLS) -> CellEncoder | None:
    """Return the frozen encoder that was trained on a backbone; None if there is none for it."""
    card = _card(path)
    if card is None or card["backbone_hash"] != backbone.hash:
        return None
    encoder = CellEncoder(backbone.channels, int(card["hidden_dim"]), int(card["dim"]))
    encoder.load_state_dict({name: value.float() for name, value in read_weights(path).items()})
    return encoder.eval().requires_grad_(False).to(device)


def _card(path: Path = CITY_CELLS) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    card: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return card
