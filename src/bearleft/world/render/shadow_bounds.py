"""Bounds of shadows: per grid cell, the heights above which no large and no small item blocks the sun."""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.render.light import Light
from bearleft.world.render.raycast import INFINITE
from bearleft.world.render.scene import Scene
from bearleft.world.render.shading import Numbers

MAX_DIRECTIONS = 8  # of the sun, cached for a scene
_CACHE: WeakKeyDictionary[Scene, dict[tuple[float, float, float], Numbers]] = WeakKeyDictionary()


def sunlit_heights(scene: Scene, light: Light) -> Numbers:
    """Return the heights above which the sun shines, computed once for a scene and a direction of the sun."""
    heights_by_sun = _CACHE.setdefault(scene, {})
    sun = light.towards(scene.indoors)
    if sun not in heights_by_sun:
        while len(heights_by_sun) >= MAX_DIRECTIONS:
            del heights_by_sun[next(iter(heights_by_sun))]
        tops = (np.ascontiguousarray(scene.arrays.top[:, column]) for column in (1, 2))
        above = np.column_stack([_march_to_sun(scene.arrays.grid, top, *sun) for top in tops])
        if scene.indoors:
            above[:, 0] = -1.0  # walls do not shade a room: light comes from everywhere below the ceiling
        # A template's cell is entered only if it may block the ray.
        heights_by_sun[sun] = np.concatenate([above, np.full((scene.templates, 2), INFINITE, np.float32)])
    return heights_by_sun[sun]


@jit
def _march_to_sun(grid: Numbers, top: Numbers, east: float, north: float, up: float) -> Numbers:
    """Step from every cell towards the sun; an item d metres away matters if it is higher than d times the slope."""
    side, across, along, ceiling = float(grid[2]), int(grid[3]), int(grid[4]), float(grid[5])
    level = math.sqrt(east * east + north * north)
    slope = up / max(level, 1e-6)
    out = np.zeros(across * along, np.float32)
    step = side / 2
    steps = int(ceiling / max(slope, 1e-3) / step) + 2
    for gx in range(across):
        for gy in range(along):
            highest = 0.0
            for k in range(steps):
                # The smallest distance from the neighbourhood of this step to any point of the cell.
                gap = max(k * step - 1.5 * side, 0.0) * slope
                if gap > ceiling:
                    break
                x = int(math.floor(gx + 0.5 + k * step / side * east / max(level, 1e-6)))
                y = int(math.floor(gy + 0.5 + k * step / side * north / max(level, 1e-6)))
                for i in range(max(x - 1, 0), min(x + 2, across)):
                    for j in range(max(y - 1, 0), min(y + 2, along)):
                        highest = max(highest, top[i * along + j] - gap)
            out[gx * along + gy] = highest
    return out
