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
from functools import partial

import numpy as np

from bearleft.geometry import angle_between
from bearleft.language.annotated_text import Text
from bearleft.language.phrases import bare_noun
from bearleft.language.referring import templates
from bearleft.language.referring.candidates import IS_ALIVE, ObjectLink
from bearleft.language.referring.groups import Group, find_group
from bearleft.language.referring.last_sentence import LastSentenceWriter
from bearleft.language.referring.named_parts import named_parts
from bearleft.language.referring.parse import follow_sentences
from bearleft.language.referring.sequence_writer import Focus
from bearleft.language.referring.target_location import (
    CENTRE_PART,
    FAR_WALDOS,
    MAX_TOUCH_ERROR,
    MIN_PART_SIZE,
    Body,
    Edge,
    Feet,
    TargetLocation,
    box_location,
    edge_candidates,
    is_at_object,
    location_candidates,
    reader_error,
    resolve,
    surface_candidates,
    touching_gap,
    window_candidates,
)
from bearleft.language.referring.view import (
    SEAMS,
    SURFACES,
    WALDO_HEIGHT,
    ViewBox,
    angle_to,
    move_onto_surface,
    seam_pitch,
)
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import normalize_spaces
from bearleft.language.writer_random import CHOICE_MARK, WriterRandom, fitted_weights
from bearleft.records import Direction
from bearleft.world.channel_images import class_name
from bearleft.world.targets import Target

LENGTH_WEIGHTS = {2: 0.015, 3: 0.70, 4: 0.255, 5: 0.03}  # of sequences by number of sentences, as in Refer360
TOLERANCE, MAX_TOLERANCE = 8.0, 10.0  # degrees of error; MAX_TOLERANCE only if nothing is nearer
# Tolerances with the degrees by which readers who are a little off may miss; the later only if nothing is nearer.
ATTEMPTS = ((TOLERANCE, 10.0), (MAX_TOLERANCE, 14.0), (MAX_TOLERANCE, 18.0))
# The same for distances in feet and in Waldos, which readers misjudge, however far the nearest location is.
MAX_FEET_ERROR, MAX_WALDO_ERROR = 13.0, 14.0
READER_ERROR_SCALE = 5.0  # degrees at which a location is much less preferred
MAX_VIEW_ERROR = 10.5  # degrees between the view after a sentence and that of a follower
PREFERRED_SHARE = 4e-3  # of the sphere; smaller objects are less preferred as references
MAX_SEAM_ANGLE, SEAM_RATE = 4.5, 0.8  # degrees from where two surfaces meet, and how often that is mentioned
MAX_TRIES = 14  # locations of Waldo
MAX_SPOT_ERROR = 5.0  # degrees between Waldo and the part of an object where he is "right there"
CAPITALS_RATE = 0.12  # of sequences
SAME_CLASS_FACTOR = 12.0  # weight of locations between two objects of a class, which can be named together
MAX_PAIR_ERROR = 4.0  # degrees, for this factor
FOCUS_RATE = 0.35  # how often a part of the anchor is looked at before
SURFACE_RATE = 0.65  # how often the surface is mentioned in a street; in a room always
# How often Waldo may be a measure ("two waldos above"): readers do not see his size.
WALDO_MEASURE_RATE = 0.05
TOUCHING_RATE = 0.6  # how often it is mentioned what Waldo touches
GROUND_RATE = 0.4  # how often a road or a sidewalk is "the ground"
# Sentences before the last one, by their number: weights. O opens with a conspicuous object, L leads to another, A
# names one by itself, G names a group and M one of it.
LEADS: dict[int, dict[str, float]] = {
    1: {"O": 1.0},
    2: {"OL": 5.0, "OA": 3.0, "GM": 1.5},
    3: {"OLL": 4.0, "OLA": 2.0, "OAL": 3.0, "GML": 1.0, "OGM": 1.0},
}
JOIN_RATE = 0.35  # how often two sentences are joined by "and"
JOINED_VERBS = ("find ", "look at ", "look for ", "locate ", "notice ", "focus on ", "go to ", "see ")
KIND_KEY = "location"
LOCATION_KINDS = (
    *("on", "on a part", "named part", "window", "toward", "touched edge", "between", "closer", "level", "touching"),
    *("two moves", "feet", "left", "right", "above", "below", "just left", "just right", "just above", "just below"),
    *("left waldos", "right waldos", "above waldos", "below waldos", "after a part", "at a part", "after a named part"),
    *("at a named part", "after an edge", "at an edge"),
)
_Lead = tuple[list[int | ObjectLink | Group], str]


