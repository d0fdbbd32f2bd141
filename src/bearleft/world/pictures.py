"""Pictures of worlds: rendered ones, or panoramas of an album.

`PictureSource` is what environments, networks and reports take pictures from. `open_pictures` decides which source a
world gets, and `EnvPictures` adds pictures to the observations of Gymnasium environments.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.records import Direction, Pose
from bearleft.runtime.compiled import num_threads
from bearleft.types import DataFolder, Observation, Progress
from bearleft.world.album.album import Album, find_album, open_albums
from bearleft.world.album.views import ByteCache, Sphere
from bearleft.world.city.city import City, open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import Lens, panorama, view
from bearleft.world.render.cpu import Pictures, check_samples
from bearleft.world.render.devices import Render, check_device, renderer
from bearleft.world.render.light import Light
from bearleft.world.worlds import open_world, world_kind

Bytes = npt.NDArray[np.uint8]
Size = int | tuple[int, int]  # a width, or width and height, in pixels
VIEW_SIZE, PANORAMA_WIDTH = 224, 512  # default pixels
PICTURE_KINDS = ("view", "panorama")
CACHE_BYTES = 512 << 20  # of panoramas that an AlbumPictures keeps in memory


class PictureSource(ABC):
    """Pictures from the places of a world; the same poses give the same pictures."""

    world: str

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The graph of the world."""

    @abstractmethod
    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = VIEW_SIZE,
        fov: float = 90.0,
    ) -> Bytes:
        """Return perspective views (n, height, width, 3) from places (by index) in directions.

        Args:
            places: Indices of places (n).
            headings: Headings in degrees, one or n.
            pitches: Pitches in degrees, one or n.
            size: Width, or width and height, in pixels.
            fov: Horizontal field of view in degrees.
        """

    @abstractmethod
    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = PANORAMA_WIDTH) -> Bytes:
        """Return panoramas (n, height, width, 3) with the headings `yaws` in the middle column."""

    @abstractmethod
    def place_index(self, place: str) -> int:
        """Return the index of a place by its id, as `views` and `panoramas` take it."""

    def view(self, pose: Pose, size: Size = VIEW_SIZE, fov: float = 90.0) -> Bytes:
        """Return the view (height, width, 3) from a pose."""
        if pose.place is None:
            raise InputError("a pose at a place", "one without")
        picture: Bytes = self.views([self.place_index(pose.place)], pose.look.heading, pose.look.pitch, size, fov)[0]
        return picture

    def panorama(self, place: str, yaw: float = 0.0, size: Size = PANORAMA_WIDTH) -> Bytes:
        """Return the panorama (height, width, 3) of a place, heading `yaw` in the middle column."""
        picture: Bytes = self.panoramas([self.place_index(place)], yaw, size)[0]
        return picture

    def observe(
        self, observation: Observation, see: str = "view", size: Size | None = None, fov: float = 90.0
    ) -> Bytes:
        """Return the picture that belongs to an observation: the view ahead, or the panorama around.

        The panorama of a Point leg has its yaw in the middle, any other the current heading.
        """
        place, heading = observation["place"], float(observation["heading"])
        if make_lens(see, size, fov).fov is None:
            return self.panorama(place, float(observation.get("yaw", heading)), size or PANORAMA_WIDTH)
        return self.view(Pose(Direction(heading, observation.get("pitch", 0.0)), place), size or VIEW_SIZE, fov)


