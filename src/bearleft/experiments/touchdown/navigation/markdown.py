"""Markdown tables of the rows of `navigation.results`, as in papers/touchdown.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bearleft.experiments.rows import Row
from bearleft.experiments.systems.markdown import section, table
from bearleft.experiments.touchdown.navigation.endings import ENDINGS
from bearleft.experiments.touchdown.navigation.results import MAIN_METRIC
from bearleft.experiments.touchdown.navigation.runs import REAL_SPLITS
from bearleft.experiments.touchdown.navigation.scoring import COLUMNS, PAIR_COLUMNS
from bearleft.experiments.touchdown.published import COLUMNS_5, ORAR_NO_IMAGE
from bearleft.metrics.registry import METRICS


def markdown(rows: Sequence[Row]) -> str:
    """Return all tables that there are rows for."""
    splits = list(dict.fromkeys(row["split"] for row in rows if row["kind"] == "score"))
    sections = [scores(rows, split) for split in splits]
    sections += [fewer_errors(rows), order(rows), other_texts(rows), pairs(rows), other_city(rows)]
    sections += [endings(rows, split) for split in splits]
    sections += [groups(rows, kind) for kind in ("phenomenon", "opening")]
    return "\n".join(part for part in sections if part)


def scores(rows: Sequence[Row], split: str) -> str:
    """Return all metrics of one split, the published line below each of ours, and differences in TC."""
    own = [row for row in rows if row["split"] == split]
    by_cell = {(row["system"], row["metric"]): row for row in own if row["kind"] == "score"}
    against = list(dict.fromkeys(row["against"] for row in own if row["kind"] == "difference"))
    differences = {
        (row["system"], row["against"]): row
        for row in own
        if row["kind"] == "difference" and row["metric"] == MAIN_METRIC
    }
    is_real = split in REAL_SPLITS
    lines = []
    for system in dict.fromkeys(system for system, _ in by_cell):
        main = by_cell[system, MAIN_METRIC]
        seeds = f" ({main['seeds']} seeds, ± {main['spread']:.1f} TC)" if main["seeds"] > 1 else ""
        cells = [_number(by_cell[system, metric], metric) for metric in COLUMNS]
        signed = [_signed(differences[system, other]) if (system, other) in differences else "" for other in against]
        lines.append([f"{system}{seeds}", *cells, _interval(main), *signed])
        if any(by_cell[system, metric].get("paper") is not None for metric in COLUMNS_5):
            cells = [_published(by_cell[system, metric], metric) for metric in COLUMNS]
            name = "trained on real texts, their dev split" if is_real else "paper"
            lines.append([f"{system}, {name}", *cells, "", *([""] * len(against))])
    header = ["", *COLUMNS, "95 % of TC", *(f"TC less {other}'s (95 %)" for other in against)]
    count = next(iter(by_cell.values()))["n"]
    page = f"### {split} ({count:,} episodes)\n{table(header, lines)}"
    if is_real:
        dev, test = ORAR_NO_IMAGE[split.partition("/")[0]]
        page += (
            f"\nORAR without images, trained on real texts, has a TC of {dev} (dev) and {test} (test) on its splits.\n"
        )
    return page


def fewer_errors(rows: Iterable[Row]) -> str:
    """Return by how much failed episodes are fewer, with the interval."""
    lines = [
        [row["split"], f"{row['system']} against {row['against']}", f"{_number(row, MAIN_METRIC)} %", _interval(row)]
        for row in rows
        if row["kind"] == "fewer errors"
    ]
    return section("Fewer errors", ["split", "who", "fewer failed episodes", "95 %"], lines)


def order(rows: Iterable[Row]) -> str:
    """Return how many pairs of systems are in the paper's order, and those that are not."""
    checks = [row for row in rows if row["kind"] == "order"]
    lines = [
        [
            row["split"],
            f"{row['against']} above {row['system']}",
            row["metric"],
            _number({**row, "value": -row["value"]}, row["metric"]),
            f"{-row['high']:g} to {-row['low']:g}",
            "yes" if row["sure"] else "no",
        ]
        for row in checks
        if not row["holds"]
    ]
    if not checks:
        return ""
    counts = []
    for split in dict.fromkeys(row["split"] for row in checks):
        own = [row for row in checks if row["split"] == split]
        held, sure = (sum(row["holds"] for row in own), sum(row["holds"] and row["sure"] for row in own))
        counts.append(f"- {split}: {held} of {len(own)} comparisons hold, {sure} with an interval clear of 0\n")
    intro = f"STOP, FREQUENT, RANDOM < NO-TEXT, NO-IMAGE < RCONCAT, GA, in {', '.join(COLUMNS_5)}:\n\n{''.join(counts)}"
    header = ["split", "reversed", "metric", "by", "95 %", "interval clear of 0"]
    return f"### Order against the paper's\n{intro}" + (f"\n{table(header, lines)}" if lines else "")


