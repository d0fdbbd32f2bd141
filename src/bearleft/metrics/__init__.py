"""Published metrics of navigation, pointing and assembling, single and batched; functions have their papers' names.

Metrics are callable objects: `ndtw(path, reference, distance, threshold)` scores one path, `ndtw.batch(...)` many on
all cores, and `METRICS` lists all of them by name.
"""

from __future__ import annotations

from bearleft.metrics.assembly import (
    assembly_scores,
    cell_distances,
    ctc_0,
    ctc_3,
    ctc_5,
    ctc_7,
    ground_positions,
    item_distances,
    ptc,
    rpod,
)
from bearleft.metrics.cls import cls
from bearleft.metrics.completion import kpa, osr, sr, tc
from bearleft.metrics.conventions import CONVENTIONS, Convention, compare_conventions, score_walks
from bearleft.metrics.costs import cost_matrix
from bearleft.metrics.deviation import ad, md
from bearleft.metrics.distances import EUCLIDEAN, SQUARED, CoordinateDistance, Distance, GeodesicGrid, NodeDistances
from bearleft.metrics.dtw import dtw, ndtw, sdtw, warping_path
from bearleft.metrics.edits import edit_distances
from bearleft.metrics.fastdtw import fast_ndtw, fast_sdtw, fastdtw, fastdtw_batch
from bearleft.metrics.geodesic import geodesic_grid
from bearleft.metrics.metric import Metric, PathMetric, TraceMetric, compute_metrics
from bearleft.metrics.milestones import milestone_11deg, milestone_degrees, milestone_distances, sentence_ends
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
    direction_distances,
    dist,
    dist_degrees,
    found_40px,
    found_80px,
    found_120px,
    pixel_distance,
    pixel_distances,
    point_scores,
)
from bearleft.metrics.ragged_paths import Ragged
from bearleft.metrics.registry import METRICS, get_metric, path_scores
from bearleft.metrics.sed import sed, sed_moves
from bearleft.metrics.spl import spl
from bearleft.metrics.statistics import (
    Difference,
    Interval,
    SignTestResult,
    bootstrap,
    bootstrap_rows,
    exact_if_unanimous,
    paired_bootstrap,
    permutation_test,
    sign_test,
)
from bearleft.metrics.walks import Walks, make_walks, random_walks

# Some metrics have the name of their module (dtw, cls, sed, spl): the imports above make the name the metric.
__all__ = [
    "CONVENTIONS",
    "EUCLIDEAN",
    "METRICS",
    "SQUARED",
    "Convention",
    "CoordinateDistance",
    "Difference",
    "Distance",
    "GeodesicGrid",
    "Interval",
    "Metric",
    "NodeDistances",
    "PathMetric",
    "Ragged",
    "SignTestResult",
    "TraceMetric",
    "Walks",
    "a_40px",
    "a_80px",
    "a_120px",
    "acc_11deg",
    "ad",
    "assembly_scores",
    "bootstrap",
    "bootstrap_rows",
    "both_correct",
    "c_40px",
    "c_80px",
    "c_120px",
    "cell_distances",
    "changed_correct",
    "cls",
    "compare_conventions",
    "compute_metrics",
    "cost_matrix",
    "ctc_0",
    "ctc_3",
    "ctc_5",
    "ctc_7",
    "direction_distances",
    "dist",
    "dist_degrees",
    "dtw",
    "edit_distances",
    "exact_if_unanimous",
    "fast_ndtw",
    "fast_sdtw",
    "fastdtw",
    "fastdtw_batch",
    "found_40px",
    "found_80px",
    "found_120px",
    "geodesic_grid",
    "get_metric",
    "ground_positions",
    "item_distances",
    "kpa",
    "make_walks",
    "md",
    "milestone_11deg",
    "milestone_degrees",
    "milestone_distances",
    "ndtw",
    "ne",
    "one",
    "osr",
    "paired_bootstrap",
    "path_scores",
    "permutation_test",
    "pixel_distance",
    "pixel_distances",
    "pl",
    "point_scores",
    "ptc",
    "random_walks",
    "rpod",
    "score_walks",
    "sdtw",
    "sed",
    "sed_moves",
    "sentence_ends",
    "sign_test",
    "spd",
    "spl",
    "sr",
    "tc",
    "warping_path",
]
