"""Features made as they are needed: eight slices of a panorama are rendered, or cut from a stored one, and read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.backbones.registry import Trunk
from bearleft.models.examples import Floats, Panorama
from bearleft.models.features.base import Numbered
from bearleft.models.features.pictures import Cuts, numbers_in, open_eyes
from bearleft.world.pictures import Sees
from bearleft.world.slices import PAPER, SLICES, TURN, Slicing

if TYPE_CHECKING:
    from bearleft.models.features.gpu_slices import Begun, Card

# Rendered at once on a GPU, 16 bytes each: enough to keep it busy, few enough that a batch is several pieces, of which
# one is read while the next is rendered.
PIXELS = 5 * SLICES * PAPER.width * PAPER.height
FEW = 2  # panoramas read at once on a CPU, where more are no faster
Numbers = npt.NDArray[np.int64]
Group = tuple[str, Numbers, Floats, Floats]


class Made(Numbered):
    """Features of panoramas, made anew whenever they are asked for.

    On a GPU nothing leaves it: pictures of cities are rendered there, and those that come next are rendered while the
    trunk reads these; who says which panoramas come next (`begin`) has them made while a network learns. `eyes` see the
    panoramas' worlds; without them all are cities or rooms of ours.
    """

    def __init__(
        self,
        panoramas: Iterable[Panorama],
        trunk: Trunk,
        slicing: Slicing = PAPER,
        device: str | torch.device = "cpu",
        eyes: Mapping[str, Sees] | None = None,
    ) -> None:
        self.panoramas, self.slicing, self.device = tuple(panoramas), slicing, torch.device(device)
        self.trunk, self.channels = trunk.ready(self.device), trunk.channels
        self.worlds = sorted({panorama.world for panorama in self.panoramas})
        self.eyes = dict(open_eyes(self.worlds) if eyes is None else eyes)
        number = {world: k for k, world in enumerate(self.worlds)}
        self._world = np.array([number[panorama.world] for panorama in self.panoramas], np.int64)
        self._place = numbers_in(self.eyes, self.panoramas)
        self._yaw = np.array([panorama.yaw for panorama in self.panoramas])
        self._looks = slicing.headings(self._yaw)  # (n, 8)
        self.piece = FEW
        self._card: Card | None = None
        self._next: tuple[Numbers, Begun] | None = None
        if self.device.type == "cuda":
            from bearleft.models.features.gpu_slices import Card  # asks for CUDA when it is imported

            self.piece = max(1, PIXELS // (SLICES * slicing.width * slicing.height))
            self._card = Card(self.eyes, slicing.lens, self.piece * SLICES, self.device)

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def __call__(self, pictures: Tensor) -> Tensor:
        asked = pictures.cpu().numpy()
        if self._card is None:
            out, order = self._empty(len(asked)), self._order(asked)
            for begin, end in even(len(asked), self.piece):
                some = torch.from_numpy(self.slices(asked[order[begin:end]]))
                self._put(out, some, order[begin:end])
        else:
            begun, self._next = self._next, None
            if begun is None or not np.array_equal(begun[0], asked):
                begun = asked, self._begun(self._card, asked)
            out = self._card.ready(begun[1])
        return out.permute(0, 3, 1, 2)

    def begin(self, pictures: Tensor) -> None:
        """Has a GPU make what is asked for next, while it does other things; elsewhere that would save no time."""
        if self._card is not None:
            asked = pictures.cpu().numpy().copy()
            self._next = asked, self._begun(self._card, asked)

    def _begun(self, card: Card, asked: Numbers) -> Begun:
        order = self._order(asked)
        groups = [self._groups(asked[order[begin:end]]) for begin, end in even(len(asked), self.piece)]
        return card.fill(
            lambda: self._empty(len(asked)), groups, lambda out, rgb, a, b: self._put(out, rgb, order[a:b])
        )

    def _order(self, asked: Numbers) -> Numbers:
        """Panoramas world by world, as a piece is rendered."""
        return np.argsort(self._world[asked], kind="stable")

    def _empty(self, count: int) -> Tensor:
        """Maps to be filled; not in inference mode, since networks learn from them."""
        shape = (count, self.slicing.rows, self.slicing.columns, self.channels)
        return torch.empty(shape, dtype=self.dtype, device=self.device)

    def slices(self, asked: Numbers) -> npt.NDArray[np.uint8]:
        """Pictures of panoramas as they lie on the CPU: (n * 8, height, width, 3)."""
        return np.concatenate([self._seen(*group) for group in self._groups(asked)])

    def _seen(self, world: str, places: Numbers, yaws: Floats, looks: Floats) -> npt.NDArray[np.uint8]:
        eyes = self.eyes[world]
        if isinstance(eyes, Cuts):
            return eyes.slices(places, yaws, looks, self.slicing.lens)
        size = self.slicing.width, self.slicing.height
        return eyes.views(np.repeat(places, SLICES), looks.ravel(), 0.0, size, TURN)

    def _groups(self, asked: Numbers) -> list[Group]:
        """Runs of panoramas of one world: its name, places (m,), yaws (m,) and headings (m, 8)."""
        ends = np.flatnonzero(np.diff(self._world[asked])) + 1
        runs = [run for run in np.split(asked, ends) if len(run)]
        return [(self.worlds[self._world[run[0]]], self._place[run], self._yaw[run], self._looks[run]) for run in runs]

    @torch.inference_mode()
    def _put(self, out: Tensor, rgb: Tensor, order: Numbers) -> None:
        """Slices through the trunk, each alone, and side by side into the maps of these numbers."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            cells = self.trunk(rgb).permute(0, 2, 3, 1)
        rows, across = self.slicing.rows, self.slicing.across
        if cells.shape[1:] != (rows, across, self.channels):
            got = " x ".join(str(side) for side in cells.shape[1:])
            raise InputError(f"a trunk that makes {rows} x {across} x {self.channels} of a slice", got, "trunk")
        each = cells.reshape(len(order), SLICES, rows, across, self.channels).transpose(1, 2)
        for number, joined in zip(order.tolist(), each, strict=True):
            out[number].view(rows, SLICES, across, self.channels).copy_(joined)


def even(count: int, most: int) -> list[tuple[int, int]]:
    """Begins and ends of as few pieces of at most so many as there can be, of the same size or one less."""
    ends = np.linspace(0, count, -(-count // most) + 1).round().astype(int).tolist()
    return list(pairwise(ends))
