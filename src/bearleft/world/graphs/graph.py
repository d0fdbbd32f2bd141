"""A navigation graph as arrays: places, directed links with headings, and distances along them.

Links are sorted by source. Links with the same source stay in the order of their file, which breaks ties as the papers'
programs do. `link_offsets[p]:link_offsets[p + 1]` are the links that leave place p. Actions are in
`world/graphs/transitions.py`, distances in `world/graphs/distances.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.world.graphs.distances import Distances

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Graph:
    """Places and directed links. Create it with `Graph.make`, which sorts and validates; the arrays are read-only."""

    name: str
    ids: tuple[str, ...]  # of places; functions take a place as its index in this tuple
    positions: Floats  # of places: metres (east, north, up)
    yaw: Floats  # of places: the heading in the middle of the panorama
    link_offsets: Ints  # link_offsets[p]:link_offsets[p + 1] are the links that leave place p
    source: Ints  # of links
    target: Ints  # of links
    heading: Floats  # of links
    origin: tuple[float, float] | None = None  # latitude and longitude of the position (0, 0, 0)

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
        """Return a graph with links sorted by source.

        Args:
            name: The world's name.
            ids: Ids of places.
            positions: Positions of places in metres (n, 3).
            source: Index of the place that each link leaves.
            target: Index of the place that each link leads to.
            heading: Heading of each link in degrees.
            yaw: Heading in the middle of each place's panorama; 0 by default.
            origin: Latitude and longitude of the position (0, 0, 0).

        Raises:
            InputError: The arrays do not fit each other, ids repeat, or a link leads nowhere or to its own source.
        """
        count = len(ids)
        points = np.array(positions, float).reshape(count, 3)
        sources, targets = np.array(source, np.int32).reshape(-1), np.array(target, np.int32).reshape(-1)
        headings = np.array(heading, float).reshape(-1) % 360.0
        yaws = np.zeros(count) if yaw is None else np.array(yaw, float).reshape(count) % 360.0
        if not count:
            raise InputError("a graph with at least one place", "none")
        if len(set(ids)) != count:
            raise InputError("places with different ids", f"{count - len(set(ids))} twice")
        if not (np.isfinite(points).all() and np.isfinite(headings).all() and np.isfinite(yaws).all()):
            raise InputError("finite positions and headings", "NaN or infinity")
        if not len(sources) == len(targets) == len(headings):
            raise InputError(
                "as many sources as targets and headings", f"{len(sources)}, {len(targets)}, {len(headings)}"
            )
        if len(sources) and not (min(sources.min(), targets.min()) >= 0 and max(sources.max(), targets.max()) < count):
            raise InputError(f"links between places 0 to {count - 1}", "a link to a place outside")
        if (sources == targets).any():
            raise InputError(
                "links between two places", f"a link from {ids[int(sources[sources == targets][0])]} to itself"
            )
        order = np.argsort(sources, kind="stable")
        sources, targets, headings = sources[order], targets[order], headings[order]
        link_offsets = np.searchsorted(sources, np.arange(count + 1)).astype(np.int32)
        for array in (points, yaws, link_offsets, sources, targets, headings):
            array.flags.writeable = False
        return cls(name, tuple(ids), points, yaws, link_offsets, sources, targets, headings, origin)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, {len(self):,} places, {len(self.source):,} links)"

    @cached_property
    def index_by_id(self) -> dict[str, int]:
        """Index of each place by its id."""
        return {place: index for index, place in enumerate(self.ids)}

    def place_index(self, place: str) -> int:
        """Return the index of a place by its id; raise InputError for an id that this world does not have."""
        index = self.index_by_id.get(place)
        if index is None:
            raise InputError(f"a place of the world {self.name}", format_value(place))
        return index

    def links(self, place: int) -> Ints:
        """Return the indices of the links that leave a place."""
        return np.arange(self.link_offsets[place], self.link_offsets[place + 1], dtype=np.int32)

    def find_link(self, source: int, target: int) -> int | None:
        """Return the index of the link from one place to another, or None."""
        begin, end = self.link_offsets[source], self.link_offsets[source + 1]
        targets = self.target[begin:end].tolist()  # so few that a list is searched sooner than an array
        return int(begin) + targets.index(target) if target in targets else None

    @cached_property
    def _pairs(self) -> frozenset[tuple[int, int]]:
        return frozenset(zip(self.source.tolist(), self.target.tolist(), strict=True))

    def has_link(self, source: int, target: int) -> bool:
        """Return whether a link leads from one place to another."""
        return (source, target) in self._pairs

    def check_route(self, places: Sequence[str]) -> None:
        """Raise InputError, with the position in the route, for an unknown place or a missing link."""
        indices = []
        for k, place in enumerate(places):
            try:
                indices.append(self.place_index(place))
            except InputError as error:
                raise error.at(field=f"[{k}]") from None
        for k, (source, target) in enumerate(pairwise(indices)):
            if (source, target) not in self._pairs:
                raise InputError(
                    f"a link from {self.ids[source]} to the next place of the route",
                    f"{self.ids[target]}, which is not linked",
                    f"[{k + 1}]",
                )

    @cached_property
    def degree(self) -> Ints:
        """Number of links that leave each place."""
        return np.diff(self.link_offsets).astype(np.int32)

    @cached_property
    def neighbours(self) -> tuple[Ints, Ints]:
        """Neighbours of each place, linked in either direction, as compressed sparse rows: offsets and indices."""
        links = np.stack([np.concatenate([self.source, self.target]), np.concatenate([self.target, self.source])])
        pairs = np.unique(links, axis=1) if links.size else links
        return np.searchsorted(pairs[0], np.arange(len(self) + 1)).astype(np.int32), np.ascontiguousarray(pairs[1])

    def are_neighbours(self, place: int, other: int) -> bool:
        """Return whether a link joins two places, in either direction."""
        return self.has_link(place, other) or self.has_link(other, place)

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
        """SHA-256 digest of places and links, the same in every process."""
        digest = hashlib.sha256("\n".join(self.ids).encode())
        for array in (self.positions, self.yaw, self.link_offsets, self.target, self.heading):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()
