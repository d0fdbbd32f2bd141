"""Walks to learn from: texts, start states, reference actions and routes, as arrays and on a device."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.subwords import Subwords
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.network import MAX_LINKS, NO_ACTION, SECTORS, EncodedText, Steps, WalkNetwork
from bearleft.models.walking.sightings import Sightings, find_sightings, in_box, mentioned_tokens
from bearleft.models.walking.states import PlaceIndex, StateTable
from bearleft.models.walking.views import Views
from bearleft.records import Episode, Reach, check_goals
from bearleft.types import DataFolder
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.transitions import FORWARD, LEFT, RIGHT, STOP, transitions
from bearleft.world.worlds import open_world

NO_LABEL = -1
LENGTH_STEP = 16  # tokens: lengths of batches are rounded up to a multiple
Tokenizer = Vocabulary | Subwords
Indices = npt.NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class WalkExamples:
    """Walks; row k of every array is walk k."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    worlds: tuple[str, ...]
    starts: tuple[tuple[str, str, float], ...]  # world, place, heading
    actions: npt.NDArray[np.int64]  # (n, horizon) of the reference, NO_LABEL behind its end
    routes: tuple[tuple[str, ...], ...]
    sightings: Sightings | None = None  # of mentioned objects, for networks that ground words

    def __len__(self) -> int:
        return len(self.ids)

    def subset(self, indices: Indices) -> WalkExamples:
        """Return the walks of these indices."""

        def pick(values: Sequence[T]) -> tuple[T, ...]:
            return tuple(values[k] for k in indices)

        return WalkExamples(
            pick(self.ids),
            pick(self.texts),
            pick(self.worlds),
            pick(self.starts),
            self.actions[indices],
            pick(self.routes),
            None if self.sightings is None else self.sightings.subset(indices),
        )

    def with_texts(self, texts: Sequence[str]) -> WalkExamples:
        """Return the same walks with other texts, of which no sightings are known."""
        return WalkExamples(self.ids, tuple(texts), self.worlds, self.starts, self.actions, self.routes)

    def fingerprint(self) -> str:
        """Return a hash of everything that training reads of the walks but the pictures."""
        digest = hashlib.sha256()
        for row in zip(self.ids, self.texts, self.worlds, self.starts, self.routes, strict=True):
            digest.update(json.dumps(row).encode())
        arrays = [self.actions] if self.sightings is None else [self.actions, self.sightings.ends, self.sightings.boxes]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def walk_leg(episode: Episode) -> tuple[str, Reach]:
    """Return the text and goal of an episode's first leg, which must be a walk along places."""
    goal = episode.legs[0].goal
    if not isinstance(goal, Reach) or episode.start.place is None:
        hint = "Walking networks learn from datasets such as city/touchdown/small or map2seq/seen_dev."
        got = f"episode {episode.id} of {episode.dataset}, which has none"
        raise InputError("episodes that begin with a Reach leg", got, hint=hint)
    return episode.legs[0].text, goal


def build_walks(
    episodes: Sequence[Episode],
    horizon: int,
    data: DataFolder = None,
    auto_turn: bool = True,
    sightings: bool = False,
    device: str = "cpu",
) -> WalkExamples:
    """Return the walks of episodes.

    Args:
        episodes: Episodes whose first leg is a walk.
        horizon: The number of actions after which references are cut.
        data: The folder of real datasets.
        auto_turn: Whether walkers turn to the nearest link when they enter a junction.
        sightings: Whether sightings of mentioned objects are found, too.
        device: "cpu" or "cuda", for visibility tables that sightings need and that are not there yet.

    Raises:
        InputError: An episode has no walk, a hidden one, or a route that the four actions cannot follow.
    """
    check_goals(episodes, "to learn from")
    actions = np.full((len(episodes), horizon), NO_LABEL, np.int64)
    legs = [walk_leg(episode) for episode in episodes]
    starts = tuple((episode.world, str(episode.start.place), float(episode.start.look.heading)) for episode in episodes)
    routes = tuple(tuple(goal.route) for _, goal in legs)
    worlds = tuple(episode.world for episode in episodes)
    for world in dict.fromkeys(worlds):
        chosen = [k for k, name in enumerate(worlds) if name == world]
        graph = open_world(world, data)
        own_starts = [(graph.place_index(starts[k][1]), starts[k][2]) for k in chosen]
        actions[chosen] = reference_actions(graph, own_starts, [routes[k] for k in chosen], horizon, auto_turn)
    names = tuple(episode.id for episode in episodes)
    found = find_sightings(episodes, data, device) if sightings else None
    return WalkExamples(names, tuple(text for text, _ in legs), worlds, starts, actions, routes, found)


