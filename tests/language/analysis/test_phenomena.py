"""The phenomenon counter: sentences made up for it, and texts that a reader counted by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.data import open_dataset
from bearleft.language.analysis.arramon_phenomena import ARRAMON, arramon_spans, count_arramon
from bearleft.language.analysis.nouns import noun_phrases, skeleton, tokens_with_compounds
from bearleft.language.analysis.phenomena import (
    REFER360,
    TOUCHDOWN,
    count_refer360,
    count_touchdown,
    refer360_spans,
    touchdown_spans,
)
from bearleft.language.analysis.statistics import RouteTexts
from bearleft.language.templates import PHENOMENA

Agreement: TypeAlias = tuple[float, float, float, float]
LABELS = Path(__file__).parent / "labels"
NONE_WEAK: Mapping[str, float] = {}
# What the counter reads least well in descriptions of city targets. Only one of the 25 holds a direction.
WEAK_IN_CITIES = {"SDR: state verification": 0.5, "SDR: egocentric": 0.7, "SDR: direction": 0.65}


@pytest.mark.parametrize(
    ("text", "what", "expected"),
    [
        ("Pass the green door, two kiosks and a wall.", "unique entity", 3),
        ("There is an orange and white cone beside a stop sign.", "unique entity", 2),
        ("The bear is on the bench.", "unique entity", 1),
        ("There is a door. The door has a lamp above it.", "coreference", 2),
        ("Walk to that fence and follow them.", "coreference", 2),
        ("Go to the intersection, then to the next intersection.", "coreference", 0),
        ("A door that opens.", "coreference", 0),
        ("Take the nearest of the doors, beside the taller tower.", "comparison", 2),
        ("Go a little further.", "comparison", 0),
        ("Turn at the next light, then at the second one.", "sequencing", 2),
        ("It is next to the wall.", "sequencing", 0),
        ("It is a third of the way up the pole, under a third of the lamps.", "sequencing", 0),
        ("There is a third lamp, the second of four.", "sequencing", 2),
        ("Pass two doors and both kiosks, then go one block.", "count", 3),
        ("A three way crossing and one way street.", "count", 0),
        ("There is a lamp on the wall next to a door.", "allocentric", 2),
        ("Near the gate is a kiosk.", "allocentric", 1),
        ("The bear is in the middle of the flag, under the window.", "allocentric", 2),
        ("To the left of the kiosk is a lamp.", "egocentric", 0),
        ("A wall is on your left and a kiosk ahead on the right.", "egocentric", 2),
        ("Stop just before the kiosk.", "egocentric", 1),
        ("Turn to the left.", "egocentric", 0),
        ("Turn left, go straight and stop at the stop sign.", "imperative", 3),
        ("You will go on and see a wall. Make a right turn.", "imperative", 1),
        ("Do not turn. Don't stop.", "imperative", 2),
        ("Bear left at the fork. The bear is here.", "imperative", 1),
        ("Turn left, go straight ahead, take the second right, turn around.", "direction", 4),
        ("The wall on the left is right behind the kiosk.", "direction", 0),
        ("When you see the wall, go on until the road ends, and stop before entering it.", "temporal condition", 3),
        ("Face the same way as the cars.", "temporal condition", 0),
        ("As soon as you see the wall, stop as soon as possible.", "temporal condition", 2),
        ("You will see a wall. There should be a kiosk. To your right is a gate.", "state verification", 3),
        ("Turn so that there is a wall on your left. The bear will be on it.", "state verification", 0),
    ],
)
def test_what_a_sentence_asks(text: str, what: str, expected: int) -> None:
    assert count_touchdown(text)[what] == expected, skeleton(
        tokens_with_compounds(text), list(noun_phrases(tokens_with_compounds(text)))
    )


@pytest.mark.parametrize(
    ("text", "what", "expected"),
    [
        ("look at the lamp in front of the sofa, behind the table", "3-D understanding", 2),
        ("slightly above the frame, about halfway", "inexact", 2),
        ("on the floor between the table, the chair and the lamp", "more than two objects", 1),
        ("look at the chair", "more than two objects", 0),
        ("turn left and look down", "direction", 2),
    ],
)
def test_what_refer360_adds(text: str, what: str, expected: int) -> None:
    assert count_refer360([text])[what] == expected
    assert count_refer360([text, "", text])[what] == 2 * expected


def test_names_are_those_of_the_writers() -> None:
    assert tuple(PHENOMENA.values()) == TOUCHDOWN + REFER360
    assert set(count_touchdown("")) == set(TOUCHDOWN) and not any(count_touchdown("").values())


@given(st.text())
@settings(deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    found = count_touchdown(text)
    assert all(number >= 0 for number in found.values())
    assert found == count_touchdown(text.lower())


@pytest.mark.parametrize(
    ("text", "what", "expected"),
    [
        ("There is a red door. The DOOR has a lamp.", "unique entity", ["a red door", "a lamp"]),
        ("There is a red door. The DOOR has a lamp above it.", "coreference", ["The DOOR", "it"]),
        ("Turn at the next light, then at the second one.", "sequencing", ["next", "second"]),
        ("Turn left; go straight and stop at the stop  sign.", "direction", ["Turn left", "straight"]),
        ("Turn left; go straight and stop at the stop  sign.", "egocentric", ["stop at the stop  sign"]),
        ("Turn left; go straight and stop at the stop  sign.", "imperative", ["Turn", "go", "stop"]),
        ("Go on. Near the gate is a kiosk.", "allocentric", ["Near the gate is a kiosk"]),
        ("The lamp is on the wall.", "allocentric", ["The lamp is on the wall"]),
        ("Go on until you see a wall.", "temporal condition", ["until"]),
        ("In İİ you will see a wall on your left.", "egocentric", ["on your left"]),
        ("A kiosk with a wall on the left.", "state verification", ["on the left"]),
    ],
)
def test_which_characters_show_it(text: str, what: str, expected: list[str]) -> None:
    assert [text[begin:end] for name, begin, end in touchdown_spans(text) if name == what] == expected


def test_which_characters_show_what_refer360_adds() -> None:
    sentences = ["Look at the lamp, in front of the sofa, behind a table and a chair", "", "turn slightly left", "Up."]
    text = " ".join(sentences)
    found = [(what, text[begin:end]) for what, begin, end in refer360_spans(sentences)]
    assert [words for what, words in found if what == "direction"] == ["left", "Up"]
    assert ("3-D understanding", "in front of") in found and ("inexact", "slightly") in found
    assert ("more than two objects", "the lamp, in front of the sofa, behind a table and a chair") in found
    assert ("imperative", "turn") in found and ("unique entity", "a chair") in found


def assert_marked(text: str, marked: list[tuple[str, int, int]], counted: dict[str, int]) -> None:
    """Marks are as many as were counted, and each begins and ends where a word does."""
    assert Counter(what for what, _, _ in marked) == +Counter(counted)
    borders = {found.start() for found in re.finditer(r"\b", text)}
    assert all(begin in borders and end in borders and begin < end for _, begin, end in marked)
    assert marked == sorted(marked, key=lambda mark: mark[1:])


@pytest.mark.parametrize(
    "name", ["city/touchdown-complete/small", "city/refer360/small", "touchdown/unseen_dev", "refer360/validation.seen"]
)
def test_marks_of_whole_datasets(name: str, request: pytest.FixtureRequest) -> None:
    data = None if name.startswith("city/") else request.getfixturevalue("real_data")
    for episode in list(open_dataset(name, data))[:300]:
        for leg in episode.legs:
            assert_marked(leg.text, touchdown_spans(leg.text), count_touchdown(leg.text))
            if leg.sentences:
                assert_marked(leg.text, refer360_spans(leg.sentences), count_refer360(leg.sentences))


@given(st.lists(st.text()))
@settings(deadline=None)
def test_marks_of_any_text_lie_within_it(sentences: list[str]) -> None:
    text = " ".join(sentences)
    for marked in (touchdown_spans(text), refer360_spans(sentences)):
        assert all(0 <= begin < end <= len(text) for _, begin, end in marked)


def agreement(labels: dict[str, dict[str, dict[str, int]]], texts: RouteTexts) -> dict[str, Agreement]:
    """Of every phenomenon: the labels' mean, the counter's, the mean absolute error, Pearson's correlation."""
    found = {}
    for segment in ("navigation", "SDR"):
        counts = {name: count_touchdown(texts.routes[name][segment]) for name in labels}
        for what in TOUCHDOWN:
            by_hand = np.array([labels[name][segment.lower()][what] for name in labels], float)
            by_rule = np.array([counts[name][what] for name in labels], float)
            alike = np.corrcoef(by_hand, by_rule)[0, 1] if by_hand.std() and by_rule.std() else float("nan")
            error = float(np.abs(by_hand - by_rule).mean())
            found[f"{segment}: {what}"] = (float(by_hand.mean()), float(by_rule.mean()), error, float(alike))
    return found