class RenderedPictures(PictureSource):
    """Rendered pictures of a city or of rooms.

    Args:
        city: The city to render.
        device: "cpu" or "cuda".
        light: Sun and sky; daylight by default.
        samples: Rays per pixel side, for smooth edges.
        shadows: Whether to render shadows.
    """

    def __init__(
        self, city: City, device: str = "cpu", light: Light | None = None, samples: int = 1, shadows: bool = True
    ) -> None:
        self.city, self.device, self.light = city, check_device(device), light or Light()
        self.samples, self.shadows = check_samples(samples), shadows
        self.world = city.graph.name

    @property
    def graph(self) -> Graph:
        """The graph of the city."""
        return self.city.graph

    @cached_property
    def _render(self) -> Render:
        return renderer(self.city.scene, self.device)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what lies on the GPU, so that an environment can be sent to another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_render"}

    def render(self, poses: npt.ArrayLike, lens: Lens) -> Pictures:
        """Return colours, depth, instances, parts and classes from poses (rows as of `camera.poses`)."""
        return self._render(poses, lens, self.light, self.samples, self.shadows)

    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = VIEW_SIZE,
        fov: float = 90.0,
    ) -> Bytes:
        """Render perspective views (n, height, width, 3) from places in directions."""
        return self.render(self.city.poses(places, headings, pitches), make_lens("view", size, fov)).rgb

    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = PANORAMA_WIDTH) -> Bytes:
        """Render panoramas (n, height, width, 3) with the headings `yaws` in the middle column."""
        return self.render(self.city.poses(places, yaws), make_lens("panorama", size)).rgb

    def place_index(self, place: str) -> int:
        """Return the index of a place in the graph."""
        return self.graph.place_index(place)


class AlbumPictures(PictureSource):
    """Pictures cut from the stored panoramas of an album, photographed or rendered.

    Places have the numbers of the world's graph, or those of the album if the world has none (Refer360). The panoramas
    read last stay in memory.
    """

    def __init__(self, album: Album, world: str, data: DataFolder = None) -> None:
        self.album, self.world, self.data = album.of(world), world, data
        self._cache: ByteCache[Sphere] = ByteCache(CACHE_BYTES, _size_in_bytes)

    @cached_property
    def graph(self) -> Graph:
        """The graph of the world; InputError if the world has none."""
        return open_world(self.world, self.data)

    @property
    def _has_graph(self) -> bool:
        return world_kind(self.world).has_graph

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return self.graph.ids if self._has_graph else self.album.ids

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {place: k for k, place in enumerate(self._ids)}

    def place_index(self, place: str) -> int:
        """Return the index of a place in the graph, or in the album if the world has no graph."""
        if place not in self._indices:
            if not self._has_graph:
                self.album.entry(place)  # raises an error that suggests the nearest place
            raise InputError(f"a place of the world {self.world}", format_value(place), file=str(self.album.folder))
        return self._indices[place]

    def sphere(self, number: int) -> Sphere:
        """Return the panorama of a place, to cut views from."""
        place = self._ids[number]
        return self._cache.get(place, lambda: self.album.sphere(place))

    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = VIEW_SIZE,
        fov: float = 90.0,
    ) -> Bytes:
        """Cut perspective views (n, height, width, 3) from the panoramas of places."""
        lens, numbers = make_lens("view", size, fov), np.atleast_1d(np.asarray(places))
        looks = zip(numbers, _broadcast(headings, numbers), _broadcast(pitches, numbers), strict=True)
        return np.stack([self.sphere(int(k)).view(float(h), float(p), lens) for k, h, p in looks])

    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = PANORAMA_WIDTH) -> Bytes:
        """Return stored panoramas (n, height, width, 3), rotated so that `yaws` are in the middle column."""
        lens, numbers = make_lens("panorama", size), np.atleast_1d(np.asarray(places))
        turns = zip(numbers, _broadcast(yaws, numbers), strict=True)
        return np.stack([self.sphere(int(k)).rotated(float(yaw), lens.width, lens.height) for k, yaw in turns])

    def slices(
        self,
        picture_indices: npt.NDArray[np.int64],
        yaws: npt.NDArray[np.float64],
        headings: npt.NDArray[np.float64],
        lens: Lens,
    ) -> Bytes:
        """Return views (n * m, height, width, 3) of n panoramas at m headings each.

        `picture_indices` are indices of the album, not of the graph: some of Touchdown's pictures are of places
        that its graph does not have. `yaws` are the headings that the dataset gives for the middle columns.
        """
        with ThreadPoolExecutor(num_threads()) as pool:
            return np.concatenate(
                list(pool.map(self._slices, picture_indices, yaws, headings, [lens] * len(picture_indices)))
            )

    def _slices(self, picture_index: np.int64, yaw: np.float64, headings: npt.NDArray[np.float64], lens: Lens) -> Bytes:
        sphere, entry = self.album.sphere(int(picture_index)), self.album.places[picture_index]
        if self.album.about.source is not None and entry.east is None and self._has_graph:
            headings = headings - yaw + sphere.yaw  # a photograph without a heading: its middle is the panorama's
        views: Bytes = sphere.views(headings, 0.0, lens)
        return views


