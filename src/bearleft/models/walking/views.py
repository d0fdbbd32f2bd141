"""What walkers see: mean feature maps, cells of features in all directions, or RGB pictures.

Views are computed once for every place that walks pass and stay on the device. A batch of views is a gather by place
and heading.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from bearleft.errors import InputError
from bearleft.models.backbones.registry import Backbone
from bearleft.models.examples import Panorama
from bearleft.models.features.base import Features
from bearleft.models.features.computed import ComputedFeatures
from bearleft.models.features.sources import features_for
from bearleft.models.walking.cells import cell_dim, load_cell_encoder, plain_cells
from bearleft.models.walking.network import BANDS, CELLS, MEAN_MAP, RGB, SECTORS
from bearleft.models.walking.states import PlaceIndex
from bearleft.types import Progress
from bearleft.world.album.album import open_albums
from bearleft.world.pictures import RENDERED, PictureConfig, PictureSource, find_pictures
from bearleft.world.slices import PAPER, Slicing

RGB_SIDE, RGB_FOV = 84, 60.0  # pixels and degrees, Touchdown's appendix F.1
GPU_CHUNK, CPU_CHUNK = 40, 2  # panoramas whose feature maps are computed at once
RGB_CHUNK = 1024
HEADING_STEPS = 3600  # RGB views are kept by tenths of degrees
Indices = npt.NDArray[np.int64]


class Views(Protocol):
    """Views of places by heading, on a device."""

    @property
    def kind(self) -> str:
        """One of the kinds of `bearleft.models.walking.network`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one view."""

    def prepare(self, places: Indices, headings: npt.NDArray[np.float64], progress: Progress | None = None) -> None:
        """Compute the views of some places and headings that are not there yet."""

    def __call__(self, places: Tensor, headings: Tensor) -> Tensor:
        """Return the views (..., *shape) of places and headings (...), which `prepare` has computed."""


class FeatureViews:
    """Views made of the backbone's feature maps of panoramas.

    A mean map is the mean over channels of the part of a panorama's map around the heading, as many columns as rows
    (appendix E.1: 100 x 100). Cells are vectors of what is seen in `SECTORS` directions clockwise from the heading and
    `BANDS` bands of pitch (see `bearleft.models.walking.cells`).

    Args:
        kind: MEAN_MAP or CELLS.
        places: All places of the worlds.
        backbone: The backbone.
        slicing: How panoramas are cut into slices.
        device: Where views are computed and kept.
        store: Folder of a feature store; by default features are computed.
        pictures: Where pictures come from, if features are computed.
    """

    def __init__(
        self,
        kind: str,
        places: PlaceIndex,
        backbone: Backbone,
        slicing: Slicing = PAPER,
        device: str | torch.device = "cpu",
        store: str | os.PathLike[str] | None = None,
        pictures: PictureConfig = RENDERED,
    ) -> None:
        self.kind, self.places, self.slicing, self.device = kind, places, slicing, torch.device(device)
        self.backbone, self.store, self.pictures = backbone, store, pictures
        rows, columns, count = slicing.rows, slicing.columns, len(places)
        if kind == MEAN_MAP and columns < rows:
            raise InputError("slices that are at most eight times as high as wide", slicing.name, "size")
        gpu_dtype = torch.float16 if kind == MEAN_MAP else torch.bfloat16
        dtype = torch.float32 if self.device.type == "cpu" else gpu_dtype
        self.shape: tuple[int, ...] = (rows, rows) if kind == MEAN_MAP else (SECTORS, BANDS, cell_dim(backbone))
        stored = (rows, columns) if kind == MEAN_MAP else self.shape
        self.values = torch.zeros(0, *stored, dtype=dtype, device=self.device)  # of the places that were prepared
        self.row = np.full(count, -1, np.int64)  # of each place in `values`
        self.device_row = torch.from_numpy(self.row).to(self.device)
        self.yaw = torch.from_numpy(places.yaw.astype(np.float32)).to(self.device)
        self._encode_cells = plain_cells
        if kind == CELLS and (encoder := load_cell_encoder(backbone, self.device)) is not None:
            self._encode_cells = encoder.encode_panoramas
        self._features: Features | None = None

    def prepare(
        self, places: Indices, headings: npt.NDArray[np.float64] | None = None, progress: Progress | None = None
    ) -> None:
        """Compute the views of some places that are not there yet; all headings of a place come with it."""
        prepare_together([self], places, progress)

    def compute(self, maps: Tensor) -> Tensor:
        """Return the views of panoramas from their feature maps."""
        with torch.no_grad():
            values = mean_maps(maps) if self.kind == MEAN_MAP else self._encode_cells(maps)
        return values.to(self.values.dtype)

    def open_features(self) -> Features:
        """Return the features of all places, by their numbers."""
        if self._features is None:
            panoramas = [
                Panorama(graph.name, place, float(yaw))
                for graph in self.places.graphs
                for place, yaw in zip(graph.ids, graph.yaw, strict=True)
            ]
            self._features = features_for(
                panoramas, self.backbone, self.slicing, self.device, self.store, cache=False, pictures=self.pictures
            )
        return self._features

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs to read the views that are there; it cannot compute others."""
        return {
            name: vars(self)[name] for name in ("kind", "shape", "slicing", "device", "values", "yaw", "device_row")
        }

    def __call__(self, places: Tensor, headings: Tensor) -> Tensor:
        """Return the views of places and headings."""
        relative = (headings - self.yaw[places]) % 360.0
        if self.kind == CELLS:
            # Sector 0 of a stored panorama begins at its left edge, opposite to the yaw.
            first = torch.floor((relative + 180.0) / 360.0 * SECTORS).long()
            index = (first[..., None] + torch.arange(SECTORS, device=self.device)) % SECTORS
            cell_rows = self.device_row[places][..., None] * SECTORS + index
            cells = functional.embedding(cell_rows, self.values.view(-1, BANDS * self.shape[2]))
            return cells.view(*places.shape, *self.shape)
        rows, columns = self.slicing.rows, self.slicing.columns
        middle = torch.round((relative + 180.0) / 360.0 * columns).long()
        index = (middle[..., None] - rows // 2 + torch.arange(rows, device=self.device)) % columns
        maps = functional.embedding(self.device_row[places], self.values.view(-1, rows * columns))
        maps = maps.view(*places.shape, rows, columns)
        return maps.gather(-1, index[..., None, :].expand(*places.shape, rows, rows))


def prepare_together(views: Sequence[FeatureViews], places: Indices, progress: Progress | None = None) -> None:
    """Compute views of several kinds from the same feature maps, at the places that the first of them lacks."""
    one = views[0]
    missing = np.unique(places[one.row[places] < 0])
    if not len(missing):
        return
    features = one.open_features()
    first = [len(view.values) for view in views]
    for view in views:
        view.values = torch.cat([view.values, view.values.new_zeros(len(missing), *view.values.shape[1:])])
    size = GPU_CHUNK if one.device.type == "cuda" else CPU_CHUNK
    for begin in range(0, len(missing), size):
        maps = features(torch.from_numpy(missing[begin : begin + size]))
        if isinstance(features, ComputedFeatures) and begin + size < len(missing):
            features.prefetch(torch.from_numpy(missing[begin + size : begin + 2 * size]))
        for view, offset in zip(views, first, strict=True):
            view.values[offset + begin : offset + begin + len(maps)] = view.compute(maps)
        if progress:
            progress("views", min(begin + size, len(missing)), len(missing))
    for view, offset in zip(views, first, strict=True):
        view.row[missing] = offset + np.arange(len(missing))
        view.device_row = torch.from_numpy(view.row).to(view.device)


def mean_maps(maps: Tensor) -> Tensor:
    """Return the mean over channels (n, rows, columns) of feature maps (n, channels, rows, columns)."""
    return maps.float().mean(1)


class RgbViews:
    """RGB views of 84 x 84 pixels and 60 degrees, centred on the heading (appendix F.1), from 0 to 1."""

    kind: str = RGB
    shape: tuple[int, ...] = (3, RGB_SIDE, RGB_SIDE)

    def __init__(
        self, places: PlaceIndex, device: str | torch.device = "cpu", pictures: PictureConfig = RENDERED
    ) -> None:
        self.places, self.device, self.pictures = places, torch.device(device), pictures
        self.keys = np.zeros(0, np.int64)  # sorted
        self.values = torch.zeros(0, *self.shape, dtype=torch.uint8, device=self.device)
        self.device_keys = torch.zeros(0, dtype=torch.int64, device=self.device)
        renderer = "cuda" if self.device.type == "cuda" else "cpu"
        albums = open_albums(pictures.folders)
        self.sources: dict[str, PictureSource] = {}
        for graph in places.graphs:
            source = find_pictures(graph.name, albums, pictures.city, renderer, pictures.data)
            if source is None:
                hint = "Name their folder with --pictures FOLDER, or build a city with --city SEED."
                raise InputError(f"pictures of {graph.name}", "none", hint=hint)
            self.sources[graph.name] = source

    def prepare(self, places: Indices, headings: npt.NDArray[np.float64], progress: Progress | None = None) -> None:
        """Render the views of some places and headings that are not there yet."""
        exact = np.asarray(headings, np.float32).astype(np.float64)  # as tensors have them, so that both round alike
        step = np.round(exact * HEADING_STEPS / 360.0).astype(np.int64) % HEADING_STEPS
        missing = np.setdiff1d(places * HEADING_STEPS + step, self.keys)
        if not len(missing):
            return
        pictures = [self.values]
        for begin in range(0, len(missing), RGB_CHUNK):
            pictures.append(self._render(missing[begin : begin + RGB_CHUNK]))
            if progress:
                progress("views", min(begin + RGB_CHUNK, len(missing)), len(missing))
        keys = np.concatenate([self.keys, missing])
        order = np.argsort(keys)
        self.keys = keys[order]
        self.values = torch.cat(pictures)[torch.from_numpy(order).to(self.device)]
        self.device_keys = torch.from_numpy(self.keys).to(self.device)

    def _render(self, keys: Indices) -> Tensor:
        rgb = rgb_pictures(self.places, self.sources, keys // HEADING_STEPS, keys % HEADING_STEPS)
        return torch.from_numpy(rgb).to(self.device).permute(0, 3, 1, 2).contiguous()

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs to read the views that are there; it cannot render others."""
        return {name: vars(self)[name] for name in ("device", "values", "device_keys")}

    def __call__(self, places: Tensor, headings: Tensor) -> Tensor:
        """Return the views of places and headings."""
        keys = places * HEADING_STEPS + heading_steps(headings)
        return self.values[torch.searchsorted(self.device_keys, keys)].float() / 255.0


def heading_steps(headings: Tensor) -> Tensor:
    """Return the headings, in degrees, rounded to tenths of degrees, from 0 to HEADING_STEPS - 1."""
    return torch.round(headings.double() * HEADING_STEPS / 360.0).long() % HEADING_STEPS


def rgb_pictures(
    index: PlaceIndex, sources: Mapping[str, PictureSource], places: Indices, steps: Indices
) -> npt.NDArray[np.uint8]:
    """Return RGB views (n, RGB_SIDE, RGB_SIDE, 3) of places with headings in tenths of degrees."""
    out = np.empty((len(places), RGB_SIDE, RGB_SIDE, 3), np.uint8)
    headings = steps * (360.0 / HEADING_STEPS)
    for graph in index.graphs:
        first = index.offsets[graph.name]
        chosen = np.flatnonzero((places >= first) & (places < first + len(graph)))
        if len(chosen):
            size = RGB_SIDE, RGB_SIDE
            out[chosen] = sources[graph.name].views(places[chosen] - first, headings[chosen], 0.0, size, RGB_FOV)
    return out


def open_views(
    kind: str,
    places: PlaceIndex,
    backbone: Backbone | None,
    slicing: Slicing = PAPER,
    device: str | torch.device = "cpu",
    store: str | os.PathLike[str] | None = None,
    pictures: PictureConfig = RENDERED,
) -> Views | None:
    """Return views of a kind; None for a network without any."""
    if kind == RGB:
        if store is not None:
            raise InputError("pictures, for a network that reads RGB views", "a feature store", "features")
        return RgbViews(places, device, pictures)
    if kind in (MEAN_MAP, CELLS):
        assert backbone is not None
        return FeatureViews(kind, places, backbone, slicing, device, store, pictures)
    return None
