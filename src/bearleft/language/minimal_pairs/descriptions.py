"""Minimal pairs of target descriptions: the same place, one changed word, and another answer.

A model that reads the text is right on both texts of a pair; a model that guesses from the scene gives the same answer
twice. Each text of a pair is unambiguous in its scene, and the two answers lie far apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Literal, get_args

import numpy as np

from bearleft.errors import InputError, unknown_name
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
from bearleft.language.descriptions.semantics import Ints, Meaning, Ref, Relation, Scorer, Selector, Spot, Viewpoint
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
from bearleft.world.targets import MOVING_CLASSES

PASSES_OVER_PLACES = 3  # every place is tried this often, with different random draws
DescriptionKind = Literal["left-right", "first-second", "colour", "above-below", "count"]
DESCRIPTION_KINDS: tuple[DescriptionKind, ...] = get_args(DescriptionKind)
Span = tuple[int, int]
MIN_ANSWER_PIXELS = 80.0  # pixels of a Touchdown panorama between the two answers
MIN_MARGIN = 2.5  # score by which the best object must beat the next one
MIN_VISIBLE_SHARE = 3e-4  # share of the sphere that a mentioned object must cover
MAX_METRES = 32.0  # distance of a mentioned object
MAX_HIDDEN_SHARE = 0.45  # share of a mentioned object that other objects may hide
_STATIC_KINDS = np.array([object_class.name not in (*MOVING_CLASSES, "building") for object_class in CLASSES])


@dataclass(frozen=True, slots=True)
class DescriptionPair:
    """Two texts for one place and start heading that differ in one word, and their answers."""

    kind: str
    place: int
    heading: float
    text: str
    answer: Direction
    changed_text: str
    changed_answer: Direction
    spans: tuple[Span, Span]  # span of the changed word in each text


@dataclass(frozen=True)
class _PairDraft:
    """A pair before rendering: the template with its slots, the two words, and the meaning of each text."""

    template: Template
    slots: dict[str, str]
    words: tuple[str, str]
    meanings: tuple[Meaning, Meaning]


def generate_description_pairs(
    scene: SceneIndex, kind: DescriptionKind, count: int, seed: int = 0
) -> list[DescriptionPair]:
    """Return up to `count` minimal pairs of a kind, fewer if the city has no more.

    Args:
        scene: The scene of the city.
        kind: What changes between the two texts.
        count: Maximum number of pairs.
        seed: Seed of the places and of the texts.

    Raises:
        InputError: If `count` is less than 1 or `kind` is unknown.
    """
    if count < 1:
        raise InputError("at least one pair", str(count), "count")
    return list(islice((pair for pair in iterate_description_pairs(scene, kind, seed) if pair is not None), count))


def iterate_description_pairs(
    scene: SceneIndex, kind: DescriptionKind, seed: int = 0
) -> Iterator[DescriptionPair | None]:
    """Visit every place PASSES_OVER_PLACES times and yield a new minimal pair, or None."""
    if kind not in DESCRIPTION_KINDS:
        raise unknown_name("kind of minimal pair", kind, DESCRIPTION_KINDS)
    check_seed(seed)
    places = Random(f"{seed} pairs {kind}").sample(range(len(scene.city.graph)), len(scene.city.graph))
    seen: set[tuple[int, frozenset[Direction]]] = set()
    for number, place in enumerate(places * PASSES_OVER_PLACES):
        pair = _pair(scene, place, kind, Random(f"{seed} pair {kind} {number}"))
        key = (place, frozenset((pair.answer, pair.changed_answer))) if pair else None
        yield pair if key not in seen else None
        if key:
            seen.add(key)


def description_pair_episodes(
    scene: SceneIndex, pairs: Iterable[DescriptionPair], name: str = "city/pairs"
) -> Iterator[Episode]:
    """Yield two episodes per pair.

    Both share `extra["pair"]`; `extra["kind"]` is the kind of change and `extra["span"]` the changed word.
    """
    graph = scene.city.graph
    for number, pair in enumerate(pairs):
        start, yaw = Pose(Direction(pair.heading, 0.0), graph.ids[pair.place]), float(graph.yaw[pair.place])
        variants = (pair.text, pair.answer), (pair.changed_text, pair.changed_answer)
        for is_changed, (text, answer) in enumerate(variants):
            extra = {
                "kind": pair.kind,
                "pair": number,
                "changed": bool(is_changed),
                "span": list(pair.spans[is_changed]),
            }
            leg = Leg(text, Point(answer, graph.ids[pair.place], yaw))
            yield Episode(f"{pair.kind}-{number}{'ab'[is_changed]}", name, graph.name, start, (leg,), extra)


def _pair(scene: SceneIndex, place: int, kind: DescriptionKind, random: Random) -> DescriptionPair | None:
    heading = float(scene.city.graph.yaw[place])
    viewpoint = Viewpoint(scene, scene.at(place), heading)
    for draft in _GENERATORS[kind](viewpoint, random):
        answers = [_answer(viewpoint, meaning) for meaning in draft.meanings]
        if answers[0] is None or answers[1] is None or pixel_distance(answers[0], answers[1]) < MIN_ANSWER_PIXELS:
            continue
        first = random.randrange(2)  # either word can be the changed one
        state = random.getstate()
        texts = []
        for word in draft.words:
            random.setstate(state)
            texts.append(_render_text(random, draft, word))
        if texts[0][0] == texts[1][0]:
            continue
        (text, span), (changed_text, changed_span) = texts[first], texts[1 - first]
        answer, changed_answer = (answers[0], answers[1]) if first == 0 else (answers[1], answers[0])
        return DescriptionPair(kind, place, heading, text, answer, changed_text, changed_answer, (span, changed_span))
    return None


def _answer(viewpoint: Viewpoint, meaning: Meaning) -> Direction | None:
    """Return the direction that a meaning resolves to, None if it is ambiguous."""
    assert meaning.spot is not None
    scorer = Scorer(viewpoint, meaning)
    for ref in {meaning.spot.ref_index, meaning.spot.aligned_with} - {-1}:
        object_row, margin = scorer.best(ref)
        if object_row < 0 or margin < MIN_MARGIN:
            return None
    return locate_target(meaning, viewpoint.scene, viewpoint.visible.place, viewpoint.heading)


def _render_text(random: Random, draft: _PairDraft, word: str) -> tuple[str, Span]:
    """Return the text with one of the two words, and the span of that word."""
    text = draft.template.render(random, **draft.slots, word=Text(word).with_mentions(0))
    begin, end = text.mentions[0].begin, text.mentions[0].end
    string = text.string
    # Capitalize sentences without changing the length, so that the span stays valid.
    letters = [letter.upper() if not k or string[:k].endswith(". ") else letter for k, letter in enumerate(string)]
    return "".join(letters), (begin, end)


def _prominent_rows(visible: VisibleObjects) -> list[int]:
    """Return the rows of the visible-objects table whose objects are static, near and clearly visible."""
    good = (
        (visible.share > MIN_VISIBLE_SHARE)
        & (visible.nearest < MAX_METRES)
        & (visible.hidden < MAX_HIDDEN_SHARE)
        & _STATIC_KINDS[visible.kind]
    )
    return [int(object_row) for object_row in np.flatnonzero(good)]


def _name(random: Random, visible: VisibleObjects, object_row: int) -> Name:
    """Return a random name, countable if there is one."""
    names = names_of(int(visible.kind[object_row]), int(visible.variant[object_row]))
    return random.choice([name for name in names if not name.mass] or names)


def _phrase(name: Name, word: str = "", colour: str = "", number: int = 1) -> Phrase:
    return Phrase(word or name.singular, denotation(name), palette_colours(colour), number, plural=number > 1)


def _with_article(noun: str) -> str:
    return f"{indefinite_article(noun)}{noun}"


def _spot_words(
    random: Random, visible: VisibleObjects, object_row: int
) -> tuple[str, tuple[float | None, float | None]]:
    """Return words for a spot on an object, and their meaning (across, up)."""
    if (
        visible.top[object_row] - visible.bottom[object_row] < 20
        and visible.width[object_row] < 15
        and random.random() < 0.6
    ):
        return random.choice(("on top of", "on the top of", "atop")), (None, 0.87)
    return random.choice(("in the middle of", "in the center of", "on the middle of")), (0.5, 0.5)


def _matching_rows(viewpoint: Viewpoint, phrase: Phrase) -> list[int]:
    return [int(object_row) for object_row in Scorer(viewpoint, Meaning((Ref(phrase),))).fitting(0)]


def _left_right(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    visible = viewpoint.visible
    object_rows = _prominent_rows(visible)
    random.shuffle(object_rows)
    for object_row in object_rows[:12]:
        name = _name(random, visible, object_row)
        angles = turn(viewpoint.heading, visible.heading[_matching_rows(viewpoint, _phrase(name))])
        spot_words, (across, up) = _spot_words(random, visible, object_row)
        spot = Spot(0, "", across, up)
        sides = [int(((angles * sign > 30) & (angles * sign < 150)).sum()) for sign in (-1, 1)]
        if sides == [1, 1]:
            refs = [Ref(_phrase(name), side=side) for side in ("left", "right")]
            slots = {"thing": _with_article(name.singular), "noun": name.singular, "at": spot_words}
            yield _PairDraft(
                random.choice(SIDES),
                slots,
                ("left", "right"),
                (Meaning((refs[0],), (), spot), Meaning((refs[1],), (), spot)),
            )
        yield from _pick_from_group(viewpoint, random, name, object_row, ("left", "right"))


def _pick_from_group(
    viewpoint: Viewpoint, random: Random, name: Name, object_row: int, words: tuple[str, str]
) -> Iterator[_PairDraft]:
    """Yield drafts about a group: its left or right object, or the first or second from one end."""
    visible = viewpoint.visible
    spot_words, (across, up) = _spot_words(random, visible, object_row)
    ranked = words[0] != "left"
    for side, side_words in random.sample(
        ((("ahead"), " ahead of you"), ("left", " on your left"), ("right", " on your right"), ("", "")), 4
    ):
        meaning = Meaning((Ref(_phrase(name, number=2), side=side),))
        object_rows, scores = Scorer(viewpoint, meaning).scores(0)
        if not len(object_rows):
            continue
        group = object_rows[scores > scores.max() - MIN_MARGIN]
        if len(group) not in ((2, 3, 4) if ranked else (2,)) or (scores > scores.max() - 6).sum() != len(group):
            continue
        if (
            np.abs(turn(visible.heading[group[0]], visible.heading[group])).max() > 120
            or (visible.hidden[group] > 0.7).any()
        ):
            continue
        end: Literal["left", "right"] = random.choice(("left", "right"))
        picks = (Selector(end, 1), Selector(end, 2)) if ranked else (Selector("left", 1), Selector("right", 1))
        meanings = []
        for pick in picks:
            group_meaning, ref = meaning.one_of(0, pick)
            meanings.append(Meaning(group_meaning.refs, group_meaning.relations, Spot(ref, "", across, up)))
        slots = {
            "thing": f"{number_word(len(group))} {name.plural}",
            "side": side_words,
            "at": spot_words,
            "noun": name.singular,
            "end": end,
        }
        yield _PairDraft(random.choice(RANKS if ranked else ONES), slots, words, (meanings[0], meanings[1]))
        return


def _first_second(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    object_rows = _prominent_rows(viewpoint.visible)
    random.shuffle(object_rows)
    for object_row in object_rows[:12]:
        yield from _pick_from_group(
            viewpoint,
            random,
            _name(random, viewpoint.visible, object_row),
            object_row,
            (ordinal_word(1), ordinal_word(2)),
        )


def _colour(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    visible = viewpoint.visible
    object_rows = [object_row for object_row in _prominent_rows(visible) if visible.colour[object_row] >= 0]
    random.shuffle(object_rows)
    for object_row in object_rows[:10]:
        name = _name(random, visible, object_row)
        if any(word in COLOURS for word in name.singular.split()):
            continue
        spot_words, (across, up) = _spot_words(random, visible, object_row)
        own_words = _single_colour_words(visible, object_row)
        for other in object_rows:
            table = denotation(name)
            other_words = _single_colour_words(visible, other)
            if (
                other == object_row
                or not table[visible.kind[other], visible.variant[other]]
                or not own_words
                or not other_words
                or set(own_words) & set(other_words)
            ):
                continue
            if own_words[0][0] in "aeiou" or other_words[0][0] in "aeiou":
                continue  # "an orange" would change two words
            meanings = [
                Meaning((Ref(_phrase(name, colour=word)),), (), Spot(0, "", across, up))
                for word in (own_words[0], other_words[0])
            ]
            slots = {"noun": name.singular, "at": spot_words, "article": "a"}
            yield _PairDraft(random.choice(COLOURED), slots, (own_words[0], other_words[0]), (meanings[0], meanings[1]))


def _single_colour_words(visible: VisibleObjects, object_row: int) -> list[str]:
    """Return the single-word names of an object's colour."""
    return [word for word in colour_words(palette.COLOUR_NAMES[int(visible.colour[object_row])]) if " " not in word]


