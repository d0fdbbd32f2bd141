"""Training that is stopped or killed has the result of an uninterrupted run; collapsed policies give a clear error."""

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
from bearleft.training.distributed import ProcessGroup  # noqa: E402
from bearleft.training.history import no_report, read_history  # noqa: E402
from bearleft.training.reinforcement import actor_critic  # noqa: E402
from bearleft.training.reinforcement.config import ReinforceConfig  # noqa: E402
from bearleft.training.reinforcement.loop import ReinforceTrainer  # noqa: E402
from bearleft.training.reinforcement.train import train_panoramic  # noqa: E402
from bearleft.training.run import Pause  # noqa: E402
from tests.training.child_processes import run_killed, run_shared  # noqa: E402
from tests.training.reinforcement.turns import SMALL, turns, turns_config  # noqa: E402
from tests.training.walking.test_resume import pause_every  # noqa: E402
from tests.training.walking.turn_task import without_times  # noqa: E402

CONFIG = turns_config(examples_per_epoch=50, batch_size=20, overrides={**SMALL, "dropout": 0.1}, decay_updates=2)
# By references alone, so that nothing is drawn. Of 41 walks, the last batch has one.
SHARED = turns_config(imitation=1.0, epochs=2, examples_per_epoch=41, batch_size=20, learning_rate=1e-4)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    train_panoramic(CONFIG, turns(), folder)
    return folder


def check_equal(first: Path, second: Path) -> None:
    """Check that two folders have the same weights, optimizer states and history, bit by bit."""
    states = [read_checkpoint(folder / "last.pt", kind="training") for folder in (first, second)]
    assert without_times(read_history(first)) == without_times(read_history(second))
    for name in ("weights", "optimizer", "best", "statistics", "epochs_without_best", "epochs_done"):
        torch.testing.assert_close(states[0][name], states[1][name], rtol=0, atol=0)
    best = [read_checkpoint(folder / "best.pt", kind="panoramic")["weights"] for folder in (first, second)]
    torch.testing.assert_close(best[0], best[1], rtol=0, atol=0)


def train_children(folder: Path, rng: random.Random) -> None:
    """Train in two processes, then kill a run."""
    run_shared(lambda: train_panoramic(SHARED, turns(), folder / "shared"))
    run_killed(lambda: train_panoramic(CONFIG, turns(), folder / "killed"), rng)


@pytest.fixture(scope="module")
def children(run_children: Callable[[str], Path]) -> Path:
    return run_children(__name__)


@pytest.mark.slow
def test_two_processes_that_imitate_equal_one(children: Path, tmp_path: Path) -> None:
    """One of them has no walk in the last update."""
    train_panoramic(SHARED, turns(), tmp_path)
    single, shared = (read_checkpoint(path / "last.pt", kind="training") for path in (tmp_path, children / "shared"))
    torch.testing.assert_close(single["weights"], shared["weights"], rtol=0, atol=2e-6)
    for one, two in zip(single["history"], shared["history"], strict=True):
        assert two["nDTW"] == pytest.approx(one["nDTW"]) and two["loss"] == pytest.approx(one["loss"], abs=1e-5)


def test_a_killed_run_resumes_to_the_same_weights_and_history(uninterrupted: Path, children: Path) -> None:
    check_equal(uninterrupted, children / "killed")


def make_trainer(config: ReinforceConfig, folder: Path) -> ReinforceTrainer:
    inputs = turns()
    return ReinforceTrainer(config, inputs.walks, inputs.validation, inputs.links, ProcessGroup(), folder, no_report)


def test_a_run_that_pauses_anywhere_has_the_same_curve(uninterrupted: Path, tmp_path: Path) -> None:
    state, pauses, paused = dict[str, Any](), 0, set[int]()
    while True:
        trainer = make_trainer(CONFIG, tmp_path)
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
    torch.testing.assert_close(state["weights"], expected["weights"], rtol=0, atol=0)


