"""The memory of the driver and of the object stores while a Ray cluster renders pictures."""

from __future__ import annotations

import math
import shutil
import time
from pathlib import Path
from typing import Any

from bearleft.bench.cluster.nodes import object_store_bytes
from bearleft.bench.cluster.programs import run_programs
from bearleft.world.album.layout import CHANNELS
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.city.city import open_city

WORLD = "city/0/32x40"  # enough places for 10 GB
SAMPLED_PLACES = 2  # by which the number of places is chosen
STORE_SECONDS = 1.0  # between two questions for the object store


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
    write_album(folder / "sample", world, config, places=f"0..{SAMPLED_PLACES - 1}")
    per_place = folder_bytes(folder / "sample") / SAMPLED_PLACES
    places = min(math.ceil(gigabytes * 1e9 / per_place), len(open_city(world).graph))
    store = [0]
    asked = [0.0]

    def watch() -> None:
        if time.monotonic() - asked[0] >= STORE_SECONDS:
            asked[0] = time.monotonic()
            store.append(object_store_bytes(address))

    command = ["render", world, "--all", "-o", str(folder / "album"), "--places", f"0..{places - 1}"]
    command += ["--size", str(size[0]), "--channel", "all", "--samples", "1", "--no-shadows", "--format", "png"]
    driver = run_programs([[*command, "--ray", address]], watch=watch)[0]
    written = folder_bytes(folder / "album")
    shutil.rmtree(folder / "album")
    return {
        "name": f"render, {places:,} panoramas",
        "bytes": written,
        "seconds": driver.seconds,
        "driver_bytes": driver.largest,
        "object_store_bytes": max(store),
        "samples": len(store) - 1,
    }


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
