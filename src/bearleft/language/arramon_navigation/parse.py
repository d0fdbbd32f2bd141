"""Instructions read back: noun phrases are chunked, then at each place the longest clause that any template reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import get_args

from bearleft.language.analysis.tokens import tokens
from bearleft.language.arramon_assembly.templates import READ_NOUNS, READ_PATTERNS
from bearleft.language.arramon_navigation.semantics import LEFT, RIGHT, Bend, Frame, Relation, Sought
from bearleft.language.arramon_navigation.templates import CLOSEST, READ
from bearleft.language.lexicon.lexicon import ORDINALS
from bearleft.language.noun_phrases import ARTICLES, POINTING, Phrase, chunk
from bearleft.language.spelling import mend, vocabulary
from bearleft.world.arramon.items.names import COLOURS

SIDES = {"left": LEFT, "right": RIGHT}
TYPE_WORDS = {word: kind for word, (kind, many) in READ_NOUNS.items() if not many}
# Frames that are told apart by their wording alone.
BENDS: dict[str, tuple[str, Bend]] = {
    "turn": ("turn", "turn"),
    "turn first": ("turn", "turn"),
    "slight": ("turn", "slight"),
    "around": ("turn", "around"),
    "face": ("turn", "turn"),
    "face slight": ("turn", "slight"),
    "face around": ("turn", "around"),
    "face any": ("turn", ""),
    "turn at": ("turn at", "turn"),
    "turn after": ("turn after", "turn"),
    "turn at crossing": ("turn at crossing", "turn"),
}
SAME = {"pass side": "pass", "pass two": "pass"}
_MARK = re.compile(r"\bsought(\d+) ")


def scan(text: str) -> list[Frame]:
    """The frames of an instruction, in their order; words that say nothing to a walker are passed over."""
    string, phrases, sought = _chunked(mend(text, _known()))
    readers = _readers()
    frames = []
    at = 0
    while at < len(string):
        best: tuple[int, str, re.Match[str]] | None = None
        for name, reader in readers:
            found = reader(string, at)
            if found is not None and found.end() > at and (best is None or found.end() > best[0]):
                best = found.end(), name, found
        if best is None:
            at = string.index(" ", at) + 1
            continue
        frames.append(_frame(best[1], best[2], phrases, sought))
        at = best[0]
    return frames


def _chunked(text: str) -> tuple[str, list[Phrase], list[Sought]]:
    """The text with each noun phrase as "@k", or "%k" where it is one of a collectible."""
    said = tokens(text)
    out: list[str] = []
    sought: list[Sought] = []
    k = 0
    while k < len(said):
        found, end = _sought(said, k)
        word = "first" if said[k] in CLOSEST else said[k]
        out.append(word if found is None else f"sought{len(sought)}")
        sought += [] if found is None else [found]
        k = k + 1 if found is None else end
    string, phrases = chunk(" ".join(out))
    return _MARK.sub(r"%\1 ", string), phrases, sought


def _sought(said: Sequence[str], begin: int) -> tuple[Sought | None, int]:
    """The collectible that is named from a token on, and where its name ends."""
    k, pattern, colour = begin, "", ""
    while k < len(said) and (said[k] in ARTICLES or said[k] in POINTING):
        k += 1
    while k < len(said) and (said[k] in READ_PATTERNS or said[k] in COLOURS):
        pattern = READ_PATTERNS.get(said[k], pattern)
        colour = said[k] if said[k] in COLOURS else colour
        k += 1
    if k == len(said) or said[k] not in TYPE_WORDS:
        return None, begin
    return Sought(" ".join(said[begin : k + 1]), pattern, colour, TYPE_WORDS[said[k]]), k + 1


def _frame(name: str, found: re.Match[str], phrases: Sequence[Phrase], sought: Sequence[Sought]) -> Frame:
    """What a clause says, of its groups."""
    said = {group: value.strip() for group, value in found.groupdict().items() if value is not None}

    def first(slot: str) -> str:
        named = (value for group, value in said.items() if re.fullmatch(rf"{slot}(_\d+)?", group))
        return next(named, "")

    def number(slot: str) -> int:
        return int(first(slot)[1:]) if first(slot) else -1

    thing, other, item = number("thing"), number("other_thing"), number("item_thing")
    kind, bend = BENDS.get(name, (SAME.get(name, name), ""))
    relation: Relation = ""
    verb, _, rest = kind.partition(" ")
    if verb in ("pick", "see", "until"):
        kind = "pick"
        relation = next((one for one in get_args(Relation) if one == rest), "")
    return Frame(
        kind,
        phrases[thing] if thing >= 0 else None,
        phrases[other] if other >= 0 else None,
        SIDES.get(first("side"), 0),
        bend,
        ORDINALS.get(first("nth"), 0),
        sought[item] if item >= 0 else None,
        relation,
    )


@cache
def _readers() -> tuple[tuple[str, Callable[[str, int], re.Match[str] | None]], ...]:
    return tuple((name, clause.reader.match) for name, clauses in READ.items() for clause in clauses)


@cache
def _known() -> frozenset[str]:
    sources = (clause.template.source for clauses in READ.values() for clause in clauses)
    return vocabulary(*sources, *SIDES, *TYPE_WORDS, *READ_PATTERNS, *COLOURS, *CLOSEST)
