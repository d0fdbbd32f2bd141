"""Updates that are recorded once and repeated: here by a card that only pretends, and by a real one where there is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from bearleft.models.features.base import IndexedPanoramas
from bearleft.models.features.cached import CachedFeatures
from bearleft.training.cuda_graphs import WARMUP_STEPS, GraphedStep
from bearleft.training.distributed import ProcessGroup
from bearleft.training.pointing.batches import epoch_order
from bearleft.training.pointing.loop import Trainer
from tests.training.synthetic_task import PLAIN, SLICING, make_task


class Graph:
    """Keeps what is done while it records, undone; `replay` does it."""

    recording: ClassVar[Graph | None] = None

    def __init__(self) -> None:
        self.tasks: list[Callable[[], None]] = []
        self.given: Any = None  # whose memory it shares
        self.replayed = 0

    def pool(self) -> Graph:
        return self

    def replay(self) -> None:
        self.replayed += 1
        for task in self.tasks:
            task()


class Card:
    """Says what was done, in order; losses lie in one place for each time that the step is told."""

    def __init__(self) -> None:
        self.done: list[tuple[int, list[int]]] = []
        self.told = 0

    def step(self, indices: Tensor, longest: int) -> Tensor:
        loss = torch.zeros(())
        self.told += 1

        def task() -> None:
            self.done.append((longest, indices.tolist()))
            loss.fill_(1000 * longest + int(indices.sum()))

        if Graph.recording is None:
            task()
        else:
            Graph.recording.tasks.append(task)
        return loss


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Card:
    @contextlib.contextmanager
    def graph(one: Graph, pool: Any = None) -> Iterator[None]:
        assert Graph.recording is None
        one.given, Graph.recording = pool, one
        yield
        Graph.recording = None

    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", graph)
    return Card()


def test_each_call_is_one_update_on_its_indices(card: Card) -> None:
    graphs = GraphedStep(card.step, 2, torch.device("cpu"))
    rng = np.random.default_rng(0)
    asked = [(int(longest), rng.integers(0, 99, 2).tolist()) for longest in rng.choice([16, 32, 48], 60)]
    for longest, indices in asked:
        loss = graphs(torch.tensor(indices), longest)
        assert float(loss) == 1000 * longest + sum(indices)
    assert card.done == asked


def test_graph_per_length_after_warmup(card: Card) -> None:
    graphs = GraphedStep(card.step, 1, torch.device("cpu"))
    for k in range(WARMUP_STEPS):
        graphs(torch.tensor([k]), 16)
    assert not graphs.graphs and card.told == WARMUP_STEPS
    for k in range(5):
        graphs(torch.tensor([k]), 16)
    assert list(graphs.graphs) == [16] and card.told == WARMUP_STEPS + 1  # told once more, to be recorded
    first, _ = graphs.graphs[16]
    assert isinstance(first, Graph) and first.replayed == 5 and first.given is None
    for k in range(WARMUP_STEPS + 2):  # another length warms up for itself
        graphs(torch.tensor([k]), 32)
    second, _ = graphs.graphs[32]
    assert isinstance(second, Graph) and second.replayed == 2 and second.given is first
    assert card.told == 2 * (WARMUP_STEPS + 1) and len(card.done) == WARMUP_STEPS + 5 + WARMUP_STEPS + 2


def test_indices_of_the_caller_may_change_afterwards(card: Card) -> None:
    graphs, indices = GraphedStep(card.step, 2, torch.device("cpu")), torch.tensor([1, 2])
    for k in range(WARMUP_STEPS + 3):
        graphs(indices, 16)
        indices += 1
        assert card.done[-1] == (16, [1 + k, 2 + k]) and graphs.indices.tolist() == [1 + k, 2 + k]


def kept(where: torch.device) -> tuple[Any, CachedFeatures]:
    """Return the examples of `make_task` and their features on a device, as bytes."""
    examples, features = make_task(60)

    class There(IndexedPanoramas):
        panoramas, slicing, channels, device = features.panoramas, SLICING, features.channels, where

        def __call__(self, indices: Tensor) -> Tensor:
            return features.maps.to(where)[indices]

    return examples, CachedFeatures.from_source(There())


def losses(examples: Any, features: CachedFeatures, device: torch.device, recorded: bool) -> Tensor:
    """Of twenty updates; the fourth and later ones are recorded, where they may be."""
    config = replace(PLAIN, batch_size=2, learning_rate=1e-3, precision="float32")
    run = Trainer(config, examples, features, device, ProcessGroup(), None, Path(), lambda _: None)
    assert (run.graphed_step is not None) == (device.type == "cuda")
    run.graphed_step = run.graphed_step if recorded else None
    here = epoch_order(len(run.examples), 0, 0)
    for _ in range(20):
        run._step(here, here.to(device))
    assert not recorded or run.graphed_step is None or run.graphed_step.graphs
    return run.losses[:20].cpu()


def test_no_graphs_on_a_cpu() -> None:
    found = losses(*kept(torch.device("cpu")), torch.device("cpu"), True)
    assert bool(found.isfinite().all()) and len(set(found.tolist())) == 20


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_graphed_updates_equal_plain_updates() -> None:
    device = torch.device("cuda")
    examples, features = kept(device)
    found, expected = (losses(examples, features, device, recorded) for recorded in (True, False))
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
