"""Pictures for reports on ArraMon: each place is what an agent saw at one moment, with the items around it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.pictures import ArraMonPictures, Viewpoints, city_viewpoint, room_viewpoint
from bearleft.errors import InputError
from bearleft.reports.arramon_replay import XY, ReplayedLeg
from bearleft.world.arramon.moves import FLOOR
from bearleft.world.city.city import open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import VIEW_SIZE, Bytes, PictureSource, Size, make_lens


class TaskPictures(PictureSource):
    """Pictures of moments in a world of sections and in the room; `add` gives a moment its name.

    Agents that see the same share one name, hence one picture.
    """

    def __init__(self, world: str, device: str = "cpu", samples: int = 1) -> None:
        self.world, self.device = world, device
        self.pictures = ArraMonPictures(world, device, samples=samples)
        self.moments: list[Viewpoints] = []
        self.numbers: dict[str, int] = {}

    def with_samples(self, samples: int) -> TaskPictures:
        """Return the same moments, rendered with so many rays per side of a pixel."""
        other = TaskPictures(self.world, self.device, samples)
        other.moments, other.numbers = self.moments, self.numbers
        return other

    def add(self, leg: ReplayedLeg, step: int) -> str:
        """Return the name of what was seen at a step of a leg."""
        moment = viewpoint_at(leg, *leg.states[step])
        parts = (moment.poses, moment.inside, moment.objects)
        name = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:20]
        if name not in self.numbers:
            self.numbers[name] = len(self.moments)
            self.moments.append(moment)
        return name

    @property
    def graph(self) -> Graph:
        """Return the graph of the world's city."""
        return open_city(self.world).graph

    def place_index(self, place: str) -> int:
        """Return the index of a moment by its name."""
        return self.numbers[place]

    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = VIEW_SIZE,
        fov: float = 90.0,
    ) -> Bytes:
        """Return what was seen at moments, which hold their own headings."""
        moments = concatenate([self.moments[k] for k in np.atleast_1d(places).tolist()])
        return self.pictures.render(moments, make_lens("view", size, fov)).rgb

    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = 0) -> Bytes:
        """Raise an error: players of ArraMon see views, no panoramas."""
        raise InputError("a view of an ArraMon player", "a panorama")


def viewpoint_at(leg: ReplayedLeg, xy: XY, heading: float, origin: XY = (0.0, 0.0)) -> Viewpoints:
    """Return the viewpoint of an agent in a leg at a position, which may lie between two cells."""
    if not leg.inside:
        return city_viewpoint(xy, heading, leg.city_items, origin)
    return room_viewpoint((xy[0], FLOOR, xy[1]), heading, leg.room_items)  # type: ignore[arg-type]


def concatenate(viewpoints: Sequence[Viewpoints]) -> Viewpoints:
    """Concatenate several viewpoints."""
    max_items = max(viewpoint.objects.shape[1] for viewpoint in viewpoints)
    items = [
        np.pad(viewpoint.objects, ((0, 0), (0, max_items - viewpoint.objects.shape[1]), (0, 0)))
        for viewpoint in viewpoints
    ]
    poses, inside, count = (
        np.concatenate([getattr(viewpoint, n) for viewpoint in viewpoints]) for n in ("poses", "inside", "count")
    )
    return Viewpoints(poses, inside, np.concatenate(items), count)
