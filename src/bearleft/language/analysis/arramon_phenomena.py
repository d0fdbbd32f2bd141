"""Rule-based counter of the linguistic properties in ArraMon's Table 4.

The rules of `phenomena` were written for Touchdown's long routes. ArraMon's instructions are short and formulaic: its
writers had to use "turn" where a walk begins with one and to end with a pick-up or a placement, and the order of steps
follows from landmarks passed one after another rather than from ordinals. See docs/language.md for the definitions and
the agreement with a human reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from bearleft.language.analysis.phenomena import PhenomenonSpan

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
    # Position relative to the reader: on your left, in front of you, ahead on the right.
    "egocentric": (
        r"\b(?:in front|ahead|left|right|front|side|behind|beside|near|close|next) ?(?:of|to|from)? you\b"
        r"(?! (?:reach|get|see|pass))",
        r"\b(?<!turn )(?<!go )(?:on|to|at|by|towards?|from|in) your (?:immediate |far |near |direct )*"
        rf"(?:{_SIDE}|front)\b",
        rf"\b[a-z]+ (?:on|at) the (?:far |near )?{_SIDE}\b(?! (?:side )?of\b)",
        r"\b(?:directly|straight|right|just|up) ahead\b(?=[.,]| on\b| is\b)|\bis ahead\b",
    ),
    # Position relative to another thing.
    "allocentric": (
        r"\b(?:next to|besides?|near|nearby|nearest|close to|closest to|adjacent to|against|behind|beyond)\b",
        rf"\b(?:in|at the) front of\b(?! you\b)|\bbefore {_PATTERNED}\b",
        r"\b(?:(?:on )?top of|on top|atop|under|underneath|beneath|above|below|inside|leaning on)\b",
        rf"\b(?:{_SIDE} of|[a-z]+'s (?:left|right)|across from|opposite|diagonal(?:ly)?|along(?:side)?|connected to)\b",
        r"(?<!walk )(?<!go )(?<!head )(?<!move )(?<!pass )\b(?:in[ -]?)?between\b",
        r"\b(?:in|on) the (?:middle|center|centre|corner|intersection|side|end|edge|base)\b",
        r"(?<!pass )(?<!walk )(?<!passing )\bby (?:the|a|some) ",
    ),
    # Conditions for an action: until, when, once, after passing.
    "temporal condition": (
        r"\b(?:un+t+i+l*|till?|when|once|while|whenever|if|as soon as|as you|as it|by the time)\b",
        rf"\bafter (?:{_EVENT}|the|a|that)\b",
        rf"\bbefore {_EVENT}\b|\b(?:just|right|well|shortly) before\b",
    ),
    # Directions of turns and moves.
    "direction": (
        rf"\b(?:{_MOVES}) [^.,;]{{0,30}}?\b(?:left|right|around|round|ahead|back|down|up)\b",
        r"\b(?:straight|forwards?|leftwards?|rightwards?|clockwise|counterclockwise|u-turn)\b",
        rf"\b(?:{_TURNS})\b",
    ),
    # Order of steps or landmarks.
    "sequencing": (
        r"\b(?:then|first|second|third|fourth|finally|lastly|afterwards?|now|again)\b|\bnext\b(?! to)|\bthe last\b",
        rf"\bafter (?:{_EVENT}|the|a|that)\b",
        rf"\b(?:past|pass|passing|passed) [^.;]*?(?:\band\b|,|\b(?:{_TO})) {_THING}[^.;]*",
        rf"\b(?:{_TURNS}|{_MOVES})\b[^.;]*?(?:,|\band\b|\bthen\b)+ ?(?:then |immediately |so )?(?:{_PLACES})\b",
    ),
    # Depth: nearer or farther than another thing.
    "3-D understanding": (
        r"\b(?:in front of|behind|beyond|in (?:the )?(?:far )?distance|background|foreground|underneath)\b",
        r"\b(?:farther|further|farthest|furthest|far (?:away|end|side|wall|corner)|back (?:wall|corner|row))\b",
        rf"\b(?:that is|that's|just|right|is|are|little|bit) past\b|\bbefore {_PATTERNED}\b",
    ),
}
_PATTERNS = {
    phenomenon: re.compile("|".join(f"(?:{rule})" for rule in rules), re.IGNORECASE)
    for phenomenon, rules in _RULES.items()
}


def count_arramon(instructions: Sequence[str]) -> dict[str, int]:
    """Return how often each property of Table 4 occurs in a set of instructions."""
    counts = Counter(phenomenon for text in instructions for phenomenon, _, _ in arramon_spans(text))
    return {phenomenon: counts[phenomenon] for phenomenon in ARRAMON}


def arramon_spans(text: str) -> list[PhenomenonSpan]:
    """Return the occurrences that `count_arramon` counts in one instruction, in order of position."""
    return sorted(_find_spans(text), key=lambda span: span[1:])


def _find_spans(text: str) -> Iterator[PhenomenonSpan]:
    for phenomenon, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            yield phenomenon, match.start(), match.end()
