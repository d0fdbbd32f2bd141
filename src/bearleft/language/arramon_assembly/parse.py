"""Parser of placement texts for ArraMon: from a string to its meaning, and to a cell.

Words before the verb may turn the agent, the first phrase after it is the carried item, and the rest is read relation
by relation, the longest match first; unknown words are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from bearleft.language.arramon_assembly import templates
from bearleft.language.arramon_assembly.noun_phrases import CarriedItem, Phrase, chunk
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
    Side,
    StackPhrase,
    matching_cells,
    phrase_matches,
    square_of,
)
from bearleft.language.templates import Template
from bearleft.records import Cell
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.task_setup import RoomItem

RelationBuilder = Callable[["_Slots"], tuple[Relation, ...] | None]
_WALL_OF_TURN = {"left": 3, "right": 1, "around": 2}


def find_cell(text: str, room_items: Sequence[RoomItem], item: str = "") -> Cell | None:
    """Return the cell that a text means in a room, the nearest to the door of several; None if none matches.

    Args:
        text: The text.
        room_items: The items in the room.
        item: The carried item: a text with an unknown verb still names it first.
    """
    meaning = parse_meaning(text, item)
    candidates = matching_cells(meaning, room_items)
    if not candidates and RelativeToAgent("front") in meaning.relations:
        # "Place it in front of you", where an item is in front of the agent.
        room = Room(room_items)
        ahead = room.tops & {square_of(cell) for cell in matching_cells(meaning, ())}
        candidates = [(column, room.height(column, row), row) for column, row in ahead]
    return candidates[0] if candidates else None


def parse_meaning(text: str, item: str = "") -> Meaning:
    """Return the meaning of a text for an agent that carries an item."""
    tokens, phrases = chunk(text)
    string = "".join(f"{token} " for token in tokens)
    verb = _verb_pattern().search(string) or _carried_item_match(string, phrases, item)
    before, after = (string[: verb.start()], string[verb.end() :]) if verb else ("", string)
    facing = _facing(before, phrases)
    after = _fold_phrases(after, phrases)
    relations: list[Relation] = []
    k = 0
    while k < len(after):
        end, match_relations = max(
            _match_relations(after, k, phrases), key=lambda candidate: candidate[0], default=(0, ())
        )
        relations += match_relations
        k = end if match_relations else after.index(" ", k) + 1
    return Meaning(facing, tuple(relations))


def _carried_item_match(string: str, phrases: Sequence[Phrase], item: str) -> re.Match[str] | None:
    """Return the match of the phrase that names the carried item."""
    for k, phrase in enumerate(phrases):
        if item and isinstance(phrase, ItemPhrase) and phrase_matches(phrase, named(item)):
            return re.search(rf"@{k} ", string)
    return None


@cache
def _verb_pattern() -> re.Pattern[str]:
    """Return the pattern of the verb and the carried item."""
    templates_with_verb = (templates.PLACE, templates.PLACE_IT, templates.BELONGS)
    patterns_in_order = dict.fromkeys(
        re.sub(r"\?P<\w+>", "?:", template.pattern) for template in templates_with_verb
    )  # in a fixed order
    patterns = sorted(patterns_in_order, key=len, reverse=True)
    with_it = r"(?:place |put |drop |set |lay |leave |position |stack )(?:down )?(?:@\d+ )?(?:down )?"
    return re.compile(rf"(?<!\S)(?:{with_it}|{'|'.join(patterns)})")


def _facing(before: str, phrases: Sequence[Phrase]) -> int:
    """Return the wall that the words before the verb turn the agent to: a named wall, else the side."""
    tokens = before.split()
    walls = [phrases[int(token[1:])] for token in tokens if token[0] == "@"]
    for wall in walls:
        if isinstance(wall, int):
            return wall
    return next((_WALL_OF_TURN[token] for token in tokens if token in _WALL_OF_TURN), 0)


class _Slots:
    """The contents of a template's slots."""

    def __init__(self, match: re.Match[str], phrases: Sequence[Phrase]) -> None:
        groups = match.groupdict()
        self.side: Side = "left" if "left " in groups.values() else "right"
        phrase_of_slot = {name: phrases[int(token[1:])] for name, token in groups.items() if token and token[0] == "@"}
        self.thing, self.other, self.wall = (
            phrase_of_slot.get(name) for name in ("thing", "other_thing", "wall_thing")
        )


def _if_item(fold: Callable[[_Slots, ItemPhrase], Phrase | None]) -> Callable[[_Slots], Phrase | None]:
    """Apply only to items without a stack."""
    return lambda slots: fold(slots, slots.thing) if isinstance(slots.thing, ItemPhrase) else None


