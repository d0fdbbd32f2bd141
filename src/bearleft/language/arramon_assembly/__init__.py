"""ArraMon's room put into English: where a thing is placed, said so that one cell fits, and read back."""

from bearleft.language.arramon_assembly.parse import meaning, read
from bearleft.language.arramon_assembly.semantics import Meaning, cells
from bearleft.language.arramon_assembly.write import write

__all__ = ["Meaning", "cells", "meaning", "read", "write"]
