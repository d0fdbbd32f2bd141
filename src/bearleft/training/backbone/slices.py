"""Slices at random places of a city and of rooms, rendered where they are learnt from; on a GPU nothing leaves it."""

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
from bearleft.training.backbone.labels import Seen, Tables
from bearleft.world.city.city import City
from bearleft.world.render import cpu
from bearleft.world.render.camera import Floats32, Lens
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.light import Light
from bearleft.world.rooms.shell import CATEGORIES
from bearleft.world.slices import SLICES, TURN

Ints = npt.NDArray[np.int64]
USUAL = Light()
# Mostly the light in which pictures are usually made; few directions of the sun, since each is prepared once.
LIGHTS = (USUAL, USUAL, USUAL, USUAL, Light(11.0), Light(16.0), Light(14.0, clouds=0.15), Light(14.0, clouds=0.6))
APART, APART_INDOORS = 0.6, 0.15  # metres beside a place, at most
TILT = 4.0  # degrees, the deviation of pitches


def seen_places(city: City, band: int = 0) -> Ints:
    """The places that datasets ask about: in the seen splits (band 0), or in an unseen one (1: dev, 2: test)."""
    if city.plan.indoors:
        rounds = np.arange(len(city.graph)) // len(CATEGORIES) % ROOM_ROUNDS
        return np.flatnonzero(np.array([UNSEEN_ROUNDS.get(int(k), 0) for k in rounds]) == band)
    number = bands(city.graph, BAND_SHARES)
    return np.flatnonzero(np.array([number[place] for place in city.graph.ids]) == band)


@dataclass(frozen=True)
class Share:
    """A scene, the places in it that may be looked from, and how many of three slices are of it."""

    city: City
    places: Ints
    share: int


class Feed:
    """Renders rounds of slices; the memory of a round is used again by the next of the same size."""

    def __init__(self, shares: Sequence[Share], device: str) -> None:
        self.shares, self.device = tuple(shares), device
        self.tables = Tables.of([one.city.plan for one in shares], device)
        self._renderers = [_renderer(one.city, device) for one in shares]
        self._room: dict[tuple[int, int, int], Pictures] = {}

    def counts(self, count: int) -> list[int]:
        """How many of so many slices are of each scene."""
        until = np.cumsum([0, *(one.share for one in self.shares)])
        return [int(n) for n in np.diff(np.rint(until / until[-1] * count))]

    def round(self, rng: np.random.Generator, count: int, lens: Lens, usual: bool = False) -> Seen:
        """So many slices, first those of the first scene; `usual` ones are level and in the usual light."""
        light = USUAL if usual else LIGHTS[rng.integers(len(LIGHTS))]
        counts = self.counts(count)
        looks = [_poses(one, n, rng, usual) for one, n in zip(self.shares, counts, strict=True)]
        make = self._rendered if self.device == "cpu" else self._on_card
        seen = make(looks, lens, light)
        begin = counts[0]
        for first, n in zip(self.tables.first[1:], counts[1:], strict=True):
            own = seen.instance[begin : begin + n]
            own += first * (own > 0)
            begin += n
        return seen

    def _rendered(self, looks: list[Floats32], lens: Lens, light: Light) -> Seen:
        every = [
            cpu.render(one.city.scene, p, lens, light) for one, p in zip(self.shares, looks, strict=True) if len(p)
        ]
        names = [field.name for field in fields(Seen)]
        return Seen(*(torch.from_numpy(np.concatenate([getattr(x, name) for x in every])) for name in names))

    def _on_card(self, looks: list[Floats32], lens: Lens, light: Light) -> Seen:
        size = sum(len(p) for p in looks), lens.width, lens.height
        if size not in self._room:
            self._room[size] = self._renderers[0].empty(size[0], lens)
        out, begin = self._room[size], 0
        arrays = [getattr(out, field.name) for field in fields(Seen)]
        for renderer, look in zip(self._renderers, looks, strict=True):
            if len(look):
                part = Pictures(*(x[begin : begin + len(look)] for x in arrays))
                renderer.into(part, look, lens, light)
                begin += len(look)
        return Seen(*arrays)


def _renderer(city: City, device: str) -> Any:
    """None on the CPU, which needs none."""
    if device == "cpu":
        return None
    from bearleft.world.render.gpu import Renderer  # asks for CUDA when it is imported

    return Renderer(city.scene)


def _poses(one: Share, count: int, rng: np.random.Generator, usual: bool) -> Floats32:
    """Random places: half of the headings as slices of the place's panorama have, half of them any."""
    place = rng.choice(one.places, count)
    sliced = one.city.graph.yaw[place] + TURN / 2 + TURN * rng.integers(SLICES, size=count)
    if usual:
        return one.city.poses(place, sliced % 360.0)
    heading = np.where(rng.random(count) < 0.5, sliced % 360.0, rng.uniform(0, 360, count))
    pitch = np.where(rng.random(count) < 0.5, 0.0, rng.normal(0, TILT, count))
    poses = one.city.poses(place, heading, pitch)
    apart = APART_INDOORS if one.city.plan.indoors else APART
    poses[:, :2] += rng.uniform(-apart, apart, (count, 2)).astype(np.float32)
    return poses
