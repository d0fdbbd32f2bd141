"""Slices at random places of a city and of rooms, rendered on the training device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from bearleft.generate.routes import bands
from bearleft.generate.scenes import ROOM_ROUNDS, UNSEEN_ROUNDS
from bearleft.generate.splits import BAND_SHARES
from bearleft.training.backbone.labels import InstanceTables, RenderedSlices
from bearleft.world.city.city import City
from bearleft.world.render import cpu
from bearleft.world.render.camera import Floats32, Lens
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.light import Light
from bearleft.world.rooms.shell import CATEGORIES
from bearleft.world.slices import SLICE_COUNT, SLICE_DEGREES

Ints = npt.NDArray[np.int64]
DEFAULT_LIGHT = Light()
# Mostly the default light; few directions of the sun, since each is prepared once.
LIGHTS = (*[DEFAULT_LIGHT] * 4, Light(11.0), Light(16.0), Light(14.0, clouds=0.15), Light(14.0, clouds=0.6))
MAX_OFFSET, MAX_OFFSET_INDOORS = 0.6, 0.15  # metres from a place
PITCH_SIGMA = 4.0  # degrees


def places_of_band(city: City, band: int = 0) -> Ints:
    """Return the places of the seen splits (band 0), or of an unseen one (1: dev, 2: test)."""
    if city.plan.indoors:
        rounds = np.arange(len(city.graph)) // len(CATEGORIES) % ROOM_ROUNDS
        return np.flatnonzero(np.array([UNSEEN_ROUNDS.get(int(k), 0) for k in rounds]) == band)
    number = bands(city.graph, BAND_SHARES)
    return np.flatnonzero(np.array([number[place] for place in city.graph.ids]) == band)


@dataclass(frozen=True)
class SceneShare:
    """A scene, the places that slices are rendered from, and its weight among the scenes."""

    city: City
    places: Ints
    share: int


class SliceStream:
    """Render random slices; on a GPU, calls of the same size share their memory."""

    def __init__(self, shares: Sequence[SceneShare], device: str) -> None:
        self.shares, self.device = tuple(shares), device
        self.tables = InstanceTables.from_plans([scene.city.plan for scene in shares], device)
        self._renderers = [_renderer(scene.city, device) for scene in shares]
        self._buffers: dict[tuple[int, int, int], Pictures] = {}

    def scene_counts(self, count: int) -> list[int]:
        """Return how many of `count` slices each scene gets."""
        until = np.cumsum([0, *(scene.share for scene in self.shares)])
        return [int(n) for n in np.diff(np.rint(until / until[-1] * count))]

    def render(self, rng: np.random.Generator, count: int, lens: Lens, canonical: bool = False) -> RenderedSlices:
        """Render slices, scene by scene; `canonical` ones are level and in the default light."""
        light = DEFAULT_LIGHT if canonical else LIGHTS[rng.integers(len(LIGHTS))]
        scene_counts = self.scene_counts(count)
        poses_by_scene = [
            _sample_poses(scene, n, rng, canonical) for scene, n in zip(self.shares, scene_counts, strict=True)
        ]
        render = self._render_cpu if self.device == "cpu" else self._render_gpu
        slices = render(poses_by_scene, lens, light)
        begin = scene_counts[0]
        for offset, n in zip(self.tables.offsets[1:], scene_counts[1:], strict=True):
            own = slices.instance[begin : begin + n]
            own += offset * (own > 0)
            begin += n
        return slices

    def _render_cpu(self, poses_by_scene: list[Floats32], lens: Lens, light: Light) -> RenderedSlices:
        rendered = [
            cpu.render(scene.city.scene, poses, lens, light)
            for scene, poses in zip(self.shares, poses_by_scene, strict=True)
            if len(poses)
        ]
        names = [field.name for field in fields(RenderedSlices)]
        return RenderedSlices(
            *(torch.from_numpy(np.concatenate([getattr(x, name) for x in rendered])) for name in names)
        )

    def _render_gpu(self, poses_by_scene: list[Floats32], lens: Lens, light: Light) -> RenderedSlices:
        size = sum(len(poses) for poses in poses_by_scene), lens.width, lens.height
        if size not in self._buffers:
            self._buffers[size] = self._renderers[0].empty(size[0], lens)
        out, begin = self._buffers[size], 0
        arrays = [getattr(out, field.name) for field in fields(RenderedSlices)]
        for renderer, poses in zip(self._renderers, poses_by_scene, strict=True):
            if len(poses):
                part = Pictures(*(x[begin : begin + len(poses)] for x in arrays))
                renderer.into(part, poses, lens, light)
                begin += len(poses)
        return RenderedSlices(*arrays)


def _renderer(city: City, device: str) -> Any:
    """Return a city's renderer; None on the CPU, which needs none."""
    if device == "cpu":
        return None
    from bearleft.world.render.gpu import Renderer  # its import needs CUDA

    return Renderer(city.scene)


def _sample_poses(scene: SceneShare, count: int, rng: np.random.Generator, canonical: bool) -> Floats32:
    """Return poses at random places; half of the headings are those of the panorama's slices, half are random."""
    place = rng.choice(scene.places, count)
    sliced = scene.city.graph.yaw[place] + SLICE_DEGREES / 2 + SLICE_DEGREES * rng.integers(SLICE_COUNT, size=count)
    if canonical:
        return scene.city.poses(place, sliced % 360.0)
    heading = np.where(rng.random(count) < 0.5, sliced % 360.0, rng.uniform(0, 360, count))
    pitch = np.where(rng.random(count) < 0.5, 0.0, rng.normal(0, PITCH_SIGMA, count))
    poses = scene.city.poses(place, heading, pitch)
    offset = MAX_OFFSET_INDOORS if scene.city.plan.indoors else MAX_OFFSET
    poses[:, :2] += rng.uniform(-offset, offset, (count, 2)).astype(np.float32)
    return poses
