"""Speaker: the word preferences of one writer of ArraMon's instructions.

A speaker renders frames as clauses and names objects so that a walker finds them. The walker tries each frame first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np

from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Annotation, Mention, Text
from bearleft.language.arramon_navigation.object_names import ONE_COLOUR_CLASSES, name_weight
from bearleft.language.arramon_navigation.scene import BUILDING, MAX_NEAR_DISTANCE, LocatedPhrase, ShortPhrase
from bearleft.language.arramon_navigation.semantics import ClauseFrame, Walker
from bearleft.language.arramon_navigation.templates import CLAUSES, CLOSEST_WORDS, CROSSING_NOUNS, NEAR_WORDS, Clause
from bearleft.language.lexicon.lexicon import Name, ordinal_word
from bearleft.language.noun_phrases import (
    PLAIN,
    Article,
    Attributes,
    NounHabits,
    Phrase,
    choose_attributes,
    indefinite_article,
    noun_phrase,
)
from bearleft.language.templates import Template, render_ranked
from bearleft.language.writer_random import WriterRandom

T = TypeVar("T")
MAX_NAME_TRIES = 4  # per object
MAX_RANK = 3  # up to "the third barrel"
HABITS = NounHabits(pair=0.12, adjective=0.12, part=0.14, relative=0.1)
DEFINITE_RATE = 0.5  # of "the barrel with the red lid" rather than "with a red lid"
NEXT_RATE = 0.5  # of "the next left" rather than "the first left"
SAME_NAME_RATE = 0.8  # how often a writer names another object of a class by the same name
ARTICLES: dict[Article, float] = {"the": 0.75, "a": 0.2, "": 0.05}
MIN_NEAR_MARGIN = 0.5  # metres from the limit of being near
UNIQUE_RADIUS = 28.0  # metres in which no other object may match the name
_AFTER_NOUN = re.compile(r" (?:of|with|that|which|having|next to|near|by|beside|close to|right by)\b")
_PART_ARTICLE = re.compile(r"^with (?:an? )?")
_NEAR = Template(f"{{thing}} <a:{NEAR_WORDS}> {{other_thing}}")


@dataclass(frozen=True)
class ClauseItem:
    """A clause of an instruction: its frame, text and template."""

    frame: ClauseFrame
    text: Text
    clause: Clause


class Speaker:
    """Word preferences of one writer, the clauses of its instruction so far, and a walker that has executed them."""

    def __init__(self, walker: Walker, random: WriterRandom) -> None:
        self.walker, self.random = walker, random
        self.items: list[ClauseItem] = []
        self.used: set[int] = set()
        self.crossing = str(random.choice(CROSSING_NOUNS))
        self._names: dict[tuple[Name, ...], Name] = {}

    @property
    def length(self) -> int:
        """The number of words so far."""
        return sum(len(words(item.text.string)) for item in self.items) + len(self.items) // 2

    def name(
        self, row: int, side: int = 0, heading: float | None = None, wide: float | None = None, count: bool = True
    ) -> tuple[Text, Phrase] | None:
        """Return a noun phrase by which the walker finds an object: the only match nearby, or one with an ordinal.

        Args:
            row: The object.
            side: Search on this side only.
            heading: The direction of the search; the walker's by default.
            wide: The degrees to either side; the walker's by default.
            count: Whether ordinals are allowed.
        """
        ranked = None
        for text, phrase in self.name_candidates(row):
            rows, _, distance, visible = self.walker.matches_around(phrase, side, heading, wide)
            matching = rows[visible][np.argsort(distance[visible], kind="stable")].tolist()
            if row not in matching:
                return None
            if not np.any(visible & (rows != row) & (distance < UNIQUE_RADIUS)) and self.walker.find(
                phrase, side, heading, wide
            ).tolist() == [row]:
                return text, phrase
            rank = matching.index(row) + 1
            can_rank = not is_plural(text.string) and not isinstance(phrase, LocatedPhrase)
            if count and ranked is None and len(matching) > 1 and rank <= MAX_RANK and can_rank:
                # Before the first move nothing was passed: the first is the nearest.
                first_words = CLOSEST_WORDS if not self.items else ("first", "first", "first", "next")
                word = self.random.choice(first_words) if rank == 1 else ordinal_word(rank)
                with_rank = _with_rank(text, phrase, rank, word)
                if self.walker.find(with_rank[1], side, heading, wide).tolist() == [row]:
                    ranked = with_rank
        return ranked

    def name_candidates(self, row: int) -> Iterator[tuple[Text, Phrase]]:
        """Yield noun phrases for an object; the later ones mention its colour."""
        random, scene = self.random, self.walker.scene
        colours, is_building = scene.tints(row), scene.kind[row] == BUILDING
        habits = replace(HABITS, pair=0.0) if scene.class_name(row) in ONE_COLOUR_CLASSES else HABITS
        pending = random.take_recorded()
        article = random.pick("article", ARTICLES if row not in self.used else ARTICLES | {"a": 0.0})
        is_located = not is_building and random.chance("located object", 0.1)
        recorded, random.recorded = random.take_recorded(), pending
        for attempt in range(MAX_NAME_TRIES):
            pending = random.take_recorded()
            name = self._name_of(scene.names(row), attempt > 0)
            is_said = attempt > 0 or random.random() < scene.colour_rate(row)
            colour = colours[0] if colours and is_said else ""
            attributes = PLAIN
            if attempt in (0, MAX_NAME_TRIES - 1):
                colour, attributes = choose_attributes(random, scene.look(row), name, colour, habits=habits)
                if article == "the" and attributes.after.startswith("with ") and random.random() < DEFINITE_RATE:
                    attributes = attributes._replace(after=_PART_ARTICLE.sub("with the ", attributes.after))
            is_short = row in scene.low and random.chance("short building", 0.6)
            if is_short:
                attributes = Attributes(before="short")
                colour = colour if attempt > 0 or random.chance("colour of short building", 0.4) else ""
            text, phrase = noun_phrase(name, int(scene.instance[row]), article, colour, attributes=attributes)
            if is_short:
                phrase = ShortPhrase(**{field.name: getattr(phrase, field.name) for field in fields(Phrase)})
            if is_located and attributes == PLAIN and attempt in (0, MAX_NAME_TRIES - 1):
                text, phrase = self._located(row, text, phrase, article) or (text, phrase)
            # Choices made for a name count only where it is used.
            text = text.with_annotations(*recorded, *random.take_recorded())
            random.recorded = pending
            yield text, phrase

    def _name_of(self, names: tuple[Name, ...], again: bool) -> Name:
        """Return one of the names of an object, mostly the writer's own one."""
        if again or names not in self._names or self.random.random() > SAME_NAME_RATE:
            (name,) = self.random.choices(names, [name_weight(name) for name in names])
            return self._names.setdefault(names, name) if not again else name
        return self._names[names]

    def _located(self, row: int, text: Text, phrase: Phrase, article: Article) -> tuple[Text, Phrase] | None:
        """Return a name with an object of another class nearby: "the bench next to the hydrant"."""
        scene = self.walker.scene
        distance = np.hypot(scene.east - scene.east[row], scene.north - scene.north[row])
        others = np.flatnonzero((distance < MAX_NEAR_DISTANCE - MIN_NEAR_MARGIN) & (scene.kind != scene.kind[row]))
        others = others[scene.kind[others] != BUILDING]
        if not len(others) or not scene.sees(self.walker.position, scene.east[others[0]], scene.north[others[0]])[0]:
            return None
        other = int(others[0])
        colour = (*scene.tints(other), "")[0] if self.random.random() < scene.colour_rate(other) else ""
        other_text, other_phrase = noun_phrase(
            self._name_of(scene.names(other), False), int(scene.instance[other]), article, colour
        )
        text = _NEAR.render(self.random, thing=text, other_thing=other_text)
        return text, LocatedPhrase(
            text.string, phrase.table, phrase.colours, features=phrase.features, near=other_phrase
        )

    def by_salience(self, rows: Sequence[int]) -> list[int]:
        """Return objects in random order, those that people often mention likely first, others often left out."""
        rows = [row for row in rows if self.random.random() < self.walker.scene.salience(row)]
        keys = {row: self.random.random() ** (1.0 / self.walker.scene.salience(row)) for row in rows}
        return sorted(rows, key=lambda row: -keys[row])

    def after(self, frame: ClauseFrame, function: Callable[[list[int]], T]) -> T:
        """Return the value of a function of the rows once the walker has executed a frame; then restore the walker."""
        walker = self.walker
        state = walker.position, walker.heading, walker.view_angle, list(walker.stops), walker.last
        rows = walker.do(frame).tolist()
        result = function(rows)
        walker.position, walker.heading, walker.view_angle, walker.stops, walker.last = state
        return result

    def do(self, name: str, frame: ClauseFrame, expected: Iterable[int] | None = None, **slots: Text | str) -> bool:
        """Execute a frame and render it, if the walker finds the expected objects; return whether it does."""
        if expected is not None and self.after(frame, lambda rows: rows) != list(expected):
            return False
        rows = self.walker.do(frame).tolist()
        if "cross" not in frame.name and frame.name != "through":
            self.used.update(rows)
        self.say(name, frame, **slots)
        return True

    def say(self, name: str, frame: ClauseFrame, **slots: Text | str) -> None:
        """Render a frame without trying it."""
        values: dict[str, Text | str] = {"crossing": self.crossing, **slots}
        if frame.side:
            values["side"] = "left" if frame.side < 0 else "right"
        if frame.nth:
            is_next = frame.nth == 1 and self.random.random() < NEXT_RATE
            values["nth"] = "next" if is_next else ordinal_word(frame.nth)
        is_many = frame.thing is not None and is_plural(frame.thing.words)

        def fits(clause: Clause) -> bool:
            return (
                clause.slots <= values.keys()
                and (("nth" in clause.slots) == (frame.nth > 0))
                and (("other_thing" in clause.slots) == ("other_thing" in values))
                and not (is_many and clause.singular)
            )

        clauses = CLAUSES[name]
        eligible = [float(fits(option)) for option in clauses]

        def item() -> ClauseItem:
            clause = clauses[self.random.index(f"clause {name}", eligible) if len(clauses) > 1 else 0]
            thing, slots = values.get("thing"), values
            may_introduce = clause.introduces and not is_many and frame.thing is not None and not frame.thing.ordinal
            if isinstance(thing, Text) and may_introduce and self.random.chance("a after see", 0.4):
                slots = {**values, "thing": with_article(thing, "a")}
            other = values.get("other_thing")
            is_pair = isinstance(thing, Text) and thing.string.startswith("the ")
            is_pair &= "{thing} and {other_thing}" in clause.source
            if isinstance(other, Text) and is_pair and self.random.chance("one article for two", 0.35):
                slots = {**slots, "other_thing": with_article(other, "")}
            text = render_ranked(self.random, lambda: clause.template.render(self.random, **slots))
            return ClauseItem(frame, text, clause)

        self.items.append(self.random.rank(item, lambda item: item.text.string))


