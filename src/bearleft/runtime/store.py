"""Folders and files: where data and caches lie, and writes that are whole or not there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from bearleft.errors import InputError, shown

LOCK = ".lock"  # in folders that one process at a time writes
DATA_HINT = "Name the folder with --data DIR or BEARLEFT_DATA; docs/data.md says how it is laid out."


def cache_folder() -> Path:
    """Where things that can be made again are kept: BEARLEFT_CACHE, or the system's place for caches."""
    return Path(os.environ.get("BEARLEFT_CACHE") or _system_folder("cache"))


def _system_folder(kind: str) -> str:
    try:
        import platformdirs
    except ImportError:  # a GPU machine that installs nothing
        return os.path.expanduser(f"~/.{kind}/bearleft")
    return platformdirs.user_cache_dir("bearleft") if kind == "cache" else platformdirs.user_data_dir("bearleft")


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """The folder of real datasets: the one given, BEARLEFT_DATA, or the system's place for data."""
    chosen = Path(folder or os.environ.get("BEARLEFT_DATA") or _system_folder("data"))
    if not chosen.is_dir():
        got = f"{chosen}, which is a file" if chosen.exists() else f"{chosen}, which does not exist"
        raise InputError("a folder of datasets", got, hint=DATA_HINT)
    return chosen


def existing_file(path: str | os.PathLike[str], what: str = "a file") -> Path:
    """The path, if there is a readable file; else an error that says what is there instead."""
    path = Path(path)
    if path.is_dir():
        raise InputError(what, "a folder", file=str(path))
    if not path.exists():
        raise InputError(what, "nothing there", file=str(path))
    if not os.access(path, os.R_OK):
        raise InputError(what, "a file that may not be read", file=str(path))
    return path


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """A file that appears whole under its name when the block ends well, and not at all otherwise."""
    path = Path(path)
    if path.is_dir():
        raise InputError("a file to write", "a folder", file=str(path))
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = open(draft, mode, encoding=None if "b" in mode else "utf-8")  # noqa: SIM115  (closed below)
    except OSError as error:
        raise InputError("a file that can be written", shown(error.strerror or str(error)), file=str(path)) from error
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:
        raise InputError("a file that can be written", shown(error.strerror or str(error)), file=str(path)) from error
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text file whole."""
    with atomic_write(path) as stream:
        stream.write(text)


@contextlib.contextmanager
def lock(path: str | os.PathLike[str]) -> Iterator[None]:
    """Lets one process at a time through for `path`; the others wait."""
    import fcntl

    guard = Path(f"{path}.lock")
    try:
        guard.parent.mkdir(parents=True, exist_ok=True)
        stream = open(guard, "w")  # noqa: SIM115  (closed below)
    except OSError as error:
        got = shown(error.strerror or str(error))
        raise InputError("a folder that can be written", got, file=str(guard.parent)) from error
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def only_writer(folder: Path, what: str, parts: Sequence[str] = ("",)) -> Iterator[None]:
    """An error where somebody else writes `what` there; drafts of a killed writer, in `parts`, are cleared away.

    A folder that was made here goes again where a user's mistake ends the block before anything lies in it.
    """
    import fcntl

    fresh = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = open(folder / LOCK, "w")  # noqa: SIM115  (closed below)
    except OSError as error:
        got = shown(error.strerror or str(error))
        raise InputError("a folder that can be written", got, file=str(folder)) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{what} that nobody else writes", "one in use", file=str(folder)) from None
        for part in parts:
            for path in (folder / part).glob(".*.part"):
                path.unlink(missing_ok=True)
        try:
            yield
        except InputError:
            if fresh and [path.name for path in folder.iterdir()] == [LOCK]:
                (folder / LOCK).unlink()
                folder.rmdir()
            raise


def sha256(path: str | os.PathLike[str]) -> str:
    """A file's hash, read piece by piece."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
