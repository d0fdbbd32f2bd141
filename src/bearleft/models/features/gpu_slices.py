"""Slices rendered on a GPU and handed on there: while one set of pictures is read, the next is rendered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.features.pictures import Cuts
from bearleft.world.pictures import Eyes, Sees
from bearleft.world.render.camera import Lens
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.gpu import Renderer
from bearleft.world.slices import SLICES

AHEAD = 2  # calls that may be under way at once: whoever asks for more waits, since each takes memory
Group = tuple[str, Any, Any, Any]  # a world's name, places (m,), yaws (m,), headings (m, 8)
Read = Callable[[Tensor, Tensor, int, int], None]
Begun = tuple[Tensor, Any]  # what is being made, and the event after which it is there


class Card:
    """Scenes on the GPU, and room for two sets of pictures.

    Renderer and trunk have a stream each, which wait for nobody else: a network may learn meanwhile. Events say when a
    set is rendered and when it is read.
    """

    def __init__(self, eyes: Mapping[str, Sees], lens: Lens, most: int, device: torch.device) -> None:
        self.eyes, self.lens, self.device = dict(eyes), lens, device
        shape = (most, lens.height, lens.width)
        empty: Any = lambda kind, *more: torch.empty((*shape, *more), dtype=kind, device=device)  # noqa: E731
        depth, instance, part, kind = (empty(one) for one in (torch.float32, torch.int32, torch.int32, torch.uint8))
        colours = [empty(torch.uint8, 3) for _ in range(2)]  # all else is read by nobody
        with torch.cuda.device(device):  # numba takes the GPU that torch is on
            cities = {name: one.city for name, one in self.eyes.items() if isinstance(one, Eyes)}
            self.renderers = {name: Renderer(city.scene) for name, city in cities.items()}
        self.rooms = [Pictures(rgb, depth, instance, part, kind, lens) for rgb in colours]
        self.free: list[torch.cuda.Event | None] = [None, None]
        self.renders: Any = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self.reads: Any = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        for stream in (self.renders, self.reads):  # what the rooms' memory, or a trunk's, was before may still be used
            stream.wait_stream(torch.cuda.current_stream(device))
        self._turn = 0
        self._past: deque[Any] = deque(maxlen=AHEAD)

    def fill(self, out: Callable[[], Tensor], groups: Sequence[Sequence[Group]], read: Read) -> Begun:
        """Begins to render pieces and to read them into what `out` makes, which is not there before it is `ready`.

        `read(out, pictures, begin, end)` is called for each piece, panoramas counted from the first.
        """
        if len(self._past) == AHEAD:
            self._past[0].synchronize()
        with torch.cuda.stream(self.reads):
            made = out()  # of this stream's memory, which nobody else is using
        begin = 0
        for group in groups:
            self._turn ^= 1
            room, free = self.rooms[self._turn], self.free[self._turn]
            with torch.cuda.stream(self.renders):
                if free is not None:
                    self.renders.wait_event(free)
                end = begin + self.render(group, room)
                rendered = self.renders.record_event()
            with torch.cuda.stream(self.reads):
                self.reads.wait_event(rendered)
                rgb: Any = room.rgb
                read(made, rgb[: (end - begin) * SLICES], begin, end)
                self.free[self._turn] = self.reads.record_event()
            begin = end
        self._past.append(self.reads.record_event())
        return made, self._past[-1]

    def ready(self, begun: Begun) -> Tensor:
        """What was begun, for use on the present stream, which waits for it."""
        made, done = begun
        here = torch.cuda.current_stream(self.device)
        here.wait_event(done)
        made.record_stream(here)  # its memory is not given away before this stream has done with it
        return made

    def render(self, group: Sequence[Group], room: Pictures) -> int:
        """Fills the room with the slices of panoramas, on the present stream; how many panoramas they are."""
        done = 0
        for world, places, yaws, looks in group:
            part = _part(room, done * SLICES, (done + len(places)) * SLICES)
            eyes = self.eyes[world]
            if isinstance(eyes, Cuts):
                seen, into = torch.from_numpy(eyes.slices(places, yaws, looks, self.lens)), cast(Any, part.rgb)
                into.copy_(seen)
            elif isinstance(eyes, Eyes):
                poses = eyes.city.poses(np.repeat(places, SLICES), looks.ravel())
                self.renderers[world].into(part, poses, self.lens, eyes.light, eyes.samples, eyes.shadows)
            else:
                raise InputError("cities, rooms or stored pictures", world, "eyes")
            done += len(places)
        return done


def _part(room: Pictures, begin: int, end: int) -> Pictures:
    """Some of the room, in the same memory."""
    some = slice(begin, end)
    return Pictures(room.rgb[some], room.depth[some], room.instance[some], room.part[some], room.kind[some], room.lens)