def is_plural(name: str) -> bool:
    """Return whether the name of a single object is plural: "the tires"."""
    noun = _AFTER_NOUN.split(name)[0]
    return noun.endswith("s") and not noun.endswith("ss")


def with_article(text: Text, article: str) -> Text:
    """Return a noun phrase with another article in place of "the": "a bench", or "bench" for no article."""
    if not text.string.startswith("the "):
        return text
    noun = text.string[4:]
    begin = indefinite_article(noun) if article == "a" else ""
    shift = len(begin) - 4
    annotations = (Annotation(a.phenomenon, max(a.begin + shift, 0), a.end + shift) for a in text.annotations)
    mentions = (Mention(m.instance, max(m.begin + shift, 0), m.end + shift) for m in text.mentions)
    return Text(begin + noun, tuple(annotations), tuple(mentions))


def _with_rank(text: Text, phrase: Phrase, rank: int, word: str) -> tuple[Text, Phrase]:
    """Return "the second barrel" for "the barrel"."""
    first_word, _, noun = text.string.partition(" ")
    noun = noun if first_word in ("a", "an", "the", "some") else text.string
    ranked = Text(f"the {word} {noun}")
    ranked = ranked.with_annotations("unique entity", "comparison" if word in CLOSEST_WORDS else "sequencing")
    ranked = ranked.with_mentions(*(mention.instance for mention in text.mentions))
    return ranked, replace(phrase, words=ranked.string, ordinal=rank)
