"""Type aliases shared by all packages."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

DataFolder: TypeAlias = str | os.PathLike[str] | None  # the folder of real datasets; None: BEARLEFT_DATA
Progress: TypeAlias = Callable[[str, int, int], None]  # called with a label, the units done, and the total
Observation: TypeAlias = dict[str, Any]  # plain values that JSON has, and pictures
