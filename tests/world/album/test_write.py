"""Writing albums of worlds: the same files after a kill and with any number of processes; one writer at a time."""

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
CONFIG = AlbumConfig((64, 32), CHANNELS, samples=1)
PLACES = "10..49"


def file_hashes(folder: Path) -> dict[str, str]:
    """Return the hash of every file of a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.fixture(scope="module")
def complete_album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an album written without interruption by one process."""
    folder = tmp_path_factory.mktemp("whole") / "album"
    reports: list[tuple[str, int, int]] = []
    result = write_album(folder, WORLD, CONFIG, places=PLACES, progress=lambda *report: reports.append(report))
    assert (result.places, result.written, result.present) == (40, 200, 0)
    assert reports[-1] == ("places", 40, 40)
    return folder


def test_album_holds_the_rendered_pictures(complete_album: Path) -> None:
    city, album = open_city(WORLD), Album.open(complete_album)
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
    position = album[place]["position"]
    assert np.allclose(position, city.poses(number)[0, :3], atol=0.002)


@pytest.mark.slow
def test_several_processes_write_the_same_files(complete_album: Path, tmp_path: Path) -> None:
    result = write_album(tmp_path / "two", WORLD, CONFIG, places=PLACES, processes=2)
    assert result.written == 200
    assert file_hashes(tmp_path / "two") == file_hashes(complete_album)


@pytest.mark.slow
def test_two_albums_can_be_written_at_once(tmp_path: Path) -> None:
    """Albums of different worlds and sizes written in two threads do not mix."""
    albums = {"one": (WORLD, CONFIG), "two": ("city/5/4x5", replace(CONFIG, size=(32, 16), channels=("rgb",)))}
    for name, (world, config) in albums.items():
        write_album(tmp_path / f"{name}_alone", world, config, places="0..29")
    with ThreadPoolExecutor(2) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CPU_BATCH_PIXELS", 2 * 64 * 32)
        futures = [
            pool.submit(write_album, tmp_path / name, *arguments, places="0..29") for name, arguments in albums.items()
        ]
        assert [future.result().places for future in futures] == [30, 30]
    for name in albums:
        assert file_hashes(tmp_path / name) == file_hashes(tmp_path / f"{name}_alone")


def test_a_complete_album_needs_no_renderer(complete_album: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_renderer(*_: Any) -> None:
        raise AssertionError("the scene takes the most memory, and there is nothing to render")

    monkeypatch.setattr(module, "renderer", no_renderer)
    result = write_album(complete_album, WORLD, CONFIG, places=PLACES)
    assert result.written == 0


def test_city_is_released_after_writing(tmp_path: Path) -> None:
    write_album(tmp_path / "album", WORLD, CONFIG, places="0..1")
    assert not any(isinstance(value, City) for value in vars(module).values())


def test_damaged_files_are_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "album"
    write_album(folder, WORLD, CONFIG, places="10..13")
    expected = file_hashes(folder)
    (folder / "rgb" / "c000010.jpg").write_bytes(b"")
    for name in ("rgb/c000011.jpg", "depth/c000012.png"):
        (folder / name).write_bytes((folder / name).read_bytes()[:-20])
    (folder / "parts" / "c000010.png").write_bytes(b"x" * 5000)
    (folder / "rgb" / "c000013.jpg").unlink()
    (folder / "rgb" / "c000013.jpg").symlink_to("/nowhere/at/all.jpg")
    again = write_album(folder, WORLD, CONFIG, places="10..13")
    assert (again.written, again.present) == (5, 15) and file_hashes(folder) == expected


KILLED = """
import sys
from bearleft.world.album.layout import CHANNELS
from bearleft.world.album.write import AlbumConfig, write_album
import bearleft.world.album.write as module
module.CPU_BATCH_PIXELS = 3 * 64 * 32
write_album(sys.argv[1], {world!r}, AlbumConfig((64, 32), CHANNELS, samples=1), places={some!r})
print("done", flush=True)
"""


@pytest.mark.slow
def test_killed_writer_resumes_with_the_same_files(complete_album: Path, tmp_path: Path) -> None:
    folder, rng, kills, finished = tmp_path / "album", random.Random(0), 0, False
    expected = file_hashes(complete_album)
    while not finished and kills < 2:
        program = KILLED.format(world=WORLD, some=PLACES)
        process = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE)
        files_before_kill = rng.randrange(5, 45) + len(list(folder.glob("*/*.*")))
        while process.poll() is None and len(list(folder.glob("*/*.*"))) < files_before_kill:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        finished = b"done" in process.communicate()[0]
        kills += 1
        # Every file under its final name is complete.
        for name, content in file_hashes(folder).items():
            assert name.endswith(".part") or content == expected[name]
    assert kills == 2 and not finished
    (folder / "rgb" / ".c000000.jpg.0123.part").write_bytes(b"half")
    modified_before = {path: path.stat().st_mtime_ns for path in folder.glob("*/c*.*")}
    result = write_album(folder, WORLD, CONFIG, places=PLACES)
    assert result.present == len(modified_before) and result.written == 200 - len(modified_before)
    assert file_hashes(folder) == expected
    assert all(path.stat().st_mtime_ns == modified for path, modified in modified_before.items())


