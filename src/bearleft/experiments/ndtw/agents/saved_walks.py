"""Saved walks of the table's agents, one small file per agent, seed and split, with the learning curve of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.experiments.systems.bootstrap import Bools
from bearleft.experiments.systems.saved_results import (
    OWN_TEXTS,
    Arrays,
    Folder,
    common_fields,
    read_result,
    read_results,
    result_file,
    save_result,
)
from bearleft.experiments.systems.saved_walks import NAME, Ints, place_fields, place_steps
from bearleft.metrics.ragged_paths import Ragged
from bearleft.records import LegTrace, Trace
from bearleft.version import VERSION
from bearleft.world.graphs.graph import Graph

HINT = "`bearleft paper ndtw --train RUNS` writes RUNS/walks."


@dataclass(frozen=True, eq=False)
class AgentWalks:
    """Walks of one agent, trained with one seed, on one split.

    Attributes:
        system: Name of the agent in tables.
        dataset: DATASET/SPLIT.
        seed: Seed that the agent was trained with.
        ids: Ids of the episodes.
        worlds: Worlds of the walks, each once, with the number of their places.
        world_indices: Index in `worlds` of each walk.
        places: Places of each walk, the start first: indices of the world's graph, as in the paths of traces.
        stopped: Whether each walk ended with the stop, not at the horizon.
        seconds: Wall-clock time of the walks.
        texts: Texts that the agent read: "own".
        metadata: Plain values: the horizon, the settings, and the rows of the training's history.
    """

    system: str
    dataset: str
    seed: int
    ids: tuple[str, ...]
    worlds: Mapping[str, int]
    world_indices: Ints
    places: Ragged
    stopped: Bools
    seconds: float = 0.0
    texts: str = OWN_TEXTS
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {len(self.ids), len(self.world_indices), len(self.places), len(self.stopped)}
        if len(sizes) > 1:
            raise InputError("a world, places and an end for each id", f"{sorted(sizes)} of them", "ids")
        if len(self.ids) and self.places.lengths.min() < 1:
            raise InputError("walks of at least one place", "one of none", "places")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def file_name(self) -> str:
        """Return the name of the file that `save_walks` writes."""
        return walks_file(self.system, self.dataset, self.seed)

    @property
    def history(self) -> list[dict[str, float]]:
        """Return the rows of the training's history, one for each epoch."""
        return list(self.metadata.get("history", ()))

    def traces(self, graphs: Mapping[str, Graph], sha256: str = "", rows: Iterable[int] | None = None) -> list[Trace]:
        """Return walks as traces, as `bearleft eval` writes them.

        Args:
            graphs: The graphs of the worlds.
            sha256: The hash of the dataset.
            rows: Which walks; all by default.
        """
        names, agent = list(self.worlds), f"{self.system}, seed {self.seed}"
        traces = []
        for k in range(len(self)) if rows is None else rows:
            graph = graphs[names[int(self.world_indices[k])]]
            path = tuple(graph.ids[place] for place in self.places[k].tolist())
            leg = LegTrace((*path[1:], *(("stop",) if self.stopped[k] else ())), path)
            horizon = self.metadata.get("horizon")
            traces.append(Trace(self.ids[k], self.dataset, agent, (leg,), self.seed, sha256, VERSION, horizon))
        return traces


def walks_file(system: str, dataset: str, seed: int) -> str:
    """Return the name of a file of walks."""
    return result_file(system.replace(" ", "-"), dataset, seed)


def save_walks(folder: Folder, walks: AgentWalks) -> Path:
    """Write walks into a folder, under their own file name, and return the path."""
    arrays = {
        "world_indices": walks.world_indices.astype(np.int16),
        "lengths": walks.places.lengths.astype(np.int16),
        "stopped": walks.stopped,
        "place_steps": place_steps(walks.places),
    }
    return save_result(Path(folder) / walks.file_name, walks, arrays, {"worlds": dict(walks.worlds)})


def read_walks(path: Folder) -> AgentWalks:
    """Read one file that `save_walks` wrote.

    Raises:
        InputError: There is no such file, or it is damaged.
    """

    def parse(head: dict[str, Any], arrays: Arrays) -> AgentWalks:
        return AgentWalks(
            **common_fields(head, arrays),
            **place_fields(head, arrays, arrays["lengths"].astype(np.int64)),
            stopped=arrays["stopped"].astype(np.bool_),
            metadata=dict(head["about"]),
        )

    return read_result(path, NAME, HINT, parse)


def read_walks_folder(folder: Folder) -> list[AgentWalks]:
    """Read all files of walks in a folder, sorted by file name; a folder of runs has them in `walks`."""
    inner = Path(folder) / "walks"
    return read_results(inner if inner.is_dir() else folder, NAME, HINT, read_walks)
