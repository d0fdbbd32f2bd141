"""Write feature stores chunk by chunk, so that an interrupted run resumes where it stopped."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from bearleft.data import load
from bearleft.errors import InputError, format_value
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.examples import Examples, Panorama, build_examples, coverage
from bearleft.models.features.base import chunks, panoramas_of
from bearleft.models.features.computed import ComputedFeatures
from bearleft.models.features.quantize import MAX_CODE, Quantizer, measure_quantizer
from bearleft.models.features.store import (
    INFO_FILE,
    PANORAMA_FILE,
    QUANTIZER_FILE,
    StoreInfo,
    check_compatible,
    read_info,
    read_panoramas,
    read_quantizer,
)
from bearleft.runtime.progress import announce, format_size
from bearleft.runtime.store import atomic_write, exclusive_writer
from bearleft.types import DataFolder, Progress
from bearleft.world.pictures import RENDERED, AlbumPictures, PictureConfig, PictureSource, open_pictures
from bearleft.world.slices import PAPER, Slicing, default_slicing
from bearleft.world.worlds import world_kind

GPU_CHUNK, CPU_CHUNK = 64, 4  # panoramas computed and written at once


class FinishedChunks(Protocol):
    """Features that were computed before they are written."""

    def read(self, panorama: Panorama, count: int) -> tuple[bytes, int]:
        """Return the features of `count` panoramas from one on, and how many values were clipped."""

    def quantizer(self) -> Quantizer:
        """Return the quantizer of a new store."""


@dataclass(frozen=True)
class WriteSummary:
    """Summary of a call of `write_store`."""

    requested: int  # panoramas
    written: int  # panoramas of this call
    present: int  # requested panoramas that were there before
    clipped: float  # share of values beyond the range of 8 bits
    total: int  # panoramas of the store
    bytes: int  # of the store


def features(
    datasets: Sequence[str],
    output: str | os.PathLike[str],
    backbone: str = "city",
    half: bool = False,
    slicing: Slicing | None = None,
    device: str = "cpu",
    pictures: Sequence[str | os.PathLike[str]] = (),
    city: int | None = None,
    data: DataFolder = None,
    progress: Progress | None = None,
    report: Callable[[str], None] = lambda _line: None,
) -> WriteSummary:
    """Write the features of all panoramas of datasets into a new or existing store; `bearleft features`.

    Args:
        datasets: Names of dataset splits.
        output: Folder of the store.
        backbone: Name or file of the backbone.
        half: Whether to write half precision instead of 8 bits.
        slicing: How panoramas are cut into slices; by default that of the store, or of the datasets if it is new.
        device: Where features are computed.
        pictures: Folders of albums with stored panoramas.
        city: Seed of the city that is built on street graphs without buildings.
        data: Folder of the datasets.
        progress: Called with a label, the panoramas done and their total.
        report: Called with a line for each dataset that counts its unreachable targets.

    Returns:
        How many panoramas were written, and the size of the store.

    Raises:
        InputError: The store has other features, some panoramas have no picture, or the disk is full.
    """
    examples, slicing = read_examples(datasets, output, slicing, data)
    for name, dataset_examples in zip(datasets, examples, strict=True):
        report(coverage(dataset_examples, slicing, name))
    network = load_backbone(backbone, device)
    return write_store(output, examples, network, slicing, device, half, PictureConfig(pictures, city, data), progress)


def read_examples(
    datasets: Sequence[str], output: str | os.PathLike[str], slicing: Slicing | None, data: DataFolder
) -> tuple[list[Examples], Slicing]:
    """Return the examples of datasets, and the slicing: if none is named that of the store, or of the datasets."""
    loaded = [load(name, data) for name in datasets]
    examples = [build_examples(episodes) for episodes in loaded]
    if slicing is None:
        exists = (Path(output) / INFO_FILE).exists()
        slicing = (
            read_info(Path(output)).slicing if exists else default_slicing(episodes[0].dataset for episodes in loaded)
        )
    return examples, slicing


def write_store(
    folder: str | os.PathLike[str],
    examples: Examples | Iterable[Examples | Panorama],
    backbone: Backbone,
    slicing: Slicing = PAPER,
    device: str | torch.device = "cpu",
    half: bool = False,
    pictures: PictureConfig = RENDERED,
    progress: Progress | None = None,
    finished: FinishedChunks | None = None,
) -> WriteSummary:
    """Add the features of panoramas to a new or existing store.

    Each chunk is written before it is counted as complete, so that an interrupted chunk is written again.

    Args:
        folder: Folder of the store.
        examples: Examples, or several of them, or panoramas.
        backbone: The backbone.
        slicing: How panoramas are cut into slices.
        device: Where features are computed.
        half: Whether to write half precision instead of 8 bits.
        pictures: Where pictures come from.
        progress: Called with a label, the panoramas done and their total.
        finished: Chunks that were computed before, and the quantizer of a new store.

    Returns:
        How many panoramas were written, and the size of the store.

    Raises:
        InputError: The store has other features, some panoramas have no picture, or the disk is full.
    """
    folder, panoramas = Path(folder), panoramas_of(examples)
    sources, new = describe_store(panoramas, backbone, slicing, half, pictures)
    with exclusive_writer(folder, "a store"):
        info = _resume(folder, new)
        present = set(read_panoramas(folder, info.count))
        missing = [panorama for panorama in panoramas if panorama not in present]
        _check_disk_space(folder, info, len(missing))
        clipped = 0
        if missing:
            announce(
                f"Computing the features of {len(missing):,} panoramas: {format_size(len(missing) * info.bytes)} in "
                f"{folder}. An interrupted command resumes."
            )
            source = ComputedFeatures(missing, backbone, slicing, device, sources)
            info, clipped = _append_features(folder, info, source, progress, finished)
    share = clipped / (len(missing) * np.prod(info.shape)) if missing else 0.0
    return WriteSummary(
        len(panoramas),
        len(missing),
        len(panoramas) - len(missing),
        float(share),
        info.count,
        info.count * info.bytes,
    )


def describe_store(
    panoramas: Iterable[Panorama], backbone: Backbone, slicing: Slicing, half: bool, pictures: PictureConfig
) -> tuple[Mapping[str, PictureSource], StoreInfo]:
    """Return the pictures of each world, and what a new store of their features holds."""
    sources = open_pictures({panorama.world for panorama in panoramas}, pictures)
    dtype = "f16" if half else "u8"
    origins = _picture_origins(sources, pictures.city)
    return sources, StoreInfo(backbone.name, backbone.hash, slicing, backbone.channels, dtype, 0, origins)


def _picture_origins(sources: Mapping[str, PictureSource], city: int | None) -> dict[str, str]:
    """Return where the pictures of each world come from."""
    built = "rendered" if city is None else f"rendered (city {city})"
    return {
        world: "stored"
        if isinstance(source, AlbumPictures)
        else "rendered"
        if world_kind(world).rendered_places
        else built
        for world, source in sources.items()
    }


def _resume(folder: Path, new: StoreInfo) -> StoreInfo:
    """Return the existing store, truncated to its complete panoramas, or a new one."""
    if not (folder / INFO_FILE).exists():
        return new
    info = read_info(folder)
    check_compatible(info, new, folder)
    if info.count:
        path = info.map_file(folder)
        size = path.stat().st_size if path.is_file() else 0
        if size < info.count * info.bytes:
            expected = f"{info.count * info.bytes:,} bytes of {info.count:,} panoramas"
            raise InputError(expected, f"{size:,}", file=str(path), hint="Delete the folder to make it again.")
        os.truncate(path, info.count * info.bytes)
        _write_panoramas(folder, read_panoramas(folder, info.count))
    return replace(info, pictures={**info.pictures, **new.pictures})


def _write_panoramas(folder: Path, panoramas: Iterable[Panorama]) -> None:
    with atomic_write(folder / PANORAMA_FILE) as out:
        out.writelines(_line(panorama) for panorama in panoramas)


def _line(panorama: Panorama) -> str:
    return json.dumps(asdict(panorama)) + "\n"


def _check_disk_space(folder: Path, info: StoreInfo, count: int) -> None:
    """Raise InputError before anything is computed if the disk cannot hold `count` more panoramas."""
    needed, free = count * info.bytes, shutil.disk_usage(folder).free
    if needed > free:
        raise _disk_full(folder, count, needed, f"{free / 1e9:.2f} GB")


def _disk_full(folder: Path, count: int, needed: int, got: str) -> InputError:
    hint = "Make room, or name another folder; the same command resumes."
    return InputError(f"{needed / 1e9:.2f} GB free for {count:,} more panoramas", got, file=str(folder), hint=hint)


def _append_features(
    folder: Path,
    info: StoreInfo,
    source: ComputedFeatures,
    progress: Progress | None,
    finished: FinishedChunks | None = None,
) -> tuple[StoreInfo, int]:
    """Compute and write features chunk by chunk; return the number of clipped values too."""
    quantizer = None if info.dtype == "f16" else _store_quantizer(folder, info, source, progress, finished)
    count, clipped = len(source.panoramas), 0
    info.write(folder)
    for begin, end in chunks(count, chunk_size(source.device)):
        if progress:
            progress("features", begin, count)
        if finished is None:
            content, clipped_values = compute_chunk(source, begin, end, quantizer)
        else:
            stored, clipped_values = finished.read(source.panoramas[begin], end - begin)
            content = memoryview(stored)
        clipped += clipped_values
        lines = "".join(_line(panorama) for panorama in source.panoramas[begin:end]).encode()
        try:
            _write_at(info.map_file(folder), content, info.count * info.bytes)
            _write_at(folder / PANORAMA_FILE, lines)
        except OSError as error:
            got = format_value(error.strerror or str(error))
            raise _disk_full(folder, count - begin, (count - begin) * info.bytes, got) from error
        info = replace(info, count=info.count + end - begin)
        info.write(folder)
    if progress:
        progress("features", count, count)
    return info, clipped


def _store_quantizer(
    folder: Path,
    info: StoreInfo,
    source: ComputedFeatures,
    progress: Progress | None,
    finished: FinishedChunks | None = None,
) -> Quantizer:
    """Return the store's quantizer; that of a new store is measured and written."""
    if info.count:
        return read_quantizer(folder, info.channels).to(source.device)
    if finished is None:
        quantizer = measure_quantizer(source, np.arange(len(source.panoramas)), progress)
    else:
        quantizer = finished.quantizer().to(source.device)
    write_quantizer(folder, quantizer)
    return quantizer


