"""Paths made to do harm: links and "../" in ids write nothing outside the output folder; odd names are quoted."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from bearleft.data import load, write
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.records import Episode, Trace, to_json_line
from bearleft.runtime.store import exclusive_writer, file_lock, write_text
from bearleft.world.album.importers import import_album
from bearleft.world.album.layout import read_places
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.worlds import open_world
from tests.hostile.conftest import Command

HOSTILE_IDS = (
    "../../up",
    "/etc/passwd",
    "..",
    ".",
    "a/../../b",
    "~",
    "$(touch harm)",
    "-o",
    "a\nb",
    "con\0nul",
    "x" * 5000,
)
ODD_NAMES = ('it\'s a "b"', "ünï 语言 עברית", "a;b&c|d $HOME *?[x] %s{}", "-dash", "a\nb")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder; what is around it must not change."""
    folder = tmp_path / "around" / "work"
    folder.mkdir(parents=True)
    (folder.parent / "precious").write_text("precious")
    monkeypatch.chdir(folder)
    yield folder
    assert [path.name for path in tmp_path.iterdir()] == ["around"]
    assert {path.name for path in folder.parent.iterdir()} == {"work", "precious"}
    assert (folder.parent / "precious").read_text() == "precious"


def renamed(episode: Episode, name: str) -> Episode:
    return Episode(name, "own", episode.world, episode.start, episode.legs)


def test_hostile_ids_of_episodes_write_nothing_outside(work: Path, typed: Command) -> None:
    walks = load("town/dev")
    episodes = [renamed(episode, name) for episode, name in zip(walks, HOSTILE_IDS, strict=False)]
    write("jsonl", episodes, "own.jsonl")
    evaluate("gold", "own.jsonl", "traces.jsonl")
    before = tree(work)
    code, err = typed("score", "traces.jsonl")
    assert code == 0, err
    code, err = typed("report", "traces.jsonl", "--no-pictures", "-o", "report.html")
    assert code == 0, err
    for name in HOSTILE_IDS:
        if "\0" not in name:
            code, err = typed("map", "--route", "own.jsonl", f"--id={name}", "--plain", "-o", "map.svg")
            assert code == 0, err
    assert set(tree(work)) - set(before) == {"report.html", "map.svg"}


