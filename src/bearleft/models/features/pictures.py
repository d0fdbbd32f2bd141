"""Who sees the panoramas of each world: a renderer where a city or rooms stand, or a folder of stored pictures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.models.examples import Floats, Panorama
from bearleft.models.features.base import told
from bearleft.runtime.compiled import cores
from bearleft.world.album.album import Album, album_of
from bearleft.world.city.city import open_city
from bearleft.world.pictures import AlbumEyes, Eyes, Sees
from bearleft.world.render.camera import Lens

OURS = ("city/", "rooms/")
STREETS = ("touchdown", "town/")
Bytes = npt.NDArray[np.uint8]
Paths = Sequence[str | os.PathLike[str]]


class Cuts(AlbumEyes):
    """Sees stored panoramas, and cuts slices out of them by the album's own numbers: it may hold more than the world.

    Some of Touchdown's pictures are of places that its graph does not have.
    """

    def slices(self, numbers: npt.NDArray[np.int64], yaws: Floats, looks: Floats, lens: Lens) -> Bytes:
        """What one sees in panoramas (n,) whose middles are said to be `yaws`, at headings (n, m): (n * m, ...)."""
        with ThreadPoolExecutor(cores()) as pool:
            return np.concatenate(list(pool.map(self._one, numbers, yaws, looks, [lens] * len(numbers))))

    def _one(self, number: np.int64, yaw: np.float64, looks: Floats, lens: Lens) -> Bytes:
        sphere, entry = self.album.sphere(int(number)), self.album.places[number]
        if self.album.about.source is not None and entry.east is None:
            looks = looks - yaw + sphere.yaw  # a camera's picture that says no heading: its middle is the panorama's
        cut: Bytes = sphere.views(looks, 0.0, lens)
        return cut


def open_eyes(
    worlds: Iterable[str], pictures: Paths = (), city: int | None = None, data: str | os.PathLike[str] | None = None
) -> dict[str, Sees]:
    """Who sees each world: the album that fits it, else a renderer where a city or rooms stand.

    `city`: the seed of the one that is built on streets that have none of their own.
    """
    worlds = sorted(set(worlds))
    if city is not None and not any(world.startswith(STREETS) for world in worlds):
        raise InputError("a world of streets to build a city on", ", ".join(worlds[:3]) or "no world", "city")
    albums = [Album.open(folder) for folder in pictures]
    return {world: _eyes(world, albums, city, data) for world in worlds}


def _eyes(world: str, albums: Sequence[Album], city: int | None, data: str | os.PathLike[str] | None) -> Sees:
    if (album := album_of(world, albums)) is not None:
        return Cuts(album, world, data)
    if world.startswith(OURS):
        return Eyes(open_city(world, None, data))
    streets = world.startswith(STREETS)
    if streets and city is not None:
        return Eyes(open_city(world, city, data))
    got = f"albums of {', '.join(str(album.world) for album in albums)}" if albums else "none"
    hint = "Name their folder with --pictures FOLDER."
    if streets:
        hint += " Or let bearleft features, train or eval build a city on its streets: --city 0"
    raise InputError(f"pictures of the world {shown(world)}", got, hint=hint)


def numbers_in(eyes: Mapping[str, Sees], panoramas: Sequence[Panorama]) -> npt.NDArray[np.int64]:
    """The number of each panorama's place for who sees it; an error that says how many have no picture."""
    found = np.full(len(panoramas), -1, np.int64)
    for k, panorama in enumerate(panoramas):
        one = eyes[panorama.world]
        index = one.album.numbers if isinstance(one, Cuts) else one.graph.index
        found[k] = index.get(panorama.place, -1)
    if len(dark := np.flatnonzero(found < 0)):
        first = panoramas[dark[0]]
        one = eyes[first.world]
        folder = str(one.album.folder) if isinstance(one, Cuts) else ""
        hint = "Each picture is called by its place's id." if folder else ""
        got = f"none of {len(dark):,} of them, the first being {told(first)}"
        raise InputError(f"pictures of all {len(panoramas):,} panoramas", got, file=folder, hint=hint)
    return found
