"""Evaluation in two steps on one file of traces: `evaluate(agent, dataset, file)`, then `score(file)`.

Names are imported on first use, so that importing the package is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.evaluation.columns import read_traces as read_traces
    from bearleft.evaluation.episode_scores import write_episode_rows as write_episode_rows
    from bearleft.evaluation.play import play_batch as play_batch
    from bearleft.evaluation.predictions import read_predictions as read_predictions
    from bearleft.evaluation.record import RecordTraces as RecordTraces
    from bearleft.evaluation.record import RecordVectorTraces as RecordVectorTraces
    from bearleft.evaluation.score import Scores as Scores
    from bearleft.metrics.trace_columns import TraceColumns as TraceColumns
    from bearleft.metrics.trace_values import MetricValues as MetricValues
    from bearleft.metrics.trace_values import ScoringConfig as ScoringConfig
    from bearleft.metrics.trace_values import available_conventions as available_conventions
    from bearleft.metrics.trace_values import compute_values as compute_values

# Public name -> module that defines it; imported on first use. `evaluate`, `score` and `play` are also names of
# modules: import these functions from there, or from `bearleft`.
_MODULES = {
    "MetricValues": "bearleft.metrics.trace_values",
    "RecordTraces": "bearleft.evaluation.record",
    "RecordVectorTraces": "bearleft.evaluation.record",
    "Scores": "bearleft.evaluation.score",
    "ScoringConfig": "bearleft.metrics.trace_values",
    "TraceColumns": "bearleft.metrics.trace_columns",
    "available_conventions": "bearleft.metrics.trace_values",
    "compute_values": "bearleft.metrics.trace_values",
    "play_batch": "bearleft.evaluation.play",
    "read_predictions": "bearleft.evaluation.predictions",
    "read_traces": "bearleft.evaluation.columns",
    "write_episode_rows": "bearleft.evaluation.episode_scores",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
