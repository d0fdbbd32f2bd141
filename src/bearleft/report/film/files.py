"""Films as files, frame by frame: GIF through Pillow, MP4 through OpenCV."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from PIL import GifImagePlugin, Image

from bearleft.errors import InputError
from bearleft.runtime.store import atomic_write

Frames = Callable[[Image.Image, float], None]  # takes a picture and how many seconds it stays
Colour = tuple[int, int, int]
ENDINGS = (".gif", ".mp4")
CODECS = ("vp09", "mp4v")  # the first plays in browsers, the second is in every OpenCV
CLEAR = 255  # the palette's number for "as before"
AHEAD = 4  # frames that may wait to be encoded
SHORTEST = 0.02  # seconds: players show shorter frames of a GIF slowly


@contextlib.contextmanager
def gif(path: str | os.PathLike[str], samples: Sequence[Image.Image], fixed: Sequence[Colour]) -> Iterator[Frames]:
    """A GIF that goes round; its one palette holds the `fixed` colours and those of sample frames."""
    table = shared_palette(samples, fixed)
    with atomic_write(path, "wb") as stream:
        writer = _Gif(stream, table)
        yield writer.add
        writer.end()


def shared_palette(samples: Sequence[Image.Image], fixed: Sequence[Colour]) -> Image.Image:
    """A picture with a palette of 255 colours for all frames."""
    sheet = Image.new("RGB", (samples[0].width, sum(one.height for one in samples)))
    top = 0
    for one in samples:
        sheet.paste(one, (0, top))
        top += one.height
    sheet.thumbnail((sheet.width, 4096))
    found = sheet.quantize(CLEAR - len(fixed), Image.Quantize.MEDIANCUT).getpalette() or []
    chosen = [part for colour in fixed for part in colour] + found
    table = Image.new("P", (1, 1))
    table.putpalette((chosen + chosen[-3:] * 256)[: 3 * 256])
    return table


class _Gif:
    def __init__(self, stream: IO[bytes], table: Image.Image) -> None:
        self.stream, self.table = stream, table
        self.before: npt.NDArray[np.uint8] | None = None
        self.waiting: tuple[list[bytes], float] | None = None

    def add(self, frame: Image.Image, seconds: float) -> None:
        now = np.asarray(frame.quantize(palette=self.table, dither=Image.Dither.NONE))
        if self.before is None:
            self._begin(frame)
            self._put(now, (0, 0), seconds)
        else:
            changed = now != self.before
            if changed.any():
                rows, columns = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
                box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
                self._put(np.where(changed, now, np.uint8(CLEAR))[box], (int(columns[0]), int(rows[0])), seconds)
            else:
                self._put(np.full((1, 1), CLEAR, np.uint8), (0, 0), seconds)
        self.before = now

    def _begin(self, frame: Image.Image) -> None:
        size = b"".join(side.to_bytes(2, "little") for side in frame.size)
        table = bytes(self.table.getpalette() or ())
        self.stream.write(b"GIF89a" + size + b"\xf7\x00\x00" + table)
        self.stream.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def _put(self, piece: npt.NDArray[np.uint8], at: tuple[int, int], seconds: float) -> None:
        picture = Image.fromarray(piece, "L")
        lasts = 10 * max(round(100 * seconds), round(100 * SHORTEST))
        how: dict[str, Any] = {"duration": lasts, "transparency": CLEAR, "disposal": 1}
        self.stream.write(b"".join(GifImagePlugin.getdata(picture, at, **how)))

    def end(self) -> None:
        if self.before is None:
            raise InputError("at least one frame", "none")
        self.stream.write(b";")


@contextlib.contextmanager
def mp4(path: str | os.PathLike[str], size: tuple[int, int], fps: float) -> Iterator[Frames]:
    """An MP4; a frame that stays is written as often as that takes."""
    try:
        import cv2
    except ImportError as error:
        raise InputError("OpenCV for a film in MP4", "none installed", hint="Say -o FILE.gif instead.") from error
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "film.mp4"
        writer = _writer(cv2, draft, size, fps)
        owed = 0.0
        waiting: list[Future[None]] = []

        def write(pixels: npt.NDArray[np.uint8], times: int) -> None:
            for _ in range(times):
                writer.write(pixels)

        def add(frame: Image.Image, seconds: float) -> None:
            nonlocal owed
            times = max(math.floor(owed + seconds * fps + 0.5), 0)
            owed += seconds * fps - times
            pixels = np.ascontiguousarray(np.asarray(frame.convert("RGB"))[:, :, ::-1])
            waiting.append(beside.submit(write, pixels, times))
            if len(waiting) > AHEAD:
                waiting.pop(0).result()

        # One frame is encoded while the next ones are drawn.
        with ThreadPoolExecutor(1) as beside:
            try:
                yield add
                for work in waiting:
                    work.result()
            finally:
                beside.shutdown(cancel_futures=True)
                writer.release()
        with open(draft, "rb") as source, atomic_write(path, "wb") as stream:
            shutil.copyfileobj(source, stream)


def _writer(cv2: Any, draft: Path, size: tuple[int, int], fps: float) -> Any:
    for codec in CODECS:
        writer = cv2.VideoWriter(str(draft), cv2.VideoWriter.fourcc(*codec), fps, size)
        if writer.isOpened():
            return writer
        writer.release()
    raise InputError("an OpenCV that writes MP4", "one without its codecs", hint="Say -o FILE.gif instead.")
