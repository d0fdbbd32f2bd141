from __future__ import annotations

import json

import pytest

from bearleft.errors import InputError
from bearleft.language.analysis.quality import find_problems
from bearleft.language.analysis.screening import (
    FOLLOWING_QUIZ,
    GUIDELINES,
    PLACEMENT_TEST,
    QUIZZES,
    WRITING_QUIZ,
    Quiz,
    grade_quiz,
    is_passed,
    is_placed_correctly,
)
from bearleft.language.arramon_assembly import find_cell, matching_cells, parse_meaning
from bearleft.world.arramon.task_setup import TaskSetup


def test_quizzes_have_the_sizes_of_the_paper_and_three_answers_each() -> None:
    assert (len(WRITING_QUIZ.questions), len(FOLLOWING_QUIZ.questions)) == (5, 2)
    for quiz in QUIZZES.values():
        for question in quiz.questions:
            assert len(set(question.answers)) == 3 and question.answers[question.right] and question.explanation


@pytest.mark.parametrize("quiz", QUIZZES.values(), ids=list(QUIZZES))
def test_only_right_answers_pass(quiz: Quiz) -> None:
    right = [question.right for question in quiz.questions]
    assert is_passed(quiz, right) and grade_quiz(quiz, right) == [(True, "")] * len(right)
    for k, question in enumerate(quiz.questions):
        wrong = [*right[:k], (right[k] + 1) % 3, *right[k + 1 :]]
        assert not is_passed(quiz, wrong)
        assert grade_quiz(quiz, wrong)[k] == (False, question.explanation)


@pytest.mark.parametrize("answers", [[1], [1, 3], [1, -1], [1, True], [1, "2"], "12", None, {"0": 1}])
def test_invalid_answers_are_refused(answers: object) -> None:
    with pytest.raises(InputError, match="answers"):
        grade_quiz(FOLLOWING_QUIZ, answers)


def test_right_answers_pass_the_text_checks_and_wrong_ones_fail() -> None:
    first, second, _, _, fifth = WRITING_QUIZ.questions
    assert not find_problems(first.answers[first.right], "navigation", True)
    assert not find_problems(second.answers[second.right], "navigation", True)
    assert not find_problems(fifth.answers[fifth.right], "assembly")
    assert find_problems(first.answers[1], "navigation") and find_problems(second.answers[2], "navigation")
    assert find_problems(fifth.answers[1], "assembly")


def test_placement_test_has_one_right_cell() -> None:
    task_setup = TaskSetup.from_json(PLACEMENT_TEST.task_setup.to_json())
    assert task_setup == PLACEMENT_TEST.task_setup and not find_problems(PLACEMENT_TEST.text, "assembly")
    assert matching_cells(parse_meaning(PLACEMENT_TEST.text), task_setup.room_items) == [PLACEMENT_TEST.cell]
    assert find_cell(PLACEMENT_TEST.text, task_setup.room_items, PLACEMENT_TEST.item) == PLACEMENT_TEST.cell
    cells = [(column, height, row) for column in range(5) for height in range(1, 5) for row in range(4)]
    assert [cell for cell in cells if is_placed_correctly(PLACEMENT_TEST, cell)] == [PLACEMENT_TEST.cell]
    for invalid in ((5, 1, 0), (0, 0, 0), (0, 1), "313", None, (3.0, 1, 2)):
        with pytest.raises(InputError, match="cell"):
            is_placed_correctly(PLACEMENT_TEST, invalid)


def test_everything_converts_to_json() -> None:
    quizzes = json.loads(json.dumps([quiz.to_json() for quiz in QUIZZES.values()]))
    assert quizzes[0]["stage"] == "writing" and quizzes[0]["questions"][0]["right"] == 2
    assert json.loads(json.dumps(PLACEMENT_TEST.to_json()))["cell"] == [3, 1, 2]
    assert all(json.dumps(guideline.to_json()) for guideline in GUIDELINES)
    assert {guideline.phase for guideline in GUIDELINES} == {"both", "navigation", "assembly"}
