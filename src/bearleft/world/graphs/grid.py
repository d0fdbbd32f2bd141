"""Generated street grids: crossing streets with a place every few metres, for trying things without any data."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bearleft.errors import InputError
from bearleft.geometry import angles
from bearleft.world.graphs.graph import Graph


def street_grid(
    rng: np.random.Generator,
    avenues: int = 6,
    streets: int = 8,
    block: tuple[float, float] = (80.0, 60.0),
    step: float = 10.0,
    tilt: float = 29.0,
    wander: float = 0.8,
) -> Graph:
    """A town of `avenues` x `streets`, its blocks of `block` metres (east, north), about `step` metres between places.

    The whole town is turned clockwise by `tilt` degrees (Manhattan's is 29); every place strays up to `wander` metres.
    """
    if avenues < 1 or streets < 1 or avenues * streets < 2:
        raise InputError("a town of at least two crossings", f"{avenues} x {streets}")
    if step <= 0 or min(block) < step:
        raise InputError("blocks longer than a step", f"blocks of {block[0]:g} x {block[1]:g} m, steps of {step:g} m")
    positions = [(east * block[0], north * block[1]) for north in range(streets) for east in range(avenues)]
    pairs: list[tuple[int, int]] = []

    def street(begin: int, end: int) -> None:
        here, there = np.array(positions[begin]), np.array(positions[end])
        between = max(round(float(np.linalg.norm(there - here)) / step), 1) - 1
        chain = [begin, *range(len(positions), len(positions) + between), end]
        shares = np.arange(1, between + 1) / (between + 1)
        positions.extend((float(x), float(y)) for x, y in here + shares[:, None] * (there - here))
        pairs.extend(pairwise(chain))

    for north in range(streets):
        for east in range(avenues):
            crossing = north * avenues + east
            if east + 1 < avenues:
                street(crossing, crossing + 1)
            if north + 1 < streets:
                street(crossing, crossing + avenues)
    turned = np.array(positions) + rng.uniform(-wander, wander, (len(positions), 2))
    a = np.radians(tilt)
    turned = turned @ np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    where = np.column_stack([turned, np.zeros(len(turned))])
    one_way = np.array(pairs)
    source, target = np.concatenate([one_way[:, 0], one_way[:, 1]]), np.concatenate([one_way[:, 1], one_way[:, 0]])
    heading, _ = angles(where[target] - where[source])
    yaw = rng.integers(0, 360, len(where))
    ids = [f"p{k:05d}" for k in range(len(where))]
    return Graph.make("grid", ids, where, source, target, np.round(heading) % 360.0, yaw)
