"""Texts on the room read back: a string becomes what it means, and that a cell.

What stands before the verb may turn one, the first phrase after it is what one carries, and the rest is read relation
by relation, the longest that fits first; words that nobody knows are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from bearleft.language.arramon_assembly import templates as words
from bearleft.language.arramon_assembly.noun_phrases import It, Phrase, chunk
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
    Side,
    Stack,
    Thing,
    cells,
    fits,
    square,
)
from bearleft.language.templates import Template
from bearleft.records import Cell
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.task_setup import RoomItem

Make = Callable[["_Slots"], tuple[Relation, ...] | None]
_TURNS = {"left": 3, "right": 1, "around": 2}


def read(text: str, standing: Sequence[RoomItem], item: str = "") -> Cell | None:
    """The cell that a text means in a room, the one nearest the door of several; None where none fits.

    `item` is what one carries: a text whose verb is not understood still names it first.
    """
    said = meaning(text, item)
    found = cells(said, standing)
    if not found and Me("front") in said.relations:
        # "Place it in front of you", where something stands in front of one.
        room = Room(standing)
        ahead = room.tops & {square(cell) for cell in cells(said, ())}
        found = [(column, room.height(column, row), row) for column, row in ahead]
    return found[0] if found else None


def meaning(text: str, item: str = "") -> Meaning:
    """What a text says to one who carries an item."""
    tokens, phrases = chunk(text)
    said = "".join(f"{token} " for token in tokens)
    head = _head().search(said) or _carried(said, phrases, item)
    before, after = (said[: head.start()], said[head.end() :]) if head else ("", said)
    facing = _facing(before, phrases)
    after = _folded(after, phrases)
    relations: list[Relation] = []
    k = 0
    while k < len(after):
        end, found = max(_match(after, k, phrases), key=lambda one: one[0], default=(0, ()))
        relations += found
        k = end if found else after.index(" ", k) + 1
    return Meaning(facing, tuple(relations))


def _carried(said: str, phrases: Sequence[Phrase], item: str) -> re.Match[str] | None:
    """Where what one carries is named."""
    for k, phrase in enumerate(phrases):
        if item and isinstance(phrase, Ref) and fits(phrase, named(item)):
            return re.search(rf"@{k} ", said)
    return None


@cache
def _head() -> re.Pattern[str]:
    """The verb and what one carries."""
    some = (*words.PLACE, *words.PLACE_IT, *words.BELONGS)
    found = dict.fromkeys(re.sub(r"\?P<\w+>", "?:", one.regex.pattern) for one in some)  # in the same order always
    patterns = sorted(found, key=len, reverse=True)
    with_it = r"(?:place |put |drop |set |lay |leave |position |stack )(?:down )?(?:@\d+ )?(?:down )?"
    return re.compile(rf"(?<!\S)(?:{with_it}|{'|'.join(patterns)})")


def _facing(before: str, phrases: Sequence[Phrase]) -> int:
    """The wall that what comes before the verb turns one to: a wall that it names, else the side."""
    tokens = before.split()
    walls = [phrases[int(token[1:])] for token in tokens if token[0] == "@"]
    for wall in walls:
        if isinstance(wall, int):
            return wall
    return next((_TURNS[token] for token in tokens if token in _TURNS), 0)


class _Slots:
    """What stands in a template's slots."""

    def __init__(self, found: re.Match[str], phrases: Sequence[Phrase]) -> None:
        groups = found.groupdict()
        self.side: Side = "left" if "left " in groups.values() else "right"
        said = {name: phrases[int(token[1:])] for name, token in groups.items() if token and token[0] == "@"}
        self.thing, self.other, self.wall = (said.get(name) for name in ("thing", "other_thing", "wall_thing"))


def _ref(of: Callable[[_Slots, Ref], Phrase | None]) -> Callable[[_Slots], Phrase | None]:
    """Of a plain thing only."""
    return lambda slots: of(slots, slots.thing) if isinstance(slots.thing, Ref) else None


def _seen(side: Side | None) -> Callable[[_Slots], Phrase | None]:
    def fold(slots: _Slots) -> Phrase | None:
        if isinstance(slots.thing, Ref):
            return replace(slots.thing, seen=side or slots.side)
        return slots.thing  # "the brick wall in front of you" is that wall

    return fold


