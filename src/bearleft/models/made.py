"""Features made as they are needed: eight slices of a panorama are rendered, or cut from a stored one, and read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.envs.observe import AlbumEyes, Eyes, Sees
from bearleft.errors import InputError, shown
from bearleft.models.cells import Numbered, pieces
from bearleft.models.examples import Panorama
from bearleft.models.trunk import Trunk
from bearleft.world.album.album import Album, album_of
from bearleft.world.city.city import open_city
from bearleft.world.slices import PAPER, SLICES, TURN, Slicing

OURS = ("city/", "rooms/")
STREETS = ("touchdown", "town/")
PIXELS = 8 * SLICES * PAPER.width * PAPER.height  # rendered at once on a GPU: 16 bytes each, twice
FEW = 2  # panoramas read at once on a CPU, where more are no faster
Paths = Sequence[str | os.PathLike[str]]


def open_eyes(
    worlds: Iterable[str], pictures: Paths = (), seed: int | None = None, data: str | os.PathLike[str] | None = None
) -> dict[str, Sees]:
    """Who sees each world: the album that fits it, else a renderer where a city or rooms stand.

    `seed`: the city that is built on streets that have none of their own.
    """
    albums = [Album.open(folder) for folder in pictures]
    return {world: _eyes(world, albums, seed, data) for world in sorted(set(worlds))}


def _eyes(world: str, albums: Sequence[Album], seed: int | None, data: str | os.PathLike[str] | None) -> Sees:
    if (album := album_of(world, albums)) is not None:
        return AlbumEyes(album.of(world), world, data)
    if world.startswith(OURS):
        return Eyes(open_city(world, None, data))
    streets = world.startswith(STREETS)
    if streets and seed is not None:
        return Eyes(open_city(world, seed, data))
    came = f"albums of {', '.join(str(album.world) for album in albums)}" if albums else "none"
    hint = "Name the folder with --pictures FOLDER" + (", or build a city on its streets with --seed 0." * streets)
    raise InputError(f"pictures of the world {shown(world)}", came, "pictures", hint=hint)


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
        self._place = np.array([self._stands(panorama) for panorama in self.panoramas], np.int64)
        self._looks = slicing.headings([panorama.yaw for panorama in self.panoramas])  # (n, 8)
        self.piece = FEW
        if self.device.type == "cuda":
            from bearleft.models.card import Card  # asks for CUDA when it is imported

            self.piece = max(1, PIXELS // (SLICES * slicing.width * slicing.height))
            self._card = Card(self.eyes, slicing.lens, self.piece * SLICES, self.device)

    def _stands(self, panorama: Panorama) -> int:
        """The number of a panorama's place in its world; an error where there is no picture of it."""
        eyes = self.eyes[panorama.world]
        number = eyes.number(panorama.place)
        if isinstance(eyes, AlbumEyes):
            eyes.album.entry(panorama.place)
        return number

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def __call__(self, pictures: Tensor) -> Tensor:
        asked = pictures.cpu().numpy()
        order = np.argsort(self._world[asked], kind="stable")  # a piece is rendered world by world
        shape = (len(asked), self.slicing.rows, self.slicing.columns, self.channels)
        out = torch.empty(shape, dtype=self.dtype, device=self.device)
        # Not under inference_mode: what it makes cannot be learnt from.
        if self.device.type == "cuda":
            with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16):
                self._card.fill(self._groups(asked[order]), lambda rgb, a, b: self._put(out, rgb, a, b))
        else:
            with torch.inference_mode():
                for begin, end in pieces(len(asked), self.piece):
                    self._put(out, torch.from_numpy(self.slices(asked[order][begin:end])), begin, end)
        if (np.diff(order) < 0).any():
            out = out[torch.from_numpy(np.argsort(order)).to(self.device)]
        return out.permute(0, 3, 1, 2)

    def slices(self, asked: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Pictures of panoramas as they lie on the CPU: (n * 8, height, width, 3)."""
        size = self.slicing.width, self.slicing.height
        seen = [
            self.eyes[world].views(np.repeat(places, SLICES), looks.ravel(), 0.0, size, TURN)
            for world, places, looks in self._groups_of(asked)
        ]
        return np.concatenate(seen)

    def _groups_of(self, asked: npt.NDArray[np.int64]) -> list[tuple[str, Any, Any]]:
        """Runs of panoramas of one world: its name, places (m,) and headings (m, 8)."""
        ends = np.flatnonzero(np.diff(self._world[asked])) + 1
        runs = [run for run in np.split(asked, ends) if len(run)]
        return [(self.worlds[self._world[run[0]]], self._place[run], self._looks[run]) for run in runs]

    def _groups(self, asked: npt.NDArray[np.int64]) -> list[list[tuple[str, Any, Any]]]:
        """The same for each piece."""
        return [self._groups_of(asked[begin:end]) for begin, end in pieces(len(asked), self.piece)]

    def _put(self, out: Tensor, rgb: Tensor, begin: int, end: int) -> None:
        """Slices through the trunk, each alone, and side by side into the map."""
        cells = self.trunk(rgb).permute(0, 2, 3, 1)
        rows, across = self.slicing.rows, self.slicing.across
        if cells.shape[1:] != (rows, across, self.channels):
            came = " x ".join(str(side) for side in cells.shape[1:])
            raise InputError(f"a trunk that makes {rows} x {across} x {self.channels} of a slice", came, "trunk")
        joined = cells.reshape(end - begin, SLICES, rows, across, self.channels).transpose(1, 2)
        out[begin:end].view(end - begin, rows, SLICES, across, self.channels).copy_(joined)