def write_quantizer(folder: Path, quantizer: Quantizer) -> None:
    """Write the quantizer of a store."""
    buffer = io.BytesIO()
    np.save(buffer, quantizer.to_array())
    with atomic_write(folder / QUANTIZER_FILE, "wb") as out:
        out.write(buffer.getvalue())


def chunk_size(device: torch.device) -> int:
    """Return how many panoramas are computed at once."""
    return GPU_CHUNK if device.type == "cuda" else CPU_CHUNK


def compute_chunk(
    source: ComputedFeatures, begin: int, end: int, quantizer: Quantizer | None
) -> tuple[memoryview, int]:
    """Return the features of some panoramas as bytes, and how many values exceed the range of 8 bits."""
    return _to_bytes(source(torch.arange(begin, end, device=source.device)).permute(0, 2, 3, 1), quantizer)


def _to_bytes(values: Tensor, quantizer: Quantizer | None) -> tuple[memoryview, int]:
    """Return values in the byte layout of the file, and how many of them exceed the range of 8 bits."""
    if quantizer is None:
        return _memory(values.to(torch.float16)), 0
    codes, clipped = torch.empty(values.shape, dtype=torch.uint8, device=values.device), 0
    high = quantizer.low + quantizer.step * (MAX_CODE + 0.5)
    for value, code in zip(values, codes, strict=True):  # one at a time, since each takes single precision
        code.copy_(quantizer.quantize(value))
        clipped += int(((value > high) | (value < quantizer.low - quantizer.step / 2)).sum())
    return _memory(codes), clipped


def _memory(values: Tensor) -> memoryview:
    array: Any = values.contiguous().cpu().numpy()
    return memoryview(array.reshape(-1).view(np.uint8))


def _write_at(path: Path, content: bytes | memoryview, offset: int | None = None) -> None:
    """Write at the end of a file, or at an offset, and flush it to disk."""
    with open(path, "r+b" if path.exists() else "w+b", buffering=0) as out:
        out.seek(offset) if offset is not None else out.seek(0, os.SEEK_END)
        remaining = memoryview(content)
        while remaining:
            remaining = remaining[out.write(remaining) or 0 :]
        os.fsync(out.fileno())
