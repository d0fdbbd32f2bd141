"""People who take part in a collection of Refer360, without a browser: they use the queue as the server does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bearleft.web.database.models import Project
from bearleft.web.queue.slots import Lease, StoredAnswer
from bearleft.web.tasks import refer360
from tests.web import person

SENTENCES = (
    "look for the big window on the far wall.",
    "turn left until you see a small round table.",
    "the bear sits on the floor below it.",
)


def sentences(number: int) -> list[str]:
    """Return a good text; texts of other numbers differ."""
    return [f"{sentence[:-1]} near the {_word(number)} chair." for sentence in SENTENCES]


def _word(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "ish"


def view(heading: float, pitch: float, vfov: float = 60.0) -> dict[str, float]:
    """Return a view as the browser sends it."""
    return {"heading": heading, "pitch": pitch, "vfov": vfov, "width": 800, "height": 600}


def answer_at(target: Sequence[float], by: str = "centre") -> dict[str, Any]:
    """Return the answer of a direction as the browser sends it."""
    heading, pitch = target
    return {"heading": heading, "pitch": pitch, "by": by, "view": view(heading, pitch)}


class Person(person.Person):
    """A worker of a project of Refer360."""

    def standing(self) -> refer360.Standing:
        """Return how far the worker is."""
        with self.database.read() as session:
            return refer360.standing(session, session.get_one(Project, self.project.id), self.id)

    def describe(self, lease: Lease, text: Sequence[str]) -> StoredAnswer:
        """Find the bear and write a text."""
        self.act(lease, "found", **answer_at(self.unit(lease).payload["target"]))
        return self.submit(lease, sentences=list(text))

    def find(self, lease: Lease, off: float = 0.0, by: str = "centre") -> StoredAnswer:
        """Read all sentences, and answer `off` degrees above or below the target."""
        unit = self.unit(lease)
        heading, pitch = unit.payload["target"]
        for k in range(self.view(lease)["count"] - 1):
            self.act(lease, "next", **view(heading + 10.0 * k, 5.0 * k))
        return self.submit(lease, **answer_at((heading, pitch + (-off if pitch > 0 else off)), by))
