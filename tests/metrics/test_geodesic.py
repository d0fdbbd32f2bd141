"""Distances around obstacles, against a slow search that shares nothing with the fast one."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import EUCLIDEAN, GeodesicGrid, PathMetric, geodesic_grid, get_metric, path_scores, warping_path
from tests.metrics import slow_reference as slow
from tests.sizes import sized

Flags = npt.NDArray[np.bool_]
Spot = tuple[float, float]
THIN = 1e-7  # by so much obstacles are thicker in the slow search, so that those that touch leave no gap
WALL = np.ones((7, 5), np.bool_)
WALL[3, :4] = False  # a wall with a door at its end


@st.composite
def grids(draw: st.DrawFn) -> Flags:
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    free = rng.random(shape) > draw(st.sampled_from([0.0, 0.1, 0.25, 0.45]))
    free[tuple(rng.integers(0, shape))] = True
    return np.asarray(free, np.bool_)


def blocks(free: Flags) -> Iterator[tuple[float, float, float, float]]:
    """Obstacles, and a rim of them all around, a little too large."""
    for i in range(-1, free.shape[0] + 1):
        for j in range(-1, free.shape[1] + 1):
            if not (0 <= i < free.shape[0] and 0 <= j < free.shape[1] and free[i, j]):
                yield i - 0.5 - THIN, j - 0.5 - THIN, i + 0.5 + THIN, j + 0.5 + THIN


def clear(one: Spot, other: Spot, boxes: list[tuple[float, float, float, float]]) -> bool:
    """Whether a segment misses every box: Liang and Barsky's clipping."""
    for west, south, east, north in boxes:
        enter, leave = 0.0, 1.0
        for start, by, low, high in (
            (one[0], other[0] - one[0], west, east),
            (one[1], other[1] - one[1], south, north),
        ):
            if by == 0:
                if not low < start < high:
                    leave = -1.0
            else:
                first, last = sorted(((low - start) / by, (high - start) / by))
                enter, leave = max(enter, first), min(leave, last)
        if enter < leave:
            return False
    return True


def dijkstra(free: Flags) -> npt.NDArray[np.float64]:
    """From free cell to free cell, over everything: centres, and all four sides of every corner of every cell."""
    boxes = list(blocks(free))
    centres = [(float(i), float(j)) for i, j in np.argwhere(free)]
    spots = centres + [
        (i + dx * (0.5 + 2 * THIN), j + dy * (0.5 + 2 * THIN))
        for i in range(free.shape[0])
        for j in range(free.shape[1])
        if not free[i, j]
        for dx in (-1, 1)
        for dy in (-1, 1)
    ]
    near: list[list[tuple[int, float]]] = [[] for _ in spots]
    for a, one in enumerate(spots):
        for b in range(a):
            if clear(one, spots[b], boxes):
                near[a].append((b, math.dist(one, spots[b])))
                near[b].append((a, math.dist(one, spots[b])))
    rows = []
    for source in range(len(centres)):
        known = {source: 0.0}
        queue, done = [(0.0, source)], set()
        while queue:
            far, here = heapq.heappop(queue)
            if here in done:
                continue
            done.add(here)
            for there, step in near[here]:
                if far + step < known.get(there, math.inf):
                    known[there] = far + step
                    heapq.heappush(queue, (far + step, there))
        rows.append([known.get(k, math.inf) for k in range(len(centres))])
    return np.array(rows)


@pytest.mark.slow
@settings(deadline=None, max_examples=sized(12, 30))
@given(grids())
def test_distances_equal_those_of_a_slow_dijkstra(free: Flags) -> None:
    np.testing.assert_allclose(geodesic_grid(free).matrix, dijkstra(free), rtol=1e-5, atol=1e-5)


@settings(deadline=None, max_examples=sized(15, 60))
@given(grids(), st.sampled_from([0.25, 1.0, 3.0]))
def test_what_holds_for_distances(free: Flags, spacing: float) -> None:
    grid = geodesic_grid(free, spacing, (5.0, -2.0))
    matrix = grid.matrix
    np.testing.assert_allclose(grid.points, np.argwhere(free) * spacing + (5.0, -2.0))
    straight = np.linalg.norm(grid.points[:, None] - grid.points[None], axis=2)
    assert (matrix >= straight - 1e-9).all() and (np.diag(matrix) == 0).all()
    np.testing.assert_array_equal(matrix, matrix.T)
    with np.errstate(invalid="ignore"):
        for via in range(len(matrix)):
            assert (matrix <= matrix[:, via, None] + matrix[None, via, :] + 1e-9).all()


def test_it_is_straight_where_nothing_is_in_between() -> None:
    grid = geodesic_grid(np.ones((9, 6), np.bool_))
    straight = np.linalg.norm(grid.points[:, None] - grid.points[None], axis=2)
    np.testing.assert_allclose(grid.matrix, straight, rtol=1e-12)
    behind = geodesic_grid(WALL)
    a, b = behind.nearest(np.array([[0.0, 0.0], [2.0, 4.0]]))
    assert behind.matrix[a, b] == pytest.approx(math.hypot(2, 4))


