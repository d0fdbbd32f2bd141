"""The words of descriptions found in a sentence: what each says, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from bearleft.language.analysis.tokens import tokens
from bearleft.language.descriptions import templates as words
from bearleft.language.descriptions.semantics import By, Pick
from bearleft.language.lexicon.lexicon import ORDINALS, PARTS, STREET

_IS = (
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
)
# After "on the left" these speak of a place on a thing.
_SPREAD = frozenset(
    ("of", "hand", "side", "part", "half", "end", "edge", "corner", "section", "most", "one", "portion")
)


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of a text that says something, with where it begins and ends in tokens."""

    what: str
    value: Any
    begin: int
    end: int


@cache
def _lexicon() -> dict[str, list[tuple[tuple[str, ...], str, Any]]]:
    """By first token: tokens, what they are, and what they say; the longest first."""
    found: dict[tuple[str, ...], tuple[str, Any]] = {}

    def add(spoken: str, what: str, value: Any) -> None:
        found.setdefault(tuple(tokens(spoken)), (what, value))

    for name, some in words.SIDES.items():
        for spoken in some:
            add(spoken, "side", name)
    for name, some in words.LOOKS.items():
        for spoken in some:
            add(spoken, "look", name)
    for by, spoken in words.AFTER.items():
        for one in spoken.split("|"):
            add(one, "after", Pick(by, 1))
    for name, some in words.RELATIONS.items():
        for spoken in some:
            add(spoken, "relation", name)
    for bear in words.BEARS:
        add(bear, "bear", None)
    for by, spoken in words.PICKS.items():
        for one in spoken.split("|"):
            add(one, "one", Pick(by, 1))
            add(one.removeprefix("the "), "one", Pick(by, 1))
    for by, spoken in words.BEFORE.items():
        for one in spoken.split("|"):
            add(one, "before", Pick(by, 1))
    for by, spoken in words.FROM.items():
        for one in spoken.split("|"):
            add(one, "from", by)
    for towards, line in words.LINES.items():
        for spoken in _all(line):
            add(spoken, "line", towards)
    for spoken in words.ON_TOP:
        add(spoken, "place", (None, 0.87))
    for spoken, where in words.POSITIONS.items():
        add(f"the {spoken}", "place", where)
        if " " in spoken:
            add(spoken, "place", where)
    for spoken in _IS:
        add(spoken, "is", None)
    for part in {word for (kind, _), some in PARTS.items() if kind in STREET for word in some}:
        add(part, "part", part)
    out: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
    for key, (what, value) in found.items():
        out.setdefault(key[0], []).append((key, what, value))
    for some_keys in out.values():
        some_keys.sort(key=lambda one: -len(one[0]))
    return out


@cache
def spoken() -> tuple[str, ...]:
    """Every word that says something, for mending typos."""
    return tuple(sorted({" ".join(key) for some in _lexicon().values() for key, _, _ in some}))


def _all(source: str) -> list[str]:
    """Every way to say a template that has no slots."""
    cut = re.search(r"\[([^\[\]]*)\]", source)
    if cut is None:
        return [" ".join(one.split()) for one in source.split("|")]
    # Bars outside of brackets part alternatives; those inside belong to the bracket.
    parts = _split(source)
    if len(parts) > 1:
        return [one for part in parts for one in _all(part)]
    return [one for inner in cut[1].split("|") for one in _all(source[: cut.start()] + inner + source[cut.end() :])]


def _split(source: str) -> list[str]:
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
_WHICH = re.compile(rf"(?:the )?(?P<nth>{_NTH}) one (?:(?:from|on) (?:the )?(?P<by>left|right) )?")


def items(said: list[str]) -> Iterator[Item]:
    """What a sentence's tokens say, in order."""
    lexicon, k = _lexicon(), 0
    while k < len(said):
        token = said[k]
        if token[0] == "@" and token != "@":
            yield Item("thing", int(token[1:]), k, k + 1)
            k += 1
            continue
        ahead = "".join(f"{word} " for word in said[k : k + 12])
        window = _WINDOW.match(ahead)
        if window and "@" not in window[0]:
            end = k + len(window[0].split())
            yield Item("window", _pane(window), k, end)
            k = end
            continue
        which = _WHICH.match(ahead)
        if which:
            by: By = "near" if ORDINALS[which["nth"]] > 0 else "far"
            if which["by"]:
                by = "left" if which["by"] == "left" else "right"
            end = k + len(which[0].split())
            yield Item("one", Pick(by, abs(ORDINALS[which["nth"]])), k, end)
            k = end
            continue
        for key, what, value in lexicon.get(token, ()):
            if tuple(said[k : k + len(key)]) == key and _allowed(said, k, k + len(key), what):
                yield Item(what, value, k, k + len(key))
                k += len(key)
                break
        else:
            if token in (",", "and"):
                yield Item("comma" if token == "," else "and", None, k, k + 1)
            k += 1


def _allowed(said: list[str], begin: int, end: int, what: str) -> bool:
    """Whether words mean that here: "the left side" is a place on a thing where "of" follows or "near" goes before."""
    after = said[end] if end < len(said) else ""
    before = said[begin - 1] if begin else ""
    if what == "before":
        return after.startswith("@")
    if what in ("side", "after") and after in _SPREAD:
        return False
    if what == "part":
        return after in ("of", "on") or before in ("the", "its", "it's")
    return True


def _pane(window: re.Match[str]) -> tuple[int, Pick | None]:
    floors = {"ground": 1, "bottom": 1, "first": 1} | {word: rank for word, rank in ORDINALS.items() if rank > 1}
    floor = next((floors.get(window[name], 0) for name in ("floor1", "floor2", "floor3") if window[name]), 0)
    if window["end"]:
        return floor, Pick("left" if window["end"].startswith("left") else "right", 1)
    if window["nth"] and window["by"]:
        return floor, Pick("left" if window["by"] == "left" else "right", ORDINALS[window["nth"]])
    return floor, None
