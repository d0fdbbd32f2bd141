"""Telling real from generated texts by their surface: punctuation, capitals, digits and spacing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.language.analysis.realism.classifier import FOLDS, REGULARISATION, cross_validated_auc, scikit_learn

NGRAMS = (1, 4)  # tokens
_WORDS = frozenset(("x", "X", "XX", "9"))
_TOKEN = re.compile(r"(?P<word>[^\W\d_]+)|(?P<number>\d+)|(?P<line>\s*\n\s*)|(?P<other>.)", re.DOTALL)


def surface_tokens(text: str) -> list[str]:
    """Return what is left of a text without its letters.

    Words are `x`, `X` if capitalised, `XX` in capitals; numbers are `9`, line breaks `/`. Single spaces between words
    are left out; other spaces are `_`. The ends of the text are `^` and `$`.
    """
    tokens = ["^"]
    for match in _TOKEN.finditer(text.strip()):
        word = match["word"]
        if (word or match["number"]) and tokens[-1] == "_" and tokens[-2] in _WORDS:
            tokens.pop()
        if word:
            capital = "XX" if len(word) > 1 and word.isupper() else "X"
            tokens.append(capital if word[0].isupper() else "x")
        elif match["line"]:
            tokens.append("/")
        else:
            tokens.append("9" if match["number"] else "_" if match[0].isspace() else match[0])
    return [*tokens, "$"]


def surface_auc(first: Sequence[str], second: Sequence[str], seed: int = 0) -> float:
    """Return how well a classifier tells two sets of texts apart that sees no letters (`surface_tokens`).

    A logistic regression on n-grams of tokens is trained and tested in five folds, on as many texts of each set.
    """
    count = min(len(first), len(second))
    if count < FOLDS:
        raise InputError(f"at least {FOLDS} texts on both sides", f"{len(first)} and {len(second)}")
    random = Random(f"{seed} surface")
    texts = [" ".join(surface_tokens(text)) for side in (first, second) for text in random.sample(list(side), count)]
    label = np.repeat([1, 0], count)
    fold = np.array(random.sample(range(2 * count), 2 * count)) % FOLDS
    return cross_validated_auc(texts, label, fold, _fit)


def _fit(texts: Sequence[str], label: Any) -> tuple[Any, Any]:
    sklearn = scikit_learn()
    vectorizer = sklearn.TfidfVectorizer(token_pattern=r"\S+", lowercase=False, ngram_range=NGRAMS, min_df=2)
    model = sklearn.LogisticRegression(C=REGULARISATION, max_iter=300)
    return vectorizer, model.fit(vectorizer.fit_transform(texts), label)
