"""How much a network computes: multiply-adds of one training example, for shares of a device's peak.

The text's LSTM is left out: a text of 50 words takes less than a thousandth of LingUNet's map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bearleft.errors import unknown
from bearleft.models.pointing import concat, concatconv, lingunet, text2conv, unet
from bearleft.models.pointing.layers import KERNEL, WIDTH
from bearleft.models.pointing.network import Shape

TAPS = KERNEL * KERNEL


@dataclass(frozen=True)
class Work:
    """Multiply-adds; a multiply-add is two floating-point operations."""

    forward: int
    backward: int  # without the gradient of pictures, which nothing learns from
    update: int = 0  # of a whole batch, whatever its size

    @property
    def flops(self) -> int:
        """Floating-point operations of one training example."""
        return 2 * (self.forward + self.backward)

    def __add__(self, other: Work) -> Work:
        return Work(self.forward + other.forward, self.backward + other.backward, self.update + other.update)


def product(size: int, both: bool = True) -> Work:
    """A product of two matrices; `both` if both are learnt through."""
    return Work(size, size * (2 if both else 1))


NOTHING = Work(0, 0)


def flops(name: str, shape: Shape, **changes: Any) -> Work:
    """What a network of this name and Config computes for an example, as our code does it."""
    if name in ("unet", "lingunet"):
        return _levels(name, shape, **changes)
    if name == "concat":
        return _concat(concat.Config(shape, **changes))
    if name == "concatconv":
        return _concatconv(concatconv.Config(shape, **changes))
    if name == "text2conv":
        return _text2conv(text2conv.Config(shape, **changes))
    raise unknown("network whose work is known", name, ("unet", "concat", "concatconv", "text2conv", "lingunet"))


def _levels(name: str, shape: Shape, **changes: Any) -> Work:
    config = lingunet.Config(shape, **changes) if name == "lingunet" else unet.Config(shape, **changes)
    cells, width, m = shape.rows * shape.columns, config.width, config.m
    work = product(cells * TAPS * shape.channels * width, both=False)
    work += product(cells * TAPS * width * width * (m - 1))
    work += product(cells * TAPS * width * width * (2 * m - 1))
    if isinstance(config, lingunet.Config):
        work += product(2 * config.state * width * width) + product(cells * width * width * m)
    return work + product(cells * width * WIDTH) + _rest(cells, WIDTH, config.released)


def _concat(config: concat.Config) -> Work:
    cells, hidden = config.shape.rows * config.shape.columns, config.hidden
    work = product(cells * config.shape.channels * hidden, both=False)
    return work + product(2 * config.state * hidden) + _rest(cells, hidden, config.released)


def _concatconv(config: concatconv.Config) -> Work:
    if config.released:
        return _concat(config)
    shape, hidden, text = config.shape, config.hidden, 2 * config.state
    cells = shape.rows * shape.columns
    kinds = min(KERNEL, shape.rows) * min(KERNEL, shape.columns)
    work = product(cells * TAPS * shape.channels * hidden, both=False)
    work += product(text * TAPS * hidden)  # the text's taps
    work += product(kinds * TAPS * hidden, both=False)  # kinds of cells from them
    work += product(cells * kinds * hidden, both=False)  # and cells from kinds
    both = shape.channels + text
    merged = 3 * (hidden * both * both * TAPS + hidden * both)
    return work + _rest(cells, hidden, False) + Work(0, 0, merged)


def _text2conv(config: text2conv.Config) -> Work:
    cells, size = config.shape.rows * config.shape.columns, TAPS * config.shape.channels * config.made
    work = product(2 * config.state * size) + product(cells * size, both=False)
    return work + product(cells * config.made * WIDTH) + _rest(cells, WIDTH, config.released)


def _rest(cells: int, hidden: int, released: bool) -> Work:
    """The perceptron behind its first layer."""
    return (product(cells * hidden * hidden) if released else NOTHING) + product(cells * hidden)
