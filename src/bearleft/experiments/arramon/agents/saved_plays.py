"""Saved plays of the tables' agents: the actions of whole tasks, one small file per agent, seed, split and mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON
from bearleft.envs.arramon.tasks import LEGS
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.recorded import played_legs
from bearleft.experiments.arramon.agents.runs import CASCADE
from bearleft.experiments.systems.saved_results import (
    Arrays,
    Folder,
    common_fields,
    read_result,
    read_results,
    result_file,
    save_result,
)
from bearleft.records import Episode, LegTrace, Trace
from bearleft.version import VERSION
from bearleft.world.arramon.moves import FORWARD, LEFT, RIGHT

NAME, PLAYS = "saved plays", "plays"
HINT = "`bearleft paper arramon --train RUNS` writes RUNS/plays."
PLAIN = (FORWARD, LEFT, RIGHT)
END = -1  # behind the actions of a leg
Codes = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class SavedPlays:
    """Plays of one agent, with one seed, on one split.

    Attributes:
        system: Name of the agent in tables.
        dataset: DATASET/SPLIT.
        seed: Its seed.
        ids: Ids of the tasks.
        codes: Codes of the actions (n, legs, t), END behind the ends.
        seconds: Wall-clock time.
        texts: The mode: CASCADE, PERFECT, or one of changed texts.
        horizons: Actions after which a leg in the city and in the room ended.
        metadata: Plain values: settings, backbone and history.
    """

    system: str
    dataset: str
    seed: int
    ids: tuple[str, ...]
    codes: Codes
    seconds: float = 0.0
    texts: str = CASCADE
    horizons: tuple[int, int] = (COLLECT_HORIZON, ASSEMBLE_HORIZON)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.codes.ndim != 3 or self.codes.shape[:2] != (len(self.ids), LEGS):
            raise InputError(f"codes ({len(self.ids)}, {LEGS}, t)", str(self.codes.shape), "codes")
        if self.codes.size and not (self.codes.min() >= END and self.codes.max() <= len(PLAIN)):
            raise InputError(f"codes from {END} to {len(PLAIN)}", "others", "codes")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def options(self) -> EnvOptions:
        """The rules by which the tasks were played."""
        return EnvOptions(collect_horizon=self.horizons[0], assemble_horizon=self.horizons[1])

    @property
    def history(self) -> list[dict[str, float]]:
        """The rows of the training's history, one for each epoch."""
        return list(self.metadata.get("history", ()))

    def traces(self, episodes: Sequence[Episode], sha256: str = "") -> list[Trace]:
        """Return plays as traces, as `bearleft eval` writes them."""
        agent, rows = f"{self.system}, seed {self.seed}", {name: k for k, name in enumerate(self.ids)}
        codes = self.codes[[rows[episode.id] for episode in episodes]]
        return [
            Trace(episode.id, self.dataset, agent, legs, self.seed, sha256, VERSION)
            for episode, legs in zip(episodes, played_legs(episodes, codes, self.options), strict=True)
        ]


def codes_of(plays: Sequence[Sequence[LegTrace]]) -> Codes:
    """Return the codes of traces; whatever is no step or turn is to pick or to place."""
    longest = max((len(leg.actions) for legs in plays for leg in legs), default=1)
    out = np.full((len(plays), LEGS, longest), END, np.int8)
    for k, legs in enumerate(plays):
        for number, leg in enumerate(legs):
            out[k, number, : len(leg.actions)] = [
                PLAIN.index(action) if action in PLAIN else len(PLAIN) for action in leg.actions
            ]
    return out


def plays_file(system: str, dataset: str, seed: int, mode: str = CASCADE) -> str:
    """Return the name of a file of plays."""
    return result_file(system.replace("/", "").replace(", ", "-"), dataset, seed, mode)


def save_plays(folder: Folder, plays: SavedPlays) -> Path:
    """Write plays into a folder, under their own file name, and return the path."""
    path = Path(folder) / plays_file(plays.system, plays.dataset, plays.seed, plays.texts)
    return save_result(path, plays, {"codes": plays.codes}, {"horizons": list(plays.horizons)})


def read_plays(path: Folder) -> SavedPlays:
    """Read one file that `save_plays` wrote; raise InputError if there is none, or if it is damaged."""

    def parse(head: dict[str, Any], arrays: Arrays) -> SavedPlays:
        codes, (collect, assemble) = np.asarray(arrays["codes"], np.int8), head["horizons"]
        horizons = int(collect), int(assemble)
        metadata = dict(head["about"])
        return SavedPlays(**common_fields(head, arrays), codes=codes, horizons=horizons, metadata=metadata)

    return read_result(path, NAME, HINT, parse)


def read_plays_folder(folder: Folder) -> list[SavedPlays]:
    """Read all files of plays in a folder, sorted by file name; a folder of runs has them in `plays`."""
    inner = Path(folder) / PLAYS
    return read_results(inner if inner.is_dir() else folder, NAME, HINT, read_plays)
