"""Telling real from generated sentences: the AUC of a linear classifier on masked sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.errors import InputError
from bearleft.language.analysis.realism.masking import masked_sentences

if TYPE_CHECKING:
    from bearleft.types import Floats

FOLDS = 5
MIN_WORDS = 3  # shorter masked sentences tell nothing
LENGTH_BIN = 3  # masked words; sentences are balanced within bins of this width
WORD_NGRAMS, LETTER_NGRAMS = (1, 3), (2, 5)
MIN_SENTENCES = 2  # sentences in which an n-gram must occur
REGULARISATION = 4.0  # scikit-learn's C


@dataclass(frozen=True)
class Separation:
    """How well a classifier separates two sets of texts."""

    auc: float
    sentences: int  # of each set, after balancing
    first: tuple[tuple[str, float], ...]  # n-grams of words most telling for the first set, with their weights
    second: tuple[tuple[str, float], ...]


def separate(first: Sequence[str], second: Sequence[str], features: int = 20, seed: int = 0) -> Separation:
    """Return how well masked single sentences of two sets of texts are told apart.

    A logistic regression on n-grams of words and letters is trained and tested in five folds. The sets are balanced:
    as many sentences of each length from both. All sentences of a text are in the same fold.

    Args:
        first: Texts of the first set, for example real ones.
        second: Texts of the second set.
        features: Number of telling n-grams to return for each set.
        seed: Seed of the balancing and of the folds.
    """
    if not first or not second:
        raise InputError("texts on both sides", f"{len(first)} and {len(second)}")
    random = Random(f"{seed} separate")
    sentences, labels, texts = _balanced(first, second, random)
    if len(sentences) < 2 * FOLDS:
        raise InputError(f"at least {FOLDS} sentences on both sides", str(len(sentences) // 2))
    folds = {text: k % FOLDS for k, text in enumerate(random.sample(sorted(set(texts)), len(set(texts))))}
    fold = np.array([folds[text] for text in texts])
    label = np.array(labels)
    auc = cross_validated_auc(sentences, label, fold, fit_classifier)
    vectorizer, model = fit_classifier(sentences, label)
    return Separation(auc, len(sentences) // 2, *_telling(vectorizer, model.coef_[0], features))


def _balanced(first: Sequence[str], second: Sequence[str], random: Random) -> tuple[list[str], list[int], list[str]]:
    """Return masked sentences, labels (1: first) and text ids, with equal numbers of each length."""
    bins: dict[int, tuple[list[tuple[str, str]], list[tuple[str, str]]]] = defaultdict(lambda: ([], []))
    for side, texts in enumerate((first, second)):
        for k, text in enumerate(texts):
            for sentence in masked_sentences(text):
                length = sentence.count(" ") + 1
                if length >= MIN_WORDS:
                    bins[length // LENGTH_BIN][side].append((sentence, f"{side} {k}"))
    rows: list[tuple[str, int, str]] = []
    for _, pair in sorted(bins.items()):
        count = min(map(len, pair))
        for side, sentences in enumerate(pair):
            rows += [(sentence, 1 - side, text) for sentence, text in random.sample(sentences, count)]
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def fit_classifier(sentences: Sequence[str], label: Any, regularisation: float = REGULARISATION) -> tuple[Any, Any]:
    """Return a vectorizer and a logistic regression fitted to masked sentences and their labels."""
    sklearn = scikit_learn()
    vectorizer = sklearn.FeatureUnion(
        [
            ("word", sklearn.TfidfVectorizer(token_pattern=r"\S+", ngram_range=WORD_NGRAMS, min_df=MIN_SENTENCES)),
            ("letter", sklearn.TfidfVectorizer(analyzer="char_wb", ngram_range=LETTER_NGRAMS, min_df=MIN_SENTENCES)),
        ]
    )
    model = sklearn.LogisticRegression(C=regularisation, max_iter=300)
    return vectorizer, model.fit(vectorizer.fit_transform(sentences), label)


def _telling(vectorizer: Any, weights: Floats, count: int) -> tuple[tuple[tuple[str, float], ...], ...]:
    names = vectorizer.get_feature_names_out()
    words = [(name.removeprefix("word__"), float(w)) for name, w in zip(names, weights, strict=True) if name[0] == "w"]
    words.sort(key=lambda row: row[1])
    return tuple(reversed(words[-count:])), tuple(words[:count])


def cross_validated_auc(
    samples: Sequence[str], label: Any, fold: Any, fit: Callable[[Sequence[str], Any], tuple[Any, Any]]
) -> float:
    """Return the area under the ROC curve of a classifier that is trained on the other folds.

    Args:
        samples: Masked sentences or other strings.
        label: Their labels, 0 or 1.
        fold: Their folds.
        fit: Function that returns a fitted vectorizer and classifier.
    """
    scores = np.zeros(len(samples))
    for k in range(FOLDS):
        train, test = fold != k, fold == k
        vectorizer, model = fit([sample for sample, used in zip(samples, train, strict=True) if used], label[train])
        scores[test] = model.decision_function(
            vectorizer.transform([sample for sample, used in zip(samples, test, strict=True) if used])
        )
    return float(scikit_learn().roc_auc_score(label, scores))


def scikit_learn() -> SimpleNamespace:
    """Return what is used of scikit-learn.

    Raises:
        InputError: If it is not installed.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import roc_auc_score
        from sklearn.pipeline import FeatureUnion
    except ImportError:
        raise InputError("scikit-learn", "none", hint="type pip install -e '.[realism]'") from None
    return SimpleNamespace(
        FeatureUnion=FeatureUnion,
        LogisticRegression=LogisticRegression,
        TfidfVectorizer=TfidfVectorizer,
        roc_auc_score=roc_auc_score,
    )
