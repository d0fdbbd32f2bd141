"""Evaluation in two steps on one file of traces: `evaluate(agent, dataset, file)`, then `score(file)`.

Names are imported on first use, so that importing the package is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bearleft.evaluation.columns import TraceColumns as TraceColumns
    from bearleft.evaluation.columns import read_traces as read_traces
    from bearleft.evaluation.metric_values import MetricValues as MetricValues
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
    "TraceColumns": "bearleft.evaluation.columns",
    "available_conventions": "bearleft.evaluation.metric_values",
    "compute_values": "bearleft.evaluation.metric_values",
    "play_batch": "bearleft.evaluation.play",
    "read_predictions": "bearleft.evaluation.predictions",
    "read_traces": "bearleft.evaluation.columns",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'bearleft.evaluation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
