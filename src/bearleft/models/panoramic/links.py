"""Links of all places of several worlds as tensors on one device, so that a step of a whole batch is a few look-ups.

An option is what a walker can do at a place: option STOP, or a link, numbered from 1 in the graph's order. Walkers look
along the link that they came by. All shapes are fixed, and nothing here synchronizes with a GPU.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.geometry import vector_angles
from bearleft.models.panoramic.views import VIEW_COUNT, PanoramaViews, nearest_view, view_angles
from bearleft.models.walking.states import PlaceIndex
from bearleft.world.graphs.graph import Graph

STOP = 0  # the option; links follow
DIRECTION_DIM = 5  # sine and cosine of the turn and of the elevation, distance
VIEW_DIRECTION_DIM = 4  # the same without the distance
DISTANCE_UNIT = 5.0  # metres that features count as 1


@dataclass(frozen=True)
class Observation:
    """What walkers observe, of any leading shape (...)."""

    options: Tensor  # (..., options, f): direction and distance of each link, then the view along it; STOP is all 0
    mask: Tensor  # (..., options): True where there is an option
    views: Tensor | None = None  # (..., VIEW_COUNT, v): features and direction of all views, if there are pictures


@dataclass(frozen=True, eq=False)
class LinkTable:
    """Links by place; column k of every tensor is option k, and column STOP is the place itself."""

    places: PlaceIndex
    target: Tensor  # (p, options) int64: numbers of places; the place itself where there is no link
    mask: Tensor  # (p, options): True where there is an option
    heading: Tensor  # (p, options) degrees
    elevation: Tensor  # (p, options) degrees
    distance: Tensor  # (p, options) metres
    world: Tensor  # (p,) int64: number of the world
    first_place: Tensor  # (p,) int64: number of the first place of the same world
    views: PanoramaViews | None = None
    nearest: Tensor | None = None  # (p, options) int64: the view nearest to each link, if there are views

    @classmethod
    def build(cls, graphs: Iterable[Graph], device: torch.device, views: PanoramaViews | None = None) -> LinkTable:
        """Return the links of graphs.

        Args:
            graphs: The worlds; their numbers are those in this order.
            device: Where the table lies.
            views: Features of the views at all places, if there are any.
        """
        index = PlaceIndex(tuple(graphs))
        count, options = len(index), 1 + int(index.degree.max())
        target = np.repeat(np.arange(count)[:, None], options, 1)
        heading, elevation, distance = (np.zeros((count, options), np.float32) for _ in range(3))
        for graph in index.graphs:
            first = index.offsets[graph.name]
            row = graph.source + first
            column = 1 + np.arange(len(graph.source)) - graph.link_offsets[graph.source]
            steps = graph.positions[graph.target] - graph.positions[graph.source]
            target[row, column] = graph.target + first
            heading[row, column], elevation[row, column] = graph.heading, vector_angles(steps)[1]
            distance[row, column] = np.linalg.norm(steps, axis=1)
        sizes = [len(graph) for graph in index.graphs]

        def to_device(array: npt.NDArray[Any]) -> Tensor:
            return torch.from_numpy(array).to(device)

        return cls(
            index,
            to_device(target),
            to_device(np.arange(options) <= index.degree[:, None]),
            to_device(heading),
            to_device(elevation),
            to_device(distance),
            to_device(np.repeat(np.arange(len(sizes)), sizes)),
            to_device(np.repeat(np.array(list(index.offsets.values()), np.int64), sizes)),
            views,
            None if views is None else to_device(nearest_view(heading, elevation)),
        )

    @property
    def device(self) -> torch.device:
        """Where the table lies."""
        return self.target.device

    @property
    def view_dim(self) -> int:
        """Size of the features of a view; 0 without views."""
        return 0 if self.views is None else self.views.dim

    def place_in_world(self, places: Tensor) -> Tensor:
        """Return the indices of places within their worlds."""
        return places - self.first_place[places]

    def observe(self, places: Tensor, headings: Tensor) -> Observation:
        """Return what walkers at places (...) with headings (...), in degrees, observe."""
        mask = self.mask[places]
        turn = torch.deg2rad(self.heading[places] - headings[..., None])
        up = torch.deg2rad(self.elevation[places])
        parts = (turn.sin(), turn.cos(), up.sin(), up.cos(), self.distance[places] / DISTANCE_UNIT)
        options = torch.stack(parts, -1)
        views = None
        if self.views is not None and self.nearest is not None:
            seen = self.views.features[places].to(options.dtype)
            index = self.nearest[places][..., None].expand(*mask.shape, seen.shape[-1])
            options = torch.cat([options, seen.gather(-2, index)], -1)
            views = torch.cat([seen, view_directions(headings)], -1)
        is_link = mask.clone()
        is_link[..., STOP] = False
        return Observation(options * is_link[..., None], mask, views)

    def step(self, places: Tensor, headings: Tensor, options: Tensor) -> tuple[Tensor, Tensor]:
        """Return places and headings after walkers (n,) took options (n,); those who stop stay as they are."""
        return self.target[places, options], torch.where(options == STOP, headings, self.heading[places, options])


def view_directions(headings: Tensor) -> Tensor:
    """Return the directions (..., VIEW_COUNT, VIEW_DIRECTION_DIM) of all views, seen by walkers with headings (...)."""
    heading, elevation = view_angles(torch.arange(VIEW_COUNT, device=headings.device))
    turn = torch.deg2rad(heading - headings[..., None])
    up = torch.deg2rad(elevation.to(headings.dtype)).expand_as(turn)
    return torch.stack([turn.sin(), turn.cos(), up.sin(), up.cos()], -1)
