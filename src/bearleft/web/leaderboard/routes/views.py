"""What pages and the API show of tables, submissions and their figures: rounded as the track wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.evaluation.score import unit_of
from bearleft.web.database.leaderboard import Figure, Submission, SubmissionFile, Track
from bearleft.web.leaderboard.tables import Cell, Column, Row, Table
from bearleft.web.leaderboard.tables.rounding import Rounding

NONE = "–"


def sorted_rows(table: Table, metric: str) -> list[Row]:
    """Return the rows of a table by a metric, the best first; those without a figure are last, in their order."""
    column = next((one for one in table.columns if one.metric == metric), None)
    if column is None or column.primary:
        return list(table.rows)
    sign = 1 if column.higher_is_better is False else -1

    def key(row: Row) -> tuple[bool, float]:
        cell = row.cells.get(metric)
        return (cell is None, 0.0 if cell is None else sign * cell.value)

    return sorted(table.rows, key=key)


def filtered_rows(rows: Sequence[Row], tag: str, without: str) -> list[Row]:
    """Return the rows with a tag, and without another; an empty text asks for nothing."""
    return [row for row in rows if (not tag or tag in row.tags) and (not without or without not in row.tags)]


def table_view(table: Table, rows: Sequence[Row], metric: str, query: Mapping[str, str]) -> dict[str, Any]:
    """Return what the page of a track shows.

    Args:
        table: The table.
        rows: Its rows, as they are to be shown.
        metric: The metric that sorts them.
        query: The query of the page, for links that sort by another metric.
    """
    columns = [
        {
            "metric": column.metric,
            "unit": "" if column.unit == "0..1" else column.unit,
            "lower_is_better": column.higher_is_better is False,
            "query": urlencode({**query, "sort": column.metric}),
        }
        for column in table.columns
    ]
    shown = [
        {"row": row, "cells": [_cell(row.cells.get(column.metric), column) for column in table.columns]} for row in rows
    ]
    return {"columns": columns, "rows": shown, "sort": metric, "convention": table.convention}


def _cell(cell: Cell | None, column: Column) -> dict[str, Any]:
    if cell is None:
        return {"value": NONE, "interval": "", "spread": "", "best": False}
    digits = column.digits
    interval = "" if cell.low is None or cell.high is None else f"{cell.low:.{digits}f} to {cell.high:.{digits}f}"
    spread = "" if cell.spread is None else f"{cell.spread:.{digits}f}"
    return {"value": f"{cell.value:.{digits}f}", "interval": interval, "spread": spread, "best": cell.best}


def figures_of(session: Session, submission: Submission, track: Track) -> list[dict[str, Any]]:
    """Return a flat row for each convention, metric and seed of a scored submission, the track's measures first."""
    rounding = Rounding(track.decimals)
    order = {metric: k for k, metric in enumerate(track.measures)}
    found = session.scalars(select(Figure).where(Figure.submission_id == submission.id)).all()

    def key(figure: Figure) -> tuple[Any, ...]:
        is_other = figure.convention != track.convention
        place = order.get(figure.metric, len(order))
        return (is_other, figure.convention, place, figure.metric, figure.seed is not None, figure.seed or 0)

    rows = []
    for figure in sorted(found, key=key):
        ends = [None if end is None else rounding.figure(figure.metric, end) for end in (figure.low, figure.high)]
        rows.append(
            {
                "convention": figure.convention,
                "metric": figure.metric,
                "seed": figure.seed,
                "value": rounding.figure(figure.metric, figure.value),
                "low": ends[0],
                "high": ends[1],
                "unit": unit_of(figure.metric, figure.convention),
                "n": figure.count,
            }
        )
    return rows


def figure_tables(rows: Sequence[Mapping[str, Any]], track: Track) -> tuple[dict[str, list[dict[str, Any]]], list[int]]:
    """Return the rows of `figures_of` for people: tables by convention, and the seeds."""
    rounding = Rounding(track.decimals)
    seeds = sorted({row["seed"] for row in rows if row["seed"] is not None})
    tables: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["seed"] is not None:
            continue
        digits = rounding.digits(row["metric"])
        by_seed = {one["seed"]: one["value"] for one in rows if _is_same(one, row) and one["seed"] is not None}
        has_interval = row["low"] is not None and row["high"] is not None
        tables.setdefault(row["convention"], []).append(
            {
                "metric": row["metric"],
                "unit": "" if row["unit"] == "0..1" else row["unit"],
                "value": f"{row['value']:.{digits}f}",
                "interval": f"{row['low']:.{digits}f} to {row['high']:.{digits}f}" if has_interval else NONE,
                "by_seed": [f"{by_seed[seed]:.{digits}f}" if seed in by_seed else NONE for seed in seeds]
                if len(seeds) > 1
                else [],
                "count": row["n"],
            }
        )
    return tables, seeds


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["convention"] == other["convention"] and one["metric"] == other["metric"])


def main_result(session: Session, submission: Submission, track: Track) -> str:
    """Return the figure of a scored submission that sorts its track, such as "nDTW 41.3"; otherwise an empty text."""
    if submission.state != "scored":
        return ""
    for row in figures_of(session, submission, track):
        if row["metric"] == track.primary_measure and row["seed"] is None:
            return f"{row['metric']} {row['value']:.{Rounding(track.decimals).digits(row['metric'])}f}"
    return ""


def submission_json(session: Session, submission: Submission, track: Track) -> dict[str, Any]:
    """Return a submission for its own team."""
    files = session.scalars(
        select(SubmissionFile).where(SubmissionFile.submission_id == submission.id).order_by(SubmissionFile.seed)
    )
    scored = submission.state == "scored"
    return {
        "id": submission.public_id,
        "track": track.name,
        "title": submission.title,
        "state": submission.state,
        "error": submission.error_text,
        "published": submission.published_at is not None,
        "withdrawn": submission.withdrawn_at is not None,
        "hidden": submission.hidden_at is not None,
        "created": submission.created_at.isoformat(timespec="seconds"),
        "scored": submission.scored_at.isoformat(timespec="seconds") if submission.scored_at else None,
        "bearleft": submission.package_version,
        "tags": list(submission.tags),
        "cost": submission.cost,
        "code_url": submission.code_url,
        "paper_url": submission.paper_url,
        "note": submission.note,
        "files": [{"seed": one.seed, "traces": one.traces, "sha256": one.sha256} for one in files],
        "figures": figures_of(session, submission, track) if scored else [],
    }


def track_json(track: Track) -> dict[str, Any]:
    """Return what everybody may know of a track; not where its answers are."""
    return {
        "name": track.name,
        "title": track.title,
        "description": track.description,
        "state": track.state,
        "dataset": track.dataset,
        "split": track.split,
        "dataset_sha256": track.dataset_sha256,
        "hidden": track.hidden,
        "has_entrants_archive": track.entrants_archive is not None,
        "convention": track.convention,
        "measures": list(track.measures),
        "primary_measure": track.primary_measure,
        "decimals": track.decimals,
        "daily_limit": track.daily_limit,
        "total_limit": track.total_limit,
        "max_bytes": track.max_bytes,
        "max_files": track.max_files,
        "bearleft": track.package_version,
    }
