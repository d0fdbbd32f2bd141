"""Eyes for reports on ArraMon: a place is what one player saw at one moment, with what lay or stood around."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.pictures import ArraMonEyes, Stands, stand_in_city, stand_in_room
from bearleft.errors import InputError
from bearleft.report.arramon_replay import Played, Spot
from bearleft.world.arramon.moves import FLOOR
from bearleft.world.city.city import open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import SIDE, Bytes, Sees, Size, lens_of


class TaskEyes(Sees):
    """Sees moments of a world of sections and of the room; `add` gives a moment its name.

    Two players who see the same share one name, hence one picture.
    """

    def __init__(self, world: str, device: str = "cpu", samples: int = 1) -> None:
        self.world, self.device = world, device
        self.eyes = ArraMonEyes(world, device, samples=samples)
        self.moments: list[Stands] = []
        self.numbers: dict[str, int] = {}

    def sharp(self, samples: int) -> TaskEyes:
        """The same moments, seen with so many rays a side."""
        other = TaskEyes(self.world, self.device, samples)
        other.moments, other.numbers = self.moments, self.numbers
        return other

    def add(self, leg: Played, step: int) -> str:
        """The name of what was seen at a step of a leg."""
        moment = stand_at(leg, *leg.states[step])
        parts = (moment.poses, moment.inside, moment.things)
        name = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:20]
        if name not in self.numbers:
            self.numbers[name] = len(self.moments)
            self.moments.append(moment)
        return name

    @property
    def graph(self) -> Graph:
        return open_city(self.world).graph

    def number(self, place: str) -> int:
        return self.numbers[place]

    def views(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike,
        pitches: npt.ArrayLike = 0.0,
        size: Size = SIDE,
        fov: float = 90.0,
    ) -> Bytes:
        """What was seen at moments, which say themselves where one looked."""
        some = joined([self.moments[k] for k in np.atleast_1d(places).tolist()])
        return self.eyes.look(some, lens_of("view", size, fov)).rgb

    def panoramas(self, places: npt.ArrayLike, yaws: npt.ArrayLike = 0.0, size: Size = 0) -> Bytes:
        raise InputError("a view of an ArraMon player", "a panorama")


def stand_at(leg: Played, spot: Spot, heading: float, origin: Spot = (0.0, 0.0)) -> Stands:
    """Where one stands in a leg who is at a spot, which may lie between two cells."""
    if not leg.inside:
        return stand_in_city(spot, heading, leg.lying, origin)
    return stand_in_room((spot[0], FLOOR, spot[1]), heading, leg.standing)  # type: ignore[arg-type]


def joined(stands: Sequence[Stands]) -> Stands:
    """Several as one."""
    most = max(one.things.shape[1] for one in stands)
    things = [np.pad(one.things, ((0, 0), (0, most - one.things.shape[1]), (0, 0))) for one in stands]
    poses, inside, count = (np.concatenate([getattr(one, n) for one in stands]) for n in ("poses", "inside", "count"))
    return Stands(poses, inside, np.concatenate(things), count)
