"""Writing a store of features: piece by piece, so that what a kill or a full disk ends goes on where it was."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bearleft.data import load
from bearleft.errors import InputError, shown
from bearleft.models.backbones.registry import Trunk, trunk
from bearleft.models.examples import Examples, Panorama, coverage, examples
from bearleft.models.features.base import Progress, panoramas_of, pieces
from bearleft.models.features.computed import Made
from bearleft.models.features.pictures import OURS, Cuts, Paths, open_eyes
from bearleft.models.features.quantize import MOST, Scale, scale_of
from bearleft.models.features.store import (
    ABOUT,
    PANORAMAS,
    SCALES,
    About,
    check_same,
    read_about,
    read_panoramas,
    read_scales,
)
from bearleft.runtime.store import atomic_write, only_writer
from bearleft.world.pictures import Sees
from bearleft.world.slices import PAPER, Slicing, default_slicing

PIECE, FEW = 64, 4  # panoramas written at once, made on a GPU and on a CPU


@dataclass(frozen=True)
class Written:
    """What became of a call: panoramas asked for, written now, there before; what was cut off; bytes of all."""

    asked: int
    written: int
    there: int
    clipped: float  # share of values beyond what 8 bits hold
    held: int
    bytes: int


def features(
    datasets: Sequence[str],
    output: str | os.PathLike[str],
    trunk_name: str = "city",
    half: bool = False,
    slicing: Slicing | None = None,
    device: str = "cpu",
    pictures: Paths = (),
    city: int | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    tell: Callable[[str], None] = lambda _line: None,
) -> Written:
    """Features of all panoramas of some datasets, in a store that is begun or goes on; `bearleft features`.

    Without `slicing` a store that is there keeps its own, and a new one gets the datasets' default. `tell` is given a
    line for each dataset that counts its unreachable targets.
    """
    loaded = [load(name, data) for name in datasets]
    asked = [examples(episodes) for episodes in loaded]
    if slicing is None:
        there = (Path(output) / ABOUT).exists()
        slicing = read_about(Path(output)).slicing if there else default_slicing(one[0].dataset for one in loaded)
    for name, some in zip(datasets, asked, strict=True):
        tell(coverage(some, slicing, name))
    return write_store(output, asked, trunk(trunk_name, device), slicing, device, half, pictures, city, data, progress)


def write_store(
    folder: str | os.PathLike[str],
    asked: Examples | Iterable[Examples | Panorama],
    seeing: Trunk,
    slicing: Slicing = PAPER,
    device: str | torch.device = "cpu",
    half: bool = False,
    pictures: Paths = (),
    city: int | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Adds the features of panoramas to a store: in 8 bits, or with `half` in half precision.

    A piece is written, then counted: what a kill leaves half done is written again.
    """
    folder, expected = Path(folder), panoramas_of(asked)
    eyes = open_eyes({panorama.world for panorama in expected}, pictures, city, data)
    begun = About(seeing.name, seeing.hash, slicing, seeing.channels, "f16" if half else "u8", 0, _seen(eyes, city))
    with only_writer(folder, "a store"):
        about = _going_on(folder, begun)
        there = set(read_panoramas(folder, about.count))
        left = [panorama for panorama in expected if panorama not in there]
        _check_room(folder, about, len(left))
        clipped = 0
        if left:
            made = Made(left, seeing, slicing, device, eyes)
            about, clipped = _add(folder, about, made, progress)
    share = clipped / (len(left) * np.prod(about.shape)) if left else 0.0
    return Written(
        len(expected), len(left), len(expected) - len(left), float(share), about.count, about.count * about.bytes
    )


def _seen(eyes: Mapping[str, Sees], city: int | None) -> dict[str, str]:
    """How pictures of each world come about."""
    ours = "rendered" if city is None else f"rendered (city {city})"
    return {
        world: "stored" if isinstance(one, Cuts) else "rendered" if world.startswith(OURS) else ours
        for world, one in eyes.items()
    }


