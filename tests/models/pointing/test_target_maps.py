"""Target maps of three levels: a region, one cell, or the cells of the nearest object, as pictures show it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.refer360 import levels as refer360_levels
from bearleft.experiments.refer360.results import fill_page, markdown, read_results, write_results
from bearleft.experiments.refer360.train import Refer360Config, Refer360Trainer
from bearleft.models.examples import Examples, build_examples, point_leg
from bearleft.models.pointing.levels import LEVELS, OBJECT, PIXEL, REGION, check_level
from bearleft.models.pointing.objects import NO_OBJECT, instance_maps, nearest_objects
from bearleft.models.pointing.target_maps import TargetMaps, gaussian, one_hot_map
from bearleft.records import Episode
from bearleft.training.distributed import ProcessGroup
from bearleft.training.inputs import TrainInputs
from bearleft.training.pointing.dataset import train_on_dataset
from bearleft.training.pointing.loop import Trainer
from bearleft.training.pointing.train import TrainConfig, train
from bearleft.world.city.city import open_city
from bearleft.world.pictures import RenderedPictures
from bearleft.world.slices import CELL_SIZE, SLICE_COUNT, SLICE_DEGREES, Slicing
from tests.training.synthetic_task import CHANNELS, SLICING, SMALL, SyntheticFeatures, make_task

FINE = Slicing(120, 200)  # 25 x 120 cells
WORLD = "rooms/0/42"


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [episode for episode in load("city/refer360/small") if episode.world == WORLD][:12]


@pytest.fixture(scope="module")
def examples(episodes: list[Episode]) -> Examples:
    """The examples whose targets lie in the slices."""
    all_examples = build_examples(episodes)
    return all_examples.subset(np.flatnonzero(all_examples.target_cells(FINE)[1]))


def cell_targets(examples: Examples, slicing: Slicing = FINE) -> Tensor:
    return torch.from_numpy(examples.target_cells(slicing)[0].astype(np.float32))


def target_maps_of(level: str, examples: Examples, rows: Tensor | None = None) -> Tensor:
    target_maps = TargetMaps(level, examples, cell_targets(examples), FINE, 2.0)
    return target_maps(torch.arange(len(examples)) if rows is None else rows)


@pytest.fixture(scope="module")
def object_maps(examples: Examples) -> Tensor:
    return target_maps_of(OBJECT, examples)


def test_target_maps_are_distributions_at_every_level(examples: Examples) -> None:
    rows = torch.tensor([4, 0, 4])
    for level in LEVELS:
        maps = target_maps_of(level, examples)
        assert maps.shape == (len(examples), FINE.rows, FINE.columns) and maps.dtype == torch.float32
        torch.testing.assert_close(maps.sum((1, 2)), torch.ones(len(examples)))
        torch.testing.assert_close(target_maps_of(level, examples, rows), maps[rows])
    torch.testing.assert_close(
        target_maps_of(REGION, examples), gaussian(cell_targets(examples), FINE.rows, FINE.columns, 2.0)
    )


def test_pixel_level_is_the_cell_of_the_target() -> None:
    maps = one_hot_map(torch.tensor([[2.99, 0.0], [0.5, 7.0], [0.0, 8.0]]), 3, 8)
    assert maps.nonzero().tolist() == [[0, 2, 0], [1, 0, 7], [2, 0, 7]]  # rounding may give a column one too large
    assert maps.sum() == 3


def test_instance_maps_equal_rendered_pictures(examples: Examples) -> None:
    panoramas = examples.panoramas[:2]
    maps = instance_maps(panoramas, FINE)
    assert maps.shape == (2, 25, 120) and maps.dtype == np.int32
    city = open_city(WORLD)
    for panorama, instances in zip(panoramas, maps, strict=True):
        place = city.graph.place_index(panorama.place)
        poses = city.poses([place] * SLICE_COUNT, FINE.headings(panorama.yaw))
        rendered = RenderedPictures(city, shadows=False).render(poses, FINE.lens).instance
        middles = np.concatenate(list(rendered[:, CELL_SIZE // 2 :: CELL_SIZE, CELL_SIZE // 2 :: CELL_SIZE]), axis=1)
        assert (instances == middles).mean() > 0.95 and len(np.unique(instances)) > 10  # middles lie between pixels
        rotated = instance_maps([replace(panorama, yaw=panorama.yaw + SLICE_DEGREES)], FINE)[0]
        assert (rotated == np.roll(instances, -FINE.slice_columns, 1)).mean() > 0.999


def test_object_level_covers_all_cells_of_the_nearest_object(
    examples: Examples, object_maps: Tensor, episodes: list[Episode]
) -> None:
    selected = [episode for episode in episodes if episode.id in examples.ids]
    directions = [point_leg(episode)[1].direction for episode in selected]
    objects = refer360_levels.nearest_objects(selected, directions)[:, 0]
    maps = instance_maps(examples.panoramas, FINE)
    multi_cell_count = 0
    for k, instance in enumerate(objects):
        mask = maps[examples.panorama_indices[k]] == instance
        if mask.any():
            multi_cell_count += mask.sum() > 1
            assert np.allclose(object_maps[k].numpy(), mask / mask.sum())
    assert multi_cell_count > len(examples) // 2


def test_target_on_an_object_is_part_of_the_object_map(examples: Examples, object_maps: Tensor) -> None:
    maps = instance_maps(examples.panoramas, FINE)
    objects = nearest_objects(examples, examples.to_directions(examples.targets))[:, 0]
    on_object = [
        k
        for k, (r, c) in enumerate(cell_targets(examples).long().tolist())
        if maps[examples.panorama_indices[k], r, c] == objects[k]
    ]
    assert on_object
    for k in on_object:
        row, column = cell_targets(examples)[k].long().tolist()
        assert object_maps[k, row, column] == object_maps[k].max()


def test_object_without_cells_falls_back_to_the_pixel_level(
    examples: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = np.full((len(examples), 2), NO_OBJECT)
    monkeypatch.setattr("bearleft.models.pointing.target_maps.nearest_objects", lambda *_: nothing)
    target_maps = TargetMaps(OBJECT, examples, cell_targets(examples), FINE)
    torch.testing.assert_close(target_maps(torch.arange(len(examples))), target_maps_of(PIXEL, examples))
    assert target_maps.notes and target_maps.notes[0].startswith(
        f"{len(examples)} of {len(examples)} training examples"
    )


@pytest.mark.parametrize("level", LEVELS)
def test_target_maps_do_not_synchronize(level: str, examples: Examples) -> None:
    """Meta tensors raise an error when they are read on the host, as a CUDA graph would."""
    target_maps = TargetMaps(level, examples, cell_targets(examples).to("meta"), FINE)
    assert target_maps(torch.zeros(5, dtype=torch.int64, device="meta")).shape == (5, FINE.rows, FINE.columns)


def test_real_pictures_have_no_object_level(examples: Examples, tmp_path: Path) -> None:
    assert [check_level(level, ["refer360"]) for level in (REGION, PIXEL)] == [REGION, PIXEL]
    real = replace(examples, panoramas=tuple(replace(panorama, world="refer360") for panorama in examples.panoramas))
    with pytest.raises(InputError, match=r"refer360.*level region or pixel"):
        target_maps_of(OBJECT, real)
    synthetic_examples, features = make_task(30)
    with pytest.raises(InputError, match="worlds whose objects are known"):
        train(TrainConfig("concat", level=OBJECT), synthetic_examples, features, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="Did you mean pixel"):
        TrainConfig("concat", level="pixels")


def make_object_task(examples: Examples) -> tuple[Examples, SyntheticFeatures]:
    """Return 30 texts on panoramas of rooms, and maps in which each object has its own pattern."""
    panoramas = tuple(dict.fromkeys(examples.panoramas[k] for k in examples.panorama_indices))
    numbers = np.array([panoramas.index(examples.panoramas[k]) for k in examples.panorama_indices])
    inside = np.flatnonzero(examples.target_cells(SLICING)[1])
    chosen = np.resize(inside, 30)
    texts = tuple(f"number {examples.ids[k]} {j}" for j, k in enumerate(chosen))
    ids = tuple(str(j) for j in range(30))
    patterns = np.random.default_rng(0).normal(size=(1000, CHANNELS)).astype(np.float32)
    maps = torch.from_numpy(patterns[instance_maps(panoramas, SLICING) % 1000]).permute(0, 3, 1, 2)
    return Examples(ids, texts, panoramas, numbers[chosen], examples.targets[chosen]), SyntheticFeatures(
        panoramas, maps
    )


@pytest.mark.parametrize("level", LEVELS)
def test_networks_learn_at_every_level(level: str, examples: Examples, tmp_path: Path) -> None:
    config = TrainConfig(
        "lingunet", epochs=4, batch_size=8, learning_rate=0.02, validation_share=0.1, overrides=SMALL, level=level
    )
    result = train(config, *make_object_task(examples), tmp_path)
    assert result.checkpoint.training_info["train_config"]["level"] == level
    assert result.history[-1]["loss"] < 0.9 * result.history[0]["loss"]
    with pytest.raises(InputError, match=rf"level.*{level}"):
        train(replace(config, level=LEVELS[LEVELS.index(level) - 1]), *make_object_task(examples), tmp_path)


def test_resume_needs_the_same_level_but_not_the_same_compile(examples: Examples) -> None:
    config = TrainConfig("unet", validation_share=0.1, overrides={"m": 1, "width": 4})

    def run(config: TrainConfig) -> Trainer:
        return Trainer(
            config, *make_object_task(examples), torch.device("cpu"), ProcessGroup(), None, Path(), lambda _: None
        )

    state = run(config).state()
    run(replace(config, compile=True)).resume(state, Path())
    with pytest.raises(InputError, match='level "region"'):
        run(replace(config, level="pixel")).resume(state, Path())


def test_worlds_are_checked_before_features_are_computed(
    episodes: list[Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = [replace(episode, world="touchdown") for episode in episodes]
    monkeypatch.setattr("bearleft.training.pointing.dataset.load", lambda *_: real)
    monkeypatch.delattr("bearleft.training.pointing.dataset.features_for")
    with pytest.raises(InputError, match="touchdown"):
        train_on_dataset(TrainConfig("concat", level=OBJECT), TrainInputs("sdr/train"), tmp_path)


@pytest.mark.slow
def test_tables_name_the_training_level(
    episodes: list[Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bearleft.experiments.refer360.train.load", lambda _name, _data: episodes)
    config = Refer360Config(
        train_split="small",
        splits=("small",),
        networks=("concat",),
        epochs=1,
        eval_size=2,
        slicing=Slicing(32, 40),
        levels=LEVELS,
    )
    trainer = Refer360Trainer(tmp_path, config, "random:0", "cpu")
    monkeypatch.setattr(trainer, "train_dynamic_agent", lambda _minutes: True)
    assert trainer.train_all(0.0) == ["looker", "concat", "concat-pixel", "concat-object"]
    assert trainer.train_all(5.0) == []
    results = write_results(tmp_path, {name: trainer.episodes(name) for name in config.datasets})
    assert read_results(tmp_path / "refer360.json") == results
    text = markdown(results)
    rows, differences = results["rows"], [row for row in results["differences"] if row["between"] == "levels"]
    assert len({(row["row"], row["against"]) for row in differences}) == 3
    assert "| concat-object | concat-pixel |" in text
    page = fill_page("<!-- refer360-models --><!-- /refer360-models -->", results)
    assert "| concat-pixel | concat | " in page and page == fill_page(page, results)
    systems = {"concat, static", "concat-pixel, static", "concat-object, static"}
    assert {(row["row"], row["level"]) for row in rows} == set(product(systems, LEVELS)) and all(
        name in text for name in systems
    )
    real = [replace(episode, world="refer360") for episode in episodes]
    monkeypatch.setattr("bearleft.experiments.refer360.train.load", lambda _name, _data: real)
    with pytest.raises(InputError, match="level region or pixel"):
        Refer360Trainer(tmp_path, config, "random:0", "cpu")
