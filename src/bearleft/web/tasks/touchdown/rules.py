"""Rules of a text that tells the way to Touchdown, the bear.

A follower sees the pictures only, so a text may not lean on what is written in them: lettering, names of streets and
shops, and numbers. Nor may the bear sit on what moves. `check_text` returns every breach with its place in the text:
errors have to be mended; warnings are for the writer to judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.language.analysis.function_words import (
    COMMAND_VERBS,
    FUNCTION_WORDS,
    MOTION_VERBS,
    NUMBERS,
    ORDINALS,
    SIDES,
    word_set,
)
from bearleft.language.analysis.tokens import sentence_spans, words
from bearleft.runtime.json_fields import Json
from bearleft.runtime.json_fields import text as check_unicode

ERROR, WARNING = "error", "warning"
MIN_WORDS, MAX_CHARACTERS = 15, 4000
MAX_SIMILARITY = 0.9  # shared words of two texts, above which one is a copy of the other
MAX_FINDINGS = 20  # of one rule
MAX_CAPITALS = 0.6  # share of capital letters above which a text is shouted

# What the rules are, in the words of the page.
RULES = (
    "Say where to walk, where to stop, and where the bear sits. Call it Touchdown, or the bear.",
    "Do not use anything written in the pictures: no signs' wording, no names of streets or shops, no numbers.",
    "Do not put the bear on something that moves: cars, buses, bicycles, people, animals.",
    "Counting is fine (two benches, the second door), and so are left, right, ahead and behind.",
)

# "Bear left" is an order.
_BEAR = (
    r"(?:touch ?-?down|teddy|(?:the|a|our|your|this|that|little|brown|stuffed|hidden) bear"
    r"|bear(?! (?:left|right|to|slightly|off|around|straight|in mind|hard|sharply)))"
)
_MOVING = (
    r"(?:cars?|taxis?|cabs?|vans?|trucks?|lorr(?:y|ies)|bus(?:es)?|suvs?|vehicles?|pickups?|ambulances?|limousines?"
    r"|motor ?(?:bikes?|cycles?)|motorcyclists?|mopeds?|scooters?|bikes?|bicycles?|cyclists?|bikers?|excavators?"
    r"|persons?|people|pedestrians?|men|man|women|woman|guys?|lad(?:y|ies)|girls?|boys?|kids?|child(?:ren)?|workers?"
    r"|walkers?|dogs?|cats?|pigeons?|birds?)"
)
# A bus stop does not move.
_NOT_STATIC = (
    r"(?![ -](?:stops?|shelters?|lanes?|stations?|racks?|stands?|parks?|paths?|signs?|depots?|garages?|bays?|crossings?"
    r"|share|docks?|houses?|statues?|sculptures?|murals?|fountains?|baths?|hole|wash)\b|-?shaped)"
)
_ON = r"(?:on|onto|in(?! front)|inside|atop|upon|held by|carried by)"
_NEAR = (
    r"(?:beside|behind|by|next to|near|in front of|left of|right of|between|against|at|beyond|above|over|under"
    r"|underneath|beneath|below|opposite)"
)
_ARTICLE = r"(?:the|a|an|that|this|his|her|their|one of the|somebody['’]s)"
_ADJECTIVES = (
    r"(?:(?!(?:the|a|an|of|by|near|next|beside|behind|in|on|at|to|and|with|that|which|across|between|above|below|under"
    r"|over|from|where|is|are|just)\b)[\w'’-]+ ){0,4}?"
)
_PART_OF = rf"(?:(?:top|{_ARTICLE} {_ADJECTIVES}[\w'’-]+) of )?"  # the roof of a van
_SUFFIX = (
    r"(?:street|st|avenue|ave|av|road|rd|boulevard|blvd|lane|ln|place|pl|alley|row|drive|dr|square|sq|plaza|highway|hwy"
    r"|parkway|pkwy|terrace|court|ct|broadway)"
)
# Words that may stand before "street" with a capital letter, at the beginning of a sentence.
_ORDINARY = word_set(
    """
    the this that a an each every next first second third last one two another any your main side cross back same
    across along down up in on at from to of quiet wide narrow busy long short whole empty small big tree-lined
    right left opposite parallel and or when where walk follow enter leave face
    """
)
# Words that may have capitals: what people stress, words after a missing full stop, abbreviations, and styles.
_NOT_NAMES = (
    FUNCTION_WORDS
    | COMMAND_VERBS
    | MOTION_VERBS
    | SIDES
    | ORDINALS
    | NUMBERS
    | word_set(
        """
        touchdown touch teddy bear straight ahead forward again past top bottom north south east west northeast
        northwest southeast southwest immediately directly exactly always never almost against underneath orient
        ok tv atm suv led us ne nw se sw t u y x l make american chinese italian asian christmas english french
        german roman gothic victorian
        """
    )
)
# A number that is neither a sentence's, as in a list, nor part of "3-way" or "3 o'clock".
_COUNTED = (
    r"\b\d{1,2}(?:st|nd|rd|th)?\b(?![.)]\s|[ -]?(?:o['’]?clock|way|lane|stor(?:e?y|ies)|floor|foot|feet|ft|degree|step"
    r"|block|meter|metre|yard)s?\b)"
)
MIN_STREET_NUMBER = 5  # "the 2nd street" is a count, 42nd street a name


@dataclass(frozen=True)
class Finding:
    """A breach of a rule.

    Attributes:
        rule: Name of the rule.
        severity: "error" or "warning".
        message: What is wrong, and how to mend it.
        begin: Where it begins in the text.
        end: Where it ends; the same as `begin` where it is about the whole text.
    """

    rule: str
    severity: str
    message: str
    begin: int = 0
    end: int = 0

    def to_json(self) -> Json:
        """Return the JSON object for the browser."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "begin": self.begin,
            "end": self.end,
        }


