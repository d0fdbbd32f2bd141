"""Processes of HOGWILD! training: what they share, what a client does, and how the main process watches over them.

Weights, Adam's state, losses and counts of updates lie in shared memory; walks and views are files that every client
maps into memory. The processes are forked by a server that has imported this module and has computed nothing yet, so
that they start at once, and neither threads nor a GPU's context of the main process get in their way.
"""

from __future__ import annotations

import math
import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
import torch.multiprocessing as torch_multiprocessing
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.walking.examples import NO_LABEL, StepReader, WalkTable
from bearleft.models.walking.network import WalkNetwork
from bearleft.training.pointing.loop import update_seed
from bearleft.training.run import Pause
from bearleft.training.state import describe_last_state
from bearleft.training.walking.config import WalkTrainConfig
from bearleft.training.walking.loop import make_optimizer
from bearleft.training.walking.losses import imitation_loss

POLL_SECONDS = 0.1  # between two looks at the clients
END_SECONDS = 2.0  # until a client that is told to end is killed
ALIGNMENT = 16  # values between the beginnings of parameters are a multiple, as if each had its own memory
MOMENTS = ("exp_avg", "exp_avg_sq")
READY, DONE, DIVERGED, FAILED = "ready", "done", "diverged", "failed"  # what clients say
STOP = None  # what they are told


@dataclass(frozen=True, eq=False)
class SharedWeights:
    """The parameters of a network and the state of its Adam in shared memory."""

    values: Tensor  # (3, n): parameters and both moments, one parameter after the other
    steps: Tensor  # by parameter

    @classmethod
    def allocate(cls, network: WalkNetwork) -> SharedWeights:
        """Return memory for a network, without its values yet."""
        spans = list(_spans(network))
        values = torch.zeros(1 + len(MOMENTS), spans[-1].stop).share_memory_()  # type: ignore[no-untyped-call]
        return cls(values, torch.zeros(len(spans)).share_memory_())  # type: ignore[no-untyped-call]

    def attach(self, network: WalkNetwork, optimizer: torch.optim.Optimizer) -> None:
        """Move the values of a network and its optimizer here; from then on both use this memory."""
        for k, (parameter, span) in enumerate(zip(network.parameters(), _spans(network), strict=True)):
            state = optimizer.state.get(parameter, {})
            self.values[0, span].copy_(parameter.detach().flatten())
            for row, name in enumerate(MOMENTS, 1):
                self.values[row, span].copy_(state[name].flatten() if state else torch.zeros(()))
            self.steps[k] = state["step"] if state else 0.0
        self.use(network, optimizer)

    def use(self, network: WalkNetwork, optimizer: torch.optim.Optimizer) -> None:
        """Let a network and its optimizer use the values that are here."""
        for k, (parameter, span) in enumerate(zip(network.parameters(), _spans(network), strict=True)):
            parameter.data = self.values[0, span].view(parameter.shape)
            moments = {name: self.values[row, span].view(parameter.shape) for row, name in enumerate(MOMENTS, 1)}
            optimizer.state[parameter] = {"step": self.steps[k], **moments}


