"""Touchdown's complete task (section 8): Found@80px of pipelines of a walker and a pointing network, from traces.

`bearleft eval WALK.pt+POINT.pt city/touchdown-complete/test_unseen -o FILE` writes the traces of a pipeline, and
`bearleft eval gold+POINT.pt ...` those of the pointing network at the gold place.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bearleft.errors import InputError, format_value
from bearleft.evaluation.score import score
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.markdown import table
from bearleft.experiments.touchdown.published import COMPLETE
from bearleft.types import DataFolder

FOUND, POINTED, COMPLETED, SPD = "Found@80px", "A@80px", "TC", "SPD"
GOLD, SEPARATOR = "gold", " + "
PAPER_PIPELINE = "RCONCAT + LINGUNET"


def found_rows(
    files: Mapping[str, str | os.PathLike[str]], data: DataFolder = None, resamples: int = 1000
) -> list[Row]:
    """Return a row for each pipeline: Found@80px with its interval, and each stage's own figure.

    The pointer's own figure, A@80px at the gold place, is Found@80px of the pipeline "gold + POINTER", if it is there.

    Args:
        files: A file of traces for each pipeline "WALKER + POINTER".
        data: Folder of the datasets.
        resamples: Number of resamples of the bootstrap.

    Raises:
        InputError: A name is not that of a pipeline, or a file holds no complete task.
    """
    rows: list[Row] = []
    for name, file in files.items():
        walker, separator, pointer = name.partition(SEPARATOR)
        if not separator:
            raise InputError(f"names such as {PAPER_PIPELINE}", format_value(name))
        scores = {row["metric"]: row for row in score(file, data=data, resamples=resamples).rows}
        if missing := [metric for metric in (FOUND, COMPLETED) if metric not in scores]:
            hint = "bearleft eval WALK.pt+POINT.pt city/touchdown-complete/test_unseen -o FILE.jsonl writes them."
            raise InputError(f"traces of the complete task, with {missing[0]}", "others", file=str(file), hint=hint)
        found = scores[FOUND]
        rows.append(
            {
                "pipeline": name,
                "walker": walker,
                "pointer": pointer,
                "n": found["n"],
                COMPLETED: round(scores[COMPLETED]["value"], 2),
                SPD: round(scores[SPD]["value"], 2),
                POINTED: None,
                FOUND: round(found["value"], 2),
                "low": round(found["low"], 2),
                "high": round(found["high"], 2),
                "paper": COMPLETE if name == PAPER_PIPELINE else None,
            }
        )
    gold = {row["pointer"]: row[FOUND] for row in rows if row["walker"] == GOLD}
    return [{**row, POINTED: gold.get(row["pointer"])} for row in rows]


def found_markdown(rows: Sequence[Row]) -> str:
    """Return the rows of `found_rows` as a table."""
    lines = [
        [
            row["pipeline"],
            f"{row['n']:,}",
            f"{row[COMPLETED]:.1f}",
            f"{row[SPD]:.1f}",
            "" if row[POINTED] is None else f"{row[POINTED]:.1f}",
            f"{row[FOUND]:.1f}",
            f"{row['low']:.1f} to {row['high']:.1f}",
            "" if row["paper"] is None else f"{row['paper']:.1f}",
        ]
        for row in rows
    ]
    header = ["", "episodes", "TC of the walker", SPD, "A@80px at the gold place", FOUND, "95 %", f"{FOUND}, paper"]
    return table(header, lines)


def found_table(
    files: Mapping[str, str | os.PathLike[str]], data: DataFolder = None, resamples: int = 1000
) -> tuple[list[Row], str]:
    """Return the rows of the complete task and their table, as `found_rows` and `found_markdown` do."""
    rows = found_rows(files, data, resamples)
    return rows, found_markdown(rows)
