"""Spots on things: the ways to say where on a thing a target is that lead close to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates as words
from bearleft.language.descriptions.extents import extents
from bearleft.language.descriptions.locate import BUILDING, look, pane, pixels, spot_on
from bearleft.language.descriptions.semantics import Pick, Spot, Stand
from bearleft.language.lexicon.lexicon import PARTS, names_of, ordinal_word
from bearleft.language.noun_phrases import chunk
from bearleft.language.templates import Template
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target

GOOD, ENOUGH = 22.0, 36.0  # pixels that a way to say it should, and may, lead away from the target
HONEST = 0.2  # of a thing's size: a word must not lie further off than that, however small the thing is
TOP = 0.87


@dataclass(frozen=True, slots=True)
class Where:
    """A way to say where on a thing the target is: what it means, how it is said, and how liked it is."""

    spot: Spot
    how: tuple[tuple[str, words.Across], ...]  # kinds of words and their values
    weight: float
    anchor: int = -1  # a row of the sight

    @property
    def plain(self) -> bool:
        """Whether it is said in a word or two."""
        return len(self.how) < 2 and all(
            kind in ("top", "part", "window") or value == (0.5, 0.5) for kind, value in self.how
        )


def spots(
    stands: Sequence[Stand], goals: Sequence[Direction], target: Target, anchors: Sequence[tuple[str, int]]
) -> list[Where]:
    """The ways to say where on its thing the target is that lead close to it, from everywhere if possible."""
    sight = stands[0].sight
    kind = int(sight.kind[sight.find(target.instance)])
    seen = look(stands[0].scene, sight.place, target.instance)
    if not len(seen) or target.position is None:
        return []
    some = _windows(stands[0], target) if kind == BUILDING else _ways(stands[0], target, kind, anchors)
    for few in (True, False):
        own = [(where, _miss(stands[0], goals[0], target, where)) for where in some if where.plain == few]
        good = [(where, miss) for where, miss in own if miss <= (GOOD if few else ENOUGH)]
        worst = [
            max([miss, *(_miss(stand, goal, target, where) for stand, goal in zip(stands[1:], goals[1:], strict=True))])
            for where, miss in good
        ]
        for limit in (GOOD, GOOD + 6, ENOUGH)[: 2 if few else 3]:
            if any(miss <= limit for miss in worst):
                return [where for (where, _), miss in zip(good, worst, strict=True) if miss <= limit]
    return [where for where, _ in good]


def _miss(stand: Stand, goal: Direction, target: Target, where: Where) -> float:
    row = where.anchor
    # Rows are those of the target's own place; other places find the same thing by its instance.
    found = spot_on(stand, where.spot, target.instance, lambda ref: ref if row >= 0 else 0)
    return pixels(found, goal) if found else 1000.0


def _ways(stand: Stand, target: Target, kind: int, anchors: Sequence[tuple[str, int]]) -> list[Where]:
    assert target.position is not None
    sight = stand.sight
    seen = look(stand.scene, sight.place, target.instance)
    point = np.array(target.position)
    across = (float(point[:2] @ seen.axis) - seen.begin) / seen.long
    up = (float(point[2]) - seen.low) / max(seen.high - seen.low, 1e-3)
    found = [Where(Spot(0), (), 7.0), *_placed("", across, up, 1.0)]
    number = target.part & 0xFF
    parts = CLASSES[kind].parts
    if 0 < number < len(parts):
        own = np.flatnonzero((seen.part & 0xFF) == number)
        if len(own) > 2:
            low, high = seen.points[own, 2].min(), seen.points[own, 2].max()
            left, right = seen.along[own].min(), seen.along[own].max()
            a = (float(point[:2] @ seen.axis) - seen.begin - left) / max(right - left, 1e-3)
            u = (float(point[2]) - low) / max(high - low, 1e-3)
            own_names = {name.one for name in names_of(kind, int(sight.variant[sight.find(target.instance)]))}
            for word in PARTS.get((CLASSES[kind].name, parts[number]), ())[:2]:
                if word in words.POSITIONS or word in CLASSES[kind].name.split() or not _whole(word):
                    continue
                if word in own_names:
                    continue  # no canopy of an awning
                found.append(Where(Spot(0, word), (("part", (None, None)),), 5.0))
                found += _placed(word, a, u, 0.5)
    ex = extents(stand.scene)
    for what, row in anchors:
        if what in ("above", "below", "near") and sight.width[row] < 8:
            instance = int(sight.instance[row])
            middle = ex.middle(np.array([instance - 1]))[0]
            if abs((float(middle[:2] @ seen.axis) - seen.begin) / seen.long - across) < 0.15:
                line = {"above": "above", "below": "below"}.get(what, "")
                found.append(Where(Spot(0, line=instance, towards=line), (("line", (None, None)),), 1.5, row))
                for place in words.PLACES:
                    if place[0] is None and place[1] is not None and abs(place[1] - up) < HONEST:
                        spot = Spot(0, up=place[1], line=instance, towards=line)
                        found.append(Where(spot, (("line", (None, None)), ("place", place)), 0.5, row))
    return found


@cache
def _whole(part: str) -> bool:
    """Whether a part's name is read as one: "lamp head" would be read as a lamp."""
    normal, found = chunk(f"the {part} of")
    return normal == f"the {part} of " if not found else normal == "@0 of "


