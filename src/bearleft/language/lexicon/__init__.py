"""Lexicon: words for objects, parts, colours and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.lexicon.lexicon import colour_words as colour_words
    from bearleft.language.lexicon.lexicon import denotation as denotation
    from bearleft.language.lexicon.lexicon import names_of as names_of
    from bearleft.language.lexicon.lexicon import number_word as number_word
    from bearleft.language.lexicon.lexicon import ordinal_word as ordinal_word
    from bearleft.language.lexicon.lexicon import part_names as part_names
    from bearleft.language.lexicon.names import Name as Name
    from bearleft.language.lexicon.object_colours import main_colour as main_colour
    from bearleft.language.lexicon.object_colours import main_colours as main_colours

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Name": "bearleft.language.lexicon.names",
    "colour_words": "bearleft.language.lexicon.lexicon",
    "denotation": "bearleft.language.lexicon.lexicon",
    "main_colour": "bearleft.language.lexicon.object_colours",
    "main_colours": "bearleft.language.lexicon.object_colours",
    "names_of": "bearleft.language.lexicon.lexicon",
    "number_word": "bearleft.language.lexicon.lexicon",
    "ordinal_word": "bearleft.language.lexicon.lexicon",
    "part_names": "bearleft.language.lexicon.lexicon",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
