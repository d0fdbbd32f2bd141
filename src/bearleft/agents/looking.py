"""The agent of a look network: sees 90 degrees at a time, reads sentence by sentence, turns, and points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.agents.checkpoints import DEFAULT_OPTIONS, CheckpointOptions, FilePath, load_checkpoint
from bearleft.envs.game import Action
from bearleft.errors import InputError
from bearleft.records import Episode
from bearleft.types import Observation

if TYPE_CHECKING:  # torch is imported when a checkpoint is loaded
    from bearleft.models.looking.player import BatchedLookPlayer, LookCheckpoint
    from bearleft.models.looking.views import Views

CPU_BATCH, GPU_BATCH = 16, 1024  # episodes per batch


class LookAgent:
    """Play look legs, turning freely or by fixed steps as the checkpoint says; many episodes side by side."""

    name = "looker"

    def __init__(self, checkpoint: LookCheckpoint, views: Views, label: str = "", heatmaps: bool = True) -> None:
        self.checkpoint, self.views, self.heatmaps = checkpoint, views, heatmaps
        self.label = label or f"looker-{checkpoint.turn_mode}"
        self.batch_size = GPU_BATCH if views.device.type == "cuda" else CPU_BATCH
        self.players: dict[int, tuple[BatchedLookPlayer, int]] = {}  # by episode: its player, and its index there

    @classmethod
    def from_checkpoint(cls, file: FilePath, options: CheckpointOptions = DEFAULT_OPTIONS) -> LookAgent:
        """Load the agent of a checkpoint file."""
        if options.features is not None:
            raise InputError(
                "pictures to turn in", "a feature store of whole panoramas", "features", str(options.features)
            )
        if options.network is not None:
            raise InputError(
                "no network file: look networks are bearleft's", str(options.network), "network", str(file)
            )
        from bearleft.models.looking.player import LookCheckpoint
        from bearleft.models.looking.views import Views

        loaded = load_checkpoint(file, LookCheckpoint.load, options)
        config = loaded.checkpoint.network.config
        views = Views((), loaded.backbone, config, loaded.device, pictures=options.picture_config)
        return cls(loaded.checkpoint, views, loaded.label)

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode that is played alone."""
        self.begin_batch([episode], [rng])

    def act(self, observation: Observation) -> Action:
        """Return the next action of an episode that is played alone."""
        return self.act_batch([0], [observation])[0]

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        """Begin a batch of episodes."""
        self.worlds, self.players = [episode.world for episode in episodes], {}

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the next actions of some episodes of the batch."""
        from bearleft.models.looking.player import BatchedLookPlayer

        for observation in observations:
            if observation["kind"] != "look":
                raise unsupported_leg(self.name, observation["kind"])
            if observation["place"] is None:
                raise InputError("a place to look from", "none")
        by_episode = dict(zip(indices, observations, strict=True))
        new = [k for k in indices if by_episode[k]["step"] == 0 or k not in self.players]
        if new:
            places = [self.views.index(self.worlds[k], by_episode[k]["place"]) for k in new]
            player = BatchedLookPlayer(self.checkpoint, self.views, places, self.heatmaps)
            self.players |= {k: (player, index) for index, k in enumerate(new)}
        actions: dict[int, Action] = {}
        for player in dict.fromkeys(self.players[k][0] for k in indices):
            episodes = [k for k in indices if self.players[k][0] is player]
            player_actions = player.act([self.players[k][1] for k in episodes], [by_episode[k] for k in episodes])
            actions |= dict(zip(episodes, player_actions, strict=True))
        return [actions[k] for k in indices]
