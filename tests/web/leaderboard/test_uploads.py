"""Uploads: only traces of the track pass, within limits and with bounded memory; messages tell nothing of answers."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import random
import re
import socket
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bearleft.data import load
from bearleft.records import Direction, LegTrace, Reach, Trace
from bearleft.web.database.engines import open_database
from bearleft.web.database.leaderboard import SubmissionFile, Track
from bearleft.web.leaderboard import uploads
from bearleft.web.leaderboard.errors import UploadError
from bearleft.web.leaderboard.folders import private_folder
from bearleft.web.leaderboard.tracks import episode_index
from bearleft.web.leaderboard.uploads import Receiver, StoredUpload, UploadLimits, check, clean, store
from tests.web.leaderboard.board import FILE, Board, lines
from tests.web.queue.desk import Clock

LIMIT = 200_000
QUICK = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return private_folder(tmp_path / "private")


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def receive(folder: Path, content: bytes, limit: int = LIMIT) -> StoredUpload:
    return store(io.BytesIO(content), folder, limits=UploadLimits(limit))


def refuse(folder: Path, content: bytes, limit: int = LIMIT) -> UploadError:
    with pytest.raises(UploadError) as error:
        receive(folder, content, limit)
    assert files(folder) == []
    return error.value


def zipped(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, b"{}")
    return stream.getvalue()


def tarred(name: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    return stream.getvalue()


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A leaderboard for uploads that leave nothing."""
    folder = tmp_path_factory.mktemp("checked")
    database = open_database(folder / "board.sqlite", clock=Clock())
    yield Board.of(database, folder)
    database.close()


# --- receiving ---


@QUICK
@given(
    st.binary(max_size=3000),
    st.booleans(),
    st.lists(st.integers(1, 700), min_size=1, max_size=5),
    st.integers(0, 3),
    st.integers(0, 20),
)
def test_plain_and_compressed_files_are_stored_as_they_are(
    folder: Path, tail: bytes, compressed: bool, sizes: list[int], cut: int, zeros: int
) -> None:
    """In pieces of any size; compressed in one member or several, and padded or not."""
    content = b"{" + tail
    sent = content
    if compressed:
        sent = b"".join(gzip.compress(part) for part in (content[:cut], content[cut:])) + b"\0" * zeros
    with Receiver(folder, UploadLimits(LIMIT)) as receiver:
        at, k = 0, 0
        while at < len(sent):
            receiver.write(sent[at : at + sizes[k % len(sizes)]])
            at, k = at + sizes[k % len(sizes)], k + 1
        stored = receiver.finish()
    assert stored.path.read_bytes() == content
    assert (stored.bytes, stored.sha256) == (len(content), sha256(content).hexdigest())
    assert stored.path.stat().st_mode & 0o777 == 0o600
    stored.path.unlink()


@pytest.mark.parametrize(
    "content",
    [
        zipped("traces.jsonl"),
        zipped("../../../etc/cron.d/x"),
        zipped(),
        tarred("../x"),
        gzip.compress(zipped("traces.jsonl")),
        gzip.compress(tarred("../x")),
        gzip.compress(gzip.compress(b"{}")),
        b"7z\xbc\xaf\x27\x1c" + b"0" * 90,
        b"\xfd7zXZ\0" + b"0" * 90,
        b"BZh91AY&SY" + b"0" * 90,
        b"Rar!\x1a\x07" + b"0" * 90,
    ],
    ids=["zip", "slip", "empty", "tar", "zip.gz", "tar.gz", "gz.gz", "7z", "xz", "bz2", "rar"],
)
def test_archives_are_refused(folder: Path, content: bytes) -> None:
    assert refuse(folder, content).code in ("archive", "not_json")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_refused_and_not_opened(folder: Path, protocol: int) -> None:
    class Harmful:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
            return (folder / "opened").touch, ()

    for content in (pickle.dumps(Harmful(), protocol), gzip.compress(pickle.dumps(Harmful(), protocol))):
        assert refuse(folder, content).code == "not_json"


@pytest.mark.parametrize(
    "content",
    [
        b"https://example.org/traces.jsonl",
        b'"https://example.org"',
        b"[1]",
        b"\xff\xfe{",
        b"GIF89a......",
        b"import os",
    ],
)
def test_other_content_is_refused_and_no_address_is_opened(
    folder: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("a connection"))
    assert refuse(folder, content).code == "not_json"


