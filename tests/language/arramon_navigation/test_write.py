from __future__ import annotations

import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

from bearleft.language.analysis.quality import begins_with_turn, find_problems
from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.parse import parse_frames
from bearleft.language.arramon_navigation.segments import MAX_DEVIATION, split_path
from bearleft.language.arramon_navigation.semantics import ClauseFrame, Walker, follow_frames
from bearleft.language.arramon_navigation.speaker import Speaker
from bearleft.language.arramon_navigation.write import walk_writer, write_instruction
from bearleft.language.noun_phrases import Phrase
from bearleft.language.templates import PHENOMENA
from bearleft.language.writer_random import CHOICE_MARK, WriterRandom
from tests.language.arramon_navigation.section_scene import Walk, section, walks

WALKS = 60


@cache
def walks_and_texts() -> tuple[tuple[Walk, Text | None], ...]:
    """Return walks with their texts."""
    return tuple((walk, text_of_walk(walk, k)) for k, walk in enumerate(walks(section(), WALKS, 3)))


def text_of_walk(walk: Walk, seed: int) -> Text | None:
    random = walk_writer(f"text {seed}")
    return write_instruction(section()[0], walk.at, walk.heading, walk.actions, walk.target, walk.others, random)


def finds_target(text: str, walk: Walk) -> bool:
    _, index = follow_frames(parse_frames(text), section()[0], walk.at, walk.heading, walk.city_items)
    return walk.city_items[index] == walk.target


@pytest.mark.slow
def test_texts_lead_to_their_own_targets_only() -> None:
    texts = [(walk, text.string) for walk, text in walks_and_texts() if text is not None]
    assert len(texts) >= 0.8 * WALKS  # the section has few landmarks
    assert all(finds_target(text, walk) for walk, text in texts)
    others = [text for _, text in texts[7:] + texts[:7]]
    assert np.mean([finds_target(text, walk) for (walk, _), text in zip(texts, others, strict=True)]) <= 0.3


def test_path_distinguishes_items_of_the_same_name() -> None:
    ambiguous = [
        (walk, text.string)
        for walk, text in walks_and_texts()
        if text is not None and Counter(item.item for item in walk.city_items)[walk.target.item] > 1
    ]
    assert len(ambiguous) > 5
    assert all(finds_target(text, walk) for walk, text in ambiguous)
    # The name alone would give the nearer one.
    names_only = [f"Pick up the {walk.target.item.lower()}." for walk, _ in ambiguous]
    assert not all(finds_target(text, walk) for (walk, _), text in zip(ambiguous, names_only, strict=True))


def test_texts_pass_the_quality_checks_and_name_the_target() -> None:
    for walk, text in walks_and_texts():
        if text is not None:
            assert find_problems(text.string, "navigation", begins_with_turn(walk.actions)) == []
            assert set(walk.target.item.lower().split()) <= set(words(text.string))
            assert words(text.string)[-1] not in ("the", "a", "and", "then")


# Patterns of unnatural sentences.
UNNATURAL_PATTERNS = (
    r"(?<!of )(?<!of garbage )(?<!of trash )\b(?:tires|bags) is\b",
    r"\bthen\b[^.]*\bthen\b",
    r"\b(?:second|third|closest) (?:\w+ )?(?:tires|bags)\b",
    r"\b(?:through|across|cross) the (?:\w+ )*corner",
    r"\b(?:pick up|collect|take|grab|get) an? (?:striped|dotted)",
    r"(?<!until )(?<!till )\b(?:you (?:will|should|can) (?:see|find)|there is) the\b",
    r"\bface the (?:first|second|third)\b",
)


def test_texts_are_natural() -> None:
    texts = [text.string.lower() for _, text in walks_and_texts() if text is not None]
    assert [(pattern, text) for pattern in UNNATURAL_PATTERNS for text in texts if re.search(pattern, text)] == []


