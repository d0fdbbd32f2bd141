"""Touchdown's validation statistics (section 5), from the fields of the released lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import stats
from tests.data.sample_files import lines, streets, touchdown_line


def follower(success: str, attempts: int, seconds: int) -> dict[str, str]:
    elapsed = json.dumps({"minute": seconds // 60, "second": seconds % 60})
    return {"follower_elapsed": elapsed, "num_attempts": str(attempts), "follower_success": success}


ROUTE = ["p0", "p1", "p5"]
LINES = [
    touchdown_line(1, ROUTE, num_finished=1, follower_stats=[follower("yes", 1, 40)], failure_stats=2),
    touchdown_line(
        2, ROUTE, num_finished=1, follower_stats=[follower("yes", 5, 80)], elapsed='{"minute":1,"second":6}'
    ),
    touchdown_line(3, ROUTE, num_finished=2, follower_stats=[follower("no", 5, 300), follower("yes", 1, 60)]),
    touchdown_line(4, ROUTE, num_finished=2, follower_stats=[follower("yes", 2, 90), follower("yes", 1, 30)]),
]
VALIDATION_FIELDS = ("num_finished", "follower_stats", "failure_stats", "elapsed")
LINE_WITHOUT_FIELDS = {name: value for name, value in touchdown_line(5, ROUTE).items() if name not in VALIDATION_FIELDS}


def figures(folder: Path, rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (folder / "touchdown").mkdir()
    nodes, links = streets()
    for file, text in (("nodes.txt", nodes), ("links.txt", links), ("dev.jsonl", lines(rows))):
        (folder / "touchdown" / file).write_text(text)
    return {row["statistic"]: row["value"] for row in stats(folder, [name])}


@pytest.mark.parametrize("dataset", ["touchdown/dev", "touchdown-complete/dev", "sdr/dev"])
def test_workers_attempts_and_times(tmp_path: Path, dataset: str) -> None:
    values = figures(tmp_path, [*LINES, LINE_WITHOUT_FIELDS], dataset)
    expected = {
        "validation: routes": 4,
        "validation: routes without records": 1,
        "validation: one worker, % of routes": 50,
        "validation: two workers, % of routes": 50,
        "validation: found by the first worker, % of routes": 75,
        "validation: found by the second worker only, % of routes": 25,
        "validation: tasks": 6,
        "validation: found, % of tasks": pytest.approx(500 / 6, abs=0.01),
        "validation: one attempt, % of tasks": 50,
        "validation: found at the fifth attempt, % of tasks": pytest.approx(100 / 6, abs=0.01),
        "validation: attempts per task, mean": 2.5,
        "validation: seconds per task, mean": 100,
        "validation: seconds per task, median": 70,
        "writing: seconds per text, mean": (3 * 174 + 66) / 4,
        "writing: seconds per text, median": 174,
        "writing: failed placings per text, mean": 0.5,
    }
    assert {name: values[name] for name in expected} == expected


def test_lines_without_the_fields_are_counted(tmp_path: Path) -> None:
    values = figures(tmp_path, [LINE_WITHOUT_FIELDS], "touchdown/dev")
    validation_values = {name: value for name, value in values.items() if name.startswith(("validation", "writing"))}
    assert validation_values == {"validation: routes": 0, "validation: routes without records": 1}


def test_generated_cities_have_no_validation() -> None:
    rows = {row["statistic"]: row["value"] for row in stats(None, ["city/touchdown/small"])}
    assert (rows["validation: routes"], rows["validation: routes without records"]) == (0, 60)


@pytest.mark.parametrize(
    "fields",
    [
        {"follower_stats": "none"},
        {"follower_stats": [3, {"num_attempts": "many", "follower_elapsed": "[1]", "follower_success": "perhaps"}]},
        {"num_finished": "one"},
        {"elapsed": "{"},
        {"elapsed": '{"minute":"x"}'},
        {"failure_stats": None},
    ],
)
def test_malformed_fields_are_ignored(tmp_path: Path, fields: dict[str, Any]) -> None:
    values = figures(
        tmp_path, [*LINES, touchdown_line(6, ROUTE, follower_stats=[follower("yes", 1, 40)]) | fields], "sdr/dev"
    )
    assert values["validation: routes"] == 5 and 6 <= values["validation: tasks"] <= 7


@pytest.mark.slow
def test_figures_of_the_public_routes(real_data: Path) -> None:
    rows = {row["statistic"]: row for row in stats(real_data, ["touchdown/unseen_dev"])}
    expected = {
        "validation: routes": 800,
        "validation: routes without records": 0,
        "validation: one worker, % of routes": 89.375,
        "validation: two workers, % of routes": 10.625,
        "validation: found by the first worker, % of routes": 91.5,
        "validation: found by the second worker only, % of routes": 8.5,
        "validation: tasks": 885,
        "validation: found, % of tasks": 92.3164,
        "validation: one attempt, % of tasks": 75.4802,
        "validation: found at the fifth attempt, % of tasks": 1.4689,
    }
    assert {name: rows[name]["value"] for name in expected} == expected
    assert rows["validation: one attempt, % of tasks"]["paper"] == 64
