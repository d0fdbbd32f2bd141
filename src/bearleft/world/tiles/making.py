"""All tiles of a world, or those around a spot: several processes, each tile written whole, finished ones kept."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.fields import is_number, is_whole
from bearleft.processes import process_pool
from bearleft.store import atomic_write, sha256, write_text
from bearleft.version import VERSION
from bearleft.world.city.city import City, Progress, open_city
from bearleft.world.city.plan import Plan
from bearleft.world.render.light import Light
from bearleft.world.tiles.glb import read_json
from bearleft.world.tiles.tile import Square, tile

LIST = "tiles.json"
FEW = 8  # tiles for each further process: opening the world costs it about as much
NARROWEST, WIDEST = 8.0, 1024.0  # metres of a tile's side
FEWEST, MOST = 64, 8192  # texels of a picture's side


@dataclass(frozen=True)
class About:
    """What every tile of a folder has in common; it stands in each."""

    version: str
    world: str
    plan: str
    side: float
    texels: int


@dataclass(frozen=True)
class Made:
    """A folder of tiles: what they have in common, and for each its file, bounds and counts."""

    about: About
    tiles: list[dict[str, Any]]

    def rows(self) -> list[dict[str, Any]]:
        """The folder in one row."""
        sizes = [int(one["bytes"]) for one in self.tiles]
        return [
            {
                "world": self.about.world,
                "tiles": len(sizes),
                "instances": sum(int(one["instances"]) for one in self.tiles),
                "triangles": sum(int(one["triangles"]) for one in self.tiles),
                "megabytes": round(sum(sizes) / 1e6, 2),
                "largest_megabytes": round(max(sizes, default=0) / 1e6, 2),
            }
        ]


def write_tiles(
    output: str | os.PathLike[str], world: str = "city/0", side: float = 64.0, at: tuple[float, float] | None = None,
    reach: float | None = None, texels: int = 2048, seed: int | None = None,
    data: str | os.PathLike[str] | None = None, processes: int = 1, progress: Progress | None = None,
) -> Made:  # fmt: skip
    """Writes a world as tiles: all, or those within `reach` metres of `at`. Those already there are kept and listed."""
    _check(side, at, reach, texels)
    city = open_city(world, seed, data, progress)
    about = About(VERSION, world if seed is None else f"{world} with city {seed}", city.plan.hash, float(side), texels)
    folder = Path(output)
    every = every_square(city.plan, side)
    squares = [square for square in every if _near(square, at, reach)]
    if not squares:
        raise InputError("a spot with something of the world around it", f"{at} within {reach} m", "at")
    for path in folder.glob("*.glb"):
        _check_own(path, about)
    todo = [square for square in squares if not (folder / square.name).exists()]
    done = len(squares) - len(todo)
    most = max(1, min(processes, math.ceil(len(todo) / FEW)))
    for _ in _work(folder, city, about, todo, most, (world, seed, data)):
        done += 1
        if progress:
            progress("writing tiles", done, len(squares))
    listed = [_row(folder / square.name) for square in every if (folder / square.name).exists()]
    head = {"format": 1, **asdict(about), "eye": city.plan.eye / 1000, "light": _light(city.plan.indoors)}
    lines = ",\n".join(json.dumps(one) for one in listed)
    write_text(folder / LIST, json.dumps(head)[:-1] + f', "tiles": [\n{lines}\n]}}\n')
    return Made(about, listed)


def _light(indoors: bool) -> dict[str, Any]:
    """The renderer's light at two in the afternoon, for pages that draw tiles."""
    numbers = [round(float(x), 6) for x in Light().numbers(indoors)]
    names = ("sun", "sun_colour", "above", "below", "horizon", "zenith")
    colours = {name: numbers[3 * k : 3 * k + 3] for k, name in enumerate(names)}
    return colours | {"fog": numbers[18], "clouds": numbers[20], "lid": numbers[21]}


