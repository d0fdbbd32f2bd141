"""Frames are written to GIF and MP4 files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bearleft.errors import InputError
from bearleft.reports.film.files import open_gif, open_mp4

RED, BLUE, GREY = (200, 10, 20), (0, 0, 250), (90, 90, 90)


def make_frame(*boxes: tuple[tuple[int, int, int, int], tuple[int, int, int]]) -> Image.Image:
    picture = Image.new("RGB", (40, 30), GREY)
    for box, colour in boxes:
        picture.paste(colour, box)
    return picture


FRAMES = [
    make_frame(),
    make_frame(((3, 4, 9, 9), RED)),
    make_frame(((3, 4, 9, 9), RED)),
    make_frame(((3, 4, 9, 9), BLUE), ((30, 20, 40, 30), RED)),
    make_frame(),
]


def test_gif_contains_the_frames(tmp_path: Path) -> None:
    file = tmp_path / "film.gif"
    with open_gif(file, FRAMES[:1], (RED, BLUE, GREY)) as add:
        for k, frame in enumerate(FRAMES):
            add(frame, 0.1 * (k + 1))
        assert not file.exists()
    with Image.open(file) as film:
        assert film.n_frames == len(FRAMES) and film.info["loop"] == 0  # type: ignore[attr-defined]
        for k, frame in enumerate(FRAMES):
            film.seek(k)
            assert (np.asarray(film.convert("RGB")) == np.asarray(frame)).all()
            assert film.info["duration"] == 100 * (k + 1)


def test_no_file_remains_after_an_error(tmp_path: Path) -> None:
    for suffix in (".gif", ".mp4"):
        file = tmp_path / f"film{suffix}"
        film = open_gif(file, FRAMES[:1], ()) if suffix == ".gif" else open_mp4(file, (40, 30), 5)
        with pytest.raises(RuntimeError), film as add:
            add(FRAMES[0], 0.2)
            raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_film_without_frames_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least one frame"), open_gif(tmp_path / "film.gif", FRAMES[:1], ()):
        pass
    assert not list(tmp_path.iterdir())


def test_missing_codecs_suggest_a_gif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bearleft.reports.film.files.CODECS", ())
    with pytest.raises(InputError, match=r"Say -o FILE\.gif"), open_mp4(tmp_path / "film.mp4", (40, 30), 5):
        pass