def _going_on(folder: Path, begun: About) -> About:
    """The store that is there, cut back to its whole panoramas, or a new one."""
    if not (folder / ABOUT).exists():
        return begun
    about = read_about(folder)
    check_same(about, begun, folder)
    if about.count:
        path = about.cells(folder)
        size = path.stat().st_size if path.is_file() else 0
        if size < about.count * about.bytes:
            expected = f"{about.count * about.bytes:,} bytes of {about.count:,} panoramas"
            raise InputError(expected, f"{size:,}", file=str(path), hint="Delete the folder to make it again.")
        os.truncate(path, about.count * about.bytes)
        _write_panoramas(folder, read_panoramas(folder, about.count))
    return replace(about, seen={**about.seen, **begun.seen})


def _write_panoramas(folder: Path, panoramas: Iterable[Panorama]) -> None:
    with atomic_write(folder / PANORAMAS) as out:
        out.writelines(_line(panorama) for panorama in panoramas)


def _line(panorama: Panorama) -> str:
    return json.dumps(asdict(panorama)) + "\n"


def _check_room(folder: Path, about: About, more: int) -> None:
    """An error before anything is made where the disk cannot hold it all."""
    expected, free = more * about.bytes, shutil.disk_usage(folder).free
    if expected > free:
        raise _full(folder, more, expected, f"{free / 1e9:.2f} GB")


def _full(folder: Path, more: int, expected: int, got: str) -> InputError:
    hint = "Make room, or name a folder elsewhere; what is done stays, and the same command goes on."
    return InputError(f"{expected / 1e9:.2f} GB free for {more:,} more panoramas", got, file=str(folder), hint=hint)


def _add(folder: Path, about: About, made: Made, progress: Progress | None) -> tuple[About, int]:
    """Makes and writes, piece by piece; how many values were cut off."""
    scale = None if about.form == "f16" else _scale(folder, about, made, progress)
    count, clipped = len(made.panoramas), 0
    about.write(folder)
    for begin, end in pieces(count, PIECE if made.device.type == "cuda" else FEW):
        if progress:
            progress("features", begin, count)
        values = made(torch.arange(begin, end, device=made.device)).permute(0, 2, 3, 1)
        packed, beyond = _packed(values, scale)
        clipped += beyond
        lines = "".join(_line(panorama) for panorama in made.panoramas[begin:end]).encode()
        try:
            _append(about.cells(folder), packed, about.count * about.bytes)
            _append(folder / PANORAMAS, lines)
        except OSError as error:
            got = shown(error.strerror or str(error))
            raise _full(folder, count - begin, (count - begin) * about.bytes, got) from error
        about = replace(about, count=about.count + end - begin)
        about.write(folder)
    if progress:
        progress("features", count, count)
    return about, clipped


def _scale(folder: Path, about: About, made: Made, progress: Progress | None) -> Scale:
    """The store's scale; a new store's is measured."""
    if about.count:
        return Scale.read(read_scales(folder, about.channels)).to(made.device)
    scale = scale_of(made, np.arange(len(made.panoramas)), progress)
    kept = io.BytesIO()
    np.save(kept, scale.rows)
    with atomic_write(folder / SCALES, "wb") as out:
        out.write(kept.getvalue())
    return scale


def _packed(values: Tensor, scale: Scale | None) -> tuple[memoryview, int]:
    """Values as they lie in the file, and how many of them 8 bits cannot hold."""
    if scale is None:
        return _bytes(values.to(torch.float16)), 0
    whole, beyond = torch.empty(values.shape, dtype=torch.uint8, device=values.device), 0
    high = scale.low + scale.step * (MOST + 0.5)
    for one, row in zip(values, whole, strict=True):  # each is single precision for a moment
        row.copy_(scale.pack(one))
        beyond += int(((one > high) | (one < scale.low - scale.step / 2)).sum())
    return _bytes(whole), beyond


def _bytes(values: Tensor) -> memoryview:
    array: Any = values.contiguous().cpu().numpy()
    return memoryview(array.reshape(-1).view(np.uint8))


def _append(path: Path, content: bytes | memoryview, at: int | None = None) -> None:
    """Writes behind what is there, or from a byte on, down to the disk."""
    with open(path, "r+b" if path.exists() else "w+b", buffering=0) as out:
        out.seek(at) if at is not None else out.seek(0, os.SEEK_END)
        left = memoryview(content)
        while left:
            left = left[out.write(left) or 0 :]
        os.fsync(out.fileno())
