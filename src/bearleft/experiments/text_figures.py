"""The papers' figures that need no picture of a world, drawn from the data: lengths and common words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from bearleft.experiments.arramon import tables as arramon
from bearleft.experiments.charts import draw_bars, draw_lines, shares
from bearleft.experiments.ndtw.study_figures import figure_3
from bearleft.experiments.ndtw.warping import figure_1
from bearleft.experiments.refer360 import tables as refer360
from bearleft.experiments.touchdown import tables as touchdown
from bearleft.runtime.store import atomic_write

Data = str | os.PathLike[str] | None
Figures = Iterator[tuple[str, Image.Image]]


def touchdown_figures(data: Data = None) -> Figures:
    """Figure 5."""
    lines = {name: shares(lengths, 10, 200) for name, lengths in touchdown.text_lengths(data).items()}
    yield (
        "figure-5-text-length.png",
        draw_lines(lines, "Touchdown, Figure 5: length of different texts, up to 200", "tokens", "% of texts"),
    )


def refer360_figures(data: Data = None) -> Figures:
    """Figure 3."""
    lines = {name: shares(lengths, 5, 120) for name, lengths in refer360.text_lengths(data).items()}
    yield (
        "figure-3-text-length.png",
        draw_lines(lines, "Refer360, Figure 3: length of different texts, up to 120", "tokens", "% of texts"),
    )


def arramon_figures(names: Sequence[str] = (), data: Data = None) -> Figures:
    """Figures 5 and 6 of each split (without names, of those that `paper arramon` tabulates), and 9."""
    title = "ArraMon, Figure 9: rPOD over the Manhattan distance of the cells"
    yield "figure-9-rpod.png", draw_lines({"rPOD": arramon.rpod_curve()}, title, "cells", "rPOD")
    for name in names or arramon.default_names(data):
        ending = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
        words = {word: float(count) for word, count in arramon.common_words(name, data).items()}
        title = f"ArraMon, Figure 5: the 25 most common words of {name}"
        yield f"figure-5-words-{ending}.png", draw_bars(words, title, "times")
        found, last = arramon.lengths(name, data), arramon.LONGEST
        for what, unit, width in (("instructions", "words", 5), ("paths", "moves", 1)):
            lines = {phase: shares(lengths, width, last) for phase, lengths in found[what].items()}
            title = f"ArraMon, Figure 6: length of {what}, both turns, up to {last} {unit}: {name}"
            yield f"figure-6-{what}-{ending}.png", draw_lines(lines, title, unit, "% of tasks")


def ndtw_figures() -> Figures:
    """Figures 1 and 3, of paths made by the same procedure."""
    yield "figure-1-warping.png", figure_1()
    yield "figure-3-ndtw.png", figure_3()


def write_figures(figures: Figures, folder: str | os.PathLike[str]) -> list[str]:
    """Writes the pictures into a folder; their paths."""
    written = []
    for name, picture in figures:
        path = Path(folder) / name
        with atomic_write(path, "wb") as stream:
            picture.save(stream, "PNG")
        written.append(str(path))
    return written
