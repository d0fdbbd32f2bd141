"""Words of the same sound and needless commas are corrected by their neighbours, and nothing else is."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from bearleft.language.instructions.parse import parse_frames
from bearleft.language.spelling import fix_typos, vocabulary


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Go thru the light.", "Go through the light."),
        ("Go though the light.", "Go through the light."),
        ("Walk till you see a bench.", "Walk until you see a bench."),
        ("Stop when your in line with it.", "Stop when you're in line with it."),
        ("Its just before the light.", "it's just before the light."),
        ("Walk just passed the bench.", "Walk just past the bench."),
        ("Go pass the bench.", "Go past the bench."),
        ("Turn left, at the light.", "Turn left at the light."),
    ],
)
def test_corrections_by_neighbours(written: str, meant: str) -> None:
    assert fix_typos(written, vocabulary()) == meant
    assert [(frame.name, frame.side) for frame in parse_frames(written)] == [
        (frame.name, frame.side) for frame in parse_frames(meant)
    ]


@pytest.mark.parametrize(
    "correct",
    [
        "Make your next left.",
        "Stop once you've just passed the bench.",
        "After you passed the bench, turn.",
        "The bench is on your left, with a door on your right.",
        "Pass the bench and its lamp.",
    ],
)
def test_correct_words_stay(correct: str) -> None:
    assert fix_typos(correct, frozenset()) == correct


def test_words_of_generated_texts_stay() -> None:
    lines = (files("bearleft.data") / "embedded" / "city" / "touchdown" / "small.jsonl").read_text().splitlines()
    texts = [json.loads(line)["navigation_text"] for line in lines]
    assert len(texts) == 60
    fixed = [fix_typos(text, frozenset()) for text in texts]
    assert [text.replace(",", "") for text in fixed] == [text.replace(",", "") for text in texts]
