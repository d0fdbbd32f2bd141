"""Relations, directions, conditions and statements of a text, by patterns over its skeleton (see `nouns.skeleton`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from bearleft.language.analysis.function_words import COMMANDS, MOVING, PLACED, STOPPING

Span: TypeAlias = tuple[int, int]


def _any(words: frozenset[str]) -> str:
    return "|".join(sorted(words))


# Patterns run over a skeleton: N a thing, T the target, P a part, C any other noun phrase (see `nouns.skeleton`).
_HOW = (
    r"(?:(?:just|right|directly|slightly|almost|immediately|way|far|up|down|high|out|off|about|somewhere|really|very"
    r"|even|ahead|back|all|the|C) )*"
)
_SIDE_OF = (
    r"(?:on|to|at) (?:the |its |your )?(?:C )?(?:far )?"
    r"(?:left|right|other|opposite|back|front|outside|inside)(?: hand)?(?: side)? of"
)
_APART = (
    r"on|behind|under|above|near|by|between|next to|in front of|beside|below|close to|across from|closest to"
    rf"|{_SIDE_OF}|(?:on|at|in) (?:the )?(?:side|front|back|end|P) of"
)
_RELATION = (
    rf"(?:{_APART}|in|at|inside|inside of|outside|outside of|underneath|beneath|against|in between|along|alongside"
    r"|around|over|atop|across|within|opposite|nearest|to|next)"
)
_LOCATED = rf"(?:(?:is|are|was|be|will|should|which|that|who|{_any(PLACED)}) )*"
_GROUND = (
    r"(?=N|P|it\b|them|this|that\b|those|these|C N|C one|the (?:left|right) N|the (?:front|back|side)\b(?! of you))"
)
_ALLOCENTRIC = re.compile(
    rf"\b(?:N|T|it|one|them|P|this|he)(?: C)? (?:, )?(?P<apart>{_APART}) {_GROUND}"
    rf"|\b(?:N|T|it|one|them|P|this|he|C)(?: C)? {_LOCATED}{_HOW}(?P<how>{_RELATION}) {_GROUND}"
    r"|\bN (?:that is )?(?:right |just )?(?P<along>after|before|past) (?=N)"
    r"|\bhanging (?P<off>off|from) (?=N|it\b)"
    rf"|\b(?:sitting|sits|hiding|located|placed|attached|tied|hanging|leaning) {_HOW}(?P<at>{_RELATION}) {_GROUND}"
    rf"|\b(?:your|the) (?:left|right)(?: hand)?(?: side)? (?:, )?(?P<beyond>{_APART}) {_GROUND}"
)
_INVERTED = re.compile(
    rf"(?:^|[.,;:!] |\band )(?:{_HOW}(?!at)(?:past )?{_RELATION}|{_HOW}past|{_HOW}after) (?:N|P)"
    r"(?: \S+){0,7}? (?:is|are|will be|there's|see) "
)
_BARE = re.compile(
    rf"\b(?:N|T|it|one) {_LOCATED}{_HOW}(?:inside|outside|underneath|above|below|atop)(?= [^\w\s]|$| and\b)"
)
_MOTION = _any(MOVING - {"pass", "passing", "passes", "passed", "facing", "face", "back"})
_EGO = (
    r"(?:(?:off |over |in )?(?:on|to|at|in|from|near|by) (?:(?:your|the|my|far|immediate|C|their|our|very) )*"
    r"(?:left|right)(?: (?:hand|handed))?(?: (?:sides?|hand|P|C))?(?! of (?!you\b))(?! N\b)"
    r"|on (?:each|both|either|all) sides?(?! of (?!you))"
    r"|(?<!straight )ahead(?: of you)?|straight ahead of you"
    r"|(?:in front of|behind|above|beside|next to|near|around|over|below|across from|ahead of|(?:left|right) of"
    r"|sides? of|between|before) (?:you\b|yourself|where you)"
    r"|in front(?! of))"
)
_EGOCENTRIC = re.compile(rf"\b{_EGO}(?: (?:slightly |just |up |far )*{_EGO})*")
_FACING = re.compile(
    r"\b(?:facing|(?<!you )face|looking (?:at|down|toward)) (?:toward |towards |away from )?(?!the same|C)"
    r"(?=N|it\b|C N)"
)
_STANDING = re.compile(
    rf"\b(?:{_any(STOPPING)}|you're|you are|you will be|you'll be|you should be) {_HOW}"
    rf"(?:{_RELATION}|past|before|after|even with|passed|level with|at) (?=N|P|it\b|C N|C one)"
)
_LEADING = (
    r"(?:a|an|another|the|your|yourself|C|to|slightly|around|all|way|again|next|immediately|just|directly|back|sharp"
    r"|hard|only|and|this|that|one|more|second|first)"
)
_TURNING = re.compile(
    rf"\b(?:{_MOTION}|look|ignore|turn)(?: {_LEADING}){{0,5}} (?:left|right)\b"
    r"(?! (?:side of|N|hand N|past|before|after|in|next|under|into|through|up to|by|C N|of N))"
    r"|\b(?:left|right) turn\b|\bu-turn\b"
)
_ONWARD = re.compile(
    r"\bstraight(?: (?:ahead|forward))?(?! line)(?! of)|(?<!straight )\bforwards?\b|\bbackwards?\b"
    r"|\b(?:turn|turned|spin|turning)(?: yourself| all the way| C)? around\b"
    r"(?! (?:left|right|N|to the (?:left|right)|and (?:go|face)))"
    r"|\b(?:walk|go|move|continue|head|proceed|going) ahead\b"
)
_TEMPORAL = re.compile(
    r"\b(?:until|till|when|whenever|once|while|if|by the time)\b"
    r"|\bas (?:soon(?: as)?|you|your|we|the road|it (?:c|t|b))"
    r"|\b(?:shortly|soon|immediately|right|quickly) (?:after|before)\b(?! N)"
    r"|\b(?:after|before)(?= (?:you|the turn|that|this|it\b|your|\w+ing\b|a \w+ turn|[.,]))"
    r"|(?<=[.,] )(?:after|before)(?= N)|\b(?:after|afterwards|thereafter)(?= ,)"
)
_UNDER = re.compile(r"\b(?:so|until|till|when|once|as|if|before|after|where|that|which|while|because|since)\b")
_WILL_SEE = re.compile(
    r"\b(?:(?:you|we|and|N) )?(?:you'll|we'll|will|should|can|may|might|ought to|you'd) "
    rf"{_HOW}(?:(?:also|soon|eventually|now|then|start to|begin to|come to|be able to|be) )*"
    r"(?:see|have|notice|find|pass|passing|come|reach|encounter|spot|be|go past|going|hit|arrive|end up|approach|get to"
    r"|seeing|run into|facing)\b"
)
_YOU_SEE = re.compile(
    r"\byou (?:now |then |also )?(?:see|have|notice|pass|come to|reach|are (?:on|in|at|now|next)|find)\b"
    r"|\byou're (?:on|in|at|now)\b"
)
_THERE = re.compile(r"\b(?:there(?: \w+)? (?:is|are|will|should|was|were|may|might)|there's|there'll|theres)\b")
_IS_THERE = re.compile(
    r"\b(?:left|right|side|ahead|you|front|corner) (?:is|are|was) (?=N|C|what)"
    r"|\b(?:on|near|by|behind|past|after|next to|above|under) N (?:is|are) (?=N|C)"
    rf"|\b(?:N|it|this) (?:is|are) {_HOW}{_EGO}"
    r"|(?<!that )(?<!which )\b(?:N|it|one) (?:has|have) (?=N|C|P)"
)


def _matches(pattern: re.Pattern[str], bones: str) -> list[Span]:
    return [found.span() for found in pattern.finditer(bones)]


def _free(span: Span, taken: list[Span]) -> bool:
    return all(span[1] <= begin or span[0] >= end for begin, end in taken)


def relations(bones: str) -> Iterator[tuple[str, Span]]:
    """Phenomena of several words, each with the characters of the skeleton that show it."""
    turning = _matches(_TURNING, bones)
    moved = turning + [span for span in _matches(_ONWARD, bones) if _free(span, turning)]
    standing = [span for span in _matches(_STANDING, bones) if _free(span, moved)]
    around = [span for span in _matches(_EGOCENTRIC, bones) if _free(span, moved)]
    facing = [span for span in _matches(_FACING, bones) if _free(span, around)]
    taken = around + standing + moved
    allocentric = []
    for found in _ALLOCENTRIC.finditer(bones):
        how = found.lastgroup or "how"
        vague = found[how] in {"to", "next"} and "T" not in found[0]
        if not vague and _free(found.span(how), taken):
            allocentric.append(found.span())
    allocentric += [s for s in _matches(_INVERTED, bones) if _free(s, allocentric)]
    allocentric += [s for s in _matches(_BARE, bones) if _free(s, allocentric + around)]
    for what, shown in (
        ("direction", moved),
        ("egocentric", standing + around + facing),
        ("allocentric", allocentric),
        ("temporal condition", _matches(_TEMPORAL, bones)),
        ("state verification", _statements(bones, around)),
    ):
        yield from ((what, span) for span in shown)


def _statements(bones: str, around: list[Span]) -> list[Span]:
    """Sentences and clauses that say what is to be seen, the target's own place aside."""
    found: list[Span] = []
    for pattern, near in ((_WILL_SEE, True), (_THERE, True), (_YOU_SEE, False), (_IS_THERE, False)):
        for begin, end in _matches(pattern, bones):
            clause = re.split(r"[.!?;:,()]", bones[:begin])[-1].split()
            before = " ".join(clause[-3:] if near else clause)
            of_target = "T" in clause or "he" in clause
            under = re.search(r"\b(?:so|until|till)\b", before) if near else _UNDER.search(before)
            if not of_target and not under and _free((begin, end), found):
                found.append((begin, end))
    start = 0
    for sentence in re.split(r"(?<=[.!?])", bones):
        end = start + len(sentence)
        verbless = not re.search(
            r"\b(?:is|are|will|be|should|see|there's|you|T|you'll|you're)\b", sentence
        ) and not any(word in COMMANDS for word in sentence.split())
        inside = [span for span in around if start <= span[0] < end]
        found += inside[:1] if verbless else []
        start = end
    return found
