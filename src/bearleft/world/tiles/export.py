"""Export of all tiles of a world, or those around a point, in several processes; finished tiles are kept."""

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

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import is_integer, is_number
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import atomic_write, exclusive_writer, write_text
from bearleft.types import Progress
from bearleft.version import VERSION
from bearleft.world.city.city import City, open_city
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.light import Light
from bearleft.world.rooms.shell import ROOM_SPACING
from bearleft.world.tiles.resume import LIST_FILE, TilesInfo, complete_tiles, tile_row
from bearleft.world.tiles.tile import Square, make_tile

TILES_PER_PROCESS = 8  # for each further process: opening the world costs about as much
DEFAULT_SIDE = 64.0  # metres, outdoors
MIN_SIDE, MAX_SIDE = 8.0, 1024.0  # metres
MIN_TEXELS, MAX_TEXELS = 64, 8192  # per side of a picture


@dataclass(frozen=True)
class TilesResult:
    """A folder of tiles: their common settings, and for each its file, bounds and counts.

    `remade` are files that were damaged or changed since they had been written.
    """

    about: TilesInfo
    tiles: list[dict[str, Any]]
    remade: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return the folder in one row."""
        sizes = [int(tile["bytes"]) for tile in self.tiles]
        return [
            {
                "world": self.about.world,
                "tiles": len(sizes),
                "instances": sum(int(tile["instances"]) for tile in self.tiles),
                "triangles": sum(int(tile["triangles"]) for tile in self.tiles),
                "megabytes": round(sum(sizes) / 1e6, 2),
                "largest_megabytes": round(max(sizes, default=0) / 1e6, 2),
                "remade": len(self.remade),
            }
        ]


def tiles(
    output: str | os.PathLike[str],
    world: str = "city/0",
    side: float | None = None,
    at: tuple[float, float] | None = None,
    radius: float | None = None,
    texels: int = 2048,
    city: int | None = None,
    data: str | os.PathLike[str] | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> TilesResult:
    """Write a world as glTF tiles; complete tiles are kept and listed.

    Args:
        output: the folder.
        world: the world.
        side: metres of a tile (default: 64 m, or a room each).
        at: a point; only tiles within `radius` metres are written.
        radius: metres.
        texels: texels per side of a tile's pictures, at most.
        city: the seed of the city to build on a street graph that has none.
        data: the folder of datasets.
        processes: how many processes write.
        progress: called with a label, the work done, and all of it.
    """
    _check(side, at, radius, texels)
    built_city = open_city(world, city, data, progress)
    name = world if city is None else f"{world} with city {city}"
    side = float(side or (ROOM_SPACING / 1000 if built_city.plan.indoors else DEFAULT_SIDE))
    about = TilesInfo(VERSION, name, built_city.plan.hash, side, grid_origin(built_city.plan), texels)
    folder = Path(output)
    all_squares = squares_of(built_city.plan, side)
    squares = [square for square in all_squares if _is_near(square, at, radius)]
    if not squares:
        raise InputError("a point with part of the world around it", f"{at} within {radius} m", "at")
    with exclusive_writer(folder, "tiles"):
        rows, changed = complete_tiles(folder, about, {square.name for square in all_squares})
        to_write = {*changed, *(square.name for square in squares if square.name not in rows)}
        missing = [square for square in all_squares if square.name in to_write]
        total = len({square.name for square in squares} | to_write)
        done = total - len(missing)
        workers = max(1, min(processes, math.ceil(len(missing) / TILES_PER_PROCESS)))
        for square in _write_tiles(folder, built_city, about, missing, workers, (world, city, data)):
            rows[square.name] = tile_row(folder / square.name)
            done += 1
            if progress:
                progress("writing tiles", done, total)
        listed = [square for square in all_squares if square.name in rows]
        summary = {
            "format": 1,
            **asdict(about),
            "eye": built_city.plan.eye / 1000,
            "light": light_numbers(built_city.plan.indoors),
        }
        summary["places"] = _places(built_city.graph, about, listed)
        lines = ",\n".join(json.dumps(rows[square.name]) for square in listed)
        write_text(folder / LIST_FILE, json.dumps(summary)[:-1] + f', "tiles": [\n{lines}\n]}}\n')
    return TilesResult(about, [rows[square.name] for square in listed], tuple(changed))


def _places(graph: Graph, about: TilesInfo, squares: list[Square]) -> dict[str, list[float]]:
    """Return east, north and a heading for each place on the existing tiles."""
    cells_written = {(square.column, square.row) for square in squares}
    cells = np.floor((graph.positions[:, :2] - about.origin) / about.side).astype(int).tolist()
    places = {}
    for k, (column, row) in enumerate(cells):
        if (column, row) in cells_written:
            links = graph.heading[graph.links(k)]
            numbers = [*graph.positions[k, :2], links[0] if len(links) else graph.yaw[k]]
            places[graph.ids[k]] = [round(float(x), 3) for x in numbers]
    return places


def light_numbers(indoors: bool) -> dict[str, Any]:
    """Return the renderer's light at 14:00, for pages that draw tiles."""
    numbers = [round(float(x), 6) for x in Light().numbers(indoors)]
    names = ("sun", "sun_colour", "above", "below", "horizon", "zenith")
    colours = {name: numbers[3 * k : 3 * k + 3] for k, name in enumerate(names)}
    return colours | {"fog": numbers[18], "clouds": numbers[20], "lid": numbers[21]}


