"""Refer360-like sequences: sentence by sentence from something that one finds at once to a point anywhere in view.

The first sentence names something that stands out in the whole scene. Each of the next ones leads from what one looks
at to the next thing, and the last says where Waldo is. Every phrase is tested on the scene: by what is said so far,
what it means must suit clearly better than anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from bearleft.geometry import angle_between
from bearleft.language.annotated_text import Text
from bearleft.language.referring import templates as words
from bearleft.language.referring.candidates import ALIVE, Link
from bearleft.language.referring.guide import Guide
from bearleft.language.referring.target_location import MIDDLE, PARTED, Part, Placing, panes, placings, plain, resolve
from bearleft.language.referring.view import SEAMS, SURFACES, Spot, away, onto
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.channel_images import class_name
from bearleft.world.targets import Target

LENGTHS = {2: 0.015, 3: 0.70, 4: 0.255, 5: 0.03}  # how many sentences, in Refer360
TOLERANCE, WORST = 8.0, 10.0  # degrees that a text may be off; WORST only where nothing is nearer
SEEN = 2e-3  # of the sphere: smaller things are less liked to tell something by
SEAM, SEAMED = 3.0, 0.7  # degrees from where two surfaces meet, and how often that is said
TRIES = 14  # ways to place Waldo that are tried
CAPITALS = 0.12  # how often sentences begin with one
DETAILED, REMARKED, FOCUSED = 0.75, 0.55, 0.35
SURFACED = 0.65  # how often it is said in a street what he is on; in a room always
# How often what one looks at is named again rather than called "it": in the last sentence, and in those before.
AGAIN, AGAIN_BEFORE = 0.78, 0.75


@dataclass(frozen=True)
class Sentence:
    """A sentence, and where one looks when it is done."""

    text: Text
    view: Direction


def refer(scene: SceneIndex, target: Target, seed: int = 0, number: int = 0) -> list[Sentence] | None:
    """Two to five sentences that lead to a target, or None where none would be true and near enough."""
    random = Random(f"{seed} refer {number}")
    length = random.choices(list(LENGTHS), list(LENGTHS.values()))[0]
    guide = Guide(scene, target.place, random)
    for tolerance in (TOLERANCE, WORST):
        for option in _options(guide, target, tolerance):
            guide.restart()
            found = _lead(guide, target, option, length)
            if found is not None:
                capitals = random.random() < CAPITALS
                return [Sentence(_with_capitals(one.text), one.view) for one in found] if capitals else found
    return None


@dataclass(frozen=True)
class _Option:
    """A way to place Waldo; `focus` is the part of the anchor that one looks at before."""

    placing: Placing
    anchor: int  # row
    focus: Part | None = None


def _options(guide: Guide, target: Target, tolerance: float) -> Iterator[_Option]:
    """Ways to place Waldo that are near enough, likely ones first."""
    scene, sight, random, aim = guide.scene, guide.sight, guide.random, target.direction
    rows = np.flatnonzero(guide.telling & ~ALIVE[sight.kind])
    spots = {int(row): Spot.of(sight, int(row)) for row in rows}
    off = {row: _off(spot, aim) for row, spot in spots.items()}
    anchors = [spots[row] for row in sorted(off, key=lambda row: off[row])[:16] if off[row] < 45.0]
    row_of = {spot.instance: row for row, spot in spots.items()}
    found: list[tuple[Placing, Part | None]] = [(one, None) for one in placings(aim, anchors, tolerance)]
    if class_name(target.kind) in ("window", "building"):
        found += [(one, None) for one in panes(scene, target.place, anchors[:6], aim, tolerance)]
    if random.random() < FOCUSED or tolerance == WORST:
        for spot in anchors[:6]:
            for part in words.PARTS:
                if part != MIDDLE and spot.width > PARTED and spot.top - spot.bottom > PARTED:
                    found += [(one, part) for one in placings(aim, [spot.part(*part)], tolerance) if one.moves]
    keyed: list[tuple[float, int, Placing, int, Part | None]] = []
    for placing, focus in found:
        error = 2.0 if placing.window else away(plain(placing), aim)
        if error < tolerance:
            row = row_of[placing.anchor.instance]
            weight = _weight(placing, focus, error)
            weight *= min(float(sight.share[row]) / SEEN, 1.0) ** 0.5
            own = sight.instance[row] == target.instance
            weight *= (0.6 if own else 0.3) if guide.moves[row] else 1.0
            weight *= 0.4 if placing.other and guide.moves[row_of[placing.other.instance]] else 1.0
            if not placing.moves and placing.share is None and not own:
                weight *= 0.02 if guide.indoors else 0.1
            keyed.append((random.random() ** (1.0 / max(weight, 1e-9)), len(keyed), placing, row, focus))
    keyed.sort(key=lambda key: -key[0])
    surface = _surface(guide, target)
    for _, _, placing, row, focus in keyed[:TRIES]:
        said = bool(surface) and not placing.window and (placing.moves or placing.share is not None)
        if said and (guide.indoors or random.random() < SURFACED):
            placing = replace(placing, surface=surface)
        if angle_between(resolve(placing, scene, target.place), aim) < tolerance:
            yield _Option(placing, row, focus)


def _surface(guide: Guide, target: Target) -> str:
    """What a target lies on: a surface, or often where two meet if that is near; "" for a thing."""
    found = next((name for name, kinds in SURFACES.items() if target.kind in kinds), "")
    for seam, meeting in SEAMS.items() if guide.indoors else ():
        if found in meeting and guide.random.random() < SEAMED:
            moved = onto(guide.scene, target.place, target.direction, seam, SEAM)
            if moved != target.direction:
                return seam
    return found


def _off(spot: Spot, target: Direction) -> float:
    """Degrees from the box of a spot, and a little from its middle."""
    half = spot.width / 2
    middle = spot.left + half
    across = abs((target.heading - middle + 180.0) % 360.0 - 180.0) - half
    upward = max(target.pitch - spot.top, spot.bottom - target.pitch, 0.0)
    level = math.cos(math.radians(target.pitch))
    return math.hypot(max(across, 0.0) * level, upward) + 0.15 * angle_between(spot.direction, target)


def _weight(placing: Placing, focus: Part | None, error: float) -> float:
    """How likely a person would say it so."""
    weight = math.exp(-((error / 5.0) ** 2))
    weight *= 0.6 if focus is not None else 1.0
    if placing.window:
        return weight * 2.5
    if placing.share is not None:
        return weight * (0.25 if placing.share == 0.5 else 0.35)
    if placing.level is not None:
        return weight * 0.08
    if not placing.moves:
        return weight * 6.0
    for _, measure in placing.moves:
        weight *= {0.0: 1.6, None: 1.2}.get(measure, 0.45 / max(measure or 1.0, 1.0))
    return weight * (0.15 if len(placing.moves) > 1 else 1.0)


def _lead(guide: Guide, target: Target, option: _Option, length: int) -> list[Sentence] | None:
    """Sentences that lead to the anchor of an option, and the one that places Waldo."""
    random = guide.random
    focused = option.focus is not None
    steps = max(length - 1 - focused, 1)
    chain = _chain(guide, option.anchor, steps)
    if chain is None:
        return None
    opening, links = chain
    after = links[0].what.row if links else None
    sentences = [Sentence(guide.opening(opening, random.random() < DETAILED, after), guide.focus.direction)]
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
    return sentences if _one_name_each(sentences) else None


_POINTING = re.compile(r"^(?:(?:the other|another|the|this|that|some|an|a) )?(?:(?:second|third) )?")


def _one_name_each(sentences: list[Sentence]) -> bool:
    """Whether nothing is called by two names."""
    called: dict[int, str] = {}
    for sentence in sentences:
        for one in sentence.text.mentions:
            said = sentence.text.string[one.begin : one.end]
            if said not in ("it", "that one") and called.setdefault(one.instance, noun(said)) != noun(said):
                return False
    return True


def noun(said: str) -> str:
    """What a thing is called, without the words that point at it."""
    return _POINTING.sub("", said)


def _chain(guide: Guide, anchor: int, steps: int) -> tuple[int, list[Link]] | None:
    """Something that stands out, and links from it to a thing; of other lengths where there is none of this."""
    openings = guide.openings(anchor)
    ways = {1: (_alone, _straight, _around), 2: (_straight, _around, _alone)}.get(steps, (_around, _straight, _alone))
    for way in ways:
        found = way(guide, openings, anchor)
        if found is not None:
            return found
    return None


def _alone(guide: Guide, _: list[int], anchor: int) -> tuple[int, list[Link]] | None:
    return (anchor, []) if guide.can_open(anchor) else None


def _straight(guide: Guide, openings: list[int], anchor: int) -> tuple[int, list[Link]] | None:
    for first in sorted(openings, key=lambda row: guide.tells(row, anchor)):
        link = guide.link(first, anchor) if first != anchor else None
        if link is not None:
            return first, [link]
    return None


def _around(guide: Guide, openings: list[int], anchor: int) -> tuple[int, list[Link]] | None:
    for first in openings[:3]:
        for between in guide.betweens(first, anchor) if first != anchor else ():
            if guide.tells(first, between):
                continue
            one = guide.link(first, between)
            other = guide.link(between, anchor) if one is not None else None
            if one is not None and other is not None:
                return first, [one, other]
    return None


def _with_capitals(text: Text) -> Text:
    string = re.sub(r"(^|[.] )([a-z])", lambda found: found[1] + found[2].upper(), text.string)
    return Text(string.replace("waldo", "Waldo"), text.marks, text.mentions)
