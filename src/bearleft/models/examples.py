"""Episodes that point, as arrays: which panorama, which words, where the target is. No pictures here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.records import Direction, Episode, Point
from bearleft.world.slices import Slicing

Floats = npt.NDArray[np.float64]
NAMED = 8  # unreachable examples that are named


@dataclass(frozen=True, order=True)
class Panorama:
    """A picture all around: where, and which heading is in its middle."""

    world: str
    place: str
    yaw: float


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts, their panoramas and their targets; row k of every array is example k."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    panoramas: tuple[Panorama, ...]  # each once
    pictures: npt.NDArray[np.int64]  # (n,) numbers of panoramas
    targets: Floats  # (n, 2): heading from the panorama's yaw (-180 to 180), pitch

    def __len__(self) -> int:
        return len(self.ids)

    def some(self, which: npt.NDArray[np.int64]) -> Examples:
        """Some of them, of the same panoramas."""
        ids = tuple(self.ids[k] for k in which)
        texts = tuple(self.texts[k] for k in which)
        return Examples(ids, texts, self.panoramas, self.pictures[which], self.targets[which])

    def with_texts(self, texts: Sequence[str]) -> Examples:
        """The same pictures and targets, asked by other texts."""
        return Examples(self.ids, tuple(texts), self.panoramas, self.pictures, self.targets)

    def cells(self, slicing: Slicing) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Targets as (n, 2) rows and columns of cells, with fractions, and which of them have a cell in the map."""
        heading, pitch = self.targets.T
        row, column = slicing.cells(heading, pitch)
        return np.column_stack([row, column]), slicing.inside(heading, pitch)

    def directions(self, answers: Floats) -> list[Direction]:
        """Answers (n, 2), as `targets` are given, as directions of the world."""
        yaws = np.array([self.panoramas[k].yaw for k in self.pictures])
        return [
            Direction(float((heading + yaw) % 360.0), float(pitch))
            for (heading, pitch), yaw in zip(answers, yaws, strict=True)
        ]


def joined(parts: Sequence[Examples]) -> Examples:
    """All of them, one part after another, with the panoramas that they ask, each once."""
    known: dict[Panorama, int] = {}
    shown = (part.panoramas[k] for part in parts for k in part.pictures)
    pictures = [known.setdefault(one, len(known)) for one in shown]
    return Examples(
        tuple(one for part in parts for one in part.ids),
        tuple(one for part in parts for one in part.texts),
        tuple(known),
        np.array(pictures, np.int64),
        np.concatenate([part.targets for part in parts]),
    )


def point_leg(episode: Episode) -> tuple[str, Point]:
    """The text and the goal of an episode's leg that points: its last."""
    for leg in reversed(episode.legs):
        if isinstance(leg.goal, Point):
            return leg.text, leg.goal
    raise InputError("an episode with something to point at", f"{shown(episode.id)}, none of whose legs points")


def examples(episodes: Sequence[Episode]) -> Examples:
    """The legs that point, of any dataset that has some."""
    known: dict[Panorama, int] = {}
    ids, texts, pictures, targets = [], [], [], []
    for episode in episodes:
        text, goal = point_leg(episode)
        place = goal.place or episode.start.place
        if place is None:
            raise InputError("a place to point from", f"none in episode {shown(episode.id)}")
        seen = Panorama(episode.world, place, goal.yaw)
        ids.append(episode.id)
        texts.append(text)
        pictures.append(known.setdefault(seen, len(known)))
        heading = (goal.direction.heading - goal.yaw + 180.0) % 360.0 - 180.0
        targets.append((heading, goal.direction.pitch))
    where = np.array(targets, np.float64).reshape(-1, 2)
    return Examples(tuple(ids), tuple(texts), tuple(known), np.array(pictures, np.int64), where)


def unreachable(examples: Examples, slicing: Slicing) -> tuple[str, ...]:
    """Return the ids of examples whose target has no cell: it can be neither learnt nor answered."""
    _, inside = examples.cells(slicing)
    return tuple(examples.ids[k] for k in np.flatnonzero(~inside))


def coverage(examples: Examples, slicing: Slicing, dataset: str) -> str:
    """Return a line that counts and names a dataset's unreachable targets under a slicing."""
    lost = unreachable(examples, slicing)
    line = f"{dataset}: {len(lost):,} of {len(examples):,} targets unreachable with {slicing.name} slices"
    line += f" (they show +-{slicing.reach:.1f} degrees of pitch)"
    if lost:
        more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
        line += f": {', '.join(lost[:NAMED])}{more}"
    heading, pitch = examples.targets.T
    if slicing.released and (dark := int((~slicing.shows(heading, pitch)).sum())):
        line += f"; {dark:,} have a cell but lie in no picture"
    return line
