"""Progress as lines in log files, and announcements before long work."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import event

from bearleft.cli.common import print_announcements, progress
from bearleft.errors import InputError
from bearleft.runtime import compiled
from bearleft.runtime.progress import ProgressLines, announce, format_duration, format_size
from bearleft.world.graphs import distances
from bearleft.world.worlds import open_world


class Clock:
    """A clock that tests set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_after_5_seconds_and_then_every_30() -> None:
    clock, lines = Clock(), list[str]()
    report = ProgressLines(lines.append, clock)
    for second in range(101):
        clock.now = 100.0 + second
        report("features", second, 200)
    assert lines == [
        "features: 5/200 (2%), 3 min left",
        "features: 35/200 (18%), 3 min left",
        "features: 65/200 (32%), 2 min left",
        "features: 95/200 (48%), 2 min left",
    ]


def test_short_work_writes_nothing_and_shown_work_ends_with_a_line() -> None:
    clock, lines = Clock(), list[str]()
    report = ProgressLines(lines.append, clock)
    for done in range(11):
        report("scoring", done, 10)
    assert not lines
    for done in (0, 5, 10):
        clock.now += 4.0
        report("pictures", done, 12)
    clock.now += 1.0
    report("pictures", 12, 12)
    assert lines == ["pictures: 5/12 (42%), 6 s left", "pictures: 12/12 (100%)"]


def test_work_of_unknown_size_is_named() -> None:
    clock, lines = Clock(), list[str]()
    report = ProgressLines(lines.append, clock)
    clock.now += 6.0
    report("writing", 0, 0)
    assert lines == ["writing"]


def test_full_disk_is_told_before_distances_are_computed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path))
    monkeypatch.setattr(distances, "MAX_PLACES_IN_MEMORY", 10)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(InputError, match=r"free for distances, got 1.0 kB.*BEARLEFT_CACHE"):
        replace(open_world("town/0")).hops.matrix()  # a copy has no distances in memory
    assert not list(tmp_path.rglob("*.npy"))


def test_durations_and_sizes() -> None:
    assert [format_size(size) for size in (0, 999, 1000, 1_757_177_762)] == ["0 bytes", "999 bytes", "1.0 kB", "1.8 GB"]
    assert [format_duration(seconds) for seconds in (0.4, 99, 150, 7200)] == ["0 s", "99 s", "2 min", "2.0 h"]


def test_commands_report_to_log_files(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bearleft.runtime.progress.FIRST_SECONDS", 0.0)
    with progress("work") as report:
        report("work", 1, 4)
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("work: 1/4 (25%)")
    monkeypatch.setenv("RANK", "1")
    with progress("work") as report:
        report("work", 1, 4)
    assert capsys.readouterr().err == "", "of several processes the first one reports"


def test_announcements_are_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_announcements()
    print_announcements()
    announce("Compiling 100 %: once")
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == "Compiling 100 %: once\n"


def compilation(module: str) -> Any:
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})


def test_renderer_is_announced_before_it_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(compiled, "announce", lines.append)
    listener = compiled.CompilationListener(Clock())
    for _ in range(2):
        listener.on_start(compilation("bearleft.world.render.cpu"))
        listener.on_end(compilation("bearleft.world.render.cpu"))
    assert len(lines) == 1 and "Compiling the renderer" in lines[0] and "once" in lines[0]


def test_other_compilation_is_announced_when_it_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, clock = list[str](), Clock()
    monkeypatch.setattr(compiled, "announce", lines.append)
    listener = compiled.CompilationListener(clock)
    counts = []
    for _ in range(4):
        listener.on_start(compilation("bearleft.metrics.kernels"))
        listener.on_start(compilation("bearleft.metrics.kernels"))  # called by the other
        clock.now += 1.5
        listener.on_end(compilation("bearleft.metrics.kernels"))
        listener.on_end(compilation("bearleft.metrics.kernels"))
        counts.append(len(lines))
    assert counts == [0, 0, 1, 1] and "Compiling numerical code" in lines[0]


def test_numba_reports_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function that is not in numba's cache is reported once."""
    lines: list[str] = []
    monkeypatch.setattr(compiled, "announce", lines.append)
    listener = compiled.CompilationListener()
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    try:

        def double(value: float) -> float:
            return 2.0 * value

        double.__module__ = "bearleft.world.render.of_this_test"
        function: Any = numba.njit(double)
        assert not lines and function(2.0) == 4.0 and function(3.0) == 6.0
    finally:
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
    assert sum("renderer" in line for line in lines) >= 1 and listener.depth == 0 and listener.seconds > 0


def test_large_distances_are_announced_with_size_and_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path))
    monkeypatch.setattr(distances, "MAX_PLACES_IN_MEMORY", 10)
    monkeypatch.setattr("bearleft.runtime.progress.FIRST_SECONDS", 0.0)
    lines: list[str] = []
    monkeypatch.setattr(distances, "announce", lines.append)
    graph = replace(open_world("town/0"))  # a copy has no distances in memory
    expected = graph.hops.rows(np.arange(len(graph)))
    matrix = graph.hops.matrix()
    (file,) = (tmp_path / "distances").glob("*.npy")
    assert np.array_equal(matrix, expected) and str(file) in lines[0] and "once" in lines[0]
    assert format_size(matrix.nbytes) in lines[0]
    assert any(line.startswith("distances in hops: ") for line in lines[1:])
    lines.clear()
    again = open_world("town/0")
    assert np.array_equal(again.hops.matrix(), expected) and not lines
