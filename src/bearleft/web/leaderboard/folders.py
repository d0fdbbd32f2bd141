"""The private folder of a leaderboard, which no page serves: uploads, and the answers of tracks.

tracks/NAME/answers/         the data with the answers, in the layout of a data folder or of a hidden dataset
tracks/NAME/entrants.zip     what entrants download
tracks/NAME/episodes.json    ids of the episodes and the goals of their legs, without answers
uploads/AB/RANDOM.jsonl      an uploaded file, as it was checked
uploads/incoming/            uploads that are not complete
"""

from __future__ import annotations

import os
from pathlib import Path

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import write_error

DEFAULT_FOLDER = "leaderboard"
TRACKS, UPLOADS, INCOMING = "tracks", "uploads", "incoming"
ANSWERS, ARCHIVE, EPISODES = "answers", "entrants.zip", "episodes.json"


def private_folder(path: str | os.PathLike[str]) -> Path:
    """Return a folder that only its owner can open; it is created if it does not exist.

    Raises:
        InputError: It cannot be created, or others can open it.
    """
    folder = Path(path)
    make_private(folder)
    mode = folder.stat().st_mode & 0o777
    if mode & 0o077:
        hint = f"Type: chmod 700 {folder}"
        raise InputError("a folder that only its owner can open", f"mode {mode:04o}", file=str(folder), hint=hint)
    return folder


def make_private(folder: Path) -> Path:
    """Create a folder, and those above it, for its owner alone; one that exists stays as it is."""
    try:
        for missing in reversed([parent for parent in (folder, *folder.parents) if not parent.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
        if not folder.is_dir():
            raise InputError("a folder", "a file", file=str(folder))
    except OSError as error:
        raise write_error(error, folder, "a folder") from error
    return folder


def inside(folder: Path, path: str) -> Path:
    """Return the file or folder of a stored path.

    Raises:
        InputError: The path leads out of the folder.
    """
    found = folder / path
    if Path(path).is_absolute() or ".." in Path(path).parts or not path:
        raise InputError("a path in the folder of the leaderboard", format_value(path), file=str(folder))
    return found
