"""A text as one vector: word vectors, a bidirectional LSTM, the mean of its states over the text's own words.

An LSTM that reads ahead never sees the padding behind a text, and one that reads back never sees padding before it. So
each text is read twice, once at the front of its row and once at the end, and each direction's states are taken from
the row that suits it: exact, one call, and no length has to be known outside the device.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bearleft.models.pointing.network import Batch

VECTOR = 300
STATE = 300  # each way
DROPOUT = 0.5


class Text(nn.Module):
    """(b, 2 x state) vectors of texts; single precision, outside of what torch.compile compiles."""

    def __init__(self, words: int, vector: int = VECTOR, state: int = STATE, dropout: float = DROPOUT) -> None:
        super().__init__()
        self.size = 2 * state
        self.vectors = nn.Embedding(words, vector, padding_idx=0)
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(vector, state, batch_first=True, bidirectional=True)

    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def forward(self, batch: Batch) -> Tensor:
        # The LSTM's many small steps gain nothing from half precision.
        with torch.autocast(batch.words.device.type, enabled=False):
            return self.read(batch)

    def read(self, batch: Batch) -> Tensor:
        count, longest = batch.words.shape
        early = self.dropout(self.vectors(batch.words))
        at = torch.arange(longest, device=batch.words.device) - (longest - batch.lengths)[:, None]
        late = early.gather(1, at.clamp(min=0)[:, :, None].expand_as(early))
        states = self.lstm(torch.cat([early, late]))[0].view(2 * count, longest, 2, -1)
        ahead = (states[:count, :, 0] * batch.mask[:, :, None]).sum(1)
        back = (states[count:, :, 1] * (at >= 0)[:, :, None]).sum(1)
        return torch.cat([ahead, back], 1) / batch.lengths[:, None]
