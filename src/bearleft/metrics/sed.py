"""Success weighted by edit distance: SED over places (Touchdown) and over moves (the nDTW paper's definition)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.metrics.edits import edit_distances
from bearleft.metrics.kernels import NEEDS_GOAL
from bearleft.metrics.metric import NDTW_PAPER, TOUCHDOWN_PAPER, PathMeasurements, PathMetric
from bearleft.metrics.ragged_paths import Floats, Ragged


def edit_similarity(paths: Ragged, references: Ragged, moves: bool = False, transpositions: bool = False) -> Floats:
    """Return 1 - edits / max(lengths) of each path and its reference, without turns on the spot.

    Args:
        paths: The paths.
        references: A reference for each path.
        moves: Whether to compare moves instead of places; two paths without a move are equal.
        transpositions: Whether swapping two neighbouring places is one edit.
    """
    fewer = 1 if moves else 0
    walked, expected = paths.without_repeats(), references.without_repeats()
    longer = np.maximum(walked.lengths, expected.lengths) - fewer
    fraction: Floats = edit_distances(walked, expected, moves, transpositions) / np.maximum(longer, 1)
    return 1.0 - fraction


def success_weighted_similarity(
    success: npt.NDArray[np.bool_], paths: Ragged, references: Ragged, moves: bool
) -> Floats:
    """Return the similarity of successful paths, 0 for the others, whose edit distance is not computed."""
    successful = np.flatnonzero(success)
    out = np.zeros(len(success))
    out[successful] = edit_similarity(paths.take(successful), references.take(successful), moves)
    return out


def _sed(measurements: PathMeasurements, moves: bool = False) -> Floats:
    return success_weighted_similarity(
        measurements.success, measurements.pairs.paths, measurements.pairs.references, moves
    )


sed = PathMetric(
    "SED",
    higher_is_better=True,
    unit="0..1",
    paper=TOUCHDOWN_PAPER,
    definition="Success weighted by edit distance: SR times 1 - Levenshtein / max(lengths), over places without turns.",
    formula=_sed,
    needs=NEEDS_GOAL,
    needs_threshold=True,
)
sed_moves = PathMetric(
    "SED",
    higher_is_better=True,
    unit="0..1",
    paper=NDTW_PAPER,
    definition="Success weighted by edit distance, of the moves (pairs of neighbouring places) instead of the places.",
    formula=lambda measurements: _sed(measurements, moves=True),
    needs=NEEDS_GOAL,
    needs_threshold=True,
)
