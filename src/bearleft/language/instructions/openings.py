"""How an instruction begins: words that single out one of the links of the first place, by what one sees there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bearleft.geometry import turn
from bearleft.language.instructions.segments import noticed
from bearleft.language.instructions.semantics import LEFT, RIGHT, Frame, fits_start, relation
from bearleft.language.instructions.speaker import MOVING, WEIGHTS, Item, Speaker
from bearleft.language.noun_phrases import Article, Flags, Phrase, match

Way = Callable[[Speaker, int, int, list[int]], Item | None]
FAR = 45.0  # metres; what is further off is not named
CANDIDATES = 24
MOST = 4  # things that one is told to find the first link by


def orient(speaker: Speaker, place: int, link: int) -> list[Item] | None:
    """Items that fit one link alone of those that leave a place, or None."""
    others = [one for one in speaker.ways.graph.links(place).tolist() if one != link]
    items: list[Item] = []
    for way in _ways_to_say(speaker):
        item = way(speaker, place, link, others)
        if item is None:
            continue
        left = [one for one in others if _fits(speaker, item.frame, place, one)]
        if len(left) < len(others) or not others:
            items.append(item)
            others = left
        if not others:
            return items
        if len(items) == MOST:
            break
    return None


def _fits(speaker: Speaker, frame: Frame, place: int, link: int) -> bool:
    return fits_start(frame, speaker.scene, speaker.ways, place, link)


def _ways_to_say(speaker: Speaker) -> list[Way]:
    """Ways in the order in which they are tried."""
    random = speaker.random
    first = random.choices([_flow, _thing, _two, _crossing], [0.27, 0.45, 0.2, 0.08])[0]
    return [first, _thing, _thing, _two, _flow, _crossing, *[_some] * 6]


def _the(speaker: Speaker) -> Article | None:
    return "the" if speaker.random.random() < 0.6 else None


def _flow(speaker: Speaker, place: int, link: int, _others: list[int]) -> Item | None:
    frame = Frame("flow")
    if not _fits(speaker, frame, place, link):
        frame = Frame("against")
    return speaker.say(frame.name, frame)


def _crossing(speaker: Speaker, place: int, link: int, _others: list[int]) -> Item | None:
    for name in ("facing crossing", "leaving crossing"):
        if _fits(speaker, Frame(name), place, link):
            return speaker.say(name, Frame(name), crossing="intersection")
    return None


def landmarks(speaker: Speaker, place: int, heading: float) -> list[tuple[int, str, int]]:
    """Things worth naming around a place, in a random order: instance, relation, side."""
    sight = speaker.scene.at(place)
    weight = WEIGHTS[sight.kind] * np.sqrt(sight.share)
    good = noticed(sight) & (sight.nearest <= FAR) & (weight > 0) & (sight.hidden < 0.5)
    good &= ~np.isin(sight.kind, list(MOVING)) & (sight.share > 4e-4)
    rows = np.flatnonzero(good)
    if not len(rows):
        return []
    found = []
    for row in speaker.shuffled(rows, weight[rows])[:CANDIDATES]:
        angle = turn(heading, sight.heading[row])
        for name, side in (("side", LEFT), ("side", RIGHT), ("ahead", 0), ("behind", 0)):
            clear = 40.0 <= angle * side <= 140.0 if side else abs(angle) <= 25.0 or abs(angle) >= 155.0
            if clear and relation(name, side, np.asarray(angle)) and int(sight.instance[row]) not in speaker.used:
                found.append((int(sight.instance[row]), name, side))
    return found


def _thing(speaker: Speaker, place: int, link: int, others: list[int]) -> Item | None:
    """A thing that stands so for this link and for no other."""
    return _told(speaker, place, link, others, all_of_them=True)


def _some(speaker: Speaker, place: int, link: int, others: list[int]) -> Item | None:
    """A thing that does not stand so for some other link."""
    return _told(speaker, place, link, others, all_of_them=False)


def _told(speaker: Speaker, place: int, link: int, others: list[int], all_of_them: bool) -> Item | None:
    graph, sight = speaker.ways.graph, speaker.scene.at(place)
    seen, angles = noticed(sight), [turn(graph.heading[one], sight.heading) for one in others]
    for instance, name, side in landmarks(speaker, place, float(graph.heading[link])):
        # Where things stand so for one of the other links.
        there = [seen & relation(name, side, angle) for angle in angles]

        def fits(phrase: Phrase, there: list[Flags] = there) -> bool:
            wrong = [bool((match(phrase, sight) & rows).any()) for rows in there]
            return not any(wrong) if all_of_them else not all(wrong)

        if name != "side" and speaker.random.random() < 0.5:
            continue
        said = speaker.name(instance, fits, _the(speaker))
        if said is not None:
            return speaker.say(name, Frame(name, said[1], side), ("thing",), thing=said[0])
    return None


def _two(speaker: Speaker, place: int, link: int, _others: list[int]) -> Item | None:
    heading = float(speaker.ways.graph.heading[link])
    found = [(instance, side) for instance, name, side in landmarks(speaker, place, heading) if side]
    one = next(((k, side) for k, side in found), None)
    other = next(((k, side) for k, side in found if one and side != one[1]), None)
    if one is None or other is None:
        return None
    first = speaker.name(one[0], article=_the(speaker))
    second = speaker.name(other[0], article=_the(speaker))
    if first is None or second is None:
        return None
    frame = Frame("side", first[1], one[1], second[1], other[1])
    needs = ("thing", "other_thing")
    return speaker.say("two sides", frame, needs, thing=first[0], other_thing=second[0])
