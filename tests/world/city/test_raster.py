from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.city.raster import ALL, BUILDING, CAMERA, CELL_SIZE, MIN_HALF_SIZE, PARK, ROAD, THING, Raster
from tests.sizes import sized


def empty_raster(side: int = 20_000) -> Raster:
    return Raster.covering([0, side], [0, side], margin=0)


@settings(deadline=None, max_examples=sized(15, 60))
@given(
    st.integers(4000, 16_000),
    st.integers(4000, 16_000),
    st.integers(0, 359),
    st.integers(0, 2500),
    st.integers(0, 2500),
)
def test_rectangle_covers_cells_with_centres_inside(x: int, y: int, degrees: int, hx: int, hy: int) -> None:
    raster = empty_raster()
    ux, uy = round(1e6 * math.sin(math.radians(degrees))), round(1e6 * math.cos(math.radians(degrees)))
    raster.mark((x, y), (ux, uy), (hx, hy), ROAD)
    centres = np.arange(raster.cells.shape[0]) * CELL_SIZE + CELL_SIZE / 2
    dx, dy = centres[None, :] - x, centres[:, None] - y
    across, ahead = np.abs(dx * uy - dy * ux) / 1e6, np.abs(dx * ux + dy * uy) / 1e6
    half_width, half_length = max(hx, MIN_HALF_SIZE), max(hy, MIN_HALF_SIZE)
    is_unambiguous = (np.abs(across - half_width) > 1e-3) & (np.abs(ahead - half_length) > 1e-3)
    assert ((raster.cells == ROAD) == (across < half_width) & (ahead < half_length))[is_unambiguous].all()
    assert raster.cells.any(), "small rectangles cover a cell"
    assert raster.covers((x, y), (ux, uy), (hx, hy)).tolist() == [ROAD]


def test_covers_returns_all_bits_under_each_rectangle() -> None:
    raster = empty_raster()
    raster.mark(([5000, 6000], 5000), (0, 1_000_000), (400, 400), PARK)
    raster.mark_disc(8000, 5000, 1200, CAMERA)
    bits = raster.covers(([6500, 5000, 12_000, 100, 900_000], 5000), (0, 1_000_000), ([1500, 300, 500, 500, 500], 500))
    assert bits.tolist() == [PARK | CAMERA, PARK, 0, ALL, ALL]
    assert raster.at([5000, 8000, 12_000, -1], [5000, 5000, 5000, 0]).tolist() == [PARK, CAMERA, 0, ALL]


def test_a_disc_is_round() -> None:
    raster = empty_raster()
    raster.mark_disc(10_000, 10_000, 3000, CAMERA)
    area = np.count_nonzero(raster.cells) * CELL_SIZE * CELL_SIZE
    assert abs(area / (math.pi * 3000**2) - 1) < 0.03
    assert not raster.at([12_300], [12_300])[0] and raster.at([11_900], [11_900])[0]


def test_place_processes_rectangles_in_order() -> None:
    raster = empty_raster()
    x = np.array([3000, 3500, 5000, 7000])
    is_placed = raster.place((x, 5000), (0, 1_000_000), (1000, 1000), BUILDING, BUILDING)
    assert is_placed.tolist() == [True, False, True, True], "touching rectangles do not overlap"
    again = raster.place((x, 5000), (0, 1_000_000), (300, 300), CAMERA, THING)
    assert again.all(), "other bits are no obstacle"
    assert not raster.place(([100], 5000), (0, 1_000_000), (1000, 1000), BUILDING, BUILDING).any(), "partly outside"


def test_marks_are_clipped() -> None:
    raster = empty_raster(5000)
    raster.mark(([0, 900_000], 0), (0, 1_000_000), (1000, 1000), ROAD)
    raster.mark_disc(0, 0, 500, CAMERA)
    assert raster.at(500, 500) == ROAD and raster.at(100, 100) == ROAD | CAMERA


def test_too_large_raster_raises() -> None:
    with pytest.raises(InputError, match="square kilometres"):
        Raster.covering([0, 900_000_000], [0, 900_000_000])
