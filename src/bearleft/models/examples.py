"""Pointing examples as arrays: panorama, text and target of each, without pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.records import Direction, Episode, Point
from bearleft.world.slices import Slicing

if TYPE_CHECKING:
    from bearleft.types import Floats

MAX_NAMED = 8  # unreachable examples that are listed by id


@dataclass(frozen=True, order=True)
class Panorama:
    """A panoramic picture: its world and place, and the heading in its middle."""

    world: str
    place: str
    yaw: float


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts, their panoramas and their targets; row k of every array is example k."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    panoramas: tuple[Panorama, ...]  # each once
    panorama_indices: npt.NDArray[np.int64]  # (n,) into `panoramas`
    targets: Floats  # (n, 2): heading relative to the panorama's yaw (-180 to 180), pitch

    def __len__(self) -> int:
        return len(self.ids)

    def subset(self, indices: npt.NDArray[np.int64]) -> Examples:
        """Return the examples of these indices, with the same panoramas."""
        ids = tuple(self.ids[k] for k in indices)
        texts = tuple(self.texts[k] for k in indices)
        return Examples(ids, texts, self.panoramas, self.panorama_indices[indices], self.targets[indices])

    def with_texts(self, texts: Sequence[str]) -> Examples:
        """Return the same panoramas and targets with other texts."""
        return Examples(self.ids, tuple(texts), self.panoramas, self.panorama_indices, self.targets)

    def target_cells(self, slicing: Slicing) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return targets as rows and columns of cells (n, 2), with fractions, and which of them lie in the map."""
        heading, pitch = self.targets.T
        row, column = slicing.to_cells(heading, pitch)
        return np.column_stack([row, column]), slicing.has_cell(heading, pitch)

    def to_directions(self, answers: Floats) -> list[Direction]:
        """Return answers (n, 2), relative to the yaw as `targets` are, as directions of the world."""
        yaws = np.array([self.panoramas[k].yaw for k in self.panorama_indices])
        return [
            Direction(float((heading + yaw) % 360.0), float(pitch))
            for (heading, pitch), yaw in zip(answers, yaws, strict=True)
        ]


def concatenate(parts: Sequence[Examples]) -> Examples:
    """Return the examples of all parts in order, with the panoramas that they use, each once."""
    index_of: dict[Panorama, int] = {}
    panoramas = (part.panoramas[k] for part in parts for k in part.panorama_indices)
    indices = [index_of.setdefault(panorama, len(index_of)) for panorama in panoramas]
    return Examples(
        tuple(example_id for part in parts for example_id in part.ids),
        tuple(text for part in parts for text in part.texts),
        tuple(index_of),
        np.array(indices, np.int64),
        np.concatenate([part.targets for part in parts]),
    )


def point_leg(episode: Episode) -> tuple[str, Point]:
    """Return the text and the goal of an episode's last point leg."""
    for leg in reversed(episode.legs):
        if isinstance(leg.goal, Point):
            return leg.text, leg.goal
    hint = "Networks that point learn from datasets such as city/sdr/small or city/refer360/small."
    got = f"episode {episode.id} of {episode.dataset}, which has none"
    raise InputError("episodes with a Point leg", got, hint=hint)


def build_examples(episodes: Sequence[Episode]) -> Examples:
    """Return the pointing examples of episodes: the last point leg of each.

    Raises:
        InputError: An episode has no point leg, or no place to point from.
    """
    index_of: dict[Panorama, int] = {}
    ids, texts, indices, targets = [], [], [], []
    for episode in episodes:
        text, goal = point_leg(episode)
        place = goal.place or episode.start.place
        if place is None:
            raise InputError("a place to point from", f"none in episode {format_value(episode.id)}")
        panorama = Panorama(episode.world, place, goal.yaw)
        ids.append(episode.id)
        texts.append(text)
        indices.append(index_of.setdefault(panorama, len(index_of)))
        heading = (goal.direction.heading - goal.yaw + 180.0) % 360.0 - 180.0
        targets.append((heading, goal.direction.pitch))
    target_array = np.array(targets, np.float64).reshape(-1, 2)
    return Examples(tuple(ids), tuple(texts), tuple(index_of), np.array(indices, np.int64), target_array)


def unreachable(examples: Examples, slicing: Slicing) -> tuple[str, ...]:
    """Return the ids of examples whose target lies outside the map: it can be neither trained on nor predicted."""
    _, inside = examples.target_cells(slicing)
    return tuple(examples.ids[k] for k in np.flatnonzero(~inside))


def coverage(examples: Examples, slicing: Slicing, dataset: str) -> str:
    """Return a line that counts and names a dataset's unreachable targets under a slicing."""
    missing = unreachable(examples, slicing)
    line = f"{dataset}: {len(missing):,} of {len(examples):,} targets unreachable with {slicing.name} slices"
    line += f" (they show +-{slicing.max_pitch:.1f} degrees of pitch)"
    if missing:
        more = f" and {len(missing) - MAX_NAMED:,} more" if len(missing) > MAX_NAMED else ""
        line += f": {', '.join(missing[:MAX_NAMED])}{more}"
    heading, pitch = examples.targets.T
    if slicing.released and (hidden := int((~slicing.is_visible(heading, pitch)).sum())):
        line += f"; {hidden:,} have a cell but lie in no picture"
    return line
