"""Evaluation in two steps on one file of traces: `evaluate(agent, dataset, file)`, then `score(file)`.

Names are imported on first use, so that importing the package is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.evaluation.columns import TraceColumns as TraceColumns
    from bearleft.evaluation.columns import read_traces as read_traces
    from bearleft.evaluation.episode_scores import write_episode_rows as write_episode_rows
    from bearleft.evaluation.metric_values import MetricValues as MetricValues
    from bearleft.evaluation.metric_values import ScoringConfig as ScoringConfig
    from bearleft.evaluation.metric_values import available_conventions as available_conventions
    from bearleft.evaluation.metric_values import compute_values as compute_values
    from bearleft.evaluation.play import play_batch as play_batch
    from bearleft.evaluation.predictions import read_predictions as read_predictions
    from bearleft.evaluation.score import Scores as Scores

# Public name -> module that defines it; imported on first use. `evaluate`, `score` and `play` are also names of
# modules: import these functions from there, or from `bearleft`.
_MODULES = {
    "MetricValues": "bearleft.evaluation.metric_values",
    "Scores": "bearleft.evaluation.score",
    "ScoringConfig": "bearleft.evaluation.metric_values",
    "TraceColumns": "bearleft.evaluation.columns",
    "available_conventions": "bearleft.evaluation.metric_values",
    "compute_values": "bearleft.evaluation.metric_values",
    "play_batch": "bearleft.evaluation.play",
    "read_predictions": "bearleft.evaluation.predictions",
    "read_traces": "bearleft.evaluation.columns",
    "write_episode_rows": "bearleft.evaluation.episode_scores",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
