"""Finds the few of many templates that may match at a position, so that patterns of the others are never compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from bearleft.language.analysis.tokens import tokens
from bearleft.language.templates import SLOT_WORDS, Choice, Marked, Nodes, PlainText, Slot, Template

T = TypeVar("T")
Words = frozenset[str]
# Tokens that stand for noun phrases ("@3", and "%3" for the items of ArraMon) are told apart by their first character.
_PHRASE_MARKS = "@%"
_THING: Words = frozenset(_PHRASE_MARKS)


class TemplateIndex(Generic[T]):
    """Templates with a value each, by the words that a match begins with and the words that it needs."""

    def __init__(self, values: Iterable[tuple[Template, T]]) -> None:
        entries = [(first_words(template), needed_words(template), value) for template, value in values]
        # A template that begins with any word is listed under each word, in its order.
        self._by_first_word = {
            word: [(needed, value) for first, needed, value in entries if first is None or word in first]
            for word in frozenset().union(*(first for first, _, _ in entries if first is not None))
        }
        self._others = [(needed, value) for first, needed, value in entries if first is None]

    def candidates(self, string: str, position: int) -> Iterator[T]:
        """Yield the values of all templates that may match more than nothing there, in the order they were given.

        Args:
            string: A normalised string: tokens, each followed by one space.
            position: The begin of a token.
        """
        rest = [token[0] if token[0] in _PHRASE_MARKS else token for token in string[position:].split()]
        present = set(rest)
        for needed, value in self._by_first_word.get(rest[0], self._others) if rest else ():
            if not any(map(present.isdisjoint, needed)):
                yield value


def first_words(template: Template) -> Words | None:
    """Return the first words of all matches that are not empty, or None if any word can be the first."""
    return _first_words(template.nodes)[0]


def needed_words(template: Template) -> tuple[Words, ...]:
    """Return sets of words: every match has at least one word of each set."""
    return tuple(dict.fromkeys(_needed_words(template.nodes)))


def _first_words(nodes: Nodes) -> tuple[Words | None, bool]:
    """Return the first words of a sequence, and whether it may be empty."""
    first: Words = frozenset()
    for node in nodes:
        words, may_be_empty = _first_words_of_node(node)
        if words is None:
            return None, False
        first |= words
        if not may_be_empty:
            return first, False
    return first, True


def _first_words_of_node(node: PlainText | Slot | Marked | Choice) -> tuple[Words | None, bool]:
    if isinstance(node, PlainText):
        return frozenset(tokens(node.words)[:1]), not tokens(node.words)
    if isinstance(node, Slot):
        return _slot_words(node), False
    if isinstance(node, Marked):
        return _first_words(node.inner)
    inner = [_first_words(nodes) for nodes in node.choices]
    sets = [words for words, _ in inner if words is not None]
    may_be_empty = any(empty for _, empty in inner)
    return (frozenset().union(*sets) if len(sets) == len(inner) else None), may_be_empty


def _needed_words(nodes: Nodes) -> Iterator[Words]:
    for node in nodes:
        if isinstance(node, PlainText):
            yield from (frozenset((token,)) for token in tokens(node.words))
        elif isinstance(node, Slot):
            words = _slot_words(node)
            if words is not None:
                yield words
        elif isinstance(node, Marked):
            yield from _needed_words(node.inner)
        else:
            smallest = [min(_needed_words(choice), key=len, default=None) for choice in node.choices]
            needed = [words for words in smallest if words is not None]
            if len(needed) == len(smallest):
                yield frozenset().union(*needed)


def _slot_words(slot: Slot) -> Words | None:
    """Return the first words that fill a slot, or None if all may."""
    kind = slot.name.rpartition("_")[2]
    if kind == "thing":
        return _THING
    fillers = SLOT_WORDS.get(kind)
    return None if fillers is None else frozenset(tokens(filler)[0] for filler in fillers)