def test_lost_files_are_rewritten_and_places_can_be_added(complete_album: Path, tmp_path: Path) -> None:
    folder = tmp_path / "album"
    write_album(folder, WORLD, CONFIG, places="10..12")
    (folder / "depth" / "c000011.png").unlink()
    again = write_album(folder, WORLD, CONFIG, places="10..12")
    assert (again.written, again.present) == (1, 14)
    (tmp_path / "ids.txt").write_text("c000013\n\nc000009\n")
    more = write_album(folder, WORLD, CONFIG, places=str(tmp_path / "ids.txt"))
    assert (more.places, more.written, more.total) == (2, 10, 5)
    assert Album.open(folder).ids == ("c000009", "c000010", "c000011", "c000012", "c000013")
    for name, content in file_hashes(complete_album).items():
        if (folder / name).exists() and "/" in name:
            assert file_hashes(folder)[name] == content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"config": replace(CONFIG, size=(128, 64))}, "whose size is"),
        ({"config": replace(CONFIG, light=replace(CONFIG.light, hour=20.0))}, "whose light is"),
        ({"config": replace(CONFIG, samples=2)}, "whose samples is 1, not 2"),
        ({"config": replace(CONFIG, channels=("rgb",))}, "whose channels is"),
        ({"config": replace(CONFIG, quality=50)}, "whose quality is 92, not 50"),
        ({"world": "city/4/4x5"}, 'whose world is "city/3/4x5", not "city/4/4x5"'),
    ],
)
def test_folder_of_another_album_is_refused(complete_album: Path, change: dict[str, Any], message: str) -> None:
    before = file_hashes(complete_album)
    with pytest.raises(InputError, match=message):
        arguments: dict[str, Any] = {"world": WORLD, "config": CONFIG, "places": PLACES}
        write_album(complete_album, **arguments | change)
    assert file_hashes(complete_album) == before


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "album").mkdir()
    with open(tmp_path / "album" / ".lock", "w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="one in use"):
            write_album(tmp_path / "album", WORLD, CONFIG, places="0..1")
    assert write_album(tmp_path / "album", WORLD, CONFIG, places="0..1").written == 10


def test_invalid_folders_and_options_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="something else in it"):
        write_album(tmp_path / "mine", WORLD, CONFIG)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="can be written"):
        write_album(tmp_path / "file", WORLD, CONFIG)
    with pytest.raises(InputError, match="one process for a GPU"):
        write_album(tmp_path / "new", WORLD, replace(CONFIG, device="cuda"), processes=2)
    with pytest.raises(InputError, match="at least one process"):
        write_album(tmp_path / "new", WORLD, CONFIG, processes=0)
    for change, message in (
        ({"channels": ("rgb", "smell")}, "name of a channel"),
        ({"channels": ("rgb", "rgb")}, "each once"),
        ({"picture": "gif"}, "name of a format"),
        ({"quality": 0}, "1 to 100"),
        ({"size": (64, 64)}, "twice as wide"),
        ({"size": (1 << 20, 1 << 19)}, "width from 1"),
    ):
        with pytest.raises(InputError, match=message):
            replace(CONFIG, **change)


@pytest.mark.skipif(available(), reason="there is a GPU")
def test_missing_gpu_gives_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a CUDA GPU"):
        write_album(tmp_path / "album", WORLD, replace(CONFIG, device="cuda"))
    assert not (tmp_path / "album").exists()


def test_places_are_chosen_by_range_or_file(tmp_path: Path) -> None:
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


def test_check_counts_missing_bad_and_unknown_files(complete_album: Path, tmp_path: Path) -> None:
    assert check_album(complete_album).summary["bad"] == 0
    folder = tmp_path / "album"
    write_album(folder, WORLD, CONFIG, places="0..5")
    (folder / "rgb" / "c000000.jpg").unlink()
    picture_bytes = (folder / "rgb" / "c000001.jpg").read_bytes()
    (folder / "rgb" / "c000001.jpg").write_bytes(picture_bytes[: len(picture_bytes) // 2])
    (folder / "depth" / "c000002.png").write_bytes((folder / "classes" / "c000002.png").read_bytes())
    (folder / "rgb" / "holiday.jpg").write_bytes(picture_bytes)
    (folder / "rgb" / "c000003.jpg").unlink()
    (folder / "rgb" / "c000003.jpg").symlink_to("/nowhere/at/all.jpg")
    check = check_album(folder)
    counts = {name: check.summary[name] for name in ("places", "files", "missing", "bad", "strangers")}
    assert check.summary["sizes"] == "64x32: 26"
    assert counts == {"places": 6, "files": 28, "missing": 1, "bad": 3, "strangers": 1}
    assert {row["id"] for row in check.problems} == {"c000000", "c000001", "c000002", "c000003"}
    assert all(row["file"].startswith(("rgb/", "depth/")) and row["problem"] for row in check.problems)


def test_damaged_album_files_are_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "album"
    write_album(folder, WORLD, CONFIG, places="0..1")
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
