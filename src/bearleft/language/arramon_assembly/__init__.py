"""Placement texts for ArraMon: writing where an item is placed so that one cell matches, and parsing it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.arramon_assembly.parse import find_cell as find_cell
    from bearleft.language.arramon_assembly.parse import parse_meaning as parse_meaning
    from bearleft.language.arramon_assembly.semantics import Meaning as Meaning
    from bearleft.language.arramon_assembly.semantics import matching_cells as matching_cells
    from bearleft.language.arramon_assembly.write import write_placement as write_placement

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Meaning": "bearleft.language.arramon_assembly.semantics",
    "find_cell": "bearleft.language.arramon_assembly.parse",
    "matching_cells": "bearleft.language.arramon_assembly.semantics",
    "parse_meaning": "bearleft.language.arramon_assembly.parse",
    "write_placement": "bearleft.language.arramon_assembly.write",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
