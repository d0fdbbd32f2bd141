"""Features computed on demand: eight slices of a panorama are rendered, or cut from a stored one, and encoded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.backbones.registry import Backbone
from bearleft.models.examples import Panorama
from bearleft.models.features.base import IndexedPanoramas
from bearleft.models.features.pictures import picture_numbers
from bearleft.world.pictures import AlbumPictures, PictureSource, open_pictures
from bearleft.world.slices import PAPER, SLICE_COUNT, SLICE_DEGREES, Slicing

if TYPE_CHECKING:
    from bearleft.models.features.gpu_slices import Group, PendingMaps, SlicePipeline
    from bearleft.types import Floats

# Rendered at once on a GPU, 16 bytes each: enough to keep it busy, few enough that a batch is several chunks, of which
# one is encoded while the next is rendered.
CHUNK_PIXELS = 5 * SLICE_COUNT * PAPER.width * PAPER.height
CPU_CHUNK = 2  # panoramas encoded at once on a CPU, where more are no faster
Indices = npt.NDArray[np.int64]


class ComputedFeatures(IndexedPanoramas):
    """Features of panoramas, computed again for every call.

    On a GPU, pictures of cities are rendered there and never leave it, and the next chunk is rendered while the
    backbone encodes the present one. `prefetch` starts the next call's work while a network trains.

    Args:
        panoramas: The panoramas.
        backbone: The backbone that encodes their slices.
        slicing: How panoramas are cut into slices.
        device: Where features are computed.
        sources: Picture sources by world; by default those that `open_pictures` finds without albums.
    """

    def __init__(
        self,
        panoramas: Iterable[Panorama],
        backbone: Backbone,
        slicing: Slicing = PAPER,
        device: str | torch.device = "cpu",
        sources: Mapping[str, PictureSource] | None = None,
    ) -> None:
        self.panoramas, self.slicing, self.device = tuple(panoramas), slicing, torch.device(device)
        self.backbone, self.channels = backbone.for_inference(self.device), backbone.channels
        self.worlds = sorted({panorama.world for panorama in self.panoramas})
        self.sources = dict(open_pictures(self.worlds) if sources is None else sources)
        world_index = {world: k for k, world in enumerate(self.worlds)}
        self._world = np.array([world_index[panorama.world] for panorama in self.panoramas], np.int64)
        self._place = picture_numbers(self.sources, self.panoramas)
        self._yaw = np.array([panorama.yaw for panorama in self.panoramas])
        self._headings = slicing.headings(self._yaw)  # (n, 8)
        self.chunk_size = CPU_CHUNK
        self._pipeline: SlicePipeline | None = None
        self._prefetched: tuple[Indices, PendingMaps] | None = None
        if self.device.type == "cuda":
            from bearleft.models.features.gpu_slices import SlicePipeline  # its import needs CUDA

            self.chunk_size = max(1, CHUNK_PIXELS // (SLICE_COUNT * slicing.width * slicing.height))
            self._pipeline = SlicePipeline(self.sources, slicing.lens, self.chunk_size * SLICE_COUNT, self.device)

    @property
    def dtype(self) -> torch.dtype:
        """Return the type of features: bfloat16 on a GPU."""
        return torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def __call__(self, indices: Tensor) -> Tensor:
        """Return feature maps (b, channels, rows, columns) of the panoramas with indices (b,)."""
        requested = indices.cpu().numpy()
        if self._pipeline is None:
            out, order = self._allocate(len(requested)), self._order(requested)
            for begin, end in even_chunks(len(requested), self.chunk_size):
                rgb = torch.from_numpy(self.slices(requested[order[begin:end]]))
                self._encode(out, rgb, order[begin:end])
        else:
            pending, self._prefetched = self._prefetched, None
            if pending is None or not np.array_equal(pending[0], requested):
                pending = requested, self._submit(self._pipeline, requested)
            out = self._pipeline.wait(pending[1])
        return out.permute(0, 3, 1, 2)

    def prefetch(self, indices: Tensor) -> None:
        """Start to compute the next call's features on a GPU; does nothing on a CPU, where it would save no time."""
        if self._pipeline is not None:
            requested = indices.cpu().numpy().copy()
            self._prefetched = requested, self._submit(self._pipeline, requested)

    def _submit(self, pipeline: SlicePipeline, requested: Indices) -> PendingMaps:
        order = self._order(requested)
        chunks = [self._groups(requested[order[a:b]]) for a, b in even_chunks(len(requested), self.chunk_size)]
        return pipeline.submit(
            lambda: self._allocate(len(requested)), chunks, lambda out, rgb, a, b: self._encode(out, rgb, order[a:b])
        )

    def _order(self, requested: Indices) -> Indices:
        """Return the order that groups panoramas by world, as chunks are rendered."""
        return np.argsort(self._world[requested], kind="stable")

    def _allocate(self, count: int) -> Tensor:
        """Return empty maps; not inference tensors, since networks are trained on them."""
        shape = (count, self.slicing.rows, self.slicing.columns, self.channels)
        return torch.empty(shape, dtype=self.dtype, device=self.device)

    def slices(self, indices: Indices) -> npt.NDArray[np.uint8]:
        """Return the slices of panoramas, on the CPU: (n * 8, height, width, 3)."""
        return np.concatenate([self._group_slices(*group) for group in self._groups(indices)])

    def _group_slices(self, world: str, places: Indices, yaws: Floats, headings: Floats) -> npt.NDArray[np.uint8]:
        source = self.sources[world]
        if isinstance(source, AlbumPictures):
            return source.slices(places, yaws, headings, self.slicing.lens)
        size = self.slicing.width, self.slicing.height
        return source.views(np.repeat(places, SLICE_COUNT), headings.ravel(), 0.0, size, SLICE_DEGREES)

    def _groups(self, indices: Indices) -> list[Group]:
        """Return runs of panoramas of one world: its name, places (m,), yaws (m,) and headings (m, 8)."""
        ends = np.flatnonzero(np.diff(self._world[indices])) + 1
        runs = [run for run in np.split(indices, ends) if len(run)]
        return [
            (self.worlds[self._world[run[0]]], self._place[run], self._yaw[run], self._headings[run]) for run in runs
        ]

    @torch.inference_mode()
    def _encode(self, out: Tensor, rgb: Tensor, order: Indices) -> None:
        """Encode each slice by itself, and write the maps side by side into `out` at these indices."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            maps = self.backbone(rgb).permute(0, 2, 3, 1)
        rows, across = self.slicing.rows, self.slicing.slice_columns
        if maps.shape[1:] != (rows, across, self.channels):
            got = " x ".join(str(side) for side in maps.shape[1:])
            raise InputError(f"a backbone that makes {rows} x {across} x {self.channels} of a slice", got, "backbone")
        panoramas = maps.reshape(len(order), SLICE_COUNT, rows, across, self.channels).transpose(1, 2)
        for index, joined in zip(order.tolist(), panoramas, strict=True):
            out[index].view(rows, SLICE_COUNT, across, self.channels).copy_(joined)


def even_chunks(count: int, max_size: int) -> list[tuple[int, int]]:
    """Return begin and end of as few chunks of at most `max_size` items as possible, of nearly equal sizes."""
    ends = np.linspace(0, count, -(-count // max_size) + 1).round().astype(int).tolist()
    return list(pairwise(ends))
