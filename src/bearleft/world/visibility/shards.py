"""Visibility tables in shards: each is a file of the table."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from bearleft.runtime.shards import CLAIM_LOCK, STATE_FOLDER, JobResult, ShardedJob, shard_number
from bearleft.runtime.store import file_lock
from bearleft.types import DataFolder, Progress
from bearleft.world.city.city import open_city
from bearleft.world.render.camera import panorama
from bearleft.world.render.devices import Render, check_device, renderer
from bearleft.world.visibility.table import (
    MIN_SHARE,
    PLACES_PER_FILE,
    claim_folder,
    class_statistics,
    rows_file,
    table_settings,
    visibility_table,
    write_rows_file,
)


class VisibilityShards(ShardedJob):
    """The visibility table of a world, a shard for each of its files of 64 places.

    Args:
        folder: The folder of the table.
        world: The world.
        width: Width of the panoramas in pixels.
        city: Seed of the city that is built on a street graph without buildings.
        device: cpu or cuda.
        data: Folder of the datasets.
    """

    label, threads = "places, in shards", True

    def __init__(
        self,
        folder: str | os.PathLike[str],
        world: str,
        width: int = 512,
        city: int | None = None,
        device: str = "cpu",
        data: DataFolder = None,
    ) -> None:
        check_device(device)
        self.folder, self.width, self.device = Path(folder), width, device
        self.city = open_city(world, city, data)
        self.lens = panorama(width)
        with file_lock(self.folder / STATE_FOLDER / CLAIM_LOCK):
            claim_folder(self.folder, table_settings(self.city, width, MIN_SHARE, PLACES_PER_FILE))

    @cached_property
    def _render(self) -> Render:
        return renderer(self.city.scene, self.device)

    def pending(self) -> list[str]:
        """Return the missing files of the table."""
        files = -(-len(self.city.graph) // PLACES_PER_FILE)
        return [f"places-{k:05d}" for k in range(files) if not rows_file(self.folder, k).exists()]

    def run(self, shard: str) -> None:
        """Compute a file of the table."""
        k = shard_number(shard)
        if not rows_file(self.folder, k).exists():
            for _ in write_rows_file(self.city, self.folder, k, self._render, self.lens, MIN_SHARE):
                pass

    def folders(self) -> list[Path]:
        """Return the folder of the table."""
        return [self.folder]

    def join(self, progress: Progress | None = None) -> JobResult:
        """Index the objects of the table."""
        table = visibility_table(self.city, self.folder, self.width, self.device, progress=progress)
        note = f"{self.folder} holds what is visible from {len(table):,} places; docs/visible.md describes the format."
        return JobResult("Classes by the number of places that see them", class_statistics(table), [note])
