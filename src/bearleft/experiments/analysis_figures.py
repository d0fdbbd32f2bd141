"""The papers' figures of texts and objects, real ones and ours in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from bearleft.errors import InputError
from bearleft.experiments.charts import COLOURS, GRID, RIGHT, TOP, Chart, Line, draw_lines, round_steps, shares
from bearleft.experiments.phenomena import SHARE
from bearleft.experiments.refer360.objects import CHOSEN, RANDOM, Objects, placed_lengths
from bearleft.experiments.rows import Row
from bearleft.experiments.text_figures import Figures
from bearleft.experiments.texts import NAVIGATION, R2R, SDR, SEQUENCE, Said, Texts, lengths

SIDES = ("paper", "real", "ours")
NAMES, EACH, BELOW, LEGEND = 200, 9, 52, 80  # pixels: for names, of a bar, below the bars, of a name in the legend


def draw_groups(groups: Mapping[str, Mapping[str, float]], title: str, across: str) -> Image.Image:
    """For each name a group of bars to the right, one for each of SIDES that any group has, in its own colour."""
    sides = [side for side in SIDES if any(side in group for group in groups.values())]
    if not sides:
        raise InputError("at least one bar", "none")
    step = len(sides) * EACH + 8
    width, height = 760, TOP + step * len(groups) + BELOW
    xs = round_steps(0, max(max(value for group in groups.values() for value in group.values()), 1e-9))
    chart = Chart((width, height), title, across, "")
    span = width - NAMES - RIGHT
    for x in xs:
        at = NAMES + span * x / xs[-1]
        chart.line([(at, TOP), (at, height - BELOW)], GRID, 0.5)
        chart.text((at, height - BELOW + 6), f"{x:g}", 11, "ma")
    for k, side in enumerate(sides):
        left = width - RIGHT - LEGEND * (len(sides) - k)
        chart.box((left, 40, left + 12, 50), _colour(side))
        chart.text((left + 18, 45), side, 12, "lm")
    for row, (name, group) in enumerate(groups.items()):
        top = TOP + step * row + 4
        chart.text((NAMES - 8, top + len(sides) * EACH / 2), name, 12, "rm")
        for k, side in enumerate(sides):
            if side in group:
                end = NAMES + max(span * group[side] / xs[-1], 1)
                chart.box((NAMES, top + k * EACH, end, top + (k + 1) * EACH - 1), _colour(side))
    return chart.done()


def _colour(side: str) -> tuple[int, int, int]:
    """The same in every picture."""
    return COLOURS[SIDES.index(side)]


def groups_of(rows: Sequence[Row], table: str, row: str, ending: str = "") -> dict[str, dict[str, float]]:
    """A row of a table as groups of bars: each metric with that ending, and what is known of it."""
    return {
        str(one["metric"]).removesuffix(ending): {side: one[side] for side in SIDES if one[side] is not None}
        for one in rows
        if one["table"] == table and one["row"] == row and str(one["metric"]).endswith(ending)
    }


def text_figures(real: Texts, ours: Texts, rows: Sequence[Row]) -> Figures:
    """Touchdown's Figures 5 and 8 and Table 3, Refer360's Figure 3 and Table 8, ArraMon's Table 4."""
    yield from _length_figures(real, ours)
    for kind in (NAVIGATION, SDR):
        groups = groups_of(rows, "Touchdown Figure 8", kind)
        if any(groups.values()):
            title = f"Touchdown, Figure 8: common nouns and what stands before them, {kind}"
            yield f"touchdown-figure-8-{kind.lower()}.png", draw_groups(groups, title, "times per 100 texts")
    for table, row in dict.fromkeys((str(one["table"]), str(one["row"])) for one in rows):
        groups = groups_of(rows, table, row, f", {SHARE}")
        if groups:
            name = f"{table}-{row}".lower().replace(", ", "-").replace(" ", "-")
            yield f"{name}.png", draw_groups(groups, f"{table}, {row}: texts that hold a phenomenon", SHARE)


def _length_figures(real: Texts, ours: Texts) -> Figures:
    for file, title, kinds, width, last in (
        ("touchdown-figure-5.png", "Touchdown, Figure 5", (R2R, SDR, NAVIGATION), 10, 200),
        ("refer360-figure-3.png", "Refer360, Figure 3", (SEQUENCE, SDR), 5, 120),
    ):
        lines: dict[str, Line] = {}
        for kind in kinds:
            for side, texts in (("real", real), ("ours", ours)):
                if texts.get(kind):
                    lines[f"{kind}, {side}"] = shares(lengths(texts[kind]), width, last)
        if lines:
            heading = f"{title}: length of texts, up to {last}"
            yield file, draw_lines(lines, heading, "tokens", "% of texts")


def object_figures(ours: Objects, real: Mapping[str, Sequence[Said]], rows: Sequence[Row]) -> Figures:
    """Refer360's Figures 6 and 7."""
    for row in dict.fromkeys(str(one["row"]) for one in rows if one["table"] == "Refer360 Figure 6"):
        groups = groups_of(rows, "Refer360 Figure 6", row)
        name = f"refer360-figure-6-{row.replace(' ', '-')}.png"
        yield name, draw_groups(groups, f"Refer360, Figure 6: the most common objects, {row}", "% of all objects")
    for what, parted, width, last in (("sequences", False, 5, 100), ("single-instructions", True, 2, 40)):
        lines = {
            f"{kind}, {side}": shares(placed_lengths(told[kind], parted), width, last)
            for side, told in (("real", real), ("ours", ours.told))
            for kind in (CHOSEN, RANDOM)
            if told.get(kind)
        }
        title = f"Refer360, Figure 7: length of {what.replace('-', ' ')} by how the target was placed"
        yield f"refer360-figure-7-{what}.png", draw_lines(lines, title, "tokens", "% of texts")
