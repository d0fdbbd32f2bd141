"""Parser of navigation instructions: chunks noun phrases, then matches the longest clause at each position."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

from bearleft.language.analysis.tokens import token_ends
from bearleft.language.instructions.semantics import LEFT, RIGHT, ClauseFrame, counts_from_first
from bearleft.language.instructions.templates import (
    CLAUSES,
    FRONT_RELATIONS,
    NEAR_RELATIONS,
    RESERVED_NOUNS,
    SLOT_READINGS,
    Clause,
)
from bearleft.language.lexicon.lexicon import NUMBERS, ORDINALS
from bearleft.language.noun_phrases import Phrase, chunk
from bearleft.language.spelling import fix_typos, vocabulary
from bearleft.language.template_index import TemplateIndex

SIDES = {"left": LEFT, "right": RIGHT}
# Clause sets that differ in wording but have the same frame.
FRAME_ALIASES = {
    "two sides": "side",
    "turn at": "turn",
    "stop it": "stop beside",
    "verify corner": "chat",
    "with flow": "chat",
    "against flow": "chat",
    "short block": "chat",
    "in crossing": "chat",
    "verify both": "chat",
    "parked": "chat",
    "parked both": "chat",
    "narrow": "chat",
    "curve": "chat",
    "one way": "chat",
    "two way": "chat",
    "pass it": "pass",
    "under": "pass",
    "verify turned": "verify",
    "verify crossed": "verify",
    "verify here": "verify",
    "turn here": "turn",
}
CONJUNCTIONS = frozenset(("and ", "then ", "now ", ", "))  # never the first word of a clause
# "a mailbox next to a bench" is a mailbox, and "a sign with white letters on it" a sign.
_NEIGHBOUR = re.compile(
    rf"(@\d+ )(?:(?:{'|'.join(map(re.escape, (*NEAR_RELATIONS, *FRONT_RELATIONS)))}) @\d+ |on @(?P<it>\d+) )"
)


def parse_frames(text: str) -> list[ClauseFrame]:
    """Return the frames of an instruction in order; unknown words are skipped."""
    string, phrases = chunk(fix_typos(text, _vocabulary()), RESERVED_NOUNS)
    return [frame for frame, _ in _match_clauses(_without(string, _neighbours(string, phrases)), phrases)]


def mentioned_objects(text: str) -> list[Phrase]:
    """Return the noun phrases of an instruction that name objects, in order, each wording once."""
    _, phrases = chunk(fix_typos(text, _vocabulary()), RESERVED_NOUNS)
    return list({phrase.words: phrase for phrase in phrases if not phrase.pronoun}.values())


def parse_spans(text: str) -> list[tuple[ClauseFrame, int]]:
    """Return the frames of an instruction, each with the end of its clause in the text.

    The list is empty if correcting typos changed the number of words, since positions are then unknown.
    """
    ends = token_ends(text)
    string, phrases = chunk(fix_typos(text, _vocabulary()), RESERVED_NOUNS)
    chunks = string.split(" ")[:-1]
    word_counts = list(
        accumulate(len(phrases[int(token[1:])].words.split(" ")) if token[0] == "@" else 1 for token in chunks)
    )
    if not word_counts or word_counts[-1] != len(ends):
        return []
    # Maps the end of each token in the matched string, from which neighbours are removed, to its end in the text.
    beside = _neighbours(string, phrases)
    text_end: dict[int, int] = {}
    position = removed = 0
    for token, count in zip(chunks, word_counts, strict=True):
        in_neighbour = any(begin <= position < end for begin, end in beside)
        position += len(token) + 1
        removed += (len(token) + 1) * in_neighbour
        text_end[position - removed] = ends[count - 1]
    return [(frame, text_end[end]) for frame, end in _match_clauses(_without(string, beside), phrases)]


def _neighbours(string: str, phrases: Sequence[Phrase]) -> list[tuple[int, int]]:
    """Return where a chunked string tells of an object's neighbour, or says "on it" of its lettering."""
    matches = _NEIGHBOUR.finditer(string)
    return [(m.end(1), m.end()) for m in matches if m["it"] is None or phrases[int(m["it"])].words == "it"]


def _without(string: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a string without some spans of it."""
    for begin, end in reversed(spans):
        string = string[:begin] + string[end:]
    return string


def _match_clauses(string: str, phrases: Sequence[Phrase]) -> Iterator[tuple[ClauseFrame, int]]:
    """Yield frames and the end of each in a chunked string."""
    index = _clause_index()
    position = 0
    while position < len(string):
        next_token = string.index(" ", position) + 1
        best: tuple[int, str, re.Match[str]] | None = None
        if string[position:next_token] not in CONJUNCTIONS:
            for name, clause in index.candidates(string, position):
                match = clause.regex.match(string, position)
                if match is not None and match.end() > position and (best is None or match.end() > best[0]):
                    best = match.end(), name, match
        if best is None or (best[1] == "stop" and string.startswith(("light", "sign"), best[0])):
            position = next_token
            continue
        yield frame_from_match(best[1], best[2], phrases), best[0]
        position = best[0]


def frame_from_match(name: str, match: re.Match[str], phrases: Sequence[Phrase]) -> ClauseFrame:
    """Return the frame of a matched clause."""
    groups = {group: value.strip() for group, value in match.groupdict().items() if value is not None}

    def first(slot: str) -> str:
        values = (value for group, value in groups.items() if re.fullmatch(rf"{slot}(_\d+)?", group))
        return next(values, "")

    def thing(slot: str) -> Phrase | None:
        return phrases[int(first(slot)[1:])] if first(slot) else None

    return ClauseFrame(
        FRAME_ALIASES.get(name, name),
        thing("thing"),
        SIDES.get(first("side"), 0),
        thing("other_thing"),
        SIDES.get(first("other_side"), 0),
        ORDINALS.get(first("nth"), 0),
        NUMBERS.get(first("count"), 0),
        counts_from_first(match[0]),
    )


@cache
def _clause_index() -> TemplateIndex[tuple[str, Clause]]:
    clauses = ((name, clause) for name, clauses in CLAUSES.items() for clause in clauses)
    return TemplateIndex((clause.reading, (name, clause)) for name, clause in clauses)


@cache
def _vocabulary() -> frozenset[str]:
    sources = (clause.template.source for clauses in CLAUSES.values() for clause in clauses)
    return vocabulary(*sources, *SLOT_READINGS.values(), *SIDES)
