"""LingUNet as the pointing paper's released program computes it: the peer of `bearleft bench pointing`.

Single precision with colours first in memory; every example's 1 x 1 kernel is applied by itself, in a loop; texts are
packed by length; the halves of a level are joined by copying. Written from what that program does, not from its text.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from bearleft.models.pointing.lingunet import Config, LingUNet
from bearleft.models.pointing.network import Batch, PointNetwork


class ReleasedForm(PointNetwork):
    """The same function as our LingUNet of the same Config, with `released`."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape, width = config, config.shape, config.width
        self.vectors = nn.Embedding(config.shape.words, config.vector, padding_idx=0)
        self.dropout = nn.Dropout(config.dropout)
        self.lstm = nn.LSTM(config.vector, config.state, batch_first=True, bidirectional=True)
        self.slices = [len(part) for part in torch.arange(2 * config.state).tensor_split(config.m)]
        self.kernels = nn.ModuleList(nn.Linear(size, width * width) for size in self.slices)
        self.convs = nn.ModuleList(
            nn.Conv2d(width if k else config.shape.channels, width, 5, padding=2) for k in range(config.m)
        )
        self.deconvs = nn.ModuleList(
            nn.ConvTranspose2d(width if k == config.m - 1 else 2 * width, width, 5, padding=2) for k in range(config.m)
        )
        self.perceptron = nn.Sequential(
            nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1, bias=False)
        )

    def forward(self, batch: Batch) -> Tensor:
        slices = torch.split(self.text(batch), self.slices, 1)
        maps, seen = [], batch.cells
        for conv, layer, part in zip(self.convs, self.kernels, slices, strict=True):
            seen = conv(seen)
            maps.append(self.through(seen, layer(part)))
        up = self.deconvs[-1](maps[-1])
        for deconv, side in zip(reversed(self.deconvs[:-1]), maps[-2::-1], strict=True):
            up = deconv(torch.cat([up, side], 1))
        scores: Tensor = self.perceptron(up.permute(0, 2, 3, 1))
        return scores[..., 0]

    def text(self, batch: Batch) -> Tensor:
        """The mean of the states of each text's words; lengths may lie on the CPU, so that nothing waits for them."""
        read = self.dropout(self.vectors(batch.words))
        packed = pack_padded_sequence(read, batch.lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return states.sum(1) / batch.lengths.to(states.device)[:, None]

    def through(self, maps: Tensor, kernels: Tensor) -> Tensor:
        """One example after another."""
        width = self.config.width
        each = [
            functional.conv2d(one[None], kernel.view(width, width, 1, 1))
            for one, kernel in zip(maps, kernels, strict=True)
        ]
        return torch.cat(each)


def with_weights_of(ours: LingUNet) -> ReleasedForm:
    """The peer with our network's weights."""
    made = ReleasedForm(ours.config)
    perceptron = ours.perceptron
    pairs = [
        (made.vectors, ours.text.vectors),
        (made.lstm, ours.text.lstm),
        (made.convs, ours.convs),
        (made.deconvs, ours.deconvs),
        (made.perceptron[0], perceptron.first),
        (made.perceptron[2], perceptron.second),
        (made.perceptron[4], perceptron.score),
    ]
    for theirs, own in pairs:
        assert isinstance(own, nn.Module)
        theirs.load_state_dict(own.state_dict())
    width = ours.config.width
    with torch.no_grad():
        for theirs, own in zip(made.kernels, ours.kernels, strict=True):
            assert isinstance(theirs, nn.Linear) and isinstance(own, nn.Linear)  # as they were made
            # Ours are (in, out) by example, torch's convolutions (out, in).
            theirs.weight.copy_(own.weight.view(width, width, -1).transpose(0, 1).flatten(0, 1))
            theirs.bias.copy_(own.bias.view(width, width).t().flatten())
    return made
