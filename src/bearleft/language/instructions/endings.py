"""Endings of instructions: clauses that identify the place to stop at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.instructions.segments import LINEAR_KINDS, PassedObjects, Segment
from bearleft.language.instructions.semantics import ClauseFrame
from bearleft.language.instructions.speaker import (
    COLOUR_WEIGHTS,
    KIND_WEIGHTS,
    MOVING_KINDS,
    ClauseItem,
    Speaker,
    street_facts,
)
from bearleft.language.noun_phrases import Flags, Phrase, colour_mask, match
from bearleft.language.scene_index import class_mask
from bearleft.world.city.catalog import CLASSES

PRONOUN_RATE = 0.3  # how often the landmark is introduced first, and then "stop at it"
MIN_STOP_SHARE = 8e-4  # share of the sphere of a landmark to stop at
MAX_STOP_WIDTH = 75.0  # degrees; a longer hedge or fence is beside several places
PLACES_BEHIND = 5  # places behind the goal within which a second object alike would confuse a reader
MAX_RANK = 3  # "the third tree on the right"
# Classes that readers take for one another.
ALIKE_NAMES = (
    ("lettered sign", "blank sign", "banner", "billboard", "sandwich board"),
    ("street sign", "one way sign", "no parking sign", "speed limit sign", "warning sign", "road work sign"),
    ("tree", "bush", "hedge", "planter", "potted plant", "flower bed"),
    ("pole", "lamp post", "parking meter", "bollard"),
    ("newspaper box", "mailbox", "utility box", "fire alarm box"),
    ("awning", "canopy", "marquee"),
    ("fence", "construction fence", "gate"),
    ("barrier", "barrel", "traffic cone"),
    ("door", "portico", "garage entrance"),
    ("trash can", "dumpster", "trash bags"),
    ("bicycle", "bike rack"),
)
IS_NO_STOP = class_mask("building", *(CLASSES[kind].name for kind in (*MOVING_KINDS, *LINEAR_KINDS)))
Ending = tuple[list[ClauseItem], bool]  # items, and whether objects may be mentioned before
MAX_STEPS = 12  # maximum number of steps to count


def write_ending(speaker: Speaker, segment: Segment, at: int, goal: int) -> Ending | None:
    """Return items that stop a walker at place index `goal` of a segment, or None.

    Args:
        speaker: The speaker.
        segment: The last segment of the route.
        at: Index of the walker's place on the segment.
        goal: Index of the place to stop at.

    Returns:
        The items, and whether objects may be mentioned on the way without changing the meaning.
    """
    random = speaker.random
    ahead = [k for k in segment.crossings if k > at]
    crossing_distance = min((abs(goal - k) for k in ahead), default=99)
    strategies: dict[str, Callable[[], Ending | None]] = {
        "beside": lambda: _landmark(speaker, segment, at, goal, "stop beside"),
        "until": lambda: _landmark(speaker, segment, at, goal, "until"),
        "after": lambda: _landmark(speaker, segment, at, goal, "stop after"),
        "before": lambda: _landmark(speaker, segment, at, goal, "stop before"),
        "crossing": lambda: _crossing(speaker, segment, at, goal, 1),
        "steps": lambda: _steps(speaker, at, goal),
        "halfway": lambda: _halfway(speaker, segment, at, goal),
        "far from crossing": lambda: _crossing(speaker, segment, at, goal, 6),
    }
    rates = {
        "beside": 0.4,
        "until": 0.2,
        "after": 0.1,
        "before": 0.07,
        "crossing": 0.5 * (crossing_distance <= 1),
        "steps": 0.1 * (goal - at <= 3),
        "halfway": 0.1,
        "far from crossing": 0.0,
    }
    first = random.pick("ending", rates)
    for name in (first, "beside", "until", *strategies):
        ending = strategies[name]()
        if ending is not None:
            return ending
    return None


def _landmark(speaker: Speaker, segment: Segment, at: int, goal: int, name: str) -> Ending | None:
    passed = segment.passed
    landmark_place = goal + {"stop after": -1, "stop before": 1}.get(name, 0)
    if not at < landmark_place < len(segment.places):
        return None
    here = passed.between(landmark_place, landmark_place + 1)
    kind, share = passed.kind[here], passed.share[here]
    weight = KIND_WEIGHTS[kind] * np.sqrt(share) * COLOUR_WEIGHTS[passed.colour[here]]
    usable = (weight > 0) & (share > MIN_STOP_SHARE) & (passed.side[here] != 0) & ~IS_NO_STOP[kind]
    usable &= ~np.isin(passed.instance[here], list(speaker.named_instances))
    weight, rows = weight[usable], np.flatnonzero(usable) + here.start
    visible, at_goal = speaker.scene.at(segment.places[landmark_place]), speaker.scene.at(segment.places[goal])
    candidates = [
        row
        for row in speaker.shuffled(rows, weight)
        if at_goal.find(int(passed.instance[row])) >= 0 or name != "stop before"  # visible from the goal
        if visible.width[visible.find(int(passed.instance[row]))] <= MAX_STOP_WIDTH
    ]
    for row in candidates:
        use_pronoun = name == "stop beside" and speaker.random.chance("stop at it", PRONOUN_RATE)
        article = "a" if use_pronoun else speaker.article("stop", 0.4)
        named = speaker.name(
            int(passed.instance[row]), _singles_out(passed, row, at, landmark_place), article, vivid=0.8
        )
        if named is not None:
            text = speaker.add_neighbour(named[0], passed, row)
            return _stop_items(speaker, name, named[1], int(passed.side[row]), text, use_pronoun), True
    if speaker.paths.crossing[segment.places[at]]:  # people count from a corner
        for row in candidates:
            counted = _counted(speaker, passed, row, at)
            if counted is not None:
                return _stop_items(speaker, name, counted[1], int(passed.side[row]), counted[0], False), False
    return None


def _singles_out(passed: PassedObjects, row: int, at: int, landmark_place: int) -> Callable[[Phrase], bool]:
    """Return a condition on phrases: nothing alike is passed on the same side up to and soon after the landmark."""
    in_sight = (passed.side == passed.side[row]) & (passed.index > at)
    in_sight &= (passed.index <= landmark_place + PLACES_BEHIND) & (passed.instance != passed.instance[row])
    alike = in_sight & alike_classes(int(passed.kind[row]))[passed.kind]

    def fits(phrase: Phrase) -> bool:
        fitting = match(phrase, passed)
        confusing = alike & _colours_fit(phrase, passed)
        return bool(fitting[row]) and not (in_sight & fitting).any() and not confusing.any()

    return fits


def _counted(speaker: Speaker, passed: PassedObjects, row: int, at: int) -> tuple[Text, Phrase] | None:
    """Return a name with the rank of an object among those alike from a corner on: "the second tree"."""
    place, side = int(passed.index[row]), int(passed.side[row])
    rank = 0

    def ranks(phrase: Phrase) -> bool:
        nonlocal rank
        places = passed.index[passed.find(phrase, side, at + 1)].tolist()
        rank = places.index(place) + 1 if place in places else 0
        return 0 < rank <= MAX_RANK

    named = speaker.name(int(passed.instance[row]), ranks, "a")
    return named and speaker.with_ordinal(*named, rank)


@cache
def alike_classes(kind: int) -> Flags:
    """Return a mask of the classes that readers take for a class, itself included, by class index."""
    name = CLASSES[kind].name
    return class_mask(name, *(other for group in ALIKE_NAMES if name in group for other in group))


def _colours_fit(phrase: Phrase, passed: PassedObjects) -> Flags:
    """Return a mask of the objects whose main colour is one that a phrase says; all if it says none."""
    if phrase.colours is None:
        return np.full(len(passed), not phrase.features)
    return np.asarray(colour_mask(phrase.colours)[passed.colour], bool)


def _stop_items(
    speaker: Speaker, name: str, phrase: Phrase, side: int, text: Text, use_pronoun: bool
) -> list[ClauseItem]:
    if use_pronoun:
        verification = speaker.say("verify", ClauseFrame("verify", phrase, side), ("thing",), thing=text)
        again, pronoun_phrase = speaker.refer_again(text, phrase)
        return [
            speaker.as_sentence(verification),
            speaker.say("stop it", ClauseFrame("stop beside", pronoun_phrase), ("thing",), thing=again),
        ]
    return [speaker.say(name, ClauseFrame(name, phrase, side), ("thing", "side"), thing=text)]


def _crossing(speaker: Speaker, segment: Segment, at: int, goal: int, max_offset: int) -> Ending | None:
    ahead = [k for k in segment.crossings if k > at]
    for nth, k in enumerate(ahead[:3], 1):
        offset = goal - k
        if abs(offset) > max_offset:
            continue
        name = "stop at crossing" if not offset else "stop after crossing" if offset > 0 else "stop before crossing"
        frame = ClauseFrame(name, nth=nth, count=abs(offset) if abs(offset) > 1 else 0)
        noun = speaker.crossing(segment, ahead[:nth])
        if (
            offset == -1
            and nth == 1
            and speaker.random.chance("crosswalk", 0.3)
            and _has_crosswalk(speaker, segment, k)
        ):
            return [speaker.say(name, replace(frame, nth=0), ("crosswalk",), crosswalk="crosswalk")], k > at
        needs = ("nth", "count") if frame.count else ("nth",)
        return [speaker.say(name, frame, needs, noun)], nth == 1 and k > at
    return None


def _has_crosswalk(speaker: Speaker, segment: Segment, crossing: int) -> bool:
    """Return whether a crosswalk is painted before a crossing."""
    link = speaker.paths.graph.find_link(segment.places[crossing - 1], segment.places[crossing])
    return link is not None and bool(street_facts(speaker.scene).crosswalk_ahead[link])


def _steps(speaker: Speaker, at: int, goal: int) -> Ending | None:
    if not 0 < goal - at <= MAX_STEPS:
        return None
    return [speaker.say("stop steps", ClauseFrame("stop steps", count=goal - at))], False


def _halfway(speaker: Speaker, segment: Segment, at: int, goal: int) -> Ending | None:
    ahead = [k for k in segment.crossings if k > at]
    if not ahead or ahead[0] - at < 6 or (at + ahead[0]) // 2 != goal:
        return None
    return [speaker.say("stop halfway", ClauseFrame("stop halfway"))], False
