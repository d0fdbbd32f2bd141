"""Markdown tables of the rows of `agents.results`, as in papers/arramon.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bearleft.experiments.arramon.agents.results import CHANGED, TURNS, turn_metric
from bearleft.experiments.arramon.agents.runs import REAL_SPLIT
from bearleft.experiments.arramon.changed_texts import CHANGES
from bearleft.experiments.arramon.published import METRICS, ROOM_METRICS, table_of
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.markdown import section

DECIMALS = 3
MAIN = ("nDTW", "CTC-3", "rPOD", "PTC")  # of differences and intervals
NOTE = (
    "Means over seeds, turns and tasks, in brackets their 95 % intervals over tasks; ± is the standard deviation over "
    "seeds. Rows of people are the paper's.\n"
)


def markdown(rows: Sequence[Row]) -> str:
    """Return all tables that there are rows for."""
    splits = [split for split in dict.fromkeys(row["split"] for row in rows) if split != REAL_SPLIT]
    parts = [part for split in splits for part in (scores(rows, split), differences(rows, split))]
    parts += [turns(rows), perfect_navigation(rows), changed_texts(rows), real_texts(rows)]
    return "\n".join(part for part in parts if part)


def scores(rows: Iterable[Row], split: str) -> str:
    """Return Table 2 or 3: all metrics of one split, the paper's row below each of ours."""
    by_cell = {(row["system"], row["metric"]): row for row in rows if row["split"] == split and row["kind"] == "score"}
    lines = []
    for system in dict.fromkeys(system for system, _ in by_cell):
        own = [by_cell.get((system, metric), {}) for metric in METRICS]
        measured = next((row for row in own if row.get("value") is not None), None)
        if measured is not None:
            lines.append([_with_seeds(system, measured), *(_score(row, row.get("metric") in MAIN) for row in own)])
        if any(row.get("paper") is not None for row in own):
            lines.append([f"{system}, paper", *(_number(row.get("paper")) for row in own)])
    count = max((int(row["n"]) // len(TURNS) for row in by_cell.values() if row.get("n")), default=0)
    page = section(f"Table {table_of(split)}: {split} ({count:,} tasks)", ["", *METRICS], lines)
    return f"{page}\n{NOTE}" if page else ""


def differences(rows: Iterable[Row], split: str) -> str:
    """Return how much each agent differs from V/L on the same tasks; bold where the interval is clear of 0."""
    by_cell = {
        (row["system"], row["metric"]): row for row in rows if row["split"] == split and row["kind"] == "difference"
    }
    lines = [
        [system, *(_signed(by_cell[system, metric]) for metric in MAIN)]
        for system in dict.fromkeys(system for system, _ in by_cell)
    ]
    against = next((row["against"] for row in by_cell.values()), "")
    return section(f"{split}: differences from {against} on the same tasks (95 %)", ["", *MAIN], lines)


def turns(rows: Iterable[Row]) -> str:
    """Return Table 5: turn 1 and turn 2 of each agent."""
    by_cell = {(row["split"], row["system"], row["metric"]): row for row in rows if row["kind"] == "turn"}
    lines = []
    for split, system in dict.fromkeys((split, system) for split, system, _ in by_cell):
        for turn in TURNS if split != REAL_SPLIT else ():
            own = [by_cell[split, system, turn_metric(metric, turn)] for metric in METRICS]
            lines.append([_last(split), f"{system}, turn {turn}", *(_number(row["value"]) for row in own)])
            if any(row.get("paper") is not None for row in own):
                lines.append(["", f"{system}, turn {turn}, paper", *(_number(row.get("paper")) for row in own)])
    return section("Table 5: turn by turn", ["split", "", *METRICS], lines)


def perfect_navigation(rows: Iterable[Row]) -> str:
    """Return Table 6: the room after perfect navigation."""
    by_cell = {(row["split"], row["system"], row["metric"]): row for row in rows if row["kind"] == "perfect navigation"}
    lines = []
    for split, system in dict.fromkeys((split, system) for split, system, _ in by_cell):
        own = [by_cell[split, system, metric] for metric in ROOM_METRICS]
        lines.append([_last(split), _with_seeds(system, own[0]), *(_score(row, row["metric"] in MAIN) for row in own)])
        if any(row.get("paper") is not None for row in own):
            lines.append(["", f"{system}, paper", *(_number(row.get("paper")) for row in own)])
    return section("Table 6: the room after perfect navigation", ["split", "", *ROOM_METRICS], lines)


def changed_texts(rows: Iterable[Row]) -> str:
    """Return what agents lose with another task's texts, or without some words."""
    by_cell = {
        (row["split"], row["system"], row["perfect navigation"], row["texts"], row["metric"]): row
        for row in rows
        if row["kind"] == CHANGED
    }
    lines = []
    for split, system, perfect, texts in dict.fromkeys(key[:4] for key in by_cell):
        own = [by_cell.get((split, system, perfect, texts, metric), {}) for metric in MAIN]
        place = "room alone" if perfect else "whole task"
        lines.append([_last(split), system, place, CHANGES.get(texts, texts), *map(_lost, own)])
    header = ["split", "", "", "texts", *(f"{metric} (lost, 95 %)" for metric in MAIN)]
    return section("What words are worth", header, lines)


def real_texts(rows: Iterable[Row]) -> str:
    """Return blind agents on real texts, beside the paper's L/O, which also had to walk."""
    by_cell = {(row["system"], row["metric"]): row for row in rows if row["kind"] == "real texts"}
    lines = []
    for system in dict.fromkeys(system for system, _ in by_cell):
        own = [by_cell[system, metric] for metric in ROOM_METRICS]
        lines.append([_with_seeds(system, own[0]), *(_score(row, row["metric"] in MAIN) for row in own)])
        if any(row.get("paper") is not None for row in own):
            lines.append(["the paper's L/O, which also walks", *(_number(row.get("paper")) for row in own)])
    count = max((int(row["n"]) // len(TURNS) for row in by_cell.values()), default=0)
    title = f"Real texts, {REAL_SPLIT} ({count:,} tasks), in the room after perfect navigation"
    return section(title, ["", *ROOM_METRICS], lines)


def _with_seeds(system: str, row: Row) -> str:
    return f"{system} ({row['seeds']} seeds)" if row.get("seeds", 1) > 1 else system


def _last(split: str) -> str:
    return split if split == REAL_SPLIT else split.rpartition("/")[2]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.{DECIMALS}f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None or low == high else f" ({low:.{DECIMALS}f} to {high:.{DECIMALS}f})"


def _score(row: Row, interval: bool) -> str:
    if row.get("value") is None:
        return ""
    spread = "" if not interval or row["spread"] is None else f" ± {row['spread']:.{DECIMALS}f}"
    return f"{_number(row['value'])}{spread}{_interval(row['low'], row['high']) if interval else ''}"


def _signed(row: Row) -> str:
    text = f"{row['value']:+.{DECIMALS}f}"
    return f"{f'**{text}**' if row['low'] > 0 or row['high'] < 0 else text}{_interval(row['low'], row['high'])}"


def _lost(row: Row) -> str:
    if row.get("value") is None:
        return ""
    if row.get("lost value") is None:
        return _number(row["value"])
    lost = f"{_number(row['lost value'])}, {_number(row['lost low'])} to {_number(row['lost high'])}"
    return f"{_number(row['value'])} ({lost})"
