"""How well it was done: every published measure, single and batched, by its papers' own name in lower case."""

from __future__ import annotations

from bearleft.metrics.assembly import assembly_scores
from bearleft.metrics.cls import cls
from bearleft.metrics.completion import kpa, osr, sr, tc
from bearleft.metrics.deviation import ad, md
from bearleft.metrics.distance import ne, one, pl, spd
from bearleft.metrics.distances import EUCLIDEAN, SQUARED, GeodesicGrid, Nodes
from bearleft.metrics.dtw import dtw, ndtw, sdtw, warping
from bearleft.metrics.fastdtw import fast_ndtw, fast_sdtw, fastdtw, fastdtw_batch
from bearleft.metrics.geodesic import geodesic_grid
from bearleft.metrics.metric import Metric, PathMetric
from bearleft.metrics.paths import Ragged
from bearleft.metrics.pointing import pixel_distance, point_scores
from bearleft.metrics.sed import sed, sed_moves
from bearleft.metrics.spl import spl
from bearleft.metrics.statistics import bootstrap, paired_bootstrap, permutation_test, sign_test
from bearleft.metrics.table import METRICS, metric, path_scores

# Some measures bear the name of the file they stand in; these imports come last, so the name is the measure.
__all__ = [
    "EUCLIDEAN",
    "METRICS",
    "SQUARED",
    "GeodesicGrid",
    "Metric",
    "Nodes",
    "PathMetric",
    "Ragged",
    "ad",
    "assembly_scores",
    "bootstrap",
    "cls",
    "dtw",
    "fast_ndtw",
    "fast_sdtw",
    "fastdtw",
    "fastdtw_batch",
    "geodesic_grid",
    "kpa",
    "md",
    "metric",
    "ndtw",
    "ne",
    "one",
    "osr",
    "paired_bootstrap",
    "path_scores",
    "permutation_test",
    "pixel_distance",
    "pl",
    "point_scores",
    "sdtw",
    "sed",
    "sed_moves",
    "sign_test",
    "spd",
    "spl",
    "sr",
    "tc",
    "warping",
]
