"""Navigation instructions in ArraMon's manner: a walk, told by what one sees along it, and what to pick up at its end.

A text is a list of clauses in the order of walking. A walker in mind does each as soon as it is said, so that things
are named from where the words have led. A text is kept where what was meant leads to the target; whether its string is
read so is left to be measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot
from random import Random

import numpy as np

from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation import passing
from bearleft.language.arramon_navigation.compose import compose
from bearleft.language.arramon_navigation.endings import end
from bearleft.language.arramon_navigation.scene import Scene, Spot
from bearleft.language.arramon_navigation.segments import Stretch, bend, stretches
from bearleft.language.arramon_navigation.semantics import (
    ALL_AROUND,
    ANGLES,
    FACING,
    LEFT,
    RIGHT,
    Bend,
    Frame,
    Walker,
    bearing,
    meaning,
)
from bearleft.language.arramon_navigation.speaker import Teller
from bearleft.world.arramon.moves import AGENT_Z, FORWARD, replay, total_turn
from bearleft.world.arramon.task_setup import CityItem

TRIES = 12
SHORTEST = 6  # words
MUST_TURN = 60.0  # degrees turned before the first move that a text must speak of
ASTRAY = 9.0  # metres that the walker in mind may be from where the walk turns
CLOSE, SEEN = 20.0, 40.0  # metres from what is sought within which one may be told to pick it up, and if it is seen
ROUND_A_CORNER = 38.0  # degrees from which on a turn on the way is no slight one
STRAIGHT, WALKED = 3.0, 0.3  # metres of a last stretch, and how often "go forward" is said of it
CORNER, TURNED_AT = 9.0, 4.5  # metres from a turn to the crossing, and to the thing, that it is told by
FACED, AGAIN = 0.38, 0.5  # how often one is told what one faces at the start, and then to pass "it"
NEAREST, FARTHEST, OFF_THE_WAY = 2.5, 30.0, 16.0  # metres and degrees to what one faces at the start
ANY_SIDE = 0.25  # how often one is not told to which side it lies
MEAN, SPREAD, EACH, FEWEST, MOST = 14.8, 0.41, 0.45, 10.0, 58.0  # words, and those for each metre
ENDING, TURNING = 12.0, 6.0  # words that the end and a turn take


def write(
    scene: Scene,
    start: Sequence[float],
    heading: float,
    actions: Sequence[str],
    target: CityItem,
    others: Sequence[CityItem],
    random: Random,
) -> Text | None:
    """A text that leads along a walk to its target, or None where no words were found that do."""
    path, _ = replay((start[0], start[1], AGENT_Z), heading, actions)
    at = start[0], start[1]
    parts = stretches(scene, path)
    first = float(total_turn(actions[: actions.index(FORWARD) if FORWARD in actions else len(actions)]))
    lying = sorted((target, *others), key=lambda one: one.at)
    for _ in range(TRIES):
        teller = Teller(Walker(scene, at, heading, lying), random)
        if not _tell(teller, parts, path, first, lying.index(target)) or teller.length < SHORTEST:
            continue
        way, found = meaning([one.frame for one in teller.items], scene, at, heading, lying)
        if found >= 0 and lying[found] == target and way == teller.walker.way:
            return compose(teller.items, random)
    return None


def _tell(teller: Teller, parts: Sequence[Stretch], path: Sequence[Sequence[float]], first: float, target: int) -> bool:
    """Says a walk; False where the words lead elsewhere."""
    random, walker = teller.random, teller.walker
    goal = walker.lying[target].at
    length = sum(part.length for part in parts)
    budget = min(max((MEAN + EACH * length) * random.lognormvariate(-0.06, SPREAD), FEWEST), MOST)
    _start(teller, parts[0] if parts else None, first, (goal[0], goal[1]))
    for k, part in enumerate(parts):
        last = k + 1 == len(parts)
        left = budget - teller.length - ENDING - TURNING * (len(parts) - k - 1)
        if last:
            passing.tell(teller, part, part.length - 1.0, left)
        else:
            _leg(teller, part, parts[k + 1], left)
            if hypot(walker.at[0] - part.end[0], walker.at[1] - part.end[1]) > ASTRAY:
                return False
    far = hypot(walker.at[0] - goal[0], walker.at[1] - goal[1])
    if far > (CLOSE if not walker.scene.sees(walker.at, goal[0], goal[1])[0] else SEEN):
        return False
    straight = bool(parts) and parts[-1].length > STRAIGHT
    if straight and (not teller.items or (teller.items[-1].frame.name == "turn" and random.random() < WALKED)):
        teller.say("go", Frame("go"))
    view = path[max(len(path) - 6, 0)]
    return end(teller, target, (view[0], view[1]), straight and teller.items[-1].frame.name != "go")


def _start(teller: Teller, part: Stretch | None, first: float, goal: Spot) -> None:
    """The turn that a walk begins with, if any."""
    walker = teller.walker
    towards = part.heading if part is not None else bearing(walker.at, goal)
    angle = float(turn(walker.heading, towards))
    how = bend(angle)
    if abs(first) >= MUST_TURN and not how:
        angle, how = first, bend(first)
    if not how:
        return
    side = RIGHT if angle > 0 else LEFT
    if teller.random.random() < FACED and _face(teller, towards, side, how):
        if part is not None and teller.random.random() < AGAIN:
            passing.it(teller, part)
        return
    frame = Frame("turn", side=0 if how == "around" else side, bend=how)
    teller.do({"slight": "slight", "turn": "turn first", "around": "around"}[how], frame)


def _face(teller: Teller, towards: float, side: int, how: Bend) -> bool:
    """ "Turn left to face the mailbox": something that lies the way one goes. Sometimes one is not told the side."""
    walker, scene = teller.walker, teller.walker.scene
    to_x, to_y = scene.east - walker.at[0], scene.north - walker.at[1]
    far, off = np.hypot(to_x, to_y), np.abs(turn(towards, np.degrees(np.arctan2(to_x, to_y))))
    rows = np.flatnonzero((far > NEAREST) & (far < FARTHEST) & (off < OFF_THE_WAY))
    rows = rows[scene.sees(walker.at, scene.east[rows], scene.north[rows])] if len(rows) else rows
    if teller.random.random() < ANY_SIDE:
        how = ""
    side = side if how in ("slight", "turn") else 0
    nominal, wide = walker.heading + ANGLES[how] * (side or 1), FACING if how else ALL_AROUND
    for row in teller.random.sample(rows.tolist(), min(len(rows), 4)):
        said = teller.name(row, 0, nominal, wide)
        if said is None or said[1].ordinal > 1:  # of several one faces the nearest
            continue
        name = {"slight": "face slight", "turn": "face", "around": "face around", "": "face any"}[how]
        if teller.do(name, Frame("turn", said[1], side=side, bend=how), [row], thing=said[0]):
            return True
    return False


def _leg(teller: Teller, part: Stretch, after: Stretch, left: float) -> None:
    """A stretch that ends with a turn."""
    random = teller.random
    angle = float(turn(part.heading, after.heading))
    side = RIGHT if angle > 0 else LEFT
    if abs(angle) < ROUND_A_CORNER:
        passing.tell(teller, part, part.length + 0.5, left)
        said = bool(teller.items) and teller.items[-1].frame.name != "turn"
        if bend(angle) and said and random.random() < 0.6:
            teller.do("slight", Frame("turn", side=side, bend="slight"))
        return
    if random.random() < 0.6:
        passing.tell(teller, part, part.length - 4.0, left)
    ways: list[Callable[[], bool]] = [
        lambda: _turn_at(teller, part, side, "turn at"),
        lambda: _turn_at(teller, part, side, "turn after"),
        lambda: _at_crossing(teller, part, side),
        lambda: _at_crossing(teller, part, side),
    ]
    if any(way() for way in random.sample(ways, len(ways))):
        return
    if teller.items and teller.items[-1].frame.name == "turn":
        teller.say("go", Frame("go"))
    teller.do("turn", Frame("turn", side=side, bend="turn"))


def _turn_at(teller: Teller, part: Stretch, side: int, name: str) -> bool:
    """A turn at something, or after it; sometimes in two clauses."""
    scene = teller.walker.scene
    off = np.hypot(scene.east[part.rows] - part.end[0], scene.north[part.rows] - part.end[1])
    good = (
        off <= TURNED_AT if name == "turn at" else (part.along > part.length - 6.0) & (part.along < part.length + 0.5)
    )
    rows = [int(row) for row in part.rows[good] if int(row) not in teller.used]
    for row in teller.random.sample(rows, min(len(rows), 3)):
        said = teller.name(row)
        if said is None:
            continue
        if teller.random.random() < 0.5:
            verb = "to" if name == "turn at" else "pass"
            if teller.do(verb, Frame(verb, said[1]), [row], thing=said[0]):
                return teller.do("turn", Frame("turn", side=side, bend="turn"))
        elif teller.do(name, Frame(name, said[1], side=side, bend="turn"), [row], thing=said[0]):
            return True
    return False


def _at_crossing(teller: Teller, part: Stretch, side: int) -> bool:
    """A turn at a crossing, the first or a later one."""
    walker = teller.walker
    off = np.hypot(*(walker.scene.crossings - np.asarray(part.end)).T)
    if not len(off) or off.min() > CORNER:
        return False
    for nth in (1, 2, 3):
        if walker.crossing(nth) == int(off.argmin()):
            said = 0 if nth == 1 and teller.random.random() < 0.7 else nth
            expected = [int(off.argmin())]
            if teller.random.random() < 0.4:
                teller.do("cross", Frame("cross", nth=said), expected)
                return teller.do("turn", Frame("turn", side=side, bend="turn"))
            return teller.do("turn at crossing", Frame("turn at crossing", side=side, bend="turn", nth=said), expected)
    return False
