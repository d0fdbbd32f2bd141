"""Runs of Table 2: what is shared, that a call goes on where one stopped, and that walks are those of the agent."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from click.testing import CliRunner  # noqa: E402

from bearleft.cli import cli  # noqa: E402
from bearleft.data import load  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.evaluate import evaluate  # noqa: E402
from bearleft.experiments.ndtw.agents.runs import (  # noqa: E402
    FIDELITY,
    GOAL,
    IMITATION,
    R2R,
    AgentConfig,
    AgentRun,
    Task,
    agent_runs,
)
from bearleft.experiments.ndtw.agents.saved_walks import AgentWalks, read_walks_folder  # noqa: E402
from bearleft.experiments.ndtw.agents.train import AgentTrainer, hold_out, train_agents  # noqa: E402
from bearleft.models.panoramic.examples import build_panoramic_walks  # noqa: E402
from bearleft.runtime.store import file_lock  # noqa: E402
from bearleft.world.worlds import open_world  # noqa: E402

SMALL = {"word_dim": 8, "text_dim": 8, "hidden_dim": 12, "link_dim": 8, "text_attention_dim": 8}
CONFIG = AgentConfig(
    epochs=2,
    epoch_size=16,
    batch_size=8,
    learning_rate=0.01,
    validation_size=6,
    train_size=16,
    eval_size=8,
    overrides=SMALL,
)
TOWN = Task("TOWN", "town/dev", "town/dev")
RUN = AgentRun(TOWN, FIDELITY, "fidelity", "fidelity")
CPU = torch.device("cpu")


def make_trainer(
    folder: Path, config: AgentConfig = CONFIG, log: Callable[[str], None] = lambda _: None
) -> AgentTrainer:
    return AgentTrainer(folder, config, CPU, log=log)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one finished run."""
    folder = tmp_path_factory.mktemp("runs")
    assert train_agents(folder, CONFIG, device="cpu", runs=[RUN], log=lambda _: None) == []
    return folder


def test_runs_of_the_table() -> None:
    runs = agent_runs()
    names = [run.name for run in runs]
    assert len(set(names)) == len(names) == 2 * (2 * 5 + 3 * 2)
    assert names[:4] == ["r2r-goal-0", "r2r-fidelity-0", "r4r-goal-0", "r4r-fidelity-0"]
    assert {"r4r-fidelity-4", "r2r-imitation-1", "r4r-sdtw-0", "r2r-cls-1"} <= set(names)
    configs = {run.name: AgentConfig().training(run) for run in runs}
    assert configs["r4r-goal-0"].reward == "goal" and configs["r4r-sdtw-0"].imitation == 0.5
    assert configs["r2r-imitation-0"].imitation == 1.0
    assert {run.task.evaluation for run in runs} == {"r2r/val_unseen", "r4r/val_unseen"}


def test_held_out_walks_are_along_routes_of_their_own() -> None:
    walks = build_panoramic_walks(load("town/dev"))
    twice = walks.subset(np.repeat(np.arange(len(walks)), 2))
    training, held_out = hold_out(twice, 0.1, 1000)
    assert len(held_out) == 20 and len(training) == 180
    assert not {twice.routes[k] for k in training} & {twice.routes[k] for k in held_out}
    assert set(hold_out(twice, 0.1, 7)[1]) < set(held_out) and len(hold_out(twice, 0.1, 7)[1]) == 7
    worlds = tuple("a" if k < 150 else "b" for k in range(len(twice)))
    training, held_out = hold_out(replace(twice, worlds=worlds), 0.05, 1000)
    assert len({worlds[k] for k in training}) == len({worlds[k] for k in held_out}) == 1
    with pytest.raises(InputError, match="at least two routes"):
        hold_out(walks.subset(np.zeros(3, np.int64)), 0.1, 5)


def same_results(a: AgentWalks, b: AgentWalks) -> bool:
    history = [[{k: row[k] for k in row if k != "seconds"} for row in one.history] for one in (a, b)]
    same = a.places.lengths.tolist() == b.places.lengths.tolist() and (a.places.points == b.places.points).all()
    return bool(same) and a.ids == b.ids and history[0] == history[1]


@pytest.mark.slow
def test_a_killed_run_is_resumed_with_the_same_result(finished: Path, tmp_path: Path) -> None:
    def kill(line: str) -> None:
        if "epoch 2" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_trainer(tmp_path, log=kill).train(RUN, 10.0)
    assert not (tmp_path / "walks").exists() and (tmp_path / RUN.name / "last.pt").exists()
    assert make_trainer(tmp_path).train(RUN, 10.0)
    (one,), (other,) = read_walks_folder(finished), read_walks_folder(tmp_path)
    assert same_results(one, other) and len(one.history) == 2
    assert one.metadata["walks"] == 16 and one.metadata["updates"] == 4 and len(one) == 8


