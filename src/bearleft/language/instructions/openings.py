"""Openings of instructions: clauses that identify the first link by what is visible at the start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bearleft.geometry import turn
from bearleft.language.instructions.segments import LINEAR_KINDS, noticeable
from bearleft.language.instructions.semantics import LEFT, RIGHT, ClauseFrame, fits_start, in_direction
from bearleft.language.instructions.speaker import COLOUR_WEIGHTS, KIND_WEIGHTS, MOVING_KINDS, ClauseItem, Speaker
from bearleft.language.noun_phrases import Article, Flags, Phrase, match

Strategy = Callable[[Speaker, int, int, list[int]], ClauseItem | None]
MAX_METRES = 45.0  # metres; farther objects are not named
MAX_CANDIDATES = 24
MAX_ITEMS = 4  # clauses in an opening


def write_opening(speaker: Speaker, place: int, link: int) -> list[ClauseItem] | None:
    """Return items that together fit only one of the links of a place, or None."""
    others = [other for other in speaker.paths.graph.links(place).tolist() if other != link]
    items: list[ClauseItem] = []
    for strategy in _strategies(speaker):
        item = strategy(speaker, place, link, others)
        if item is None:
            continue
        remaining = [other for other in others if _fits(speaker, item.frame, place, other)]
        if len(remaining) < len(others) or not others:
            items.append(item)
            others = remaining
        if not others:
            return items
        if len(items) == MAX_ITEMS:
            break
    return None


def _fits(speaker: Speaker, frame: ClauseFrame, place: int, link: int) -> bool:
    return fits_start(frame, speaker.scene, speaker.paths, place, link)


def _strategies(speaker: Speaker) -> list[Strategy]:
    """Return strategies in the order in which they are tried."""
    strategies = {"flow": _flow, "landmark": _unique_landmark, "two landmarks": _two_landmarks, "crossing": _crossing}
    rates = {"flow": 0.5, "landmark": 0.3, "two landmarks": 0.14, "crossing": 0.06}
    first = strategies[speaker.random.pick("opening", rates)]
    return [first, _unique_landmark, _unique_landmark, _two_landmarks, _flow, _crossing, *[_partial_landmark] * 6]


def _article(speaker: Speaker) -> Article:
    return speaker.article("start", 0.6)


def _flow(speaker: Speaker, place: int, link: int, _others: list[int]) -> ClauseItem | None:
    frame = ClauseFrame("flow")
    if not _fits(speaker, frame, place, link):
        frame = ClauseFrame("against")
    return speaker.say(frame.name, frame)


def _crossing(speaker: Speaker, place: int, link: int, _others: list[int]) -> ClauseItem | None:
    for name in ("facing crossing", "leaving crossing"):
        if _fits(speaker, ClauseFrame(name), place, link):
            return speaker.say(name, ClauseFrame(name), crossing="intersection")
    return None


def landmarks(speaker: Speaker, place: int, heading: float) -> list[tuple[int, str, int]]:
    """Return objects worth naming at a place, in random order: instance, direction, side."""
    visible = speaker.scene.at(place)
    weight = KIND_WEIGHTS[visible.kind] * np.sqrt(visible.share) * COLOUR_WEIGHTS[visible.colour]
    usable = noticeable(visible) & (visible.nearest <= MAX_METRES) & (weight > 0) & (visible.hidden < 0.5)
    usable &= ~np.isin(visible.kind, list(MOVING_KINDS)) & (visible.share > 4e-4)
    rows = np.flatnonzero(usable)
    if not len(rows):
        return []
    candidates = []
    angles = turn(heading, visible.heading)
    for row in speaker.shuffled(rows, weight[rows])[:MAX_CANDIDATES]:
        angle = angles[row]
        for name, side in (("side", LEFT), ("side", RIGHT), ("ahead", 0), ("behind", 0)):
            if not side and visible.kind[row] in LINEAR_KINDS:
                continue
            unambiguous = 40.0 <= angle * side <= 140.0 if side else abs(angle) <= 25.0 or abs(angle) >= 155.0
            if (
                unambiguous
                and in_direction(name, side, np.asarray(angle))
                and int(visible.instance[row]) not in speaker.named_instances
            ):
                candidates.append((int(visible.instance[row]), name, side))
    return candidates


def _unique_landmark(speaker: Speaker, place: int, link: int, others: list[int]) -> ClauseItem | None:
    """Return a landmark that fits this link and no other, or None."""
    return _landmark_item(speaker, place, link, others, exclude_all=True)


def _partial_landmark(speaker: Speaker, place: int, link: int, others: list[int]) -> ClauseItem | None:
    """Return a landmark that excludes at least one other link, or None."""
    return _landmark_item(speaker, place, link, others, exclude_all=False)


def _landmark_item(speaker: Speaker, place: int, link: int, others: list[int], exclude_all: bool) -> ClauseItem | None:
    graph, visible = speaker.paths.graph, speaker.scene.at(place)
    noticed, angles = noticeable(visible), [turn(graph.heading[other], visible.heading) for other in others]
    for instance, name, side in landmarks(speaker, place, float(graph.heading[link])):
        # Objects in the same direction when facing along one of the other links.
        rows_at_others = [noticed & in_direction(name, side, angle) for angle in angles]

        def fits(phrase: Phrase, rows_at_others: list[Flags] = rows_at_others) -> bool:
            matches = [bool((match(phrase, visible) & rows).any()) for rows in rows_at_others]
            return not any(matches) if exclude_all else not all(matches)

        if name != "side" and not speaker.random.chance(f"start {name}", 0.4):
            continue
        named = speaker.name(instance, fits, _article(speaker))
        if named is not None:
            return speaker.say(name, ClauseFrame(name, named[1], side), ("thing",), thing=named[0])
    return None


def _two_landmarks(speaker: Speaker, place: int, link: int, _others: list[int]) -> ClauseItem | None:
    heading = float(speaker.paths.graph.heading[link])
    candidates = [(instance, side) for instance, name, side in landmarks(speaker, place, heading) if side]
    first_landmark = next(((k, side) for k, side in candidates), None)
    second_landmark = next(((k, side) for k, side in candidates if first_landmark and side != first_landmark[1]), None)
    if first_landmark is None or second_landmark is None:
        return None
    first = speaker.name(first_landmark[0], article=_article(speaker))
    second = speaker.name(second_landmark[0], article=_article(speaker))
    if first is None or second is None:
        return None
    frame = ClauseFrame("side", first[1], first_landmark[1], second[1], second_landmark[1])
    needs = ("thing", "other_thing")
    return speaker.say("two sides", frame, needs, thing=first[0], other_thing=second[0])
