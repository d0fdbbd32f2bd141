"""Generated street grids with a place every few metres, for use without any dataset."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bearleft.errors import InputError
from bearleft.geometry import vector_angles
from bearleft.world.graphs.graph import Graph


def street_grid(
    rng: np.random.Generator,
    avenues: int = 6,
    streets: int = 8,
    block: tuple[float, float] = (80.0, 60.0),
    step: float = 10.0,
    rotation: float = 29.0,
    jitter: float = 0.8,
) -> Graph:
    """Return the graph of a rectangular street grid.

    Args:
        rng: Source of randomness, for jitter and yaws.
        avenues: Number of streets that run north.
        streets: Number of streets that run east.
        block: Size of a block in metres (east, north).
        step: Approximate distance between places in metres.
        rotation: Clockwise rotation of the grid in degrees; Manhattan's is 29.
        jitter: Largest random displacement of a place in metres, per axis.

    Raises:
        InputError: There are fewer than two crossings, or a block is shorter than a step.
    """
    if avenues < 1 or streets < 1 or avenues * streets < 2:
        raise InputError("a town of at least two crossings", f"{avenues} x {streets}")
    if step <= 0 or min(block) < step:
        raise InputError("blocks longer than a step", f"blocks of {block[0]:g} x {block[1]:g} m, steps of {step:g} m")
    positions = [(east * block[0], north * block[1]) for north in range(streets) for east in range(avenues)]
    pairs: list[tuple[int, int]] = []

    def add_street(begin: int, end: int) -> None:
        start, stop = np.array(positions[begin]), np.array(positions[end])
        place_count = max(round(float(np.linalg.norm(stop - start)) / step), 1) - 1
        chain = [begin, *range(len(positions), len(positions) + place_count), end]
        shares = np.arange(1, place_count + 1) / (place_count + 1)
        positions.extend((float(x), float(y)) for x, y in start + shares[:, None] * (stop - start))
        pairs.extend(pairwise(chain))

    for north in range(streets):
        for east in range(avenues):
            crossing = north * avenues + east
            if east + 1 < avenues:
                add_street(crossing, crossing + 1)
            if north + 1 < streets:
                add_street(crossing, crossing + avenues)
    points = np.array(positions) + rng.uniform(-jitter, jitter, (len(positions), 2))
    angle = np.radians(rotation)
    points = points @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    positions_3d = np.column_stack([points, np.zeros(len(points))])
    links = np.array(pairs)
    source, target = np.concatenate([links[:, 0], links[:, 1]]), np.concatenate([links[:, 1], links[:, 0]])
    heading, _ = vector_angles(positions_3d[target] - positions_3d[source])
    yaw = rng.integers(0, 360, len(positions_3d))
    ids = [f"p{k:05d}" for k in range(len(positions_3d))]
    return Graph.make("grid", ids, positions_3d, source, target, np.round(heading) % 360.0, yaw)
