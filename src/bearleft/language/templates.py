"""Templates: one line of a small language says a clause in many ways, and reads every one of them back.

    [a|b|]      one of these, perhaps nothing; may nest
    {slot}      what is filled in
    <i:turn>    a phenomenon, by its letter; may nest

A template is read on a normalised string: lower-case tokens, each followed by one space, every noun phrase one token
"@3". So `reader` needs no care for spaces, and nothing about things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TypeAlias

from bearleft.errors import InputError, shown
from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Mark, Text
from bearleft.language.lexicon.lexicon import NUMBERS, ORDINALS

PHENOMENA = {
    "u": "unique entity",
    "c": "coreference",
    "m": "comparison",
    "s": "sequencing",
    "n": "count",
    "a": "allocentric",
    "e": "egocentric",
    "i": "imperative",
    "d": "direction",
    "t": "temporal condition",
    "v": "state verification",
    "x": "3-D understanding",
    "q": "inexact",
    "o": "more than two objects",
}

TRIES = 24
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_PIECES = re.compile(r"\[|\||\]|<[a-z]:|>|\{\w+\}|[^\[\]|<>{}]+")


@dataclass(frozen=True)
class Words:
    """Plain text."""

    words: str


@dataclass(frozen=True)
class Slot:
    """A place to fill."""

    name: str


@dataclass(frozen=True)
class Marked:
    """A part that shows a phenomenon."""

    what: str
    inner: Row


@dataclass(frozen=True)
class Choice:
    """One of several rows."""

    rows: tuple[Row, ...]


Row: TypeAlias = tuple["Words | Slot | Marked | Choice", ...]


class Template:
    """A clause in the small language."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._pieces = _PIECES.findall(source)
        if "".join(self._pieces) != source:
            raise InputError("a template of words, [a|b], {slot} and <i:words>", shown(source))
        self._at = 0
        self.row = self._row("")
        if self._at != len(self._pieces):
            raise InputError("brackets that match", shown(source))

    def __repr__(self) -> str:
        return f"Template({self.source!r})"

    @cached_property
    def slots(self) -> frozenset[str]:
        """The names of its slots."""
        return frozenset(re.findall(r"\{(\w+)\}", self.source))

    def say(self, random: Random, **slots: Text | str) -> Text:
        """One of the ways to say it."""
        return tidy(_say(self.row, random, slots))

    @cached_property
    def reader(self) -> re.Pattern[str]:
        """Reads each of the ways, on a normalised string; groups are named as the slots, a slot's second one NAME_2."""
        return re.compile(_pattern(self.row, {}))

    def _row(self, closing: str) -> Row:
        parts: list[Words | Slot | Marked | Choice] = []
        while self._at < len(self._pieces):
            piece = self._pieces[self._at]
            if piece in ("]", "|", ">"):
                if piece != closing and not (piece == "|" and closing == "]"):
                    raise InputError("brackets that match", shown(self.source))
                return tuple(parts)
            self._at += 1
            if piece == "[":
                rows = [self._row("]")]
                while self._next() == "|":
                    rows.append(self._row("]"))
                parts.append(Choice(tuple(rows)))
            elif piece[0] == "<":
                if piece[1] not in PHENOMENA:
                    raise InputError(f"one of the letters {' '.join(PHENOMENA)}", shown(piece))
                parts.append(Marked(PHENOMENA[piece[1]], self._row(">")))
                self._next()
            elif piece[0] == "{":
                parts.append(Slot(piece[1:-1]))
            else:
                parts.append(Words(piece))
        if closing:
            raise InputError("brackets that match", shown(self.source))
        return tuple(parts)

    def _next(self) -> str:
        if self._at == len(self._pieces):
            raise InputError("brackets that match", shown(self.source))
        self._at += 1
        return str(self._pieces[self._at - 1])


def _say(row: Row, random: Random, slots: dict[str, Text | str]) -> Text:
    said = Text("")
    for part in row:
        if isinstance(part, Words):
            said = said + part.words
        elif isinstance(part, Slot):
            said = said + slots[part.name]
        elif isinstance(part, Marked):
            said = said + _say(part.inner, random, slots).marked(part.what)
        else:
            said = said + _say(random.choice(part.rows), random, slots)
    return said


def tidy(text: Text) -> Text:
    """With single spaces, none at the ends and none before a mark; marks and mentions move along."""
    string = text.string
    keep = [True] * len(string)
    for k, letter in enumerate(string):
        if letter == " ":
            rest = string[k + 1 :].lstrip(" ")
            first = k == 0 or not any(keep[:k])
            keep[k] = not (first or not rest or string[k + 1] == " " or rest[0] in ".,;:!?)")
    if all(keep):
        return _trimmed(text)
    at = [0]
    for kept in keep:
        at.append(at[-1] + kept)
    marks = tuple(Mark(m.what, at[m.begin], at[m.end]) for m in text.marks if at[m.begin] < at[m.end])
    mentions = tuple(type(m)(m.instance, at[m.begin], at[m.end]) for m in text.mentions)
    return _trimmed(Text("".join(letter for letter, kept in zip(string, keep, strict=True) if kept), marks, mentions))


def _trimmed(text: Text) -> Text:
    """With marks that neither begin nor end with a space."""
    marks = []
    for mark in text.marks:
        said = text.string[mark.begin : mark.end]
        begin, end = mark.begin + len(said) - len(said.lstrip()), mark.end - len(said) + len(said.rstrip())
        if begin < end:
            marks.append(Mark(mark.what, begin, end))
    return Text(text.string, tuple(marks), text.mentions)


def expanded(source: str, macros: Mapping[str, str]) -> str:
    """A template's source with the words in capitals filled in."""
    while (found := _CAPITALS.sub(lambda word: macros[word[0]], source)) != source:
        source = found
    return source


def once(say: Callable[[], Text]) -> Text:
    """What is said without a word twice in a row ("of you you'll see"), or after many tries with one."""
    for _ in range(TRIES):
        said = say()
        if not _TWICE.search(said.string):
            break
    return said


def _words(*some: str) -> str:
    longest = sorted(some, key=len, reverse=True)
    return "|".join("".join(f"{re.escape(token)} " for token in tokens(words)) for words in longest)


_READS = {
    "nth": _words(*ORDINALS),
    "count": _words(*NUMBERS),
    "side": _words("left", "right"),
}
THING = r"@\d+ "
LOOSE = r"(?:[^ @.]+ ){1,6}?"


def _pattern(row: Row, seen: dict[str, int]) -> str:
    out = []
    for part in row:
        if isinstance(part, Words):
            out.append("".join(f"{re.escape(token)} " for token in tokens(part.words)))
        elif isinstance(part, Slot):
            seen[part.name] = seen.get(part.name, 0) + 1
            group = part.name if seen[part.name] == 1 else f"{part.name}_{seen[part.name]}"
            kind = part.name.rpartition("_")[2]
            inner = THING if kind == "thing" else _READS.get(kind, LOOSE)
            out.append(f"(?P<{group}>{inner})")
        elif isinstance(part, Marked):
            out.append(_pattern(part.inner, seen))
        else:
            # The longer alternatives first, so that nothing is left over that an empty one would leave.
            rows = sorted((_pattern(inner, seen) for inner in part.rows), key=len, reverse=True)
            out.append(f"(?:{'|'.join(rows)})")
    return "".join(out)