def test_nothing_is_refused(folder: Path) -> None:
    for content in (b"", gzip.compress(b"")):
        assert refuse(folder, content).code == "empty"


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1])
def test_the_limit_holds_for_plain_and_compressed_files(folder: Path, size: int) -> None:
    content = b"{" + random.Random(1).randbytes(size - 1)
    for sent in (content, gzip.compress(content, 0)):
        if len(sent) <= LIMIT:
            receive(folder, sent).path.unlink()
        else:
            assert refuse(folder, sent).code == "too_large"
    squeezed = gzip.compress(b"{" + b" " * (size - 1))
    if size <= LIMIT:
        receive(folder, squeezed).path.unlink()
    else:
        assert refuse(folder, squeezed).code == "too_large"


def test_a_gzip_bomb_costs_no_memory(folder: Path) -> None:
    """33 kB that stand for 32 MB are read up to the limit, piece by piece."""
    compressor = zlib.compressobj(9, wbits=31)
    bomb = compressor.compress(b"{")
    zeros = bytes(2**20)
    for _ in range(32):
        bomb += compressor.compress(zeros)
    bomb += compressor.flush()
    assert len(bomb) < 2**16
    tracemalloc.start()
    try:
        error = refuse(folder, bomb, 2**22)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.code == "too_large" and "4,194,304" in error.message
    assert peak < 2**20


def test_many_empty_members_are_refused(folder: Path) -> None:
    assert refuse(folder, gzip.compress(b"") * (uploads.MAX_MEMBERS + 2)).code == "gzip"


@QUICK
@given(st.data())
def test_damaged_gzip_files_are_refused(folder: Path, data: st.DataObject) -> None:
    whole = gzip.compress(b'{"a": 1}\n' * 50)
    cut = whole[: data.draw(st.integers(3, len(whole) - 1))]
    assert refuse(folder, cut).code in ("gzip", "not_json")
    assert refuse(folder, whole + b"more").code == "gzip"
    place = data.draw(st.integers(10, len(whole) - 1))
    flipped = whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    assert refuse(folder, flipped).code in ("gzip", "not_json", "empty")


def test_an_interrupted_upload_leaves_nothing(folder: Path) -> None:
    class Broken:
        def read(self, _size: int, /) -> bytes:
            if files(folder) and files(folder)[0].stat().st_size:
                raise ConnectionError
            return b"{" * 2**16

    with pytest.raises(ConnectionError):
        store(Broken(), folder, limits=UploadLimits(2**30))
    assert files(folder) == []


# --- checking ---


def messages_of(checked: Board, content: bytes) -> UploadError:
    """Return the error of a file, which must tell nothing of answers, nor repeat what the file says."""
    stored = checked.store(content)
    with pytest.raises(UploadError) as error:
        check(stored, checked.track, folder=checked.folder)
    before = stored.path.read_bytes()
    with pytest.raises(UploadError) as same:
        clean(stored, checked.track, folder=checked.folder)
    assert (error.value.code, error.value.message) == (same.value.code, same.value.message)
    assert stored.path.read_bytes() == before == content
    stored.path.unlink()
    assert checked.files() == set()
    _check_message(error.value)
    return error.value


def _check_message(error: UploadError) -> None:
    """Compare a message with the fixed one of its code: it differs in numbers and the name of a field only."""
    fixed = re.escape(uploads.MESSAGES[error.code])
    fixed = fixed.replace(re.escape("{place}"), r"(The file|Line \d+)(, field [a-z0-9_.\[\]]+,)?")
    for name in ("limit", "count", "total"):
        fixed = fixed.replace(re.escape(f"{{{name}:,}}"), r"[\d,]+")
    assert re.fullmatch(fixed, error.message), error.message


def rows(checked: Board) -> list[dict[str, Any]]:
    return [trace.to_json() for trace in checked.traces()]


