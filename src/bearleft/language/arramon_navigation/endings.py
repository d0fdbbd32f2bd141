"""Endings of instructions: the item to pick up, and what it lies by."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.scene import BUILDING, Position2D
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
from bearleft.language.arramon_navigation.speaker import Speaker, is_plural
from bearleft.language.arramon_navigation.templates import CLAUSES
from bearleft.language.noun_phrases import Phrase, indefinite_article
from bearleft.world.arramon.items.names import item_by_name

EndingOption = tuple[ClauseFrame, str, dict[str, Text | str]]  # frame, name of the place, slots
# Ways to say where the item is: nothing, by an object, near an object that was walked to, between two, or egocentric.
STYLES = {"plain": 2.0, "object": 4.0, "pronoun": 2.0, "between": 0.5, "side": 0.3, "ahead": 0.4}
RELATION_WEIGHTS: dict[Relation, float] = {"behind": 3.0, "before": 2.0, "left": 1.5, "right": 1.5, "near": 2.0}
VERB_WEIGHTS = {"pick": 7.0, "find": 1.0, "see": 0.5, "until": 1.0, "reach": 0.4, "look": 0.3, "lies": 0.3, "is": 0.2}
# Rates of "a mug" rather than "the mug"; always after "you will see".
INDEFINITE_RATES = {"pick": 0.015, "find": 0.9, "until": 0.6, "reach": 0.1, "look": 0.95, "is": 0.3}
COLOUR_FIRST_RATE, PLAIN_COLOUR_RATE = 0.06, 0.02  # "the red striped mug"; "the red mug", where no other is red
UNIQUE_RADIUS = 8.0  # metres in which an object's name must match it alone
RELATION_MARGIN = 0.35  # metres from the limit of a relation
MAX_NEARBY_DISTANCE = 8.0  # metres to "the nearby mug"
MAX_REACHED_DISTANCE = 4.0  # metres from the item to the object walked to just before


def write_ending(speaker: Speaker, target: int, view: Position2D, walks_on: bool) -> bool:
    """Write what to pick up, if the walker then chooses the target; return whether it does.

    Args:
        speaker: The speaker.
        target: The index of the target among the items.
        view: The position from which the target is seen on the true walk.
        walks_on: Whether the walk leads straight on to it.
    """
    random, walker = speaker.random, speaker.walker
    item_phrase = _item_phrase(speaker, walker.city_items[target].item)
    options = {style: list(_options(speaker, style, target, view, item_phrase)) for style in STYLES}
    correct = {style: [option for option in options[style] if walker.choose(option[0]) == target] for style in options}
    available = {style: weight if correct[style] else 0.0 for style, weight in STYLES.items()}
    if not any(available.values()):
        return False
    places = correct[random.pick("ending", available)]
    relations = dict.fromkeys(option[0].relation for option in places)
    weights = {relation: float(relation in relations) * weight for relation, weight in RELATION_WEIGHTS.items()}
    if any(weights.values()):
        relation = random.pick("relation", weights)
        places = [option for option in places if option[0].relation == relation]
    frame, place, slots = places[0]
    walker.do(frame)
    _say(speaker, frame, place, slots, item_phrase, walks_on)
    return True


def _say(
    speaker: Speaker,
    frame: ClauseFrame,
    place: str,
    slots: dict[str, Text | str],
    item_phrase: ItemPhrase,
    walks_on: bool,
) -> None:
    """Write the clause that names the item, and then the one that takes it."""
    random = speaker.random
    after_move = bool(speaker.items) and speaker.items[-1].frame.name not in ("go", "turn")
    allowed = {
        "until": walks_on and place != "ahead",
        "find": bool(speaker.items),
        "see": bool(speaker.items),
        "reach": place != "ahead",
        "look": after_move,
    }
    verbs = {
        verb: weight * (f"{verb} {place}".strip() in CLAUSES and allowed.get(verb, True))
        for verb, weight in VERB_WEIGHTS.items()
    }
    verb = random.pick(f"verb of {'an object' if 'thing' in slots else 'nothing'}", verbs)
    words = item_phrase.words
    if verb in ("see", "lies") or random.chance(f"a with {verb}", INDEFINITE_RATES[verb]):
        words = f"{indefinite_article(words)}{words}"
    elif not random.chance("bare item", 0.04):
        is_nearby = verb == "pick" and not place and _distance_to(speaker, frame) < MAX_NEARBY_DISTANCE
        nearby = "nearby " if is_nearby and random.chance("nearby item", 0.04) else ""
        words = f"the {nearby}{words}"
    speaker.say(f"{verb} {place}".strip(), frame, item_thing=words, **slots)
    if verb == "pick":
        return
    if random.chance("take by name", 0.15):
        speaker.say("take item", ClauseFrame("pick", item=item_phrase), item_thing=_repeated(speaker, item_phrase))
    else:
        speaker.say("take it", ClauseFrame("take it"))


def _distance_to(speaker: Speaker, frame: ClauseFrame) -> float:
    """Return the metres to the item of a frame."""
    walker = speaker.walker
    at = walker.city_items[walker.choose(frame)].at
    return hypot(at[0] - walker.position[0], at[1] - walker.position[1])


def _repeated(speaker: Speaker, phrase: ItemPhrase) -> str:
    """Return the item by its type or by its full name."""
    noun = phrase.words.rpartition(" ")[2]
    return f"the {noun if speaker.random.chance('short item', 0.6) else phrase.words}"


def _item_phrase(speaker: Speaker, name: str) -> ItemPhrase:
    item, random = item_by_name(name), speaker.random
    noun = "TV" if item.type == "tv" and random.chance("capital TV", 0.4) else item.type
    adjectives = [item.pattern, item.colour]
    if random.chance("colour first", COLOUR_FIRST_RATE):
        adjectives.reverse()
    return ItemPhrase(f"{' '.join(adjectives)} {noun}", item.pattern, item.colour, item.type)


def _options(
    speaker: Speaker, style: str, target: int, view: Position2D, item_phrase: ItemPhrase
) -> Iterator[EndingOption]:
    """Yield what can be said in a style."""
    walker = speaker.walker
    position = np.array(walker.city_items[target].at[:2])
    if style == "plain":
        yield ClauseFrame("pick", item=item_phrase), "", {}
    elif style == "object":
        related = _related_objects(speaker, position, view)
        order = speaker.by_salience(sorted({row for row, _ in related}))
        for row, relation in sorted((pair for pair in related if pair[0] in order), key=lambda p: order.index(p[0])):
            named = _unique_name(speaker, row, position)
            if named is not None:
                frame = ClauseFrame("pick", named[1], item=item_phrase, relation=relation)
                yield frame, relation, {"thing": named[0]}
    elif style == "pronoun":
        yield from _pronoun_options(speaker, position, view, item_phrase)
    elif style == "between":
        yield from _between(speaker, position, item_phrase)
    else:
        yield from _egocentric_options(speaker, style, position, view, item_phrase)


def _pronoun_options(
    speaker: Speaker, position: Floats, view: Position2D, item_phrase: ItemPhrase
) -> Iterator[EndingOption]:
    """Yield relations to the object named just before: "behind it"."""
    walker = speaker.walker
    thing = speaker.items[-1].frame.thing if speaker.items else None
    if thing is None or len(walker.last) != 1:
        return
    pronoun = "them" if is_plural(thing.words) else "it"
    mentioned = int(walker.last[0])
    text = Text(pronoun).with_annotations("coreference").with_mentions(int(walker.scene.instance[mentioned]))
    for row, relation in _related_objects(speaker, position, view):
        if row == mentioned:
            phrase = Phrase(pronoun, None, plural=pronoun == "them", coreferent=True)
            yield ClauseFrame("pick", phrase, item=item_phrase, relation=relation), relation, {"thing": text}


def _egocentric_options(
    speaker: Speaker, style: str, position: Floats, view: Position2D, item_phrase: ItemPhrase
) -> Iterator[EndingOption]:
    walker = speaker.walker
    angles = [
        float(turn(walker.heading, bearing(viewpoint, (position[0], position[1]))))
        for viewpoint in (walker.position, view)
    ]
    if style == "ahead" and all(abs(angle) < 25.0 for angle in angles):
        yield ClauseFrame("pick", item=item_phrase, relation="ahead"), "ahead", {}
    for side in (LEFT, RIGHT):
        if style == "side" and all(20.0 < angle * side < 120.0 for angle in angles):
            yield ClauseFrame("pick", side=side, item=item_phrase, relation="side"), "side", {}


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


def reached_object(speaker: Speaker, target: int) -> int:
    """Return the row of the object nearest to the item, -1 if none is near: a walk may lead to it first."""
    scene, at = speaker.walker.scene, speaker.walker.city_items[target].at
    distance = np.hypot(scene.east - at[0], scene.north - at[1])
    distance[scene.kind == BUILDING] = np.inf
    if not len(distance) or distance.min() > MAX_REACHED_DISTANCE:
        return -1
    row = int(distance.argmin())
    position = speaker.walker.position
    is_ahead = hypot(scene.east[row] - position[0], scene.north[row] - position[1]) > MAX_REACHED_DISTANCE
    return row if is_ahead and row not in speaker.used else -1


def _unique_name(speaker: Speaker, row: int, position: Floats) -> tuple[Text, Phrase] | None:
    """Return a name that matches no other object nearby."""
    scene = speaker.walker.scene
    for text, phrase in speaker.name_candidates(row):
        rows = scene.fitting(phrase)
        near = rows[np.hypot(scene.east[rows] - position[0], scene.north[rows] - position[1]) <= UNIQUE_RADIUS]
        if near.tolist() == [row]:
            return text, phrase
    return None


def _between(speaker: Speaker, position: Floats, item_phrase: ItemPhrase) -> Iterator[EndingOption]:
    """Yield two objects that the item lies between."""
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
                    yield frame, "between", {"thing": first[0], "other_thing": second[0]}
                    return
