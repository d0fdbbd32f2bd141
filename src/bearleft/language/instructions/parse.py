"""Instructions read back: noun phrases are chunked, then at each place the longest clause that any template reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate

from bearleft.language.analysis.tokens import token_ends
from bearleft.language.instructions.semantics import LEFT, RIGHT, Frame
from bearleft.language.instructions.templates import CLAUSES, FRONT, NEAR, READ, RESERVED
from bearleft.language.lexicon.lexicon import NUMBERS, ORDINALS
from bearleft.language.noun_phrases import Phrase, chunk
from bearleft.language.spelling import mend, vocabulary

SIDES = {"left": LEFT, "right": RIGHT}
# Frames that are told apart by their wording alone.
SAME = {
    "two sides": "side",
    "turn at": "turn",
    "stop it": "stop beside",
    "verify corner": "chat",
    "pass it": "pass",
    "verify turned": "verify",
    "turn here": "turn",
}
JOINTS = frozenset(("and ", "then ", "now ", ", "))  # no clause begins with them
# "a mailbox next to a bench" is a mailbox.
_BY = re.compile(rf"(@\d+ )(?:{'|'.join(map(re.escape, (*NEAR, *FRONT)))}) @\d+ ")


def scan(text: str) -> list[Frame]:
    """The frames of an instruction, in their order; words that say nothing to a walker are passed over."""
    string, phrases = chunk(mend(text, _known()), RESERVED)
    return [found for found, _ in _scanned(_BY.sub(r"\1", string), phrases)]


def spans(text: str) -> list[tuple[Frame, int]]:
    """The frames of an instruction, each with the place in the text where its clause ends.

    Nothing where mending changed how many words there are, so that no place can be said.
    """
    ends = token_ends(text)
    string, phrases = chunk(mend(text, _known()), RESERVED)
    said = string.split(" ")[:-1]
    words = list(accumulate(len(phrases[int(one[1:])].words.split(" ")) if one[0] == "@" else 1 for one in said))
    if not words or words[-1] != len(ends):
        return []
    # Where a token ends in the string that is scanned, and in the text; what things stand beside is left out there.
    beside = [(found.end(1), found.end()) for found in _BY.finditer(string)]
    where: dict[int, int] = {}
    at = left_out = 0
    for one, word in zip(said, words, strict=True):
        out = any(begin <= at < end for begin, end in beside)
        at += len(one) + 1
        left_out += (len(one) + 1) * out
        where[at - left_out] = ends[word - 1]
    return [(found, where[end]) for found, end in _scanned(_BY.sub(r"\1", string), phrases)]


def _scanned(string: str, phrases: Sequence[Phrase]) -> Iterator[tuple[Frame, int]]:
    """Frames, and where each ends in a chunked string."""
    readers = _readers()
    at = 0
    while at < len(string):
        after = string.index(" ", at) + 1
        best: tuple[int, str, re.Match[str]] | None = None
        if string[at:after] not in JOINTS:
            for name, reader in readers:
                found = reader(string, at)
                if found is not None and found.end() > at and (best is None or found.end() > best[0]):
                    best = found.end(), name, found
        if best is None or (best[1] == "stop" and string.startswith(("light", "sign"), best[0])):
            at = after
            continue
        yield frame(best[1], best[2], phrases), best[0]
        at = best[0]


def frame(name: str, found: re.Match[str], phrases: Sequence[Phrase]) -> Frame:
    """What a clause says, of its groups."""
    said = {group: value.strip() for group, value in found.groupdict().items() if value is not None}

    def first(slot: str) -> str:
        named = (value for group, value in said.items() if re.fullmatch(rf"{slot}(_\d+)?", group))
        return next(named, "")

    def thing(slot: str) -> Phrase | None:
        return phrases[int(first(slot)[1:])] if first(slot) else None

    return Frame(
        SAME.get(name, name),
        thing("thing"),
        SIDES.get(first("side"), 0),
        thing("other_thing"),
        SIDES.get(first("other_side"), 0),
        ORDINALS.get(first("nth"), 0),
        NUMBERS.get(first("count"), 0),
    )


@cache
def _readers() -> tuple[tuple[str, Callable[[str, int], re.Match[str] | None]], ...]:
    return tuple((name, clause.reader.match) for name, clauses in CLAUSES.items() for clause in clauses)


@cache
def _known() -> frozenset[str]:
    sources = (clause.template.source for clauses in CLAUSES.values() for clause in clauses)
    return vocabulary(*sources, *READ.values(), *SIDES)
