"""A metric of the user's own from a Python file, scores of single episodes, names in any case, and units."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.metrics import METRICS
from bearleft.metrics.conventions import CONVENTIONS, score_walks
from bearleft.metrics.walks import random_walks
from bearleft.reports.table import comparison_tables, print_rows
from bearleft.world.worlds import open_world
from tests.commands import run_command

TRACE_METRIC = """
from bearleft.metrics import TraceMetric

METRIC = TraceMetric("Turns", higher_is_better=False, unit="actions",
                     function=lambda episode, trace: sum(action != "forward" for action in trace.legs[0].actions))
"""
PATH_METRIC = """
import numpy as np
from bearleft.metrics import PathMetric

METRIC = PathMetric("LengthRatio", higher_is_better=None, unit="ratio",
                    formula=lambda m: m.path_length / np.maximum(m.reference_length, 1e-9))
"""


@pytest.fixture
def traces(tmp_path: Path) -> tuple[Path, Path]:
    files = tmp_path / "gold.jsonl", tmp_path / "random.jsonl"
    for file in files:
        evaluate(file.stem, "town/dev", file, limit=20)
    return files


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the registry of metrics after each test."""
    for name in ("Turns", "LengthRatio", "Revisits"):
        monkeypatch.setitem(METRICS, name, METRICS["TC"])
        monkeypatch.delitem(METRICS, name)


def write_metric(tmp_path: Path, source: str, name: str = "my_metric.py") -> str:
    path = tmp_path / name
    path.write_text(source)
    return str(path)


def test_metric_of_traces_from_a_file(traces: tuple[Path, Path], tmp_path: Path) -> None:
    scores = score(traces[0], metrics=["TC", write_metric(tmp_path, TRACE_METRIC)], resamples=10, per_episode=True)
    lines = [json.loads(line)["legs"][0]["actions"] for line in traces[0].read_text().splitlines()]
    expected = [sum(action != "forward" for action in actions) for actions in lines]
    assert [row["Turns"] for row in scores.episodes] == expected
    assert scores.rows[1]["value"] == pytest.approx(sum(expected) / 20) and scores.rows[1]["unit"] == "actions"


def test_example_of_a_metric_scores(traces: tuple[Path, Path]) -> None:
    example = str(Path(__file__).parents[2] / "examples" / "own_metric.py")
    rows = score(*traces, metrics=[example], resamples=10).rows
    assert [row["metric"] for row in rows] == ["Revisits"] * 2
    assert rows[0]["value"] == 0 < rows[1]["value"]  # a shortest route visits no place twice


