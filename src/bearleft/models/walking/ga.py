"""GA, gated attention, of Touchdown's appendix E.1: the text gates the channels of the view's representation."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.models.walking.network import Steps
from bearleft.models.walking.paper_network import PaperConfig, PaperNetwork


@dataclass(frozen=True)
class Config(PaperConfig):
    """Sizes of GA; the defaults are the paper's. Without a text there is no gate, without a view the gate alone."""

    gate_dim: int = 64


class GatedAttention(PaperNetwork):
    """sigmoid(text) * view -> one layer -> LSTM."""

    config: Config

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        if config.text:
            self.gate = nn.Linear(config.text_dim, config.gate_dim)
        self.add_view_encoder((128, 64), (4, 2), config.gate_dim)
        self.linear = nn.Linear(config.gate_dim, config.hidden_dim)
        self.add_policy(config.hidden_dim)

    def text_vectors(self, final: Tensor) -> Tensor:
        """Return the gates of texts."""
        return torch.sigmoid(self.gate(final))

    def without_text(self, count: int, device: torch.device) -> Tensor:
        """Return open gates."""
        return torch.ones(count, self.config.gate_dim, device=device)

    def step_inputs(self, text: Tensor, views: Tensor | None, steps: Steps) -> Tensor:
        """Return the gated view after one layer."""
        return torch.relu(self.linear(text if views is None else text * views))
