"""An agent's mind that finds by turning its view: what it remembers, what it was told, and where to look next.

It sees 90 degrees at a time. What it has seen it keeps on a map of the sphere (`look_sphere.Memory`), turned so that
the direction in which the last sentence left it is in the middle: "to the right of it" is then always the same way on
the map. Cells of that map read the words themselves, and pass on to their neighbours what they found, near and far; the
result is how likely each direction is to be the one that the sentence leads to. That is coarse, 6 degrees a cell. Once
the view has been turned there, its own cells, finer ones, are scored in the same way, with what the map knew about
their directions; the best of them is where the sentence leads, and after the last one the answer. Who may only turn by
steps has a small head more: from where the map believes the goal to be to left, right, up, down or next.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.looking.sphere import Memory, Sphere, degrees, sampled, spots
from bearleft.models.looking.sphere import out_of_view as directions_of

TURNS = ("left", "right", "up", "down", "next")
AGES = 8  # sentences back that are told apart
FOCUS = 12.0  # degrees around the direction one comes from
REACH = (1, 2, 4, 1, 2, 4)  # cells between what the layers of the map join
SEEN = 0.1  # of a cell, so much that one knows it
HINTS = 9  # what the head that turns is told


@dataclass(frozen=True)
class Config:
    """How large the mind is. `side` is a view's pixels; the trunk's cells are joined `pool` by `pool`."""

    words: int
    channels: int = 128
    width: int = 128
    heads: int = 4
    dropout: float = 0.2
    side: int = 448
    pool: int = 2
    rows: int = 20
    columns: int = 60

    @property
    def sphere(self) -> Sphere:
        return Sphere(self.rows, self.columns)

    @property
    def cells(self) -> int:
        """Cells along a view's side."""
        return self.side // 8 // self.pool


@dataclass(frozen=True, eq=False)
class Told:
    """Sentences up to the present one: words (n, longest), 0 behind the end, how many sentences ago each was said."""

    words: Tensor
    ages: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        return torch.arange(self.words.shape[1], device=self.words.device) < self.lengths[:, None]


@dataclass(frozen=True, eq=False)
class Belief:
    """Where a sentence leads to, as far as the map of the sphere tells."""

    scores: Tensor  # (n, rows, columns), turned so that `focus` is in the middle
    known: Tensor  # (n, rows, columns, width)
    focus: Tensor  # (n, 2): the direction in which the sentence began
    words: Tensor = field(repr=False)  # (n, longest, width)
    mask: Tensor = field(repr=False)

    def some(self, which: Tensor) -> Belief:
        """That of some players."""
        return Belief(*(one[which] for one in (self.scores, self.known, self.focus, self.words, self.mask)))

    @property
    def chances(self) -> Tensor:
        """(n, rows x columns)."""
        return torch.softmax(self.scores.flatten(1).float(), 1)


