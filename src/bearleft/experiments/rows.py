"""Rows that compare a paper's table with ours: the form that every `bearleft paper` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]


def comparison_rows(
    table: str, row: str, paper: Mapping[str, float | None], ours: Mapping[str, float], remark: str = ""
) -> list[Row]:
    """Return one row for each of our metrics, with the paper's number where it prints one.

    Args:
        table: Name of the paper's table.
        row: Name of the row.
        paper: Published values by metric.
        ours: Measured values by metric.
        remark: Remark of all rows.
    """
    return [
        {
            "table": table,
            "row": row,
            "metric": name,
            "paper": paper.get(name),
            "ours": _rounded(value),
            "remark": remark,
        }
        for name, value in ours.items()
    ]


def three_way_rows(
    table: str,
    row: str,
    paper: Mapping[str, float],
    real: Mapping[str, float],
    ours: Mapping[str, float],
    remark: str = "",
) -> list[Row]:
    """Return one row for each metric that the paper, real data or our data has; missing values are None.

    Args:
        table: Name of the paper's table.
        row: Name of the row.
        paper: Published values by metric.
        real: Values measured on real data.
        ours: Values measured on our data.
        remark: Remark of all rows.
    """
    return [
        {
            "table": table,
            "row": row,
            "metric": name,
            **{
                side: None if (value := values.get(name)) is None else _rounded(value)
                for side, values in (("paper", paper), ("real", real), ("ours", ours))
            },
            "remark": remark,
        }
        for name in dict.fromkeys([*paper, *real, *ours])
    ]


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else round(float(value), 4)


def statistics_rows(table: str, statistics: Iterable[Mapping[str, Any]], remark: str = "") -> list[Row]:
    """Return the rows of `bearleft data stats` that the papers print too."""
    return [
        {
            "table": table,
            "row": row["dataset"],
            "metric": row["statistic"],
            "paper": row["paper"],
            "ours": _rounded(row["value"]),
            "remark": remark,
        }
        for row in statistics
        if row["paper"] is not None
    ]
