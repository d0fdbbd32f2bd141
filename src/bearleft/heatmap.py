"""A heat map: how likely an agent found every direction, as a small picture of the whole sphere."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bearleft.errors import InputError, shown
from bearleft.runtime.json_fields import Fields, Json, whole

if TYPE_CHECKING:  # numpy is loaded when a map is made, not when one is read
    import numpy as np
    import numpy.typing as npt

WIDEST, HIGHEST = 256, 128


@dataclass(frozen=True, slots=True)
class Heat:
    """One number from 0 to 255 for each direction, rows from the top.

    The picture is equirectangular and shows the whole sphere; the leg's `yaw` is in its middle column and the horizon
    in its middle row.
    """

    width: int
    height: int
    values: bytes

    def __post_init__(self) -> None:
        whole(self.width, "width", 1, WIDEST)
        whole(self.height, "height", 1, HIGHEST)
        values: object = self.values  # an agent's own, whatever its type
        if not isinstance(values, bytes) or len(values) != self.width * self.height:
            got = f"{len(values):,}" if isinstance(values, bytes) else shown(values)
            raise InputError(f"{self.width} x {self.height} = {self.width * self.height:,} bytes", got, "values")

    @classmethod
    def of(cls, numbers: npt.ArrayLike) -> Heat:
        """Rows of numbers that are not negative, scaled so that the largest becomes 255."""
        import numpy as np

        try:
            array = np.asarray(numbers, float)
        except (TypeError, ValueError) as error:
            raise InputError("rows of numbers", shown(str(error)), "heat") from None
        if array.ndim != 2 or not array.size or array.shape[0] > HIGHEST or array.shape[1] > WIDEST:
            expected = f"at most {HIGHEST} rows of at most {WIDEST} numbers"
            raise InputError(expected, f"an array of shape {array.shape}", "heat")
        if not np.isfinite(array).all() or array.min() < 0:
            odd = array[~(np.isfinite(array) & (array >= 0))][0]
            raise InputError("finite numbers that are not negative", shown(float(odd)), "heat")
        scaled = array / (array.max() or 1.0)
        return cls(array.shape[1], array.shape[0], np.rint(255 * scaled).astype(np.uint8).tobytes())

    def to_json(self) -> Json:
        return {"width": self.width, "height": self.height, "values": base64.b64encode(self.values).decode()}

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Heat:
        row = Fields(value, field)
        width, height = row.whole("width", 1, WIDEST), row.whole("height", 1, HIGHEST)
        try:
            values = base64.b64decode(row.text("values"), validate=True)
        except (binascii.Error, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("bytes in base64", shown(row["values"]), row.name("values")) from None
        try:
            return cls(width, height, values)
        except InputError as error:
            raise error.at(field=field) from None


def smooth(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A map blurred a little: each number shared with the cells around it, round the back but not over the poles."""
    import numpy as np

    across = (np.roll(numbers, 1, axis=1) + 2 * numbers + np.roll(numbers, -1, axis=1)) / 4
    padded = np.pad(across, ((1, 1), (0, 0)), mode="edge")
    blurred: npt.NDArray[np.float64] = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    return blurred
