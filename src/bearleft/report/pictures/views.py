"""Single pictures of a city, as files: any place, pose and light, every channel."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown, unknown
from bearleft.report.pictures.classes import contact_sheet
from bearleft.report.pictures.output import Written, checked_output, metres_at, place_number, size_of
from bearleft.runtime.compiled import CACHED
from bearleft.world.channel_images import WHAT, class_name, coloured, save_png, with_legend
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES
from bearleft.world.city.city import City, Progress, open_city
from bearleft.world.render.camera import Floats, Lens, cube, panorama, poses, view
from bearleft.world.render.codes import Kind
from bearleft.world.render.cpu import Pictures, check_inside, check_samples
from bearleft.world.render.devices import check_device, renderer
from bearleft.world.render.light import Light
from bearleft.world.render.scene import SOLID, Scene
from bearleft.world.rooms.catalog import ROOM_CLASSES

FORMS = ("panorama", "view", "cube")
USUAL = {"panorama": (1024, 512), "view": (640, 480), "cube": (512, 512)}
# No worlds: sheets of every class of thing.
SHEETS = {"classes": CLASSES, "classes/street": STREET_CLASSES, "classes/rooms": ROOM_CLASSES}
FOV = 90.0
REACH = 200.0  # metres: no solid reaches farther from its middle
COLD = 2.0  # seconds: compiled code that is there is loaded faster


@dataclass(frozen=True)
class Shot:
    """What to take a picture of.

    `place` is an id or a number, `at` metres east, north and up; without either one stands in the middle of the world.
    `heading` is along a street where none is given, in rooms towards the wall that a room is arranged for. `size` is
    "WIDTHxHEIGHT" or "WIDTH". `what` is one of WHAT, or "all" for a file of each.
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
        if self.form not in FORMS:
            raise unknown("form of picture", self.form, FORMS)
        if self.what not in (*WHAT, "all"):
            raise unknown("channel", self.what, (*WHAT, "all"))
        if self.place is not None and self.at is not None:
            raise InputError("a place or a position", "both")
        for name, value in (("heading", self.heading or 0.0), ("roll", self.roll)):
            if not np.isfinite(value):
                raise InputError(f"a {name} in degrees", shown(value), name)
        if not -90 <= self.pitch <= 90:
            raise InputError("a pitch from -90 to 90 degrees", shown(self.pitch), "pitch")
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
        """Size and projection of one picture; of a cube that of a face."""
        width, height = size_of(self.size, self.form == "panorama") or USUAL[self.form]
        if self.form == "panorama":
            return panorama(width, height)
        if self.form == "cube":
            if width != height:
                raise InputError("a square size for the faces of a cube", f"{width} x {height}", "size")
            return view(width, height)
        return view(width, height, self.fov)

    def position(self) -> tuple[float, float, float | None] | None:
        """East, north and up, where they are given; up may be left to the world."""
        if self.at is None:
            return None
        east, north, *up = metres_at(self.at, (2, 3))
        return east, north, up[0] if up else None

    def poses(self, city: City) -> Floats:
        """Where the camera stands and looks: six rows for a cube, else one."""
        at, heading = self.position(), self.heading
        if at is None:
            number = place_number(city.graph, self.place)
            east, north, up = (float(x) for x in city.poses(number)[0, :3])
            links = city.graph.heading[city.graph.links(number)]
            usual = links[0] if len(links) else city.graph.yaw[number]
            heading = float(usual) if heading is None else heading
        else:
            east, north, up = at[0], at[1], city.plan.eye / 1000.0 if at[2] is None else at[2]
        where = east, north, up
        if self.form == "cube":
            return cube(where, heading or 0.0)
        return poses(where, heading or 0.0, self.pitch, self.roll)


