"""A plain grid of blocks of 108 solids each: a sparse scene for render benchmarks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.world.city.plan import ROAD
from bearleft.world.render.camera import Floats32, poses
from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.scene import SOLID, Scene

BLOCK_WIDTH, BLOCK_LENGTH = 80.0, 200.0  # metres of a block
STREET, AVENUE = 30.0, 18.0  # metres between blocks, along and across
BUILDINGS, TREES, CARS, LAMPS, HYDRANTS = 16, 6, 8, 4, 2


def blocks(side: int = 14, seed: int = 0) -> Scene:
    """Return a scene of side x side blocks; 14 give 3,136 buildings and 21,168 solids."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[SolidShape, npt.ArrayLike, npt.ArrayLike, float, Material, npt.ArrayLike, int]] = []
    instance = 0

    def add(parts: list[tuple[SolidShape, npt.ArrayLike, npt.ArrayLike, float, Material, npt.ArrayLike]]) -> None:
        nonlocal instance
        instance += 1
        rows.extend((*part, instance) for part in parts)

    for block in range(side * side):
        x0 = block % side * (BLOCK_WIDTH + AVENUE) + AVENUE / 2
        y0 = block // side * (BLOCK_LENGTH + STREET) + STREET / 2
        for k in range(BUILDINGS):
            west = k < BUILDINGS // 2
            high, deep = float(np.clip(rng.gamma(2.5, 12.0), 9, 150)), BLOCK_WIDTH / 2 - 5 + rng.uniform(-3, 0)
            y, wide = y0 + (k % 8 + 0.5) * BLOCK_LENGTH / 8, BLOCK_LENGTH / 8 - 0.3
            x = x0 + (4 + deep / 2 if west else BLOCK_WIDTH - 4 - deep / 2)
            wall = rng.uniform(90, 220, 3)
            add([(SolidShape.BOX, (x, y, high / 2), (deep / 2, wide / 2, high / 2), 0.0, Material.FACADE, wall)])
            x = x0 + (3.4 if west else BLOCK_WIDTH - 3.4)
            add(
                [(SolidShape.BOX, (x, y, 3.2), (0.9, wide / 2 - 3, 0.12), 0.0, Material.PLAIN, rng.uniform(50, 230, 3))]
            )
            x = x0 + (3.9 if west else BLOCK_WIDTH - 3.9)
            add(
                [
                    (
                        SolidShape.BOX,
                        (x, y + wide / 3, 4.4),
                        (0.12, 1.2, 0.5),
                        0.0,
                        Material.PLAIN,
                        rng.uniform(50, 230, 3),
                    )
                ]
            )
        for k in range(TREES):
            x, y = x0 + (1.0 if k % 2 else BLOCK_WIDTH - 1.0), y0 + rng.uniform(8, BLOCK_LENGTH - 8)
            high, crown = rng.uniform(2.4, 3.2), rng.uniform(1.4, 2.2)
            trunk = (SolidShape.CYLINDER, (x, y, high / 2), (0.16, 0.16, high / 2), 0.0, Material.PLAIN, (90, 64, 40))
            top = (x, y, high + crown * 0.8)
            add([trunk, (SolidShape.ELLIPSOID, top, (crown, crown, crown * 1.1), 0.0, Material.FOLIAGE, (46, 107, 38))])
        for k in range(CARS):
            x, y = x0 + (-1.4 if k % 2 else BLOCK_WIDTH + 1.4), y0 + rng.uniform(5, BLOCK_LENGTH - 5)
            body = (SolidShape.BOX, (x, y, 0.65), (0.9, 2.2, 0.38), 0.0, Material.PLAIN, rng.uniform(25, 230, 3))
            cabin = (SolidShape.BOX, (x, y, 1.25), (0.8, 1.2, 0.28), 0.0, Material.GLASS, (30, 36, 46))
            axles = [
                (SolidShape.BOX, (x, y + d, 0.32), (0.92, 0.32, 0.32), 0.0, Material.PLAIN, (13, 13, 13))
                for d in (-1.4, 1.4)
            ]
            add([body, cabin, *axles])
        for k in range(LAMPS):
            x, y = x0 + (0.6 if k % 2 else BLOCK_WIDTH - 0.6), y0 + (k + 0.5) * BLOCK_LENGTH / LAMPS
            post = (SolidShape.CYLINDER, (x, y, 3.5), (0.09, 0.09, 3.5), 0.0, Material.PLAIN, (76, 82, 76))
            arm = (
                SolidShape.BOX,
                (x + (-0.8 if k % 2 else 0.8), y, 7.0),
                (0.9, 0.12, 0.08),
                0.0,
                Material.PLAIN,
                (76, 82, 76),
            )
            add([post, arm])
        for _ in range(HYDRANTS):
            x, y = x0 + 0.8, y0 + rng.uniform(4, BLOCK_LENGTH - 4)
            red = (204, 25, 20)
            add(
                [
                    (SolidShape.CYLINDER, (x, y, 0.35), (0.16, 0.16, 0.35), 0.0, Material.PLAIN, red),
                    (SolidShape.ELLIPSOID, (x, y, 0.7), (0.18, 0.18, 0.16), 0.0, Material.PLAIN, red),
                    (SolidShape.BOX, (x, y, 0.5), (0.28, 0.08, 0.08), 0.0, Material.PLAIN, (178, 178, 178)),
                ]
            )
            x, y = x0 + BLOCK_WIDTH - 0.9, y0 + rng.uniform(4, BLOCK_LENGTH - 4)
            turn = rng.uniform(0, 1)
            add([(SolidShape.BOX, (x, y, 0.65), (0.3, 0.3, 0.55), turn, Material.PLAIN, (20, 38, 128))])
    return Scene.make(_solids(rows), np.full(instance + 1, 10), _streets(side))


