"""A trained looker as an agent: it sees 90 degrees at a time, reads sentence by sentence, turns, and points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.agents.trained import USUAL, Path_, Seeing, opened
from bearleft.envs.game import Action, Observation
from bearleft.errors import InputError
from bearleft.records import Episode

if TYPE_CHECKING:  # torch is loaded when a checkpoint is
    from bearleft.models.look_play import Finder, Mind
    from bearleft.models.look_views import Views

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
        self.together = ON_GPU if views.device.type == "cuda" else ON_CPU
        self.mind: Mind | None = None

    @classmethod
    def open(cls, file: Path_, seeing: Seeing = USUAL) -> Looking:
        """Return the agent of a checkpoint."""
        if seeing.store is not None:
            raise InputError("pictures to turn in", "a store of whole panoramas", "store", str(seeing.store))
        from bearleft.models.look_play import Finder
        from bearleft.models.look_views import Views

        made = opened(file, Finder.load, seeing)
        config, folders = made.held.looker.config, seeing.pictures
        views = Views((), made.trunk, config, made.device, None, folders, seeing.data, seeing.city)
        return cls(made.held, views, made.label)

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.begin_batch([episode], [rng])

    def act(self, observation: Observation) -> Action:
        return self.act_batch([0], [observation])[0]

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        self.worlds, self.mind = [episode.world for episode in episodes], None

    def act_batch(self, which: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        from bearleft.models.look_play import Mind

        for seen in observations:
            if seen["kind"] != "look":
                raise cannot(self.name, seen["kind"])
            if seen["place"] is None:
                raise InputError("a place to look from", "none")
        if self.mind is None or any(seen["step"] == 0 for seen in observations):
            # All of a batch begin at once, one leg each.
            spots = zip((self.worlds[k] for k in which), (seen["place"] for seen in observations), strict=True)
            self.mind = Mind(self.finder, self.views, [self.views.number(*spot) for spot in spots], self.heat)
        return self.mind.act(which, observations)
