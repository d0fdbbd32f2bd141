"""The rewards of walks in states, computed on the device where the walks are."""

from __future__ import annotations

import torch
from torch import Tensor

from bearleft.envs.rewards import DistanceTable, Reward, WalkRewards
from bearleft.models.walking.examples import NO_LABEL, WalkTable
from bearleft.models.walking.rollout import Walks
from bearleft.world.graphs.transitions import STOP


class StateRewards:
    """A reward of walks; nothing is read back from the device.

    Args:
        reward: The reward, such as `REWARDS["fidelity"]`.
        walks: The episodes, all in streets or all in buildings.
    """

    def __init__(self, reward: Reward, walks: WalkTable) -> None:
        self.walks, table = walks, walks.table
        self.rewards = WalkRewards(reward, DistanceTable.build(table.places.graphs, table.device))
        self.first_place = torch.tensor(list(table.places.offsets.values()), device=table.device)  # of each world

    @torch.no_grad()
    def __call__(self, indices: Tensor, walked: Walks) -> Tensor:
        """Return the rewards (n, t) float32 of walks in the episodes of some indices (n,); 0 behind their ends.

        A walk that has not stopped after its last action has run out of time.
        """
        table = self.walks.table
        world = table.world[walked.states[:, 0]]
        first = self.first_place[world]
        places = table.place[torch.cat([walked.states, walked.final[:, None]], 1)] - first[:, None]
        routes = self.walks.routes[indices] - first[:, None]
        walks = self.rewards.start(world, places[:, 0], routes, self.walks.route_lengths[indices])
        earned = []
        for step in range(walked.actions.shape[1]):
            action = walked.actions[:, step]
            stopped, runs = action == STOP, action != NO_LABEL
            timed_out = runs & ~stopped if step == walked.actions.shape[1] - 1 else torch.zeros_like(runs)
            walks, reward = self.rewards.step(walks, places[:, step + 1], stopped, timed_out)
            earned.append(torch.where(runs, reward, 0.0).float())
        return torch.stack(earned, 1)