Rule = Callable[[str, frozenset[str]], Iterator[Finding]]


def parse_text(value: Json) -> str:
    """Return a text that can be stored: valid Unicode, no control characters, and not too long."""
    text = check_unicode(value, "text")
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"a text of at most {MAX_CHARACTERS} characters", f"{len(text)}", "text")
    control = next((c for c in text if (ord(c) < 32 and c not in "\n\r\t") or ord(c) == 127), None)
    if control is not None:
        raise InputError("a text without control characters", format_value(control.encode("unicode_escape")), "text")
    return text


def clean_text(text: str) -> str:
    """Return a text on one line, with single spaces."""
    return " ".join(text.split())


def check_text(text: str, street_names: Iterable[str] = ()) -> list[Finding]:
    """Return the breaches of the rules in a text, errors first.

    Args:
        text: The text.
        street_names: Names of the streets of the world, such as "Spring St".
    """
    known = frozenset(name.lower() for name in street_names)
    findings = [finding for rule in _RULES for finding in islice(rule(text, known), MAX_FINDINGS)]
    findings = _without_repeats(findings)
    return sorted(findings, key=lambda finding: (finding.severity != ERROR, finding.begin))


def _without_repeats(findings: Iterable[Finding]) -> list[Finding]:
    """Drop what lies within an earlier finding of the same severity, or within an error."""
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: finding.severity != ERROR):
        inside = any(
            other.end > other.begin and other.begin <= finding.begin and finding.end <= other.end
            for other in kept
            if finding.end > finding.begin
        )
        if not inside and finding not in kept:
            kept.append(finding)
    return kept


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Return the errors."""
    return [finding for finding in findings if finding.severity == ERROR]


def unconfirmed(findings: Iterable[Finding], confirmed: Iterable[str]) -> list[Finding]:
    """Return the warnings whose rules the writer has not confirmed."""
    return [finding for finding in findings if finding.severity == WARNING and finding.rule not in set(confirmed)]


def similarity(first: str, second: str) -> float:
    """Return the share of words that two texts have in common, counted with repeats: 1 for the same words."""
    one, two = Counter(words(first)), Counter(words(second))
    either = (one | two).total()
    return (one & two).total() / either if either else 1.0


def is_copy(text: str, earlier: Iterable[str]) -> bool:
    """Return whether a text repeats one of the earlier ones."""
    return any(similarity(text, other) > MAX_SIMILARITY for other in earlier)


def mentions_bear(text: str) -> bool:
    """Return whether a text names the bear."""
    return re.search(rf"\b{_BEAR}\b", text, re.IGNORECASE) is not None


def _length(text: str, _: frozenset[str]) -> Iterator[Finding]:
    count = len(words(text))
    if count < MIN_WORDS:
        yield Finding("length", ERROR, f"Write at least {MIN_WORDS} words; there are {count}.")


def _bear(text: str, _: frozenset[str]) -> Iterator[Finding]:
    if not mentions_bear(text):
        yield Finding("bear", ERROR, "Say where Touchdown sits: the text does not mention Touchdown or the bear.")


def _numbers(text: str, _: frozenset[str]) -> Iterator[Finding]:
    message = "“{}” looks like a number in the pictures, such as that of a house or a street. Describe it without."
    spelled = "|".join(sorted(NUMBERS - {"one"}))
    shown = (
        r"(?:\b(?:number|no\.|house|building|address|apartment|apt\.?|suite|route|line|track|bus)|#) ?#? ?\d+"
        rf"|\b(?:number|apartment|suite|address|route|line) (?:{spelled})\b"
    )
    money = r"[$€£] ?\d[\d.,]*|\b\d[\d.,]* ?(?:%|percent\b)|\b\d+(?:[.:]\d+)+\b"
    for pattern in (shown, money, r"\b\w{0,30}\d{3,}\w*"):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield Finding("numbers", ERROR, message.format(match[0]), *match.span())
    for match in re.finditer(rf"\b(\d+)(?:st|nd|rd|th)?\.? ({_SUFFIX})\b", text, re.IGNORECASE):
        if match[2][0].isupper() or int(match[1]) >= MIN_STREET_NUMBER:
            yield Finding("numbers", ERROR, message.format(match[0]), *match.span())
    for match in re.finditer(_COUNTED, text, re.IGNORECASE):
        question = f"Is “{match[0]}” a count, as in 2 benches? A number that is seen in the pictures may not be named."
        yield Finding("count", WARNING, question, *match.span())


def _lettering(text: str, _: frozenset[str]) -> Iterator[Finding]:
    message = "“{}” looks like lettering in the pictures. Describe the thing by its colour, shape and place."
    quoted = r"[“\"„«]([^“”\"„«»\n]{1,80})[”\"“»]|(?<!\w)['‘]([^'‘’\n]{2,60})['’](?!\w)|`([^`\n]{1,60})`"
    for match in re.finditer(quoted, text):
        yield Finding("lettering", ERROR, message.format(match[0].strip("“”\"„«»'‘’`")), *match.span())
    letters = [c for c in text if c.isalpha()]
    if len(letters) > 20 and sum(c.isupper() for c in letters) > MAX_CAPITALS * len(letters):
        yield Finding("capitals", ERROR, "Write in small letters: capitals stand for lettering.")
        return
    for match in re.finditer(r"\b[A-Z](?:[&'’-]?[A-Z])+\b", text):
        if match[0].replace("’", "'").lower() not in _NOT_NAMES:
            yield Finding("lettering", ERROR, message.format(match[0]), *match.span())
    said = (
        r"\b(?:sign|board|banner|awning|billboard|poster|store|shop|wall|window|door|flag|letters?|lettering|text"
        r"|building|name|that|which|it)(?:s|es)? (?:also )?"
        r"(?:says?|said|saying|reads?|spells?|spelling|states?|is (?:called|named|labell?ed))\b"
        r"|\bsaying\b|\blabell?ed\b"
    )
    wording = "“{}”: what a sign says may not be part of the text. Describe its colour, shape and place."
    for match in re.finditer(said, text, re.IGNORECASE):
        yield Finding("lettering", ERROR, wording.format(match[0]), *match.span())
    about = r"\b(?:called|named|names? of|(?:the|a) words?|the letters? [a-z]\b)"
    for match in re.finditer(about, text, re.IGNORECASE):
        question = f"“{match[0]}”: is this about something written in the pictures? That may not be part of the text."
        yield Finding("wording", WARNING, question, *match.span())


def _street_names(text: str, known: frozenset[str]) -> Iterator[Finding]:
    message = "“{}” is a name of a street. Describe the street, or count the crossings."
    for match in re.finditer(rf"\b([A-Z][\w'’-]*) ({_SUFFIX})\b\.?", text, re.IGNORECASE):
        name, suffix = match[1], match[2]
        inside = not _begins_sentence(text, match.start())
        proper = name[0].isupper() and name.lower() not in _ORDINARY and (inside or suffix[0].isupper())
        numbered = name.lower() in ORDINALS and name[0].isupper() and suffix[0].isupper() and inside
        if proper or numbered:
            yield Finding("street", ERROR, message.format(match[0]), *match.span())
    for name in sorted(known):
        base = re.sub(rf"(?: {_SUFFIX})?(?: \d+)?$", "", name) or name
        if not re.search(r"[a-z]{3}", base):
            continue  # a numbered street: a number
        for match in re.finditer(rf"\b{re.escape(base)} {_SUFFIX}\b", text, re.IGNORECASE):
            yield Finding("street", ERROR, message.format(match[0]), *match.span())
        for match in re.finditer(rf"\b{re.escape(base)}\b", text, re.IGNORECASE):
            # "Spring" and "Station" are words, too: a capital letter within a sentence makes a name of them.
            if match[0][0].isupper() and not _begins_sentence(text, match.start()):
                yield Finding("street", ERROR, message.format(match[0]), *match.span())


def _other_names(text: str, _: frozenset[str]) -> Iterator[Finding]:
    for match in re.finditer(r"\b[A-Z][a-z'’]+(?: [A-Z][a-z'’]+)*\b", text):
        parts = match[0].split()
        parts = parts[1:] if _begins_sentence(text, match.start()) else parts
        names = [part for part in parts if part.replace("’", "'").lower() not in _NOT_NAMES | _ORDINARY]
        if names:
            question = f"Is “{' '.join(names)}” a name, such as that of a shop? Names may not be part of the text."
            yield Finding("name", WARNING, question, *match.span())


def _begins_sentence(text: str, position: int) -> bool:
    """Return whether a word at a position begins a sentence or a line, where any word has a capital letter."""
    before = text[:position].rstrip(" \t")
    return not before or before[-1] in ".!?:;\n\r-–—(*•"


def _moving_place(text: str, _: frozenset[str]) -> Iterator[Finding]:
    after_bear = False
    for begin, end in sentence_spans(text):
        sentence = text[begin:end]
        bear = re.search(rf"\b{_BEAR}\b", sentence, re.IGNORECASE)
        pronoun = re.match(r"(?:it|he|she)(?:['’]s| is| sits| rests| stands| will be)\b", sentence, re.IGNORECASE)
        subject = bear or (pronoun if after_bear else None)
        after_bear = bear is not None
        if subject is None:
            continue
        rest = sentence[subject.end() :]
        offset = begin + subject.end()
        for severity, rule, preposition in ((ERROR, "moving", _ON), (WARNING, "moving-beside", _NEAR)):
            pattern = rf"\b{preposition} {_PART_OF}(?:{_ARTICLE} )?{_ADJECTIVES}({_MOVING})\b{_NOT_STATIC}"
            found = re.search(pattern, rest, re.IGNORECASE)
            if found is None:
                continue
            what = found[1]
            message = (
                f"“{found[0]}”: the bear may not sit on something that moves, such as a {what}. Choose what stays."
                if severity == ERROR
                else f"“{found[0]}”: will the {what} still be there? Say where the bear sits by something that stays."
            )
            yield Finding(rule, severity, message, offset + found.start(), offset + found.end())
            break


_RULES: tuple[Rule, ...] = (_length, _bear, _numbers, _lettering, _street_names, _other_names, _moving_place)


def findings_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings for the browser."""
    return [finding.to_json() for finding in findings]
