"""Success weighted by edit distance: SED over places (Touchdown) and over moves (the nDTW paper's wording)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.metrics.edits import edit_distances
from bearleft.metrics.kernels import GOAL
from bearleft.metrics.metric import NDTW_PAPER, TOUCHDOWN_PAPER, Measured, PathMetric
from bearleft.metrics.paths import Floats, Ragged


def similarity(paths: Ragged, references: Ragged, moves: bool = False, swaps: bool = False) -> Floats:
    """1 - edits / max(lengths), turns on the spot left out; two paths without a move are equal in their moves."""
    less = 1 if moves else 0
    walked, asked = paths.without_repeats(), references.without_repeats()
    longer = np.maximum(walked.lengths, asked.lengths) - less
    share: Floats = edit_distances(walked, asked, moves, swaps) / np.maximum(longer, 1)
    return 1.0 - share


def of_successes(success: npt.NDArray[np.bool_], paths: Ragged, references: Ragged, moves: bool) -> Floats:
    """The similarity where there is success, else 0: most pairs need no edit distance."""
    which = np.flatnonzero(success)
    out = np.zeros(len(success))
    out[which] = similarity(paths.take(which), references.take(which), moves)
    return out


def _sed(measured: Measured, moves: bool = False) -> Floats:
    return of_successes(measured.success, measured.pairs.paths, measured.pairs.references, moves)


sed = PathMetric(
    "SED",
    up=True,
    unit="0..1",
    paper=TOUCHDOWN_PAPER,
    definition="Success weighted by edit distance: SR times 1 - Levenshtein / max(lengths), over places without turns.",
    formula=_sed,
    needs=GOAL,
    thresholded=True,
)
sed_moves = PathMetric(
    "SED",
    up=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Success weighted by edit distance, of the moves (pairs of neighbouring places) instead of the places.",
    formula=lambda measured: _sed(measured, moves=True),
    needs=GOAL,
    thresholded=True,
)
