"""Cells of panoramas: pooling against slow code, slices and whole panoramas, and the encoder of the package."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from bearleft.models.backbones.base import weights_hash  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.walking.cells import (  # noqa: E402
    BAND_EDGES,
    CITY_CELLS,
    CellEncoder,
    cell_dim,
    encoder_hash,
    load_cell_encoder,
    plain_cells,
    pool_cells,
)
from bearleft.models.walking.network import BANDS, SECTORS  # noqa: E402
from bearleft.world.slices import SLICE_COUNT  # noqa: E402


@settings(deadline=None, max_examples=30)
@given(rows=st.integers(1, 23), columns=st.integers(8, 31), seed=st.integers(0, 99))
def test_pooling_equals_slow_code(rows: int, columns: int, seed: int) -> None:
    maps = torch.from_numpy(np.random.default_rng(seed).normal(0.0, 1.0, (2, 3, rows, columns)).astype(np.float32))
    pooled = pool_cells(maps, 8)
    assert pooled.shape == (2, 8, BANDS, 6)
    for sector in range(8):
        left, right = sector * columns // 8, -(-(sector + 1) * columns // 8)
        for band in range(BANDS):
            top, bottom = (round(edge * rows) for edge in BAND_EDGES[band : band + 2])
            top = min(top, rows - 1)
            seen = maps[:, :, top : max(bottom, top + 1), left:right].flatten(2)
            torch.testing.assert_close(pooled[:, sector, band, :3], seen.mean(2))
            torch.testing.assert_close(pooled[:, sector, band, 3:], seen.amax(2))


def test_a_panorama_is_encoded_slice_by_slice() -> None:
    torch.manual_seed(0)
    encoder = CellEncoder(3, 8, 5)
    slices = torch.randn(2, SLICE_COUNT, 3, 20, 12)
    panoramas = slices.permute(0, 2, 3, 1, 4).reshape(2, 3, 20, 96)
    with torch.no_grad():
        cells = encoder.encode_panoramas(panoramas)
        expected = torch.stack([encoder(slices[:, k]) for k in range(SLICE_COUNT)], 1).flatten(1, 2)
    assert cells.shape == (2, SECTORS, BANDS, 5)
    torch.testing.assert_close(cells, expected)
    torch.testing.assert_close(cells.mean(3), torch.zeros(2, SECTORS, BANDS), atol=1e-5, rtol=0)


def test_encoder_of_the_package_fits_its_backbone_only() -> None:
    city, other = load_backbone("city"), load_backbone("random:0")
    card = json.loads(CITY_CELLS.with_suffix(".json").read_text(encoding="utf-8"))
    encoder = load_cell_encoder(city, "cpu")
    assert encoder is not None and weights_hash(encoder) == card["hash"] == encoder_hash(city)
    assert cell_dim(city) == card["dim"] and not any(value.requires_grad for value in encoder.parameters())
    assert load_cell_encoder(other, "cpu") is None and encoder_hash(other) == ""
    assert cell_dim(other) == 2 * other.channels == plain_cells(torch.randn(1, other.channels, 20, 96)).shape[3]


def test_without_an_encoder_cells_are_means_and_maxima(tmp_path: Path) -> None:
    assert load_cell_encoder(load_backbone("city"), "cpu", tmp_path / "none.pt") is None
