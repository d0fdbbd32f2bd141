"""A server that is killed while it stores an answer; a program for `test_killed.py`.

For each line of its input, it forks a process that does one unit of work and is killed at a point of the submit, or
that works until it is killed. What the process acknowledged is printed.

Args: URL, project, worker, and follow-ups of each answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session

from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Attempt, Event, Unit
from bearleft.web.queue import events, slots
from bearleft.web.queue.slots import Judgement, NewUnit, StoredAnswer

FOLLOW_UPS = (NewUnit("next", {"number": 0}), NewUnit("next", {"number": 1}))


class Points:
    """The steps of a submit; at one of them the process kills itself."""

    def __init__(self, fatal: int, output: int) -> None:
        self.fatal = fatal
        self.output = output
        self.count = -1  # before the submit, nothing is counted

    def start(self) -> None:
        self.count = 0

    def reach(self, name: str) -> None:
        if self.count < 0:
            return
        self.count += 1
        if self.count == self.fatal:
            say(self.output, ["killed", name])
            os.kill(os.getpid(), signal.SIGKILL)

    def listener(self, name: str) -> Any:
        def listen(*args: Any) -> None:
            statement = next((arg for arg in args if isinstance(arg, str)), "")
            self.reach(f"{name} {' '.join(statement.split()[:3])}".strip())

        return listen


def say(output: int, message: list[Any]) -> None:
    os.write(output, json.dumps(message).encode() + b"\n")


def work(url: str, project: int, worker: int, points: Points, forever: bool) -> None:
    """Do one unit, or all."""
    database = open_database(url)
    for name in ("begin", "before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(database._writer, name, points.listener(name))

    def after(_session: Session, _answer: Answer) -> None:
        points.reach("after")

    def judge(_session: Session, _attempt: Attempt, _unit: Unit, before: list[Event]) -> Judgement:
        points.reach("judge")
        return Judgement({"steps": [entry.data for entry in before]}, {}, True, FOLLOW_UPS, after)

    while (lease := slots.claim(database, project, worker, ["a"])) is not None:
        who = (database, lease.attempt_id, worker, lease.token)
        for number in range(2):
            events.append(*who, number, "step", {"n": number}, lambda *_: {})
            say(points.output, ["event", lease.attempt_id, number])
        if not forever:
            points.start()
        stored: StoredAnswer = slots.submit(*who, f"key {lease.attempt_id}", judge)
        points.reach("return")
        say(points.output, ["answer", lease.attempt_id, stored.code])
        if not forever:
            return


def run(url: str, project: int, worker: int, point: int, seconds: float) -> list[Any]:
    """Fork a process that is killed at a point, or after seconds; return what it acknowledged."""
    source, output = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        work(url, project, worker, Points(point, output), forever=not point)
        os._exit(0)
    os.close(output)
    if not point:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(source) as lines:
        said = [json.loads(line) for line in lines.read().splitlines()]
    os.waitpid(child, 0)
    return said


if __name__ == "__main__":
    for line in sys.stdin:
        point, seconds = json.loads(line)
        print(json.dumps(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), point, seconds)), flush=True)
