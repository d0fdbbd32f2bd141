"""`render`: a picture of a world from any pose in any light, every channel."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.reports.pictures.classes import contact_sheet
from bearleft.reports.pictures.output import check_output, parse_position, parse_size, place_number
from bearleft.runtime.compiled import CACHED
from bearleft.types import DataFolder, Progress
from bearleft.world.channel_images import CHANNELS, add_legend, channel_image, class_name, save_png
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.render.camera import Floats32, Lens, cube, panorama, poses, view
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.cpu import Pictures, check_inside, check_samples
from bearleft.world.render.devices import check_device, renderer
from bearleft.world.render.light import Light
from bearleft.world.render.scene import SOLID, Scene
from bearleft.world.rooms.catalog import ROOM_CLASSES

PROJECTIONS = ("panorama", "view", "cube")
DEFAULT_SIZES = {"panorama": (1024, 512), "view": (640, 480), "cube": (512, 512)}
# Names that give contact sheets of classes instead of worlds.
SHEETS = {"classes": CLASSES, "classes/street": STREET_CLASSES, "classes/rooms": ROOM_CLASSES}
FOV = 90.0
MAX_SOLID_RADIUS = 200.0  # metres: no solid extends farther from its centre
COMPILE_SECONDS = 2.0  # loading compiled code from the cache takes less


@dataclass(frozen=True)
class RenderConfig:
    """What to render.

    Args:
        place: an id or a number.
        at: metres "EAST,NORTH" or "EAST,NORTH,UP"; without `place` and `at` the camera stands at the world's centre.
        heading: degrees; the default is along a street, or towards a room's main wall.
        pitch: degrees.
        roll: degrees.
        fov: degrees across a view.
        size: "WIDTHxHEIGHT" or "WIDTH".
        projection: one of PROJECTIONS.
        channel: one of WHAT, or "all" for a file of each.
        light: sun and sky.
        samples: rays per side of a pixel.
        shadows: whether the sun casts shadows.
        legend: whether a picture of classes gets a legend.
    """

    place: str | None = None
    at: str | None = None
    heading: float | None = None
    pitch: float = 0.0
    roll: float = 0.0
    fov: float = FOV
    size: str | None = None
    projection: str = "panorama"
    channel: str = "rgb"
    light: Light = field(default_factory=Light)
    samples: int = 2
    shadows: bool = True
    legend: bool = False

    def __post_init__(self) -> None:
        if self.projection not in PROJECTIONS:
            raise unknown_name("projection", self.projection, PROJECTIONS)
        if self.channel not in (*CHANNELS, "all"):
            raise unknown_name("channel", self.channel, (*CHANNELS, "all"))
        if self.place is not None and self.at is not None:
            raise InputError("a place or a position", "both")
        for name, value in (("heading", self.heading or 0.0), ("roll", self.roll)):
            if not np.isfinite(value):
                raise InputError(f"a {name} in degrees", format_value(value), name)
        if not -90 <= self.pitch <= 90:
            raise InputError("a pitch from -90 to 90 degrees", format_value(self.pitch), "pitch")
        if self.projection == "cube" and (self.pitch or self.roll):
            raise InputError("a level cube, without pitch and roll", f"{self.pitch:g} and {self.roll:g}")
        if self.projection != "view" and self.fov != FOV:
            raise InputError("a field of view for a view alone", f"one for a {self.projection}", hint="Add --view.")
        if self.legend and self.channel not in ("classes", "all"):
            raise InputError("a legend for classes alone", f"one for {self.channel}", hint="Add --channel classes.")
        check_samples(self.samples)
        self.lens()
        self.position()

    def lens(self) -> Lens:
        """Return size and projection of the picture; for a cube, of one face."""
        width, height = parse_size(self.size, self.projection == "panorama") or DEFAULT_SIZES[self.projection]
        if self.projection == "panorama":
            return panorama(width, height)
        if self.projection == "cube":
            if width != height:
                raise InputError("a square size for the faces of a cube", f"{width} x {height}", "size")
            return view(width, height)
        return view(width, height, self.fov)

    def position(self) -> tuple[float, float, float | None] | None:
        """Return east, north and up, where given; up may be None."""
        if self.at is None:
            return None
        east, north, *up = parse_position(self.at, (2, 3))
        return east, north, up[0] if up else None

    def poses(self, city: City) -> Floats32:
        """Return the poses of the camera: six rows for a cube, else one."""
        at, heading = self.position(), self.heading
        if at is None:
            number = place_number(city.graph, self.place)
            east, north, up = (float(x) for x in city.poses(number)[0, :3])
            links = city.graph.heading[city.graph.links(number)]
            default_heading = links[0] if len(links) else city.graph.yaw[number]
            heading = float(default_heading) if heading is None else heading
        else:
            east, north, up = at[0], at[1], city.plan.eye / 1000.0 if at[2] is None else at[2]
        position = east, north, up
        if self.projection == "cube":
            return cube(position, heading or 0.0)
        return poses(position, heading or 0.0, self.pitch, self.roll)


@dataclass(frozen=True, eq=False)
class RenderResult:
    """Rendered pictures.

    Args:
        images: uint8 arrays of shape (height, width, 3), by channel.
        rows: a row for each picture.
        remarks: remarks for the user.
    """

    images: dict[str, npt.NDArray[np.uint8]]
    rows: list[dict[str, Any]]
    remarks: list[str]


def render(
    world: str = "city/0",
    output: str | os.PathLike[str] | None = None,
    config: RenderConfig | None = None,
    city: int | None = None,
    device: str = "cpu",
    data: DataFolder = None,
    progress: Progress | None = None,
) -> RenderResult:
    """Render a picture of a world, and write each of its channels to a PNG file if you name one.

    Args:
        world: The world, such as "city/0" or "rooms/3"; "classes", "classes/street" and "classes/rooms" are contact
            sheets of all classes of objects.
        output: The file. With several channels, each but rgb is written beside it with its name appended.
        config: Where the camera stands, and what it sees; by default a panorama from the world's centre.
        city: Seed of the city that is built on a street graph without buildings.
        device: cpu or cuda.
        data: Folder of the datasets.
        progress: Called with a label, the work done, and the total.

    Returns:
        The pictures as arrays, and a row for each.

    Raises:
        InputError: An argument is invalid, or the camera stands inside an object.
    """
    config, path = config or RenderConfig(), check_output(output) if output is not None else None
    check_device(device)
    if world in SHEETS:
        return _render_sheet(world, path, progress)
    if world.startswith("classes"):
        raise unknown_name("sheet of classes", world, SHEETS)
    remarks = []
    built_city = open_city(world, city, data, progress)
    camera = config.poses(built_city)
    check_inside(built_city.scene, camera)
    check_outside_objects(built_city, camera[0, :3])
    if progress:
        progress("compiling, or loading compiled code", 0, 0)
    compiling = timed(lambda: _warm_up(device))
    if compiling > COMPILE_SECONDS:
        later = "; the next call loads it from the cache" if CACHED and device == "cpu" else ""
        remarks.append(f"compiled in {compiling:.0f} s{later}")
    if progress:
        progress("rendering", 0, 0)
    began = time.perf_counter()
    pictures = renderer(built_city.scene, device)(camera, config.lens(), config.light, config.samples, config.shadows)
    seconds = time.perf_counter() - began
    images, rows = {}, []
    for channel in CHANNELS if config.channel == "all" else (config.channel,):
        image = np.concatenate(list(channel_image(pictures, channel)), axis=1)
        if config.legend and channel == "classes":
            image = add_legend(image, pictures.kind)
        file = None
        if path is not None:
            file = path if channel in ("rgb", config.channel) else path.with_name(f"{path.stem}-{channel}{path.suffix}")
            save_png(image, file)
        images[channel] = image
        rows.append(_row(file, channel, image, pictures, seconds, compiling))
    return RenderResult(images, rows, remarks)


def _render_sheet(name: str, path: Path | None, progress: Progress | None) -> RenderResult:
    began = time.perf_counter()
    image = contact_sheet(SHEETS[name], progress=progress)
    if path is not None:
        save_png(image, path)
    row = {"path": _text(path), "channel": name, "width": image.shape[1], "height": image.shape[0]}
    row |= {"classes": len(SHEETS[name]), "seconds": round(time.perf_counter() - began, 3)}
    return RenderResult({name: image}, [row], [])


def _text(path: Path | None) -> str:
    return "" if path is None else str(path)


def _row(
    file: Path | None,
    channel: str,
    image: npt.NDArray[np.uint8],
    pictures: Pictures,
    seconds: float,
    compiling: float,
) -> dict[str, Any]:
    height, width = image.shape[:2]
    return {
        "path": _text(file),
        "channel": channel,
        "width": width,
        "height": height,
        "instances": int((np.unique(pictures.instance) > 0).sum()),
        "classes": int((np.unique(pictures.kind) > 0).sum()),
        "seconds": round(seconds, 3),
        "compile_seconds": round(compiling, 3),
    }


def check_outside_objects(city: City, position: npt.ArrayLike) -> None:
    """Raise InputError for a position inside an object of the city: a building, a bus, a tree."""
    point, s, city_solids = (
        np.asarray(position, np.float32),
        city.scene.arrays,
        slice(len(city.scene.solids)),
    )  # without templates
    near = np.flatnonzero(
        (np.abs(s.solid[city_solids, 9:12] - point).max(axis=1) < MAX_SOLID_RADIUS)
        & (s.kind[city_solids] != SolidShape.PLATE)
    )
    local = np.abs(np.einsum("nij,nj->ni", s.solid[near, :9].reshape(-1, 3, 3), point - s.solid[near, 9:12]))
    radius = np.hypot(local[:, 0], local[:, 1])
    kind = s.kind[near]
    inside = (local <= 1).all(axis=1)
    inside &= (radius <= 1) | ~np.isin(kind, (SolidShape.CYLINDER, SolidShape.CONE))
    inside &= (np.hypot(radius, local[:, 2]) <= 1) | (kind != SolidShape.ELLIPSOID)
    if inside.any():
        instance = int(s.mark[near[inside][0], 2])
        east, north, up = (float(x) for x in point)
        name = class_name(int(s.class_of[instance]))
        raise InputError("a position outside of things", f"({east:.1f}, {north:.1f}, {up:.1f}), inside a {name}")


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a function takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _warm_up(device: str) -> None:
    """Render one pixel of a small scene, so that everything is compiled or loaded."""
    rows = np.zeros(1, SOLID)
    rows["matrix"], rows["size"], rows["text"] = np.eye(3), 1, -1
    renderer(Scene.make(rows, [0]), device)(poses((0, 9, 2)), view(1, 1))
