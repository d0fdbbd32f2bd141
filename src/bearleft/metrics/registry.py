"""All metrics by the names of their papers, and several path metrics at once.

To report a new path metric without `--metric`, add it to `CONVENTION_METRICS` in `metrics/conventions.py`, too.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy.typing as npt

from bearleft.errors import InputError, unknown_name
from bearleft.metrics.assembly import ctc_0, ctc_3, ctc_5, ctc_7, ptc, rpod
from bearleft.metrics.cls import cls
from bearleft.metrics.completion import kpa, osr, sr, tc
from bearleft.metrics.deviation import ad, md
from bearleft.metrics.distances import Distance
from bearleft.metrics.dtw import dtw, ndtw, sdtw
from bearleft.metrics.fastdtw import fast_ndtw, fast_sdtw
from bearleft.metrics.metric import Metric, PathMetric, compute_metrics
from bearleft.metrics.milestones import milestone_11deg, milestone_degrees
from bearleft.metrics.minimal_pairs import both_correct, changed_correct
from bearleft.metrics.navigation_error import ne, one, pl, spd
from bearleft.metrics.pointing import (
    a_40px,
    a_80px,
    a_120px,
    acc_11deg,
    c_40px,
    c_80px,
    c_120px,
    dist,
    dist_degrees,
    found_40px,
    found_80px,
    found_120px,
)
from bearleft.metrics.ragged_paths import Floats, Paths
from bearleft.metrics.sed import sed
from bearleft.metrics.spl import spl

METRICS: dict[str, Metric] = {
    "PL": pl,
    "NE": ne,
    "ONE": one,
    "SR": sr,
    "OSR": osr,
    "AD": ad,
    "MD": md,
    "SPL": spl,
    "SED": sed,
    "CLS": cls,
    "DTW": dtw,
    "nDTW": ndtw,
    "SDTW": sdtw,
    "nDTW-fast": fast_ndtw,
    "SDTW-fast": fast_sdtw,
    "TC": tc,
    "SPD": spd,
    "KPA": kpa,
    "A@40px": a_40px,
    "A@80px": a_80px,
    "A@120px": a_120px,
    "Found@40px": found_40px,
    "Found@80px": found_80px,
    "Found@120px": found_120px,
    "C@40px": c_40px,
    "C@80px": c_80px,
    "C@120px": c_120px,
    "Dist": dist,
    "Dist-deg": dist_degrees,
    "Acc@11deg": acc_11deg,
    "Milestone-deg": milestone_degrees,
    "Milestone@11deg": milestone_11deg,
    "CTC-0": ctc_0,
    "CTC-3": ctc_3,
    "CTC-5": ctc_5,
    "CTC-7": ctc_7,
    "PTC": ptc,
    "rPOD": rpod,
    "Pairs": both_correct,
    "Changed": changed_correct,
}


def metric_name(name: str) -> str:
    """Return the name of a metric as its paper writes it; `name` may be in any case, such as ndtw for nDTW.

    Raises:
        InputError: There is no such metric; the error suggests one.
    """
    if name in METRICS:
        return name
    by_lower = {known.lower(): known for known in METRICS}
    if name.lower() not in by_lower:
        raise unknown_name("metric", name, METRICS)
    return by_lower[name.lower()]


def get_metric(name: str) -> Metric:
    """Return the metric with a name, in any case; raise InputError with a suggestion if there is none."""
    return METRICS[metric_name(name)]


def path_scores(
    names: Iterable[str],
    paths: Paths,
    references: Paths,
    distance: Distance,
    threshold: float | None = None,
    junctions: npt.ArrayLike | None = None,
) -> dict[str, Floats]:
    """Compute several metrics of paths in one pass on all cores.

    Args:
        names: The names of path metrics, such as "nDTW"; TC, SPD and KPA need hops as the distance.
        paths: The paths: lists, arrays, or `Ragged`.
        references: A reference for each path.
        distance: The distance of two points.
        threshold: The threshold distance, if a metric needs one.
        junctions: Whether each node has more than two neighbours, for KPA.

    Returns:
        The values of each metric by name.

    Raises:
        InputError: A name is unknown, a path is invalid, or an argument is missing.
    """
    metrics = [get_metric(name) for name in names]
    for metric in metrics:
        if not isinstance(metric, PathMetric) and metric is not kpa:
            known = [name for name, row in METRICS.items() if isinstance(row, PathMetric) or row is kpa]
            raise unknown_name("metric of paths", metric.name, known)
    path_metrics = [metric for metric in metrics if isinstance(metric, PathMetric)]
    values = iter(compute_metrics(path_metrics, paths, references, distance, threshold))
    scores: dict[str, Floats] = {}
    for metric in metrics:
        if isinstance(metric, PathMetric):
            scores[metric.name] = next(values)
        else:
            if junctions is None:
                raise InputError("junctions, true for each node with more than two neighbours", "none", "junctions")
            scores[metric.name] = kpa.batch(paths, references, distance, junctions)
    return scores
