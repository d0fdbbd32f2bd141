"""Touchdown's street graph: `nodes.txt` holds panoid,yaw,lat,lng and `links.txt` panoid,heading,panoid."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from bearleft.errors import InputError, format_value
from bearleft.geometry import from_lat_lng, to_lat_lng
from bearleft.runtime.store import atomic_write, data_folder, existing_file
from bearleft.types import DataFolder
from bearleft.world.graphs.graph import Graph

NODES_FILE, LINKS_FILE = "nodes.txt", "links.txt"
WORLD = "touchdown"  # name of the world, and of its folder in the data folder


def street_graph_folder(data: DataFolder = None) -> Path:
    """Return the folder of Touchdown's graph, in a data folder or else in the default one.

    Datasets that are generated on Touchdown's streets may lie in a folder of their own, without the graph.

    Args:
        data: The data folder; BEARLEFT_DATA or the system's data folder by default.

    Raises:
        InputError: The data folder does not exist.
    """
    folder = data_folder(data) / WORLD
    if data is None or folder.exists():  # a folder without nodes.txt is an error, not another graph
        return folder
    try:
        default = data_folder() / WORLD
    except InputError:
        return folder
    return default if (default / NODES_FILE).exists() else folder


def read_street_graph(folder: str | os.PathLike[str], name: str = WORLD) -> Graph:
    """Return the street graph of a folder with nodes.txt and links.txt.

    Files are read once per process, and again if they change.

    Args:
        folder: Folder with both files.
        name: Name of the world.

    Raises:
        InputError: A file is missing or malformed.
    """
    paths = [existing_file(Path(folder) / file, f"the street graph's {file}") for file in (NODES_FILE, LINKS_FILE)]
    return _read(str(folder), name, tuple((p.stat().st_mtime_ns, p.stat().st_size) for p in paths))


@lru_cache(maxsize=4)
def _read(folder: str, name: str, _state: tuple[tuple[int, int], ...]) -> Graph:
    index, yaw, latitude, longitude = read_nodes(Path(folder) / NODES_FILE)
    source, target, heading = [], [], []
    path = Path(folder) / LINKS_FILE
    seen: set[tuple[int, int]] = set()
    for line, (start, angle, end) in _columns(path, ("panoid", "heading", "panoid")):
        for place in (start, end):
            if place not in index:
                raise InputError(f"a panorama of {NODES_FILE}", format_value(place), "panoid", str(path), line)
        pair = index[start], index[end]
        if pair in seen or pair[0] == pair[1]:
            got = "a link to itself" if pair[0] == pair[1] else f"{start} to {end} again"
            raise InputError("each link between two panoramas once", got, "panoid", str(path), line)
        seen.add(pair)
        source.append(pair[0])
        target.append(pair[1])
        heading.append(_number(angle, "heading", path, line, -360, 360))
    origin = (round(sum(latitude) / len(latitude), 6), round(sum(longitude) / len(longitude), 6))
    positions = from_lat_lng(latitude, longitude, origin)
    return Graph.make(name, list(index), positions, source, target, heading, yaw, origin)


def read_nodes(path: Path) -> tuple[dict[str, int], list[float], list[float], list[float]]:
    """Return the panoramas of a nodes.txt with their indices, and their yaws, latitudes and longitudes."""
    index: dict[str, int] = {}
    yaw, latitude, longitude = [], [], []
    for line, (place, middle, lat, lng) in _columns(path, ("panoid", "yaw", "lat", "lng")):
        if place in index:
            raise InputError("each panorama once", f"{place} again", "panoid", str(path), line)
        index[place] = len(index)
        yaw.append(_number(middle, "yaw", path, line, -360, 360))
        latitude.append(_number(lat, "lat", path, line, -90, 90))
        longitude.append(_number(lng, "lng", path, line, -180, 180))
    return index, yaw, latitude, longitude


def write_street_graph(graph: Graph, folder: str | os.PathLike[str]) -> None:
    """Write nodes.txt and links.txt; a graph without an origin lies at latitude and longitude 0.

    Args:
        graph: The graph.
        folder: Folder to write to.
    """
    latitude, longitude = to_lat_lng(graph.positions, graph.origin or (0.0, 0.0))
    with atomic_write(Path(folder) / NODES_FILE) as stream:
        for k, place in enumerate(graph.ids):
            stream.write(f"{place},{graph.yaw[k]:g},{latitude[k]:.6f},{longitude[k]:.6f}\n")
    with atomic_write(Path(folder) / LINKS_FILE) as stream:
        for source, heading, target in zip(graph.source, graph.heading, graph.target, strict=True):
            stream.write(f"{graph.ids[source]},{heading:g},{graph.ids[target]}\n")


def _columns(path: Path, names: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the columns of each line."""
    form = ",".join(names)
    line = 0
    try:
        with open(path, encoding="utf-8") as stream:
            for line, row in enumerate(stream, 1):
                columns = row.strip().split(",")
                if len(columns) != len(names) or not all(columns):
                    raise InputError(form, format_value(row.strip()), file=str(path), line=line)
                yield line, columns
    except UnicodeDecodeError as error:
        raise InputError("text in UTF-8", format_value(str(error.reason)), file=str(path), line=line + 1) from None
    if not line:
        raise InputError(f"lines of {form}", "an empty file", file=str(path))


def _number(text: str, field: str, path: Path, line: int, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise InputError(f"a number from {low:g} to {high:g}", format_value(text), field, str(path), line)
    return value
