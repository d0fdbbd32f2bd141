"""HOGWILD! training: clients share the weights, can be killed and resumed, and one client is a plain loop."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.walking.examples import NO_LABEL, StepReader, WalkTable, steps_along  # noqa: E402
from bearleft.models.walking.network import WalkShape  # noqa: E402
from bearleft.training.distributed import ProcessGroup  # noqa: E402
from bearleft.training.history import TIMED, TrainProgress, no_report, read_history  # noqa: E402
from bearleft.training.run import Pause  # noqa: E402
from bearleft.training.state import load_state  # noqa: E402
from bearleft.training.walking.batches import epoch_order  # noqa: E402
from bearleft.training.walking.config import WalkTrainConfig  # noqa: E402
from bearleft.training.walking.hogwild import HogwildTrainer  # noqa: E402
from bearleft.training.walking.loop import BAD_BATCH, make_tokenizer  # noqa: E402
from bearleft.training.walking.train import WalkInputs, train_walker  # noqa: E402
from tests.training.walking.synthetic_walks import SMALL, make_task  # noqa: E402
from tests.training.walking.test_learning import check_beats_shuffled  # noqa: E402
from tests.training.walking.turn_task import misleading_seed, turn_config  # noqa: E402

CONFIG = WalkTrainConfig("rconcat", epochs=2, clients=1, learning_rate=0.003, horizon=12, overrides=SMALL)

# A network with subwords, which are drawn again in every epoch, dropout, weight decay and clipped gradients.
SUBWORDS = replace(CONFIG, network="orar", overrides={"word_dim": 8, "hidden_dim": 8, "image": False})


@pytest.fixture(scope="module")
def task() -> WalkInputs:
    return make_task()


def make_trainer(config: WalkTrainConfig, task: WalkInputs, folder: Path, report: Any = no_report) -> HogwildTrainer:
    return HogwildTrainer(
        config, task.walks, task.validation, task.table, task.views, ProcessGroup(), folder, report, None, task.slicing
    )


def curve(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in TIMED} for row in rows]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def pause_after(trainer: HogwildTrainer, updates: int, pause: Pause = Pause.MINUTES) -> Callable[[], Pause]:
    return lambda: pause if int(trainer.client_updates.sum()) >= updates else Pause.NO


def plain_loop(config: WalkTrainConfig, task: WalkInputs, epochs: int) -> tuple[dict[str, Any], list[float]]:
    """Return the weights and the losses of epochs, one walk after the other, written without the trainer."""
    walks, spec = task.walks, config.spec
    tokenizer = make_tokenizer(walks, False)
    examples = WalkTable.build(walks, task.table, tokenizer)
    shape = WalkShape(len(tokenizer), task.slicing.rows)
    network = spec.build(spec.make_config({"shape": shape, **config.overrides}), config.seed).train()
    reader = StepReader.make(network, task.table.places, task.views, task.table.device)
    adam = torch.optim.Adam(network.parameters(), config.resolved()["learning_rate"])
    losses = []
    for epoch in range(epochs):
        total = 0.0
        for k in epoch_order(len(walks), config.seed, epoch, len(walks)).tolist():
            length = int((walks.actions[k] != NO_LABEL).sum())
            states, actions = examples.states[k : k + 1, :length], examples.actions[k : k + 1, :length]
            text = examples.encode(network, torch.tensor([k]), examples.max_length(torch.tensor([k])))
            policy = network(text, steps_along(reader, task.table, states, actions))
            loss = -policy.log_probs[0, torch.arange(length), actions[0]].sum() / length
            adam.zero_grad()
            loss.backward()
            adam.step()
            total += float(loss.detach())
        losses.append(total / len(walks))
    return network.state_dict(), losses


@pytest.mark.slow
def test_one_client_is_a_plain_loop(task: WalkInputs, tmp_path: Path) -> None:
    trainer = make_trainer(CONFIG, task, tmp_path)
    for _ in range(2):
        assert trainer.run_epoch(lambda: Pause.NO) == Pause.NO
    weights, losses = plain_loop(CONFIG, task, 2)
    torch.testing.assert_close(trainer.network.state_dict(), weights, rtol=0, atol=0)
    assert [row["loss"] for row in trainer.history] == pytest.approx(losses, rel=1e-6)
    assert losses[1] < losses[0]


def test_clients_weight_the_first_action_as_batches_do(task: WalkInputs, tmp_path: Path) -> None:
    """The loss of a client's update, and the weights after it, are those of the weighted mean over a walk."""
    small = {"word_dim": 8, "dim": 8, "layers": 1, "heads": 2, "image": False, "dropout": 0.0, "word_dropout": 0.0}
    config = replace(CONFIG, network="compass", forcing="teacher", overrides=small)
    blind = replace(task, views=None)
    trainer, other = (make_trainer(config, blind, tmp_path) for _ in range(2))
    start_weight = config.spec.start_weight
    assert start_weight > 1
    with trainer.open_clients() as clients:
        [part] = trainer.parts()
        clients.run(0, [part[:1]])
    walk = int(part[0, 0])
    length = int((task.walks.actions[walk] != NO_LABEL).sum())
    states, actions = (x[walk : walk + 1, :length] for x in (other.examples.states, other.examples.actions))
    other.network.train()
    indices = torch.tensor([walk])
    text = other.examples.encode(other.network, indices, other.examples.max_length(indices))
    log_probs = other.network(text, steps_along(other.reader, task.table, states, actions)).log_probs
    taken = log_probs[0, torch.arange(length), actions[0]]
    loss = -(start_weight * taken[0] + taken[1:].sum()) / (start_weight + length - 1)
    assert float(trainer.losses[0]) == pytest.approx(loss.item(), rel=1e-5)
    assert loss.item() != pytest.approx(-taken.mean().item(), rel=1e-3)  # the weight matters
    loss.backward()
    torch.nn.utils.clip_grad_norm_(other.network.parameters(), config.spec.max_grad_norm)
    other.optimizer.step()
    torch.testing.assert_close(trainer.network.state_dict(), other.network.state_dict(), rtol=1e-4, atol=1e-6)


