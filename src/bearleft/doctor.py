"""What is installed, what is missing, and what to type."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

from bearleft.runtime.extras import typed
from bearleft.runtime.store import cache_folder, data_folder
from bearleft.version import VERSION

CORE = ("numpy", "numba", "gymnasium", "pillow", "opencv-python-headless", "click", "rich", "platformdirs")
SMI = "nvidia-smi"
BACKBONE = Path(__file__).parent / "models" / "weights" / "city-backbone.pt"
DATASETS = ("touchdown", "map2seq", "refer360", "arramon", "r2r")

Row = dict[str, str | bool]


def doctor(data: str | None = None) -> list[Row]:
    """Rows of `part`, `found`, `ok` (False where something has to be done), `hint`."""
    rows = [_row("bearleft", VERSION), _row("python", platform.python_version())]
    rows += [_row("machine", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")]
    rows += [_package(name) for name in CORE]
    rows += [_gpu(), *_learning(), _cache()]
    rows += list(_data(data))
    return rows


def _row(part: str, found: str, ok: bool = True, hint: str = "") -> Row:
    return {"part": part, "found": found, "ok": ok, "hint": hint}


def _version(name: str) -> str:
    """Of a package; nothing where it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _package(name: str) -> Row:
    version = _version(name)
    return _row(name, version) if version else _row(name, "not installed", False, f"Type: pip install {name}")


def _gpu() -> Row:
    if shutil.which(SMI):
        return _row("GPU", f"{SMI} is there")
    return _row("GPU", "none seen", True, "All parts run without one.")


def _learning() -> Iterator[Row]:
    """What networks need: torch, and a backbone's weights."""
    torch = _version("torch")
    yield _row("torch", torch or "not installed", True, "" if torch else f"To train networks: {typed('learn')}")
    if torch:
        yield _cuda()
    yield _backbone()
    board = _version("tensorboard")
    hint = "" if board else f"Training curves: {typed('tensorboard')}"
    yield _row("tensorboard", board or "not installed", True, hint)


def _cuda() -> Row:
    """Whether torch can use a GPU; it is asked only where there may be one, since to import it takes seconds."""
    if not shutil.which(SMI):
        return _row("CUDA", "no GPU to use it on", True, "Networks train and play on the CPU.")
    import torch

    if torch.cuda.is_available():
        return _row("CUDA", f"{torch.version.cuda}, {torch.cuda.get_device_name()}")
    return _row("CUDA", "torch cannot use the GPU", True, "Its page pytorch.org says which torch fits the driver.")


def _backbone() -> Row:
    """The weights that come along and read pictures, and whether they are as long as their card says."""
    try:
        card = json.loads(BACKBONE.with_suffix(".json").read_text())
        if BACKBONE.stat().st_size == card["bytes"]:
            return _row("backbone", f"city {card['hash'][:8]}, {card['licence']}")
    except (OSError, ValueError, KeyError, TypeError):
        pass
    hint = "Install bearleft anew, or name a file of torchvision's resnet18: --backbone FILE"
    return _row("backbone", "city's weights are missing or cut off", False, hint)


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
        yield _row("data", error.got, True, f"Real datasets are optional. {error.hint}")
        return
    yield _row("data", str(folder))
    for name in DATASETS:
        if Path(folder, name).is_dir():
            yield _row(f"data/{name}", "there")
        else:
            yield _row(f"data/{name}", "not there", True, "docs/data.md says where to get it.")
