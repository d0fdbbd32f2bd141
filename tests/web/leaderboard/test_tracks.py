"""Tracks: settings are checked, answers stay in the private folder, and entrants get what has no answers."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bearleft
from bearleft.data import load, open_dataset
from bearleft.errors import InputError
from bearleft.generate.hidden import ANSWERS, ENTRANTS, entrants_sha256
from bearleft.records import Reach
from bearleft.web.database.leaderboard import Track
from bearleft.web.leaderboard import tracks
from bearleft.web.leaderboard.folders import inside, private_folder
from bearleft.web.leaderboard.tracks import TrackSettings
from tests.web.leaderboard.board import DATASET, FILE, Board, actions, write_hidden


def add(
    board: Board, name: str = "other", hidden: Path | None = None, dataset: str = "", data: Any = None, **options: Any
) -> Track:
    settings = TrackSettings(name, **options)
    source: dict[str, Any] = {"hidden": hidden, "dataset": dataset, "data": data}
    return tracks.add_track(board.database, board.folder, settings, actor="cli", **source)


def test_a_hidden_track_keeps_its_answers(small: Board) -> None:
    track, folder = small.track, small.folder
    assert (track.dataset, track.split, track.hidden, track.decimals) == (DATASET, "test", True, 1)
    assert track.measures == ["nDTW", "SDTW", "TC", "SPD"] and track.primary_measure == "nDTW"
    for path in (folder, *folder.rglob("*")):
        owner_only = path.stat().st_mode & 0o077 == 0 or (
            path.suffix == ".json" and path.parent.stat().st_mode & 0o077 == 0
        )
        assert owner_only, path
    source = tracks.answers_source(folder, track)
    assert load(source.dataset)[0].legs[0].goal == load("city/touchdown/small")[0].legs[0].goal
    assert entrants_sha256(source.dataset) == track.dataset_sha256
    assert "fingerprint" not in (Path(source.dataset).parent / "manifest.json").read_text()
    assert actions(small.database)[:2] == ["add track", "set state"]


def test_entrants_get_no_answer(small: Board, tmp_path: Path) -> None:
    archive = tracks.archive_path(small.folder, small.track)
    assert archive is not None
    with zipfile.ZipFile(archive) as opened:
        assert sorted(opened.namelist()) == ["README.txt", f"{ENTRANTS}/{FILE}", f"{ENTRANTS}/manifest.json"]
        content = b"".join(opened.read(name) for name in opened.namelist()).decode()
        opened.extractall(tmp_path / "mine")
    for episode in load("city/touchdown/small")[:4]:
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach) and goal.route[-1] not in content
    assert all(episode.hidden for episode in load(tmp_path / "mine" / ENTRANTS / FILE))
    answers_hash = json.loads((small.made / ANSWERS / "manifest.json").read_text())["hidden"][FILE]["sha256"]
    assert answers_hash not in content
    index = tracks.episode_index(small.folder, small.track)
    assert list(index.legs) == [episode.id for episode in small.episodes]


def test_what_entrants_make_of_the_archive_is_scored(small: Board, tmp_path: Path, monkeypatch: Any) -> None:
    archive = tracks.archive_path(small.folder, small.track)
    assert archive is not None
    shutil.unpack_archive(archive, tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    bearleft.evaluate("random", f"{ENTRANTS}/{FILE}", "traces.jsonl")
    source = tracks.answers_source(small.folder, small.track)
    expected = bearleft.score("traces.jsonl", dataset=source.dataset).rows
    submission = small.submit("k", content=Path("traces.jsonl").read_bytes())
    (name,) = small.files()
    rows = bearleft.score(small.folder / name, dataset=source.dataset, data=source.data).rows
    assert submission.state == "queued" and rows == expected


def test_public_datasets_are_copied_where_entrants_need_them(small: Board, tmp_path: Path) -> None:
    town = add(small, "town", dataset="town/dev")
    assert (town.answers_folder, town.entrants_archive, town.decimals) == ("", None, None)
    assert tracks.answers_source(small.folder, town, "x") == tracks.AnswersSource("town/dev", "x")
    package = add(small, "package", dataset="city/touchdown/small")
    assert package.entrants_archive is None
    own = tmp_path / "own"
    (own / "city/touchdown").mkdir(parents=True)
    embedded = open_dataset("city/touchdown/small").path
    assert embedded is not None
    shutil.copy(embedded, own / "city/touchdown/dev.jsonl")
    track = add(small, "own", dataset="city/touchdown-complete/dev", data=own)
    shutil.rmtree(own)
    archive = tracks.archive_path(small.folder, track)
    assert archive is not None
    shutil.unpack_archive(archive, tmp_path / "mine")
    source = tracks.answers_source(small.folder, track)
    assert source.data is not None
    for data in (tmp_path / "mine", source.data):
        assert len(load(source.dataset, data)) == 60
    assert track.measures == ["nDTW", "SDTW", "TC", "SPD", "A@80px", "A@40px", "Dist"]
    assert track.dataset_sha256 == open_dataset("city/touchdown-complete/dev", tmp_path / "mine").sha256


def test_a_folder_with_several_datasets_needs_a_name(small: Board) -> None:
    write_hidden(small.made, "city/touchdown/dev")
    with pytest.raises(InputError, match="city/touchdown/dev"):
        add(small, hidden=small.made)
    with pytest.raises(InputError, match="Did you mean city/touchdown/dev"):
        add(small, hidden=small.made, dataset="city/touchdown/dve")
    assert add(small, hidden=small.made, dataset="city/touchdown/dev").split == "dev"


@pytest.mark.parametrize("file", [f"{ANSWERS}/{FILE}", f"{ENTRANTS}/{FILE}"])
def test_a_changed_dataset_is_refused(small: Board, file: str) -> None:
    (small.made / file).write_text((small.made / file).read_text().replace("a", "b", 1))
    with pytest.raises(InputError, match="missing or changed"):
        add(small, hidden=small.made)
    assert {path.name for path in (small.folder / "tracks").iterdir()} == {"walks"}


def test_goals_of_entrants_files_are_refused(small: Board, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder of a hidden dataset"):
        add(small, hidden=tmp_path / "nothing")
    with pytest.raises(InputError, match="a file"):
        add(small, dataset=str(small.made / ENTRANTS / FILE))


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "Walks"}, "a-z, 0-9"),
        ({"name": "../x"}, "a-z, 0-9"),
        ({"name": ""}, "a-z, 0-9"),
        ({"name": "walks"}, "which exists"),
        ({"convention": "papre"}, "convention"),
        ({"measures": ["nDTV"]}, "nDTW"),
        ({"measures": ["TC"], "primary_measure": "nDTW"}, "one of the measures"),
        ({"decimals": 3}, "0 to 2 on a hidden track"),
        ({"decimals": -1}, "decimals"),
        ({"daily_limit": 0}, "1 to 1,000"),
        ({"total_limit": 0}, "1 to 100,000"),
        ({"max_bytes": 2**31}, "max_bytes"),
        ({"max_files": 0}, "max_files"),
        ({"time_limit_s": 0}, "time_limit_s"),
        ({"memory_limit_mb": 1}, "memory_limit_mb"),
        ({"title": "a\u202eb"}, "U\\+202E"),
        ({"description": "a\x00b"}, "U\\+0000"),
    ],
)
def test_wrong_settings_are_refused(small: Board, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        add(small, hidden=small.made, **{"name": "other", **options})
    with small.database.read() as session:
        assert [track.name for track in tracks.list_tracks(session, drafts=True)] == ["walks"]
    assert [path.name for path in (small.folder / "tracks").iterdir()] == ["walks"]


def test_a_hidden_track_without_answers_is_refused(small: Board) -> None:
    settings = TrackSettings("a", dataset=DATASET, measures=["TC"], hidden=True)
    with pytest.raises(InputError, match="folder of answers"), small.database.write() as session:
        tracks.create_track(session, settings, actor="cli")
    with pytest.raises(InputError, match="a dataset"), small.database.write() as session:
        tracks.create_track(session, replace(settings, dataset=""), actor="cli")


def test_states(board: Board) -> None:
    draft = add(board, "draft", hidden=board.made)
    assert draft.state == "draft"
    with board.database.read() as session:
        assert [track.name for track in tracks.list_tracks(session)] == ["walks"]
        assert len(tracks.list_tracks(session, drafts=True)) == 2
        assert tracks.find_track(session, "../walks") is None
        with pytest.raises(InputError, match="Did you mean walks"):
            tracks.track_named(session, "walk")
    with pytest.raises(InputError, match="state"):
        board.change(tracks.set_state, board.track, "gone", actor="cli")
    board.submit("k")
    with pytest.raises(InputError, match="with submissions"):
        board.change(tracks.set_state, board.track, "draft", actor="cli")
    for state in ("closed", "closed", "open"):
        board.change(tracks.set_state, board.track, state, actor="cli")
    assert actions(board.database).count("set state") == 3


def test_the_private_folder_is_private(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "a" / "b")
    assert folder.stat().st_mode & 0o777 == 0o700
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(InputError, match="chmod 700"):
        private_folder(tmp_path / "open")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="a folder"):
        private_folder(tmp_path / "file")
    for path in ("../x", "/etc/passwd", "a/../../x", ""):
        with pytest.raises(InputError, match="a path in the folder"):
            inside(folder, path)
