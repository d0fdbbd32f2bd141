"""Walking networks, views and training on a GPU against the same on a CPU; run on a machine with one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.data import load  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.walking.examples import StepReader, WalkTable, build_walks, open_graphs  # noqa: E402
from bearleft.models.walking.live_views import LiveRgbViews  # noqa: E402
from bearleft.models.walking.network import CELLS, MEAN_MAP, RGB, Steps  # noqa: E402
from bearleft.models.walking.rollout import oracle_actions, walk  # noqa: E402
from bearleft.models.walking.states import PlaceIndex, StateTable  # noqa: E402
from bearleft.models.walking.views import RgbViews, open_views  # noqa: E402
from bearleft.training.walking.train import train_walker  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.models.walking.test_networks import every_form, make_inputs, make_network  # noqa: E402
from tests.training.walking.turn_task import turn_config, turn_task  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA GPU")
GPU = torch.device("cuda")
SMALL = "city/touchdown/small"


@every_form
def test_networks_are_the_same_on_a_gpu(name: str, change: dict[str, Any]) -> None:
    """In double precision."""
    network = make_network(name, change)
    words, lengths, steps = make_inputs(network)
    with torch.no_grad():
        expected = network(network.encode(words, lengths), steps, attention=True)
        network.to(GPU)
        values: Any = [None if value is None else value.to(GPU) for value in vars(steps).values()]
        moved = Steps(*values)
        policy = network(network.encode(words.to(GPU), lengths.to(GPU)), moved, attention=True)
    for field, value in vars(expected).items():
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            torch.testing.assert_close(getattr(policy, field).cpu(), value, atol=1e-9, rtol=0)


@pytest.mark.parametrize("kind", [MEAN_MAP, CELLS, RGB])
def test_views_are_nearly_the_same_on_a_gpu(kind: str) -> None:
    """Features are computed in bfloat16 there, and pixels may differ by one."""
    graphs = open_graphs(["city/3/4x5"])
    walks = build_walks(load(SMALL)[:2], 12)
    seen = []
    for device in (torch.device("cpu"), GPU):
        table = StateTable.build(graphs, walks.starts, device)
        states = torch.tensor([table.start_states[start] for start in walks.starts], device=device)
        backbone = load_backbone("city", str(device))
        views = open_views(kind, table.places, backbone, Slicing(230, 400), device)
        assert views is not None
        places, headings = table.place[states], table.heading[states]
        views.prepare(places.cpu().numpy(), headings.cpu().numpy().astype(np.float64))
        seen.append(views(places, headings).float().cpu().flatten(1))
    assert seen[0].shape == seen[1].shape
    for one, other in zip(*seen, strict=True):
        assert float(torch.corrcoef(torch.stack([one, other]))[0, 1]) > 0.99


def test_live_views_on_a_gpu_are_those_that_are_kept_there() -> None:
    """Of walkers in two worlds, rendered at once and by a CUDA graph; on a CPU they are nearly the same."""
    index = PlaceIndex(tuple(open_graphs(["city/3/4x5", "rooms/1/3"])))
    second = index.offsets["rooms/1/3"]
    numbers, headings = np.array([3, second + 1, 20, second]), np.array([0.0, 123.44, 359.97, 10.0], np.float32)
    live, kept, on_cpu = LiveRgbViews(index, GPU), RgbViews(index, GPU), LiveRgbViews(index)
    kept.prepare(numbers, headings.astype(np.float64))
    places, looks = torch.from_numpy(numbers), torch.from_numpy(headings)
    expected = kept(places.to(GPU), looks.to(GPU))
    seen, slow = live(places.to(GPU), looks.to(GPU)), on_cpu(places, looks)
    for other in (expected.cpu(), slow):
        assert float(((seen.cpu() - other).abs() * 255 <= 2.5).float().mean()) > 0.999
    static_places, static_looks = places.flip(0).to(GPU), looks.flip(0).to(GPU)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        recorded = live(static_places, static_looks)
    static_places.copy_(places)
    static_looks.copy_(looks)
    graph.replay()
    assert torch.equal(recorded, seen)


def test_walks_and_oracle_are_the_same_on_a_gpu() -> None:
    task = turn_task()
    results = []
    for device in (torch.device("cpu"), GPU):
        table = StateTable.build(task.table.places.graphs, task.walks.starts, device)
        network: Any = make_network("compass", {"image": False}).float().to(device)
        tokenizer: Any = _Tokens(torch.arange(len(task.walks)) % 11 + 1)
        examples = WalkTable.build(task.walks, table, tokenizer)
        reader = StepReader.make(network, table.places, None, device)
        indices = torch.arange(len(task.walks))
        walked = walk(network.eval(), reader, examples, indices, 8)
        labels = oracle_actions(examples, indices.to(device), walked.states)
        results.append((walked.states.cpu(), walked.actions.cpu(), labels.cpu()))
    for one, other in zip(*results, strict=True):
        assert torch.equal(one, other)


class _Tokens:
    """One token for each text."""

    def __init__(self, tokens: Any) -> None:
        self.tokens = tokens.numpy()[:, None]

    def encode_batch(self, texts: Any) -> tuple[Any, Any]:
        """Return the tokens and their number."""
        return self.tokens, np.ones(len(texts), np.int64)


@pytest.mark.parametrize("network", ["rconcat", "ga", "orar", "compass"])
def test_training_on_a_gpu_learns_to_follow_texts(network: str, tmp_path: Path) -> None:
    """With bfloat16 where the network has it, and with own walks in the end."""
    task = turn_task()
    table = StateTable.build(task.table.places.graphs, [*task.walks.starts, *task.validation.starts], GPU)
    config = turn_config(network, epochs=8, forcing="mixed")
    result = train_walker(config, replace(task, table=table), tmp_path / network)
    assert result.finished and result.checkpoint.training_info["TC"] >= 95.0
