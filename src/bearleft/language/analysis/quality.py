"""Quality checks for texts: the active checks of ArraMon's appendix B.1, and review notes that block nothing.

A forbidden term is forbidden as a whole word with its plain inflections: "go" is "go", "goes", "going" and "gone", not
"goal" or "diagonal"; "step" is not "doorstep". A path begins with a turn if it turns by 60 degrees or more before the
first move: all such released texts contain "turn", and a quarter of those with smaller turns do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from bearleft.errors import InputError, format_value
from bearleft.language.analysis.tokens import words
from bearleft.records import Assemble, Collect, Episode
from bearleft.world.arramon.items.names import TYPES
from bearleft.world.arramon.moves import FORWARD, total_rotation

Phase = Literal["navigation", "assembly"]
PHASES: tuple[Phase, ...] = ("navigation", "assembly")
MIN_WORDS, MAX_SPACE_SHARE, MIN_UNIQUE_SHARE = 6, 0.4, 0.4
MIN_FIRST_TURN = 60.0  # degrees

# Forbidden words: the rule, its word and inflections, and advice for the writer.
FORBIDDEN_WORDS = {
    "key": ("key|keys|keyed", "Do not speak of the keyboard: say where things are."),
    "step": ("step|steps|stepped|stepping", "Do not count or speak of steps: say what to walk to."),
    "time": ("time|times|timed|timing", "Do not say how often: say up to what, by what one sees."),
    "go back": (r"(?:go|goes|going|gone|went)\s+back", "Do not lead back to an earlier place: describe the way anew."),
    "return": ("return|returns|returned|returning", "Do not send people where they were: say what they see next."),
    "came": ("came", "Do not speak of where one was before: describe what is to be seen now."),
    "item": ("item|items", 'Say what it is, as "the striped red mug".'),
}
FORBIDDEN_IN_NAVIGATION = {
    "arrow": ("arrow|arrows", "Followers see no arrow: say what stands there."),
}
FORBIDDEN_IN_ASSEMBLY = {
    "tile, grid": ("tile|tiles|tiled|grid|grids", "The floor's lines are no help: name things and walls."),
    "space": ("space|spaces|spaced|spacing", "Do not count places on the floor: name things and walls."),
    "go": ("go|goes|going|gone", "Do not say how to walk: say beside what the thing is placed."),
    "corner": ("corner|corners|cornered", "Name the two walls, or things nearby."),
    "move": ("move|moves|moved|moving", "Do not count or speak of moves: say what stands around its place."),
    "outline": (
        r"outline|outlines|outlined|silhouette"
        r"|(?:black|dark|transparent|see-through|ghost|shadowy?)\s+(?:shape|shadow|figure|object|box|form|thing|mark)",
        "Followers see no outline: name things and walls.",
    ),
}
_SYMBOLS = re.compile(r"[()\[\]&*^ˆ%$#@!=+]")
_REPEATED_LETTER = re.compile(r"([^\W\d_])\1\1", re.IGNORECASE)
_REPEATED_WORD = re.compile(r"(?<![\w'’-])([\w'’-]+)\s+\1(?![\w'’-])", re.IGNORECASE)
_TURN = re.compile(r"\bturn(?:s|ed|ing)?\b", re.IGNORECASE)

# Review notes: the rule, its phases, its pattern and its message.
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|several|twice|thrice|once|[0-9]+"
REVIEW_PATTERNS: dict[str, tuple[tuple[Phase, ...], str, str]] = {
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
        "It may refer to an earlier instruction, which followers may not know.",
    ),
    "interface": (
        PHASES,
        r"(?:blue|navigation|guide|guiding)\s*-?lines?|guidelines?|the line|balls on the|floating"
        r"|screen|button|mini-?map|preview|interface|mouse|click|diagram|keyboard",
        "It may speak of the interface, which followers do not see.",
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
_FINAL_VERBS = {
    "navigation": r"pick|collect|grab|take|get|retrieve|fetch|gather|acquire|obtain|claim|snatch",
    "assembly": r"plac\w*|put|set|drop|stack|lay|position|leave|deposit|sit|add",
}
_FINAL_VERB_MESSAGES = {
    "navigation": "It does not say to pick something up.",
    "assembly": "It does not say to place something.",
}
_REFERENCE = re.compile(  # a thing or a wall that the location refers to
    r"\b(?:of|on|onto|ontop|atop|over|above|to|from|by|near|beside|behind|between|against|with|below|before|after|facing)"
    rf"\s+(?:\w+\s+){{0,4}}?(?:{'|'.join(TYPES)}|stack)|\bwalls?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a text: the name of the rule, and a message for the writer."""

    rule: str
    message: str


def find_problems(text: str, phase: Phase, begins_with_turn: bool = False) -> list[Problem]:
    """Return the problems that block a text; none for a good one.

    Args:
        text: The text.
        phase: "navigation" or "assembly".
        begins_with_turn: Whether the path begins with a turn, which the text must then mention.
    """
    result = [*_form_problems(text), *_forbidden_words(text, FORBIDDEN_WORDS)]
    if _checked_phase(phase) == "assembly":
        return result + list(_forbidden_words(text, FORBIDDEN_IN_ASSEMBLY))
    result += _forbidden_words(text, FORBIDDEN_IN_NAVIGATION)
    if begins_with_turn and not _TURN.search(text):
        result.append(Problem("turn", 'The way begins with a turn: say "turn" and to what.'))
    return result