def _seen_from_door(side: Side | None) -> Callable[[_Slots], Phrase | None]:
    def fold(slots: _Slots) -> Phrase | None:
        if isinstance(slots.thing, ItemPhrase):
            return replace(slots.thing, seen=side or slots.side)
        return slots.thing  # "the brick wall in front of you" means that wall

    return fold


# Phrases made of phrases, innermost first.
PHRASE_FOLDS: tuple[tuple[Template, Callable[[_Slots], Phrase | None]], ...] = (
    (templates.STACK, _if_item(lambda s, ref: StackPhrase(ref, s.other) if isinstance(s.other, ItemPhrase) else None)),
    (
        templates.UNDER,
        _if_item(lambda s, ref: replace(ref, under=s.other) if isinstance(s.other, ItemPhrase) else None),
    ),
    (templates.ON, _if_item(lambda s, ref: replace(ref, on=s.other) if isinstance(s.other, ItemPhrase) else None)),
    (templates.CLOSE, _if_item(lambda s, ref: replace(ref, wall=s.wall) if isinstance(s.wall, int) else None)),
    (templates.SEEN_AHEAD, _seen_from_door("front")),
    (templates.SEEN, _seen_from_door(None)),
)


def _fold_phrases(string: str, phrases: list[Phrase]) -> str:
    for template, fold in PHRASE_FOLDS:
        position = 0
        while match := template.regex.search(string, position):
            position = match.start() + 1
            phrase = fold(_Slots(match, phrases))
            if phrase is not None:
                string = f"{string[: match.start()]}@{len(phrases)} {string[match.end() :]}"
                phrases.append(phrase)
    return string


def _item_relation(build: Callable[[ReferentPhrase], Relation | None]) -> RelationBuilder:
    """Build a relation to an item, not to a wall."""

    def from_slots(slots: _Slots) -> tuple[Relation, ...] | None:
        relation = build(slots.thing) if isinstance(slots.thing, ItemPhrase | StackPhrase) else None
        return None if relation is None else (relation,)

    return from_slots


def _beside(slots: _Slots) -> tuple[Relation, ...] | None:
    return (OnSide(slots.side, slots.thing),) if isinstance(slots.thing, ItemPhrase | StackPhrase) else None


def _between(slots: _Slots) -> tuple[Relation, ...] | None:
    thing, other = slots.thing, slots.other
    if isinstance(thing, int) and isinstance(other, int):
        return Against(thing), Against(other)
    if isinstance(thing, int):
        thing, other = other, thing
    if not isinstance(thing, ItemPhrase | StackPhrase) or other is None or isinstance(other, CarriedItem):
        return None
    return (Between(thing, other),)


def _walls(slots: _Slots) -> tuple[Relation, ...] | None:
    if isinstance(slots.wall, int) and isinstance(slots.other, int):
        return Against(slots.wall), Against(slots.other)
    return None


def _closer(slots: _Slots) -> tuple[Relation, ...] | None:
    if isinstance(slots.wall, int) and isinstance(slots.thing, ItemPhrase | StackPhrase):
        return (CloserToWall(slots.wall, slots.thing),)
    return None


RELATION_TEMPLATES: tuple[tuple[Template, RelationBuilder], ...] = (
    (templates.ON_TOP, _item_relation(OnTop)),
    (templates.BESIDE, _beside),
    (templates.FRONT, _item_relation(lambda thing: OnSide("front", thing))),
    (templates.BEHIND, _item_relation(lambda thing: OnSide("behind", thing))),
    (templates.NEXT, _item_relation(lambda thing: Near("next", thing))),
    (templates.DIAGONAL, _item_relation(lambda thing: Near("diagonal", thing))),
    (templates.LINE, _item_relation(lambda thing: Near("line", thing))),
    (templates.BETWEEN, _between),
    (
        templates.BETWEEN_TWO,
        _item_relation(lambda thing: Between(thing, None) if isinstance(thing, ItemPhrase) and thing.two else None),
    ),
    (templates.AGAINST, lambda s: (Against(s.wall),) if isinstance(s.wall, int) else None),
    (templates.MEET, _walls),
    (templates.AGAINST_BOTH, _walls),
    (templates.MY_SIDE, lambda s: (RelativeToAgent(s.side),)),
    (templates.MY_AHEAD, lambda _: (RelativeToAgent("ahead"),)),
    (templates.CLOSER, _closer),
    (templates.MY_FRONT, lambda _: (RelativeToAgent("front"),)),
)


def _match_relations(string: str, position: int, phrases: Sequence[Phrase]) -> list[tuple[int, tuple[Relation, ...]]]:
    """Return the relations that match at a position, each with its end."""
    matches = []
    for template, build in RELATION_TEMPLATES:
        if match := template.regex.match(string, position):
            relations = build(_Slots(match, phrases))
            if relations is not None:
                matches.append((match.end(), relations))
    return matches
