"""HOGWILD! training of walking networks (Touchdown, appendix E.2): clients that share the weights without locks.

A client is a process with one thread and its own part of the walks. It takes one walk after the other and updates the
weights and Adam's moments, which lie in shared memory, while the other clients do the same. No client waits for
another, so that an update may be computed from weights that are half old and half new, or be overwritten in part. One
client gives the same curve in every run; several do not.
"""

from __future__ import annotations

import copy
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.walking.examples import WalkTable
from bearleft.models.walking.states import PlaceIndex
from bearleft.training.history import TrainProgress
from bearleft.training.run import Pause
from bearleft.training.walking.clients import Clients, ClientTask, SharedWeights
from bearleft.training.walking.config import WalkTrainConfig
from bearleft.training.walking.loop import LOSS_CHECK_INTERVAL, WalkTrainer

SHARED_MEMORY = Path("/dev/shm")


class HogwildTrainer(WalkTrainer):
    """A walking network in training by clients; it takes the arguments of `WalkTrainer`.

    An epoch takes every client once through its part of the walks: client k of n has walks k, k + n, and so on. A pause
    lets the clients finish their present walks, and the state says how far each of them has come.
    """

    def __init__(self, config: WalkTrainConfig, *args: Any, **options: Any) -> None:
        super().__init__(config, *args, **options)
        if self.device.type != "cpu":
            raise InputError("the device cpu, where HOGWILD! clients share memory", str(self.device), "device")
        if self.group.world_size > 1:
            got = f"one of {self.group.world_size} processes"
            raise InputError("a single process, which starts the HOGWILD! clients", got, hint="Leave out torchrun.")
        check_shared_memory(3 * sum(parameter.nbytes for parameter in self.network.parameters()))
        self.shared = SharedWeights.allocate(self.network)
        self.losses = self.losses.share_memory_()  # type: ignore[no-untyped-call]
        self.client_updates = torch.zeros(config.clients, dtype=torch.int64).share_memory_()  # type: ignore[no-untyped-call]
        self.input_folder = Path(tempfile.mkdtemp(prefix="bearleft-hogwild-"))
        weakref.finalize(self, shutil.rmtree, self.input_folder, ignore_errors=True)

    def run_epoch(self, should_pause: Callable[[], Pause]) -> Pause:
        """Let the clients run the rest of an epoch, and append its row; return why it paused before its end."""
        self.has_new_best = False
        begin, seconds_before, reported = time.perf_counter(), self.seconds, self.updates_done
        if pause := should_pause():  # before processes are started
            return pause

        def follow() -> None:
            nonlocal reported
            self.updates_done = int(self.client_updates.sum())
            self.seconds = seconds_before + time.perf_counter() - begin
            if self.updates_done - reported >= LOSS_CHECK_INTERVAL or reported < self.updates_done == self.epoch_size:
                reported = self.updates_done
                loss = float(self.losses.sum()) / self.updates_done
                speed = self.updates_done / max(self.seconds, 1e-9)
                epoch, epochs = self.epochs_done + 1, self.settings["epochs"]
                self.report(TrainProgress(epoch, epochs, self.updates_done, self.updates_per_epoch, loss, speed))

        with self.open_clients() as clients:
            parts = self.parts()
            rest = [part[done:] for part, done in zip(parts, self.client_updates.tolist(), strict=True)]
            pause = clients.run(self.epochs_done, rest, should_pause, follow)
        follow()
        for update in (~torch.isfinite(self.losses)).nonzero()[:, 0].tolist():
            raise self._diverged_at(update, float(self.losses[update]))
        if self.updates_done < self.updates_per_epoch:
            return pause
        self._finish_epoch(begin, seconds_before)
        self.client_updates.zero_()
        return Pause.NO

    def parts(self) -> list[Tensor]:
        """Return each client's walks of the present epoch, as (walk, number of the update) in rows."""
        order = self.order(self._sources())
        rows = torch.stack([order, torch.arange(len(order))], 1)
        return [rows[order % self.config.clients == client] for client in range(self.config.clients)]

    def open_clients(self) -> Clients:
        """Return clients for the present epoch; the processes start when the context is entered."""
        self._encode_texts()
        self.shared.attach(self.network, self.optimizer)  # again, since a resumed optimizer has other tensors
        self.network.train()
        task = ClientTask(
            self.config, self.updates_per_epoch, self.shared, self.losses, self.client_updates, self._write_inputs()
        )
        return Clients(task, self.folder)

    def _write_inputs(self) -> tuple[Path, Path]:
        """Write what clients read into files that they map into memory, so that all of them share one copy."""
        reader, examples = self.input_folder / "reader.pt", self.input_folder / "examples.pt"
        if not reader.exists():
            torch.save(replace(self.reader, network=copy.deepcopy(self.network)), reader)
        table = replace(self.table, places=PlaceIndex(()), start_states={})  # without the graphs
        torch.save(WalkTable(**(vars(self.examples) | {"table": table})), examples)
        return reader, examples

    def state(self) -> dict[str, Any]:
        """Return the training state as tensors and plain values; seeds follow from the update's number."""
        state = super().state()
        optimizer = state["optimizer"]
        moments = {k: {name: value.clone() for name, value in own.items()} for k, own in optimizer["state"].items()}
        return state | {
            "optimizer": {**optimizer, "state": moments},  # not views of the shared memory
            "client_updates": self.client_updates.tolist(),
        }

    def resume(self, state: Mapping[str, Any], folder: Path) -> None:
        """Load a state.

        Raises:
            InputError: It is of another configuration, other walks, slices or another backbone.
        """
        super().resume(dict(state), folder)
        self.client_updates.copy_(torch.tensor(state["client_updates"]))


def check_shared_memory(size: int) -> None:
    """Raise InputError if some bytes do not fit into shared memory: writing there would end the process."""
    free = shutil.disk_usage(SHARED_MEMORY).free if SHARED_MEMORY.exists() else size
    if size > free:
        hint = "Start a container with more, such as docker run --shm-size 1g."
        raise InputError(f"{size / 1e6:,.0f} MB of shared memory", f"{free / 1e6:,.0f} MB", hint=hint)
