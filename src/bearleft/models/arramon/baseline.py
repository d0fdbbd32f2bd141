"""The paper's models: vision and language (V/L), vision only (V/O) and language only (L/O) (section 6).

An LSTM reads the words, another one the previous actions. Words and the cells of the view attend to each other; the
state of the action LSTM attends to both, and a linear layer chooses. V/O and L/O leave out the other modality and with
it the cross attention.

Eq. 6 chooses by what was attended to alone. The paper's parameter counts and its released code have the LSTM's state as
an input of the choice too, and so has the default; `state=false` leaves it out. With 774 words and 2,048 channels the
two modules have 1.83 (V/L), 1.11 (L/O) and 0.73 (V/O) million parameters, as printed; without the state V/O has 0.72.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from bearleft.models.arramon.attention import CrossAttention, general_attention
from bearleft.models.arramon.network import ACTION_COUNT, ArraMonShape, PhaseModule, Policy, Steps
from bearleft.models.walking.network import EncodedText, mask_of


@dataclass(frozen=True)
class Config:
    """Sizes of V/L, V/O and L/O; the defaults are the paper's."""

    shape: ArraMonShape
    image: bool = True
    text: bool = True
    word_dim: int = 300
    action_dim: int = 64
    hidden_dim: int = 128
    state: bool = True  # whether the choice reads the LSTM's state too
    dropout: float = 0.3


class Baseline(PhaseModule):
    """One module of V/L, V/O or L/O."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, dim = config, config.hidden_dim
        if config.text:
            self.embedding = nn.Embedding(config.shape.vocabulary_size, config.word_dim, padding_idx=0)
            self.text_lstm = nn.LSTM(config.word_dim, dim, batch_first=True)
        if config.image:
            self.view_layer = nn.Linear(config.shape.channels, dim)
        if config.text and config.image:
            self.cross_attention = CrossAttention(dim)
        self.action_embedding = nn.Embedding(ACTION_COUNT + 1, config.action_dim)
        self.action_lstm = nn.LSTM(config.action_dim, dim, batch_first=True)
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(dim * (config.text + config.image + config.state), ACTION_COUNT)

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Return the states of the text LSTM at all words."""
        mask = mask_of(words, lengths)
        if not self.config.text:
            return EncodedText(torch.zeros(*words.shape, 0, device=words.device), mask)
        states = self.text_lstm(self.dropout(self.embedding(words)))[0]
        return EncodedText(self.dropout(states), mask)

    def forward(
        self, text: EncodedText, steps: Steps, phase: int, state: Any = None, attention: bool = False
    ) -> Policy:
        """Return the policy for consecutive steps."""
        hidden, state = self.action_lstm(self.dropout(self.action_embedding(steps.previous_actions)), state)
        hidden = self.dropout(hidden)
        cells = words = None
        if self.config.image:
            assert steps.maps is not None
            maps = steps.maps.flatten(3).transpose(2, 3).to(self.view_layer.weight.dtype)
            cells = self.dropout(self.view_layer(maps))
        if self.config.text:
            words = text.tokens
        if cells is not None and words is not None:
            cells, words = self.cross_attention(cells, words, text.mask)
        parts, views_seen, words_seen = [], None, None
        if cells is not None:
            attended, views_seen = general_attention(hidden, cells)
            parts.append(attended)
        if words is not None:
            attended, words_seen = general_attention(hidden, words, text.mask)
            parts.append(attended)
        if self.config.state:
            parts.append(hidden)
        log_probs = self.output(self.dropout(torch.cat(parts, 2))).float().log_softmax(2)
        if not attention:
            return Policy(log_probs, state)
        rows = self.config.shape.rows
        views = None if views_seen is None else views_seen.view(*views_seen.shape[:2], rows, rows)
        return Policy(log_probs, state, words_seen, views)
