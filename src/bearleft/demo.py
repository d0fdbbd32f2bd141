"""The whole story on a generated town: a world, episodes, agents, scores, and a picture of what they did."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bearleft.agents.oracles import Gold
from bearleft.envs.game import Action, Observation
from bearleft.evaluate.run import run
from bearleft.evaluate.score import score
from bearleft.metrics.conventions import compare
from bearleft.metrics.dtw import ndtw
from bearleft.metrics.walks import Walks, wander
from bearleft.records import Episode
from bearleft.report.table import to_json
from bearleft.store import atomic_write, write_text
from bearleft.world.map import LEGEND, REFERENCE, WALKED, Line, draw_map, side_by_side
from bearleft.world.worlds import open_world

DATASET = "town/dev"
AGENTS = ("stop", "random", "frequent", "erring", "gold")
WALKS = 60  # of walkers who take a wrong action now and then
SHOWN = ("TC", "SPD", "SED", "nDTW", "SDTW", "CLS")


class Erring(Gold):
    """Knows the way, but takes a wrong action every thirtieth time and does not notice."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        super().begin(episode, rng)
        self.rng = rng

    def act(self, observation: Observation) -> Action:
        action = super().act(observation) if self.plans[observation["leg"]] else "stop"
        wrong = action != "stop" and self.rng.random() < 1 / 30
        return ("forward", "left", "right")[self.rng.integers(3)] if wrong else action


@dataclass(frozen=True)
class Demo:
    """Tables of scores, one row an agent and one a convention, and what to look at and type next."""

    scores: list[dict[str, Any]]
    conventions: list[dict[str, Any]]
    remarks: list[str]


def demo(
    folder: str | os.PathLike[str] = "demo", seed: int = 0, progress: Callable[[str, int, int], None] | None = None
) -> Demo:
    """Lets five agents walk a generated town, scores them, and draws some erring walks into `folder`."""
    folder = Path(folder)
    scores = []
    for agent in AGENTS:
        out = folder / f"{agent}-{seed}.jsonl"
        run(Erring() if agent == "erring" else agent, DATASET, out, seed=seed, progress=progress)
        found = {row["metric"]: row for row in score(out, seed=seed).rows}
        row: dict[str, Any] = {"agent": agent, "episodes": found["TC"]["n"]}
        for name in SHOWN:
            row[name] = round(found[name]["value"], 3)
        row["TC_low"], row["TC_high"] = round(found["TC"]["low"], 2), round(found["TC"]["high"], 2)
        scores.append(row)
    walks = wander(open_world("town/0"), np.random.default_rng(seed), WALKS, slip=0.4)
    by_convention = [{name: _short(value) for name, value in row.items()} for row in compare(walks)]
    with atomic_write(folder / "walks.png", "wb") as stream:
        _picture(walks).save(stream, "PNG")
    write_text(folder / "scores.json", to_json(scores) + "\n")
    remarks = [
        f"Traces, scores.json and walks.png are in {folder}/. What to try next:",
        f"  bearleft score {folder}/random-{seed}.jsonl {folder}/gold-{seed}.jsonl",
        "  bearleft eval examples/own_agent.py town/dev -o mine.jsonl    (an agent of your own: docs/own-agent.md)",
        "  bearleft data list --data DIR    (the real datasets, once you have them: docs/data.md)",
    ]
    return Demo(scores, by_convention, remarks)


def _short(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value


def _picture(walks: Walks) -> Image.Image:
    """Six of the walks, from the worst to the best by nDTW."""
    graph = walks.graph
    values = ndtw.batch(walks.paths.without_repeats(), walks.routes, graph.hops.matrix(), 1.0)
    order = np.argsort(values)
    maps = []
    for k in order[np.linspace(0, len(order) - 1, 6).astype(int)].tolist():
        route, path = ([graph.ids[node] for node in batch[k]] for batch in (walks.routes, walks.paths))
        lines = [Line(route, REFERENCE, 6), Line(path, WALKED, 3)]
        maps.append(draw_map(graph, lines, f"nDTW {values[k]:.2f}", 320, margin=60))
    return side_by_side(maps, 3, caption=LEGEND)
