"""Tests of the phenomenon counter: invented sentences, and texts labelled by a reader."""

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
NO_EXCEPTIONS: Mapping[str, float] = {}
# Lower bounds for what the counter finds least well in city texts; only one of the 25 has a direction.
CITY_EXCEPTIONS = {"SDR: state verification": 0.5, "SDR: egocentric": 0.7, "SDR: direction": 0.65}


@pytest.mark.parametrize(
    ("text", "phenomenon", "expected"),
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
def test_touchdown_phenomena_are_counted(text: str, phenomenon: str, expected: int) -> None:
    assert count_touchdown(text)[phenomenon] == expected, skeleton(
        tokens_with_compounds(text), list(noun_phrases(tokens_with_compounds(text)))
    )


@pytest.mark.parametrize(
    ("text", "phenomenon", "expected"),
    [
        ("look at the lamp in front of the sofa, behind the table", "3-D understanding", 2),
        ("slightly above the frame, about halfway", "inexact", 2),
        ("on the floor between the table, the chair and the lamp", "more than two objects", 1),
        ("look at the chair", "more than two objects", 0),
        ("turn left and look down", "direction", 2),
    ],
)
def test_refer360_phenomena_are_counted(text: str, phenomenon: str, expected: int) -> None:
    assert count_refer360([text])[phenomenon] == expected
    assert count_refer360([text, "", text])[phenomenon] == 2 * expected


def test_names_equal_those_of_the_templates() -> None:
    assert tuple(PHENOMENA.values()) == TOUCHDOWN + REFER360
    assert set(count_touchdown("")) == set(TOUCHDOWN) and not any(count_touchdown("").values())


@given(st.text())
@settings(deadline=None)
def test_any_text_can_be_counted(text: str) -> None:
    counts = count_touchdown(text)
    assert all(number >= 0 for number in counts.values())
    assert counts == count_touchdown(text.lower())


@pytest.mark.parametrize(
    ("text", "phenomenon", "expected"),
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
def test_touchdown_spans_cover_the_expected_words(text: str, phenomenon: str, expected: list[str]) -> None:
    assert [text[begin:end] for name, begin, end in touchdown_spans(text) if name == phenomenon] == expected


def test_refer360_spans_cover_the_expected_words() -> None:
    sentences = ["Look at the lamp, in front of the sofa, behind a table and a chair", "", "turn slightly left", "Up."]
    text = " ".join(sentences)
    spans = [(phenomenon, text[begin:end]) for phenomenon, begin, end in refer360_spans(sentences)]
    assert [words for phenomenon, words in spans if phenomenon == "direction"] == ["left", "Up"]
    assert ("3-D understanding", "in front of") in spans and ("inexact", "slightly") in spans
    assert ("more than two objects", "the lamp, in front of the sofa, behind a table and a chair") in spans
    assert ("imperative", "turn") in spans and ("unique entity", "a chair") in spans


def assert_spans_match_counts(text: str, spans: list[tuple[str, int, int]], counts: dict[str, int]) -> None:
    """Assert that there are as many spans as counted, each beginning and ending at a word boundary."""
    assert Counter(phenomenon for phenomenon, _, _ in spans) == +Counter(counts)
    borders = {match.start() for match in re.finditer(r"\b", text)}
    assert all(begin in borders and end in borders and begin < end for _, begin, end in spans)
    assert spans == sorted(spans, key=lambda span: span[1:])


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "name", ["city/touchdown-complete/small", "city/refer360/small", "touchdown/unseen_dev", "refer360/validation.seen"]
)
def test_spans_match_counts_in_full_datasets(name: str, request: pytest.FixtureRequest) -> None:
    data = None if name.startswith("city/") else request.getfixturevalue("real_data")
    for episode in list(open_dataset(name, data))[:300]:
        for leg in episode.legs:
            assert_spans_match_counts(leg.text, touchdown_spans(leg.text), count_touchdown(leg.text))
            if leg.sentences:
                assert_spans_match_counts(leg.text, refer360_spans(leg.sentences), count_refer360(leg.sentences))


@given(st.lists(st.text()))
@settings(deadline=None)
def test_spans_of_any_text_lie_inside_it(sentences: list[str]) -> None:
    text = " ".join(sentences)
    for spans in (touchdown_spans(text), refer360_spans(sentences)):
        assert all(0 <= begin < end <= len(text) for _, begin, end in spans)


def agreement(labels: dict[str, dict[str, dict[str, int]]], texts: RouteTexts) -> dict[str, Agreement]:
    """Return for each phenomenon both means, the mean absolute error and Pearson's correlation."""
    agreements = {}
    for segment in ("navigation", "SDR"):
        counts = {name: count_touchdown(texts.routes[name][segment]) for name in labels}
        for phenomenon in TOUCHDOWN:
            by_hand = np.array([labels[name][segment.lower()][phenomenon] for name in labels], float)
            by_rule = np.array([counts[name][phenomenon] for name in labels], float)
            correlation = np.corrcoef(by_hand, by_rule)[0, 1] if by_hand.std() and by_rule.std() else float("nan")
            error = float(np.abs(by_hand - by_rule).mean())
            agreements[f"{segment}: {phenomenon}"] = (
                float(by_hand.mean()),
                float(by_rule.mean()),
                error,
                float(correlation),
            )
    return agreements


def assert_agrees(
    agreements: dict[str, Agreement],
    max_error: float,
    max_bias: float,
    share: float,
    exceptions: Mapping[str, float] = NO_EXCEPTIONS,
) -> None:
    """Assert that errors and biases are at most these values, or a share of the labelled mean.

    Correlations are at least 0.75, or the value in `exceptions`.
    """
    for phenomenon, (labelled, counted, error, correlation) in agreements.items():
        means = f"by hand {labelled:.2f}, by rule {counted:.2f}"
        message = f"{phenomenon}: {means}, error {error:.2f}, correlation {correlation:.2f}"
        assert error <= max(max_error, share * labelled), message
        assert abs(labelled - counted) <= max(max_bias, share * labelled), message
        assert np.isnan(correlation) or correlation >= exceptions.get(phenomenon, 0.75), message


@pytest.mark.parametrize(
    ("file", "number", "error", "bias", "share"),
    [
        # Labelled before the rules were written; the rules were then fitted to them.
        ("touchdown_unseen_dev.json", 25, 0.45, 0.35, 0.12),
        # Labelled afterwards; no rule was fitted to them. Relations between objects are found too seldom.
        ("touchdown_unseen_dev_held_out.json", 10, 0.75, 0.75, 0.15),
    ],
)
def test_counts_agree_with_labels_of_real_texts(
    real_data: Path, file: str, number: int, error: float, bias: float, share: float
) -> None:
    labels = json.loads((LABELS / file).read_text())
    assert len(labels) == number
    real = RouteTexts()
    for episode in open_dataset("touchdown/unseen_dev", real_data):
        real.add(episode)
    assert_agrees(agreement(labels, real), error, bias, share)


def test_counts_agree_with_labels_of_city_texts() -> None:
    labels = json.loads((LABELS / "city.json").read_text())
    assert len(labels) == 25
    city = RouteTexts()
    for name, texts in labels.items():
        city.routes[name] = {"navigation": texts["navigation text"], "SDR": texts["sdr text"]}
    # Labelled before the counter was run on them; no rule was fitted to them.
    assert_agrees(agreement(labels, city), 0.65, 0.65, 0.12, CITY_EXCEPTIONS)


@pytest.mark.parametrize(
    ("text", "phenomena"),
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
def test_arramon_phenomena_are_counted(text: str, phenomena: set[str]) -> None:
    assert {name for name, number in count_arramon([text]).items() if number} == phenomena
    assert {name for name, _, _ in arramon_spans(text)} == phenomena
    assert all(text[begin:end].strip() for _, begin, end in arramon_spans(text))


@pytest.mark.slow
def test_arramon_phenomena_agree_with_labels(real_data: Path) -> None:
    """Rules and reader agree on six properties in both phases, on fitted and held-out texts."""
    if not (real_data / "arramon" / "val_unseen.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    episodes = {episode.id: episode for episode in open_dataset("arramon/val_unseen", real_data)}
    labels = json.loads((LABELS / "arramon.json").read_text())
    for group, min_share in (("fitted", 0.95), ("held out", 0.85)):
        for phase, first in (("navigation", 0), ("assembly", 1)):
            agreeing: Counter[str] = Counter()
            for number, labelled in labels[group][phase].items():
                counts = count_arramon([leg.text for leg in episodes[number].legs[first::2]])
                agreeing.update(
                    phenomenon for phenomenon in ARRAMON if (counts[phenomenon] > 0) == (phenomenon in labelled)
                )
            sets = len(labels[group][phase])
            assert all(agreeing[phenomenon] >= min_share * sets for phenomenon in ARRAMON), (group, phase, agreeing)
