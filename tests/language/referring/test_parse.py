"""Tests of the follower of referring sentences."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import angle_between, turn
from bearleft.language.noun_phrases import match, name_object
from bearleft.language.referring import templates
from bearleft.language.referring.parse import follow_sentences, tokenize_sentence
from bearleft.language.referring.view import MIN_VISIBLE_SHARE, ViewBox
from bearleft.language.spelling import fix_typos, vocabulary
from bearleft.records import Direction
from tests.language.referring.refer_scene import scene, targets_and_sequences

CEILING = Direction(70.0, 90.0)


def follower_errors(last: int) -> list[float]:
    """Return the angles between answer and target after the last `last` sentences."""
    errors = []
    for target, sentences in targets_and_sequences():
        if sentences is not None:
            texts = [sentence.text.string for sentence in sentences][-last:]
            errors.append(angle_between(follow_sentences(texts, scene(), target.place, CEILING)[-1], target.direction))
    return errors


@pytest.mark.slow
def test_all_sentences_lead_to_the_target() -> None:
    assert np.mean([error < 11 for error in follower_errors(9)]) >= 0.9
    assert np.median(follower_errors(9)) < 6


def test_fewer_sentences_give_larger_errors() -> None:
    """In the paper's Table 7 people find 0.37, 0.63 and 0.88 of the targets."""
    last_one, last_two, all_sentences = (
        float(np.mean([error < 11 for error in follower_errors(count)])) for count in (1, 2, 9)
    )
    assert last_one + 0.1 < last_two and last_two + 0.1 < all_sentences
    assert last_one < 0.6
    assert np.mean(follower_errors(1)) > np.mean(follower_errors(2)) > np.mean(follower_errors(9))


def test_sentences_of_other_targets_do_not_match() -> None:
    """The sentences of other targets do not lead to a target."""
    pairs = [(target, sentences) for target, sentences in targets_and_sequences() if sentences is not None]
    others = pairs[1:] + pairs[:1]
    correct = [
        angle_between(
            follow_sentences([s.text.string for s in other_sentences], scene(), t.place, CEILING)[-1], t.direction
        )
        < 11
        for (t, _), (_, other_sentences) in zip(pairs, others, strict=True)
    ]
    assert np.mean(correct) < 0.15


def test_views_follow_the_sentences() -> None:
    is_near = []
    for target, sentences in targets_and_sequences():
        if sentences is not None:
            views = follow_sentences([sentence.text.string for sentence in sentences], scene(), target.place, CEILING)
            is_near += [
                angle_between(view, sentence.view) < 11 for view, sentence in zip(views, sentences, strict=True)
            ]
    assert np.mean(is_near) > 0.9


@pytest.mark.parametrize(
    ("sentence", "letters"),
    [
        ("find the red awning next to a fire hydrant.", "TRT."),
        ("to the right of it is a black lamp post.", "RTT."),
        ("look right by it to find the mailbox.", "RTT."),
        ("focus on the left side of the bench.", "FPT."),
        ("look to your left until you see a tree.", "MT."),
        ("waldo is about two waldo heights above that bench.", "WQRT."),
        ("waldo is on the road just to the left of it.", "WSRT."),
        ("waldo is on the right side of the door.", "WOPT."),
        ("waldo is on top of the sign.", "WOT."),
        ("find the two doors.", "T."),
        ("look at the one on the left.", "G."),
        ("look at the left door.", "GT."),
        ("find the row of trees next to a hydrant.", "TRT."),
        ("look at the roof of the car.", "nT."),
        ("look at the door of the van.", "nT."),
        ("follow the pole up to the ceiling.", "Tj."),
        ("waldo is just below it with his head touching the ceiling.", "WRTYJ."),
        ("waldo is about two feet above the door.", "WQRT."),
        ("waldo is halfway between the door and the ceiling.", "WBTK."),
        ("waldo is halfway between it and the sign but closer to it.", "WBTTCT."),
    ],
)
def test_sentences_are_tokenized(sentence: str, letters: str) -> None:
    assert "".join(token.letter for token in tokenize_sentence(sentence)) == letters


@pytest.mark.parametrize("table", ["RELATIONS", "TURNS", "PARTS", "SIDES", "SURFACES"])
def test_every_variant_of_a_template_is_parsed(table: str) -> None:
    from random import Random

    letter = {"RELATIONS": "R", "TURNS": "M", "PARTS": "P", "SIDES": "D", "SURFACES": "S"}[table]
    for value, template in getattr(templates, table).items():
        for k in range(40):
            piece = template.render(Random(k)).string
            tokens = [token for token in tokenize_sentence(f"{piece} the red awning") if token.letter != "T"]
            assert tokens and (tokens[0].letter, tokens[0].value) in {(letter, value), ("M", value), ("R", value)}, (
                piece,
                tokens,
            )


def find_unique_object(place: int) -> tuple[int, str]:
    """Return the row of a visible object, and a name that matches it alone."""
    from random import Random

    visible, random = scene().at(place), Random(4)
    for row in np.argsort(-visible.share)[:40]:
        text, phrase = name_object(random, scene(), int(visible.instance[row]), "the", True)
        if (match(phrase, visible) & (visible.share > MIN_VISIBLE_SHARE)).sum() == 1 and 4 < visible.width[row] < 40:
            return int(row), text.string
    raise AssertionError("no object with a unique name")


def test_relations_to_a_unique_object_give_its_surroundings() -> None:
    row, name = find_unique_object(30)
    visible = scene().at(30)
    box = ViewBox.of(visible, row)
    on_it, right, above = (
        follow_sentences([f"look for {name}.", f"waldo is {relation} it."], scene(), 30, CEILING)[-1]
        for relation in ("right on", "two waldo widths to the right of", "one waldo height above")
    )
    assert angle_between(on_it, box.direction) < 0.01
    assert float(turn(box.heading, right.heading)) > box.width / 2 and right.pitch == on_it.pitch
    assert abs(above.pitch - (box.top + 11.0)) < 1e-6 and above.heading == on_it.heading


def test_typos_and_extra_words_are_ignored() -> None:
    row, name = find_unique_object(30)
    visible = scene().at(30)
    noisy = [f"ok so first you wnat to lok for {name}", "Waldo  is abvoe it , one wlado heihgt i think"]
    plain = [f"find {name}.", "waldo is above it."]
    answers = [follow_sentences(sentences, scene(), 30, CEILING)[-1] for sentences in (noisy, plain)]
    assert angle_between(*answers) < 11
    assert angle_between(answers[1], ViewBox.of(visible, row).direction) < 30


def test_unknown_words_give_a_guess() -> None:
    assert follow_sentences(["waldo is there."], scene(), 5, CEILING) == [Direction(70.0, 0.0)]
    assert follow_sentences(["hello.", "what a nice day."], scene(), 5, CEILING) == [CEILING, CEILING]


@pytest.mark.parametrize(
    ("misspelt", "expected"),
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
def test_typos_are_fixed(misspelt: str, expected: str) -> None:
    assert fix_typos(misspelt, vocabulary(*templates.TEMPLATE_SOURCES)) == expected
