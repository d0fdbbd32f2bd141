"""Scores of traces of people and agents, by the scorer of `bearleft score`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bearleft.evaluation.score import score
from bearleft.records import Trace, to_json_line
from bearleft.types import DataFolder

# The metric by which an episode counts as solved.
SUCCESS_OF = {"play/walk": "TC", "play/both": "Found@80px", "play/point": "A@80px", "play/look": "Acc@11deg"}


def score_traces(traces: Sequence[Trace], data: DataFolder = None) -> list[dict[str, float]]:
    """Return the metrics of each trace, all legs together, in the order of the traces.

    Traces of a dataset are scored at once: one takes as long as a hundred, since the dataset is read each time.
    """
    by_dataset: dict[str, list[int]] = {}
    for k, trace in enumerate(traces):
        by_dataset.setdefault(trace.dataset, []).append(k)
    rows: list[list[dict[str, Any]]] = [[] for _ in traces]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        for numbers in by_dataset.values():
            # A row of scores names its trace by the seed, which no metric depends on.
            lines = (to_json_line(replace(traces[k], seed=k)) + "\n" for k in numbers)
            path.write_text("".join(lines), encoding="utf-8")
            for row in score(path, data=data, per_episode=True, resamples=1).episodes:
                rows[row["seed"]].append(row)
    return [_merge(of_trace) for of_trace in rows]


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


def summarise(scores: Mapping[str, float]) -> str:
    """Return in words how far a person was from the goal: places on the map, and degrees in the picture."""
    parts = []
    if "SPD" in scores:
        places = round(scores["SPD"])
        where = "at the goal" if places == 0 else f"{places} place{'s' if places > 1 else ''} from the goal"
        parts.append(f"You stopped {where}.")
    if "Dist-deg" in scores:
        parts.append(f"Your answer is {scores['Dist-deg']:.1f}° off.")
    return " ".join(parts)
