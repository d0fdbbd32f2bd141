"""How walks end: at the goal, or by which first mistake they miss it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.metrics.ragged_paths import Floats

Ints = npt.NDArray[np.integer]

COMPLETED, EARLY, PAST, WRONG_START, WRONG_TURN = ENDINGS = (
    "completed",
    "stopped too early",
    "walked past the goal",
    "wrong way at the start",
    "left the route later",
)


def ending_of(path: Ints, route: Ints, completed: bool) -> str:
    """Return how a walk ended.

    A walk that is not completed stopped too early if it is the beginning of the route, and walked past the goal if the
    route is its beginning. Any other one left the route, with its first step or later.

    Args:
        path: Places of the walk; turns in place, which repeat a place, do not count.
        route: Places of the reference.
        completed: Whether the walk counts as completed.
    """
    if completed:
        return COMPLETED
    steps = without_repetitions(path)
    common = min(len(steps), len(route))
    differ = np.flatnonzero(steps[:common] != route[:common])
    if len(differ):
        return WRONG_START if differ[0] <= 1 else WRONG_TURN
    return EARLY if len(steps) <= len(route) else PAST


def without_repetitions(path: Ints) -> Ints:
    """Return a path in which no place follows itself."""
    return np.asarray(path[np.concatenate([[True], path[1:] != path[:-1]])])


def ending_values(paths: Sequence[Ints], routes: Sequence[Ints], completed: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    """Return for each of ENDINGS, which walks ended so, as 0 and 1."""
    names = [ending_of(*walk) for walk in zip(paths, routes, completed.tolist(), strict=True)]
    return {ending: np.array([name == ending for name in names], np.float64) for ending in ENDINGS}
