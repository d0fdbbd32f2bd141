"""What a writer may not say: the active checks of ArraMon's appendix B.1, and softer notes that block nothing.

A forbidden term is forbidden as a whole word with its plain inflections: "go" is "go", "goes", "going" and "gone", not
"goal" or "diagonal"; "step" is not "doorstep". A path begins with a turn where one turns by 60 degrees or more before
the first move: in the released texts every such one says "turn", and a quarter of those with less do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from bearleft.errors import InputError, shown
from bearleft.language.analysis.tokens import words
from bearleft.records import Assemble, Collect, Episode
from bearleft.world.arramon.items.names import TYPES
from bearleft.world.arramon.moves import FORWARD, total_turn

Phase = Literal["navigation", "assembly"]
PHASES: tuple[Phase, ...] = ("navigation", "assembly")
FEWEST, SPACES, UNIQUE = 6, 0.4, 0.4
TURNS_FIRST = 60.0  # degrees

# Forbidden words: the rule, its word and inflections, and what to say instead.
GENERAL = {
    "key": ("key|keys|keyed", "Do not speak of the keyboard: say where things are."),
    "step": ("step|steps|stepped|stepping", "Do not count or speak of steps: say what to walk to."),
    "time": ("time|times|timed|timing", "Do not say how often: say up to what, by what one sees."),
    "go back": (r"(?:go|goes|going|gone|went)\s+back", "Do not lead back to an earlier place: describe the way anew."),
    "return": ("return|returns|returned|returning", "Do not lead back to an earlier place: describe the way anew."),
    "came": ("came", "Do not speak of where one was before: describe what is to be seen now."),
    "item": ("item|items", 'Say what it is, as "the striped red mug".'),
}
NAVIGATION = {
    "arrow": ("arrow|arrows", "The one who follows sees no arrow: say what stands there."),
}
ASSEMBLY = {
    "tile, grid": ("tile|tiles|tiled|grid|grids", "The floor's lines are no help: name things and walls."),
    "space": ("space|spaces|spaced|spacing", "Do not count places on the floor: name things and walls."),
    "go": ("go|goes|going|gone", "Do not say how to walk: say beside what the thing is placed."),
    "corner": ("corner|corners|cornered", "Name the two walls, or things nearby."),
    "move": ("move|moves|moved|moving", "Do not say how to walk: say beside what the thing is placed."),
    "outline": (
        r"outline|outlines|outlined|silhouette"
        r"|(?:black|dark|transparent|see-through|ghost|shadowy?)\s+(?:shape|shadow|figure|object|box|form|thing|mark)",
        "The one who follows sees no outline: name things and walls.",
    ),
}
_SYMBOLS = re.compile(r"[()\[\]&*^ˆ%$#@!=+]")
_THRICE = re.compile(r"([^\W\d_])\1\1", re.IGNORECASE)
_TWICE = re.compile(r"(?<![\w'’-])([\w'’-]+)\s+\1(?![\w'’-])", re.IGNORECASE)
_TURN = re.compile(r"\bturn(?:s|ed|ing)?\b", re.IGNORECASE)

# Notes for who reviews a text: the rule, its phases, what shows it, what to say.
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|several|twice|thrice|once|[0-9]+"
NOTES: dict[str, tuple[tuple[Phase, ...], str, str]] = {
    "count of moves": (
        PHASES,
        rf"(?:{_NUMBERS})\s+(?:paces?|units?|met(?:re|er)s?|feet|foot|yards?|squares?|strides?|clicks?|spots?)"
        r"|(?:forward|ahead|left|right|straight|turn)\s+(?:twice|thrice|[2-9]|two|three|four|five|six)"
        r"(?!\s*(?:or|and|of|block|intersection|street|[0-9]))",
        "Exact counts of moves: better by what one sees.",
    ),
    "earlier text": (
        PHASES,
        r"(?:come|head|headed|walk) back|back to (?:where|the)|previous(?:ly)?|earlier|as before|the last one",
        "It may lean on an earlier instruction: who follows may not know it.",
    ),
    "interface": (
        PHASES,
        r"(?:blue|navigation|guide|guiding)\s*-?lines?|guidelines?|the line|balls on the|floating"
        r"|screen|button|mini-?map|preview|interface|mouse|click|diagram|keyboard",
        "It may speak of the interface: who follows does not see it.",
    ),
    "grey building": (
        ("navigation",),
        r"gr[ae]y\s+(?:\w+\s+)?(?:building|house|tower|skyscraper|apartment)s?",
        "Plain grey buildings look alike: name another thing.",
    ),
    "walking": (
        ("assembly",),
        r"walk(?:s|ed|ing)?|forwards?|proceed|continue|head (?:to|over|straight|for)|run|backwards?",
        "In the room say where the thing is placed, not how to walk there.",
    ),
    "vague": (PHASES, r"somewhere|thingy|stuff|anywhere|whatever|over there|right here", "It may be too vague."),
}
_ENDS = {
    "navigation": r"pick|collect|grab|take|get|retrieve|fetch|gather|acquire|obtain|claim|snatch",
    "assembly": r"plac\w*|put|set|drop|stack|lay|position|leave|deposit|sit|add",
}
_END_SAYS = {
    "navigation": "It does not say to pick something up.",
    "assembly": "It does not say to place something.",
}
_BESIDE = re.compile(  # a thing or a wall that the place is said by
    r"\b(?:of|on|onto|ontop|atop|over|above|to|from|by|near|beside|behind|between|against|with|below|before|after|facing)"
    rf"\s+(?:\w+\s+){{0,4}}?(?:{'|'.join(TYPES)}|stack)|\bwalls?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a text: the rule's name, and what its writer is told."""

    rule: str
    message: str


