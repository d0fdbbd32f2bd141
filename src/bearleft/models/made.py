"""Features made as they are needed: eight slices of a panorama are rendered, or cut from a stored one, and read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.envs.observe import Sees
from bearleft.errors import InputError
from bearleft.models.cells import Numbered, pieces
from bearleft.models.examples import Floats, Panorama
from bearleft.models.eyes import Cuts, numbers_in, open_eyes
from bearleft.models.trunk import Trunk
from bearleft.world.slices import PAPER, SLICES, TURN, Slicing

PIXELS = 8 * SLICES * PAPER.width * PAPER.height  # rendered at once on a GPU: 16 bytes each
FEW = 2  # panoramas read at once on a CPU, where more are no faster
Group = tuple[str, npt.NDArray[np.int64], Floats, Floats]


class Made(Numbered):
    """Features of panoramas, made anew whenever they are asked for.

    On a GPU nothing leaves it: pictures of cities are rendered there, and those that come next are rendered while the
    trunk reads these. `eyes` see the panoramas' worlds; without them all are cities or rooms of ours.
    """

    def __init__(
        self, panoramas: Iterable[Panorama], trunk: Trunk, slicing: Slicing = PAPER,
        device: str | torch.device = "cpu", eyes: Mapping[str, Sees] | None = None,
    ) -> None:  # fmt: skip
        self.panoramas, self.slicing, self.device = tuple(panoramas), slicing, torch.device(device)
        self.trunk, self.channels = trunk.folded().to(self.device), trunk.channels
        self.worlds = sorted({panorama.world for panorama in self.panoramas})
        self.eyes = dict(open_eyes(self.worlds) if eyes is None else eyes)
        number = {world: k for k, world in enumerate(self.worlds)}
        self._world = np.array([number[panorama.world] for panorama in self.panoramas], np.int64)
        self._place = numbers_in(self.eyes, self.panoramas)
        self._yaw = np.array([panorama.yaw for panorama in self.panoramas])
        self._looks = slicing.headings(self._yaw)  # (n, 8)
        self.piece = FEW
        if self.device.type == "cuda":
            from bearleft.models.card import Card  # asks for CUDA when it is imported

            self.piece = max(1, PIXELS // (SLICES * slicing.width * slicing.height))
            self._card = Card(self.eyes, slicing.lens, self.piece * SLICES, self.device)

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def __call__(self, pictures: Tensor) -> Tensor:
        asked = pictures.cpu().numpy()
        order = np.argsort(self._world[asked], kind="stable")  # a piece is rendered world by world
        shape = (len(asked), self.slicing.rows, self.slicing.columns, self.channels)
        out = torch.empty(shape, dtype=self.dtype, device=self.device)  # here, since nothing learns from what follows
        if self.device.type == "cuda":
            groups = [self._groups(asked[order][begin:end]) for begin, end in pieces(len(asked), self.piece)]
            with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16):
                self._card.fill(groups, lambda rgb, a, b: self._put(out, rgb, a, b))
        else:
            with torch.inference_mode():
                for begin, end in pieces(len(asked), self.piece):
                    self._put(out, torch.from_numpy(self.slices(asked[order][begin:end])), begin, end)
        if (np.diff(order) < 0).any():
            out = out[torch.from_numpy(np.argsort(order)).to(self.device)]
        return out.permute(0, 3, 1, 2)

    def slices(self, asked: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Pictures of panoramas as they lie on the CPU: (n * 8, height, width, 3)."""
        return np.concatenate([self._seen(*group) for group in self._groups(asked)])

    def _seen(self, world: str, places: npt.NDArray[np.int64], yaws: Floats, looks: Floats) -> npt.NDArray[np.uint8]:
        eyes = self.eyes[world]
        if isinstance(eyes, Cuts):
            return eyes.slices(places, yaws, looks, self.slicing.lens)
        size = self.slicing.width, self.slicing.height
        return eyes.views(np.repeat(places, SLICES), looks.ravel(), 0.0, size, TURN)

    def _groups(self, asked: npt.NDArray[np.int64]) -> list[Group]:
        """Runs of panoramas of one world: its name, places (m,), yaws (m,) and headings (m, 8)."""
        ends = np.flatnonzero(np.diff(self._world[asked])) + 1
        runs = [run for run in np.split(asked, ends) if len(run)]
        return [(self.worlds[self._world[run[0]]], self._place[run], self._yaw[run], self._looks[run]) for run in runs]

    def _put(self, out: Tensor, rgb: Tensor, begin: int, end: int) -> None:
        """Slices through the trunk, each alone, and side by side into the map."""
        cells = self.trunk(rgb).permute(0, 2, 3, 1)
        rows, across = self.slicing.rows, self.slicing.across
        if cells.shape[1:] != (rows, across, self.channels):
            came = " x ".join(str(side) for side in cells.shape[1:])
            raise InputError(f"a trunk that makes {rows} x {across} x {self.channels} of a slice", came, "trunk")
        joined = cells.reshape(end - begin, SLICES, rows, across, self.channels).transpose(1, 2)
        out[begin:end].view(end - begin, rows, SLICES, across, self.channels).copy_(joined)
