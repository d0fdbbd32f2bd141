"""Files and folders: the data and cache folders, atomic writes, locks."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from bearleft.errors import InputError, format_value

LOCK_FILE = ".lock"  # in folders that one process at a time writes
CACHE_HINT = "Name another cache folder with BEARLEFT_CACHE."
DATA_HINT = "Name the folder with --data DIR or BEARLEFT_DATA; docs/data.md says how it is laid out."


def cache_folder() -> Path:
    """Return the folder of files that can be rebuilt: BEARLEFT_CACHE, or the system's cache folder."""
    return Path(os.environ.get("BEARLEFT_CACHE") or _system_folder("cache"))


def _system_folder(kind: str) -> str:
    try:
        import platformdirs
    except ImportError:  # a GPU machine without further packages
        return os.path.expanduser(f"~/.{kind}/bearleft")
    return platformdirs.user_cache_dir("bearleft") if kind == "cache" else platformdirs.user_data_dir("bearleft")


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of real datasets.

    Args:
        folder: The folder; BEARLEFT_DATA or the system's data folder by default.

    Raises:
        InputError: The folder does not exist.
    """
    chosen = Path(folder or os.environ.get("BEARLEFT_DATA") or _system_folder("data"))
    if not chosen.is_dir():
        got = f"{chosen}, which is a file" if chosen.exists() else f"{chosen}, which does not exist"
        raise InputError("a folder of datasets", got, hint=DATA_HINT)
    return chosen


def existing_file(path: str | os.PathLike[str], kind: str = "a file") -> Path:
    """Return the path of a readable file.

    Args:
        path: The path.
        kind: What is expected there, for the error message.

    Raises:
        InputError: The path is a folder, does not exist, or cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(kind, "a folder", file=str(path))
    if not path.exists():
        raise InputError(kind, "nothing there", file=str(path))
    if not os.access(path, os.R_OK):
        raise InputError(kind, "a file that may not be read", file=str(path))
    return path


def check_writable_folder(path: str | os.PathLike[str]) -> Path:
    """Return the path of a folder that can be written, or created; nothing is written yet.

    Raises:
        InputError: The path is a file, or the folder or the one that it would be created in cannot be written.
    """
    folder = Path(path)
    existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    if not existing.is_dir():
        raise InputError("a folder to write", "a file", file=str(path if existing == folder.absolute() else existing))
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError("a folder that can be written", "Permission denied", file=str(existing))
    return folder


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file for writing that appears under its name only if the block ends without an error.

    Args:
        path: The path; its parent folders are created.
        mode: "w" for text in UTF-8, "wb" for bytes.

    Yields:
        The open stream of a temporary file beside `path`.

    Raises:
        InputError: The file cannot be written.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError("a file to write", "a folder", file=str(path))
    import fcntl

    temporary = temporary_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = open(temporary, mode, encoding=None if "b" in mode else "utf-8")  # noqa: SIM115  (closed below)
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise write_error(error, path) from error
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        raise write_error(error, path) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_error(error: OSError, path: Path, kind: str = "a file") -> InputError:
    """Return the error of a file or folder that cannot be written."""
    got = format_value(error.strerror or str(error))
    hint = CACHE_HINT if cache_folder() in path.parents else ""
    return InputError(f"{kind} that can be written", got, file=str(path), hint=hint)


def temporary_path(path: Path, suffix: str = ".part") -> Path:
    """Return a new name beside `path` for what is written before it gets its own name."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{suffix}")


def remove_abandoned(path: Path) -> None:
    """Delete the temporary files of `path` that a killed process left; those of running processes are locked."""
    _remove_unlocked(path.parent.glob(f".{glob.escape(path.name)}.*.part*"))


def remove_abandoned_in(folder: Path) -> None:
    """Delete the temporary files that killed processes left in a folder; those of running processes are locked."""
    _remove_unlocked(folder.glob(".*.part"))


def _remove_unlocked(paths: Iterable[Path]) -> None:
    import fcntl

    for temporary in list(paths):
        with contextlib.suppress(OSError), open(temporary, "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            temporary.unlink()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file atomically."""
    with atomic_write(path) as stream:
        stream.write(text)


def _open_lock(path: Path) -> IO[bytes]:
    """Open a lock file; a link is refused, since a folder of others may link to any file of the user."""
    return open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "r+b")


@contextlib.contextmanager
def file_lock(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the lock of `path`; other processes wait for it."""
    import fcntl

    with _lock_stream(path) as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def try_file_lock(path: str | os.PathLike[str]) -> Iterator[bool]:
    """Hold the lock of `path` and yield True; yield False at once where another process holds it."""
    import fcntl

    with _lock_stream(path) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _lock_stream(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open the lock file of `path`."""
    lock_file = Path(f"{path}.lock")
    try:
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        return _open_lock(lock_file)
    except OSError as error:
        raise write_error(error, lock_file.parent, "a folder") from error


@contextlib.contextmanager
def exclusive_writer(folder: Path, kind: str, subfolders: Sequence[str] = ("",)) -> Iterator[None]:
    """Hold the lock of a folder while it is written, and delete temporary files of a killed writer.

    A folder that is created here is removed again if an InputError ends the block before anything was written.

    Args:
        folder: The folder to write.
        kind: What it holds, for the error message.
        subfolders: The subfolders with temporary files.

    Raises:
        InputError: Another process writes the folder, or it cannot be written.
    """
    import fcntl

    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = _open_lock(folder / LOCK_FILE)
    except OSError as error:
        raise write_error(error, folder, "a folder") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{kind} that nobody else writes", "one in use", file=str(folder)) from None
        for subfolder in subfolders:
            for path in (folder / subfolder).glob(".*.part"):
                path.unlink(missing_ok=True)
        try:
            yield
        except InputError:
            if is_new and [path.name for path in folder.iterdir()] == [LOCK_FILE]:
                (folder / LOCK_FILE).unlink()
                folder.rmdir()
            raise


@contextlib.contextmanager
def shared_writer(folder: Path, kind: str) -> Iterator[None]:
    """Hold the lock of a folder that several processes write at once, each its own files; none may write it alone.

    Args:
        folder: The folder to write.
        kind: What it holds, for the error message.

    Raises:
        InputError: Another process writes the folder alone, or it cannot be written.
    """
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = _open_lock(folder / LOCK_FILE)
    except OSError as error:
        raise write_error(error, folder, "a folder") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{kind} that nobody writes alone", "one in use", file=str(folder)) from None
        yield


def sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
