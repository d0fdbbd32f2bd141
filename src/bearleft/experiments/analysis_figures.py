"""Figures of the papers' analyses of texts and objects, with the paper, real data and ours in one chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bearleft.experiments.charts import Line, draw_grouped_bars, draw_lines, histogram
from bearleft.experiments.phenomena import SHARE
from bearleft.experiments.refer360.objects import CHOSEN, RANDOM, ObjectStudy, text_lengths
from bearleft.experiments.rows import Row
from bearleft.experiments.text_figures import Figures
from bearleft.experiments.texts import NAVIGATION, R2R, SDR, SEQUENCE, TextParts, TextsByKind, token_counts

SIDES = ("paper", "real", "ours")


def bar_groups(rows: Sequence[Row], table: str, row_name: str, suffix: str = "") -> dict[str, dict[str, float]]:
    """Return a row of a table as groups of bars: the known values of each metric with that suffix."""
    return {
        str(row["metric"]).removesuffix(suffix): {side: row[side] for side in SIDES if row[side] is not None}
        for row in rows
        if row["table"] == table and row["row"] == row_name and str(row["metric"]).endswith(suffix)
    }


def text_figures(real: TextsByKind, ours: TextsByKind, rows: Sequence[Row]) -> Figures:
    """Yield Touchdown's Figures 5 and 8 and Table 3, Refer360's Figure 3 and Table 8, ArraMon's Table 4."""
    yield from _length_figures(real, ours)
    for kind in (NAVIGATION, SDR):
        groups = bar_groups(rows, "Touchdown Figure 8", kind)
        if any(groups.values()):
            title = f"Touchdown, Figure 8: common nouns and what stands before them, {kind}"
            figure = draw_grouped_bars(groups, SIDES, title, "times per 100 texts")
            yield f"touchdown-figure-8-{kind.lower()}.png", figure
    for table, row_name in dict.fromkeys((str(row["table"]), str(row["row"])) for row in rows):
        groups = bar_groups(rows, table, row_name, f", {SHARE}")
        if groups:
            name = f"{table}-{row_name}".lower().replace(", ", "-").replace(" ", "-")
            title = f"{table}, {row_name}: texts that hold a phenomenon"
            yield f"{name}.png", draw_grouped_bars(groups, SIDES, title, SHARE)


def _length_figures(real: TextsByKind, ours: TextsByKind) -> Figures:
    for file, title, kinds, bin_width, last in (
        ("touchdown-figure-5.png", "Touchdown, Figure 5", (R2R, SDR, NAVIGATION), 10, 200),
        ("refer360-figure-3.png", "Refer360, Figure 3", (SEQUENCE, SDR), 5, 120),
    ):
        lines: dict[str, Line] = {}
        for kind in kinds:
            for side, texts in (("real", real), ("ours", ours)):
                if texts.get(kind):
                    lines[f"{kind}, {side}"] = histogram(token_counts(texts[kind]), bin_width, last)
        if lines:
            yield file, draw_lines(lines, f"{title}: length of texts, up to {last}", "tokens", "% of texts")


def object_figures(ours: ObjectStudy, real: Mapping[str, Sequence[TextParts]], rows: Sequence[Row]) -> Figures:
    """Yield Refer360's Figures 6 and 7."""
    for row_name in dict.fromkeys(str(row["row"]) for row in rows if row["table"] == "Refer360 Figure 6"):
        groups = bar_groups(rows, "Refer360 Figure 6", row_name)
        name = f"refer360-figure-6-{row_name.replace(' ', '-')}.png"
        title = f"Refer360, Figure 6: the most common objects, {row_name}"
        yield name, draw_grouped_bars(groups, SIDES, title, "% of all objects")
    for unit, by_sentence, bin_width, last in (("sequences", False, 5, 100), ("single-instructions", True, 2, 40)):
        lines = {
            f"{placement}, {side}": histogram(text_lengths(texts[placement], by_sentence), bin_width, last)
            for side, texts in (("real", real), ("ours", ours.texts))
            for placement in (CHOSEN, RANDOM)
            if texts.get(placement)
        }
        title = f"Refer360, Figure 7: length of {unit.replace('-', ' ')} by how the target was placed"
        yield f"refer360-figure-7-{unit}.png", draw_lines(lines, title, "tokens", "% of texts")
