"""Noise of hasty writing, at about the rates of real texts.

Typos, missing capitals, articles, apostrophes and full stops, statements after a comma, and run-on sentences. Datasets
are generated without noise by default. Annotations of phenomena and mentions of objects keep covering the same words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random

from bearleft.errors import InputError
from bearleft.language.annotated_text import Text
from bearleft.language.spelling import MISSPELLINGS, vocabulary

MIN_TYPO_LETTERS = 4  # shorter words get no typos


@dataclass(frozen=True)
class NoiseRates:
    """Probability of each kind of noise wherever it can occur, at amount 1. The defaults are those of instructions."""

    typo: float = 0.003
    misspelling: float = 0.05
    short_misspelling: float = 0.004
    dropped_apostrophe: float = 0.1
    lower_case: float = 0.1  # of whole texts
    dropped_stop: float = 0.3  # at the end of a text
    run_on: float = 0.05
    statement_comma: float = 0.35  # instead of a full stop before "there is" and "you will see"
    double_space: float = 0.003
    comma: float = 0.12
    dropped_article: float = 0.04  # before crossings
    missing_word: float = 0.0  # articles
    repeated_word: float = 0.0  # small words: "on on"
    wrong_article: float = 0.0  # "a awning"


INSTRUCTION_NOISE = NoiseRates()
# Descriptions are short, and writers seldom join their sentences. Small words are missing or repeated in few real ones.
DESCRIPTION_NOISE = NoiseRates(
    typo=0.02, run_on=0.0, statement_comma=0.0, missing_word=0.01, repeated_word=0.002, wrong_article=0.1
)
# Words that an article may be missing before, and that a comma may come before instead of a full stop.
_DROPPED_ARTICLE = re.compile(
    r"\b(?:at|to|through|past|reach|reached) (the )(?=next|first|second|intersection|light|corner|end)"
)
_SMALL_WORDS = frozenset(("the", "a", "an", "of", "is", "on", "to", "in"))
_MISSING_WORDS = frozenset(("the", "a", "an"))
_STATEMENT = re.compile(r"\.( )(?=(?:You|There|It)\b)")
_PIECES = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[.!?]\s+(?=\S)|[.!?]\s*$|, | +|[^\w\s]|\S|\s", re.UNICODE)
_MISSPELLINGS_OF: dict[str, tuple[str, ...]] = {}
for _wrong, _right in MISSPELLINGS.items():
    _MISSPELLINGS_OF[_right] = (*_MISSPELLINGS_OF.get(_right, ()), _wrong)


def add_noise(text: Text, random: Random, amount: float = 1.0, rates: NoiseRates = INSTRUCTION_NOISE) -> Text:
    """Return the text as a hasty writer would type it.

    Args:
        text: The text to change.
        random: Source of randomness.
        amount: Strength of the noise, from 0 (unchanged) to 1.
        rates: Probabilities of the kinds of noise.

    Raises:
        InputError: If `amount` is not between 0 and 1.
    """
    if not 0 <= amount <= 1:
        raise InputError("an amount from 0 to 1", f"{amount:g}", "amount")
    if not amount:
        return text
    lower = random.random() < rates.lower_case * amount
    articles = {match.start(1) for match in _DROPPED_ARTICLE.finditer(text.string)}
    statements = {match.start() for match in _STATEMENT.finditer(text.string)}
    pieces: list[str] = []
    new_position = [0] * (len(text.string) + 1)  # new position of each character
    length, begin, run_on, dropped = 0, 0, False, False
    for match in _PIECES.finditer(text.string):
        piece = match[0]
        if begin in articles and random.random() < rates.dropped_article * amount:
            noisy, dropped = "", True
        elif dropped:
            noisy, dropped = "", False
        elif rates.missing_word and piece in _MISSING_WORDS and random.random() < rates.missing_word * amount:
            noisy, dropped = "", True
        elif begin in statements and random.random() < rates.statement_comma * amount:
            noisy = ", "
        else:
            noisy = _noisy_piece(piece, random, amount, rates)
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


def _noisy_piece(piece: str, random: Random, amount: float, rates: NoiseRates) -> str:
    if piece[0] in ".!?":
        if piece.rstrip() == piece or not piece.rstrip(".!? "):
            return _noisy_stop(piece, random, amount, rates)
    elif piece == ", ":
        return random.choice((" ", " ", ",")) if random.random() < rates.comma * amount else piece
    elif piece.isspace():
        return piece + " " if random.random() < rates.double_space * amount else piece
    elif piece[0].isalpha():
        return _noisy_word(piece, random, amount, rates)
    return piece


def _noisy_stop(piece: str, random: Random, amount: float, rates: NoiseRates) -> str:
    """Return a full stop, possibly dropped at the end of the text or replaced between sentences."""
    if piece[-1] != " ":
        return "" if random.random() < rates.dropped_stop * amount else piece
    return random.choice((" ", " ", ", ", " and ")) if random.random() < rates.run_on * amount else piece


def _noisy_word(word: str, random: Random, amount: float, rates: NoiseRates) -> str:
    if rates.repeated_word and word in _SMALL_WORDS and random.random() < rates.repeated_word * amount:
        return f"{word} {word}"
    if rates.wrong_article and word == "an" and random.random() < rates.wrong_article * amount:
        return "a"
    if "'" in word or "’" in word:
        return re.sub("['’]", "", word) if random.random() < rates.dropped_apostrophe * amount else word
    if (
        word in _MISSPELLINGS_OF
        and random.random() < (rates.misspelling if len(word) > MIN_TYPO_LETTERS else rates.short_misspelling) * amount
    ):
        return random.choice(_MISSPELLINGS_OF[word])
    if len(word) < MIN_TYPO_LETTERS or random.random() >= rates.typo * amount:
        return word
    k = random.randrange(1, len(word) - 1)
    typo = random.choice(("swap", "drop", "double"))
    if typo == "swap":
        mistyped = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    else:
        mistyped = word[:k] + word[k + 1 :] if typo == "drop" else word[:k] + word[k] * 2 + word[k + 1 :]
    return word if mistyped.lower() in vocabulary() else mistyped
