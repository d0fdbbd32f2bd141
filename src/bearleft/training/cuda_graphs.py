"""Training steps as CUDA graphs: launching thousands of small kernels takes longer than running them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch
from torch import Tensor

WARMUP_STEPS = 3  # steps without a graph: libraries choose their kernels, the optimizer allocates its state

Step = Callable[[Tensor, int], Tensor]


class GraphedStep:
    """Run a training step, `step(indices, max_length)` -> loss, by one CUDA graph per maximal text length.

    A step must not synchronize with the host, and must launch the same kernels for the same `max_length`.
    """

    def __init__(self, step: Step, batch_size: int, device: torch.device) -> None:
        self.step, self.indices = step, torch.zeros(batch_size, dtype=torch.int64, device=device)
        self.calls: Counter[int] = Counter()
        self.graphs: dict[int, tuple[torch.cuda.CUDAGraph, Tensor]] = {}

    def __call__(self, indices: Tensor, max_length: int) -> Tensor:
        """Run a step on the examples at these indices and return its loss."""
        self.indices.copy_(indices)
        if max_length not in self.graphs:
            self.calls[max_length] += 1
            if self.calls[max_length] <= WARMUP_STEPS:
                return self.step(self.indices, max_length)
            self.graphs[max_length] = self._capture(max_length)
        graph, loss = self.graphs[max_length]
        graph.replay()
        return loss

    def _capture(self, max_length: int) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """Capture a graph without running it; all graphs share their memory, since only one runs at a time."""
        graph = torch.cuda.CUDAGraph()
        pool = next((other.pool() for other, _ in self.graphs.values()), None)
        with torch.cuda.graph(graph, pool=pool):
            loss = self.step(self.indices, max_length)
        return graph, loss
