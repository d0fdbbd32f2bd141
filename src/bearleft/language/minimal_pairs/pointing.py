"""Minimal pairs: the same place and the same words but one, and another answer.

A model that reads is right on both texts of a pair; one that guesses from the scene gives the same answer twice. Both
texts of a pair name one thing only by the scene itself, and their answers lie far apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Literal, get_args

import numpy as np

from bearleft.errors import InputError, unknown
from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions.locate import (
    BUILDING,
    ObjectView,
    choose_window,
    locate_target,
    pixel_distance,
    view_object,
)
from bearleft.language.descriptions.semantics import Ints, Meaning, Pick, Ref, Relation, Scorer, Spot, Viewpoint
from bearleft.language.lexicon.lexicon import (
    COLOURS,
    Name,
    colour_words,
    denotation,
    names_of,
    number_word,
    ordinal_word,
)
from bearleft.language.minimal_pairs.templates import COLOURED, COUNTED, ONES, RANKS, SIDES, STACKED
from bearleft.language.noun_phrases import Phrase, indefinite_article, palette_colours
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.language.templates import Template
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.plan import check_seed
from bearleft.world.targets import MOVING

PASSES_OVER_PLACES = 3  # times that every place is asked, with other draws
Kind = Literal["left-right", "first-second", "colour", "above-below", "count"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Span = tuple[int, int]
MIN_ANSWER_PIXELS = 80.0  # pixels, in Touchdown's pictures, that two answers lie apart at least
MIN_MARGIN = 2.5  # by which a thing must fit better than the next
MIN_VISIBLE_SHARE, MAX_METRES, MAX_HIDDEN_SHARE = 3e-4, 32.0, 0.45  # share of the sphere, metres and share hidden of what is spoken of
_STATIC_KINDS = np.array([one.name not in (*MOVING, "building") for one in CLASSES])


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts for one place and start view that differ in one word, and their answers."""

    kind: str
    place: int
    heading: float
    text: str
    answer: Direction
    changed: str
    changed_answer: Direction
    spans: tuple[Span, Span]  # the word, in each text


@dataclass(frozen=True)
class _PairDraft:
    """A text in the making: the words that go with each of two words, and what each means."""

    source: Template
    slots: dict[str, str]
    words: tuple[str, str]
    meanings: tuple[Meaning, Meaning]


def generate_pairs(scene: SceneIndex, kind: Kind, count: int, seed: int = 0) -> list[Pair]:
    """Up to `count` minimal pairs of a kind, at places drawn from the seed; fewer where the city has no more."""
    if count < 1:
        raise InputError("at least one pair", str(count), "count")
    return list(islice((pair for pair in iterate_pairs(scene, kind, seed) if pair is not None), count))


def iterate_pairs(scene: SceneIndex, kind: Kind, seed: int = 0) -> Iterator[Pair | None]:
    """Place after place, ROUNDS times: a minimal pair of a kind, or None where there is none, or none that is new."""
    if kind not in KINDS:
        raise unknown("kind of minimal pair", kind, KINDS)
    check_seed(seed)
    places = Random(f"{seed} pairs {kind}").sample(range(len(scene.city.graph)), len(scene.city.graph))
    known: set[tuple[int, frozenset[Direction]]] = set()
    for number, place in enumerate(places * PASSES_OVER_PLACES):
        pair = _pair(scene, place, kind, Random(f"{seed} pair {kind} {number}"))
        asked = (place, frozenset((pair.answer, pair.changed_answer))) if pair else None
        yield pair if asked not in known else None
        if asked:
            known.add(asked)


def episodes_from_pairs(scene: SceneIndex, some: Iterable[Pair], name: str = "city/pairs") -> Iterator[Episode]:
    """Pairs as episodes: two share `extra["pair"]`, `extra["kind"]` says what changes, `extra["span"]` where."""
    graph = scene.city.graph
    for number, pair in enumerate(some):
        start, yaw = Pose(Direction(pair.heading, 0.0), graph.ids[pair.place]), float(graph.yaw[pair.place])
        told = (pair.text, pair.answer), (pair.changed, pair.changed_answer)
        for changed, (text, answer) in enumerate(told):
            extra = {"kind": pair.kind, "pair": number, "changed": bool(changed), "span": list(pair.spans[changed])}
            leg = Leg(text, Point(answer, graph.ids[pair.place], yaw))
            yield Episode(f"{pair.kind}-{number}{'ab'[changed]}", name, graph.name, start, (leg,), extra)


