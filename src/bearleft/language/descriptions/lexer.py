"""Lexer of target descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from bearleft.language.analysis.tokens import tokens
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.places import PLACE_WORDS
from bearleft.language.descriptions.semantics import Selector, SortKey
from bearleft.language.lexicon.lexicon import ORDINALS, PARTS, STREET_KINDS

_COPULAS = (
    "is",
    "are",
    "there is",
    "there's",
    "there are",
    "will be",
    "you'll see",
    "you will see",
    "you should see",
    "should be",
    "there will be",
    "you'll find",
    "you will find",
    "you can see",
    "you see",
    "you'll notice",
    "you will notice",
    "there should be",
)
# After "on the left" these words denote a spot on an object.
_WORDS_AFTER_POSITION = frozenset(
    ("of", "hand", "side", "part", "half", "end", "edge", "corner", "section", "most", "one", "portion")
)


@dataclass(frozen=True, slots=True)
class LexicalItem:
    """A lexical item: its kind and value, and its token span."""

    kind: str
    value: Any
    begin: int
    end: int


@cache
def _phrases_by_token() -> dict[str, list[tuple[tuple[str, ...], str, Any]]]:
    """Return the entries (tokens, kind, value) of the lexicon by first token, the longest first."""
    phrases: dict[tuple[str, ...], tuple[str, Any]] = {}

    def add(words: str, kind: str, value: Any) -> None:
        phrases.setdefault(tuple(tokens(words)), (kind, value))

    for name, alternatives in templates.SIDES.items():
        for words in alternatives:
            add(words, "side", name)
    for name, alternatives in templates.LOOKS.items():
        for words in alternatives:
            add(words, "look", name)
    for by, words in templates.PICK_SUFFIXES.items():
        for word in words.split("|"):
            add(word, "after", Selector(by, 1))
    for name, alternatives in templates.RELATIONS.items():
        for words in alternatives:
            add(words, "relation", name)
    for bear in templates.BEAR_NOUNS:
        add(bear, "bear", None)
    for by, words in templates.PICK_NOUNS.items():
        for word in words.split("|"):
            add(word, "one", Selector(by, 1))
            add(word.removeprefix("the "), "one", Selector(by, 1))
    for by, words in templates.PICK_ADJECTIVES.items():
        for word in words.split("|"):
            add(word, "before", Selector(by, 1))
    for by, words in templates.RANK_SUFFIXES.items():
        for word in words.split("|"):
            add(word, "from", by)
    for towards, alignment in templates.ALIGNMENTS.items():
        for words in _expand_alternatives(alignment):
            add(words, "line", towards)
    for words in templates.ON_TOP:
        add(words, "place", (None, 0.87))
    for words, position in templates.POSITIONS.items():
        add(f"the {words}", "place", position)
        if " " in words:
            add(words, "place", position)
    for ground in PLACE_WORDS.values():
        for words in ground:
            add(words, "ground", None)
    for words in _COPULAS:
        add(words, "is", None)
    for part in {word for (kind, _), alternatives in PARTS.items() if kind in STREET_KINDS for word in alternatives}:
        add(part, "part", part)
    by_token: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
    for key, (kind, value) in phrases.items():
        by_token.setdefault(key[0], []).append((key, kind, value))
    for entries in by_token.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return by_token


@cache
def lexicon_phrases() -> tuple[str, ...]:
    """Return all phrases of the lexicon, the vocabulary for correcting typos."""
    return tuple(sorted({" ".join(key) for entries in _phrases_by_token().values() for key, _, _ in entries}))


def _expand_alternatives(source: str) -> list[str]:
    """Return all variants of a template source without slots."""
    bracket = re.search(r"\[([^\[\]]*)\]", source)
    if bracket is None:
        return [" ".join(variant.split()) for variant in source.split("|")]
    # Bars outside of brackets separate alternatives; those inside belong to the bracket.
    parts = _split_alternatives(source)
    if len(parts) > 1:
        return [variant for part in parts for variant in _expand_alternatives(part)]
    return [
        variant
        for inner in bracket[1].split("|")
        for variant in _expand_alternatives(source[: bracket.start()] + inner + source[bracket.end() :])
    ]


def _split_alternatives(source: str) -> list[str]:
    parts, depth = [""], 0
    for letter in source:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


_NTH = "|".join(ORDINALS)
_WINDOW = re.compile(
    rf"(?:the )?(?:(?P<floor1>\w+) (?:floor|story) )?(?:(?P<nth>{_NTH}) |(?P<end>left ?most|right ?most|left|right) )?"
    r"(?:(?P<floor2>\w+) (?:floor|story) )?window (?:from the (?P<by>left|right) )?"
    r"(?:on the (?P<floor3>\w+) (?:floor|story) )?"
)
_RANKED_ONE = re.compile(rf"(?:the )?(?P<nth>{_NTH}) one (?:(?:from|on) (?:the )?(?P<by>left|right) )?")


def lex(words: list[str]) -> Iterator[LexicalItem]:
    """Yield the lexical items of a sentence in order."""
    lexicon, k = _phrases_by_token(), 0
    while k < len(words):
        token = words[k]
        if token[0] == "@" and token != "@":
            yield LexicalItem("thing", int(token[1:]), k, k + 1)
            k += 1
            continue
        ahead = "".join(f"{word} " for word in words[k : k + 12])
        window_match = _WINDOW.match(ahead)
        if window_match and "@" not in window_match[0]:
            end = k + len(window_match[0].split())
            yield LexicalItem("window", _window_value(window_match), k, end)
            k = end
            continue
        ranked = _RANKED_ONE.match(ahead)
        if ranked:
            by: SortKey = "near" if ORDINALS[ranked["nth"]] > 0 else "far"
            if ranked["by"]:
                by = "left" if ranked["by"] == "left" else "right"
            end = k + len(ranked[0].split())
            yield LexicalItem("one", Selector(by, abs(ORDINALS[ranked["nth"]])), k, end)
            k = end
            continue
        for key, kind, value in lexicon.get(token, ()):
            if tuple(words[k : k + len(key)]) == key and _allowed(words, k, k + len(key), kind):
                if kind != "ground":  # narrows nothing
                    yield LexicalItem(kind, value, k, k + len(key))
                k += len(key)
                break
        else:
            if token in (",", "and"):
                yield LexicalItem("comma" if token == "," else "and", None, k, k + 1)
            k += 1


def _allowed(words: list[str], begin: int, end: int, kind: str) -> bool:
    """Return whether words have this meaning in context: "the left side of" is a spot on an object."""
    after = words[end] if end < len(words) else ""
    before = words[begin - 1] if begin else ""
    if kind == "before":
        return after.startswith("@")
    if kind in ("side", "after") and after in _WORDS_AFTER_POSITION:
        return False
    if kind == "part":
        return after in ("of", "on") or before in ("the", "its", "it's")
    return True


def _window_value(window: re.Match[str]) -> tuple[int, Selector | None]:
    floors = {"ground": 1, "bottom": 1, "first": 1} | {word: rank for word, rank in ORDINALS.items() if rank > 1}
    floor = next((floors.get(window[name], 0) for name in ("floor1", "floor2", "floor3") if window[name]), 0)
    if window["end"]:
        return floor, Selector("left" if window["end"].startswith("left") else "right", 1)
    if window["nth"] and window["by"]:
        return floor, Selector("left" if window["by"] == "left" else "right", ORDINALS[window["nth"]])
    return floor, None