@dataclass(frozen=True)
class Sentence:
    """A sentence with the view after it."""

    text: Text
    view: Direction


def write_sequence(scene: SceneIndex, target: Target, seed: int = 0, number: int = 0) -> list[Sentence] | None:
    """Return two to five sentences that lead to a target, or None if none are true and near enough."""
    random = WriterRandom(f"{seed} refer {number}", fitted_weights("refer360"))
    length = random.choices(list(LENGTH_WEIGHTS), list(LENGTH_WEIGHTS.values()))[0]
    capitals = random.random() < CAPITALS_RATE
    writer = LastSentenceWriter(scene, target.place, random)
    for tolerance, max_reader_error in ATTEMPTS:
        for option in _location_options(writer, target, tolerance, max_reader_error):
            writer.restart()
            sentences = _lead(writer, target, option, length)
            if sentences is not None and _can_be_followed(scene, target, sentences):
                if capitals:
                    return [Sentence(_with_capitals(sentence.text), sentence.view) for sentence in sentences]
                return sentences
    return None


def _can_be_followed(scene: SceneIndex, target: Target, sentences: list[Sentence]) -> bool:
    """Return whether a follower who reads the sentences looks where they lead, after each of them."""
    texts = [sentence.text.string for sentence in sentences]
    views = follow_sentences(texts, scene, target.place, Direction(0.0, 0.0))
    return all(
        angle_between(view, sentence.view) < MAX_VIEW_ERROR for view, sentence in zip(views, sentences, strict=True)
    )


@dataclass(frozen=True)
class _LocationOption:
    """A location of Waldo; `focus` is the part of the anchor to focus on before."""

    location: TargetLocation
    anchor: int  # row
    focus: Focus | None = None
    kind: str = ""  # one of LOCATION_KINDS


