"""Rows of `experiments.pointing` as Markdown tables, as papers/touchdown.md holds them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence

from bearleft.errors import InputError
from bearleft.experiments.rows import Row
from bearleft.experiments.touchdown.rows import PAIR_COLUMNS
from bearleft.runtime.store import existing_file, write_text

RADII = (40, 80, 120)
NEAR = "A@80px"
FIELDS = {"kind", "split", "system", "metric", "value"}  # of every row


def write_rows(path: str | os.PathLike[str], rows: Sequence[Row]) -> None:
    """Rows as a JSON file."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    write_text(path, f"[\n{lines}\n]\n")


def read_rows(path: str | os.PathLike[str]) -> list[Row]:
    """Rows that `write_rows` wrote."""
    file = existing_file(path, "a folder of answers, or a file of results (paper touchdown --json writes one)")
    try:
        rows = json.loads(file.read_text())
    except (ValueError, RecursionError) as error:
        raise InputError("a file of results in JSON", str(error), file=str(file)) from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= FIELDS for row in rows):
        raise InputError("rows of results", "something else", file=str(file))
    return rows


def markdown(rows: Sequence[Row]) -> str:
    """All tables that there are rows for."""
    splits = list(dict.fromkeys(row["split"] for row in rows if row["kind"] == "score"))
    parts = [table_4(rows, split) for split in splits]
    parts += [fewer(rows), texts(rows), reversals(rows), phenomena(rows), pairs(rows)]
    return "\n".join(part for part in parts if part)


def table_4(rows: Sequence[Row], split: str) -> str:
    """Table 4 of one split: A/C at three distances and Dist, the paper's line under each of ours."""
    found = [row for row in rows if row["kind"] == "score" and row["split"] == split]
    if not found:
        return ""
    by = {(row["system"], row["metric"]): row for row in found}
    apart = {
        row["system"]: row
        for row in rows
        if row["kind"] == "difference" and row["split"] == split and row["metric"] == NEAR
    }
    lines = []
    for system in dict.fromkeys(row["system"] for row in found):
        first = by[system, NEAR]
        seeds = f" ({first['seeds']} seeds, ± {first['spread']} at 80 px)" if first["seeds"] > 1 else ""
        cells = [_both(by[system, f"A@{r}px"], by[system, f"C@{r}px"], "value") for r in RADII]
        sure = f"{first['low']:.1f} to {first['high']:.1f}"
        more = f"{apart[system]['value']:+.1f} ({_interval(apart[system])})" if system in apart else ""
        lines.append([f"{system}{seeds}", *cells, f"{by[system, 'Dist']['value']:.0f}", sure, more])
        if first.get("paper") is not None:
            cells = [_both(by[system, f"A@{r}px"], by[system, f"C@{r}px"], "paper") for r in RADII]
            lines.append([f"{system}, paper", *cells, f"{by[system, 'Dist']['paper']:.0f}", "", ""])
    against = next((row["against"] for row in apart.values()), "")
    head = ["", *(f"A/C@{r}px" for r in RADII), "Dist", "95 % of A@80px", f"A@80px less {against}'s (95 %)"]
    n = by[found[0]["system"], NEAR]["n"]
    return f"### {split} ({n:,} examples)\n{_table(head, lines)}"


def fewer(rows: Iterable[Row]) -> str:
    """By how much errors are fewer, and the difference that stands behind it."""
    lines = [
        [row["split"], f"{row['system']} against {row['against']}", row["metric"], f"{_number(row)} %", _interval(row)]
        for row in rows
        if row["kind"] == "fewer errors"
    ]
    return _titled("Fewer errors", ["split", "who", "measure", "fewer errors", "95 %"], lines)


def texts(rows: Iterable[Row]) -> str:
    """Systems with other texts than their own."""
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
        if row["kind"] == "texts" and row["metric"] == NEAR
    ]
    return _titled("Other texts", ["split", "system", "texts", NEAR, "95 %", "more with its own (95 %)"], lines)


def reversals(rows: Iterable[Row]) -> str:
    """Where the order of two systems is not the paper's."""
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
    head = ["split", "here", f"by {NEAR} (95 %)", "in the paper", "interval clear of 0"]
    return _titled("Order against the paper's", head, lines)


def phenomena(rows: Sequence[Row]) -> str:
    """A@80px by phenomenon, split by split."""
    parts = []
    for split in dict.fromkeys(row["split"] for row in rows if row["kind"] == "phenomenon"):
        found = [row for row in rows if row["split"] == split and row["kind"] == "phenomenon"]
        apart = {
            row["phenomenon"]: row for row in rows if row["split"] == split and row["kind"] == "phenomenon difference"
        }
        systems = list(dict.fromkeys(row["system"] for row in found))
        by = {(row["phenomenon"], row["system"]): row for row in found}
        lines = []
        for what in dict.fromkeys(row["phenomenon"] for row in found):
            cells = [_number(by[what, system]) if (what, system) in by else "" for system in systems]
            more = f"{apart[what]['value']:+.2f} ({_interval(apart[what])})" if what in apart else ""
            lines.append([what, f"{by[what, systems[0]]['n']:,}", *cells, more])
        parts.append(_titled(f"By phenomenon, {split}, {NEAR}", ["", "n", *systems, "difference (95 %)"], lines))
    return "\n".join(parts)


def pairs(rows: Sequence[Row]) -> str:
    """Minimal pairs by kind: both texts right and the changed one right, and the share of errors that is left."""
    found = [row for row in rows if row["kind"] == "pairs"]
    left = {(row["split"], row["metric"]): row for row in rows if row["kind"] == "errors left"}
    by = {(row["split"], row["system"], row["metric"]): row for row in found}
    lines = []
    for split in dict.fromkeys(row["split"] for row in found):
        kind = split.rpartition("/")[2]
        for system in dict.fromkeys(row["system"] for row in found if row["split"] == split):
            some = by[split, system, PAIR_COLUMNS[0]]
            lines.append([kind, f"{some['n']:,}", system, *(_number(by[split, system, one]) for one in PAIR_COLUMNS)])
        if (split, PAIR_COLUMNS[0]) in left:
            who = left[split, PAIR_COLUMNS[0]]
            cells = [_left(left[split, one]) for one in PAIR_COLUMNS]
            lines.append([kind, "", f"errors of {who['system']} / {who['against']}", *cells])
    return _titled("Minimal pairs", ["kind", "pairs", "system", *PAIR_COLUMNS], lines)


def _left(row: Row) -> str:
    return "" if row["value"] is None else f"{row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def _both(accuracy: Row, consistency: Row, field: str) -> str:
    return f"{accuracy[field]:.2f} / {consistency[field]:.2f}"


def _number(row: Row) -> str:
    return "" if row["value"] is None else f"{row['value']:.2f}"


def _interval(row: Row) -> str:
    return "" if row["value"] is None else f"{row['low']:.1f} to {row['high']:.1f}"


def _titled(title: str, head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return f"### {title}\n{_table(head, lines)}" if lines else ""


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)
