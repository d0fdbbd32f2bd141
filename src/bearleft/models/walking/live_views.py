"""RGB views that are rendered when walkers see them, on the device where the walkers are.

Nothing is prepared and nothing is kept, so walkers may go anywhere. The pictures are those of `RgbViews`: headings are
rounded to the same tenths of degrees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.walking.network import RGB
from bearleft.models.walking.states import PlaceIndex
from bearleft.models.walking.views import (
    HEADING_STEPS,
    RGB_FOV,
    RGB_SIDE,
    Indices,
    heading_steps,
    rgb_pictures,
)
from bearleft.types import Progress
from bearleft.world.album.album import open_albums
from bearleft.world.pictures import RENDERED, PictureConfig, RenderedPictures, find_pictures
from bearleft.world.render.camera import cameras, poses, view
from bearleft.world.render.cpu import check_inside

LENS = view(RGB_SIDE, RGB_SIDE, RGB_FOV)


class LiveRgbViews:
    """RGB views of 84 x 84 pixels and 60 degrees, centred on the heading, from 0 to 1; rendered at each call.

    On a GPU, cameras are looked up there by place and heading, and the ray caster writes bytes into a torch tensor, on
    torch's current stream. Nothing is read back, so a CUDA graph can record a call after a first one, which compiles.
    Walkers of several worlds may be mixed: each world renders its own, and leaves the others out, with no waiting.
    On a CPU the pictures are rendered there, and equal.

    Args:
        places: All places of the worlds.
        device: Where walkers are and pictures are rendered.
        pictures: Where pictures come from; they must be rendered ones.
        shadows: Whether to render shadows, as `RgbViews` does; without them rendering is faster.

    Raises:
        InputError: A world has stored pictures, or none.
    """

    kind: str = RGB
    shape: tuple[int, ...] = (3, RGB_SIDE, RGB_SIDE)

    def __init__(
        self,
        places: PlaceIndex,
        device: str | torch.device = "cpu",
        pictures: PictureConfig = RENDERED,
        shadows: bool = True,
    ) -> None:
        self.places, self.device, self.shadows = places, torch.device(device), shadows
        albums = open_albums(pictures.folders)
        self.sources: dict[str, RenderedPictures] = {}
        for graph in places.graphs:
            source = find_pictures(graph.name, albums, pictures.city, "cpu", pictures.data)
            if not isinstance(source, RenderedPictures):
                got = "none" if source is None else "stored ones"
                hint = "RgbViews reads stored pictures; a city can be built on streets: PictureConfig(city=0)."
                raise InputError(f"rendered pictures of {graph.name}", got, "pictures", hint=hint)
            self.sources[graph.name] = RenderedPictures(source.city, shadows=shadows)
        self.renderers: list[Any] = []  # of the worlds, on a GPU
        if self.device.type == "cuda":
            self._build_on_gpu()

    def _build_on_gpu(self) -> None:
        """Make the renderers, and the parts of cameras that depend on places and on headings."""
        from bearleft.world.render.gpu import Renderer  # asks for CUDA when it is imported

        cities = [source.city for source in self.sources.values()]
        self.renderers = [Renderer(city.scene) for city in cities]
        standing = [city.poses(np.arange(len(city.graph))) for city in cities]
        for city, rows in zip(cities, standing, strict=True):
            check_inside(city.scene, rows)
        headings = np.arange(HEADING_STEPS) * (360.0 / HEADING_STEPS)
        axes = cameras(poses(np.zeros((HEADING_STEPS, 3)), headings), LENS)[:, 3:]
        worlds = np.repeat(np.arange(len(cities)), [len(rows) for rows in standing])
        self.positions, self.axes, self.world = (
            torch.from_numpy(array).to(self.device) for array in (np.concatenate(standing)[:, :3], axes, worlds)
        )

    def prepare(self, places: Indices, headings: npt.NDArray[np.float64], progress: Progress | None = None) -> None:
        """Do nothing: views are rendered when they are seen."""

    def __call__(self, places: Tensor, headings: Tensor) -> Tensor:
        """Return the views of places and headings."""
        rgb = self.render(places.reshape(-1), heading_steps(headings).reshape(-1))
        return rgb.view(*places.shape, RGB_SIDE, RGB_SIDE, 3).movedim(-1, -3).float() / 255.0

    def render(self, places: Tensor, steps: Tensor) -> Tensor:
        """Return bytes (n, RGB_SIDE, RGB_SIDE, 3) of places (n,) with headings in tenths of degrees (n,)."""
        if not self.renderers:
            return torch.from_numpy(rgb_pictures(self.places, self.sources, places.numpy(), steps.numpy()))
        rgb = torch.empty(len(places), RGB_SIDE, RGB_SIDE, 3, dtype=torch.uint8, device=self.device)
        rows, world = torch.cat([self.positions[places], self.axes[steps]], 1), self.world[places]
        for k, renderer in enumerate(self.renderers):
            renderer.colours_into(rgb, rows, world == k, LENS, shadows=self.shadows)
        return rgb