@pytest.mark.parametrize("name", ["../../up", "/etc/passwd", "..", "a\0b", "x" * 5000, "a/../../b"])
def test_film_named_by_a_hostile_id_stays_in_the_folder(
    work: Path, typed: Command, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bearleft.reports.film import film

    monkeypatch.setattr(film, "_make_layout", lambda *_: pytest.fail("not refused"))
    write("jsonl", [renamed(load("town/dev")[0], name)], "own.jsonl")
    evaluate("gold", "own.jsonl", "traces.jsonl")
    if len(name) < 200 and "\0" not in name:
        assert film.default_output(name).resolve().parent == work
    else:
        code, err = typed("render", "episode", "traces.jsonl")
        assert code == 2 and "-o FILE.gif" in err
    assert set(tree(work)) == {"own.jsonl", "traces.jsonl"}


def test_hostile_names_of_datasets_and_worlds_open_no_other_file(work: Path, typed: Command) -> None:
    for name in ("../precious", "touchdown/../../../precious", "touchdown/../precious", "r2r/..%2fprecious"):
        code, err = typed("data", "stats", name, "--data", work)
        assert code == 2 and "expected" in err
    for world in ("matterport/../../precious", "matterport/..", "city/../0", "town/../../0", "arramon/../x"):
        with pytest.raises(InputError):
            open_world(world, work)
    trace = Trace("0", "../precious", "x", ())
    Path("traces.jsonl").write_text(to_json_line(trace) + "\n")
    for words in (("score", "traces.jsonl"), ("report", "traces.jsonl"), ("render", "episode", "traces.jsonl")):
        code, err = typed(*words)
        assert code == 2 and "precious" in err


def test_files_of_an_album_are_within_it(work: Path, typed: Command, small_album: Path) -> None:
    shutil.copytree(small_album, "album")
    first = json.loads(Path("album/places.jsonl").read_text().splitlines()[0])
    for file in ("../../precious", "/etc/passwd", "rgb/../../../precious", ".."):
        Path("album/places.jsonl").write_text(json.dumps(first | {"file": file}) + "\n")
        code, err = typed("album", "check", "album")
        assert code == 2 and "a file within the album" in err
    before = tree(work)
    code, _ = typed("album", "view", "album", "--place", "../../precious", "-o", "view.png")
    assert code == 2 and tree(work) == before


def test_pictures_with_hostile_names_are_imported_within_the_album(work: Path) -> None:
    source = work / "source" / "deep"
    source.mkdir(parents=True)
    for k, name in enumerate(("..jpg", "...jpg", "a b.jpg", "%2e%2e%2fup.jpg", "-rf.jpg", "$(harm).jpg", "语.jpg")):
        Image.new("RGB", (64, 32), (k, 0, 0)).save(source / name, "JPEG")
    import_album(work / "source", work / "album")
    entries = read_places(work / "album")
    assert len(entries) >= 5
    for entry in entries:
        assert (work / "album" / entry.file).parent.resolve() == work / "album" / "rgb"


def test_links_in_an_output_folder_are_not_followed(work: Path, small_album: Path) -> None:
    shutil.copytree(small_album, "album")
    picture = next(Path("album/rgb").iterdir())
    expected = picture.read_bytes()
    # A damaged picture that is a link is replaced by a picture; the file it leads to stays.
    picture.unlink()
    picture.symlink_to(work.parent / "precious")
    write_album(work / "album", "city/3/4x5", AlbumConfig((64, 32), samples=1), places="0..1")
    if not picture.is_symlink():
        assert picture.read_bytes() == expected
    write_text("album/new.txt", "new")
    Path("album/linked.txt").symlink_to(work.parent / "precious")
    write_text("album/linked.txt", "new")
    assert not Path("album/linked.txt").is_symlink()


def test_a_channel_that_is_a_link_is_refused(work: Path, typed: Command, small_album: Path) -> None:
    shutil.copytree(small_album, "album")
    shutil.rmtree("album/rgb")
    Path("album/rgb").symlink_to(work.parent)
    code, err = typed("render", "city/3/4x5", "--all", "--places", "0..1", "--size", "64x32", "-o", "album")
    assert code == 2 and "a folder within the album, got a link" in err


def test_a_lock_file_that_is_a_link_is_refused_and_its_target_kept(work: Path) -> None:
    (work / "album").mkdir()
    (work / "album" / ".lock").symlink_to(work.parent / "precious")
    with pytest.raises(InputError, match="can be written"), exclusive_writer(work / "album", "an album"):
        pass
    (work / "cached.lock").symlink_to(work.parent / "precious")
    with pytest.raises(InputError, match="can be written"), file_lock(work / "cached"):
        pass


@pytest.mark.usefixtures("work")
def test_a_loop_of_links_is_an_input_error(typed: Command) -> None:
    Path("loop.jsonl").symlink_to("loop.jsonl")
    Path("folder").symlink_to("folder")
    for words in (
        ("score", "loop.jsonl"),
        ("data", "stats", "loop.jsonl"),
        ("album", "check", "folder"),
        ("album", "import", "folder", "-o", "album"),
        ("eval", "stop", "town/dev", "-o", "loop.jsonl"),
        ("data", "list", "--data", "folder"),
        ("render", "city/3/4x5", "-o", "folder/a.png", "--size", "16"),
    ):
        code, err = typed(*words)
        assert code == 2 and "expected" in err, words


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_of_files_and_folders_are_read_written_and_quoted(typed: Command, name: str) -> None:
    folder = Path(".") / name
    traces = folder / f"{name}.jsonl"
    code, err = typed("eval", "gold", "town/dev", "--limit", "2", "-o", traces)
    assert code == 0 and f"bearleft score {shlex.quote(str(traces))}" in err
    assert typed("score", "--resamples", "10", "--", traces)[0] == 0
    assert typed("map", "--route", "town/dev", "--plain", f"--traces={traces}", "-o", folder / f"{name}.svg")[0] == 0
    agent = folder / f"{name}.py"
    agent.write_text("class Stop:\n    def begin(self, episode, rng): pass\n    def act(self, seen): return 'stop'\n")
    assert typed("eval", "--limit", "2", "-o", folder / "own.jsonl", "--", agent, "town/dev")[0] == 0
    assert {path.name for path in folder.iterdir()} >= {f"{name}{end}" for end in (".jsonl", ".svg", ".py")}


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "stop", "town/dev", "-o", "LONG.jsonl"),
        ("score", "LONG.jsonl"),
        ("report", "LONG.jsonl"),
        ("data", "stats", "LONG.jsonl"),
        ("map", "town/0", "--plain", "-o", "LONG.svg"),
        ("render", "city/3/4x5", "-o", "LONG.png"),
        ("render", "episode", "LONG.jsonl"),
        ("album", "check", "LONG"),
        ("eval", "LONG.py", "town/dev", "-o", "a.jsonl"),
    ],
    ids=lambda words: " ".join(words),
)
def test_names_that_are_too_long_are_input_errors(work: Path, typed: Command, words: tuple[str, ...]) -> None:
    code, err = typed(*(word.replace("LONG", "x" * 300) for word in words))
    assert code == 2 and "expected" in err and "Traceback" not in err
    assert not tree(work)
