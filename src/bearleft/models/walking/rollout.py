"""Walks of a network in many episodes at once, and the oracle that says what it should have done.

A step launches kernels and reads nothing back, so that a CUDA graph can record a whole walk. Walkers that have stopped
are computed on, and their steps are masked.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from bearleft.envs.rewards import WalkRewards
from bearleft.envs.rewards import Walks as RewardedWalks
from bearleft.models.draw import draw
from bearleft.models.walking.examples import NO_LABEL, StepReader, WalkTable
from bearleft.models.walking.network import NO_ACTION, EncodedText, WalkNetwork
from bearleft.world.graphs.transitions import FORWARD, LEFT, RIGHT, STOP

PAST_END = 2  # actions that lead back from the place behind the end: a turn and a step
PREFERENCE = (FORWARD, RIGHT, LEFT)  # among actions that lead equally soon to a place


@dataclass(frozen=True, eq=False)
class Walks:
    """Walks of a network; row k is walk k."""

    states: Tensor  # (n, t) in which actions are taken
    actions: Tensor  # (n, t); NO_LABEL behind the end
    log_probs: Tensor  # (n, t) of the actions, by the policy that they can be drawn from
    final: Tensor  # (n,) states at the end
    rewards: Tensor | None = None  # (n, t) float32, if they are asked for; 0 behind the end
    rewarded: RewardedWalks | None = None  # at the end, likewise

    @property
    def lengths(self) -> Tensor:
        """Number of actions of each walk (n,)."""
        return (self.actions != NO_LABEL).sum(1)


def walk(
    network: WalkNetwork,
    reader: StepReader,
    walks: WalkTable,
    host_indices: Tensor,
    horizon: int,
    sample: bool = False,
    half: bool = False,
    rewards: WalkRewards | None = None,
) -> Walks:
    """Let a network walk in some episodes, until it stops or the horizon is reached.

    Args:
        network: The network, in evaluation mode.
        reader: Reads the steps.
        walks: The episodes.
        host_indices: Indices of the episodes, on the CPU.
        horizon: The largest number of actions.
        sample: Whether actions are drawn from the policy; by default the network chooses.
        half: Whether to compute in bfloat16.
        rewards: As for `roll_out`.
    """
    indices, device = host_indices.to(walks.table.device), walks.table.device
    with torch.no_grad(), torch.autocast(device.type, torch.bfloat16, enabled=half):
        text = walks.encode(network, indices, walks.max_length(host_indices))
    return roll_out(network, reader, walks, indices, text, horizon, sample, half, rewards)


@torch.no_grad()
def roll_out(
    network: WalkNetwork,
    reader: StepReader,
    walks: WalkTable,
    indices: Tensor,
    text: EncodedText,
    horizon: int,
    sample: bool = False,
    half: bool = False,
    rewards: WalkRewards | None = None,
    imitate: Tensor | None = None,
    temperature: float | None = None,
) -> Walks:
    """Let a network walk in some episodes, of encoded texts.

    Args:
        network: The network.
        reader: Reads the steps.
        walks: The episodes.
        indices: Indices of the episodes (n,), on the device.
        text: Their encoded texts.
        horizon: The largest number of actions.
        sample: Whether actions are drawn from the policy; by default the network chooses.
        half: Whether to compute in bfloat16.
        rewards: A reward that is computed on the way; it has the distances of the worlds in the order of the table.
        imitate: Which walkers (n,) take the actions of the reference instead, as far as they are known.
        temperature: Of `Policy.sharpened`, from which actions are drawn; None for `Policy.log_probs`.
    """
    table, device = walks.table, walks.table.device
    state = walks.starts[indices]
    previous = torch.full_like(state, NO_ACTION)
    running = torch.ones_like(state, dtype=torch.bool)
    before, memory = table.heading[state], None
    world, rewarded = table.world[state], None
    first_place = table.place_offsets[world]
    if rewards is not None:
        routes = walks.routes[indices] - first_place[:, None]
        rewarded = rewards.start(world, table.place[state] - first_place, routes, walks.route_lengths[indices])
    steps, earned = [], []
    for step in range(horizon):
        heading = table.heading[state]
        inputs = reader(table.place[state][:, None], heading[:, None], before[:, None], previous[:, None], step)
        with torch.autocast(device.type, torch.bfloat16, enabled=half):
            policy = network(text, inputs, memory)
        memory = policy.state
        log_probs = (policy.log_probs if temperature is None else policy.sharpened(temperature))[:, 0].float()
        action = draw(log_probs) if sample else policy.choose()
        if imitate is not None:
            label = walks.actions[indices, step]
            running = running & ~(imitate & (label == NO_LABEL))
            action = torch.where(imitate, label, action)
        action = torch.where(running, action, STOP)
        log_prob = log_probs.gather(1, action[:, None])[:, 0]
        steps.append((state, torch.where(running, action, NO_LABEL), log_prob))
        stopped = running & (action == STOP)
        before, previous = heading, action
        state = torch.where(running, table.next_state[state, action], state)
        if rewards is not None and rewarded is not None:
            timed_out = running & ~stopped if step == horizon - 1 else torch.zeros_like(running)
            place = table.place[state] - first_place
            rewarded, reward = rewards.step(rewarded, place, stopped, timed_out)
            earned.append(torch.where(running, reward, 0.0).float())
        running = running & ~stopped
    states, actions, taken = (torch.stack(values, 1) for values in zip(*steps, strict=True))
    return Walks(states, actions, taken, state, torch.stack(earned, 1) if earned else None, rewarded)


@torch.no_grad()
def oracle_actions(walks: WalkTable, indices: Tensor, states: Tensor) -> Tensor:
    """Return the actions (b, t) that an oracle would take in the states (b, t) of walks.

    The oracle walks the shortest way to the next place of the route, also from places beside it, and stops at its end.
    A walker who comes back to a later place of the route goes on from there. One who has walked past the end stops at
    the next place, where the task still counts as completed, and turns back farther on.
    """
    table = walks.table
    routes, last = walks.routes[indices], walks.route_lengths[indices] - 1
    number = torch.arange(routes.shape[1], device=states.device)
    valid = number <= last[:, None]
    progress = torch.zeros_like(last)
    labels = []
    for k in range(states.shape[1]):
        state = states[:, k]
        here = (routes == table.place[state][:, None]) & valid & (number > progress[:, None])
        # The next place of the route counts at once; a later one only as a way back to it.
        following = (here & (number == progress[:, None] + 1)).any(1)
        later = torch.where(here, number, -1).amax(1)
        is_on_route = routes.gather(1, progress[:, None])[:, 0] == table.place[state]
        progress = torch.where(following, progress + 1, torch.where(is_on_route, progress, later.maximum(progress)))
        target = routes.gather(1, (progress + 1).minimum(last)[:, None])[:, 0]
        at_end = (progress >= last) & (table.distances(state, target) <= PAST_END)
        after = table.next_state[state]
        costs = torch.stack([2 * table.distances(after[:, action], target) for action in PREFERENCE], 1)
        costs[:, 0] += table.place[after[:, FORWARD]] == table.place[state]  # a turn is better than a step in place
        best = torch.tensor(PREFERENCE, device=states.device)[costs.argmin(1)]
        labels.append(torch.where(at_end, STOP, best))
    return torch.stack(labels, 1)
