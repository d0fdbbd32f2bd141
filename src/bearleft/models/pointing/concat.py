"""Concat: the text's vector beside every cell's channels, and a perceptron on both (Touchdown, appendix D.1).

The text is the same at every cell, so the first layer's part for it is computed once per example and added.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from bearleft.models.pointing.layers import WIDTH, Perceptron, flat, seen
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.text_encoder import DROPOUT, STATE, VECTOR, Text


@dataclass(frozen=True)
class Config:
    """The released perceptron has two hidden layers, and no bias behind them."""

    shape: Shape
    hidden: int = WIDTH
    vector: int = VECTOR
    state: int = STATE
    dropout: float = DROPOUT  # of word vectors
    released: bool = False


class Concat(PointNetwork):
    """The first layer's weight reads channels first, then the text."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        self.text = Text(config.shape.words, config.vector, config.state, config.dropout)
        self.perceptron = Perceptron(config.shape.channels + self.text.size, config.hidden, config.released)

    def forward(self, batch: Batch) -> Tensor:
        scores = beside(flat(seen(batch, self.perceptron.first.weight)), self.text(batch), self.perceptron)
        return scores.view(-1, self.shape.rows, self.shape.columns)


def beside(cells: Tensor, text: Tensor, perceptron: Perceptron) -> Tensor:
    """Scores (b, cells) of cells (b, cells, channels), each with its example's text (b, size) behind its channels."""
    channels = cells.shape[2]
    weight = perceptron.first.weight
    told = functional.linear(text, weight[:, channels:], perceptron.first.bias)
    return perceptron.rest(functional.linear(cells, weight[:, :channels]) + told[:, None])
