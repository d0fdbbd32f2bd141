"""Eyes: what one sees in a city or in stored panoramas, for games, agents and environments."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown, unknown
from bearleft.records import Direction, Pose
from bearleft.types import Observation
from bearleft.world.album.album import Album, album_of
from bearleft.world.album.importers import REFER360
from bearleft.world.album.views import Cache, Sphere
from bearleft.world.city.city import City, open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import Lens, panorama, view
from bearleft.world.render.cpu import Pictures, check_samples
from bearleft.world.render.devices import Render, check_device, renderer
from bearleft.world.render.light import Light
from bearleft.world.worlds import open_world

Bytes = npt.NDArray[np.uint8]
Size = int | tuple[int, int]
SIDE, ACROSS = 224, 512  # usual pixels of a view's side, of a panorama's width
SEE = ("view", "panorama")
KEPT = 512 << 20  # bytes of panoramas that stored eyes remember


class Sees(ABC):
    """Sees places of a world, one at a time or many at once; the same poses give the same pictures."""

    world: str

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """Where one can stand."""

    @abstractmethod
    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = SIDE,
        fov: float = 90.0,
    ) -> Bytes:
        """What one sees from places (numbers) in directions: (n, height, width, 3)."""

    @abstractmethod
    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = ACROSS) -> Bytes:
        """All one sees around places, heading `yaws` in the middle: (n, height, width, 3)."""

    @abstractmethod
    def number(self, place: str) -> int:
        """The number that `views` and `panoramas` call a place by."""

    def view(self, pose: Pose, size: Size = SIDE, fov: float = 90.0) -> Bytes:
        """What one sees from a pose: (height, width, 3)."""
        if pose.place is None:
            raise InputError("a pose at a place", "one without")
        seen: Bytes = self.views([self.number(pose.place)], pose.look.heading, pose.look.pitch, size, fov)[0]
        return seen

    def panorama(self, place: str, yaw: float = 0.0, size: Size = ACROSS) -> Bytes:
        """All one sees around a place, heading `yaw` in the middle: (height, width, 3)."""
        seen: Bytes = self.panoramas([self.number(place)], yaw, size)[0]
        return seen

    def watch(self, observation: Observation, see: str = "view", size: Size | None = None, fov: float = 90.0) -> Bytes:
        """What the player of a game sees who was shown `observation`: a view ahead, or the panorama around.

        The panorama of a Point has its yaw in the middle, any other the heading one looks in.
        """
        place, heading = observation["place"], float(observation["heading"])
        if lens_of(see, size, fov).fov is None:
            return self.panorama(place, float(observation.get("yaw", heading)), size or ACROSS)
        return self.view(Pose(Direction(heading, observation.get("pitch", 0.0)), place), size or SIDE, fov)


class Eyes(Sees):
    """Sees a city from its places.

    `device` is "cpu" or "cuda", `samples` how many rays a side smooth a pixel's edges.
    """

    def __init__(
        self, city: City, device: str = "cpu", light: Light | None = None, samples: int = 1, shadows: bool = True
    ) -> None:
        self.city, self.device, self.light = city, check_device(device), light or Light()
        self.samples, self.shadows = check_samples(samples), shadows
        self.world = city.graph.name

    @property
    def graph(self) -> Graph:
        return self.city.graph

    @cached_property
    def _render(self) -> Render:
        return renderer(self.city.scene, self.device)

    def __getstate__(self) -> dict[str, Any]:
        """Without what lies on the GPU, so that an environment can go to another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_render"}

    def look(self, poses: npt.ArrayLike, lens: Lens) -> Pictures:
        """Colours, depth, instances, parts and classes from poses (rows as of `camera.poses`)."""
        return self._render(poses, lens, self.light, self.samples, self.shadows)

    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = SIDE,
        fov: float = 90.0,
    ) -> Bytes:
        return self.look(self.city.poses(places, headings, pitches), lens_of("view", size, fov)).rgb

    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = ACROSS) -> Bytes:
        return self.look(self.city.poses(places, yaws), lens_of("panorama", size)).rgb

    def number(self, place: str) -> int:
        return self.graph.number(place)


class AlbumEyes(Sees):
    """Sees the places of a world in stored panoramas, a camera's or a renderer's.

    Places go by the world's numbers, or by the album's where the world is no graph (Refer360). The last panoramas read
    are kept.
    """

    def __init__(self, album: Album, world: str, data: str | os.PathLike[str] | None = None) -> None:
        self.album, self.world, self.data = album.of(world), world, data
        self._kept: Cache[Sphere] = Cache(KEPT, _bytes)

    @cached_property
    def graph(self) -> Graph:
        return open_world(self.world, self.data)

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return self.album.ids if self.world == REFER360 else self.graph.ids

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {place: k for k, place in enumerate(self._ids)}

    def number(self, place: str) -> int:
        if place not in self._numbers:
            where = "the album" if self.world == REFER360 else f"the world {self.world}"
            raise InputError(f"a place of {where}", shown(place), file=str(self.album.folder))
        return self._numbers[place]

    def sphere(self, number: int) -> Sphere:
        """The panorama of a place, to cut views from."""
        place = self._ids[number]
        return self._kept.get(place, lambda: self.album.sphere(place))

    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = SIDE,
        fov: float = 90.0,
    ) -> Bytes:
        lens, numbers = lens_of("view", size, fov), np.atleast_1d(np.asarray(places))
        looks = zip(numbers, _each(headings, numbers), _each(pitches, numbers), strict=True)
        return np.stack([self.sphere(int(k)).view(float(h), float(p), lens) for k, h, p in looks])

    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = ACROSS) -> Bytes:
        lens, numbers = lens_of("panorama", size), np.atleast_1d(np.asarray(places))
        turns = zip(numbers, _each(yaws, numbers), strict=True)
        return np.stack([self.sphere(int(k)).turned(float(yaw), lens.width, lens.height) for k, yaw in turns])


