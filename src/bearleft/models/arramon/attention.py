"""Cross attention and general attention of ArraMon's models (appendix D, Eq. 7 to 14)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Bidirectional attention between the cells of views and words (Eq. 7 to 11)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.similarity = nn.Parameter(torch.empty(dim).uniform_(-(dim**-0.5), dim**-0.5))
        self.words = nn.Linear(3 * dim, dim)
        self.cells = nn.Linear(3 * dim, dim)

    def forward(self, cells: Tensor, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return fused cells (b, t, n, d) and fused words (b, t, l, d).

        Args:
            cells: Cells of views (b, t, n, d).
            words: Words (b, l, d).
            mask: (b, l): True where there is a word.
        """
        words = words[:, None].expand(-1, cells.shape[1], -1, -1)
        scores = (cells * self.similarity) @ words.transpose(2, 3)
        seen = scores.transpose(2, 3).softmax(3) @ cells
        read = scores.masked_fill(~mask[:, None, None], -torch.inf).softmax(3) @ words
        fused_words = self.words(torch.cat([words, seen, words * seen], 3))
        fused_cells = self.cells(torch.cat([cells, read, cells * read], 3))
        return fused_cells, fused_words


def general_attention(query: Tensor, keys: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return attended values (b, t, d) and weights (b, t, n) of a query (Eq. 12 to 14).

    Args:
        query: (b, t, d).
        keys: (b, t, n, d), or (b, n, d) if they are the same at all steps; they are the values too.
        mask: (b, n): True where there is a key.
    """
    is_shared = keys.ndim == 3
    scores = query @ keys.transpose(1, 2) if is_shared else (keys @ query[..., None])[..., 0]
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -torch.inf)
    weights = scores.softmax(2)
    return weights @ keys if is_shared else (weights[:, :, None] @ keys)[:, :, 0], weights