def _placed(part: str, across: float, up: float, weight: float) -> list[Where]:
    """Words for how far across and up, one of each at most."""

    def near(one: words.Across) -> bool:
        a, u = one
        return (a is None or abs(a - across) < HONEST) and (u is None or abs(u - up) < HONEST)

    lead = (("part", (None, None)),) if part else ()
    found = []
    places = [place for place in words.PLACES if near(place)]
    shifts = [shift for shift in words.SHIFTS if near(shift)]
    rises = [rise for rise in words.RISES if near(rise)]
    for place in places:
        liked = 5.0 if place == (0.5, 0.5) else 3.0
        found.append(Where(Spot(0, part, *place), (*lead, ("place", place)), liked * weight))
    if up > 0.62 and not part:
        found.append(Where(Spot(0, part, None, TOP), (("top", (None, None)),), 14.0 * weight))
    found += [Where(Spot(0, part, one[0]), (*lead, ("shift", one)), 1.0 * weight) for one in shifts]
    found += [Where(Spot(0, part, None, one[1]), (*lead, ("rise", one)), 1.5 * weight) for one in rises]
    for wide in (*(("place", p) for p in places if p[1] is None), *(("shift", s) for s in shifts)):
        for high in (("place", p) for p in places if p[0] is None):
            spot = Spot(0, part, wide[1][0], high[1][1])
            found.append(Where(spot, (*lead, wide, high), 0.7 * weight))
    return found


def _windows(stand: Stand, target: Target) -> list[Where]:
    """Ways to say which window of a building."""
    assert target.position is not None
    seen = look(stand.scene, stand.sight.place, target.instance)
    panes = seen.panes
    if not len(panes.key):
        return []
    k = int(np.argmin(np.linalg.norm(panes.middle - np.array(target.position), axis=1)))
    floor = int(panes.floor[k])
    found = []
    for by, rank in (("left", panes.rank_left[k]), ("right", panes.rank_right[k])):
        if rank <= 5:
            spot = Spot(0, "window", floor=floor, column=Pick("left" if by == "left" else "right", int(rank)))
            found.append(Where(spot, (("window", (None, None)),), 2.0))
    sight, ex = stand.sight, extents(stand.scene)
    owner = stand.scene.plan.things["owner"]
    for row in np.flatnonzero((owner[sight.instance - 1] == target.instance - 1) & (sight.hidden < 0.5)):
        instance = int(sight.instance[row])
        middle = ex.middle(np.array([instance - 1]))[0]
        for towards in ("above", "below", "left", "right"):
            for said in (0, floor):
                spot = Spot(0, "window", line=instance, towards=towards, floor=said)
                if pane(seen, spot, middle) == k:
                    found.append(Where(spot, (("window", (None, None)),), 3.0, int(row)))
    return found


_HIGH = Template("[near|at|toward|towards|by|close to] the {place}")


def say_where(random: Random, where: Where, thing: Text, anchor: Text) -> Text:
    """Where on a thing: "on top of it", "on the left end of the awning, near the bottom"."""
    how = list(where.how)
    spot = where.spot
    if ("window", (None, None)) in how:
        return _say_window(random, spot, thing, anchor)
    whole = thing
    prefix = random.choice(("on", "on", "on", "on", "right on", "directly on"))
    if ("part", (None, None)) in how:
        whole = Text(f"the {spot.part} of ") + thing
        how.remove(("part", (None, None)))
    if ("line", (None, None)) in how:
        line = words.LINES[spot.towards]
        how.remove(("line", (None, None)))
        tail = Template("[at|on] [" + line + "]").say(random) + " " + anchor
        whole = whole + random.choice((" ", ", ")) + tail
    if not how:
        return Text(prefix + " ") + whole
    kind, value = how[0]
    if kind == "top":
        return Text(random.choice(words.ON_TOP[:7]) + " ") + whole
    if kind == "rise":
        spoken = random.choice(words.RISES[value])
        return Text(spoken + (" of " if "middle" in spoken or "center" in spoken else " ")) + whole
    if kind == "shift":
        shift = random.choice(words.SHIFTS[value])
        lead = Text(shift + " of ") + whole if "middle" in shift or "center" in shift else None
        out = lead if lead is not None else Text(prefix + " ") + whole + f", {shift}"
    else:
        noun = random.choice(words.PLACES[value][:3] if random.random() < 0.7 else words.PLACES[value])
        out = Text(f"{_preposition(random, noun)} the {noun} of ") + whole
    for _, more in how[1:]:
        noun = random.choice(words.PLACES[more][:2])
        out = out + random.choice((", ", " ", ", ")) + _HIGH.say(random, place=noun)
    return out


def _preposition(random: Random, noun: str) -> str:
    if any(word in noun for word in ("middle", "center", "corner", "half")):
        return random.choice(("in", "in", "in", "on", "right in", "at"))
    if any(word in noun for word in ("base", "foot", "end", "edge", "bottom", "point")):
        return random.choice(("at", "at", "on", "right at"))
    return random.choice(("on", "on", "on", "at"))


def _say_window(random: Random, spot: Spot, thing: Text, anchor: Text) -> Text:
    prefix = random.choice(("in", "on", "in", "on"))
    floors = {1: ("ground floor", "first floor", "bottom floor")}.get(spot.floor)
    floor = random.choice(floors) if floors else f"{ordinal_word(spot.floor)} floor" if spot.floor else ""
    if spot.column is not None:
        rank = ordinal_word(spot.column.rank)
        which = f"the {rank} window from the {spot.column.by}"
        if spot.column.rank == 1 and random.random() < 0.6:
            which = f"the {random.choice(words.BEFORE[spot.column.by].split('|')[:1])} window"
        return Text(f"{prefix} {which} on the {floor} of ") + thing
    relation = random.choice(words.USUAL[spot.towards])
    lead = f"the {floor} window" if floor else "the window"
    return (
        Text(f"{prefix} {lead} {relation} ").marked("allocentric")
        + anchor
        + " "
        + random.choice(("on", "of"))
        + " "
        + thing
    )