def grid_origin(plan: Plan) -> float:
    """Return east and north of the corner of column 0 and row 0: rooms stand in the middle of squares of 30 m."""
    return -ROOM_SPACING / 2000 if plan.indoors else 0.0


def squares_of(plan: Plan, side: float) -> list[Square]:
    """Return the squares that contain an object's origin, a road, an area or a place, from south-west."""
    things, roads, areas = plan.things, plan.roads, plan.areas
    points = [np.column_stack([things["x"], things["y"]]) / 1000.0, plan.graph.positions[:, :2]]
    road_boxes = _boxes(
        np.column_stack([np.minimum(roads["x0"], roads["x1"]), np.minimum(roads["y0"], roads["y1"])]),
        np.column_stack([np.maximum(roads["x0"], roads["x1"]), np.maximum(roads["y0"], roads["y1"])]),
        (roads["half"] + roads["walk"])[:, None],
    )
    area_boxes = _boxes(
        np.column_stack([areas["x"], areas["y"]]),
        np.column_stack([areas["x"], areas["y"]]),
        np.hypot(areas["hx"], areas["hy"])[:, None],
    )
    origin = grid_origin(plan)
    cells = {(int(x), int(y)) for x, y in np.unique(np.floor((np.concatenate(points) - origin) / side), axis=0)}
    boxes = np.floor((np.concatenate([road_boxes, area_boxes]) - origin) / side).astype(int)
    for west, south, east, north in boxes.tolist():
        cells |= {(x, y) for x in range(west, east + 1) for y in range(south, north + 1)}
    return [Square(x, y, side, origin) for x, y in sorted(cells)]


def _boxes(low: npt.NDArray[Any], high: npt.NDArray[Any], reach: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return np.concatenate([low - reach, high + reach], axis=1) / 1000.0


def _check(side: float | None, at: tuple[float, float] | None, radius: float | None, texels: int) -> None:
    if side is not None and not (is_number(side) and MIN_SIDE <= side <= MAX_SIDE):
        raise InputError(f"a tile's side from {MIN_SIDE:g} to {MAX_SIDE:g} metres", format_value(side), "side")
    if not is_integer(texels) or not MIN_TEXELS <= texels <= MAX_TEXELS or texels % 8:
        raise InputError(f"texels from {MIN_TEXELS} to {MAX_TEXELS}, a multiple of 8", format_value(texels), "texels")
    if (at is None) != (radius is None):
        raise InputError("both a point and a radius, or neither", "one of them", "at" if at else "radius")
    if radius is not None and not (is_number(radius) and radius >= 0):
        raise InputError("metres around the point", format_value(radius), "radius")


def _is_near(square: Square, at: tuple[float, float] | None, radius: float | None) -> bool:
    """Return whether part of a square lies within the radius."""
    if at is None or radius is None:
        return True
    east = max(square.west - at[0], at[0] - square.west - square.side, 0.0)
    north = max(square.south - at[1], at[1] - square.south - square.side, 0.0)
    return math.hypot(east, north) <= radius


def _write_tiles(
    folder: Path, city: City, about: TilesInfo, squares: list[Square], processes: int, world_arguments: tuple[Any, ...]
) -> Iterator[Square]:
    """Write tiles in one or several processes; yield each when it is written."""
    if processes == 1:
        for square in squares:
            _write_tile(folder, city, about, square)
            yield square
        return
    pool = process_pool(processes, _start_worker, folder, about, world_arguments)
    try:
        for future in as_completed([pool.submit(_run_job, square) for square in squares]):
            yield future.result()
    except BrokenProcessPool as error:
        raise RuntimeError("a process was killed; run the same command again to go on") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _write_tile(folder: Path, city: City, about: TilesInfo, square: Square) -> None:
    with atomic_write(folder / square.name, "wb") as stream:
        stream.write(make_tile(city, square, about.texels, asdict(about)))


_worker_state: tuple[Path, City, TilesInfo]


def _start_worker(folder: Path, about: TilesInfo, opened: tuple[Any, ...]) -> None:
    global _worker_state
    _worker_state = folder, open_city(*opened), about


def _run_job(square: Square) -> Square:
    folder, city, about = _worker_state
    _write_tile(folder, city, about, square)
    return square
