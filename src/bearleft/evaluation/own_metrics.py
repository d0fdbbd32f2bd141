"""Metrics of the user's own: a Python file with a module-level METRIC."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.metrics.metric import PathMetric, TraceMetric
from bearleft.metrics.ragged_paths import Floats
from bearleft.metrics.registry import METRICS
from bearleft.records import Episode, Trace
from bearleft.runtime.user_module import import_file

HINT = 'A metric is `METRIC = TraceMetric("Name", True, "%", function=...)` or a PathMetric. See docs/extending.md.'
_loaded: set[str] = set()  # names of metrics from files; loading a file again replaces its metric


def is_metric_file(name: str) -> bool:
    """Return whether the name of a metric is the path of a Python file."""
    return name.endswith(".py")


def load_metric(path: str) -> str:
    """Import a Python file, register its METRIC, and return the metric's name.

    Args:
        path: The file. Its METRIC is a `PathMetric` of walks, or a `TraceMetric` of any task.

    Raises:
        InputError: The file cannot be imported, has no METRIC, or METRIC has the name of another metric.
    """
    file = Path(path)
    module, _ = import_file(file, "metric", "a Python file with a metric")
    metric = getattr(module, "METRIC", None)
    if not isinstance(metric, PathMetric | TraceMetric):
        got = "none" if metric is None else format_value(metric)
        raise InputError("METRIC, a PathMetric or a TraceMetric", got, file=path, hint=HINT)
    if metric.name.lower() in {name.lower() for name in METRICS if name not in _loaded}:
        hint = "Choose another name: the metrics of bearleft keep their published definitions."
        raise InputError("a name that no other metric has", format_value(metric.name), "name", path, hint=hint)
    METRICS[metric.name] = metric
    _loaded.add(metric.name)
    return metric.name


def trace_metrics(names: Iterable[str]) -> list[TraceMetric]:
    """Return the metrics of whole traces among the named ones."""
    return [metric for name in names if isinstance(metric := METRICS[name], TraceMetric)]


def compute_trace_metric(
    metric: TraceMetric, traces: Sequence[Trace], episodes: Mapping[str, Episode]
) -> tuple[Floats, list[int]]:
    """Return the values of a metric, and the index of the trace of each.

    Args:
        metric: The metric.
        traces: The traces.
        episodes: The episodes by id.

    Raises:
        InputError: The metric raises an error, or returns something else than a finite number or None.
    """
    numbers: list[float] = []
    indices: list[int] = []
    for k, trace in enumerate(traces):
        value = _call(metric, episodes[trace.episode], trace)
        if value is not None:
            numbers.append(value)
            indices.append(k)
    return np.array(numbers, np.float64), indices


def _call(metric: TraceMetric, episode: Episode, trace: Trace) -> float | None:
    try:
        value: object = metric(episode, trace)
    except Exception as error:
        got = format_value(f"{type(error).__name__}: {error}")
        raise InputError(f"a value of {metric.name} for episode {episode.id}", got) from error
    if value is None:
        return None
    if not isinstance(value, int | float | np.number | np.bool_) or not math.isfinite(value):
        expected = f"a finite number or None of {metric.name} for episode {episode.id}"
        raise InputError(expected, format_value(value))
    return float(value)
