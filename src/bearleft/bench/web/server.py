"""A server for the load benchmark: `python -m bearleft.bench.web.server DATABASE PORT SECRET PROCESSES LEASE`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, ClassVar

from bearleft.errors import InputError
from bearleft.web.projects import FAMILIES, Family
from bearleft.web.server import run_server
from bearleft.web.settings import Settings
from bearleft.web.tasks.base import Data, EventData, NewUnit, Outcome, Task, TaskContext, UnitData, register

FAMILY = KIND = "load"
MAX_TEXT = 2000


@register
class LoadTask(Task):
    """Write a text: the queue, the log and the answers work, and nothing else does."""

    kind: ClassVar[str] = KIND
    title: ClassVar[str] = "Load"
    template: ClassVar[str] = "unit.html"
    summary: ClassVar[str] = "Write a text."

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the number of actions so far."""
        return {"events": len(events)}

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Take any text."""
        return {"characters": len(_text(data))}

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store the text."""
        return Outcome({"text": _text(data)})


def _text(data: Data) -> str:
    text = data.get("text")
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise InputError(f"a text of at most {MAX_TEXT} characters", str(type(text).__name__), "text")
    return text


FAMILIES[FAMILY] = Family(
    lambda _worlds, settings: [NewUnit(KIND, {"number": k}) for k in range(settings["units"])],
    lambda _session, _project, _worker_id: (KIND,),
)


def main() -> None:
    """Serve until the process is ended."""
    database, port, secret, processes, lease = sys.argv[1:]
    settings = Settings(database=database, secret=secret, lease_seconds=int(lease))
    run_server(settings, port=int(port), workers=int(processes), log=lambda _: None)


if __name__ == "__main__":
    main()
