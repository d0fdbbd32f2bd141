"""Walks of a network in many episodes at once, and the oracle that says what it should have done."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

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
    final: Tensor  # (n,) states at the end

    @property
    def lengths(self) -> Tensor:
        """Number of actions of each walk (n,)."""
        return (self.actions != NO_LABEL).sum(1)


@torch.no_grad()
def walk(
    network: WalkNetwork,
    reader: StepReader,
    walks: WalkTable,
    host_indices: Tensor,
    horizon: int,
    sample: bool = False,
    half: bool = False,
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
    """
    device = walks.table.device
    indices = host_indices.to(device)
    with torch.autocast(device.type, torch.bfloat16, enabled=half):
        text = walks.encode(network, host_indices, indices)
    return walk_on(network, reader, walks, indices, text, horizon, sample, half)


@torch.no_grad()
def walk_on(
    network: WalkNetwork,
    reader: StepReader,
    walks: WalkTable,
    indices: Tensor,
    text: EncodedText,
    horizon: int,
    sample: bool = False,
    half: bool = False,
) -> Walks:
    """Let a network walk as `walk` does, with indices on the device and encoded texts.

    It launches kernels and reads nothing back, so that a CUDA graph can record a whole walk.
    """
    table, device = walks.table, walks.table.device
    state = walks.starts[indices]
    previous = torch.full_like(state, NO_ACTION)
    running = torch.ones_like(state, dtype=torch.bool)
    before, memory = table.heading[state], None
    states, actions = [], []
    for step in range(horizon):
        heading = table.heading[state]
        steps = reader(table.place[state][:, None], heading[:, None], before[:, None], previous[:, None], step)
        with torch.autocast(device.type, torch.bfloat16, enabled=half):
            policy = network(text, steps, memory)
        memory = policy.state
        action = draw(policy.log_probs[:, 0].float()) if sample else policy.choose()
        states.append(state)
        actions.append(torch.where(running, action, NO_LABEL))
        before, previous = heading, action
        state = torch.where(running, table.next_state[state, action], state)
        running = running & (action != STOP)
    return Walks(torch.stack(states, 1), torch.stack(actions, 1), state)


def draw(log_probs: Tensor) -> Tensor:
    """Draw a choice (n,) from log-probabilities (n, choices): the largest sum with Gumbel noise.

    Unlike torch.multinomial it does not wait for a GPU.
    """
    noise = torch.empty_like(log_probs).exponential_().log_()
    return (log_probs - noise).argmax(1)


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
