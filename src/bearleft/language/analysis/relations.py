"""Rules for relations, directions, conditions and statements, as patterns over a text's skeleton.

See `nouns.skeleton` for the skeleton.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from bearleft.language.analysis.function_words import COMMAND_VERBS, MOTION_VERBS, POSITION_VERBS, STOP_VERBS

Span: TypeAlias = tuple[int, int]


def _alternatives(words: frozenset[str]) -> str:
    return "|".join(sorted(words))


# In a skeleton N is a thing, T the target, P a part, and C any other noun phrase.
_ADVERBS = (
    r"(?:(?:just|right|directly|slightly|almost|immediately|way|far|up|down|high|out|off|about|somewhere|really|very"
    r"|even|ahead|back|all|the|C) )*"
)
_SIDE_OF = (
    r"(?:on|to|at) (?:the |its |your )?(?:C )?(?:far )?"
    r"(?:left|right|other|opposite|back|front|outside|inside)(?: hand)?(?: side)? of"
)
_PREPOSITION = (
    r"on|behind|under|above|near|by|between|next to|in front of|beside|below|close to|across from|closest to"
    rf"|{_SIDE_OF}|(?:on|at|in) (?:the )?(?:side|front|back|end|P) of"
)
_RELATION = (
    rf"(?:{_PREPOSITION}|in|at|inside|inside of|outside|outside of|underneath|beneath|against|in between|along"
    r"|alongside|around|over|atop|across|within|opposite|nearest|to|next)"
)
_POSITION_VERB = rf"(?:(?:is|are|was|be|will|should|which|that|who|{_alternatives(POSITION_VERBS)}) )*"
_REFERENCE = (
    r"(?=N|P|it\b|them|this|that\b|those|these|C N|C one|the (?:left|right) N|the (?:front|back|side)\b(?! of you))"
)
_ALLOCENTRIC = re.compile(
    rf"\b(?:N|T|it|one|them|P|this|he)(?: C)? (?:, )?(?P<apart>{_PREPOSITION}) {_REFERENCE}"
    rf"|\b(?:N|T|it|one|them|P|this|he|C)(?: C)? {_POSITION_VERB}{_ADVERBS}(?P<how>{_RELATION}) {_REFERENCE}"
    r"|\bN (?:that is )?(?:right |just )?(?P<along>after|before|past) (?=N)"
    r"|\bhanging (?P<off>off|from) (?=N|it\b)"
    r"|\b(?:sitting|sits|hiding|located|placed|attached|tied|hanging|leaning) "
    rf"{_ADVERBS}(?P<at>{_RELATION}) {_REFERENCE}"
    rf"|\b(?:your|the) (?:left|right)(?: hand)?(?: side)? (?:, )?(?P<beyond>{_PREPOSITION}) {_REFERENCE}"
)
_INVERTED_RELATION = re.compile(
    rf"(?:^|[.,;:!] |\band )(?:{_ADVERBS}(?!at)(?:past )?{_RELATION}|{_ADVERBS}past|{_ADVERBS}after) (?:N|P)"
    r"(?: \S+){0,7}? (?:is|are|will be|there's|see) "
)
_BARE_RELATION = re.compile(
    rf"\b(?:N|T|it|one) {_POSITION_VERB}{_ADVERBS}(?:inside|outside|underneath|above|below|atop)(?= [^\w\s]|$| and\b)"
)
_MOTION_VERBS = _alternatives(MOTION_VERBS - {"pass", "passing", "passes", "passed", "facing", "face", "back"})
_EGO_PREPOSITION = (
    r"(?:(?:off |over |in )?(?:on|to|at|in|from|near|by) (?:(?:your|the|my|far|immediate|C|their|our|very) )*"
    r"(?:left|right)(?: (?:hand|handed))?(?: (?:sides?|hand|P|C))?(?! of (?!you\b))(?! N\b)"
    r"|on (?:each|both|either|all) sides?(?! of (?!you))"
    r"|(?<!straight )ahead(?: of you)?|straight ahead of you"
    r"|(?:in front of|behind|above|beside|next to|near|around|over|below|across from|ahead of|(?:left|right) of"
    r"|sides? of|between|before) (?:you\b|yourself|where you)"
    r"|in front(?! of))"
)
_EGOCENTRIC = re.compile(rf"\b{_EGO_PREPOSITION}(?: (?:slightly |just |up |far )*{_EGO_PREPOSITION})*")
_FACING = re.compile(
    r"\b(?:facing|(?<!you )face|looking (?:at|down|toward)) (?:toward |towards |away from )?(?!the same|C)"
    r"(?=N|it\b|C N)"
)
_STANDING = re.compile(
    rf"\b(?:{_alternatives(STOP_VERBS)}|you're|you are|you will be|you'll be|you should be) {_ADVERBS}"
    rf"(?:{_RELATION}|past|before|after|even with|passed|level with|at) (?=N|P|it\b|C N|C one)"
)
_TURN_MODIFIER = (
    r"(?:a|an|another|the|your|yourself|C|to|slightly|around|all|way|again|next|immediately|just|directly|back|sharp"
    r"|hard|only|and|this|that|one|more|second|first)"
)
_TURNING = re.compile(
    rf"\b(?:{_MOTION_VERBS}|look|ignore|turn)(?: {_TURN_MODIFIER}){{0,5}} (?:left|right)\b"
    r"(?! (?:side of|N|hand N|past|before|after|in|next|under|into|through|up to|by|C N|of N))"
    r"|\b(?:left|right) turn\b|\bu-turn\b"
)
_STRAIGHT_ON = re.compile(
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
_SUBORDINATOR = re.compile(r"\b(?:so|until|till|when|once|as|if|before|after|where|that|which|while|because|since)\b")
_WILL_SEE = re.compile(
    r"\b(?:(?:you|we|and|N) )?(?:you'll|we'll|will|should|can|may|might|ought to|you'd) "
    rf"{_ADVERBS}(?:(?:also|soon|eventually|now|then|start to|begin to|come to|be able to|be) )*"
    r"(?:see|have|notice|find|pass|passing|come|reach|encounter|spot|be|go past|going|hit|arrive|end up|approach|get to"
    r"|seeing|run into|facing)\b"
)
_YOU_SEE = re.compile(
    r"\byou (?:now |then |also )?(?:see|have|notice|pass|come to|reach|are (?:on|in|at|now|next)|find)\b"
    r"|\byou're (?:on|in|at|now)\b"
)
_THERE_IS = re.compile(r"\b(?:there(?: \w+)? (?:is|are|will|should|was|were|may|might)|there's|there'll|theres)\b")
_IS_THERE = re.compile(
    r"\b(?:left|right|side|ahead|you|front|corner) (?:is|are|was) (?=N|C|what)"
    r"|\b(?:on|near|by|behind|past|after|next to|above|under) N (?:is|are) (?=N|C)"
    rf"|\b(?:N|it|this) (?:is|are) {_ADVERBS}{_EGO_PREPOSITION}"
    r"|(?<!that )(?<!which )\b(?:N|it|one) (?:has|have) (?=N|C|P)"
)


def _find_spans(pattern: re.Pattern[str], skeleton: str) -> list[Span]:
    return [match.span() for match in pattern.finditer(skeleton)]


def _is_free(span: Span, used: list[Span]) -> bool:
    return all(span[1] <= begin or span[0] >= end for begin, end in used)


def relation_spans(skeleton: str) -> Iterator[tuple[str, Span]]:
    """Yield the phenomena that take several words, with their characters in the skeleton."""
    turning = _find_spans(_TURNING, skeleton)
    directions = turning + [span for span in _find_spans(_STRAIGHT_ON, skeleton) if _is_free(span, turning)]
    standing = [span for span in _find_spans(_STANDING, skeleton) if _is_free(span, directions)]
    egocentric = [span for span in _find_spans(_EGOCENTRIC, skeleton) if _is_free(span, directions)]
    facing = [span for span in _find_spans(_FACING, skeleton) if _is_free(span, egocentric)]
    used = egocentric + standing + directions
    allocentric = []
    for match in _ALLOCENTRIC.finditer(skeleton):
        group = match.lastgroup or "how"
        vague = match[group] in {"to", "next"} and "T" not in match[0]
        if not vague and _is_free(match.span(group), used):
            allocentric.append(match.span())
    allocentric += [s for s in _find_spans(_INVERTED_RELATION, skeleton) if _is_free(s, allocentric)]
    allocentric += [s for s in _find_spans(_BARE_RELATION, skeleton) if _is_free(s, allocentric + egocentric)]
    for phenomenon, spans in (
        ("direction", directions),
        ("egocentric", standing + egocentric + facing),
        ("allocentric", allocentric),
        ("temporal condition", _find_spans(_TEMPORAL, skeleton)),
        ("state verification", _statement_spans(skeleton, egocentric)),
    ):
        yield from ((phenomenon, span) for span in spans)


def _statement_spans(skeleton: str, egocentric: list[Span]) -> list[Span]:
    """Return the clauses that state what is visible, except for the target's own location."""
    spans: list[Span] = []
    for pattern, local in ((_WILL_SEE, True), (_THERE_IS, True), (_YOU_SEE, False), (_IS_THERE, False)):
        for begin, end in _find_spans(pattern, skeleton):
            clause = re.split(r"[.!?;:,()]", skeleton[:begin])[-1].split()
            preceding = " ".join(clause[-3:] if local else clause)
            of_target = "T" in clause or "he" in clause
            subordinate = re.search(r"\b(?:so|until|till)\b", preceding) if local else _SUBORDINATOR.search(preceding)
            if not of_target and not subordinate and _is_free((begin, end), spans):
                spans.append((begin, end))
    start = 0
    for sentence in re.split(r"(?<=[.!?])", skeleton):
        end = start + len(sentence)
        verbless = not re.search(
            r"\b(?:is|are|will|be|should|see|there's|you|T|you'll|you're)\b", sentence
        ) and not any(word in COMMAND_VERBS for word in sentence.split())
        inside = [span for span in egocentric if start <= span[0] < end]
        spans += inside[:1] if verbless else []
        start = end
    return spans
