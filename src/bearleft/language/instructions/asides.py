"""Asides of instructions: objects passed, state verification, and overshoot hints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.openings import landmarks
from bearleft.language.instructions.segments import LINEAR_KINDS, Segment
from bearleft.language.instructions.semantics import LEFT, RIGHT, ClauseFrame
from bearleft.language.instructions.speaker import (
    COLOUR_WEIGHTS,
    KIND_WEIGHTS,
    ClauseItem,
    Speaker,
    parked_instances,
    street_facts,
)
from bearleft.language.instructions.templates import LANE_WORDS
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import Ints, class_mask
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.street_facts import curves

FreeInterval = tuple[int, int, int]  # route segment, and the places between which objects may be mentioned
Segments = Sequence[tuple[Segment, int]]
MAX_TRIES = 14
UNDER_RATE = 0.7  # how often a bridge above the walker is mentioned rather than an object beside
MAX_PLACES_AHEAD = 5  # places ahead within which mentioned objects lie
MIN_GROUP, MAX_GROUP = 2, 12  # objects named together
MIN_PLACES_AHEAD = 2  # places from which an object is "ahead on the left"
AHEAD_WORDS = {
    "ahead": 0.5,
    "up ahead": 0.2,
    "just ahead": 0.1,
    "ahead of you": 0.08,
    "in front of you": 0.06,
    "in the distance": 0.06,
}
# Street furniture: it stands on the sidewalk.
SIDEWALK_KINDS = [
    class_index(name)
    for name in (
        *("mailbox", "fire hydrant", "newspaper box", "bench", "trash can", "trash bags", "bike rack", "phone booth"),
        *("parking meter", "utility box", "newsstand", "food cart", "sandwich board", "fire alarm box", "bollard"),
        *("planter", "potted plant", "cafe table", "fruit stand"),
    )
]
IS_WIDE = class_mask("building", *(CLASSES[kind].name for kind in LINEAR_KINDS))
BASE_TOKENS, TOKENS_PER_PLACE = 19.5, 1.65  # target length of an instruction
ASIDE_RATES = {
    "verify": 0.5,
    "onward": 0.17,
    "pass": 0.12,
    "start": 0.08,
    "it": 0.04,
    "corner": 0.03,
    "count": 0.02,
    "group": 0.06,
    "street": 0.05,
    "goal": 0.05,
    "crossed": 0.04,
}
FACT_RATES = {
    "with flow": 0.3,
    "against flow": 0.2,
    "one way": 0.1,
    "two way": 0.05,
    "short block": 0.1,
    "narrow": 0.2,
    "parked": 0.1,
    "parked both": 0.1,
    "curve": 0.5,
}
MIN_PARKED_CARS = 3  # along a stretch of street, to be mentioned
SHORT_BLOCK = 6  # places up to which a block is short


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
    begun: set[int] = set()  # segments with a clause at their beginning that says no more than to go on
    for _ in range(MAX_TRIES):
        if token_count >= target_tokens:
            break
        kind = random.pick("aside", ASIDE_RATES)
        new_items: list[ClauseItem] = []
        if kind in ("pass", "count", "it") and intervals:
            new_items = _passing_items(speaker, segments, random.choice(intervals), kind)
        elif kind == "verify":
            new_items = _verification_items(speaker, segments)
        elif kind == "group":
            new_items = _group_items(speaker, segments)
        elif kind == "corner":
            new_items = _corner_items(speaker, segments)
        elif kind == "start":
            new_items = _start_items(speaker, segments[0][0])
        elif kind == "goal":
            new_items = _goal_items(speaker, segments)
        elif kind == "crossed":
            new_items = _crossed_items(speaker, segments, items)
        elif kind in ("onward", "street"):
            segment_index = random.randrange(len(segments))
            if segment_index not in begun:
                begun.add(segment_index)
                new_items = _begin_items(speaker, segments, segment_index, kind)
        asides += new_items
        token_count += sum(len(tokens(item.text.string)) + 1 for item in new_items)
    return asides


def _begin_items(speaker: Speaker, segments: Segments, segment_index: int, kind: str) -> list[ClauseItem]:
    """Return a clause for the beginning of a segment: to go on, or about the street."""
    segment, end = segments[segment_index]
    if kind == "onward":
        slots = _lane_slots(speaker, _facts_after_turn(speaker, segment, end))
        item = speaker.say("onward", ClauseFrame("onward"), **slots)
        return [replace(item, segment_index=segment_index, index=0.05)]
    if not segment_index and speaker.paths.crossing[segment.places[0]]:
        return [replace(speaker.say("in crossing", ClauseFrame("chat")), segment_index=0, index=-2.0)]
    facts = _facts_after_turn(speaker, segment, end) if segment_index else {}
    if not facts:
        return []
    name = speaker.random.pick("about the street", {fact: rate * (fact in facts) for fact, rate in FACT_RATES.items()})
    item = speaker.say(name, ClauseFrame("chat", side=facts[name]))
    return [replace(item, segment_index=segment_index, index=0.01)]


def _lane_slots(speaker: Speaker, facts: Collection[str]) -> dict[str, str]:
    """Return a value of the slot {lane}, such as "narrow street", if one is true."""
    words = {lane: float(fact in facts) for lane, fact in LANE_WORDS.items()}
    return {"lane": speaker.random.pick("lane", words)} if any(words.values()) else {}


def _facts_after_turn(speaker: Speaker, segment: Segment, end: int) -> dict[str, int]:
    """Return the clause sets that are true of the street after a turn, up to the next crossing, each with a side."""
    graph, streets = speaker.paths.graph, street_facts(speaker.scene)
    end = min((k for k in segment.crossings if k <= end), default=end)
    found = [graph.find_link(*pair) for pair in zip(segment.places, segment.places[1 : end + 1], strict=False)]
    links = [link for link in found if link is not None and streets.piece[link] >= 0]
    if not links:
        return {}
    facts: dict[str, int] = {}
    flows = set(streets.flow[links].tolist())
    if flows == {1} or flows == {-1}:
        facts |= {"with flow" if flows == {1} else "against flow": 0, "one way": 0}
    elif flows == {0}:
        facts["two way"] = 0
    if end <= SHORT_BLOCK and end in segment.crossings:
        facts["short block"] = 0
    if streets.lanes[links].max() == 1:
        facts["narrow"] = 0
    parked = streets.parked[links].min(axis=0) >= MIN_PARKED_CARS
    if parked.any():
        facts["parked both" if parked.all() else "parked"] = 0 if parked.all() else RIGHT if parked[1] else LEFT
    bends = curves(graph, segment.places[: end + 1])
    if bends:
        facts["curve"] = bends[0].side
    return facts


def overshoot_hint(speaker: Speaker, segment: Segment, goal: int) -> list[ClauseItem]:
    """Return a hint about the crossing after the goal, if it is near."""
    ahead = [k for k in segment.crossings if k > goal]
    if not ahead or ahead[0] - goal > MAX_PLACES_AHEAD or not speaker.random.chance("overshoot", 0.06):
        return []
    noun = speaker.crossing(segment, ahead[:1])
    return [replace(speaker.say("chat", ClauseFrame("chat", nth=1), ("nth",), noun), index=goal + 0.1)]


def _candidates(speaker: Speaker, segment: Segment, begin: int, end: int, buildings: bool = False) -> list[int]:
    """Return rows of passed objects worth naming between two places, in random order."""
    passed = segment.passed
    part = passed.between(begin + 1, end)
    kind, share = passed.kind[part], passed.share[part]
    weight = KIND_WEIGHTS[kind] * np.sqrt(share) * COLOUR_WEIGHTS[passed.colour[part]]
    usable = (weight > 0) & (share > 4e-4) & (passed.hidden[part] < 0.5) & (passed.side[part] != 0)
    usable &= ~np.isin(passed.instance[part], list(speaker.named_instances))
    if not buildings:
        usable &= ~IS_WIDE[kind]
    rows = np.flatnonzero(usable)
    return speaker.shuffled(rows + part.start, weight[rows])[:5]


def _passing_items(speaker: Speaker, segments: Segments, interval: FreeInterval, kind: str) -> list[ClauseItem]:
    segment_index, begin, end = interval
    segment = segments[segment_index][0]
    passed = segment.passed
    if kind == "pass" and speaker.random.chance("under a bridge", UNDER_RATE):
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
        other = _opposite(speaker, segment, interval, row)
        frame = ClauseFrame("pass", named[1], side, *(other[1:] if other else ()))
        if other is not None:
            item = speaker.say("pass", frame, ("thing", "other_thing"), thing=text, other_thing=other[0])
        else:
            item = speaker.say("pass", frame, ("thing",), thing=text)
        return [replace(item, segment_index=segment_index, index=index)]
    return []


def _opposite(speaker: Speaker, segment: Segment, interval: FreeInterval, row: int) -> tuple[Text, Phrase, int] | None:
    """Return an object on the other side of the street, sometimes."""
    if not speaker.random.chance("pass two", 0.15):
        return None
    passed, index = segment.passed, int(segment.passed.index[row])
    rows = _candidates(speaker, segment, max(interval[1], index - 2), min(interval[2], index + 2))
    return next((_name_passed(speaker, segment, k) for k in rows if passed.side[k] == -passed.side[row]), None)


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
    random = speaker.random
    segment_index = random.randrange(len(segments))
    segment, end = segments[segment_index]
    passed = segment.passed
    crossings = [k for k in segment.crossings if k < end and k]
    begin = random.choice([0, 0, 0, *crossings])
    rows = _candidates(speaker, segment, begin, min(end, begin + MAX_PLACES_AHEAD + 1), buildings=True)
    first = next(filter(None, ((row, _name_passed(speaker, segment, row)) for row in rows)), None)
    if first is None or first[1] is None:
        return []
    row, (text, phrase, side) = first[0], first[1]
    name = "verify turned" if segment_index and not begin and random.chance("after the turn", 0.7) else "verify"
    opposite = [other_row for other_row in rows if passed.side[other_row] != side]
    other = _name_passed(speaker, segment, opposite[0]) if opposite and random.chance("both sides", 0.3) else None
    slots = {"ahead": random.pick("ahead", AHEAD_WORDS)} if passed.index[row] - begin >= MIN_PLACES_AHEAD else {}
    if passed.kind[row] in SIDEWALK_KINDS:
        slots["sidewalk"] = "sidewalk"
    if int(passed.instance[row]) in parked_instances(speaker.scene):
        slots["parked"] = "parked"
    if name == "verify turned":
        slots |= _lane_slots(speaker, _facts_after_turn(speaker, segment, end))
    if other is not None:
        frame = ClauseFrame("verify", phrase, side, *other[1:])
        item = speaker.say(name, frame, ("thing", "other_thing"), thing=text, other_thing=other[0])
    else:
        item = speaker.say(name, ClauseFrame("verify", phrase, side), ("thing",), thing=text, **slots)
    return [replace(item, segment_index=segment_index, index=begin + 0.02)]


def _group_items(speaker: Speaker, segments: Segments) -> list[ClauseItem]:
    """Return a clause about several objects of one kind on a side, or on both sides."""
    segment_index = speaker.random.randrange(len(segments))
    segment, end = segments[segment_index]
    passed, last = segment.passed, min(end, MAX_PLACES_AHEAD + 1)
    near = (passed.index > 0) & (passed.index < last) & (passed.hidden < 0.5) & (passed.share > 4e-4)
    near &= (KIND_WEIGHTS[passed.kind] > 0) & (passed.kind != class_index("building"))
    both = speaker.random.chance("on both sides", 0.3)
    for row in speaker.shuffled(np.flatnonzero(near), KIND_WEIGHTS[passed.kind[near]])[:3]:
        side = int(passed.side[row])
        rows = np.flatnonzero(near & (passed.kind == passed.kind[row]) & (both | (passed.side == side)))
        if len(rows) < MIN_GROUP or (both and len(set(passed.side[rows].tolist())) < 2):
            continue

        def fits(phrase: Phrase, rows: Ints = rows) -> bool:
            return bool(match(phrase, passed)[rows].all())

        named = speaker.name_group(rows[:MAX_GROUP], passed, fits)
        if named is not None:
            frame = ClauseFrame("chat", named[1]) if both else ClauseFrame("verify", named[1], side)
            name = "verify both" if both else "verify turned" if segment_index else "verify"
            item = speaker.say(name, frame, ("thing",), thing=named[0])
            return [replace(item, segment_index=segment_index, index=0.02)]
    return []


def _name_passed(speaker: Speaker, segment: Segment, row: int) -> tuple[Text, Phrase, int] | None:
    passed = segment.passed
    named = speaker.name(int(passed.instance[row]), article=speaker.article("seen", 0.1))
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


def _goal_items(speaker: Speaker, segments: Segments) -> list[ClauseItem]:
    """Return a clause about an object beside the goal."""
    segment, goal = segments[-1]
    for row in _candidates(speaker, segment, goal - 1, goal + 1, buildings=True)[:2]:
        named = _name_passed(speaker, segment, row)
        if named is not None:
            frame = ClauseFrame("verify", *named[1:])
            item = speaker.say("verify here", frame, ("thing",), thing=named[0])
            return [replace(item, segment_index=len(segments) - 1, index=goal + 0.05)]
    return []


def _crossed_items(speaker: Speaker, segments: Segments, items: Sequence[ClauseItem]) -> list[ClauseItem]:
    """Return a clause about an object behind a crossing that the walker is sent straight through."""
    through = [item for item in items if item.frame.name == "through"]
    if not through:
        return []
    crossing = speaker.random.choice(through)
    segment, end = segments[crossing.segment_index]
    begin = int(crossing.index)
    rows = _candidates(speaker, segment, begin, min(end, begin + MAX_PLACES_AHEAD), buildings=True)
    named = next(filter(None, (_name_passed(speaker, segment, row) for row in rows[:2])), None)
    if named is None:
        return []
    item = speaker.say("verify crossed", ClauseFrame("verify", *named[1:]), ("thing",), thing=named[0])
    return [replace(item, segment_index=crossing.segment_index, index=begin + 0.02)]
