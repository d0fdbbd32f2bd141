"""A world's tiles: all of them once, kept after a kill, refused where they are another's."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from bearleft.cli import cli
from bearleft.errors import InputError
from bearleft.world.city.city import open_city
from bearleft.world.tiles.making import every_square, write_tiles

WORLD = "city/3/2x2"


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    write_tiles(folder, WORLD, texels=64)
    return folder


def test_every_thing_is_in_one_tile(whole: Path) -> None:
    listed = json.loads((whole / "tiles.json").read_text())
    plan = open_city(WORLD).plan
    assert (listed["world"], listed["plan"], listed["side"], listed["texels"]) == (WORLD, plan.hash, 64.0, 64)
    assert sum(one["instances"] for one in listed["tiles"]) == len(plan.things)
    assert {one["file"]: one["sha256"] for one in listed["tiles"]} | {"tiles.json": hashes(whole)["tiles.json"]} == (
        hashes(whole)
    )
    for one in listed["tiles"]:
        assert one["bytes"] == (whole / one["file"]).stat().st_size


def test_tiles_cover_all_roads_and_places() -> None:
    plan = open_city(WORLD).plan
    squares = {(one.column, one.row) for one in every_square(plan, 32.0)}
    rng = np.random.default_rng(3)
    for road in plan.roads:
        share = rng.random()
        x, y = (road[f"{c}0"] + share * (float(road[f"{c}1"]) - road[f"{c}0"]) for c in "xy")
        assert (int(x // 32000), int(y // 32000)) in squares
    for x, y, _ in plan.graph.positions:
        assert (int(x // 32), int(y // 32)) in squares


def test_after_a_kill_the_rest_is_made_and_nothing_else(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "bearleft.cli", "tiles", WORLD, "-o", str(folder), "--texels", "64"]
    with subprocess.Popen([*command, "--processes", "2"], stderr=subprocess.DEVNULL) as child:
        while child.poll() is None and len(list(folder.glob("[!.]*.glb"))) < 3:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
    time.sleep(0.5)  # its own processes end with it
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("[!.]*.glb")}
    assert kept
    for path in folder.glob(".*"):
        path.unlink()  # what was in the making
    write_tiles(folder, WORLD, texels=64)
    assert hashes(folder) == hashes(whole)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())


def test_tiles_around_a_spot_are_added_to_those_there(tmp_path: Path) -> None:
    east, north = open_city(WORLD).graph.positions[0, :2].tolist()
    first = write_tiles(tmp_path, WORLD, at=(east, north), reach=0.0, texels=64)
    assert len(first.tiles) == 1
    more = write_tiles(tmp_path, WORLD, at=(east, north), reach=40.0, texels=64)
    assert len(more.tiles) > 1 and first.tiles[0] in more.tiles
    with pytest.raises(InputError, match="a folder of tiles with side 32"):
        write_tiles(tmp_path, WORLD, side=32.0, texels=64)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"side": 1.0}, "a tile's side from 8 to 1024"),
        ({"side": float("nan")}, "a tile's side"),
        ({"texels": 100}, "a multiple of 8"),
        ({"at": (0.0, 0.0)}, "both a spot and how far"),
        ({"reach": 10.0}, "both a spot and how far"),
        ({"at": (0.0, 0.0), "reach": -1.0}, "metres around the spot"),
        ({"at": (9e4, 9e4), "reach": 5.0}, "something of the world around"),
        ({"world": "matterport/x"}, "a world of streets"),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        write_tiles(tmp_path, **({"world": WORLD} | given))
    assert not list(tmp_path.iterdir())


def test_the_verb_prints_one_row(whole: Path) -> None:
    done = CliRunner().invoke(cli, ["tiles", WORLD, "-o", str(whole), "--texels", "64", "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)
    assert row["world"] == WORLD and row["tiles"] == len(list(whole.glob("*.glb")))
    assert row["instances"] == len(open_city(WORLD).plan.things)
    with pytest.raises(InputError, match="EAST,NORTH"):
        CliRunner().invoke(cli, ["tiles", WORLD, "-o", "x", "--at", "here"], catch_exceptions=False)
