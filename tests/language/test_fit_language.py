"""Tests of tools/fit_language.py, which is not part of the package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random

import pytest

from bearleft.language.templates import Template
from bearleft.language.writer_random import Weights, WriterRandom

pytest.importorskip("sklearn")
FILE = Path(__file__).parents[2] / "tools" / "fit_language.py"
spec = importlib.util.spec_from_file_location("fit_language", FILE)
assert spec is not None and spec.loader is not None
fit_language = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fit_language)


@pytest.mark.slow
def test_weights_approach_the_frequencies_of_real_texts() -> None:
    """Writers choose one verb of four evenly; the real texts use the second in 8 of 10 sentences."""
    template, random = Template("[go|walk|move|head] [forward|straight] to the corner"), Random(1)
    verbs = ["walk"] * 16 + ["go", "go", "move", "head"]
    real = [f"{random.choice(verbs)} {random.choice(['forward', 'straight'])} to the corner." for _ in range(400)]
    weights: dict[str, list[float]] = {}
    for fit in range(4):
        generated = []
        for k in range(400):
            writer = WriterRandom(f"{fit} {k}", Weights(weights, {}))
            writer.recording = True
            text = template.render(writer)
            generated.append((text.string, [annotation.phenomenon for annotation in text.annotations]))
        mean = fit_language.fit_round(generated, weights, real)
    assert weights["[go|walk|move|head]"] == pytest.approx([0.1, 0.8, 0.05, 0.05], abs=0.08)
    assert weights["[forward|straight]"] == pytest.approx([0.5, 0.5], abs=0.08)
    assert mean == pytest.approx(0.5, abs=0.06)


def test_ngram_weights_follow_combinations() -> None:
    """Two independent choices cannot have the frequencies of the real texts: each verb has its own adverb there."""
    template, random = Template("[go|walk] [forward|straight] to the corner"), Random(1)
    real = [f"{random.choice(['go straight', 'walk forward'])} to the corner." for _ in range(400)]
    logits: dict[str, float] = {}
    for fit in range(3):
        writers = [WriterRandom(f"{fit} {k}", Weights({}, logits)) for k in range(400)]
        fit_language.fit_ngrams([template.render(writer).string for writer in writers], logits, real)
    texts = [template.render(WriterRandom(f"{k}", Weights({}, logits))).string for k in range(400)]
    usual = sum(text.startswith(("go straight", "walk forward")) for text in texts)
    assert usual > 330  # without ranking about 200; four candidates have none in one of 16 draws
    assert {ngram.split()[0] for ngram in logits} <= {"go", "walk", "forward", "straight", "to", "the"}
