"""Training a backbone: labels of cells, learning, stopping, and the files written."""

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

TINY_CONFIG = BackboneTrainConfig(
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
    return [open_city(TINY_CONFIG.world), open_city(TINY_CONFIG.rooms)]


def test_cell_labels_equal_slow_loops(cities: list[City]) -> None:
    stream = SliceStream([SceneShare(city, places_of_band(city), 1) for city in cities], "cpu")
    pictures = stream.render(np.random.default_rng(2), 2, Slicing(60, 84).lens)
    rank = torch.from_numpy(np.random.default_rng(0).permutation(FINE_CLASSES).astype(np.float32))
    labels = cell_labels(pictures, stream.tables, rank)
    assert labels.rarest.shape == (2, 11, 8)
    things = [city.plan.things for city in cities]
    checked = 0
    for n, offset in enumerate(stream.tables.offsets):
        instance, kind, part, depth = (
            x[n].numpy() for x in (pictures.instance, pictures.kind, pictures.part, pictures.depth)
        )

        def fine_class(
            y: int, x: int, n: int = n, offset: int = offset, instance: object = instance, kind: object = kind
        ) -> int:
            assert isinstance(instance, np.ndarray) and isinstance(kind, np.ndarray)
            if kind[y, x] < CLASS_BASE:
                return int(kind[y, x])
            thing = things[n][instance[y, x] - offset - 1]
            assert kind[y, x] == CLASS_BASE + thing["kind"]
            return int(FIRST_FINE_CLASS[thing["kind"]] + (thing["variant"] if thing["kind"] else 0))

        for row, column in ((r, c) for r in range(0, 11, 2) for c in range(8)):
            assert labels.centre[n, row, column] == fine_class(min(8 * row + 4, 82), min(8 * column + 4, 58))
            pixels_of_cell = [
                (y, x)
                for y in range(8 * row, min(8 * row + 8, 84), 2)
                for x in range(8 * column, min(8 * column + 8, 60), 2)
            ]
            best = max(pixels_of_cell, key=lambda pixel: float(rank[fine_class(*pixel)]))
            assert labels.rarest[n, row, column] == fine_class(*best)
            instance_here = instance[best]
            same_class = [pixel for pixel in pixels_of_cell if fine_class(*pixel) == fine_class(*best)]
            if len({instance[pixel] for pixel in same_class}) > 1:
                continue  # two things of one class: either may be the label
            assert bool(labels.is_object[n, row, column]) == (instance_here > 0)
            colour = things[n]["first"][instance_here - offset - 1] if instance_here > 0 else IGNORE
            assert labels.colour[n, row, column] == colour
            log_depths = [np.log(np.clip(depth[pixel], 0.5, 300)) - 3 for pixel in same_class]
            assert min(log_depths) - 1e-4 <= labels.depth[n, row, column] <= max(log_depths) + 1e-4
            if instance_here > 0:
                ys, xs = np.nonzero(instance[::2, ::2] == instance_here)
                left, right, up, down = np.expm1(labels.box[n, row, column].numpy())
                if left < MAX_BOX_CELLS - 1e-3 and right < MAX_BOX_CELLS - 1e-3:
                    assert left + right == pytest.approx((xs.max() - xs.min()) / 4, abs=1e-3)
                if up < MAX_BOX_CELLS - 1e-3 and down < MAX_BOX_CELLS - 1e-3:
                    assert up + down == pytest.approx((ys.max() - ys.min()) / 4, abs=1e-3)
                checked += 1
        assert part.shape == kind.shape
    assert checked > 30


class FakeGpuRenderer:
    """A fake GPU renderer that writes into CPU tensors."""

    def __init__(self, city: City) -> None:
        self.city = city

    def empty(self, count: int, lens: Lens) -> Pictures:
        shape = (count, lens.height, lens.width)
        types = (torch.float32, torch.int32, torch.int32, torch.uint8)
        arrays: list[Any] = [torch.zeros((*shape, 3), dtype=torch.uint8), *(torch.zeros(shape, dtype=t) for t in types)]
        return Pictures(*arrays)

    def into(self, out: Any, poses: Floats32, lens: Lens, light: Light) -> None:
        pictures = render(self.city.scene, poses, lens, light)
        for name in ("rgb", "depth", "instance", "part", "kind"):
            getattr(out, name).copy_(torch.from_numpy(getattr(pictures, name)))


def test_gpu_slices_equal_cpu_slices(cities: list[City]) -> None:
    shares = [SceneShare(city, places_of_band(city), k) for city, k in zip(cities, (2, 1), strict=True)]
    cpu_stream, gpu_stream = SliceStream(shares, "cpu"), SliceStream(shares, "cpu")
    gpu_stream.device, gpu_stream._renderers = "cuda", [FakeGpuRenderer(city) for city in cities]
    assert cpu_stream.scene_counts(6) == [4, 2]
    for seed in (0, 1):  # the second round reuses the buffers of the first
        cpu_pictures, gpu_pictures = (
            stream.render(np.random.default_rng(seed), 6, Slicing(24, 32).lens) for stream in (cpu_stream, gpu_stream)
        )
        for name in ("rgb", "depth", "instance", "part", "kind"):
            assert torch.equal(getattr(cpu_pictures, name), getattr(gpu_pictures, name))
    assert int(cpu_pictures.instance[4:].max()) > cpu_stream.tables.offsets[1] > int(cpu_pictures.instance[:4].max())


def test_places_of_unseen_splits_are_excluded(cities: list[City]) -> None:
    city, rooms = cities
    band = RouteSampler(city, 0).band
    assert set(places_of_band(city)) == set(np.flatnonzero(band == 0))
    assert set(places_of_band(city, BAND_OF_SPLIT["dev_unseen"])) == set(np.flatnonzero(band == 1))
    parts = [set(places_of_band(rooms, k)) for k in range(3)]
    assert set.union(*parts) == set(range(42)) and [len(p) for p in parts] == [30, 6, 6]


def test_rare_classes_weigh_more_and_rank_higher() -> None:
    frequencies = Frequencies.from_counts(torch.tensor([10000, 100, 0]))
    assert frequencies.weight[0] < 1 < frequencies.weight[1] < frequencies.weight[2] <= 20
    assert frequencies.rank.tolist() == [0, 1, 2]
    assert CLASS_OF_FINE.max() < 256 and len(CLASS_OF_FINE) == FINE_CLASSES


@pytest.mark.slow
def test_training_learns_and_writes_its_card(tmp_path: Path) -> None:
    trainer = BackboneTrainer(TINY_CONFIG, "cpu")
    fixed = trainer.stream.render(np.random.default_rng(9), 6, Slicing(52, 68).lens, canonical=True)
    expected = cell_labels(fixed, trainer.stream.tables, trainer.frequencies.rank)

    def loss() -> float:
        with torch.no_grad():
            trainer.backbone.train()
            cells = trainer.backbone(fixed.rgb)
            return float(
                losses(cells, trainer.heads, expected, trainer.frequencies, torch.Generator().manual_seed(0)).sum()
            )

    reports: list[TrainProgress] = []
    before = loss()
    progress = trainer.run(reports.append)
    assert progress.steps == 10 and progress.slices >= 10 * 4 and len(progress.losses) >= 2
    assert sum(bool(report.message) for report in reports) == len(progress.losses)
    percents = [report.update for report in reports if not report.message]
    assert percents == sorted(percents) and percents[-1] == 100
    assert loss() < 0.93 * before

    card = finish(trainer, progress, tmp_path / "backbone.pt")
    assert card["steps"] == 10 and card == json.loads((tmp_path / "backbone.json").read_text())
    loaded = load_backbone(str(tmp_path / "backbone.pt"))
    assert loaded.hash == card["hash"] and (tmp_path / "backbone.pt").stat().st_size == card["bytes"] < 3_000_000
    with torch.no_grad():
        features = loaded(fixed.rgb)
    upper_quantile = torch.quantile(features.transpose(0, 1).flatten(1), 0.999, dim=1)
    assert features.min() >= 0 and 1.0 < upper_quantile.median() < 16.0

    install(tmp_path / "backbone.pt", tmp_path / "there" / "city.pt")
    assert load_backbone(str(tmp_path / "there" / "city.pt")).hash == card["hash"]
    assert (tmp_path / "there" / "city.json").is_file()
    (tmp_path / "backbone.json").write_text(json.dumps(card | {"hash": "0" * 64}))
    with pytest.raises(InputError, match="as their card says"):
        install(tmp_path / "backbone.pt", tmp_path / "there" / "city.pt")


def test_seed_determines_the_run_and_minutes_stop_it() -> None:
    hashes = []
    for seed in (0, 0, 1):
        trainer = BackboneTrainer(replace(TINY_CONFIG, seed=seed, steps=None, minutes=0.0), "cpu")
        assert trainer.run().steps == TINY_CONFIG.batches_per_render  # rendered batches are used up
        hashes.append(weights_hash(trainer.backbone))
    assert hashes[0] == hashes[1] != hashes[2]
    trainer.config = replace(TINY_CONFIG, steps=None)
    with pytest.raises(InputError, match="steps or minutes"):
        trainer.run()


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
