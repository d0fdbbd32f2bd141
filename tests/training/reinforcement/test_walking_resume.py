"""Walking networks in training by rewards: stopped, killed or shared runs have the result of an uninterrupted one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.checkpoint import read_checkpoint  # noqa: E402
from bearleft.models.walking.checkpoint import WalkCheckpoint  # noqa: E402
from bearleft.training.history import read_history  # noqa: E402
from bearleft.training.reinforcement import actor_critic  # noqa: E402
from bearleft.training.reinforcement.config import WalkReinforceConfig  # noqa: E402
from bearleft.training.run import Pause  # noqa: E402
from bearleft.training.walking.train import train_walker  # noqa: E402
from tests.training.child_processes import run_killed, run_shared  # noqa: E402
from tests.training.reinforcement.test_walking_updates import make_trainer  # noqa: E402
from tests.training.walking.test_resume import pause_every  # noqa: E402
from tests.training.walking.turn_task import HORIZON, SMALL, turn_task, without_times  # noqa: E402

OPTIONS: dict[str, Any] = {"epochs": 3, "examples_per_epoch": 50, "batch_size": 20, "decay_updates": 2}
OPTIONS |= {"overrides": {**SMALL["compass"], "dropout": 0.1}, "learning_rate": 0.01, "horizon": HORIZON}
CONFIG = WalkReinforceConfig("compass", **OPTIONS)
# By references alone, so that nothing is drawn. Of 41 walks, the last batch has one.
SHARED = WalkReinforceConfig(
    "rconcat",
    epochs=2,
    examples_per_epoch=41,
    batch_size=20,
    learning_rate=1e-4,
    horizon=HORIZON,
    imitation=1.0,
    overrides=SMALL["rconcat"],
)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    train_walker(CONFIG, turn_task(), folder)
    return folder


def train_children(folder: Path, rng: random.Random) -> None:
    """Train in two processes, then kill a run."""
    run_shared(lambda: train_walker(SHARED, turn_task(), folder / "shared"))
    run_killed(lambda: train_walker(CONFIG, turn_task(), folder / "killed"), rng)


@pytest.fixture(scope="module")
def children(run_children: Callable[[str], Path]) -> Path:
    return run_children(__name__)


def check_equal(first: Path, second: Path) -> None:
    """Check that two folders have the same weights, optimizer states and history, bit by bit."""
    states = [read_checkpoint(folder / "last.pt", kind="training") for folder in (first, second)]
    assert without_times(read_history(first)) == without_times(read_history(second))
    for name in ("weights", "value", "optimizer", "best", "statistics", "epochs_without_best", "epochs_done"):
        torch.testing.assert_close(states[0][name], states[1][name], rtol=0, atol=0)
    best = [WalkCheckpoint.load(folder / "best.pt").network.state_dict() for folder in (first, second)]
    torch.testing.assert_close(best[0], best[1], rtol=0, atol=0)


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_weights_and_history(uninterrupted: Path, children: Path) -> None:
    check_equal(uninterrupted, children / "killed")


def test_two_processes_that_imitate_equal_one(children: Path, tmp_path: Path) -> None:
    """One of them has no walk in the last update."""
    train_walker(SHARED, turn_task(), tmp_path)
    single, shared = (read_checkpoint(path / "last.pt", kind="training") for path in (tmp_path, children / "shared"))
    torch.testing.assert_close(single["weights"], shared["weights"], rtol=0, atol=2e-6)
    for one, two in zip(single["history"], shared["history"], strict=True):
        assert two["SPD"] == one["SPD"] and two["loss"] == pytest.approx(one["loss"], abs=1e-5)


@pytest.mark.slow
def test_a_run_that_pauses_anywhere_has_the_same_curve(uninterrupted: Path, tmp_path: Path) -> None:
    state, pauses, paused = dict[str, Any](), 0, set[int]()
    while True:
        trainer = make_trainer("compass", **OPTIONS)
        if state:
            trainer.resume(state, tmp_path)
        if trainer.ended:
            break
        updates = 2 if trainer.update in paused else 0
        paused.add(trainer.update)
        pauses += trainer.run_epoch(pause_every(updates)) != Pause.NO
        state = trainer.state()
    assert pauses > 8
    expected = read_checkpoint(uninterrupted / "last.pt", kind="training")
    assert without_times(trainer.history) == without_times(expected["history"])
    for name in ("weights", "value"):
        torch.testing.assert_close(state[name], expected[name], rtol=0, atol=0)


@pytest.mark.slow
def test_a_time_limit_stops_and_resumes(uninterrupted: Path, tmp_path: Path) -> None:
    stopped = train_walker(CONFIG, turn_task(), tmp_path, minutes=0)
    assert stopped.stopped == "minutes" and stopped.history == []
    assert train_walker(CONFIG, turn_task(), tmp_path).finished
    check_equal(uninterrupted, tmp_path)


def test_the_history_of_a_run(uninterrupted: Path) -> None:
    """The rate decays in steps; the best epoch is the one with the highest SDTW."""
    rows = read_history(uninterrupted)
    assert [row["rate"] for row in rows] == pytest.approx([0.01 * 0.8 ** (update // 2) for update in (2, 5, 8)])
    assert {"loss", "return", "entropy", "nDTW", "SDTW", "SPD", "TC"} <= rows[0].keys()
    checkpoint = WalkCheckpoint.load(uninterrupted / "best.pt")
    assert checkpoint.training_info["SDTW"] == max(row["SDTW"] for row in rows)
    assert checkpoint.training_info["train_config"]["reward"] == "fidelity"


def test_the_best_epoch_can_be_that_of_the_least_spd() -> None:
    rows: list[dict[str, Any]] = [{"SDTW": 0.5, "SPD": 3.0}, {"SDTW": 0.6, "SPD": 4.0}]
    for select, expected in (("SDTW", True), ("SPD", False)):
        trainer = make_trainer("rconcat", select=select)
        assert trainer.is_better(rows[1], rows[0]) is expected and trainer.is_better(rows[0], rows[1]) is not expected


CHANGES: list[dict[str, Any]] = [{"reward": "goal"}, {"discount": 0.9}, {"imitation": 0.25}, {"select": "SPD"}]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_resuming_with_other_settings_is_refused(change: dict[str, Any], uninterrupted: Path) -> None:
    with pytest.raises(InputError, match=f"field {next(iter(change))}: .*as in this folder's training"):
        train_walker(replace(CONFIG, **change), turn_task(), uninterrupted)


def test_a_collapsed_policy_ends_with_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train_walker(replace(CONFIG, epochs=1), turn_task(), tmp_path)
    monkeypatch.setattr(actor_critic, "MIN_ENTROPY", 100.0)
    message = "a mean entropy of at least 100, got .*: the policy collapsed before update 6, learning"
    with pytest.raises(InputError, match=message) as error:
        train_walker(replace(CONFIG, epochs=2), turn_task(), tmp_path)
    assert f"The last good state is {tmp_path / 'last.pt'}" in error.value.hint
    assert read_checkpoint(tmp_path / "last.pt", kind="training")["epochs_done"] == 1


def test_a_loss_that_is_not_finite_is_named() -> None:
    trainer = make_trainer("compass")
    with torch.no_grad():
        trainer.value.bias.fill_(float("nan"))
    with pytest.raises(InputError, match=r"a finite loss, got nan at update 1, learning rate 0\.01"):
        trainer.run_epoch(lambda: Pause.NO)
    with pytest.raises(InputError, match="weights that are not finite"):
        trainer.check_weights()


def test_invalid_configs_raise() -> None:
    for change in (
        {"reward": "fidelty"},
        {"select": "nDTW"},
        {"forcing": "mixed"},
        {"clients": 2, "batch_size": None},
        {"temperature": 0.0},
        {"imitation": 1.5},
        {"horizon": 0},
    ):
        with pytest.raises(InputError):
            replace(CONFIG, **change)
