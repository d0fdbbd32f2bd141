from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.language.analysis.function_words import COLOURS
from bearleft.language.analysis.realism import classifier
from bearleft.language.analysis.realism.classifier import separate
from bearleft.language.analysis.realism.consistency import SIDE_PATTERNS, TURN_PATTERNS, expressions_used, kappa
from bearleft.language.analysis.realism.expressions import (
    expression_rates,
    text_shares,
    trigram_coverage,
    vocabulary_growth,
)
from bearleft.language.analysis.realism.masking import kept_runs, mask, masked_sentences
from bearleft.language.analysis.realism.surface import surface_auc, surface_tokens
from bearleft.language.analysis.tokens import sentence_spans, sentences, words

WORDS = ["turn", "left", "at", "the", "red", "awning", "you", "will", "see", "two", "and", "Kiosk,", "on", "it."]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join)


def _texts(verbs: str, count: int, seed: int) -> list[str]:
    random = Random(seed)
    things = ["awning", "kiosk", "red door", "hydrant"]
    return [
        f"{random.choice(verbs.split()).capitalize()} to the {random.choice(things)} and then turn left at the light. "
        f"You will see a {random.choice(things)} on {random.choice(['your', 'the'])} right."
        for _ in range(count)
    ]


def test_masked_sentences_keep_how_things_are_said() -> None:
    text = "Turn left at the two red awnings, and you'll see a brick building. STOP there!"
    assert masked_sentences(text) == ["turn left at the and you'll see a", "stop there"]
    assert kept_runs("on top of the red and white sign to your right") == [
        ["on", "top", "of", "the"],
        ["and"],
        ["to", "your", "right"],
    ]
    assert not COLOURS & set(mask(" ".join(COLOURS)).split())


@settings(deadline=None)
@given(texts)
def test_spans_are_those_of_the_sentences(text: str) -> None:
    assert [text[begin:end].strip() for begin, end in sentence_spans(text)] == sentences(text)


@pytest.mark.slow
def test_auc_of_the_same_writers_is_chance_and_of_others_is_high() -> None:
    first = _texts("go walk head", 120, 1)
    same = separate(first, _texts("go walk head", 120, 2))
    other = separate(first, _texts("proceed advance meander", 120, 3))
    assert 0.4 < same.auc < 0.6
    assert other.auc > 0.7  # every second sentence is the same
    assert "proceed" in {expression.split()[0] for expression, _ in other.second}
    assert {"go", "walk", "head"} & {expression.split()[0] for expression, _ in other.first}


def test_sentences_are_balanced_by_length() -> None:
    short, long = ["Go to the left and then on."] * 30, ["Go to the left and then on until you see it there."] * 50
    rows, labels, ids = classifier._balanced([*short, *long[:5]], [*short[:10], *long], Random(0))
    by_length = {length: [labels[k] for k, row in enumerate(rows) if len(row) == length] for length in map(len, rows)}
    assert {length: (side.count(1), side.count(0)) for length, side in by_length.items()} == {
        len(mask(short[0])): (10, 10),
        len(mask(long[0])): (5, 5),
    }
    assert len({text for text, label in zip(ids, labels, strict=True) if label}) == 15


def test_empty_sides_are_refused() -> None:
    with pytest.raises(InputError, match="texts on both sides"):
        separate([], ["Turn left."])


def test_expressions_of_turns_and_sides_do_not_overlap() -> None:
    text = "Turn to your left and make a sharp right turn. The door is on your right side, the sign to the left of it."
    assert sorted(expressions_used(text, TURN_PATTERNS)) == ["make a turn", "turn to the side"]
    assert expressions_used(text, SIDE_PATTERNS) == ["on your side"]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["turn left", "make a left", "hang a right"]), max_size=5), max_size=12))
def test_kappa_equals_a_count_of_all_pairs(uses: list[list[str]]) -> None:
    repeated = [text for text in uses if len(text) > 1]
    pairs = [pair for text in repeated for pair in itertools.permutations(text, 2)]
    pool = [use for text in repeated for use in text]
    chance = sum(pool.count(use) ** 2 for use in set(pool)) / max(len(pool), 1) ** 2
    expected = 0.0
    if pairs and chance < 1.0:
        expected = (sum(a == b for a, b in pairs) / len(pairs) - chance) / (1 - chance)
    assert kappa([" . ".join(text) for text in uses], TURN_PATTERNS) == pytest.approx(expected)


@settings(deadline=None)
@given(st.lists(texts, min_size=1, max_size=6), st.lists(texts, min_size=1, max_size=6))
def test_coverage_and_growth_equal_slow_counts(first: list[str], second: list[str]) -> None:
    trigrams = [tuple(words(text)[k : k + 3]) for text in first for k in range(len(words(text)) - 2)]
    known = {tuple(words(text)[k : k + 3]) for text in second for k in range(len(words(text)) - 2)}
    expected = sum(trigram in known for trigram in trigrams) / max(len(trigrams), 1)
    assert trigram_coverage(first, second) == pytest.approx(expected)
    assert vocabulary_growth(first, 1, 99) == [len(set(words(first[0]))), len(set(words(" ".join(first))))]


def test_rates_are_shares_of_texts() -> None:
    real = ["Turn left. Turn left again.", "Turn right.", "Go on.", "Go on."]
    rates = {rate.expression: rate for rate in expression_rates(real, ["Turn left.", "Go right."], 0.5)}
    assert set(rates) == {"turn", "go", "on", "go on"}
    assert (rates["turn"].real, rates["turn"].generated, rates["turn"].holds) == (0.5, 0.5, True)
    assert (rates["on"].real, rates["on"].generated, rates["on"].holds) == (0.5, 0.0, False)
    assert text_shares(["turn left at the awning"])["at the"] == 1
    assert text_shares(["turn left at the awning at"])["the at"] == 0  # not across a masked word


def test_surface_keeps_punctuation_capitals_digits_and_odd_spaces() -> None:
    assert surface_tokens(" Go to the TV, then turn.Stop at 2  doors! ") == [
        "^", "X", "x", "x", "XX", ",", "_", "x", "x", ".", "X", "x", "9", "_", "_", "x", "!", "$",
    ]  # fmt: skip
    assert surface_tokens("don't\ngo") == ["^", "x", "'", "x", "/", "x", "$"]
    assert surface_tokens("") == ["^", "$"]


@pytest.mark.slow
@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_surface_does_not_depend_on_letters(first: str, second: str) -> None:
    assert surface_tokens(f"{first} left {second}") == surface_tokens(f"{first} awning {second}")


def test_surface_auc_tells_careless_punctuation_apart() -> None:
    first = _texts("go walk head", 120, 1)
    careless = [text.replace(". You", " you").rstrip(".") for text in _texts("go walk head", 120, 2)]
    assert 0.35 < surface_auc(first, _texts("proceed advance meander", 120, 3)) < 0.65
    assert surface_auc(first, careless) > 0.95
    with pytest.raises(InputError, match="at least 5 texts"):
        surface_auc(first, careless[:3])
