"""Steps on a ground, against a slow version that walks in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.arramon.moves import GRID_HEADING, TURN_DEGREES, replay
from bearleft.world.arramon.walkable import UNOBSTRUCTED, WalkableGrid, step_forward
from bearleft.world.arramon.walkable_grids import load_walkable_grid


def scattered(seed: int, cells: int = 96, blocks: int = 30) -> WalkableGrid:
    """A ground with some rectangles taken, not at the origin."""
    rng = np.random.default_rng(seed)
    free = np.ones((cells, cells), np.bool_)
    for _ in range(blocks):
        i, j = rng.integers(0, cells, 2)
        free[i : i + rng.integers(1, 12), j : j + rng.integers(1, 12)] = False
    return WalkableGrid(-3.3, 7.7, 0.125, free)


def slow_step(ground: WalkableGrid, x: float, y: float, heading: float) -> tuple[float, float, bool]:
    """One step, point after point."""
    east, north = math.sin(math.radians(heading)), math.cos(math.radians(heading))
    for eighth in range(1, 9):
        i = math.floor((x + eighth / 8 * east - ground.west) / ground.cell_size)
        j = math.floor((y + eighth / 8 * north - ground.south) / ground.cell_size)
        inside = 0 <= i < ground.free.shape[0] and 0 <= j < ground.free.shape[1]
        if not inside or not ground.free[i, j]:
            return x, y, False
    return x + east, y + north, True


@pytest.mark.parametrize("seed", range(3))
def test_step_is_that_of_the_slow_version(seed: int) -> None:
    ground, rng = scattered(seed), np.random.default_rng(100 + seed)
    x, y = rng.uniform(-4.0, 9.5, 400), rng.uniform(7.0, 20.5, 400)
    headings = GRID_HEADING + TURN_DEGREES * rng.integers(0, 12, 400)
    to_x, to_y, went = step_forward(ground, x, y, headings)
    slow = [slow_step(ground, *one) for one in zip(x.tolist(), y.tolist(), headings.tolist(), strict=True)]
    assert went.tolist() == [one[2] for one in slow] and 50 < went.sum() < 350
    np.testing.assert_allclose(np.stack([to_x, to_y], axis=1), [one[:2] for one in slow], rtol=0, atol=1e-12)
    # One at a time is the same code.
    for k in range(5):
        one = step_forward(ground, x[k], y[k], headings[k])
        assert (float(one[0]), float(one[1]), bool(one[2])) == (to_x[k], to_y[k], went[k])
        assert one[0].shape == ()


def test_who_is_stopped_stays_exactly_where_he_was() -> None:
    free = np.ones((24, 24), np.bool_)
    free[:, 12] = False  # a wall one cell thick from 1.5 m north on
    ground = WalkableGrid(free=free)
    x, y, went = step_forward(ground, [1.0, 1.0, 1.0], [0.45, 0.55, 1.7], [0.0, 0.0, 0.0])
    assert went.tolist() == [True, False, True]  # the second would end on it; the third begins behind it
    assert x.tolist() == [1.0, 1.0, 1.0] and y.tolist() == pytest.approx([1.45, 0.55, 2.7], abs=1e-12) and y[1] == 0.55
    assert not step_forward(ground, 1.0, 1.2, 0.0)[2]  # nobody steps over it
    assert not step_forward(ground, 0.5, 0.5, 270.0)[2]  # nor out of the world


def test_open_ground_stops_nobody() -> None:
    x, y, went = step_forward(UNOBSTRUCTED, [0.0, 1e6], [0.0, -1e6], [GRID_HEADING, 190.0])
    assert went.all() and not UNOBSTRUCTED.free.size and UNOBSTRUCTED.free_at(1e9, -1e9)
    path, _ = replay((0.0, 0.0, 0.0), GRID_HEADING, ["forward"])
    assert (x[0], y[0]) == pytest.approx(path[1][:2], abs=1e-12)


def test_free_is_asked_cell_by_cell() -> None:
    free = np.zeros((2, 3), np.bool_)
    free[1, 2] = True
    ground = WalkableGrid(10.0, 20.0, 0.5, free)
    assert ground.free_at([10.6, 10.4, 10.6, 11.1], [21.2, 21.2, 20.9, 21.2]).tolist() == [True, False, False, False]


def test_grounds_by_name() -> None:
    assert load_walkable_grid("arramon/3_0") is UNOBSTRUCTED
    for name in ("city/0", "arramon", "nowhere", "sections/x"):
        with pytest.raises(InputError, match="sections/SEED"):
            load_walkable_grid(name)
