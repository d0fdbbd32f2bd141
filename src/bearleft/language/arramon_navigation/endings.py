"""Endings of instructions: the item to pick up, and what it lies by."""

from __future__ import annotations

from random import Random

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.scene import Position2D
from bearleft.language.arramon_navigation.semantics import (
    LEFT,
    MAX_RELATION_DISTANCE,
    RIGHT,
    ClauseFrame,
    ItemPhrase,
    Relation,
    bearing,
    relation_holds,
)
from bearleft.language.arramon_navigation.speaker import Speaker
from bearleft.language.noun_phrases import Phrase
from bearleft.world.arramon.items.names import item_by_name

EndingOption = tuple[ClauseFrame, str, dict[str, Text | str]]  # frame, name of the clause, slots
EGOCENTRIC_RATE = 0.11  # how often no location is given, or one relative to the reader
RELATION_WEIGHTS: dict[Relation, float] = {"behind": 9.0, "before": 9.0, "left": 1.5, "right": 1.5, "near": 0.6}
BETWEEN_RATE = 0.6
VERB_WEIGHTS = {"pick": 0.7, "see": 0.1, "until": 0.2}  # of "pick up", "you will see", "go until you see"
INDEFINITE_RATES = {"pick": 0.0, "see": 1.0, "until": 0.3}  # how often "a mug" instead of "the mug"
UNIQUE_RADIUS = 8.0  # metres in which an object's name must match it alone
RELATION_MARGIN = 0.35  # metres from the limit of a relation


def write_ending(speaker: Speaker, target: int, view: Position2D, walks_on: bool) -> bool:
    """Write what to pick up, if the walker then chooses the target; return whether it does.

    Args:
        speaker: The speaker.
        target: The index of the target among the items.
        view: The position from which the target is seen on the true walk.
        walks_on: Whether the walk leads straight on to it.
    """
    random, walker = speaker.random, speaker.walker
    city_item = walker.city_items[target]
    item_phrase = _item_phrase(city_item.item, random)
    for frame, name, slots in _ending_options(speaker, target, view, item_phrase):
        if walker.choose(frame) != target:
            continue
        walker.do(frame)
        verb = random.choices(list(VERB_WEIGHTS), list(VERB_WEIGHTS.values()))[0]
        if verb == "until" and (frame.relation == "ahead" or not walks_on):
            verb = "see"
        article = "a" if random.random() < INDEFINITE_RATES[verb] else "the"
        speaker.say(f"{verb} {name}".strip(), frame, item_thing=f"{article} {item_phrase.words}", **slots)
        if verb != "pick":
            speaker.say("take it", ClauseFrame("take it"))
        return True
    return False


def _item_phrase(name: str, random: Random) -> ItemPhrase:
    item = item_by_name(name)
    adjectives = f"{item.pattern} {item.colour}" if random.random() < 0.9 else f"{item.colour} {item.pattern}"
    noun = "TV" if item.type == "tv" and random.random() < 0.5 else item.type
    return ItemPhrase(f"{adjectives} {noun}", item.pattern, item.colour, item.type)


def _ending_options(speaker: Speaker, target: int, view: Position2D, item_phrase: ItemPhrase) -> list[EndingOption]:
    """Return ways to express the ending, the preferred ones first."""
    random, walker = speaker.random, speaker.walker
    options: list[EndingOption] = []
    position = np.array(walker.city_items[target].at[:2])
    egocentric: list[EndingOption] = [(ClauseFrame("pick", item=item_phrase), "", {})]
    angles = [
        float(turn(walker.heading, bearing(viewpoint, (position[0], position[1]))))
        for viewpoint in (walker.position, view)
    ]
    egocentric += [
        (ClauseFrame("pick", side=side, item=item_phrase, relation="side"), "side", {})
        for side in (LEFT, RIGHT)
        if all(20.0 < angle * side < 120.0 for angle in angles)
    ]
    if all(abs(angle) < 25.0 for angle in angles):
        egocentric.append((ClauseFrame("pick", item=item_phrase, relation="ahead"), "ahead", {}))
    for row, relation in _related_objects(speaker, position, view):
        named = _unique_name(speaker, row, position)
        if named is not None:
            options.append(
                (ClauseFrame("pick", named[1], item=item_phrase, relation=relation), relation, {"thing": named[0]})
            )
    random.shuffle(egocentric)
    keyed = sorted(options, key=lambda option: -(random.random() ** (1 / RELATION_WEIGHTS[option[0].relation])))
    pair = _between(speaker, position, item_phrase)
    keyed = [*pair, *keyed] if random.random() < BETWEEN_RATE else [*keyed, *pair]
    return [*egocentric, *keyed] if random.random() < EGOCENTRIC_RATE else [*keyed, *egocentric]


def _related_objects(speaker: Speaker, position: Floats, view: Position2D) -> list[tuple[int, Relation]]:
    """Return the objects that the item is related to, both for the walker and on the true walk."""
    walker, scene = speaker.walker, speaker.walker.scene
    positions = np.column_stack([scene.east, scene.north])
    near = np.hypot(*(positions - position).T) <= MAX_RELATION_DISTANCE - RELATION_MARGIN
    rows = np.flatnonzero(near)
    if len(rows):
        rows = rows[scene.sees(view, scene.east[rows], scene.north[rows])]
    related: list[tuple[int, Relation]] = []
    for relation in RELATION_WEIGHTS:
        holds = relation_holds(relation, walker.position, positions[rows], position) & relation_holds(
            relation, view, positions[rows], position
        )
        related += [(int(row), relation) for row in rows[holds]]
    return related


def _unique_name(speaker: Speaker, row: int, position: Floats) -> tuple[Text, Phrase] | None:
    """Return a name that matches no other object nearby."""
    scene = speaker.walker.scene
    for text, phrase in speaker.name_candidates(row):
        rows = scene.fitting(phrase)
        near = rows[np.hypot(scene.east[rows] - position[0], scene.north[rows] - position[1]) <= UNIQUE_RADIUS]
        if near.tolist() == [row]:
            return text, phrase
    return None


def _between(speaker: Speaker, position: Floats, item_phrase: ItemPhrase) -> list[EndingOption]:
    """Return two objects that the item lies between."""
    scene = speaker.walker.scene
    offsets = np.column_stack([scene.east, scene.north]) - position
    distance = np.hypot(offsets[:, 0], offsets[:, 1])
    rows = np.flatnonzero(distance <= MAX_RELATION_DISTANCE - RELATION_MARGIN)
    for k, first_row in enumerate(rows):
        for second_row in rows[k + 1 :]:
            if offsets[first_row] @ offsets[second_row] < -0.7 * distance[first_row] * distance[second_row]:
                first, second = (
                    _unique_name(speaker, int(first_row), position),
                    _unique_name(speaker, int(second_row), position),
                )
                if first is not None and second is not None:
                    frame = ClauseFrame("pick", first[1], second[1], item=item_phrase, relation="between")
                    return [(frame, "between", {"thing": first[0], "other_thing": second[0]})]
    return []
