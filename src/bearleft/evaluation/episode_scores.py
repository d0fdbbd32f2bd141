"""Scores of single episodes: a row for each leg of each trace, as JSON or CSV."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.metrics.registry import METRICS
from bearleft.metrics.trace_columns import TraceColumns
from bearleft.metrics.trace_values import MetricValues
from bearleft.records import Episode
from bearleft.runtime.store import atomic_write

SUFFIXES = (".csv", ".json")


def episode_rows(
    file: str, columns: TraceColumns, episodes: Sequence[Episode], values: MetricValues, convention: str
) -> Iterator[dict[str, Any]]:
    """Yield a row for each leg with values, in the order of the traces.

    Metrics of several traces, such as C@80px and Pairs, have no value of a single one and are left out. Rates are in
    percent, as in the table of means.

    Args:
        file: The file of the traces.
        columns: The traces.
        episodes: The episodes of the dataset.
        values: The values of the metrics.
        convention: The convention that was requested.
    """
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    for metric, (traces, legs) in values.legs.items():
        scaled = values.by_metric[metric].numbers * METRICS[metric].scale
        for trace, leg, number in zip(traces.tolist(), legs.tolist(), scaled.tolist(), strict=True):
            rows.setdefault((trace, leg), {})[metric] = number
    names = list(values.legs)
    for (trace, leg), numbers in sorted(rows.items()):
        yield {
            "file": file,
            "episode": episodes[int(columns.episode[trace])].id,
            "seed": int(columns.seed[trace]),
            "leg": leg,
            "convention": convention,
            "impossible": (trace, leg) in values.impossible,
            **{name: numbers.get(name) for name in names},
        }


def check_episode_file(path: str | os.PathLike[str]) -> None:
    """Raise InputError if a file of scores of episodes ends neither with .csv nor with .json."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError("a file that ends with .csv or .json", format_value(str(path)))


def write_episode_rows(path: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as CSV with a header, or as a JSON array of flat objects, as the name of the file ends.

    Args:
        path: The file; an existing one is replaced.
        rows: The rows. A value that a row does not have is empty in CSV and null in JSON.

    Raises:
        InputError: The name ends otherwise, or the file cannot be written.
    """
    check_episode_file(path)
    names = list(dict.fromkeys(name for row in rows for name in row))
    complete = [{name: row.get(name) for name in names} for row in rows]
    with atomic_write(path) as stream:
        if Path(path).suffix.lower() == ".csv":
            writer = csv.DictWriter(stream, names, lineterminator="\n")
            writer.writeheader()
            writer.writerows(complete)
        else:
            lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in complete)
            stream.write(f"[\n{lines}\n]\n" if lines else "[]\n")
