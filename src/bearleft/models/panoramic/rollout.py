"""Walks of a panoramic network in many episodes at once, on one device.

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
from bearleft.models.panoramic.examples import PanoramicWalks
from bearleft.models.panoramic.links import STOP, LinkTable, Observation
from bearleft.models.panoramic.network import EncodedText, PanoramicNetwork, Policy


@dataclass(frozen=True, eq=False)
class Rollout:
    """Walks of a network; row k is walk k."""

    places: Tensor  # (n, t) numbers of the places where options are taken
    headings: Tensor  # (n, t)
    options: Tensor  # (n, t); STOP behind the end
    running: Tensor  # (n, t): False behind the end
    log_probs: Tensor  # (n, t) of the options taken
    rewards: Tensor  # (n, t) float32; 0 behind the end
    final: Tensor  # (n,) numbers of the places at the end
    walks: RewardedWalks  # at the end


@torch.no_grad()
def walk(
    network: PanoramicNetwork,
    examples: PanoramicWalks,
    indices: Tensor,
    text: EncodedText,
    horizon: int,
    rewards: WalkRewards,
    sample: bool = False,
    imitate: Tensor | None = None,
    half: bool = False,
) -> Rollout:
    """Let a network walk in some episodes, until it stops or the horizon is reached.

    Args:
        network: The network.
        examples: The episodes.
        indices: Indices of the episodes (n,), on the device.
        text: Their encoded texts; fewer texts than episodes are each shared by equally many consecutive ones.
        horizon: The largest number of options taken.
        rewards: The reward, and the distances of the worlds in the order of `examples.links`.
        sample: Whether options are drawn from the policy; by default the most probable one is taken.
        imitate: Which walkers (n,) take the teacher's options instead.
        half: Whether to compute in bfloat16, as the texts were encoded.
    """
    links = examples.links
    place, heading = examples.places[indices], examples.headings[indices]
    walks = rewards.start(
        examples.worlds[indices], links.place_in_world(place), examples.routes[indices], examples.sizes[indices]
    )
    running = torch.ones_like(place, dtype=torch.bool)
    previous, state = None, None
    steps = []
    for step in range(horizon):
        observation = links.observe(place[:, None], heading[:, None])
        if previous is None:
            previous = torch.zeros_like(observation.options[:, :, 0])
        with torch.autocast(place.device.type, torch.bfloat16, enabled=half):
            policy = network(text, observation, previous, state)
        state = policy.state
        option = draw(policy.log_probs[:, 0]) if sample else policy.log_probs[:, 0].argmax(1)
        if imitate is not None:
            option = torch.where(imitate, examples.teacher[indices, step], option)
        option = torch.where(running, option, STOP)
        log_prob = policy.log_probs[:, 0].gather(1, option[:, None])[:, 0]
        previous = taken(observation, option[:, None])
        after, heading_after = links.step(place, heading, option)
        stopped = running & (option == STOP)
        timed_out = running & ~stopped if step == horizon - 1 else torch.zeros_like(running)
        walks, reward = rewards.step(walks, links.place_in_world(after), stopped, timed_out)
        reward = torch.where(running, reward, 0.0).float()
        steps.append((place, heading, option, running, log_prob, reward))
        place, heading, running = after, heading_after, running & ~stopped
    places, headings, options, were_running, log_probs, earned = (
        torch.stack(values, 1) for values in zip(*steps, strict=True)
    )
    return Rollout(places, headings, options, were_running, log_probs, earned, place, walks)


def taken(observation: Observation, options: Tensor) -> Tensor:
    """Return the features (b, t, f) of the options (b, t) that walkers take."""
    size = observation.options.shape[-1]
    return observation.options.gather(2, options[:, :, None, None].expand(-1, -1, 1, size))[:, :, 0]


def policy_along(
    network: PanoramicNetwork, links: LinkTable, text: EncodedText, places: Tensor, headings: Tensor, options: Tensor
) -> Policy:
    """Return the policy at all steps (b, t) of walks, in one call.

    Args:
        network: The network.
        links: The links.
        text: The encoded texts.
        places: Where the options are taken (b, t).
        headings: Of the walkers there (b, t).
        options: The options taken (b, t).
    """
    observation = links.observe(places, headings)
    came_by = taken(observation, options)
    previous = torch.cat([torch.zeros_like(came_by[:, :1]), came_by[:, :-1]], 1)
    policy: Policy = network(text, observation, previous)
    return policy
