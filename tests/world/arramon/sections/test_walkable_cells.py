"""The ground of the sections: connected, closed, off everything that stands there, and large."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.moves import GRID_HEADING
from bearleft.world.arramon.sections.walkable_cells import largest_component, obstacles
from bearleft.world.arramon.sections.world import Sections, open_sections
from bearleft.world.arramon.walkable import BODY_RADIUS, step_forward
from bearleft.world.arramon.walkable_grids import load_walkable_grid


@pytest.fixture(scope="module")
def world() -> Sections:
    return open_sections("sections/0")


def windows(world: Sections) -> list[tuple[int, int, np.ndarray[tuple[int, int], np.dtype[np.bool_]]]]:
    """The first column and row of each section's part of the raster, and that part."""
    ground, found = world.walkable, []
    for west, south, east, north in world.bounds:
        i, j = int((west - ground.west) / ground.cell_size), int((south - ground.south) / ground.cell_size)
        found.append((i, j, ground.free[i : i + int((east - west) / 0.125), j : j + int((north - south) / 0.125)]))
    return found


def test_it_is_one_piece_in_every_section(world: Sections) -> None:
    assert load_walkable_grid("sections/0") is world.walkable
    parts = windows(world)
    assert sum(int(free.sum()) for _, _, free in parts) == int(world.walkable.free.sum())  # none between sections
    for _, _, free in parts:
        assert 1_300 < free.sum() * 0.125**2 < 3_000  # square metres
        assert (largest_component(free) == free).all()
        assert not (free[0].any() or free[-1].any() or free[:, 0].any() or free[:, -1].any())


def test_largest_piece_is_that_of_the_slow_version() -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        free = rng.random((18, 23)) < 0.6
        left, pieces = {(int(i), int(j)) for i, j in np.argwhere(free)}, []
        while left:
            piece, todo = set(), deque([left.pop()])
            while todo:
                i, j = todo.popleft()
                piece.add((i, j))
                for near in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                    if near in left:
                        left.remove(near)
                        todo.append(near)
            pieces.append(piece)
        best = max(len(piece) for piece in pieces)
        assert {(int(i), int(j)) for i, j in np.argwhere(largest_component(free))} in [
            p for p in pieces if len(p) == best
        ]
    assert not largest_component(np.zeros((3, 4), np.bool_)).any()


def test_bodies_keep_off_everything(world: Sections) -> None:
    rng = np.random.default_rng(1)
    blocks = obstacles(world.city.plan)
    for first, second, free in windows(world)[::3]:
        cells = np.argwhere(free)[rng.integers(0, free.sum(), 400)]
        x = world.walkable.west + (cells[:, 0] + first + 0.5) * 0.125
        y = world.walkable.south + (cells[:, 1] + second + 0.5) * 0.125
        dx, dy = x[:, None] - blocks[:, 0], y[:, None] - blocks[:, 1]
        across = np.maximum(np.abs(dx * blocks[:, 3] - dy * blocks[:, 2]) - blocks[:, 4], 0.0)
        along = np.maximum(np.abs(dx * blocks[:, 2] + dy * blocks[:, 3]) - blocks[:, 5], 0.0)
        assert np.hypot(across, along).min() >= BODY_RADIUS - 1e-9


def test_places_are_free_and_reached_from_each_other(world: Sections) -> None:
    graph = world.city.graph
    assert world.walkable.free_at(*graph.positions[:, :2].T).all()
    for section in (2, 6):
        ours = [tuple(place[:2]) for place in graph.positions.tolist() if world.section_of(*place[:2]) == section]
        assert shortest_actions(world.walkable, ours[0], GRID_HEADING, ours[-1])
    assert (
        shortest_actions(world.walkable, tuple(graph.positions[0, :2]), GRID_HEADING, tuple(graph.positions[-1, :2]))
        is None
    )


def test_nobody_walks_out_of_a_section(world: Sections) -> None:
    rng = np.random.default_rng(3)
    x, y = np.repeat(world.city.graph.positions[::9, :2], 40, axis=0).T
    home = [world.section_of(*spot) for spot in zip(x, y, strict=True)]
    for _ in range(60):
        x, y, _ = step_forward(world.walkable, x, y, GRID_HEADING + 30.0 * rng.integers(0, 12, len(x)))
    assert world.walkable.free_at(x, y).all()
    assert [world.section_of(*spot) for spot in zip(x, y, strict=True)] == home
