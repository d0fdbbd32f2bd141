"""Learning curves of the table's agents as SVG: scores on held-out walks by epoch, with the range of seeds."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from bearleft.errors import InputError
from bearleft.experiments.charts import COLOURS, Band, band_lines_svg
from bearleft.experiments.ndtw.agents.runs import AGENTS, IMITATION
from bearleft.experiments.ndtw.agents.saved_walks import HINT, AgentWalks
from bearleft.runtime.store import write_text

CURVES = {  # of the history: axis label, and factor
    "nDTW": ("nDTW on held-out walks in %", 100.0),
    "SDTW": ("SDTW on held-out walks in %", 100.0),
    "SR": ("SR on held-out walks in %", 1.0),
    "return": ("mean return of the agent's own walks", 1.0),
}
COLOUR = dict(zip(AGENTS, COLOURS, strict=False))


def write_figures(walks: Sequence[AgentWalks], folder: str | os.PathLike[str]) -> list[str]:
    """Write the learning curves of saved walks into a folder and return their paths.

    Args:
        walks: Saved walks, as `read_walks_folder` returns them.
        folder: The folder, which is made if it is missing.

    Raises:
        InputError: No walks have a history, or matplotlib is missing.
    """
    written = []
    for name, svg in learning_curves(walks):
        path = Path(folder) / name
        write_text(path, svg)
        written.append(str(path))
    if not written:
        raise InputError("walks with the history of their training", "none", hint=HINT)
    return written


def learning_curves(walks: Sequence[AgentWalks]) -> Iterator[tuple[str, str]]:
    """Yield the file name and the SVG of each score on each dataset."""
    for dataset in dict.fromkeys(one.dataset for one in walks):
        own = [one for one in walks if one.dataset == dataset and one.history]
        for score, (label, factor) in CURVES.items():
            bands = {system: _band(own, system, score, factor) for system in _systems(own)}
            if score == "return":  # without walks of its own there is none
                bands.pop(IMITATION, None)
            if not bands:
                continue
            task = dataset.partition("/")[0].upper()
            units = "; each agent in the unit of its own reward" if score == "return" else ""
            title = f"{task}: {score} by epoch, mean and range of seeds{units}"
            colours = {system: COLOUR.get(system, COLOURS[-1]) for system in bands}
            file = f"curve-{dataset.replace('/', '-')}-{score.lower()}.svg"
            yield file, band_lines_svg(bands, colours, title, "epoch", label)


def _systems(walks: Sequence[AgentWalks]) -> list[str]:
    present = {one.system for one in walks}
    return [*(system for system in AGENTS if system in present), *sorted(present - set(AGENTS))]


def _band(walks: Sequence[AgentWalks], system: str, score: str, factor: float) -> Band:
    """Return a score of an agent by epoch, over the epochs that all of its seeds have."""
    curves = [one.history for one in walks if one.system == system]
    epochs = range(min(map(len, curves)))
    values = [[factor * curve[epoch][score] for curve in curves] for epoch in epochs]
    means = [sum(seeds) / len(seeds) for seeds in values]
    return Band([epoch + 1 for epoch in epochs], means, [min(seeds) for seeds in values], [max(v) for v in values])
