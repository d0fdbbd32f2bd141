"""Markdown tables of the rows of `agents.results`, as in papers/ndtw.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bearleft.experiments.ndtw.tables import COLUMNS, PUBLISHED, RANDOM
from bearleft.experiments.rows import Row
from bearleft.experiments.systems.markdown import table

NOTE = (
    "Percent: mean over seeds ± standard deviation over seeds (95 % interval, {clusters} {noun} resampled). Random: "
    "{walks:,} walks."
)
DIFFERENCE_NOTE = "Bold: the interval is clear of 0. ± is the standard deviation over pairs of the same seed."


def markdown(rows: Sequence[Row]) -> str:
    """Return all tables that there are rows for."""
    splits = list(dict.fromkeys(row["split"] for row in rows))
    parts = [part for split in splits for part in (scores(rows, split), differences(rows, split))]
    return "\n".join(part for part in parts if part)


def scores(rows: Iterable[Row], split: str) -> str:
    """Return Table 2 of one split, the paper's row below each of ours."""
    by_cell = {(row["system"], row["metric"]): row for row in rows if row["split"] == split and row["kind"] == "score"}
    systems = list(dict.fromkeys(system for system, _ in by_cell))
    lines = []
    for system in systems:
        own = [by_cell[system, metric] for metric in COLUMNS]
        seeds = f" ({own[0]['seeds']} seeds)" if own[0]["seeds"] > 1 else ""
        lines.append([f"{system}{seeds}", *map(_score, own)])
        if own[0].get("paper") is not None:
            lines.append([f"{system}, paper", *(f"{row['paper']:.1f}" for row in own)])
    if not lines:
        return ""
    ours = [row for (system, _), row in by_cell.items() if system != RANDOM]
    walks = [row["n"] for (system, _), row in by_cell.items() if system == RANDOM]
    count = f" ({ours[0]['n']:,} instructions)" if ours else ""
    page = f"### {_title(split)}, {split}{count}\n{table(['', *COLUMNS], lines)}"
    if ours and walks:
        page += "\n" + NOTE.format(clusters=ours[0]["clusters"], noun=ours[0]["resampled"], walks=walks[0]) + "\n"
    return page


def differences(rows: Iterable[Row], split: str) -> str:
    """Return how much each agent differs from the goal-oriented one."""
    by_cell = {
        (row["system"], row["metric"]): row for row in rows if row["split"] == split and row["kind"] == "difference"
    }
    lines = []
    for system in dict.fromkeys(system for system, _ in by_cell):
        own = [by_cell[system, metric] for metric in COLUMNS]
        lines.append([system, *map(_difference, own)])
        if own[0].get("paper") is not None:
            lines.append([f"{system}, paper", *(f"{row['paper']:+.1f}" for row in own)])
    if not lines:
        return ""
    against = next(iter(by_cell.values()))["against"]
    header = [f"less {against}", *COLUMNS]
    return f"### {_title(split)}: differences from the {against} agent\n{table(header, lines)}\n{DIFFERENCE_NOTE}\n"


def _title(split: str) -> str:
    return next((name for name, (dataset, _) in PUBLISHED.items() if dataset == split), split)


def _score(row: Row) -> str:
    spread = "" if row["spread"] is None else f" ± {row['spread']:.1f}"
    interval = "" if row["low"] is None else f" ({row['low']:.1f} to {row['high']:.1f})"
    return f"{row['value']:.1f}{spread}{interval}"


def _difference(row: Row) -> str:
    value = f"**{row['value']:+.1f}**" if row["sure"] else f"{row['value']:+.1f}"
    spread = "" if row["spread"] is None else f" ± {row['spread']:.1f}"
    return f"{value}{spread} ({row['low']:.1f} to {row['high']:.1f})"