def _location_options(
    writer: LastSentenceWriter, target: Target, tolerance: float, max_reader_error: float
) -> Iterator[_LocationOption]:
    """Yield locations of Waldo that are near enough, likely ones first."""
    scene, visible, random, direction = writer.scene, writer.visible, writer.random, target.direction
    rows = np.flatnonzero(writer.references & ~IS_ALIVE[visible.kind])
    boxes = {int(row): ViewBox.of(visible, int(row)) for row in rows}
    distances = {row: _box_distance(box, direction) for row, box in boxes.items()}
    anchors = [boxes[row] for row in sorted(distances, key=lambda row: distances[row])[:16] if distances[row] < 45.0]
    row_of = {box.instance: row for row, box in boxes.items()}
    locations: list[tuple[TargetLocation, Focus | None]] = [
        (candidate, None) for candidate in location_candidates(direction, anchors, tolerance)
    ]
    if class_name(target.kind) in ("window", "building"):
        # Windows are counted from what belongs to the building, not from a tree before it.
        attached = [box for box in anchors[:10] if visible.owner[row_of[box.instance]] > 0]
        locations += [
            (candidate, None) for candidate in window_candidates(scene, target.place, attached, direction, tolerance)
        ]
    if writer.indoors and target.kind in SURFACES["wall"]:
        locations += [
            (candidate, None) for candidate in edge_candidates(scene, target.place, anchors[:6], direction, tolerance)
        ]
    surface = _target_surface(writer, target)
    straight = list(surface_candidates(scene, target.place, anchors[:8], direction, surface, tolerance))
    locations += [(candidate, None) for candidate in straight]
    for box in anchors[:6]:
        for word, part_box in named_parts(visible, box.instance):
            if box.instance == target.instance and angle_between(part_box.direction, direction) < tolerance:
                locations.append((TargetLocation(part_box, named_part=word), None))
    if random.chance("focus on a part", FOCUS_RATE) or tolerance == MAX_TOLERANCE:
        for seen in _focuses(writer, target, anchors[:6]):
            locations += [
                (candidate, seen)
                for candidate in location_candidates(direction, [seen.box], tolerance)
                if candidate.moves and not candidate.body
            ]
            if angle_between(seen.box.direction, direction) < MAX_SPOT_ERROR:
                locations.append((TargetLocation(seen.box), seen))
    fitted = fitted_weights("refer360").choices.get(KIND_KEY, ())
    kind_weights = dict(zip(LOCATION_KINDS, fitted or [1.0] * len(LOCATION_KINDS), strict=True))
    keyed: list[tuple[float, int, TargetLocation, int, Focus | None]] = []
    may_use_waldos = max_reader_error == ATTEMPTS[-1][1] or random.random() < WALDO_MEASURE_RATE
    for location, focus in locations:
        in_waldos = any(
            measure and measure != FAR_WALDOS and not isinstance(measure, Feet) for _, measure in location.moves
        )
        if in_waldos and not may_use_waldos:
            continue
        if location.window or location.toward or location.touched:
            error = 2.0
        elif location.surface:
            error = angle_between(resolve(location, scene, target.place), direction)
        else:
            error = angle_to(box_location(location), direction)
        off = reader_error(location)
        in_feet = any(isinstance(measure, Feet) for _, measure in location.moves)
        max_off = MAX_WALDO_ERROR if in_waldos else MAX_FEET_ERROR if in_feet else max_reader_error
        if error < tolerance and error + off < min(max_reader_error, max_off):
            row = row_of[location.anchor.instance if focus is None else focus.box.instance]
            weight = _weight(location, focus, error) * kind_weights[_kind(location, focus)]
            weight *= math.exp(-((off / READER_ERROR_SCALE) ** 2))
            weight *= min(float(visible.share[row]) / PREFERRED_SHARE, 1.0) ** 0.5
            if location.share == 0.5 and location.other is not None:
                same = visible.kind[row] == visible.kind[row_of[location.other.instance]]
                weight *= SAME_CLASS_FACTOR if same and error < MAX_PAIR_ERROR else 1.0  # "between the two windows"
            is_target = visible.instance[row] == target.instance
            weight *= (0.6 if is_target else 0.3) if writer.moving[row] else 1.0
            weight *= 0.4 if location.other and writer.moving[row_of[location.other.instance]] else 1.0
            if not location.moves and location.share is None and not is_target:
                if writer.indoors and max_reader_error < ATTEMPTS[-1][1]:
                    continue
                weight *= 0.003 if writer.indoors else 0.1
            keyed.append((random.random() ** (1.0 / max(weight, 1e-9)), len(keyed), location, row, focus))
    keyed.sort(key=lambda key: -key[0])
    for _, _, location, row, focus in keyed[:MAX_TRIES]:
        if not (is_at_object(location, scene, target.place) and _is_part_visible(writer, target, focus)):
            continue
        names_surface = bool(surface) and not (location.window or location.toward or location.touched)
        beside = bool(location.moves) or location.share is not None or (focus is not None and writer.indoors)
        names_surface &= beside and not location.surface
        if names_surface and (writer.indoors or random.random() < SURFACE_RATE):
            location = replace(location, surface=surface)
        if focus is None and random.random() < TOUCHING_RATE:
            location = _touching(writer, target, location)
        if angle_between(resolve(location, scene, target.place), direction) < tolerance:
            yield _LocationOption(location, row, focus)


