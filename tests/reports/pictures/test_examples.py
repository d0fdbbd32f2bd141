from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bearleft.data import load, write
from bearleft.errors import InputError
from bearleft.geometry import to_equirectangular
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Point, Pose
from bearleft.reports.pictures.examples import BAND_PITCH, MAP_SIDE, PANORAMA, TARGET_COLOUR, examples
from bearleft.reports.pictures.maps import MapConfig, draw_map
from bearleft.world.arramon.sections.world import open_sections


@pytest.mark.slow
def test_examples_show_text_route_and_target(tmp_path: Path) -> None:
    name = "city/touchdown-complete/small"
    episode = load(name)[3]
    (row,) = examples(name, tmp_path / "shown", [episode.id])
    page = (tmp_path / "shown" / "README.md").read_text()
    assert all(leg.text in page for leg in episode.legs) and f"{episode.id}.jpg" in page
    with Image.open(row["file"]) as file:
        pixels = np.asarray(file.convert("RGB")).astype(int)
    goal = episode.legs[1].goal
    assert isinstance(goal, Point)
    x, y = to_equirectangular(goal.direction.heading, goal.direction.pitch, PANORAMA.width, PANORAMA.height, goal.yaw)
    # The panorama is below the map, cropped to pitches within BAND_PITCH.
    target_row = float(y) - (90.0 - BAND_PITCH) / 180.0 * PANORAMA.height + MAP_SIDE + 8
    near_target = np.hypot(*(np.indices(pixels.shape[:2]) - np.array([target_row, float(x)])[:, None, None])) < 14
    pink = np.abs(pixels - TARGET_COLOUR).sum(axis=2) < 150
    assert (pink & near_target).sum() > 20


@pytest.mark.slow
def test_same_seed_shows_the_same_episodes(tmp_path: Path) -> None:
    first = examples("city/refer360/small", tmp_path / "one", count=1, seed=4)
    second = examples("city/refer360/small", tmp_path / "two", count=1, seed=4)
    assert first[0]["episode"] == second[0]["episode"]
    assert Path(first[0]["file"]).read_bytes() == Path(second[0]["file"]).read_bytes()


def test_unknown_episodes_and_counts_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ids of city/sdr/small"):
        examples("city/sdr/small", tmp_path, ["nobody"])
    with pytest.raises(InputError):
        examples("city/sdr/small", tmp_path, count=0)


def test_released_tasks_are_rejected_with_a_hint(tmp_path: Path) -> None:
    goals = Collect(((0, 0, 0), (1, 0, 0)), "Mug", (1, 2, 0)), Assemble((3, 1, 2))
    legs = tuple(Leg(f"leg {k}", goals[k % 2]) for k in range(4))
    task = Episode("7", "mine", "arramon/7", Pose(Direction(0), None, (0, 0, 0)), legs)
    write("jsonl", [task], tmp_path / "mine.jsonl")
    with pytest.raises(InputError) as caught:
        examples(str(tmp_path / "mine.jsonl"), tmp_path / "shown")
    assert "bearleft report" in caught.value.hint and not (tmp_path / "shown").exists()
    with pytest.raises(InputError) as caught:
        draw_map(tmp_path / "map.png", config=MapConfig(dataset="city/arramon/small"))
    assert "bearleft data show" in caught.value.hint and "bearleft report" in caught.value.hint


def test_sections_are_numbered_on_maps(tmp_path: Path) -> None:
    def section_numbers(at: str | None, radius: float | None) -> list[str]:
        draw_map(tmp_path / "map.svg", "sections/0", MapConfig(at=at, radius=radius))
        return re.findall(r">section (\d)<", (tmp_path / "map.svg").read_text())

    west, south, east, north = open_sections("sections/0").bounds[4]
    assert sorted(set(section_numbers(None, None))) == list("1234567")
    assert set(section_numbers(f"{(west + east) / 2},{(south + north) / 2}", 70.0)) == {"5"}


@pytest.mark.slow
def test_tasks_are_shown_leg_by_leg(tmp_path: Path) -> None:
    episode = load("city/arramon/small")[1]
    (row,) = examples("city/arramon/small", tmp_path, [episode.id])
    page = (tmp_path / "README.md").read_text()
    assert all(
        f"{heading}**: {leg.text}" in page
        for heading, leg in zip(["Collect", "Assemble"] * 2, episode.legs, strict=True)
    )
    with Image.open(row["file"]) as file:
        assert file.height == 4 * MAP_SIDE + 3 * 8
        pixels = np.asarray(file.convert("RGB")).astype(int)
    for top in range(0, 4 * (MAP_SIDE + 8), MAP_SIDE + 8):
        for part in (slice(0, MAP_SIDE), slice(MAP_SIDE + 6, MAP_SIDE + 268)):
            assert pixels[top : top + 200, part].std() > 10, (top, part)
