"""What a measure is: a name, a unit, a better direction, a paper, and functions of what was asked and what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.distances import Distance, threshold_of
from bearleft.metrics.kernels import COVERAGE, DTW, END, MAX_DEVIATION, MEAN_DEVIATION, NEAREST
from bearleft.metrics.paths import Floats, Paths
from bearleft.metrics.sweep import Pairs, pair


@dataclass(frozen=True, eq=False)
class Metric:
    """A published measure. `up`: whether more is better (None: neither); `percent`: a rate, printed times 100."""

    name: str
    up: bool | None
    unit: str
    paper: str
    definition: str
    percent: bool = False

    def mean(self, values: npt.ArrayLike) -> float:
        """The score of many: their mean, in percent where the measure is a rate."""
        values = np.asarray(values, np.float64)
        if not values.size:
            raise InputError(f"at least one value of {self.name}", "none")
        return float(values.mean()) * (100.0 if self.percent else 1.0)


class Measured:
    """What path measures are made of, for every pair of a batch; each quantity is computed once."""

    def __init__(self, pairs: Pairs, needs: int, threshold: float | None) -> None:
        self.pairs = pairs
        self._threshold = threshold
        # The coverage is the one swept quantity with a threshold in it.
        self._swept = pairs.sweep(needs, 1.0 if threshold is None else threshold)

    @property
    def threshold(self) -> float:
        if self._threshold is None:
            raise InputError("a threshold distance", "none", "threshold")
        return self._threshold

    @property
    def dtw(self) -> Floats:
        return self._swept[:, DTW]

    @property
    def end(self) -> Floats:
        """From the path's last point to the reference's."""
        return self._swept[:, END]

    @property
    def nearest(self) -> Floats:
        """From the path's nearest point to the reference's last."""
        return self._swept[:, NEAREST]

    @property
    def coverage(self) -> Floats:
        return self._swept[:, COVERAGE]

    @property
    def mean_deviation(self) -> Floats:
        return self._swept[:, MEAN_DEVIATION]

    @property
    def max_deviation(self) -> Floats:
        return self._swept[:, MAX_DEVIATION]

    @property
    def success(self) -> npt.NDArray[np.bool_]:
        """Whether the path ends within the threshold of the reference's end."""
        return self.end <= self.threshold

    @property
    def points(self) -> Floats:
        """How many points each reference has."""
        return self.pairs.references.lengths.astype(np.float64)

    @cached_property
    def path_length(self) -> Floats:
        return self.pairs.path_length()

    @cached_property
    def reference_length(self) -> Floats:
        return self.pairs.reference_length()

    @cached_property
    def start(self) -> Floats:
        """From the path's first point to the reference's last."""
        return self.pairs.start()


@dataclass(frozen=True, eq=False)
class PathMetric(Metric):
    """A measure of a path beside its reference: call it for one pair, `batch` for many on all cores.

    `distance` is EUCLIDEAN (paths are coordinates), a matrix between nodes or `Nodes(matrix, rows)` (paths are node
    numbers), or any function of two points. Pairs without a way between them are infinitely far apart.
    """

    formula: Callable[[Measured], Floats] = lambda measured: measured.end
    needs: int = 0
    thresholded: bool = False

    def __call__(self, path: Any, reference: Any, distance: Distance, threshold: float | None = None) -> float:
        """The measure of one path."""
        try:
            return float(self.batch([path], [reference], distance, threshold)[0])
        except InputError as error:
            error.field = error.field.replace("paths[0]", "path").replace("references[0]", "reference")
            raise

    def batch(self, paths: Paths, references: Paths, distance: Distance, threshold: float | None = None) -> Floats:
        """The measure of each path, as lists of paths, arrays, or `Ragged`."""
        return measure([self], paths, references, distance, threshold)[0]


def measure(
    metrics: Iterable[PathMetric], paths: Paths, references: Paths, distance: Distance, threshold: float | None = None
) -> list[Floats]:
    """Several measures of the same pairs in one sweep over their distances."""
    metrics = list(metrics)
    for metric in metrics:
        if metric.thresholded and threshold is None:
            raise InputError(f"a threshold distance for {metric.name}", "none", "threshold")
    needs = 0
    for metric in metrics:
        needs |= metric.needs
    within = None if threshold is None else threshold_of(threshold)
    measured = Measured(pair(paths, references, distance), needs, within)
    return [np.array(metric.formula(measured), np.float64) for metric in metrics]


NDTW_PAPER = "Ilharco et al. 2019"
TOUCHDOWN_PAPER = "Chen et al. 2019"
REFER360_PAPER = "Cirik et al. 2020"
ARRAMON_PAPER = "Kim et al. 2020"
CONTRAST_PAPER = "Gardner et al. 2020"
