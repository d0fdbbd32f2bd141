"""Puts typos right: a word that nobody knows becomes the one known word that is a slip of the pen away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from bearleft.language.analysis.tokens import tokens
from bearleft.language.lexicon.lexicon import COLOURS, NAMES, NUMBERS, ORDINALS, OUTDOORS
from bearleft.language.noun_phrases import ARTICLES, LOOSE, POINTING, PRONOUNS

SHORTEST = 3  # letters of a word that is worth mending
# Short words that are right as they are, though no template says them.
COMMON = (
    "but and for his her him has had was were are you can not now out see get got let its too all any our who how why"
    " off yet way day big new old set put say says ask try use far few lot top end own both each much more most also"
    " want need keep walk walks take make back come goes going they them then than that this with when what which"
    " where there here from into your some like looks looking very well even ever over once only same such will would"
    " could should about after before again until while want wants find sees"
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?", re.IGNORECASE)
_LETTERS = "abcdefghijklmnopqrstuvwxyz'"
# Spaces where there should be none are left alone; these are slips of more than one letter.
SLIPS = {
    "teh": "the", "thier": "their", "untill": "until", "accross": "across", "accros": "across", "infront": "in front",
    "alot": "a lot", "intersecion": "intersection", "intersecton": "intersection", "buliding": "building",
    "bulding": "building", "buidling": "building", "sidwalk": "sidewalk", "hydrent": "hydrant", "hidrant": "hydrant",
    "begining": "beginning", "directley": "directly", "slighty": "slightly", "litle": "little", "rigth": "right",
    "lefft": "left", "wich": "which", "awining": "awning", "scafolding": "scaffolding", "bicyle": "bicycle",
    "breif": "brief", "recieve": "receive", "adn": "and", "tot he": "to the", "ot": "to", "fo": "of", "waht": "what",
    "lft": "left", "thre": "three", "jut": "just", "rght": "right", "dor": "door",
}  # fmt: skip


@cache
def vocabulary(*templates: str, indoors: bool = False) -> frozenset[str]:
    """The words of things, colours and numbers, and those of templates (their sources)."""
    sources: list[str] = [name for one in (NAMES if indoors else OUTDOORS) for name in (one.one, one.many)]
    sources += [*COLOURS, *NUMBERS, *ORDINALS, *ARTICLES, *LOOSE, *POINTING, *PRONOUNS]
    sources.append(COMMON)
    sources += [re.sub(r"<[a-z]:|\{\w+\}", " ", source) for source in templates]
    return frozenset(word for source in sources for word in tokens(source) if word[0].isalpha())


def mend(string: str, known: frozenset[str]) -> str:
    """The text with its typos put right, as far as they are one slip from one known word."""
    return _WORD.sub(lambda found: mended(found[0], known), string)


@cache
def mended(word: str, known: frozenset[str]) -> str:
    """A word, put right where there is one way to do so."""
    low = word.lower()
    if low in known:
        return word
    if low in SLIPS:
        return SLIPS[low]
    if len(low) < SHORTEST:
        return word
    for near in (_swapped(low), _shorter(low), _longer(low)):
        found = {other for other in near if other in known}
        if len(found) == 1:
            return found.pop()
    return word


def _swapped(word: str) -> Iterable[str]:
    return (word[:k] + word[k + 1] + word[k] + word[k + 2 :] for k in range(len(word) - 1))


def _shorter(word: str) -> Iterable[str]:
    return (word[:k] + word[k + 1 :] for k in range(1, len(word)) if word[k] == word[k - 1])


def _longer(word: str) -> Iterable[str]:
    return (word[:k] + letter + word[k:] for k in range(1, len(word) + 1) for letter in _LETTERS)
