"""Optional dependencies: the extras of pyproject.toml."""

from __future__ import annotations

from importlib.util import find_spec

from bearleft.errors import InputError

CPU_TORCH = "pip install torch --index-url https://download.pytorch.org/whl/cpu"


def install_command(extra: str) -> str:
    """Return the command that installs an extra, run in the source folder: bearleft is on no package index."""
    return f"pip install -e '.[{extra}]' in bearleft's own folder"


def torch_hint() -> str:
    """Return what to type to install torch, with the build for machines without a GPU, which is much smaller."""
    return f"{install_command('learn')}. Without a GPU, first: {CPU_TORCH}"


def require_torch() -> None:
    """Raise InputError with the command to type if torch is not installed."""
    if find_spec("torch") is None:
        raise InputError("torch", "none in this installation", hint=f"Type: {torch_hint()}")
