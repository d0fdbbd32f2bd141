"""Blind agents that were trained on generated tasks assemble by the real texts."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft.data import write  # noqa: E402
from bearleft.experiments.arramon.agents.results import results  # noqa: E402
from bearleft.experiments.arramon.agents.runs import LO, PERFECT, REAL_SPLIT, AgentConfig, AgentRun  # noqa: E402
from bearleft.experiments.arramon.agents.saved_plays import read_plays_folder  # noqa: E402
from bearleft.experiments.arramon.agents.train import train_agents  # noqa: E402
from tests.training.arramon.planted import SMALL, planted_tasks  # noqa: E402


@pytest.mark.slow
def test_rows_of_real_texts_stand_beside_the_papers_language_only_model(tmp_path: Path, real_data: Path) -> None:
    if not (real_data / "arramon" / "val_unseen.json").exists():
        pytest.skip("needs arramon/val_unseen.json")
    tasks = str(tmp_path / "train.jsonl")
    write("jsonl", planted_tasks(4), tasks)
    own = {"arramon-lo": SMALL}
    config = AgentConfig(1, 4, None, 1, 3, train=tasks, validation=tasks, splits=(), changed=(), overrides=own)
    run = AgentRun(LO, "lo", "arramon-lo")
    runs = tmp_path / "runs"
    lines: list[str] = []
    assert not train_agents(
        runs, config, data=real_data, backbone="random:0", device="cpu", minutes=1000, log=lines.append, runs=(run,)
    )
    (plays,) = read_plays_folder(runs)
    assert (plays.dataset, plays.texts, len(plays)) == (REAL_SPLIT, PERFECT, 3)
    rows = [row for row in results([plays], real_data) if row["kind"] == "real texts"]
    assert [(row["metric"], row["paper"]) for row in rows] == [("CTC-3", 0.029), ("rPOD", 0.017), ("PTC", 0.013)]
    assert rows[0]["value"] == 1 and all(0 <= row["low"] <= row["value"] <= row["high"] for row in rows)
