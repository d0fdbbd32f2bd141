"""CUDA graphs of updates, recorded and replayed by a fake device, and by a real GPU where there is one."""

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
    """A fake CUDA graph: tasks are kept while recording, and run by `replay`."""

    recording: ClassVar[Graph | None] = None

    def __init__(self) -> None:
        self.tasks: list[Callable[[], None]] = []
        self.shared_pool: Any = None
        self.replayed = 0

    def pool(self) -> Graph:
        return self

    def replay(self) -> None:
        self.replayed += 1
        for task in self.tasks:
            task()


class FakeDevice:
    """A fake device whose step logs the updates done; each call of `step` has its own loss tensor."""

    def __init__(self) -> None:
        self.done: list[tuple[int, list[int]]] = []
        self.step_calls = 0

    def step(self, indices: Tensor, max_length: int) -> Tensor:
        loss = torch.zeros(())
        self.step_calls += 1

        def task() -> None:
            self.done.append((max_length, indices.tolist()))
            loss.fill_(1000 * max_length + int(indices.sum()))

        if Graph.recording is None:
            task()
        else:
            Graph.recording.tasks.append(task)
        return loss


@pytest.fixture
def fake_device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    @contextlib.contextmanager
    def graph(captured: Graph, pool: Any = None) -> Iterator[None]:
        assert Graph.recording is None
        captured.shared_pool, Graph.recording = pool, captured
        yield
        Graph.recording = None

    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", graph)
    return FakeDevice()


def test_each_call_is_one_update_on_its_indices(fake_device: FakeDevice) -> None:
    graphs = GraphedStep(fake_device.step, 2, torch.device("cpu"))
    rng = np.random.default_rng(0)
    calls = [(int(max_length), rng.integers(0, 99, 2).tolist()) for max_length in rng.choice([16, 32, 48], 60)]
    for max_length, indices in calls:
        loss = graphs(torch.tensor(indices), max_length)
        assert float(loss) == 1000 * max_length + sum(indices)
    assert fake_device.done == calls


def test_graph_per_length_after_warmup(fake_device: FakeDevice) -> None:
    graphs = GraphedStep(fake_device.step, 1, torch.device("cpu"))
    for k in range(WARMUP_STEPS):
        graphs(torch.tensor([k]), 16)
    assert not graphs.graphs and fake_device.step_calls == WARMUP_STEPS
    for k in range(5):
        graphs(torch.tensor([k]), 16)
    assert (
        list(graphs.graphs) == [16] and fake_device.step_calls == WARMUP_STEPS + 1
    )  # called once more, for the recording
    first, _ = graphs.graphs[16]
    assert isinstance(first, Graph) and first.replayed == 5 and first.shared_pool is None
    for k in range(WARMUP_STEPS + 2):  # another length has its own warm-up
        graphs(torch.tensor([k]), 32)
    second, _ = graphs.graphs[32]
    assert isinstance(second, Graph) and second.replayed == 2 and second.shared_pool is first
    assert (
        fake_device.step_calls == 2 * (WARMUP_STEPS + 1)
        and len(fake_device.done) == WARMUP_STEPS + 5 + WARMUP_STEPS + 2
    )


def test_indices_of_the_caller_may_change_afterwards(fake_device: FakeDevice) -> None:
    graphs, indices = GraphedStep(fake_device.step, 2, torch.device("cpu")), torch.tensor([1, 2])
    for k in range(WARMUP_STEPS + 3):
        graphs(indices, 16)
        indices += 1
        assert fake_device.done[-1] == (16, [1 + k, 2 + k]) and graphs.indices.tolist() == [1 + k, 2 + k]


def cached_task(target_device: torch.device) -> tuple[Any, CachedFeatures]:
    """Return the examples of `make_task` and their features on a device, as bytes."""
    examples, features = make_task(60)

    class FeaturesOnDevice(IndexedPanoramas):
        panoramas, slicing, channels, device = features.panoramas, SLICING, features.channels, target_device

        def __call__(self, indices: Tensor) -> Tensor:
            return features.maps.to(target_device)[indices]

    return examples, CachedFeatures.from_source(FeaturesOnDevice())


def losses(examples: Any, features: CachedFeatures, device: torch.device, recorded: bool) -> Tensor:
    """Return the losses of twenty updates; on a GPU the fourth and later ones may be recorded."""
    config = replace(PLAIN, batch_size=2, learning_rate=1e-3, precision="float32")
    trainer = Trainer(config, examples, features, device, ProcessGroup(), None, Path(), lambda _: None)
    assert (trainer.graphed_step is not None) == (device.type == "cuda")
    trainer.graphed_step = trainer.graphed_step if recorded else None
    order = epoch_order(len(trainer.examples), 0, 0)
    for _ in range(20):
        trainer._step(order, order.to(device))
    assert not recorded or trainer.graphed_step is None or trainer.graphed_step.graphs
    return trainer.losses[:20].cpu()


def test_no_graphs_on_a_cpu() -> None:
    values = losses(*cached_task(torch.device("cpu")), torch.device("cpu"), True)
    assert bool(values.isfinite().all()) and len(set(values.tolist())) == 20


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_graphed_updates_equal_plain_updates() -> None:
    device = torch.device("cuda")
    examples, features = cached_task(device)
    actual, expected = (losses(examples, features, device, recorded) for recorded in (True, False))
    torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-3)
