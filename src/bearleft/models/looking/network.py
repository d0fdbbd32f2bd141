"""The look network: from memory and instructions to the direction in which to look next.

A player sees 90 degrees at a time. Features of its views are accumulated on a grid over the sphere (`sphere.Memory`).
The grid is rotated so that the direction of the last sentence is in the middle: "to the right of it" is then always the
same direction on the map. Cells of the map attend to the words and exchange features with their neighbours by dilated
convolutions. The output is the probability that the sentence leads to each cell, at 6 degrees per cell. After the view
has been turned there, its own, finer cells are scored in the same way, with the map's features sampled in their
directions. The best of them is where the sentence leads; after the last sentence it is the answer. Players that turn by
fixed steps use one more small head, from the map's probabilities to left, right, up, down or next.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.looking.sphere import Memory, SphereGrid, angular_distance, sample_map, unproject, view_grid

TURNS = ("left", "right", "up", "down", "next")
MAX_OFFSETS = 8  # sentence offsets with an embedding of their own; older sentences share the last one
START_SIGMA = 12.0  # degrees around the direction in which the sentence began
DILATIONS = (1, 2, 4, 1, 2, 4)  # of the map's layers
VIEW_DILATIONS = (1, 2, 1)
MIN_VIEW_COUNT = 0.1  # of a cell, above which it counts as seen
TURN_FEATURES = 9


@dataclass(frozen=True)
class LookConfig:
    """Size of the network. `view_size` is a view's pixels; the backbone's cells are pooled `pool` by `pool`."""

    vocabulary_size: int
    channels: int = 128
    width: int = 128
    heads: int = 4
    dropout: float = 0.2
    view_size: int = 448
    pool: int = 2
    rows: int = 20
    columns: int = 60

    @property
    def grid(self) -> SphereGrid:
        """Return the grid of the memory."""
        return SphereGrid(self.rows, self.columns)

    @property
    def view_cells(self) -> int:
        """Return the number of cells along a view's side."""
        return self.view_size // 8 // self.pool


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of each player up to the present one."""

    words: Tensor  # (n, max length), 0 behind the end
    sentence_offsets: Tensor  # (n, max length): sentences since the one of each word; 0 for the present sentence
    lengths: Tensor  # (n,)

    @property
    def mask(self) -> Tensor:
        """Return (n, max length): True where there is a word."""
        return torch.arange(self.words.shape[1], device=self.words.device) < self.lengths[:, None]


@dataclass(frozen=True, eq=False)
class Belief:
    """Where a sentence leads to, according to the map of the sphere."""

    scores: Tensor  # (n, rows, columns), rotated so that `start` is in the middle
    features: Tensor  # (n, rows, columns, width)
    start: Tensor  # (n, 2): the direction in which the sentence began
    words: Tensor = field(repr=False)  # (n, max length, width)
    mask: Tensor = field(repr=False)

    def subset(self, indices: Tensor) -> Belief:
        """Return the belief of some players."""
        return Belief(*(tensor[indices] for tensor in (self.scores, self.features, self.start, self.words, self.mask)))

    @property
    def probabilities(self) -> Tensor:
        """Return the probabilities of the cells: (n, rows x columns)."""
        return torch.softmax(self.scores.flatten(1).float(), 1)


class LookNetwork(nn.Module):
    """Score directions from sentences and the memory of views."""

    cell_directions: Tensor
    position_features: Tensor
    view_grid: Tensor

    def __init__(self, config: LookConfig) -> None:
        super().__init__()
        self.config, self.grid = config, config.grid
        width = config.width
        self.text = TextEncoder(config)
        directions = self.grid.directions()
        self.register_buffer("cell_directions", directions, persistent=False)
        self.register_buffer("position_features", _position_features(directions), persistent=False)
        self.register_buffer("view_grid", view_grid(config.view_cells), persistent=False)
        self.map_projection = nn.Linear(config.channels + self.position_features.shape[2] + 2, width)
        self.map_layers = nn.ModuleList(
            LookLayer(width, config.heads, dilation, config.dropout) for dilation in DILATIONS
        )
        self.map_head = nn.Linear(width, 1)
        self.view_projection = nn.Linear(config.channels + width + 1 + 2, width)
        self.view_layers = nn.ModuleList(
            LookLayer(width, config.heads, dilation, config.dropout, False) for dilation in VIEW_DILATIONS
        )
        self.view_head = nn.Linear(width, 1)
        self.turn_head = nn.Sequential(
            nn.Linear(TURN_FEATURES, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, len(TURNS))
        )

    def forward(self, sentences: Sentences, memory: Memory, start: Tensor) -> Belief:
        """Return the belief from the memory of the world and the direction (n, 2) in which the sentence began."""
        words = self.text(sentences)
        centred = memory.centred_on(start[:, 0])
        centred_start = torch.stack([torch.zeros_like(start[:, 1]), start[:, 1]], -1)
        distance = angular_distance(self.cell_directions[None], centred_start[:, None, None])
        near_start = torch.exp(-(distance**2) / (2 * START_SIGMA**2))[..., None]
        features = centred.features.permute(0, 2, 3, 1)
        seen = (centred.view_count > MIN_VIEW_COUNT).permute(0, 2, 3, 1)
        positions = self.position_features.expand(len(features), *self.position_features.shape)
        inputs = [tensor.to(features.dtype) for tensor in (features, positions, near_start, seen)]
        x = self.map_projection(torch.cat(inputs, 3))
        for layer in self.map_layers:
            x = layer(x, words, sentences.mask)
        return Belief(self.map_head(x)[..., 0].float(), x, start, words, sentences.mask)

    def score_view(self, belief: Belief, view: Tensor, look: Tensor) -> Tensor:
        """Return scores (n, cells, cells) of the cells of a view (n, channels, cells, cells) in direction `look`."""
        directions = self.view_directions(look)
        centred = torch.stack([directions[..., 0] - belief.start[:, None, None, 0], directions[..., 1]], -1)
        log_probabilities = functional.log_softmax(belief.scores.flatten(1), 1).reshape(belief.scores.shape)[..., None]
        maps = torch.cat([belief.features.float(), log_probabilities], 3).permute(0, 3, 1, 2)
        sampled = sample_map(self.grid, maps, centred).permute(0, 2, 3, 1)
        positions = self.view_grid.expand(len(view), *self.view_grid.shape)
        inputs = [tensor.to(view.dtype) for tensor in (view.permute(0, 2, 3, 1), sampled, positions)]
        x = self.view_projection(torch.cat(inputs, 3))
        for layer in self.view_layers:
            x = layer(x, belief.words, belief.mask)
        scores: Tensor = self.view_head(x)[..., 0].float()
        return scores

    def view_directions(self, look: Tensor) -> Tensor:
        """Return the directions (n, cells, cells, 2) of the cells of views (n, 2)."""
        return unproject(look, self.view_grid.expand(len(look), *self.view_grid.shape))

    def score_turns(self, belief: Belief, look: Tensor) -> Tensor:
        """Return scores (n, 5) of TURNS in the direction `look`; no gradient reaches the belief."""
        return self.turn_head(turn_features(self.cell_directions, belief, look))  # type: ignore[no-any-return]

    def best_direction(self, belief: Belief) -> Tensor:
        """Return the most probable direction of the map: (n, 2)."""
        directions = self.cell_directions.flatten(0, 1)[belief.scores.flatten(1).argmax(1)]
        return torch.stack([(directions[:, 0] + belief.start[:, 0]) % 360.0, directions[:, 1]], -1)

    def best_view_direction(self, scores: Tensor, look: Tensor) -> Tensor:
        """Return the most probable direction of views (n, 2): the mean over the 3 x 3 cells around the best one."""
        side = scores.shape[1]
        probability = torch.softmax(scores.flatten(1), 1)
        best = probability.argmax(1)
        cell = torch.arange(side * side, device=scores.device)
        same_rows = (cell // side - best[:, None] // side).abs() <= 1
        same_columns = (cell % side - best[:, None] % side).abs() <= 1
        weight = probability * (same_rows & same_columns)
        point = (weight[..., None] * self.view_grid.flatten(0, 1)).sum(1) / weight.sum(1, keepdim=True)
        return unproject(look, point[:, None])[:, 0]


def _position_features(directions: Tensor) -> Tensor:
    """Return features (rows, columns, 6) of a cell's direction relative to the start."""
    heading, pitch = torch.deg2rad(directions).unbind(-1)
    return torch.stack([heading.sin(), heading.cos(), (2 * heading).sin(), (2 * heading).cos(), pitch, pitch**2], 2)