def _above_below(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    """Yield drafts about a window above or below an object on a wall."""
    visible, owner = viewpoint.visible, viewpoint.scene.plan.things["owner"]
    object_rows = [
        object_row for object_row in _prominent_rows(visible) if owner[visible.instance[object_row] - 1] >= 0
    ]
    random.shuffle(object_rows)
    for object_row in object_rows[:14]:
        building_row = visible.find(int(owner[visible.instance[object_row] - 1]) + 1)
        if building_row < 0 or visible.kind[building_row] != BUILDING:
            continue
        view = view_object(viewpoint.scene, visible.place, int(visible.instance[building_row]))
        if not len(view) or not _has_windows_above_and_below(viewpoint, view, int(visible.instance[object_row])):
            continue
        name, building = _name(random, visible, object_row), _name(random, visible, building_row)
        refs = Ref(_phrase(name)), Ref(_phrase(building))
        relations = (Relation("on", 0, (1,)),)
        meanings = [
            Meaning(refs, relations, Spot(1, "window", aligned_with=0, side_of=towards))
            for towards in ("above", "below")
        ]
        slots = {
            "thing": f"{_with_article(name.singular)} on {_with_article(building.singular)}",
            "it": f"that {name.singular}",
            "other": f"that {building.singular}",
        }
        yield _PairDraft(random.choice(STACKED), slots, ("above", "below"), (meanings[0], meanings[1]))


def _has_windows_above_and_below(viewpoint: Viewpoint, view: ObjectView, instance: int) -> bool:
    """Return whether there are windows right above and right below an object."""
    index, extents = instance - 1, viewpoint.extents
    middle = extents.middle(np.array([index]))[0]
    for towards in ("above", "below"):
        k = choose_window(view, Spot(0, "window", aligned_with=0, side_of=towards), middle)
        if k < 0 or abs(view.windows.along[k] - (float(middle[:2] @ view.axis) - view.begin)) > 1.5:
            return False
        up = view.windows.up[k]
        if up < extents.high[index, 2] if towards == "above" else up > extents.low[index, 2]:
            return False
    return True


def _count(viewpoint: Viewpoint, random: Random) -> Iterator[_PairDraft]:
    """Yield drafts about two buildings that differ in how many objects of a kind they have."""
    visible, owner = viewpoint.visible, viewpoint.scene.plan.things["owner"]
    owners = owner[visible.instance - 1].astype(int) + 1
    buildings = [
        int(k) for k in np.flatnonzero((visible.kind == BUILDING) & (visible.share > 5e-3) & (visible.nearest < 40))
    ]
    random.shuffle(buildings)
    for first in buildings[:6]:
        for second in buildings[:6]:
            if first != second:
                yield from _count_drafts(viewpoint, random, owners, first, second)


def _count_drafts(viewpoint: Viewpoint, random: Random, owners: Ints, first: int, second: int) -> Iterator[_PairDraft]:
    visible = viewpoint.visible
    attached = [np.flatnonzero(owners == visible.instance[k]) for k in (first, second)]
    counted = [
        name
        for name in _shared_names(random, visible, attached)
        if _count_named(visible, attached[0], name) != _count_named(visible, attached[1], name)
    ]
    unique = [
        name
        for name in _shared_names(random, visible, attached)
        if _count_named(visible, attached[0], name) == _count_named(visible, attached[1], name) == 1
    ]
    building = next(
        (
            name
            for name in _shuffled(random, names_of(0, int(visible.variant[first])))
            if denotation(name)[0, visible.variant[second]]
        ),
        None,
    )
    if building is None:
        return
    for name in counted[:3]:
        numbers = [_count_named(visible, object_rows, name) for object_rows in attached]
        if min(numbers) < 2 or max(numbers) > 6:
            continue
        for target in unique[:3]:
            if target.singular == name.singular or (denotation(target) & denotation(name)).any():
                continue
            meanings = []
            for number in numbers:
                counted_phrase = _phrase(name, f"{number_word(number)} {name.plural}", number=number)
                refs = Ref(_phrase(target)), Ref(_phrase(building)), Ref(counted_phrase)
                meanings.append(
                    Meaning(refs, (Relation("on", 0, (1,)), Relation("has", 1, (2,))), Spot(0, "", 0.5, 0.5))
                )
            slots = {
                "thing": _with_article(building.singular),
                "whole": building.singular,
                "many": name.plural,
                "noun": target.singular,
                "at": "in the middle of",
            }
            words = number_word(numbers[0]), number_word(numbers[1])
            yield _PairDraft(random.choice(COUNTED), slots, words, (meanings[0], meanings[1]))


def _shuffled(random: Random, names: Sequence[Name]) -> list[Name]:
    return random.sample(list(names), len(names))


def _shared_names(random: Random, visible: VisibleObjects, attached: Sequence[Ints]) -> list[Name]:
    """Return the countable names that occur on both buildings, in random order."""
    name_sets = [
        {name for k in object_rows for name in names_of(int(visible.kind[k]), int(visible.variant[k]))}
        for object_rows in attached
    ]
    both = sorted((name for name in name_sets[0] & name_sets[1] if not name.mass), key=lambda name: name.singular)
    return _shuffled(random, both)


def _count_named(visible: VisibleObjects, object_rows: Ints, name: Name) -> int:
    named = denotation(name)[visible.kind[object_rows], visible.variant[object_rows]] & (
        visible.hidden[object_rows] < 0.93
    )
    return int(named.sum())


_GENERATORS: dict[DescriptionKind, Callable[[Viewpoint, Random], Iterator[_PairDraft]]] = {
    "left-right": _left_right,
    "first-second": _first_second,
    "colour": _colour,
    "above-below": _above_below,
    "count": _count,
}
