"""Counters of requests, and their text for Prometheus.

The format is a few lines of text, so it is written here: the client library keeps files of its own for several
processes, and would be a dependency for two counters.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
Labels: TypeAlias = tuple[str, str, str]  # method, route, status


class Counters:
    """Requests of a process by route and status, and how long they took.

    Processes of one server write their counters into a folder, so that each of them can tell the sums.

    Args:
        folder: The folder; None without other processes.
        process: Number of the process; one that is started again goes on with the counters of its predecessor.
    """

    def __init__(self, folder: Path | None = None, process: int = 0) -> None:
        self.folder, self.process = folder, process
        self._lock = threading.Lock()
        self._requests: defaultdict[Labels, list[float]] = defaultdict(lambda: [0.0] * (len(BUCKETS) + 2))
        self._changed = False
        for row in self._read(self._file(process)):
            self._requests[row[0], row[1], row[2]] = row[3]

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            row = self._requests[method, route, str(status)]
            row[bisect_left(BUCKETS, seconds)] += 1
            row[-1] += seconds
            self._changed = True

    def save(self) -> None:
        """Let other processes see the counters."""
        path = self._file(self.process)
        if path is None or not self._changed:
            return
        with self._lock:
            content = json.dumps([[*labels, row] for labels, row in self._requests.items()])
            self._changed = False
        temporary = path.with_suffix(".part")
        with contextlib.suppress(OSError):  # the server works without counters
            temporary.write_text(content, encoding="utf-8")
            os.replace(temporary, path)

    def sums(self) -> dict[Labels, list[float]]:
        """Return the counters of all processes together: requests up to each limit of time, and all seconds."""
        self.save()
        if self.folder is None:
            with self._lock:
                return {labels: list(row) for labels, row in self._requests.items()}
        sums: dict[Labels, list[float]] = {}
        for path in sorted(self.folder.glob("counters-*.json")):
            for method, route, status, row in self._read(path):
                before = sums.get((method, route, status), [0.0] * len(row))
                sums[method, route, status] = [a + b for a, b in zip(before, row, strict=True)]
        return sums

    def _file(self, process: int) -> Path | None:
        return None if self.folder is None else self.folder / f"counters-{process}.json"

    @staticmethod
    def _read(path: Path | None) -> list[Any]:
        if path is None:
            return []
        try:
            rows: list[Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return rows


def request_lines(sums: Mapping[Labels, list[float]]) -> list[str]:
    """Return the counters of requests in Prometheus' text format."""
    lines = ["# HELP bearleft_requests_total Requests.", "# TYPE bearleft_requests_total counter"]
    routes: dict[tuple[str, str], list[float]] = {}
    for (method, route, status), row in sorted(sums.items()):
        names = {"method": method, "route": route, "status": status}
        lines.append(f"bearleft_requests_total{_labels(names)} {_number(sum(row[:-1]))}")
        before = routes.get((method, route), [0.0] * len(row))
        routes[method, route] = [a + b for a, b in zip(before, row, strict=True)]
    lines += ["# HELP bearleft_request_seconds How long requests took.", "# TYPE bearleft_request_seconds histogram"]
    for (method, route), row in routes.items():
        names = {"method": method, "route": route}
        total = 0.0
        for limit, number in zip((*BUCKETS, float("inf")), row[:-1], strict=True):
            total += number
            limited = names | {"le": "+Inf" if limit == float("inf") else f"{limit:g}"}
            lines.append(f"bearleft_request_seconds_bucket{_labels(limited)} {_number(total)}")
        lines.append(f"bearleft_request_seconds_sum{_labels(names)} {row[-1]:.6f}")
        lines.append(f"bearleft_request_seconds_count{_labels(names)} {_number(total)}")
    return lines


def gauge_lines(name: str, text: str, rows: Iterable[tuple[Mapping[str, str], float]]) -> list[str]:
    """Return a gauge in Prometheus' text format."""
    lines = [f"# HELP {name} {text}", f"# TYPE {name} gauge"]
    return lines + [f"{name}{_labels(labels)} {_number(value)}" for labels, value in rows]


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    escaped = {
        name: value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"') for name, value in labels.items()
    }
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped.items()) + "}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else repr(value)
