"""The complete task's table, from files of traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.experiments.touchdown.navigation.complete import found_table
from tests.evaluation.test_complete import StopsAt

DATASET = "touchdown-complete/made"


def test_found_beside_each_stage(sample_data: Path, tmp_path: Path) -> None:
    agents = {
        "gold + LINGUNET": StopsAt(sample_data, "main", 5.0),
        "gold + BEARING": StopsAt(sample_data, "main", 10.0),
        "RCONCAT + LINGUNET": StopsAt(sample_data, "pre", 5.0),
    }
    files = {}
    for k, (name, agent) in enumerate(agents.items()):
        files[name] = tmp_path / f"{k}.jsonl"
        evaluate(agent, DATASET, files[name], data=sample_data, limit=1)
    rows, page = found_table(files, sample_data)
    assert [row["Found@80px"] for row in rows] == [100.0, 0.0, 100.0]  # 51.6, 103.1 and 51.6 pixels
    assert [row["A@80px"] for row in rows] == [100.0, 0.0, 100.0]
    assert [row["TC"] for row in rows] == [100.0, 100.0, 100.0]
    assert [row["SPD"] for row in rows] == [0.0, 0.0, 1.0]
    assert [row["paper"] for row in rows] == [None, None, 4.5]
    assert page.splitlines()[-1].startswith("| RCONCAT + LINGUNET | 1 | 100.0 | 1.0 | 100.0 | 100.0 |")
    alone = found_table({"RCONCAT + LINGUNET": files["RCONCAT + LINGUNET"]}, sample_data)[0]
    assert alone[0]["A@80px"] is None


def test_other_traces_are_told(tmp_path: Path) -> None:
    file = tmp_path / "walks.jsonl"
    evaluate("stop", "city/touchdown/small", file, limit=2)
    with pytest.raises(InputError, match="Found@80px"):
        found_table({"STOP + CENTER": file})
    with pytest.raises(InputError, match="RCONCAT"):
        found_table({"stop": file})
