"""Render and encode slices on a GPU, overlapped: while one chunk is encoded, the next is rendered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.world.pictures import AlbumPictures, PictureSource, RenderedPictures
from bearleft.world.render.camera import Lens
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.gpu import Renderer
from bearleft.world.slices import SLICE_COUNT

MAX_PENDING = 2  # calls that may be in flight at once; further ones wait, since each takes memory
Group = tuple[str, Any, Any, Any]  # a world's name, places (m,), yaws (m,), headings (m, 8)
Encode = Callable[[Tensor, Tensor, int, int], None]
PendingMaps = tuple[Tensor, Any]  # maps that are being computed, and the event after which they are complete


class SlicePipeline:
    """Scenes on the GPU, and two buffers of pictures.

    Renderer and backbone have a stream each, so that a network can train meanwhile. Events mark when a buffer is
    rendered and when it is encoded.
    """

    def __init__(self, sources: Mapping[str, PictureSource], lens: Lens, max_slices: int, device: torch.device) -> None:
        self.sources, self.lens, self.device = dict(sources), lens, device
        shape = (max_slices, lens.height, lens.width)
        empty: Any = lambda dtype, *more: torch.empty((*shape, *more), dtype=dtype, device=device)  # noqa: E731
        depth, instance, part, kind = (empty(dtype) for dtype in (torch.float32, torch.int32, torch.int32, torch.uint8))
        colours = [empty(torch.uint8, 3) for _ in range(2)]  # the other channels are not read, so both share them
        with torch.cuda.device(device):  # numba takes the GPU that torch is on
            cities = {
                name: source.city for name, source in self.sources.items() if isinstance(source, RenderedPictures)
            }
            self.renderers = {name: Renderer(city.scene) for name, city in cities.items()}
        self.buffers = [Pictures(rgb, depth, instance, part, kind, lens) for rgb in colours]
        self.encoded: list[torch.cuda.Event | None] = [None, None]
        self.render_stream: Any = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self.encode_stream: Any = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        # Earlier work may still use the memory of the buffers or of the backbone.
        for stream in (self.render_stream, self.encode_stream):
            stream.wait_stream(torch.cuda.current_stream(device))
        self._current = 0
        self._pending: deque[Any] = deque(maxlen=MAX_PENDING)

    def submit(self, allocate: Callable[[], Tensor], chunks: Sequence[Sequence[Group]], encode: Encode) -> PendingMaps:
        """Start to render chunks and to encode them; `wait` returns the result.

        Args:
            allocate: Returns the empty output tensor.
            chunks: Groups of panoramas, rendered chunk by chunk.
            encode: Called as `encode(output, pictures, begin, end)` for each chunk, with indices of panoramas.
        """
        if len(self._pending) == MAX_PENDING:
            self._pending[0].synchronize()
        with torch.cuda.stream(self.encode_stream):
            output = allocate()  # from this stream's memory, which no other stream uses
        begin = 0
        for groups in chunks:
            self._current ^= 1
            buffer, encoded = self.buffers[self._current], self.encoded[self._current]
            with torch.cuda.stream(self.render_stream):
                if encoded is not None:
                    self.render_stream.wait_event(encoded)
                end = begin + self.render(groups, buffer)
                rendered = self.render_stream.record_event()
            with torch.cuda.stream(self.encode_stream):
                self.encode_stream.wait_event(rendered)
                rgb: Any = buffer.rgb
                encode(output, rgb[: (end - begin) * SLICE_COUNT], begin, end)
                self.encoded[self._current] = self.encode_stream.record_event()
            begin = end
        self._pending.append(self.encode_stream.record_event())
        return output, self._pending[-1]

    def wait(self, pending: PendingMaps) -> Tensor:
        """Return the maps of `submit`, for use on the current stream, which waits for them."""
        output, done = pending
        current = torch.cuda.current_stream(self.device)
        current.wait_event(done)
        output.record_stream(current)  # the memory is not reused before this stream has done with it
        return output

    def render(self, groups: Sequence[Group], buffer: Pictures) -> int:
        """Render the slices of panoramas into a buffer on the current stream; return the number of panoramas."""
        done = 0
        for world, places, yaws, headings in groups:
            part = _slice_pictures(buffer, done * SLICE_COUNT, (done + len(places)) * SLICE_COUNT)
            source = self.sources[world]
            if isinstance(source, AlbumPictures):
                pictures = torch.from_numpy(source.slices(places, yaws, headings, self.lens))
                cast(Any, part.rgb).copy_(pictures)
            elif isinstance(source, RenderedPictures):
                poses = source.city.poses(np.repeat(places, SLICE_COUNT), headings.ravel())
                self.renderers[world].into(part, poses, self.lens, source.light, source.samples, source.shadows)
            else:
                raise InputError("cities, rooms or stored pictures", world, "sources")
            done += len(places)
        return done


def _slice_pictures(buffer: Pictures, begin: int, end: int) -> Pictures:
    """Return some pictures of a buffer, in the same memory."""
    part = slice(begin, end)
    return Pictures(
        buffer.rgb[part], buffer.depth[part], buffer.instance[part], buffer.part[part], buffer.kind[part], buffer.lens
    )
