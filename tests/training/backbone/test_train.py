"""Training a backbone: what cells are said to show, that it learns, stops, and writes what it says it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch

from bearleft.errors import InputError
from bearleft.generate.splits import BAND_OF_SPLIT, RouteSampler
from bearleft.models.backbones.base import weights_hash
from bearleft.models.backbones.registry import load_backbone, random_resnet18
from bearleft.training.backbone.heads import Frequencies, losses
from bearleft.training.backbone.labels import (
    CLASS_OF_FINE,
    FINE_CLASSES,
    FIRST_FINE_CLASS,
    IGNORE,
    MAX_BOX_CELLS,
    cell_labels,
)
from bearleft.training.backbone.slices import SceneShare, SliceStream, places_of_band
from bearleft.training.backbone.train import BackboneTrainConfig, BackboneTrainer, finish, install, one_cycle, rescale
from bearleft.training.history import TrainProgress
from bearleft.world.city.city import City, open_city
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.camera import Floats32, Lens
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.light import Light
from bearleft.world.slices import Slicing

TINY = BackboneTrainConfig(
    "city/3/2x2",
    "rooms/0/42",
    minutes=None,
    steps=10,
    width=52,
    height=68,
    batch_size=4,
    batches_per_render=2,
    calibration_renders=1,
    held_out=4,
)


@pytest.fixture(scope="module")
def cities() -> list[City]:
    return [open_city(TINY.world), open_city(TINY.rooms)]


def test_cell_labels_equal_slow_loops(cities: list[City]) -> None:
    feed = SliceStream([SceneShare(city, places_of_band(city), 1) for city in cities], "cpu")
    seen = feed.render(np.random.default_rng(2), 2, Slicing(60, 84).lens)
    rank = torch.from_numpy(np.random.default_rng(0).permutation(FINE_CLASSES).astype(np.float32))
    found = cell_labels(seen, feed.tables, rank)
    assert found.rarest.shape == (2, 11, 8)
    things = [city.plan.things for city in cities]
    checked = 0
    for n, first in enumerate(feed.tables.offsets):
        instance, kind, part, depth = (x[n].numpy() for x in (seen.instance, seen.kind, seen.part, seen.depth))

        def sort(
            y: int, x: int, n: int = n, first: int = first, instance: object = instance, kind: object = kind
        ) -> int:
            assert isinstance(instance, np.ndarray) and isinstance(kind, np.ndarray)
            if kind[y, x] < CLASS_BASE:
                return int(kind[y, x])
            thing = things[n][instance[y, x] - first - 1]
            assert kind[y, x] == CLASS_BASE + thing["kind"]
            return int(FIRST_FINE_CLASS[thing["kind"]] + (thing["variant"] if thing["kind"] else 0))

        for row, column in ((r, c) for r in range(0, 11, 2) for c in range(8)):
            assert found.centre[n, row, column] == sort(min(8 * row + 4, 82), min(8 * column + 4, 58))
            inside = [
                (y, x)
                for y in range(8 * row, min(8 * row + 8, 84), 2)
                for x in range(8 * column, min(8 * column + 8, 60), 2)
            ]
            best = max(inside, key=lambda at: float(rank[sort(*at)]))
            assert found.rarest[n, row, column] == sort(*best)
            who = instance[best]
            alike = [at for at in inside if sort(*at) == sort(*best)]
            if len({instance[at] for at in alike}) > 1:
                continue  # two things of a sort: either may be meant
            assert bool(found.is_object[n, row, column]) == (who > 0)
            colour = things[n]["first"][who - first - 1] if who > 0 else IGNORE
            assert found.colour[n, row, column] == colour
            near = [np.log(np.clip(depth[at], 0.5, 300)) - 3 for at in alike]
            assert min(near) - 1e-4 <= found.depth[n, row, column] <= max(near) + 1e-4
            if who > 0:
                ys, xs = np.nonzero(instance[::2, ::2] == who)
                left, right, up, down = np.expm1(found.box[n, row, column].numpy())
                if left < MAX_BOX_CELLS - 1e-3 and right < MAX_BOX_CELLS - 1e-3:
                    assert left + right == pytest.approx((xs.max() - xs.min()) / 4, abs=1e-3)
                if up < MAX_BOX_CELLS - 1e-3 and down < MAX_BOX_CELLS - 1e-3:
                    assert up + down == pytest.approx((ys.max() - ys.min()) / 4, abs=1e-3)
                checked += 1
        assert part.shape == kind.shape
    assert checked > 30


class Beside:
    """Stands in for a GPU's renderer: the same calls, into tensors that lie here."""

    def __init__(self, city: City) -> None:
        self.city = city

    def empty(self, count: int, lens: Lens) -> Pictures:
        shape = (count, lens.height, lens.width)
        types = (torch.float32, torch.int32, torch.int32, torch.uint8)
        arrays: list[Any] = [torch.zeros((*shape, 3), dtype=torch.uint8), *(torch.zeros(shape, dtype=t) for t in types)]
        return Pictures(*arrays)

    def into(self, out: Any, poses: Floats32, lens: Lens, light: Light) -> None:
        made = render(self.city.scene, poses, lens, light)
        for name in ("rgb", "depth", "instance", "part", "kind"):
            getattr(out, name).copy_(torch.from_numpy(getattr(made, name)))


