"""Mirrored walks: what was on the left is on the right, in views, links, turns, actions and texts.

A city of which half of the walks are mirrored has twice as many places to see, so that a network learns them by heart
less easily. A text keeps its words but for "left" and "right".
"""

from __future__ import annotations

import torch
from torch import Tensor

from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.examples import Tokenizer
from bearleft.models.walking.network import CELLS, Steps
from bearleft.world.graphs.transitions import LEFT, RIGHT

SWAPPED = (("left", "right"), ("left-hand", "right-hand"), ("lefthand", "righthand"), ("lefts", "rights"))


def mirror_words(tokenizer: Tokenizer, device: torch.device) -> Tensor:
    """Return the id of each word in a mirrored text."""
    ids = torch.arange(len(tokenizer), device=device)
    if isinstance(tokenizer, Vocabulary):
        for left, right in SWAPPED:
            if left in tokenizer.ids and right in tokenizer.ids:
                ids[tokenizer.ids[left]], ids[tokenizer.ids[right]] = tokenizer.ids[right], tokenizer.ids[left]
    return ids


def mirror_actions(actions: Tensor, mirrored: Tensor) -> Tensor:
    """Return actions (b, t) with left and right swapped in the walks that are mirrored (b,)."""
    swapped = torch.where(actions == LEFT, RIGHT, torch.where(actions == RIGHT, LEFT, actions))
    return torch.where(mirrored[:, None], swapped, actions)


def mirror_steps(steps: Steps, mirrored: Tensor, kind: str) -> Steps:
    """Return steps of which the walks that are mirrored (b,) are seen in a mirror.

    Args:
        steps: The steps.
        mirrored: Which walks are mirrored.
        kind: The kind of the views.
    """
    flip = mirrored[:, None]
    links, views = steps.links, steps.views
    if links is not None:  # the first sector is around the heading
        links = torch.where(flip[..., None], links.flip(2).roll(1, 2), links)
    if views is not None:
        across = 2 if kind == CELLS else -1  # the first sector of cells begins at the heading
        views = torch.where(flip.view(len(flip), *[1] * (views.ndim - 1)), views.flip(across), views)
    return Steps(
        mirror_actions(steps.previous_actions, mirrored),
        steps.junctions,
        torch.where(flip, -steps.heading_changes, steps.heading_changes),
        steps.numbers,
        views,
        links,
    )