def test_a_time_limit_stops_and_resumes(uninterrupted: Path, tmp_path: Path) -> None:
    stopped = train_panoramic(CONFIG, turns(), tmp_path, minutes=0)
    assert stopped.stopped == "minutes" and not stopped.finished and stopped.history == []
    assert train_panoramic(CONFIG, turns(), tmp_path).finished
    check_equal(uninterrupted, tmp_path)


def test_the_rate_decays_in_steps(uninterrupted: Path) -> None:
    rates = [row["rate"] for row in read_history(uninterrupted)]
    assert rates == pytest.approx([0.01 * 0.8 ** (update // 2) for update in (3, 6, 9)])


CHANGES: list[dict[str, Any]] = [
    {"reward": "goal"},
    {"seed": 1},
    {"discount": 0.9},
    {"imitation": 0.25},
    {"overrides": {**SMALL, "hidden_dim": 16}},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_resuming_with_other_settings_is_refused(change: dict[str, Any], uninterrupted: Path) -> None:
    with pytest.raises(InputError, match=f"field {next(iter(change))}: .*as in this folder's training"):
        train_panoramic(replace(CONFIG, **change), turns(), uninterrupted)


def test_resuming_with_other_walks_is_refused(uninterrupted: Path) -> None:
    inputs = turns()
    texts = [*inputs.walks.texts[:-1], "another text"]
    with pytest.raises(InputError, match="the examples that training in this folder began with"):
        train_panoramic(CONFIG, replace(inputs, walks=inputs.walks.with_texts(texts)), uninterrupted)


COLLAPSES: dict[str, tuple[str, float, str, str]] = {
    "entropy": ("MIN_ENTROPY", 100.0, "a mean entropy of at least 100, got", "--entropy-weight"),
    "value": ("MAX_VALUE", 1e-9, "a mean value of at most 1e-09, got", "--learning-rate"),
    "gradient": ("MAX_GRADIENT", 1e-9, "a mean gradient of at most 1e-09, got", "--max-grad-norm"),
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", COLLAPSES)
def test_a_collapsed_policy_ends_with_a_clear_error(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train_panoramic(replace(CONFIG, epochs=1), turns(), tmp_path)
    limit, value, message, option = COLLAPSES[name]
    monkeypatch.setattr(actor_critic, limit, value)
    with pytest.raises(InputError, match=f"{message} .*: the policy collapsed before update 6, learning") as error:
        train_panoramic(replace(CONFIG, epochs=2), turns(), tmp_path)
    assert option in error.value.hint and f"The last good state is {tmp_path / 'last.pt'}" in error.value.hint
    assert read_checkpoint(tmp_path / "last.pt", kind="training")["epochs_done"] == 1


def test_a_policy_that_is_certain_has_collapsed(tmp_path: Path) -> None:
    """A network whose scores are far apart has no entropy left."""
    trainer = make_trainer(replace(CONFIG, learning_rate=1e-9), tmp_path)
    with torch.no_grad():
        trainer.network.choice.weight.mul_(1e9)
        trainer.network.choice.bias.mul_(1e9)
    with pytest.raises(InputError, match="a mean entropy of at least 1e-06"):
        trainer.run_epoch(lambda: Pause.NO)


def test_a_loss_that_is_not_finite_is_named(tmp_path: Path) -> None:
    trainer = make_trainer(CONFIG, tmp_path)
    with torch.no_grad():
        trainer.network.value.bias.fill_(float("nan"))
    with pytest.raises(InputError, match=r"a finite loss, got nan at update 1, learning rate 0\.01"):
        trainer.run_epoch(lambda: Pause.NO)
    with pytest.raises(InputError, match="weights that are not finite"):
        trainer.check_weights()


def test_invalid_configs_raise() -> None:
    for change in (
        {"reward": "fidelty"},
        {"select": "CLS"},
        {"epochs": 0},
        {"learning_rate": -1.0},
        {"imitation": 1.5},
        {"discount": -0.1},
        {"entropy_weight": -1.0},
        {"validation_share": 1.0},
        {"horizon": 0},
        {"overrides": {"shape": 3}},
    ):
        with pytest.raises(InputError):
            replace(CONFIG, **change)
