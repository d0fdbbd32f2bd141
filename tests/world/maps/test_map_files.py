"""`bearleft map`: files, routes of datasets, trajectories of traces, and error messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from bearleft import cli, evaluate
from bearleft.data import load
from bearleft.records import Point, Reach
from bearleft.reports.pictures.maps import MapConfig, draw_map
from bearleft.world.city.city import open_city
from bearleft.world.maps.colours import ROUTES, TARGET
from bearleft.world.maps.frame import MapExtent
from bearleft.world.maps.map import Line, overhead_map
from bearleft.world.rooms.shell import room_shells

SMALL_CITY = "city/3/4x5"
DATASET = "city/touchdown-complete/small"


def run_map(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = 0
    try:
        cli.main(["map", *(str(word) for word in arguments)])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def map_row(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run_map(capsys, *arguments, "--json")
    assert code == 0, err
    (row,) = json.loads(out)
    assert not any(isinstance(value, dict | list) for value in row.values())
    return dict(row)


def test_region_is_written_as_png_and_svg(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    region = ("--at", "10,-20", "--radius", "60", "--size", "300x200")
    png = map_row(capsys, SMALL_CITY, "-o", tmp_path / "m.png", *region)
    svg = map_row(capsys, SMALL_CITY, "-o", tmp_path / "m.svg", *region)
    assert {**png, "file": ""} == {**svg, "file": ""}
    assert (png["east"], png["north"], png["radius"], png["width"], png["height"]) == (10, -20, 60, 300, 200)
    assert png["marks"] > 50 and png["words"] > 3
    with Image.open(tmp_path / "m.png") as picture:
        assert picture.size == (300, 200)
        assert len(np.unique(np.asarray(picture).reshape(-1, 3), axis=0)) > 100
    root = ElementTree.parse(tmp_path / "m.svg").getroot()
    assert sum(len(group) for group in root.iter("{http://www.w3.org/2000/svg}g")) == png["marks"]


def test_route_of_a_dataset_is_drawn_with_its_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    episode = load(DATASET)[3]
    assert isinstance(episode.legs[0].goal, Reach) and isinstance(episode.legs[1].goal, Point)
    row = map_row(capsys, "-o", tmp_path / "m.png", "--route", DATASET, "--id", episode.id, "--heading", "0")
    assert (row["world"], row["episode"], row["lines"]) == (episode.world, episode.id, 1)
    with Image.open(tmp_path / "m.png") as picture:
        pixels = np.asarray(picture.convert("RGB"))
    for colour in (ROUTES[0], TARGET):
        assert (pixels == colour).all(axis=2).sum() > 20, colour


def test_trajectories_are_drawn_beside_the_route(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for agent in ("random", "gold"):
        evaluate(agent, "town/dev", tmp_path / f"{agent}.jsonl", limit=3)
    trace_options = [word for agent in ("random", "gold") for word in ("--traces", tmp_path / f"{agent}.jsonl")]
    second = load("town/dev")[1].id
    row = map_row(capsys, "-o", tmp_path / "m.svg", *trace_options, "--id", second, "--plain")
    assert (row["lines"], row["episode"]) == (3, second)
    svg = (tmp_path / "m.svg").read_text()
    assert ">random<" in svg and ">gold<" in svg and ">the route<" in svg
    assert map_row(capsys, "-o", tmp_path / "m.svg", *trace_options, "--plain")["episode"] == load("town/dev")[0].id


def test_maps_of_places_graphs_and_full_worlds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stops = "c000000,c000009, c000000"
    row = map_row(capsys, SMALL_CITY, "-o", tmp_path / "m.svg", "--places", stops, "--plain", "--title", "<b>")
    assert row["lines"] == 1 and row["radius"] > 40 and "&lt;b&gt;" in (tmp_path / "m.svg").read_text()
    row = map_row(capsys, "town/0", "-o", tmp_path / "m.svg", "--plain", "--place", "5", "--radius", "40")
    assert row["radius"] == 40 and 'class="building"' not in (tmp_path / "m.svg").read_text()
    full = draw_map(tmp_path / "w.svg", SMALL_CITY, MapConfig(names=False)).rows[0]
    assert full["radius"] > 250 and full["words"] == 3  # title, scale, north


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("size", ["600", "500x300", "300x500"])
def test_map_of_a_place_in_a_room_shows_the_full_room(size: str, tmp_path: Path) -> None:
    rooms, plan = room_shells(0, 12), open_city("rooms/0/12").plan
    for k in range(12):
        row = draw_map(tmp_path / "m.svg", "rooms/0/12", MapConfig(place=str(k), size=size, names=False)).rows[0]
        assert (row["east"], row["north"]) == pytest.approx(plan.graph.positions[k, :2], abs=0.001)
        extent = MapExtent(row["east"], row["north"], row["radius"], row["width"], row["height"])
        west, south, east, north = extent.box
        assert west <= (rooms.x[k] - rooms.width[k] / 2) / 1000 and (rooms.x[k] + rooms.width[k] / 2) / 1000 <= east
        assert south <= (rooms.y[k] - rooms.depth[k] / 2) / 1000 and (rooms.y[k] + rooms.depth[k] / 2) / 1000 <= north
        assert (rooms.y[k] + rooms.depth[k] / 2) / 1000 <= north - 38 * extent.unit  # below the title
        assert row["radius"] < 16
    east, north = plan.graph.positions[3, :2]
    at_position = draw_map(tmp_path / "m.svg", "rooms/0/12", MapConfig(at=f"{east},{north}")).rows[0]
    assert at_position["radius"] == draw_map(tmp_path / "m.svg", "rooms/0/12", MapConfig(place="3")).rows[0]["radius"]
    assert draw_map(tmp_path / "m.svg", "rooms/0/12", MapConfig(place="3", radius=7)).rows[0]["radius"] == 7


def test_matterport_route_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str], real_data: Path) -> None:
    row = map_row(capsys, "-o", tmp_path / "m.png", "--route", "r2r/val_unseen", "--data", real_data)
    assert row["world"].startswith("matterport/") and row["lines"] == 1 and row["radius"] < 60


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((SMALL_CITY,), "Missing option"),
        ((SMALL_CITY, "-o", "{tmp}/m.gif"), "ends in .png or .svg"),
        ((SMALL_CITY, "-o", "{tmp}/folder.png"), "a folder"),
        ((SMALL_CITY, "-o", "{tmp}/file/m.png"), "can be written"),
        (("nowhere", "-o", "{tmp}/m.png"), "a world with places and links"),
        (("city/x", "-o", "{tmp}/m.png"), "a world with places and links"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--at", "5000,0"), "a region of city/3/4x5: east"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--at", "nan,0"), "metres EAST,NORTH"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--at", "1"), "metres EAST,NORTH"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--at", "0,0", "--place", "1"), "a place or a position"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--place", "c9"), "A place is an id like c000000"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--radius", "-3"), "a radius from"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--radius", "nan"), "a radius from"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--size", "0"), "16 to 4096 pixels"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--size", "99999"), "16 to 4096 pixels"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--size", "big"), "a size like"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--size", "1x2x3"), "a size like"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--heading", "0", "--fov", "0"), "a field of view"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--places", "c000000,"), "a place of the world"),
        (
            ("rooms/0/12", "-o", "{tmp}/m.png", "--places", "0000000,0000001"),
            "a way from 0000000 to 0000001, got rooms/0/12, where no place has a link to another. "
            "Say --place 0000000 to see one.",
        ),
        (("nowhere", "-o", "{tmp}/m.png"), "matterport/SCAN"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--id", "3"), "Say --route DATASET"),
        (("-o", "{tmp}/m.png", "--route", DATASET, "--id", "none"), "the id of an episode"),
        (("city/0", "-o", "{tmp}/m.png", "--route", DATASET), "the world of episode"),
        (("-o", "{tmp}/m.png", "--route", "no/such"), "the name of a dataset"),
        (("-o", "{tmp}/m.png", "--route", DATASET, "--places", "c000000"), "or the places of one"),
        (("-o", "{tmp}/m.png", "--traces", "{tmp}/none.jsonl"), "none.jsonl"),
        (("-o", "{tmp}/m.png", "--traces", "{tmp}/file"), "file:1"),
        ((SMALL_CITY, "-o", "{tmp}/m.png", "--city", "4"), "field city: expected the seed of"),
    ],
)
def test_mistakes_give_a_message_and_exit_code_2(
    arguments: tuple[str, ...], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text('{"not": "a trace"}\n')
    code, out, err = run_map(capsys, *(word.replace("{tmp}", str(tmp_path)) for word in arguments))
    assert (code, out) == (2, "") and expected in err, err
    assert not (tmp_path / "m.png").exists()


def test_empty_trajectory_draws_no_line() -> None:
    drawing = overhead_map(open_city(SMALL_CITY).plan, None, [Line([], name="nobody")])
    assert not any(shape.kind.startswith(("route", "legend")) for shape in drawing.shapes)
