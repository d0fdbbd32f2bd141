"""Refer360-like sequences: sentence by sentence from something that one finds at once to a point anywhere in the view.

The first sentence names something that stands out in the whole scene. Each of the next ones leads from what one looks at
to the next thing, and the last says where Waldo is. Every phrase is tested on the scene: by what is said so far, what it
means must suit clearly better than anything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from bearleft.data.targets import MOVING, Target
from bearleft.data.wording import refer_words as words
from bearleft.data.wording.around import Around
from bearleft.data.wording.refer_guide import Guide, Link
from bearleft.data.wording.refer_place import Placing, errors, placings, resolve
from bearleft.data.wording.refer_view import SMALLEST, SURFACES, Spot
from bearleft.data.wording.text import Text
from bearleft.geometry import angle_between
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.picture import class_name

LENGTHS = {2: 0.015, 3: 0.70, 4: 0.255, 5: 0.03}  # how many sentences, in Refer360
TOLERANCE, WORST = 6.0, 9.0  # degrees that a text may be off; WORST only where nothing is nearer
TRIES = 14  # ways to place Waldo that are tried
CAPITALS = 0.12  # how often sentences begin with one
DETAILED, REMARKED, FOCUSED = 0.55, 0.3, 0.3
# How often what one looks at is named again rather than called "it": in the last sentence, and in those before.
AGAIN, AGAIN_BEFORE = 0.62, 0.5
_MOVES = np.array([one.name in MOVING for one in CLASSES])
_ALIVE = np.array([one.name in ("person", "cyclist", "dog") for one in CLASSES])


@dataclass(frozen=True)
class Sentence:
    """A sentence, and where one looks when it is done."""

    text: Text
    view: Direction


def refer(around: Around, target: Target, seed: int = 0, number: int = 0) -> list[Sentence] | None:
    """Two to five sentences that lead to a target, or None where none would be true and near enough."""
    random = Random(f"{seed} refer {number}")
    length = random.choices(list(LENGTHS), list(LENGTHS.values()))[0]
    found = None
    for tolerance in (TOLERANCE, WORST):
        for option in _options(around, target, random, tolerance):
            found = _lead(Guide(around, target.place, random), target, option, length)
            if found is not None:
                break
        if found is not None:
            break
    if found is not None and random.random() < CAPITALS:
        found = [Sentence(_with_capitals(one.text), one.view) for one in found]
    return found


@dataclass(frozen=True)
class _Option:
    """A way to place Waldo; `focus` is the part of the anchor that one looks at before."""

    placing: Placing
    anchor: int  # row
    focus: tuple[int, int] | None = None


def _options(around: Around, target: Target, random: Random, tolerance: float) -> Iterator[_Option]:
    """Ways to place Waldo that are near enough, likely ones first."""
    sight = around.at(target.place)
    rows = np.flatnonzero((sight.share >= 2 * SMALLEST) & (sight.hidden < 0.8) & ~_ALIVE[sight.kind])
    spots = {int(row): Spot.of(sight, int(row)) for row in rows}
    off = {row: _off(spot, target.direction) for row, spot in spots.items()}
    rows_near = sorted(off, key=lambda row: off[row])[:18]
    anchors = [spots[row] for row in rows_near if off[row] < 45.0]
    row_of = {spot.instance: row for row, spot in spots.items()}
    walls = class_name(target.kind) in ("window", "building")
    found: list[tuple[Placing, tuple[int, int] | None]] = [
        (one, None) for one in placings(around, target.place, target.direction, anchors, walls)
    ]
    for spot in anchors[:8]:
        for part in words.PARTS:
            if part != (0, 0) and min(spot.width, spot.top - spot.bottom) > 4.0:
                some = placings(around, target.place, target.direction, [spot.part(*part)], False)
                found += [(one, part) for one in some if one.moves]
    keyed = []
    for (placing, part), error in zip(found, errors([one for one, _ in found], target.direction), strict=True):
        row = row_of[placing.anchor.instance]
        if placing.window or error < tolerance + 3.0 * bool(placing.surface):
            weight = _weight(placing, part, error if not placing.window else 3.0)
            weight *= 0.3 if _MOVES[sight.kind[row]] else 1.0
            weight *= 0.4 if placing.other and _MOVES[sight.kind[row_of[placing.other.instance]]] else 1.0
            if not placing.moves and placing.share is None and sight.instance[row] != target.instance:
                weight *= 0.1
            keyed.append((random.random() ** (1.0 / max(weight, 1e-9)), len(keyed), placing, row, part))
    keyed.sort(key=lambda key: -key[0])
    surface = next((name for name, kinds in SURFACES.items() if target.kind in kinds and name in words.SURFACES), "")
    for _, _, placing, row, part in keyed[:TRIES]:
        if surface and not placing.window and random.random() < 0.6:
            placing = replace(placing, surface=surface)
        if angle_between(resolve(placing, around, target.place), target.direction) < tolerance:
            yield _Option(placing, row, part)


def _off(spot: Spot, target: Direction) -> float:
    """Degrees from the box of a spot, and a little from its middle."""
    half = spot.width / 2
    middle = spot.left + half
    across = abs((target.heading - middle + 180.0) % 360.0 - 180.0) - half
    upward = max(target.pitch - spot.top, spot.bottom - target.pitch, 0.0)
    level = math.cos(math.radians(target.pitch))
    return math.hypot(max(across, 0.0) * level, upward) + 0.15 * angle_between(spot.direction, target)


def _weight(placing: Placing, part: tuple[int, int] | None, error: float) -> float:
    """How likely a person would say it so."""
    weight = math.exp(-((error / 4.0) ** 2))
    weight *= 0.35 if part is not None else 1.0
    if placing.window:
        return weight * 2.5
    if placing.share is not None:
        return weight * (0.12 if placing.share == 0.5 else 0.06)
    if placing.level is not None:
        return weight * 0.12
    if not placing.moves:
        return weight * 4.0
    for _, measure in placing.moves:
        weight *= {0.0: 1.6, None: 1.2}.get(measure, 0.45 / max(measure or 1.0, 1.0))
    return weight * (0.3 if len(placing.moves) > 1 else 1.0)


def _lead(guide: Guide, target: Target, option: _Option, length: int) -> list[Sentence] | None:
    """Sentences that lead to the anchor of an option, and the one that places Waldo."""
    random = guide.random
    focused = option.focus is not None
    steps = max(length - 1 - focused, 1)
    chain = _chain(guide, option.anchor, steps)
    if chain is None:
        return None
    opening, links = chain
    sentences = [Sentence(guide.opening(opening, random.random() < DETAILED), guide.focus.direction)]
    for link in links:
        said = guide.middle(link, random.random() < AGAIN_BEFORE)
        sentences.append(Sentence(said, guide.focus.direction))
    if option.focus is not None:
        said = guide.look_at(option.focus, random.random() < AGAIN_BEFORE)
        sentences.append(Sentence(said, guide.focus.direction))
    last = guide.last(option.placing, target, random.random() < AGAIN, random.random() < REMARKED)
    if last is None:
        return None
    sentences.append(Sentence(last, target.direction))
    return sentences


def _chain(guide: Guide, anchor: int, steps: int) -> tuple[int, list[Link]] | None:
    """Something that stands out, and links from it to a thing."""
    openings = guide.openings(anchor)
    if steps == 1 or not openings:
        if anchor in openings or guide.can_open(anchor):
            return anchor, []
    for first in openings[:6]:
        if first == anchor:
            continue
        if steps <= 2:
            link = guide.link(first, anchor)
            if link is not None:
                return first, [link]
            continue
        for between in guide.betweens(first, anchor):
            one = guide.link(first, between)
            other = guide.link(between, anchor) if one is not None else None
            if one is not None and other is not None:
                return first, [one, other]
    if steps != 2 and openings:
        return _chain(guide, anchor, 2)
    return (anchor, []) if guide.can_open(anchor) else None


def _with_capitals(text: Text) -> Text:
    string = text.string[:1].upper() + text.string[1:].replace("waldo", "Waldo")
    return Text(string, text.marks, text.mentions)
