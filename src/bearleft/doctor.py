"""Checks of the installation: what is installed, what is missing, and what to type."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bearleft.runtime.extras import install_command, torch_hint
from bearleft.runtime.store import cache_folder, data_folder
from bearleft.version import VERSION

REQUIRED_PACKAGES = ("numpy", "numba", "gymnasium", "pillow", "opencv-python-headless", "click", "rich", "platformdirs")
NVIDIA_SMI = "nvidia-smi"
BACKBONE_FILE = Path(__file__).parent / "models" / "weights" / "city-backbone.pt"
DATASETS = ("touchdown", "map2seq", "refer360", "arramon", "r2r")

Row = dict[str, str | bool]


def doctor(data: str | None = None) -> list[Row]:
    """Check the installation.

    Args:
        data: The folder of real datasets; BEARLEFT_DATA or the system's data folder by default.

    Returns:
        Rows with `component`, `status`, `ok` (False if something required is missing) and `hint` (what to type).

    Raises:
        InputError: `data` does not exist.
    """
    rows = [_row("bearleft", VERSION), _row("python", platform.python_version())]
    rows += [_row("machine", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")]
    rows += [_check_package(name) for name in REQUIRED_PACKAGES]
    rows += [_check_gpu(), *_check_learning(), *_check_language_models(), _check_cache()]
    rows += list(_check_data(data))
    return rows


def _row(component: str, status: str, ok: bool = True, hint: str = "") -> Row:
    return {"component": component, "status": status, "ok": ok, "hint": hint}


def _version(name: str) -> str:
    """Return the version of a package; an empty string if it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _check_package(name: str) -> Row:
    version = _version(name)
    return _row(name, version) if version else _row(name, "not installed", False, f"Type: pip install {name}")


def _check_gpu() -> Row:
    if shutil.which(NVIDIA_SMI):
        return _row("GPU", f"{NVIDIA_SMI} found")
    return _row("GPU", "none found", True, "Everything runs without one.")


def _check_learning() -> Iterator[Row]:
    """Check what networks need: torch and the weights of the backbone."""
    torch = _version("torch")
    yield _row("torch", torch or "not installed", True, "" if torch else f"To train networks: {torch_hint()}")
    if torch:
        yield _check_cuda()
    yield _check_backbone()
    tensorboard = _version("tensorboard")
    hint = "" if tensorboard else f"Training curves: {install_command('tensorboard')}"
    yield _row("tensorboard", tensorboard or "not installed", True, hint)


def _check_cuda() -> Row:
    """Check whether torch can use a GPU; import torch, which takes seconds, only if there may be one."""
    if not shutil.which(NVIDIA_SMI):
        return _row("CUDA", "no GPU to use it on", True, "Networks train and play on the CPU.")
    import torch

    if torch.cuda.is_available():
        return _row("CUDA", f"{torch.version.cuda}, {torch.cuda.get_device_name()}")
    return _row("CUDA", "torch cannot use the GPU", True, "See pytorch.org for the torch that fits the driver.")


def _check_backbone() -> Row:
    """Check that the included backbone weights have the size that their card states."""
    try:
        card = json.loads(BACKBONE_FILE.with_suffix(".json").read_text())
        if BACKBONE_FILE.stat().st_size == card["bytes"]:
            return _row("backbone", f"city {card['hash'][:8]}, {card['licence']}")
    except (OSError, ValueError, KeyError, TypeError):
        pass
    hint = "Reinstall bearleft, or name a file of torchvision's resnet18: --backbone FILE"
    return _row("backbone", "the weights of city are missing or truncated", False, hint)


def _check_language_models() -> Iterator[Row]:
    """Check what language models need: the package openai, a key and an address; keys are not shown."""
    version = _version("openai")
    hint = "" if version else f"Language models as agents: {install_command('llm')}"
    yield _row("openai", version or "not installed", True, hint)
    url = os.environ.get("OPENAI_BASE_URL", "")
    if os.environ.get("OPENAI_API_KEY"):
        yield _row("OPENAI_API_KEY", "set")
    else:
        hint = "For bearleft eval llm:MODEL: export OPENAI_API_KEY=..., or --base-url URL of a server without one."
        yield _row("OPENAI_API_KEY", "not set", True, hint)
    yield _row("OPENAI_BASE_URL", "set" if url else "not set", True, "" if url else "OpenAI's own; --base-url URL.")


def _check_cache() -> Row:
    folder = cache_folder()
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError:
        return _row("cache", str(folder), False, "Cannot be written; type: export BEARLEFT_CACHE=DIR")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0
    return _row("cache", f"{folder} ({size / 2**20:,.0f} MB)", True, "bearleft cache lists and clears it.")


def _check_data(data: str | None) -> Iterator[Row]:
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
            yield _row(f"data/{name}", "found")
        else:
            yield _row(f"data/{name}", "not found", True, "docs/data.md says where to get it.")
