"""The base classes of metrics: their descriptions, and path metrics as functions of shared measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.distances import Distance, check_threshold
from bearleft.metrics.kernels import (
    COVERAGE,
    DTW,
    END,
    MAX_DEVIATION,
    MEAN_DEVIATION,
    NEAREST,
    NEEDS_COVERAGE,
    NEEDS_DEVIATION,
    NEEDS_DTW,
    NEEDS_GOAL,
)
from bearleft.metrics.path_pairs import PathPairs, pair_paths
from bearleft.metrics.ragged_paths import Floats, Paths
from bearleft.records import Episode, Trace


@dataclass(frozen=True, eq=False)
class Metric:
    """The description of a published metric.

    Attributes:
        name: The name that its paper uses.
        higher_is_better: Whether higher values are better; None if neither.
        unit: The unit of its values.
        paper: The paper that defines it; empty for a metric of your own.
        definition: Its definition in a sentence.
        percent: Whether it is a rate, printed times 100.
        binary: Whether each value is 0 or 1.
    """

    name: str
    higher_is_better: bool | None
    unit: str
    paper: str = ""
    definition: str = ""
    percent: bool = False
    binary: bool = False

    @property
    def scale(self) -> float:
        """Return the factor of printed values: 100 for a rate, else 1."""
        return 100.0 if self.percent else 1.0

    def mean(self, values: npt.ArrayLike) -> float:
        """Return the mean of values, in percent if the metric is a rate.

        Raises:
            InputError: There are no values.
        """
        values = np.asarray(values, np.float64)
        if not values.size:
            raise InputError(f"at least one value of {self.name}", "none")
        return float(values.mean()) * self.scale


# For each measurement: the flag that an error names, and the flags of which a metric must declare at least one to read
# it. The pass that computes the coverage also computes END and NEAREST.
_FLAGS = {
    DTW: ("NEEDS_DTW", NEEDS_DTW),
    END: ("NEEDS_GOAL", NEEDS_GOAL | NEEDS_COVERAGE),
    NEAREST: ("NEEDS_GOAL", NEEDS_GOAL | NEEDS_COVERAGE),
    COVERAGE: ("NEEDS_COVERAGE", NEEDS_COVERAGE),
    MEAN_DEVIATION: ("NEEDS_DEVIATION", NEEDS_DEVIATION),
    MAX_DEVIATION: ("NEEDS_DEVIATION", NEEDS_DEVIATION),
}


class PathMeasurements:
    """The quantities that path metrics are computed from, for every pair of a batch; each is computed once.

    Args:
        pairs: The paths and their references.
        needs: The results to compute from the cost matrices: flags NEEDS_... of `bearleft.metrics.kernels`. Reading
            another one is an error.
        threshold: The threshold distance; None if no metric needs one.
    """

    def __init__(self, pairs: PathPairs, needs: int, threshold: float | None) -> None:
        self.pairs = pairs
        self._threshold = threshold
        self._declared = needs
        # The coverage is the only result that depends on the threshold.
        self._results = pairs.compute_results(needs, 1.0 if threshold is None else threshold)

    def evaluate(self, metric: PathMetric) -> Floats:
        """Return the values of a metric.

        Raises:
            InputError: Its formula reads a result that its `needs` does not declare.
        """
        computed, self._declared = self._declared, metric.needs
        try:
            return np.array(metric.formula(self), np.float64)
        except InputError as error:
            if error.field == "needs":
                raise replace(error, hint=f"Correct `needs` of the metric {metric.name}.") from None
            raise
        finally:
            self._declared = computed

    def _result(self, column: int, name: str) -> Floats:
        """Return a column of the results; raise InputError if it was not declared."""
        flag, accepted = _FLAGS[column]
        if not self._declared & accepted:
            raise InputError(f"{flag} in `needs`, since `{name}` is read", f"needs={self._declared}", "needs")
        return self._results[:, column]

    @property
    def threshold(self) -> float:
        """Return the threshold distance; raise InputError if there is none."""
        if self._threshold is None:
            raise InputError("a threshold distance", "none", "threshold")
        return self._threshold

    @property
    def dtw(self) -> Floats:
        """Return the dynamic time warping distances."""
        return self._result(DTW, "dtw")

    @property
    def end(self) -> Floats:
        """Return the distances from the path's last point to the reference's last."""
        return self._result(END, "end")

    @property
    def nearest(self) -> Floats:
        """Return the distances from the path's nearest point to the reference's last."""
        return self._result(NEAREST, "nearest")

    @property
    def coverage(self) -> Floats:
        """Return the mean over the reference's points of exp(-distance to the path / threshold)."""
        return self._result(COVERAGE, "coverage")

    @property
    def mean_deviation(self) -> Floats:
        """Return the mean distances from the path's points to the reference."""
        return self._result(MEAN_DEVIATION, "mean_deviation")

    @property
    def max_deviation(self) -> Floats:
        """Return the largest distances from a point of the path to the reference."""
        return self._result(MAX_DEVIATION, "max_deviation")

    @property
    def success(self) -> npt.NDArray[np.bool_]:
        """Return whether the path ends within the threshold of the reference's end."""
        return self.end <= self.threshold

    @property
    def reference_size(self) -> Floats:
        """Return the number of points of each reference."""
        return self.pairs.references.lengths.astype(np.float64)

    @cached_property
    def path_length(self) -> Floats:
        """Return the lengths of the paths."""
        return self.pairs.path_length()

    @cached_property
    def reference_length(self) -> Floats:
        """Return the lengths of the references."""
        return self.pairs.reference_length()

    @cached_property
    def start(self) -> Floats:
        """Return the distances from the path's first point to the reference's last."""
        return self.pairs.start()


