"""Views of places in any direction, as cells of a trunk: rendered, or cut from stored panoramas, as they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from bearleft.envs.observe import AlbumEyes, Eyes, Sees
from bearleft.errors import InputError
from bearleft.models.eyes import open_eyes
from bearleft.models.look import Config
from bearleft.models.trunk import Trunk
from bearleft.world.render.camera import view

FOV = 90.0
PIXELS = 512 * 448 * 448  # seen at once on a GPU
FEW = 16  # views at once on a CPU
Spot = tuple[str, str]  # a world and a place


class Views:
    """Sees places through a trunk. `spots` are the places that one may stand at; their numbers stand for them."""

    def __init__(
        self, spots: Iterable[Spot], trunk: Trunk, config: Config, device: str | torch.device = "cpu",
        eyes: Mapping[str, Sees] | None = None,
    ) -> None:  # fmt: skip
        self.spots, self.device = tuple(dict.fromkeys(spots)), torch.device(device)
        if trunk.channels != config.channels:
            raise InputError(f"a trunk of {config.channels} channels", str(trunk.channels), "trunk")
        self.trunk, self.config = trunk.folded().to(self.device), config
        self.lens = view(config.side, config.side, FOV)
        worlds = sorted({world for world, _ in self.spots})
        self.eyes = dict(open_eyes(worlds) if eyes is None else eyes)
        self.worlds = np.array([worlds.index(world) for world, _ in self.spots], np.int64)
        self.places = np.array([self._stands(*spot) for spot in self.spots], np.int64)
        self._numbers = {spot: k for k, spot in enumerate(self.spots)}
        self._names = worlds
        self._renderers: dict[str, Any] = {}
        self.piece = FEW
        if self.device.type == "cuda":
            from bearleft.world.render.gpu import Renderer  # asks for CUDA when it is imported

            self.piece = max(1, PIXELS // config.side**2)
            self._renderers = {
                name: Renderer(one.city.scene) for name, one in self.eyes.items() if isinstance(one, Eyes)
            }

    def _stands(self, world: str, place: str) -> int:
        eyes = self.eyes[world]
        if isinstance(eyes, AlbumEyes):
            eyes.album.entry(place)  # an error where there is no picture
        return eyes.number(place)

    def number(self, world: str, place: str) -> int:
        """By which a place is asked for."""
        if (world, place) not in self._numbers:
            raise InputError("a place that views were opened for", f"{place} of {world}", "place")
        return self._numbers[world, place]

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def __call__(self, numbers: npt.NDArray[np.int64], looks: npt.ArrayLike) -> Tensor:
        """(n, channels, cells, cells): what one sees at places (n,) in directions (n, 2)."""
        side, ways = self.config.cells, np.asarray(looks, np.float64).reshape(-1, 2)
        out = torch.empty(len(numbers), self.config.channels, side, side, dtype=self.dtype, device=self.device)
        for world, which in self._pieces(numbers):
            with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
                rgb = self._seen(world, self.places[numbers[which]], ways[which])
                cells = avg_pool2d(self.trunk(rgb).float(), self.config.pool)[..., :side, :side]
            out[torch.from_numpy(which).to(self.device)] = cells.to(self.dtype)
        return out

    def _pieces(self, numbers: npt.NDArray[np.int64]) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
        """World by world, few enough at a time."""
        for number, world in enumerate(self._names):
            which = np.flatnonzero(self.worlds[numbers] == number)
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
