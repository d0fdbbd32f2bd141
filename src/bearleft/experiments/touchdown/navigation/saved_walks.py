"""Saved walks of navigation systems, one small file per system, seed, split and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.errors import InputError
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
from bearleft.experiments.systems.saved_walks import NAME, Ints, place_fields, place_steps, ragged
from bearleft.metrics.ragged_paths import Ragged
from bearleft.records import LegTrace, Trace
from bearleft.version import VERSION
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.transitions import ACTIONS, STOP

HORIZON = 50  # actions of a walk (Touchdown, appendix E.2)
HINT = "`bearleft paper touchdown --train-navigation RUNS` writes RUNS/walks."


@dataclass(frozen=True, eq=False)
class SavedWalks:
    """Walks of one system, trained with one seed, on one split.

    Attributes:
        system: Name of the system.
        dataset: DATASET/SPLIT.
        seed: Seed that the system was trained with.
        ids: Ids of the episodes.
        worlds: Worlds of the walks, each once, with the number of their places.
        world_indices: Index in `worlds` of each walk.
        actions: Actions of each walk.
        places: Places of each walk, the start first, then the place after each action but "stop": indices of the
            world's graph, as in the paths of traces.
        seconds: Wall-clock time of the walks.
        texts: Texts that the system read: "own", or "shuffled" for those of other episodes.
        metadata: Plain values, such as the number of epochs and the hash of the backbone.
    """

    system: str
    dataset: str
    seed: int
    ids: tuple[str, ...]
    worlds: Mapping[str, int]
    world_indices: Ints
    actions: Ragged
    places: Ragged
    seconds: float = 0.0
    texts: str = OWN_TEXTS
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {len(self.ids), len(self.world_indices), len(self.actions), len(self.places)}
        if len(sizes) > 1:
            raise InputError("a world, actions and places for each id", f"{sorted(sizes)} of them", "ids")
        if not (self.places.lengths == path_lengths(self.actions)).all():
            raise InputError("a place for the start and for each action but stop", "others", "places")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def file_name(self) -> str:
        """Return the name of the file that `save_walks` writes."""
        return walks_file(self.system, self.dataset, self.seed, self.texts)

    def traces(self, graphs: Mapping[str, Graph], sha256: str = "", dataset: str | None = None) -> list[Trace]:
        """Return the walks as traces, as `bearleft eval` writes them.

        Args:
            graphs: The graphs of the worlds.
            sha256: The hash of the dataset.
            dataset: The name of the dataset; by default its own.
        """
        names = list(self.worlds)
        traces = []
        for k, episode in enumerate(self.ids):
            graph = graphs[names[int(self.world_indices[k])]]
            actions = tuple(ACTIONS[action] for action in self.actions[k].tolist())
            leg = LegTrace(actions, tuple(graph.ids[place] for place in self.places[k].tolist()))
            name = dataset or self.dataset
            traces.append(Trace(episode, name, self.system, (leg,), self.seed, sha256, VERSION, HORIZON))
        return traces


def walks_file(system: str, dataset: str, seed: int, texts: str = OWN_TEXTS) -> str:
    """Return the name of a file of walks."""
    return result_file(system.replace(" ", "-"), dataset, seed, texts)


def path_lengths(actions: Ragged) -> Ints:
    """Return the number of places of walks with these actions."""
    stopped = np.zeros(len(actions), np.int64)
    ended = actions.lengths > 0
    stopped[ended] = actions.points[actions.starts[1:][ended] - 1] == STOP
    return np.asarray(actions.lengths + 1 - stopped, np.int64)


def walks_from_states(place: Ints, states: Ints, final: Ints, actions: Ints) -> tuple[Ragged, Ragged]:
    """Return the actions and the places of walks.

    Args:
        place: The place of each state.
        states: States (n, t) in which actions are taken.
        final: States (n,) at the end.
        actions: Actions (n, t), negative behind the end.
    """
    lengths = (actions >= 0).sum(1)
    places = np.column_stack([place[states], place[final]])
    rows = [row[:length] for row, length in zip(actions, lengths, strict=True)]
    done = ragged(rows, np.int8)
    # Behind the end of a walk the state stays, so that the place after the last action follows it.
    paths = [row[:length] for row, length in zip(places, path_lengths(done), strict=True)]
    return done, ragged(paths, np.int32)


def save_walks(folder: Folder, walks: SavedWalks) -> Path:
    """Write walks into a folder, under their own file name, and return the path."""
    arrays = {
        "world_indices": walks.world_indices.astype(np.int16),
        "lengths": walks.actions.lengths.astype(np.int16),
        "actions": walks.actions.points.astype(np.int8),
        "place_steps": place_steps(walks.places),
    }
    return save_result(Path(folder) / walks.file_name, walks, arrays, {"worlds": dict(walks.worlds)})


def read_walks(path: Folder) -> SavedWalks:
    """Read one file that `save_walks` wrote.

    Raises:
        InputError: There is no such file, or it is damaged.
    """

    def parse(head: dict[str, Any], arrays: Arrays) -> SavedWalks:
        actions = Ragged(arrays["actions"], np.concatenate([[0], np.cumsum(arrays["lengths"].astype(np.int64))]))
        if len(actions.points) and not 0 <= actions.points.min() <= actions.points.max() < len(ACTIONS):
            raise InputError(f"actions from 0 to {len(ACTIONS) - 1}", "others", "actions")
        return SavedWalks(
            **common_fields(head, arrays),
            **place_fields(head, arrays, path_lengths(actions)),
            actions=actions,
            metadata=dict(head["about"]),
        )

    return read_result(path, NAME, HINT, parse)


def read_walks_folder(folder: Folder) -> list[SavedWalks]:
    """Read all files of walks in a folder, sorted by file name."""
    return read_results(folder, NAME, HINT, read_walks)
