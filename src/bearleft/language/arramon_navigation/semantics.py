"""Meaning of instructions in a section: frames, positions, passed objects, and the chosen item.

The writer checks that frames lead to the target, and the follower walks by them. Walks are not known here. Where a
frame does not resolve, the walker continues with the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Literal

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.arramon_navigation.scene import Flags, Position2D, SectionScene
from bearleft.language.noun_phrases import Phrase
from bearleft.language.scene_index import Ints
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.moves import GRID_HEADING
from bearleft.world.arramon.task_setup import CityItem

LEFT, RIGHT = -1, 1
Stop = tuple[float, float, float]  # east, north, and the radius of passing
TurnKind = Literal["", "slight", "turn", "around"]
Relation = Literal["", "near", "behind", "before", "left", "right", "between", "side", "ahead"]
TURN_ANGLES: dict[str, float] = {"": 0.0, "slight": 30.0, "turn": 90.0, "around": 180.0}
MAX_DISTANCE = 45.0  # metres; objects further off are not mentioned
# Degrees to either side in which named objects are searched.
WIDE_ANGLE, NARROW_ANGLE, FACING_ANGLE, FULL_ANGLE = 80.0, 35.0, 65.0, 180.0
NOTICED_DISTANCE = 4.0  # metres; objects so near are noticed even a little behind
MAX_RELATION_DISTANCE = 4.5  # metres between an item and an object it is related to
HIDDEN_PENALTY = 30.0  # metres added to the distance of hidden objects
MAX_STREET_ANGLE = 25.0  # degrees from a street's direction
STOP_DISTANCE, PASS_DISTANCE, CROSSING_PASS_DISTANCE = (
    1.0,
    1.0,
    5.0,
)  # metres before an object, past it, past a crossing
# Metres to the corner of a building: ahead, beside the walker, and of a facade that is not quite straight.
MIN_CORNER_DISTANCE, MAX_CORNER_ASIDE, MAX_CORNER_OVERLAP = 1.0, 9.0, 1.5
PASS_RADIUS, CROSSING_RADIUS = 5.0, 10.0  # metres from an object or the middle of a crossing that count as passing it
PASSING_FRAMES = frozenset(("pass", "pass to", "pass toward", "turn after"))  # that lead past their first object
WRONG_RELATION_PENALTY, UNSEEN_PENALTY = 14.0, 8.0  # metres, in the choice of an item


@dataclass(frozen=True)
class ItemPhrase:
    """The attributes that a noun phrase gives of an item; "" for those it does not mention."""

    words: str
    pattern: str = ""
    colour: str = ""
    type: str = ""

    def misses(self, name: str) -> int:
        """Return how many of the attributes do not match an item."""
        item = item_by_name(name)
        pairs = (self.pattern, item.pattern), (self.colour, item.colour), (self.type, item.type)
        return sum(bool(attribute) and attribute != actual for attribute, actual in pairs)


@dataclass(frozen=True)
class ClauseFrame:
    """The meaning of a clause: its kind and arguments."""

    name: str
    thing: Phrase | None = None
    other: Phrase | None = None
    side: int = 0
    turn: TurnKind = ""
    nth: int = 0  # ordinal of the crossing, 0 for none
    item: ItemPhrase | None = None
    relation: Relation = ""


def bearing(begin: Position2D, end: Position2D) -> float:
    """Return the heading from one position to another."""
    return degrees(atan2(end[0] - begin[0], end[1] - begin[1])) % 360.0


def position_ahead(position: Position2D, heading: float, metres: float) -> Position2D:
    """Return the position `metres` ahead."""
    return position[0] + metres * sin(radians(heading)), position[1] + metres * cos(radians(heading))


def snap_to_street(heading: float) -> float:
    """Return the direction of the streets if it is near, else the heading itself."""
    nearest = GRID_HEADING + 90.0 * round((heading - GRID_HEADING) / 90.0)
    return nearest if abs(float(turn(heading, nearest))) <= MAX_STREET_ANGLE else heading


def relation_holds(relation: Relation, viewer: Position2D, objects: Floats, position: Floats) -> Flags:
    """Return for which objects (rows of positions) a position is in a relation to them, as seen by a viewer."""
    u = position - np.asarray(viewer)
    u = u / max(float(np.hypot(*u)), 1e-9)
    off = position - objects
    along, across = off @ u, off[:, 0] * u[1] - off[:, 1] * u[0]
    near = np.hypot(off[:, 0], off[:, 1]) <= MAX_RELATION_DISTANCE
    if relation in ("behind", "before"):
        return np.asarray(near & (along * (1 if relation == "behind" else -1) > np.abs(across) * 0.8), bool)
    if relation in ("left", "right"):
        return np.asarray(near & (across * (1 if relation == "right" else -1) > np.abs(along) * 0.8), bool)
    return np.asarray(near, bool)


class Walker:
    """A simulated walker that executes frames: its position and heading, the stops so far, and the chosen item."""

    def __init__(
        self, scene: SectionScene, position: Position2D, heading: float, city_items: Sequence[CityItem]
    ) -> None:
        self.scene, self.city_items = scene, city_items
        self.position, self.heading, self.view_angle = position, heading, WIDE_ANGLE
        self.stops: list[Stop] = []
        self.chosen = -1  # index of the item
        self.pick_frame: ClauseFrame | None = None
        self.last: Ints = np.zeros(0, np.int64)  # rows of the last mentioned object: "it"

    def do(self, frame: ClauseFrame) -> Ints:
        """Execute a frame; return the rows of its objects, none if they were not found."""
        rows = self._do(frame)
        if frame.thing is not None and len(rows):
            is_pair = frame.name == "turn" and frame.other is not None  # faced: "them"
            self.last = rows if is_pair else rows[-1:]
        return rows

    def _do(self, frame: ClauseFrame) -> Ints:
        none: Ints = np.zeros(0, np.int64)
        if frame.name in PASSING_FRAMES or frame.name in ("to", "toward", "between", "turn at", "turn before"):
            return self._pass_objects(frame)
        if frame.name in ("cross", "through", "turn at crossing"):
            return self._pass_crossing(frame)
        if frame.name == "turn at corner":
            self._turn_at_corner(frame)
        if frame.name == "turn":
            return self._turn(frame)
        if frame.name == "pick" and (frame.item is not None or self.pick_frame is None) and not self._is_chosen(frame):
            self.pick_frame = frame
            self.chosen = self.choose(frame)
        return none

    def _is_chosen(self, frame: ClauseFrame) -> bool:
        """Return whether a frame names the item chosen before: "You will see a dotted mug. Take the mug."""
        if self.pick_frame is None or self.chosen < 0 or frame.item is None or frame.relation:
            return False
        return frame.item.misses(self.city_items[self.chosen].item) == 0

    def find(self, phrase: Phrase, side: int = 0, heading: float | None = None, wide: float | None = None) -> Ints:
        """Return the rows that a noun phrase refers to: one, or as many as it mentions."""
        if phrase.pronoun:
            return self.last
        rows, angle, distance, seen = self.matches_around(phrase, side, heading, wide)
        if not len(rows):
            return rows
        if phrase.ordinal > 0:
            order = np.argsort(distance + HIDDEN_PENALTY * ~seen, kind="stable")
            return rows[order[[min(phrase.ordinal, len(rows)) - 1]]]
        order = np.argsort(distance * (1 + (angle / 50.0) ** 2) + HIDDEN_PENALTY * ~seen, kind="stable")
        return rows[order[: phrase.number]]

    def matches_around(
        self, phrase: Phrase, side: int = 0, heading: float | None = None, wide: float | None = None
    ) -> tuple[Ints, Floats, Floats, Flags]:
        """Return the rows ahead that a noun phrase matches, with their angles, distances and visibility."""
        rows = self.scene.fitting(phrase)
        east, north = self.scene.east[rows] - self.position[0], self.scene.north[rows] - self.position[1]
        distance = np.hypot(east, north)
        angle = turn(self.heading if heading is None else heading, np.degrees(np.arctan2(east, north)))
        wide = self.view_angle if wide is None else wide
        candidates = (distance <= MAX_DISTANCE) & (
            (np.abs(angle) <= wide) | ((distance <= NOTICED_DISTANCE) & (np.abs(angle) <= 110.0))
        )
        if side:
            candidates &= np.sin(np.radians(angle)) * side > 0
        rows, angle, distance = rows[candidates], angle[candidates], distance[candidates]
        seen = (
            self.scene.sees(self.position, self.scene.east[rows], self.scene.north[rows])
            if len(rows)
            else candidates[:0]
        )
        return rows, angle, distance, seen

    def crossing(self, nth: int = 1) -> int:
        """Return the row of the nth crossing ahead, -1 for none."""
        offsets = self.scene.crossings - np.asarray(self.position)
        distance = np.hypot(offsets[:, 0], offsets[:, 1])
        angle = np.abs(turn(self.heading, np.degrees(np.arctan2(offsets[:, 0], offsets[:, 1]))))
        rows = np.flatnonzero(
            (distance > NOTICED_DISTANCE) & (distance <= MAX_DISTANCE) & (angle <= min(self.view_angle, 50.0))
        )
        order = rows[np.argsort(distance[rows] * (1 + (angle[rows] / 25.0) ** 2), kind="stable")]
        if not len(order):
            return -1
        if nth > 1:  # later ones lie behind the first
            first = order[0]
            line = np.degrees(np.arctan2(*offsets[first]))
            beyond = [k for k in order if abs(float(turn(line, np.degrees(np.arctan2(*offsets[k]))))) < 20.0]
            order = np.array(sorted(beyond, key=lambda k: distance[k]), np.int64)
        return int(order[min(nth, len(order)) - 1])

    def choose(self, frame: ClauseFrame) -> int:
        """Return the index of the item that a frame refers to, -1 without items."""
        if not self.city_items:
            return -1
        positions = np.array([city_item.at[:2] for city_item in self.city_items], float)
        offsets = positions - np.asarray(self.position)
        distance = np.hypot(offsets[:, 0], offsets[:, 1])
        angle = np.abs(turn(self.heading, np.degrees(np.arctan2(offsets[:, 0], offsets[:, 1]))))
        cost = distance * (1 + 0.3 * (angle / 90.0) ** 2) + UNSEEN_PENALTY * ~self.scene.sees(
            self.position, positions[:, 0], positions[:, 1]
        )
        for k, city_item in enumerate(self.city_items):
            cost[k] += 1000.0 * (frame.item.misses(city_item.item) if frame.item else 0)
            cost[k] += WRONG_RELATION_PENALTY * (not self.related(frame, positions[k]))
        return int(np.argmin(cost))

    def related(self, frame: ClauseFrame, position: Floats) -> bool:
        """Return whether an item at a position is located as a frame says."""
        if frame.relation in ("side", "ahead"):
            angle = float(turn(self.heading, bearing(self.position, (float(position[0]), float(position[1])))))
            return abs(angle) <= 60.0 if frame.relation == "ahead" else angle * frame.side > 0
        for phrase in (frame.thing, frame.other):
            if phrase is None:
                continue
            rows = self.last if phrase.pronoun else self.scene.fitting(phrase)
            positions = np.column_stack([self.scene.east[rows], self.scene.north[rows]])
            if not relation_holds(frame.relation, self.position, positions, position).any():
                return False
        return True

    def _turn(self, frame: ClauseFrame) -> Ints:
        heading = self.heading + TURN_ANGLES[frame.turn] * (frame.side or 1)
        if frame.thing is None:
            self.heading, self.view_angle = heading, WIDE_ANGLE
            return np.zeros(0, np.int64)
        wide = FACING_ANGLE if frame.turn else FULL_ANGLE
        rows = self.find(frame.thing, heading=heading, wide=wide)
        if len(rows) and frame.other is not None:
            rows = np.concatenate([rows[:1], self.find(frame.other, heading=heading, wide=wide)])
        if len(rows):
            self.heading, self.view_angle = bearing(self.position, self._position_of(rows[0])), FACING_ANGLE
        else:
            self.heading, self.view_angle = heading, WIDE_ANGLE
        return rows

    def _pass_objects(self, frame: ClauseFrame) -> Ints:
        assert frame.thing is not None
        passing = frame.name in PASSING_FRAMES
        side = frame.side if frame.name == "pass" else 0
        rows = self.find(frame.thing, side)
        if not len(rows):
            self._end_turn(frame)
            return rows
        positions = [self._position_of(row) for row in rows]
        if frame.name == "between" and (frame.other is not None or len(rows) > 1):
            if frame.other is not None:
                rows = np.concatenate([rows[:1], self.find(frame.other)])
            positions = [self._position_of(row) for row in rows]
            middle = float(np.mean([p[0] for p in positions])), float(np.mean([p[1] for p in positions]))
            self._walk(middle, passing=True)
            self.stops.append((*middle, PASS_RADIUS))
            return rows
        if frame.name == "toward":
            self.heading, self.view_angle = bearing(self.position, positions[0]), NARROW_ANGLE
            return rows
        for row in sorted(rows.tolist(), key=self._distance):
            self._pass_object(row, passing)
        if passing and frame.other is not None:
            others = self.find(frame.other, side)
            for row in others.tolist():
                if frame.name == "pass toward":
                    self.heading, self.view_angle = bearing(self.position, self._position_of(row)), NARROW_ANGLE
                else:
                    self._pass_object(row, frame.name == "pass")
            rows = np.concatenate([rows, others])
        self._end_turn(frame)
        return rows

    def _pass_crossing(self, frame: ClauseFrame) -> Ints:
        row = self.crossing(max(frame.nth, 1))
        if row < 0:
            self._end_turn(frame)
            return np.zeros(0, np.int64)
        position = float(self.scene.crossings[row, 0]), float(self.scene.crossings[row, 1])
        self.heading, self.view_angle = snap_to_street(bearing(self.position, position)), WIDE_ANGLE
        self.stops.append((*position, CROSSING_RADIUS))
        self.position = (
            position_ahead(position, self.heading, CROSSING_PASS_DISTANCE) if frame.name == "through" else position
        )
        self._end_turn(frame)
        return np.array([row], np.int64)

    def corner(self, side: int) -> Position2D | None:
        """Return where one turns around the next corner of a building on one side, None without one ahead."""
        x, y, ux, uy, half_width, half_depth = self.scene.walls.T
        heading = radians(snap_to_street(self.heading))
        along, aside = [], []
        for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
            east = x + a * half_width * uy + b * half_depth * ux - self.position[0]
            north = y - a * half_width * ux + b * half_depth * uy - self.position[1]
            along.append(east * sin(heading) + north * cos(heading))
            aside.append((east * cos(heading) - north * sin(heading)) * side)
        nearest = np.min(aside, axis=0)
        is_beside = (nearest > -MAX_CORNER_OVERLAP) & (nearest < MAX_CORNER_ASIDE)
        facade = np.array(aside) < nearest + MAX_CORNER_OVERLAP
        ends = np.where(facade, np.array(along), -np.inf).max(axis=0)
        ends = ends[is_beside & (ends > MIN_CORNER_DISTANCE) & (ends < MAX_DISTANCE)]
        if not len(ends):
            return None
        return position_ahead(self.position, degrees(heading), float(ends.min()) + PASS_DISTANCE)

    def _turn_at_corner(self, frame: ClauseFrame) -> None:
        position = self.corner(frame.side)
        if position is not None:
            self.heading, self.position = snap_to_street(self.heading), position
            self.stops.append((*position, CROSSING_RADIUS))
        self._end_turn(frame)

    def _end_turn(self, frame: ClauseFrame) -> None:
        """Make the turn at the end of a frame."""
        if frame.name in ("turn at", "turn after", "turn before", "turn at crossing", "turn at corner"):
            self.heading = snap_to_street(self.heading) + TURN_ANGLES[frame.turn or "turn"] * (frame.side or 1)
            self.view_angle = WIDE_ANGLE

    def _pass_object(self, row: int, passing: bool) -> None:
        half_width = float(self.scene.half_width[row])
        self._walk(self._position_of(row), passing, half_width)
        self.stops.append((*self._position_of(row), PASS_RADIUS + half_width))

    def _distance(self, row: int) -> float:
        return hypot(self.scene.east[row] - self.position[0], self.scene.north[row] - self.position[1])

    def _walk(self, position: Position2D, passing: bool, half_width: float = 0.0) -> None:
        """Walk to a position, or past it: then keep the line as far as it lies beside the position."""
        direction = bearing(self.position, position)
        distance = hypot(position[0] - self.position[0], position[1] - self.position[1])
        angle = radians(float(turn(self.heading, direction)))
        if passing and abs(angle) < radians(50.0):
            aside = distance * sin(angle)
            clamped = max(-2.0 - half_width, min(2.0 + half_width, aside))  # metres beside it when passing
            line = position_ahead(self.position, self.heading, distance * cos(angle) + PASS_DISTANCE)
            self.position = position_ahead(line, self.heading + 90.0, aside - clamped)
            self.heading = snap_to_street(self.heading)
        else:
            self.position = (
                position_ahead(position, direction, PASS_DISTANCE)
                if passing
                else position_ahead(self.position, direction, max(distance - STOP_DISTANCE - half_width, 0.0))
            )
            self.heading = snap_to_street(direction)
        self.view_angle = WIDE_ANGLE

    def _position_of(self, row: int) -> Position2D:
        return float(self.scene.east[row]), float(self.scene.north[row])


def follow_frames(
    frames: Sequence[ClauseFrame],
    scene: SectionScene,
    position: Position2D,
    heading: float,
    city_items: Sequence[CityItem],
) -> tuple[list[Stop], int]:
    """Return the stops on the way that frames describe, and the index of the item picked up at its end."""
    walker = Walker(scene, position, heading, city_items)
    for frame in frames:
        walker.do(frame)
    if walker.pick_frame is None:
        walker.chosen = walker.choose(ClauseFrame("pick"))
    return walker.stops, walker.chosen