# Phrases made of phrases, inner ones first.
FOLDS: tuple[tuple[Template, Callable[[_Slots], Phrase | None]], ...] = (
    (words.STACK, _ref(lambda s, ref: Stack(ref, s.other) if isinstance(s.other, Ref) else None)),
    (words.UNDER, _ref(lambda s, ref: replace(ref, under=s.other) if isinstance(s.other, Ref) else None)),
    (words.ON, _ref(lambda s, ref: replace(ref, on=s.other) if isinstance(s.other, Ref) else None)),
    (words.CLOSE, _ref(lambda s, ref: replace(ref, wall=s.wall) if isinstance(s.wall, int) else None)),
    (words.SEEN_AHEAD, _seen("front")),
    (words.SEEN, _seen(None)),
)


def _folded(said: str, phrases: list[Phrase]) -> str:
    for template, fold in FOLDS:
        at = 0
        while found := template.regex.search(said, at):
            at = found.start() + 1
            phrase = fold(_Slots(found, phrases))
            if phrase is not None:
                said = f"{said[: found.start()]}@{len(phrases)} {said[found.end() :]}"
                phrases.append(phrase)
    return said


def _of(make: Callable[[Thing], Relation | None]) -> Make:
    """Of a thing, not of a wall."""

    def of(slots: _Slots) -> tuple[Relation, ...] | None:
        found = make(slots.thing) if isinstance(slots.thing, Ref | Stack) else None
        return None if found is None else (found,)

    return of


def _beside(slots: _Slots) -> tuple[Relation, ...] | None:
    return (By(slots.side, slots.thing),) if isinstance(slots.thing, Ref | Stack) else None


def _between(slots: _Slots) -> tuple[Relation, ...] | None:
    thing, other = slots.thing, slots.other
    if isinstance(thing, int) and isinstance(other, int):
        return Against(thing), Against(other)
    if isinstance(thing, int):
        thing, other = other, thing
    if not isinstance(thing, Ref | Stack) or other is None or isinstance(other, It):
        return None
    return (Between(thing, other),)


def _walls(slots: _Slots) -> tuple[Relation, ...] | None:
    if isinstance(slots.wall, int) and isinstance(slots.other, int):
        return Against(slots.wall), Against(slots.other)
    return None


def _closer(slots: _Slots) -> tuple[Relation, ...] | None:
    if isinstance(slots.wall, int) and isinstance(slots.thing, Ref | Stack):
        return (Closer(slots.wall, slots.thing),)
    return None


RELATIONS: tuple[tuple[Template, Make], ...] = (
    (words.ON_TOP, _of(On)),
    (words.BESIDE, _beside),
    (words.FRONT, _of(lambda thing: By("front", thing))),
    (words.BEHIND, _of(lambda thing: By("behind", thing))),
    (words.NEXT, _of(lambda thing: Near("next", thing))),
    (words.DIAGONAL, _of(lambda thing: Near("diagonal", thing))),
    (words.LINE, _of(lambda thing: Near("line", thing))),
    (words.BETWEEN, _between),
    (words.BETWEEN_TWO, _of(lambda thing: Between(thing, None) if isinstance(thing, Ref) and thing.two else None)),
    (words.AGAINST, lambda s: (Against(s.wall),) if isinstance(s.wall, int) else None),
    (words.MEET, _walls),
    (words.AGAINST_BOTH, _walls),
    (words.MY_SIDE, lambda s: (Me(s.side),)),
    (words.MY_AHEAD, lambda _: (Me("ahead"),)),
    (words.CLOSER, _closer),
    (words.MY_FRONT, lambda _: (Me("front"),)),
)


def _match(said: str, at: int, phrases: Sequence[Phrase]) -> list[tuple[int, tuple[Relation, ...]]]:
    """The relations that may be read at a place, each with where it ends."""
    out = []
    for template, make in RELATIONS:
        if found := template.regex.match(said, at):
            relations = make(_Slots(found, phrases))
            if relations is not None:
                out.append((found.end(), relations))
    return out
