from __future__ import annotations

import json

import pytest

from bearleft.errors import InputError
from bearleft.language.analysis.quality import problems
from bearleft.language.analysis.screening import (
    FOLLOWING,
    GUIDELINES,
    PLACEMENT,
    QUIZZES,
    WRITING,
    Quiz,
    grade,
    passed,
    placed_right,
)
from bearleft.language.arramon_assembly import cells, meaning, read
from bearleft.world.arramon.task_setup import TaskSetup


def test_quizzes_have_the_papers_sizes_and_three_answers_each() -> None:
    assert (len(WRITING.questions), len(FOLLOWING.questions)) == (5, 2)
    for quiz in QUIZZES.values():
        for question in quiz.questions:
            assert len(set(question.answers)) == 3 and question.answers[question.right] and question.explanation


@pytest.mark.parametrize("quiz", QUIZZES.values(), ids=list(QUIZZES))
def test_only_right_answers_pass(quiz: Quiz) -> None:
    right = [question.right for question in quiz.questions]
    assert passed(quiz, right) and grade(quiz, right) == [(True, "")] * len(right)
    for k, question in enumerate(quiz.questions):
        wrong = [*right[:k], (right[k] + 1) % 3, *right[k + 1 :]]
        assert not passed(quiz, wrong)
        assert grade(quiz, wrong)[k] == (False, question.explanation)


@pytest.mark.parametrize("answers", [[1], [1, 3], [1, -1], [1, True], [1, "2"], "12", None, {"0": 1}])
def test_bad_answers_are_named(answers: object) -> None:
    with pytest.raises(InputError, match="answers"):
        grade(FOLLOWING, answers)


def test_texts_that_are_called_good_pass_the_checks() -> None:
    first, second, _, _, fifth = WRITING.questions
    assert not problems(first.answers[first.right], "navigation", True)
    assert not problems(second.answers[second.right], "navigation", True)
    assert not problems(fifth.answers[fifth.right], "assembly")
    assert problems(first.answers[1], "navigation") and problems(second.answers[2], "navigation")
    assert problems(fifth.answers[1], "assembly")


def test_the_placement_is_passed_on_one_cell_only() -> None:
    setting = TaskSetup.from_json(PLACEMENT.setting.to_json())
    assert setting == PLACEMENT.setting and not problems(PLACEMENT.text, "assembly")
    assert cells(meaning(PLACEMENT.text), setting.standing) == [PLACEMENT.cell]
    assert read(PLACEMENT.text, setting.standing, PLACEMENT.item) == PLACEMENT.cell
    spots = [(column, height, row) for column in range(5) for height in range(1, 5) for row in range(4)]
    assert [spot for spot in spots if placed_right(PLACEMENT, spot)] == [PLACEMENT.cell]
    for bad in ((5, 1, 0), (0, 0, 0), (0, 1), "313", None, (3.0, 1, 2)):
        with pytest.raises(InputError, match="cell"):
            placed_right(PLACEMENT, bad)


def test_all_of_it_is_json() -> None:
    quizzes = json.loads(json.dumps([quiz.to_json() for quiz in QUIZZES.values()]))
    assert quizzes[0]["stage"] == "writing" and quizzes[0]["questions"][0]["right"] == 2
    assert json.loads(json.dumps(PLACEMENT.to_json()))["cell"] == [3, 1, 2]
    assert all(json.dumps(guideline.to_json()) for guideline in GUIDELINES)
    assert {guideline.phase for guideline in GUIDELINES} == {"both", "navigation", "assembly"}