def test_around_a_wall_by_hand() -> None:
    grid = geodesic_grid(WALL)
    a, b = grid.nearest(np.array([[2.0, 0.0], [4.0, 0.0]]))
    # From (2, 0) to the wall's end at (2.5, 3.5), along it to (3.5, 3.5), and back.
    assert grid.matrix[a, b] == pytest.approx(2 * math.hypot(0.5, 3.5) + 1)
    walled = WALL.copy()
    walled[3] = False
    assert math.isinf(geodesic_grid(walled).matrix[0, -1])


def test_nobody_slips_between_two_obstacles_that_touch() -> None:
    assert math.isinf(geodesic_grid(np.eye(2, dtype=np.bool_)).matrix[0, 1])
    seam = np.ones((4, 3), np.bool_)
    seam[1:3, 1] = False
    grid = geodesic_grid(seam)
    a, b = grid.nearest(np.array([[0.0, 1.0], [3.0, 1.0]]))
    assert grid.matrix[a, b] == pytest.approx(2 * math.hypot(0.5, 0.5) + 2)


PATH = [[0.2, 0.1], [1.0, 0.9], [2.1, 0.0], [2.0, 1.4]]
REFERENCE = [[0.0, 0.0], [2.0, 3.1], [3.2, 4.3], [4.0, 3.0], [4.4, 0.2]]


@pytest.mark.parametrize(
    "name", ["PL", "NE", "ONE", "SR", "OSR", "AD", "MD", "SPL", "CLS", "DTW", "nDTW", "SDTW", "nDTW-fast", "SDTW-fast"]
)
def test_every_path_metric_takes_it(name: str) -> None:
    grid = geodesic_grid(WALL)

    def apart(one: Any, other: Any) -> float:
        a, b = (int(np.argmin(np.linalg.norm(grid.points - spot, axis=1))) for spot in (one, other))
        return float(grid.matrix[a, b])

    pairs = [(PATH, REFERENCE), (REFERENCE, PATH), (PATH[:1], REFERENCE), (PATH, PATH)]
    paths, references = [p for p, _ in pairs], [r for _, r in pairs]
    found = path_scores([name], paths, references, grid, 3.0)[name]
    expected = [slow.SLOW[name](path, reference, apart, 3.0) for path, reference in pairs]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    one = get_metric(name)
    assert isinstance(one, PathMetric) and one(PATH, REFERENCE, grid, 3.0) == pytest.approx(expected[0])


def test_a_wall_makes_a_path_unlike_its_reference() -> None:
    along, other_side = [[2.0, float(y)] for y in range(4)], [[4.0, float(y)] for y in range(4)]
    free = path_scores(["nDTW"], [along], [other_side], EUCLIDEAN, 3.0)["nDTW"][0]
    walled = path_scores(["nDTW"], [along], [other_side], geodesic_grid(WALL), 3.0)["nDTW"][0]
    assert walled < free
    assert len(warping_path(along, other_side, geodesic_grid(WALL))) >= 4


@settings(deadline=None, max_examples=sized(15, 60))
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 40), st.integers(0, 30))
def test_the_nearest_grid_point_is_the_nearest(seed: int, dimensions: int, count: int, asked: int) -> None:
    rng = np.random.default_rng(seed)
    # Whole numbers, so that several are equally near, and the same point comes more than once.
    points, where = rng.integers(0, 6, (count, dimensions)), rng.integers(-2, 8, (asked, dimensions)) / 2
    grid = GeodesicGrid(points.astype(float), np.zeros((count, count)))
    expected = np.linalg.norm(where[:, None] - points[None], axis=2).argmin(axis=1)
    np.testing.assert_array_equal(grid.nearest(where), expected)


def test_any_matrix_between_any_points_will_do() -> None:
    heights = GeodesicGrid(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 3.0]]), np.array([[0.0, 9.0], [9.0, 0.0]]))
    values = path_scores(["NE"], [[[0.1, 0, 0.2]]], [[[0, 0.3, 2.8]]], heights)
    assert values["NE"].tolist() == [9.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: geodesic_grid(np.ones((2, 2), int)), "true or false for each cell"),
        (lambda: geodesic_grid(np.zeros((2, 2), bool)), "some true"),
        (lambda: geodesic_grid(np.ones(3, bool)), "true or false for each cell"),
        (lambda: geodesic_grid(np.ones((200, 200), bool)), "at most 16,384 free cells"),
        (lambda: geodesic_grid(WALL, 0.0), "a spacing above 0"),
        (lambda: geodesic_grid(WALL, origin=(1.0, math.nan)), "centre"),
        (lambda: geodesic_grid(WALL, margin=0.0), "a margin above 0"),
        (lambda: GeodesicGrid(np.zeros((2, 2)), np.zeros((3, 3))), "distances between 2 grid points"),
        (lambda: GeodesicGrid(np.zeros(2), np.zeros((2, 2))), "grid points"),
        (lambda: path_scores(["NE"], [[[0, 0]]], [[[9, 9]]], geodesic_grid(WALL)), "points within 1 of a grid point"),
        (lambda: path_scores(["NE"], [[[0, 0, 1]]], [[[0, 0]]], geodesic_grid(WALL)), "points in 2 dimensions"),
    ],
)
def test_bad_grids_and_points(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_an_empty_batch_is_no_mistake() -> None:
    assert path_scores(["nDTW"], [], [], geodesic_grid(WALL), 1.0)["nDTW"].shape == (0,)