def test_plural_names_have_plural_verbs() -> None:
    tires = ClauseFrame("turn", Phrase("the tires", None), side=1, turn="turn")
    texts = []
    for k in range(200):
        speaker = Speaker(Walker(section()[0], (0.0, 0.0), 0.0, ()), walk_writer(str(k)))
        speaker.say("face", tires, thing="the tires")
        texts += [clause.text.string for clause in speaker.items]
    assert len(set(texts)) > 10 and not any("tires is" in text for text in texts)


def test_annotations_and_mentions_cover_words_and_names() -> None:
    scene, _ = section()
    for _, text in walks_and_texts():
        if text is None:
            continue
        for annotation in text.annotations:
            marked = text.string[annotation.begin : annotation.end]
            assert marked == marked.strip() != ""
            assert annotation.phenomenon in PHENOMENA.values()
        for mention in text.mentions:
            row = int(np.flatnonzero(scene.instance == mention.instance)[0])
            name_text = text.string[mention.begin : mention.end].lower()
            assert name_text in ("it", "them") or any(
                name.singular in name_text or name.plural in name_text for name in scene.names(row)
            ), name_text


def test_lengths_and_phenomena_resemble_the_paper() -> None:
    texts = [text for _, text in walks_and_texts() if text is not None]
    assert 24 <= np.mean([len(text.string.split()) for text in texts]) <= 37
    counts = Counter(
        phenomenon for text in texts for phenomenon in {annotation.phenomenon for annotation in text.annotations}
    )
    rates = {phenomenon: count / len(texts) for phenomenon, count in counts.items()}
    assert rates["direction"] > 0.85
    assert rates["allocentric"] > 0.5  # 0.59 of the released texts
    assert 0.15 < rates["temporal condition"] < 0.6  # 0.32 of the released texts
    assert 0.1 < rates["egocentric"] < 0.65


def test_same_seed_gives_same_text() -> None:
    walk, text = walks_and_texts()[5]
    assert text_of_walk(walk, 5) == text
    assert any(text_of_walk(walk, seed) != text for seed in (50, 51))


def test_path_is_split_at_turns() -> None:
    scene, _ = section()
    corner = [(0.0, float(y), 0.5) for y in range(10)] + [(float(x), 9.0, 0.5) for x in range(1, 8)]
    first, second = split_path(scene, corner)
    assert first.end == second.begin == (0.0, 9.0)
    assert abs(first.heading) < 1e-9
    assert abs(second.heading - 90.0) < 1e-9
    wavy = [(MAX_DEVIATION * 0.9 * (y % 2), float(y), 0.5) for y in range(12)]
    assert len(split_path(scene, wavy)) == 1
    assert split_path(scene, corner[:1]) == []


@pytest.mark.slow
def test_one_writer_keeps_capitals_and_full_stops() -> None:
    """A writer of several texts writes all in lower case, or none; and so with the last full stop."""
    agreeing = written = lower_case = 0
    for seed in range(40):
        writer = walk_writer(f"person {seed}")
        texts = [
            write_instruction(section()[0], walk.at, walk.heading, walk.actions, walk.target, walk.others, writer)
            for walk in walks(section(), 3, 11)
        ]
        strings = [text.string for text in texts if text is not None]
        written += len(strings) > 1
        agreeing += len(strings) > 1 and len({string[0].islower() for string in strings}) == 1
        lower_case += any(string[0].islower() for string in strings)
    assert agreeing >= 0.85 * written > 20
    assert 0 < lower_case < 20


def test_recorded_choices_are_annotations_only_while_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    walk, text = next((walk, text) for walk, text in walks_and_texts() if text is not None)
    monkeypatch.setattr(WriterRandom, "recording", True)
    recorded = [text_of_walk(walk, seed) for seed in range(9)]
    choices = [a for t in recorded if t is not None for a in t.annotations if a.phenomenon.startswith(CHOICE_MARK)]
    keys = {annotation.phenomenon.split(" ", 3)[3] for annotation in choices}
    assert {"ending", "article"} <= keys and any(key.startswith("joint ") for key in keys)
    assert not [a for a in text.annotations if a.phenomenon.startswith(CHOICE_MARK)]
