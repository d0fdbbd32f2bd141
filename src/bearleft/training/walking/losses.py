"""Losses of imitation: the actions to learn, the number of actions left, and where mentioned objects are seen."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bearleft.models.walking.examples import NO_LABEL, StepReader, WalkTable, steps_along
from bearleft.models.walking.network import MAX_REMAINING, full_precision
from bearleft.world.graphs.transitions import STOP

REMAINING_WEIGHT = 0.2  # in the loss, of the number of actions before the stop, by networks that estimate it
GROUNDING_WEIGHT = 0.25  # in the loss, of where mentioned objects are seen, by networks that ground words


def imitation_loss(
    reader: StepReader,
    examples: WalkTable,
    host_indices: Tensor,
    states: Tensor,
    actions: Tensor,
    labels: Tensor,
    half: bool = False,
    start_weight: float = 1.0,
    remaining_weight: float = REMAINING_WEIGHT,
) -> Tensor:
    """Return the mean negative log-likelihood of the actions to learn along walks (b, t), all steps in one call.

    A network that estimates the number of actions before the stop learns it along walks without a mistake. One that
    grounds words learns where mentioned objects are seen, if that is known.
    """
    device = examples.table.device
    indices = host_indices.to(device)
    steps = steps_along(reader, examples.table, states, actions)
    with torch.autocast(device.type, torch.bfloat16, enabled=half):
        text = examples.encode(reader.network, indices, examples.max_length(host_indices))
        policy = reader.network(text, steps)
    loss = action_loss(policy.log_probs, labels, start_weight)
    if policy.grounding is not None and examples.mentions is not None:
        places, headings = examples.table.place[states], examples.table.heading[states]
        seen, known = examples.mentions.targets(indices, examples.routes[indices], places, headings)
        tokens = examples.mentions.tokens[indices]
        loss = loss + GROUNDING_WEIGHT * grounding_loss(
            policy.grounding, tokens, seen, known & (actions != NO_LABEL)[..., None]
        )
    if policy.remaining is None or not remaining_weight:
        return loss
    expected = remaining_actions(actions, labels)
    of_remaining = nn.functional.nll_loss(
        policy.remaining.transpose(1, 2), expected, ignore_index=NO_LABEL, reduction="sum"
    )
    return loss + remaining_weight * of_remaining / (expected != NO_LABEL).sum().clamp(min=1)


def grounding_loss(scores: Tensor, tokens: Tensor, seen: Tensor, known: Tensor) -> Tensor:
    """Return the negative log-likelihood of where mentioned objects are seen, or that they are not.

    It is the mean over sightings plus the mean over steps that do not show a mentioned object, which are far more.

    Args:
        scores: Scores (b, t, l, sectors x bands + 1) of what each token names; the last says that it is not seen.
        tokens: The token (b, m) that stands for each mention; negative where there is none.
        seen: The sectors (b, t, m, sectors) in which the mentioned object is seen.
        known: Where this is known (b, t, m).
    """
    index = tokens.clamp(min=0)[:, None, :, None].expand(-1, scores.shape[1], -1, scores.shape[3])
    log_shares = full_precision(scores.gather(2, index)).log_softmax(3)
    by_sector = log_shares[..., :-1].reshape(*seen.shape, -1).logsumexp(4)
    is_seen = seen.any(3)
    sighting = torch.where(seen, by_sector, torch.finfo(by_sector.dtype).min).logsumexp(3)
    total = log_shares.new_zeros(())
    for mask, loss in ((is_seen & known, -sighting), (~is_seen & known, -log_shares[..., -1])):
        total = total + torch.where(mask, loss, 0.0).sum() / mask.sum().clamp(min=1)
    return total


def remaining_actions(actions: Tensor, labels: Tensor) -> Tensor:
    """Return the number of actions (b, t) before the stop of walks that took all the right actions, else NO_LABEL."""
    is_right = (actions == labels).all(1, keepdim=True) & (labels == STOP).any(1, keepdim=True)
    until_stop = (labels == STOP).long().argmax(1, keepdim=True) - torch.arange(labels.shape[1], device=labels.device)
    return torch.where(is_right & (labels != NO_LABEL), until_stop.clamp(0, MAX_REMAINING), NO_LABEL)


def action_loss(log_probs: Tensor, labels: Tensor, start_weight: float = 1.0) -> Tensor:
    """Return the mean negative log-likelihood of labels (b, t), leaving out NO_LABEL.

    The first action, which decides the direction of the whole walk, counts as `start_weight` actions.
    """
    weights = action_weights(labels, start_weight).to(log_probs.dtype)
    chosen = log_probs.gather(2, labels.clamp(min=0)[:, :, None])[:, :, 0]
    return -(chosen * weights).sum() / weights.sum().clamp(min=1)


def action_weights(labels: Tensor, start_weight: float = 1.0) -> Tensor:
    """Return the weights of labels (b, t) in the loss, 0 for NO_LABEL."""
    valid = (labels != NO_LABEL).float()
    return torch.cat([start_weight * valid[:, :1], valid[:, 1:]], 1)
