"""Slow reference implementations of the pointing networks: one example and one cell at a time."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.models.pointing.concat import Concat
from bearleft.models.pointing.concatconv import ConcatConv
from bearleft.models.pointing.layers import Perceptron
from bearleft.models.pointing.lingunet import LingUNet
from bearleft.models.pointing.network import Batch, PointNetwork
from bearleft.models.pointing.text2conv import Text2Conv
from bearleft.models.pointing.text_encoder import TextEncoder
from bearleft.models.pointing.unet import UNet


def scores(network: PointNetwork, batch: Batch) -> Tensor:
    """Return scores (b, rows, columns) with the network's own parameters."""
    rows = []
    for features, words, length in zip(batch.features, batch.words, batch.lengths, strict=True):
        rows.append(score_example(network, features, words[: int(length)]))
    return torch.stack(rows)


def score_example(network: PointNetwork, cells: Tensor, words: Tensor) -> Tensor:
    """Return the scores of one example with features (channels, rows, columns)."""
    if isinstance(network, UNet):
        return perceptron(network.perceptron, encode_decode(network, cells, None))
    assert isinstance(network, Concat | ConcatConv | Text2Conv | LingUNet)
    vector = text(network.text, words)
    if isinstance(network, LingUNet):
        return perceptron(network.perceptron, encode_decode(network, cells, vector))
    if isinstance(network, Text2Conv):
        numbers = network.kernel(vector)
        kernel = numbers.view(5, 5, cells.shape[0], network.config.out_channels).permute(3, 2, 0, 1)
        return perceptron(network.perceptron, functional.conv2d(cells[None], kernel, padding=2)[0])
    both = torch.cat([cells, vector[:, None, None].expand(-1, *cells.shape[1:])])
    if isinstance(network, ConcatConv) and not network.config.released:
        both = network.conv(both[None])[0]
    return perceptron(network.perceptron, both)


def encode_decode(network: UNet | LingUNet, cells: Tensor, vector: Tensor | None) -> Tensor:
    """Return H_1 by torch's own layers."""
    down, width, start = [], network.config.width, 0
    for k, conv in enumerate(network.convs):
        cells = conv(cells[None])[0]
        filtered = cells
        if isinstance(network, LingUNet) and vector is not None:
            layer = network.kernels[k]
            size = layer.in_features
            assert isinstance(size, int)
            kernel = layer(vector[start : start + size]).view(width, width).t()
            filtered = functional.conv2d(cells[None], kernel[:, :, None, None])[0]
            start += size
        down.append(filtered)
    assert vector is None or start == len(vector)
    up: Tensor = network.deconvs[-1](down[-1][None])[0]
    for k in reversed(range(len(down) - 1)):
        up = network.deconvs[k](torch.cat([up, down[k]])[None])[0]
    return up


def perceptron(layers: Perceptron, maps: Tensor) -> Tensor:
    """Return a score for every cell, one after the other."""
    _, rows, columns = maps.shape
    scores = []
    for row in range(rows):
        for column in range(columns):
            hidden = functional.relu(layers.first(maps[:, row, column]))
            if layers.second is not None:
                hidden = functional.relu(layers.second(hidden))
            scores.append(layers.score(hidden)[0])
    return torch.stack(scores).view(rows, columns)


def text(layers: TextEncoder, words: Tensor) -> Tensor:
    """Return the mean of a BiLSTM's states over exactly these words (without dropout)."""
    vectors = [layers.embedding.weight[word] for word in words]
    ahead = lstm_states(layers.lstm, vectors, "")
    back = lstm_states(layers.lstm, vectors[::-1], "_reverse")[::-1]
    total = sum((torch.cat(both) for both in zip(ahead, back, strict=True)), torch.zeros(()))
    return total / len(vectors)


def lstm_states(lstm: nn.LSTM, vectors: list[Tensor], suffix: str) -> list[Tensor]:
    """Return an LSTM's states, by its equations."""
    weights = dict(lstm.named_parameters())
    of_input, of_state = weights[f"weight_ih_l0{suffix}"], weights[f"weight_hh_l0{suffix}"]
    bias = weights[f"bias_ih_l0{suffix}"] + weights[f"bias_hh_l0{suffix}"]
    state = cell = torch.zeros(lstm.hidden_size, dtype=bias.dtype)
    states = []
    for vector in vectors:
        gate, forget, candidate, out = (of_input @ vector + of_state @ state + bias).chunk(4)
        cell = forget.sigmoid() * cell + gate.sigmoid() * candidate.tanh()
        state = out.sigmoid() * cell.tanh()
        states.append(state)
    return states
