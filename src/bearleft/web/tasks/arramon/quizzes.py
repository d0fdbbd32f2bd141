"""ArraMon's quizzes before both stages: after a wrong answer its explanation is shown, and one tries again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from bearleft.errors import InputError
from bearleft.language.analysis.screening import QUIZZES, Quiz, Stage, grade_quiz, is_passed
from bearleft.web.tasks.arramon.kinds import FOLLOWING_QUIZ, WRITING_QUIZ
from bearleft.web.tasks.arramon.room_keeping import keep_room
from bearleft.web.tasks.base import Data, EventData, Outcome, Task, TaskContext, UnitData, register, unknown_action


class QuizTask(Task):
    """Answer the questions before a stage.

    Payload: nothing.
    Actions: "check" with the answers (0, 1 or 2 for each question), which says which are right and explains the others.
    Answer: the answers, all right, and how many checks came before.
    """

    template: ClassVar[str] = "arramon/quiz.html"
    minutes: ClassVar[int] = 1
    stage: ClassVar[Stage]

    @property
    def quiz(self) -> Quiz:
        """The questions."""
        return QUIZZES[self.stage]

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the questions and their answers, and what the last check said."""
        questions = [{"text": one.text, "answers": list(one.answers)} for one in self.quiz.questions]
        checks = [{"answers": event.data["answers"], **event.result} for event in events if event.kind == "check"]
        return {"questions": questions, "checked": checks[-1] if checks else None}

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Grade the answers; a right answer is only named right if it was chosen."""
        if kind != "check":
            raise unknown_action(kind, ("check",))
        graded = grade_quiz(self.quiz, data.get("answers"))
        return {
            "right": [right for right, _ in graded],
            "explanations": [explanation for _, explanation in graded],
            "passed": all(right for right, _ in graded),
        }

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store answers that are all right."""
        answers = data.get("answers")
        if not is_passed(self.quiz, answers):
            hint = "Read the explanations, choose again, and check your answers."
            raise InputError("right answers to all questions", "a wrong one", "answers", hint=hint)
        tries = 1 + sum(event.kind == "check" and not event.result["passed"] for event in events)
        return Outcome({"answers": list(answers or ()), "tries": tries}, {"message": self.passed}, after=keep_room)

    passed: ClassVar[str] = ""


@register
class WritingQuizTask(QuizTask):
    """The five questions before one writes."""

    kind = WRITING_QUIZ
    title = "Quiz: writing"
    summary = "Five questions on good directions. Then you walk to hidden things and write the way for others."
    stage = "writing"
    passed = "All five are right. Now you may write."


@register
class FollowingQuizTask(QuizTask):
    """The two questions before one follows."""

    kind = FOLLOWING_QUIZ
    title = "Quiz: following"
    summary = "Two questions, then a small test. Then you collect and place things as other people's texts say."
    stage = "following"
    passed = "Both are right. A small test of placing things comes next."
