from __future__ import annotations

import random
import re

import numpy as np
import pytest

from bearleft.language.analysis.tokens import tokens
from bearleft.language.instructions.parse import scan
from bearleft.language.instructions.segments import noticed
from bearleft.language.instructions.semantics import meaning
from bearleft.language.instructions.speaker import Habits, bare, is_or_are
from bearleft.language.instructions.templates import CLAUSES, CROSSINGS, MACROS, PLURALS
from bearleft.language.instructions.write import instruct, legs
from bearleft.language.noun_phrases import chunk, match
from bearleft.language.templates import PHENOMENA
from tests.language.instructions.street_scene import scene_and_ways, told


def test_texts_lead_to_the_goal_and_others_do_not() -> None:
    scene, ways = scene_and_ways()
    texts = [(route, text) for route, text in told() if text is not None]
    assert len(texts) >= 0.95 * len(told())
    own = [meaning(scan(text.string), scene, ways, route[0], 0.0) == list(route) for route, text in texts]
    assert np.mean(own) >= 0.95
    others = [text for _, text in texts[7:] + texts[:7]]
    wrong = [
        meaning(scan(text.string), scene, ways, route[0], 0.0)[-1] == route[-1]
        for (route, _), text in zip(texts, others, strict=True)
    ]
    assert np.mean(wrong) <= 0.15


def test_the_same_seed_and_number_give_the_same_text_in_any_order() -> None:
    scene, ways = scene_and_ways()
    for number in (5, 2):
        route, text = told()[number]
        assert instruct(scene, ways, route, 0.0, 4, number) == text
    assert instruct(scene, ways, told()[2][0], 0.0, 5, 2) != told()[2][1]


def test_every_landmark_is_seen_on_the_way_and_fits_its_words() -> None:
    scene, ways = scene_and_ways()
    seen = 0
    for route, text in told():
        last = legs(scene, ways, route)[-1]  # type: ignore[index]
        beyond = last.stretch.places[last.end + 1 : last.end + 3]  # "stop before" names what one sees ahead
        for mention in text.mentions if text else ():
            words = text.string[mention.begin : mention.end]  # type: ignore[union-attr]
            phrases = chunk(words)[1]
            rows = [(place, scene.at(place).find(mention.instance)) for place in (*route, *beyond)]
            there = [(place, row) for place, row in rows if row >= 0 and noticed(scene.at(place))[row]]
            assert there, words
            if phrases and not phrases[0].pronoun:
                place, row = there[0]
                assert match(phrases[0], scene.at(place))[row], words
                seen += 1
    assert seen > 100


def test_marks_are_phenomena_and_lie_in_the_text() -> None:
    found = set()
    for _, text in told():
        for mark in text.marks if text else ():
            assert mark.what in PHENOMENA.values()
            assert 0 <= mark.begin < mark.end <= len(text.string)  # type: ignore[union-attr]
            found.add(mark.what)
    assert {"unique entity", "egocentric", "direction", "imperative", "temporal condition", "coreference"} <= found


def test_no_landmark_is_named_twice_but_as_a_coreference() -> None:
    for _, text in told():
        if text is None:
            continue
        named = [m.instance for m in text.mentions if not _again(text.string[m.begin : m.end].lower())]
        assert len(named) == len(set(named)), text.string


def _again(words: str) -> bool:
    return words in ("it", "them") or words.startswith(("that ", "this "))


def test_texts_look_like_sentences() -> None:
    for _, text in told():
        if text is not None:
            assert not re.search(r"  | [.,;!]|\.\.|,,|[{}<>\[\]|]", text.string), text.string
            assert not re.search(r"\b[A-Z]{3,}\b", text.string), text.string
    lengths = [len(tokens(text.string)) for _, text in told() if text]
    assert 40 < np.mean(lengths) < 130 and np.std(lengths) > 15


def test_texts_differ() -> None:
    strings = [text.string for _, text in told() if text]
    firsts = {string.split(".")[0] for string in strings}
    assert len(firsts) > 0.9 * len(strings)


def test_legs_are_the_route() -> None:
    scene, ways = scene_and_ways()
    for route, _ in told():
        found = legs(scene, ways, route)
        assert found is not None
        walked = [route[0]]
        for leg in found:
            assert leg.stretch.places[0] == walked[-1]
            walked += leg.stretch.places[1 : leg.end + 1]
            assert all(ways.crossing[leg.stretch.places[k]] for k in leg.through)
        assert walked == list(route)
        assert [leg.bend for leg in found].count("") == 1


def test_every_clause_is_read_as_its_own_frame() -> None:
    """Whatever a template can say, its own reader reads whole, and no other reads more."""
    dice = random.Random(3)
    fill = {
        "thing": "a red awning",
        "other_thing": "the blue mailbox",
        "side": "left",
        "other_side": "right",
        "nth": "second",
        "count": "two",
        "crossing": "intersection",
        "crossings": "intersections",
        "be": "is",
        "is": "is",
        "steps": "steps",
        "again": "again",
        "once": "",
        "road": "it",
    }
    for clauses in CLAUSES.values():
        for clause in clauses:
            for _ in range(6):
                said = clause.template.say(dice, **{slot: fill[slot] for slot in clause.slots})
                string = chunk(said.string, ("steps", "cars"))[0]
                found = clause.reader.match(string)
                assert found is not None and found.end() == len(string), (clause.source, said.string)


@pytest.mark.parametrize("kind", CROSSINGS)
def test_every_crossing_has_a_plural(kind: str) -> None:
    assert all(word in PLURALS for word in CROSSINGS[kind])


def test_macros_are_all_used() -> None:
    sources = " ".join([clause.source for some in CLAUSES.values() for clause in some] + list(MACROS.values()))
    assert set(re.findall(r"\b[A-Z]{2,}\b", sources)) == set(MACROS)


def test_habits_have_favourites() -> None:
    rows = tuple(((k,),) for k in range(10))
    habits = Habits("1 navigate 2 0")
    drawn = [habits.choice(rows) for _ in range(400)]
    assert max(map(drawn.count, rows)) > 2 * 400 / len(rows)
    assert len(set(drawn)) == len(rows)


@pytest.mark.parametrize(
    ("words", "noun", "verb"),
    [
        ("the second dark red awning", "awning", "is"),
        ("some trash bags", "trash bags", "are"),
        ("a bus", "bus", "is"),
        ("a shop near some trash bags", "shop near some trash bags", "is"),
        ("two hydrants", "hydrants", "are"),
    ],
)
def test_nouns_and_verbs(words: str, noun: str, verb: str) -> None:
    assert bare(words) == noun and is_or_are(words) == verb
