"""Optional dependencies: the extras of pyproject.toml."""

from __future__ import annotations

from importlib.util import find_spec

from bearleft.errors import InputError


def install_command(extra: str) -> str:
    """Return the command that installs an extra, run in the source folder: bearleft is on no package index."""
    return f"pip install -e '.[{extra}]' in bearleft's own folder"


def require_torch() -> None:
    """Raise InputError with the command to type if torch is not installed."""
    if find_spec("torch") is None:
        raise InputError("torch", "none in this installation", hint=f"Type: {install_command('learn')}")
