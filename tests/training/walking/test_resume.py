"""Training of walkers that is stopped, killed or distributed over processes has the result of an uninterrupted run."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.data import load  # noqa: E402
from bearleft.models.checkpoint import read_checkpoint  # noqa: E402
from bearleft.models.walking.cells import cell_dim  # noqa: E402
from bearleft.models.walking.checkpoint import WalkCheckpoint  # noqa: E402
from bearleft.models.walking.examples import build_walks, open_graphs  # noqa: E402
from bearleft.models.walking.network import BANDS, CELLS, SECTORS  # noqa: E402
from bearleft.models.walking.states import StateTable  # noqa: E402
from bearleft.training.distributed import ProcessGroup  # noqa: E402
from bearleft.training.history import no_report, read_history  # noqa: E402
from bearleft.training.inputs import TrainInputs  # noqa: E402
from bearleft.training.run import Pause  # noqa: E402
from bearleft.training.walking import train as walking_train  # noqa: E402
from bearleft.training.walking.config import WalkTrainConfig  # noqa: E402
from bearleft.training.walking.loop import WalkTrainer  # noqa: E402
from bearleft.training.walking.train import WalkInputs, train_walker  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.training.child_processes import run_killed, run_shared  # noqa: E402
from tests.training.walking.turn_task import SMALL, turn_config, turn_task, without_times  # noqa: E402

SHORT: dict[str, Any] = {"epochs": 4, "examples_per_epoch": 60, "learning_rate": 0.005}
CONFIGS = {
    "teacher": turn_config("rconcat", **SHORT),
    "mixed": turn_config("compass", forcing="mixed", **SHORT),
    "dagger": turn_config("orar", forcing="dagger", **SHORT),
}
# Of 25 walks, the last batch has one. Adam makes a full step even if a gradient consists of rounding errors only.
SHARED = WalkTrainConfig(
    "rconcat", epochs=2, batch_size=8, learning_rate=1e-4, horizon=16, forcing="mixed", overrides=SMALL["rconcat"]
)


def shared_task() -> WalkInputs:
    """Return walks of many lengths."""
    walks = build_walks(load("city/touchdown/small")[:30], SHARED.horizon)
    table = StateTable.build(open_graphs(walks.worlds), walks.starts, torch.device("cpu"))
    return WalkInputs(walks.subset(np.arange(25)), walks.subset(np.arange(25, 30)), table, None, None, Slicing())


def make_trainer(config: WalkTrainConfig, task: WalkInputs, folder: Path) -> WalkTrainer:
    return WalkTrainer(
        config, task.walks, task.validation, task.table, None, ProcessGroup(), folder, no_report, None, task.slicing
    )


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folder of an uninterrupted run of each forcing."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    for name, config in CONFIGS.items():
        train_walker(config, turn_task(), folder / name)
    return {name: folder / name for name in CONFIGS}


def train_children(folder: Path, rng: random.Random) -> None:
    """Train in two processes, one of which has no walks in the last update; then kill a run of each forcing."""
    inputs = shared_task()
    assert inputs.table.distances is not None  # computed by threads, which a forked process does not have
    run_shared(lambda: train_walker(SHARED, inputs, folder / "shared"))
    inputs = turn_task()
    assert inputs.table.distances is not None
    for forcing, config in CONFIGS.items():
        run_killed(lambda config=config, name=forcing: train_walker(config, inputs, folder / name), rng)  # type: ignore[misc]


@pytest.fixture(scope="module")
def children(run_children: Callable[[str], Path]) -> Path:
    return run_children(__name__)


def check_equal(first: Path, second: Path) -> None:
    """Check that two folders have the same weights, optimizer states, own walks and history, bit by bit."""
    states = [read_checkpoint(folder / "last.pt", kind="training") for folder in (first, second)]
    assert without_times(read_history(first)) == without_times(read_history(second))
    for name in ("weights", "optimizer", "best", "losses", "own_walks", "epochs_without_best", "epochs_done"):
        torch.testing.assert_close(states[0][name], states[1][name], rtol=0, atol=0)
    best = [WalkCheckpoint.load(folder / "best.pt").network.state_dict() for folder in (first, second)]
    torch.testing.assert_close(best[0], best[1], rtol=0, atol=0)


@pytest.mark.parametrize("forcing", CONFIGS)
def test_killed_run_resumes_to_the_same_weights_and_history(
    forcing: str, uninterrupted: dict[str, Path], children: Path
) -> None:
    check_equal(uninterrupted[forcing], children / forcing)


def pause_every(updates: int) -> Callable[[], Pause]:
    """Return a function that asks for a pause before the first update of a call, or after some."""
    calls = itertools.count()
    return lambda: Pause.MINUTES if next(calls) >= updates else Pause.NO


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("forcing", CONFIGS)
def test_a_run_that_pauses_anywhere_has_the_same_curve(
    forcing: str, uninterrupted: dict[str, Path], tmp_path: Path
) -> None:
    """Every pause, also one before the first update of an epoch, is followed by a trainer that knows the state only."""
    config, state, pauses, paused = CONFIGS[forcing], dict[str, Any](), 0, set[int]()
    while True:
        trainer = make_trainer(config, turn_task(), tmp_path)
        if state:
            trainer.resume(state, tmp_path)
        if trainer.ended:
            break
        updates = 2 if trainer.update in paused else 0
        paused.add(trainer.update)
        pauses += trainer.run_epoch(pause_every(updates)) != Pause.NO
        state = trainer.state()
    assert pauses > 8
    expected = read_checkpoint(uninterrupted[forcing] / "last.pt", kind="training")
    assert without_times(trainer.history) == without_times(expected["history"])
    for name in ("weights", "own_walks"):
        torch.testing.assert_close(state[name], expected[name], rtol=0, atol=0)


def test_networks_walk_in_the_second_half_of_the_epochs(uninterrupted: dict[str, Path]) -> None:
    """The walks of the last epoch are kept, with DAgger those of all; half of the examples are walked in each."""
    counts = {}
    for forcing, folder in uninterrupted.items():
        kept = read_checkpoint(folder / "last.pt", kind="training")["own_walks"]
        counts[forcing] = len(kept)
        for own in kept:
            walked = own["labels"][:, 0] != -1
            assert int(walked.sum()) == 40
            assert bool(((own["labels"] == -1) == (own["actions"] == -1))[walked].all())
            assert not bool((own["labels"][~walked] != -1).any())
    assert counts == {"teacher": 0, "mixed": 1, "dagger": 2}


@pytest.mark.slow
def test_a_time_limit_stops_and_resumes(uninterrupted: dict[str, Path], tmp_path: Path) -> None:
    stopped = train_walker(CONFIGS["mixed"], turn_task(), tmp_path, minutes=0)
    assert stopped.stopped == "minutes" and not stopped.finished and stopped.history == []
    result = train_walker(CONFIGS["mixed"], turn_task(), tmp_path)
    assert result.finished
    check_equal(uninterrupted["mixed"], tmp_path)
    reports: list[Any] = []
    again = train_walker(CONFIGS["mixed"], turn_task(), tmp_path, report=reports.append)
    assert again.history == result.history and not [report for report in reports if report.updates]


def test_two_processes_equal_one(children: Path, tmp_path: Path) -> None:
    """A batch has walks of different lengths, and each process only some of them."""
    train_walker(SHARED, shared_task(), tmp_path)
    single, shared = (
        read_checkpoint(folder / "last.pt", kind="training") for folder in (tmp_path, children / "shared")
    )
    torch.testing.assert_close(single["weights"], shared["weights"], rtol=0, atol=2e-6)
    for k, own in single["optimizer"]["state"].items():
        torch.testing.assert_close(own["exp_avg"], shared["optimizer"]["state"][k]["exp_avg"], rtol=1e-3, atol=1e-6)
    for one, two in zip(read_history(tmp_path), read_history(children / "shared"), strict=True):
        assert one["SPD"] == two["SPD"] and two["loss"] == pytest.approx(one["loss"], abs=1e-5)


class BlankCells:
    """Cells that show nothing; only their kind and shape count."""

    kind = CELLS

    def __init__(self, channels: int) -> None:
        self.shape = SECTORS, BANDS, channels

    def prepare(self, places: Any, headings: Any, progress: Any = None) -> None:
        """Do nothing: all are there."""

    def __call__(self, places: Any, headings: Any) -> Any:
        return torch.zeros(*places.shape, *self.shape)


def test_a_network_that_sees_cells_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is checked before views are computed, and again by the trainer."""

    def open_views(_kind: str, _places: Any, backbone: Any, *_: Any) -> BlankCells:
        return BlankCells(cell_dim(backbone))

    monkeypatch.setattr(walking_train, "open_views", open_views)
    small = {"word_dim": 4, "dim": 8, "layers": 1, "heads": 2}
    config = WalkTrainConfig("compass", epochs=1, batch_size=4, horizon=8, forcing="teacher", overrides=small)
    inputs = TrainInputs("town/dev", limit=8)
    for _ in range(2):
        assert walking_train.train_on_dataset(config, inputs, tmp_path, minutes=0).stopped == "minutes"
