"""Multiply-adds of pointing networks per training example, to compare with a device's peak.

The text's LSTM is not counted: a text of 50 words takes less than a thousandth of LingUNet's map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bearleft.errors import unknown_name
from bearleft.models.pointing import concat, concatconv, lingunet, text2conv, unet
from bearleft.models.pointing.layers import KERNEL_SIZE, WIDTH
from bearleft.models.pointing.network import Shape

TAPS = KERNEL_SIZE * KERNEL_SIZE


@dataclass(frozen=True)
class MultiplyAdds:
    """Multiply-adds of a training example; each is two floating-point operations."""

    forward: int
    backward: int  # without the gradient of the feature map, which nothing is trained by
    update: int = 0  # per batch, independent of its size

    @property
    def flops(self) -> int:
        """Return the floating-point operations of one training example."""
        return 2 * (self.forward + self.backward)

    def __add__(self, other: MultiplyAdds) -> MultiplyAdds:
        return MultiplyAdds(self.forward + other.forward, self.backward + other.backward, self.update + other.update)


def matmul(size: int, two_gradients: bool = True) -> MultiplyAdds:
    """Return the cost of a matrix product; `two_gradients` if both factors need a gradient."""
    return MultiplyAdds(size, size * (2 if two_gradients else 1))


ZERO = MultiplyAdds(0, 0)


def multiply_adds(name: str, shape: Shape, **overrides: Any) -> MultiplyAdds:
    """Return what a network of this name and these overrides of its Config computes per example."""
    if name in ("unet", "lingunet"):
        return _unet(name, shape, **overrides)
    if name == "concat":
        return _concat(concat.Config(shape, **overrides))
    if name == "concatconv":
        return _concatconv(concatconv.Config(shape, **overrides))
    if name == "text2conv":
        return _text2conv(text2conv.Config(shape, **overrides))
    raise unknown_name("network with known operations", name, ("unet", "concat", "concatconv", "text2conv", "lingunet"))


def _unet(name: str, shape: Shape, **overrides: Any) -> MultiplyAdds:
    config = lingunet.Config(shape, **overrides) if name == "lingunet" else unet.Config(shape, **overrides)
    cells, width, m = shape.rows * shape.columns, config.width, config.m
    total = matmul(cells * TAPS * shape.channels * width, two_gradients=False)
    total += matmul(cells * TAPS * width * width * (m - 1))
    total += matmul(cells * TAPS * width * width * (2 * m - 1))
    if isinstance(config, lingunet.Config):
        total += matmul(2 * config.lstm_dim * width * width) + matmul(cells * width * width * m)
    return total + matmul(cells * width * WIDTH) + _perceptron_tail(cells, WIDTH, config.released)


def _concat(config: concat.Config) -> MultiplyAdds:
    cells, hidden = config.shape.rows * config.shape.columns, config.hidden
    total = matmul(cells * config.shape.channels * hidden, two_gradients=False)
    return total + matmul(2 * config.lstm_dim * hidden) + _perceptron_tail(cells, hidden, config.released)


def _concatconv(config: concatconv.Config) -> MultiplyAdds:
    if config.released:
        return _concat(config)
    shape, hidden, text = config.shape, config.hidden, 2 * config.lstm_dim
    cells = shape.rows * shape.columns
    cases = min(KERNEL_SIZE, shape.rows) * min(KERNEL_SIZE, shape.columns)
    total = matmul(cells * TAPS * shape.channels * hidden, two_gradients=False)
    total += matmul(text * TAPS * hidden)  # taps of the text
    total += matmul(cases * TAPS * hidden, two_gradients=False)  # border cases from taps
    total += matmul(cells * cases * hidden, two_gradients=False)  # cells from border cases
    channels = shape.channels + text
    merged = 3 * (hidden * channels * channels * TAPS + hidden * channels)
    return total + _perceptron_tail(cells, hidden, False) + MultiplyAdds(0, 0, merged)


def _text2conv(config: text2conv.Config) -> MultiplyAdds:
    cells, size = config.shape.rows * config.shape.columns, TAPS * config.shape.channels * config.out_channels
    total = matmul(2 * config.lstm_dim * size) + matmul(cells * size, two_gradients=False)
    return total + matmul(cells * config.out_channels * WIDTH) + _perceptron_tail(cells, WIDTH, config.released)


def _perceptron_tail(cells: int, hidden: int, released: bool) -> MultiplyAdds:
    """Return the cost of the perceptron after its first layer."""
    return (matmul(cells * hidden * hidden) if released else ZERO) + matmul(cells * hidden)