def test_a_call_that_has_no_time_is_left(tmp_path: Path) -> None:
    lines: list[str] = []
    runs = [RUN, replace(RUN, system=GOAL, word="goal", reward="goal")]
    call: dict[str, Any] = {"device": "cpu", "runs": runs, "log": lines.append}
    assert train_agents(tmp_path, CONFIG, minutes=0.0, **call) == ["town-fidelity-0", "town-goal-0"]
    with file_lock(tmp_path / "locks" / RUN.name):  # another process trains it
        assert train_agents(tmp_path, CONFIG, only=["town-fidelity-0"], **call) == ["town-fidelity-0"]
    assert not (tmp_path / RUN.name).exists()
    pickle.dumps((AgentTrainer, CONFIG, runs))  # for processes


def test_a_signal_ends_the_whole_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    runs = [RUN, replace(RUN, seed=1)]
    monkeypatch.setattr(AgentTrainer, "train_network", lambda *_: False)  # as after SIGTERM
    assert make_trainer(tmp_path, log=lines.append).train_all(runs, 10.0) == runs
    assert lines == ["town-fidelity-0: training"]


def test_a_finished_run_has_its_settings(finished: Path) -> None:
    assert make_trainer(finished).is_done(RUN)
    others = {"epochs": replace(CONFIG, epochs=3), "learning_rate": replace(CONFIG, learning_rate=0.02)}
    for name, config in {**others, "train_size": replace(CONFIG, train_size=12)}.items():
        with pytest.raises(InputError, match=f"{name} .*as in this folder's training"):
            make_trainer(finished, config).train(RUN, 10.0)
    with pytest.raises(InputError, match=r"runs: .*, got 'r2r-goal-9'|r2r-goal-9"):
        train_agents(finished, CONFIG, device="cpu", only=["r2r-goal-9"])


def test_saved_walks_are_those_of_the_agent(finished: Path) -> None:
    (saved,) = read_walks_folder(finished)
    graphs = {name: open_world(name) for name in saved.worlds}
    theirs = {trace.episode: trace for trace in evaluate(str(finished / RUN.name / "best.pt"), "town/dev", limit=30)}
    compared = 0
    for ours in saved.traces(graphs):
        if ours.episode in theirs:
            (leg,), (other,) = ours.legs, theirs[ours.episode].legs
            steps = min(len(leg.path), len(other.path))  # the environment has a horizon of its own
            assert leg.path[:steps] == other.path[:steps] and leg.actions[: steps - 1] == other.actions[: steps - 1]
            if leg.actions[-1:] == ("stop",) and len(leg.path) <= len(other.path):
                assert (leg.path, leg.actions) == (other.path, other.actions)
            compared += 1
    assert compared >= 2


def test_options_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def record(*arguments: Any, **options: Any) -> list[str]:
        calls.append((arguments, options))
        return ["r4r-goal-0"]

    monkeypatch.setattr("bearleft.experiments.ndtw.agents.train.train_agents", record)
    options = (
        "--only r4r-goal-0,r2r-cls-1 --minutes 3 --device cpu --epochs 4 --epoch-size 100 --data mine --select nDTW"
    )
    options += " --eval-size 7 --processes 3 --set hidden_dim=64 --learning-rate 0.001"
    result = CliRunner().invoke(cli, ["paper", "ndtw", "--train", str(tmp_path), *options.split()])
    assert result.exit_code == 0 and "left: r4r-goal-0" in result.output
    ((folder, config), call) = calls[0]
    assert folder == str(tmp_path)
    expected = AgentConfig(4, 100, learning_rate=0.001, select="nDTW", eval_size=7, overrides={"hidden_dim": 64})
    assert config == expected
    call.pop("log")
    only = ("r4r-goal-0", "r2r-cls-1")
    assert call == {"data": "mine", "device": "cpu", "minutes": 3.0, "only": only, "processes": 3}


@pytest.mark.slow
def test_imitation_on_real_walks(real_data: Path, tmp_path: Path) -> None:
    run = AgentRun(R2R, IMITATION, "imitation", "fidelity", imitation=1.0)
    trainer = AgentTrainer(tmp_path, replace(CONFIG, epochs=1), CPU, data=real_data, log=lambda _: None)
    assert trainer.train(run, 10.0)
    inputs = trainer.inputs(R2R)
    assert not set(inputs.training.walks.worlds) & set(inputs.training.validation.worlds)
    assert not set(inputs.training.walks.worlds) & set(inputs.evaluation.worlds)
    (saved,) = read_walks_folder(tmp_path)
    assert (saved.system, saved.dataset, len(saved)) == (IMITATION, "r2r/val_unseen", 8)
    assert saved.history[0]["return"] == 0.0  # no walk of its own