@pytest.mark.slow
def test_clients_share_weights_and_parts(task: WalkInputs, tmp_path: Path) -> None:
    """With two clients the loss falls, every walk is taken once, and the weights change within their own parts."""
    config, reports = replace(CONFIG, clients=2, epochs=3), list[TrainProgress]()
    trainer = make_trainer(config, task, tmp_path, reports.append)
    parts = [part[:, 0] for part in trainer.parts()]
    assert sorted(torch.cat(parts).tolist()) == list(range(len(task.walks)))
    assert [set((part % 2).tolist()) for part in parts] == [{0}, {1}]
    with trainer.open_clients() as clients:
        before = trainer.shared.values.clone()
        nothing = torch.zeros(0, 2, dtype=torch.int64)
        steps = []
        for number in range(2):
            own = [nothing, nothing]
            own[number] = trainer.parts()[number]
            clients.run(0, own)
            steps.append(trainer.shared.steps.tolist())
            for row in range(3):  # parameters and moments
                assert not torch.equal(trainer.shared.values[row], before[row])
            before = trainer.shared.values.clone()
    assert trainer.client_updates.tolist() == [12, 12]
    assert set(steps[0]) == {12.0} and set(steps[1]) == {24.0}  # the second goes on where the first ended
    assert torch.equal(
        next(trainer.network.parameters()).flatten(),
        trainer.shared.values[0, : SMALL["word_dim"] * len(trainer.tokenizer)],
    )
    trainer = make_trainer(config, task, tmp_path, reports.append)
    for _ in range(3):
        assert trainer.run_epoch(lambda: Pause.NO) == Pause.NO
    losses = [row["loss"] for row in trainer.history]
    assert losses[2] < losses[0] and trainer.ended
    numbers = [report.update for report in reports if not report.message]
    assert numbers.count(24) == 3 and all(report.loss > 0 for report in reports if not report.message)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("config", "first", "others"), [(CONFIG, 1, 11), (SUBWORDS, 30, 30)])
