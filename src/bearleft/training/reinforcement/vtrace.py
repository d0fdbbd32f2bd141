"""V-trace (Espeholt et al., 2018): targets of values, and advantages, of walks that another policy may have drawn.

Tensors are (n, t): walks, and steps. The ratio of a step is pi(a) / mu(a): how probable the option is by the policy
that learns, and by the one that walked. Ratios are cut at 1, so that with the same policy the targets are the
discounted returns.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

MAX_RATIO = 1.0  # rho-bar and c-bar


@dataclass(frozen=True)
class Targets:
    """What values and policies are moved towards; no gradient flows through it."""

    values: Tensor  # (n, t)
    advantages: Tensor  # (n, t), multiplied by the ratios


@torch.no_grad()
def vtrace(log_ratios: Tensor, rewards: Tensor, values: Tensor, running: Tensor, discount: float) -> Targets:
    """Return the targets of walks; behind their ends they are 0.

    A walk that the horizon ends is over, as one that stops: nothing is expected after its last step.

    Args:
        log_ratios: Logarithms of the ratios.
        rewards: The rewards.
        values: The present estimates.
        running: False behind the ends of walks.
        discount: Of a reward one step later.
    """
    ratios = log_ratios.exp().clamp(max=MAX_RATIO)
    last = torch.zeros_like(values[:, :1])
    goes_on = torch.cat([running[:, 1:].to(values.dtype), last], 1)
    following = discount * goes_on * torch.cat([values[:, 1:], last], 1)
    deltas = ratios * (rewards + following - values)
    correction, corrections = last[:, 0], []
    for step in reversed(range(values.shape[1])):
        correction = deltas[:, step] + discount * goes_on[:, step] * ratios[:, step] * correction
        corrections.append(correction)
    targets = values + torch.stack(corrections[::-1], 1)
    after = discount * goes_on * torch.cat([targets[:, 1:], last], 1)
    advantages = ratios * (rewards + after - values)
    return Targets(torch.where(running, targets, 0.0), torch.where(running, advantages, 0.0))
