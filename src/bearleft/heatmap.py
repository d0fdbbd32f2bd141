"""A heat map: the probability an agent assigns to every direction, as a small equirectangular image."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Fields, Json, integer

if TYPE_CHECKING:  # numpy is imported when a heat map is computed, not when one is read
    import numpy.typing as npt

    from bearleft.types import Floats

MAX_WIDTH, MAX_HEIGHT = 256, 128


@dataclass(frozen=True, slots=True)
class Heatmap:
    """One value from 0 to 255 for each direction.

    The image is equirectangular and covers the whole sphere; the leg's `yaw` is in its middle column and the horizon in
    its middle row.

    Attributes:
        width: Columns, up to MAX_WIDTH.
        height: Rows, up to MAX_HEIGHT.
        values: One byte for each pixel, row by row from the top.
    """

    width: int
    height: int
    values: bytes

    def __post_init__(self) -> None:
        integer(self.width, "width", 1, MAX_WIDTH)
        integer(self.height, "height", 1, MAX_HEIGHT)
        values: object = self.values  # agents may pass any type
        if not isinstance(values, bytes) or len(values) != self.width * self.height:
            got = f"{len(values):,}" if isinstance(values, bytes) else format_value(values)
            raise InputError(f"{self.width} x {self.height} = {self.width * self.height:,} bytes", got, "values")

    @classmethod
    def from_array(cls, array: npt.ArrayLike) -> Heatmap:
        """Return a heat map of an array.

        Args:
            array: Non-negative numbers (rows, columns); they are scaled so that the largest becomes 255.

        Raises:
            InputError: The array has another shape, is too large, or holds negative or infinite numbers.
        """
        import numpy as np

        try:
            array = np.asarray(array, float)
        except (TypeError, ValueError) as error:
            raise InputError("rows of numbers", format_value(str(error)), "heat") from None
        if array.ndim != 2 or not array.size or array.shape[0] > MAX_HEIGHT or array.shape[1] > MAX_WIDTH:
            expected = f"at most {MAX_HEIGHT} rows of at most {MAX_WIDTH} numbers"
            raise InputError(expected, f"an array of shape {array.shape}", "heat")
        if not np.isfinite(array).all() or array.min() < 0:
            invalid = array[~(np.isfinite(array) & (array >= 0))][0]
            raise InputError("finite numbers that are not negative", format_value(float(invalid)), "heat")
        scaled = array / (array.max() or 1.0)
        return cls(array.shape[1], array.shape[0], np.rint(255 * scaled).astype(np.uint8).tobytes())

    def to_json(self) -> Json:
        """Return the JSON object, with the values in base64."""
        return {"width": self.width, "height": self.height, "values": base64.b64encode(self.values).decode()}

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Heatmap:
        """Return the heat map of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        width, height = row.integer("width", 1, MAX_WIDTH), row.integer("height", 1, MAX_HEIGHT)
        try:
            values = base64.b64decode(row.text("values"), validate=True)
        except (binascii.Error, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("bytes in base64", format_value(row["values"]), row.name("values")) from None
        try:
            return cls(width, height, values)
        except InputError as error:
            raise error.at(field=field) from None


def smooth(array: Floats) -> Floats:
    """Return an array blurred by a 3 x 3 binomial kernel that wraps around horizontally and repeats the edge rows."""
    import numpy as np

    horizontal = (np.roll(array, 1, axis=1) + 2 * array + np.roll(array, -1, axis=1)) / 4
    padded = np.pad(horizontal, ((1, 1), (0, 0)), mode="edge")
    blurred: Floats = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    return blurred
