"""Loose style changes letters, and its marks still cover the words they meant."""

from __future__ import annotations

import difflib
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.language.annotated_text import Mark, Mention, Text
from bearleft.language.noise import loosen

SAID = (
    "Turn so the red awning is on your left. Go straight until you've reached the second intersection, then turn"
    " right. Waldo's just above the building, directly across the street!"
)
WORDS = [(found.start(), found.end()) for found in re.finditer(r"[\w']+", SAID)]


def whole() -> Text:
    """Every word marked, and some phrases mentioned."""
    marks = tuple(Mark("count", begin, end) for begin, end in WORDS)
    phrases = [(k, WORDS[k][0], WORDS[k + 2][1]) for k in range(0, len(WORDS) - 2, 3)]
    return Text(SAID, marks, tuple(Mention(*phrase) for phrase in phrases))


@given(st.integers(0, 10_000), st.sampled_from([0.3, 1.0]))
def test_spans_cover_the_words_they_meant(seed: int, amount: float) -> None:
    loose = loosen(whole(), Random(seed), amount)
    assert len(loose.marks) == len(WORDS)
    for mark, (begin, end) in zip(loose.marks, WORDS, strict=True):
        was, now = (
            SAID[begin:end].lower().replace("'", ""),
            loose.string[mark.begin : mark.end].lower().replace("'", ""),
        )
        assert now == now.strip() and now
        assert difflib.SequenceMatcher(None, was, now).ratio() > 0.5, (was, now)
        assert now[0] == was[0] or len(was) < 5
    for mention, before in zip(loose.mentions, whole().mentions, strict=True):
        said = loose.string[mention.begin : mention.end]
        was = SAID[before.begin : before.end]
        assert difflib.SequenceMatcher(None, was.lower(), said.lower()).ratio() > 0.6


@given(st.text(max_size=60), st.integers(0, 1000))
def test_any_text_can_be_loosened(string: str, seed: int) -> None:
    text = Text(string, (Mark("count", 0, len(string)),))
    loose = loosen(text, Random(seed))
    assert loose.marks[0].begin == 0 and loose.marks[0].end == len(loose.string)


def test_off_by_default_and_the_same_by_the_same_numbers() -> None:
    assert loosen(whole(), Random(3), 0.0) == whole()
    assert loosen(whole(), Random(3)) == loosen(whole(), Random(3))


def test_it_does_what_hasty_people_do() -> None:
    texts = [loosen(whole(), Random(seed)).string for seed in range(300)]
    assert any(text.islower() for text in texts)
    assert any("youve" in text.lower() for text in texts)
    assert any("  " in text for text in texts)
    assert any(not text.endswith("!") for text in texts)
    assert any(re.search(r"left (and )?go", text.lower()) for text in texts)
    assert sum(text != SAID for text in texts) > 250
    words = set(re.findall(r"\w+", SAID.lower()))
    odd = [len(set(re.findall(r"\w+", text.lower())) - words) for text in texts]
    assert 0.5 < sum(odd) / len(odd) < 6


def test_sides_are_never_exchanged() -> None:
    for seed in range(200):
        said = loosen(Text("left right first second red blue above below"), Random(seed)).string.split()
        assert len(said) == 8
        assert said[0][0] == "l" and said[1][0] == "r"


def test_amounts_are_shares() -> None:
    with pytest.raises(InputError, match="amount"):
        loosen(whole(), Random(0), 1.5)
