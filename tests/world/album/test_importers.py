"""Importing folders of pictures: one source per album, changed files, bad files and messages."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bearleft.cli import main
from bearleft.errors import InputError
from bearleft.world.album.album import Album
from bearleft.world.album.check import check_album
from bearleft.world.album.importers import import_album
from tests.world.album.test_album import write_panorama
from tests.world.album.test_files import colours


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Return a folder of two panoramas."""
    write_panorama(tmp_path / "mine" / "beach.jpg")
    write_panorama(tmp_path / "mine" / "hall.png", image_format="PNG", brightness=30)
    return tmp_path / "mine"


def test_import_from_another_folder_is_refused(mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_album(mine, tmp_path / "album")
    write_panorama(tmp_path / "yours" / "beach.jpg", brightness=90)
    with pytest.raises(InputError, match=r"pictures from .*mine, .* got .*yours") as caught:
        import_album(tmp_path / "yours", tmp_path / "album")
    assert "another folder" in caught.value.hint
    assert np.array_equal(Album.open(tmp_path / "album").rgb("beach"), Album.open(mine).rgb("beach"))
    monkeypatch.chdir(tmp_path)
    assert import_album("mine", "album").present == 2


@pytest.mark.parametrize("options", [{"how": "link"}, {"how": "copy"}, {"size": (32, 16)}])
def test_changed_picture_is_imported_again(mine: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    import_album(mine, tmp_path / "album", **options)
    before = {place: Album.open(tmp_path / "album").rgb(place) for place in ("beach", "hall")}
    size = (mine / "hall.png").stat().st_size
    write_panorama(mine / "hall.png", image_format="PNG", brightness=31)
    assert abs((mine / "hall.png").stat().st_size - size) < 200
    again = import_album(mine, tmp_path / "album", **options)
    assert (again.written, again.present, again.changed) == (1, 1, ("hall.png",))
    after = Album.open(tmp_path / "album")
    assert np.array_equal(after.rgb("beach"), before["beach"]) and not np.array_equal(after.rgb("hall"), before["hall"])
    (mine / "hall.png").unlink()
    write_panorama(mine / "hall.jpg", brightness=60)
    assert import_album(mine, tmp_path / "album", **options).changed == ("hall.jpg",)
    assert check_album(tmp_path / "album").summary["strangers"] == 0
    assert import_album(mine, tmp_path / "album", **options).present == 2


def test_copies_replace_links(mine: Path, tmp_path: Path) -> None:
    import_album(mine, tmp_path / "album")
    result = import_album(mine, tmp_path / "album", "copy")
    assert (result.written, result.present, result.changed) == (2, 0, ())
    assert not any(path.is_symlink() for path in (tmp_path / "album" / "rgb").iterdir())
    assert import_album(mine, tmp_path / "album").present == 2
    assert (tmp_path / "album" / "rgb" / "beach.jpg").read_bytes() == (mine / "beach.jpg").read_bytes()


def test_stopped_import_resumes(mine: Path, tmp_path: Path) -> None:
    (mine / "z.jpg").write_bytes(b"")
    with pytest.raises(InputError, match=r"z\.jpg"):
        import_album(mine, tmp_path / "album")
    (mine / "z.jpg").unlink()
    resumed = import_album(mine, tmp_path / "album")
    assert (resumed.places, resumed.written, resumed.present) == (2, 0, 2)
    (tmp_path / "album" / "rgb" / "beach.jpg").unlink()
    (tmp_path / "album" / "rgb" / "beach.jpg").write_bytes(b"")
    assert import_album(mine, tmp_path / "album").written == 1


def test_file_names_that_are_not_utf8_are_refused_or_skipped(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad_name = os.fsencode(mine) + b"/caf\xe9.jpg"
    with open(bad_name, "wb") as stream:
        stream.write((mine / "beach.jpg").read_bytes())
    for call in (lambda: import_album(mine, tmp_path / "album"), lambda: Album.open(mine)):
        with pytest.raises(InputError, match=r"a name in UTF-8") as caught:
            call()
        assert r"caf\xe9.jpg" in caught.value.file
    result = import_album(mine, tmp_path / "album", skip_bad=True)
    assert result.places == 2 and [row["file"] for row in result.left_out] == [r"caf\xe9.jpg"]
    (tmp_path / "odd").mkdir()
    os.link(bad_name, os.fsencode(tmp_path / "odd") + b"/\xe9.jpg")
    with pytest.raises(InputError, match=r"a folder with pictures .* got 1 other files"):
        import_album(tmp_path / "odd", tmp_path / "none", skip_bad=True)
    main(["album", "import", str(mine), "-o", str(tmp_path / "album"), "--skip-bad", "--json"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)[1]["file"] == r"caf\xe9.jpg" and r"skipped: caf\xe9.jpg" in captured.err


def test_skipped_and_converted_pictures_are_reported(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for k in range(30):
        (mine / f"bad{k:02d}.jpg").write_bytes(b"")
        Image.fromarray(colours()).convert("L").save(mine / f"grey{k:02d}.png")
    command = ["album", "import", str(mine), "-o", str(tmp_path / "album"), "--skip-bad"]
    for _ in range(2):  # notes about pictures are reported again when the import resumes
        main([*command, "--json"])
        captured = capsys.readouterr()
        rows = json.loads(captured.out)
        assert [row["kind"] for row in rows] == ["album"] + ["skipped"] * 30 + ["note"] * 30
        assert (rows[0]["skipped"], rows[0]["converted"]) == (30, 30)
        assert rows[30]["file"] == "bad29.jpg" and rows[60]["problem"] == "grey: made RGB"
        assert all(not isinstance(value, list | dict) for row in rows for value in row.values())
        assert captured.err.count("skipped: ") == 20 and captured.err.count("and 10 more") == 2
    main(command)
    assert "kind" not in capsys.readouterr().out


def test_errors_suggest_a_solution(mine: Path, tmp_path: Path) -> None:
    (mine / "trunc.jpg").write_bytes((mine / "beach.jpg").read_bytes()[:300])
    with pytest.raises(InputError, match=r"trunc\.jpg: .*--skip-bad"):
        import_album(mine, tmp_path / "album")
    write_panorama(mine / "trunc.png", image_format="PNG")
    write_panorama(mine / "trunc.jpg")
    with pytest.raises(InputError, match=r"trunc\.jpg and trunc\.png.*Rename or remove.*--skip-bad"):
        import_album(mine, tmp_path / "album")
    result = import_album(mine, tmp_path / "album", skip_bad=True)
    assert result.places == 3 and [row["file"] for row in result.left_out] == ["trunc.png"]
    assert "trunc.jpg" in result.left_out[0]["problem"]
    assert Album.open(tmp_path / "album").entry("trunc").file == "rgb/trunc.jpg"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quality": 0}, "1 to 100"),
        ({"quality": 101}, "1 to 100"),
        ({"size": (64, 33)}, "twice as wide"),
        ({"size": (0, 0)}, "width from 1"),
    ],
)
def test_invalid_options_are_refused(mine: Path, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        import_album(mine, tmp_path / "album", **options)
    assert not (tmp_path / "album").exists()


def test_notes_of_a_check_name_the_original_file(mine: Path, tmp_path: Path) -> None:
    (mine / "2021").mkdir()
    Image.fromarray(colours()).convert("L").save(mine / "2021" / "old one.JPG", "JPEG")
    import_album(mine, tmp_path / "album")
    (note,) = check_album(tmp_path / "album").notes
    assert note["file"] == "2021/old one.JPG" and note["problem"] == "grey: made RGB"


def test_failed_check_suggests_a_solution(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_album(mine, tmp_path / "album", "copy")
    (tmp_path / "album" / "rgb" / "beach.jpg").write_bytes(b"x")
    with pytest.raises(SystemExit) as caught:
        main(["album", "check", str(tmp_path / "album")])
    assert caught.value.code == 1
    assert "Delete the bad files and run the command that wrote the album again" in capsys.readouterr().err
    (mine / "beach.jpg").write_bytes(b"x")
    with pytest.raises(SystemExit):
        main(["album", "check", str(mine)])
    printed = capsys.readouterr().err
    assert "Delete" not in printed and "Replace the bad files" in printed  # these are the user's originals
