"""GA, gated attention, of Touchdown's appendix E.1: the text gates the channels of the view's representation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from bearleft.models.walking.network import (
    ACTION_COUNT,
    MAX_STEPS,
    MEAN_MAP,
    NO_VIEW,
    RGB,
    EncodedText,
    Policy,
    Steps,
    WalkNetwork,
    WalkShape,
    full_precision,
    last_states,
    step_embedding,
)
from bearleft.models.walking.paper_cnn import ViewEncoder


@dataclass(frozen=True)
class Config:
    """Sizes of GA; the defaults are the paper's."""

    shape: WalkShape
    text: bool = True  # False: NO-TEXT, no gate
    image: bool = True  # False: NO-IMAGE, the gate alone
    rgb: bool = False  # RGB views of 60 degrees (appendix F.1) instead of features
    word_dim: int = 32
    text_dim: int = 256
    gate_dim: int = 64
    time_dim: int = 32
    hidden_dim: int = 256


class GatedAttention(WalkNetwork):
    """sigmoid(text) * view -> one layer -> LSTM; [its state; time] -> one layer -> four actions."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, shape = config, config.shape
        if config.text:
            self.embedding = nn.Embedding(shape.vocabulary_size, config.word_dim, padding_idx=0)
            self.text_lstm = nn.LSTM(config.word_dim, config.text_dim, batch_first=True)
            self.gate = nn.Linear(config.text_dim, config.gate_dim)
        if config.image:
            channels = 3 if config.rgb else 1
            self.view_encoder = ViewEncoder(shape.view_rows, channels, (128, 64), (4, 2), config.gate_dim)
        self.linear = nn.Linear(config.gate_dim, config.hidden_dim)
        self.time_embedding = nn.Embedding(MAX_STEPS, config.time_dim)
        self.lstm = nn.LSTM(config.hidden_dim, config.hidden_dim, batch_first=True)
        self.output = nn.Linear(config.hidden_dim + config.time_dim, ACTION_COUNT)

    @property
    def views(self) -> str:
        """Kind of the views that this network reads."""
        return (RGB if self.config.rgb else MEAN_MAP) if self.config.image else NO_VIEW

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Return the gate of each text, as one token; ones without a text."""
        mask = torch.ones(len(words), 1, dtype=torch.bool, device=words.device)
        if not self.config.text:
            return EncodedText(torch.ones(len(words), 1, self.config.gate_dim, device=words.device), mask)
        final = last_states(self.text_lstm(self.embedding(words))[0], lengths)
        return EncodedText(torch.sigmoid(self.gate(final))[:, None], mask)

    def forward(self, text: EncodedText, steps: Steps, state: Any = None, attention: bool = False) -> Policy:
        """Return the policy for consecutive steps."""
        count, length = steps.previous_actions.shape
        gated = full_precision(text.tokens.expand(-1, length, -1))
        if self.config.image:
            assert steps.views is not None
            gated = gated * full_precision(self.view_encoder(steps.views))
        hidden, state = self.lstm(full_precision(torch.relu(self.linear(gated))), state)
        time = step_embedding(self.time_embedding, steps.numbers, count)
        scores = self.output(torch.cat([hidden, time.to(hidden.dtype)], 2))
        return Policy(full_precision(scores).log_softmax(2), state)
