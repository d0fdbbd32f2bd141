"""Tables of trained agents: runs are trained in calls, plays are saved, rows stand beside the paper's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.data import write  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.recorded import means, score_codes  # noqa: E402
from bearleft.experiments.arramon.agents.results import results  # noqa: E402
from bearleft.experiments.arramon.agents.runs import (  # noqa: E402
    CASCADE,
    LO,
    PERFECT,
    RANDOM,
    SHORTEST,
    VL,
    AgentConfig,
    AgentRun,
    agent_runs,
)
from bearleft.experiments.arramon.agents.saved_plays import (  # noqa: E402
    PLAYS,
    SavedPlays,
    plays_file,
    read_plays_folder,
    save_plays,
)
from bearleft.experiments.arramon.agents.train import AgentTrainer, train_agents  # noqa: E402
from bearleft.experiments.arramon.published import METRICS  # noqa: E402
from bearleft.models.arramon.legs import reference_actions  # noqa: E402
from tests.training.arramon.planted import SMALL, planted_tasks  # noqa: E402

RUNS = (
    AgentRun(LO, "lo", "arramon-lo"),
    AgentRun(VL, "vl", "arramon-vl"),
    AgentRun(RANDOM, "random", ""),
    AgentRun(SHORTEST, "shortest", ""),
)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> AgentConfig:
    folder = tmp_path_factory.mktemp("tasks")
    for name, count, seed in (("train", 12, 0), ("val_unseen", 3, 1)):
        write("jsonl", planted_tasks(count, seed), folder / f"{name}.jsonl")
    own = {"arramon-lo": SMALL, "arramon-vl": SMALL}
    unseen = str(folder / "val_unseen.jsonl")
    return AgentConfig(1, 12, None, 2, None, 16, 2, 1.0, str(folder / "train.jsonl"), unseen, (unseen,), own)


@pytest.fixture(scope="module")
def trained(config: AgentConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    lines: list[str] = []
    left = train_agents(folder, config, backbone="random:0", device="cpu", minutes=0, log=lines.append, runs=RUNS)
    assert left == [run.name for run in RUNS]  # no time: nothing is done
    left = train_agents(folder, config, backbone="random:0", device="cpu", minutes=1000, log=lines.append, runs=RUNS)
    assert left == [] and any("lo-0: finished" in line for line in lines)
    return folder


def test_runs_are_trained_once_and_play_whole_tasks_and_in_the_room(trained: Path, config: AgentConfig) -> None:
    plays = read_plays_folder(trained)
    assert {(one.system, one.texts) for one in plays} == {
        (run.system, mode) for run in RUNS for mode in (CASCADE, PERFECT)
    }
    lines: list[str] = []
    assert not train_agents(
        trained, config, backbone="random:0", device="cpu", minutes=1000, log=lines.append, runs=RUNS
    )
    assert not any("training" in line for line in lines)
    other = replace(config, epochs=2)
    with pytest.raises(InputError, match="epochs"):
        train_agents(trained, other, backbone="random:0", device="cpu", log=lines.append, runs=RUNS[:1])
    reference = reference_actions(planted_tasks(3, 1))
    perfect = next(one for one in plays if one.system == LO and one.texts == PERFECT)
    assert np.array_equal(perfect.codes[:, ::2, :5], reference[:, ::2, :5])


def test_rows_are_the_means_of_the_plays_beside_the_papers(trained: Path) -> None:
    plays = read_plays_folder(trained)
    rows = results(plays)
    kinds = {row["kind"] for row in rows} - {"real texts"}  # which are there where the released dataset is
    assert kinds == {"score", "turn", "perfect navigation", "difference"}
    tasks = planted_tasks(3, 1)
    for one in plays:
        if one.texts != CASCADE:
            continue
        expected = means(score_codes(tasks, one.codes), METRICS)
        own = {row["metric"]: row["value"] for row in rows if row["kind"] == "score" and row["system"] == one.system}
        assert own == {name: pytest.approx(value, abs=1e-4) for name, value in expected.items()}
        assert [trace.episode for trace in one.traces(tasks)] == ["0", "1", "2"]
    values = {(row["kind"], row["system"], row["metric"]): row for row in rows if "against" not in row}
    assert values["score", VL, "PTC"]["paper"] == 0.028 and values["score", "H/W", "PTC"]["value"] is None
    assert values["score", SHORTEST, "PTC"]["value"] == values["perfect navigation", SHORTEST, "PTC"]["value"] == 1
    assert values["turn", VL, "nDTW, turn 2"]["paper"] == 0.033
    assert values["perfect navigation", LO, "CTC-3"]["value"] == 1
    for row in rows:
        if row.get("low") is not None:
            assert row["low"] <= row["value"] <= row["high"]


def test_plays_that_do_not_fit_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="codes"):
        SavedPlays(VL, "mine", 0, ("1",), np.zeros((1, 3, 2), np.int8))
    path = save_plays(tmp_path, SavedPlays(VL, "city/arramon/small", 0, ("1",), np.zeros((1, 4, 2), np.int8)))
    assert path.name == plays_file(VL, "city/arramon/small", 0)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="saved plays"):
        read_plays_folder(tmp_path)


def test_the_tables_runs_have_names_of_their_own() -> None:
    names = [run.name for run in agent_runs()]
    assert len(set(names)) == len(names) == 19 and {"vl-0", "memory-2", "memory-lo-1", "shortest-0"} <= set(names)
    assert AgentConfig().training(agent_runs()[4]).overrides == {"image": False}


def test_blind_agents_play_real_texts_where_they_are(trained: Path, config: AgentConfig, tmp_path: Path) -> None:
    trainer = AgentTrainer(trained, config, torch.device("cpu"), data=tmp_path, backbone="random:0")
    assert trainer.missing_sets(RUNS[0]) == []
    assert (trained / PLAYS).is_dir() and json.loads((trained / "lo-0" / "trained.json").read_text())
