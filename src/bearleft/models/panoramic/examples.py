"""Walks to learn from, in options: texts, starts, references and the teacher's options, as arrays and on a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from bearleft.models.panoramic.links import STOP, LinkTable
from bearleft.models.panoramic.network import EncodedText, PanoramicNetwork
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.examples import NO_LABEL, WalkExamples, open_graphs, padded_length, walk_leg
from bearleft.records import Episode, check_goals
from bearleft.types import DataFolder
from bearleft.world.graphs.graph import Graph


def build_panoramic_walks(episodes: Sequence[Episode], data: DataFolder = None) -> WalkExamples:
    """Return the walks of episodes; their actions are options: the links along the reference, and STOP at its end.

    Args:
        episodes: Episodes whose first leg is a walk.
        data: The folder of real datasets.

    Raises:
        InputError: An episode has no walk, a hidden one, or a route that does not follow links from its start.
    """
    check_goals(episodes, "to learn from")
    legs = [walk_leg(episode) for episode in episodes]
    graphs = {graph.name: graph for graph in open_graphs([episode.world for episode in episodes], data)}
    routes = {(episode.world, goal.route) for episode, (_, goal) in zip(episodes, legs, strict=True)}
    options = {(world, route): options_along(graphs[world], route) for world, route in routes}
    actions = np.full((len(legs), max((len(goal.route) for _, goal in legs), default=1)), NO_LABEL, np.int64)
    starts = []
    for k, (episode, (_, goal)) in enumerate(zip(episodes, legs, strict=True)):
        actions[k, : len(goal.route)] = options[episode.world, goal.route]
        starts.append((episode.world, goal.route[0], float(episode.start.look.heading)))
    return WalkExamples(
        tuple(episode.id for episode in episodes),
        tuple(text for text, _ in legs),
        tuple(episode.world for episode in episodes),
        tuple(starts),
        actions,
        tuple(tuple(goal.route) for _, goal in legs),
    )


def options_along(graph: Graph, route: Sequence[str]) -> list[int]:
    """Return the options along a route: its links, and STOP at the end."""
    graph.check_route(route)
    options = []
    for source, target in pairwise(graph.place_index(place) for place in route):
        link = graph.find_link(source, target)
        assert link is not None
        options.append(1 + link - int(graph.link_offsets[source]))
    return [*options, STOP]


@dataclass(frozen=True, eq=False)
class PanoramicWalks:
    """Walks on a device: row k of every tensor is walk k."""

    links: LinkTable
    words: Tensor  # (n, l)
    lengths: Tensor  # (n,)
    host_lengths: Tensor  # on the CPU, so that reading them synchronizes nothing
    places: Tensor  # (n,) numbers of the starts
    headings: Tensor  # (n,) at the starts
    worlds: Tensor  # (n,) numbers of worlds
    routes: Tensor  # (n, longest) references, as indices of places within their worlds; the goal behind the end
    sizes: Tensor  # (n,) places of the references
    teacher: Tensor  # (n, horizon) options; STOP behind the end

    @classmethod
    def build(cls, walks: WalkExamples, links: LinkTable, vocabulary: Vocabulary, horizon: int) -> PanoramicWalks:
        """Encode walks; the teacher of a reference with more actions than the horizon is cut."""
        device, places = links.device, links.places
        words, lengths = vocabulary.encode_batch(walks.texts)
        sizes = np.array([len(route) for route in walks.routes], np.int64)
        routes = np.zeros((len(walks), int(sizes.max())), np.int64)
        for k, (world, route) in enumerate(zip(walks.worlds, walks.routes, strict=True)):
            indices = [places.number(world, place) - places.offsets[world] for place in route]
            routes[k] = indices + [indices[-1]] * (routes.shape[1] - len(indices))
        teacher = np.full((len(walks), horizon), STOP, np.int64)
        steps = min(horizon, walks.actions.shape[1])
        teacher[:, :steps] = np.where(walks.actions == NO_LABEL, STOP, walks.actions)[:, :steps]
        starts = np.array([places.number(world, place) for world, place, _ in walks.starts], np.int64)
        headings = np.array([heading for _, _, heading in walks.starts], np.float32)
        numbers = {graph.name: k for k, graph in enumerate(places.graphs)}
        worlds = np.array([numbers[world] for world in walks.worlds], np.int64)
        arrays = (starts, headings, worlds, routes, sizes, teacher)
        return cls(
            links,
            torch.from_numpy(words).to(device),
            torch.from_numpy(lengths).to(device),
            torch.from_numpy(lengths),
            *(torch.from_numpy(array).to(device) for array in arrays),
        )

    def __len__(self) -> int:
        return len(self.host_lengths)

    def max_length(self, host_indices: Tensor) -> int:
        """Return the number of words of the longest of some texts, rounded up."""
        return padded_length(self.host_lengths[host_indices], self.words.shape[1])

    def encode(self, network: PanoramicNetwork, indices: Tensor, max_length: int) -> EncodedText:
        """Encode some texts, none of which has more words than `max_length`."""
        return network.encode(self.words[indices, :max_length], self.lengths[indices])
