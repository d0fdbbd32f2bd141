"""Compass, bearleft's own walking agent: a causal transformer over the steps of a walk.

A token is a step: the previous action, the junction and the change of heading. In every layer it attends

1. to the earlier steps, which are its memory of what it did and saw,
2. to the words of the instruction, each of which says where the thing that it names is seen now,
3. to the views in all directions around it, 64 sectors and four bands of pitch, relative to its heading,

and passes a perceptron. Two heads read the last layer: one estimates how many actions are left before the stop, the
other, given that this is not the place to stop, chooses forward, left or right. The walker stops as soon as it has more
probably reached or passed the place to stop than not. All steps of a batch are computed at once in training; a walk in
progress keeps keys and values of its earlier steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.vocabulary import UNKNOWN
from bearleft.models.walking.network import (
    ACTION_COUNT,
    BANDS,
    CELLS,
    MAX_LINKS,
    MAX_REMAINING,
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

FREQUENCIES = (1, 2, 3, 4, 6, 8, 12, 16)  # of the angle around the walker
Cache = tuple[Tensor, Tensor]  # keys and values of earlier steps
Cells = tuple[Tensor, Tensor, Tensor | None]  # what is seen, where, and which cells count, as for `ViewAttention`


@dataclass(frozen=True)
class Config:
    """Sizes of Compass."""

    shape: WalkShape
    image: bool = True
    text: bool = True
    word_dim: int = 128
    dim: int = 256
    layers: int = 3
    heads: int = 4
    direction_dim: int = 32
    grounding: bool = True  # whether words say where the things that they name are seen
    grounding_dim: int = 64
    dropout: float = 0.1
    view_dropout: float = 0.05  # of whole cells
    word_dropout: float = 0.05  # of words, which become unknown ones

    @property
    def grounds_words(self) -> bool:
        """Whether words say where the things that they name are seen."""
        return self.image and self.text and self.grounding


class MultiHead(nn.Module):
    """Multi-head attention of a query to keys that another module projects."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.output = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def split(self, x: Tensor) -> Tensor:
        """Return (..., heads, n, head_dim) of (..., n, dim)."""
        return x.reshape(*x.shape[:-1], self.heads, -1).transpose(-3, -2)

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Return attended values (..., q, dim) and, if asked for, weights (..., q, k), the mean over heads.

        Args:
            x: Queries (..., q, dim).
            keys: (..., k, dim).
            values: (..., k, dim).
            mask: Broadcasts to (..., heads, q, k): True where attention is allowed.
            weights: Whether weights are returned.
        """
        query, key, value = self.split(self.query(x)), self.split(keys), self.split(values)
        attended = functional.scaled_dot_product_attention(query, key, value, mask)
        result = self.output(attended.transpose(-3, -2).flatten(-2))
        if not weights:
            return result, None
        scores = full_precision(query) @ full_precision(key).transpose(-1, -2) / key.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return result, scores.softmax(-1).mean(-3)


class Grounding(nn.Module):
    """Where the thing that a word names is seen: attention of every word to the cells around each step, or to none."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.scale = config.grounding_dim**-0.5
        self.query = nn.Linear(config.dim, config.grounding_dim)
        self.key = nn.Linear(config.shape.cell_channels, config.grounding_dim)
        self.unseen = nn.Linear(config.dim, 1)

    def forward(self, tokens: Tensor, cells: Tensor, directions: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores (b, t, l, cells + 1), and the mean direction with the share of "not seen" (b, t, l, d + 1).

        Args:
            tokens: The words (b, l, dim).
            cells: (b, t, cells, channels).
            directions: (cells, d).
        """
        keys, queries = self.key(cells), self.query(tokens)[:, None] * self.scale
        unseen = self.unseen(tokens)[:, None].expand(-1, cells.shape[1], -1, -1)
        scores = torch.cat([queries @ keys.transpose(-1, -2), unseen], 3)
        shares = full_precision(scores).softmax(3).to(scores.dtype)
        return scores, torch.cat([shares[..., :-1] @ directions.to(shares.dtype), shares[..., -1:]], 3)


class WordAttention(MultiHead):
    """Multi-head attention of steps to words, by what a word means and by where the thing that it names is seen."""

    def __init__(self, config: Config) -> None:
        super().__init__(config.dim, config.heads)
        self.seen_dim = config.direction_dim + 1
        self.seen_query = nn.Linear(config.dim, config.heads * self.seen_dim)
        self.seen_output = nn.Linear(config.heads * self.seen_dim, config.dim)

    def attend(self, x: Tensor, keys: Tensor, values: Tensor, seen: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return attended values (b, t, dim), and weights (b, t, l), the mean over heads.

        Args:
            x: Queries (b, t, dim).
            keys: (b, l, dim).
            values: (b, l, dim).
            seen: What `Grounding` returns (b, t, l, d + 1).
            mask: (b, 1, 1, l): True where there is a word.
        """
        query, key, value = self.split(self.query(x)), self.split(keys), self.split(values)
        seen_query = self.seen_query(x).view(*x.shape[:2], self.heads, -1)
        scores = full_precision(query @ key.transpose(-1, -2)) * key.shape[-1] ** -0.5
        by_seen = full_precision(seen_query @ seen.transpose(-1, -2)) * self.seen_dim**-0.5
        weights = (scores + by_seen.transpose(1, 2)).masked_fill(~mask, -torch.inf).softmax(3).to(value.dtype)
        attended = (weights @ value).transpose(1, 2).flatten(2)
        where = (weights.transpose(1, 2) @ seen).flatten(2)
        return self.output(attended) + self.seen_output(where), weights.mean(1)


class ViewAttention(nn.Module):
    """Multi-head attention of one query per step to the cells around it, by what they show and where they are.

    A score is q K x = (K^T q) x: projecting the query instead of the many cells takes a fraction of the time, and so
    does projecting the weighted mean of the cells instead of their values. Directions are the same at every step, so
    their part of the scores and of the output is a product with one small matrix.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        channels = config.shape.cell_channels
        self.heads, self.scale = config.heads, channels**-0.5
        self.query = nn.Linear(config.dim, config.heads * channels)
        self.direction_query = nn.Linear(config.dim, config.heads * config.direction_dim)
        self.output = nn.Linear(config.heads * (channels + config.direction_dim), config.dim)

    def forward(
        self, x: Tensor, cells: Tensor, directions: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return attended values (b, t, dim) and weights (b, t, cells), the mean over heads.

        Args:
            x: Queries (b, t, dim).
            cells: (b, t, cells, channels).
            directions: (cells, direction_dim).
            mask: (b, t, cells): True where a cell may be attended to.
        """
        query = self.query(x).view(*x.shape[:2], self.heads, -1).to(cells.dtype)
        where = self.direction_query(x).view(*x.shape[:2], self.heads, -1)
        scores = full_precision(query @ cells.transpose(-1, -2)) * self.scale
        scores = scores + full_precision(where @ directions.t().to(where.dtype)) * directions.shape[1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, :, None], -torch.inf)
        weights = scores.softmax(-1)
        seen = weights.to(cells.dtype) @ cells
        seen_where = weights.to(where.dtype) @ directions.to(where.dtype)
        return self.output(torch.cat([seen, seen_where.to(seen.dtype)], 3).flatten(2)), weights.mean(2)


