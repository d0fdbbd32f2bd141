"""Concat: a perceptron on every cell's channels and the text vector (Touchdown, appendix D.1).

The text is the same at every cell, so the first layer's part for it is computed once per example and added.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from bearleft.models.pointing.layers import WIDTH, Perceptron, flatten_map, input_features
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.text_encoder import DROPOUT, EMBEDDING_DIM, LSTM_DIM, TextEncoder


@dataclass(frozen=True)
class Config:
    """The released perceptron has two hidden layers, and no bias behind them."""

    shape: Shape
    hidden: int = WIDTH
    embedding_dim: int = EMBEDDING_DIM
    lstm_dim: int = LSTM_DIM
    dropout: float = DROPOUT  # of word embeddings
    released: bool = False


class Concat(PointNetwork):
    """The first layer's weight reads the feature map's channels first, then the text."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape = config, config.shape
        self.text = TextEncoder(config.shape.vocabulary_size, config.embedding_dim, config.lstm_dim, config.dropout)
        self.perceptron = Perceptron(config.shape.channels + self.text.output_dim, config.hidden, config.released)

    def forward(self, batch: Batch) -> Tensor:
        """Return scores (b, rows, columns)."""
        cells = flatten_map(input_features(batch, self.perceptron.first.weight))
        scores = score_with_text(cells, self.text(batch), self.perceptron)
        return scores.view(-1, self.shape.rows, self.shape.columns)


def score_with_text(cells: Tensor, text: Tensor, perceptron: Perceptron) -> Tensor:
    """Return scores (b, cells) of cells (b, cells, channels), each concatenated with its example's text (b, size)."""
    channels = cells.shape[2]
    weight = perceptron.first.weight
    text_part = functional.linear(text, weight[:, channels:], perceptron.first.bias)
    return perceptron.score_hidden(functional.linear(cells, weight[:, :channels]) + text_part[:, None])
