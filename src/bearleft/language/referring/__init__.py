"""Sequences of referring sentences as in Refer360: writing them, and following them to a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

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

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