def test_resumed_run_has_the_same_curve(
    config: WalkTrainConfig, first: int, others: int, task: WalkInputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bearleft.training.walking.clients.POLL_SECONDS", 0.001)
    whole = train_walker(config, task, tmp_path / "whole")
    trainer = make_trainer(config, task, tmp_path)
    state: dict[str, Any] = {}
    done = 0
    while not trainer.ended:  # every pause is followed by another trainer, which knows only the state
        trainer = make_trainer(config, task, tmp_path)
        if state:
            trainer.resume(state, tmp_path)
        before = trainer.update
        updates = others if state else first
        trainer.run_epoch(pause_after(trainer, int(trainer.client_updates.sum()) + updates))
        assert trainer.update > before
        state, done = trainer.state(), done + 1
    assert done > (2 if first == 1 else 1)
    assert curve(trainer.history) == curve(whole.history)
    weights = [checkpoint.network.state_dict() for checkpoint in (trainer.checkpoint(), whole.checkpoint)]
    torch.testing.assert_close(*weights, rtol=0, atol=0)


@pytest.mark.slow
def test_clients_beat_shuffled_texts(tmp_path: Path) -> None:
    options = {"clients": 2, "batch_size": None, "learning_rate": 0.01, "epochs": 1, "examples_per_epoch": 240}
    check_beats_shuffled(turn_config("rconcat", seed=misleading_seed(), **options), tmp_path)


@pytest.mark.slow
def test_training_resumes_in_its_folder(task: WalkInputs, tmp_path: Path) -> None:
    config = replace(CONFIG, clients=2)
    assert train_walker(config, task, tmp_path, minutes=0).stopped == "minutes"
    result = train_walker(config, task, tmp_path)
    assert result.finished and [row["update"] for row in read_history(tmp_path)] == [24, 48]
    state = load_state(tmp_path, print)
    assert state is not None and state["client_updates"] == [0, 0]
    steps = [float(own["step"]) for own in state["optimizer"]["state"].values()]
    assert 24 < min(steps) <= max(steps) <= 48  # clients without locks may lose a few
    with pytest.raises(InputError, match="clients 2"):
        train_walker(CONFIG, task, tmp_path)


@pytest.mark.slow
def test_killed_client_is_named(task: WalkInputs, tmp_path: Path) -> None:
    trainer = make_trainer(replace(CONFIG, clients=2, examples_per_epoch=100_000), task, tmp_path)
    started: list[Any] = []
    true_open = trainer.open_clients

    def open_clients() -> Any:
        started.append(true_open())
        return started[0]

    trainer.open_clients = open_clients  # type: ignore[method-assign]
    pids: list[int] = []

    def kill_second() -> Pause:
        if started and started[0].processes and not pids and trainer.client_updates.sum() > 0:
            pids.extend(process.pid for process in started[0].processes)
            os.kill(pids[1], signal.SIGKILL)
        return Pause.NO

    with pytest.raises(InputError, match=r"client 2 \(process \d+\), which was killed by SIGKILL"):
        trainer.run_epoch(kill_second)
    assert len(pids) == 2 and not any(alive(pid) for pid in pids)


def test_clients_leave_ctrl_c_to_the_main_process(task: WalkInputs, tmp_path: Path) -> None:
    trainer = make_trainer(replace(CONFIG, clients=2), task, tmp_path)
    with trainer.open_clients() as clients:
        for process in clients.processes:
            os.kill(process.pid, signal.SIGINT)
        assert clients.run(0, trainer.parts(), lambda: Pause.NO) == Pause.NO
    assert int(trainer.client_updates.sum()) == len(task.walks)


def test_failing_client_shows_its_error(task: WalkInputs, tmp_path: Path) -> None:
    trainer = make_trainer(replace(CONFIG, clients=2), task, tmp_path)
    part = torch.tensor([[len(task.walks), 0]])
    with pytest.raises(RuntimeError, match=r"client 2 failed(?s:.*)Error"), trainer.open_clients() as clients:
        pids = [process.pid for process in clients.processes]
        clients.run(0, [part[:0], part])
    assert not any(alive(pid) for pid in pids)


@pytest.mark.slow
def test_clients_end_with_a_killed_main_process(tmp_path: Path) -> None:
    program = f"""
import os, signal, sys
from pathlib import Path
from bearleft.training.run import Pause
from tests.training.walking import test_hogwild as t
if __name__ == "__main__":
    config = t.replace(t.CONFIG, clients=2, examples_per_epoch=100_000)
    trainer = t.make_trainer(config, t.make_task(), Path({str(tmp_path)!r}))
    clients = trainer.open_clients()
    with clients:
        def die():
            if int(trainer.client_updates.min()):
                print(*(process.pid for process in clients.processes), flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            return Pause.NO
        clients.run(0, trainer.parts(), die)
"""
    path = tmp_path / "program.py"
    path.write_text(program)
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(["src", ".", os.environ.get("PYTHONPATH", "")]),
    }
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, cwd=root, env=environment, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2
    wait_until(lambda: not any(alive(pid) for pid in pids))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("clients", [1, 2])
def test_loss_that_is_not_finite_saves_the_batch(clients: int, task: WalkInputs, tmp_path: Path) -> None:
    config = replace(CONFIG, clients=clients)
    bad = 5
    views = make_task().views
    place = int(task.table.place[task.table.start_states[task.walks.starts[bad]]])
    views.values[place] = float("nan")  # type: ignore[union-attr]
    trainer = make_trainer(config, replace(task, views=views), tmp_path)
    with pytest.raises(InputError, match="a finite loss, got nan at update") as error:
        trainer.run_epoch(lambda: Pause.NO)
    assert BAD_BATCH in (error.value.hint or "")
    content = torch.load(tmp_path / BAD_BATCH, weights_only=False)
    assert content["epoch"] == 1 and len(content["ids"]) == 1 and content["texts"][0]
    assert np.isin(place, content["places"].numpy())
    trainer.check_weights()  # no client has used the gradient


def test_mistakes_are_named(task: WalkInputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="one walk per update"):
        WalkTrainConfig("rconcat", clients=6, batch_size=32)
    assert WalkTrainConfig("orar", clients=6).resolved()["learning_rate"] == 0.00025
    assert WalkTrainConfig("rconcat", clients=6).resolved()["batch_size"] == 1
    with pytest.raises(InputError, match="a single process"):
        HogwildTrainer(
            CONFIG,
            task.walks,
            task.validation,
            task.table,
            task.views,
            ProcessGroup(0, 2),
            tmp_path,
            no_report,
            None,
            task.slicing,
        )
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(InputError, match="of shared memory"):
        make_trainer(CONFIG, task, tmp_path)
