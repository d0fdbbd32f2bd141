"""Noise of hasty writing, at the rates of real texts.

Typos, words confused with others of the same sound ("your facing"), missing articles, subjects, capitals, apostrophes,
spaces and full stops, commas, digits, afterthoughts ("as well"), and run-on sentences. Datasets are generated without
noise by default. Annotations of phenomena and mentions of objects keep covering the same words.

Rates were counted in the tune half of real texts (docs/realism.md), less what texts without noise have already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random

from bearleft.errors import InputError
from bearleft.language.analysis.function_words import COLOURS
from bearleft.language.annotated_text import Text
from bearleft.language.spelling import MISSPELLINGS, vocabulary

MIN_TYPO_LETTERS = 4  # shorter words get no typos


@dataclass(frozen=True)
class NoiseRates:
    """Probability of each kind of noise wherever it can occur, at amount 1. The defaults are those of instructions."""

    typo: float = 0.003
    misspelling: float = 0.05
    short_misspelling: float = 0.004
    confusion: float = 1.0  # factor of the rates of `CONFUSIONS`
    dropped_apostrophe: float = 0.1
    dropped_article: float = 0.04  # before crossings
    dropped_subject: float = 0.05  # "See a bench" instead of "You will see a bench"
    missing_word: float = 0.0  # articles
    repeated_word: float = 0.0  # small words: "on on"
    wrong_article: float = 0.0  # "a awning"
    afterthought: float = 0.05  # "as well" at the end of a statement
    digit: float = 0.35  # "3 benches"
    comma: float = 1.0  # factor of the rates of `COMMAS`
    lower_case: float = 0.003  # of whole texts
    dropped_stop: float = 0.13  # at the end of a text
    dropped_space: float = 0.009  # after a full stop
    run_on: float = 0.01  # instead of a full stop

    def of_writer(self, random: Random) -> NoiseRates:
        """Return the rates of one writer, who writes all texts without capitals or none."""
        return replace(self, lower_case=float(random.random() < self.lower_case))


INSTRUCTION_NOISE = NoiseRates()
# Descriptions are short, and writers seldom join their sentences. Small words are missing or repeated in few real ones.
DESCRIPTION_NOISE = NoiseRates(
    typo=0.02,
    confusion=0.0,
    dropped_subject=0.0,
    missing_word=0.01,
    repeated_word=0.002,
    wrong_article=0.1,
    afterthought=0.0,
    digit=0.18,
    lower_case=0.017,
    dropped_stop=0.0,
    dropped_space=0.004,
    run_on=0.0,
)
# Refer360's sentences come one by one; nearly all writers use no capitals.
SEQUENCE_NOISE = replace(DESCRIPTION_NOISE, digit=0.2, lower_case=0.55, dropped_space=0.0)
# Words written for others of the same sound, with the share of their uses.
CONFUSIONS: Mapping[str, tuple[tuple[str, float], ...]] = {
    "through": (("thru", 0.016), ("though", 0.005)),
    "until": (("till", 0.025), ("til", 0.005)),
    "past": (("passed", 0.05), ("pass", 0.01)),
    "you're": (("your", 0.1),),
    "it's": (("its", 0.2),),
    "there's": (("theres", 0.2),),
    "into": (("in to", 0.02),),
}
# Words that follow a comma where the word before ends a phrase, and how often.
COMMAS: Mapping[str, float] = {
    "about": 0.18, "and": 0.12, "at": 0.03, "before": 0.1, "but": 0.6, "directly": 0.08, "just": 0.12, "near": 0.12,
    "next": 0.06, "passing": 0.4, "slightly": 0.25, "there": 0.15, "towards": 0.15, "under": 0.1, "where": 0.1,
    "which": 0.5, "with": 0.04,
}  # fmt: skip
DIGITS = {word: str(k) for k, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine"), 2)}
# Words that end no phrase, besides colours.
_NO_END = {
    "about", "after", "again", "also", "away", "before", "continue", "down", "facing", "from", "going", "have", "into",
    "just", "keep", "keeping", "look", "make", "move", "moving", "once", "onto", "past", "sitting", "some", "soon",
    "stand", "standing", "start", "stay", "stop", "straight", "than", "that", "then", "there", "they", "this",
    "through", "towards", "turn", "turning", "under", "until", "walk", "walking", "when", "where", "which", "will",
    "with",
}  # fmt: skip
_SMALL_WORDS = frozenset(("the", "a", "an", "of", "is", "on", "to", "in"))
_MISSING_WORDS = frozenset(("the", "a", "an"))
# An article before a crossing; the full stop of a statement that is not the first, and the subject of one.
_ARTICLE = re.compile(
    r"\b(?:at|to|through|past|reach|reached) (the )(?=next|first|second|intersection|light|corner|end)"
)
_STATEMENT_END = re.compile(r"(?<=[.!?] )(?:There|You|On|To)\b[^.!?]*\b(?:left|right)()(?=\.)")
_SUBJECT = re.compile(r"(?<=[.!?] )(You(?:'ll| will| should) )(?=see\b|pass (?:a|an|some)\b)")
_COMMA_PLACE = re.compile(rf"\b(?!(?:{'|'.join(sorted(_NO_END | COLOURS))})\b)[a-z]{{4,}}() (?=({'|'.join(COMMAS)})\b)")
_PIECES = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[.!?]\s+(?=\S)|[.!?]\s*$|, | +|[^\w\s]|\S|\s", re.UNICODE)
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
    dropped, inserted = _edits(text.string, random, amount, rates)
    pieces: list[str] = []
    new_position = [0] * (len(text.string) + 1)  # new position of each character
    length, begin, dropped_until = 0, 0, 0
    case: Callable[[str], str] = str
    for match in _PIECES.finditer(text.string):
        piece = match[0]
        dropped_until = max(dropped_until, dropped.get(begin, 0))
        if begin < dropped_until:
            noisy, case = "", _upper_first if piece[0].isupper() else case
        elif rates.missing_word and piece in _MISSING_WORDS and random.random() < rates.missing_word * amount:
            noisy, dropped_until = "", match.end() + 1
        else:
            noisy = case(_noisy_piece(piece, random, amount, rates))
            joined = piece[0] in ".!?" and noisy[:1] not in ".!?" and match.end() < len(text.string)
            case = _lower_first if joined else str
        noisy = inserted.get(begin, "") + noisy
        if lower:
            noisy = noisy.lower()
        for k in range(len(piece) + 1):
            new_position[begin + k] = length + min(k, len(noisy)) if k < len(piece) else length + len(noisy)
        begin, length = match.end(), length + len(noisy)
        pieces.append(noisy)
    if not length:
        return text  # of "?" nothing would be left
    annotations = tuple(
        replace(annotation, begin=new_position[annotation.begin], end=new_position[annotation.end])
        for annotation in text.annotations
        if new_position[annotation.begin] < new_position[annotation.end] or annotation.begin == annotation.end
    )
    mentions = tuple(
        replace(mention, begin=new_position[mention.begin], end=new_position[mention.end]) for mention in text.mentions
    )
    return Text("".join(pieces), annotations, mentions)


def _edits(string: str, random: Random, amount: float, rates: NoiseRates) -> tuple[dict[int, int], dict[int, str]]:
    """Return spans to drop, begin to end, and strings to insert by position."""
    dropped = {
        match.start(1): match.end(1)
        for pattern, rate in ((_ARTICLE, rates.dropped_article), (_SUBJECT, rates.dropped_subject))
        for match in pattern.finditer(string)
        if random.random() < rate * amount
    }
    inserted = {
        match.start(1): " as well"
        for match in _STATEMENT_END.finditer(string)
        if random.random() < rates.afterthought * amount
    }
    for match in _COMMA_PLACE.finditer(string):
        if random.random() < COMMAS[match[2]] * rates.comma * amount:
            inserted[match.start(1)] = ","
    return dropped, inserted


def _upper_first(string: str) -> str:
    return string[:1].upper() + string[1:]


def _lower_first(string: str) -> str:
    return string[:1].lower() + string[1:]


def _noisy_piece(piece: str, random: Random, amount: float, rates: NoiseRates) -> str:
    if piece[0] in ".!?":
        if piece.rstrip() == piece or not piece.rstrip(".!? "):
            return _noisy_stop(piece, random, amount, rates)
    elif piece[0].isalpha():
        return _noisy_word(piece, random, amount, rates)
    return piece


def _noisy_stop(piece: str, random: Random, amount: float, rates: NoiseRates) -> str:
    """Return a full stop, possibly dropped at the end of the text, replaced between sentences, or without its space."""
    if piece[-1] != " ":
        return "" if random.random() < rates.dropped_stop * amount else piece
    draw = random.random()
    if draw < rates.run_on * amount:
        return random.choice((" ", "; ", ", ", " and "))
    return piece.rstrip() if draw < (rates.run_on + rates.dropped_space) * amount else piece


def _confused(word: str, random: Random, amount: float) -> str:
    """Return a word of the same sound, or an empty string."""
    draw = random.random()
    for confused, rate in CONFUSIONS[word.lower()]:
        if draw < rate * amount:
            return confused.capitalize() if word[0].isupper() else confused
        draw -= rate * amount
    return ""


def _noisy_word(word: str, random: Random, amount: float, rates: NoiseRates) -> str:
    if rates.repeated_word and word in _SMALL_WORDS and random.random() < rates.repeated_word * amount:
        return f"{word} {word}"
    if rates.wrong_article and word == "an" and random.random() < rates.wrong_article * amount:
        return "a"
    if word in DIGITS and random.random() < rates.digit * amount:
        return DIGITS[word]
    if word.lower() in CONFUSIONS and (confused := _confused(word, random, amount * rates.confusion)):
        return confused
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
