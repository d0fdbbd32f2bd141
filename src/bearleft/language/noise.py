"""Noise of hasty writing, at about the rates of real texts.

Typos, missing capitals, articles, apostrophes and full stops, statements after a comma, and run-on sentences. Datasets
are generated without noise by default. Annotations of phenomena and mentions of objects keep covering the same words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from bearleft.errors import InputError
from bearleft.language.annotated_text import Text
from bearleft.language.spelling import MISSPELLINGS, vocabulary

# Probability of each kind of noise wherever it can occur, at amount 1.
TYPO_RATE = 0.003
MISSPELLING_RATE = 0.05
SHORT_MISSPELLING_RATE = 0.004
DROPPED_APOSTROPHE_RATE = 0.1
LOWER_CASE_RATE = 0.1
DROPPED_STOP_RATE = 0.3
RUN_ON_RATE = 0.05
STATEMENT_COMMA_RATE = 0.35
DOUBLE_SPACE_RATE = 0.003
COMMA_RATE = 0.12
DROPPED_ARTICLE_RATE = 0.04
MIN_TYPO_LETTERS = 4  # shorter words get no typos
# Words that an article may be missing before, and that a comma may come before instead of a full stop.
_DROPPED_ARTICLE = re.compile(
    r"\b(?:at|to|through|past|reach|reached) (the )(?=next|first|second|intersection|light|corner|end)"
)
_STATEMENT = re.compile(r"\.( )(?=(?:You|There|It)\b)")
_PIECES = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[.!?]\s+(?=\S)|[.!?]\s*$|, | +|[^\w\s]|\S|\s", re.UNICODE)
_MISSPELLINGS_OF: dict[str, tuple[str, ...]] = {}
for _wrong, _right in MISSPELLINGS.items():
    _MISSPELLINGS_OF[_right] = (*_MISSPELLINGS_OF.get(_right, ()), _wrong)


def add_noise(text: Text, random: Random, amount: float = 1.0) -> Text:
    """Return the text as a hasty writer would type it.

    Args:
        text: The text to change.
        random: Source of randomness.
        amount: Strength of the noise, from 0 (unchanged) to 1.

    Raises:
        InputError: If `amount` is not between 0 and 1.
    """
    if not 0 <= amount <= 1:
        raise InputError("an amount from 0 to 1", f"{amount:g}", "amount")
    if not amount:
        return text
    lower = random.random() < LOWER_CASE_RATE * amount
    articles = {match.start(1) for match in _DROPPED_ARTICLE.finditer(text.string)}
    statements = {match.start() for match in _STATEMENT.finditer(text.string)}
    pieces: list[str] = []
    new_position = [0] * (len(text.string) + 1)  # new position of each character
    length, begin, run_on, dropped = 0, 0, False, False
    for match in _PIECES.finditer(text.string):
        piece = match[0]
        if begin in articles and random.random() < DROPPED_ARTICLE_RATE * amount:
            noisy, dropped = "", True
        elif dropped:
            noisy, dropped = "", False
        elif begin in statements and random.random() < STATEMENT_COMMA_RATE * amount:
            noisy = ", "
        else:
            noisy = _noisy_piece(piece, random, amount)
        if lower or run_on:
            noisy = noisy.lower() if lower else noisy[:1].lower() + noisy[1:]
        run_on = piece[0] in ".!?" and noisy[:1] not in ".!?" and begin + len(piece) < len(text.string)
        for k in range(len(piece) + 1):
            new_position[begin + k] = length + min(k, len(noisy)) if k < len(piece) else length + len(noisy)
        begin, length = match.end(), length + len(noisy)
        pieces.append(noisy)
    annotations = tuple(
        replace(annotation, begin=new_position[annotation.begin], end=new_position[annotation.end])
        for annotation in text.annotations
        if new_position[annotation.begin] < new_position[annotation.end] or annotation.begin == annotation.end
    )
    mentions = tuple(
        replace(mention, begin=new_position[mention.begin], end=new_position[mention.end]) for mention in text.mentions
    )
    return Text("".join(pieces), annotations, mentions)


def _noisy_piece(piece: str, random: Random, amount: float) -> str:
    if piece[0] in ".!?":
        if piece.rstrip() == piece or not piece.rstrip(".!? "):
            return _noisy_stop(piece, random, amount)
    elif piece == ", ":
        return random.choice((" ", " ", ",")) if random.random() < COMMA_RATE * amount else piece
    elif piece.isspace():
        return piece + " " if random.random() < DOUBLE_SPACE_RATE * amount else piece
    elif piece[0].isalpha():
        return _noisy_word(piece, random, amount)
    return piece


def _noisy_stop(piece: str, random: Random, amount: float) -> str:
    """Return a full stop, possibly dropped at the end of the text or replaced between sentences."""
    if piece[-1] != " ":
        return "" if random.random() < DROPPED_STOP_RATE * amount else piece
    return random.choice((" ", " ", ", ", " and ")) if random.random() < RUN_ON_RATE * amount else piece


def _noisy_word(word: str, random: Random, amount: float) -> str:
    if "'" in word or "’" in word:
        return re.sub("['’]", "", word) if random.random() < DROPPED_APOSTROPHE_RATE * amount else word
    if (
        word in _MISSPELLINGS_OF
        and random.random() < (MISSPELLING_RATE if len(word) > MIN_TYPO_LETTERS else SHORT_MISSPELLING_RATE) * amount
    ):
        return random.choice(_MISSPELLINGS_OF[word])
    if len(word) < MIN_TYPO_LETTERS or random.random() >= TYPO_RATE * amount:
        return word
    k = random.randrange(1, len(word) - 1)
    typo = random.choice(("swap", "drop", "double"))
    if typo == "swap":
        mistyped = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    else:
        mistyped = word[:k] + word[k + 1 :] if typo == "drop" else word[:k] + word[k] * 2 + word[k + 1 :]
    return word if mistyped.lower() in vocabulary() else mistyped
