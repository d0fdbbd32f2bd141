"""What a text asks of its reader: Touchdown's eleven phenomena (Table 3) and Refer360's three more (Table 8), counted.

The counter reads a string and nothing else, by rules: noun phrases are found first (see `nouns`), then relations,
directions, commands and statements around them. It knows nothing of how a text was made. What counts as what, and how
well it agrees with a reader's own counts, is in docs/language.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from bearleft.data.frame_words import (
    ARTICLES,
    COLOURS,
    COMMANDS,
    FRAME,
    MODALS,
    MOVING,
    NUMBERS,
    ORDINALS,
    OWNERS,
    PLACED,
    SIDES,
    STOPPING,
    YOU,
    listed,
)
from bearleft.data.nouns import Noun, carries_no_sentence, is_word, joined, nouns, skeleton

TOUCHDOWN = (
    "unique entity", "coreference", "comparison", "sequencing", "count", "allocentric", "egocentric", "imperative",
    "direction", "temporal condition", "state verification",
)  # fmt: skip
REFER360 = ("3-D understanding", "inexact", "more than two objects")

# Places that come one after another: to name the kind again is to name a new one.
_SERIES = listed(
    """
    intersection intersections light lights corner street road block crosswalk way lane stoplight crossing
    signal crossroads traffic-light t-intersection
    """
)
_CROSSED = listed("intersection intersections light corner stoplight crossing signal")
_COMPARED = re.compile(
    r"(?:clos|near|far|furth|farth|small|larg|tall|short|bigg|high|low|long|wid|narrow|bright|dark|light|thinn|thick"
    r"|old|new)(?:er|est)|leftmost|rightmost|topmost|better|best|worse|worst"
)
_NOT_COMPARED = listed("lower newer lighter closer older")


def count(text: str) -> dict[str, int]:
    """How often each of Touchdown's phenomena occurs in a text."""
    found = Counter(_touchdown(text))
    return {what: found[what] for what in TOUCHDOWN}


def count_refer360(instructions: Sequence[str]) -> dict[str, int]:
    """How often each phenomenon of Refer360's Table 8 occurs in a sequence of sentences: Touchdown's and three more.

    Directions are Refer360's there: every word for one, on the picture or of the gaze.
    """
    found = Counter(_touchdown(" . ".join(instructions)))
    found["direction"] = 0
    for sentence in instructions:
        plain = sentence.lower()
        found["direction"] += len(_TOWARDS.findall(plain))
        found["3-D understanding"] += len(_DEPTH.findall(plain))
        found["inexact"] += len(_INEXACT.findall(plain))
        found["more than two objects"] += sum(noun.thing for noun in nouns(joined(sentence))) > 3
    return {what: found[what] for what in TOUCHDOWN + REFER360}


def _touchdown(text: str) -> Iterator[str]:
    words = joined(text)
    found = list(nouns(words))
    yield from _entities(words, found)
    yield from _words(words)
    yield from ["imperative"] * sum(_is_command(words, at) for at in range(len(words)))
    yield from _relations(skeleton(words, found))


def _entities(words: list[str], found: list[Noun]) -> Iterator[str]:
    seen: dict[str, set[str]] = {}
    for noun in found:
        if not noun.thing:
            continue
        colours = COLOURS.intersection(noun.before)
        if _again(words, noun, seen, colours):
            yield "coreference"
            if noun.head in seen:
                continue
        yield "unique entity"
        seen.setdefault(noun.head, set()).update(colours)
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else "."
        if word in {"it", "its", "them", "they", "it's", "it'll"} and seen:
            before = words[at - 1] if at else "."
            yield from () if before in {"make", "as"} or after in {"looks", "seems"} else ("coreference",)
        elif word in {"that", "this"} and (after == "one" or (not is_word(after) and at and words[at - 1] != "so")):
            yield "coreference"


def _again(words: list[str], noun: Noun, seen: dict[str, set[str]], colours: frozenset[str]) -> bool:
    """Whether a noun phrase speaks of something named before."""
    article = noun.before[0] if noun.before else ""
    if article in {"that", "those"}:
        return noun.begin == 0 or words[noun.begin - 1] != "so"
    known = noun.head in seen
    if article not in {"the", "this", "these"} or not known or (article == "the" and ORDINALS & {*noun.before}):
        return False
    if {"other", "another"}.intersection(noun.before):
        return False
    if noun.head in _SERIES:
        return (article == "this" and noun.head in _CROSSED) or words[max(noun.begin - 1, 0)] in {"of", "into"}
    return not colours or not seen[noun.head] or bool(colours & seen[noun.head])


def _words(words: list[str]) -> Iterator[str]:
    """Phenomena that single words show."""
    for at, word in enumerate(words):
        before = words[at - 1] if at else "."
        after = words[at + 1] if at + 1 < len(words) else "."
        further = word in {"farther", "further", "longer"} and after != "one"
        more = word in {"more", "most"} and after not in FRAME and after.endswith(("ful", "ed", "nt", "ard"))
        if more or (_COMPARED.fullmatch(word) and word not in _NOT_COMPARED and not further):
            yield "comparison"
        fraction = before in {"a", "one"} and after == "of"
        no_order = fraction or (word == "next" and after == "to") or (word == "second" and before == "a")
        if word in ORDINALS and not no_order:
            yield "sequencing"
        many = word in NUMBERS and after not in {"way", "ways", "lane", "degrees", "degree", "-"} and before != "-"
        one = word == "one" and is_word(after) and after not in FRAME and before not in ARTICLES | OWNERS | COLOURS
        if many or one or (word in {"both", "couple", "single", "double", "pair"} and after != "or"):
            yield "count"


