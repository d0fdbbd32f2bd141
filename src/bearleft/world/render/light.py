"""Time of day and weather as numbers that kernels read."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.runtime.json_fields import is_number

Triple = tuple[float, float, float]
HIGHEST = 62.0  # degrees that the sun stands above the horizon at noon
# In rooms light falls from the ceiling, a little from one side; what is above the lid throws no shadow.
CEILING: Triple = (0.21, -0.31, 0.927)
LID, OPEN = 2.2, 1e9


@dataclass(frozen=True)
class Light:
    """`hour` of the day (sunrise at 6, sunset at 18, the sun in the south at noon), `fog` and `clouds` from 0 to 1."""

    hour: float = 14.0
    fog: float = 0.1
    clouds: float = 0.35

    def __post_init__(self) -> None:
        for name, value, most in (("hour", self.hour, 24.0), ("fog", self.fog, 1.0), ("clouds", self.clouds, 1.0)):
            if not is_number(value) or not 0.0 <= value <= most:
                raise InputError(f"{name} from 0 to {most:g}", shown(value), name)

    @property
    def elevation(self) -> float:
        """Degrees of the sun above the horizon; negative at night."""
        return HIGHEST * math.sin(math.pi * (self.hour - 6.0) / 12.0)

    @property
    def night(self) -> float:
        """0 by day, 1 by night, between them at dusk and dawn."""
        return min(max(-self.elevation / 12.0 + 0.25, 0.0), 1.0)

    @property
    def sun(self) -> Triple:
        """The direction to the sun (east, north, up), never below 8 degrees: the moon stands in for it at night."""
        up = math.radians(max(self.elevation, 8.0) if self.elevation > -4.0 else 50.0)
        heading = math.radians(180.0 + 15.0 * (self.hour - 12.0)) if self.elevation > -4.0 else math.radians(140.0)
        return math.cos(up) * math.sin(heading), math.cos(up) * math.cos(heading), math.sin(up)

    def towards(self, indoors: bool) -> Triple:
        """The direction that most light comes from: from the sun, in rooms from the ceiling."""
        return CEILING if indoors else self.sun

    def numbers(self, indoors: bool = False) -> npt.NDArray[np.float32]:
        """Sun (3), its colour (3), light from above (3), below (3), horizon (3), zenith (3), fog, night, clouds, lid.

        Rooms are lit alike at every hour, and no fog is in them.
        """
        if indoors:
            lamps, above, below = (0.62, 0.58, 0.5), (0.58, 0.57, 0.55), (0.58, 0.55, 0.51)
            horizon, zenith, rest = (0.6, 0.68, 0.76), (0.1, 0.26, 0.62), (0.0, 0.0, self.clouds, LID)
            return np.array([*CEILING, *lamps, *above, *below, *horizon, *zenith, *rest], np.float32)
        day = 1.0 - self.night
        low = min(max(self.elevation, 0.0) / 25.0, 1.0)  # 0 when the sun is at the horizon
        strength = day * (0.25 + 0.75 * low) * (1.0 - 0.45 * self.clouds) + 0.035 * self.night
        glow = _between((1.0, 0.55, 0.28), (1.0, 0.94, 0.82), low)
        sun = tuple(1.9 * strength * c for c in _between(glow, (0.6, 0.7, 1.0), self.night))
        above = _between((0.37, 0.42, 0.52), (0.02, 0.025, 0.045), self.night)
        below = _between((0.25, 0.23, 0.21), (0.02, 0.017, 0.013), self.night)
        horizon = _between(_between((0.85, 0.5, 0.3), (0.6, 0.68, 0.76), low), (0.03, 0.032, 0.05), self.night)
        zenith = _between(_between((0.2, 0.24, 0.42), (0.1, 0.26, 0.62), low), (0.004, 0.006, 0.016), self.night)
        fog = 0.0004 + 0.02 * self.fog * self.fog + 0.0006 * self.fog
        rest = (fog, self.night, self.clouds, OPEN)
        return np.array([*self.sun, *sun, *above, *below, *horizon, *zenith, *rest], np.float32)


def _between(one: Triple, other: Triple, share: float) -> Triple:
    a, b, c = (x + (y - x) * share for x, y in zip(one, other, strict=True))
    return a, b, c
