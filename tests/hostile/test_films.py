"""Films whose writing is killed, or whose disk is full."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from bearleft.errors import InputError
from bearleft.reports.film.files import open_gif, open_mp4
from bearleft.reports.pictures.output import check_output
from bearleft.runtime.store import atomic_write

FRAMES = """
import os, resource, signal, sys
import numpy as np
from PIL import Image
from bearleft.cli import main
from bearleft.reports.film import files
noise = np.random.default_rng(0)
def picture():
    return Image.fromarray(noise.integers(0, 256, (120, 160, 3), np.uint8))
def draw(add):
    for _ in range(12):
        add(picture(), 0.2)
def film(path):
    if path.endswith(".mp4"):
        return files.open_mp4(path, (160, 120), 5)
    return files.open_gif(path, [picture()], ())
"""
KILL = FRAMES + "with film(sys.argv[1]) as add:\n    draw(add)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
# A file that may not grow is what a full disk is to the writer.
FULL = (
    FRAMES
    + """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
from bearleft.errors import InputError
try:
    with film(sys.argv[1]) as add:
        draw(add)
except InputError as error:
    print(error)
"""
)


def run(code: str, folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    (folder / "tmp").mkdir()
    environment = os.environ | {"TMPDIR": str(folder / "tmp"), "OPENCV_FFMPEG_LOGLEVEL": "-8"}
    words = [sys.executable, "-c", code, str(folder / "out" / name)]
    return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def test_killed_mp4_leaves_nothing_behind(tmp_path: Path) -> None:
    assert run(KILL, tmp_path, "film.mp4").returncode == -signal.SIGKILL
    assert files(tmp_path / "tmp") == set() and files(tmp_path / "out") == set()


def test_what_a_killed_gif_leaves_is_removed_by_the_next_command(tmp_path: Path) -> None:
    assert run(KILL, tmp_path, "film.gif").returncode == -signal.SIGKILL
    assert files(tmp_path / "tmp") == set()
    (left,) = files(tmp_path / "out")
    assert left.startswith(".film.gif.") and left.endswith(".part")
    check_output(tmp_path / "out" / "film.gif", (".gif",))
    assert files(tmp_path / "out") == set()


def test_temporary_files_of_running_commands_and_of_other_outputs_stay(tmp_path: Path) -> None:
    names = ("film[1].gif", "film1.gif", "other.gif")
    with atomic_write(tmp_path / "film[1].gif", "wb"):
        for name in names[1:]:
            (tmp_path / f".{name}.0123.part").touch()
        check_output(tmp_path / "film[1].gif", (".gif",))
        assert len(files(tmp_path)) == 3
    assert files(tmp_path) == {"film[1].gif", ".film1.gif.0123.part", ".other.gif.0123.part"}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["film.mp4", "film.gif"])
def test_full_disk_is_an_input_error_and_leaves_no_film(tmp_path: Path, name: str) -> None:
    process = run(FULL, tmp_path, name)
    assert process.returncode == 0, process.stderr
    assert "expected room to write" in process.stdout or "expected a file that can be written" in process.stdout
    assert files(tmp_path / "out") == set() and files(tmp_path / "tmp") == set()


def test_films_are_written_where_tmpdir_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    frame = Image.new("RGB", (40, 30))
    with open_mp4(tmp_path / "film.mp4", (40, 30), 5) as add:
        add(frame, 1.0)
    with open_gif(tmp_path / "film.gif", [frame], ()) as add:
        add(frame, 1.0)
    assert files(tmp_path) == {"film.mp4", "film.gif"}


def test_film_in_a_place_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can be written"), open_mp4(tmp_path / "file" / "film.mp4", (40, 30), 5):
        pass