def turn_features(cell_directions: Tensor, belief: Belief, look: Tensor) -> Tensor:
    """Return (n, TURN_FEATURES): the mean and the most probable direction from the view, and its probability."""
    probability = belief.probabilities.detach()
    heading = torch.deg2rad(cell_directions[..., 0].flatten() + (belief.start[:, :1] - look[:, :1]))
    up = (cell_directions[..., 1].flatten() - look[:, 1:]) / 90.0
    sine, cosine = heading.sin(), heading.cos()
    best = probability.argmax(1, keepdim=True)
    mean = [(probability * value).sum(1) for value in (sine, cosine, up)]
    mode = [value.gather(1, best)[:, 0] for value in (sine, cosine, up)]
    mode_heading = torch.atan2(mode[0], mode[1]) / torch.pi
    return torch.stack([*mean, *mode, mode_heading, probability.amax(1), look[:, 1] / 90.0], 1)


class TextEncoder(nn.Module):
    """Words of several sentences through a GRU, with an embedding of each sentence's offset."""

    def __init__(self, config: LookConfig) -> None:
        super().__init__()
        width = config.width
        self.embedding = nn.Embedding(config.vocabulary_size, width, padding_idx=0)
        self.offset_embedding = nn.Embedding(MAX_OFFSETS, width)
        self.gru = nn.GRU(width, width // 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, sentences: Sentences) -> Tensor:
        """Return word states (n, max length, width)."""
        embedded = self.embedding(sentences.words) + self.offset_embedding(
            sentences.sentence_offsets.clamp(max=MAX_OFFSETS - 1)
        )
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(embedded), sentences.lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        with torch.autocast(embedded.device.type, enabled=False):  # a recurrent layer gains nothing from half precision
            states = self.gru(packed)[0]
        padded, _ = nn.utils.rnn.pad_packed_sequence(states, True, total_length=sentences.words.shape[1])
        return self.dropout(self.norm(padded + embedded))  # type: ignore[no-any-return]


class LookLayer(nn.Module):
    """Cells (n, rows, columns, width) attend to words, then pass through a dilated convolution; columns may wrap."""

    def __init__(self, width: int, heads: int, dilation: int, dropout: float, wraps: bool = True) -> None:
        super().__init__()
        self.heads, self.dilation, self.wraps = heads, dilation, wraps
        self.query_norm, self.conv_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)
        self.conv = nn.Conv2d(width, width, 3, dilation=dilation)
        self.pointwise = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        """Apply the layer to cells (n, rows, columns, width), given word states and their mask."""
        query = self.query(self.query_norm(x)).flatten(1, 2).unflatten(2, (self.heads, -1)).transpose(1, 2)
        key, value = self.key_value(words).unflatten(2, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, mask[:, None, None, :])
        x = x + self.dropout(self.output(attended.transpose(1, 2).flatten(2))).reshape(x.shape)
        convolved = self.conv(self._pad(self.conv_norm(x)).permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return x + self.dropout(self.pointwise(functional.gelu(convolved)))  # type: ignore[no-any-return]

    def _pad(self, x: Tensor) -> Tensor:
        padding = self.dilation
        if self.wraps:
            x = torch.cat([x[:, :, -padding:], x, x[:, :, :padding]], 2)
        column_padding = 0 if self.wraps else padding
        return functional.pad(x, (0, 0, column_padding, column_padding, padding, padding))