def _solids(
    rows: list[tuple[SolidShape, npt.ArrayLike, npt.ArrayLike, float, Material, npt.ArrayLike, int]],
) -> npt.NDArray[np.void]:
    solids = np.zeros(len(rows), SOLID)
    kind, centre, size, turn, material, colour, instance = zip(*rows, strict=True)
    solids["kind"], solids["material"], solids["instance"] = kind, material, instance
    solids["centre"], solids["size"], solids["colour"] = centre, size, np.array(colour, np.uint8)
    c, s = np.cos(turn), np.sin(turn)
    solids["matrix"][:, 0, 0], solids["matrix"][:, 1, 1], solids["matrix"][:, 2, 2] = c, c, 1.0
    solids["matrix"][:, 0, 1], solids["matrix"][:, 1, 0] = -s, s
    solids["matrix"] *= solids["size"][:, None, :]
    solids["second"], solids["pattern"], solids["text"] = 235, (3.2, 3.5, 3.5, 0.0), -1
    return solids


def _streets(side: int) -> npt.NDArray[np.void]:
    """Return one long road for every street and avenue."""
    roads = np.zeros(2 * (side + 1), ROAD)
    across, along = side * (BLOCK_WIDTH + AVENUE) * 1000, side * (BLOCK_LENGTH + STREET) * 1000
    for k in range(side + 1):
        x, y = k * (BLOCK_WIDTH + AVENUE) * 1000, k * (BLOCK_LENGTH + STREET) * 1000
        roads[k] = (x, 0, x, along, AVENUE * 500, 4000, 0, 0, 0, 0, 2, 0, 0, k)
        roads[side + 1 + k] = (0, y, across, y, STREET * 500, 4000, 0, 0, 0, 0, 4, 0, 0, side + 1 + k)
    return roads


def viewpoints(count: int, side: int = 14, seed: int = 1) -> Floats32:
    """Return cameras on the avenues with random headings."""
    rng = np.random.default_rng(seed)
    x = rng.integers(2, side - 2, count) * (BLOCK_WIDTH + AVENUE) + rng.uniform(-4, 4, count)
    y = rng.uniform(0.15, 0.85, count) * side * (BLOCK_LENGTH + STREET)
    return poses(np.column_stack([x, y, np.full(count, 2.0)]), rng.uniform(0, 360, count))