def views(
    output: str | os.PathLike[str],
    world: str = "city/0",
    city: int | None = None,
    shot: Shot | None = None,
    device: str = "cpu",
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Takes a picture of a world and writes it, every channel asked for to a file of its own."""
    shot, path = shot or Shot(), checked_output(output)
    check_device(device)
    if world in SHEETS:
        return _sheet(world, path, progress)
    if world.startswith("classes"):
        raise unknown("sheet of classes", world, SHEETS)
    remarks = []
    built = open_city(world, city, data, progress)
    where = shot.poses(built)
    check_inside(built.scene, where)
    check_outdoors(built, where[0, :3])
    if progress:
        progress("compiling, or loading what is compiled", 0, 0)
    compiling = timed(lambda: _first(device))
    if compiling > COLD:
        later = "; the next call takes it from the cache" if CACHED and device == "cpu" else ""
        remarks.append(f"compiled in {compiling:.0f} s{later}")
    if progress:
        progress("rendering", 0, 0)
    begin = time.perf_counter()
    pictures = renderer(built.scene, device)(where, shot.lens(), shot.light, shot.samples, shot.shadows)
    seconds = time.perf_counter() - begin
    rows = []
    for what in WHAT if shot.what == "all" else (shot.what,):
        file = path if what in ("rgb", shot.what) else path.with_name(f"{path.stem}-{what}{path.suffix}")
        picture = np.concatenate(list(coloured(pictures, what)), axis=1)
        if shot.legend and what == "classes":
            picture = with_legend(picture, pictures.kind)
        save_png(picture, file)
        rows.append(_row(file, what, picture, pictures, seconds, compiling))
    return Written(rows, remarks)


def _sheet(name: str, path: Path, progress: Progress | None) -> Written:
    begin = time.perf_counter()
    picture = contact_sheet(SHEETS[name], progress=progress)
    save_png(picture, path)
    row = {"path": str(path), "what": name, "width": picture.shape[1], "height": picture.shape[0]}
    return Written([{**row, "classes": len(SHEETS[name]), "seconds": round(time.perf_counter() - begin, 3)}], [])


def _row(
    file: Path, what: str, picture: npt.NDArray[np.uint8], pictures: Pictures, seconds: float, compiling: float
) -> dict[str, Any]:
    height, width = picture.shape[:2]
    return {
        "path": str(file),
        "what": what,
        "width": width,
        "height": height,
        "instances": int((np.unique(pictures.instance) > 0).sum()),
        "classes": int((np.unique(pictures.kind) > 0).sum()),
        "seconds": round(seconds, 3),
        "compile_seconds": round(compiling, 3),
    }


def check_outdoors(city: City, where: npt.ArrayLike) -> None:
    """An error for a position inside a thing of the city: a building, a bus, a tree."""
    at, s, here = np.asarray(where, np.float32), city.scene.arrays, slice(len(city.scene.solids))  # no templates
    near = np.flatnonzero((np.abs(s.solid[here, 9:12] - at).max(axis=1) < REACH) & (s.kind[here] != Kind.PLATE))
    own = np.abs(np.einsum("nij,nj->ni", s.solid[near, :9].reshape(-1, 3, 3), at - s.solid[near, 9:12]))
    across = np.hypot(own[:, 0], own[:, 1])
    kind = s.kind[near]
    inside = (own <= 1).all(axis=1)
    inside &= (across <= 1) | ~np.isin(kind, (Kind.CYLINDER, Kind.CONE))
    inside &= (np.hypot(across, own[:, 2]) <= 1) | (kind != Kind.ELLIPSOID)
    if inside.any():
        thing = int(s.mark[near[inside][0], 2])
        east, north, up = (float(x) for x in at)
        name = class_name(int(s.class_of[thing]))
        raise InputError("a position outside of things", f"({east:.1f}, {north:.1f}, {up:.1f}), inside a {name}")


def timed(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _first(device: str) -> None:
    """One pixel of next to nothing, for which everything is compiled or loaded."""
    rows = np.zeros(1, SOLID)
    rows["matrix"], rows["size"], rows["text"] = np.eye(3), 1, -1
    renderer(Scene.make(rows, [0]), device)(poses((0, 9, 2)), view(1, 1))
