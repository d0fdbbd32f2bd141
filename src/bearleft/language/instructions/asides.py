"""What an instruction tells beside the way itself: things that one passes, what one should see, what is too far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.openings import landmarks
from bearleft.language.instructions.segments import Segment
from bearleft.language.instructions.semantics import Frame
from bearleft.language.instructions.speaker import KIND_WEIGHTS, ClauseItem, Speaker
from bearleft.language.noun_phrases import Phrase
from bearleft.world.city.catalog import class_index

FreeInterval = tuple[int, int, int]  # a leg, and between which of its places things may be passed
Segments = Sequence[tuple[Segment, int]]
MAX_TRIES = 14
MAX_PLACES_AHEAD = 5  # places within which one sees what is told of
BASE_TOKENS, TOKENS_PER_PLACE = 18.0, 1.5  # tokens, and those for each place of a route
KIND_WEIGHTS_OF_ASIDES = {
    "pass": 0.28,
    "it": 0.18,
    "verify": 0.34,
    "corner": 0.06,
    "start": 0.06,
    "onward": 0.06,
    "count": 0.04,
}


def write_asides(
    speaker: Speaker, segments: Segments, rooms: Sequence[FreeInterval], items: Sequence[ClauseItem], length: int
) -> list[ClauseItem]:
    """As many as the person's talkativeness asks for, each true of the scene and harmless to the way."""
    random = speaker.random
    target = (BASE_TOKENS + TOKENS_PER_PLACE * length) * random.lognormvariate(-0.06, 0.36)
    size = sum(len(tokens(item.text.string)) + 1 for item in items)
    found: list[ClauseItem] = []
    onward: set[int] = set()
    for _ in range(MAX_TRIES):
        if size >= target:
            break
        kind = random.choices(list(KIND_WEIGHTS_OF_ASIDES), list(KIND_WEIGHTS_OF_ASIDES.values()))[0]
        said: list[ClauseItem] = []
        if kind in ("pass", "count", "it") and rooms:
            said = _passing_items(speaker, segments, random.choice(rooms), kind)
        elif kind == "verify":
            said = _verification_items(speaker, segments)
        elif kind == "corner":
            said = _corner_items(speaker, segments)
        elif kind == "start":
            said = _start_items(speaker, segments[0][0])
        elif kind == "onward" and rooms:
            leg, begin, _ = random.choice(rooms)
            if leg not in onward and not begin:
                onward.add(leg)
                said = [replace(speaker.say("onward", Frame("onward")), leg=leg, index=0.05)]
        found += said
        size += sum(len(tokens(item.text.string)) + 1 for item in said)
    return found


def overshoot_hint(speaker: Speaker, segment: Segment, goal: int) -> list[ClauseItem]:
    """What comes after the place where one stops."""
    ahead = [k for k in segment.crossings if k > goal]
    if not ahead or ahead[0] - goal > MAX_PLACES_AHEAD or speaker.random.random() > 0.12:
        return []
    noun = speaker.crossing(segment, ahead[:1])
    return [replace(speaker.say("chat", Frame("chat", nth=1), ("nth",), noun), index=goal + 0.1)]


def _candidates(speaker: Speaker, segment: Segment, begin: int, end: int, houses: bool = False) -> list[int]:
    """Rows of what one passes between two places, worth naming, in a random order."""
    passed = segment.passed
    weight = KIND_WEIGHTS[passed.kind] * np.sqrt(passed.share)
    good = (passed.index > begin) & (passed.index < end) & (weight > 0) & (passed.share > 4e-4)
    good &= (passed.hidden < 0.5) & ~np.isin(passed.instance, list(speaker.used))
    if not houses:
        good &= passed.kind != class_index("building")
    rows = np.flatnonzero(good)
    return speaker.shuffled(rows, weight[rows])[:5]


