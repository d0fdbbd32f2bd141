"""How an instruction ends: words that single out the place where one stops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.instructions.segments import Segment
from bearleft.language.instructions.semantics import Frame
from bearleft.language.instructions.speaker import KIND_WEIGHTS, MOVING_KINDS, ClauseItem, Speaker
from bearleft.language.noun_phrases import Phrase
from bearleft.world.city.catalog import class_index

PRONOUN_RATE = 0.42  # how often one is told what one will see, and then to stop at it
MAX_STEPS = 12  # one counts no more


def write_ending(speaker: Speaker, segment: Segment, at: int, goal: int) -> tuple[list[ClauseItem], bool] | None:
    """Items that stop a walker, who has gone to `at` on a stretch, at its place `goal`, or None.

    The flag says whether things may be passed on the way there without harm.
    """
    random = speaker.random
    ahead = [k for k in segment.crossings if k > at]
    near = min((abs(goal - k) for k in ahead), default=99)
    paths: list[Callable[[], tuple[list[ClauseItem], bool] | None]] = []
    beside = lambda: _landmark(speaker, segment, at, goal, "stop beside")  # noqa: E731
    after = lambda: _landmark(speaker, segment, at, goal, "stop after")  # noqa: E731
    before = lambda: _landmark(speaker, segment, at, goal, "stop before")  # noqa: E731
    crossing = lambda: _crossing(speaker, segment, at, goal, 1)  # noqa: E731
    steps = lambda: _steps(speaker, at, goal)  # noqa: E731
    halfway = lambda: _halfway(speaker, segment, at, goal)  # noqa: E731
    if near <= 1 and random.random() < 0.6:
        paths.append(crossing)
    if goal - at <= 3 and random.random() < 0.35:
        paths.append(steps)
    if random.random() < 0.15:
        paths.append(halfway)
    paths += random.choices([beside, after, before], [0.8, 0.12, 0.08])
    paths += [beside, after, before, crossing, halfway, lambda: _crossing(speaker, segment, at, goal, 6), steps]
    for way in paths:
        found = way()
        if found is not None:
            return found
    return None


def _landmark(
    speaker: Speaker, segment: Segment, at: int, goal: int, name: str
) -> tuple[list[ClauseItem], bool] | None:
    passed = segment.passed
    there = goal + {"stop beside": 0, "stop after": -1, "stop before": 1}[name]
    if there <= at:
        return None
    kinds = passed.kind
    weight = KIND_WEIGHTS[kinds] * np.sqrt(passed.share)
    weight[np.isin(kinds, [*MOVING_KINDS, class_index("building")])] = 0.0
    rows = np.flatnonzero((passed.index == there) & (weight > 0) & (passed.share > 3e-4))
    rows = rows[~np.isin(passed.instance[rows], list(speaker.used))]
    for row in speaker.shuffled(rows, weight[rows]):
        side, instance = int(passed.side[row]), int(passed.instance[row])
        if name == "stop before" and speaker.scene.at(segment.places[goal]).find(instance) < 0:
            continue  # who stops before it must see it

        def fits(phrase: Phrase, side: int = side) -> bool:
            found = passed.find(phrase, side, at + 1)
            return bool(len(found)) and int(passed.index[found[0]]) == there

        def second(phrase: Phrase, side: int = side) -> bool:
            found = passed.find(phrase, side, at + 1)
            return len(found) > 1 and int(passed.index[found[1]]) == there and int(passed.index[found[0]]) < there

        it = name == "stop beside" and speaker.random.random() < PRONOUN_RATE
        said = speaker.name(instance, fits, "a" if it else None, vivid=0.8)
        if said is None:
            said = speaker.name(instance, second, "a")
            if said is not None:
                said = speaker.second(*said, 2)
        if said is not None:
            text = speaker.beside(said[0], passed, row)
            return _stop_items(speaker, name, said[1], side, text, it), not said[1].ordinal
    return None


def _stop_items(speaker: Speaker, name: str, phrase: Phrase, side: int, text: Text, it: bool) -> list[ClauseItem]:
    if it:
        seen = speaker.say("verify", Frame("verify", phrase, side), ("thing",), thing=text)
        again, meant = speaker.again(text, phrase)
        return [speaker.closed(seen), speaker.say("stop it", Frame("stop beside", meant), ("thing",), thing=again)]
    return [speaker.say(name, Frame(name, phrase, side), ("thing", "side"), thing=text)]


def _crossing(
    speaker: Speaker, segment: Segment, at: int, goal: int, most: int
) -> tuple[list[ClauseItem], bool] | None:
    ahead = [k for k in segment.crossings if k > at]
    for nth, k in enumerate(ahead[:3], 1):
        off = goal - k
        if abs(off) > most:
            continue
        name = "stop at crossing" if not off else "stop after crossing" if off > 0 else "stop before crossing"
        frame = Frame(name, nth=nth, count=abs(off) if abs(off) > 1 else 0)
        needs = ("nth", "count") if frame.count else ("nth",)
        return [speaker.say(name, frame, needs, speaker.crossing(segment, ahead[:nth]))], nth == 1 and k > at
    return None


def _steps(speaker: Speaker, at: int, goal: int) -> tuple[list[ClauseItem], bool] | None:
    if not 0 < goal - at <= MAX_STEPS:
        return None
    return [speaker.say("stop steps", Frame("stop steps", count=goal - at))], False


def _halfway(speaker: Speaker, segment: Segment, at: int, goal: int) -> tuple[list[ClauseItem], bool] | None:
    ahead = [k for k in segment.crossings if k > at]
    if not ahead or ahead[0] - at < 6 or (at + ahead[0]) // 2 != goal:
        return None
    return [speaker.say("stop halfway", Frame("stop halfway"))], False
