"""Sequences of referring sentences as in Refer360: writing them, and following them to a direction."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bearleft.language.referring.parse import follow_sentences as follow_sentences
    from bearleft.language.referring.write import Sentence as Sentence
    from bearleft.language.referring.write import write_sequence as write_sequence

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Sentence": "bearleft.language.referring.write",
    "follow_sentences": "bearleft.language.referring.parse",
    "write_sequence": "bearleft.language.referring.write",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
