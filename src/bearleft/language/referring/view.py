"""Where things are in a view: boxes of degrees, what lies on which side of what, and points measured in Waldos.

Writer and reader of Refer360-like sequences share these meanings. All is told as it looks from a place: "above" is
higher in the view and "to the right" clockwise. Waldo is 11 degrees high and 8 wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats, turn, vector
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.visibility.rays import Met, cast

Flags = npt.NDArray[np.bool_]
Relation = Literal["left", "right", "above", "below", "near", "behind", "before", "across", "around"]
Side = Literal["left", "right", "above", "below"]

HEIGHT, WIDTH = 11.0, 8.0  # Waldo, in degrees
SLIGHT, PLAIN = 3.5, 6.0  # degrees that "just above" and "above" leave between
SMALLEST = 1.5e-4  # of the sphere: what is smaller goes unnoticed
# What something may be told by: so much of the sphere, so many degrees high and wide, and no more of it hidden.
TELLING, SLIM, SLIM_INDOORS, COVERED = 4e-4, 1.0, 3.0, 0.6
STEP = 0.5  # degrees between the rays of a line
INVERSE: dict[Relation, Relation] = {
    "left": "right",
    "right": "left",
    "above": "below",
    "below": "above",
    "near": "near",
    "behind": "before",
    "before": "behind",
    "across": "across",
    "around": "around",
}
SURFACES: dict[str, tuple[int, ...]] = {
    "sky": (Ground.SKY,),
    "crosswalk": (Ground.CROSSWALK,),
    "road": (Ground.ROAD, Ground.MARKING, Ground.CROSSWALK),
    "sidewalk": (Ground.SIDEWALK, Ground.KERB),
    "grass": (Ground.GRASS,),
    "plaza": (Ground.PLAZA, Ground.YARD),
    "wall": (CLASS_BASE + class_index("building"), Ground.WINDOW, CLASS_BASE + class_index("wall")),
    "floor": (CLASS_BASE + class_index("floor"),),
    "ceiling": (CLASS_BASE + class_index("ceiling"),),
}
# Where two surfaces meet.
SEAMS: dict[str, tuple[str, str]] = {"top of the wall": ("wall", "ceiling"), "foot of the wall": ("wall", "floor")}
# What is fixed to a wall or a ceiling, or is one: it stands in front of nothing, and nothing behind it.
FIXED = np.array(
    [
        one.name in ("building", "room door", "room window", "curtain", "painting", "mirror", "wall clock", "poster",
                     "wall shelf", "light switch", "electrical outlet", "exit sign", "chalkboard", "whiteboard",
                     "security camera", "air vent", "wall lamp", "ceiling lamp", "chandelier", "ceiling fan",
                     "pendant lamp", "hanging plant", "spotlight", "radiator", "fire extinguisher", "fireplace",
                     "rug", "loudspeaker", "fitting room")
        for one in CLASSES
    ]
)  # fmt: skip
_PARTS = 0.1, 0.5, 0.9  # of a box, where its left, middle and right (or bottom, middle, top) are


@dataclass(frozen=True, slots=True)
class Spot:
    """Something one looks at: its middle and its box in degrees; `instance` 0 for what is no thing."""

    heading: float
    pitch: float
    left: float
    width: float
    bottom: float
    top: float
    away: float = 0.0  # metres
    instance: int = 0

    @staticmethod
    def of(sight: VisibleObjects, row: int) -> Spot:
        """A thing of a sight."""
        return Spot(
            float(sight.heading[row]),
            float(sight.pitch[row]),
            float(sight.left[row]),
            float(sight.width[row]),
            float(sight.bottom[row]),
            float(sight.top[row]),
            float(sight.median[row]),
            int(sight.instance[row]),
        )

    @staticmethod
    def at(direction: Direction, away: float = 0.0) -> Spot:
        """A mere direction."""
        h, p = direction.heading, direction.pitch
        return Spot(h, p, h, 0.0, p, p, away)

    @property
    def direction(self) -> Direction:
        """Its middle."""
        return looking(self.heading, self.pitch)

    def part(self, across: int, up: int) -> Spot:
        """One of its nine parts: -1, 0, 1 for left, middle, right and for bottom, middle, top; (0, 0) is its middle."""
        heading = self.left + self.width * _PARTS[across + 1] if across else self.heading
        pitch = self.bottom + (self.top - self.bottom) * _PARTS[up + 1] if up else self.pitch
        return Spot(heading % 360.0, pitch, heading % 360.0, 0.0, pitch, pitch, self.away, self.instance)


def looking(heading: float, pitch: float) -> Direction:
    """A direction, its pitch kept within what there is."""
    return Direction(heading % 360.0, min(max(pitch, -90.0), 90.0))


def beyond(spot: Spot, side: Side, degrees: float, part: tuple[int, int] = (0, 0)) -> tuple[float, float]:
    """Heading and pitch so far from the edge of a box, on a side of it; `part` says by which part of that edge."""
    middle = spot.part(*part)
    heading, pitch = middle.heading, middle.pitch
    if side == "above":
        pitch = spot.top + degrees
    elif side == "below":
        pitch = spot.bottom - degrees
    else:
        wide = degrees / max(math.cos(math.radians(pitch)), 0.3)
        heading = spot.left - wide if side == "left" else spot.left + spot.width + wide
    return heading % 360.0, pitch


def between(one: Spot, other: Spot, share: float = 0.5) -> tuple[float, float]:
    """Heading and pitch of the point on the way from one to the other."""
    heading = one.heading + turned(one.heading, other.heading) * share
    return heading % 360.0, one.pitch + (other.pitch - one.pitch) * share


def turned(start: float, end: float) -> float:
    """The turn from one heading to another, for plain numbers."""
    return (end - start + 180.0) % 360.0 - 180.0


def away(spot: tuple[float, float], direction: Direction) -> float:
    """Degrees between a heading and pitch and a direction, for plain numbers."""
    a, b = math.radians(spot[1]), math.radians(direction.pitch)
    across = math.radians(spot[0] - direction.heading)
    h = math.sin((a - b) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(across / 2) ** 2
    return math.degrees(2 * math.asin(min(math.sqrt(h), 1.0)))


def apart(sight: VisibleObjects, spot: Spot) -> tuple[Floats, Floats, Floats]:
    """Of each thing: the turn from the spot to it, and the degrees between the boxes across and upwards."""
    way = turn(spot.heading, sight.heading)
    middle = (spot.left + spot.width / 2) % 360.0
    off = np.abs(turn(middle, sight.left + sight.width / 2))
    level = np.cos(np.radians((sight.pitch + spot.pitch) / 2))
    across = np.maximum(off - (sight.width + spot.width) / 2, 0.0) * level
    upwards = np.maximum(np.maximum(sight.bottom - spot.top, spot.bottom - sight.top), 0.0)
    return way, np.asarray(across, float), np.asarray(upwards, float)


def cost(sight: VisibleObjects, relation: Relation, spot: Spot, yaw: float = 0.0) -> Floats:
    """How badly each thing suits "to the right of it", "behind it" ...: degrees, infinite where it does not.

    `yaw` is the way along the street, over which "across" is mirrored.
    """
    swing, across, upwards = apart(sight, spot)
    if relation in ("left", "right"):
        way = swing if relation == "right" else -swing
        edge = np.maximum(spot.width, sight.width) * 0.3
        suits = (way > np.maximum(edge, 1.0)) & (way < 130.0)
        found = 0.6 * across + 0.4 * way + 1.5 * upwards
    elif relation in ("above", "below"):
        # It begins where the other ends, or nearly so: a can beside a door is not below it, nor is a screen above a
        # bench that hides its foot or that stands aside.
        clear = -0.1 * (spot.top - spot.bottom)
        farther = sight.bottom - spot.top if relation == "above" else spot.bottom - sight.top
        aside = np.maximum(spot.width, sight.width) / 2 + 2.0
        suits = (across < 2.0) & (farther > clear - 0.5) & (np.abs(swing) < np.minimum(aside, 40.0))
        found = upwards + 2.0 * across + 0.3 * np.abs(swing)
    elif relation in ("behind", "before"):
        farther = sight.median - spot.away if relation == "behind" else spot.away - sight.median
        suits = (across < 1.0) & (farther > min(1.0, 0.15 * spot.away)) & (upwards < 12.0)
        if relation == "before":
            suits &= ~FIXED[sight.kind]
        found = upwards + 0.3 * np.abs(swing) + 3.0 * across + 0.2 * farther
    elif relation == "near":
        suits = across < 40.0
        found = np.hypot(across, upwards) + 0.1 * np.abs(swing)
    else:
        opposite = 2 * yaw - spot.heading if relation == "across" else spot.heading + 180.0
        found = np.abs(turn(opposite, sight.heading))
        suits = found < 50.0
    return np.where(suits & (sight.instance != spot.instance), found, np.inf)


def noticed(sight: VisibleObjects) -> Floats:
    """How badly each thing catches the eye: 0 for what is large and open to view."""
    small = np.maximum(np.log2(8e-4 / np.maximum(sight.share, 1e-9)), 0.0)
    return np.asarray(1.5 * small + 4.0 * np.nan_to_num(sight.hidden) ** 2, float)


def telling(sight: VisibleObjects, indoors: bool) -> Flags:
    """What is large and open enough to tell something by."""
    slim = SLIM_INDOORS if indoors else SLIM
    high = sight.top - sight.bottom
    wide = sight.width * np.cos(np.radians(sight.pitch))
    found = (sight.share >= TELLING) & (sight.hidden < COVERED) & (high >= slim) & (wide >= slim)
    return np.asarray(found, bool)


def salience(sight: VisibleObjects) -> Floats:
    """What one finds last, looking around: the smallest; a step for each halving."""
    return np.asarray(3.0 * np.log2(1.0 / np.maximum(sight.share, 1e-9)), float)


def nth(sight: VisibleObjects, fits: Flags, side: Relation, spot: Spot, number: int) -> int:
    """The row of the second, third ... thing on a side, -1 for none; -1 as a number is the last."""
    way = turn(spot.heading, sight.heading) * (1 if side == "right" else -1)
    rows = np.flatnonzero(fits & (way > 1.0) & (way < 150.0) & (sight.instance != spot.instance))
    rows = rows[np.argsort(way[rows], kind="stable")]
    k = number - 1 if number > 0 else len(rows) - 1
    return int(rows[k]) if 0 <= k < len(rows) else -1


def best(costs: Sequence[Floats], fits: Flags) -> tuple[int, float]:
    """The row that suits best by all costs, and how much worse the next is; -1 where none suits."""
    total = np.where(fits, np.sum(costs, axis=0), np.inf)
    order = np.argsort(total, kind="stable")[:2]
    if not len(order) or not np.isfinite(total[order[0]]):
        return -1, 0.0
    return int(order[0]), float(total[order[1]] - total[order[0]]) if len(order) > 1 else math.inf


@dataclass(frozen=True, eq=False)
class Line:
    """What is met upwards or downwards from a spot: runs of one class, thing and part, pitches from `low` to `high`."""

    kind: npt.NDArray[np.uint8]
    low: Floats
    high: Floats

    def windows(self) -> list[int]:
        """The runs that are windows, each of its own."""
        return [int(k) for k in np.flatnonzero(self.kind == Ground.WINDOW)]


def line(scene: SceneIndex, place: int, heading: float, pitch: float, up: bool, end: float = 75.0) -> Line:
    """The runs along a heading from a pitch up to `end`, or down to -`end`."""
    count = max(int(abs((end if up else -end) - pitch) / STEP), 1)
    pitches = pitch + (STEP if up else -STEP) * (np.arange(count) + 0.5)
    met = meet(scene, place, np.full(count, heading), pitches)
    names = np.stack([met.instance, met.part, met.kind.astype(np.int32)])
    first = np.flatnonzero(np.concatenate([[True], (np.diff(names) != 0).any(0)]))
    ends = np.stack([pitches[first], pitches[np.concatenate([first[1:], [count]]) - 1]])
    return Line(met.kind[first], ends.min(0), ends.max(0))


def meet(scene: SceneIndex, place: int, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> Met:
    """What some directions from a place meet."""
    ways = vector(heading, pitch)
    eye = scene.city.poses([place])[0, :3].astype(float)
    return cast(scene.city.scene, np.tile(eye, (len(ways), 1)), ways)


def onto(scene: SceneIndex, place: int, point: Direction, surface: str, reach: float = 9.0) -> Direction:
    """The point moved up or down onto a surface or a seam, where there is one within reach."""
    pitches = np.clip(point.pitch + np.arange(-reach, reach + STEP, STEP), -89.0, 89.0)
    met = meet(scene, place, np.full(len(pitches), point.heading), pitches)
    if surface in SEAMS:
        one, other = (np.isin(met.kind, SURFACES[name]) for name in SEAMS[surface])
        there = np.flatnonzero((one[1:] & other[:-1]) | (one[:-1] & other[1:]))
    else:
        there = np.flatnonzero(np.isin(met.kind, SURFACES[surface]))
    if not len(there):
        return point
    k = int(there[np.argmin(np.abs(pitches[there] - point.pitch))])
    return looking(point.heading, float(pitches[k]))