def other_texts(rows: Iterable[Row]) -> str:
    """Return the systems with texts of other episodes."""
    lines = [
        [
            row["split"],
            row["system"],
            row["texts"],
            _number(row, MAIN_METRIC),
            _interval(row),
            f"{row['own value']:+.1f} ({row['own low']:.1f} to {row['own high']:.1f})" if "own value" in row else "",
        ]
        for row in rows
        if row["kind"] == "texts" and row["metric"] == MAIN_METRIC
    ]
    return section("Other texts", ["split", "system", "texts", "TC", "95 %", "more with its own (95 %)"], lines)


def pairs(rows: Iterable[Row]) -> str:
    """Return minimal pairs by kind."""
    by_cell = {(row["split"], row["system"], row["metric"]): row for row in rows if row["kind"] == "pairs"}
    lines = []
    for split, system in dict.fromkeys((split, system) for split, system, _ in by_cell):
        own = [by_cell[split, system, metric] for metric in PAIR_COLUMNS]
        cells = [f"{_number(row, row['metric'])} ({_interval(row)})" for row in own]
        lines.append([split.rpartition("/")[2], f"{own[0]['n']:,}", system, *cells])
    header = ["kind", "pairs", "system", "both right (95 %)", "changed one right (95 %)"]
    return section("Minimal pairs at unseen places", header, lines)


def other_city(rows: Iterable[Row]) -> str:
    """Return TC in another city beside that on test_unseen."""
    lines = [
        [row["system"], f"{row['here']:.1f}", f"{row['there']:.1f}", _signed(row)]
        for row in rows
        if row["kind"] == "other city"
    ]
    return section("Another city", ["system", "TC, test_unseen", "TC, another city", "difference (95 %)"], lines)


def endings(rows: Iterable[Row], split: str) -> str:
    """Return how the walks of one split end, in percent."""
    by_cell = {(row["system"], row["metric"]): row for row in rows if row["kind"] == "ending" and row["split"] == split}
    lines = [
        [system, *(f"{by_cell[system, ending]['value']:.1f}" for ending in ENDINGS)]
        for system in dict.fromkeys(system for system, _ in by_cell)
    ]
    return section(f"How walks end, {split} (%)", ["", *ENDINGS], lines)


def groups(rows: Iterable[Row], kind: str) -> str:
    """Return TC by phenomenon or by kind of opening, one table for each split."""
    own = [row for row in rows if row["kind"] == kind]
    parts = []
    for split in dict.fromkeys(row["split"] for row in own):
        by_cell = {(row[kind], row["system"]): row for row in own if row["split"] == split}
        systems = list(dict.fromkeys(system for _, system in by_cell))
        lines = []
        for name in dict.fromkeys(name for name, _ in by_cell):
            cells = [_number(by_cell[name, system], MAIN_METRIC) for system in systems]
            lines.append([name, f"{by_cell[name, systems[0]]['n']:,}", *cells])
        parts.append(section(f"TC by {kind}, {split}", [kind, "episodes", *systems], lines))
    return "\n".join(parts)


def _number(row: Row, metric: str) -> str:
    if row["value"] is None:
        return ""
    return f"{row['value']:.{_digits(metric)}f}"


def _published(row: Row, metric: str) -> str:
    return "" if row.get("paper") is None else f"{row['paper']:.{_digits(metric)}f}"


def _digits(metric: str) -> int:
    return 1 if METRICS[metric].percent or metric == "SPD" else 3


def _interval(row: Row) -> str:
    return "" if row["value"] is None else f"{row['low']:.1f} to {row['high']:.1f}"


def _signed(row: Row) -> str:
    return "" if row["value"] is None else f"{row['value']:+.1f} ({_interval(row)})"
