"""Rows of a paper's table beside ours: the one form that every `bearleft paper` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Row = dict[str, Any]
Progress = Callable[[str, int, int], None]


def beside(
    table: str, row: str, paper: Mapping[str, float | None], ours: Mapping[str, float], remark: str = ""
) -> list[Row]:
    """One row for each of our figures, with the paper's where it prints one."""
    return [
        {"table": table, "row": row, "metric": name, "paper": paper.get(name), "ours": _short(value), "remark": remark}
        for name, value in ours.items()
    ]


def sides(
    table: str,
    row: str,
    paper: Mapping[str, float],
    real: Mapping[str, float],
    ours: Mapping[str, float],
    remark: str = "",
) -> list[Row]:
    """One row for each figure that any of the three has: the paper's, that of real data, and ours; None for none."""
    return [
        {
            "table": table,
            "row": row,
            "metric": name,
            **{
                side: None if (value := found.get(name)) is None else _short(value)
                for side, found in (("paper", paper), ("real", real), ("ours", ours))
            },
            "remark": remark,
        }
        for name in dict.fromkeys([*paper, *real, *ours])
    ]


def _short(value: float) -> float:
    return value if isinstance(value, int) else round(float(value), 4)


def statistics(table: str, counted: Iterable[Mapping[str, Any]], remark: str = "") -> list[Row]:
    """Rows of `bearleft data stats` that the papers print too."""
    return [
        {
            "table": table,
            "row": row["dataset"],
            "metric": row["statistic"],
            "paper": row["paper"],
            "ours": _short(row["value"]),
            "remark": remark,
        }
        for row in counted
        if row["paper"] is not None
    ]
