"""Parser of instructions: noun phrases are chunked, then the longest matching clause is taken at each position."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields as dataclass_fields
from functools import cache
from typing import get_args

from bearleft.language.analysis.tokens import tokens
from bearleft.language.arramon_assembly.templates import READ_NOUNS, READ_PATTERNS
from bearleft.language.arramon_navigation.object_names import SYNONYMS, with_usual_names
from bearleft.language.arramon_navigation.scene import LocatedPhrase, ShortPhrase
from bearleft.language.arramon_navigation.semantics import LEFT, RIGHT, ClauseFrame, ItemPhrase, Relation, TurnKind
from bearleft.language.arramon_navigation.templates import (
    CLOSEST_WORDS,
    CROSSING_NOUNS,
    NEAR_WORDS,
    PICK_VERBS,
    READABLE_CLAUSES,
    Clause,
)
from bearleft.language.lexicon.lexicon import ORDINALS
from bearleft.language.noun_phrases import ARTICLES, DEMONSTRATIVES, Phrase, chunk
from bearleft.language.spelling import fix_typos, vocabulary
from bearleft.language.template_index import TemplateIndex
from bearleft.language.templates import Template
from bearleft.world.arramon.items.names import COLOURS

SIDES = {"left": LEFT, "right": RIGHT}
BEFORE_ITEM = ARTICLES | DEMONSTRATIVES | {"nearby"}
TYPE_WORDS = {word: kind for word, (kind, many) in READ_NOUNS.items() if not many}
FACING_TURNS: dict[str, TurnKind] = {"": "turn", "slight": "slight", "around": "around", "any": ""}
# Frames that differ in wording only.
TURN_FRAMES: dict[str, tuple[str, TurnKind]] = {
    "turn": ("turn", "turn"),
    "turn first": ("turn", "turn"),
    "slight": ("turn", "slight"),
    "around": ("turn", "around"),
    "no turn": ("go", ""),
    **{f"face{kind and ' '}{kind}{far}": ("turn", turn) for kind, turn in FACING_TURNS.items() for far in ("", " far")},
    "turn at": ("turn at", "turn"),
    "turn after": ("turn after", "turn"),
    "turn before": ("turn before", "turn"),
    "slight at": ("turn at", "slight"),
    "turn at crossing": ("turn at crossing", "turn"),
    "turn at corner": ("turn at corner", "turn"),
}
BASE_FRAMES = {
    "pass side": "pass",
    "pass two": "pass",
    "toward far": "toward",
    "toward aside": "toward",
    "take item": "pick",
}
_NEAR = Template(f"{{thing}} {NEAR_WORDS} {{other_thing}}").regex
_ITEM_MARK = re.compile(r"\bsought(\d+) ")


def parse_frames(text: str) -> list[ClauseFrame]:
    """Return the frames of an instruction, in order; words without meaning are skipped."""
    string, phrases, item_phrases = _chunk_phrases(fix_typos(text, _vocabulary()))
    index = _clause_index()
    frames = []
    position = 0
    while position < len(string):
        best: tuple[int, str, re.Match[str]] | None = None
        for name, clause in index.candidates(string, position):
            match = clause.regex.match(string, position)
            if match is not None and match.end() > position and (best is None or match.end() > best[0]):
                best = match.end(), name, match
        if best is None:
            position = string.index(" ", position) + 1
            continue
        frames.append(_frame(best[1], best[2], phrases, item_phrases))
        position = best[0]
    return frames


def _chunk_phrases(text: str) -> tuple[str, list[Phrase], list[ItemPhrase]]:
    """Return the text with each noun phrase as "@k", or "%k" for an item, and the phrases."""
    text_tokens = with_usual_names(tokens(text))
    words: list[str] = []
    item_phrases: list[ItemPhrase] = []
    k = 0
    while k < len(text_tokens):
        item_phrase, end = _read_item_phrase(text_tokens, k)
        is_first = text_tokens[k] in CLOSEST_WORDS or (text_tokens[k] == "next" and _is_ordinal(text_tokens, k))
        word = "first" if is_first else text_tokens[k]
        words.append(word if item_phrase is None else f"sought{len(item_phrases)}")
        item_phrases += [] if item_phrase is None else [item_phrase]
        k = k + 1 if item_phrase is None else end
    string, chunked = chunk(" ".join(words))
    phrases = [_short_building(phrase) for phrase in chunked]
    return _fold_near(_ITEM_MARK.sub(r"%\1 ", string), phrases), phrases, item_phrases


def _short_building(phrase: Phrase) -> Phrase:
    """Return a phrase for low buildings if it says so: "the short white building"."""
    words = phrase.words.split()
    if "short" not in words or "building" not in words[words.index("short") :]:
        return phrase
    return ShortPhrase(**{field.name: getattr(phrase, field.name) for field in dataclass_fields(Phrase)})


def _is_ordinal(text_tokens: Sequence[str], k: int) -> bool:
    """Return whether "next" means the first of several: "the next bench", not "next to" or "the next corner"."""
    others = {"to", "corner", *CROSSING_NOUNS}
    return k > 0 and text_tokens[k - 1] == "the" and not others & set(text_tokens[k + 1 : k + 2])


def _fold_near(string: str, phrases: list[Phrase]) -> str:
    """Return the string with "the bench next to the hydrant" as one phrase."""
    position = 0
    while match := _NEAR.search(string, position):
        thing, other = (phrases[int(match[group].strip()[1:])] for group in ("thing", "other_thing"))
        position = match.start() + 1
        if not thing.pronoun and not other.pronoun:
            fields = {field.name: getattr(thing, field.name) for field in dataclass_fields(Phrase)}
            string = f"{string[: match.start()]}@{len(phrases)} {string[match.end() :]}"
            phrases.append(LocatedPhrase(**fields, near=other))
    return string


def _read_item_phrase(text_tokens: Sequence[str], begin: int) -> tuple[ItemPhrase | None, int]:
    """Return the item phrase that begins at a token, and its end."""
    k, pattern, colour = begin, "", ""
    while k < len(text_tokens) and text_tokens[k] in BEFORE_ITEM:
        k += 1
    while k < len(text_tokens) and (text_tokens[k] in READ_PATTERNS or text_tokens[k] in COLOURS):
        pattern = READ_PATTERNS.get(text_tokens[k], pattern)
        colour = text_tokens[k] if text_tokens[k] in COLOURS else colour
        k += 1
    if k == len(text_tokens) or text_tokens[k] not in TYPE_WORDS:
        return None, begin
    return ItemPhrase(" ".join(text_tokens[begin : k + 1]), pattern, colour, TYPE_WORDS[text_tokens[k]]), k + 1


def _frame(
    name: str, match: re.Match[str], phrases: Sequence[Phrase], item_phrases: Sequence[ItemPhrase]
) -> ClauseFrame:
    """Return the frame of a matched clause."""
    groups = {group: value.strip() for group, value in match.groupdict().items() if value is not None}

    def first(slot: str) -> str:
        values = (value for group, value in groups.items() if re.fullmatch(rf"{slot}(_\d+)?", group))
        return next(values, "")

    def number(slot: str) -> int:
        return int(first(slot)[1:]) if first(slot) else -1

    thing, other, item = number("thing"), number("other_thing"), number("item_thing")
    frame_name, turn = TURN_FRAMES.get(name, (BASE_FRAMES.get(name, name), ""))
    relation: Relation = ""
    verb, _, relation_name = frame_name.partition(" ")
    if verb in PICK_VERBS:
        frame_name = "pick"
        relation = next(
            (known_relation for known_relation in get_args(Relation) if known_relation == relation_name), ""
        )
    return ClauseFrame(
        frame_name,
        phrases[thing] if thing >= 0 else None,
        phrases[other] if other >= 0 else None,
        SIDES.get(first("side"), 0),
        turn,
        ORDINALS.get(first("nth"), 0),
        item_phrases[item] if item >= 0 else None,
        relation,
    )


@cache
def _clause_index() -> TemplateIndex[tuple[str, Clause]]:
    clauses = ((name, clause) for name, clauses in READABLE_CLAUSES.items() for clause in clauses)
    return TemplateIndex((clause.reading, (name, clause)) for name, clause in clauses)


@cache
def _vocabulary() -> frozenset[str]:
    sources = (clause.template.source for clauses in READABLE_CLAUSES.values() for clause in clauses)
    return vocabulary(*sources, *SIDES, *TYPE_WORDS, *READ_PATTERNS, *COLOURS, *CLOSEST_WORDS, *SYNONYMS)
