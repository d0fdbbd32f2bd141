"""What an instruction means in a section: frames, where one stands, what one comes by, and what one picks up.

The writer asks it whether its frames lead to the target, the follower walks by it. It knows the scene and what lies
there, and nothing of walks. Where something does not resolve, a walker goes on with what does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Literal

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.arramon_navigation.scene import Flags, Scene, Spot
from bearleft.language.noun_phrases import Phrase
from bearleft.language.scene_index import Ints
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.moves import GRID_HEADING
from bearleft.world.arramon.task_setup import CityItem

LEFT, RIGHT = -1, 1
Stop = tuple[float, float, float]  # east, north, and how near one comes by
Bend = Literal["", "slight", "turn", "around"]
Relation = Literal["", "near", "behind", "before", "left", "right", "between", "side", "ahead"]
ANGLES: dict[str, float] = {"": 0.0, "slight": 30.0, "turn": 90.0, "around": 180.0}
FAR = 45.0  # metres; what is further off is not spoken of
# Degrees to either side in which one looks for what is named.
WIDE, NARROW, FACING, ALL_AROUND = 80.0, 35.0, 65.0, 180.0
BESIDE = 4.0  # metres; what is so near is noticed though it lies a little behind
BY = 4.5  # metres between what lies somewhere and what it lies by
HIDDEN = 30.0  # metres that something hidden seems farther off
SNAP = 25.0  # degrees from a street's direction that are taken for it
SHORT, BEYOND, ACROSS = 1.0, 1.0, 5.0  # metres that one stops before something, goes past it, goes past a crossing
PASSED, CROSSED = 5.0, 10.0  # metres from a thing, from the middle of a crossing, within which one has come by it
WRONG, UNSEEN = 14.0, 8.0  # metres that a wrong relation and being hidden count for in what lies there


@dataclass(frozen=True)
class Sought:
    """What a noun phrase says of a collectible; "" for what it does not say."""

    words: str
    pattern: str = ""
    colour: str = ""
    type: str = ""

    def misses(self, name: str) -> int:
        """How many of the words do not fit an item."""
        one = item_by_name(name)
        said = (self.pattern, one.pattern), (self.colour, one.colour), (self.type, one.type)
        return sum(bool(word) and word != true for word, true in said)


@dataclass(frozen=True)
class Frame:
    """A clause, read: what it asks or tells, and of what."""

    name: str
    thing: Phrase | None = None
    other: Phrase | None = None
    side: int = 0
    bend: Bend = ""
    nth: int = 0  # which crossing, 0 where none is said
    sought: Sought | None = None
    relation: Relation = ""


def bearing(begin: Spot, end: Spot) -> float:
    """The heading from one spot to another."""
    return degrees(atan2(end[0] - begin[0], end[1] - begin[1])) % 360.0


def ahead_of(at: Spot, heading: float, by: float) -> Spot:
    """The spot so many metres ahead."""
    return at[0] + by * sin(radians(heading)), at[1] + by * cos(radians(heading))


def along_street(heading: float) -> float:
    """The direction of the streets that is near, else the heading itself."""
    nearest = GRID_HEADING + 90.0 * round((heading - GRID_HEADING) / 90.0)
    return nearest if abs(float(turn(heading, nearest))) <= SNAP else heading


def seen_as(relation: Relation, viewer: Spot, thing: Floats, at: Floats) -> Flags:
    """For which things (rows of spots) something lies in a relation to them, for one who looks at it."""
    u = at - np.asarray(viewer)
    u = u / max(float(np.hypot(*u)), 1e-9)
    off = at - thing
    along, across = off @ u, off[:, 0] * u[1] - off[:, 1] * u[0]
    near = np.hypot(off[:, 0], off[:, 1]) <= BY
    if relation in ("behind", "before"):
        return np.asarray(near & (along * (1 if relation == "behind" else -1) > np.abs(across) * 0.8), bool)
    if relation in ("left", "right"):
        return np.asarray(near & (across * (1 if relation == "right" else -1) > np.abs(along) * 0.8), bool)
    return np.asarray(near, bool)


class Walker:
    """One who does what frames say, in mind: where he stands and looks, what he came by, and what he found."""

    def __init__(self, scene: Scene, at: Spot, heading: float, lying: Sequence[CityItem]) -> None:
        self.scene, self.lying = scene, lying
        self.at, self.heading, self.wide = at, heading, WIDE
        self.way: list[Stop] = []
        self.found = -1  # which of what lies there
        self.looked: Frame | None = None
        self.last: Ints = np.zeros(0, np.int64)  # rows of what was spoken of last: "it"

    def do(self, frame: Frame) -> Ints:
        """Does what a frame says; the rows of what it spoke of, none where that was not found."""
        rows = self._do(frame)
        if frame.thing is not None and len(rows):
            self.last = rows[-1:]
        return rows

    def _do(self, frame: Frame) -> Ints:
        none: Ints = np.zeros(0, np.int64)
        if frame.name in ("to", "toward", "pass", "between", "turn at", "turn after"):
            return self._by_things(frame)
        if frame.name in ("cross", "through", "turn at crossing"):
            return self._by_crossing(frame)
        if frame.name == "turn":
            return self._turn(frame)
        if frame.name == "pick" and (frame.sought is not None or self.looked is None):
            self.looked = frame
            self.found = self.choose(frame)
        return none

    def find(self, phrase: Phrase, side: int = 0, heading: float | None = None, wide: float | None = None) -> Ints:
        """The rows of what a noun phrase speaks of: one, or as many as it says."""
        if phrase.pronoun:
            return self.last
        rows, angle, far, seen = self.around(phrase, side, heading, wide)
        if not len(rows):
            return rows
        if phrase.ordinal > 0:
            order = np.argsort(far + HIDDEN * ~seen, kind="stable")
            return rows[order[[min(phrase.ordinal, len(rows)) - 1]]]
        order = np.argsort(far * (1 + (angle / 50.0) ** 2) + HIDDEN * ~seen, kind="stable")
        return rows[order[: phrase.number]]

    def around(
        self, phrase: Phrase, side: int = 0, heading: float | None = None, wide: float | None = None
    ) -> tuple[Ints, Floats, Floats, Flags]:
        """Rows that a noun phrase fits ahead of one: the angles they lie at, how far off, and whether they are seen."""
        rows = self.scene.fitting(phrase)
        to_x, to_y = self.scene.east[rows] - self.at[0], self.scene.north[rows] - self.at[1]
        far = np.hypot(to_x, to_y)
        angle = turn(self.heading if heading is None else heading, np.degrees(np.arctan2(to_x, to_y)))
        wide = self.wide if wide is None else wide
        good = (far <= FAR) & ((np.abs(angle) <= wide) | ((far <= BESIDE) & (np.abs(angle) <= 110.0)))
        if side:
            good &= np.sin(np.radians(angle)) * side > 0
        rows, angle, far = rows[good], angle[good], far[good]
        seen = self.scene.sees(self.at, self.scene.east[rows], self.scene.north[rows]) if len(rows) else good[:0]
        return rows, angle, far, seen

    def crossing(self, nth: int = 1) -> int:
        """The row of the crossing that comes first, or later, ahead of one; -1 for none."""
        to = self.scene.crossings - np.asarray(self.at)
        far = np.hypot(to[:, 0], to[:, 1])
        angle = np.abs(turn(self.heading, np.degrees(np.arctan2(to[:, 0], to[:, 1]))))
        rows = np.flatnonzero((far > BESIDE) & (far <= FAR) & (angle <= min(self.wide, 50.0)))
        order = rows[np.argsort(far[rows] * (1 + (angle[rows] / 25.0) ** 2), kind="stable")]
        if not len(order):
            return -1
        if nth > 1:  # further ones lie on beyond the first
            first = order[0]
            line = np.degrees(np.arctan2(*to[first]))
            beyond = [k for k in order if abs(float(turn(line, np.degrees(np.arctan2(*to[k]))))) < 20.0]
            order = np.array(sorted(beyond, key=lambda k: far[k]), np.int64)
        return int(order[min(nth, len(order)) - 1])

    def choose(self, frame: Frame) -> int:
        """Which of what lies there a frame speaks of, -1 where nothing lies."""
        if not self.lying:
            return -1
        spots = np.array([one.at[:2] for one in self.lying], float)
        to = spots - np.asarray(self.at)
        far = np.hypot(to[:, 0], to[:, 1])
        angle = np.abs(turn(self.heading, np.degrees(np.arctan2(to[:, 0], to[:, 1]))))
        cost = far * (1 + 0.3 * (angle / 90.0) ** 2) + UNSEEN * ~self.scene.sees(self.at, spots[:, 0], spots[:, 1])
        for k, one in enumerate(self.lying):
            cost[k] += 1000.0 * (frame.sought.misses(one.item) if frame.sought else 0)
            cost[k] += WRONG * (not self.related(frame, spots[k]))
        return int(np.argmin(cost))

    def related(self, frame: Frame, at: Floats) -> bool:
        """Whether something that lies at a spot lies as a frame says."""
        if frame.relation in ("side", "ahead"):
            angle = float(turn(self.heading, bearing(self.at, (float(at[0]), float(at[1])))))
            return abs(angle) <= 60.0 if frame.relation == "ahead" else angle * frame.side > 0
        for phrase in (frame.thing, frame.other):
            if phrase is None:
                continue
            rows = self.scene.fitting(phrase)
            spots = np.column_stack([self.scene.east[rows], self.scene.north[rows]])
            if not seen_as(frame.relation, self.at, spots, at).any():
                return False
        return True

    def _turn(self, frame: Frame) -> Ints:
        heading = self.heading + ANGLES[frame.bend] * (frame.side or 1)
        if frame.thing is None:
            self.heading, self.wide = heading, WIDE
            return np.zeros(0, np.int64)
        rows = self.find(frame.thing, heading=heading, wide=FACING if frame.bend else ALL_AROUND)
        if len(rows):
            self.heading, self.wide = bearing(self.at, self._spot(rows[0])), FACING
        else:
            self.heading, self.wide = heading, WIDE
        return rows

    def _by_things(self, frame: Frame) -> Ints:
        assert frame.thing is not None
        passing = frame.name in ("pass", "turn after")
        side = frame.side if frame.name == "pass" else 0
        rows = self.find(frame.thing, side)
        if not len(rows):
            self._bend(frame)
            return rows
        spots = [self._spot(row) for row in rows]
        if frame.name == "between" and frame.other is not None:
            more = self.find(frame.other)
            rows = np.concatenate([rows[:1], more])
            spots = [self._spot(row) for row in rows]
            middle = float(np.mean([s[0] for s in spots])), float(np.mean([s[1] for s in spots]))
            self._go(middle, passing=True)
            self.way.append((*middle, PASSED))
            return rows
        if frame.name == "toward":
            self.heading, self.wide = bearing(self.at, spots[0]), NARROW
            return rows
        for row in sorted(rows.tolist(), key=self._far):
            self._come_by(row, passing)
        if passing and frame.other is not None:
            more = self.find(frame.other, side)
            for row in more.tolist():
                self._come_by(row, passing)
            rows = np.concatenate([rows, more])
        self._bend(frame)
        return rows

    def _by_crossing(self, frame: Frame) -> Ints:
        row = self.crossing(max(frame.nth, 1))
        if row < 0:
            self._bend(frame)
            return np.zeros(0, np.int64)
        spot = float(self.scene.crossings[row, 0]), float(self.scene.crossings[row, 1])
        self.heading, self.wide = along_street(bearing(self.at, spot)), WIDE
        self.way.append((*spot, CROSSED))
        self.at = ahead_of(spot, self.heading, ACROSS) if frame.name == "through" else spot
        self._bend(frame)
        return np.array([row], np.int64)

    def _bend(self, frame: Frame) -> None:
        """The turn that a frame ends with."""
        if frame.name in ("turn at", "turn after", "turn at crossing"):
            self.heading = along_street(self.heading) + ANGLES[frame.bend or "turn"] * (frame.side or 1)
            self.wide = WIDE

    def _come_by(self, row: int, passing: bool) -> None:
        wide = float(self.scene.wide[row])
        self._go(self._spot(row), passing, wide)
        self.way.append((*self._spot(row), PASSED + wide))

    def _far(self, row: int) -> float:
        return hypot(self.scene.east[row] - self.at[0], self.scene.north[row] - self.at[1])

    def _go(self, spot: Spot, passing: bool, wide: float = 0.0) -> None:
        """To something, or past it: then one keeps to one's line, as far as that lies beside it."""
        towards = bearing(self.at, spot)
        far = hypot(spot[0] - self.at[0], spot[1] - self.at[1])
        angle = radians(float(turn(self.heading, towards)))
        if passing and abs(angle) < radians(50.0):
            aside = far * sin(angle)
            kept = max(-2.0 - wide, min(2.0 + wide, aside))  # so far beside it one passes
            line = ahead_of(self.at, self.heading, far * cos(angle) + BEYOND)
            self.at = ahead_of(line, self.heading + 90.0, aside - kept)
            self.heading = along_street(self.heading)
        else:
            self.at = (
                ahead_of(spot, towards, BEYOND) if passing else ahead_of(self.at, towards, max(far - SHORT - wide, 0.0))
            )
            self.heading = along_street(towards)
        self.wide = WIDE

    def _spot(self, row: int) -> Spot:
        return float(self.scene.east[row]), float(self.scene.north[row])


def meaning(
    frames: Sequence[Frame], scene: Scene, at: Spot, heading: float, lying: Sequence[CityItem]
) -> tuple[list[Stop], int]:
    """What one comes by on the way that frames tell, and which of what lies there one picks up at its end."""
    walker = Walker(scene, at, heading, lying)
    for frame in frames:
        walker.do(frame)
    if walker.looked is None:
        walker.found = walker.choose(Frame("pick"))
    return walker.way, walker.found