def every_square(plan: Plan, side: float) -> list[Square]:
    """The squares with a thing's origin, a road, an area or a place in them, from west to east, south to north."""
    things, roads, areas = plan.things, plan.roads, plan.areas
    points = [np.column_stack([things["x"], things["y"]]) / 1000.0, plan.graph.positions[:, :2]]
    ways = _boxes(
        np.column_stack([np.minimum(roads["x0"], roads["x1"]), np.minimum(roads["y0"], roads["y1"])]),
        np.column_stack([np.maximum(roads["x0"], roads["x1"]), np.maximum(roads["y0"], roads["y1"])]),
        (roads["half"] + roads["walk"])[:, None],
    )
    grounds = _boxes(
        np.column_stack([areas["x"], areas["y"]]),
        np.column_stack([areas["x"], areas["y"]]),
        np.hypot(areas["hx"], areas["hy"])[:, None],
    )
    found = {(int(x), int(y)) for x, y in np.unique(np.floor(np.concatenate(points) / side), axis=0)}
    for west, south, east, north in np.floor(np.concatenate([ways, grounds]) / side).astype(int).tolist():
        found |= {(x, y) for x in range(west, east + 1) for y in range(south, north + 1)}
    return [Square(x, y, side) for x, y in sorted(found)]


def _boxes(low: npt.NDArray[Any], high: npt.NDArray[Any], reach: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return np.concatenate([low - reach, high + reach], axis=1) / 1000.0


def _check(side: float, at: tuple[float, float] | None, reach: float | None, texels: int) -> None:
    if not is_number(side) or not NARROWEST <= side <= WIDEST:
        raise InputError(f"a tile's side from {NARROWEST:g} to {WIDEST:g} metres", shown(side), "side")
    if not is_whole(texels) or not FEWEST <= texels <= MOST or texels % 8:
        raise InputError(f"texels from {FEWEST} to {MOST}, a multiple of 8", shown(texels), "texels")
    if (at is None) != (reach is None):
        raise InputError("both a spot and how far around it, or neither", "one of them", "at" if at else "reach")
    if reach is not None and not (is_number(reach) and reach >= 0):
        raise InputError("metres around the spot", shown(reach), "reach")


def _near(square: Square, at: tuple[float, float] | None, reach: float | None) -> bool:
    """Whether some of a square lies within reach."""
    if at is None or reach is None:
        return True
    east = max(square.west - at[0], at[0] - square.west - square.side, 0.0)
    north = max(square.south - at[1], at[1] - square.south - square.side, 0.0)
    return math.hypot(east, north) <= reach


def _check_own(path: Path, about: About) -> None:
    """An error for a tile that is another world's, or was made with other settings."""
    extras = read_json(path)["asset"].get("extras", {})
    for name, value in asdict(about).items():
        if extras.get(name) != value:
            raise InputError(
                f"a folder of tiles with {name} {shown(value)}, or an empty one", shown(extras.get(name)),
                file=str(path), hint="Name another folder with -o, or remove this one.",
            )  # fmt: skip


def _row(path: Path) -> dict[str, Any]:
    extras = read_json(path)["asset"]["extras"]
    counts = {name: extras[name] for name in ("bounds", "instances", "triangles")}
    return {"file": path.name, **counts, "bytes": path.stat().st_size, "sha256": sha256(path)}


def _work(
    folder: Path, city: City, about: About, todo: list[Square], processes: int, opened: tuple[Any, ...]
) -> Iterator[None]:
    """Writes tiles, one after another or several at once; yields after each."""
    if processes == 1:
        for square in todo:
            _write(folder, city, about, square)
            yield
        return
    pool = process_pool(processes, _begin, folder, about, opened)
    try:
        for future in as_completed([pool.submit(_do, square) for square in todo]):
            future.result()
            yield
    except BrokenProcessPool as error:
        raise RuntimeError("a process was killed; run the same command again to go on") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _write(folder: Path, city: City, about: About, square: Square) -> None:
    with atomic_write(folder / square.name, "wb") as stream:
        stream.write(tile(city, square, about.texels, asdict(about)))


_job: tuple[Path, City, About]


def _begin(folder: Path, about: About, opened: tuple[Any, ...]) -> None:
    global _job
    _job = folder, open_city(*opened), about


def _do(square: Square) -> None:
    folder, city, about = _job
    _write(folder, city, about, square)
