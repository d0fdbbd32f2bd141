"""ArraMon's room put into English: where a thing is placed, said so that one cell fits, and read back."""

from bearleft.data.wording.assembling.meaning import Meaning, cells
from bearleft.data.wording.assembling.read import meaning, read
from bearleft.data.wording.assembling.write import write

__all__ = ["Meaning", "cells", "meaning", "read", "write"]
