"""Legs of ArraMon's tasks step by step: what players did, where they stood and what lay around them.

Steps of all legs lie one after another in flat arrays. Actions of whole tasks, references or a network's own, are
replayed in the vector environment, so that a leg begins where the one before it ended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.envs.arramon.pictures import Viewpoints, batch_viewpoints
from bearleft.envs.arramon.tasks import LEGS, Floats, Ints
from bearleft.envs.arramon.vector import FORWARD, INTERACT, LEFT, RIGHT, VectorArraMon
from bearleft.errors import InputError
from bearleft.models.arramon.network import NO_ACTION, Steps, relative_poses
from bearleft.models.arramon.views import ViewMaps
from bearleft.records import Assemble, Collect, Episode
from bearleft.world.arramon import moves

NO_LABEL = -1
CODES = {moves.FORWARD: FORWARD, moves.LEFT: LEFT, moves.RIGHT: RIGHT, moves.PICK: INTERACT, moves.PLACE: INTERACT}
Codes = npt.NDArray[np.int8]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Legs:
    """Legs that were played; row k of the first arrays is leg k, rows of the others are steps."""

    tasks: Ints  # (n,) index of the episode
    legs: Ints  # (n,) 0 to 3
    objects: npt.NDArray[np.float32]  # (n, max items, 4) around the player, as in Viewpoints
    counts: Ints  # (n,)
    in_city: npt.NDArray[np.bool_]  # (n, max items of the city) when the leg began
    stack_heights: Ints  # (n, columns, rows) when the leg began
    offsets: Indices  # (n + 1,) of the steps of each leg
    actions: Codes  # (s,) that were taken
    labels: Codes  # (s,) to learn, NO_LABEL for none
    poses: npt.NDArray[np.float32]  # (s, 6) of the camera
    positions: Floats  # (s, 2) in the city
    headings: Floats  # (s,) in the city
    cells: Ints  # (s, 3) column, row and rotations in the room

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def lengths(self) -> Indices:
        """Number of steps of each leg."""
        return np.diff(self.offsets)

    def with_labels(self, labels: Codes) -> Legs:
        """Return the same legs with other labels."""
        return replace(self, labels=labels)

    def of_phase(self, phase: int) -> Indices:
        """Return the indices of the legs of a phase."""
        return np.flatnonzero(self.legs % 2 == phase)

    def viewpoints(self, steps: Indices) -> Viewpoints:
        """Return the viewpoints of some steps."""
        legs = np.searchsorted(self.offsets, steps, side="right") - 1
        return Viewpoints(self.poses[steps], self.legs[legs] % 2 == 1, self.objects[legs], self.counts[legs])

    def step_indices(self, legs: Indices) -> Indices:
        """Return the indices (b, t) of the steps of some legs, -1 behind their ends."""
        lengths = self.lengths[legs]
        columns = np.arange(int(lengths.max(initial=1)))
        return np.where(columns < lengths[:, None], self.offsets[legs][:, None] + columns, -1)

    def batch(self, legs: Indices, device: torch.device, maps: Tensor | None = None) -> tuple[Steps, Tensor]:
        """Return the steps of some legs and the actions to learn (b, t), NO_LABEL behind their ends.

        Args:
            legs: Indices of the legs.
            device: Where the tensors are made.
            maps: Feature maps of the steps (b, t, channels, rows, rows), for networks that see.
        """
        indices = self.step_indices(legs)
        inside, steps = indices >= 0, indices.clip(min=0)
        labels = np.where(inside, self.labels[steps], NO_LABEL)
        previous = np.full(indices.shape, NO_ACTION, np.int64)
        previous[:, 1:] = self.actions[steps[:, :-1]]
        camera = torch.from_numpy(self.poses[steps].astype(np.float64))
        poses = relative_poses(camera[:, :, :2], camera[:, :, 3], camera[:, 0, :2], camera[:, 0, 3])
        numbers = torch.arange(indices.shape[1], device=device)
        return (
            Steps(torch.from_numpy(previous).to(device), poses.to(device), numbers, maps),
            torch.from_numpy(labels.astype(np.int64)).to(device),
        )

    def fingerprint(self) -> str:
        """Return a hash of everything that training reads."""
        digest = hashlib.sha256()
        for array in (self.tasks, self.legs, self.objects, self.counts, self.offsets, self.actions, self.poses):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(self.labels.tobytes())
        return digest.hexdigest()


def reference_actions(episodes: Sequence[Episode]) -> Codes:
    """Return the codes of the references' actions (n, LEGS, t), NO_LABEL behind their ends."""
    rows = [[_codes(leg.goal) for leg in episode.legs] for episode in episodes]
    longest = max((len(codes) for row in rows for codes in row), default=1)
    out = np.full((len(episodes), LEGS, longest), NO_LABEL, np.int8)
    for k, row in enumerate(rows):
        for leg, codes in enumerate(row):
            out[k, leg, : len(codes)] = codes
    return out


def _codes(goal: object) -> list[int]:
    if not isinstance(goal, Collect | Assemble) or not goal.actions:
        raise InputError("legs to collect and assemble, with the actions of a demonstration", "others")
    return [CODES[action] for action in goal.actions]


