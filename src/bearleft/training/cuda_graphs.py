"""Updates as CUDA graphs: telling a card its thousand small tasks takes longer than doing them, so it is told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch
from torch import Tensor

WARM = 3  # updates that are done as usual first: libraries choose their kernels, the optimiser makes its state

Step = Callable[[Tensor, int], Tensor]


class Graphs:
    """Does `step(rows, longest)` -> loss, an update on the examples of some rows; a graph for every longest text.

    A step may ask nothing of the host, and does the same for the same `longest` whatever the rows.
    """

    def __init__(self, step: Step, rows: int, device: torch.device) -> None:
        self.step, self.rows = step, torch.zeros(rows, dtype=torch.int64, device=device)
        self.met: Counter[int] = Counter()
        self.graphs: dict[int, tuple[torch.cuda.CUDAGraph, Tensor]] = {}

    def __call__(self, rows: Tensor, longest: int) -> Tensor:
        self.rows.copy_(rows)
        if longest not in self.graphs:
            self.met[longest] += 1
            if self.met[longest] <= WARM:
                return self.step(self.rows, longest)
            self.graphs[longest] = self._record(longest)
        graph, loss = self.graphs[longest]
        graph.replay()
        return loss

    def _record(self, longest: int) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """A graph that does nothing yet; all graphs share their memory, since only one runs at a time."""
        graph = torch.cuda.CUDAGraph()
        pool = next((other.pool() for other, _ in self.graphs.values()), None)
        with torch.cuda.graph(graph, pool=pool):
            loss = self.step(self.rows, longest)
        return graph, loss
