from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.language.analysis.realism.masking import masked_sentences
from bearleft.language.templates import Template
from bearleft.language.writer_random import (
    CANDIDATES,
    CHOICE_MARK,
    Weights,
    WriterRandom,
    fitted_weights,
    ngrams,
    text_odds,
)

OPTIONS = {"turn": 6.0, "make a": 3.0, "hang a": 1.0}


def _uses(habit: float, weights: dict[str, list[float]] | None = None) -> list[list[str]]:
    writers = [WriterRandom(f"{k}", Weights(weights or {}, {}), {"turn": habit}) for k in range(2_000)]
    return [[writer.pick("turn", OPTIONS) for _ in range(2)] for writer in writers]


@pytest.mark.parametrize("habit", [0.0, 0.5, 0.9])
def test_habits_repeat_choices_and_keep_the_weights(habit: float) -> None:
    uses = _uses(habit)
    shares = Counter(use for pair in uses for use in pair)
    for option, weight in OPTIONS.items():
        assert shares[option] / shares.total() == pytest.approx(weight / 10, abs=0.03)
    chance = sum((weight / 10) ** 2 for weight in OPTIONS.values())
    agreement = sum(first == second for first, second in uses) / len(uses)
    assert (agreement - chance) / (1 - chance) == pytest.approx(habit, abs=0.06)


def test_fitted_weights_replace_the_defaults() -> None:
    shares = Counter(use for pair in _uses(0.5, {"turn": [1, 1, 8]}) for use in pair)
    assert shares["hang a"] / shares.total() == pytest.approx(0.8, abs=0.03)
    shares = Counter(use for pair in _uses(0.5, {"turn": [1, 8]}) for use in pair)  # of an older list of options
    assert shares["turn"] / shares.total() == pytest.approx(0.6, abs=0.03)


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=2, max_size=6), st.integers(0, 10**6))
def test_excluded_options_are_never_picked(weights: list[float], seed: int) -> None:
    random = WriterRandom(f"{seed}")
    for _ in range(5):
        allowed = weights if any(weights) else [1.0] * len(weights)
        assert allowed[random.index("key", allowed)]
        weights = weights[::-1]


def test_repeated_alternatives_of_a_template_are_more_likely() -> None:
    template = Template("[go|go|go|walk]")
    words = Counter(template.render(WriterRandom(f"{k}")).string for k in range(2_000))
    assert words["go"] / 2_000 == pytest.approx(0.75, abs=0.03)


def test_recorded_choices_annotate_the_text() -> None:
    random = WriterRandom("1")
    random.recording = True
    first = random.chance("start", 0.5)
    text = Template("[go|walk] [on|]").render(random)
    marks = [annotation.phenomenon for annotation in text.annotations]
    assert all(mark.startswith(CHOICE_MARK) for mark in marks)
    assert [mark.split(" ", 3)[3] for mark in marks] == ["start", "[go|walk]", "[on|]"]
    assert marks[0].split()[1] == ("0" if first else "1")
    assert not Template("go").render(random).annotations


def test_draws_are_those_of_choices() -> None:
    weights = (0.0, 3.0, 0.5, 0.0, 6.5)
    writer, plain = WriterRandom("draws"), Random("draws")
    drawn = [writer.index(f"key {k}", weights) for k in range(500)]  # every key is new: no habits
    assert drawn == [plain.choices(range(5), weights)[0] for _ in range(500)]
    assert set(drawn) == {1, 2, 4}


@settings(deadline=None)
@given(st.lists(st.floats(0.1, 10.0), min_size=2, max_size=6), st.data(), st.integers(0, 10**6))
def test_fitted_weights_draw_as_choices(weights: list[float], data: st.DataObject, seed: int) -> None:
    defaults = data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(weights), max_size=len(weights)))
    defaults[0] = 1.0
    writer, plain = WriterRandom(f"{seed}", Weights({"key": weights}, {}), {"key": 0.0}), Random(f"{seed}")
    options = range(len(weights))
    for k in range(5):
        if k:
            plain.random()  # the habit
        expected = plain.choices(options, weights)[0]
        if not defaults[expected]:
            expected = plain.choices(options, [w if d else 0.0 for w, d in zip(weights, defaults, strict=True)])[0]
        assert writer.index("key", defaults) == expected


def test_cached_odds_are_those_of_the_ngrams() -> None:
    texts = ("Turn left at the next light.", "You will see a red door. Stop there!", "a bench", "")
    for kind in ("navigation", "sdr"):
        weights = fitted_weights(kind)
        for text in texts * 2:
            logits = [[weights.ngrams.get(ngram, 0.0) for ngram in ngrams(masked)] for masked in masked_sentences(text)]
            assert text_odds(weights, text) == exp(min(max(sum(map(sum, logits)), -20.0), 20.0))
    assert text_odds(Weights({}, {"the": 1.0}), "the door") != text_odds(Weights({}, {"the": 2.0}), "the door")


def test_ranking_draws_candidates_by_the_odds_of_their_ngrams() -> None:
    template = Template("[you will see|you will notice|there is] a door")
    weights = Weights({}, {"you will": 1.0, "will notice": -1.0})
    drawn = Counter(template.render(WriterRandom(f"{k}", weights)).string for k in range(4_000))
    odds = {"you will see a door": exp(1.0), "you will notice a door": 1.0, "there is a door": 1.0}
    expected = Counter[str]()
    for candidates in product(odds, repeat=CANDIDATES):  # all equally likely
        total = sum(odds[words] for words in candidates)
        for words in candidates:
            expected[words] += odds[words] / total / len(odds) ** CANDIDATES
    for words, share in expected.items():
        assert drawn[words] / drawn.total() == pytest.approx(share, abs=0.03)


def test_ranking_keeps_the_habits_of_the_drawn_candidate_only() -> None:
    template, weights = Template("[turn|make a|hang a] left"), Weights({}, {"make": 2.0})
    for k in range(200):
        random = WriterRandom(f"{k}", weights, {"[turn|make a|hang a]": 1.0})
        first = template.render(random).string
        assert template.render(random).string == first


def test_ranking_records_the_choices_of_the_drawn_candidate_only() -> None:
    for k in range(50):
        random = WriterRandom(f"{k}", Weights({}, {"turn": 1.0}))
        random.recording = True
        random.chance("start", 0.5)
        text = Template("[turn|make a] left").render(random)
        marks = [annotation.phenomenon for annotation in text.annotations]
        assert [mark.split(" ", 3)[3] for mark in marks] == ["start", "[turn|make a]"]
        assert marks[1].split()[1] == ("0" if text.string.startswith("turn") else "1")
        assert not random.recorded


def test_ngrams_are_runs_of_one_to_three_words() -> None:
    assert set(ngrams("you will see on")) == {
        "you", "will", "see", "on", "you will", "will see", "see on", "you will see", "will see on",
    }  # fmt: skip