def _touching(writer: LastSentenceWriter, target: Target, location: TargetLocation) -> TargetLocation:
    """Return the location with what Waldo touches, if he touches something."""
    if len(location.moves) != 1 or location.body or location.level is not None or location.window:
        return location
    (side, measure) = location.moves[0]
    if measure:  # a distance is given
        return location
    anchor, direction = location.anchor, target.direction
    if target.kind in SURFACES["wall"] and writer.indoors:
        seam = seam_pitch(writer.scene, target.place, direction.heading, "ceiling")
        if seam is not None and abs(seam - WALDO_HEIGHT / 2 - direction.pitch) < MAX_TOUCH_ERROR:
            return replace(location, body="head", touched="ceiling")
    gaps = {"above": direction.pitch - anchor.top, "below": anchor.bottom - direction.pitch}
    body: Body = "feet" if side == "above" else "head"
    if side in gaps and abs(gaps[side] - touching_gap(side)) < MAX_TOUCH_ERROR:
        return replace(location, body=body)
    return location


def _focuses(writer: LastSentenceWriter, target: Target, anchors: list[ViewBox]) -> Iterator[Focus]:
    """Yield what to look at before the last sentence: parts of anchors, and the end of the wall above or below them."""
    for box in anchors:
        if box.width > MIN_PART_SIZE and box.top - box.bottom > MIN_PART_SIZE:
            yield from (Focus(box.part(*part), part) for part in templates.PARTS if part != CENTRE_PART)
        yield from (Focus(part_box, named_part=word) for word, part_box in named_parts(writer.visible, box.instance))
        edges: tuple[Edge, ...] = ("ceiling", "floor") if writer.indoors else ()
        for edge in edges:
            seam = seam_pitch(writer.scene, target.place, box.heading, edge)
            if seam is not None and (seam > box.top if edge == "ceiling" else seam < box.bottom):
                seam_box = ViewBox.at(Direction(box.heading % 360.0, seam), box.distance)
                yield Focus(replace(seam_box, instance=box.instance), edge=edge)


def _is_part_visible(writer: LastSentenceWriter, target: Target, focus: Focus | None) -> bool:
    """Return whether the part of an object to look at is there, not only in its box."""
    if focus is None or focus.part == CENTRE_PART:
        return True
    box = ViewBox.of(writer.visible, writer.visible.find(focus.box.instance))
    return is_at_object(TargetLocation(box, focus.part), writer.scene, target.place)


def _kind(location: TargetLocation, focus: Focus | None) -> str:
    """Return the kind of a location, one of LOCATION_KINDS."""
    if focus is not None:
        kind = "an edge" if focus.edge else "a named part" if focus.named_part else "a part"
        return f"after {kind}" if location.moves else f"at {kind}"
    if location.window:
        return "window"
    if location.toward or location.touched:
        return "toward" if location.toward else "touched edge"
    if location.share is not None or location.level is not None:
        return "between" if location.share == 0.5 else "closer" if location.share is not None else "level"
    if not location.moves:
        return "named part" if location.named_part else "on" if location.part == CENTRE_PART else "on a part"
    if location.body or len(location.moves) > 1:
        return "touching" if location.body else "two moves"
    (side, measure) = location.moves[0]
    if isinstance(measure, Feet):
        return "feet"
    return f"{side} waldos" if measure else f"just {side}" if measure is not None else side


def _target_surface(writer: LastSentenceWriter, target: Target) -> str:
    """Return the surface that a target lies on, or often the seam of two if that is near; "" for an object."""
    surface = next((name for name, kinds in SURFACES.items() if target.kind in kinds), "")
    if target.kind in SURFACES["ground"] and writer.random.random() < GROUND_RATE:
        return "ground"
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


def _weight(location: TargetLocation, focus: Focus | None, error: float) -> float:
    """Return how likely a person is to use a location."""
    weight = math.exp(-((error / 2.5) ** 2))
    weight *= 0.6 if focus is not None else 1.0
    if location.window:
        return weight * 0.5
    if location.toward:
        return weight * 2.0
    if location.touched:
        return weight * 1.5
    if location.share is not None:
        return weight * (0.6 if location.share == 0.5 else 0.2)
    if location.level is not None:
        return weight * 0.08
    if not location.moves:
        return weight * (6.0 if focus is None else 3.0)
    for _, measure in location.moves:
        if isinstance(measure, Feet):
            weight *= 0.1 / max(measure.count, 1.0)
        elif measure == FAR_WALDOS:
            weight *= 0.1
        else:
            weight *= {0.0: 2.0, None: 1.6}.get(measure, 0.002 / max(measure or 1.0, 1.0))
    weight *= 0.7 if location.body else 1.0
    return weight * (0.2 if len(location.moves) > 1 else 1.0)


