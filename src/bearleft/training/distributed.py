"""Several processes, one GPU each, that train one network: torchrun starts them and tells them their numbers.

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
from bearleft.models.device import usable

T = TypeVar("T")


@dataclass(frozen=True)
class Ranks:
    """Which of how many processes this is; alone, nothing is sent."""

    rank: int = 0
    world: int = 1

    @property
    def first(self) -> bool:
        """Whether this one writes and speaks."""
        return self.rank == 0

    def share(self, rows: Tensor) -> Tensor:
        """This process's rows of a batch."""
        return rows if self.world == 1 else rows[self.rank :: self.world]

    def total(self, value: Tensor) -> Tensor:
        """The sum over processes, in place."""
        if self.world > 1:
            dist.all_reduce(value)
        return value

    def largest(self, value: int, device: torch.device) -> int:
        """The largest number that any process has."""
        if self.world == 1:
            return value
        held = torch.tensor(value, device=device)
        dist.all_reduce(held, dist.ReduceOp.MAX)
        return int(held)

    def sum_gradients(self, network: nn.Module) -> None:
        """Adds up all processes' gradients in one message."""
        if self.world == 1:
            return
        held = [one for one in network.parameters() if one.requires_grad]
        for one in held:
            one.grad = torch.zeros_like(one) if one.grad is None else one.grad
        flat = self.total(torch.cat([one.grad.flatten() for one in held if one.grad is not None]))
        for one, part in zip(held, torch.split(flat, [one.numel() for one in held]), strict=True):
            one.grad = part.view_as(one)

    def from_first(self, make: Callable[[], T]) -> T:
        """What the first process makes, in all of them; its error is everybody's."""
        if self.world == 1:
            return make()
        told: list[Any] = [None]
        if self.first:
            try:
                told = [(make(), None)]
            except InputError as error:
                told = [(None, error)]
        dist.broadcast_object_list(told, 0)
        made, wrong = told[0]
        if wrong is not None:
            raise wrong
        return made  # type: ignore[no-any-return]


def own_device(device: str) -> torch.device:
    """This process's device: with torchrun, each has a GPU of its own."""
    if device == "cuda" and "LOCAL_RANK" in os.environ:
        return torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    return usable(device)


@contextlib.contextmanager
def ranks(device: torch.device) -> Iterator[Ranks]:
    """Joins the processes that torchrun started; without it there is one."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Ranks()
        return
    mine = not dist.is_initialized()
    if device.type == "cuda":
        torch.cuda.set_device(device)
    if mine:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Ranks(dist.get_rank(), dist.get_world_size())
    finally:
        if mine:
            dist.destroy_process_group()
