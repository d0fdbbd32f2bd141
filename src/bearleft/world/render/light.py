"""Time of day and weather as numbers that kernels read."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import is_number

Triple = tuple[float, float, float]
NOON_ELEVATION = 62.0  # degrees of the sun above the horizon at noon
# In rooms light falls from the ceiling, slightly from one side; nothing above the lid casts shadows.
CEILING_LIGHT: Triple = (0.21, -0.31, 0.927)
SHADOW_LID, NO_LID = 2.2, 1e9


@dataclass(frozen=True)
class Light:
    """`hour` of the day (sunrise at 6, sunset at 18, the sun in the south at noon), `fog` and `clouds` from 0 to 1."""

    hour: float = 14.0
    fog: float = 0.1
    clouds: float = 0.35

    def __post_init__(self) -> None:
        for name, value, upper in (("hour", self.hour, 24.0), ("fog", self.fog, 1.0), ("clouds", self.clouds, 1.0)):
            if not is_number(value) or not 0.0 <= value <= upper:
                raise InputError(f"{name} from 0 to {upper:g}", format_value(value), name)

    @property
    def elevation(self) -> float:
        """Return the degrees of the sun above the horizon; negative at night."""
        return NOON_ELEVATION * math.sin(math.pi * (self.hour - 6.0) / 12.0)

    @property
    def night(self) -> float:
        """Return 0 by day, 1 by night, and values between at dusk and dawn."""
        return min(max(-self.elevation / 12.0 + 0.25, 0.0), 1.0)

    @property
    def sun(self) -> Triple:
        """Return the direction to the sun (east, north, up), at least 8 degrees high; at night, to the moon."""
        up = math.radians(max(self.elevation, 8.0) if self.elevation > -4.0 else 50.0)
        heading = math.radians(180.0 + 15.0 * (self.hour - 12.0)) if self.elevation > -4.0 else math.radians(140.0)
        return math.cos(up) * math.sin(heading), math.cos(up) * math.cos(heading), math.sin(up)

    def towards(self, indoors: bool) -> Triple:
        """Return the direction of the main light: the sun, in rooms the ceiling."""
        return CEILING_LIGHT if indoors else self.sun

    def numbers(self, indoors: bool = False) -> npt.NDArray[np.float32]:
        """Return the numbers of this light that kernels read.

        Sun (3), its colour (3), light from above (3), below (3), horizon (3), zenith (3), fog, night, clouds, lid.
        Rooms are lit alike at every hour, without fog.
        """
        if indoors:
            lamps, above, below = (0.62, 0.58, 0.5), (0.58, 0.57, 0.55), (0.58, 0.55, 0.51)
            horizon, zenith, rest = (0.6, 0.68, 0.76), (0.1, 0.26, 0.62), (0.0, 0.0, self.clouds, SHADOW_LID)
            return np.array([*CEILING_LIGHT, *lamps, *above, *below, *horizon, *zenith, *rest], np.float32)
        day = 1.0 - self.night
        low = min(max(self.elevation, 0.0) / 25.0, 1.0)  # 0 when the sun is at the horizon
        strength = day * (0.25 + 0.75 * low) * (1.0 - 0.45 * self.clouds) + 0.035 * self.night
        glow = _blend((1.0, 0.55, 0.28), (1.0, 0.94, 0.82), low)
        sun = tuple(1.9 * strength * c for c in _blend(glow, (0.6, 0.7, 1.0), self.night))
        above = _blend((0.37, 0.42, 0.52), (0.02, 0.025, 0.045), self.night)
        below = _blend((0.25, 0.23, 0.21), (0.02, 0.017, 0.013), self.night)
        horizon = _blend(_blend((0.85, 0.5, 0.3), (0.6, 0.68, 0.76), low), (0.03, 0.032, 0.05), self.night)
        zenith = _blend(_blend((0.2, 0.24, 0.42), (0.1, 0.26, 0.62), low), (0.004, 0.006, 0.016), self.night)
        fog = 0.0004 + 0.02 * self.fog * self.fog + 0.0006 * self.fog
        rest = (fog, self.night, self.clouds, NO_LID)
        return np.array([*self.sun, *sun, *above, *below, *horizon, *zenith, *rest], np.float32)


def _blend(first: Triple, second: Triple, share: float) -> Triple:
    a, b, c = (x + (y - x) * share for x, y in zip(first, second, strict=True))
    return a, b, c
