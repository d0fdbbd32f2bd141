"""Figures of the papers that need no pictures of a world: text lengths and common words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from bearleft.experiments.arramon import tables as arramon
from bearleft.experiments.charts import draw_bars, draw_lines, histogram
from bearleft.experiments.ndtw.study_figures import figure_3
from bearleft.experiments.ndtw.warping import figure_1
from bearleft.experiments.refer360 import tables as refer360
from bearleft.experiments.touchdown import tables as touchdown
from bearleft.runtime.store import atomic_write
from bearleft.types import DataFolder

Figures = Iterator[tuple[str, Image.Image]]  # file names and images


def touchdown_figures(data: DataFolder = None) -> Figures:
    """Yield Touchdown's Figure 5."""
    lines = {name: histogram(lengths, 10, 200) for name, lengths in touchdown.text_lengths(data).items()}
    yield (
        "figure-5-text-length.png",
        draw_lines(lines, "Touchdown, Figure 5: length of different texts, up to 200", "tokens", "% of texts"),
    )


def refer360_figures(data: DataFolder = None) -> Figures:
    """Yield Refer360's Figure 3."""
    lines = {name: histogram(lengths, 5, 120) for name, lengths in refer360.text_lengths(data).items()}
    yield (
        "figure-3-text-length.png",
        draw_lines(lines, "Refer360, Figure 3: length of different texts, up to 120", "tokens", "% of texts"),
    )


def arramon_figures(names: Sequence[str] = (), data: DataFolder = None) -> Figures:
    """Yield ArraMon's Figures 5 and 6 of each split (default: those of `paper arramon`), and Figure 9."""
    title = "ArraMon, Figure 9: rPOD over the Manhattan distance of the cells"
    yield "figure-9-rpod.png", draw_lines({"rPOD": arramon.rpod_curve()}, title, "cells", "rPOD")
    for name in names or arramon.default_names(data):
        suffix = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
        words = {word: float(count) for word, count in arramon.common_words(name, data).items()}
        title = f"ArraMon, Figure 5: the 25 most common words of {name}"
        yield f"figure-5-words-{suffix}.png", draw_bars(words, title, "times")
        lengths_of, last = arramon.lengths(name, data), arramon.MAX_LENGTH
        for content, unit, width in (("instructions", "words", 5), ("paths", "moves", 1)):
            lines = {phase: histogram(lengths, width, last) for phase, lengths in lengths_of[content].items()}
            title = f"ArraMon, Figure 6: length of {content}, both turns, up to {last} {unit}: {name}"
            yield f"figure-6-{content}-{suffix}.png", draw_lines(lines, title, unit, "% of tasks")


def ndtw_figures() -> Figures:
    """Yield the nDTW paper's Figures 1 and 3, of paths that the same procedure generates."""
    yield "figure-1-warping.png", figure_1()
    yield "figure-3-ndtw.png", figure_3()


def write_figures(figures: Figures, folder: str | os.PathLike[str]) -> list[str]:
    """Write figures into a folder and return their paths."""
    written = []
    for name, image in figures:
        path = Path(folder) / name
        with atomic_write(path, "wb") as stream:
            image.save(stream, "PNG")
        written.append(str(path))
    return written
