"""People who take part in a collection of ArraMon, without a browser: they use the queue as the server does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bearleft.language.analysis.screening import FOLLOWING_QUIZ, PLACEMENT_TEST, WRITING_QUIZ
from bearleft.records import Assemble, Collect, Episode
from bearleft.web.decisions import rejected_of
from bearleft.web.queue.slots import Lease, StoredAnswer
from bearleft.web.tasks.arramon import kinds
from bearleft.world.arramon.room_search import room_actions
from tests.web import person

GOOD_TEXTS = (
    "Turn to the bench beside the yellow house and collect the thing behind it.",
    "Place what you hold to the left of the dotted red mug near the wall.",
    "Turn around to the tall lamp and pick up the thing next to the barrel.",
    "Put what you carry on top of the striped blue book beside the bowl.",
)
ANSWERS = {
    kinds.WRITING_QUIZ: [question.right for question in WRITING_QUIZ.questions],
    kinds.FOLLOWING_QUIZ: [question.right for question in FOLLOWING_QUIZ.questions],
}


def reference_actions(episode: Episode) -> list[list[str]]:
    """Return the actions of the references of all legs."""
    goals = [leg.goal for leg in episode.legs]
    return [list(goal.actions) for goal in goals if isinstance(goal, Collect | Assemble)]


def placement_actions() -> list[str]:
    """Return actions that pass the placement test."""
    found = room_actions(PLACEMENT_TEST.task_setup.room_items, PLACEMENT_TEST.cell)
    assert found is not None
    return found


class Person(person.Person):
    """A worker of a project of ArraMon."""

    def rejections(self) -> list[str]:
        """Return why reviewers did not accept the worker's answers, as the project's page tells."""
        with self.database.read() as session:
            return [reason for *_, reason in rejected_of(session, self.project.id, self.id)]

    def move(self, lease: Lease, *actions: str) -> dict[str, Any]:
        """Take actions of the environments, and return the last result."""
        result: dict[str, Any] = {}
        for action in actions:
            result = self.act(lease, "act", action=action)
        return result

    def prepare(self) -> Lease:
        """Pass quizzes and tests, and return the first unit of work."""
        while (lease := self.claim()) is not None:
            if lease.kind not in (*ANSWERS, kinds.PLACEMENT_TEST):
                return lease
            self.pass_test(lease)
        raise AssertionError("no work")

    def pass_test(self, lease: Lease) -> None:
        """Pass a quiz or the placement test."""
        if lease.kind == kinds.PLACEMENT_TEST:
            self.move(lease, *placement_actions())
            self.submit(lease)
        else:
            self.submit(lease, answers=ANSWERS[lease.kind])

    def write(self, lease: Lease, texts: Sequence[str] = GOOD_TEXTS) -> StoredAnswer:
        """Walk along the line, place, and write."""
        for actions, text in zip(reference_actions(self.episode(lease)), texts, strict=True):
            self.move(lease, *actions)
            result = self.act(lease, "next", text=text)
            assert result["accepted"], result
        return self.submit(lease)

    def follow(self, lease: Lease, well: bool = True) -> StoredAnswer:
        """Follow a set: as the reference, or with the first item put elsewhere."""
        legs = reference_actions(self.episode(lease))
        if not well:
            legs[1] = ["forward", "place"] if legs[1] == ["place"] else ["place"]
        for actions in legs:
            self.move(lease, *actions)
        return self.submit(lease)
