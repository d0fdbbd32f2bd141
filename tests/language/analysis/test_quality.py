from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.cli import cli
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.language.analysis.quality import (
    PHASES,
    Phase,
    begins_with_turn,
    find_problems,
    find_review_notes,
    problem_rules,
    quality_table,
    review_rules,
)
from tests.sizes import sized

GOOD_TEXTS = {
    "navigation": "Turn left at the bench and walk past the cone. Pick up the dotted red mug.",
    "assembly": "Place the dotted red mug to the left of the striped blue bowl.",
}
BAD_TEXTS: list[tuple[Phase, str, str]] = [
    ("navigation", "words", "Turn left and take it."),
    ("navigation", "spaces", "Turn    left   at   the   bench   and   take   it   now"),
    *((phase, "symbols", f"{GOOD_TEXTS[phase]} {symbol}") for phase in PHASES for symbol in "()[]&*^%$#@!=+"),
    ("assembly", "single letter", "Place the dotted red mug left of b and the bowl."),
    ("navigation", "same letter", "Turn left at the bench and walk on sloooowly to the mug."),
    ("navigation", "same word", "Turn left at the the bench and walk on to the mug."),
    ("assembly", "unique words", "mug on bowl mug on bowl mug on bowl"),
    *(
        ("navigation", rule, f"Turn left at the bench and {words} past the cone.")
        for rule, words in [
            ("key", "press the keys"),
            ("step", "take a few steps"),
            ("step", "keep stepping"),
            ("time", "walk ten times"),
            ("go back", "Go  back"),
            ("return", "returning"),
            ("came", "where you came from walk"),
            ("item", "take items"),
            ("arrow", "see the arrows"),
        ]
    ),
    *(
        ("assembly", rule, f"Place the dotted red mug {words} the striped bowl.")
        for rule, words in [
            ("tile, grid", "one tile left of"),
            ("tile, grid", "on the grid by"),
            ("space", "two spaces left of"),
            ("go", "going past"),
            ("corner", "in the corner by"),
            ("move", "and move to"),
            ("outline", "on the black outline at"),
            ("outline", "on the dark shape at"),
        ]
    ),
]


@pytest.mark.parametrize("phase", PHASES)
def test_good_text_has_no_problem(phase: Phase) -> None:
    assert not find_problems(GOOD_TEXTS[phase], phase, begins_with_turn=True)
    assert not find_review_notes(GOOD_TEXTS[phase], phase)


@pytest.mark.parametrize(("phase", "rule", "text"), BAD_TEXTS)
def test_each_rule_finds_its_problem(phase: Phase, rule: str, text: str) -> None:
    messages = {problem.rule: problem.message for problem in find_problems(text, phase)}
    assert set(messages) == {rule}
    assert messages[rule].endswith(".") and len(messages[rule]) > 20


def test_all_rules_are_covered() -> None:
    tried = {rule for _, rule, _ in BAD_TEXTS} | {"turn"}
    assert tried == {rule for phase in PHASES for rule in problem_rules(phase)}


def test_similar_words_are_allowed() -> None:
    assert not find_problems(
        "Place the golden mug diagonally behind the bowl with black dots, a keystone apart.", "assembly"
    )
    assert not find_problems(
        "Walk to the doorstep, sometimes turning at the monkey, and take the narrow mug.", "navigation"
    )
    # Words forbidden in one phase are allowed in the other.
    assert not find_problems("Turn left, go to the corner and move on. Pick up the blue mug.", "navigation")


def test_first_turn_must_be_mentioned() -> None:
    text = "Walk past the cone to the bench. Pick up the dotted red mug."
    assert not find_problems(text, "navigation")
    assert [problem.rule for problem in find_problems(text, "navigation", begins_with_turn=True)] == ["turn"]
    assert begins_with_turn(["left", "left", "forward", "pick"]) and begins_with_turn(["right", "right", "pick"])
    assert not begins_with_turn(["left", "forward", "left", "left"]) and not begins_with_turn(
        ["left", "left", "right", "right"]
    )


