"""A trained looker as an agent: it sees 90 degrees at a time, reads sentence by sentence, turns, and points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.agents.checkpoints import USUAL, Path_, Seeing, opened
from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Episode

if TYPE_CHECKING:  # torch is loaded when a checkpoint is
    from bearleft.models.looking.player import Finder, Mind
    from bearleft.models.looking.views import Views

ON_CPU, ON_GPU = 16, 1024  # episodes that are played side by side


def is_looker(file: Path_) -> bool:
    """Whether a checkpoint is that of a looker."""
    from bearleft.models.checkpoint import read

    try:
        read(file, "cpu", "looker")
    except InputError:
        return False
    return True


class Looking:
    """Plays legs that look, by turning freely or by steps as its checkpoint says; many episodes side by side."""

    name = "looker"

    def __init__(self, finder: Finder, views: Views, label: str = "", heat: bool = True) -> None:
        self.finder, self.views, self.label, self.heat = finder, views, label or f"looker-{finder.way}", heat
        self.batch_size = ON_GPU if views.device.type == "cuda" else ON_CPU
        self.seats: dict[int, tuple[Mind, int]] = {}  # of each episode of the batch: who plays its leg, and where there

    @classmethod
    def open(cls, file: Path_, seeing: Seeing = USUAL) -> Looking:
        """Return the agent of a checkpoint."""
        if seeing.store is not None:
            raise InputError("pictures to turn in", "a store of whole panoramas", "store", str(seeing.store))
        from bearleft.models.looking.player import Finder
        from bearleft.models.looking.views import Views

        made = opened(file, Finder.load, seeing)
        config, folders = made.held.looker.config, seeing.pictures
        views = Views((), made.trunk, config, made.device, None, folders, seeing.data, seeing.city)
        return cls(made.held, views, made.label)

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.begin_batch([episode], [rng])

    def act(self, observation: Observation) -> Action:
        return self.act_batch([0], [observation])[0]

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        self.worlds, self.seats = [episode.world for episode in episodes], {}

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        from bearleft.models.looking.player import Mind

        for seen in observations:
            if seen["kind"] != "look":
                raise cannot(self.name, seen["kind"])
            if seen["place"] is None:
                raise InputError("a place to look from", "none")
        seen_by = dict(zip(indices, observations, strict=True))
        begun = [k for k in indices if seen_by[k]["step"] == 0 or k not in self.seats]
        if begun:
            spots = [self.views.number(self.worlds[k], seen_by[k]["place"]) for k in begun]
            mind = Mind(self.finder, self.views, spots, self.heat)
            self.seats |= {k: (mind, seat) for seat, k in enumerate(begun)}
        actions: dict[int, Action] = {}
        for mind in dict.fromkeys(self.seats[k][0] for k in indices):
            some = [k for k in indices if self.seats[k][0] is mind]
            found = mind.act([self.seats[k][1] for k in some], [seen_by[k] for k in some])
            actions |= dict(zip(some, found, strict=True))
        return [actions[k] for k in indices]