def dumped(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def test_a_valid_file_passes_and_is_written_anew(checked: Board) -> None:
    wanted = checked.traces()
    content = rows(checked)
    content[0]["legs"][0] |= {"heat": "x" * 999, "policy": 1, "calls": [[[]]], "note": "\u202e"}
    content[1]["more"] = {"eval": "__import__('os').system('true')"}
    content[2]["sha256"] = checked.track.dataset_sha256
    for sent in (dumped(content), b"\n" + dumped(content[::-1]) + b"  \n\n"):
        stored = checked.store(sent)
        assert check(stored, checked.track, folder=checked.folder) == len(wanted)
        result = clean(stored, checked.track, folder=checked.folder)
        assert result.traces == len(wanted)
        kept = stored.path.read_bytes()
        assert (len(kept), sha256(kept).hexdigest()) == (result.stored.bytes, result.stored.sha256)
        traces = [Trace.from_json(json.loads(line)) for line in kept.splitlines()]
        track = checked.track
        expected = [replace(trace, dataset=track.dataset, sha256=track.dataset_sha256) for trace in wanted]
        assert sorted(traces, key=lambda trace: trace.episode) == sorted(expected, key=lambda trace: trace.episode)
        stored.path.unlink()


def _path(row: dict[str, Any]) -> Any:
    return row["legs"][0]


CHANGES: dict[str, tuple[str, Callable[[list[dict[str, Any]]], Any]]] = {
    "a missing episode": ("missing_episodes", lambda rows: rows.pop()),
    "a repeated episode": ("repeated_episode", lambda rows: rows.append(rows[0])),
    "an unknown episode": ("unknown_episode", lambda rows: rows[1].update(episode="d41d8cd98f00b204")),
    "an episode that is a number": ("not_trace", lambda rows: rows[1].update(episode=7)),
    "another dataset within": ("dataset", lambda rows: rows[2].update(dataset="another")),
    "another hash": ("dataset", lambda rows: rows[2].update(sha256="0" * 64)),
    "no leg": ("legs", lambda rows: rows[0].update(legs=[])),
    "two legs": ("legs", lambda rows: rows[0]["legs"].append(rows[0]["legs"][0])),
    "positions": ("legs", lambda rows: _path(rows[0]).update(path=[[1.5, 2, 3]])),
    "cells": ("legs", lambda rows: _path(rows[0]).update(path=[[1, 2, 3]])),
    "no path": ("legs", lambda rows: _path(rows[0]).update(path=[])),
    "a text for legs": ("not_trace", lambda rows: rows[0].update(legs="abc")),
    "a text for a leg": ("not_trace", lambda rows: rows[0].update(legs=["abc"])),
    "no actions": ("not_trace", lambda rows: _path(rows[0]).pop("actions")),
    "actions that are objects": ("not_trace", lambda rows: _path(rows[0]).update(actions=[{}])),
    "an answer of another kind": ("not_trace", lambda rows: _path(rows[0]).update(answer={"x": 1})),
    "a pitch beyond": ("not_trace", lambda rows: _path(rows[0]).update(looks=[[0, 91]])),
    "another format": ("not_trace", lambda rows: rows[0].update(format=2)),
    "a seed of many digits": ("not_trace", lambda rows: rows[0].update(seed=2**63)),
    "a seed beyond floats": ("not_trace", lambda rows: rows[0].update(seed=10**400)),
    "a horizon of many digits": ("not_trace", lambda rows: rows[0].update(horizon=2**70)),
    "an empty agent": ("not_trace", lambda rows: rows[0].update(agent=" ")),
    "half a surrogate pair": ("not_json", lambda rows: rows[0].update(agent="\ud800")),
    "a long walk": ("too_long", lambda rows: _path(rows[0]).update(path=["a"] * 10_001)),
    "many actions": ("too_long", lambda rows: _path(rows[0]).update(actions=["a"] * 10_001)),
}


@pytest.mark.parametrize(("code", "change"), CHANGES.values(), ids=CHANGES)
def test_what_is_no_trace_of_the_track_is_refused(
    checked: Board, code: str, change: Callable[[list[dict[str, Any]]], Any]
) -> None:
    changed = rows(checked)
    change(changed)
    assert messages_of(checked, dumped(changed)).code == code


RAW = {
    "nan": b'{"format": NaN}',
    "infinity": b'{"format": -Infinity}',
    "a float beyond floats": b'{"format": 1e999}',
    "digits": b'{"format": ' + b"9" * 5000 + b"}",
    "repeated fields": b'{"format": 1, "format": 1}',
    "nested lists": b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "nested objects": b'{"a": ' * 50_000 + b"1" + b"}" * 50_000,
    "open brackets": b'{"a": ' + b"[" * 500_000,
    "two values": b"{} {}",
    "a cut line": b'{"format": 1, "epi',
    "python": b"{'format': 1}",
    "expression": b'{"format": __import__("os").system("true")}',
    "bytes": b'{"a": "\xff\xfe"}',
    "nul": b'{"a": "\x00"}',
    "byte order mark": b'{"a":\xef\xbb\xbf 1}',
}


@pytest.mark.parametrize("line", RAW.values(), ids=RAW)
def test_wrong_json_is_refused(checked: Board, line: bytes) -> None:
    error = messages_of(checked, lines(checked.traces()[:1]) + line + b"\n")
    assert error.code == "not_json" and "Line 2" in error.message


def test_a_file_that_begins_wrong_is_refused_before_it_is_stored(checked: Board) -> None:
    for content in (b"[" + b"1," * 99 + b"1]", b"\n\n" * 9 + b"[1]"):
        with pytest.raises(UploadError, match="no JSON object"):
            checked.store(content)
    assert messages_of(checked, b"   \n\n\n    \n\n").code == "empty"


def test_long_lines_are_refused(checked: Board) -> None:
    row = rows(checked)[0] | {"agent": "x" * uploads.MAX_LINE_BYTES}
    assert messages_of(checked, dumped([row])).code == "long_line"


def test_fields_of_a_file_are_not_repeated_in_messages(checked: Board) -> None:
    goal = load("city/touchdown/small")[0].legs[0].goal
    assert isinstance(goal, Reach)
    secret = goal.route[-1]
    row = rows(checked)[0]
    for change in ({secret: 1}, {"episode": secret}, {"dataset": secret}, {"legs": [{secret: 1}]}, {"format": secret}):
        content = dumped([{**row, **change}])
        assert secret not in messages_of(checked, content).message


@settings(QUICK, max_examples=30)
@given(st.binary(max_size=60), st.integers(0, 10**6), st.integers(0, 40))
def test_random_damage_is_refused_with_a_fixed_message_or_harmless(
    checked: Board, noise: bytes, place: int, removed: int
) -> None:
    content = lines(checked.traces())
    place %= len(content)
    damaged = content[:place] + noise + content[place + removed :]
    try:
        stored = checked.store(damaged)
    except UploadError as error:
        _check_message(error)
        return
    try:
        result = clean(stored, checked.track, folder=checked.folder)
        assert result.traces == len(checked.episodes)
    except UploadError as error:
        _check_message(error)
    finally:
        stored.path.unlink()


def test_points_and_public_tracks(small: Board) -> None:
    track = Track(name=small.track.name, dataset="city/sdr/x", dataset_sha256="ab", hidden=False)
    index = episode_index(small.folder, small.track)
    ids = list(index.legs)
    type(index)(dict.fromkeys(ids, ("point",))).write(small.folder / "tracks" / track.name / "episodes.json")

    def traces(answer: Any, dataset: str = "city/sdr/x", hashed: str = "") -> Iterator[Trace]:
        for name in ids:
            yield Trace(name, dataset, "a", (LegTrace(("point",), ("c1",), (), answer),), 0, hashed)

    given: list[Any] = [Direction(1, 2), None]
    for answer in given:
        for dataset, hashed in (("city/sdr/x", ""), ("city/sdr/x", "ab"), (f"own/{FILE}", "ab")):
            stored = small.store(lines(traces(answer, dataset, hashed)))
            assert check(stored, track, folder=small.folder) == len(ids)
    wrong: list[tuple[Any, str, str]] = [
        ("item", "city/sdr/x", "legs"),
        ((1, 2, 3), "city/sdr/x", "legs"),
        (None, "x", "dataset"),
    ]
    for answer, dataset, code in wrong:
        stored = small.store(lines(traces(answer, dataset)))
        with pytest.raises(UploadError) as error:
            check(stored, track, folder=small.folder)
        assert error.value.code == code


def test_a_track_without_its_episodes_says_what_to_do(small: Board) -> None:
    (small.folder / "tracks" / small.track.name / "episodes.json").unlink()
    with pytest.raises(Exception, match="Restore the folder"):
        check(small.store(), small.track, folder=small.folder)


# --- files on disk ---


def test_abandoned_files_are_removed(small: Board) -> None:
    small.submit("k")
    small.store()
    receiver = Receiver(small.folder, UploadLimits(99))  # of a process that was killed
    receiver.write(b'{"format": 1}')
    assert len(small.files()) == 3
    now = small.database.now()
    (path,) = [one.path for one in small_files(small)]
    young = max((small.folder / name).stat().st_mtime for name in small.files())
    early = now.fromtimestamp(young, now.tzinfo)
    assert uploads.remove_abandoned(small.database, small.folder, now=early + timedelta(hours=23)) == 0
    assert uploads.remove_abandoned(small.database, small.folder, now=early + timedelta(hours=25)) == 2
    assert small.files() == {path}
    receiver.__exit__(None, None, None)


def test_missing_and_changed_files_are_listed(small: Board) -> None:
    small.submit("a")
    small.submit("b")
    assert uploads.file_rows(small.database, small.folder) == []
    first, second = small_files(small)
    uploads.file_path(small.folder, first).unlink()
    with open(uploads.file_path(small.folder, second), "ab") as stream:
        stream.write(b"\n")
    found = {row["file"]: row["problem"] for row in uploads.file_rows(small.database, small.folder)}
    assert found == {first.path: "missing", second.path: "changed"}


def small_files(small: Board) -> list[SubmissionFile]:
    with small.database.read() as session:
        return list(session.query(SubmissionFile).order_by(SubmissionFile.id))
