"""Albums in shards: each renders the panoramas of some places."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from bearleft.runtime.shards import CLAIM_LOCK, STATE_FOLDER, JobResult, ShardedJob
from bearleft.runtime.store import file_lock, shared_writer
from bearleft.types import DataFolder, Progress
from bearleft.world.album.layout import claim_folder
from bearleft.world.album.write import (
    AlbumConfig,
    AlbumWriter,
    MissingFiles,
    album_entries,
    choose_places,
    missing_files,
    write_album,
)
from bearleft.world.city.city import open_city

PLACES_PER_SHARD = 32


class AlbumShards(ShardedJob):
    """The panoramas of a world's places, in shards of 32 places.

    Args:
        folder: The album's folder.
        world: The world.
        config: What the pictures are like.
        city: The seed of the city to build on a street graph that has none.
        places: See `choose_places` (default: all).
        data: The folder of datasets.
    """

    label, threads = "places, in shards", True

    def __init__(
        self,
        folder: str | os.PathLike[str],
        world: str = "city/0",
        config: AlbumConfig | None = None,
        city: int | None = None,
        places: str | Sequence[str] | None = None,
        data: DataFolder = None,
    ) -> None:
        self.folder, self.world, self.config = Path(folder), world, config or AlbumConfig()
        self.seed, self.places, self.data = city, places, data
        self.city = open_city(world, city, data)
        numbers = choose_places(self.city.graph, places)
        requested = list(zip(numbers, album_entries(self.city, self.config, numbers), strict=True))
        starts = range(0, len(requested), PLACES_PER_SHARD)
        self.shards = {f"places-{k:05d}": requested[begin : begin + PLACES_PER_SHARD] for k, begin in enumerate(starts)}
        with file_lock(self.folder / STATE_FOLDER / CLAIM_LOCK):
            claim_folder(self.folder, self.config.about(self.city))
            for channel in self.config.channels:
                (self.folder / channel).mkdir(exist_ok=True)

    @cached_property
    def _writer(self) -> AlbumWriter:
        return AlbumWriter(self.folder, self.city, self.config)

    def pending(self) -> list[str]:
        """Return the shards with missing pictures."""
        requested = [place for shard in self.shards.values() for place in shard]
        missing = {number for number, _, _ in missing_files(self.folder, self.config, requested)}
        return [name for name, shard in self.shards.items() if any(number in missing for number, _ in shard)]

    def run(self, shard: str) -> None:
        """Render the missing pictures of a shard."""
        missing: list[MissingFiles] = missing_files(self.folder, self.config, self.shards[shard])
        with shared_writer(self.folder, "an album"):
            for begin in range(0, len(missing), self.config.batch_size):
                self._writer.write(tuple(missing[begin : begin + self.config.batch_size]))

    def folders(self) -> list[Path]:
        """Return the folders of the album."""
        return [self.folder, *(self.folder / channel for channel in self.config.channels)]

    def join(self, progress: Progress | None = None) -> JobResult:
        """List the places of the album."""
        result = write_album(
            self.folder, self.world, self.config, self.seed, self.places, data=self.data, progress=progress
        )
        row = {"path": str(self.folder), "places": result.places, "written": result.written}
        row |= {"existing": result.present}
        note = f"{self.folder} holds {result.total:,} places; docs/album.md describes the format."
        return JobResult("Album", [row], [note])
