"""Writer of placement texts for ArraMon: where to place the carried item, so that one cell matches.

A meaning that only the cell matches is drawn and rendered; the text is kept if it passes the quality checks. Tests
measure whether the parser understands it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from bearleft.errors import InputError, format_value
from bearleft.language.analysis.quality import find_problems
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_assembly import templates
from bearleft.language.arramon_assembly.noun_phrases import item_noun_phrase, wall_noun_phrase
from bearleft.language.arramon_assembly.relations import draw_meaning
from bearleft.language.arramon_assembly.semantics import (
    Against,
    Between,
    CloserToWall,
    ItemPhrase,
    Meaning,
    Near,
    OnSide,
    OnTop,
    ReferentPhrase,
    Relation,
    RelativeToAgent,
    Room,
    StackPhrase,
    square_of,
)
from bearleft.language.templates import Template, normalize_spaces
from bearleft.language.writer_random import WriterRandom, fitted_weights
from bearleft.records import Cell
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.moves import is_inside_room
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, RoomItem

MAX_TRIES = 60
FULL_NAME_TRIES = 30  # tries after which all items get their full name
STATEMENT_RATE = 0.05  # how often a text states where the item belongs
NEAR_TEMPLATES = {"next": templates.NEXT, "diagonal": templates.DIAGONAL, "line": templates.LINE}
SIDE_TEMPLATES = {
    "left": templates.BESIDE,
    "right": templates.BESIDE,
    "front": templates.FRONT,
    "behind": templates.BEHIND,
}


def placement_writer(seed: str) -> WriterRandom:
    """Return a writer of placement texts: one person with habits."""
    return WriterRandom(f"assembly {seed}", fitted_weights("assembly"))


def write_placement(room_items: Sequence[RoomItem], item: str, cell: Cell, random: Random) -> Text | None:
    """Return a text that leads to a cell of a room, or None if none was found.

    Args:
        room_items: The items in the room.
        item: The carried item.
        cell: The cell.
        random: The random generator.

    Raises:
        InputError: An item cannot be placed on the cell.
    """
    if not is_inside_room(cell) or not Room(room_items).height(*square_of(cell)) == cell[1] <= MAX_STACK_HEIGHT:
        raise InputError("a cell of the room on the floor or on top of an item", format_value(list(cell)), "cell")
    for k in range(MAX_TRIES):
        meaning = draw_meaning(room_items, item, cell, random, k >= FULL_NAME_TRIES)
        text = render_meaning(meaning, item, random) if meaning is not None else None
        if text is not None and not find_problems(text.string, "assembly"):
            return text
    return None


def render_meaning(meaning: Meaning, item: str, random: Random) -> Text:
    """Return a meaning in words."""
    placement = Text.join(
        [_render_verb(item, random, meaning.facing == 0), _render_relations(meaning.relations, random)]
    )
    if not meaning.facing:
        return normalize_spaces(placement.capitalized() + ".")
    turning, conjunction = _render_turn(meaning.facing, random)
    if conjunction.string == ".":
        return normalize_spaces(turning.capitalized() + ". " + placement.capitalized() + ".")
    return normalize_spaces(Text.join([turning.capitalized(), conjunction, placement]) + ".")


def _render_turn(facing: int, random: Random) -> tuple[Text, Text]:
    side, wall = "right" if facing == 1 else "left", wall_noun_phrase(random, facing)
    chance = random.random()
    if chance < 0.03:
        return _render_any(templates.TURN_WHEN, random, wall_thing=wall), Text("")
    choices = templates.TURN_TO if chance < 0.25 else templates.TURN
    return _render_any(choices, random, side=side, wall_thing=wall), _render_any(templates.AFTER_TURN, random)


def _render_verb(item: str, random: Random, first: bool) -> Text:
    """Return the verb and the carried item, by its full name, its type or "it"; `first` at the beginning of a text."""
    carried, chance = named(item), random.random()
    if chance < 0.06:
        return _render_any(templates.PLACE_IT, random)
    phrase = ItemPhrase(carried.type, carried.colour, carried.pattern)
    if chance < 0.43:
        phrase = replace(phrase, colour=None if chance < 0.41 else carried.colour, pattern=None)
    verbs = templates.BELONGS if first and random.random() < STATEMENT_RATE else templates.PLACE
    return _render_any(verbs, random, thing=item_noun_phrase(random, phrase))


def _render_relations(relations: Sequence[Relation], random: Random) -> Text:
    parts: list[Text] = []
    k = 0
    while k < len(relations):
        relation = relations[k]
        next_relation = relations[k + 1] if k + 1 < len(relations) else None
        if parts:
            parts.append(
                Text(",") if k + 1 < len(relations) and len(parts) == 1 else _render_any(templates.AND, random)
            )
        if isinstance(relation, Against) and isinstance(next_relation, Against):
            template = random.choice((templates.MEET, templates.AGAINST_BOTH))
            walls = wall_noun_phrase(random, relation.wall), wall_noun_phrase(random, next_relation.wall)
            parts.append(template.render(random, wall_thing=walls[0], other_thing=walls[1]))
            k += 1
        else:
            parts.append(_render_relation(relation, random))
        k += 1
    return Text.join(parts)


def _render_relation(relation: Relation, random: Random) -> Text:
    if isinstance(relation, Against):
        return templates.AGAINST.render(random, wall_thing=wall_noun_phrase(random, relation.wall))
    if isinstance(relation, RelativeToAgent):
        return {"front": templates.MY_FRONT, "ahead": templates.MY_AHEAD}.get(relation.side, templates.MY_SIDE).render(
            random, side=relation.side
        )
    thing = _render_phrase(relation.thing, random)
    if isinstance(relation, OnTop):
        return templates.ON_TOP.render(random, thing=thing)
    if isinstance(relation, OnSide):
        return SIDE_TEMPLATES[relation.side].render(random, thing=thing, side=relation.side)
    if isinstance(relation, Near):
        return NEAR_TEMPLATES[relation.how].render(random, thing=thing)
    if isinstance(relation, CloserToWall):
        return templates.CLOSER.render(random, thing=thing, wall_thing=wall_noun_phrase(random, relation.wall))
    return _render_between(relation, thing, random)


def _render_between(relation: Between, thing: Text, random: Random) -> Text:
    if relation.other is None:
        return templates.BETWEEN_TWO.render(random, thing=thing)
    other = (
        wall_noun_phrase(random, relation.other)
        if isinstance(relation.other, int)
        else _render_phrase(relation.other, random)
    )
    return templates.BETWEEN.render(random, thing=thing, other_thing=other)


def _render_phrase(thing: ReferentPhrase, random: Random) -> Text:
    """Return a noun phrase, with the position of the item if the phrase mentions it."""
    if isinstance(thing, StackPhrase):
        items = _render_phrase(thing.first, random), _render_phrase(thing.second, random)
        return templates.STACK.render(random, thing=items[0], other_thing=items[1])
    text = item_noun_phrase(random, thing)
    if thing.under is not None:
        text = templates.UNDER.render(random, thing=text, other_thing=item_noun_phrase(random, thing.under))
    if thing.on is not None:
        text = templates.ON.render(random, thing=text, other_thing=item_noun_phrase(random, thing.on))
    if thing.wall is not None:
        text = templates.CLOSE.render(random, thing=text, wall_thing=wall_noun_phrase(random, thing.wall))
    if thing.seen is not None:
        template = templates.SEEN_AHEAD if thing.seen == "front" else templates.SEEN
        text = template.render(random, thing=text, side=thing.seen)
    return text


def _render_any(choices: Sequence[Template], random: Random, **slots: Text | str) -> Text:
    return random.choice(choices).render(random, **slots)
