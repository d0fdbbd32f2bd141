"""Clauses for a straight segment: objects to pass, walk to or between, and crossings."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import numpy as np

from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.scene import BUILDING
from bearleft.language.arramon_navigation.segments import Segment
from bearleft.language.arramon_navigation.semantics import LEFT, RIGHT, ClauseFrame, bearing
from bearleft.language.arramon_navigation.speaker import UNIQUE_RADIUS, Speaker, is_plural
from bearleft.language.noun_phrases import Phrase, noun_phrase

MAX_CANDIDATES = 5  # objects ahead of which one is mentioned
MIN_SPACING = 1.2  # metres between objects mentioned in succession
MIN_METRES_ASIDE = 1.0  # metres off the line of an object that is on one side
# Weights of the ways to mention an object that is passed.
MANNERS = {
    "pass": 4.0, "pass side": 0.6, "pass two": 1.0, "pass to": 0.7, "pass toward": 0.3, "between": 0.6, "to": 1.2,
    "toward": 1.2,
}  # fmt: skip
MAX_PAIR_OFFSET = 1.5  # metres along a segment between two objects to walk between
MIN_DIAGONAL, MAX_DIAGONAL = 15.0, 60.0  # degrees to an object that is walked to diagonally
MIN_TOWARD_DISTANCE, FAR_DISTANCE = 8.0, 15.0  # metres
TWO_FRAMES = {"pass two": "pass", "pass to": "pass to", "pass toward": "pass toward"}
MAX_CROSSING_OFFSET = 4.0  # metres from a segment to the middle of a crossing
MAX_GROUP_LENGTH, MAX_GROUP_SIZE = 6.0, 3  # metres along a segment, and objects of one kind
MIN_WORDS_LEFT = 2.0, 3.0  # fixed and random part


def write_passing(speaker: Speaker, segment: Segment, max_metres: float, words_left: float) -> None:
    """Write what is passed on a segment up to `max_metres`, as far as there are words left."""
    random = speaker.random
    rows = [
        k for k in range(len(segment.rows)) if segment.along[k] < max_metres and segment.rows[k] not in speaker.used
    ]
    mentioned = [segment.along[k] for k in range(len(segment.rows)) if segment.rows[k] in speaker.used]
    position = max([-MIN_SPACING, *mentioned])
    rows = [k for k in rows if segment.along[k] > position]
    if (
        words_left > MIN_WORDS_LEFT[0]
        and random.chance("through a crossing", 0.3)
        and _through_crossing(speaker, segment, max_metres)
    ):
        position = max_metres / 2
        rows = [k for k in rows if segment.along[k] > position]
    while rows and words_left > MIN_WORDS_LEFT[0] + MIN_WORDS_LEFT[1] * random.random():
        k = _choose_object(speaker, segment, rows[:MAX_CANDIDATES])
        if k is None:
            rows = rows[MAX_CANDIDATES:]
            continue
        rows = [j for j in rows if segment.along[j] > segment.along[k]]
        length_before = speaker.length
        if segment.along[k] >= position + MIN_SPACING and _pass_object(speaker, segment, k, rows):
            position = float(segment.along[k])
            words_left -= speaker.length - length_before
            rows = [j for j in rows if segment.rows[j] not in speaker.used]


def write_pronoun(speaker: Speaker, segment: Segment) -> None:
    """Write "past it" or "to it" for the object just named, if it is on the way."""
    if len(speaker.walker.last) > 1:
        _write_pair_pronoun(speaker, segment)
        return
    (row,) = speaker.walker.last.tolist()
    thing = speaker.items[-1].frame.thing
    if thing is not None and row in segment.rows[segment.along < segment.length - 1.0]:
        pronoun = "them" if is_plural(thing.words) else "it"
        text = Text(pronoun).with_annotations("coreference").with_mentions(int(speaker.walker.scene.instance[row]))
        name = speaker.random.pick(
            "by pronoun", {"pass": 0.5, "to": 0.3, "toward": 0.2 * (speaker.items[-1].frame.name != "toward")}
        )
        speaker.do(name, ClauseFrame(name, Phrase(pronoun, None, coreferent=True)), [row], thing=text)


def _write_pair_pronoun(speaker: Speaker, segment: Segment) -> None:
    """Write "past them" or "between them" for two objects just named, if they are on the way."""
    rows = speaker.walker.last.tolist()
    on_way = {int(row): k for k, row in enumerate(segment.rows) if segment.along[k] < segment.length - 1.0}
    if len(set(rows)) != 2 or not on_way.keys() >= set(rows):
        return
    first, second = (on_way[row] for row in rows)
    is_between = (
        segment.aside[first] * segment.aside[second] < 0
        and abs(segment.along[first] - segment.along[second]) < MAX_PAIR_OFFSET
    )
    name = speaker.random.pick("by pronoun of two", {"pass": 0.5, "between": 0.5 * bool(is_between)})
    instances = (int(speaker.walker.scene.instance[row]) for row in rows)
    text = Text("them").with_annotations("coreference").with_mentions(*instances)
    frame = ClauseFrame(name, Phrase("them", None, plural=True, coreferent=True))
    speaker.do(name, frame, rows, thing=text)


def _through_crossing(speaker: Speaker, segment: Segment, max_metres: float) -> bool:
    """Write "straight through" for a crossing."""
    walker = speaker.walker
    row = walker.crossing()
    if row < 0:
        return False
    offset = walker.scene.crossings[row] - np.asarray(segment.begin)
    u = (np.asarray(segment.end) - np.asarray(segment.begin)) / max(segment.length, 1e-9)
    is_central = 6.0 < offset @ u < max_metres - 6.0 and abs(offset[0] * u[1] - offset[1] * u[0]) < MAX_CROSSING_OFFSET
    return bool(is_central) and speaker.do("through", ClauseFrame("through"), [row])


def _choose_object(speaker: Speaker, segment: Segment, candidates: Sequence[int]) -> int | None:
    """Return one of some objects beside a segment, preferably one that needs no ordinal; None for none."""
    index = {int(segment.rows[k]): k for k in candidates}
    order = [index[row] for row in speaker.by_salience(list(index))]
    return next(
        (k for k in order if speaker.name(int(segment.rows[k]), count=False) is not None), next(iter(order), None)
    )


def _pass_object(speaker: Speaker, segment: Segment, k: int, later: Sequence[int]) -> bool:
    random, row, aside = speaker.random, int(segment.rows[k]), float(segment.aside[k])
    if random.chance("group", 0.5) and _pass_group(speaker, segment, k, later):
        return True
    scene = speaker.walker.scene
    is_building = bool(scene.kind[row] == BUILDING)
    opposite = [
        int(segment.rows[j])
        for j in later
        if abs(segment.along[j] - segment.along[k]) < MAX_PAIR_OFFSET and segment.aside[j] * segment.aside[k] < 0
    ]
    opposite = [other for other in opposite if scene.kind[other] != BUILDING]
    next_row = int(segment.rows[later[0]]) if later else -1
    possible = {
        "pass": True,
        "pass side": abs(aside) > MIN_METRES_ASIDE,
        "pass two": next_row >= 0,
        "pass to": next_row >= 0 and scene.kind[next_row] != BUILDING,
        "pass toward": next_row >= 0,
        "between": bool(opposite) and not is_building,
        "to": not is_building,
        "toward": segment.along[k] > MIN_TOWARD_DISTANCE,
    }
    manner = random.pick("manner", {name: weight * possible[name] for name, weight in MANNERS.items()})
    side = (LEFT if aside < 0 else RIGHT) if manner == "pass side" else 0
    named = speaker.name(row, side)
    if named is None:
        return False
    text, phrase = named
    if side:
        return speaker.do("pass side", ClauseFrame("pass", phrase, side=side), [row], thing=text)
    if manner == "between" and _pass_between(speaker, text, phrase, row, opposite[0]):
        return True
    if manner in TWO_FRAMES and _pass_two(speaker, manner, text, phrase, row, next_row):
        return True
    if manner == "toward":
        return _walk_toward(speaker, segment, k, text, phrase)
    name = "to" if manner == "to" else "pass"
    return speaker.do(name, ClauseFrame(name, phrase), [row], thing=text)


def _walk_toward(speaker: Speaker, segment: Segment, k: int, text: Text, phrase: Phrase) -> bool:
    """Write "toward" an object, and sometimes "past it"."""
    row, walker = int(segment.rows[k]), speaker.walker
    distance = hypot(walker.scene.east[row] - walker.position[0], walker.scene.north[row] - walker.position[1])
    angle = float(turn(walker.heading, bearing(walker.position, (walker.scene.east[row], walker.scene.north[row]))))
    name, side = "toward", 0
    if distance > FAR_DISTANCE and speaker.random.chance("far", 0.2):
        name = "toward far"
    elif MIN_DIAGONAL <= abs(angle) <= MAX_DIAGONAL and speaker.random.chance("diagonal", 0.5):
        name, side = "toward aside", LEFT if angle < 0 else RIGHT
    if not speaker.do(name, ClauseFrame("toward", phrase, side=side), [row], thing=text):
        return False
    if speaker.random.chance("pronoun after toward", 0.3):
        write_pronoun(speaker, segment)
    return True


def _pass_group(speaker: Speaker, segment: Segment, k: int, later: Sequence[int]) -> bool:
    """Write several objects of one kind that stand together: "the two barrels"."""
    walker, scene, row = speaker.walker, speaker.walker.scene, int(segment.rows[k])
    group_indices = [
        j
        for j in later
        if segment.along[j] - segment.along[k] < MAX_GROUP_LENGTH and scene.kind[segment.rows[j]] == scene.kind[row]
    ]
    group = sorted([row, *(int(segment.rows[j]) for j in group_indices)])
    if not 1 < len(group) <= MAX_GROUP_SIZE or scene.kind[row] == BUILDING:
        return False
    colours = {scene.tints(group_row)[:1] for group_row in group}
    colour = (*colours.pop(), "")[0] if len(colours) == 1 and speaker.random.random() < scene.colour_rate(row) else ""
    text, phrase = noun_phrase(scene.names(row)[0], int(scene.instance[row]), "the", colour, len(group))
    rows, _, distance, seen = walker.matches_around(phrase)
    if sorted(rows[seen & (distance < UNIQUE_RADIUS)].tolist()) != group:
        return False
    others = [int(scene.instance[group_row]) for group_row in group if group_row != row]
    expected = walker.find(phrase).tolist()
    text = text.with_mentions(*others).with_annotations("count")
    return sorted(expected) == group and speaker.do("pass", ClauseFrame("pass", phrase), expected, thing=text)


def _pass_between(speaker: Speaker, text: Text, phrase: Phrase, row: int, other: int) -> bool:
    named = speaker.name(other)
    if named is None:
        return False
    return speaker.do(
        "between", ClauseFrame("between", phrase, named[1]), [row, other], thing=text, other_thing=named[0]
    )


def _pass_two(speaker: Speaker, manner: str, text: Text, phrase: Phrase, row: int, other: int) -> bool:
    """Write one object after another; the second is named from the position after the first."""
    named = speaker.after(ClauseFrame("pass", phrase), lambda _: speaker.name(other))
    if named is None:
        return False
    frame = ClauseFrame(TWO_FRAMES[manner], phrase, named[1])
    return speaker.do(manner, frame, [row, other], thing=text, other_thing=named[0])
