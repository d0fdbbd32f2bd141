"""Film files, written frame by frame: GIF with Pillow, MP4 with OpenCV."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from PIL import GifImagePlugin, Image

from bearleft.errors import InputError
from bearleft.runtime.store import atomic_write, temporary_path, write_error

AddFrame = Callable[[Image.Image, float], None]  # called with a picture and the seconds it is shown
Colour = tuple[int, int, int]
ENDINGS = (".gif", ".mp4")
CODECS = ("vp09", "mp4v")  # the first plays in browsers, the second is in every OpenCV
TRANSPARENT = 255  # palette index of unchanged pixels
MAX_PENDING = 4  # frames waiting to be encoded
MIN_FRAME_SECONDS = 0.02  # players show shorter frames of a GIF slowly


@contextlib.contextmanager
def open_gif(
    path: str | os.PathLike[str], samples: Sequence[Image.Image], fixed: Sequence[Colour]
) -> Iterator[AddFrame]:
    """Open a looping GIF; its single palette holds the `fixed` colours and those of sample frames."""
    palette = shared_palette(samples, fixed)
    with atomic_write(path, "wb") as stream:
        writer = _GifWriter(stream, palette)
        yield writer.add
        writer.end()


def shared_palette(samples: Sequence[Image.Image], fixed: Sequence[Colour]) -> Image.Image:
    """Return a picture with a palette of 255 colours for all frames."""
    sheet = Image.new("RGB", (samples[0].width, sum(frame.height for frame in samples)))
    top = 0
    for frame in samples:
        sheet.paste(frame, (0, top))
        top += frame.height
    sheet.thumbnail((sheet.width, 4096))
    sampled = sheet.quantize(TRANSPARENT - len(fixed), Image.Quantize.MEDIANCUT).getpalette() or []
    channels = [part for colour in fixed for part in colour] + sampled
    palette = Image.new("P", (1, 1))
    palette.putpalette((channels + channels[-3:] * 256)[: 3 * 256])
    return palette


class _GifWriter:
    def __init__(self, stream: IO[bytes], palette: Image.Image) -> None:
        self.stream, self.palette = stream, palette
        self.previous: npt.NDArray[np.uint8] | None = None
        self.waiting: tuple[list[bytes], float] | None = None

    def add(self, frame: Image.Image, seconds: float) -> None:
        frame_pixels = np.asarray(frame.quantize(palette=self.palette, dither=Image.Dither.NONE))
        if self.previous is None:
            self._write_header(frame)
            self._write_frame(frame_pixels, (0, 0), seconds)
        else:
            changed = frame_pixels != self.previous
            if changed.any():
                rows, columns = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
                box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
                self._write_frame(
                    np.where(changed, frame_pixels, np.uint8(TRANSPARENT))[box],
                    (int(columns[0]), int(rows[0])),
                    seconds,
                )
            else:
                self._write_frame(np.full((1, 1), TRANSPARENT, np.uint8), (0, 0), seconds)
        self.previous = frame_pixels

    def _write_header(self, frame: Image.Image) -> None:
        size = b"".join(side.to_bytes(2, "little") for side in frame.size)
        palette = bytes(self.palette.getpalette() or ())
        self.stream.write(b"GIF89a" + size + b"\xf7\x00\x00" + palette)
        self.stream.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def _write_frame(self, piece: npt.NDArray[np.uint8], at: tuple[int, int], seconds: float) -> None:
        picture = Image.fromarray(piece, "L")
        duration = 10 * max(round(100 * seconds), round(100 * MIN_FRAME_SECONDS))
        options: dict[str, Any] = {"duration": duration, "transparency": TRANSPARENT, "disposal": 1}
        self.stream.write(b"".join(GifImagePlugin.getdata(picture, at, **options)))

    def end(self) -> None:
        if self.previous is None:
            raise InputError("at least one frame", "none")
        self.stream.write(b";")


@contextlib.contextmanager
def open_mp4(path: str | os.PathLike[str], size: tuple[int, int], fps: float) -> Iterator[AddFrame]:
    """Open an MP4 file; a frame that stays is written several times."""
    try:
        import cv2
    except ImportError as error:
        raise InputError("OpenCV for a film in MP4", "none installed", hint="Say -o FILE.gif instead.") from error
    with _open_draft(cv2, Path(path), size, fps) as (writer, draft):
        carry = 0.0
        pending: list[Future[None]] = []

        def write(pixels: npt.NDArray[np.uint8], times: int) -> None:
            for _ in range(times):
                writer.write(pixels)

        def add(frame: Image.Image, seconds: float) -> None:
            nonlocal carry
            times = max(math.floor(carry + seconds * fps + 0.5), 0)
            carry += seconds * fps - times
            pixels = np.ascontiguousarray(np.asarray(frame.convert("RGB"))[:, :, ::-1])
            pending.append(encoder.submit(write, pixels, times))
            if len(pending) > MAX_PENDING:
                pending.pop(0).result()

        # A frame is encoded while the next ones are drawn.
        with ThreadPoolExecutor(1) as encoder:
            try:
                yield add
                for future in pending:
                    future.result()
            finally:
                encoder.shutdown(cancel_futures=True)
                writer.release()
        if not _is_complete(draft):
            hint = "Free some space and run the same command again."
            raise InputError("room to write", "a disk that took only a part of the film", file=str(path), hint=hint)
        draft.seek(0)
        with atomic_write(path, "wb") as stream:
            shutil.copyfileobj(draft, stream)


@contextlib.contextmanager
def _open_draft(cv2: Any, path: Path, size: tuple[int, int], fps: float) -> Iterator[tuple[Any, IO[bytes]]]:
    """Yield an OpenCV writer, and a stream that reads what it writes.

    Its file has no name from here on, so that nothing remains of it, even if this process is killed.
    """
    draft = temporary_path(path, ".part.mp4")  # OpenCV chooses the format by the end of the name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = open(draft, "w+b")  # noqa: SIM115  (closed below)
    except OSError as error:
        raise write_error(error, path) from error
    with stream:
        try:
            writer = _open_writer(cv2, draft, size, fps)
        finally:
            draft.unlink(missing_ok=True)
        yield writer, stream


def _is_complete(film: IO[bytes]) -> bool:
    """Return whether an MP4 file has its index; OpenCV does not report a write that failed."""
    size, at, names = film.seek(0, os.SEEK_END), 0, []
    while at < size:
        film.seek(at)
        header = film.read(16).ljust(16, b"\0")
        length = int.from_bytes(header[:4], "big")
        length = int.from_bytes(header[8:], "big") if length == 1 else length
        if length < 8:
            return False
        names.append(header[4:8])
        at += length
    return at == size and b"moov" in names


def _open_writer(cv2: Any, draft: Path, size: tuple[int, int], fps: float) -> Any:
    for codec in CODECS:
        writer = cv2.VideoWriter(str(draft), cv2.VideoWriter.fourcc(*codec), fps, size)
        if writer.isOpened():
            return writer
        writer.release()
    raise InputError("an OpenCV that writes MP4", "one without its codecs", hint="Say -o FILE.gif instead.")
