"""A world's tiles: all of them once, kept after a kill, refused where they are another's."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import signal
import struct
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
from bearleft.world.tiles.export import squares_of, tiles
from bearleft.world.worlds import open_world

WORLD = "city/3/2x2"


def hashes(folder: Path) -> dict[str, str]:
    """Of every file there, whatever its name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def copied(whole: Path, folder: Path) -> Path:
    return Path(shutil.copytree(whole, folder))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    tiles(folder, WORLD, texels=64)
    return folder


@pytest.mark.slow
def test_every_thing_is_in_one_tile(whole: Path) -> None:
    listed = json.loads((whole / "tiles.json").read_text())
    plan = open_city(WORLD).plan
    assert (listed["world"], listed["plan"], listed["side"], listed["texels"]) == (WORLD, plan.hash, 64.0, 64)
    assert sum(one["instances"] for one in listed["tiles"]) == len(plan.things)
    there = {name: said for name, said in hashes(whole).items() if name not in ("tiles.json", ".lock")}
    assert {one["file"]: one["sha256"] for one in listed["tiles"]} == there
    for one in listed["tiles"]:
        assert one["bytes"] == (whole / one["file"]).stat().st_size


def test_tiles_cover_all_roads_and_places() -> None:
    plan = open_city(WORLD).plan
    squares = {(one.column, one.row) for one in squares_of(plan, 32.0)}
    rng = np.random.default_rng(3)
    for road in plan.roads:
        share = rng.random()
        x, y = (road[f"{c}0"] + share * (float(road[f"{c}1"]) - road[f"{c}0"]) for c in "xy")
        assert (int(x // 32000), int(y // 32000)) in squares
    for x, y, _ in plan.graph.positions:
        assert (int(x // 32), int(y // 32)) in squares


@pytest.mark.slow
def test_after_a_kill_the_rest_is_made_and_nothing_else(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "bearleft", "tiles", WORLD, "-o", str(folder), "--texels", "64"]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "--processes", "2"], stdout=pipe, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None and len(list(folder.glob("[!.]*.glb"))) < 3:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        assert child.stdout is not None
        child.stdout.read()  # its own processes, which have the same output, end with it
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("[!.]*.glb")}
    assert kept
    for name in (".tile_0_0.glb.0badf00d.part", ".tiles.json.0badf00d.part"):
        (folder / name).write_text("half")  # as a kill in the midst of a write leaves it
    tiles(folder, WORLD, texels=64)
    assert hashes(folder) == hashes(whole)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())


def test_one_at_a_time(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "busy")
    with open(folder / ".lock") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="tiles that nobody else writes"):
            tiles(folder, WORLD, texels=64)
    tiles(folder, WORLD, texels=64)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("change", ["a bit", "cut off", "empty", "no tile"])
def test_a_tile_that_was_changed_is_made_again(whole: Path, tmp_path: Path, change: str) -> None:
    folder = copied(whole, tmp_path / "changed")
    first, second = sorted(folder.glob("*.glb"))[:2]
    then = second.stat().st_mtime_ns
    data = first.read_bytes()
    wrong = {"a bit": data[:-1] + bytes([data[-1] ^ 1]), "cut off": data[:100], "empty": b"", "no tile": b"x" * 99}
    first.write_bytes(wrong[change])
    done = CliRunner().invoke(cli, ["tiles", WORLD, "-o", str(folder), "--texels", "64", "--json"])
    assert done.exit_code == 0 and json.loads(done.stdout)[0]["remade"] == 1
    assert f"{first.name} had changed since it was written, and is written again" in done.stderr
    assert hashes(folder) == hashes(whole) and second.stat().st_mtime_ns == then


def test_a_damaged_tile_that_no_list_names_is_made_again(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "killed")
    (folder / "tiles.json").unlink()
    first = sorted(folder.glob("*.glb"))[0]
    data = first.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    first.write_bytes(data[:20] + b"?" * length + data[20 + length :])
    assert tiles(folder, WORLD, texels=64).remade == (first.name,)
    assert hashes(folder) == hashes(whole)
    (folder / "mine.glb").write_bytes(b"something")
    with pytest.raises(InputError, match=r"mine\.glb: expected .* Delete it"):
        tiles(folder, WORLD, texels=64)


