"""Texts on ArraMon's room: writing where an item is placed so that one cell matches, and reading it back."""

from bearleft.language.arramon_assembly.parse import find_cell, parse_meaning
from bearleft.language.arramon_assembly.semantics import Meaning, matching_cells
from bearleft.language.arramon_assembly.write import write

__all__ = ["Meaning", "find_cell", "matching_cells", "parse_meaning", "write"]
