"""Uploaded files of traces: received within limits, checked line by line, and written anew for the scorer.

One file of JSON lines, plain or compressed by gzip; no archives, no addresses. The episodes of a track are known here
by their ids only: no answer is read, so that no message can tell about one.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol

from sqlalchemy import select

from bearleft.data import json_stream
from bearleft.errors import InputError
from bearleft.records import LegTrace, Trace, to_json_line
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import SubmissionFile, Track
from bearleft.web.leaderboard.errors import UploadError
from bearleft.web.leaderboard.folders import INCOMING, UPLOADS, inside, make_private
from bearleft.web.leaderboard.tracks import episode_index

CHUNK_BYTES = 2**16
MAX_LINE_BYTES = 2**20
MAX_MEMBERS = 1000  # of a gzip file: compressed files that were joined
MAX_STEPS = 10_000  # actions, places or views of a leg
ABANDONED = timedelta(days=1)  # after which a file that no submission names is removed
# What archives, other compressed files and pickles begin with.
_ARCHIVES = (b"PK", b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")
_GZIP = b"\x1f\x8b"
_FIELD = re.compile(r"[a-z0-9_.\[\]]{1,60}")

# What is refused, and what entrants are told. No message holds anything of a file but a line and the name of a field.
MESSAGES = {
    "empty": "The file holds no trace.",
    "too_large": "The file has more than {limit:,} bytes, decompressed.",
    "archive": "The file is an archive. Upload the traces themselves: JSON lines, plain or compressed by gzip.",
    "gzip": "The file is no complete gzip file.",
    "not_json": "{place} is no JSON object. Upload JSON lines, plain or compressed by gzip.",
    "long_line": "{place} has more than {limit:,} bytes.",
    "not_trace": "{place} is no trace of bearleft.",
    "too_long": "{place} has a leg with more than {limit:,} actions, places or views.",
    "dataset": "{place} is of another dataset, or of another version of it.",
    "unknown_episode": "{place} names an episode that the track does not have.",
    "repeated_episode": "{place} repeats an episode.",
    "legs": "{place} has another number of legs than its episode, or a leg of another kind.",
    "missing_episodes": "The file lacks {count:,} of {total:,} episodes.",
}


def _refused(code: str, line: int = 0, field: str = "", **values: int) -> UploadError:
    place = f"Line {line}" if line else "The file"
    if field and _FIELD.fullmatch(field):
        place += f", field {field},"
    return UploadError(code, MESSAGES[code].format(place=place, **values))


@dataclass(frozen=True)
class UploadLimits:
    """Limits of one file.

    Attributes:
        max_bytes: Its largest size, as it is sent and decompressed.
    """

    max_bytes: int

    @classmethod
    def of(cls, track: Track) -> UploadLimits:
        """Return the limits of a track."""
        return cls(track.max_bytes)


@dataclass(frozen=True)
class StoredUpload:
    """A file in the private folder.

    Attributes:
        path: The file: decompressed JSON lines.
        bytes: Its size.
        sha256: The hash of its content.
    """

    path: Path
    bytes: int
    sha256: str


class Chunks(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""


class Receiver:
    """Receives a file piece by piece, decompresses it, and stops at the limits.

        with Receiver(folder, limits) as receiver:
            for piece in pieces:
                receiver.write(piece)
            stored = receiver.finish()

    Without `finish` nothing is left of it. Memory does not depend on the size of the file.

    Args:
        folder: The private folder.
        limits: The limits.
    """

    def __init__(self, folder: Path, limits: UploadLimits) -> None:
        self._limits = limits
        name = f"{secrets.token_hex(16)}.jsonl"
        self._target = make_private(folder / UPLOADS / name[:2]) / name
        self._path = make_private(folder / UPLOADS / INCOMING) / name
        self._stream: BinaryIO = open(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")  # noqa: SIM115
        self._hash = sha256()
        self._received = self._written = self._members = 0
        self._head = b""
        self._decoder: Any = None
        self._is_plain = False

    def __enter__(self) -> Receiver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._path.unlink(missing_ok=True)

    def write(self, content: bytes) -> None:
        """Receive the next bytes.

        Raises:
            UploadError: The file is no text, or too large.
        """
        for begin in range(0, len(content), CHUNK_BYTES):
            self._receive(content[begin : begin + CHUNK_BYTES])

    def _receive(self, piece: bytes) -> None:
        self._received += len(piece)
        if self._received > self._limits.max_bytes:
            raise _refused("too_large", limit=self._limits.max_bytes)
        if self._decoder is None and not self._is_plain:
            self._head += piece
            if len(self._head) < 8:
                return
            piece, self._head = self._head, b""
            self._begin(piece)
        self._store(piece)

    def _begin(self, head: bytes) -> None:
        if head.startswith(_GZIP):
            self._decoder = zlib.decompressobj(wbits=31)
        elif head.startswith(_ARCHIVES):
            raise _refused("archive")
        else:
            self._is_plain = True

    def _store(self, piece: bytes) -> None:
        if self._is_plain:
            self._append(piece)
            return
        while piece:
            if self._decoder.eof:  # another member may follow, or zeros that fill up a block
                piece = piece.lstrip(b"\0")
                if not piece:
                    return
                self._members += 1
                if self._members > MAX_MEMBERS:
                    raise _refused("gzip")
                self._decoder = zlib.decompressobj(wbits=31)
            try:
                self._append(self._decoder.decompress(piece, CHUNK_BYTES))
            except zlib.error:
                raise _refused("gzip") from None
            piece = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail

    def _append(self, content: bytes) -> None:
        if not content:
            return
        if not self._written and not content.lstrip().startswith(b"{") and content.strip():
            code = "archive" if content.startswith((_GZIP, *_ARCHIVES)) or content[257:262] == b"ustar" else "not_json"
            raise _refused(code, 1)
        self._written += len(content)
        if self._written > self._limits.max_bytes:
            raise _refused("too_large", limit=self._limits.max_bytes)
        self._hash.update(content)
        self._stream.write(content)

    def finish(self) -> StoredUpload:
        """Return the complete file.

        Raises:
            UploadError: It is empty, or a gzip file that is cut off.
        """
        if self._head:
            head, self._head = self._head, b""
            self._begin(head)
            self._store(head)
        if self._decoder is not None and not self._decoder.eof:
            raise _refused("gzip")
        if not self._written:
            raise _refused("empty")
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()
        self._path.replace(self._target)
        return StoredUpload(self._target, self._written, self._hash.hexdigest())


def store(stream: Chunks, folder: Path, *, limits: UploadLimits) -> StoredUpload:
    """Receive a file from a stream; see `Receiver`.

    Args:
        stream: What it is read from.
        folder: The private folder.
        limits: The limits.

    Raises:
        UploadError: It is empty, too large, an archive, or no text.
    """
    with Receiver(folder, limits) as receiver:
        while piece := stream.read(CHUNK_BYTES):
            receiver.write(piece)
        return receiver.finish()


def discard(stored: Iterable[StoredUpload]) -> None:
    """Remove files that become no submission."""
    for upload in stored:
        upload.path.unlink(missing_ok=True)


@dataclass(frozen=True)
class CheckedUpload:
    """A checked file.

    Attributes:
        stored: The file as it was written anew.
        traces: The number of its traces.
    """

    stored: StoredUpload
    traces: int


def check(stored: StoredUpload, track: Track, *, folder: Path) -> int:
    """Return the number of traces of a file; see `clean`, which also writes it anew.

    Raises:
        UploadError: A line is no trace of the track, or an episode is missing or repeated.
    """
    return sum(1 for _ in _traces(stored.path, track, folder))


def clean(stored: StoredUpload, track: Track, *, folder: Path) -> CheckedUpload:
    """Check a file, and write it anew in its place: only what scores depend on, in the form of bearleft.

    Heat maps, policies and calls of language models are left out, and so is everything that traces do not have. The
    dataset and its hash become those of the track.

    Args:
        stored: The file.
        track: The track.
        folder: The private folder.

    Raises:
        UploadError: A line is no trace of the track, or an episode is missing or repeated.
    """
    path = stored.path.with_suffix(".part")
    digest, size, count = sha256(), 0, 0
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            for trace in _traces(stored.path, track, folder):
                line = to_json_line(_reduced(trace, track)).encode() + b"\n"
                digest.update(line)
                stream.write(line)
                size, count = size + len(line), count + 1
            stream.flush()
            os.fsync(stream.fileno())
        path.replace(stored.path)
    finally:
        path.unlink(missing_ok=True)
    return CheckedUpload(StoredUpload(stored.path, size, digest.hexdigest()), count)


def _reduced(trace: Trace, track: Track) -> Trace:
    legs = tuple(replace(leg, heat=None, policy=None, calls=()) for leg in trace.legs)
    return replace(trace, legs=legs, dataset=track.dataset, sha256=track.dataset_sha256)


def _traces(path: Path, track: Track, folder: Path) -> Iterator[Trace]:
    """Yield the traces of a file; raise UploadError at the first line that is none, and for missing episodes."""
    legs = episode_index(folder, track).legs
    seen: set[str] = set()
    name = ""  # the dataset as the first line names it; a file of entrants may lie anywhere
    for number, line in _lines(path):
        trace = _parse(line, number)
        name = name or trace.dataset
        if trace.dataset != name or not _is_of_track(trace, track):
            raise _refused("dataset", number)
        if trace.episode not in legs:
            raise _refused("unknown_episode", number)
        if trace.episode in seen:
            raise _refused("repeated_episode", number)
        seen.add(trace.episode)
        _check_legs(trace, legs[trace.episode], number)
        yield trace
    if not seen:
        raise _refused("empty")
    if len(seen) < len(legs):
        raise _refused("missing_episodes", count=len(legs) - len(seen), total=len(legs))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with open(path, "rb") as stream:
        number = 0
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise _refused("long_line", number, limit=MAX_LINE_BYTES)
            if not line.isspace():
                yield number, line


def _parse(line: bytes, number: int) -> Trace:
    try:
        # Refuses NaN, numbers that are too large, repeated fields, and JSON that is nested too deeply.
        value = json_stream.loads(line.decode())
    except (UnicodeDecodeError, InputError, RecursionError, MemoryError):
        raise _refused("not_json", number) from None
    if not isinstance(value, dict):
        raise _refused("not_json", number)
    try:
        for leg in value.get("legs", ()) if isinstance(value.get("legs"), list) else ():
            _drop_reports(leg)
        trace = Trace.from_json(value)
    except InputError as error:
        raise _refused("not_trace", number, error.field) from None
    except RecursionError:
        raise _refused("not_trace", number) from None
    if abs(trace.seed) >= 2**63 or (trace.horizon or 0) >= 2**63:
        raise _refused("not_trace", number, "seed")
    return trace


def _drop_reports(leg: Any) -> None:
    """Take away what no score depends on before it is parsed: a small text may stand for a large heat map."""
    if isinstance(leg, dict):
        for name in ("heat", "policy", "calls"):
            leg.pop(name, None)


def _is_of_track(trace: Trace, track: Track) -> bool:
    """Return whether a trace is of the dataset of a track; the file of a hidden one may lie anywhere."""
    if trace.sha256 and trace.sha256 != track.dataset_sha256:
        return False
    return track.hidden or trace.dataset == track.dataset or trace.sha256 == track.dataset_sha256 != ""


def _check_legs(trace: Trace, kinds: tuple[str, ...], number: int) -> None:
    if len(trace.legs) > len(kinds) or not trace.legs:
        raise _refused("legs", number)
    for leg, kind in zip(trace.legs, kinds, strict=False):
        if max(len(leg.actions), len(leg.path), len(leg.looks)) > MAX_STEPS:
            raise _refused("too_long", number, limit=MAX_STEPS)
        if not _is_of_kind(leg, kind):
            raise _refused("legs", number)


def _is_of_kind(leg: LegTrace, kind: str) -> bool:
    """Return whether a leg may have been played towards a goal of a kind."""
    in_places = all(isinstance(step, str) for step in leg.path)
    if kind == "reach":
        return in_places and bool(leg.path)
    if kind == "point":
        return in_places and (leg.answer is None or not isinstance(leg.answer, str | tuple))
    return not in_places or not leg.path


def file_path(folder: Path, file: SubmissionFile) -> Path:
    """Return where the file of a submission is."""
    return inside(folder, file.path)


def relative_path(folder: Path, stored: StoredUpload) -> str:
    """Return the path of a stored file in the private folder."""
    return str(stored.path.relative_to(folder))


def remove_abandoned(database: Database, folder: Path, *, now: datetime | None = None) -> int:
    """Remove files that no submission names and that are older than a day; return how many.

    Processes that were killed leave them.
    """
    uploads = folder / UPLOADS
    before = ((now or database.now()) - ABANDONED).timestamp()
    old = []
    for path in uploads.glob("*/*"):
        with contextlib.suppress(OSError):
            if path.is_file() and path.stat().st_mtime < before:
                old.append(path)
    with database.read() as session:
        named = set(session.scalars(select(SubmissionFile.path)))
    abandoned = [path for path in old if str(path.relative_to(folder)) not in named]
    return sum(_remove_if_old(path, before) for path in abandoned)


def _remove_if_old(path: Path, before: float) -> bool:
    """Remove a file unless it was written since it was listed, by somebody who submits it now."""
    with contextlib.suppress(OSError):
        if path.stat().st_mtime < before:
            path.unlink()
            return True
    return False


def file_rows(database: Database, folder: Path) -> list[dict[str, Any]]:
    """Return a row for each file of a submission that is missing or was changed, such as after a restored backup."""
    with database.read() as session:
        files = session.scalars(select(SubmissionFile).order_by(SubmissionFile.id)).all()
    rows = []
    for file in files:
        path = file_path(folder, file)
        if not path.is_file():
            rows.append({"file": file.path, "problem": "missing"})
            continue
        with open(path, "rb") as stream:
            digest = sha256()
            while piece := stream.read(CHUNK_BYTES):
                digest.update(piece)
        if digest.hexdigest() != file.sha256:
            rows.append({"file": file.path, "problem": "changed"})
    return rows
