"""Picture files of a city: any place, pose and light, every channel."""

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
from bearleft.reports.pictures.output import Written, check_output, parse_position, parse_size, place_number
from bearleft.runtime.compiled import CACHED
from bearleft.types import Progress
from bearleft.world.channel_images import WHAT, class_name, coloured, save_png, with_legend
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.render.camera import Floats32, Lens, cube, panorama, poses, view
from bearleft.world.render.codes import Kind
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
        form: one of PROJECTIONS.
        what: one of WHAT, or "all" for a file of each.
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
    form: str = "panorama"
    what: str = "rgb"
    light: Light = field(default_factory=Light)
    samples: int = 2
    shadows: bool = True
    legend: bool = False

    def __post_init__(self) -> None:
        if self.form not in PROJECTIONS:
            raise unknown_name("form of picture", self.form, PROJECTIONS)
        if self.what not in (*WHAT, "all"):
            raise unknown_name("channel", self.what, (*WHAT, "all"))
        if self.place is not None and self.at is not None:
            raise InputError("a place or a position", "both")
        for name, value in (("heading", self.heading or 0.0), ("roll", self.roll)):
            if not np.isfinite(value):
                raise InputError(f"a {name} in degrees", format_value(value), name)
        if not -90 <= self.pitch <= 90:
            raise InputError("a pitch from -90 to 90 degrees", format_value(self.pitch), "pitch")
        if self.form == "cube" and (self.pitch or self.roll):
            raise InputError("a level cube, without pitch and roll", f"{self.pitch:g} and {self.roll:g}")
        if self.form != "view" and self.fov != FOV:
            raise InputError("a field of view for a view alone", f"one for a {self.form}", hint="Say --view.")
        if self.legend and self.what not in ("classes", "all"):
            raise InputError("a legend for classes alone", f"one for {self.what}", hint="Say --what classes.")
        check_samples(self.samples)
        self.lens()
        self.position()

    def lens(self) -> Lens:
        """Return size and projection of the picture; for a cube, of one face."""
        width, height = parse_size(self.size, self.form == "panorama") or DEFAULT_SIZES[self.form]
        if self.form == "panorama":
            return panorama(width, height)
        if self.form == "cube":
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
        if self.form == "cube":
            return cube(position, heading or 0.0)
        return poses(position, heading or 0.0, self.pitch, self.roll)


def render(
    output: str | os.PathLike[str],
    world: str = "city/0",
    city: int | None = None,
    config: RenderConfig | None = None,
    device: str = "cpu",
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Render a picture of a world and write it, each requested channel to its own file."""
    config, path = config or RenderConfig(), check_output(output)
    check_device(device)
    if world in SHEETS:
        return _write_sheet(world, path, progress)
    if world.startswith("classes"):
        raise unknown_name("sheet of classes", world, SHEETS)
    remarks = []
    built_city = open_city(world, city, data, progress)
    poses_ = config.poses(built_city)
    check_inside(built_city.scene, poses_)
    check_outside_objects(built_city, poses_[0, :3])
    if progress:
        progress("compiling, or loading what is compiled", 0, 0)
    compiling = timed(lambda: _warm_up(device))
    if compiling > COMPILE_SECONDS:
        later = "; the next call takes it from the cache" if CACHED and device == "cpu" else ""
        remarks.append(f"compiled in {compiling:.0f} s{later}")
    if progress:
        progress("rendering", 0, 0)
    began = time.perf_counter()
    pictures = renderer(built_city.scene, device)(poses_, config.lens(), config.light, config.samples, config.shadows)
    seconds = time.perf_counter() - began
    rows = []
    for channel in WHAT if config.what == "all" else (config.what,):
        file = path if channel in ("rgb", config.what) else path.with_name(f"{path.stem}-{channel}{path.suffix}")
        picture = np.concatenate(list(coloured(pictures, channel)), axis=1)
        if config.legend and channel == "classes":
            picture = with_legend(picture, pictures.kind)
        save_png(picture, file)
        rows.append(_row(file, channel, picture, pictures, seconds, compiling))
    return Written(rows, remarks)


def _write_sheet(name: str, path: Path, progress: Progress | None) -> Written:
    began = time.perf_counter()
    picture = contact_sheet(SHEETS[name], progress=progress)
    save_png(picture, path)
    row = {"path": str(path), "what": name, "width": picture.shape[1], "height": picture.shape[0]}
    return Written([{**row, "classes": len(SHEETS[name]), "seconds": round(time.perf_counter() - began, 3)}], [])


def _row(
    file: Path, channel: str, picture: npt.NDArray[np.uint8], pictures: Pictures, seconds: float, compiling: float
) -> dict[str, Any]:
    height, width = picture.shape[:2]
    return {
        "path": str(file),
        "what": channel,
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
        & (s.kind[city_solids] != Kind.PLATE)
    )
    local = np.abs(np.einsum("nij,nj->ni", s.solid[near, :9].reshape(-1, 3, 3), point - s.solid[near, 9:12]))
    radius = np.hypot(local[:, 0], local[:, 1])
    kind = s.kind[near]
    inside = (local <= 1).all(axis=1)
    inside &= (radius <= 1) | ~np.isin(kind, (Kind.CYLINDER, Kind.CONE))
    inside &= (np.hypot(radius, local[:, 2]) <= 1) | (kind != Kind.ELLIPSOID)
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
