"""One tokeniser for every text: lower-case words and single marks, named in every table that counts tokens."""

from __future__ import annotations

import re

TOKENISER = "lower-case words and marks"
# A word may hold apostrophes and hyphens inside ("don't", "t-shirt"); anything else that is not space is one token.
_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def tokens(text: str) -> list[str]:
    """The words and marks of a text, in lower case."""
    return _TOKEN.findall(text.lower())


def token_spans(text: str) -> list[tuple[int, int]]:
    """Where each of `tokens` begins and ends in the text."""
    return [found.span() for found in _TOKEN.finditer(text)]


def token_ends(text: str) -> list[int]:
    """Where each of `tokens` ends in the text."""
    return [found.end() for found in _TOKEN.finditer(text)]


def words(text: str) -> list[str]:
    """The tokens that are words."""
    return [token for token in tokens(text) if token[0].isalnum() or token[0] == "_"]


def sentences(text: str) -> list[str]:
    """The sentences of a text: they end with a full stop, an exclamation or a question mark and a space."""
    return [part for part in SENTENCE_END.split(text.strip()) if part]