def replay(players: VectorArraMon, episodes: npt.ArrayLike, actions: Codes) -> Legs:
    """Replay actions of whole tasks; their labels are the actions themselves.

    Args:
        players: The environment, with the phase "all" and a player for each task.
        episodes: The number of each player's episode.
        actions: Codes (players, LEGS, t), NO_LABEL behind the ends; every leg ends by its actions or at the horizon.

    Raises:
        InputError: A leg does not end.
    """
    chosen = np.asarray(episodes, np.int32)
    players.reset(chosen)
    count, state = len(players), players.state
    objects = counts = in_city = stack_heights = None
    parts: list[tuple[npt.NDArray[np.generic], ...]] = []
    while not state.ended.all():
        playing = np.flatnonzero(~state.ended)
        leg, step = state.leg[playing], state.steps[playing]
        fits = step < actions.shape[2]
        codes = actions[playing, leg, step.clip(max=actions.shape[2] - 1)]
        if (bad := ~fits | (codes < 0)).any():
            number = int(chosen[playing[bad][0]])
            raise InputError("actions that end their leg", "fewer", file=f"episode {players.episodes[number].id}")
        seen = batch_viewpoints(players.tasks, state, players.world)
        if objects is None:
            objects = np.zeros((count, LEGS, *seen.objects.shape[1:]), np.float32)
            counts = np.zeros((count, LEGS), np.int32)
            in_city = np.zeros((count, LEGS, state.in_city.shape[1]), np.bool_)
            stack_heights = np.zeros((count, LEGS, *state.stack_heights.shape[1:]), np.int32)
        assert counts is not None and in_city is not None and stack_heights is not None
        new = playing[step == 0]
        at = new, state.leg[new]
        objects[at], counts[at] = seen.objects[new], seen.count[new]
        in_city[at], stack_heights[at] = state.in_city[new], state.stack_heights[new]
        cells = np.column_stack([state.cell[playing], state.rotations[playing]])
        parts.append(
            (
                playing * LEGS + leg,
                step.copy(),
                codes,
                seen.poses[playing],
                state.position[playing].copy(),
                state.heading[playing].copy(),
                cells,
            )
        )
        everyone = np.zeros(count, np.int64)
        everyone[playing] = codes
        players.step(everyone)
    keys, steps, codes, poses, positions, headings, cells = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((steps, keys))
    played, lengths = np.unique(keys, return_counts=True)
    assert objects is not None and counts is not None and in_city is not None and stack_heights is not None
    task, leg = played // LEGS, played % LEGS
    taken = codes[order].astype(np.int8)
    return Legs(
        chosen[task],
        leg.astype(np.int32),
        objects[task, leg],
        counts[task, leg],
        in_city[task, leg],
        stack_heights[task, leg],
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        taken,
        taken.copy(),
        poses[order],
        positions[order],
        headings[order],
        cells[order].astype(np.int32),
    )


def join_batches(batches: Sequence[tuple[Steps, Tensor]]) -> tuple[Steps, Tensor]:
    """Return batches of legs of several sources as one, padded to the longest: one call of a network reads them."""
    if len(batches) == 1:
        return batches[0]
    length = max(labels.shape[1] for _, labels in batches)

    def joined(tensors: Sequence[Tensor], padding: float) -> Tensor:
        shape = sum(len(one) for one in tensors), length, *tensors[0].shape[2:]
        out, begin = tensors[0].new_full(shape, padding), 0
        for one in tensors:
            out[begin : begin + len(one), : one.shape[1]] = one
            begin += len(one)
        return out

    parts = [steps for steps, _ in batches]
    maps = [steps.maps for steps in parts if steps.maps is not None]
    steps = Steps(
        joined([one.previous_actions for one in parts], NO_ACTION),
        joined([one.poses for one in parts], 0.0),
        max((one.numbers for one in parts), key=len),
        joined(maps, 0.0) if maps else None,
    )
    return steps, joined([labels for _, labels in batches], NO_LABEL)


class LegMaps:
    """Feature maps of the steps of legs: computed when a step is read first, and kept up to a limit of memory."""

    def __init__(self, legs: Legs, views: ViewMaps, max_bytes: float = 0.0) -> None:
        self.legs, self.views = legs, views
        size = 2 * views.channels * views.rows**2
        capacity = min(len(legs.actions), int(max_bytes // size))
        shape = capacity, views.channels, views.rows, views.rows
        self.kept = torch.empty(shape, dtype=torch.float16, device=views.device)
        self.slots, self.filled = np.full(len(legs.actions), -1, np.int64), 0

    def __call__(self, legs: Indices) -> Tensor:
        """Return the maps (b, t, channels, rows, rows) of some legs, 0 behind their ends."""
        indices = self.legs.step_indices(legs)
        flat = indices.reshape(-1)
        shape = len(flat), self.views.channels, self.views.rows, self.views.rows
        out = torch.zeros(shape, dtype=torch.float16, device=self.views.device)
        places = np.flatnonzero(flat >= 0)
        slots = self.slots[flat[places]]
        known = slots >= 0
        device = self.views.device
        if known.any():
            target = torch.from_numpy(places[known]).to(device)
            out[target] = self.kept[torch.from_numpy(slots[known]).to(device)]
        missing = places[~known]
        if len(missing):
            maps = self.views(self.legs.viewpoints(flat[missing]))
            out[torch.from_numpy(missing).to(device)] = maps
            self._keep(flat[missing], maps)
        return out.view(*indices.shape, *shape[1:])

    def _keep(self, steps: Indices, maps: Tensor) -> None:
        steps, first = np.unique(steps, return_index=True)
        room = min(len(self.kept) - self.filled, len(steps))
        if room > 0:
            self.kept[self.filled : self.filled + room] = maps[torch.from_numpy(first[:room]).to(maps.device)]
            self.slots[steps[:room]] = np.arange(self.filled, self.filled + room)
            self.filled += room
