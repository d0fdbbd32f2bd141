"""Edit distances between sequences of places: Levenshtein distance and optimal string alignment."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.metrics.ragged_paths import Array, Ragged
from bearleft.runtime.compiled import jit, parallel_map

CHUNK = 4096


@jit
def _edits(path: Any, reference: Any, moves: bool, transpositions: bool, rows: Any) -> int:
    """Return the edit distance of two sequences; with `moves`, of their pairs of neighbours.

    With `transpositions` two neighbours may also be swapped for one edit, once (optimal string alignment). `rows` is
    memory for three rows of the table.
    """
    less = 1 if moves else 0
    height, width = len(reference) - less, len(path) - less
    # A common prefix costs nothing.
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
            if transpositions and i > 0 and j > 0 and reference[i] == path[j - 1] and reference[i - 1] == path[j]:
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
    transpositions: bool,
    out: Any,
) -> None:
    rows = np.empty((3, np.max(path_starts[begin + 1 : end + 1] - path_starts[begin:end]) + 1), np.int64)
    for k in range(begin, end):
        walked = path[path_starts[k] : path_starts[k + 1]]
        expected = reference[reference_starts[k] : reference_starts[k + 1]]
        out[k] = _edits(walked, expected, moves, transpositions, rows)


def edit_distances(
    paths: Ragged, references: Ragged, moves: bool = False, transpositions: bool = False
) -> npt.NDArray[np.int64]:
    """Return the edit distance of each path and its reference.

    Args:
        paths: The paths.
        references: A reference for each path.
        moves: Whether to compare moves (pairs of neighbouring places) instead of places.
        transpositions: Whether swapping two neighbouring places is one edit; no place is swapped twice.
    """
    paths, references = _as_indices(paths, references)
    out = np.zeros(len(paths), np.int64)
    parallel_map(
        lambda k: _edit_many(
            k,
            min(k + CHUNK, len(paths)),
            paths.points,
            paths.starts,
            references.points,
            references.starts,
            moves,
            transpositions,
            out,
        ),
        range(0, len(paths), CHUNK),
    )
    return out


def _as_indices(paths: Ragged, references: Ragged) -> tuple[Ragged, Ragged]:
    """Replace coordinates by indices that are equal for equal points."""
    if paths.points.ndim == 1:
        return paths, references
    both: Array = np.concatenate([paths.points, references.points])
    _, index = np.unique(both, axis=0, return_inverse=True)
    index = index.ravel().astype(np.int32)
    cut = len(paths.points)
    return Ragged(index[:cut], paths.starts), Ragged(index[cut:], references.starts)
