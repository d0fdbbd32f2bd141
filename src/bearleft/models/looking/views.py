"""Views of places in any direction, as cells of a trunk: rendered, or cut from stored panoramas, as they are needed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from bearleft.errors import InputError
from bearleft.models.backbones.registry import Trunk
from bearleft.models.features.pictures import Paths, open_eyes
from bearleft.models.looking.network import Config
from bearleft.world.pictures import AlbumEyes, Eyes, Sees
from bearleft.world.render.camera import view

FOV = 90.0
PIXELS = 512 * 448 * 448  # seen at once on a GPU
FEW = 16  # views at once on a CPU
Spot = tuple[str, str]  # a world and a place


class Views:
    """Sees places through a trunk; each place that is asked for has a number.

    `eyes` see worlds that are opened already; others are found by their names, or in the folders of `pictures`;
    `city` is the seed of the one on streets that have none of their own.
    """

    def __init__(
        self,
        spots: Iterable[Spot],
        trunk: Trunk,
        config: Config,
        device: str | torch.device = "cpu",
        eyes: Mapping[str, Sees] | None = None,
        pictures: Paths = (),
        data: str | os.PathLike[str] | None = None,
        city: int | None = None,
    ) -> None:
        if trunk.channels != config.channels:
            raise InputError(f"a trunk of {config.channels} channels", str(trunk.channels), "trunk")
        self.device, self.config = torch.device(device), config
        self.trunk = trunk.ready(self.device)
        self.lens = view(config.side, config.side, FOV)
        self.eyes, self.pictures, self.data, self.city = dict(eyes or {}), pictures, data, city
        self.spots: list[Spot] = []
        self._numbers: dict[Spot, int] = {}
        self._stands: list[int] = []  # by spot, the place's number in its world
        self._renderers: dict[str, Any] = {}
        self.piece = max(1, PIXELS // config.side**2) if self.device.type == "cuda" else FEW
        for spot in spots:
            self.number(*spot)

    def number(self, world: str, place: str) -> int:
        """By which a place is asked for."""
        if (world, place) not in self._numbers:
            eyes = self._eyes(world)
            if isinstance(eyes, AlbumEyes):
                eyes.album.entry(place)  # an error where there is no picture
            self._stands.append(eyes.number(place))
            self._numbers[world, place] = len(self.spots)
            self.spots.append((world, place))
        return self._numbers[world, place]

    def _eyes(self, world: str) -> Sees:
        if world not in self.eyes:
            self.eyes.update(open_eyes([world], self.pictures, self.city, self.data))
        eyes = self.eyes[world]
        if self.device.type == "cuda" and isinstance(eyes, Eyes) and world not in self._renderers:
            from bearleft.world.render.gpu import Renderer  # asks for CUDA when it is imported

            self._renderers[world] = Renderer(eyes.city.scene)
        return eyes

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def __call__(self, numbers: npt.NDArray[np.int64], looks: npt.ArrayLike) -> Tensor:
        """(n, channels, cells, cells): what one sees at places (n,) in directions (n, 2)."""
        side, ways = self.config.cells, np.asarray(looks, np.float64).reshape(-1, 2)
        out = torch.empty(len(numbers), self.config.channels, side, side, dtype=self.dtype, device=self.device)
        stands = np.array([self._stands[k] for k in numbers], np.int64)
        for world, which in self._pieces(numbers):
            rgb = self._seen(world, stands[which], ways[which])
            with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
                cells = avg_pool2d(self.trunk(rgb).float(), self.config.pool)[..., :side, :side]
            out[torch.from_numpy(which).to(self.device)] = cells.to(self.dtype)
        return out

    def _pieces(self, numbers: npt.NDArray[np.int64]) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
        """World by world, few enough at a time."""
        worlds = np.array([self.spots[k][0] for k in numbers])
        for world in dict.fromkeys(worlds.tolist()):
            which = np.flatnonzero(worlds == world)
            for begin in range(0, len(which), self.piece):
                yield world, which[begin : begin + self.piece]

    def _seen(self, world: str, places: npt.NDArray[np.int64], looks: npt.NDArray[np.float64]) -> Tensor:
        """Pictures as bytes (n, side, side, 3), on the device."""
        eyes, side = self.eyes[world], self.config.side
        if world in self._renderers and isinstance(eyes, Eyes):
            poses = eyes.city.poses(places, looks[:, 0], looks[:, 1])
            seen: Any = self._renderers[world].tensors(poses, self.lens, eyes.light, eyes.samples, eyes.shadows).rgb
            return seen  # type: ignore[no-any-return]
        taken = eyes.views(places, looks[:, 0], looks[:, 1], (side, side), FOV)
        return torch.from_numpy(np.ascontiguousarray(taken)).to(self.device)
