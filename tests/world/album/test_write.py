"""Whole worlds written: the same files after any kill and by any number of processes, for one writer at a time."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bearleft.world.album.write as module
from bearleft.errors import InputError
from bearleft.world.album.album import Album
from bearleft.world.album.check import check_album
from bearleft.world.album.layout import CHANNELS
from bearleft.world.album.write import AlbumConfig, choose_places, write_album
from bearleft.world.city.city import City, open_city
from bearleft.world.render.camera import panorama
from bearleft.world.render.cpu import render
from bearleft.world.render.gpu import available

WORLD = "city/3/4x5"
SMALL = AlbumConfig((64, 32), CHANNELS, samples=1)
SOME = "10..49"


def files(folder: Path) -> dict[str, str]:
    """Every file of a folder by the hash of what is in it."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An album that was written in one go by one process."""
    folder = tmp_path_factory.mktemp("whole") / "album"
    told: list[tuple[str, int, int]] = []
    done = write_album(folder, WORLD, SMALL, places=SOME, progress=lambda *said: told.append(said))
    assert (done.places, done.written, done.present) == (40, 200, 0)
    assert told[-1] == ("places", 40, 40)
    return folder


def test_pictures_are_the_renderers(whole: Path) -> None:
    city, album = open_city(WORLD), Album.open(whole)
    number = 17
    place = city.graph.ids[number]
    yaw = float(city.graph.yaw[number])
    exact = render(city.scene, city.poses(number, yaw), panorama(64), samples=1)
    assert album.entry(place).yaw == yaw
    assert np.array_equal(album.instances(place), exact.instance[0])
    assert np.array_equal(album.parts(place), exact.part[0])
    assert np.array_equal(album.classes(place), exact.kind[0])
    assert np.abs(album.rgb(place).astype(int) - exact.rgb[0]).mean() < 6
    solid = np.isfinite(exact.depth[0])
    assert np.array_equal(np.isfinite(album.depth(place)), solid)
    assert np.abs(album.depth(place)[solid] - np.minimum(exact.depth[0][solid], 655.35)).max() < 0.006
    assert album.about.classes[int(exact.kind[0, -1, 0])] in ("road", "marking", "crosswalk")
    where = album[place]["position"]
    assert np.allclose(where, city.poses(number)[0, :3], atol=0.002)


def test_several_processes_write_the_same(whole: Path, tmp_path: Path) -> None:
    done = write_album(tmp_path / "two", WORLD, SMALL, places=SOME, processes=2)
    assert done.written == 200
    assert files(tmp_path / "two") == files(whole)


def test_two_albums_at_once(tmp_path: Path) -> None:
    """In threads, of different worlds and sizes: neither gets the other's pictures."""
    asked = {"one": (WORLD, SMALL), "two": ("city/5/4x5", replace(SMALL, size=(32, 16), channels=("rgb",)))}
    for name, (world, config) in asked.items():
        write_album(tmp_path / f"{name}_alone", world, config, places="0..29")
    with ThreadPoolExecutor(2) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CPU_BATCH_PIXELS", 2 * 64 * 32)
        both = [pool.submit(write_album, tmp_path / name, *given, places="0..29") for name, given in asked.items()]
        assert [one.result().places for one in both] == [30, 30]
    for name in asked:
        assert files(tmp_path / name) == files(tmp_path / f"{name}_alone")


def test_a_city_is_let_go(tmp_path: Path) -> None:
    write_album(tmp_path / "album", WORLD, SMALL, places="0..1")
    assert not any(isinstance(value, City) for value in vars(module).values())


def test_a_file_that_is_not_whole_is_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "album"
    write_album(folder, WORLD, SMALL, places="10..13")
    expected = files(folder)
    (folder / "rgb" / "c000010.jpg").write_bytes(b"")
    for name in ("rgb/c000011.jpg", "depth/c000012.png"):
        (folder / name).write_bytes((folder / name).read_bytes()[:-20])
    (folder / "parts" / "c000010.png").write_bytes(b"x" * 5000)
    (folder / "rgb" / "c000013.jpg").unlink()
    (folder / "rgb" / "c000013.jpg").symlink_to("/nowhere/at/all.jpg")
    again = write_album(folder, WORLD, SMALL, places="10..13")
    assert (again.written, again.present) == (5, 15) and files(folder) == expected


