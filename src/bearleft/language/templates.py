"""Templates that generate a clause in many variants and parse each of them back.

    [a|b|]      one of the alternatives, possibly empty; may nest
    {slot}      a value to fill in
    <i:turn>    text marked with a phenomenon, by its letter; may nest

`Template.regex` matches normalised strings: lower-case tokens, each followed by one space, with every noun phrase
replaced by a token such as "@3". The pattern therefore depends neither on spaces nor on object names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import TypeAlias

from bearleft.errors import InputError, format_value
from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Annotation, Mention, Text
from bearleft.language.lexicon.lexicon import NUMBERS, ORDINALS
from bearleft.language.writer_random import WriterRandom

PHENOMENA = {
    "u": "unique entity",
    "c": "coreference",
    "m": "comparison",
    "s": "sequencing",
    "n": "count",
    "a": "allocentric",
    "e": "egocentric",
    "i": "imperative",
    "d": "direction",
    "t": "temporal condition",
    "v": "state verification",
    "x": "3-D understanding",
    "q": "inexact",
    "o": "more than two objects",
}

MAX_TRIES = 24
_REPEATED_WORD = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_NEEDLESS_SPACES = re.compile(r"^ +| +(?=[ .,;:!?)]|\Z)")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_PIECES = re.compile(r"\[|\||\]|<[a-z]:|>|\{\w+\}|[^\[\]|<>{}]+")


@dataclass(frozen=True)
class PlainText:
    """Literal words."""

    words: str


@dataclass(frozen=True)
class Slot:
    """A slot to fill."""

    name: str


@dataclass(frozen=True)
class Marked:
    """Nodes that are marked with a phenomenon."""

    phenomenon: str
    inner: Nodes


@dataclass(frozen=True)
class Choice:
    """A choice between sequences of nodes; an alternative that is written several times is that much more likely."""

    choices: tuple[Nodes, ...]
    weights: tuple[int, ...]
    source: str


Nodes: TypeAlias = tuple["PlainText | Slot | Marked | Choice", ...]


class Template:
    """A clause in the template language."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._pieces = _PIECES.findall(source)
        if "".join(self._pieces) != source:
            raise InputError("a template of words, [a|b], {slot} and <i:words>", format_value(source))
        self._position = 0
        self.nodes = self._parse_nodes("")
        if self._position != len(self._pieces):
            raise InputError("brackets that match", format_value(source))

    def __repr__(self) -> str:
        return f"Template({self.source!r})"

    @cached_property
    def slots(self) -> frozenset[str]:
        """Names of the slots."""
        return frozenset(re.findall(r"\{(\w+)\}", self.source))

    def render(self, random: Random, **slots: Text | str) -> Text:
        """Return one random variant with its slots filled.

        With a `WriterRandom` that records, the text is annotated with the choices made for it.
        """
        if not isinstance(random, WriterRandom):
            return normalize_spaces(_render(self.nodes, random, slots))
        return random.rank(lambda: self._render_recorded(random, slots), lambda text: text.string)

    def _render_recorded(self, random: WriterRandom, slots: dict[str, Text | str]) -> Text:
        text = normalize_spaces(_render(self.nodes, random, slots))
        return text.with_annotations(*random.take_recorded()) if random.recording else text

    @cached_property
    def pattern(self) -> str:
        """Pattern that matches every variant on a normalised string.

        Groups have the names of the slots; the second occurrence of a slot is NAME_2.
        """
        return _pattern(self.nodes, {})

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)

    def _parse_nodes(self, closing: str) -> Nodes:
        parts: list[PlainText | Slot | Marked | Choice] = []
        while self._position < len(self._pieces):
            piece = self._pieces[self._position]
            if piece in ("]", "|", ">"):
                if piece != closing and not (piece == "|" and closing == "]"):
                    raise InputError("brackets that match", format_value(self.source))
                return tuple(parts)
            self._position += 1
            if piece == "[":
                begin = self._position - 1
                choices = [self._parse_nodes("]")]
                while self._next() == "|":
                    choices.append(self._parse_nodes("]"))
                counts = Counter(choices)
                source = "".join(self._pieces[begin : self._position])
                parts.append(Choice(tuple(counts), tuple(counts.values()), source))
            elif piece[0] == "<":
                if piece[1] not in PHENOMENA:
                    raise InputError(f"one of the letters {' '.join(PHENOMENA)}", format_value(piece))
                parts.append(Marked(PHENOMENA[piece[1]], self._parse_nodes(">")))
                self._next()
            elif piece[0] == "{":
                parts.append(Slot(piece[1:-1]))
            else:
                parts.append(PlainText(piece))
        if closing:
            raise InputError("brackets that match", format_value(self.source))
        return tuple(parts)

    def _next(self) -> str:
        if self._position == len(self._pieces):
            raise InputError("brackets that match", format_value(self.source))
        self._position += 1
        return str(self._pieces[self._position - 1])


def _render(nodes: Nodes, random: Random, slots: dict[str, Text | str]) -> Text:
    strings: list[str] = []
    annotations: list[Annotation] = []
    mentions: list[Mention] = []
    _render_nodes(nodes, random, slots, strings, annotations, mentions, 0)
    return Text("".join(strings), tuple(annotations), tuple(mentions))


