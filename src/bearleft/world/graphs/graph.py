"""A street graph as arrays: places, directed links with headings, and distances along them.

Links are sorted by the place they leave and keep their file's order there, which decides ties as the papers' programs
do. `first[p]:first[p + 1]` are the links that leave place p. A turn is `world/graphs/transitions.py`, a distance
`world/graphs/distances.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.geometry import Floats
from bearleft.world.graphs.distances import Distances

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Graph:
    """Places and links. Made by `Graph.make`, which sorts and checks; the arrays are read-only."""

    name: str
    ids: tuple[str, ...]
    positions: Floats
    yaw: Floats
    first: Ints
    source: Ints
    target: Ints
    heading: Floats
    origin: tuple[float, float] | None = None

    @classmethod
    def make(
        cls,
        name: str,
        ids: Sequence[str],
        positions: npt.ArrayLike,
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        heading: npt.ArrayLike,
        yaw: npt.ArrayLike | None = None,
        origin: tuple[float, float] | None = None,
    ) -> Graph:
        """Sorts links by their source and checks that every array fits the others.

        `yaw` is the heading in the middle of each place's panorama, `origin` the latitude and longitude of (0, 0, 0).
        """
        count = len(ids)
        where = np.array(positions, float).reshape(count, 3)
        start, end = np.array(source, np.int32).reshape(-1), np.array(target, np.int32).reshape(-1)
        towards = np.array(heading, float).reshape(-1) % 360.0
        middle = np.zeros(count) if yaw is None else np.array(yaw, float).reshape(count) % 360.0
        if not count:
            raise InputError("a graph with at least one place", "none")
        if len(set(ids)) != count:
            raise InputError("places with different ids", f"{count - len(set(ids))} twice")
        if not (np.isfinite(where).all() and np.isfinite(towards).all() and np.isfinite(middle).all()):
            raise InputError("finite positions and headings", "NaN or infinity")
        if not len(start) == len(end) == len(towards):
            raise InputError("as many sources as targets and headings", f"{len(start)}, {len(end)}, {len(towards)}")
        if len(start) and not (min(start.min(), end.min()) >= 0 and max(start.max(), end.max()) < count):
            raise InputError(f"links between places 0 to {count - 1}", "a link to a place outside")
        if (start == end).any():
            raise InputError("links between two places", f"a link from {ids[int(start[start == end][0])]} to itself")
        order = np.argsort(start, kind="stable")
        start, end, towards = start[order], end[order], towards[order]
        first = np.searchsorted(start, np.arange(count + 1)).astype(np.int32)
        for array in (where, middle, first, start, end, towards):
            array.flags.writeable = False
        return cls(name, tuple(ids), where, middle, first, start, end, towards, origin)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, {len(self):,} places, {len(self.source):,} links)"

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each place."""
        return {place: number for number, place in enumerate(self.ids)}

    def number(self, place: str) -> int:
        """A place's number; an error for a place that this world does not have."""
        number = self.index.get(place)
        if number is None:
            raise InputError(f"a place of the world {self.name}", shown(place))
        return number

    def links(self, place: int) -> Ints:
        """The links that leave a place."""
        return np.arange(self.first[place], self.first[place + 1], dtype=np.int32)

    def link(self, source: int, target: int) -> int | None:
        """The link from one place to another, or None."""
        begin, end = self.first[source], self.first[source + 1]
        found = np.flatnonzero(self.target[begin:end] == target)
        return int(begin + found[0]) if len(found) else None

    @cached_property
    def _pairs(self) -> frozenset[tuple[int, int]]:
        return frozenset(zip(self.source.tolist(), self.target.tolist(), strict=True))

    def has_link(self, source: int, target: int) -> bool:
        """Whether one can step from one place to another."""
        return (source, target) in self._pairs

    def check_route(self, places: Sequence[str]) -> None:
        """An error for an unknown place or a missing link, with its position in the route."""
        numbers = []
        for k, place in enumerate(places):
            try:
                numbers.append(self.number(place))
            except InputError as error:
                raise error.at(field=f"[{k}]") from None
        for k, (one, other) in enumerate(pairwise(numbers)):
            if (one, other) not in self._pairs:
                raise InputError(
                    f"a link from {self.ids[one]} to the next place of the route",
                    f"{self.ids[other]}, which is not linked",
                    f"[{k + 1}]",
                )

    @cached_property
    def degree(self) -> Ints:
        """How many links leave each place."""
        return np.diff(self.first).astype(np.int32)

    @cached_property
    def neighbours(self) -> tuple[Ints, Ints]:
        """Places next to each other in either direction, once each, as offsets and numbers."""
        both = np.stack([np.concatenate([self.source, self.target]), np.concatenate([self.target, self.source])])
        pairs = np.unique(both, axis=1) if both.size else both
        return np.searchsorted(pairs[0], np.arange(len(self) + 1)).astype(np.int32), np.ascontiguousarray(pairs[1])

    def are_neighbours(self, one: int, other: int) -> bool:
        """Whether a link joins two places, in whichever direction."""
        return self.has_link(one, other) or self.has_link(other, one)

    @cached_property
    def hops(self) -> Distances:
        """Distances in steps between neighbours."""
        return Distances(self.neighbours, self.positions, "hops", self.hash)

    @cached_property
    def metres(self) -> Distances:
        """Distances in metres along the links."""
        return Distances(self.neighbours, self.positions, "metres", self.hash)

    @cached_property
    def hash(self) -> str:
        """The same for graphs with the same places and links, in every process."""
        digest = hashlib.sha256("\n".join(self.ids).encode())
        for array in (self.positions, self.yaw, self.first, self.target, self.heading):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()