def test_metric_of_paths_from_a_file(traces: tuple[Path, Path], tmp_path: Path) -> None:
    file = write_metric(tmp_path, PATH_METRIC)
    (row,) = score(traces[0], metrics=[file], resamples=10).rows
    assert (row["metric"], row["value"], row["unit"]) == ("LengthRatio", 1.0, "ratio")
    assert score(traces[0], metrics=[file], resamples=10).rows == [row]  # the same file again


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("METRIC = 3", "METRIC, a PathMetric or a TraceMetric, got 3.*docs/extending.md"),
        ("x = 1", "got none"),
        ("raise OSError('no')", 'can be imported, got "OSError: no"'),
        (TRACE_METRIC.replace('"Turns"', '"ndtw"'), "a name that no other metric has"),
        (TRACE_METRIC.replace("sum(", "1 / len(trace.legs[5:]) + sum("), "ZeroDivisionError"),
        (
            TRACE_METRIC.replace("sum(", "float('nan') * sum("),
            "a finite number or None of Turns for episode 0, got nan",
        ),
    ],
)
def test_invalid_metric_files_are_refused(traces: tuple[Path, Path], tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score(traces[0], metrics=[write_metric(tmp_path, source)], resamples=10)


def test_metric_of_a_missing_file_is_refused(traces: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a Python file with a metric, got nothing there"):
        score(traces[0], metrics=[str(tmp_path / "none.py")])


def test_metric_names_may_be_in_any_case(traces: tuple[Path, Path]) -> None:
    names = [row["metric"] for row in score(traces[0], metrics=["ndtw", "Sdtw", "spd"], resamples=10).rows]
    assert names == ["nDTW", "SDTW", "SPD"]
    assert len({name.lower() for name in METRICS}) == len(METRICS)


def test_missing_metric_names_the_conventions_that_have_it(traces: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match=r"SPL exists under ndtw-paper, r4r: add --convention ndtw-paper"):
        score(traces[0], metrics=["SPL"])
    assert score(traces[0], metrics=["SPL"], convention="ndtw-paper", resamples=10).rows[0]["value"] > 0.99


def test_metrics_of_several_conventions_are_scored_together(
    traces: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--metric", "TC", "--metric", "SPL", "--convention", "paper", "--convention", "r4r", "--json"]
    rows = json.loads(run_command(capsys, "score", str(traces[0]), *options)[1])
    assert [(row["metric"], row["convention"]) for row in rows] == [("TC", "paper"), ("SPL", "r4r")]


def test_metrics_are_named_one_by_one(traces: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="--metric TC --metric SPD"):
        score(traces[0], metrics=["TC,SPD"])


def test_every_convention_lists_its_metrics_and_units() -> None:
    graph = open_world("town/0")
    import numpy as np

    walks = random_walks(graph, np.random.default_rng(0), 5)
    for convention in CONVENTIONS.values():
        assert set(score_walks(walks, convention.name)) == set(convention.metrics)
    assert CONVENTIONS["ciff"].unit("NE") == "actions" and CONVENTIONS["r4r"].unit("PL") == "m"
    assert CONVENTIONS["paper"].unit("DTW") == "hops" and CONVENTIONS["paper"].unit("TC") == "%"
    r2r = {"PL", "NE", "ONE", "SR", "OSR", "SPL"}
    assert r2r <= set(CONVENTIONS["ndtw-paper"].metrics) and r2r <= set(CONVENTIONS["r4r"].metrics)


def test_every_row_has_a_unit(traces: tuple[Path, Path]) -> None:
    scores = score(*traces, resamples=10)
    units = {row["metric"]: row["unit"] for row in scores.rows}
    assert (units["TC"], units["SPD"], units["nDTW"]) == ("%", "hops", "0..1")
    assert {row["metric"]: row["unit"] for row in scores.comparisons} == units


def test_per_episode_scores_have_the_means_of_the_table(traces: tuple[Path, Path]) -> None:
    scores = score(*traces, resamples=10, per_episode=True)
    assert len(scores.episodes) == 40
    for row in scores.rows:
        numbers = [r[row["metric"]] for r in scores.episodes if r["file"] == row["file"]]
        assert sum(numbers) / len(numbers) == pytest.approx(row["value"])


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_per_episode_scores_are_written(
    traces: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    out = tmp_path / f"episodes{suffix}"
    code, printed, _ = run_command(capsys, "score", str(traces[1]), "--per-episode", str(out), "--json")
    assert code == 0
    with open(out, newline="") as stream:
        rows = list(csv.DictReader(stream)) if suffix == ".csv" else json.load(stream)
    assert [row["episode"] for row in rows] == [str(k) for k in range(20)]
    spd = next(row["value"] for row in json.loads(printed) if row["metric"] == "SPD")
    assert sum(float(row["SPD"]) for row in rows) / 20 == pytest.approx(spd)


def test_per_episode_file_is_checked_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run_command(capsys, "score", "none.jsonl", "--per-episode", str(tmp_path / "scores.xlsx"))
    assert code == 2 and "a file that ends with .csv or .json" in error


@pytest.mark.slow
def test_tables_fit_80_columns(traces: tuple[Path, Path]) -> None:
    command = [sys.executable, "-m", "bearleft", "score", *(path.name for path in traces), "--resamples", "50"]
    output = subprocess.run(command, capture_output=True, text=True, cwd=traces[0].parent, check=True).stdout
    assert "gold.jsonl minus random.jsonl" in output and "p sign" in output
    assert max(len(line.rstrip()) for line in output.splitlines()) <= 80


def test_widest_paired_test_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    row: dict[str, Any] = {
        "file": "a" * 60,
        "against": "b" * 60,
        "metric": "Milestone@11deg",
        "convention": "vln-transformer",
    }
    row |= {"unit": "degrees", "p_permutation": 0.99999, "p_sign": 1e-300, "above": 1999, "below": 1999}
    row |= {"difference": -1068.44, "low": -9999.4, "high": -8888.8}
    ((title, rows),) = comparison_tables([row | {"n": 2000}])
    print_rows(rows, False, title)
    assert max(len(line.rstrip()) for line in capsys.readouterr().out.splitlines()) <= 80


@pytest.mark.parametrize(
    "content",
    [
        '{"a": 1}',
        "[[1, 2]]",
        '[{"episode": "0", "walk": []}]',
        '[{"id": "0"}]',
        '"text"',
        "3",
        '[{"path": ["a"]}]',
        "{}",
    ],
)
def test_wrong_shapes_name_the_accepted_ones(tmp_path: Path, content: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(content)
    with pytest.raises(InputError) as caught:
        score(file, dataset="town/dev")
    assert '{"id": ..., "path": [place, ...]}' in str(caught.value) and "R2R" in str(caught.value)
