"""What is installed, what is missing, and what to type."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

from bearleft.store import cache_folder, data_folder
from bearleft.version import VERSION

CORE = ("numpy", "numba", "gymnasium", "pillow", "opencv-python-headless", "click", "rich", "platformdirs")
DATASETS = ("touchdown", "map2seq", "refer360", "arramon", "r2r")

Row = dict[str, str | bool]


def doctor(data: str | None = None) -> list[Row]:
    """Rows of `part`, `found`, `ok` (False where something has to be done), `hint`."""
    rows = [_row("bearleft", VERSION), _row("python", platform.python_version())]
    rows += [_row("machine", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")]
    rows += [_package(name) for name in CORE]
    rows += [_gpu(), _cache()]
    rows += list(_data(data))
    return rows


def _row(part: str, found: str, ok: bool = True, hint: str = "") -> Row:
    return {"part": part, "found": found, "ok": ok, "hint": hint}


def _package(name: str) -> Row:
    try:
        return _row(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return _row(name, "not installed", False, f"Type: pip install {name}")


def _gpu() -> Row:
    found = shutil.which("nvidia-smi")
    if found:
        return _row("GPU", "nvidia-smi is there")
    return _row("GPU", "none seen", True, "All parts run without one.")


def _cache() -> Row:
    folder = cache_folder()
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not os.access(nearest, os.W_OK):
        return _row("cache", str(folder), False, "Cannot be written; type: export BEARLEFT_CACHE=DIR")
    kept = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0
    return _row("cache", f"{folder} ({kept / 2**20:,.0f} MB)")


def _data(data: str | None) -> Iterator[Row]:
    from bearleft.errors import InputError

    try:
        folder = data_folder(data)
    except InputError as error:
        if data is not None:
            raise
        yield _row("data", error.came, True, f"Real datasets are optional. {error.hint}")
        return
    yield _row("data", str(folder))
    for name in DATASETS:
        if Path(folder, name).is_dir():
            yield _row(f"data/{name}", "there")
        else:
            yield _row(f"data/{name}", "not there", True, "docs/data.md says where to get it.")