@pytest.mark.parametrize("text", ["{", "[]", '{"tiles": 3}', '{"tiles": [{"file": 1}]}'])
def test_a_damaged_list_says_what_to_do(whole: Path, tmp_path: Path, text: str) -> None:
    folder = copied(whole, tmp_path / "damaged")
    (folder / "tiles.json").write_text(text)
    with pytest.raises(InputError, match=r"tiles\.json: expected .* Delete it"):
        tiles(folder, WORLD, texels=64)
    (folder / "tiles.json").unlink()
    tiles(folder, WORLD, texels=64)
    assert hashes(folder) == hashes(whole)


@pytest.mark.slow
def test_a_room_is_one_tile(tmp_path: Path) -> None:
    city = open_city("rooms/0/6")
    made = tiles(tmp_path, "rooms/0/6", texels=64)
    listed = json.loads((tmp_path / "tiles.json").read_text())
    assert len(made.tiles) == 6 and made.about.side == 30.0
    assert list(listed["places"]) == list(city.graph.ids)
    for (east, north, heading), where, yaw in zip(
        listed["places"].values(), city.graph.positions, city.graph.yaw, strict=True
    ):
        assert (east, north) == pytest.approx(where[:2]) and heading == yaw
        (own,) = [
            b for b in (one["bounds"] for one in listed["tiles"]) if b[0] <= east <= b[3] and b[1] <= north <= b[4]
        ]
        assert (own[0] + 15 - east) ** 2 + (own[1] + 15 - north) ** 2 < 2 * 1.5**2
        assert own[3] - own[0] == own[4] - own[1] == 30  # nothing reaches over its edge
    with pytest.raises(InputError, match="a folder of tiles with side 60"):
        tiles(tmp_path, "rooms/0/6", side=60.0, texels=64)


def test_places_of_tiles_that_are_there_are_listed(tmp_path: Path) -> None:
    city = open_city(WORLD)
    east, north = city.graph.positions[0, :2].tolist()
    tiles(tmp_path, WORLD, at=(east, north), radius=0.0, texels=64)
    listed = json.loads((tmp_path / "tiles.json").read_text())
    assert listed["places"][city.graph.ids[0]] == pytest.approx([east, north, city.graph.heading[0]], abs=0.001)
    assert 0 < len(listed["places"]) < len(city.graph)
    for x, y, _ in listed["places"].values():
        assert (x // 64, y // 64) == (east // 64, north // 64)


@pytest.mark.slow
def test_tiles_around_a_spot_are_added_to_those_there(tmp_path: Path) -> None:
    east, north = open_city(WORLD).graph.positions[0, :2].tolist()
    first = tiles(tmp_path, WORLD, at=(east, north), radius=0.0, texels=64)
    assert len(first.tiles) == 1
    more = tiles(tmp_path, WORLD, at=(east, north), radius=40.0, texels=64)
    assert len(more.tiles) > 1 and first.tiles[0] in more.tiles
    with pytest.raises(InputError, match="a folder of tiles with side 32"):
        tiles(tmp_path, WORLD, side=32.0, texels=64)


@pytest.mark.slow
def test_a_city_on_streets_that_have_none_is_named(tmp_path: Path) -> None:
    east, north = open_world("town/0").positions[0, :2].tolist()
    made = tiles(tmp_path, "town/0", 8.0, (east, north), 0.0, 64, city=3)
    assert made.about.world == "town/0 with city 3"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"side": 1.0}, "a tile's side from 8 to 1024"),
        ({"side": float("nan")}, "a tile's side"),
        ({"texels": 100}, "a multiple of 8"),
        ({"at": (0.0, 0.0)}, "both a point and a radius"),
        ({"radius": 10.0}, "both a point and a radius"),
        ({"at": (0.0, 0.0), "radius": -1.0}, "metres around the point"),
        ({"at": (9e4, 9e4), "radius": 5.0}, "part of the world around"),
        ({"world": "matterport/x"}, "matterport/x"),
        ({"world": "nowhere"}, "city/SEED, sections/SEED, rooms/SEED, town/SEED or touchdown, got"),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        tiles(tmp_path, **({"world": WORLD} | given))
    assert not list(tmp_path.iterdir())


def test_the_verb_prints_one_row(whole: Path) -> None:
    done = CliRunner().invoke(cli, ["tiles", WORLD, "-o", str(whole), "--texels", "64", "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)
    assert row["world"] == WORLD and row["tiles"] == len(list(whole.glob("*.glb")))
    assert row["instances"] == len(open_city(WORLD).plan.things)
    with pytest.raises(InputError, match="EAST,NORTH"):
        CliRunner().invoke(cli, ["tiles", WORLD, "-o", "x", "--at", "here"], catch_exceptions=False)
