"""Writer of placement texts for ArraMon: where to place the carried item, so that one cell matches.

A meaning that only the cell matches is drawn and rendered; the text is kept if it passes the quality checks. Tests
measure whether the parser understands it.
"""

from __future__ import annotations

from collections.abc import Sequence

from bearleft.errors import InputError, format_value
from bearleft.language.analysis.quality import find_problems
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_assembly import templates
from bearleft.language.arramon_assembly.noun_phrases import item_noun_phrase, wall_name, wall_noun_phrase
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
from bearleft.language.templates import normalize_spaces
from bearleft.language.writer_random import WriterRandom, fitted_weights
from bearleft.records import Cell
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.moves import is_inside_room
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, RoomItem

MAX_TRIES = 60
FULL_NAME_TRIES = 30  # tries after which all items get their full name
# How the carried item is named: with all attributes, some, its type, "it", or not at all.
CARRIED = {"full": 0.53, "type": 0.36, "colour": 0.03, "it": 0.01, "none": 0.06}
STATEMENT_RATE, NO_CAPITALS_RATE, NO_FULL_STOP_RATE = 0.02, 0.19, 0.13
WALL_SEEN_RATE = 0.06  # how often a wall is located: "the brick wall in front of you"
HABITS = {
    "lower case": 0.95, "no full stop": 0.95, "article of an item": 0.8, "article of a wall": 0.8, "carried": 0.6,
    "colour first": 0.6,
}  # fmt: skip
NEAR_TEMPLATES = {"next": templates.NEXT, "diagonal": templates.DIAGONAL, "line": templates.LINE}
SIDE_TEMPLATES = {
    "left": templates.BESIDE,
    "right": templates.BESIDE,
    "front": templates.FRONT,
    "behind": templates.BEHIND,
}


def placement_writer(seed: str) -> WriterRandom:
    """Return a writer of placement texts: one person with habits."""
    return WriterRandom(f"assembly {seed}", fitted_weights("assembly"), HABITS)


def write_placement(room_items: Sequence[RoomItem], item: str, cell: Cell, random: WriterRandom) -> Text | None:
    """Return a text that leads to a cell of a room, or None if none was found.

    Args:
        room_items: The items in the room.
        item: The carried item.
        cell: The cell.
        random: The writer.

    Raises:
        InputError: An item cannot be placed on the cell.
    """
    if not is_inside_room(cell) or not Room(room_items).height(*square_of(cell)) == cell[1] <= MAX_STACK_HEIGHT:
        raise InputError("a cell of the room on the floor or on top of an item", format_value(list(cell)), "cell")
    for k in range(MAX_TRIES):
        random.take_recorded()
        meaning = draw_meaning(room_items, item, cell, random, k >= FULL_NAME_TRIES)
        text = _render_ranked(meaning, item, random) if meaning is not None else None
        if text is not None and not find_problems(text.string, "assembly"):
            return text
    return None


def _render_ranked(meaning: Meaning, item: str, random: WriterRandom) -> Text:
    return random.rank(lambda: render_meaning(meaning, item, random), lambda text: text.string)


def render_meaning(meaning: Meaning, item: str, random: WriterRandom) -> Text:
    """Return a meaning in words."""
    on_floor = not any(isinstance(relation, OnTop) for relation in meaning.relations)
    placement = Text.join(
        [
            _render_verb(item, random, meaning.facing == 0, on_floor),
            _render_relations(meaning.relations, meaning.facing, random),
        ]
    )
    lower_case = random.chance("lower case", NO_CAPITALS_RATE)
    end = "" if random.chance("no full stop", NO_FULL_STOP_RATE) else "."
    sentences = [placement]
    if meaning.facing:
        turning, conjunction = _render_turn(meaning.facing, random)
        separate = conjunction.string == "."
        sentences = [turning, placement] if separate else [Text.join([turning, conjunction, placement])]
    elif random.chance("facing first", 0.01):
        turning = templates.FACING_FIRST.render(random, wall_thing=wall_noun_phrase(random, 0))
        sentences = [Text.join([turning, placement])]
    random.take_recorded()
    if not lower_case:
        sentences = [sentence.capitalized() for sentence in sentences]
    return normalize_spaces(Text.join(sentences, ". ") + end)