def _render_nodes(
    nodes: Nodes,
    random: Random,
    slots: dict[str, Text | str],
    strings: list[str],
    annotations: list[Annotation],
    mentions: list[Mention],
    length: int,
) -> int:
    """Add rendered nodes to the parts of a text of this length; return its new length."""
    for part in nodes:
        if type(part) is PlainText:
            strings.append(part.words)
            length += len(part.words)
        elif type(part) is Choice:
            if isinstance(random, WriterRandom):
                chosen = part.choices[random.index(part.source, part.weights)]
            else:
                chosen = random.choices(part.choices, part.weights)[0]
            length = _render_nodes(chosen, random, slots, strings, annotations, mentions, length)
        elif type(part) is Marked:
            begin = length
            length = _render_nodes(part.inner, random, slots, strings, annotations, mentions, length)
            annotations.append(Annotation(part.phenomenon, begin, length))
        elif type(part) is Slot:
            filler = slots[part.name]
            if isinstance(filler, Text):
                shifted = filler.shifted(length)
                annotations.extend(shifted.annotations)
                mentions.extend(shifted.mentions)
                filler = filler.string
            strings.append(filler)
            length += len(filler)
    return length


def normalize_spaces(text: Text) -> Text:
    """Return the text with single spaces, none at its ends and none before punctuation."""
    string = text.string
    needless = [match.span() for match in _NEEDLESS_SPACES.finditer(string)]
    if not needless:
        return _trim_annotations(text)
    kept, end_before = [], 0
    for begin, end in needless:
        kept.append(string[end_before:begin])
        end_before = end
    kept.append(string[end_before:])
    if not (text.annotations or text.mentions):
        return Text("".join(kept))
    keep = [True] * len(string)
    for begin, end in needless:
        keep[begin:end] = [False] * (end - begin)
    new_position = list(accumulate(keep, initial=0))
    annotations = tuple(
        Annotation(m.phenomenon, new_position[m.begin], new_position[m.end])
        for m in text.annotations
        if new_position[m.begin] < new_position[m.end]
    )
    mentions = tuple(type(m)(m.instance, new_position[m.begin], new_position[m.end]) for m in text.mentions)
    return _trim_annotations(Text("".join(kept), annotations, mentions))


def _trim_annotations(text: Text) -> Text:
    """Return the text with annotations that neither begin nor end with a space."""
    string = text.string
    if not any(m.begin >= m.end or string[m.begin] == " " or string[m.end - 1] == " " for m in text.annotations):
        return text
    annotations = []
    for annotation in text.annotations:
        marked = string[annotation.begin : annotation.end]
        begin, end = (
            annotation.begin + len(marked) - len(marked.lstrip()),
            annotation.end - len(marked) + len(marked.rstrip()),
        )
        if begin < end:
            annotations.append(Annotation(annotation.phenomenon, begin, end))
    return Text(string, tuple(annotations), text.mentions)


def expand_macros(source: str, macros: Mapping[str, str]) -> str:
    """Return the source of a template with its macros, the words in capitals, expanded."""
    while (expansion := _CAPITALS.sub(lambda macro: macros[macro[0]], source)) != source:
        source = expansion
    return source


def render_ranked(random: WriterRandom, render: Callable[[], Text]) -> Text:
    """Return one of several candidates for a sentence, without a word twice in a row ("of you you'll see") if possible.

    Args:
        random: The random source, which ranks them.
        render: Renders a candidate.
    """

    def candidate() -> Text:
        for _ in range(MAX_TRIES):
            text = render()
            if not _REPEATED_WORD.search(text.string):
                break
        return text

    return random.rank(candidate, lambda text: text.string)


def _words(*phrases: str) -> str:
    longest = sorted(phrases, key=len, reverse=True)
    return "|".join("".join(f"{re.escape(token)} " for token in tokens(words)) for words in longest)


SLOT_WORDS = {"nth": tuple(ORDINALS), "count": tuple(NUMBERS), "side": ("left", "right")}
_SLOT_PATTERNS = {kind: _words(*fillers) for kind, fillers in SLOT_WORDS.items()}
THING_PATTERN = r"@\d+ "
WORDS_PATTERN = r"(?:[^ @.]+ ){1,6}?"


def _pattern(nodes: Nodes, slot_counts: dict[str, int]) -> str:
    patterns = []
    for part in nodes:
        if isinstance(part, PlainText):
            patterns.append("".join(f"{re.escape(token)} " for token in tokens(part.words)))
        elif isinstance(part, Slot):
            slot_counts[part.name] = slot_counts.get(part.name, 0) + 1
            group = part.name if slot_counts[part.name] == 1 else f"{part.name}_{slot_counts[part.name]}"
            kind = part.name.rpartition("_")[2]
            inner = THING_PATTERN if kind == "thing" else _SLOT_PATTERNS.get(kind, WORDS_PATTERN)
            patterns.append(f"(?P<{group}>{inner})")
        elif isinstance(part, Marked):
            patterns.append(_pattern(part.inner, slot_counts))
        else:
            # Longer alternatives first, so that an empty one cannot match too early.
            alternatives = sorted((_pattern(inner, slot_counts) for inner in part.choices), key=len, reverse=True)
            patterns.append(f"(?:{'|'.join(alternatives)})")
    return "".join(patterns)
