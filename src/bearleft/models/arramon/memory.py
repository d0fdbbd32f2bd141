"""bearleft's own network for ArraMon: a causal transformer over the steps of a leg.

A token is a step: the previous action, and where the player stands and looks, relative to where the leg began. In every
layer it attends to the earlier steps, which are its memory of where it was and of what it saw there; to the words of
the instruction, each of which says where the thing that it names is seen now; and to the cells of the view. Layers are
those of Compass. The module is told its phase, so that one may serve both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.arramon.network import (
    ACTION_COUNT,
    PHASE_NAMES,
    ArraMonShape,
    PhaseModule,
    Policy,
    Steps,
)
from bearleft.models.vocabulary import UNKNOWN
from bearleft.models.walking.compass import Config as LayerConfig
from bearleft.models.walking.compass import Grounding, Layer
from bearleft.models.walking.network import EncodedText, WalkShape, bidirectional, full_precision, mask_of

MAX_STEPS = 256  # later steps share the last embedding
WAVELENGTHS = (2.0, 5.0, 12.0, 30.0, 80.0, 200.0)  # metres, of the features of positions
FREQUENCIES = (1, 2, 4)  # of the features of cells


@dataclass(frozen=True)
class Config:
    """Sizes of the network with a memory."""

    shape: ArraMonShape
    image: bool = True
    text: bool = True
    shared: bool = False  # whether one module plays both phases
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

    def layer_config(self) -> LayerConfig:
        """Return the Config of the layers."""
        return LayerConfig(
            WalkShape(self.shape.vocabulary_size, cell_channels=self.shape.channels),
            self.image,
            self.text,
            self.word_dim,
            self.dim,
            self.layers,
            self.heads,
            self.direction_dim,
            self.grounding,
            self.grounding_dim,
            self.dropout,
        )


class Memory(PhaseModule):
    """Steps attend to earlier steps, words and the view."""

    cell_features: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, dim, layer_config = config, config.dim, config.layer_config()
        if config.text:
            self.embedding = nn.Embedding(config.shape.vocabulary_size, config.word_dim, padding_idx=0)
            self.text_lstm = nn.LSTM(config.word_dim, dim // 2, batch_first=True, bidirectional=True)
            self.text_norm = nn.LayerNorm(dim)
        self.action_embedding = nn.Embedding(ACTION_COUNT + 1, dim)
        self.time_embedding = nn.Embedding(MAX_STEPS, dim)
        self.phase_embedding = nn.Embedding(len(PHASE_NAMES), dim)
        self.pose_layer = nn.Linear(pose_feature_count(), dim)
        if config.image:
            self.register_buffer("cell_features", cell_features(config.shape.rows), persistent=False)
            self.cell_layer = nn.Linear(self.cell_features.shape[1], config.direction_dim)
        self.grounds_words = layer_config.grounds_words
        if self.grounds_words:
            self.grounding = Grounding(layer_config)
        self.layers = nn.ModuleList(Layer(layer_config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(dim)
        self.output = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, ACTION_COUNT))
        self.dropout = nn.Dropout(config.dropout)

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Return the states of a bidirectional LSTM at all words."""
        mask = mask_of(words, lengths)
        if not self.config.text:
            return EncodedText(torch.zeros(*words.shape, 0, device=words.device), mask)
        if self.training and self.config.word_dropout:  # so that texts with unknown words are read, too
            dropped = torch.rand(words.shape, device=words.device) < self.config.word_dropout
            words = words.masked_fill(dropped & mask, UNKNOWN)
        with torch.autocast(words.device.type, enabled=False):  # an LSTM's small steps gain nothing from bfloat16
            states = bidirectional(self.text_lstm, self.dropout(self.embedding(words)), mask)
        return EncodedText(self.text_norm(states), mask)

    def forward(
        self, text: EncodedText, steps: Steps, phase: int, state: Any = None, attention: bool = False
    ) -> Policy:
        """Return the policy for consecutive steps."""
        x = self.action_embedding(steps.previous_actions) + self.phase_embedding.weight[phase]
        x = (
            x
            + self.time_embedding(steps.numbers.clamp(max=MAX_STEPS - 1))
            + self.pose_layer(pose_features(steps.poses))
        )
        views = None
        if self.config.image:
            assert steps.maps is not None
            cells = steps.maps.flatten(3).transpose(2, 3).to(self.cell_layer.weight.dtype)
            cells = functional.layer_norm(cells, cells.shape[-1:])
            if torch.is_autocast_enabled(cells.device.type):  # they are most of the memory of an update
                cells = cells.to(torch.get_autocast_dtype(cells.device.type))
            mask = None
            if self.training and self.config.view_dropout:
                mask = torch.rand(cells.shape[:3], device=cells.device) >= self.config.view_dropout
                mask[..., 0] = True  # one is always left
            views = cells, self.cell_layer(self.cell_features), mask
        seen = self.grounding(text.tokens, *views[:2])[1] if self.grounds_words and views is not None else None
        caches, words_seen, views_seen = [], None, None
        for k, layer in enumerate(self.layers):
            weights = attention and k == len(self.layers) - 1
            x, cache, words_seen, views_seen = layer(x, text, seen, views, None if state is None else state[k], weights)
            caches.append(cache)
        log_probs = full_precision(self.output(self.norm(x))).log_softmax(2)
        if not attention:
            return Policy(log_probs, caches)
        rows = self.config.shape.rows
        shown = None if views_seen is None else views_seen.view(*views_seen.shape[:2], rows, rows)
        return Policy(log_probs, caches, words_seen, shown)


def pose_feature_count() -> int:
    """Return the number of features of a pose."""
    return 4 * len(WAVELENGTHS) + 2 + 2


def pose_features(poses: Tensor) -> Tensor:
    """Return features (b, t, f) of relative poses: products of them tell how far apart two positions are."""
    waves = 2 * torch.pi / poses.new_tensor(WAVELENGTHS)
    angles = (poses[..., :2, None] * waves).flatten(2)
    return torch.cat([angles.sin(), angles.cos(), poses[..., :2] / 30.0, poses[..., 2:]], 2)


def cell_features(rows: int) -> Tensor:
    """Return features (rows x rows, f) of where cells lie in a view."""
    place = (torch.arange(rows) + 0.5) / rows * 2 - 1
    waves = [wave(k * torch.pi / 2 * place) for k in FREQUENCIES for wave in (torch.sin, torch.cos)]
    along = torch.stack([place, *waves], 1)
    down = along[:, None].expand(-1, rows, -1)
    aside = along[None].expand(rows, -1, -1)
    return torch.cat([down, aside], 2).flatten(0, 1)
