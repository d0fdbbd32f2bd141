"""Compass learns from sightings what words look like, and finds what is named in other texts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from bearleft.data import load  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.models.walking.examples import (  # noqa: E402
    StepReader,
    WalkExamples,
    WalkTable,
    build_walks,
    open_graphs,
    steps_along,
)
from bearleft.models.walking.network import CELLS, WalkShape  # noqa: E402
from bearleft.models.walking.registry import walk_spec  # noqa: E402
from bearleft.models.walking.sightings import Sightings, empty_sightings  # noqa: E402
from bearleft.models.walking.states import StateTable  # noqa: E402
from bearleft.training.walking.losses import imitation_loss  # noqa: E402

NAMES = ("bench", "door", "tree", "mailbox", "sign", "car")
HORIZON, TRAINING, COUNT = 8, 24, 36
SIZES = {"word_dim": 8, "dim": 16, "layers": 1, "heads": 2, "direction_dim": 4, "grounding_dim": 8, "dropout": 0.0}


class NamedCells:
    """Cells in which every place shows each of NAMES in a sector of its own."""

    kind, shape = CELLS, (64, 4, len(NAMES))

    def __init__(self, places: int) -> None:
        rng = np.random.default_rng(1)
        self.sectors = np.stack([rng.permutation(64)[: len(NAMES)] for _ in range(places)])
        self.cells = torch.zeros(places, 64, 4, len(NAMES))
        for name, sectors in enumerate(self.sectors.T):
            self.cells[np.arange(places), sectors, 2, name] = 1.0

    def prepare(self, places: Any, headings: Any, progress: Any = None) -> None:
        """Do nothing: all are there."""

    def __call__(self, places: Tensor, headings: Tensor) -> Tensor:
        first = torch.floor((headings % 360.0 + 180.0) % 360.0 / 360.0 * 64).long()
        cells: Tensor = self.cells[places[..., None], (first[..., None] + torch.arange(64)) % 64]
        return cells


@cache
def make_task() -> tuple[WalkExamples, StateTable, NamedCells]:
    """Return walks whose texts name two things, and where each place of their routes shows these."""
    walks = build_walks(load("city/touchdown/small")[:COUNT], HORIZON)
    table = StateTable.build(open_graphs(walks.worlds), walks.starts, torch.device("cpu"))
    table.places.yaw[:] = 0.0
    views, rng = NamedCells(len(table.places)), np.random.default_rng(2)
    found = empty_sightings(COUNT, max(map(len, walks.routes)))
    texts = []
    for k, route in enumerate(walks.routes):
        places = [table.places.number(walks.worlds[k], place) for place in route]
        named = rng.permutation(len(NAMES))[:2]
        first, second = (NAMES[name] for name in named)
        texts.append(f"walk past the {first} to the {second}.")
        for m, (name, end) in enumerate(zip(named, (14 + len(first), len(texts[k]) - 1), strict=True)):
            found.ends[k, m] = end
            found.boxes[k, m, : len(route)] = 1 + 64 * views.sectors[places, name]
    return replace(walks, texts=tuple(texts), sightings=Sightings(found.ends, found.boxes)), table, views


def hit_rate(reader: StepReader, examples: WalkTable) -> float:
    """Return how often the most probable cell of a phrase shows what it names."""
    indices = torch.arange(len(examples))
    with torch.no_grad():
        text = examples.encode(reader.network, indices, examples.words.shape[1])
        policy = reader.network(text, steps_along(reader, examples.table, examples.states, examples.actions))
    assert examples.mentions is not None and policy.grounding is not None
    places, headings = examples.table.place[examples.states], examples.table.heading[examples.states]
    seen, known = examples.mentions.targets(indices, examples.routes, places, headings)
    index = examples.mentions.tokens.clamp(min=0)[:, None, :, None].expand(-1, HORIZON, -1, 64 * 4)
    best = policy.grounding[..., :-1].gather(2, index).argmax(3) // 4
    return float(seen.gather(3, best[..., None])[..., 0][known].float().mean())


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("shuffled", [False, True])
def test_words_find_what_they_name_in_other_texts(shuffled: bool) -> None:
    """With shuffled sightings, which name the wrong things, nothing is found."""
    walks, table, views = make_task()
    vocabulary = Vocabulary.from_texts(walks.texts)
    training = walks.subset(np.arange(TRAINING))
    assert training.sightings is not None
    if shuffled:
        boxes = np.random.default_rng(3).permuted(training.sightings.boxes, axis=2)
        training = replace(training, sightings=Sightings(training.sightings.ends, boxes))
    examples = WalkTable.build(training, table, vocabulary)
    spec = walk_spec("compass")
    network: Any = spec.build(spec.make_config({"shape": WalkShape(len(vocabulary), 100, len(NAMES)), **SIZES}), 0)
    reader = StepReader.make(network, table.places, views, torch.device("cpu"))
    optimizer, rng = torch.optim.Adam(network.parameters(), lr=0.02), np.random.default_rng(0)
    torch.manual_seed(0)
    for _ in range(60):
        batch = torch.from_numpy(rng.permutation(TRAINING)[:6])
        states, actions = examples.states[batch], examples.actions[batch]
        loss = imitation_loss(reader, examples, batch, states, actions, actions)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    network.eval()
    rate = hit_rate(reader, WalkTable.build(walks.subset(np.arange(TRAINING, COUNT)), table, vocabulary))
    assert rate <= 0.5 if shuffled else rate >= 0.9, rate
