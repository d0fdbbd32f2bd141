"""Noise changes spelling and punctuation of texts, and spans keep covering their words."""

from __future__ import annotations

import difflib
import re
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.language.annotated_text import Annotation, Mention, Text
from bearleft.language.noise import COMMAS, CONFUSIONS, DESCRIPTION_NOISE, SEQUENCE_NOISE, NoiseRates, add_noise

STRING = (
    "Turn so the red awning is on your left. Go straight until you've reached the second intersection, then turn"
    " right. Waldo's just above the building, directly across the street!"
)
WORDS = [(match.start(), match.end()) for match in re.finditer(r"[\w']+", STRING)]


def annotated_text() -> Text:
    """Return a text with every word marked and some phrases mentioned."""
    annotations = tuple(Annotation("count", begin, end) for begin, end in WORDS)
    phrases = [(k, WORDS[k][0], WORDS[k + 2][1]) for k in range(0, len(WORDS) - 2, 3)]
    return Text(STRING, annotations, tuple(Mention(*phrase) for phrase in phrases))


@given(st.integers(0, 10_000), st.sampled_from([0.3, 1.0]))
def test_spans_keep_covering_their_words(seed: int, amount: float) -> None:
    noisy = add_noise(annotated_text(), Random(seed), amount)
    dropped = len(WORDS) - len(noisy.annotations)  # articles
    words = [span for span in WORDS if not dropped or not STRING.startswith("the second", span[0])]
    assert len(noisy.annotations) == len(words)
    for annotation, (begin, end) in zip(noisy.annotations, words, strict=True):
        original_words, noisy_words = (
            STRING[begin:end].lower().replace("'", ""),
            noisy.string[annotation.begin : annotation.end].lower().replace("'", ""),
        )
        assert noisy_words == noisy_words.strip() and noisy_words
        if noisy_words in [confused for confused, _ in CONFUSIONS.get(original_words, ())]:
            continue
        assert difflib.SequenceMatcher(None, original_words, noisy_words).ratio() > 0.5, (original_words, noisy_words)
        assert noisy_words[0] == original_words[0] or len(original_words) < 5
    for mention, original_mention in zip(noisy.mentions, annotated_text().mentions, strict=True):
        noisy_phrase = noisy.string[mention.begin : mention.end]
        original_words = STRING[original_mention.begin : original_mention.end]
        assert difflib.SequenceMatcher(None, original_words.lower(), noisy_phrase.lower()).ratio() > 0.6


@given(st.text(max_size=60), st.integers(0, 1000))
@example("?", 448)
def test_any_text_can_get_noise(string: str, seed: int) -> None:
    text = Text(string, (Annotation("count", 0, len(string)),))
    noisy = add_noise(text, Random(seed))
    assert noisy.annotations[0].begin == 0 and noisy.annotations[0].end == len(noisy.string)


def test_amount_zero_changes_nothing_and_noise_is_deterministic() -> None:
    assert add_noise(annotated_text(), Random(3), 0.0) == annotated_text()
    assert add_noise(annotated_text(), Random(3)) == add_noise(annotated_text(), Random(3))


def test_every_kind_of_noise_occurs() -> None:
    texts = [add_noise(annotated_text(), Random(seed)).string for seed in range(1500)]
    assert any(text.islower() for text in texts)
    assert any("youve" in text.lower() for text in texts)
    assert any(not text.endswith("!") for text in texts)
    assert any(re.search(r"left[;,]? (and )?go", text.lower()) for text in texts)
    assert any("left.Go" in text for text in texts)
    assert any("reached second" in text.lower() for text in texts)
    assert any("til you" in text or "till you" in text for text in texts)
    assert sum(text != STRING for text in texts) > 600
    words = set(re.findall(r"\w+", STRING.lower()))
    new_words = [len(set(re.findall(r"\w+", text.lower())) - words) for text in texts]
    assert 0.1 < sum(new_words) / len(new_words) < 1  # people mistype about one word in a hundred


def test_statements_lose_their_subject_and_get_afterthoughts() -> None:
    text = Text("Turn left at the light. There is a bench on your left. You will see three doors. Stop.")
    texts = [add_noise(text, Random(seed)).string for seed in range(300)]
    assert any("left. See " in text for text in texts)
    assert any("on your left as well." in text for text in texts)
    assert any("3 doors" in text for text in texts)


def test_commas_come_before_certain_words_only() -> None:
    string = "Go past the bench and the tree but stop at the door which is next to a lamp just before the light."
    rates = NoiseRates(comma=1.0, typo=0.0, misspelling=0.0, confusion=0.0, digit=0.0)
    texts = [add_noise(Text(string), Random(seed), rates=rates).string for seed in range(400)]
    words = {word for text in texts for word in re.findall(r", (\w+)", text)}
    assert {"and", "but", "which"} < words <= COMMAS.keys()
    shares = [sum(f", {word}" in text for text in texts) / len(texts) for word in ("but", "and", "at")]
    assert shares == sorted(shares, reverse=True)


def test_one_writer_uses_capitals_or_none() -> None:
    writers = [SEQUENCE_NOISE.of_writer(Random(seed)) for seed in range(200)]
    assert {rates.lower_case for rates in writers} == {0.0, 1.0}
    assert 0.4 < sum(rates.lower_case for rates in writers) / len(writers) < 0.7
    for rates in writers[:20]:
        texts = [add_noise(Text("Look at Waldo."), Random(seed), rates=rates).string for seed in range(5)]
        assert len({text == text.lower() for text in texts}) == 1


def test_words_are_not_replaced_by_others() -> None:
    for seed in range(200):
        words = add_noise(Text("left right first second red blue above below"), Random(seed)).string.split()
        assert len(words) == 8
        assert words[0][0] == "l" and words[1][0] == "r"


def test_invalid_amount_raises() -> None:
    with pytest.raises(InputError, match="amount"):
        add_noise(annotated_text(), Random(0), 1.5)


def test_descriptions_keep_their_sentences_and_lose_few_words() -> None:
    string = "There is an awning on the left. You will see a red door. Touchdown is on top of the door."
    texts = [add_noise(Text(string), Random(seed), rates=DESCRIPTION_NOISE).string for seed in range(400)]
    assert all(len(re.findall(r"\. ?\w", text)) == 2 for text in texts)
    words = [re.sub(r"[.,]+ ?", " ", text.lower()).split() for text in texts]
    assert 0 < sum(len(text) < len(string.split()) for text in words) < 0.2 * len(texts)
    assert any("a awning" in text for text in texts)
