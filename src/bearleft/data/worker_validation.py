"""Statistics on the validation of Touchdown's texts by workers (section 5), from the fields of the released lines.

`follower_stats` holds one object for each worker who followed the text: whether Touchdown was found
(`follower_success`), the number of attempts (`num_attempts`), and the time (`follower_elapsed`). `num_finished` is the
number of those workers, `elapsed` the writer's time, and `failure_stats` how often the writer failed to place
Touchdown. A missing or malformed field is left out of its figures; a line without any of them is counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

from bearleft.runtime.json_fields import Json

FAMILIES = ("touchdown", "touchdown-complete", "sdr")  # datasets whose lines have the fields
FIELDS = ("follower_stats", "num_finished", "failure_stats", "elapsed")
MAX_ATTEMPTS = 5  # per worker
ONE_WORKER, TWO_WORKERS = "validation: one worker, % of routes", "validation: two workers, % of routes"
FOUND_BY_FIRST, FOUND_BY_SECOND = (
    "validation: found by the first worker, % of routes",
    "validation: found by the second worker only, % of routes",
)
FOUND, ONE_ATTEMPT = "validation: found, % of tasks", "validation: one attempt, % of tasks"
LAST_ATTEMPT = "validation: found at the fifth attempt, % of tasks"
# Section 5: of all 12,664 validation tasks, including those of discarded texts.
PAPER = {ONE_ATTEMPT: 64.0, LAST_ATTEMPT: 1.4}
NOTE = (
    "Validation: lines hold validated texts only. In the paper 80.1 % of all texts were validated by the first worker "
    "and 9.0 % by the second, that is 89.9 and 10.1 % of the validated ones."
)


class ValidationStatistics:
    """Counts of the validation fields, each route once."""

    def __init__(self) -> None:
        self.routes: dict[str, bool] = {}  # whether the line has any of the fields
        self.workers: list[int] = []
        self.successes: list[list[bool]] = []  # of each route, by worker
        self.attempts: list[tuple[int, bool]] = []  # of each task, and whether it succeeded
        self.seconds: list[float] = []
        self.writing: list[float] = []
        self.failures: list[int] = []

    def add(self, route: str, line: Mapping[str, Json]) -> None:
        """Count a line, unless its route was counted before."""
        if route in self.routes:
            return
        self.routes[route] = any(field in line for field in FIELDS)
        if (workers := _count(line.get("num_finished"))) is not None:
            self.workers.append(workers)
        if (failures := _count(line.get("failure_stats"))) is not None:
            self.failures.append(failures)
        if (seconds := _seconds(line.get("elapsed"))) is not None:
            self.writing.append(seconds)
        tasks = line.get("follower_stats")
        successes = []
        for task in tasks if isinstance(tasks, list) else ():
            success = task.get("follower_success") if isinstance(task, dict) else None
            if success not in ("yes", "no"):
                continue
            successes.append(success == "yes")
            if (attempts := _count(task.get("num_attempts"))) is not None:
                self.attempts.append((attempts, success == "yes"))
            if (seconds := _seconds(task.get("follower_elapsed"))) is not None:
                self.seconds.append(seconds)
        if successes:
            self.successes.append(successes)

    def figures(self) -> dict[str, float]:
        """Return the figures that the lines contain."""
        with_records = sum(self.routes.values())
        figures: dict[str, float] = {
            "validation: routes": with_records,
            "validation: routes without records": len(self.routes) - with_records,
        }
        if self.workers:
            figures[ONE_WORKER] = _percent([workers == 1 for workers in self.workers])
            figures[TWO_WORKERS] = _percent([workers == 2 for workers in self.workers])
        if self.successes:
            figures[FOUND_BY_FIRST] = _percent([successes[0] for successes in self.successes])
            figures[FOUND_BY_SECOND] = _percent([not successes[0] and any(successes) for successes in self.successes])
            figures["validation: tasks"] = sum(map(len, self.successes))
            figures[FOUND] = _percent([success for successes in self.successes for success in successes])
        if self.attempts:
            figures[ONE_ATTEMPT] = _percent([attempts == 1 for attempts, _ in self.attempts])
            figures[LAST_ATTEMPT] = _percent(
                [success and attempts == MAX_ATTEMPTS for attempts, success in self.attempts]
            )
            figures["validation: attempts per task, mean"] = round(fmean(n for n, _ in self.attempts), 4)
        for label, seconds in (
            ("validation: seconds per task", self.seconds),
            ("writing: seconds per text", self.writing),
        ):
            if seconds:
                figures[f"{label}, mean"], figures[f"{label}, median"] = round(fmean(seconds), 4), median(seconds)
        if self.failures:
            figures["writing: failed placings per text, mean"] = round(fmean(self.failures), 4)
        return figures


def _percent(flags: Sequence[bool]) -> float:
    return round(100 * sum(flags) / len(flags), 4)


def _count(value: Json) -> int | None:
    """Return a count, which the lines write as a number or as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _seconds(value: Json) -> float | None:
    """Return the seconds of a time, which the lines write as the text of an object of minutes and seconds."""
    try:
        parts: Any = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(parts, dict) or not {"minute", "second"} <= parts.keys():
        return None
    minutes, seconds = _count(parts["minute"]), _count(parts["second"])
    return None if minutes is None or seconds is None else 60.0 * minutes + seconds
