"""Fit the weights of a kind of text to the frequencies of real texts.

Each round generates texts and trains the classifier of `bearleft.language.analysis.realism` to tell their masked
sentences from real ones. The odds that a sentence is real then reweight the choices that were made for it (importance
weighting). Further rounds fit the weights of n-grams by which candidates for a clause are ranked: each adds those of a
logistic regression to the ones before. Only n-grams of generated texts are kept. The weights are in
src/bearleft/language/weights/KIND.json. Only the tune half of the real texts is used; `bearleft data realism` reports
on the other one.

    python tools/fit_language.py navigation --rounds 6 --ngram-rounds 3 --size 600
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import scipy.sparse

import bearleft
from bearleft.language import writer_random
from bearleft.language.analysis.realism.classifier import fit_classifier
from bearleft.language.analysis.realism.masking import mask, masked_sentences
from bearleft.language.analysis.tokens import sentence_spans
from bearleft.language.writer_random import CHOICE_MARK, WriterRandom, ngrams

# Kind of text: dataset, split, and the fields of texts and annotations.
KINDS = {
    "navigation": ("city/touchdown", "dev"),
    "sdr": ("city/sdr", "dev"),
    "refer360": ("city/refer360", "validation.unseen"),
    "walks": ("city/arramon", "val_unseen"),
    "assembly": ("city/arramon", "val_unseen"),
}
PANORAMAS_PER_TEXT = 2.8  # city/sdr counts panoramas
WEIGHTS = Path(writer_random.__file__).parent / "weights"
FOLDS = 3
MAX_LOGIT = 3.0
SMOOTHING = 25.0  # uses of an alternative that are added with the mean odds
REGULARISATION = 1.0  # of the classifier; lower than when measuring, so that weights follow frequent expressions only
STEP = 0.8  # exponent of an update
NGRAM_REGULARISATION = 0.1
MIN_NGRAM_USES = 5  # generated sentences with an n-gram that gets a weight
MIN_NGRAM_LOGIT = 0.02
MIN_RELATIVE_WEIGHT = 0.015  # of the heaviest alternative; rare expressions stay in use


def annotated_texts(kind: str, folder: Path) -> Iterator[tuple[str, list[tuple[str, int, int]]]]:
    """Yield the texts of a generated dataset with their annotations."""
    dataset, split = KINDS[kind]
    (file,) = (folder / dataset).glob(f"{split}.json*")
    if kind in ("navigation", "sdr"):
        field = "navigation_text" if kind == "navigation" else "td_location_text"
        for line in file.read_text().splitlines():
            example = json.loads(line)
            yield example[field], example["phenomena"][field]
    elif kind == "refer360":
        for example in json.loads(file.read_text()):
            yield " ".join(word for sentence in example["refexp"] for word in sentence), example["phenomena"]
    else:
        field, first = ("navi_inst_gt", 0) if kind == "walks" else ("assem_inst_gt", 1)
        for example in json.loads(file.read_text()):
            yield from zip(example["instructions"][field], example["bearleft"]["phenomena"][first::2], strict=True)


def sentences_with_choices(kind: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield masked sentences with the choices made for them."""
    for text, marks in annotated_texts(kind, folder):
        for begin, end in sentence_spans(text):
            masked = mask(text[begin:end])
            choices = [name for name, start, _ in marks if name.startswith(CHOICE_MARK) and begin <= start < end]
            if masked:
                yield masked, choices


def update(weights: dict[str, list[float]], rows: Sequence[tuple[list[str], float]]) -> None:
    """Reweight the choices in place by the odds of the sentences that they were made for."""
    uses: dict[str, list[list[float]]] = {}
    for choices, odds in rows:
        for choice in choices:
            _, index, count, key = choice.split(" ", 3)
            table = uses.setdefault(key, [[0.0, 0.0] for _ in range(int(count))])
            table[int(index)][0] += 1.0
            table[int(index)][1] += odds
    for key, table in uses.items():
        total = sum(count for count, _ in table)
        mean = sum(odds for _, odds in table) / total
        old = weights.get(key)
        if old is None or len(old) != len(table):
            old = [default / sum(WriterRandom.defaults[key]) for default in WriterRandom.defaults[key]]
        new = [
            weight * ((odds + SMOOTHING * mean) / ((count + SMOOTHING) * mean)) ** STEP
            for weight, (count, odds) in zip(old, table, strict=True)
        ]
        floor = MIN_RELATIVE_WEIGHT * max(new)
        new = [max(weight, floor) for weight in new]
        weights[key] = [round(weight / sum(new), 4) for weight in new]


