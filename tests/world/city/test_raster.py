from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.city.raster import ALL, BUILDING, CAMERA, CELL_SIZE, MIN_HALF_SIZE, PARK, ROAD, THING, Raster


def empty(side: int = 20_000) -> Raster:
    return Raster.covering([0, side], [0, side], margin=0)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(4000, 16_000),
    st.integers(4000, 16_000),
    st.integers(0, 359),
    st.integers(0, 2500),
    st.integers(0, 2500),
)
def test_a_rectangle_covers_the_cells_whose_middles_lie_inside(x: int, y: int, degrees: int, hx: int, hy: int) -> None:
    raster = empty()
    ux, uy = round(1e6 * math.sin(math.radians(degrees))), round(1e6 * math.cos(math.radians(degrees)))
    raster.mark(x, y, ux, uy, hx, hy, ROAD)
    middles = np.arange(raster.cells.shape[0]) * CELL_SIZE + CELL_SIZE / 2
    dx, dy = middles[None, :] - x, middles[:, None] - y
    across, ahead = np.abs(dx * uy - dy * ux) / 1e6, np.abs(dx * ux + dy * uy) / 1e6
    wide, long = max(hx, MIN_HALF_SIZE), max(hy, MIN_HALF_SIZE)
    sure = (np.abs(across - wide) > 1e-3) & (np.abs(ahead - long) > 1e-3)
    assert ((raster.cells == ROAD) == (across < wide) & (ahead < long))[sure].all()
    assert raster.cells.any(), "nothing is too small to be noticed"
    assert raster.covers(x, y, ux, uy, hx, hy).tolist() == [ROAD]


def test_covers_gives_all_bits_under_each_and_everything_outside() -> None:
    raster = empty()
    raster.mark([5000, 6000], 5000, 0, 1_000_000, 400, 400, PARK)
    raster.mark_disc(8000, 5000, 1200, CAMERA)
    found = raster.covers([6500, 5000, 12_000, 100, 900_000], 5000, 0, 1_000_000, [1500, 300, 500, 500, 500], 500)
    assert found.tolist() == [PARK | CAMERA, PARK, 0, ALL, ALL]
    assert raster.at([5000, 8000, 12_000, -1], [5000, 5000, 5000, 0]).tolist() == [PARK, CAMERA, 0, ALL]


def test_a_disc_is_round() -> None:
    raster = empty()
    raster.mark_disc(10_000, 10_000, 3000, CAMERA)
    area = np.count_nonzero(raster.cells) * CELL_SIZE * CELL_SIZE
    assert abs(area / (math.pi * 3000**2) - 1) < 0.03
    assert not raster.at([12_300], [12_300])[0] and raster.at([11_900], [11_900])[0]


def test_place_takes_turns_in_row_order() -> None:
    raster = empty()
    x = np.array([3000, 3500, 5000, 7000])
    stands = raster.place(x, 5000, 0, 1_000_000, 1000, 1000, BUILDING, BUILDING)
    assert stands.tolist() == [True, False, True, True], "those that only touch stand side by side"
    again = raster.place(x, 5000, 0, 1_000_000, 300, 300, CAMERA, THING)
    assert again.all(), "what is not to be avoided is no obstacle"
    assert not raster.place([100], 5000, 0, 1_000_000, 1000, 1000, BUILDING, BUILDING).any(), "partly outside"


def test_marks_beyond_the_edge_are_cut() -> None:
    raster = empty(5000)
    raster.mark([0, 900_000], 0, 0, 1_000_000, 1000, 1000, ROAD)
    raster.mark_disc(0, 0, 500, CAMERA)
    assert raster.at(500, 500) == ROAD and raster.at(100, 100) == ROAD | CAMERA


def test_a_city_too_large_is_said() -> None:
    with pytest.raises(InputError, match="square kilometres"):
        Raster.covering([0, 900_000_000], [0, 900_000_000])