def _render_turn(facing: int, random: WriterRandom) -> tuple[Text, Text]:
    side, wall = "right" if facing == 1 else "left", wall_noun_phrase(random, facing)
    how = random.pick("turning", {"side": 0.78, "side and wall": 0.17, "wall": 0.03, "facing": 0.02})
    if how == "facing":
        return templates.FACING.render(random, wall_thing=wall), Text("")
    template = {"side": templates.TURN, "side and wall": templates.TURN_TO, "wall": templates.TURN_TOWARDS}[how]
    return template.render(random, side=side, wall_thing=wall), templates.AFTER_TURN.render(random)


def _render_verb(item: str, random: WriterRandom, first: bool, on_floor: bool) -> Text:
    """Return the verb and the carried item; `first` at the beginning of a text, `on_floor` if it is not stacked."""
    carried, how = named(item), random.pick("carried", CARRIED)
    if how == "none":
        return templates.PLACE_ONLY.render(random)
    if how == "it":
        return templates.PLACE_IT.render(random)
    phrase = ItemPhrase(
        carried.type, carried.colour if how != "type" else None, carried.pattern if how == "full" else None
    )
    template = templates.PLACE
    if first and random.chance("statement", STATEMENT_RATE):
        template = templates.BELONGS
    elif on_floor and random.chance("on the floor", 0.015):
        template = templates.PLACE_ON_FLOOR
    return template.render(random, thing=item_noun_phrase(random, phrase, carried=True))


def _render_relations(relations: Sequence[Relation], facing: int, random: WriterRandom) -> Text:
    parts: list[Text] = []
    k = 0
    while k < len(relations):
        relation = relations[k]
        next_relation = relations[k + 1] if k + 1 < len(relations) else None
        if parts:
            three = k + 1 < len(relations) and len(parts) == 1
            # "The ball against the wall" would be the place of the ball.
            after_me = isinstance(relation, Against) and isinstance(relations[k - 1], RelativeToAgent)
            adjacent = after_me and not three and random.chance("no and", 0.6)
            parts.append(Text(",") if three else Text("") if adjacent else templates.AND.render(random))
        if isinstance(relation, Against) and isinstance(next_relation, Against):
            parts.append(_render_walls(relation.wall, next_relation.wall, random))
            k += 1
        else:
            parts.append(_render_relation(relation, facing, random))
        k += 1
    return Text.join(parts)


def _render_walls(first: int, second: int, random: WriterRandom) -> Text:
    """Return the place where two walls meet."""
    if random.chance("walls together", 0.4):  # "the brick and wooden walls"
        walls = f"the {wall_name(random, first)}", f"{wall_name(random, second)} walls"
        texts = [Text(words).with_annotations("unique entity") for words in walls]
        return templates.AGAINST_BOTH.render(random, wall_thing=texts[0], other_thing=texts[1])
    template = templates.MEET if random.chance("walls meet", 0.15) else templates.AGAINST_BOTH
    texts = [wall_noun_phrase(random, first), wall_noun_phrase(random, second)]
    return template.render(random, wall_thing=texts[0], other_thing=texts[1])


def _render_wall(wall: int, facing: int, random: WriterRandom) -> Text:
    """Return a wall, sometimes with its side as the agent sees it."""
    text = wall_noun_phrase(random, wall)
    if facing or wall == 2 or not random.chance("located wall", WALL_SEEN_RATE):
        return text
    template = templates.WALL_AHEAD if wall == 0 else templates.WALL_ASIDE
    return template.render(random, wall_thing=text, side="right" if wall == 1 else "left")


def _render_relation(relation: Relation, facing: int, random: WriterRandom) -> Text:
    if isinstance(relation, Against):
        return templates.AGAINST.render(random, wall_thing=_render_wall(relation.wall, facing, random))
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


def _render_between(relation: Between, thing: Text, random: WriterRandom) -> Text:
    if relation.other is None:
        return templates.BETWEEN_TWO.render(random, thing=thing)
    other = (
        wall_noun_phrase(random, relation.other)
        if isinstance(relation.other, int)
        else _render_phrase(relation.other, random)
    )
    return templates.BETWEEN.render(random, thing=thing, other_thing=other)


def _render_phrase(thing: ReferentPhrase, random: WriterRandom) -> Text:
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
