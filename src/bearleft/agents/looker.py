"""A trained looker as an agent: it sees 90 degrees at a time, reads sentence by sentence, turns, and points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.agents.trained import USUAL, Path_, Seeing, opened
from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Episode

if TYPE_CHECKING:  # torch is loaded when a checkpoint is
    from bearleft.models.look_play import Mind


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

    def __init__(self, file: Path_, seeing: Seeing = USUAL) -> None:
        if seeing.store is not None:
            raise InputError("pictures to turn in", "a store of whole panoramas", "store", str(seeing.store))
        from bearleft.models.look_play import Finder
        from bearleft.models.look_views import Views

        made = opened(file, Finder.load, seeing)
        self.finder, self.label = made.held, made.label
        config, folders = self.finder.looker.config, seeing.pictures
        self.views = Views((), made.trunk, config, made.device, None, folders, seeing.data, seeing.city)
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
