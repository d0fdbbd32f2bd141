"""Tokeniser for all texts: lower-case words and single punctuation marks."""

from __future__ import annotations

import re

TOKENISER = "lower-case words and marks"
# A word may contain apostrophes and hyphens ("don't", "t-shirt"); any other character that is no space is one token.
_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def tokens(text: str) -> list[str]:
    """Return the words and punctuation marks of a text, in lower case."""
    return _TOKEN.findall(text.lower())


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of each of `tokens` in the text."""
    lower = text.lower()
    spans = [match.span() for match in _TOKEN.finditer(lower)]
    if len(lower) == len(text):
        return spans
    origins = [k for k, character in enumerate(text) for _ in character.lower()]  # "İ" has two characters in lower case
    return [(origins[begin], origins[end - 1] + 1) for begin, end in spans]


def token_ends(text: str) -> list[int]:
    """Return the end of each of `tokens` in the text."""
    return [match.end() for match in _TOKEN.finditer(text)]


def words(text: str) -> list[str]:
    """Return the tokens that are words."""
    return [token for token in tokens(text) if token[0].isalnum() or token[0] == "_"]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, which end with a full stop, exclamation or question mark and a space."""
    return [part for part in SENTENCE_END.split(text.strip()) if part]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of each of `sentences` in the text."""
    ends = [match.span() for match in SENTENCE_END.finditer(text)]
    begins = [0, *(end for _, end in ends)]
    spans = zip(begins, [*(begin for begin, _ in ends), len(text)], strict=True)
    return [(begin, end) for begin, end in spans if text[begin:end].strip()]
