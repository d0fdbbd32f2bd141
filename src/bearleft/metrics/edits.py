"""Edit distances between sequences of places: Levenshtein's, and the one that also swaps neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.metrics.paths import Array, Ragged
from bearleft.runtime.compiled import jit, spread

CHUNK = 4096


@jit
def _edits(path: Any, reference: Any, moves: bool, swaps: bool, rows: Any) -> int:
    """The edit distance of two sequences; with `moves`, of their pairs of neighbours.

    With `swaps` two neighbours may also change places for one edit, once (optimal string alignment). `rows` is room
    for three rows of the table.
    """
    less = 1 if moves else 0
    height, width = len(reference) - less, len(path) - less
    # What both begin with costs nothing.
    same = 0
    while same < height and same < width and reference[same] == path[same]:
        if moves and reference[same + 1] != path[same + 1]:
            break
        same += 1
    reference, path = reference[same:], path[same:]
    height, width = height - same, width - same
    older, old, new = rows[0], rows[1], rows[2]
    for j in range(width + 1):
        old[j] = j
    for i in range(height):
        new[0] = i + 1
        for j in range(width):
            equal = reference[i] == path[j] and (not moves or reference[i + 1] == path[j + 1])
            best = min(old[j] + (0 if equal else 1), min(old[j + 1], new[j]) + 1)
            if swaps and i > 0 and j > 0 and reference[i] == path[j - 1] and reference[i - 1] == path[j]:
                best = min(best, older[j - 1] + 1)
            new[j + 1] = best
        older, old, new = old, new, older
    return int(old[width])


@jit
def _edit_many(
    begin: int,
    end: int,
    path: Any,
    path_starts: Any,
    reference: Any,
    reference_starts: Any,
    moves: bool,
    swaps: bool,
    out: Any,
) -> None:
    rows = np.empty((3, np.max(path_starts[begin + 1 : end + 1] - path_starts[begin:end]) + 1), np.int64)
    for k in range(begin, end):
        one = path[path_starts[k] : path_starts[k + 1]]
        other = reference[reference_starts[k] : reference_starts[k + 1]]
        out[k] = _edits(one, other, moves, swaps, rows)


def edit_distances(
    paths: Ragged, references: Ragged, moves: bool = False, swaps: bool = False
) -> npt.NDArray[np.int64]:
    """How many places (or moves) must be put in, left out or changed to turn each path into its reference.

    With `swaps` the exchange of two neighbouring places is one edit too; no place takes part in more than one exchange.
    """
    one, other = _numbered(paths, references)
    out = np.zeros(len(one), np.int64)
    spread(
        lambda k: _edit_many(
            k, min(k + CHUNK, len(one)), one.points, one.starts, other.points, other.starts, moves, swaps, out
        ),
        range(0, len(one), CHUNK),
    )
    return out


def _numbered(paths: Ragged, references: Ragged) -> tuple[Ragged, Ragged]:
    """Coordinates become numbers, equal for equal points."""
    if paths.points.ndim == 1:
        return paths, references
    both: Array = np.concatenate([paths.points, references.points])
    _, number = np.unique(both, axis=0, return_inverse=True)
    number = number.ravel()
    cut = len(paths.points)
    return Ragged(number[:cut], paths.starts), Ragged(number[cut:], references.starts)
