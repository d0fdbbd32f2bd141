"""Screening of writers and followers: guidelines, two quizzes, and a placement test.

They cover what ArraMon's Figures 10, 13 and 14 ask, in our own words. A quiz is passed if all answers are right; after
a wrong answer its explanation is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bearleft.records import Cell
from bearleft.runtime.json_fields import Json, integer, items
from bearleft.world.arramon.moves import COLUMNS, FLOOR, ITEM_Z, ROWS
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, CityItem, RoomItem, TaskSetup

Stage = Literal["writing", "following"]
ANSWERS_PER_QUESTION = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A question with three answers, the index of the right one, and an explanation."""

    text: str
    answers: tuple[str, str, str]
    right: int
    explanation: str

    def to_json(self) -> Json:
        """Return the question as JSON."""
        return {
            "text": self.text,
            "answers": list(self.answers),
            "right": self.right,
            "explanation": self.explanation,
        }


@dataclass(frozen=True, slots=True)
class Quiz:
    """The questions before a stage."""

    stage: Stage
    questions: tuple[Question, ...]

    def to_json(self) -> Json:
        """Return the stage and the questions as JSON."""
        return {"stage": self.stage, "questions": [question.to_json() for question in self.questions]}


@dataclass(frozen=True, slots=True)
class Guideline:
    """A guideline for writers, with a poor and a better text where that helps."""

    phase: Literal["both", "navigation", "assembly"]
    text: str
    poor: str = ""
    better: str = ""

    def to_json(self) -> Json:
        """Return the guideline as JSON."""
        return {"phase": self.phase, "text": self.text, "poor": self.poor, "better": self.better}


@dataclass(frozen=True, slots=True)
class PlacementTest:
    """A small room, a carried item and a text; passed by placing the item on the right cell."""

    task_setup: TaskSetup
    item: str
    text: str
    cell: Cell
    explanation: str

    def to_json(self) -> Json:
        """Return the test as JSON."""
        return {
            "setting": self.task_setup.to_json(),
            "item": self.item,
            "text": self.text,
            "cell": list(self.cell),
            "explanation": self.explanation,
        }