def _passing_items(speaker: Speaker, segments: Segments, room: FreeInterval, kind: str) -> list[ClauseItem]:
    leg, begin, end = room
    segment = segments[leg][0]
    passed = segment.passed
    for row in _candidates(speaker, segment, begin, end):
        side, instance, index = int(passed.side[row]), int(passed.instance[row]), float(passed.index[row])

        def first(phrase: Phrase, row: int = row, side: int = side) -> bool:
            rows = passed.find(phrase, side, begin + 1)
            return len(rows) > 0 and bool(passed.index[rows[0]] == passed.index[row])

        if kind == "count":
            items = _counted_items(speaker, segment, room, row)
            if items:
                return items
            continue
        said = speaker.name(instance, first, "a" if kind == "it" else None)
        if said is None:
            continue
        text = speaker.beside(said[0], passed, row)
        if kind == "it":
            seen = speaker.closed(speaker.say("verify", Frame("verify", said[1], side), ("thing",), thing=text))
            it, meant = speaker.again(text, said[1])
            gone = speaker.say("pass it", Frame("pass", meant), ("thing",), thing=it)
            return [replace(seen, leg=leg, index=index - 0.01), replace(gone, leg=leg, index=index)]
        item = speaker.say("pass", Frame("pass", said[1], side), ("thing",), thing=text)
        return [replace(item, leg=leg, index=index)]
    return []


def _counted_items(speaker: Speaker, segment: Segment, room: FreeInterval, row: int) -> list[ClauseItem]:
    """ "Pass two hydrants on your left"."""
    leg, begin, end = room
    passed = segment.passed
    side, instance = int(passed.side[row]), int(passed.instance[row])
    for many in (2, 3, 4):

        def so_many(phrase: Phrase, many: int = many) -> bool:
            return bool((passed.index[passed.find(phrase, side, begin + 1)] < end).sum() == many)

        said = speaker.name(instance, so_many, "a", many)
        if said is None:
            continue
        text, phrase = said
        rows = passed.find(phrase, side, begin + 1)[:many]
        others = [int(k) for k in passed.instance[rows] if int(k) != instance]
        if not speaker.used.isdisjoint(others):
            return []  # one of them is named elsewhere
        speaker.used.update(others)
        text = text.with_mentions(*others).with_marks("count")
        item = speaker.say("pass", Frame("pass", phrase, side), ("thing",), thing=text)
        return [replace(item, leg=leg, index=float(passed.index[rows[-1]]))]
    return []


def _verification_items(speaker: Speaker, segments: Segments) -> list[ClauseItem]:
    """What one should see on one's way; the walk does not hang on it."""
    leg = speaker.random.randrange(len(segments))
    segment, end = segments[leg]
    passed = segment.passed
    gone = [k for k in segment.crossings if k < end and k]
    begin = speaker.random.choice([0, *gone])
    rows = _candidates(speaker, segment, begin, min(end, begin + MAX_PLACES_AHEAD + 1), houses=True)
    one = next(filter(None, (_name_passed(speaker, segment, row) for row in rows)), None)
    if one is None:
        return []
    text, phrase, side = one
    name = "verify turned" if leg and not begin and speaker.random.random() < 0.6 else "verify"
    opposite = [row for row in rows[1:] if passed.side[row] != side]
    other = _name_passed(speaker, segment, opposite[0]) if opposite and speaker.random.random() < 0.3 else None
    if other is not None:
        frame = Frame("verify", phrase, side, *other[1:])
        item = speaker.say(name, frame, ("thing", "other_thing"), thing=text, other_thing=other[0])
    else:
        item = speaker.say(name, Frame("verify", phrase, side), ("thing",), thing=text)
    return [replace(item, leg=leg, index=begin + 0.02)]


def _name_passed(speaker: Speaker, segment: Segment, row: int) -> tuple[Text, Phrase, int] | None:
    passed = segment.passed
    said = speaker.name(int(passed.instance[row]), article="a")
    return said and (speaker.beside(said[0], passed, row), said[1], int(passed.side[row]))


def _corner_items(speaker: Speaker, segments: Segments) -> list[ClauseItem]:
    """What stands at the corner where one turns."""
    if len(segments) < 2:
        return []
    leg = speaker.random.randrange(len(segments) - 1)
    segment, end = segments[leg]
    for instance in speaker.corner_things(segment, end)[:1]:
        said = speaker.name(instance, article="a")
        if said is not None:
            noun = speaker.crossing(segment, [end])
            item = speaker.say("verify corner", Frame("chat", said[1]), ("thing",), noun, thing=said[0])
            return [replace(item, leg=leg, index=end - 0.6)]
    return []


def _start_items(speaker: Speaker, segment: Segment) -> list[ClauseItem]:
    """What one sees beside oneself before one sets out."""
    for instance, _, side in landmarks(speaker, segment.places[0], segment.headings[0]):
        if side:
            said = speaker.name(instance, article="a")
            if said is not None:
                item = speaker.say("verify", Frame("verify", said[1], side), ("thing",), thing=said[0])
                return [replace(item, leg=0, index=-0.5)]
    return []
