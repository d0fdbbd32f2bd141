"""The memory of the driver and of the object stores while a Ray cluster renders pictures."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.cluster.nodes import object_store_bytes
from bearleft.bench.cluster.programs import Program, run_programs
from bearleft.world.album.layout import CHANNELS
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.city.city import open_city

WORLD = "city/0/32x40"  # enough places for 10 GB
SAMPLED_PLACES = 24  # by which the number of places is chosen
STORE_SECONDS = 1.0  # between two questions for the object store, and counts of pictures


def memory(folder: Path, address: str, gigabytes: float, size: tuple[int, int], world: str = WORLD) -> dict[str, Any]:
    """Return the row of an album that is rendered by a cluster.

    Args:
        folder: An empty folder.
        address: HOST:PORT of the cluster.
        gigabytes: The size of the album; at most that of all places of the world.
        size: The size of a panorama in pixels. Every channel is written.
        world: The world.
    """
    config = AlbumConfig(size, tuple(CHANNELS), samples=1, shadows=False, picture="png")
    graph = open_city(world).graph
    sample = [graph.ids[round(place)] for place in np.linspace(0, len(graph) - 1, min(SAMPLED_PLACES, len(graph)))]
    write_album(folder / "sample", world, config, places=sample)
    per_place = folder_bytes(folder / "sample") / len(sample)
    places = min(math.ceil(gigabytes * 1e9 / per_place), len(graph))
    watcher = _Watcher(address, folder / "album" / CHANNELS[0], places)
    command = ["render", world, "--all", "-o", str(folder / "album"), "--places", f"0..{places - 1}"]
    command += ["--size", str(size[0]), "--channel", "all", "--samples", "1", "--no-shadows", "--format", "png"]
    driver = run_programs([[*command, "--ray", address]], watch=watcher)[0]
    written = folder_bytes(folder / "album")
    shutil.rmtree(folder / "album")
    return {
        "name": f"render, {places:,} panoramas",
        "bytes": written,
        "seconds": driver.seconds,
        "driver_bytes": driver.largest,
        "driver_bytes_after_a_tenth": watcher.driver_bytes,
        "object_store_bytes": max(watcher.store),
        "samples": len(watcher.store) - 1,
    }


class _Watcher:
    """Asks for the used bytes of the object store, and for the driver's memory when a tenth of the pictures is there.

    Attributes:
        store: The used bytes of all samples; the first is 0.
        driver_bytes: The most memory of the driver until a tenth was written.
    """

    def __init__(self, address: str, pictures: Path, places: int) -> None:
        self.address, self.pictures, self.tenth = address, pictures, places // 10
        self.store, self.driver_bytes = [0], 0
        self.asked, self.reached = 0.0, False

    def __call__(self, programs: Sequence[Program]) -> None:
        if time.monotonic() - self.asked < STORE_SECONDS:
            return
        self.asked = time.monotonic()
        self.store.append(object_store_bytes(self.address))
        if not self.reached:
            self.driver_bytes = programs[0].largest
            self.reached = self.pictures.is_dir() and len(os.listdir(self.pictures)) >= self.tenth


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