def _lead(writer: LastSentenceWriter, target: Target, option: _LocationOption, length: int) -> list[Sentence] | None:
    """Write the sentences that lead to the anchor of an option, and the one that locates Waldo."""
    if option.location.share == 0.5 and option.location.other is not None:
        between = _between_group(writer, target, option, length)
        if between is not None:
            return between
        writer.restart()
    focused = option.focus is not None
    joined = writer.random.random() < JOIN_RATE
    lead = _find_lead(writer, option.anchor, max(length - 1 - focused + joined, 1))
    if lead is None:
        return None
    sentences: list[Sentence] = []
    steps, letters = lead
    for k, (step, letter) in enumerate(zip(steps, letters, strict=True)):
        after = _row_of(steps[k + 1]) if k + 1 < len(steps) else None
        text = writer.ranked(partial(_write_step, writer, step, letter, after, first=k == 0))
        assert text is not None
        sentences.append(Sentence(text, writer.focus.direction))
    named_part = option.focus.named_part if option.focus is not None else option.location.named_part
    if (
        named_part
        and writer.focused_object is not None
        and set(named_part.split()) & set(writer.focused_object.noun.split())
    ):
        return None  # no "glass of the glass window"
    if option.focus is not None:
        text = writer.ranked(partial(writer.look_at, option.focus))
        assert text is not None
        sentences.append(Sentence(text, writer.focus.direction))
    if writer.random.recording:
        writer.random.defaults[KIND_KEY] = [1.0] * len(LOCATION_KINDS)
        kinds = LOCATION_KINDS.index(_kind(option.location, option.focus)), len(LOCATION_KINDS)
        writer.random.recorded.append(f"{CHOICE_MARK}{kinds[0]} {kinds[1]} {KIND_KEY}")
    last = writer.ranked(partial(writer.last, option.location, target))
    if last is None:
        return None
    sentences.append(Sentence(last, target.direction))
    if joined and len(sentences) > length:
        sentences = _join_two(writer, sentences)
    return sentences if _one_name_each(sentences) else None


def _between_group(
    writer: LastSentenceWriter, target: Target, option: _LocationOption, length: int
) -> list[Sentence] | None:
    """Write sentences that name two objects as a group, and the one that locates Waldo between them, if possible."""
    assert option.location.other is not None
    group = find_group(writer, option.anchor)
    if group is None or set(group.rows) != {option.anchor, writer.visible.find(option.location.other.instance)}:
        return None
    steps: list[int | Group] = [group]
    if length > 2:
        openings = [row for row in writer.openings(option.anchor) if row not in group.rows]
        if not openings:
            return None
        steps.insert(0, openings[0])
    sentences: list[Sentence] = []
    for k, step in enumerate(steps):
        text = writer.ranked(partial(_write_step, writer, step, "G", option.anchor, first=k == 0))
        assert text is not None
        sentences.append(Sentence(text, writer.focus.direction))
    last = writer.ranked(partial(writer.between_group, group, option.location))
    assert last is not None
    sentences.append(Sentence(last, target.direction))
    return sentences if _one_name_each(sentences) else None


def _write_step(
    writer: LastSentenceWriter, step: int | ObjectLink | Group, letter: str, after: int | None, first: bool
) -> Text:
    """Write the sentence of one step of a lead; `after` is the row of the next step's object."""
    if isinstance(step, ObjectLink):
        return writer.middle(step)
    if isinstance(step, Group):
        return writer.group_opening(step, first=first) if letter == "G" else writer.group_member(step)
    return writer.opening(step, after, first=first)