def find_review_notes(text: str, phase: Phase) -> list[Problem]:
    """Return what a person should review; none of it blocks the text."""
    result = []
    for rule, (phases, pattern, message) in REVIEW_PATTERNS.items():
        if _checked_phase(phase) in phases and (match := _word_pattern(pattern).search(text)):
            result.append(Problem(rule, f'"{match.group(0)}": {message}'))
    if not _word_pattern(_FINAL_VERBS[phase]).search(text):
        result.append(Problem("pick up" if phase == "navigation" else "place", _FINAL_VERB_MESSAGES[phase]))
    if phase == "assembly" and not _REFERENCE.search(text):
        result.append(Problem("nothing named", "It names nothing that stands there and no wall."))
    return result


def problem_rules(phase: Phase) -> tuple[str, ...]:
    """Return the names of the rules of `find_problems`."""
    phase_rules = (
        (*FORBIDDEN_IN_NAVIGATION, "turn") if _checked_phase(phase) == "navigation" else tuple(FORBIDDEN_IN_ASSEMBLY)
    )
    return (
        *("words", "spaces", "symbols", "single letter", "same letter", "same word", "unique words"),
        *FORBIDDEN_WORDS,
        *phase_rules,
    )


def review_rules(phase: Phase) -> tuple[str, ...]:
    """Return the names of the rules of `find_review_notes`."""
    last = ("pick up",) if phase == "navigation" else ("place", "nothing named")
    return (*(rule for rule, (phases, _, _) in REVIEW_PATTERNS.items() if phase in phases), *last)


def begins_with_turn(actions: Sequence[str]) -> bool:
    """Return whether actions turn by MIN_FIRST_TURN or more before the first move."""
    first_move = list(actions).index(FORWARD) if FORWARD in actions else len(actions)
    return abs(total_rotation(actions[:first_move])) >= MIN_FIRST_TURN


def quality_table(episodes: Iterable[Episode]) -> list[dict[str, Any]]:
    """Return how many texts fail each check: a row per phase and rule, with the id of the first failing one."""
    text_counts: Counter[str] = Counter()
    failing: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], str] = {}
    for episode in episodes:
        for phase, text, turn_first in _texts(episode):
            text_counts[phase] += 1
            keys_of_text = {(phase, "blocking", problem.rule) for problem in find_problems(text, phase, turn_first)}
            keys_of_text |= {(phase, "review", problem.rule) for problem in find_review_notes(text, phase)}
            failing.update(keys_of_text)
            for key in keys_of_text:
                examples.setdefault(key, episode.id)
    if not text_counts:
        raise InputError("a dataset with texts of navigation and assembly", "none of them", hint="As arramon/SPLIT.")
    keys = [(phase, "blocking", rule) for phase in PHASES for rule in problem_rules(phase)]
    keys += [(phase, "review", rule) for phase in PHASES for rule in review_rules(phase)]
    return [
        {
            "phase": phase,
            "check": check,
            "rule": rule,
            "failing": failing[phase, check, rule],
            "texts": text_counts[phase],
            "share": failing[phase, check, rule] / text_counts[phase],
            "example": examples.get((phase, check, rule), ""),
        }
        for phase, check, rule in keys
        if text_counts[phase]
    ]


def _texts(episode: Episode) -> Iterator[tuple[Phase, str, bool]]:
    for leg in episode.legs:
        if isinstance(leg.goal, Collect):
            yield "navigation", leg.text, begins_with_turn(leg.goal.actions)
        elif isinstance(leg.goal, Assemble):
            yield "assembly", leg.text, False


def _form_problems(text: str) -> Iterator[Problem]:
    """Check letters and words regardless of meaning."""
    text_words = words(text)
    if len(text_words) < MIN_WORDS:
        yield Problem("words", f"{len(text_words)} words are too few: write at least {MIN_WORDS}.")
    if text and sum(letter.isspace() for letter in text) >= MAX_SPACE_SHARE * len(text):
        yield Problem("spaces", f"{MAX_SPACE_SHARE:.0%} or more of it is spaces: leave out those that are not needed.")
    if symbols := _SYMBOLS.findall(text):
        yield Problem("symbols", f"Leave out {' '.join(dict.fromkeys(symbols))}: write words, commas and full stops.")
    if letters := [word for word in text_words if len(word) == 1 and word.isalpha() and word != "a"]:
        yield Problem("single letter", f'"{letters[0]}" stands alone: write whole words.')
    if match := _REPEATED_LETTER.search(text):
        yield Problem("same letter", f'"{match.group(0)}": a letter stands three times in a row. Look at the spelling.')
    if match := _REPEATED_WORD.search(text):
        yield Problem("same word", f'"{match.group(0)}": a word stands twice in a row. Leave one out.')
    if text_words and len(set(text_words)) < MIN_UNIQUE_SHARE * len(text_words):
        yield Problem("unique words", "Too many words come again and again: say it in fewer, or in others.")


def _forbidden_words(text: str, terms: dict[str, tuple[str, str]]) -> Iterator[Problem]:
    for rule, (pattern, advice) in terms.items():
        if match := _word_pattern(pattern).search(text):
            yield Problem(rule, f'"{match.group(0)}" may not be said. {advice}')


@cache
def _word_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern that matches whole words only."""
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


def _checked_phase(phase: str) -> str:
    if phase not in PHASES:
        raise InputError(" or ".join(PHASES), format_value(phase), "phase")
    return phase
