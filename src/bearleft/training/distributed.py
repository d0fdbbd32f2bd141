"""Data-parallel training with torchrun: one process per GPU.

Every process takes its share of each batch, and gradients are summed, so that the step is that of the whole batch.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.device import check_torch_device

T = TypeVar("T")


@dataclass(frozen=True)
class ProcessGroup:
    """Rank of this process and number of processes; a single process communicates nothing."""

    rank: int = 0
    world_size: int = 1

    @property
    def is_main(self) -> bool:
        """Return whether this process writes files and reports progress."""
        return self.rank == 0

    def share(self, rows: Tensor) -> Tensor:
        """Return this process's rows of a batch."""
        return rows if self.world_size == 1 else rows[self.rank :: self.world_size]

    def all_reduce_sum(self, value: Tensor) -> Tensor:
        """Sum a tensor over processes, in place."""
        if self.world_size > 1:
            dist.all_reduce(value)
        return value

    def all_reduce_max(self, value: int, device: torch.device) -> int:
        """Return the largest value of any process."""
        if self.world_size == 1:
            return value
        tensor = torch.tensor(value, device=device)
        dist.all_reduce(tensor, dist.ReduceOp.MAX)
        return int(tensor)

    def sum_gradients(self, network: nn.Module) -> None:
        """Sum the gradients of all processes in one message."""
        if self.world_size == 1:
            return
        parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
        for parameter in parameters:
            parameter.grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        flat = torch.cat([parameter.grad.flatten() for parameter in parameters if parameter.grad is not None])
        flat = self.all_reduce_sum(flat)
        sizes = [parameter.numel() for parameter in parameters]
        for parameter, gradient in zip(parameters, torch.split(flat, sizes), strict=True):
            parameter.grad = gradient.view_as(parameter)

    def broadcast_from_main(self, compute: Callable[[], T]) -> T:
        """Return in all processes what the main process computes; its InputError is raised in all of them."""
        if self.world_size == 1:
            return compute()
        message: list[Any] = [None]
        if self.is_main:
            try:
                message = [(compute(), None)]
            except InputError as error:
                message = [(None, error)]
        dist.broadcast_object_list(message, 0)
        result, failure = message[0]
        if failure is not None:
            raise failure
        return result  # type: ignore[no-any-return]


def local_device(device: str) -> torch.device:
    """Return this process's device: with torchrun, each process has a GPU of its own."""
    if device == "cuda" and "LOCAL_RANK" in os.environ:
        return torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    return check_torch_device(device)


@contextlib.contextmanager
def process_group(device: torch.device) -> Iterator[ProcessGroup]:
    """Join the processes that torchrun started; without it there is one."""
    world_size = int(os.environ.get("WORLD_SIZE", "1"))
    if world_size == 1:
        yield ProcessGroup()
        return
    initializes = not dist.is_initialized()
    if device.type == "cuda":
        torch.cuda.set_device(device)
    if initializes:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield ProcessGroup(dist.get_rank(), dist.get_world_size())
    finally:
        if initializes:
            dist.destroy_process_group()