def _join_two(writer: LastSentenceWriter, sentences: list[Sentence]) -> list[Sentence]:
    """Return the sentences with the first two joined by "and", if the second is a request."""
    first, second, *others = sentences
    if not others or not second.text.string.startswith(JOINED_VERBS) or first.text.string.startswith("there "):
        return sentences
    begin = Text(first.text.string[:-1], first.text.annotations, first.text.mentions)
    text = normalize_spaces(Text.join([begin, templates.JOIN.render(writer.random), second.text]))
    return [Sentence(text, second.view), *others]


def _row_of(step: int | ObjectLink | Group) -> int:
    if isinstance(step, ObjectLink):
        return step.target.row
    return step.member.row if isinstance(step, Group) else step


_POINTING = re.compile(r"^(?:(?:the other|another|the|this|that|some|an|a) )?(?:(?:second|third) )?")


def _one_name_each(sentences: list[Sentence]) -> bool:
    """Return whether no object has two names."""
    names: dict[int, str] = {}
    for sentence in sentences:
        for mention in sentence.text.mentions:
            name = sentence.text.string[mention.begin : mention.end]
            if name in ("it", "that") or " one" in name or name.startswith("the two "):
                continue
            known = names.setdefault(mention.instance, noun(name))
            if not known.startswith(noun(name)) and noun(name) != bare_noun(known):
                return False
    return True


def noun(name: str) -> str:
    """Return a name without its determiner and ordinal."""
    return _POINTING.sub("", name)


def _find_lead(writer: LastSentenceWriter, anchor: int, count: int) -> _Lead | None:
    """Return steps to the anchor, preferably of the given number."""
    openings = writer.openings(anchor)
    for number in (count, *(other for other in (2, 1, 3) if other != count)):
        weights = dict(LEADS[min(number, max(LEADS))])
        while any(weights.values()):
            letters = writer.random.pick(f"lead of {len(next(iter(weights)))}", weights)
            weights[letters] = 0.0
            steps = _steps(writer, openings, anchor, letters)
            if steps is not None:
                return steps, letters
    return None


def _steps(
    writer: LastSentenceWriter, openings: list[int], anchor: int, letters: str
) -> list[int | ObjectLink | Group] | None:
    """Return the steps of a lead, or None if there are none."""
    others = [row for row in openings if row != anchor]
    if letters == "O":
        return [anchor] if writer.can_open(anchor) else None
    if letters == "GM":
        group = find_group(writer, anchor)
        return None if group is None else [group, group]
    if letters == "OL":
        for first in sorted(others, key=lambda row: writer.mentions(row, anchor)):
            link = writer.link(first, anchor)
            if link is not None:
                return [first, link]
        return None
    if letters == "OA":
        others = [row for row in others if not writer.mentions(row, anchor) and not writer.mentions(anchor, row)]
        return [others[0], anchor] if others and writer.can_open(anchor) else None
    if letters == "OGM":
        group = find_group(writer, anchor)
        outside = [row for row in others if group is not None and row not in group.rows]
        return [outside[0], group, group] if group is not None and outside else None
    if letters == "GML":
        for row in others:
            group = find_group(writer, row)
            link = None if group is None or anchor in group.rows else writer.link(row, anchor)
            if group is not None and link is not None:
                return [group, group, link]
        return None
    return _two_more_steps(writer, others, anchor, letters)


def _two_more_steps(
    writer: LastSentenceWriter, openings: list[int], anchor: int, letters: str
) -> list[int | ObjectLink | Group] | None:
    """Return an opening and two more steps over an object between it and the anchor."""
    for first in openings[:3]:
        for between in writer.intermediates(first, anchor):
            if writer.mentions(first, between) or between in (first, anchor):
                continue
            steps: list[int | ObjectLink | Group] = [first]
            for letter, source, row in ((letters[1], first, between), (letters[2], between, anchor)):
                step = writer.link(source, row) if letter == "L" else row if writer.can_open(row) else None
                if step is not None:
                    steps.append(step)
            if len(steps) == len(letters):
                return steps
    return None


def _with_capitals(text: Text) -> Text:
    string = re.sub(r"(^|[.] )([a-z])", lambda match: match[1] + match[2].upper(), text.string)
    return Text(string.replace("waldo", "Waldo"), text.annotations, text.mentions)