KILLED = """
import sys
from bearleft.world.album.layout import CHANNELS
from bearleft.world.album.write import AlbumConfig, write_album
import bearleft.world.album.write as module
module.CPU_BATCH_PIXELS = 3 * 64 * 32
write_album(sys.argv[1], {world!r}, AlbumConfig((64, 32), CHANNELS, samples=1), places={some!r})
print("done", flush=True)
"""


def test_killed_again_and_again_and_resumed(whole: Path, tmp_path: Path) -> None:
    folder, draw, kills, done = tmp_path / "album", random.Random(0), 0, False
    expected = files(whole)
    while not done and kills < 2:
        program = KILLED.format(world=WORLD, some=SOME)
        process = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE)
        enough = draw.randrange(5, 45) + len(list(folder.glob("*/*.*")))
        while process.poll() is None and len(list(folder.glob("*/*.*"))) < enough:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        done = b"done" in process.communicate()[0]
        kills += 1
        # Whatever is there under its name is whole.
        for name, content in files(folder).items():
            assert name.endswith(".part") or content == expected[name]
    assert kills == 2 and not done
    (folder / "rgb" / ".c000000.jpg.0123.part").write_bytes(b"half")
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*/c*.*")}
    done_now = write_album(folder, WORLD, SMALL, places=SOME)
    assert done_now.present == len(before) and done_now.written == 200 - len(before)
    assert files(folder) == expected
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())


def test_a_file_that_was_lost_is_made_again_and_more_places_join(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "album"
    write_album(folder, WORLD, SMALL, places="10..12")
    (folder / "depth" / "c000011.png").unlink()
    again = write_album(folder, WORLD, SMALL, places="10..12")
    assert (again.written, again.present) == (1, 14)
    (tmp_path / "ids.txt").write_text("c000013\n\nc000009\n")
    more = write_album(folder, WORLD, SMALL, places=str(tmp_path / "ids.txt"))
    assert (more.places, more.written, more.total) == (2, 10, 5)
    assert Album.open(folder).ids == ("c000009", "c000010", "c000011", "c000012", "c000013")
    for name, content in files(whole).items():
        if (folder / name).exists() and "/" in name:
            assert files(folder)[name] == content


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"config": replace(SMALL, size=(128, 64))}, "whose size is"),
        ({"config": replace(SMALL, light=replace(SMALL.light, hour=20.0))}, "whose light is"),
        ({"config": replace(SMALL, samples=2)}, "whose samples is 1, not 2"),
        ({"config": replace(SMALL, channels=("rgb",))}, "whose channels is"),
        ({"config": replace(SMALL, quality=50)}, "whose quality is 92, not 50"),
        ({"world": "city/4/4x5"}, 'whose world is "city/3/4x5", not "city/4/4x5"'),
    ],
)
def test_another_albums_folder_is_refused(whole: Path, other: dict[str, Any], message: str) -> None:
    before = files(whole)
    with pytest.raises(InputError, match=message):
        given: dict[str, Any] = {"world": WORLD, "config": SMALL, "places": SOME}
        write_album(whole, **given | other)
    assert files(whole) == before


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "album").mkdir()
    with open(tmp_path / "album" / ".lock", "w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="one in use"):
            write_album(tmp_path / "album", WORLD, SMALL, places="0..1")
    assert write_album(tmp_path / "album", WORLD, SMALL, places="0..1").written == 10


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="something else in it"):
        write_album(tmp_path / "mine", WORLD, SMALL)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="can be written"):
        write_album(tmp_path / "file", WORLD, SMALL)
    with pytest.raises(InputError, match="one process for a GPU"):
        write_album(tmp_path / "new", WORLD, replace(SMALL, device="cuda"), processes=2)
    with pytest.raises(InputError, match="at least one process"):
        write_album(tmp_path / "new", WORLD, SMALL, processes=0)
    for change, message in (
        ({"channels": ("rgb", "smell")}, "name of a channel"),
        ({"channels": ("rgb", "rgb")}, "each once"),
        ({"picture": "gif"}, "name of a format"),
        ({"quality": 0}, "1 to 100"),
        ({"size": (64, 64)}, "twice as wide"),
        ({"size": (1 << 20, 1 << 19)}, "width from 1"),
    ):
        with pytest.raises(InputError, match=message):
            replace(SMALL, **change)


