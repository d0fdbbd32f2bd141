from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.language.analysis.tokens import sentences, tokens, words


def test_words_and_punctuation_are_tokens() -> None:
    text = "Don't stop; it's the T-shirt shop (left)."
    assert tokens(text) == ["don't", "stop", ";", "it's", "the", "t-shirt", "shop", "(", "left", ")", "."]
    assert words(text) == ["don't", "stop", "it's", "the", "t-shirt", "shop", "left"]
    assert tokens("") == tokens(" \n") == []


def test_text_is_split_into_sentences() -> None:
    assert sentences("Go on. Stop!  Where? Here. ") == ["Go on.", "Stop!", "Where?", "Here."]
    assert sentences("no end") == ["no end"] and sentences(" ") == []


@given(st.text())
@settings(deadline=None)
def test_tokens_keep_everything_but_space(text: str) -> None:
    assert "".join(tokens(text)) == "".join(text.lower().split())
