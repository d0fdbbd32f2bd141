"""The colour one would name a thing by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.world.city.plan import Plan

Ints = npt.NDArray[np.int64]


def main_colours(plan: Plan) -> Ints:
    """Of every thing of a plan: the number of the colour a stranger would name it by, -1 where there is none."""
    return np.asarray(plan.things["first"], np.int64)
