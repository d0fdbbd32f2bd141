"""Byte pairs: merges against a slow reference, spans, and pieces that are drawn at random."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bearleft.data import load
from bearleft.language.analysis.tokens import tokens
from bearleft.models.subwords import END, Subwords
from bearleft.models.vocabulary import FIRST_WORD, UNKNOWN, Vocabulary

TEXTS = [
    "Turn left at the lights, then turn right.",
    "At the light turn LEFT; the lighter building's on the right-hand side.",
    "left left leftmost rightmost, don't stop",
]


LEARNED, WORDS = Subwords.from_texts(TEXTS, 40), Vocabulary.from_texts(TEXTS)


def slow_merges(texts: list[str], size: int) -> list[tuple[str, str]]:
    """Learn merges from the list of all words, counting every pair anew."""
    words = [[*word[:-1], word[-1] + END] for text in texts for word in tokens(text)]
    known = {piece for word in words for piece in word}
    merges: list[tuple[str, str]] = []
    while len(known) + len(merges) < size:
        counts: dict[tuple[str, str], int] = {}
        for word in words:
            for k in range(len(word) - 1):
                counts[word[k], word[k + 1]] = counts.get((word[k], word[k + 1]), 0) + 1
        frequent = [(-count, pair) for pair, count in counts.items() if count > 1]
        if not frequent:
            break
        best = min(frequent)[1]
        merges.append(best)
        for word in words:
            k = 0
            while k < len(word) - 1:
                if (word[k], word[k + 1]) == best:
                    word[k : k + 2] = [word[k] + word[k + 1]]
                k += 1
    return merges


@pytest.mark.parametrize("size", [20, 30, 40, 2000])
def test_merges_equal_slow_reference(size: int) -> None:
    learned = Subwords.from_texts(TEXTS, size)
    assert list(learned.merges) == slow_merges(TEXTS, size)
    assert len(learned) <= FIRST_WORD + max(size, len(learned.characters))


def test_merges_of_instructions_equal_slow_reference() -> None:
    texts = [episode.legs[0].text for episode in load("city/touchdown/small")][:8]
    assert list(Subwords.from_texts(texts, 150).merges) == slow_merges(texts, 150)


TEXT = st.text(st.sampled_from("leftrighLEFTR '’-.,0é\n"), max_size=40)


@settings(deadline=None, max_examples=100)
@given(TEXT)
@example("")
@example("   ")
@example("don't")
def test_spans_cover_the_words_of_a_text(text: str) -> None:
    for tokenizer in (LEARNED, WORDS):
        ids, spans = tokenizer.encode(text), tokenizer.spans(text)
        assert len(ids) == len(spans) >= 1
        assert all(0 <= begin <= end <= len(text) for begin, end in spans)
        assert all(first[1] <= second[0] for first, second in pairwise(spans))
        covered = "".join(text[begin:end] for begin, end in spans)
        assert covered.lower() == "".join(tokens(text))
        rows, lengths = tokenizer.encode_batch([text, "left"])
        assert rows[0, : lengths[0]].tolist() == ids and (rows[0, lengths[0] :] == 0).all()


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=20))
@example("İstanbul İ left")
@example("STRAẞE ŉ ﬃ")
def test_spans_lie_in_any_text(text: str) -> None:
    """Some characters have more letters in lower case."""
    for tokenizer in (LEARNED, WORDS):
        spans = tokenizer.spans(text)
        assert len(spans) == len(tokenizer.encode(text))
        assert all(0 <= begin <= end <= len(text) for begin, end in spans)


def test_words_decode_to_themselves() -> None:
    learned = Subwords.from_texts(TEXTS, 40)
    names = {index: piece for piece, index in learned.ids.items()}
    for text in TEXTS:
        pieces = "".join(names[index] for index in learned.encode(text))
        assert pieces.split(END)[:-1] == tokens(text)
    assert learned.encode("left") == [learned.ids["left" + END]]
    assert learned.encode("Ω") == [UNKNOWN] and learned.encode("") == [UNKNOWN]
    assert sorted(learned.ids.values()) == list(range(FIRST_WORD, len(learned)))


def test_pieces_are_drawn_at_random() -> None:
    learned = Subwords.from_texts(TEXTS, 60)
    plain = learned.encode_batch(TEXTS)
    for words, other in zip(plain, learned.draw(TEXTS, 0.0, np.random.default_rng(0)), strict=True):
        np.testing.assert_array_equal(words, other)
    drawn: list[Any] = [learned.draw(TEXTS, 0.3, np.random.default_rng(seed))[0] for seed in (1, 1, 2)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert drawn[0].shape != drawn[2].shape or (drawn[0] != drawn[2]).any()
    everything = learned.draw(TEXTS, 1.0, np.random.default_rng(0))
    assert everything[1].tolist() == [sum(len(word) for word in tokens(text)) for text in TEXTS]
    names = {index: piece for piece, index in learned.ids.items()}
    for k, text in enumerate(TEXTS):
        pieces = "".join(names[index] for index in drawn[0][k] if index)
        assert pieces.split(END)[:-1] == tokens(text)
