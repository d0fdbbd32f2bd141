"""Texts on the room: where to place what one carries, said so that one cell fits.

A meaning is drawn that only the cell fits, and put into words; the words are kept where no check of `quality` has
anything against them. Whether their string is read so is left to be measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from bearleft.errors import InputError, shown
from bearleft.language.analysis.quality import problems
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_assembly import templates as words
from bearleft.language.arramon_assembly.noun_phrases import called, called_wall
from bearleft.language.arramon_assembly.relations import draw
from bearleft.language.arramon_assembly.semantics import (
    Against,
    Between,
    By,
    Closer,
    Me,
    Meaning,
    Near,
    On,
    Ref,
    Relation,
    Room,
    Stack,
    Thing,
    square,
)
from bearleft.language.templates import Template, normalize_spaces
from bearleft.records import Cell
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.moves import is_inside_room
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, RoomItem

TRIES = 60
PLAIN = 30  # tries after which everything gets its full name
STATED = 0.05  # how often a text tells where something belongs
NEAR = {"next": words.NEXT, "diagonal": words.DIAGONAL, "line": words.LINE}
SIDES = {"left": words.BESIDE, "right": words.BESIDE, "front": words.FRONT, "behind": words.BEHIND}


def write(standing: Sequence[RoomItem], item: str, cell: Cell, random: Random) -> Text | None:
    """A text that leads who carries an item to a cell, whatever stands there; None where none was found."""
    if not is_inside_room(cell) or not Room(standing).height(*square(cell)) == cell[1] <= MAX_STACK_HEIGHT:
        raise InputError("a cell of the room with something just below it", shown(list(cell)), "cell")
    for k in range(TRIES):
        meaning = draw(standing, item, cell, random, k >= PLAIN)
        text = say(meaning, item, random) if meaning is not None else None
        if text is not None and not problems(text.string, "assembly"):
            return text
    return None


def say(meaning: Meaning, item: str, random: Random) -> Text:
    """A meaning in words."""
    placing = Text.join([_head(item, random, meaning.facing == 0), _where(meaning.relations, random)])
    if not meaning.facing:
        return normalize_spaces(placing.capitalized() + ".")
    turning, joint = _turn(meaning.facing, random)
    if joint.string == ".":
        return normalize_spaces(turning.capitalized() + ". " + placing.capitalized() + ".")
    return normalize_spaces(Text.join([turning.capitalized(), joint, placing]) + ".")


def _turn(facing: int, random: Random) -> tuple[Text, Text]:
    side, wall = "right" if facing == 1 else "left", called_wall(random, facing)
    chance = random.random()
    if chance < 0.03:
        return _any(words.TURN_WHEN, random, wall_thing=wall), Text("")
    some = words.TURN_TO if chance < 0.25 else words.TURN
    return _any(some, random, side=side, wall_thing=wall), _any(words.AFTER_TURN, random)


def _head(item: str, random: Random, first: bool) -> Text:
    """The verb, and what one carries: by its full name, by its type, or "it"; `first` if the text begins so."""
    one, chance = named(item), random.random()
    if chance < 0.06:
        return _any(words.PLACE_IT, random)
    ref = Ref(one.type, one.colour, one.pattern)
    if chance < 0.43:
        ref = replace(ref, colour=None if chance < 0.41 else one.colour, pattern=None)
    some = words.BELONGS if first and random.random() < STATED else words.PLACE
    return _any(some, random, thing=called(random, ref))


def _where(relations: Sequence[Relation], random: Random) -> Text:
    said: list[Text] = []
    k = 0
    while k < len(relations):
        one = relations[k]
        after = relations[k + 1] if k + 1 < len(relations) else None
        if said:
            said.append(Text(",") if k + 1 < len(relations) and len(said) == 1 else _any(words.AND, random))
        if isinstance(one, Against) and isinstance(after, Against):
            template = random.choice((words.MEET, words.AGAINST_BOTH))
            walls = called_wall(random, one.wall), called_wall(random, after.wall)
            said.append(template.render(random, wall_thing=walls[0], other_thing=walls[1]))
            k += 1
        else:
            said.append(_relation(one, random))
        k += 1
    return Text.join(said)


def _relation(one: Relation, random: Random) -> Text:
    if isinstance(one, Against):
        return words.AGAINST.render(random, wall_thing=called_wall(random, one.wall))
    if isinstance(one, Me):
        return {"front": words.MY_FRONT, "ahead": words.MY_AHEAD}.get(one.side, words.MY_SIDE).render(
            random, side=one.side
        )
    thing = _thing(one.thing, random)
    if isinstance(one, On):
        return words.ON_TOP.render(random, thing=thing)
    if isinstance(one, By):
        return SIDES[one.side].render(random, thing=thing, side=one.side)
    if isinstance(one, Near):
        return NEAR[one.how].render(random, thing=thing)
    if isinstance(one, Closer):
        return words.CLOSER.render(random, thing=thing, wall_thing=called_wall(random, one.wall))
    return _between(one, thing, random)


def _between(one: Between, thing: Text, random: Random) -> Text:
    if one.other is None:
        return words.BETWEEN_TWO.render(random, thing=thing)
    other = called_wall(random, one.other) if isinstance(one.other, int) else _thing(one.other, random)
    return words.BETWEEN.render(random, thing=thing, other_thing=other)


def _thing(thing: Thing, random: Random) -> Text:
    """A noun phrase, with what it says of where the thing stands."""
    if isinstance(thing, Stack):
        both = _thing(thing.first, random), _thing(thing.second, random)
        return words.STACK.render(random, thing=both[0], other_thing=both[1])
    said = called(random, thing)
    if thing.under is not None:
        said = words.UNDER.render(random, thing=said, other_thing=called(random, thing.under))
    if thing.on is not None:
        said = words.ON.render(random, thing=said, other_thing=called(random, thing.on))
    if thing.wall is not None:
        said = words.CLOSE.render(random, thing=said, wall_thing=called_wall(random, thing.wall))
    if thing.seen is not None:
        template = words.SEEN_AHEAD if thing.seen == "front" else words.SEEN
        said = template.render(random, thing=said, side=thing.seen)
    return said


def _any(some: Sequence[Template], random: Random, **slots: Text | str) -> Text:
    return random.choice(some).render(random, **slots)
