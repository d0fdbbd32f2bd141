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
from bearleft.runtime.json_fields import is_number, is_whole
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import atomic_write, only_writer, write_text
from bearleft.types import Progress
from bearleft.version import VERSION
from bearleft.world.city.city import City, open_city
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.light import Light
from bearleft.world.rooms.shell import ROOM_SPACING
from bearleft.world.tiles.resume import LIST, About, kept, row_of
from bearleft.world.tiles.tile import Square, tile

FEW = 8  # tiles for each further process: opening the world costs it about as much
USUAL = 64.0  # metres of a tile's side in streets
NARROWEST, WIDEST = 8.0, 1024.0  # metres of a tile's side
FEWEST, MOST = 64, 8192  # texels of a picture's side


@dataclass(frozen=True)
class Made:
    """A folder of tiles: what they have in common, and for each its file, bounds and counts.

    `remade` are the files that were damaged or changed since they had been written.
    """

    about: About
    tiles: list[dict[str, Any]]
    remade: tuple[str, ...] = ()

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
                "remade": len(self.remade),
            }
        ]


def write_tiles(
    output: str | os.PathLike[str],
    world: str = "city/0",
    side: float | None = None,
    at: tuple[float, float] | None = None,
    reach: float | None = None,
    texels: int = 2048,
    city: int | None = None,
    data: str | os.PathLike[str] | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Made:
    """Writes a world as tiles: all, or those within `reach` metres of `at`. Those already there are kept and listed.

    Without a `side` tiles are 64 m wide, or a room each. Tiles that are not as they were written are made again.
    """
    _check(side, at, reach, texels)
    built = open_city(world, city, data, progress)
    name = world if city is None else f"{world} with city {city}"
    side = float(side or (ROOM_SPACING / 1000 if built.plan.indoors else USUAL))
    about = About(VERSION, name, built.plan.hash, side, origin_of(built.plan), texels)
    folder = Path(output)
    every = every_square(built.plan, side)
    squares = [square for square in every if _near(square, at, reach)]
    if not squares:
        raise InputError("a spot with something of the world around it", f"{at} within {reach} m", "at")
    with only_writer(folder, "tiles"):
        rows, changed = kept(folder, about, {square.name for square in every})
        again = {*changed, *(square.name for square in squares if square.name not in rows)}
        todo = [square for square in every if square.name in again]
        total = len({square.name for square in squares} | again)
        done = total - len(todo)
        most = max(1, min(processes, math.ceil(len(todo) / FEW)))
        for square in _work(folder, built, about, todo, most, (world, city, data)):
            rows[square.name] = row_of(folder / square.name)
            done += 1
            if progress:
                progress("writing tiles", done, total)
        listed = [square for square in every if square.name in rows]
        head = {"format": 1, **asdict(about), "eye": built.plan.eye / 1000, "light": _light(built.plan.indoors)}
        head["places"] = _places(built.graph, about, listed)
        lines = ",\n".join(json.dumps(rows[square.name]) for square in listed)
        write_text(folder / LIST, json.dumps(head)[:-1] + f', "tiles": [\n{lines}\n]}}\n')
    return Made(about, [rows[square.name] for square in listed], tuple(changed))


def _places(graph: Graph, about: About, squares: list[Square]) -> dict[str, list[float]]:
    """East, north and a heading to look at, for each place on the tiles that are there."""
    there = {(square.column, square.row) for square in squares}
    cells = np.floor((graph.positions[:, :2] - about.origin) / about.side).astype(int).tolist()
    found = {}
    for k, (column, row) in enumerate(cells):
        if (column, row) in there:
            links = graph.heading[graph.links(k)]
            numbers = [*graph.positions[k, :2], links[0] if len(links) else graph.yaw[k]]
            found[graph.ids[k]] = [round(float(x), 3) for x in numbers]
    return found


def _light(indoors: bool) -> dict[str, Any]:
    """The renderer's light at two in the afternoon, for pages that draw tiles."""
    numbers = [round(float(x), 6) for x in Light().numbers(indoors)]
    names = ("sun", "sun_colour", "above", "below", "horizon", "zenith")
    colours = {name: numbers[3 * k : 3 * k + 3] for k, name in enumerate(names)}
    return colours | {"fog": numbers[18], "clouds": numbers[20], "lid": numbers[21]}


def origin_of(plan: Plan) -> float:
    """East and north of the corner of column 0 and row 0: rooms stand in the middle of squares of 30 m."""
    return -ROOM_SPACING / 2000 if plan.indoors else 0.0


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
    origin = origin_of(plan)
    found = {(int(x), int(y)) for x, y in np.unique(np.floor((np.concatenate(points) - origin) / side), axis=0)}
    boxes = np.floor((np.concatenate([ways, grounds]) - origin) / side).astype(int)
    for west, south, east, north in boxes.tolist():
        found |= {(x, y) for x in range(west, east + 1) for y in range(south, north + 1)}
    return [Square(x, y, side, origin) for x, y in sorted(found)]


def _boxes(low: npt.NDArray[Any], high: npt.NDArray[Any], reach: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return np.concatenate([low - reach, high + reach], axis=1) / 1000.0


def _check(side: float | None, at: tuple[float, float] | None, reach: float | None, texels: int) -> None:
    if side is not None and not (is_number(side) and NARROWEST <= side <= WIDEST):
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


def _work(
    folder: Path, city: City, about: About, todo: list[Square], processes: int, opened: tuple[Any, ...]
) -> Iterator[Square]:
    """Writes tiles, one after another or several at once; yields each when it is there."""
    if processes == 1:
        for square in todo:
            _write(folder, city, about, square)
            yield square
        return
    pool = process_pool(processes, _begin, folder, about, opened)
    try:
        for future in as_completed([pool.submit(_do, square) for square in todo]):
            yield future.result()
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


def _do(square: Square) -> Square:
    folder, city, about = _job
    _write(folder, city, about, square)
    return square
