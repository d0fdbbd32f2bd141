"""Feature stores in shards: each holds the feature maps of some panoramas, which joining appends to the store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.examples import Panorama
from bearleft.models.features.base import chunks, panoramas_of
from bearleft.models.features.computed import ComputedFeatures
from bearleft.models.features.quantize import Quantizer, measure_quantizer
from bearleft.models.features.store import INFO_FILE, check_compatible, read_info, read_panoramas, read_quantizer
from bearleft.models.features.write import (
    chunk_size,
    compute_chunk,
    describe_store,
    read_examples,
    write_quantizer,
    write_store,
)
from bearleft.runtime.shards import CLAIM_LOCK, STATE_FOLDER, JobResult, ShardedJob, shard_number
from bearleft.runtime.store import atomic_write, file_lock, write_text
from bearleft.types import DataFolder, Progress
from bearleft.world.pictures import PictureConfig
from bearleft.world.slices import Slicing

CHUNKS_PER_SHARD = 8
BASE_FILE = "features.base"  # panoramas that the store held when its shards were begun
HEADER_BYTES = 8  # of a shard: the number of clipped values


class FeatureShards(ShardedJob):
    """The feature maps of the panoramas of datasets; arguments are those of `features`."""

    label, threads = "panoramas, in shards", True

    def __init__(
        self,
        output: str | os.PathLike[str],
        datasets: Sequence[str],
        backbone: str = "city",
        half: bool = False,
        slicing: Slicing | None = None,
        device: str = "cpu",
        pictures: Sequence[str | os.PathLike[str]] = (),
        city: int | None = None,
        data: DataFolder = None,
    ) -> None:
        self.store, self.folder = Path(output), Path(output) / STATE_FOLDER
        self.half, self.device, self.pictures = half, device, PictureConfig(pictures, city, data)
        self.examples, self.slicing = read_examples(datasets, output, slicing, data)
        self.backbone = load_backbone(backbone, device)
        requested = panoramas_of(self.examples)
        sources, new = describe_store(requested, self.backbone, self.slicing, half, self.pictures)
        with file_lock(self.folder / CLAIM_LOCK):
            self.base = self._read_base(new)
        present = set(read_panoramas(self.store, self.base))
        self.missing_panoramas = [panorama for panorama in requested if panorama not in present]
        self.position = {panorama: k for k, panorama in enumerate(self.missing_panoramas)}
        self.source = ComputedFeatures(self.missing_panoramas, self.backbone, self.slicing, device, sources)
        self.chunk = chunk_size(self.source.device)
        self.size = self.chunk * CHUNKS_PER_SHARD
        self.bytes = new.bytes

    def _read_base(self, new: object) -> int:
        """Return how many panoramas the store held when its shards were begun."""
        count = 0
        if (self.store / INFO_FILE).exists():
            info = read_info(self.store)
            check_compatible(info, new, self.store)  # type: ignore[arg-type]
            count = info.count
        path = self.folder / BASE_FILE
        if path.exists():
            return int(path.read_text())
        write_text(path, str(count))
        return count

    def path(self, shard: str) -> Path:
        """Return the file of a shard."""
        return self.folder / f"{shard}.bin"

    def _names(self) -> list[str]:
        return [f"features-{k:05d}" for k in range(-(-len(self.missing_panoramas) // self.size))]

    def pending(self) -> list[str]:
        """Return the shards whose file is missing."""
        if (self.store / INFO_FILE).exists():
            present = set(read_panoramas(self.store, read_info(self.store).count))
            if all(panorama in present for panorama in self.missing_panoramas):
                return []
        return [name for name in self._names() if not self.path(name).exists()]

    def run(self, shard: str) -> None:
        """Compute the features of a shard."""
        if self.path(shard).exists():
            return
        first = shard_number(shard) * self.size
        contents, clipped = [], 0
        for begin, end in chunks(min(self.size, len(self.missing_panoramas) - first), self.chunk):
            content, count = compute_chunk(self.source, first + begin, first + end, self._quantizer)
            contents.append(bytes(content))
            clipped += count
        with atomic_write(self.path(shard), "wb") as stream:
            stream.write(clipped.to_bytes(HEADER_BYTES, "little"))
            stream.writelines(contents)

    @cached_property
    def _quantizer(self) -> Quantizer | None:
        return None if self.half else self.quantizer().to(self.source.device)

    def quantizer(self) -> Quantizer:
        """Return the quantizer of the store; that of a new one is measured by each who finds none, alike."""
        if self.base:
            return read_quantizer(self.store, self.backbone.channels)
        if not (self.folder / "scales.npy").exists():
            indices = np.arange(len(self.missing_panoramas))
            write_quantizer(self.folder, measure_quantizer(self.source, indices))
        return read_quantizer(self.folder, self.backbone.channels)

    def read(self, panorama: Panorama, count: int) -> tuple[bytes, int]:
        """Return the features of some panoramas of one shard; the clipped values are those of its first chunk."""
        number, offset = divmod(self.position[panorama], self.size)
        path = self.path(f"features-{number:05d}")
        expected = HEADER_BYTES + self.bytes * min(self.size, len(self.missing_panoramas) - number * self.size)
        with open(path, "rb") as stream:
            if (size := path.stat().st_size) != expected:
                hint = "Delete this file and run the same command again."
                raise InputError(f"{expected:,} bytes", format_value(size), file=str(path), hint=hint)
            clipped = int.from_bytes(stream.read(HEADER_BYTES), "little")
            stream.seek(HEADER_BYTES + offset * self.bytes)
            return stream.read(count * self.bytes), 0 if offset else clipped

    def folders(self) -> list[Path]:
        """Return the folder of the shards."""
        return [self.folder]

    def join(self, progress: Progress | None = None) -> JobResult:
        """Append the shards to the store and remove them."""
        summary = write_store(
            self.store,
            self.examples,
            self.backbone,
            self.slicing,
            self.device,
            self.half,
            self.pictures,
            progress,
            self,
        )
        for name in self._names():
            self.path(name).unlink(missing_ok=True)
        for name in (BASE_FILE, "scales.npy"):
            (self.folder / name).unlink(missing_ok=True)
        row = {"path": str(self.store), "panoramas": summary.requested, "written": summary.written}
        row |= {"existing": summary.present, "total": summary.total, "bytes": summary.bytes}
        return JobResult("Features", [row | {"clipped": round(summary.clipped, 6)}])