def _bytes(sphere: Sphere) -> int:
    return sphere.nbytes


def _each(angles: npt.ArrayLike, places: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """An angle for every place, where one is given for all or one each."""
    return np.broadcast_to(np.asarray(angles, float), len(places))


def lens_of(see: str, size: Size | None = None, fov: float = 90.0) -> Lens:
    """A lens for "view" or "panorama"; `size` is a width, or width and height."""
    if see not in SEE:
        raise InputError("to see a view or a panorama", shown(see), "see")
    if size is None:
        size = SIDE if see == "view" else ACROSS
    if isinstance(size, int):
        return view(size, size, fov) if see == "view" else panorama(size)
    if len(size) != 2:
        raise InputError("a width, or width and height", shown(size), "size")
    return view(size[0], size[1], fov) if see == "view" else panorama(size[0], size[1])


class Seeing(TypedDict, total=False):
    """What every environment can be asked for beside its own options.

    `see` is "view", "panorama" or None for no pictures; `size` a width or (width, height) in pixels; `fov` degrees
    across a view; `city` the city that stands on the streets of a world that is none itself; `light`, `samples`
    and `device` as of Eyes. `pictures` is a folder of panoramas (see world/album) that are shown instead of a city, or
    several, where each world finds its own.
    """

    see: str | None
    size: Size | None
    fov: float
    city: int | None
    light: Light | None
    samples: int
    device: str
    pictures: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None


def _needed_album(world: str, albums: Sequence[Album]) -> Album:
    """The album of a world among several, which must be there."""
    found = album_of(world, albums)
    if found is None and len(albums) > 1:
        got = f"albums of {', '.join(str(album.world) for album in albums)}"
        raise InputError(f"an album of the world {world}", got, "pictures")
    return found or albums[0].of(world)


class Sight:
    """What an environment shows of its worlds: nothing, pictures of the cities on their streets, or stored ones."""

    def __init__(
        self, worlds: set[str], render_mode: str | None, data: str | os.PathLike[str] | None, **asked: Unpack[Seeing]
    ) -> None:
        if extra := set(asked) - set(Seeing.__annotations__):
            raise unknown("option of what is seen", min(extra), Seeing.__annotations__)
        if render_mode not in (None, "rgb_array"):
            raise InputError("the render mode rgb_array, or none", shown(render_mode), "render_mode")
        self.see, self.size, self.fov = asked.get("see"), asked.get("size"), asked.get("fov", 90.0)
        self.lens = None if self.see is None else lens_of(self.see, self.size, self.fov)
        expected = sorted(worlds) if self.see or render_mode else []
        self.eyes: dict[str, Sees] = {}
        if (pictures := asked.get("pictures")) is None:
            light, samples, device = asked.get("light"), asked.get("samples", 1), asked.get("device", "cpu")
            for world in expected:
                self.eyes[world] = Eyes(open_city(world, asked.get("city"), data), device, light, samples)
            return
        if other := {"light", "samples", "device", "city"} & set(asked):
            raise InputError("stored pictures, or rendered ones", f"pictures and {min(other)}", "pictures")
        if not expected:
            hint = 'Say see="view" or see="panorama" too, or render_mode="rgb_array".'
            raise InputError(
                "pictures with see=, which says what is seen of them", "pictures alone", "pictures", hint=hint
            )
        folders = [pictures] if isinstance(pictures, str | os.PathLike) else list(pictures)
        if not folders:
            raise InputError("at least one folder of panoramas", "none", "pictures")
        albums = [Album.open(folder) for folder in folders]
        self.eyes = {world: AlbumEyes(_needed_album(world, albums), world, data) for world in expected}

    def add(self, shown: Observation, world: str, observation: Observation) -> Observation:
        """What an environment shows, with what the player of its game sees."""
        if self.see is None:
            return shown
        return {**shown, self.see: self.eyes[world].watch(observation, self.see, self.size, self.fov)}

    def add_all(self, shown: Observation, world: str, places: npt.ArrayLike, headings: npt.ArrayLike) -> Observation:
        """The same for many who look ahead in one world."""
        if self.see is None or self.lens is None:
            return shown
        eyes, size = self.eyes[world], (self.lens.width, self.lens.height)
        if self.see == "panorama":
            return {**shown, self.see: eyes.panoramas(places, headings, size)}
        return {**shown, self.see: eyes.views(places, headings, 0.0, size, self.fov)}
