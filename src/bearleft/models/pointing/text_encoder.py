"""Text encoder of the paper's networks: word embeddings, a bidirectional LSTM, the mean of its states over the words.

A forward LSTM never reads the padding behind a text, and a backward LSTM never reads padding before it. So each text is
read twice, once aligned to the start of its row and once to the end, and each direction's states are taken from the
matching row: the result is exact, takes one call, and needs no length on the host.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bearleft.models.pointing.network import Batch

EMBEDDING_DIM = 300
LSTM_DIM = 300  # of each direction
DROPOUT = 0.5


class TextEncoder(nn.Module):
    """Encode texts as (b, 2 x lstm_dim) vectors, in single precision."""

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = EMBEDDING_DIM,
        lstm_dim: int = LSTM_DIM,
        dropout: float = DROPOUT,
    ) -> None:
        super().__init__()
        self.output_dim = 2 * lstm_dim
        self.embedding = nn.Embedding(vocabulary_size, embedding_dim, padding_idx=0)
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(embedding_dim, lstm_dim, batch_first=True, bidirectional=True)

    def forward(self, batch: Batch) -> Tensor:
        """Return text vectors (b, 2 x lstm_dim)."""
        # The LSTM's many small steps gain nothing from half precision.
        with torch.autocast(batch.words.device.type, enabled=False):
            return self._encode(batch)

    def _encode(self, batch: Batch) -> Tensor:
        count, max_length = batch.words.shape
        left_aligned = self.dropout(self.embedding(batch.words))
        index = torch.arange(max_length, device=batch.words.device) - (max_length - batch.lengths)[:, None]
        right_aligned = left_aligned.gather(1, index.clamp(min=0)[:, :, None].expand_as(left_aligned))
        states = self.lstm(torch.cat([left_aligned, right_aligned]))[0].view(2 * count, max_length, 2, -1)
        forward = (states[:count, :, 0] * batch.mask[:, :, None]).sum(1)
        backward = (states[count:, :, 1] * (index >= 0)[:, :, None]).sum(1)
        return torch.cat([forward, backward], 1) / batch.lengths[:, None]


def compile_network(network: nn.Module, **options: Any) -> nn.Module:
    """Return a network compiled by torch.compile, except for its text encoders.

    They are excluded here rather than by a decorator, which would import torch's compiler in every process.
    """
    for module in network.modules():
        if isinstance(module, TextEncoder):
            module.forward = torch.compiler.disable(module.forward)  # type: ignore[method-assign, no-untyped-call]
    compiled: nn.Module = torch.compile(network, **options)  # type: ignore[assignment]
    return compiled
