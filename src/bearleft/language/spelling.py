"""Spelling correction: an unknown word becomes the one known word that is a single typo away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from bearleft.language.analysis.tokens import tokens
from bearleft.language.lexicon.lexicon import COLOURS, NAMES, NUMBERS, ORDINALS, OUTDOOR_NAMES
from bearleft.language.lexicon.trade_names import TRADE_NAMES
from bearleft.language.noun_phrases import ARTICLES, DEMONSTRATIVES, PRONOUNS, VAGUE_ADJECTIVES

MIN_LETTERS = 3  # shorter words are not corrected
# Short words that are correct although no template contains them.
COMMON_WORDS = (
    "but and for his her him has had was were are you can not now out see get got let its too all any our who how why"
    " off yet way day big new old set put say says ask try use far few lot top end own both each much more most also"
    " want need keep walk walks take make back come goes going they them then than that this with when what which"
    " where there here from into your some like looks looking very well even ever over once only same such will would"
    " could should about after before again until while want wants find sees"
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?", re.IGNORECASE)
_LETTERS = "abcdefghijklmnopqrstuvwxyz'"
# Misspellings of more than one letter. Misplaced spaces are not corrected.
MISSPELLINGS = {
    "teh": "the", "thier": "their", "untill": "until", "accross": "across", "accros": "across", "infront": "in front",
    "alot": "a lot", "intersecion": "intersection", "intersecton": "intersection", "buliding": "building",
    "bulding": "building", "buidling": "building", "sidwalk": "sidewalk", "hydrent": "hydrant", "hidrant": "hydrant",
    "begining": "beginning", "directley": "directly", "slighty": "slightly", "litle": "little", "rigth": "right",
    "lefft": "left", "wich": "which", "awining": "awning", "scafolding": "scaffolding", "bicyle": "bicycle",
    "breif": "brief", "recieve": "receive", "adn": "and", "tot he": "to the", "ot": "to", "fo": "of", "waht": "what",
    "lft": "left", "thre": "three", "jut": "just", "rght": "right", "dor": "door",
}  # fmt: skip

_PLACES = "about|almost|at|between|even|facing|going|heading|in|looking|moving|near|on|walking"
# Corrections that depend on neighbours: words of the same sound, and commas within a clause.
_CORRECTIONS = [
    (re.compile(pattern, re.IGNORECASE), word)
    for pattern, word in (
        (r"\bthru\b|\bthough(?= (?:the|a|one|two|this|that)\b)", "through"),
        (r"\btill?\b", "until"),
        (rf"\byour(?= (?:{_PLACES})\b)", "you're"),
        (r"\bits(?= (?:a|about|at|in|just|on|shortly|the)\b)", "it's"),
        (
            r"(?<!have )(?<!has )(?<!'ve )(?<!have just )(?<!'ve just )(?<!you )(?<!are )(?<!be )"
            r"\bpassed(?= (?:the|a|an|it|this|that|those|one|two)\b)"
            r"|(?<=\bgo )pass\b|(?<=\bget )pass\b|(?<=\bjust )pass\b|(?<=\bstraight )pass(?= (?:the|a|an)\b)",
            "past",
        ),
        (r"\bin to(?= (?:the|a)\b)", "into"),
        (r",(?= (?:at|before|directly|near|next|towards|under|where|which)\b)", ""),
    )
]


@cache
def vocabulary(*templates: str, indoors: bool = False) -> frozenset[str]:
    """Return the words for objects, colours and numbers, and the words of template sources."""
    sources: list[str] = [
        form for name in (NAMES if indoors else OUTDOOR_NAMES + TRADE_NAMES) for form in (name.singular, name.plural)
    ]
    sources += [*COLOURS, *NUMBERS, *ORDINALS, *ARTICLES, *VAGUE_ADJECTIVES, *DEMONSTRATIVES, *PRONOUNS]
    sources.append(COMMON_WORDS)
    sources += [re.sub(r"<[a-z]:|\{\w+\}", " ", source) for source in templates]
    return frozenset(word for source in sources for word in tokens(source) if word[0].isalpha())


def fix_typos(string: str, known_words: frozenset[str]) -> str:
    """Return the text with those typos corrected that are one edit away from exactly one known word.

    Words that were written for others of the same sound are recognised by their neighbours ("your facing").
    """
    for pattern, word in _CORRECTIONS:
        string = pattern.sub(word, string)
    return _WORD.sub(lambda match: fix_word(match[0], known_words), string)


@cache
def fix_word(word: str, known_words: frozenset[str]) -> str:
    """Return a word, corrected if there is exactly one way to do so."""
    lower = word.lower()
    if lower in known_words:
        return word
    if lower in MISSPELLINGS:
        return MISSPELLINGS[lower]
    if len(lower) < MIN_LETTERS:
        return word
    for candidates in (_letters_swapped(lower), _letter_dropped(lower), _letter_added(lower)):
        matches = {candidate for candidate in candidates if candidate in known_words}
        if len(matches) == 1:
            return matches.pop()
    return word


def _letters_swapped(word: str) -> Iterable[str]:
    return (word[:k] + word[k + 1] + word[k] + word[k + 2 :] for k in range(len(word) - 1))


def _letter_dropped(word: str) -> Iterable[str]:
    return (word[:k] + word[k + 1 :] for k in range(1, len(word)) if word[k] == word[k - 1])


def _letter_added(word: str) -> Iterable[str]:
    return (word[:k] + letter + word[k:] for k in range(1, len(word) + 1) for letter in _LETTERS)
