"""Targets of three levels: a region, one cell, or the cells of the thing next to the target, as pictures show it."""

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
from bearleft.models.pointing.levels import LEVELS, OBJECT, PIXEL, REGION, TargetMaps, check_level, one_hot_map
from bearleft.models.pointing.objects import NO_OBJECT, instance_maps, nearest_objects
from bearleft.models.pointing.target_maps import gaussian
from bearleft.records import Episode
from bearleft.training.distributed import ProcessGroup
from bearleft.training.inputs import TrainInputs
from bearleft.training.pointing.dataset import train_on_dataset
from bearleft.training.pointing.loop import Trainer
from bearleft.training.pointing.train import TrainConfig, train
from bearleft.world.city.city import open_city
from bearleft.world.pictures import RenderedPictures
from bearleft.world.slices import CELL_SIZE, SLICE_COUNT, SLICE_DEGREES, Slicing
from tests.training.synthetic_task import CHANNELS, SLICING, SMALL, Planted, planted

FINE = Slicing(120, 200)  # 25 x 120 cells
WORLD = "rooms/0/42"


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [one for one in load("city/refer360/small") if one.world == WORLD][:12]


@pytest.fixture(scope="module")
def asked(episodes: list[Episode]) -> Examples:
    """Those whose targets lie in the slices."""
    found = build_examples(episodes)
    return found.subset(np.flatnonzero(found.target_cells(FINE)[1]))


def cells(asked: Examples, slicing: Slicing = FINE) -> Tensor:
    return torch.from_numpy(asked.target_cells(slicing)[0].astype(np.float32))


def expected(level: str, asked: Examples, rows: Tensor | None = None) -> Tensor:
    aim = TargetMaps(level, asked, cells(asked), FINE, 2.0)
    return aim(torch.arange(len(asked)) if rows is None else rows)


@pytest.fixture(scope="module")
def shown(asked: Examples) -> Tensor:
    return expected(OBJECT, asked)


def test_every_level_is_a_distribution_of_the_rows_that_are_asked(asked: Examples) -> None:
    rows = torch.tensor([4, 0, 4])
    for level in LEVELS:
        all_of = expected(level, asked)
        assert all_of.shape == (len(asked), FINE.rows, FINE.columns) and all_of.dtype == torch.float32
        torch.testing.assert_close(all_of.sum((1, 2)), torch.ones(len(asked)))
        torch.testing.assert_close(expected(level, asked, rows), all_of[rows])
    torch.testing.assert_close(expected(REGION, asked), gaussian(cells(asked), FINE.rows, FINE.columns, 2.0))


def test_a_pixel_is_the_one_cell_that_holds_the_target() -> None:
    found = one_hot_map(torch.tensor([[2.99, 0.0], [0.5, 7.0], [0.0, 8.0]]), 3, 8)
    assert found.nonzero().tolist() == [[0, 2, 0], [1, 0, 7], [2, 0, 7]]  # by rounding a column may be one too many
    assert found.sum() == 3