def assert_agrees(
    found: dict[str, Agreement], error_of: float, bias_of: float, share: float, weak: Mapping[str, float] = NONE_WEAK
) -> None:
    """Errors and differences of means are at most these, or a share of the mean by hand.

    Correlations are at least 0.75, or what `weak` names.
    """
    for what, (hand, rule, error, alike) in found.items():
        said = f"{what}: by hand {hand:.2f}, by rule {rule:.2f}, error {error:.2f}, correlation {alike:.2f}"
        assert error <= max(error_of, share * hand), said
        assert abs(hand - rule) <= max(bias_of, share * hand), said
        assert np.isnan(alike) or alike >= weak.get(what, 0.75), said


@pytest.mark.parametrize(
    ("file", "number", "error", "bias", "share"),
    [
        # Labelled before the rules were written, which were then mended by them.
        ("touchdown_unseen_dev.json", 25, 0.45, 0.35, 0.12),
        # Labelled afterwards; no rule was fitted to them. Relations between things are found too seldom.
        ("touchdown_unseen_dev_held_out.json", 10, 0.75, 0.75, 0.15),
    ],
)
def test_counts_agree_with_a_readers_own_of_real_texts(
    real_data: Path, file: str, number: int, error: float, bias: float, share: float
) -> None:
    labels = json.loads((LABELS / file).read_text())
    assert len(labels) == number
    real = RouteTexts()
    for episode in open_dataset("touchdown/unseen_dev", real_data):
        real.add(episode)
    assert_agrees(agreement(labels, real), error, bias, share)


