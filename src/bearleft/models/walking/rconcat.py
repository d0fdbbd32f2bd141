"""RCONCAT of Touchdown's appendix E.1: text, view and previous action are concatenated and read by an LSTM."""

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
    """Sizes of RCONCAT; the defaults are the paper's."""

    shape: WalkShape
    text: bool = True  # False: NO-TEXT
    image: bool = True  # False: NO-IMAGE
    rgb: bool = False  # RGB views of 60 degrees (appendix F.1) instead of features
    word_dim: int = 32
    text_dim: int = 256
    view_dim: int = 256
    action_dim: int = 16
    time_dim: int = 32
    hidden_dim: int = 256


class RConcat(WalkNetwork):
    """[text; view; previous action] -> LSTM; [its state; time] -> one layer -> four actions."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, shape = config, config.shape
        size = config.action_dim
        if config.text:
            self.embedding = nn.Embedding(shape.vocabulary_size, config.word_dim, padding_idx=0)
            self.text_lstm = nn.LSTM(config.word_dim, config.text_dim, batch_first=True)
            size += config.text_dim
        if config.image:
            channels = 3 if config.rgb else 1
            self.view_encoder = ViewEncoder(shape.view_rows, channels, (32, 64), (4, 4), config.view_dim)
            size += config.view_dim
        self.action_embedding = nn.Embedding(ACTION_COUNT + 1, config.action_dim)
        self.time_embedding = nn.Embedding(MAX_STEPS, config.time_dim)
        self.lstm = nn.LSTM(size, config.hidden_dim, batch_first=True)
        self.output = nn.Linear(config.hidden_dim + config.time_dim, ACTION_COUNT)

    @property
    def views(self) -> str:
        """Kind of the views that this network reads."""
        return (RGB if self.config.rgb else MEAN_MAP) if self.config.image else NO_VIEW

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Return the final state of the text's LSTM, as one token."""
        mask = torch.ones(len(words), 1, dtype=torch.bool, device=words.device)
        if not self.config.text:
            return EncodedText(torch.zeros(len(words), 1, 0, device=words.device), mask)
        states = self.text_lstm(self.embedding(words))[0]
        return EncodedText(last_states(states, lengths)[:, None], mask)

    def forward(self, text: EncodedText, steps: Steps, state: Any = None, attention: bool = False) -> Policy:
        """Return the policy for consecutive steps."""
        count, length = steps.previous_actions.shape
        inputs = [text.tokens.expand(-1, length, -1), self.action_embedding(steps.previous_actions)]
        if self.config.image:
            assert steps.views is not None
            inputs.append(self.view_encoder(steps.views))
        hidden, state = self.lstm(torch.cat([full_precision(part) for part in inputs], 2), state)
        time = step_embedding(self.time_embedding, steps.numbers, count)
        scores = self.output(torch.cat([hidden, time.to(hidden.dtype)], 2))
        return Policy(full_precision(scores).log_softmax(2), state)
