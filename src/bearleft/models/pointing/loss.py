"""The loss of networks that score cells: the KL divergence of target distributions from predicted ones."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import log_softmax


def kl_divergence(scores: Tensor, expected: Tensor) -> Tensor:
    """Return the KL divergence (b,) of the expected distributions from the softmax of scores, in single precision."""
    log_probabilities: Tensor = log_softmax(scores.flatten(1).float(), dim=1)
    target = expected.flatten(1)
    terms: Tensor = torch.special.xlogy(target, target) - target * log_probabilities
    return terms.sum(1)
