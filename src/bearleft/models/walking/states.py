"""States of walks in several worlds as tensors on one device, so that a step of a whole batch is one look-up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.walking.network import MAX_LINKS, SECTORS
from bearleft.world.graphs.action_distances import action_distances
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.transitions import transitions

Indices = npt.NDArray[np.int64]
Start = tuple[str, str, float]  # world, place, heading
MAX_DISTANCE_BYTES = 8 << 30


@dataclass(frozen=True, eq=False)
class PlaceIndex:
    """Places of several worlds, numbered one world after the other."""

    graphs: tuple[Graph, ...]

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Number of the first place of each world."""
        ends = np.cumsum([0, *(len(graph) for graph in self.graphs)])
        return {graph.name: int(end) for graph, end in zip(self.graphs, ends, strict=False)}

    def __len__(self) -> int:
        return sum(len(graph) for graph in self.graphs)

    @cached_property
    def _by_name(self) -> dict[str, Graph]:
        return {graph.name: graph for graph in self.graphs}

    def number(self, world: str, place: str) -> int:
        """Return the number of a place."""
        if world not in self._by_name:
            raise InputError(f"a place of {', '.join(self._by_name)}", f"one of {world}")
        return self.offsets[world] + self._by_name[world].place_index(place)

    @cached_property
    def degree(self) -> Indices:
        """Number of links of each place."""
        return np.concatenate([graph.degree for graph in self.graphs]).astype(np.int64)

    @cached_property
    def yaw(self) -> npt.NDArray[np.float64]:
        """Heading in the middle of each place's panorama."""
        return np.concatenate([graph.yaw for graph in self.graphs])

    def link_sectors(self) -> Tensor:
        """Return the number of links of each place in every sector of the compass, the first one around north."""
        counts = np.zeros((len(self), SECTORS), np.float32)
        for graph in self.graphs:
            sector = np.floor(graph.heading / 360.0 * SECTORS + 0.5).astype(np.int64) % SECTORS
            np.add.at(counts, (graph.source + self.offsets[graph.name], sector), 1.0)
        return torch.from_numpy(counts)


@dataclass(frozen=True, eq=False)
class StateTable:
    """A transition table over the states of all worlds: `next_state[state, action]`."""

    places: PlaceIndex
    next_state: Tensor  # (s, actions) int64
    place: Tensor  # (s,) int64: numbers of places
    heading: Tensor  # (s,) degrees
    junction: Tensor  # (s,) int64: links of the place, at most MAX_LINKS
    start_states: Mapping[Start, int]
    world: Tensor  # (s,) int64: index of the world
    state_offsets: tuple[int, ...]  # of each world

    @classmethod
    def build(
        cls, graphs: Iterable[Graph], starts: Iterable[Start], device: torch.device, auto_turn: bool = True
    ) -> StateTable:
        """Return the table of graphs, with a state for each start.

        Args:
            graphs: The worlds.
            starts: World, place and heading of each start.
            device: Where the table lies.
            auto_turn: Whether walkers turn to the nearest link when they enter a junction.
        """
        index = PlaceIndex(tuple(graphs))
        by_world: dict[str, list[Start]] = {graph.name: [] for graph in index.graphs}
        for start in dict.fromkeys(starts):
            by_world[start[0]].append(start)
        next_states, places, headings, worlds = [], [], [], []
        start_states: dict[Start, int] = {}
        offsets: list[int] = []
        offset = 0
        for k, graph in enumerate(index.graphs):
            own = by_world[graph.name]
            table = transitions(graph, [(graph.place_index(p), h) for _, p, h in own], auto_turn=auto_turn)
            next_states.append(table.next_state.astype(np.int64) + offset)
            places.append(table.place.astype(np.int64) + index.offsets[graph.name])
            headings.append(table.heading)
            worlds.append(np.full(len(table.place), k, np.int64))
            start_states |= {start: int(s) + offset for start, s in zip(own, table.start_states, strict=True)}
            offsets.append(offset)
            offset += len(table.place)
        place = np.concatenate(places)
        junction = np.minimum(index.degree[place], MAX_LINKS)
        arrays = [np.concatenate(next_states), place, np.concatenate(headings).astype(np.float32), junction]
        next_state, place_tensor, heading, junctions = (torch.from_numpy(array).to(device) for array in arrays)
        world = torch.from_numpy(np.concatenate(worlds)).to(device)
        return cls(index, next_state, place_tensor, heading, junctions, start_states, world, tuple(offsets))

    @property
    def device(self) -> torch.device:
        """Where the table lies."""
        return self.place.device

    @cached_property
    def place_offsets(self) -> Tensor:
        """Number of the first place of each world."""
        offsets = self.places.offsets
        return torch.tensor([offsets[graph.name] for graph in self.places.graphs], device=self.device)

    @cached_property
    def distances(self) -> ActionDistances:
        """Number of actions from every state to every place of its world."""
        return ActionDistances.build(self)


@dataclass(frozen=True, eq=False)
class ActionDistances:
    """Number of actions from every state to every place of the same world, at most 255."""

    tables: tuple[Tensor, ...]  # by world: (places, states) uint8
    flat: Tensor
    first: Tensor  # by world: index in `flat` of its table
    states: Tensor  # by world: number of states
    table: StateTable
    state_offsets: Tensor

    @classmethod
    def build(cls, table: StateTable) -> ActionDistances:
        """Compute the distances of all worlds."""
        next_state, place = table.next_state.cpu().numpy(), table.place.cpu().numpy()
        ends = [*table.state_offsets, len(place)]
        graphs = table.places.graphs
        size = sum(len(graph) * (ends[k + 1] - ends[k]) for k, graph in enumerate(graphs))
        if size > MAX_DISTANCE_BYTES:
            hint = "Train with teacher forcing, or on fewer worlds."
            raise InputError("worlds whose distances fit into 8 GB", f"{size / 1e9:.0f} GB", hint=hint)
        tables = []
        for k, graph in enumerate(graphs):
            begin, end = ends[k], ends[k + 1]
            own = (next_state[begin:end] - begin).astype(np.int32)
            own_place = (place[begin:end] - table.places.offsets[graph.name]).astype(np.int32)
            tables.append(torch.from_numpy(action_distances(own, own_place, len(graph))))
        flat = torch.cat([part.flatten() for part in tables]).to(table.device)
        first = np.cumsum([0, *(part.numel() for part in tables)])[:-1]

        def to_device(values: Iterable[int]) -> Tensor:
            return torch.tensor(list(values), dtype=torch.int64, device=table.device)

        return cls(
            tuple(tables),
            flat,
            to_device(first.tolist()),
            to_device(part.shape[1] for part in tables),
            table,
            to_device(table.state_offsets),
        )

    def __call__(self, states: Tensor, places: Tensor) -> Tensor:
        """Return the number of actions from states to places of the same world; the shapes are equal."""
        world = self.table.world[states]
        row = places - self.table.place_offsets[world]
        column = states - self.state_offsets[world]
        return self.flat[self.first[world] + row * self.states[world] + column].long()
