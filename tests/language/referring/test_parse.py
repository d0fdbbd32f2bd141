"""Sequences are followed by their words and the true scene alone."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import angle_between, turn
from bearleft.language.noun_phrases import match, name_object
from bearleft.language.referring import templates as words
from bearleft.language.referring.parse import follow_sentences, tokenize_sentence
from bearleft.language.referring.view import MIN_VISIBLE_SHARE, ViewBox
from bearleft.language.spelling import fix_typos, vocabulary
from bearleft.records import Direction
from tests.language.referring.refer_scene import scene, told

CEILING = Direction(70.0, 90.0)


def off(last: int) -> list[float]:
    """How far from the target one ends who reads so many sentences."""
    found = []
    for target, sentences in told():
        if sentences is not None:
            said = [one.text.string for one in sentences][-last:]
            found.append(angle_between(follow_sentences(said, scene(), target.place, CEILING)[-1], target.direction))
    return found


def test_all_sentences_lead_to_the_target() -> None:
    assert np.mean([away < 11 for away in off(9)]) >= 0.9
    assert np.median(off(9)) < 6


def test_the_fewer_sentences_the_worse() -> None:
    """Table 7: 0.37, 0.63 and 0.88 of people find the target."""
    last, two, whole = (float(np.mean([away < 11 for away in off(count)])) for count in (1, 2, 9))
    assert last + 0.1 < two and two + 0.1 < whole
    assert last < 0.6
    assert np.mean(off(1)) > np.mean(off(2)) > np.mean(off(9))


def test_another_scene_does_not_do() -> None:
    """The words decide, not the habit of the targets."""
    pairs = [(target, sentences) for target, sentences in told() if sentences is not None]
    others = pairs[1:] + pairs[:1]
    right = [
        angle_between(follow_sentences([s.text.string for s in said], scene(), t.place, CEILING)[-1], t.direction) < 11
        for (t, _), (_, said) in zip(pairs, others, strict=True)
    ]
    assert np.mean(right) < 0.15


def test_views_follow_the_sentences() -> None:
    near = []
    for target, sentences in told():
        if sentences is not None:
            views = follow_sentences([one.text.string for one in sentences], scene(), target.place, CEILING)
            near += [angle_between(view, one.view) < 11 for view, one in zip(views, sentences, strict=True)]
    assert np.mean(near) > 0.9


@pytest.mark.parametrize(
    ("said", "letters"),
    [
        ("find the red awning next to a fire hydrant.", "TRT."),
        ("to the right of it is a black lamp post.", "RTT."),
        ("look right by it to find the mailbox.", "RTT."),
        ("focus on the left side of the bench.", "FPT."),
        ("look to your left until you see a tree.", "MT."),
        ("waldo is about two waldo heights above that bench.", "WQRT."),
        ("waldo is on the road just to the left of it.", "WSRT."),
        ("waldo is on the right side of the door.", "WPT."),
        ("waldo is halfway between it and the sign but closer to it.", "WBTTCT."),
    ],
)
def test_pieces(said: str, letters: str) -> None:
    assert "".join(token.letter for token in tokenize_sentence(said)) == letters


@pytest.mark.parametrize("table", ["RELATIONS", "TURNS", "PARTS", "SIDES", "SURFACES"])
def test_every_way_to_say_a_piece_is_read_as_it(table: str) -> None:
    from random import Random

    letter = {"RELATIONS": "R", "TURNS": "M", "PARTS": "P", "SIDES": "D", "SURFACES": "S"}[table]
    for value, template in getattr(words, table).items():
        for k in range(40):
            said = template.render(Random(k)).string
            found = [token for token in tokenize_sentence(f"{said} the red awning") if token.letter != "T"]
            assert found and (found[0].letter, found[0].value) in {(letter, value), ("M", value), ("R", value)}, (
                said,
                found,
            )


def unique(place: int) -> tuple[int, str]:
    """A row of a sight, and a name that fits it alone."""
    from random import Random

    sight, random = scene().at(place), Random(4)
    for row in np.argsort(-sight.share)[:40]:
        text, phrase = name_object(random, scene(), int(sight.instance[row]), "the", True)
        if (match(phrase, sight) & (sight.share > MIN_VISIBLE_SHARE)).sum() == 1 and 4 < sight.width[row] < 40:
            return int(row), text.string
    raise AssertionError("nothing of its own in sight")


def test_words_mean_what_they_say() -> None:
    row, name = unique(30)
    sight = scene().at(30)
    spot = ViewBox.of(sight, row)
    found, right, above = (
        follow_sentences([f"look for {name}.", f"waldo is {where} it."], scene(), 30, CEILING)[-1]
        for where in ("right on", "two waldo widths to the right of", "one waldo height above")
    )
    assert angle_between(found, spot.direction) < 0.01
    assert float(turn(spot.heading, right.heading)) > spot.width / 2 and right.pitch == found.pitch
    assert abs(above.pitch - (spot.top + 11.0)) < 1e-6 and above.heading == found.heading


def test_typos_and_loose_words_do_no_harm() -> None:
    row, name = unique(30)
    sight = scene().at(30)
    loose = [f"ok so first you wnat to lok for {name}", "Waldo  is abvoe it , one wlado heihgt i think"]
    tidy = [f"find {name}.", "waldo is above it."]
    answers = [follow_sentences(said, scene(), 30, CEILING)[-1] for said in (loose, tidy)]
    assert angle_between(*answers) < 11
    assert angle_between(answers[1], ViewBox.of(sight, row).direction) < 30


def test_nothing_known_is_a_guess() -> None:
    assert follow_sentences(["waldo is there."], scene(), 5, CEILING) == [Direction(70.0, 0.0)]
    assert follow_sentences(["hello.", "what a nice day."], scene(), 5, CEILING) == [CEILING, CEILING]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hydrnat", "hydrant"),
        ("awnning", "awning"),
        ("sidewlk", "sidewalk"),
        ("teh", "the"),
        ("left", "left"),
        ("zzzz", "zzzz"),
        ("Rigth", "right"),
    ],
)
def test_mend(typed: str, meant: str) -> None:
    assert fix_typos(typed, vocabulary(*words.TEMPLATE_SOURCES)) == meant