def reference_actions(
    graph: Graph, starts: Sequence[tuple[int, float]], routes: Sequence[Sequence[str]], horizon: int, auto_turn: bool
) -> Indices:
    """Return the actions (n, horizon) along routes, as `actions_along` takes them, NO_LABEL behind the end.

    A walk that the actions cannot follow, since two links share a heading, is cut there.
    """
    table = transitions(graph, starts, auto_turn=auto_turn)
    lengths = np.array([len(route) for route in routes])
    places = np.zeros((len(routes), int(lengths.max())), np.int64)
    for k, route in enumerate(routes):
        places[k, : len(route)] = [graph.place_index(place) for place in route]
    keys = graph.source.astype(np.int64) * len(graph) + graph.target
    order = np.argsort(keys, kind="stable")
    state, progress = table.start_states.astype(np.int64), np.zeros(len(routes), np.int64)
    running = np.ones(len(routes), bool)
    actions = np.full((len(routes), horizon), NO_LABEL, np.int64)
    rows = np.arange(len(routes))
    for step in range(horizon):
        at_end = progress >= lengths - 1
        following = places[rows, np.minimum(progress + 1, lengths - 1)]
        wanted = table.place[state].astype(np.int64) * len(graph) + following
        index = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
        link = np.where(keys[order][index] == wanted, order[index], -1)
        action = np.where(at_end, STOP, _turn_or_step(graph, table.next_state, state, link))
        action = np.where(at_end | (link >= 0), action, NO_LABEL)
        actions[running, step] = action[running]
        running &= (action != STOP) & (action != NO_LABEL)
        moved = running & (action == FORWARD)
        state = np.where(running, table.next_state[state, np.maximum(action, 0)], state)
        progress += moved & (table.place[state] == following)
    return actions


def _turn_or_step(graph: Graph, next_state: npt.NDArray[np.int32], state: Indices, link: Indices) -> Indices:
    """Return the next action of walkers who are to walk along links: FORWARD, or the shorter way to turn."""
    target = np.maximum(link, 0)
    turns = []
    limit = int(graph.degree.max()) + 1
    for action in (RIGHT, LEFT):
        reached, count = state.copy(), np.zeros(len(state), np.int64)
        for _ in range(limit):
            away = reached != target
            count += away
            reached = np.where(away, next_state[reached, action], reached)
        turns.append(np.where(reached == target, count, limit + 1))
    best = np.where(turns[1] < turns[0], LEFT, RIGHT)
    best = np.where(np.minimum(*turns) > limit, NO_LABEL, best)
    ahead = (state == target) | (next_state[state, FORWARD] == next_state[target, FORWARD])
    return np.where(ahead, FORWARD, best)


def open_graphs(worlds: Sequence[str], data: DataFolder = None) -> list[Graph]:
    """Return the graphs of worlds, each once, in order."""
    return [open_world(world, data) for world in dict.fromkeys(worlds)]


@dataclass(frozen=True, eq=False)
class StepReader:
    """Reads the steps of walks, as a network needs them, from places and headings."""

    network: WalkNetwork
    views: Views | None
    junction: Tensor  # by place
    link_sectors: Tensor  # by place

    @classmethod
    def make(cls, network: WalkNetwork, places: PlaceIndex, views: Views | None, device: torch.device) -> StepReader:
        """Return the reader of some worlds' places."""
        junction = torch.from_numpy(np.minimum(places.degree, MAX_LINKS)).to(device)
        return cls(network, views, junction, places.link_sectors().to(device))

    def __call__(self, places: Tensor, headings: Tensor, before: Tensor, previous_actions: Tensor, first: int) -> Steps:
        """Return steps.

        Args:
            places: Numbers of places (b, t).
            headings: Headings (b, t).
            before: Headings (b, t) at the steps before; at a first step, the heading itself.
            previous_actions: (b, t).
            first: Number of the first of these steps.
        """
        change = (headings - before + 180.0) % 360.0 - 180.0
        numbers = torch.arange(first, first + places.shape[1], device=places.device)
        links = None
        if self.network.uses_links:
            sectors = self.link_sectors.shape[1]
            ahead = torch.floor(headings / 360.0 * sectors + 0.5).long()
            index = (ahead[..., None] + torch.arange(sectors, device=places.device)) % sectors
            links = self.link_sectors[places].gather(-1, index)
        views = None if self.views is None else self.views(places, headings)
        return Steps(previous_actions, self.junction[places], change, numbers, views, links)


