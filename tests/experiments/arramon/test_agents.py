"""Tables of trained agents: runs are trained in calls, plays are saved, rows stand beside the paper's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")

from bearleft.cli import cli  # noqa: E402
from bearleft.data import write  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.recorded import means, score_codes  # noqa: E402
from bearleft.experiments.arramon.agents.figures import write_figures  # noqa: E402
from bearleft.experiments.arramon.agents.markdown import markdown  # noqa: E402
from bearleft.experiments.arramon.agents.results import CHANGED, results  # noqa: E402
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
    mode_of,
    parse_mode,
)
from bearleft.experiments.arramon.agents.saved_plays import (  # noqa: E402
    PLAYS,
    SavedPlays,
    plays_file,
    read_plays_folder,
    save_plays,
)
from bearleft.experiments.arramon.agents.train import AgentTrainer, train_agents  # noqa: E402
from bearleft.experiments.arramon.changed_texts import (  # noqa: E402
    CHANGES,
    NO_COLOURS,
    NO_DIRECTIONS,
    SHUFFLED,
    change_texts,
)
from bearleft.experiments.arramon.published import METRICS  # noqa: E402
from bearleft.experiments.rows import Row  # noqa: E402
from bearleft.experiments.systems.markdown import write_rows  # noqa: E402
from bearleft.models.arramon.legs import reference_actions  # noqa: E402
from tests.training.arramon.planted import SMALL, planted_tasks  # noqa: E402

HORIZONS = (8, 6)  # a little more than the references need
RUNS = (
    AgentRun(LO, "lo", "arramon-lo"),
    AgentRun(VL, "vl", "arramon-vl"),
    AgentRun(RANDOM, "random", ""),
    AgentRun(SHORTEST, "shortest", ""),
)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> AgentConfig:
    folder = tmp_path_factory.mktemp("tasks")
    for name, count, seed in (("train", 4, 0), ("val_unseen", 2, 1)):
        write("jsonl", planted_tasks(count, seed), folder / f"{name}.jsonl")
    own = {"arramon-lo": SMALL, "arramon-vl": SMALL}
    unseen = str(folder / "val_unseen.jsonl")
    train = str(folder / "train.jsonl")
    sizes: dict[str, Any] = {
        "epochs": 1,
        "batch_size": 12,
        "validation_size": 2,
        "view_size": 16,
        "rows": 2,
        "view_memory": 1.0,
    }
    return AgentConfig(
        **sizes, train=train, validation=unseen, splits=(unseen,), changed=(unseen,), horizons=HORIZONS, overrides=own
    )


@pytest.fixture(scope="module")
def trained(config: AgentConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    lines: list[str] = []
    left = train_agents(folder, config, backbone="random:0", device="cpu", minutes=0, log=lines.append, runs=RUNS)
    assert left == [run.name for run in RUNS]  # no time: nothing is done
    left = train_agents(folder, config, backbone="random:0", device="cpu", minutes=1000, log=lines.append, runs=RUNS)
    assert left == [] and any("lo-0: finished" in line for line in lines)
    return folder


@pytest.fixture(scope="module")
def rows(trained: Path) -> list[Row]:
    return results(read_plays_folder(trained))


@pytest.mark.slow
def test_runs_are_trained_once_and_play_whole_tasks_and_in_the_room(trained: Path, config: AgentConfig) -> None:
    plays = read_plays_folder(trained)
    assert {(one.system, one.texts) for one in plays if not parse_mode(one.texts)[0]} == {
        (run.system, mode) for run in RUNS for mode in (CASCADE, PERFECT)
    }
    changed = {(one.system, *parse_mode(one.texts)) for one in plays if parse_mode(one.texts)[0]}
    assert changed == {(system, change, perfect) for system in (LO, VL) for change in CHANGES for perfect in (0, 1)}
    assert {one.horizons for one in plays} == {HORIZONS}
    assert all(len(one.history) == 1 for one in plays if one.system in (LO, VL))
    lines: list[str] = []
    assert not train_agents(
        trained, config, backbone="random:0", device="cpu", minutes=1000, log=lines.append, runs=RUNS
    )
    assert not any("training" in line for line in lines)
    other = replace(config, epochs=2)
    with pytest.raises(InputError, match="epochs"):
        train_agents(trained, other, backbone="random:0", device="cpu", log=lines.append, runs=RUNS[:1])
    reference = reference_actions(planted_tasks(2, 1))
    perfect = next(one for one in plays if one.system == LO and one.texts == PERFECT)
    assert np.array_equal(perfect.codes[:, ::2, :5], reference[:, ::2, :5])


def test_rows_are_the_means_of_the_plays_beside_the_papers(trained: Path, rows: list[Row]) -> None:
    plays = read_plays_folder(trained)
    kinds = {row["kind"] for row in rows} - {"real texts"}  # which are there where the released dataset is
    assert kinds == {"score", "turn", "perfect navigation", "difference", CHANGED}
    tasks = planted_tasks(2, 1)
    for one in plays:
        if one.texts != CASCADE:
            continue
        expected = means(score_codes(tasks, one.codes, one.options), METRICS)
        own = {row["metric"]: row["value"] for row in rows if row["kind"] == "score" and row["system"] == one.system}
        assert own == {name: pytest.approx(value, abs=1e-4) for name, value in expected.items()}
        assert [trace.episode for trace in one.traces(tasks)] == ["0", "1"]
    values = {(row["kind"], row["system"], row["metric"]): row for row in rows if "against" not in row}
    assert values["score", VL, "PTC"]["paper"] == 0.028 and values["score", "H/W", "PTC"]["value"] is None
    assert values["score", SHORTEST, "PTC"]["value"] == values["perfect navigation", SHORTEST, "PTC"]["value"] == 1
    assert values["turn", VL, "nDTW, turn 2"]["paper"] == 0.033
    assert values["perfect navigation", LO, "CTC-3"]["value"] == 1
    for row in rows:
        if row.get("low") is not None:
            assert row["low"] <= row["value"] <= row["high"]


def test_what_words_are_worth_is_the_difference_from_own_texts(rows: list[Row]) -> None:
    own = {(row["system"], row["metric"]): row["value"] for row in rows if row["kind"] == "score"}
    changed = [row for row in rows if row["kind"] == CHANGED and not row["perfect navigation"]]
    assert {row["texts"] for row in changed} == set(CHANGES) and {row["system"] for row in changed} == {VL, LO}
    for row in changed:
        lost = own[row["system"], row["metric"]] - row["value"]
        assert row["lost value"] == pytest.approx(lost, abs=2e-4)
        assert row["lost low"] <= row["lost value"] <= row["lost high"]


def test_changed_texts_lose_their_words_or_are_another_tasks() -> None:
    tasks = planted_tasks(3)
    shuffled, colours, directions = (change_texts(tasks, change) for change in (SHUFFLED, NO_COLOURS, NO_DIRECTIONS))
    assert [task.legs[1].text for task in shuffled] == [tasks[k].legs[1].text for k in (1, 2, 0)]
    assert [task.legs[0].goal for task in shuffled] == [task.legs[0].goal for task in tasks]
    assert [leg.text for leg in directions[0].legs[:2]] == ["Go to the .", "Place it on the ."]
    assert colours[0].legs[0].text == tasks[0].legs[0].text.replace(".", " .")  # it names no colour
    with pytest.raises(InputError, match=NO_COLOURS):
        change_texts(tasks, "no-colour")
    for change in ("", *CHANGES):
        for perfect in (False, True):
            mode = mode_of(change, perfect) if change else (PERFECT if perfect else CASCADE)
            assert parse_mode(mode) == (change, perfect)


@pytest.mark.slow
def test_tables_and_charts_are_made_of_saved_plays(trained: Path, rows: list[Row], tmp_path: Path) -> None:
    plays = read_plays_folder(trained)
    page = markdown(rows)
    for heading in ("### Table 2", "differences from V/L", "### Table 5", "### Table 6", "### What words are worth"):
        assert heading in page, heading
    assert "| V/L, paper | 0.109 | 0.000 | 0.062 | 0.108 | 0.153 | 0.036 | 0.028 |" in page
    assert "| H/W, paper | 0.670 | 1.000 |" in page and "another task's texts" in page
    write_rows(tmp_path / "rows.json", rows)
    printed = CliRunner().invoke(cli, ["paper", "arramon", "--results", str(tmp_path / "rows.json")])
    assert printed.exit_code == 0 and printed.stdout == f"{page}\n"
    arguments = ["paper", "arramon", "--results", str(tmp_path / "rows.json"), "--figures", str(tmp_path)]
    assert isinstance(CliRunner().invoke(cli, arguments).exception, InputError)  # charts need the plays
    pytest.importorskip("matplotlib")
    names = {Path(path).name for path in write_figures(plays, rows, tmp_path)}
    assert {"turns-ptc.svg", "room-ptc.svg", "curve-loss.svg", "texts-val_unseen.jsonl-ptc.svg"} <= names
    assert "<svg" in (tmp_path / "turns-ptc.svg").read_text()[:2000]
    with pytest.raises(InputError, match="to draw"):
        write_figures([], [], tmp_path)


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
    assert len(set(names)) == len(names) == 20 and {"vl-0", "memory-2", "memory-one-0", "shortest-0"} <= set(names)
    assert AgentConfig().training(agent_runs()[4]).overrides == {"image": False}


def test_blind_agents_play_real_texts_where_they_are(trained: Path, config: AgentConfig, tmp_path: Path) -> None:
    trainer = AgentTrainer(trained, config, torch.device("cpu"), data=tmp_path, backbone="random:0")
    assert trainer.missing_sets(RUNS[0]) == []
    assert (trained / PLAYS).is_dir() and json.loads((trained / "lo-0" / "trained.json").read_text())
