"""Bearing: cross-attention between words and cells, with rotary positions by heading and pitch.

LingUNet compresses a text into one vector and has a receptive field of 17 cells; it cannot know which half of the
picture is "your left". Here a text stays a sequence of words. Every cell attends to the words, and the result is
multiplied with the cell's own features, so that "red" and "door" are matched in one place. Then 4 x 4 cells become a
token, and tokens attend to the words again and to each other at any distance, so "the second door left of the awning"
takes a few layers; words attend to the tokens. Queries and keys of tokens are rotated by their heading (whole numbers
of turns around the circle, so the picture's two ends meet) and by their pitch: attention between two tokens depends on
how far to the side and up they lie from each other, and attention between a word and a token on the token's direction.
At last every cell is scored by its token's output, multiplied with the cell's own features.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.errors import InputError
from bearleft.models.pointing.layers import input_features
from bearleft.models.pointing.network import ASPECT, Batch, PointNetwork, Shape
from bearleft.world.slices import CELL_SIZE, PAPER

PATCH = 4  # cells along a side of a token
FREQUENCIES = (1, 2, 4, 8)  # of the position features, in turns around the circle
PITCH_SCALE = 2.0  # pitch is rotated this much faster than heading: its range is smaller
Rotation = tuple[Tensor, Tensor] | None  # cosines and sines of rotary positions


@dataclass(frozen=True)
class Config:
    """Size of the network; with the defaults an update has about as many operations as one of LingUNet."""

    shape: Shape
    width: int = 256
    layers: int = 4
    heads: int = 4
    cell_width: int = 64  # channels of single cells
    dropout: float = 0.1  # of words
    max_words: int = 160  # positions in a text that have an embedding of their own

    def __post_init__(self) -> None:
        for name in ("width", "layers", "heads", "cell_width", "max_words"):
            if getattr(self, name) < 1:
                raise InputError("at least 1", str(getattr(self, name)), name)
        if self.width % (4 * self.heads):
            raise InputError(f"a multiple of 4 times the {self.heads} heads", str(self.width), "width")
        if 2 * self.cell_width % self.heads:
            raise InputError(f"half a multiple of the {self.heads} heads", str(self.cell_width), "cell_width")
        if not 0.0 <= self.dropout < 1.0:
            raise InputError("a share from 0 to below 1", str(self.dropout), "dropout")


class Bearing(PointNetwork):
    """bearleft's own pointing network."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        shape, width = config.shape, config.width
        self.rows, self.columns = -(-shape.rows // PATCH), -(-shape.columns // PATCH)
        self.text, self.cell_encoder = TextEncoder(config), CellEncoder(config)
        self.conv1 = nn.Conv2d(2 * config.cell_width, width // 2, 3, stride=2)
        self.conv2 = nn.Conv2d(width // 2, width, 3, stride=2)
        directions = token_directions(self.rows, self.columns, shape.aspect)
        self.register_buffer("position_features", position_features(*directions), persistent=False)
        self.position = nn.Linear(4 * len(FREQUENCIES), width)
        cosine, sine = rope_tables(*directions, width // config.heads)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)
        lasts = [k + 1 == config.layers for k in range(config.layers)]
        self.layers = nn.ModuleList(TokenLayer(config, self.rows, self.columns, last) for last in lasts)
        self.token_head = nn.Linear(width, 2 * config.cell_width + 1)
        self.cell_head = nn.Conv2d(2 * config.cell_width, config.cell_width, 3)
        self.mixer = nn.Conv2d(config.cell_width, config.cell_width, 3, padding=1)
        self.score = nn.Conv2d(config.cell_width, 1, 1)

    def forward(self, batch: Batch) -> Tensor:
        """Return scores (b, rows, columns)."""
        down, across = self.rows * PATCH - self.shape.rows, self.columns * PATCH - self.shape.columns
        features = input_features(batch, self.token_head.weight)
        features = functional.pad(features, (0, across, 0, down)) if down or across else features
        words, mask = self.text(batch)
        cells = wrap_pad(self.cell_encoder(features, words, mask))
        tokens = self.conv2(wrap_pad(functional.gelu(self.conv1(cells))))
        tokens = tokens.flatten(2).transpose(1, 2) + self.position(self.position_features)
        words, rotation = words.to(tokens.dtype), (self.cosine.to(tokens.dtype), self.sine.to(tokens.dtype))
        for layer in self.layers:
            tokens, words = layer(tokens, words, mask, rotation)
        scores = self.score_cells(self.cell_head(cells), self.token_head(layer_norm(tokens)))
        return scores[:, : self.shape.rows, : self.shape.columns]

    def score_cells(self, cells: Tensor, tokens: Tensor) -> Tensor:
        """Score cells (b, cell_width, ...) by a scale, a shift and a bias from tokens (b, n, 2 cell_width + 1)."""
        width = self.config.cell_width
        count, rows, columns = len(tokens), self.rows, self.columns
        scale, shift, bias = torch.split(tokens.view(count, rows, 1, columns, 1, -1), [width, width, 1], -1)
        patches = cells.permute(0, 2, 3, 1).reshape(count, rows, PATCH, columns, PATCH, width)
        hidden = functional.gelu(patches * scale + shift).flatten(3, 4).flatten(1, 2).permute(0, 3, 1, 2)
        hidden = hidden + functional.gelu(self.mixer(hidden))
        scores = self.score(hidden)[:, 0].float()
        token_scores = bias[..., 0].expand(-1, -1, PATCH, -1, PATCH).flatten(3, 4).flatten(1, 2)
        total: Tensor = scores + token_scores.float()
        return total


class TextEncoder(nn.Module):
    """Word embeddings with two convolutions, followed by a null word that cells attend to when no word fits."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.width
        self.embedding = nn.Embedding(config.shape.vocabulary_size, width)
        self.positions = nn.Parameter(0.1 * torch.randn(config.max_words, width))
        self.null_word = nn.Parameter(0.3 * torch.randn(width))
        self.convs = nn.ModuleList(nn.Conv1d(width, width, 5, padding=2) for _ in range(2))
        self.dropout = nn.Dropout(config.dropout)
        nn.init.normal_(self.embedding.weight, std=0.5)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return (b, words + 1, width), and an attention mask (b, 1, 1, words + 1)."""
        mask = batch.mask
        # Positions count from the text's end, where the target is described.
        index = (batch.lengths[:, None] - 1 - torch.arange(mask.shape[1], device=mask.device)).clamp(0)
        positions = functional.embedding(index.clamp(max=len(self.positions) - 1), self.positions)
        words = self.dropout(self.embedding(batch.words)) + positions
        for conv in self.convs:
            masked = layer_norm(words) * mask[:, :, None]
            words = words + functional.gelu(conv(masked.transpose(1, 2)).transpose(1, 2))
        words = torch.cat([words, self.null_word.expand(len(words), 1, -1).to(words.dtype)], 1)
        return words, functional.pad(mask, (0, 1), value=True)[:, None, None]


class CellEncoder(nn.Module):
    """Single cells attend to the words before they are merged into tokens, while each still shows one thing."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = 2 * config.cell_width
        self.projection = nn.Linear(config.shape.channels, width)
        self.attention = Attention(width, config.heads, config.width)
        self.gate, self.output = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.mlp = mlp(width, 2)

    def forward(self, features: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        """Encode (b, channels, rows, columns) as (b, 2 cell_width, rows, columns), with channels last in memory."""
        count, _, rows, columns = features.shape
        cells = self.projection(features.permute(0, 2, 3, 1).flatten(1, 2))
        normed = layer_norm(cells)
        cells = cells + self.output(self.attention(normed, layer_norm(words), mask) * (1 + self.gate(normed)))
        encoded: Tensor = cells + self.mlp(layer_norm(cells))
        return encoded.view(count, rows, columns, -1).permute(0, 3, 1, 2)


class Attention(nn.Module):
    """Multi-head attention with rotary positions; without an output projection."""

    def __init__(self, width: int, heads: int, context_width: int | None = None) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(context_width or width, 2 * width, bias=False)

    def forward(
        self,
        x: Tensor,
        context: Tensor,
        mask: Tensor | None = None,
        query_rotation: Rotation = None,
        key_rotation: Rotation = None,
    ) -> Tensor:
        """Attend from x (b, n, width) to context (b, m, context width); return (b, n, width)."""
        query = self.query(x).unflatten(2, (self.heads, -1)).transpose(1, 2)
        key, value = self.key_value(context).unflatten(2, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        query, key = apply_rope(query, query_rotation), apply_rope(key, key_rotation)
        output = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return output.transpose(1, 2).flatten(2)


class TokenLayer(nn.Module):
    """Tokens attend to words, then to each other beside a depthwise convolution, then an MLP; then the words' layer.

    The last layer leaves the words as they are, since nothing reads them afterwards.
    """

    def __init__(self, config: Config, rows: int, columns: int, last: bool) -> None:
        super().__init__()
        width, heads = config.width, config.heads
        self.rows, self.columns = rows, columns
        self.word_attention, self.self_attention = Attention(width, heads), Attention(width, heads)
        self.gate, self.word_output, self.self_output = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.depthwise = nn.Conv2d(width, width, 5, groups=width)
        self.mlp = mlp(width)
        self.word_layer = None if last else WordLayer(width, heads)

    def forward(self, tokens: Tensor, words: Tensor, mask: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor]:
        """Return the updated tokens (b, tokens, width) and words (b, words, width)."""
        normed = layer_norm(tokens)
        attended = self.word_attention(normed, layer_norm(words), mask)
        tokens = tokens + self.word_output(attended * (1 + self.gate(normed)))
        normed = layer_norm(tokens)
        grid = normed.transpose(1, 2).view(len(normed), -1, self.rows, self.columns)
        local = self.depthwise(wrap_pad(grid, 2))
        attended = self.self_attention(normed, normed, None, rotation, rotation)
        tokens = tokens + local.flatten(2).transpose(1, 2) + self.self_output(attended)
        tokens = tokens + self.mlp(layer_norm(tokens))
        return tokens, words if self.word_layer is None else self.word_layer(words, tokens, mask, rotation)


class WordLayer(nn.Module):
    """Words attend to each other, then to the tokens, then an MLP."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.self_attention, self.token_attention = Attention(width, heads), Attention(width, heads)
        self.self_output, self.token_output = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.mlp = mlp(width)

    def forward(self, words: Tensor, tokens: Tensor, mask: Tensor, rotation: Rotation) -> Tensor:
        """Return the updated words (b, words, width)."""
        normed = layer_norm(words)
        words = words + self.self_output(self.self_attention(normed, normed, mask))
        attended = self.token_attention(layer_norm(words), layer_norm(tokens), None, None, rotation)
        words = words + self.token_output(attended)
        update: Tensor = self.mlp(layer_norm(words))
        return words + update


def mlp(width: int, expansion: int = 4) -> nn.Sequential:
    """Return a feed-forward block without biases."""
    hidden = expansion * width
    return nn.Sequential(nn.Linear(width, hidden, bias=False), nn.GELU(), nn.Linear(hidden, width, bias=False))


def layer_norm(x: Tensor) -> Tensor:
    """Normalize the last dimension without learned parameters, in the precision of the input."""
    with torch.autocast(x.device.type, enabled=False):
        return functional.layer_norm(x, x.shape[-1:])


def wrap_pad(maps: Tensor, padding: int = 1) -> Tensor:
    """Pad maps circularly to the left and right, and with zeros above and below."""
    wrapped = torch.cat([maps[..., -padding:], maps, maps[..., :padding]], -1)
    return functional.pad(wrapped, (0, 0, padding, padding))


def token_directions(rows: int, columns: int, aspect: float = ASPECT) -> tuple[Tensor, Tensor]:
    """Return heading and pitch of tokens in radians, row by row; headings count from the picture's middle.

    `aspect` is a slice's height divided by its width.
    """
    heading = (torch.arange(columns) + 0.5) / columns * 2 * torch.pi - torch.pi
    up = PAPER.width * aspect / 2 * (1 - (torch.arange(rows) + 0.5) / rows * 2)
    pitch = torch.atan2(up, torch.tensor(PAPER.focal_length))
    return heading.repeat(rows), pitch.repeat_interleave(columns)


def position_features(heading: Tensor, pitch: Tensor) -> Tensor:
    """Return sines and cosines of directions: (n, 4 x len(FREQUENCIES))."""
    angles = torch.stack([k * angle for k in FREQUENCIES for angle in (heading, PITCH_SCALE * pitch)], 1)
    return torch.cat([angles.sin(), angles.cos()], 1)


def rope_tables(heading: Tensor, pitch: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return cosines and sines (n, width) that rotate queries and keys, pairing a vector's two halves."""
    pairs = width // 4  # pairs of numbers rotated by the heading, and as many by the pitch
    highest = PAPER.columns / 2 / CELL_SIZE
    distinct = torch.unique((highest ** (torch.arange(pairs) / max(pairs - 1, 1))).round())
    frequencies = torch.cat([distinct, torch.arange(1, pairs + 1 - len(distinct)) + distinct[-1]])
    angles = torch.cat([heading[:, None] * frequencies, PITCH_SCALE * pitch[:, None] * frequencies], 1)
    return torch.cat([angles.cos(), angles.cos()], 1), torch.cat([-angles.sin(), angles.sin()], 1)


def apply_rope(vectors: Tensor, rotation: Rotation) -> Tensor:
    """Rotate every pair of numbers of vectors (..., n, width) by its angle."""
    if rotation is None:
        return vectors
    cosine, sine = rotation
    return torch.addcmul(vectors * cosine, vectors.roll(vectors.shape[-1] // 2, -1), sine)