def generate(kind: str, size: int, seed: int) -> tuple[list[tuple[str, list[str]]], dict[str, list[float]]]:
    """Generate texts with recorded choices; return masked sentences with their choices, and default weights."""
    WriterRandom.recording = True
    writer_random.fitted_weights.cache_clear()
    with tempfile.TemporaryDirectory() as folder:
        dataset, split = KINDS[kind]
        size = round(size * PANORAMAS_PER_TEXT) if kind == "sdr" else size
        bearleft.make_dataset(dataset, [split], size, seed=seed, out=folder, processes=1)
        return list(sentences_with_choices(kind, Path(folder))), WriterRandom.defaults


def fit_round(
    generated: Sequence[tuple[str, list[str]]], weights: dict[str, list[float]], real: Sequence[str]
) -> float:
    """Update the weights in place, and return the mean probability that a sentence is real."""
    real_sentences = [masked for text in real for masked in masked_sentences(text)]
    prior = math.log(len(generated) / len(real_sentences))
    rows: list[tuple[list[str], float]] = []
    total = 0.0
    for fold in range(FOLDS):
        train = [s for k, (s, _) in enumerate(generated) if k % FOLDS != fold]
        test = [row for k, row in enumerate(generated) if k % FOLDS == fold]
        labels = [1] * len(real_sentences) + [0] * len(train)
        vectorizer, model = fit_classifier([*real_sentences, *train], labels, REGULARISATION)
        shift = prior + math.log((FOLDS - 1) / FOLDS)
        logits = model.decision_function(vectorizer.transform([s for s, _ in test])) + shift
        for (_, choices), logit in zip(test, logits, strict=True):
            rows.append((choices, math.exp(min(max(float(logit), -MAX_LOGIT), MAX_LOGIT))))
            total += 1.0 / (1.0 + math.exp(-float(logit)))
    update(weights, rows)
    return total / len(rows)


def fit_ngrams(generated: Sequence[str], logits: dict[str, float], real: Sequence[str]) -> None:
    """Add the logits of a logistic regression of n-grams to those before, in place."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = CountVectorizer(analyzer=ngrams, min_df=MIN_NGRAM_USES)
    uses = vectorizer.fit_transform(generated)
    real_uses = vectorizer.transform([masked for text in real for masked in masked_sentences(text)])
    labels = [0] * uses.shape[0] + [1] * real_uses.shape[0]
    model = LogisticRegression(C=NGRAM_REGULARISATION, max_iter=300, class_weight="balanced")
    model.fit(scipy.sparse.vstack([uses, real_uses]), labels)
    for ngram, logit in zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True):
        logits[ngram] = round(logits.get(ngram, 0.0) + STEP * float(logit), 2)
    for ngram in [ngram for ngram, logit in logits.items() if abs(logit) < MIN_NGRAM_LOGIT]:
        del logits[ngram]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("--rounds", type=int, default=6, help="rounds that reweight choices")
    parser.add_argument("--ngram-rounds", type=int, default=0, help="rounds after them that fit the weights of n-grams")
    parser.add_argument("--size", type=int, default=600, help="texts per round")
    parser.add_argument("--jobs", type=int, default=1, help="processes that generate texts")
    parser.add_argument("--seed", type=int, default=1000, help="seed of the first round")
    parser.add_argument("--data", help="folder of the real data")
    options = parser.parse_args(arguments)
    from bearleft.data.realism import real_texts

    real = real_texts(options.kind, options.data).tune
    file = WEIGHTS / f"{options.kind}.json"
    fitted = json.loads(file.read_text()) if file.exists() else {"choices": {}, "ngrams": {}}
    weights: dict[str, list[float]] = fitted["choices"]
    with ProcessPoolExecutor(options.jobs) as pool:
        for k in range(options.rounds + options.ngram_rounds):
            seeds = [options.seed + k * options.jobs + job for job in range(options.jobs)]
            sizes = [options.size // options.jobs] * options.jobs
            parts = list(pool.map(generate, [options.kind] * options.jobs, sizes, seeds))
            for _, defaults in parts:
                WriterRandom.defaults.update(defaults)
            generated = [row for rows, _ in parts for row in rows]
            if k < options.rounds:
                mean = fit_round(generated, weights, real)
                print(f"round {k + 1}: {len(weights)} keys, mean probability of being real {mean:.3f}", flush=True)
            else:
                fit_ngrams([masked for masked, _ in generated], fitted["ngrams"], real)
                print(f"round {k + 1}: {len(fitted['ngrams'])} n-grams", flush=True)
            fitted = {name: dict(sorted(table.items())) for name, table in fitted.items()}
            weights = fitted["choices"]
            file.write_text(json.dumps(fitted, indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