@dataclass(frozen=True, eq=False)
class MentionTable:
    """Sightings of the objects that texts mention, on a device: row k of every tensor is walk k."""

    tokens: Tensor  # (n, m): the last token of each mention; -1 where there is none
    boxes: Tensor  # (n, m, longest route), see `Sightings`
    yaw: Tensor  # of each place

    @classmethod
    def build(cls, walks: WalkExamples, table: StateTable, tokenizer: Tokenizer) -> MentionTable | None:
        """Return the table of walks; None if they have no sightings."""
        if (found := walks.sightings) is None:
            return None
        tokens = np.full(found.ends.shape, -1, np.int64)
        for k in np.flatnonzero(found.ends.any(1)):
            count = np.count_nonzero(found.ends[k])
            tokens[k, :count] = mentioned_tokens(tokenizer.spans(walks.texts[k]), found.ends[k, :count])
        arrays = tokens, found.boxes, table.places.yaw.astype(np.float32)
        return cls(*(torch.from_numpy(array).to(table.device) for array in arrays))

    def targets(self, indices: Tensor, routes: Tensor, places: Tensor, headings: Tensor) -> tuple[Tensor, Tensor]:
        """Return in which sectors mentioned objects are seen (b, t, m, SECTORS), and where this is known (b, t, m).

        Args:
            indices: Indices of the walks (b,).
            routes: Their routes (b, longest route).
            places: Places of steps (b, t); nothing is known beside the route.
            headings: Headings of steps (b, t), from which sectors are counted clockwise.
        """
        is_here = routes[:, None] == places[:, :, None]
        number = is_here.long().argmax(2)
        boxes = self.boxes[indices, :, : routes.shape[1]].long()
        boxes = boxes.gather(2, number[:, None].expand(-1, boxes.shape[1], -1)).transpose(1, 2)
        relative = (headings - self.yaw[places]) % 360.0
        ahead = torch.floor((relative + 180.0) / 360.0 * SECTORS).long()
        sectors = (ahead[:, :, None] + torch.arange(SECTORS, device=places.device)) % SECTORS
        known = is_here.any(2)[:, :, None] & (self.tokens[indices] >= 0)[:, None]
        return in_box(boxes[..., None], sectors[:, :, None]), known


@dataclass(frozen=True, eq=False)
class WalkTable:
    """Walks on a device: row k of every tensor is walk k."""

    table: StateTable
    words: Tensor  # (n, l)
    lengths: Tensor  # (n,)
    host_lengths: Tensor  # on the CPU, so that reading them synchronizes nothing
    starts: Tensor  # (n,) states
    actions: Tensor  # (n, horizon) of the reference
    states: Tensor  # (n, horizon) in which the reference acts
    routes: Tensor  # (n, longest route) numbers of places, the goal behind the end
    route_lengths: Tensor  # (n,)
    mentions: MentionTable | None = None

    @classmethod
    def build(cls, walks: WalkExamples, table: StateTable, tokenizer: Tokenizer) -> WalkTable:
        """Encode walks."""
        device = table.device
        words, lengths = tokenizer.encode_batch(walks.texts)
        starts = torch.tensor([table.start_states[start] for start in walks.starts], dtype=torch.int64, device=device)
        actions = torch.from_numpy(walks.actions).to(device)
        longest = max(len(route) for route in walks.routes)
        routes = np.zeros((len(walks), longest), np.int64)
        for k, (world, route) in enumerate(zip(walks.worlds, walks.routes, strict=True)):
            numbers = [table.places.number(world, place) for place in route]
            routes[k] = numbers + [numbers[-1]] * (longest - len(numbers))
        route_lengths = torch.tensor([len(route) for route in walks.routes], device=device)
        states = follow(table, starts, actions)
        return cls(
            table,
            torch.from_numpy(words).to(device),
            torch.from_numpy(lengths).to(device),
            torch.from_numpy(lengths),
            starts,
            actions,
            states,
            torch.from_numpy(routes).to(device),
            route_lengths,
            MentionTable.build(walks, table, tokenizer),
        )

    def __len__(self) -> int:
        return len(self.host_lengths)

    def max_length(self, host_indices: Tensor) -> int:
        """Return the number of tokens of the longest of some texts, rounded up."""
        return padded_length(self.host_lengths[host_indices], self.words.shape[1])

    def encode(self, network: WalkNetwork, indices: Tensor, max_length: int) -> EncodedText:
        """Encode some texts, none of which has more tokens than `max_length`."""
        return network.encode(self.words[indices, :max_length], self.lengths[indices])


def padded_length(lengths: Tensor, limit: int) -> int:
    """Return the longest of some texts' lengths, on the CPU, rounded up to a multiple of LENGTH_STEP."""
    return min(-(-int(lengths.max()) // LENGTH_STEP) * LENGTH_STEP, limit)


def follow(table: StateTable, starts: Tensor, actions: Tensor) -> Tensor:
    """Return the states (n, t) in which actions (n, t) are taken; behind a walk's end the state stays."""
    states, out = starts, []
    for k in range(actions.shape[1]):
        out.append(states)
        action = torch.where(actions[:, k] >= 0, actions[:, k], STOP)
        states = table.next_state[states, action]
    return torch.stack(out, 1)


def steps_along(reader: StepReader, table: StateTable, states: Tensor, actions: Tensor) -> Steps:
    """Return the steps of whole walks from their states (b, t) and the actions (b, t) taken in them."""
    headings = table.heading[states]
    before = torch.cat([headings[:, :1], headings[:, :-1]], 1)
    first = torch.full_like(actions[:, :1], NO_ACTION)
    previous = torch.cat([first, torch.where(actions[:, :-1] >= 0, actions[:, :-1], STOP)], 1)
    return reader(table.place[states], headings, before, previous, 0)
