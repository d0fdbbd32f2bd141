"""Asides of instructions: objects passed, state verification, and overshoot hints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.openings import landmarks
from bearleft.language.instructions.segments import LINEAR_KINDS, Segment
from bearleft.language.instructions.semantics import ClauseFrame
from bearleft.language.instructions.speaker import KIND_WEIGHTS, ClauseItem, Speaker
from bearleft.language.noun_phrases import Phrase
from bearleft.world.city.catalog import class_index

FreeInterval = tuple[int, int, int]  # route segment, and the places between which objects may be mentioned
Segments = Sequence[tuple[Segment, int]]
MAX_TRIES = 14
UNDER_RATE = 0.7  # how often a bridge above the walker is mentioned rather than an object beside
MAX_PLACES_AHEAD = 5  # places ahead within which mentioned objects lie
BASE_TOKENS, TOKENS_PER_PLACE = 18.0, 1.5  # target length of an instruction
ASIDE_WEIGHTS = {
    "pass": 0.28,
    "it": 0.18,
    "verify": 0.34,
    "corner": 0.06,
    "start": 0.06,
    "onward": 0.06,
    "count": 0.04,
}


def write_asides(
    speaker: Speaker, segments: Segments, intervals: Sequence[FreeInterval], items: Sequence[ClauseItem], length: int
) -> list[ClauseItem]:
    """Return asides until the instruction reaches its target length.

    Every aside is true in the scene and does not change where the instruction leads.

    Args:
        speaker: The speaker.
        segments: Segments of the route, each with the index of its last place.
        intervals: Intervals where objects may be mentioned.
        items: Items of the instruction so far.
        length: Number of places of the route.
    """
    random = speaker.random
    target_tokens = (BASE_TOKENS + TOKENS_PER_PLACE * length) * random.lognormvariate(-0.06, 0.36)
    token_count = sum(len(tokens(item.text.string)) + 1 for item in items)
    asides: list[ClauseItem] = []
    onward: set[int] = set()
    for _ in range(MAX_TRIES):
        if token_count >= target_tokens:
            break
        kind = random.choices(list(ASIDE_WEIGHTS), list(ASIDE_WEIGHTS.values()))[0]
        new_items: list[ClauseItem] = []
        if kind in ("pass", "count", "it") and intervals:
            new_items = _passing_items(speaker, segments, random.choice(intervals), kind)
        elif kind == "verify":
            new_items = _verification_items(speaker, segments)
        elif kind == "corner":
            new_items = _corner_items(speaker, segments)
        elif kind == "start":
            new_items = _start_items(speaker, segments[0][0])
        elif kind == "onward" and intervals:
            segment_index, begin, _ = random.choice(intervals)
            if segment_index not in onward and not begin:
                onward.add(segment_index)
                new_items = [
                    replace(speaker.say("onward", ClauseFrame("onward")), segment_index=segment_index, index=0.05)
                ]
        asides += new_items
        token_count += sum(len(tokens(item.text.string)) + 1 for item in new_items)
    return asides


def overshoot_hint(speaker: Speaker, segment: Segment, goal: int) -> list[ClauseItem]:
    """Return a hint about the crossing after the goal, if it is near."""
    ahead = [k for k in segment.crossings if k > goal]
    if not ahead or ahead[0] - goal > MAX_PLACES_AHEAD or speaker.random.random() > 0.12:
        return []
    noun = speaker.crossing(segment, ahead[:1])
    return [replace(speaker.say("chat", ClauseFrame("chat", nth=1), ("nth",), noun), index=goal + 0.1)]


def _candidates(speaker: Speaker, segment: Segment, begin: int, end: int, buildings: bool = False) -> list[int]:
    """Return rows of passed objects worth naming between two places, in random order."""
    passed = segment.passed
    weight = KIND_WEIGHTS[passed.kind] * np.sqrt(passed.share)
    usable = (passed.index > begin) & (passed.index < end) & (weight > 0) & (passed.share > 4e-4)
    usable &= (passed.hidden < 0.5) & ~np.isin(passed.instance, list(speaker.named_instances))
    usable &= passed.side != 0
    if not buildings:
        usable &= ~np.isin(passed.kind, [class_index("building"), *LINEAR_KINDS])
    rows = np.flatnonzero(usable)
    return speaker.shuffled(rows, weight[rows])[:5]


def _passing_items(speaker: Speaker, segments: Segments, interval: FreeInterval, kind: str) -> list[ClauseItem]:
    segment_index, begin, end = interval
    segment = segments[segment_index][0]
    passed = segment.passed
    if kind == "pass" and speaker.random.random() < UNDER_RATE:
        items = _under_items(speaker, segment, interval)
        if items:
            return items
    for row in _candidates(speaker, segment, begin, end):
        side, instance, index = int(passed.side[row]), int(passed.instance[row]), float(passed.index[row])

        def first(phrase: Phrase, row: int = row, side: int = side) -> bool:
            rows = passed.find(phrase, side, begin + 1)
            return len(rows) > 0 and bool(passed.index[rows[0]] == passed.index[row])

        if kind == "count":
            items = _counted_items(speaker, segment, interval, row)
            if items:
                return items
            continue
        named = speaker.name(instance, first, "a" if kind == "it" else None)
        if named is None:
            continue
        text = speaker.add_neighbour(named[0], passed, row)
        if kind == "it":
            verification = speaker.as_sentence(
                speaker.say("verify", ClauseFrame("verify", named[1], side), ("thing",), thing=text)
            )
            pronoun, pronoun_phrase = speaker.refer_again(text, named[1])
            passed_item = speaker.say("pass it", ClauseFrame("pass", pronoun_phrase), ("thing",), thing=pronoun)
            return [
                replace(verification, segment_index=segment_index, index=index - 0.01),
                replace(passed_item, segment_index=segment_index, index=index),
            ]
        item = speaker.say("pass", ClauseFrame("pass", named[1], side), ("thing",), thing=text)
        return [replace(item, segment_index=segment_index, index=index)]
    return []


def _under_items(speaker: Speaker, segment: Segment, interval: FreeInterval) -> list[ClauseItem]:
    """Return an item about a bridge that the walker passes below."""
    segment_index, begin, end = interval
    passed = segment.passed
    is_new = ~np.isin(passed.instance, list(speaker.named_instances))
    for row in np.flatnonzero((passed.side == 0) & (passed.index > begin) & (passed.index < end) & is_new).tolist():

        def first(phrase: Phrase, row: int = row) -> bool:
            rows = passed.find(phrase, 0, begin + 1)
            return len(rows) > 0 and int(rows[0]) == row

        named = speaker.name(int(passed.instance[row]), first)
        if named is not None:
            item = speaker.say("under", ClauseFrame("pass", named[1]), ("thing",), thing=named[0])
            return [replace(item, segment_index=segment_index, index=float(passed.index[row]))]
    return []


def _counted_items(speaker: Speaker, segment: Segment, interval: FreeInterval, row: int) -> list[ClauseItem]:
    """Return an item that counts objects: "Pass two hydrants on your left"."""
    segment_index, begin, end = interval
    passed = segment.passed
    side, instance = int(passed.side[row]), int(passed.instance[row])
    for count in (2, 3, 4):

        def fits_count(phrase: Phrase, count: int = count) -> bool:
            return bool((passed.index[passed.find(phrase, side, begin + 1)] < end).sum() == count)

        named = speaker.name(instance, fits_count, "a", count)
        if named is None:
            continue
        text, phrase = named
        rows = passed.find(phrase, side, begin + 1)[:count]
        others = [int(k) for k in passed.instance[rows] if int(k) != instance]
        if not speaker.named_instances.isdisjoint(others):
            return []  # another clause names one of them
        speaker.named_instances.update(others)
        text = text.with_mentions(*others).with_annotations("count")
        item = speaker.say("pass", ClauseFrame("pass", phrase, side), ("thing",), thing=text)
        return [replace(item, segment_index=segment_index, index=float(passed.index[rows[-1]]))]
    return []


def _verification_items(speaker: Speaker, segments: Segments) -> list[ClauseItem]:
    """Return a clause about what is visible on the way; it does not affect the route."""
    segment_index = speaker.random.randrange(len(segments))
    segment, end = segments[segment_index]
    passed = segment.passed
    crossings = [k for k in segment.crossings if k < end and k]
    begin = speaker.random.choice([0, *crossings])
    rows = _candidates(speaker, segment, begin, min(end, begin + MAX_PLACES_AHEAD + 1), buildings=True)
    first = next(filter(None, (_name_passed(speaker, segment, row) for row in rows)), None)
    if first is None:
        return []
    text, phrase, side = first
    name = "verify turned" if segment_index and not begin and speaker.random.random() < 0.6 else "verify"
    opposite = [row for row in rows[1:] if passed.side[row] != side]
    other = _name_passed(speaker, segment, opposite[0]) if opposite and speaker.random.random() < 0.3 else None
    if other is not None:
        frame = ClauseFrame("verify", phrase, side, *other[1:])
        item = speaker.say(name, frame, ("thing", "other_thing"), thing=text, other_thing=other[0])
    else:
        item = speaker.say(name, ClauseFrame("verify", phrase, side), ("thing",), thing=text)
    return [replace(item, segment_index=segment_index, index=begin + 0.02)]


def _name_passed(speaker: Speaker, segment: Segment, row: int) -> tuple[Text, Phrase, int] | None:
    passed = segment.passed
    named = speaker.name(int(passed.instance[row]), article="a")
    return named and (speaker.add_neighbour(named[0], passed, row), named[1], int(passed.side[row]))


def _corner_items(speaker: Speaker, segments: Segments) -> list[ClauseItem]:
    """Return a clause about an object at the corner of a turn."""
    if len(segments) < 2:
        return []
    segment_index = speaker.random.randrange(len(segments) - 1)
    segment, end = segments[segment_index]
    for instance in speaker.corner_objects(segment, end)[:1]:
        named = speaker.name(instance, article="a")
        if named is not None:
            noun = speaker.crossing(segment, [end])
            item = speaker.say("verify corner", ClauseFrame("chat", named[1]), ("thing",), noun, thing=named[0])
            return [replace(item, segment_index=segment_index, index=end - 0.6)]
    return []


def _start_items(speaker: Speaker, segment: Segment) -> list[ClauseItem]:
    """Return a clause about an object beside the start."""
    for instance, _, side in landmarks(speaker, segment.places[0], segment.headings[0]):
        if side:
            named = speaker.name(instance, article="a")
            if named is not None:
                item = speaker.say("verify", ClauseFrame("verify", named[1], side), ("thing",), thing=named[0])
                return [replace(item, segment_index=0, index=-0.5)]
    return []
