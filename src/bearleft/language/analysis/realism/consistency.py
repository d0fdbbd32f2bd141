"""Consistency of writers: whether a text repeats the same choice among expressions with one meaning.

People have habits: who writes "make a left" once writes it again. Kappa is the agreement of two uses in the same text
beyond the agreement of two uses drawn at random from all texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_SIDE = r"(?:left|right)"
# Each group of expressions: name, and patterns of which the first that matches at a position is counted.
TURN_PATTERNS = (
    ("make a turn", rf"\b(?:make|making|made) (?:a|an|another|the|your)(?: \w+)? {_SIDE}(?: hand)?(?: turn)?\b"),
    ("take a turn", rf"\b(?:take|taking|took) (?:a|an|another|the|your)(?: \w+)? {_SIDE}(?: hand)?(?: turn)?\b"),
    ("hang a turn", rf"\bhang (?:a|another) {_SIDE}\b"),
    ("turn to the side", rf"\bturn(?:ing)? to (?:the|your) {_SIDE}\b"),
    ("turn", rf"\bturn(?:ing)? (?:\w+ )?{_SIDE}\b"),
    ("go", rf"\b(?:go|going) {_SIDE}\b"),
    ("bear", rf"\b(?:veer|bear|veering|bearing) (?:\w+ )?{_SIDE}\b"),
)
SIDE_PATTERNS = (
    ("on your side", rf"\bon your {_SIDE}(?:-| )?(?:hand )?side\b"),
    ("on the side", rf"\bon the {_SIDE}(?:-| )?(?:hand )?side\b"),
    ("on your", rf"\bon your {_SIDE}\b"),
    ("on the", rf"\bon the {_SIDE}\b"),
    ("to your", rf"(?<!turn )(?<!turning )(?<!look )\bto your {_SIDE}\b"),
    ("to the", rf"(?<!turn )(?<!turning )(?<!look )\bto the {_SIDE}\b(?! of)"),
)


def expressions_used(text: str, patterns: Iterable[tuple[str, str]]) -> list[str]:
    """Return the name of each expression that occurs in a text, once per occurrence; spans do not overlap."""
    taken: list[tuple[int, int]] = []
    used = []
    for name, pattern in patterns:
        for match in re.finditer(pattern, text.lower()):
            if all(match.end() <= begin or match.start() >= end for begin, end in taken):
                taken.append(match.span())
                used.append(name)
    return used


def kappa(texts: Iterable[str], patterns: Iterable[tuple[str, str]]) -> float:
    """Return the agreement of two uses in the same text beyond chance: 0 for none, 1 for perfect habits."""
    uses = [Counter(used) for text in texts if len(used := expressions_used(text, patterns)) > 1]
    agreeing = sum(n * (n - 1) for counts in uses for n in counts.values())
    pairs = sum(counts.total() * (counts.total() - 1) for counts in uses)
    total: Counter[str] = sum(uses, Counter())
    if not pairs:
        return 0.0
    chance = sum((n / total.total()) ** 2 for n in total.values())
    return (agreeing / pairs - chance) / (1.0 - chance) if chance < 1.0 else 0.0