@pytest.mark.parametrize(
    ("phase", "rule", "text"),
    [
        ("navigation", "count of moves", "Walk forward three metres and pick up the red mug."),
        ("assembly", "count of moves", "Place the mug two spots behind the red bowl."),
        ("navigation", "earlier text", "Walk back to the bench and pick up the red mug."),
        ("navigation", "interface", "Follow the blue line and pick up the red mug."),
        ("navigation", "grey building", "Turn left at the grey building and pick up the red mug."),
        ("navigation", "pick up", "Turn left and you find the red mug by the bench."),
        ("assembly", "walking", "Walk forward and place the mug on the red bowl."),
        ("assembly", "place", "The mug belongs on top of the red bowl."),
        ("assembly", "nothing named", "Turn right and place it in front of you."),
        ("assembly", "vague", "Place the mug somewhere behind the red bowl."),
    ],
)
def test_each_review_rule_finds_its_note(phase: Phase, rule: str, text: str) -> None:
    assert [problem.rule for problem in find_review_notes(text, phase)] == [rule]
    assert rule in review_rules(phase) and not find_problems(text, phase)


@settings(deadline=None, max_examples=sized(15, 60))
@given(st.text(max_size=60), st.sampled_from(PHASES))
def test_any_text_can_be_checked(text: str, phase: Phase) -> None:
    assert {problem.rule for problem in find_problems(text, phase, True)} <= set(problem_rules(phase))
    assert {problem.rule for problem in find_review_notes(text, phase)} <= set(review_rules(phase))


def test_unknown_phase_raises() -> None:
    with pytest.raises(InputError, match="navigation or assembly"):
        find_problems("Turn left.", "walking")  # type: ignore[arg-type]


def test_quality_command_prints_the_table(sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["data", "quality", "arramon/made", "--data", str(sample_data), "--json"], standalone_mode=False) is None
    rows = json.loads(capsys.readouterr().out)
    assert rows == quality_table(load("arramon/made", sample_data))
    rows_by_rule = {(row["phase"], row["check"], row["rule"]): row for row in rows}
    assert (
        len(rows_by_rule) == len(rows) == sum(len(problem_rules(phase)) + len(review_rules(phase)) for phase in PHASES)
    )
    words = rows_by_rule["assembly", "blocking", "words"]
    assert (words["failing"], words["texts"], words["share"], words["example"]) == (0, 8, 0.0, "")
    # Some second instructions do not mention the turn with which their actions begin.
    row = rows_by_rule["navigation", "blocking", "turn"]
    assert row["failing"] and row["share"] == row["failing"] / 8 and row["example"]


def test_quality_table_needs_arramon_texts(sample_data: Path) -> None:
    with pytest.raises(InputError, match="navigation and assembly"):
        quality_table(load("refer360/made", sample_data))


@pytest.mark.slow
def test_few_released_texts_fail(real_data: Path) -> None:
    failing: Counter[tuple[str, str]] = Counter()
    for row in json.loads((real_data / "arramon" / "val_unseen.json").read_text()):
        for k in range(2):
            letters = row["gt_actions"]["navi_action_gt"][k]
            actions = [{"f": "forward", "l": "left", "r": "right"}.get(letter, "pick") for letter in letters]
            problems = find_problems(row["instructions"]["navi_inst_gt"][k], "navigation", begins_with_turn(actions))
            failing.update(("navigation", problem.rule) for problem in problems)
            problems = find_problems(row["instructions"]["assem_inst_gt"][k], "assembly")
            failing.update(("assembly", problem.rule) for problem in problems)
    assert failing == {
        ("assembly", "symbols"): 2,
        ("assembly", "go"): 1,  # "goes": the paper's check looked for "go" alone
        ("assembly", "move"): 3,  # "Dont move."
    }
