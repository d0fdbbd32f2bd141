"""Scores of traces of people and agents in one episode, by the scorer of `bearleft score`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bearleft.evaluation.score import score
from bearleft.records import Trace, to_json_line
from bearleft.types import DataFolder

# The metric by which an episode counts as solved.
SUCCESS_OF = {"play/walk": "TC", "play/both": "Found@80px", "play/point": "A@80px", "play/look": "Acc@11deg"}


def score_traces(traces: Mapping[str, Trace], data: DataFolder = None) -> dict[str, dict[str, float]]:
    """Return the metrics of traces of one dataset, all legs together, by the names that they are given under."""
    scores: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, trace in traces.items():
            path = Path(folder) / "trace.jsonl"
            path.write_text(to_json_line(trace) + "\n", encoding="utf-8")
            rows = score(path, data=data, per_episode=True, resamples=1).episodes
            scores[name] = _merge(rows)
    return scores


def _merge(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the metrics of all legs; each metric has a value in one of them."""
    merged: dict[str, float] = {}
    for row in rows:
        values = {name: value for name, value in row.items() if isinstance(value, float)}
        merged |= values
    return merged


def is_solved(kind: str, scores: Mapping[str, float]) -> bool:
    """Return whether an episode of a kind counts as solved."""
    return scores.get(SUCCESS_OF[kind], 0.0) >= 100.0