def _pair(scene: SceneIndex, place: int, kind: Kind, random: Random) -> Pair | None:
    heading = float(scene.city.graph.yaw[place])
    viewpoint = Viewpoint(scene, scene.at(place), heading)
    for asked in _GENERATORS[kind](viewpoint, random):
        answers = [_answer(viewpoint, meaning) for meaning in asked.meanings]
        if answers[0] is None or answers[1] is None or pixel_distance(answers[0], answers[1]) < MIN_ANSWER_PIXELS:
            continue
        first = random.randrange(2)  # either word may be the changed one
        again = random.getstate()
        texts = []
        for word in asked.words:
            random.setstate(again)
            texts.append(_render_text(random, asked, word))
        if texts[0][0] == texts[1][0]:
            continue
        (text, span), (changed, new) = texts[first], texts[1 - first]
        one, other = (answers[0], answers[1]) if first == 0 else (answers[1], answers[0])
        return Pair(kind, place, heading, text, one, changed, other, (span, new))
    return None


def _answer(viewpoint: Viewpoint, meaning: Meaning) -> Direction | None:
    """What a text means by the scene, None where it might mean another thing as well."""
    assert meaning.spot is not None
    scorer = Scorer(viewpoint, meaning)
    for ref in {meaning.spot.thing, meaning.spot.line} - {-1}:
        row, margin = scorer.best(ref)
        if row < 0 or margin < MIN_MARGIN:
            return None
    return locate_target(meaning, viewpoint.scene, viewpoint.visible.place, viewpoint.heading)


def _render_text(random: Random, asked: _PairDraft, word: str) -> tuple[str, Span]:
    """The text with a word, and where the word is."""
    text = asked.source.render(random, **asked.slots, word=Text(word).with_mentions(0))
    begin, end = text.mentions[0].begin, text.mentions[0].end
    sentences = text.string
    # Capitals where sentences begin, one letter for one letter.
    letters = [
        letter.upper() if not k or sentences[:k].endswith(". ") else letter for k, letter in enumerate(sentences)
    ]
    return "".join(letters), (begin, end)


# What there is to ask about.


def _prominent_rows(visible: VisibleObjects) -> list[int]:
    """Rows of what stands still, is near and plain to see."""
    good = (visible.share > MIN_VISIBLE_SHARE) & (visible.nearest < MAX_METRES) & (visible.hidden < MAX_HIDDEN_SHARE) & _STATIC_KINDS[visible.kind]
    return [int(row) for row in np.flatnonzero(good)]


def _name(random: Random, visible: VisibleObjects, row: int) -> Name:
    """A name that can be counted, where there is one."""
    names = names_of(int(visible.kind[row]), int(visible.variant[row]))
    return random.choice([name for name in names if not name.mass] or names)


def _phrase(name: Name, word: str = "", colour: str = "", number: int = 1) -> Phrase:
    return Phrase(word or name.singular, denotation(name), palette_colours(colour), number, plural=number > 1)


def _with_article(noun: str) -> str:
    return f"{indefinite_article(noun)}{noun}"


def _spot_words(random: Random, visible: VisibleObjects, row: int) -> tuple[str, tuple[float | None, float | None]]:
    """Where on a thing, in words and as what they mean."""
    if visible.top[row] - visible.bottom[row] < 20 and visible.width[row] < 15 and random.random() < 0.6:
        return random.choice(("on top of", "on the top of", "atop")), (None, 0.87)
    return random.choice(("in the middle of", "in the center of", "on the middle of")), (0.5, 0.5)


def _matching_rows(viewpoint: Viewpoint, phrase: Phrase) -> list[int]:
    return [int(row) for row in Scorer(viewpoint, Meaning((Ref(phrase),))).fitting(0)]