# Between a verb and what tells whether it commands.
_SKIPPED = listed(
    """
    just then also immediately now again only still eventually quickly slowly carefully please simply always
    soon shortly next finally first directly
    """
)
_NO_COMMAND_AFTER = (
    MODALS
    | YOU
    | ARTICLES
    | OWNERS
    | ORDINALS
    | COLOURS
    | listed("to that which who of they it on in at from with as is are be bus short long quick")
)
# Verbs that are something else too often: these command only where a clause begins, those only after no noun.
_AT_BEGINNING = listed("see place point end use count start begin come get circle cross curve")
_AFTER_MARKS = listed("head face stand step exit hang put slow position")


def _is_command(words: list[str], at: int) -> bool:
    """Whether a word is a verb that tells the reader to do something."""
    word = words[at]
    if word not in COMMANDS or carries_no_sentence(words, at):
        return False
    k = at - 1
    while k >= 0 and words[k] in _SKIPPED:
        k -= 1
    before, earlier = (words[k] if k >= 0 else "."), (words[k - 1] if k >= 1 else ".")
    if word == "bear":
        after = words[at + 1] if at + 1 < len(words) else "."
        return after in SIDES or after in {"to", "slightly"}
    if before in {"not", "don't", "never"}:
        return earlier not in MODALS | YOU
    if before in SIDES:
        # "make a right turn" names a turn; "go right turn left" commands one.
        return k < at - 1 or (earlier in MOVING and word not in _AFTER_MARKS)
    if before in _NO_COMMAND_AFTER:
        return False
    if word in _AT_BEGINNING:
        begin = next((j for j in range(k, -1, -1) if not is_word(words[j])), -1)
        return k == begin or (before == "and" and not (MODALS | YOU).intersection(words[begin + 1 : k]))
    return not (is_word(before) and before != "and" and word in _AFTER_MARKS)


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


def _matches(pattern: re.Pattern[str], bones: str) -> list[tuple[int, int]]:
    return [found.span() for found in pattern.finditer(bones)]


def _free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return all(span[1] <= begin or span[0] >= end for begin, end in taken)


def _relations(bones: str) -> Iterator[str]:
    """Phenomena of several words, on the skeleton of a text."""
    turning = _matches(_TURNING, bones)
    onward = [span for span in _matches(_ONWARD, bones) if _free(span, turning)]
    yield from ["direction"] * (len(turning) + len(onward))
    moved = turning + onward
    standing = [span for span in _matches(_STANDING, bones) if _free(span, moved)]
    around = [span for span in _matches(_EGOCENTRIC, bones) if _free(span, moved)]
    facing = [span for span in _matches(_FACING, bones) if _free(span, around)]
    yield from ["egocentric"] * (len(standing) + len(around) + len(facing))
    taken = around + standing + moved
    allocentric = []
    for found in _ALLOCENTRIC.finditer(bones):
        how = found.lastgroup or "how"
        vague = found[how] in {"to", "next"} and "T" not in found[0]
        if not vague and _free(found.span(how), taken):
            allocentric.append(found.span())
    allocentric += [s for s in _matches(_INVERTED, bones) if _free(s, allocentric)]
    allocentric += [s for s in _matches(_BARE, bones) if _free(s, allocentric + around)]
    yield from ["allocentric"] * len(allocentric)
    yield from ["temporal condition"] * len(_matches(_TEMPORAL, bones))
    yield from ["state verification"] * _statements(bones, around)


def _statements(bones: str, around: list[tuple[int, int]]) -> int:
    """Sentences and clauses that say what is to be seen, the target's own place aside."""
    found: list[tuple[int, int]] = []
    for pattern, near in ((_WILL_SEE, True), (_THERE, True), (_YOU_SEE, False), (_IS_THERE, False)):
        for begin, end in _matches(pattern, bones):
            clause = re.split(r"[.!?;:,()]", bones[:begin])[-1].split()
            before = " ".join(clause[-3:] if near else clause)
            of_target = "T" in clause or "he" in clause
            under = re.search(r"\b(?:so|until|till)\b", before) if near else _UNDER.search(before)
            if not of_target and not under and _free((begin, end), found):
                found.append((begin, end))
    number = len(found)
    start = 0
    for sentence in re.split(r"(?<=[.!?])", bones):
        end = start + len(sentence)
        verbless = not re.search(
            r"\b(?:is|are|will|be|should|see|there's|you|T|you'll|you're)\b", sentence
        ) and not any(word in COMMANDS for word in sentence.split())
        number += verbless and any(start <= begin < end for begin, _ in around)
        start = end
    return number


_TOWARDS = re.compile(r"\b(?:left|right|up|down|upwards?|downwards?|clockwise|straight|around)\b")
_DEPTH = re.compile(
    r"\b(?:in front of|behind|foreground|background|in the distance"
    r"|(?:closest|nearest|closer|farthest|away) (?:to|from) you|beyond|farther|further|underneath)\b"
)
_INEXACT = re.compile(
    r"\b(?:slightly|about|approximately|roughly|a (?:little|bit|tad|smidge|touch|hair)|almost|kind of|sort of|somewhere"
    r"|nearly|(?:white|black|grey|gray|yellow|green|blue|red|brown)ish|or so|not quite|more or less|barely)\b"
)
