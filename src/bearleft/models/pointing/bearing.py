"""Bearing: words and cells look at each other, and every cell knows which way it lies.

LingUNet squeezes a text into one vector and sees 17 cells around; it cannot know which half of the picture is "your
left". Here a text stays words. Every cell asks the words which of them speak of it, and what they answer is
multiplied with what the cell shows, so that to fit and not to fit are different from the start, and "red" and "door"
are looked for in one place. Then 4 x 4 cells become a token, and tokens ask the words again and each other however
far apart they lie, so "the second door left of the awning" is a few steps of looking; words ask the tokens where they
are. Tokens' queries and keys are turned by their heading (whole numbers of turns around the circle, so the picture's
two ends meet) and by their pitch: two tokens know how far to the side and up they lie from each other, and a word
where a token lies for who looks. At last every cell is scored by what its token has heard, multiplied with what the
cell itself shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.errors import InputError
from bearleft.models.pointing.layers import seen
from bearleft.models.pointing.network import ASPECT, Batch, PointNetwork, Shape
from bearleft.world.slices import CELL, PAPER

PATCH = 4  # cells a side of a token
TURNS = (1, 2, 4, 8)  # around the circle, for what a cell knows of its own heading
STEEPEST = 2.0  # pitch is turned so many times as fast as heading: there is less of it


@dataclass(frozen=True)
class Config:
    """How large the network is; with the defaults an update has about as many operations as one of LingUNet."""

    shape: Shape
    width: int = 256
    layers: int = 4
    heads: int = 4
    fine: int = 64  # channels of single cells
    dropout: float = 0.1  # of words
    longest: int = 160  # words whose place in the text is told apart

    def __post_init__(self) -> None:
        for name in ("width", "layers", "heads", "fine", "longest"):
            if getattr(self, name) < 1:
                raise InputError("at least 1", str(getattr(self, name)), name)
        if self.width % (4 * self.heads):
            raise InputError(f"a multiple of 4 times the {self.heads} heads", str(self.width), "width")
        if 2 * self.fine % self.heads:
            raise InputError(f"half a multiple of the {self.heads} heads", str(self.fine), "fine")
        if not 0.0 <= self.dropout < 1.0:
            raise InputError("a share from 0 to below 1", str(self.dropout), "dropout")


class Bearing(PointNetwork):
    """Our own network."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        shape, width = config.shape, config.width
        self.rows, self.columns = -(-shape.rows // PATCH), -(-shape.columns // PATCH)
        self.text, self.single = Text(config), Single(config)
        self.first = nn.Conv2d(2 * config.fine, width // 2, 3, stride=2)
        self.second = nn.Conv2d(width // 2, width, 3, stride=2)
        where = directions(self.rows, self.columns, shape.aspect)
        self.register_buffer("known", known(*where), persistent=False)
        self.place = nn.Linear(4 * len(TURNS), width)
        cosine, sine = turns(*where, width // config.heads)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)
        lasts = [k + 1 == config.layers for k in range(config.layers)]
        self.layers = nn.ModuleList(Layer(config, self.rows, self.columns, last) for last in lasts)
        self.told = nn.Linear(width, 2 * config.fine + 1)
        self.seen = nn.Conv2d(2 * config.fine, config.fine, 3)
        self.mixed = nn.Conv2d(config.fine, config.fine, 3, padding=1)
        self.score = nn.Conv2d(config.fine, 1, 1)

    def forward(self, batch: Batch) -> Tensor:
        down, across = self.rows * PATCH - self.shape.rows, self.columns * PATCH - self.shape.columns
        cells = seen(batch, self.told.weight)
        cells = functional.pad(cells, (0, across, 0, down)) if down or across else cells
        words, there = self.text(batch)
        cells = around(self.single(cells, words, there))
        tokens = self.second(around(functional.gelu(self.first(cells))))
        tokens = tokens.flatten(2).transpose(1, 2) + self.place(self.known)
        words, turn = words.to(tokens.dtype), (self.cosine.to(tokens.dtype), self.sine.to(tokens.dtype))
        for layer in self.layers:
            tokens, words = layer(tokens, words, there, turn)
        scores = self.scored(self.seen(cells), self.told(even(tokens)))
        return scores[:, : self.shape.rows, : self.shape.columns]

    def scored(self, shown: Tensor, told: Tensor) -> Tensor:
        """Scores of cells (b, fine, ...) by what they show and what their tokens (b, n, 2 fine + 1) have heard."""
        fine = self.config.fine
        count, rows, columns = len(told), self.rows, self.columns
        grid = torch.split(told.view(count, rows, 1, columns, 1, -1), [fine, fine, 1], -1)
        apart = shown.permute(0, 2, 3, 1).reshape(count, rows, PATCH, columns, PATCH, fine)
        near = functional.gelu(apart * grid[0] + grid[1]).flatten(3, 4).flatten(1, 2).permute(0, 3, 1, 2)
        near = near + functional.gelu(self.mixed(near))
        scores = self.score(near)[:, 0].float()
        whole = grid[2][..., 0].expand(-1, -1, PATCH, -1, PATCH).flatten(3, 4).flatten(1, 2)
        added: Tensor = scores + whole.float()
        return added


class Text(nn.Module):
    """Words with their neighbours, and a last slot for nothing: who fits no word hears that."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.width
        self.words = nn.Embedding(config.shape.words, width)
        self.order = nn.Parameter(0.1 * torch.randn(config.longest, width))
        self.nothing = nn.Parameter(0.3 * torch.randn(width))
        self.near = nn.ModuleList(nn.Conv1d(width, width, 5, padding=2) for _ in range(2))
        self.dropout = nn.Dropout(config.dropout)
        nn.init.normal_(self.words.weight, std=0.5)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """(b, words + 1, width), and where there is something to hear (b, 1, 1, words + 1)."""
        there = batch.mask
        # Counted from the text's end, where the target is told.
        back = (batch.lengths[:, None] - 1 - torch.arange(there.shape[1], device=there.device)).clamp(0)
        order = functional.embedding(back.clamp(max=len(self.order) - 1), self.order)
        read = self.dropout(self.words(batch.words)) + order
        for near in self.near:
            quiet = even(read) * there[:, :, None]
            read = read + functional.gelu(near(quiet.transpose(1, 2)).transpose(1, 2))
        read = torch.cat([read, self.nothing.expand(len(read), 1, -1).to(read.dtype)], 1)
        return read, functional.pad(there, (0, 1), value=True)[:, None, None]


class Single(nn.Module):
    """Single cells ask the words before they are joined: there "red" and "door" still are of one thing."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = 2 * config.fine
        self.seen = nn.Linear(config.shape.channels, width)
        self.words = Ask(width, config.heads, config.width)
        self.fits, self.told = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.think = thinking(width, 2)

    def forward(self, cells: Tensor, words: Tensor, there: Tensor) -> Tensor:
        """(b, channels, rows, columns) -> (b, 2 fine, rows, columns), channels last in memory."""
        count, _, rows, columns = cells.shape
        given = self.seen(cells.permute(0, 2, 3, 1).flatten(1, 2))
        one = even(given)
        given = given + self.told(self.words(one, even(words), there) * (1 + self.fits(one)))
        thought: Tensor = given + self.think(even(given))
        return thought.view(count, rows, columns, -1).permute(0, 3, 1, 2)


class Ask(nn.Module):
    """Attention: who asks hears a mixture of what the asked say."""

    def __init__(self, width: int, heads: int, other: int | None = None) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.said = nn.Linear(width, width, bias=False), nn.Linear(other or width, 2 * width, bias=False)

    def forward(
        self, asks: Tensor, asked: Tensor, there: Tensor | None = None, turn: Turn = None, turned_too: Turn = None
    ) -> Tensor:
        query = self.query(asks).unflatten(2, (self.heads, -1)).transpose(1, 2)
        key, value = self.said(asked).unflatten(2, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        query, key = turned(query, turn), turned(key, turned_too)
        heard = functional.scaled_dot_product_attention(query, key, value, attn_mask=there)
        return heard.transpose(1, 2).flatten(2)


class Layer(nn.Module):
    """Cells ask the words, their neighbours and each other, and think; then words, which nobody asks after the last."""

    def __init__(self, config: Config, rows: int, columns: int, last: bool) -> None:
        super().__init__()
        width, heads = config.width, config.heads
        self.rows, self.columns = rows, columns
        self.words, self.cells = Ask(width, heads), Ask(width, heads)
        self.fits, self.told, self.heard = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.near = nn.Conv2d(width, width, 5, groups=width)
        self.think = thinking(width)
        self.after = None if last else Words(width, heads)

    def forward(self, tokens: Tensor, words: Tensor, there: Tensor, turn: Turn) -> tuple[Tensor, Tensor]:
        one = even(tokens)
        tokens = tokens + self.told(self.words(one, even(words), there) * (1 + self.fits(one)))
        one = even(tokens)
        grid = one.transpose(1, 2).view(len(one), -1, self.rows, self.columns)
        beside = self.near(around(grid, 2))
        tokens = tokens + beside.flatten(2).transpose(1, 2) + self.heard(self.cells(one, one, None, turn, turn))
        tokens = tokens + self.think(even(tokens))
        return tokens, words if self.after is None else self.after(words, tokens, there, turn)


class Words(nn.Module):
    """Words ask each other, then the cells where they are, and think."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.each_other, self.where = Ask(width, heads), Ask(width, heads)
        self.told, self.heard = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.think = thinking(width)

    def forward(self, words: Tensor, tokens: Tensor, there: Tensor, turn: Turn) -> Tensor:
        one = even(words)
        words = words + self.told(self.each_other(one, one, there))
        words = words + self.heard(self.where(even(words), even(tokens), None, None, turn))
        added: Tensor = self.think(even(words))
        return words + added


Turn = tuple[Tensor, Tensor] | None


def thinking(width: int, times: int = 4) -> nn.Sequential:
    """What each does for itself."""
    hidden = times * width
    return nn.Sequential(nn.Linear(width, hidden, bias=False), nn.GELU(), nn.Linear(hidden, width, bias=False))


def even(given: Tensor) -> Tensor:
    """Every vector with mean 0 and length 1 a number, in the precision it came in."""
    with torch.autocast(given.device.type, enabled=False):
        return functional.layer_norm(given, given.shape[-1:])


def around(cells: Tensor, by: int = 1) -> Tensor:
    """More cells on every side: the other end of the picture left and right, nothing above and below."""
    return functional.pad(torch.cat([cells[..., -by:], cells, cells[..., :by]], -1), (0, 0, by, by))


def directions(rows: int, columns: int, aspect: float = ASPECT) -> tuple[Tensor, Tensor]:
    """Heading and pitch in radians of tokens, row by row: the heading from the picture's middle.

    `aspect` is a slice's height divided by its width.
    """
    heading = (torch.arange(columns) + 0.5) / columns * 2 * torch.pi - torch.pi
    up = PAPER.width * aspect / 2 * (1 - (torch.arange(rows) + 0.5) / rows * 2)
    pitch = torch.atan2(up, torch.tensor(PAPER.focal))
    return heading.repeat(rows), pitch.repeat_interleave(columns)


def known(heading: Tensor, pitch: Tensor) -> Tensor:
    """What tokens know of where they lie: (n, 4 x len(TURNS)) sines and cosines."""
    angles = torch.stack([k * angle for k in TURNS for angle in (heading, STEEPEST * pitch)], 1)
    return torch.cat([angles.sin(), angles.cos()], 1)


def turns(heading: Tensor, pitch: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines (n, width) by which queries and keys are turned, the first half of a vector with the second."""
    each = width // 4  # pairs of numbers turned by the heading, and as many by the pitch
    finest = PAPER.columns / 2 / CELL
    frequencies = torch.unique((finest ** (torch.arange(each) / max(each - 1, 1))).round())
    whole = torch.cat([frequencies, torch.arange(1, each + 1 - len(frequencies)) + frequencies[-1]])
    angles = torch.cat([heading[:, None] * whole, STEEPEST * pitch[:, None] * whole], 1)
    return torch.cat([angles.cos(), angles.cos()], 1), torch.cat([-angles.sin(), angles.sin()], 1)


def turned(vectors: Tensor, turn: Turn) -> Tensor:
    """Every pair of numbers of vectors (..., n, width) turned by its angle."""
    if turn is None:
        return vectors
    cosine, sine = turn
    return torch.addcmul(vectors * cosine, vectors.roll(vectors.shape[-1] // 2, -1), sine)