def _left_right(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    visible = viewpoint.visible
    rows = _prominent_rows(visible)
    random.shuffle(rows)
    for row in rows[:12]:
        name = _name(random, visible, row)
        off = turn(viewpoint.heading, visible.heading[_matching_rows(viewpoint, _phrase(name))])
        at, (across, up) = _spot_words(random, visible, row)
        spot = Spot(0, "", across, up)
        sides = [int(((off * sign > 30) & (off * sign < 150)).sum()) for sign in (-1, 1)]
        if sides == [1, 1]:
            refs = [Ref(_phrase(name), side=side) for side in ("left", "right")]
            slots = {"thing": _with_article(name.singular), "noun": name.singular, "at": at}
            yield _PairDraft(
                random.choice(SIDES),
                slots,
                ("left", "right"),
                (Meaning((refs[0],), (), spot), Meaning((refs[1],), (), spot)),
            )
        yield from _pick_from_group(viewpoint, random, name, row, ("left", "right"))


def _pick_from_group(viewpoint: Viewpoint, random: Random, name: Name, row: int, said: tuple[str, str]) -> Iterator[_PairDraft]:
    """Several alike on one side: the left or the right one, or the first or second from an end."""
    visible = viewpoint.visible
    at, (across, up) = _spot_words(random, visible, row)
    ranked = said[0] != "left"
    for side, words in random.sample(
        ((("ahead"), " ahead of you"), ("left", " on your left"), ("right", " on your right"), ("", "")), 4
    ):
        meaning = Meaning((Ref(_phrase(name, number=2), side=side),))
        rows, scores = Scorer(viewpoint, meaning).scores(0)
        if not len(rows):
            continue
        some = rows[scores > scores.max() - MIN_MARGIN]
        if len(some) not in ((2, 3, 4) if ranked else (2,)) or (scores > scores.max() - 6).sum() != len(some):
            continue
        if np.abs(turn(visible.heading[some[0]], visible.heading[some])).max() > 120 or (visible.hidden[some] > 0.7).any():
            continue
        end: Literal["left", "right"] = random.choice(("left", "right"))
        picks = (Pick(end, 1), Pick(end, 2)) if ranked else (Pick("left", 1), Pick("right", 1))
        meanings = []
        for pick in picks:
            both, one = meaning.one_of(0, pick)
            meanings.append(Meaning(both.refs, both.links, Spot(one, "", across, up)))
        slots = {
            "thing": f"{number_word(len(some))} {name.plural}",
            "side": words,
            "at": at,
            "noun": name.singular,
            "end": end,
        }
        yield _PairDraft(random.choice(RANKS if ranked else ONES), slots, said, (meanings[0], meanings[1]))
        return


def _first_second(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    rows = _prominent_rows(viewpoint.visible)
    random.shuffle(rows)
    for row in rows[:12]:
        yield from _pick_from_group(viewpoint, random, _name(random, viewpoint.visible, row), row, (ordinal_word(1), ordinal_word(2)))


def _colour(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    visible = viewpoint.visible
    rows = [row for row in _prominent_rows(visible) if visible.colour[row] >= 0]
    random.shuffle(rows)
    for row in rows[:10]:
        name = _name(random, visible, row)
        if any(word in COLOURS for word in name.singular.split()):
            continue
        at, (across, up) = _spot_words(random, visible, row)
        mine = _single_colour_words(visible, row)
        for other in rows:
            table = denotation(name)
            theirs = _single_colour_words(visible, other)
            if (
                other == row
                or not table[visible.kind[other], visible.variant[other]]
                or not mine
                or not theirs
                or set(mine) & set(theirs)
            ):
                continue
            if mine[0][0] in "aeiou" or theirs[0][0] in "aeiou":
                continue  # "an orange" would change two words
            meanings = [
                Meaning((Ref(_phrase(name, colour=word)),), (), Spot(0, "", across, up))
                for word in (mine[0], theirs[0])
            ]
            slots = {"noun": name.singular, "at": at, "article": "a"}
            yield _PairDraft(random.choice(COLOURED), slots, (mine[0], theirs[0]), (meanings[0], meanings[1]))


def _single_colour_words(visible: VisibleObjects, row: int) -> list[str]:
    """The words of one word for a thing's colour."""
    return [word for word in colour_words(palette.COLOUR_NAMES[int(visible.colour[row])]) if " " not in word]


def _above_below(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    """A window above a thing on a wall, and one below it."""
    visible, owner = viewpoint.visible, viewpoint.scene.plan.things["owner"]
    rows = [row for row in _prominent_rows(visible) if owner[visible.instance[row] - 1] >= 0]
    random.shuffle(rows)
    for row in rows[:14]:
        whole = visible.find(int(owner[visible.instance[row] - 1]) + 1)
        if whole < 0 or visible.kind[whole] != BUILDING:
            continue
        seen = view_object(viewpoint.scene, visible.place, int(visible.instance[whole]))
        if not len(seen) or not _has_windows_above_and_below(viewpoint, seen, int(visible.instance[row])):
            continue
        name, house = _name(random, visible, row), _name(random, visible, whole)
        refs = Ref(_phrase(name)), Ref(_phrase(house))
        links = (Relation("on", 0, (1,)),)
        meanings = [Meaning(refs, links, Spot(1, "window", line=0, towards=towards)) for towards in ("above", "below")]
        slots = {"thing": f"{_with_article(name.singular)} on {_with_article(house.singular)}", "it": f"that {name.singular}", "other": f"that {house.singular}"}
        yield _PairDraft(random.choice(STACKED), slots, ("above", "below"), (meanings[0], meanings[1]))


def _has_windows_above_and_below(viewpoint: Viewpoint, seen: ObjectView, instance: int) -> bool:
    """Whether a window is right above a thing and another right below it."""
    thing, ex = instance - 1, viewpoint.extents
    middle = ex.middle(np.array([thing]))[0]
    for towards in ("above", "below"):
        k = choose_window(seen, Spot(0, "window", line=0, towards=towards), middle)
        if k < 0 or abs(seen.panes.along[k] - (float(middle[:2] @ seen.axis) - seen.begin)) > 1.5:
            return False
        up = seen.panes.up[k]
        if up < ex.high[thing, 2] if towards == "above" else up > ex.low[thing, 2]:
            return False
    return True


def _count(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    """Two houses that are told apart by how many of something they have."""
    visible, owner = viewpoint.visible, viewpoint.scene.plan.things["owner"]
    whose = owner[visible.instance - 1].astype(int) + 1
    houses = [int(k) for k in np.flatnonzero((visible.kind == BUILDING) & (visible.share > 5e-3) & (visible.nearest < 40))]
    random.shuffle(houses)
    for first in houses[:6]:
        for second in houses[:6]:
            if first != second:
                yield from _count_drafts(viewpoint, random, whose, first, second)


def _count_drafts(viewpoint: Viewpoint, random: Random, whose: Ints, first: int, second: int) -> Iterator[_PairDraft]:
    visible = viewpoint.visible
    own = [np.flatnonzero(whose == visible.instance[k]) for k in (first, second)]
    counted = [
        name for name in _shared_names(random, visible, own) if _count_named(visible, own[0], name) != _count_named(visible, own[1], name)
    ]
    single = [
        name
        for name in _shared_names(random, visible, own)
        if _count_named(visible, own[0], name) == _count_named(visible, own[1], name) == 1
    ]
    house = next(
        (
            n
            for n in _shuffled(random, names_of(0, int(visible.variant[first])))
            if denotation(n)[0, visible.variant[second]]
        ),
        None,
    )
    if house is None:
        return
    for name in counted[:3]:
        numbers = [_count_named(visible, some, name) for some in own]
        if min(numbers) < 2 or max(numbers) > 6:
            continue
        for one in single[:3]:
            if one.singular == name.singular or (denotation(one) & denotation(name)).any():
                continue
            meanings = []
            for number in numbers:
                many = _phrase(name, f"{number_word(number)} {name.plural}", number=number)
                refs = Ref(_phrase(one)), Ref(_phrase(house)), Ref(many)
                meanings.append(Meaning(refs, (Relation("on", 0, (1,)), Relation("has", 1, (2,))), Spot(0, "", 0.5, 0.5)))
            slots = {
                "thing": _with_article(house.singular),
                "whole": house.singular,
                "many": name.plural,
                "noun": one.singular,
                "at": "in the middle of",
            }
            words = number_word(numbers[0]), number_word(numbers[1])
            yield _PairDraft(random.choice(COUNTED), slots, words, (meanings[0], meanings[1]))


def _shuffled(random: Random, names: Sequence[Name]) -> list[Name]:
    return random.sample(list(names), len(names))


def _shared_names(random: Random, visible: VisibleObjects, own: Sequence[Ints]) -> list[Name]:
    """Names of what two houses both have."""
    sets = [{name for k in some for name in names_of(int(visible.kind[k]), int(visible.variant[k]))} for some in own]
    both = sorted((name for name in sets[0] & sets[1] if not name.mass), key=lambda name: name.singular)
    return _shuffled(random, both)


def _count_named(visible: VisibleObjects, rows: Ints, name: Name) -> int:
    good = denotation(name)[visible.kind[rows], visible.variant[rows]] & (visible.hidden[rows] < 0.93)
    return int(good.sum())


_GENERATORS: dict[Kind, Callable[[Viewpoint, Random], Iterator[_PairDraft]]] = {
    "left-right": _left_right,
    "first-second": _first_second,
    "colour": _colour,
    "above-below": _above_below,
    "count": _count,
}