def test_counts_agree_with_a_readers_own_of_city_texts() -> None:
    labels = json.loads((LABELS / "city.json").read_text())
    assert len(labels) == 25
    city = RouteTexts()
    for name, each in labels.items():
        city.routes[name] = {"navigation": each["navigation text"], "SDR": each["sdr text"]}
    # Labelled before the counter was run on them; no rule was fitted to them.
    assert_agrees(agreement(labels, city), 0.65, 0.65, 0.12, WEAK_IN_CITIES)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Go on so that the red cone is to your right.", {"egocentric"}),
        ("The mug is in front of you.", {"egocentric", "3-D understanding"}),
        ("Turn to the left.", {"direction"}),
        ("Put the mug to the left of the striped bowl.", {"allocentric"}),
        ("Take the ball next to the lamp.", {"allocentric"}),
        ("Set it behind the green bowl.", {"allocentric", "3-D understanding"}),
        ("Walk forward until you reach a lamp.", {"direction", "temporal condition"}),
        ("Once at the lamp, turn right.", {"direction", "temporal condition"}),
        ("Go forward past the cone and past the lamp.", {"direction", "sequencing"}),
        ("Walk past the cone to the lamp.", {"sequencing"}),
        ("Walk past the cone.", set()),
        ("Walk to the lamp, then take the ball.", {"sequencing"}),
        ("Turn at the first lamp.", {"direction", "sequencing"}),
        ("Turn right and place the mug on the brown mug.", {"direction", "sequencing"}),
        ("Turn right and pick up the mug.", {"direction"}),
        ("Walk to the cone in the distance.", {"3-D understanding"}),
        ("Place the mug between the bowl and the wall.", {"allocentric"}),
        ("Collect the mug.", set()),
    ],
)
def test_arramons_properties(text: str, what: set[str]) -> None:
    assert {name for name, number in count_arramon([text]).items() if number} == what
    assert {name for name, _, _ in arramon_spans(text)} == what
    assert all(text[begin:end].strip() for _, begin, end in arramon_spans(text))


def test_arramons_properties_as_a_reader_finds_them(real_data: Path) -> None:
    """Of six properties in two phases: the share of sets in which rules and reader agree, fitted and held out."""
    if not (real_data / "arramon" / "val_unseen.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    episodes = {episode.id: episode for episode in open_dataset("arramon/val_unseen", real_data)}
    labels = json.loads((LABELS / "arramon.json").read_text())
    for drawn, least in (("fitted", 0.95), ("held out", 0.85)):
        for phase, first in (("navigation", 0), ("assembly", 1)):
            right: Counter[str] = Counter()
            for number, held in labels[drawn][phase].items():
                found = count_arramon([leg.text for leg in episodes[number].legs[first::2]])
                right.update(what for what in ARRAMON if (found[what] > 0) == (what in held))
            sets = len(labels[drawn][phase])
            assert all(right[what] >= least * sets for what in ARRAMON), (drawn, phase, right)
