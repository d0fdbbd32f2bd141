"""Markdown tables of the rows of `experiments.touchdown.results`, as in papers/touchdown.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bearleft.experiments.rows import Row
from bearleft.experiments.systems.markdown import section, table
from bearleft.experiments.touchdown.results import MAIN_METRIC
from bearleft.experiments.touchdown.scoring import PAIR_COLUMNS

RADII = (40, 80, 120)


def markdown(rows: Sequence[Row]) -> str:
    """Return all tables that there are rows for."""
    splits = list(dict.fromkeys(row["split"] for row in rows if row["kind"] == "score"))
    sections = [table_4(rows, split) for split in splits]
    sections += [fewer_errors(rows), other_texts(rows), reversals(rows), phenomena(rows), pairs(rows)]
    return "\n".join(section for section in sections if section)


def table_4(rows: Sequence[Row], split: str) -> str:
    """Return Table 4 of one split: A/C at three distances and Dist, the published line below each of ours."""
    scores = [row for row in rows if row["kind"] == "score" and row["split"] == split]
    if not scores:
        return ""
    by_cell = {(row["system"], row["metric"]): row for row in scores}
    differences = {
        row["system"]: row
        for row in rows
        if row["kind"] == "difference" and row["split"] == split and row["metric"] == MAIN_METRIC
    }
    lines = []
    for system in dict.fromkeys(row["system"] for row in scores):
        main = by_cell[system, MAIN_METRIC]
        seeds = f" ({main['seeds']} seeds, ± {main['spread']} at 80 px)" if main["seeds"] > 1 else ""
        cells = [_accuracy_consistency(by_cell, system, radius, "value") for radius in RADII]
        interval = f"{main['low']:.1f} to {main['high']:.1f}"
        difference = ""
        if system in differences:
            difference = f"{differences[system]['value']:+.1f} ({_interval(differences[system])})"
        lines.append([f"{system}{seeds}", *cells, f"{by_cell[system, 'Dist']['value']:.0f}", interval, difference])
        if main.get("paper") is not None:
            cells = [_accuracy_consistency(by_cell, system, radius, "paper") for radius in RADII]
            lines.append([f"{system}, paper", *cells, f"{by_cell[system, 'Dist']['paper']:.0f}", "", ""])
    against = next((row["against"] for row in differences.values()), "")
    header = ["", *(f"A/C@{r}px" for r in RADII), "Dist", "95 % of A@80px", f"A@80px less {against}'s (95 %)"]
    n = by_cell[scores[0]["system"], MAIN_METRIC]["n"]
    return f"### {split} ({n:,} examples)\n{table(header, lines)}"


def fewer_errors(rows: Iterable[Row]) -> str:
    """Return by how much errors are fewer, with the interval."""
    lines = [
        [row["split"], f"{row['system']} against {row['against']}", row["metric"], f"{_number(row)} %", _interval(row)]
        for row in rows
        if row["kind"] == "fewer errors"
    ]
    return section("Fewer errors", ["split", "who", "measure", "fewer errors", "95 %"], lines)


def other_texts(rows: Iterable[Row]) -> str:
    """Return the systems with texts other than their own."""
    lines = [
        [
            row["split"],
            row["system"],
            row["texts"],
            _number(row),
            _interval(row),
            f"{row['own value']:+.2f} ({row['own low']:.1f} to {row['own high']:.1f})" if "own value" in row else "",
        ]
        for row in rows
        if row["kind"] == "texts" and row["metric"] == MAIN_METRIC
    ]
    header = ["split", "system", "texts", MAIN_METRIC, "95 %", "more with its own (95 %)"]
    return section("Other texts", header, lines)


def reversals(rows: Iterable[Row]) -> str:
    """Return the pairs of systems whose order is not the paper's."""
    lines = [
        [
            row["split"],
            f"{row['system']} above {row['against']}",
            f"{row['value']:+.2f} ({_interval(row)})",
            f"{row['paper']:+.2f}",
            "yes" if row["sure"] else "no",
        ]
        for row in rows
        if row["kind"] == "reversal"
    ]
    header = ["split", "here", f"by {MAIN_METRIC} (95 %)", "in the paper", "interval clear of 0"]
    return section("Order against the paper's", header, lines)


def phenomena(rows: Sequence[Row]) -> str:
    """Return A@80px by phenomenon, one table for each split."""
    sections = []
    for split in dict.fromkeys(row["split"] for row in rows if row["kind"] == "phenomenon"):
        scores = [row for row in rows if row["split"] == split and row["kind"] == "phenomenon"]
        differences = {
            row["phenomenon"]: row for row in rows if row["split"] == split and row["kind"] == "phenomenon difference"
        }
        systems = list(dict.fromkeys(row["system"] for row in scores))
        by_cell = {(row["phenomenon"], row["system"]): row for row in scores}
        lines = []
        for name in dict.fromkeys(row["phenomenon"] for row in scores):
            cells = [_number(by_cell[name, system]) if (name, system) in by_cell else "" for system in systems]
            difference = ""
            if name in differences:
                difference = f"{differences[name]['value']:+.2f} ({_interval(differences[name])})"
            lines.append([name, f"{by_cell[name, systems[0]]['n']:,}", *cells, difference])
        header = ["", "n", *systems, "difference (95 %)"]
        sections.append(section(f"By phenomenon, {split}, {MAIN_METRIC}", header, lines))
    return "\n".join(sections)


def pairs(rows: Sequence[Row]) -> str:
    """Return minimal pairs by kind: both texts right, the changed one right, and the ratio of errors."""
    scores = [row for row in rows if row["kind"] == "pairs"]
    ratios = {(row["split"], row["metric"]): row for row in rows if row["kind"] == "errors left"}
    by_cell = {(row["split"], row["system"], row["metric"]): row for row in scores}
    lines = []
    for split in dict.fromkeys(row["split"] for row in scores):
        kind = split.rpartition("/")[2]
        for system in dict.fromkeys(row["system"] for row in scores if row["split"] == split):
            count = by_cell[split, system, PAIR_COLUMNS[0]]["n"]
            cells = [_number(by_cell[split, system, metric]) for metric in PAIR_COLUMNS]
            lines.append([kind, f"{count:,}", system, *cells])
        if (split, PAIR_COLUMNS[0]) in ratios:
            row = ratios[split, PAIR_COLUMNS[0]]
            cells = [_ratio(ratios[split, metric]) for metric in PAIR_COLUMNS]
            lines.append([kind, "", f"errors of {row['system']} / {row['against']}", *cells])
    return section("Minimal pairs", ["kind", "pairs", "system", *PAIR_COLUMNS], lines)


def _ratio(row: Row) -> str:
    return "" if row["value"] is None else f"{row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def _accuracy_consistency(by_cell: Mapping[tuple[str, str], Row], system: str, radius: int, key: str) -> str:
    return f"{by_cell[system, f'A@{radius}px'][key]:.2f} / {by_cell[system, f'C@{radius}px'][key]:.2f}"


def _number(row: Row) -> str:
    return "" if row["value"] is None else f"{row['value']:.2f}"


def _interval(row: Row) -> str:
    return "" if row["value"] is None else f"{row['low']:.1f} to {row['high']:.1f}"
