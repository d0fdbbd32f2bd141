"""Type aliases that every package shares."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

DataFolder: TypeAlias = str | os.PathLike[str] | None  # where datasets lie; None: the environment's BEARLEFT_DATA
Progress: TypeAlias = Callable[[str, int, int], None]  # called with a label, the work done, and all of it
Observation: TypeAlias = dict[str, Any]  # plain values, so that it can cross a pipe as JSON