class Layer(nn.Module):
    """Attention to earlier steps, words and views, and a perceptron, each with a residual connection."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        dim, heads = config.dim, config.heads
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(4))
        self.memory, self.memory_kv = MultiHead(dim, heads), nn.Linear(dim, 2 * dim)
        if config.text:
            self.words = WordAttention(config) if config.grounds_words else MultiHead(dim, heads)
            self.words_kv = nn.Linear(dim, 2 * dim)
        if config.image:
            self.views = ViewAttention(config)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.dropout = nn.Dropout(config.dropout)
        self.config = config

    def forward(
        self,
        x: Tensor,
        text: EncodedText,
        seen: Tensor | None,
        views: Cells | None,
        cache: Cache | None,
        weights: bool,
    ) -> tuple[Tensor, Cache, Tensor | None, Tensor | None]:
        """Return the steps (b, t, dim), keys and values of all steps, and attention over words and views.

        Args:
            x: The steps (b, t, dim).
            text: The words.
            seen: Where the things that they name are seen (b, t, l, d), if words are grounded.
            views: The cells around each step, which all layers share.
            cache: Keys and values of earlier steps.
            weights: Whether attention weights are returned.
        """
        words_seen = views_seen = None
        normed = self.norms[0](x)
        keys, values = self.memory_kv(normed).chunk(2, -1)
        before = 0 if cache is None else cache[0].shape[1]
        if cache is not None:
            keys, values = torch.cat([cache[0], keys], 1), torch.cat([cache[1], values], 1)
        causal = torch.ones(x.shape[1], keys.shape[1], dtype=torch.bool, device=x.device).tril(before)
        x = x + self.dropout(self.memory(normed, keys, values, causal)[0])
        if self.config.text:
            word_keys, word_values = self.words_kv(text.tokens).chunk(2, -1)
            mask = text.mask[:, None, None]
            normed = self.norms[1](x)
            if seen is not None and isinstance(self.words, WordAttention):
                attended, words_seen = self.words.attend(normed, word_keys, word_values, seen, mask)
            else:
                attended, words_seen = self.words(normed, word_keys, word_values, mask, weights)
            x = x + self.dropout(attended)
        if views is not None:
            attended, views_seen = self.views(self.norms[2](x), *views)
            x = x + self.dropout(attended)
        x = x + self.dropout(self.mlp(self.norms[3](x)))
        return x, (keys, values), words_seen, views_seen


class Compass(WalkNetwork):
    """Steps attend to earlier steps, words and views; stopping is a decision of its own."""

    uses_links: ClassVar[bool] = True
    direction_features: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, dim = config, config.dim
        if config.text:
            self.embedding = nn.Embedding(config.shape.vocabulary_size, config.word_dim, padding_idx=0)
            self.text_lstm = nn.LSTM(config.word_dim, dim // 2, batch_first=True, bidirectional=True)
            self.text_norm = nn.LayerNorm(dim)
        self.action_embedding = nn.Embedding(ACTION_COUNT + 1, dim)
        self.junction_embedding = nn.Embedding(MAX_LINKS + 1, dim)
        self.time_embedding = nn.Embedding(MAX_STEPS, dim)
        self.turn_layer = nn.Linear(2, dim)
        self.link_layer = nn.Linear(SECTORS, dim)
        if config.image:
            self.register_buffer("direction_features", direction_features(), persistent=False)
            self.direction_layer = nn.Linear(self.direction_features.shape[1], config.direction_dim)
        if config.grounds_words:
            self.grounding = Grounding(config)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(dim)
        self.remaining = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, MAX_REMAINING + 1))
        self.move = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, ACTION_COUNT - 1))
        self.dropout = nn.Dropout(config.dropout)

    @property
    def views(self) -> str:
        """Kind of the views that this network reads."""
        return CELLS if self.config.image else NO_VIEW

    @property
    def grounds_words(self) -> bool:
        """Whether the network estimates where the things that words name are seen."""
        return self.config.grounds_words

    @property
    def feature_dim(self) -> int:
        """Size of the features of a step."""
        return self.config.dim

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Return the states of a bidirectional LSTM at all words."""
        mask = mask_of(words, lengths)
        if not self.config.text:
            return EncodedText(torch.zeros(*words.shape, 0, device=words.device), mask)
        if self.training and self.config.word_dropout:  # so that texts with unknown words are read, too
            dropped = torch.rand(words.shape, device=words.device) < self.config.word_dropout
            words = words.masked_fill(dropped, UNKNOWN)
        vectors = self.embedding(words)
        with torch.autocast(words.device.type, enabled=False):  # an LSTM's small steps gain nothing from bfloat16
            states = bidirectional(self.text_lstm, self.dropout(full_precision(vectors)), mask)
        return EncodedText(self.text_norm(states), mask)

    def forward(self, text: EncodedText, steps: Steps, state: Any = None, attention: bool = False) -> Policy:
        """Return the policy for consecutive steps."""
        assert steps.links is not None
        radians = torch.deg2rad(steps.heading_changes)
        x = self.action_embedding(steps.previous_actions) + self.junction_embedding(steps.junctions)
        x = x + step_embedding(self.time_embedding, steps.numbers, len(x))
        x = x + self.turn_layer(torch.stack([radians.sin(), 1 - radians.cos()], 2)) + self.link_layer(steps.links)
        views = self._cells(steps) if self.config.image else None
        grounding = seen = None
        if self.grounds_words and views is not None:
            grounding, seen = self.grounding(text.tokens, *views[:2])
        old_caches, survival = (None, 0.0) if state is None else state
        caches, words_seen, views_seen = [], None, None
        for k, layer in enumerate(self.layers):
            cache = None if old_caches is None else old_caches[k]
            weights = attention and k == len(self.layers) - 1
            x, cache, words_seen, views_seen = layer(x, text, seen, views, cache, weights)
            caches.append(cache)
        x = self.norm(x)
        remaining = full_precision(self.remaining(x)).log_softmax(2)
        stop, go_on = remaining[:, :, :1], remaining[:, :, 1:].logsumexp(2, keepdim=True)
        move = full_precision(self.move(x)).log_softmax(2)
        log_probs = torch.cat([go_on + move, stop], 2)  # stop is the last of the actions
        survival = survival + go_on[:, :, 0].cumsum(1)  # log-probability that the place to stop lies ahead
        if views_seen is not None:
            views_seen = views_seen.view(*views_seen.shape[:2], SECTORS, BANDS).sum(3)
        return Policy(
            log_probs,
            (caches, survival[:, -1:]),
            words_seen if attention else None,
            views_seen if attention else None,
            remaining,
            1 - survival.exp(),
            x,
            grounding,
        )

    def _cells(self, steps: Steps) -> Cells:
        """Return the cells around each step, their directions, and which of them are not dropped out."""
        assert steps.views is not None
        cells = steps.views.flatten(2, 3)
        if not torch.is_autocast_enabled(cells.device.type):
            cells = cells.to(self.direction_layer.weight.dtype)
        mask = None
        if self.training and self.config.view_dropout:
            mask = torch.rand(cells.shape[:3], device=cells.device) >= self.config.view_dropout
        return cells, self.direction_layer(self.direction_features), mask


def direction_features() -> Tensor:
    """Return sines and cosines of multiples of each cell's angle from the heading, for each band (cells, features)."""
    angle = (torch.arange(SECTORS) + 0.5) * (2.0 * torch.pi / SECTORS)
    waves = torch.stack([wave(k * angle) for k in FREQUENCIES for wave in (torch.sin, torch.cos)], 1)
    band = torch.eye(BANDS)
    around = waves[:, None].expand(-1, BANDS, -1)
    return torch.cat([around, band.expand(SECTORS, -1, -1)], 2).flatten(0, 1)