def _size_in_bytes(sphere: Sphere) -> int:
    return sphere.nbytes


def _broadcast(angles: npt.ArrayLike, places: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return one angle for each place, from one for all or one for each."""
    return np.broadcast_to(np.asarray(angles, float), len(places))


def make_lens(see: str, size: Size | None = None, fov: float = 90.0) -> Lens:
    """Return the lens of a "view" or "panorama"; `size` is a width, or width and height, in pixels."""
    if see not in PICTURE_KINDS:
        raise InputError("view or panorama", format_value(see), "see")
    if size is None:
        size = VIEW_SIZE if see == "view" else PANORAMA_WIDTH
    if isinstance(size, int):
        return view(size, size, fov) if see == "view" else panorama(size)
    if len(size) != 2:
        raise InputError("a width, or width and height", format_value(size), "size")
    return view(size[0], size[1], fov) if see == "view" else panorama(size[0], size[1])


def find_pictures(
    world: str,
    albums: Sequence[Album] = (),
    city: int | None = None,
    device: str = "cpu",
    data: DataFolder = None,
    progress: Progress | None = None,
) -> PictureSource | None:
    """Return the pictures of a world: its album, else rendered ones; None if there are neither.

    Args:
        world: The world's name.
        albums: Albums of which one may be of this world.
        city: Seed of the city to build on streets that have no city of their own.
        device: Device of the renderer, "cpu" or "cuda".
        data: The folder of real datasets.
        progress: Called while a city is built.
    """
    if (album := find_album(world, albums)) is not None:
        return AlbumPictures(album, world, data)
    kind = world_kind(world)
    if kind.rendered_places:
        return RenderedPictures(open_city(world, None, data, progress), device)
    if kind.buildable and city is not None:
        return RenderedPictures(open_city(world, city, data, progress), device)
    return None


@dataclass(frozen=True)
class PictureConfig:
    """Where the pictures of worlds come from.

    Args:
        folders: Folders of albums; a world takes its pictures from the album that fits it.
        city: Seed of the city to build on streets that have no city of their own.
        data: The folder of real datasets.
    """

    folders: Sequence[str | os.PathLike[str]] = ()
    city: int | None = None
    data: DataFolder = None


RENDERED = PictureConfig()  # no albums: worlds with a city of their own, and rooms, are rendered


def open_pictures(worlds: Iterable[str], config: PictureConfig = RENDERED) -> dict[str, PictureSource]:
    """Return the picture source of each world.

    Args:
        worlds: Names of worlds.
        config: Albums, and the city to build.

    Raises:
        InputError: A world has neither an album nor a scene to render, or `city` is given for worlds without streets.
    """
    worlds = sorted(set(worlds))
    check_buildable(config.city, worlds)
    albums = open_albums(config.folders)
    sources: dict[str, PictureSource] = {}
    for world in worlds:
        source = find_pictures(world, albums, config.city, data=config.data)
        if source is None:
            got = f"albums of {', '.join(str(album.world) for album in albums)}" if albums else "none"
            hint = "Name their folder with --pictures FOLDER."
            if world_kind(world).buildable:
                hint += " Or let bearleft features, train or eval build a city on its streets: --city 0"
            raise InputError(f"pictures of the world {format_value(world)}", got, hint=hint)
        sources[world] = source
    return sources


def check_buildable(city: int | None, worlds: Sequence[str]) -> None:
    """Raise InputError if a city's seed is given and a city can be built in none of the worlds."""
    if city is not None and not any(world_kind(world).buildable for world in worlds):
        raise InputError("a world of streets to build a city on", ", ".join(worlds[:3]) or "no world", "city")


class PictureOptions(TypedDict, total=False):
    """Picture options of every environment.

    `see` is "view", "panorama", or None for no pictures; `size` a width or (width, height) in pixels; `fov` the field
    of view in degrees; `city` the seed of the city on the streets of a world without one; `light`, `samples`,
    `device` and `shadows` as of RenderedPictures. `pictures` is the folder of an album to show instead of a rendered
    city, or several folders, of which each world takes its own.
    """

    see: str | None
    size: Size | None
    fov: float
    city: int | None
    light: Light | None
    samples: int
    device: str
    shadows: bool
    pictures: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None


def required_album(world: str, albums: Sequence[Album]) -> Album:
    """Return the album of a world among several, or raise InputError."""
    album = find_album(world, albums)
    if album is None and len(albums) > 1:
        got = f"albums of {', '.join(str(album.world) for album in albums)}"
        raise InputError(f"an album of the world {world}", got, "pictures")
    return album or albums[0].of(world)


class EnvPictures:
    """Adds pictures of an environment's worlds to its observations, as its options say."""

    def __init__(
        self, worlds: set[str], render_mode: str | None, data: DataFolder, **options: Unpack[PictureOptions]
    ) -> None:
        if extra := set(options) - set(PictureOptions.__annotations__):
            raise unknown_name("picture option", min(extra), PictureOptions.__annotations__)
        if render_mode not in (None, "rgb_array"):
            raise InputError("the render mode rgb_array, or none", format_value(render_mode), "render_mode")
        self.see, self.size, self.fov = options.get("see"), options.get("size"), options.get("fov", 90.0)
        self.lens = None if self.see is None else make_lens(self.see, self.size, self.fov)
        needed = sorted(worlds) if self.see or render_mode else []
        self.sources: dict[str, PictureSource] = {}
        if (pictures := options.get("pictures")) is None:
            light, samples, device = options.get("light"), options.get("samples", 1), options.get("device", "cpu")
            for world in needed:
                if not world_kind(world).renderable:
                    hint = 'Name the folder of its panoramas: --pictures FOLDER, in Python pictures="FOLDER".'
                    raise InputError(f"pictures of the world {format_value(world)}", "none", "pictures", hint=hint)
                city = open_city(world, options.get("city"), data)
                self.sources[world] = RenderedPictures(city, device, light, samples, options.get("shadows", True))
            return
        if other := {"light", "samples", "device", "city", "shadows"} & set(options):
            raise InputError("stored pictures, or rendered ones", f"pictures and {min(other)}", "pictures")
        if not needed:
            hint = 'Say see="view" or see="panorama" too, or render_mode="rgb_array".'
            raise InputError(
                "pictures with see=, which says what is seen of them", "pictures alone", "pictures", hint=hint
            )
        folders = [pictures] if isinstance(pictures, str | os.PathLike) else list(pictures)
        if not folders:
            raise InputError("at least one folder of panoramas", "none", "pictures")
        albums = open_albums(folders)
        self.sources = {world: AlbumPictures(required_album(world, albums), world, data) for world in needed}

    def add(self, values: Observation, world: str, observation: Observation) -> Observation:
        """Return the values of an observation with the picture that belongs to it."""
        if self.see is None:
            return values
        return {**values, self.see: self.sources[world].observe(observation, self.see, self.size, self.fov)}

    def add_batch(self, values: Observation, world: str, places: npt.ArrayLike, headings: npt.ArrayLike) -> Observation:
        """Return the values of a vector environment's observation with pictures for every walker of one world."""
        if self.see is None or self.lens is None:
            return values
        source, size = self.sources[world], (self.lens.width, self.lens.height)
        if self.see == "panorama":
            return {**values, self.see: source.panoramas(places, headings, size)}
        return {**values, self.see: source.views(places, headings, 0.0, size, self.fov)}
