"""Geometry of views for referring sentences: boxes in degrees, relations between objects, points measured in Waldos.

Writer and reader of Refer360-like sequences share these definitions. Everything is as seen from a place: "above" is
higher in the view and "to the right" clockwise. Waldo is 11 degrees high and 8 wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats, turn, unit_vectors
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.visibility.rays import RayHits, cast

Flags = npt.NDArray[np.bool_]
Relation = Literal["left", "right", "above", "below", "near", "behind", "before", "across", "around", "on", "holding"]
Side = Literal["left", "right", "above", "below"]

WALDO_HEIGHT, WALDO_WIDTH = 11.0, 8.0  # degrees
SLIGHT_GAP, PLAIN_GAP = 3.5, 6.0  # degrees of "just above" and "above"
MIN_VISIBLE_SHARE = 1.5e-4  # of the sphere; smaller objects go unnoticed
# Requirements of reference objects: share of the sphere, degrees of height and width, and hidden share.
MIN_REFERENCE_SHARE, MIN_SIZE, MIN_SIZE_INDOORS, MAX_HIDDEN_SHARE = 6e-4, 2.0, 3.0, 0.6
RAY_STEP = 0.5  # degrees
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
    "on": "holding",
    "holding": "on",
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
    "ground": (
        *(Ground.ROAD, Ground.MARKING, Ground.CROSSWALK, Ground.SIDEWALK, Ground.KERB, Ground.GRASS, Ground.PLAZA),
        Ground.YARD,
    ),
}
# Where two surfaces meet.
SEAMS: dict[str, tuple[str, str]] = {"top of the wall": ("wall", "ceiling"), "foot of the wall": ("wall", "floor")}
# Classes fixed to a wall or a ceiling, or being one: never in front of something, and nothing is behind them.
IS_FIXED = np.array(
    [
        object_class.name in ("building", "room door", "room window", "curtain", "painting", "mirror", "wall clock",
                     "poster",
                     "wall shelf", "light switch", "electrical outlet", "exit sign", "chalkboard", "whiteboard",
                     "security camera", "air vent", "wall lamp", "ceiling lamp", "chandelier", "ceiling fan",
                     "pendant lamp", "hanging plant", "spotlight", "radiator", "fire extinguisher", "fireplace",
                     "rug", "loudspeaker", "fitting room")
        for object_class in CLASSES
    ]
)  # fmt: skip
_PART_POSITIONS = 0.1, 0.5, 0.9  # of left, middle and right (or bottom, middle and top) in a box


@dataclass(frozen=True, slots=True)
class ViewBox:
    """A box in a view with its centre, in degrees; `instance` is 0 if it is not that of an object."""

    heading: float
    pitch: float
    left: float
    width: float
    bottom: float
    top: float
    distance: float = 0.0  # metres
    instance: int = 0

    @staticmethod
    def of(visible: VisibleObjects, row: int) -> ViewBox:
        """Return the box of a visible object."""
        return ViewBox(
            float(visible.heading[row]),
            float(visible.pitch[row]),
            float(visible.left[row]),
            float(visible.width[row]),
            float(visible.bottom[row]),
            float(visible.top[row]),
            float(visible.median[row]),
            int(visible.instance[row]),
        )

    @staticmethod
    def at(direction: Direction, distance: float = 0.0) -> ViewBox:
        """Return an empty box at a direction."""
        heading, pitch = direction.heading, direction.pitch
        return ViewBox(heading, pitch, heading, 0.0, pitch, pitch, distance)

    @property
    def direction(self) -> Direction:
        """The direction of its centre."""
        return clamped_direction(self.heading, self.pitch)

    def part(self, across: int, up: int) -> ViewBox:
        """Return one of its nine parts: -1, 0, 1 for left, middle, right and for bottom, middle, top.

        (0, 0) is its centre.
        """
        heading = self.left + self.width * _PART_POSITIONS[across + 1] if across else self.heading
        pitch = self.bottom + (self.top - self.bottom) * _PART_POSITIONS[up + 1] if up else self.pitch
        return ViewBox(heading % 360.0, pitch, heading % 360.0, 0.0, pitch, pitch, self.distance, self.instance)


def union_box(boxes: Sequence[ViewBox]) -> ViewBox:
    """Return the box around several boxes that lie in one half of the panorama."""
    first = boxes[0]
    lefts = [signed_turn(first.heading, box.heading) - signed_turn(box.left, box.heading) for box in boxes]
    left = min(lefts)
    right = max(start + box.width for start, box in zip(lefts, boxes, strict=True))
    bottom, top = min(box.bottom for box in boxes), max(box.top for box in boxes)
    middle = first.heading + (left + right) / 2
    distance = min(box.distance for box in boxes)
    return ViewBox(
        middle % 360.0, (bottom + top) / 2, (first.heading + left) % 360.0, right - left, bottom, top, distance
    )


def order_from_left(visible: VisibleObjects, rows: Sequence[int]) -> list[int]:
    """Return the rows of objects in one half of the panorama from left to right."""
    first = float(visible.heading[rows[0]])
    return sorted(rows, key=lambda row: signed_turn(first, float(visible.heading[row])))


def clamped_direction(heading: float, pitch: float) -> Direction:
    """Return a direction with its pitch limited to the valid range."""
    return Direction(heading % 360.0, min(max(pitch, -90.0), 90.0))


def offset_from_box(box: ViewBox, side: Side, degrees: float, part: tuple[int, int] = (0, 0)) -> tuple[float, float]:
    """Return heading and pitch of a point `degrees` from the edge of a box; `part` selects the part of that edge."""
    middle = box.part(*part)
    heading, pitch = middle.heading, middle.pitch
    if side == "above":
        pitch = box.top + degrees
    elif side == "below":
        pitch = box.bottom - degrees
    else:
        heading_offset = degrees / max(math.cos(math.radians(pitch)), 0.3)
        heading = box.left - heading_offset if side == "left" else box.left + box.width + heading_offset
    return heading % 360.0, pitch


def interpolate(first: ViewBox, second: ViewBox, share: float = 0.5) -> tuple[float, float]:
    """Return heading and pitch of a point between two boxes."""
    heading = first.heading + signed_turn(first.heading, second.heading) * share
    return heading % 360.0, first.pitch + (second.pitch - first.pitch) * share


def signed_turn(start: float, end: float) -> float:
    """Return the turn from one heading to another, for plain numbers."""
    return (end - start + 180.0) % 360.0 - 180.0


def angle_to(heading_pitch: tuple[float, float], direction: Direction) -> float:
    """Return the degrees between a heading and pitch and a direction, for plain numbers."""
    a, b = math.radians(heading_pitch[1]), math.radians(direction.pitch)
    across = math.radians(heading_pitch[0] - direction.heading)
    h = math.sin((a - b) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(across / 2) ** 2
    return math.degrees(2 * math.asin(min(math.sqrt(h), 1.0)))


@lru_cache(maxsize=32)  # all relations to a box are asked for one after the other
def box_distances(visible: VisibleObjects, box: ViewBox) -> tuple[Floats, Floats, Floats]:
    """Return for each object the turn from the box to it, and the degrees between the boxes across and upwards."""
    turns = turn(box.heading, visible.heading)
    middle = (box.left + box.width / 2) % 360.0
    centre_offset = np.abs(turn(middle, visible.left + visible.width / 2))
    level = np.cos(np.radians((visible.pitch + box.pitch) / 2))
    across = np.maximum(centre_offset - (visible.width + box.width) / 2, 0.0) * level
    upwards = np.maximum(np.maximum(visible.bottom - box.top, box.bottom - visible.top), 0.0)
    return turns, np.asarray(across, float), np.asarray(upwards, float)


def relation_cost(visible: VisibleObjects, relation: Relation, box: ViewBox, yaw: float = 0.0) -> Floats:
    """Return how badly each object fits "to the right of it", "behind it" ..., in degrees; infinite if it does not.

    `yaw` is the direction of the street, over which "across" is mirrored.
    """
    turns, across, upwards = box_distances(visible, box)
    if relation in ("left", "right"):
        turns_to_side = turns if relation == "right" else -turns
        edge = np.maximum(box.width, visible.width) * 0.3
        suits = (turns_to_side > np.maximum(edge, 1.0)) & (turns_to_side < 130.0)
        costs = 0.6 * across + 0.4 * turns_to_side + 1.5 * upwards
    elif relation in ("above", "below"):
        # It begins about where the other ends: a can beside a door is not below it, nor is a screen above a bench that
        # hides its foot or stands aside.
        clear = -0.1 * (box.top - box.bottom)
        farther = visible.bottom - box.top if relation == "above" else box.bottom - visible.top
        aside = np.maximum(box.width, visible.width) / 2 + 2.0
        suits = (across < 2.0) & (farther > clear - 0.5) & (np.abs(turns) < np.minimum(aside, 40.0))
        costs = upwards + 2.0 * across + 0.3 * np.abs(turns)
    elif relation in ("behind", "before"):
        farther = visible.median - box.distance if relation == "behind" else box.distance - visible.median
        suits = (across < 1.0) & (farther > min(1.0, 0.15 * box.distance)) & (upwards < 12.0)
        if relation == "before":
            suits &= ~IS_FIXED[visible.kind]
        costs = upwards + 0.3 * np.abs(turns) + 3.0 * across + 0.2 * farther
    elif relation == "near":
        suits = across < 40.0
        costs = np.hypot(across, upwards) + 0.1 * np.abs(turns)
    elif relation == "on":
        suits, costs = (visible.owner == box.instance) & (box.instance > 0), 0.1 * across
    elif relation == "holding":
        row = visible.find(box.instance)
        suits, costs = visible.instance == (visible.owner[row] if row >= 0 else 0), 0.1 * across
    else:
        opposite = 2 * yaw - box.heading if relation == "across" else box.heading + 180.0
        costs = np.abs(turn(opposite, visible.heading))
        suits = costs < 50.0
    return np.where(suits & (visible.instance != box.instance), costs, np.inf)


def inconspicuousness(visible: VisibleObjects) -> Floats:
    """Return how little each object catches the eye: 0 for large, unhidden ones."""
    small = np.maximum(np.log2(8e-4 / np.maximum(visible.share, 1e-9)), 0.0)
    return np.asarray(1.5 * small + 4.0 * np.nan_to_num(visible.hidden) ** 2, float)


def is_reference(visible: VisibleObjects, indoors: bool) -> Flags:
    """Return which objects are large and unhidden enough for references."""
    min_size = MIN_SIZE_INDOORS if indoors else MIN_SIZE
    height = visible.top - visible.bottom
    width = visible.width * np.cos(np.radians(visible.pitch))
    result = (
        (visible.share >= MIN_REFERENCE_SHARE)
        & (visible.hidden < MAX_HIDDEN_SHARE)
        & (height >= min_size)
        & (width >= min_size)
    )
    return np.asarray(result, bool)


def size_cost(visible: VisibleObjects) -> Floats:
    """Return a cost for small objects, which are found last: 3 for each halving."""
    return np.asarray(3.0 * np.log2(1.0 / np.maximum(visible.share, 1e-9)), float)


def nth_on_side(visible: VisibleObjects, fits: Flags, side: Relation, box: ViewBox, number: int) -> int:
    """Return the row of the n-th object on a side, -1 for none; -1 as a number is the last."""
    turns = turn(box.heading, visible.heading) * (1 if side == "right" else -1)
    rows = np.flatnonzero(fits & (turns > 1.0) & (turns < 150.0) & (visible.instance != box.instance))
    rows = rows[np.argsort(turns[rows], kind="stable")]
    k = number - 1 if number > 0 else len(rows) - 1
    return int(rows[k]) if 0 <= k < len(rows) else -1


def best_match(costs: Sequence[Floats], fits: Flags) -> tuple[int, float]:
    """Return the row with the lowest total cost, and the margin to the next; -1 for none."""
    total = np.where(fits, np.sum(costs, axis=0), np.inf)
    order = np.argsort(total, kind="stable")[:2]
    if not len(order) or not np.isfinite(total[order[0]]):
        return -1, 0.0
    return int(order[0]), float(total[order[1]] - total[order[0]]) if len(order) > 1 else math.inf


@dataclass(frozen=True, eq=False)
class VerticalRuns:
    """Runs of one class, object and part along a vertical line in the view, from pitches `low` to `high`."""

    kind: npt.NDArray[np.uint8]
    low: Floats
    high: Floats

    def windows(self) -> list[int]:
        """Return the runs that are windows."""
        return [int(k) for k in np.flatnonzero(self.kind == Ground.WINDOW)]


def vertical_runs(
    scene: SceneIndex, place: int, heading: float, pitch: float, up: bool, end: float = 75.0
) -> VerticalRuns:
    """Return the runs along a heading from a pitch up to `end`, or down to -`end`."""
    count = max(int(abs((end if up else -end) - pitch) / RAY_STEP), 1)
    pitches = pitch + (RAY_STEP if up else -RAY_STEP) * (np.arange(count) + 0.5)
    hits = cast_directions(scene, place, np.full(count, heading), pitches)
    keys = np.stack([hits.instance, hits.part, hits.kind.astype(np.int32)])
    first = np.flatnonzero(np.concatenate([[True], (np.diff(keys) != 0).any(0)]))
    ends = np.stack([pitches[first], pitches[np.concatenate([first[1:], [count]]) - 1]])
    return VerticalRuns(hits.kind[first], ends.min(0), ends.max(0))


def cast_directions(scene: SceneIndex, place: int, heading: npt.ArrayLike, pitch: npt.ArrayLike) -> RayHits:
    """Return what directions from a place hit."""
    directions = unit_vectors(heading, pitch)
    eye = scene.city.poses([place])[0, :3].astype(float)
    return cast(scene.city.scene, np.tile(eye, (len(directions), 1)), directions)


def move_onto_surface(scene: SceneIndex, place: int, point: Direction, surface: str, reach: float = 9.0) -> Direction:
    """Return the point moved up or down onto a surface or a seam, if there is one within reach."""
    pitches = np.clip(point.pitch + np.arange(-reach, reach + RAY_STEP, RAY_STEP), -89.0, 89.0)
    hits = cast_directions(scene, place, np.full(len(pitches), point.heading), pitches)
    if surface in SEAMS:
        first, second = (np.isin(hits.kind, SURFACES[name]) for name in SEAMS[surface])
        indices = np.flatnonzero((first[1:] & second[:-1]) | (first[:-1] & second[1:]))
    else:
        indices = np.flatnonzero(np.isin(hits.kind, SURFACES[surface]))
    if not len(indices):
        return point
    k = int(indices[np.argmin(np.abs(pitches[indices] - point.pitch))])
    return clamped_direction(point.heading, float(pitches[k]))


def first_on_surface(
    scene: SceneIndex, place: int, heading: float, pitch: float, up: bool, surface: str, gap: float = PLAIN_GAP
) -> Direction | None:
    """Return a point a gap beyond where a surface begins, straight up or down from a pitch, or None.

    On a narrow surface it is in its middle.
    """
    count = max(int(abs((85.0 if up else -85.0) - pitch) / RAY_STEP), 1)
    pitches = pitch + (RAY_STEP if up else -RAY_STEP) * (np.arange(count) + 0.5)
    hits = cast_directions(scene, place, np.full(count, heading), pitches)
    on = np.isin(hits.kind, SURFACES[surface])
    if not on.any():
        return None
    first = int(np.argmax(on))
    off = np.flatnonzero(~on[first:])
    length = int(off[0]) if len(off) else count - first
    return clamped_direction(heading, float(pitches[first + min(int(gap / RAY_STEP), length // 2)]))


def seam_pitch(scene: SceneIndex, place: int, heading: float, edge: str) -> float | None:
    """Return the pitch at which the wall meets the ceiling or the floor along a heading, or None."""
    up = edge == "ceiling"
    pitches = np.arange(0.0, 80.0, RAY_STEP) * (1 if up else -1)
    hits = cast_directions(scene, place, np.full(len(pitches), heading), pitches)
    wall, beyond = np.isin(hits.kind, SURFACES["wall"]), np.isin(hits.kind, SURFACES[edge])
    seams = np.flatnonzero(wall[:-1] & beyond[1:])
    return float(pitches[seams[0]]) if len(seams) else None
