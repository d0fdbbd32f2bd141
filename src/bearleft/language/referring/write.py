"""Writer of Refer360-like sequences: from a conspicuous object, sentence by sentence, to a point anywhere in view.

The first sentence names something that stands out in the whole scene. Each of the next ones leads from the object in
focus to another, and the last locates Waldo. Each phrase is tested on the scene: given the text so far, its object must
match clearly better than any other.
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
from bearleft.language.referring import templates
from bearleft.language.referring.candidates import IS_ALIVE, ObjectLink
from bearleft.language.referring.sequence_writer import SequenceWriter
from bearleft.language.referring.target_location import (
    CENTRE_PART,
    MIN_PART_SIZE,
    Part,
    TargetLocation,
    box_location,
    location_candidates,
    resolve,
    window_candidates,
)
from bearleft.language.referring.view import SEAMS, SURFACES, ViewBox, angle_to, move_onto_surface
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.channel_images import class_name
from bearleft.world.targets import Target

LENGTH_WEIGHTS = {2: 0.015, 3: 0.70, 4: 0.255, 5: 0.03}  # of sequences by number of sentences, as in Refer360
TOLERANCE, MAX_TOLERANCE = 8.0, 10.0  # degrees of error; MAX_TOLERANCE only if nothing is nearer
PREFERRED_SHARE = 2e-3  # of the sphere; smaller objects are less preferred as references
MAX_SEAM_ANGLE, SEAM_RATE = 3.0, 0.7  # degrees from where two surfaces meet, and how often that is mentioned
MAX_TRIES = 14  # locations of Waldo
CAPITALS_RATE = 0.12  # of sequences
DETAIL_RATE, REMARK_RATE, FOCUS_RATE = 0.75, 0.55, 0.35
SURFACE_RATE = 0.65  # how often the surface is mentioned in a street; in a room always
# How often the object in focus is named again rather than called "it": in the last sentence, and in those before.
REPEAT_NAME_RATE, EARLIER_REPEAT_NAME_RATE = 0.78, 0.75


@dataclass(frozen=True)
class Sentence:
    """A sentence with the view after it."""

    text: Text
    view: Direction


def write_sequence(scene: SceneIndex, target: Target, seed: int = 0, number: int = 0) -> list[Sentence] | None:
    """Return two to five sentences that lead to a target, or None if none are true and near enough."""
    random = Random(f"{seed} refer {number}")
    length = random.choices(list(LENGTH_WEIGHTS), list(LENGTH_WEIGHTS.values()))[0]
    writer = SequenceWriter(scene, target.place, random)
    for tolerance in (TOLERANCE, MAX_TOLERANCE):
        for option in _location_options(writer, target, tolerance):
            writer.restart()
            sentences = _lead(writer, target, option, length)
            if sentences is not None:
                capitals = random.random() < CAPITALS_RATE
                return (
                    [Sentence(_with_capitals(sentence.text), sentence.view) for sentence in sentences]
                    if capitals
                    else sentences
                )
    return None


@dataclass(frozen=True)
class _LocationOption:
    """A location of Waldo; `focus` is the part of the anchor to focus on before."""

    location: TargetLocation
    anchor: int  # row
    focus: Part | None = None


def _location_options(writer: SequenceWriter, target: Target, tolerance: float) -> Iterator[_LocationOption]:
    """Yield locations of Waldo that are near enough, likely ones first."""
    scene, visible, random, direction = writer.scene, writer.visible, writer.random, target.direction
    rows = np.flatnonzero(writer.references & ~IS_ALIVE[visible.kind])
    boxes = {int(row): ViewBox.of(visible, int(row)) for row in rows}
    distances = {row: _box_distance(box, direction) for row, box in boxes.items()}
    anchors = [boxes[row] for row in sorted(distances, key=lambda row: distances[row])[:16] if distances[row] < 45.0]
    row_of = {box.instance: row for row, box in boxes.items()}
    locations: list[tuple[TargetLocation, Part | None]] = [
        (candidate, None) for candidate in location_candidates(direction, anchors, tolerance)
    ]
    if class_name(target.kind) in ("window", "building"):
        locations += [
            (candidate, None) for candidate in window_candidates(scene, target.place, anchors[:6], direction, tolerance)
        ]
    if random.random() < FOCUS_RATE or tolerance == MAX_TOLERANCE:
        for box in anchors[:6]:
            for part in templates.PARTS:
                if part != CENTRE_PART and box.width > MIN_PART_SIZE and box.top - box.bottom > MIN_PART_SIZE:
                    locations += [
                        (candidate, part)
                        for candidate in location_candidates(direction, [box.part(*part)], tolerance)
                        if candidate.moves
                    ]
    keyed: list[tuple[float, int, TargetLocation, int, Part | None]] = []
    for location, focus in locations:
        error = 2.0 if location.window else angle_to(box_location(location), direction)
        if error < tolerance:
            row = row_of[location.anchor.instance]
            weight = _weight(location, focus, error)
            weight *= min(float(visible.share[row]) / PREFERRED_SHARE, 1.0) ** 0.5
            is_target = visible.instance[row] == target.instance
            weight *= (0.6 if is_target else 0.3) if writer.moving[row] else 1.0
            weight *= 0.4 if location.other and writer.moving[row_of[location.other.instance]] else 1.0
            if not location.moves and location.share is None and not is_target:
                weight *= 0.02 if writer.indoors else 0.1
            keyed.append((random.random() ** (1.0 / max(weight, 1e-9)), len(keyed), location, row, focus))
    keyed.sort(key=lambda key: -key[0])
    surface = _target_surface(writer, target)
    for _, _, location, row, focus in keyed[:MAX_TRIES]:
        names_surface = bool(surface) and not location.window and (location.moves or location.share is not None)
        if names_surface and (writer.indoors or random.random() < SURFACE_RATE):
            location = replace(location, surface=surface)
        if angle_between(resolve(location, scene, target.place), direction) < tolerance:
            yield _LocationOption(location, row, focus)


def _target_surface(writer: SequenceWriter, target: Target) -> str:
    """Return the surface that a target lies on, or often the seam of two if that is near; "" for an object."""
    surface = next((name for name, kinds in SURFACES.items() if target.kind in kinds), "")
    for seam, meeting in SEAMS.items() if writer.indoors else ():
        if surface in meeting and writer.random.random() < SEAM_RATE:
            moved = move_onto_surface(writer.scene, target.place, target.direction, seam, MAX_SEAM_ANGLE)
            if moved != target.direction:
                return seam
    return surface


def _box_distance(box: ViewBox, target: Direction) -> float:
    """Return the degrees from a box, plus a little for the distance from its centre."""
    half = box.width / 2
    middle = box.left + half
    across = abs((target.heading - middle + 180.0) % 360.0 - 180.0) - half
    upward = max(target.pitch - box.top, box.bottom - target.pitch, 0.0)
    level = math.cos(math.radians(target.pitch))
    return math.hypot(max(across, 0.0) * level, upward) + 0.15 * angle_between(box.direction, target)


def _weight(location: TargetLocation, focus: Part | None, error: float) -> float:
    """Return how likely a person is to use a location."""
    weight = math.exp(-((error / 5.0) ** 2))
    weight *= 0.6 if focus is not None else 1.0
    if location.window:
        return weight * 2.5
    if location.share is not None:
        return weight * (0.25 if location.share == 0.5 else 0.35)
    if location.level is not None:
        return weight * 0.08
    if not location.moves:
        return weight * 6.0
    for _, measure in location.moves:
        weight *= {0.0: 1.6, None: 1.2}.get(measure, 0.45 / max(measure or 1.0, 1.0))
    return weight * (0.15 if len(location.moves) > 1 else 1.0)


def _lead(writer: SequenceWriter, target: Target, option: _LocationOption, length: int) -> list[Sentence] | None:
    """Write the sentences that lead to the anchor of an option, and the one that locates Waldo."""
    random = writer.random
    focused = option.focus is not None
    steps = max(length - 1 - focused, 1)
    chain = _chain(writer, option.anchor, steps)
    if chain is None:
        return None
    opening, links = chain
    after = links[0].target.row if links else None
    sentences = [Sentence(writer.opening(opening, random.random() < DETAIL_RATE, after), writer.focus.direction)]
    for link in links:
        text = writer.middle(link, random.random() < EARLIER_REPEAT_NAME_RATE)
        sentences.append(Sentence(text, writer.focus.direction))
    if option.focus is not None:
        text = writer.look_at(option.focus, random.random() < EARLIER_REPEAT_NAME_RATE)
        sentences.append(Sentence(text, writer.focus.direction))
    last = writer.last(option.location, target, random.random() < REPEAT_NAME_RATE, random.random() < REMARK_RATE)
    if last is None:
        return None
    sentences.append(Sentence(last, target.direction))
    return sentences if _one_name_each(sentences) else None


_POINTING = re.compile(r"^(?:(?:the other|another|the|this|that|some|an|a) )?(?:(?:second|third) )?")


def _one_name_each(sentences: list[Sentence]) -> bool:
    """Return whether no object has two names."""
    names: dict[int, str] = {}
    for sentence in sentences:
        for mention in sentence.text.mentions:
            name = sentence.text.string[mention.begin : mention.end]
            if name not in ("it", "that one") and names.setdefault(mention.instance, noun(name)) != noun(name):
                return False
    return True


def noun(name: str) -> str:
    """Return a name without its determiner and ordinal."""
    return _POINTING.sub("", name)


def _chain(writer: SequenceWriter, anchor: int, steps: int) -> tuple[int, list[ObjectLink]] | None:
    """Return a conspicuous object and links from it to the anchor, preferably of the given number."""
    openings = writer.openings(anchor)
    strategies = {1: (_no_link, _one_link, _two_links), 2: (_one_link, _two_links, _no_link)}.get(
        steps, (_two_links, _one_link, _no_link)
    )
    for strategy in strategies:
        chain = strategy(writer, openings, anchor)
        if chain is not None:
            return chain
    return None


def _no_link(writer: SequenceWriter, _: list[int], anchor: int) -> tuple[int, list[ObjectLink]] | None:
    return (anchor, []) if writer.can_open(anchor) else None


def _one_link(writer: SequenceWriter, openings: list[int], anchor: int) -> tuple[int, list[ObjectLink]] | None:
    for first in sorted(openings, key=lambda row: writer.mentions(row, anchor)):
        link = writer.link(first, anchor) if first != anchor else None
        if link is not None:
            return first, [link]
    return None


def _two_links(writer: SequenceWriter, openings: list[int], anchor: int) -> tuple[int, list[ObjectLink]] | None:
    for first in openings[:3]:
        for intermediate in writer.intermediates(first, anchor) if first != anchor else ():
            if writer.mentions(first, intermediate):
                continue
            first_link = writer.link(first, intermediate)
            second_link = writer.link(intermediate, anchor) if first_link is not None else None
            if first_link is not None and second_link is not None:
                return first, [first_link, second_link]
    return None


def _with_capitals(text: Text) -> Text:
    string = re.sub(r"(^|[.] )([a-z])", lambda match: match[1] + match[2].upper(), text.string)
    return Text(string.replace("waldo", "Waldo"), text.annotations, text.mentions)
