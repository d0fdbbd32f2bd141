"""What bearleft can use and does not bring along: the extras of pyproject.toml."""

from __future__ import annotations

from importlib.util import find_spec

from bearleft.errors import InputError


def typed(extra: str) -> str:
    """What brings an extra; it is typed where bearleft's source lies, since no index of packages has bearleft."""
    return f"pip install -e '.[{extra}]' in bearleft's own folder"


def needs_torch() -> None:
    """An error that says what to type where torch is not installed."""
    if find_spec("torch") is None:
        raise InputError("torch", "none in this installation", hint=f"Type: {typed('learn')}")
