"""Feature maps of views from places in any direction, rendered or cut from stored panoramas on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from bearleft.errors import InputError
from bearleft.models.backbones.registry import Backbone
from bearleft.models.looking.network import LookConfig
from bearleft.world.pictures import (
    RENDERED,
    AlbumPictures,
    PictureConfig,
    PictureSource,
    RenderedPictures,
    open_pictures,
)
from bearleft.world.render.camera import view

FOV = 90.0
CHUNK_PIXELS = 512 * 448 * 448  # rendered at once on a GPU
CPU_CHUNK = 16  # views rendered at once on a CPU
Indices = npt.NDArray[np.int64]
WorldPlace = tuple[str, str]  # a world and a place


class Views:
    """Feature maps of views; every place that is used has an index.

    Args:
        places: Places that get the first indices; others are added on demand.
        backbone: The backbone that encodes pictures.
        config: The look network's configuration, which sets a view's size.
        device: Where views are rendered and encoded.
        sources: Picture sources by world; those of other worlds are opened on demand.
        pictures: Where the pictures of other worlds come from.
    """

    def __init__(
        self,
        places: Iterable[WorldPlace],
        backbone: Backbone,
        config: LookConfig,
        device: str | torch.device = "cpu",
        sources: Mapping[str, PictureSource] | None = None,
        pictures: PictureConfig = RENDERED,
    ) -> None:
        if backbone.channels != config.channels:
            raise InputError(f"a backbone of {config.channels} channels", str(backbone.channels), "backbone")
        self.device, self.config = torch.device(device), config
        self.backbone = backbone.for_inference(self.device)
        self.lens = view(config.view_size, config.view_size, FOV)
        self.sources, self.pictures = dict(sources or {}), pictures
        self.places: list[WorldPlace] = []
        self._index: dict[WorldPlace, int] = {}
        self._place_numbers: list[int] = []  # by index, the place's number in its world
        self._renderers: dict[str, Any] = {}
        self.chunk_size = max(1, CHUNK_PIXELS // config.view_size**2) if self.device.type == "cuda" else CPU_CHUNK
        for world_place in places:
            self.index(*world_place)

    def index(self, world: str, place: str) -> int:
        """Return the index of a place, which is added if it is new."""
        if (world, place) not in self._index:
            source = self._source(world)
            if isinstance(source, AlbumPictures):
                source.album.entry(place)  # raises an error if there is no picture
            self._place_numbers.append(source.place_index(place))
            self._index[world, place] = len(self.places)
            self.places.append((world, place))
        return self._index[world, place]

    def _source(self, world: str) -> PictureSource:
        if world not in self.sources:
            self.sources.update(open_pictures([world], self.pictures))
        source = self.sources[world]
        if self.device.type == "cuda" and isinstance(source, RenderedPictures) and world not in self._renderers:
            from bearleft.world.render.gpu import Renderer  # its import needs CUDA

            self._renderers[world] = Renderer(source.city.scene)
        return source

    @property
    def dtype(self) -> torch.dtype:
        """Return the type of features: bfloat16 on a GPU."""
        return torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def __call__(self, indices: Indices, looks: npt.ArrayLike) -> Tensor:
        """Return feature maps (n, channels, cells, cells) at places (n,) in directions (n, 2)."""
        side, directions = self.config.view_cells, np.asarray(looks, np.float64).reshape(-1, 2)
        out = torch.empty(len(indices), self.config.channels, side, side, dtype=self.dtype, device=self.device)
        numbers = np.array([self._place_numbers[k] for k in indices], np.int64)
        for world, chunk in self._chunks(indices):
            rgb = self._render(world, numbers[chunk], directions[chunk])
            with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
                maps = avg_pool2d(self.backbone(rgb).float(), self.config.pool)[..., :side, :side]
            out[torch.from_numpy(chunk).to(self.device)] = maps.to(self.dtype)
        return out

    def _chunks(self, indices: Indices) -> Iterator[tuple[str, Indices]]:
        """Yield worlds with positions in `indices`, at most `chunk_size` at a time."""
        worlds = np.array([self.places[k][0] for k in indices])
        for world in dict.fromkeys(worlds.tolist()):
            positions = np.flatnonzero(worlds == world)
            for begin in range(0, len(positions), self.chunk_size):
                yield world, positions[begin : begin + self.chunk_size]

    def _render(self, world: str, places: Indices, looks: npt.NDArray[np.float64]) -> Tensor:
        """Return pictures as bytes (n, side, side, 3), on the device."""
        source, side = self.sources[world], self.config.view_size
        if world in self._renderers and isinstance(source, RenderedPictures):
            poses = source.city.poses(places, looks[:, 0], looks[:, 1])
            renderer = self._renderers[world]
            rgb: Any = renderer.tensors(poses, self.lens, source.light, source.samples, source.shadows).rgb
            return rgb  # type: ignore[no-any-return]
        pictures = source.views(places, looks[:, 0], looks[:, 1], (side, side), FOV)
        return torch.from_numpy(np.ascontiguousarray(pictures)).to(self.device)
