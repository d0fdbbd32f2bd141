"""Loose style: typos, missing capitals, apostrophes and full stops, run-on sentences, double spaces.

Off unless asked for. Marks and mentions move along, so that they still cover the words they meant.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from bearleft.errors import InputError
from bearleft.language.annotated_text import Text
from bearleft.language.spelling import SLIPS, vocabulary

# How likely each is where it may happen, at amount 1.
TYPO, SLIP, SHORT_SLIP, APOSTROPHE, LOWER, STOP, RUN_ON, SPACE, COMMA = (
    0.03,
    0.15,
    0.01,
    0.5,
    0.5,
    0.4,
    0.25,
    0.015,
    0.3,
)
SHORTEST = 4  # letters of a word that is mistyped
_PIECES = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[.!?]\s+(?=\S)|[.!?]\s*$|, | +|[^\w\s]|\S|\s", re.UNICODE)
_COMMON: dict[str, tuple[str, ...]] = {}
for _wrong, _right in SLIPS.items():
    _COMMON[_right] = (*_COMMON.get(_right, ()), _wrong)


def loosen(text: Text, random: Random, amount: float = 1.0) -> Text:
    """The text as a hasty writer would type it; `amount` from 0 (as it is) to 1."""
    if not 0 <= amount <= 1:
        raise InputError("an amount from 0 to 1", f"{amount:g}", "amount")
    if not amount:
        return text
    lower = random.random() < LOWER * amount
    said: list[str] = []
    at = [0] * (len(text.string) + 1)  # where each place of the string comes to lie
    length, begin, joined = 0, 0, False
    for found in _PIECES.finditer(text.string):
        piece = found[0]
        new = _changed(piece, random, amount)
        if lower or joined:
            new = new.lower() if lower else new[:1].lower() + new[1:]
        joined = piece[0] in ".!?" and new[:1] not in ".!?" and begin + len(piece) < len(text.string)
        for k in range(len(piece) + 1):
            at[begin + k] = length + min(k, len(new)) if k < len(piece) else length + len(new)
        begin, length = found.end(), length + len(new)
        said.append(new)
    marks = tuple(replace(mark, begin=at[mark.begin], end=at[mark.end]) for mark in text.marks)
    mentions = tuple(replace(one, begin=at[one.begin], end=at[one.end]) for one in text.mentions)
    return Text("".join(said), marks, mentions)


def _changed(piece: str, random: Random, amount: float) -> str:
    if piece[0] in ".!?":
        if piece.rstrip() == piece or not piece.rstrip(".!? "):
            return _stopped(piece, random, amount)
    elif piece == ", ":
        return random.choice((" ", ",", " , ")) if random.random() < COMMA * amount * 0.3 else piece
    elif piece.isspace():
        return piece + " " if random.random() < SPACE * amount else piece
    elif piece[0].isalpha():
        return _typed(piece, random, amount)
    return piece


def _stopped(piece: str, random: Random, amount: float) -> str:
    """A full stop: at the end it may be left out; between sentences they may run on."""
    if piece[-1] != " ":
        return "" if random.random() < STOP * amount else piece
    return random.choice((" ", " ", ", ", " and ")) if random.random() < RUN_ON * amount else piece


def _typed(word: str, random: Random, amount: float) -> str:
    if "'" in word or "’" in word:
        return re.sub("['’]", "", word) if random.random() < APOSTROPHE * amount else word
    if word in _COMMON and random.random() < (SLIP if len(word) > SHORTEST else SHORT_SLIP) * amount:
        return random.choice(_COMMON[word])
    if len(word) < SHORTEST or random.random() >= TYPO * amount:
        return word
    k = random.randrange(1, len(word) - 1)
    how = random.choice(("swap", "drop", "double"))
    if how == "swap":
        new = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    else:
        new = word[:k] + word[k + 1 :] if how == "drop" else word[:k] + word[k] * 2 + word[k + 1 :]
    return word if new.lower() in vocabulary() else new
