"""Draws from policies, without a read-back."""

from __future__ import annotations

import torch
from torch import Tensor


def draw(log_probs: Tensor) -> Tensor:
    """Draw an option (n,) from log-probabilities (n, options): the largest sum with Gumbel noise."""
    noise = torch.empty_like(log_probs).exponential_().log_()
    return (log_probs - noise).argmax(1)
