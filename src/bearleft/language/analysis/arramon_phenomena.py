"""The linguistic properties of ArraMon's Table 4, counted in its instructions by rules.

The rules of `phenomena` were written for Touchdown's long walks. ArraMon's instructions are short and formulaic: its
writers had to say "turn" where a walk begins with one and to end with a pick-up or a placing, and the order of steps is
told by landmarks passed one after another rather than by ordinals. What counts as what, and how well the rules agree
with a reader, is in docs/language.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from bearleft.language.analysis.phenomena import Mark

ARRAMON = ("egocentric", "allocentric", "temporal condition", "direction", "sequencing", "3-D understanding")

_TURNS = r"turn|turning|rotate|spin|look|face|facing|veer|swing"
_MOVES = r"go|going|walk|walking|move|moving|head|heading|continue|continuing|proceed|keep|run|take|make|bear|step"
_PLACES = r"place|put|set|drop|lay|stack|position"
_TO = r"to|towards?|until|till|reach|past|pass|passing|passed|through|between|around|by"
_THING = r"(?:the|a|an|some|both|two|several|another|that|it|them)\b"
_SIDE = r"(?:left|right)(?:[- ]hand)?(?: side)?"
_PATTERNED = r"(?:the|a) (?:[a-z]+ )?(?:striped|dotted|spotted)"
_EVENT = r"(?:you|pass\w*|reach\w*|turn\w*|cross\w*|get\w*|walk\w*|going|hitting)"

_RULES: dict[str, tuple[str, ...]] = {
    # A thing placed by the reader: on your left, in front of you, ahead on the right.
    "egocentric": (
        r"\b(?:in front|ahead|left|right|front|side|behind|beside|near|close|next) ?(?:of|to|from)? you\b"
        r"(?! (?:reach|get|see|pass))",
        r"\b(?<!turn )(?<!go )(?:on|to|at|by|towards?|from|in) your (?:immediate |far |near |direct )*"
        rf"(?:{_SIDE}|front)\b",
        rf"\b[a-z]+ (?:on|at) the (?:far |near )?{_SIDE}\b(?! (?:side )?of\b)",
        r"\b(?:directly|straight|right|just|up) ahead\b(?=[.,]| on\b| is\b)|\bis ahead\b",
    ),
    # A thing placed by another thing.
    "allocentric": (
        r"\b(?:next to|besides?|near|nearby|nearest|close to|closest to|adjacent to|against|behind|beyond)\b",
        rf"\b(?:in|at the) front of\b(?! you\b)|\bbefore {_PATTERNED}\b",
        r"\b(?:(?:on )?top of|on top|atop|under|underneath|beneath|above|below|inside|leaning on)\b",
        rf"\b(?:{_SIDE} of|[a-z]+'s (?:left|right)|across from|opposite|diagonal(?:ly)?|along(?:side)?|connected to)\b",
        r"(?<!walk )(?<!go )(?<!head )(?<!move )(?<!pass )\b(?:in[ -]?)?between\b",
        r"\b(?:in|on) the (?:middle|center|centre|corner|intersection|side|end|edge|base)\b",
        r"(?<!pass )(?<!walk )(?<!passing )\bby (?:the|a|some) ",
    ),
    # When something is to be done: until, when, once, after passing.
    "temporal condition": (
        r"\b(?:un+t+i+l*|till?|when|once|while|whenever|if|as soon as|as you|as it|by the time)\b",
        rf"\bafter (?:{_EVENT}|the|a|that)\b",
        rf"\bbefore {_EVENT}\b|\b(?:just|right|well|shortly) before\b",
    ),
    # Where to turn or to move.
    "direction": (
        rf"\b(?:{_MOVES}) [^.,;]{{0,30}}?\b(?:left|right|around|round|ahead|back|down|up)\b",
        r"\b(?:straight|forwards?|leftwards?|rightwards?|clockwise|counterclockwise|u-turn)\b",
        rf"\b(?:{_TURNS})\b",
    ),
    # Steps or landmarks in their order.
    "sequencing": (
        r"\b(?:then|first|second|third|fourth|finally|lastly|afterwards?|now|again)\b|\bnext\b(?! to)|\bthe last\b",
        rf"\bafter (?:{_EVENT}|the|a|that)\b",
        rf"\b(?:past|pass|passing|passed) [^.;]*?(?:\band\b|,|\b(?:{_TO})) {_THING}[^.;]*",
        rf"\b(?:{_TURNS}|{_MOVES})\b[^.;]*?(?:,|\band\b|\bthen\b)+ ?(?:then |immediately |so )?(?:{_PLACES})\b",
    ),
    # Depth: what is nearer or farther than something else.
    "3-D understanding": (
        r"\b(?:in front of|behind|beyond|in (?:the )?(?:far )?distance|background|foreground|underneath)\b",
        r"\b(?:farther|further|farthest|furthest|far (?:away|end|side|wall|corner)|back (?:wall|corner|row))\b",
        rf"\b(?:that is|that's|just|right|is|are|little|bit) past\b|\bbefore {_PATTERNED}\b",
    ),
}
_PATTERNS = {
    what: re.compile("|".join(f"(?:{rule})" for rule in rules), re.IGNORECASE) for what, rules in _RULES.items()
}


def count_arramon(instructions: Sequence[str]) -> dict[str, int]:
    """Return how often each property of Table 4 occurs in a set of instructions."""
    found = Counter(what for text in instructions for what, _, _ in spans_arramon(text))
    return {what: found[what] for what in ARRAMON}


def spans_arramon(text: str) -> list[Mark]:
    """Return what `count_arramon` counts in one instruction, with the characters that show it, in their order."""
    return sorted(_marks(text), key=lambda mark: mark[1:])


def _marks(text: str) -> Iterator[Mark]:
    for what, pattern in _PATTERNS.items():
        for shown in pattern.finditer(text):
            yield what, shown.start(), shown.end()
