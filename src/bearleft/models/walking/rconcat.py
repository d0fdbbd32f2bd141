"""RCONCAT of Touchdown's appendix E.1: text, view and previous action are concatenated and read by an LSTM."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.models.walking.network import ACTION_COUNT, Steps, full_precision
from bearleft.models.walking.paper_network import PaperConfig, PaperNetwork


@dataclass(frozen=True)
class Config(PaperConfig):
    """Sizes of RCONCAT; the defaults are the paper's."""

    view_dim: int = 256
    action_dim: int = 16


class RConcat(PaperNetwork):
    """[text; view; previous action] -> LSTM."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.add_view_encoder((32, 64), (4, 4), config.view_dim)
        self.action_embedding = nn.Embedding(ACTION_COUNT + 1, config.action_dim)
        size = config.action_dim + (config.text_dim if config.text else 0) + (config.view_dim if config.image else 0)
        self.add_policy(size)

    def text_vectors(self, final: Tensor) -> Tensor:
        """Return the final states of the text's LSTM."""
        return final

    def without_text(self, count: int, device: torch.device) -> Tensor:
        """Return vectors of no dimension."""
        return torch.zeros(count, 0, device=device)

    def step_inputs(self, text: Tensor, views: Tensor | None, steps: Steps) -> Tensor:
        """Return text, previous action and view, concatenated."""
        parts = [text, full_precision(self.action_embedding(steps.previous_actions))]
        return torch.cat(parts if views is None else [*parts, views], 2)
