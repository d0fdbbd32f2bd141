"""LingUNet as Touchdown's released program computes it: the peer of `bearleft bench pointing`.

It computes in float32 with channels first in memory, applies each example's 1 x 1 kernel in a loop, packs texts by
length, and concatenates the skip connections. It is written from what that program does, not from its source.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from bearleft.models.pointing.lingunet import Config, LingUNet
from bearleft.models.pointing.network import Batch, PointNetwork


class ReleasedLingUNet(PointNetwork):
    """The same function as our LingUNet with the same Config and `released`."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.shape, width = config, config.shape, config.width
        self.embedding = nn.Embedding(config.shape.vocabulary_size, config.embedding_dim, padding_idx=0)
        self.dropout = nn.Dropout(config.dropout)
        self.lstm = nn.LSTM(config.embedding_dim, config.lstm_dim, batch_first=True, bidirectional=True)
        self.slices = [len(part) for part in torch.arange(2 * config.lstm_dim).tensor_split(config.m)]
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
        """Return the scores of all cells (n, rows, columns)."""
        slices = torch.split(self.encode_text(batch), self.slices, 1)
        maps, x = [], batch.features
        for conv, layer, part in zip(self.convs, self.kernels, slices, strict=True):
            x = conv(x)
            maps.append(self.apply_kernels(x, layer(part)))
        up = self.deconvs[-1](maps[-1])
        for deconv, side in zip(reversed(self.deconvs[:-1]), maps[-2::-1], strict=True):
            up = deconv(torch.cat([up, side], 1))
        scores: Tensor = self.perceptron(up.permute(0, 2, 3, 1))
        return scores[..., 0]

    def encode_text(self, batch: Batch) -> Tensor:
        """Return the mean LSTM state of each text; lengths on the CPU avoid a synchronization."""
        embedded = self.dropout(self.embedding(batch.words))
        packed = pack_padded_sequence(embedded, batch.lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return states.sum(1) / batch.lengths.to(states.device)[:, None]

    def apply_kernels(self, maps: Tensor, kernels: Tensor) -> Tensor:
        """Apply each example's kernel, one example after another."""
        width = self.config.width
        filtered = [
            functional.conv2d(example[None], kernel.view(width, width, 1, 1))
            for example, kernel in zip(maps, kernels, strict=True)
        ]
        return torch.cat(filtered)


def with_weights_of(ours: LingUNet) -> ReleasedLingUNet:
    """Return the peer with our network's weights."""
    released = ReleasedLingUNet(ours.config)
    perceptron = ours.perceptron
    pairs = [
        (released.embedding, ours.text.embedding),
        (released.lstm, ours.text.lstm),
        (released.convs, ours.convs),
        (released.deconvs, ours.deconvs),
        (released.perceptron[0], perceptron.first),
        (released.perceptron[2], perceptron.second),
        (released.perceptron[4], perceptron.score),
    ]
    for theirs, own in pairs:
        assert isinstance(own, nn.Module)
        theirs.load_state_dict(own.state_dict())
    width = ours.config.width
    with torch.no_grad():
        for theirs, own in zip(released.kernels, ours.kernels, strict=True):
            assert isinstance(theirs, nn.Linear) and isinstance(own, nn.Linear)
            # Ours are (in, out) by example, torch's convolutions (out, in).
            theirs.weight.copy_(own.weight.view(width, width, -1).transpose(0, 1).flatten(0, 1))
            theirs.bias.copy_(own.bias.view(width, width).t().flatten())
    return released