def test_gpu_slices_equal_cpu_slices(cities: list[City]) -> None:
    shares = [SceneShare(city, places_of_band(city), k) for city, k in zip(cities, (2, 1), strict=True)]
    here, there = SliceStream(shares, "cpu"), SliceStream(shares, "cpu")
    there.device, there._renderers = "cuda", [Beside(city) for city in cities]
    assert here.scene_counts(6) == [4, 2]
    for seed in (0, 1):  # the second round goes where the first was
        one, other = (feed.render(np.random.default_rng(seed), 6, Slicing(24, 32).lens) for feed in (here, there))
        for name in ("rgb", "depth", "instance", "part", "kind"):
            assert torch.equal(getattr(one, name), getattr(other, name))
    assert int(one.instance[4:].max()) > here.tables.offsets[1] > int(one.instance[:4].max())


def test_places_of_unseen_splits_are_excluded(cities: list[City]) -> None:
    city, rooms = cities
    band = RouteSampler(city, 0).band
    assert set(places_of_band(city)) == set(np.flatnonzero(band == 0))
    assert set(places_of_band(city, BAND_OF_SPLIT["dev_unseen"])) == set(np.flatnonzero(band == 1))
    parts = [set(places_of_band(rooms, k)) for k in range(3)]
    assert set.union(*parts) == set(range(42)) and [len(p) for p in parts] == [30, 6, 6]


def test_rare_classes_weigh_more_and_rank_higher() -> None:
    often = Frequencies.from_counts(torch.tensor([10000, 100, 0]))
    assert often.weight[0] < 1 < often.weight[1] < often.weight[2] <= 20
    assert often.rank.tolist() == [0, 1, 2]
    assert CLASS_OF_FINE.max() < 256 and len(CLASS_OF_FINE) == FINE_CLASSES


def test_training_learns_and_writes_its_card(tmp_path: Path) -> None:
    run = BackboneTrainer(TINY, "cpu")
    fixed = run.stream.render(np.random.default_rng(9), 6, Slicing(52, 68).lens, canonical=True)
    expected = cell_labels(fixed, run.stream.tables, run.frequencies.rank)

    def loss() -> float:
        with torch.no_grad():
            run.backbone.train()
            cells = run.backbone(fixed.rgb)
            return float(losses(cells, run.heads, expected, run.frequencies, torch.Generator().manual_seed(0)).sum())

    reports: list[TrainProgress] = []
    before = loss()
    past = run.run(reports.append)
    assert past.steps == 10 and past.slices >= 10 * 4 and len(past.losses) >= 2
    assert sum(bool(report.message) for report in reports) == len(past.losses)
    percents = [report.update for report in reports if not report.message]
    assert percents == sorted(percents) and percents[-1] == 100
    assert loss() < 0.93 * before

    card = finish(run, past, tmp_path / "backbone.pt")
    assert card["steps"] == 10 and card == json.loads((tmp_path / "backbone.json").read_text())
    made = load_backbone(str(tmp_path / "backbone.pt"))
    assert made.hash == card["hash"] and (tmp_path / "backbone.pt").stat().st_size == card["bytes"] < 3_000_000
    with torch.no_grad():
        seen = made(fixed.rgb)
    high = torch.quantile(seen.transpose(0, 1).flatten(1), 0.999, dim=1)
    assert seen.min() >= 0 and 1.0 < high.median() < 16.0

    install(tmp_path / "backbone.pt", tmp_path / "there" / "city.pt")
    assert load_backbone(str(tmp_path / "there" / "city.pt")).hash == card["hash"]
    assert (tmp_path / "there" / "city.json").is_file()
    (tmp_path / "backbone.json").write_text(json.dumps(card | {"hash": "0" * 64}))
    with pytest.raises(InputError, match="as their card says"):
        install(tmp_path / "backbone.pt", tmp_path / "there" / "city.pt")


def test_seed_determines_the_run_and_minutes_stop_it() -> None:
    hashes = []
    for seed in (0, 0, 1):
        run = BackboneTrainer(replace(TINY, seed=seed, steps=None, minutes=0.0), "cpu")
        assert run.run().steps == TINY.batches_per_render  # what was rendered is learnt from
        hashes.append(weights_hash(run.backbone))
    assert hashes[0] == hashes[1] != hashes[2]
    run.config = replace(TINY, steps=None)
    with pytest.raises(InputError, match="steps or minutes"):
        run.run()


def test_channels_are_scaled_exactly() -> None:
    plain, scaled = random_resnet18("random:1").eval(), random_resnet18("random:1").eval()
    factor = torch.from_numpy(np.random.default_rng(0).uniform(0.2, 5.0, 128).astype(np.float32))
    rescale(scaled, factor)
    pictures = torch.randint(0, 256, (1, 40, 40, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert torch.allclose(scaled(pictures), plain(pictures) * factor[:, None, None], rtol=1e-4, atol=1e-4)


def test_one_cycle_learning_rate() -> None:
    rates = [one_cycle(x) for x in np.linspace(0, 1, 21)]
    top = int(np.argmax(rates))
    assert rates[:top] == sorted(rates[:top]) and rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[top] == pytest.approx(1.0) and rates[0] <= 0.1 and rates[-1] == pytest.approx(0.0)
