"""The cache folder: what it holds, how large it is, and how to clear it.

Each kind of content has one subfolder. Only these are ever deleted, and links are never followed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.runtime.store import cache_folder

DATASETS = "city"
KINDS = {
    "numba": "compiled code; compiled again in a few minutes",
    "distances": "distances of large street graphs",
    "visible": "tables of what is visible from each place",
    "samples": "samples of generated datasets, for statistics",
    "bench": "programs and data of benchmarks",
    DATASETS: "datasets that `bearleft data make` generated; cleared only by name",
}
OTHER, TOTAL = "other", "total"


def cache_rows() -> list[dict[str, Any]]:
    """Return a row for each kind of content: `kind`, `files`, `bytes`, `path`, `content`; the last is the total.

    Files of other programs in the folder are counted as "other"; they are never deleted.
    """
    folder = cache_folder()
    rows = [_row(kind, folder / kind, _sizes(folder / kind), content) for kind, content in KINDS.items()]
    others = [path for path in folder.iterdir() if path.name not in KINDS] if folder.is_dir() else []
    if others:
        sizes = [size for path in others for size in _sizes(path)]
        rows.append(_row(OTHER, folder, sizes, "not written by this version of bearleft; never cleared"))
    total = _row(TOTAL, folder, [], "")
    return [*rows, total | {name: sum(row[name] for row in rows) for name in ("files", "bytes")}]


def _row(kind: str, path: Path, sizes: Sequence[int], content: str) -> dict[str, Any]:
    return {"kind": kind, "files": len(sizes), "bytes": sum(sizes), "path": str(path), "content": content}


def _sizes(path: Path) -> list[int]:
    """Return the sizes of all files below a path; a link counts as itself."""
    if path.is_symlink() or path.is_file():
        return [path.lstat().st_size]
    files = [os.path.join(parent, name) for parent, _, names in os.walk(path) for name in names]
    return [os.lstat(file).st_size for file in files if os.path.lexists(file)]


def clear_cache(kinds: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Delete what the cache folder holds.

    Args:
        kinds: Keys of `KINDS`; by default all but generated datasets.

    Returns:
        The rows of `cache_rows` that were deleted, as they were before.

    Raises:
        InputError: A kind is unknown, or a file cannot be deleted.
    """
    chosen = list(kinds) or [kind for kind in KINDS if kind != DATASETS]
    for kind in chosen:
        if kind not in KINDS:
            raise unknown_name("kind of cached file", kind, KINDS)
    cleared = [row for row in cache_rows() if row["kind"] in chosen and os.path.lexists(row["path"])]
    for row in cleared:
        path = Path(row["path"])
        try:
            if path.is_symlink() or path.is_file():
                path.unlink()
            else:
                shutil.rmtree(path)  # removes links, not what they point to
        except OSError as error:
            got = format_value(error.strerror or str(error))
            raise InputError("a file that can be deleted", got, file=str(error.filename or path)) from error
    return cleared
