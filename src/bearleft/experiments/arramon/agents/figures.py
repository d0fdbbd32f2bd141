"""Charts of the tables' agents as SVG: scores by split and turn, what texts are worth, and learning curves."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bearleft.errors import InputError
from bearleft.experiments.arramon.agents.results import CHANGED, TURNS, turn_metric
from bearleft.experiments.arramon.agents.runs import LO, OURS, OURS_LO, RANDOM, REAL_SPLIT, VL, VO
from bearleft.experiments.arramon.agents.saved_plays import HINT, SavedPlays
from bearleft.experiments.arramon.changed_texts import CHANGES
from bearleft.experiments.charts import COLOURS, Band, Interval, band_lines_svg, interval_bars_svg
from bearleft.experiments.rows import Row
from bearleft.runtime.store import write_text

BY_TURN = ("nDTW", "CTC-3", "PTC")
CURVES = {"loss": ("loss", 1.0), "nDTW": ("nDTW in %", 100.0), "PTC": ("PTC in %", 100.0)}
COLOUR = dict(zip((VL, VO, LO, OURS, OURS_LO, RANDOM), COLOURS, strict=True))  # of the systems that are drawn
Groups = dict[str, dict[str, Interval]]


def write_figures(plays: Sequence[SavedPlays], rows: Sequence[Row], folder: str | os.PathLike[str]) -> list[str]:
    """Write all charts into a folder and return their paths.

    Args:
        plays: Saved plays, as `read_plays_folder` returns them; their histories are the learning curves.
        rows: The rows that `results` makes of them.
        folder: The folder, which is made if it is missing.

    Raises:
        InputError: There is nothing to draw, or matplotlib is missing.
    """
    written = []
    for name, svg in (*score_charts(rows), *changed_charts(rows), *learning_curves(plays)):
        path = Path(folder) / name
        write_text(path, svg)
        written.append(str(path))
    if not written:
        raise InputError("plays of generated tasks, to draw", "others", hint=HINT)
    return written


def score_charts(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the file name and the SVG of each metric by split and turn, and of PTC after perfect navigation."""
    turns = [row for row in rows if row["kind"] == "turn" and row["split"] != REAL_SPLIT]
    for metric in BY_TURN:
        groups: Groups = {}
        for row in turns:
            for turn in TURNS:
                if row["metric"] == turn_metric(metric, turn) and row["system"] in COLOUR:
                    _add(groups, f"{_last(row['split'])}, turn {turn}", row)
        if groups:
            title = f"{metric} by turn, in whole tasks (95 %)"
            yield f"turns-{metric.lower()}.svg", _bars(groups, title, f"{metric} in %")
    groups = {}
    for row in rows:
        if row["kind"] == "perfect navigation" and row["metric"] == "PTC" and row["system"] in COLOUR:
            _add(groups, _last(row["split"]), row)
    if groups:
        yield "room-ptc.svg", _bars(groups, "PTC in the room, after perfect navigation (95 %)", "PTC in %")


def changed_charts(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the file name and the SVG of scores with changed texts, in whole tasks and in the room alone."""
    for perfect, metric, place in ((False, "nDTW", "in whole tasks"), (True, "PTC", "in the room alone")):
        changed = [
            row
            for row in rows
            if row["kind"] == CHANGED and row["metric"] == metric and row["perfect navigation"] == perfect
        ]
        for split in dict.fromkeys(str(row["split"]) for row in changed):
            groups: Groups = {}
            kind = "perfect navigation" if perfect else "score"
            systems = {row["system"] for row in changed}
            for row in rows:
                own = (row["kind"], row["split"], row["metric"]) == (kind, split, metric)
                if own and row["system"] in systems & COLOUR.keys():
                    _add(groups, "own texts", row)
            for row in changed:
                if row["split"] == split:
                    _add(groups, CHANGES[str(row["texts"])], row)
            title = f"{metric} with changed texts, {_last(split)}, {place} (95 %)"
            yield f"texts-{_last(split)}-{metric.lower()}.svg", _bars(groups, title, f"{metric} in %")


def learning_curves(plays: Sequence[SavedPlays]) -> Iterator[tuple[str, str]]:
    """Yield the file name and the SVG of each score of the validation tasks by epoch, over the seeds' common epochs."""
    histories: dict[str, dict[int, list[dict[str, float]]]] = {}
    for one in plays:
        if one.history:
            histories.setdefault(one.system, {})[one.seed] = one.history
    for score, (label, factor) in CURVES.items():
        bands = {
            system: _band(list(histories[system].values()), score, factor) for system in COLOUR if system in histories
        }
        if bands:
            title = f"{score} by epoch, mean and range of seeds"
            yield f"curve-{score.lower()}.svg", band_lines_svg(bands, COLOUR, title, "epoch", label)


def _band(curves: Sequence[Sequence[Mapping[str, float]]], score: str, factor: float) -> Band:
    epochs = range(min(map(len, curves)))
    values = [[factor * curve[epoch][score] for curve in curves] for epoch in epochs]
    means = [sum(seeds) / len(seeds) for seeds in values]
    return Band([epoch + 1 for epoch in epochs], means, [min(seeds) for seeds in values], [max(v) for v in values])


def _add(groups: Groups, group: str, row: Row) -> None:
    groups.setdefault(group, {})[row["system"]] = Interval(100 * row["value"], 100 * row["low"], 100 * row["high"])


def _bars(groups: Groups, title: str, label: str) -> str:
    present = {system for group in groups.values() for system in group}
    return interval_bars_svg(groups, {name: c for name, c in COLOUR.items() if name in present}, title, label)


def _last(split: str) -> str:
    return split.rpartition("/")[2]