def problems(text: str, phase: Phase, turns_first: bool = False) -> list[Problem]:
    """What keeps a text from being handed in; nothing for a good one. `turns_first`: its path begins with a turn."""
    found = [*_form(text), *_forbidden(text, GENERAL)]
    if _known(phase) == "assembly":
        return found + list(_forbidden(text, ASSEMBLY))
    found += _forbidden(text, NAVIGATION)
    if turns_first and not _TURN.search(text):
        found.append(Problem("turn", 'The way begins with a turn: say "turn" and to what.'))
    return found


def reviews(text: str, phase: Phase) -> list[Problem]:
    """What a person should look at, though the text may well be good; nothing here keeps it from being handed in."""
    found = []
    for rule, (phases, pattern, message) in NOTES.items():
        if _known(phase) in phases and (seen := _whole(pattern).search(text)):
            found.append(Problem(rule, f'"{seen.group(0)}": {message}'))
    if not _whole(_ENDS[phase]).search(text):
        found.append(Problem("pick up" if phase == "navigation" else "place", _END_SAYS[phase]))
    if phase == "assembly" and not _BESIDE.search(text):
        found.append(Problem("nothing named", "It names nothing that stands there and no wall."))
    return found


def rules(phase: Phase) -> tuple[str, ...]:
    """The names of all that `problems` looks for."""
    own = (*NAVIGATION, "turn") if _known(phase) == "navigation" else tuple(ASSEMBLY)
    return (
        *("words", "spaces", "symbols", "single letter", "same letter", "same word", "unique words"),
        *GENERAL,
        *own,
    )


def review_rules(phase: Phase) -> tuple[str, ...]:
    """The names of all that `reviews` looks for."""
    last = ("pick up",) if phase == "navigation" else ("place", "nothing named")
    return (*(rule for rule, (phases, _, _) in NOTES.items() if phase in phases), *last)


def turns_first(actions: Sequence[str]) -> bool:
    """Whether actions turn by TURNS_FIRST or more before the first move."""
    until = list(actions).index(FORWARD) if FORWARD in actions else len(actions)
    return abs(total_turn(actions[:until])) >= TURNS_FIRST


def quality(episodes: Iterable[Episode]) -> list[dict[str, Any]]:
    """How many texts fail which check: a row for each phase and rule, with the id of the first that does."""
    texts: Counter[str] = Counter()
    failing: Counter[tuple[str, str, str]] = Counter()
    first: dict[tuple[str, str, str], str] = {}
    for episode in episodes:
        for phase, text, turns in _texts(episode):
            texts[phase] += 1
            found = {(phase, "blocking", problem.rule) for problem in problems(text, phase, turns)}
            found |= {(phase, "review", problem.rule) for problem in reviews(text, phase)}
            failing.update(found)
            for key in found:
                first.setdefault(key, episode.id)
    if not texts:
        raise InputError("a dataset with texts of navigation and assembly", "none of them", hint="As arramon/SPLIT.")
    keys = [(phase, "blocking", rule) for phase in PHASES for rule in rules(phase)]
    keys += [(phase, "review", rule) for phase in PHASES for rule in review_rules(phase)]
    return [
        {
            "phase": phase,
            "check": check,
            "rule": rule,
            "failing": failing[phase, check, rule],
            "texts": texts[phase],
            "share": failing[phase, check, rule] / texts[phase],
            "example": first.get((phase, check, rule), ""),
        }
        for phase, check, rule in keys
        if texts[phase]
    ]


def _texts(episode: Episode) -> Iterator[tuple[Phase, str, bool]]:
    for leg in episode.legs:
        if isinstance(leg.goal, Collect):
            yield "navigation", leg.text, turns_first(leg.goal.actions)
        elif isinstance(leg.goal, Assemble):
            yield "assembly", leg.text, False


def _form(text: str) -> Iterator[Problem]:
    """Checks of letters and words, whatever they say."""
    said = words(text)
    if len(said) < FEWEST:
        yield Problem("words", f"{len(said)} words are too few: write at least {FEWEST}.")
    if text and sum(letter.isspace() for letter in text) >= SPACES * len(text):
        yield Problem("spaces", f"{SPACES:.0%} or more of it is spaces: leave out those that are not needed.")
    if symbols := _SYMBOLS.findall(text):
        yield Problem("symbols", f"Leave out {' '.join(dict.fromkeys(symbols))}: write words, commas and full stops.")
    if letters := [word for word in said if len(word) == 1 and word.isalpha() and word != "a"]:
        yield Problem("single letter", f'"{letters[0]}" stands alone: write whole words.')
    if seen := _THRICE.search(text):
        yield Problem("same letter", f'"{seen.group(0)}": a letter stands three times in a row. Look at the spelling.')
    if seen := _TWICE.search(text):
        yield Problem("same word", f'"{seen.group(0)}": a word stands twice in a row. Leave one out.')
    if said and len(set(said)) < UNIQUE * len(said):
        yield Problem("unique words", "Too many words come again and again: say it in fewer, or in others.")


def _forbidden(text: str, terms: dict[str, tuple[str, str]]) -> Iterator[Problem]:
    for rule, (pattern, instead) in terms.items():
        if seen := _whole(pattern).search(text):
            yield Problem(rule, f'"{seen.group(0)}" may not be said. {instead}')


@cache
def _whole(pattern: str) -> re.Pattern[str]:
    """Whole words only."""
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


def _known(phase: str) -> str:
    if phase not in PHASES:
        raise InputError(" or ".join(PHASES), shown(phase), "phase")
    return phase
