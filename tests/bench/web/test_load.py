"""The load benchmark, small: every unit is answered once, though workers walk away and submit twice."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from bearleft.bench.web.load import LoadConfig, run_load


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_every_unit_is_answered_once(processes: int, tmp_path: Path) -> None:
    config = LoadConfig(workers=6, units=12, thinking=(0.1, 1.5), leaving=0.2, processes=processes, lease=2)
    row = run_load(f"sqlite:///{tmp_path / 'load.sqlite'}", config)
    assert (row["answers"], row["units answered"], row["acknowledged"]) == (12, 12, 12)
    assert (row["answered twice"], row["two codes"], row["5xx"]) == (0, 0, 0)
    assert row["attempts"] >= 12 + row["walked away"] and row["requests"] > 50 and row["unit s"] == "0.1 to 1.5"
    assert 0 < row["claim p50 ms"] <= row["claim p95 ms"]
