"""A trained looker as an agent: it sees 90 degrees at a time, reads sentence by sentence, turns, and points."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Episode

if TYPE_CHECKING:  # torch is loaded when a checkpoint is
    from bearleft.models.look_play import Mind

Path_ = str | os.PathLike[str]


def is_looker(file: Path_) -> bool:
    """Whether a checkpoint is that of a looker."""
    from bearleft.models.checkpoint import read

    try:
        read(file, "cpu", "looker")
    except InputError:
        return False
    return True


class Looking:
    """Plays legs that look, by turning freely or by steps as its checkpoint says."""

    name = "looker"

    def __init__(
        self,
        file: Path_,
        device: str | None = None,
        data: Path_ | None = None,
        pictures: Sequence[Path_] = (),
        trunk: Path_ | None = None,
        store: Path_ | None = None,
    ) -> None:
        if store is not None:
            raise InputError("pictures to turn in", "a store of whole panoramas", "store", str(store))
        import torch

        from bearleft.models.device import usable
        from bearleft.models.look_play import Finder
        from bearleft.models.look_views import Views
        from bearleft.models.trunk import trunk as open_trunk

        self.device = str(usable(device or ("cuda" if torch.cuda.is_available() else "cpu")))
        self.finder = Finder.load(file, self.device)
        self.label = f"{os.fspath(file)}[{hashlib.sha256(Path(file).read_bytes()).hexdigest()[:8]}]"
        seeing = open_trunk(trunk or self.finder.trunk, self.device)
        if seeing.hash != self.finder.trunk_hash:
            wanted = f"the trunk that it was trained with, {self.finder.trunk} ({self.finder.trunk_hash[:8]})"
            came, hint = f"{seeing.name} ({seeing.hash[:8]})", "Name its file with --trunk FILE."
            raise InputError(wanted, came, file=str(file), hint=hint)
        self.views = Views((), seeing, self.finder.looker.config, self.device, None, pictures, data)
        self.mind: Mind | None = None

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.world, self.mind = episode.world, None

    def act(self, observation: Observation) -> Action:
        from bearleft.models.look_play import Mind

        if observation["kind"] != "look":
            raise cannot(self.name, observation["kind"])
        if observation["place"] is None:
            raise InputError("a place to look from", "none")
        if self.mind is None or observation["step"] == 0:
            self.mind = Mind(self.finder, self.views, [self.views.number(self.world, observation["place"])])
        return self.mind.act([0], [observation])[0]