@dataclass(frozen=True, eq=False)
class PathMetric(Metric):
    """A metric of a path and its reference: call it for one pair, `batch` for many on all cores.

    The distance is EUCLIDEAN (paths are coordinates), a matrix between nodes or `NodeDistances(matrix, rows)` (paths
    are node indices), a GeodesicGrid, or any function of two points. Points without a path between them are infinitely
    far apart.

    Attributes:
        formula: The metric as a function of the measurements.
        needs: The flags of the results that the formula reads (`dtw`, `end`, `nearest`, `success`, `coverage`,
            `mean_deviation`, `max_deviation`), such as NEEDS_DTW | NEEDS_GOAL of `bearleft.metrics.kernels`. Reading a
            result that is not declared raises InputError.
        needs_threshold: Whether it requires a threshold distance.
    """

    formula: Callable[[PathMeasurements], Floats] = lambda measurements: measurements.end
    needs: int = 0
    needs_threshold: bool = False

    def __call__(self, path: Any, reference: Any, distance: Distance, threshold: float | None = None) -> float:
        """Return the metric of one path.

        Args:
            path: The path.
            reference: The reference.
            distance: The distance of two points.
            threshold: The threshold distance, if the metric needs one.

        Raises:
            InputError: A path or the distance is invalid, or the threshold is missing.
        """
        try:
            return float(self.batch([path], [reference], distance, threshold)[0])
        except InputError as error:
            error.field = error.field.replace("paths[0]", "path").replace("references[0]", "reference")
            raise

    def batch(self, paths: Paths, references: Paths, distance: Distance, threshold: float | None = None) -> Floats:
        """Return the metric of each path.

        Args:
            paths: The paths: lists, arrays, or `Ragged`.
            references: A reference for each path.
            distance: The distance of two points.
            threshold: The threshold distance, if the metric needs one.
        """
        return compute_metrics([self], paths, references, distance, threshold)[0]


@dataclass(frozen=True, eq=False)
class TraceMetric(Metric):
    """A metric of an episode and its trace, of any task: call it for one trace.

    Attributes:
        function: The metric as a function of an episode and its trace; it returns None for a trace without a value.
    """

    function: Callable[[Episode, Trace], float | None] = lambda _episode, _trace: None

    def __call__(self, episode: Episode, trace: Trace) -> float | None:
        """Return the value of one trace; None if it has none.

        Args:
            episode: The episode.
            trace: What an agent did in it.
        """
        return self.function(episode, trace)


def compute_metrics(
    metrics: Iterable[PathMetric], paths: Paths, references: Paths, distance: Distance, threshold: float | None = None
) -> list[Floats]:
    """Return several metrics of the same paths, computed in one pass over their cost matrices.

    Args:
        metrics: The metrics.
        paths: The paths: lists, arrays, or `Ragged`.
        references: A reference for each path.
        distance: The distance of two points.
        threshold: The threshold distance, if a metric needs one.

    Returns:
        The values of each metric, in the order of `metrics`.
    """
    metrics = list(metrics)
    for metric in metrics:
        if metric.needs_threshold and threshold is None:
            raise InputError(f"a threshold distance for {metric.name}", "none", "threshold")
    needs = 0
    for metric in metrics:
        needs |= metric.needs
    checked_threshold = None if threshold is None else check_threshold(threshold)
    measurements = PathMeasurements(pair_paths(paths, references, distance), needs, checked_threshold)
    return [measurements.evaluate(metric) for metric in metrics]


NDTW_PAPER = "Ilharco et al. 2019"
TOUCHDOWN_PAPER = "Chen et al. 2019"
REFER360_PAPER = "Cirik et al. 2020"
ARRAMON_PAPER = "Kim et al. 2020"
CONTRAST_PAPER = "Gardner et al. 2020"