class Looker(nn.Module):
    """Reads sentences and remembers views; says where to look."""

    ways: Tensor
    known: Tensor
    spots: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.sphere = config, config.sphere
        width = config.width
        self.text = Text(config)
        ways = self.sphere.directions()
        self.register_buffer("ways", ways, persistent=False)
        self.register_buffer("known", _sines(ways), persistent=False)
        self.register_buffer("spots", spots(config.cells), persistent=False)
        self.enter = nn.Linear(config.channels + self.known.shape[2] + 2, width)
        self.layers = nn.ModuleList(Layer(width, config.heads, reach, config.dropout) for reach in REACH)
        self.score = nn.Linear(width, 1)
        self.close = nn.Linear(config.channels + width + 1 + 2, width)
        self.finer = nn.ModuleList(Layer(width, config.heads, reach, config.dropout, False) for reach in (1, 2, 1))
        self.fine = nn.Linear(width, 1)
        self.turn = nn.Sequential(nn.Linear(HINTS, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 5))

    def forward(self, told: Told, memory: Memory, focus: Tensor) -> Belief:
        """What the map tells: memory of the world, and the direction (n, 2) in which the sentence began."""
        words = self.text(told)
        ahead = memory.ahead(focus[:, 0])
        here = torch.stack([torch.zeros_like(focus[:, 1]), focus[:, 1]], -1)
        away = degrees(self.ways[None], here[:, None, None])
        got = torch.exp(-(away**2) / (2 * FOCUS**2))[..., None]
        cells, seen = ahead.cells.permute(0, 2, 3, 1), (ahead.seen > SEEN).permute(0, 2, 3, 1)
        known = self.known.expand(len(cells), *self.known.shape)
        x = self.enter(torch.cat([one.to(cells.dtype) for one in (cells, known, got, seen)], 3))
        for layer in self.layers:
            x = layer(x, words, told.mask)
        return Belief(self.score(x)[..., 0].float(), x, focus, words, told.mask)

    def pointed(self, belief: Belief, view: Tensor, look: Tensor) -> Tensor:
        """(n, cells, cells) scores of the cells of a view (n, channels, cells, cells) in direction `look`."""
        ways = self.view_ways(look)
        from_focus = torch.stack([ways[..., 0] - belief.focus[:, None, None, 0], ways[..., 1]], -1)
        likely = functional.log_softmax(belief.scores.flatten(1), 1).reshape(belief.scores.shape)[..., None]
        known = torch.cat([belief.known.float(), likely], 3).permute(0, 3, 1, 2)
        told = sampled(self.sphere, known, from_focus).permute(0, 2, 3, 1)
        where = self.spots.expand(len(view), *self.spots.shape)
        x = self.close(torch.cat([one.to(view.dtype) for one in (view.permute(0, 2, 3, 1), told, where)], 3))
        for layer in self.finer:
            x = layer(x, belief.words, belief.mask)
        scored: Tensor = self.fine(x)[..., 0].float()
        return scored

    def view_ways(self, look: Tensor) -> Tensor:
        """(n, cells, cells, 2): the directions of the cells of views (n, 2)."""
        return directions_of(look, self.spots.expand(len(look), *self.spots.shape))

    def turned(self, belief: Belief, look: Tensor) -> Tensor:
        """(n, 5) scores of TURNS for who looks in the direction `look`; the belief itself is not taught by them."""
        return self.turn(hints(self.ways, belief, look))  # type: ignore[no-any-return]

    def best(self, belief: Belief) -> Tensor:
        """(n, 2): the likeliest direction of the map."""
        ways = self.ways.flatten(0, 1)[belief.scores.flatten(1).argmax(1)]
        return torch.stack([(ways[:, 0] + belief.focus[:, 0]) % 360.0, ways[:, 1]], -1)

    def best_of_view(self, scores: Tensor, look: Tensor) -> Tensor:
        """(n, 2): the likeliest direction of views, between the cells around the best one as they are likely."""
        side = scores.shape[1]
        chance = torch.softmax(scores.flatten(1), 1)
        at = chance.argmax(1)
        cell = torch.arange(side * side, device=scores.device)
        beside = ((cell // side - at[:, None] // side).abs() <= 1) & ((cell % side - at[:, None] % side).abs() <= 1)
        weight = chance * beside
        spot = (weight[..., None] * self.spots.flatten(0, 1)).sum(1) / weight.sum(1, keepdim=True)
        return directions_of(look, spot[:, None])[:, 0]


def _sines(ways: Tensor) -> Tensor:
    """(rows, columns, 6): what a cell knows of where it lies, from the direction one comes from."""
    heading, pitch = torch.deg2rad(ways).unbind(-1)
    return torch.stack([heading.sin(), heading.cos(), (2 * heading).sin(), (2 * heading).cos(), pitch, pitch**2], 2)


def hints(ways: Tensor, belief: Belief, look: Tensor) -> Tensor:
    """(n, HINTS): where the likeliest direction and the mean one lie from the view, and how sure that is."""
    chance = belief.chances.detach()
    heading = torch.deg2rad(ways[..., 0].flatten() + (belief.focus[:, :1] - look[:, :1]))
    up = (ways[..., 1].flatten() - look[:, 1:]) / 90.0
    sine, cosine = heading.sin(), heading.cos()
    best = chance.argmax(1, keepdim=True)
    middle = [(chance * one).sum(1) for one in (sine, cosine, up)]
    mode = [one.gather(1, best)[:, 0] for one in (sine, cosine, up)]
    around = torch.atan2(mode[0], mode[1]) / torch.pi
    return torch.stack([*middle, *mode, around, chance.amax(1), look[:, 1] / 90.0], 1)


class Text(nn.Module):
    """Words with their neighbours, each knowing how many sentences ago it was said."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.width
        self.words = nn.Embedding(config.words, width, padding_idx=0)
        self.ages = nn.Embedding(AGES, width)
        self.order = nn.GRU(width, width // 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, told: Told) -> Tensor:
        given = self.words(told.words) + self.ages(told.ages.clamp(max=AGES - 1))
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(given), told.lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        with torch.autocast(given.device.type, enabled=False):  # a recurrent layer gains nothing from half precision
            order = self.order(packed)[0]
        read, _ = nn.utils.rnn.pad_packed_sequence(order, True, total_length=told.words.shape[1])
        return self.dropout(self.norm(read + given))  # type: ignore[no-any-return]


class Layer(nn.Module):
    """Cells (n, rows, columns, width) hear words, then neighbours `reach` cells away; a map's two ends may meet."""

    def __init__(self, width: int, heads: int, reach: int, dropout: float, wraps: bool = True) -> None:
        super().__init__()
        self.heads, self.reach, self.wraps = heads, reach, wraps
        self.asked, self.heard = nn.LayerNorm(width), nn.LayerNorm(width)
        self.asks = nn.Linear(width, width)
        self.says = nn.Linear(width, 2 * width)
        self.takes = nn.Linear(width, width)
        self.joins = nn.Conv2d(width, width, 3, dilation=reach)
        self.thinks = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        query = self.asks(self.asked(x)).flatten(1, 2).unflatten(2, (self.heads, -1)).transpose(1, 2)
        key, value = self.says(words).unflatten(2, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value, mask[:, None, None, :])
        x = x + self.dropout(self.takes(found.transpose(1, 2).flatten(2))).reshape(x.shape)
        joined = self.joins(self._around(self.heard(x)).permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return x + self.dropout(self.thinks(functional.gelu(joined)))  # type: ignore[no-any-return]

    def _around(self, x: Tensor) -> Tensor:
        by = self.reach
        if self.wraps:
            x = torch.cat([x[:, :, -by:], x, x[:, :, :by]], 2)
        return functional.pad(x, (0, 0, 0 if self.wraps else by, 0 if self.wraps else by, by, by))
