"""ORAR (Schumann and Riezler, 2022): two LSTMs with attention over the text and over views between them.

The first LSTM reads the view, the previous action, the type of junction and the change of heading. Its state queries
the text by two heads; the attended text queries the views; the second LSTM reads all of it and chooses the action.
Dropout is applied between the layers, so that both LSTMs read whole walks in one call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from bearleft.models.walking.network import (
    ACTION_COUNT,
    BANDS,
    CELLS,
    MAX_LINKS,
    MAX_STEPS,
    NO_VIEW,
    SECTORS,
    EncodedText,
    Policy,
    Steps,
    WalkNetwork,
    WalkShape,
    bidirectional,
    full_precision,
    mask_of,
    step_embedding,
)

SLICE_COUNT, SLICE_SECTORS = 5, SECTORS // 8  # views of 45 degrees around the heading, from left to right


@dataclass(frozen=True)
class Config:
    """Sizes of ORAR."""

    shape: WalkShape
    image: bool = True
    junctions: bool = True  # the type of junction and the change of heading are inputs
    word_dim: int = 32
    hidden_dim: int = 256
    action_dim: int = 16
    junction_dim: int = 16
    time_dim: int = 32
    view_dim: int = 64  # of each slice
    heads: int = 2
    dropout: float = 0.3
    heading_noise: float = 0.1  # of the change of heading, in training


class Attention(nn.Module):
    """Multi-head attention with weights that can be looked at."""

    def __init__(self, query_dim: int, key_dim: int, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(size, dim) for size in (query_dim, key_dim, key_dim))

    def forward(self, queries: Tensor, keys: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return attended values (..., q, dim) and weights (..., q, k), the mean over heads.

        Args:
            queries: (..., q, query_dim).
            keys: (..., k, key_dim).
            mask: (..., k): True where there is a key.
        """
        query, key, value = (
            layer(x).view(*x.shape[:-1], self.heads, -1).transpose(-3, -2)
            for layer, x in ((self.query, queries), (self.key, keys), (self.value, keys))
        )
        scores = query @ key.transpose(-1, -2) / key.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, None, :], -torch.inf)
        weights = scores.softmax(-1)
        attended = (weights @ value).transpose(-3, -2).flatten(-2)
        return attended, weights.mean(-3)


class Orar(WalkNetwork):
    """Two decoder LSTMs with attention over words and views between them."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, hidden = config, config.hidden_dim
        self.embedding = nn.Embedding(config.shape.vocabulary_size, config.word_dim, padding_idx=0)
        self.text_lstm = nn.LSTM(config.word_dim, hidden, batch_first=True, bidirectional=True)
        self.action_embedding = nn.Embedding(ACTION_COUNT + 1, config.action_dim)
        self.time_embedding = nn.Embedding(MAX_STEPS, config.time_dim)
        size = config.action_dim
        if config.junctions:
            self.junction_embedding = nn.Embedding(MAX_LINKS + 1, config.junction_dim)
            size += config.junction_dim + 1
        if config.image:
            self.slice_layer = nn.Linear(BANDS * config.shape.cell_channels, config.view_dim)
            self.view_layer = nn.Linear(SLICE_COUNT * config.view_dim, hidden)
            self.view_attention = Attention(hidden, config.view_dim, hidden, 1)
            size += hidden
        self.first = nn.LSTM(size, hidden, batch_first=True)
        self.word_attention = Attention(hidden, 2 * hidden, hidden, config.heads)
        decoder_size = 2 * hidden + config.time_dim + (hidden if config.image else 0)
        self.second = nn.LSTM(decoder_size, hidden, batch_first=True)
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(hidden, ACTION_COUNT)

    @property
    def views(self) -> str:
        """Kind of the views that this network reads."""
        return CELLS if self.config.image else NO_VIEW

    @property
    def feature_dim(self) -> int:
        """Size of the features of a step."""
        return self.config.hidden_dim

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Return the states of a bidirectional LSTM at all tokens."""
        mask = mask_of(words, lengths)
        return EncodedText(bidirectional(self.text_lstm, self.dropout(self.embedding(words)), mask), mask)

    def forward(self, text: EncodedText, steps: Steps, state: Any = None, attention: bool = False) -> Policy:
        """Return the policy for consecutive steps."""
        count = len(steps.previous_actions)
        first_state, second_state = state or (None, None)
        inputs = [self.action_embedding(steps.previous_actions)]
        if self.config.junctions:
            change = steps.heading_changes[:, :, None] / 180.0
            if self.training:
                change = change + self.config.heading_noise * torch.randn_like(change)
            inputs += [self.junction_embedding(steps.junctions), change]
        slices = self._slices(steps) if self.config.image else None
        if slices is not None:
            inputs.append(torch.relu(self.view_layer(slices.flatten(2))))
        first, first_state = self.first(self.dropout(torch.cat(inputs, 2)), first_state)
        first = self.dropout(first)
        attended, words = self.word_attention(first, text.tokens, text.mask)
        parts = [first, attended, step_embedding(self.time_embedding, steps.numbers, count)]
        views = None
        if slices is not None:
            seen, weights = self.view_attention(attended[:, :, None], slices)
            parts.append(seen[:, :, 0])
            views = weights[:, :, 0]
        second, second_state = self.second(self.dropout(torch.cat(parts, 2)), second_state)
        second = self.dropout(second)
        policy = Policy(self.output(second).log_softmax(2), (first_state, second_state), features=second)
        if not attention:
            return policy
        return replace(policy, words=words, views=None if views is None else to_sectors(views))

    def _slices(self, steps: Steps) -> Tensor:
        """Return the slices (b, t, 5, view_dim) around the heading, from left to right."""
        assert steps.views is not None
        half = SLICE_COUNT * SLICE_SECTORS // 2
        around = full_precision(steps.views.roll(half, 2)[:, :, : SLICE_COUNT * SLICE_SECTORS]).flatten(3)
        pooled = around.view(*around.shape[:2], SLICE_COUNT, SLICE_SECTORS, -1).mean(3)
        return torch.relu(self.slice_layer(self.dropout(pooled)))


def to_sectors(weights: Tensor) -> Tensor:
    """Return weights (b, t, SECTORS) clockwise from the heading, of weights (b, t, SLICE_COUNT) of slices."""
    spread = (weights / SLICE_SECTORS).repeat_interleave(SLICE_SECTORS, 2)
    padded = nn.functional.pad(spread, (0, SECTORS - spread.shape[2]))
    return padded.roll(-(SLICE_COUNT * SLICE_SECTORS // 2), 2)
