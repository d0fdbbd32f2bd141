from __future__ import annotations

import re
from collections import Counter
from functools import cache
from random import Random

import numpy as np

from bearleft.language.analysis.quality import begins_with_turn, find_problems
from bearleft.language.analysis.tokens import words
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.parse import parse_frames
from bearleft.language.arramon_navigation.segments import MAX_DEVIATION, split_path
from bearleft.language.arramon_navigation.semantics import Frame, Walker, follow_frames
from bearleft.language.arramon_navigation.speaker import Speaker
from bearleft.language.arramon_navigation.write import write_instruction
from bearleft.language.noun_phrases import Phrase
from bearleft.language.templates import PHENOMENA
from tests.language.arramon_navigation.section_scene import Walk, section, walks

WALKS = 60


@cache
def told() -> tuple[tuple[Walk, Text | None], ...]:
    """Walks with their texts."""
    return tuple((walk, _text(walk, k)) for k, walk in enumerate(walks(section(), WALKS, 3)))


def _text(walk: Walk, seed: int) -> Text | None:
    random = Random(f"text {seed}")
    return write_instruction(section()[0], walk.at, walk.heading, walk.actions, walk.target, walk.others, random)


def _found(text: str, walk: Walk) -> bool:
    _, found = follow_frames(parse_frames(text), section()[0], walk.at, walk.heading, walk.lying)
    return walk.lying[found] == walk.target


def test_most_walks_are_told_and_lead_to_the_target_though_others_do_not() -> None:
    texts = [(walk, text.string) for walk, text in told() if text is not None]
    assert len(texts) >= 0.8 * WALKS  # things stand far apart here
    assert all(_found(text, walk) for walk, text in texts)
    others = [text for _, text in texts[7:] + texts[:7]]
    assert np.mean([_found(text, walk) for (walk, _), text in zip(texts, others, strict=True)]) <= 0.3


def test_the_way_decides_between_twins() -> None:
    twins = [
        (walk, text.string)
        for walk, text in told()
        if text is not None and Counter(one.item for one in walk.lying)[walk.target.item] > 1
    ]
    assert len(twins) > 5
    assert all(_found(text, walk) for walk, text in twins)
    # By its name alone the nearer one would be taken.
    named = [f"Pick up the {walk.target.item.lower()}." for walk, _ in twins]
    assert not all(_found(text, walk) for (walk, _), text in zip(twins, named, strict=True))


def test_texts_hold_to_the_rules_and_say_the_name_of_the_target() -> None:
    for walk, text in told():
        if text is not None:
            assert find_problems(text.string, "navigation", begins_with_turn(walk.actions)) == []
            assert set(walk.target.item.lower().split()) <= set(words(text.string))
            assert words(text.string)[-1] not in ("the", "a", "and", "then")


# What nobody would say.
WRONG = (
    r"\b(?:tires|bags) is\b",
    r"\bthen\b[^.]*\bthen\b",
    r"\b(?:second|third|closest) (?:\w+ )?(?:tires|bags)\b",
    r"\b(?:through|across|cross) the (?:\w+ )*corner",
    r"\b(?:pick up|collect|take|grab|get) an? (?:striped|dotted)",
    r"\b(?:you (?:will|should|can) (?:see|find)|there is) the\b",
    r"\bface the (?:first|second|third)\b",
)


def test_texts_are_such_as_people_say() -> None:
    texts = [text.string.lower() for _, text in told() if text is not None]
    assert [(wrong, text) for wrong in WRONG for text in texts if re.search(wrong, text)] == []


def test_one_of_a_plural_name_is_many() -> None:
    teller = Speaker(Walker(section()[0], (0.0, 0.0), 0.0, ()), Random(0))
    tires = Frame("turn", Phrase("the tires", None), side=1, turn="turn")
    for _ in range(60):
        teller.say("face", tires, thing="the tires")
    said = [one.text.string for one in teller.items]
    assert len(set(said)) > 10 and not any("tires is" in text for text in said)


def test_one_goes_through_no_corner() -> None:
    teller = Speaker(Walker(section()[0], (0.0, 0.0), 0.0, ()), Random(0))
    teller.crossing = "street corner"
    for _ in range(9):
        teller.say("through", Frame("through"))
        teller.say("cross", Frame("cross"))
    assert all(("corner" in one.text.string) == (one.frame.name == "cross") for one in teller.items)


def test_marks_and_mentions_lie_on_words_and_things_are_named_by_their_names() -> None:
    scene, _ = section()
    for _, text in told():
        if text is None:
            continue
        for mark in text.marks:
            part = text.string[mark.begin : mark.end]
            assert part == part.strip() != ""
            assert mark.phenomenon in PHENOMENA.values()
        for mention in text.mentions:
            row = int(np.flatnonzero(scene.instance == mention.instance)[0])
            said = text.string[mention.begin : mention.end].lower()
            assert said in ("it", "them") or any(
                said.endswith((name.singular, name.plural)) for name in scene.names(row)
            ), said


def test_lengths_and_phenomena_are_about_those_of_the_paper() -> None:
    texts = [text for _, text in told() if text is not None]
    assert 24 <= np.mean([len(text.string.split()) for text in texts]) <= 37
    shown = Counter(what for text in texts for what in {mark.phenomenon for mark in text.marks})
    rates = {what: count / len(texts) for what, count in shown.items()}
    assert rates["direction"] > 0.85
    assert rates["allocentric"] > 0.65
    assert 0.35 < rates["temporal condition"] < 0.95
    assert 0.1 < rates["egocentric"] < 0.65


def test_the_same_draw_gives_the_same_text() -> None:
    walk, text = told()[5]
    assert _text(walk, 5) == text
    assert any(_text(walk, seed) != text for seed in (50, 51))


def test_a_walk_is_parted_where_it_turns() -> None:
    scene, _ = section()
    corner = [(0.0, float(y), 0.5) for y in range(10)] + [(float(x), 9.0, 0.5) for x in range(1, 8)]
    first, second = split_path(scene, corner)
    assert first.end == second.begin == (0.0, 9.0)
    assert abs(first.heading) < 1e-9
    assert abs(second.heading - 90.0) < 1e-9
    wavy = [(MAX_DEVIATION * 0.9 * (y % 2), float(y), 0.5) for y in range(12)]
    assert len(split_path(scene, wavy)) == 1
    assert split_path(scene, corner[:1]) == []