_ITEMS_QUESTION = Question(
    "What can lie in the streets to be collected?",
    (
        "Dotted things only.",
        "Things that all have one colour.",
        "A book, an hourglass, a mug, a bucket, a ball, a TV or a bowl, in several colours, dotted or striped.",
    ),
    2,
    "There are seven kinds of things in seven colours, each dotted or striped. Say all three to be understood.",
)
WRITING_QUIZ = Quiz(
    "writing",
    (
        Question(
            "Which of these texts tells well how to reach a thing in the streets?",
            (
                "Walk on and then turn to the left.",
                "Walk forward 6 times to the blue mug, then turn right 3 times and carry on to the brown house.",
                "Turn to the striped white book on your left. Walk on to the bench. "
                "Collect the dotted green mug beside the blue barrel.",
            ),
            2,
            "It names what one sees and ends with what to collect. The first leaves the goal open, "
            "the second counts moves.",
        ),
        Question(
            "And which of these?",
            (
                "Turn left at the crossing and carry on to the orange cone. Pick up the red bowl behind the bench.",
                "Walk to the crossing and turn left. Keep to the blue line until you see the white ball.",
                "Turn around and walk until you are below the arrow. Pick up the white ball there.",
            ),
            0,
            "The blue line and the arrow are shown to writers only; followers see neither.",
        ),
        _ITEMS_QUESTION,
        Question(
            "For which phases do you write?",
            (
                "For the room only: in the streets one needs no text.",
                "For both: the way through the streets, and the place in the room.",
                "For either, if there is something to say.",
            ),
            1,
            "Every walk and every placing has a text of its own, and others have nothing else to follow.",
        ),
        Question(
            "Which of these texts tells well where to place a thing in the room?",
            (
                "Turn to the wall on your right. Place the striped green bowl on top of the dotted blue bucket.",
                "Now put it down.",
                "Walk forward, turn left and put the white mug there.",
            ),
            0,
            "It names the thing to place and what it is placed on. The second says nothing, "
            "and the third says how to walk, not where the thing belongs.",
        ),
    ),
)
FOLLOWING_QUIZ = Quiz(
    "following",
    (
        Question(
            "What are you asked to do?",
            (
                "To wander through the streets until it is over.",
                "To do what the texts say, as exactly as you can.",
                "To collect whatever lies on the way.",
            ),
            1,
            "A text is good if somebody who follows it ends where its writer was: that is what you try out.",
        ),
        _ITEMS_QUESTION,
    ),
)
QUIZZES: dict[Stage, Quiz] = {"writing": WRITING_QUIZ, "following": FOLLOWING_QUIZ}
GUIDELINES = (
    Guideline(
        "both",
        "Tell the way by things and by what is around them. Do not count moves.",
        "Walk forward 7 times and turn right 3 times.",
        "Walk forward to the hydrant and turn right.",
    ),
    Guideline(
        "both", "Be clear and brief, and describe what you name.", "Take that thing.", "Take the dotted red mug."
    ),
    Guideline("both", "Write no more than the field holds."),
    Guideline(
        "navigation",
        "End with what is to be picked up or collected.",
        "The white ball is behind the bench.",
        "Collect the striped white ball behind the bench.",
    ),
    Guideline(
        "assembly",
        "End with what is to be placed or put somewhere.",
        "On the blue book.",
        "Place the red mug on top of the blue book.",
    ),
    Guideline("both", "Speak of nothing that only you see: the blue line, its balls, the arrows, the buttons."),
    Guideline("navigation", "Do not name plain grey buildings: they look alike."),
    Guideline("assembly", "Do not speak of the dark outline or of the white floor's lines."),
    Guideline(
        "both",
        "Say nothing that can be misread, and nothing that leans on an earlier text.",
        "Walk to where you were first.",
        "Walk to the fountain next to the yellow house.",
    ),
    Guideline("both", "Look at spelling and grammar once more."),
    Guideline(
        "assembly",
        "Do not say how to walk through the room: name things.",
        "Walk forward and put it on the left.",
        "Place the mug left of the dotted red ball.",
    ),
)
PLACEMENT_TEST = PlacementTest(
    TaskSetup(
        (CityItem("Striped Green Mug", (0.0, 0.0, ITEM_Z)),),
        (
            RoomItem("Dotted Red Ball", (2, 1, 2)),
            RoomItem("Striped Blue Book", (4, 1, 3)),
            RoomItem("Dotted White Bowl", (0, 1, 1)),
        ),
    ),
    "Striped Green Mug",
    "Place the striped green mug to the right of the dotted red ball.",
    (3, 1, 2),
    "What you carry is put one place ahead of where you stand: stand before the place, look at it, and place it.",
)


def grade_quiz(quiz: Quiz, answers: Json) -> list[tuple[bool, str]]:
    """Return for each question whether its answer (0, 1 or 2) is right, and the explanation if it is not."""
    graded = []
    for k, answer in enumerate(items(answers, "answers", len(quiz.questions))):
        question = quiz.questions[k]
        right = integer(answer, f"answers[{k}]", 0, ANSWERS_PER_QUESTION - 1) == question.right
        graded.append((right, "" if right else question.explanation))
    return graded


def is_passed(quiz: Quiz, answers: Json) -> bool:
    """Return whether all answers are right."""
    return all(right for right, _ in grade_quiz(quiz, answers))


def is_placed_correctly(test: PlacementTest, cell: Json) -> bool:
    """Return whether an item was placed on the right cell."""
    column, height, row = items(cell, "cell", 3)
    placed = (
        integer(column, "cell[0]", 0, COLUMNS - 1),
        integer(height, "cell[1]", FLOOR, MAX_STACK_HEIGHT),
        integer(row, "cell[2]", 0, ROWS - 1),
    )
    return placed == test.cell
