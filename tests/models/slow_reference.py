"""Networks that point, written plainly: one example at a time, one tap at a time, nothing split or merged."""

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
from bearleft.models.pointing.text_encoder import Text
from bearleft.models.pointing.unet import UNet


def scores(network: PointNetwork, batch: Batch) -> Tensor:
    """(b, rows, columns), by the network's own parameters."""
    rows = []
    for cells, words, length in zip(batch.cells, batch.words, batch.lengths, strict=True):
        rows.append(one(network, cells, words[: int(length)]))
    return torch.stack(rows)


def one(network: PointNetwork, cells: Tensor, words: Tensor) -> Tensor:
    """The map of one example, cells (channels, rows, columns)."""
    if isinstance(network, UNet):
        return perceptron(network.perceptron, ladder(network, cells, None))
    assert isinstance(network, Concat | ConcatConv | Text2Conv | LingUNet)
    vector = text(network.text, words)
    if isinstance(network, LingUNet):
        return perceptron(network.perceptron, ladder(network, cells, vector))
    if isinstance(network, Text2Conv):
        numbers = network.kernel(vector)
        kernel = numbers.view(5, 5, cells.shape[0], network.config.made).permute(3, 2, 0, 1)
        return perceptron(network.perceptron, functional.conv2d(cells[None], kernel, padding=2)[0])
    both = torch.cat([cells, vector[:, None, None].expand(-1, *cells.shape[1:])])
    if isinstance(network, ConcatConv) and not network.config.released:
        both = network.conv(both[None])[0]
    return perceptron(network.perceptron, both)


def ladder(network: UNet | LingUNet, cells: Tensor, vector: Tensor | None) -> Tensor:
    """F_1 ... F_m, G_1 ... G_m, H_m ... H_1, with torch's own layers."""
    down, width, start = [], network.config.width, 0
    for k, conv in enumerate(network.convs):
        cells = conv(cells[None])[0]
        told = cells
        if isinstance(network, LingUNet) and vector is not None:
            layer = network.kernels[k]
            size = layer.in_features
            assert isinstance(size, int)
            kernel = layer(vector[start : start + size]).view(width, width).t()
            told = functional.conv2d(cells[None], kernel[:, :, None, None])[0]
            start += size
        down.append(told)
    assert vector is None or start == len(vector)
    up: Tensor = network.deconvs[-1](down[-1][None])[0]
    for k in reversed(range(len(down) - 1)):
        up = network.deconvs[k](torch.cat([up, down[k]])[None])[0]
    return up


def perceptron(layers: Perceptron, maps: Tensor) -> Tensor:
    """A score for every cell, one after the other."""
    _, rows, columns = maps.shape
    found = []
    for row in range(rows):
        for column in range(columns):
            hidden = functional.relu(layers.first(maps[:, row, column]))
            if layers.second is not None:
                hidden = functional.relu(layers.second(hidden))
            found.append(layers.score(hidden)[0])
    return torch.stack(found).view(rows, columns)


def text(layers: Text, words: Tensor) -> Tensor:
    """The mean of a BiLSTM's states over exactly these words (without dropout)."""
    vectors = [layers.vectors.weight[word] for word in words]
    ahead = states(layers.lstm, vectors, "")
    back = states(layers.lstm, vectors[::-1], "_reverse")[::-1]
    total = sum((torch.cat(both) for both in zip(ahead, back, strict=True)), torch.zeros(()))
    return total / len(vectors)


def states(lstm: nn.LSTM, vectors: list[Tensor], way: str) -> list[Tensor]:
    """An LSTM's states, by its equations: gates for the input, forgetting, the candidate, the output."""
    weights = dict(lstm.named_parameters())
    of_input, of_state = weights[f"weight_ih_l0{way}"], weights[f"weight_hh_l0{way}"]
    bias = weights[f"bias_ih_l0{way}"] + weights[f"bias_hh_l0{way}"]
    state = cell = torch.zeros(lstm.hidden_size, dtype=bias.dtype)
    found = []
    for vector in vectors:
        into, forget, candidate, out = (of_input @ vector + of_state @ state + bias).chunk(4)
        cell = forget.sigmoid() * cell + into.sigmoid() * candidate.tanh()
        state = out.sigmoid() * cell.tanh()
        found.append(state)
    return found