def test_cells_show_what_pictures_show(asked: Examples) -> None:
    panoramas = asked.panoramas[:2]
    maps = instance_maps(panoramas, FINE)
    assert maps.shape == (2, 25, 120) and maps.dtype == np.int32
    city = open_city(WORLD)
    for panorama, found in zip(panoramas, maps, strict=True):
        place = city.graph.place_index(panorama.place)
        poses = city.poses([place] * SLICE_COUNT, FINE.headings(panorama.yaw))
        seen = RenderedPictures(city, shadows=False).render(poses, FINE.lens).instance
        middles = np.concatenate(list(seen[:, CELL_SIZE // 2 :: CELL_SIZE, CELL_SIZE // 2 :: CELL_SIZE]), axis=1)
        assert (found == middles).mean() > 0.95 and len(np.unique(found)) > 10  # middles lie between pixels
        turned = instance_maps([replace(panorama, yaw=panorama.yaw + SLICE_DEGREES)], FINE)[0]
        assert (turned == np.roll(found, -FINE.across, 1)).mean() > 0.999


def test_an_object_is_every_cell_that_shows_what_measures_call_the_nearest(
    asked: Examples, shown: Tensor, episodes: list[Episode]
) -> None:
    kept = [one for one in episodes if one.id in asked.ids]
    things = refer360_levels.nearest_objects(kept, [point_leg(one)[1].direction for one in kept])[:, 0]
    maps = instance_maps(asked.panoramas, FINE)
    several = 0
    for k, thing in enumerate(things):
        mask = maps[asked.panorama_indices[k]] == thing
        if mask.any():
            several += mask.sum() > 1
            assert np.allclose(shown[k].numpy(), mask / mask.sum())
    assert several > len(asked) // 2


def test_a_target_on_a_thing_has_weight_itself(asked: Examples, shown: Tensor) -> None:
    maps = instance_maps(asked.panoramas, FINE)
    things = nearest_objects(asked, asked.to_directions(asked.targets))[:, 0]
    on = [
        k for k, (r, c) in enumerate(cells(asked).long().tolist()) if maps[asked.panorama_indices[k], r, c] == things[k]
    ]
    assert on
    for k in on:
        row, column = cells(asked)[k].long().tolist()
        assert shown[k, row, column] == shown[k].max()


def test_what_no_cell_shows_is_the_target_s_own_cell(asked: Examples, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = np.full((len(asked), 2), NO_OBJECT)
    monkeypatch.setattr("bearleft.models.pointing.levels.nearest_objects", lambda *_: nothing)
    aim = TargetMaps(OBJECT, asked, cells(asked), FINE)
    torch.testing.assert_close(aim(torch.arange(len(asked))), expected(PIXEL, asked))
    assert aim.remarks and aim.remarks[0].startswith(f"{len(asked)} of {len(asked)} training examples")


@pytest.mark.parametrize("level", LEVELS)
def test_asking_waits_for_nothing(level: str, asked: Examples) -> None:
    """Tensors without contents refuse whoever reads them on the host, as a recorded update would."""
    aim = TargetMaps(level, asked, cells(asked).to("meta"), FINE)
    assert aim(torch.zeros(5, dtype=torch.int64, device="meta")).shape == (5, FINE.rows, FINE.columns)


def test_real_pictures_have_regions_and_pixels(asked: Examples, tmp_path: Path) -> None:
    assert [check_level(level, ["refer360"]) for level in (REGION, PIXEL)] == [REGION, PIXEL]
    real = replace(asked, panoramas=tuple(replace(one, world="refer360") for one in asked.panoramas))
    with pytest.raises(InputError, match=r"refer360.*level region or pixel"):
        expected(OBJECT, real)
    made, features = planted(30)
    with pytest.raises(InputError, match="worlds whose objects are known"):
        train(TrainConfig("concat", level=OBJECT), made, features, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="Did you mean pixel"):
        TrainConfig("concat", level="pixels")


def lessons(asked: Examples) -> tuple[Examples, Planted]:
    """Thirty texts on the panoramas of rooms; in the maps each thing has a sign of its own."""
    panoramas = tuple(dict.fromkeys(asked.panoramas[k] for k in asked.panorama_indices))
    numbers = np.array([panoramas.index(asked.panoramas[k]) for k in asked.panorama_indices])
    inside = np.flatnonzero(asked.target_cells(SLICING)[1])
    which = np.resize(inside, 30)
    texts = tuple(f"number {asked.ids[k]} {j}" for j, k in enumerate(which))
    ids = tuple(str(j) for j in range(30))
    signs = np.random.default_rng(0).normal(size=(1000, CHANNELS)).astype(np.float32)
    maps = torch.from_numpy(signs[instance_maps(panoramas, SLICING) % 1000]).permute(0, 3, 1, 2)
    return Examples(ids, texts, panoramas, numbers[which], asked.targets[which]), Planted(panoramas, maps)


@pytest.mark.parametrize("level", LEVELS)
def test_networks_learn_at_every_level(level: str, asked: Examples, tmp_path: Path) -> None:
    recipe = TrainConfig(
        "lingunet", epochs=4, batch_size=8, learning_rate=0.02, tuning_share=0.1, overrides=SMALL, level=level
    )
    out = train(recipe, *lessons(asked), tmp_path)
    assert out.checkpoint.training_info["train_config"]["level"] == level
    assert out.history[-1]["loss"] < 0.9 * out.history[0]["loss"]
    with pytest.raises(InputError, match=rf"level.*{level}"):
        train(replace(recipe, level=LEVELS[LEVELS.index(level) - 1]), *lessons(asked), tmp_path)


def test_a_state_goes_on_at_its_own_level_and_compiled_or_not(asked: Examples) -> None:
    recipe = TrainConfig("unet", tuning_share=0.1, overrides={"m": 1, "width": 4})

    def run(recipe: TrainConfig) -> Trainer:
        return Trainer(recipe, *lessons(asked), torch.device("cpu"), ProcessGroup(), None, Path(), lambda _: None)

    state = run(recipe).state()
    run(replace(recipe, compile=True)).resume(state, Path())
    with pytest.raises(InputError, match='level "region"'):
        run(replace(recipe, level="pixel")).resume(state, Path())


def test_a_dataset_s_worlds_are_asked_before_its_features_are_made(
    episodes: list[Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = [replace(one, world="touchdown") for one in episodes]
    monkeypatch.setattr("bearleft.training.pointing.dataset.load", lambda *_: real)
    monkeypatch.delattr("bearleft.training.pointing.dataset.features_for")
    with pytest.raises(InputError, match="touchdown"):
        train_on_dataset(TrainConfig("concat", level=OBJECT), TrainInputs("sdr/train"), tmp_path)


def test_tables_tell_at_which_level_a_network_was_trained(
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
    learnt = {"concat, static", "concat-pixel, static", "concat-object, static"}
    assert {(row["row"], row["level"]) for row in rows} == set(product(learnt, LEVELS)) and all(
        name in text for name in learnt
    )
    real = [replace(one, world="refer360") for one in episodes]
    monkeypatch.setattr("bearleft.experiments.refer360.train.load", lambda _name, _data: real)
    with pytest.raises(InputError, match="level region or pixel"):
        Refer360Trainer(tmp_path, config, "random:0", "cpu")