@pytest.mark.skipif(available(), reason="there is a GPU")
def test_no_gpu(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a CUDA GPU"):
        write_album(tmp_path / "album", WORLD, replace(SMALL, device="cuda"))
    assert not (tmp_path / "album").exists()


def test_choosing_places(tmp_path: Path) -> None:
    graph = open_city(WORLD).graph
    assert choose_places(graph) == list(range(len(graph)))
    assert choose_places(graph, "3..5") == [3, 4, 5]
    for wrong in ("5..3", f"0..{len(graph)}", "nowhere.txt"):
        with pytest.raises(InputError):
            choose_places(graph, wrong)
    (tmp_path / "ids").write_text("c000001\nmars\n")
    with pytest.raises(InputError, match="mars"):
        choose_places(graph, str(tmp_path / "ids"))
    (tmp_path / "ids").write_text("\n")
    with pytest.raises(InputError, match="none"):
        choose_places(graph, str(tmp_path / "ids"))


def test_check_counts_what_is_missing_bad_and_strange(whole: Path, tmp_path: Path) -> None:
    assert check_album(whole).summary["bad"] == 0
    folder = tmp_path / "album"
    write_album(folder, WORLD, SMALL, places="0..5")
    (folder / "rgb" / "c000000.jpg").unlink()
    short = (folder / "rgb" / "c000001.jpg").read_bytes()
    (folder / "rgb" / "c000001.jpg").write_bytes(short[: len(short) // 2])
    (folder / "depth" / "c000002.png").write_bytes((folder / "classes" / "c000002.png").read_bytes())
    (folder / "rgb" / "holiday.jpg").write_bytes(short)
    (folder / "rgb" / "c000003.jpg").unlink()
    (folder / "rgb" / "c000003.jpg").symlink_to("/nowhere/at/all.jpg")
    found = check_album(folder)
    counted = {name: found.summary[name] for name in ("places", "files", "missing", "bad", "strangers")}
    assert found.summary["sizes"] == "64x32: 26"
    assert counted == {"places": 6, "files": 28, "missing": 1, "bad": 3, "strangers": 1}
    assert {row["id"] for row in found.problems} == {"c000000", "c000001", "c000002", "c000003"}
    assert all(row["file"].startswith(("rgb/", "depth/")) and row["problem"] for row in found.problems)


def test_damaged_album_files_are_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "album"
    write_album(folder, WORLD, SMALL, places="0..1")
    about, places = (folder / "album.json").read_text(), (folder / "places.jsonl").read_text()
    for wrong in ("{", "[]", '{"album": 2}', about.replace('"rgb"', '"smell"'), about.replace("64,", '"x",')):
        (folder / "album.json").write_text(wrong)
        with pytest.raises(InputError, match=r"album\.json"):
            Album.open(folder)
    (folder / "album.json").write_text(about)
    first = places.splitlines()[0]
    outside = json.dumps(json.loads(first) | {"file": "../../etc/passwd"})
    for wrong in ("x\n", "[]\n", first + "\n" + first + "\n", outside + "\n", '{"id": "a"}\n'):
        (folder / "places.jsonl").write_text(wrong)
        with pytest.raises(InputError, match=r"places\.jsonl:\d"):
            Album.open(folder)
    os.remove(folder / "places.jsonl")
    with pytest.raises(InputError, match="nothing there"):
        Album.open(folder)
