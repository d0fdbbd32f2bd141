"""A scorer that is killed; a program for `test_killed.py`.

For each line of its input, it forks a scorer that is killed at a point while it scores the next submission: before or
after any statement, at a commit, or when it has claimed or scored the submission. It prints the points that it passed.

Args: URL of the database, the private folder, and the file of answers.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import event

from bearleft.web.database.engines import open_database
from bearleft.web.leaderboard.scoring.client import ScoringProcess, ScoringRequest
from bearleft.web.leaderboard.scoring.compute import Answers, ScoredSubmission, score_files
from bearleft.web.leaderboard.scoring.scorer import Scorer


class Points:
    """The points that are passed; at one of them the process kills itself."""

    def __init__(self, fatal: int, output: int) -> None:
        self.fatal, self.output, self.count = fatal, output, 0

    def reach(self, name: str) -> None:
        self.count += 1
        os.write(self.output, f"{name}\n".encode())
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def listener(self, name: str) -> Any:
        def listen(*args: Any) -> None:
            statement = next((arg for arg in args if isinstance(arg, str)), "")
            self.reach(f"{name} {' '.join(statement.split()[:3])}".strip())

        return listen


class InProcess(ScoringProcess):
    """Scores without a process of its own, in which all that is killed here takes no part."""

    answers: ClassVar[dict[str, Answers]] = {}

    def score(self, request: ScoringRequest, *_: Any, **__: Any) -> ScoredSubmission:
        return score_files(self.opened(request.dataset), request.files, request.max_bytes)

    @classmethod
    def opened(cls, dataset: str) -> Answers:
        if dataset not in cls.answers:
            cls.answers[dataset] = Answers.open(dataset, hidden=True)
        return cls.answers[dataset]


def run(url: str, folder: Path, point: int) -> list[str]:
    """Fork a scorer that is killed at a point; return the points that it passed."""
    source, output = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        points = Points(point, output)
        database = open_database(url)
        for name in ("begin", "before_cursor_execute", "after_cursor_execute", "commit"):
            event.listen(database._writer, name, points.listener(name))
        Scorer(database, folder, process=InProcess(), on_step=points.reach).score_next()
        os._exit(0)
    os.close(output)
    with os.fdopen(source) as lines:
        passed = lines.read().splitlines()
    os.waitpid(child, 0)
    return passed


if __name__ == "__main__":
    InProcess.opened(sys.argv[3])
    for line in sys.stdin:
        print(json.dumps(run(sys.argv[1], Path(sys.argv[2]), json.loads(line))), flush=True)