def _spans(network: WalkNetwork) -> Iterator[slice]:
    """Yield where each parameter lies."""
    begin = 0
    for parameter in network.parameters():
        yield slice(begin, begin + parameter.numel())
        begin += -(-parameter.numel() // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True, eq=False)
class ClientTask:
    """What clients work on; tensors are in shared memory."""

    config: WalkTrainConfig
    updates_per_epoch: int
    shared: SharedWeights
    losses: Tensor  # by update of the epoch
    updates: Tensor  # by client, of the epoch
    files: tuple[Path, Path]  # a StepReader, whose network has arbitrary weights, and a WalkTable


class Client:
    """A network and an optimizer of one client, on the weights of all."""

    def __init__(self, task: ClientTask) -> None:
        reader, examples = (torch.load(path, mmap=True, weights_only=False) for path in task.files)
        assert isinstance(reader, StepReader) and isinstance(examples, WalkTable)
        self.task, self.spec, self.reader, self.examples = task, task.config.spec, reader, examples
        rate = task.config.resolved()["learning_rate"]
        self.optimizer = make_optimizer(reader.network, self.spec.weight_decay, rate)
        task.shared.use(reader.network, self.optimizer)
        reader.network.train()

    def update(self, walk: int, number: int) -> float:
        """Update the weights on one walk, unless its loss is not finite; return the loss.

        Args:
            walk: The walk.
            number: The number of the update since training began, which its random numbers depend on.
        """
        torch.manual_seed(update_seed(self.task.config.seed, number, 0))
        self.optimizer.zero_grad(set_to_none=True)
        actions = self.examples.actions[walk : walk + 1]
        length = max(1, int((actions != NO_LABEL).sum()))  # nothing is computed behind the end
        actions, states = actions[:, :length], self.examples.states[walk : walk + 1, :length]
        loss = imitation_loss(
            self.reader,
            self.examples,
            torch.tensor([walk]),
            states,
            actions,
            actions,
            start_weight=self.spec.start_weight,
        )
        if math.isfinite(value := float(loss.detach())):
            loss.backward()  # type: ignore[no-untyped-call]
            if self.spec.max_grad_norm is not None:
                nn.utils.clip_grad_norm_(self.reader.network.parameters(), self.spec.max_grad_norm)
            self.optimizer.step()
        return value

    def run(self, number: int, epoch: int, part: Tensor, is_told: Callable[[], bool]) -> str:
        """Take walks until their end, a loss that is not finite, or a message; return DONE or DIVERGED.

        Args:
            number: The client's own.
            epoch: Number of the epoch, from 0.
            part: (walk, number of the update in the epoch) in rows.
            is_told: Returns whether there is a message.
        """
        for walk, update in part.tolist():
            if is_told():
                break
            loss = self.update(walk, epoch * self.task.updates_per_epoch + update)
            self.task.losses[update] = loss
            if not math.isfinite(loss):
                return DIVERGED
            self.task.updates[number] += 1
        return DONE


def run_client(number: int, task: ClientTask, connection: Connection) -> None:
    """Run client `number` until the main process closes the connection, or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the main one decides
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # else the first gradient opens a context on every GPU
    torch.set_num_threads(1)
    try:
        client = Client(task)
        connection.send((READY, ""))
        while True:
            if (message := connection.recv()) is not STOP:
                epoch, part = message
                connection.send((client.run(number, epoch, torch.tensor(part).view(-1, 2), connection.poll), ""))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Exception:
        connection.send((FAILED, traceback.format_exc()))


class Clients:
    """Client processes; a context manager that ends them.

    Args:
        task: What they work on.
        folder: The folder of the training, for messages.
    """

    def __init__(self, task: ClientTask, folder: Path) -> None:
        self.task, self.folder = task, folder
        self.processes: list[Any] = []
        self.connections: list[Connection] = []

    def __enter__(self) -> Clients:
        try:
            context = _start_server()
            for number in range(self.task.config.clients):
                ours, theirs = context.Pipe()
                self.connections.append(ours)
                name = f"bearleft HOGWILD! client {number + 1}"
                process = context.Process(target=run_client, args=(number, self.task, theirs), name=name, daemon=True)
                process.start()
                self.processes.append(process)
                theirs.close()
            self._wait(lambda: Pause.NO, lambda: None)
        except BaseException:
            self.close(kill=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(kill=kind is not None)

    def run(
        self,
        epoch: int,
        parts: Sequence[Tensor],
        should_pause: Callable[[], Pause] = lambda: Pause.NO,
        follow: Callable[[], None] = lambda: None,
    ) -> Pause:
        """Let every client go through its part, and wait for all.

        Args:
            epoch: Number of the epoch, from 0.
            parts: (walk, number of the update in the epoch) in rows, for each client.
            should_pause: Called several times a second; a reason to pause ends the parts early.
            follow: Called several times a second.

        Returns:
            Why the clients paused.

        Raises:
            InputError: A client was killed.
            RuntimeError: A client failed.
        """
        for number, part in zip(range(len(self.connections)), parts, strict=True):
            self._send(number, (epoch, part.tolist()))
        return self._wait(should_pause, follow)

    def _wait(self, should_pause: Callable[[], Pause], follow: Callable[[], None]) -> Pause:
        """Wait until each client has said something; stop all if one has diverged, or there is a reason to pause."""
        waiting = dict(enumerate(self.connections))
        pause, told = Pause.NO, False
        while waiting:
            ready = wait([*waiting.values(), *(process.sentinel for process in self.processes)], POLL_SECONDS)
            stops = False
            for number in [number for number, connection in waiting.items() if connection in ready]:
                stops |= self._receive(number) == DIVERGED
                del waiting[number]
            for number, process in enumerate(self.processes):
                if process.sentinel in ready:
                    raise self._ended(number)
            pause = max(pause, should_pause())
            if (pause or stops) and not told:
                told = True
                for number in waiting:
                    self._send(number, STOP)
            follow()
        return pause

    def _send(self, number: int, message: Any) -> None:
        try:
            self.connections[number].send(message)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise self._ended(number) from error

    def _receive(self, number: int) -> str:
        try:
            word, text = self.connections[number].recv()
        except (EOFError, ConnectionResetError) as error:
            raise self._ended(number) from error
        if word == FAILED:
            raise RuntimeError(f"HOGWILD! client {number + 1} failed:\n{text}")
        return str(word)

    def _ended(self, number: int) -> InputError:
        """Return the error for a client that ended without a word."""
        process = self.processes[number]
        process.join(END_SECONDS)
        code = process.exitcode
        how = f"which ended with {code}"
        if code is not None and code < 0:
            how = f"which was killed by {signal.Signals(-code).name}"
        hint = f"{describe_last_state(self.folder)}; repeat the command to resume. Short of memory, use fewer clients."
        expected = f"{len(self.connections)} HOGWILD! clients that train together"
        return InputError(expected, f"client {number + 1} (process {process.pid}), {how}", hint=hint)

    def close(self, kill: bool = False) -> None:
        """End all clients; without `kill` they may finish the present walk."""
        for connection in self.connections:
            connection.close()
        for process in self.processes:
            if not kill:
                process.join(END_SECONDS)
            process.kill()
            process.join()
        self.connections.clear()
        self.processes.clear()


def _start_server() -> Any:
    """Return the context of processes that a server forks, and start the server with Ctrl-C blocked."""
    context = torch_multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "torch._dynamo"])  # the latter is imported with the first optimizer
    resource_tracker.ensure_running()  # starting it unblocks signals
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return context
