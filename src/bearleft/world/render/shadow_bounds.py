"""Where the sun surely shines: per cell, the height above which no large thing, and no small one, stands before it."""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

import numpy as np

from bearleft.runtime.compiled import jit
from bearleft.world.render.light import Light
from bearleft.world.render.raycast import NEVER
from bearleft.world.render.scene import Scene
from bearleft.world.render.shading import Numbers

SUNS = 8  # directions of the sun that are kept for a scene
_KEPT: WeakKeyDictionary[Scene, dict[tuple[float, float, float], Numbers]] = WeakKeyDictionary()


def sunlit(scene: Scene, light: Light) -> Numbers:
    """Computed once for a scene and a direction of the sun."""
    kept = _KEPT.setdefault(scene, {})
    sun = light.towards(scene.indoors)
    if sun not in kept:
        while len(kept) >= SUNS:
            del kept[next(iter(kept))]
        tops = (np.ascontiguousarray(scene.arrays.top[:, column]) for column in (1, 2))
        above = np.column_stack([_march(scene.arrays.grid, top, *sun) for top in tops])
        if scene.indoors:
            above[:, 0] = -1.0  # walls keep no light from a room: it is everywhere under the ceiling
        # A template's cell is entered only where it may be in the way.
        kept[sun] = np.concatenate([above, np.full((scene.templates, 2), NEVER, np.float32)])
    return kept[sun]


@jit
def _march(grid: Numbers, top: Numbers, east: float, north: float, up: float) -> Numbers:
    """From every cell, step towards the sun: what stands d metres away matters if it is higher than d times `up`."""
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
                # The nearest that a cell around this spot can be to any point of ours.
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
