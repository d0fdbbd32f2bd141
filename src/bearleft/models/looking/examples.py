"""What a looker learns from: every sentence of every episode, where it led, and views around there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.examples import point_leg
from bearleft.models.looking.network import Told
from bearleft.models.looking.player import GLANCES, read_told
from bearleft.models.looking.sphere import Memory
from bearleft.models.looking.views import Spot, Views
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Episode

NEAR, FAR, WIDE = 6.0, 35.0, 0.4  # degrees that views are off the mark: usually, at most, and how often up to that
STEEP = 85.0
SPOTS = 256  # places looked around at once


def spot_of(episode: Episode) -> Spot:
    """Where an episode's finder stands."""
    _, goal = point_leg(episode)
    place = goal.place or episode.start.place
    if place is None:
        raise InputError("a place to look from", f"none in episode {episode.id}")
    return episode.world, place


def sentences_of(episode: Episode) -> tuple[str, ...]:
    """An episode's sentences; a text told at once is one."""
    leg = episode.legs[-1]
    return leg.sentences or (leg.text,)


@dataclass(frozen=True, eq=False)
class Rows:
    """Row k of everything is one sentence, after those before it."""

    episode: npt.NDArray[np.int64]  # (n,) which episode
    spot: npt.NDArray[np.int64]  # (n,) a number of Views
    goal: npt.NDArray[np.float32]  # (n, 2) where the sentence leads
    before: npt.NDArray[np.int64]  # (n,) the row of the sentence before, -1 where there is none
    told: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.episode)

    def read(self, vocabulary: Vocabulary, device: str | torch.device) -> Told:
        """All sentences as numbers."""
        return read_told(vocabulary, self.told, device)

    def beside(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """For each row another one of the same place, drawn at random."""
        order = np.argsort(self.spot, kind="stable")
        sizes = np.bincount(self.spot)
        begins = np.cumsum(sizes) - sizes
        drawn = (rng.random(len(self)) * sizes[self.spot]).astype(np.int64)
        return np.asarray(order[begins[self.spot] + drawn], np.int64)


def rows(episodes: Sequence[Episode], views: Views) -> Rows:
    """Sentences of episodes; of one without views, as real ones that nobody followed, only the last."""
    whose: list[int] = []
    spots, goals, before, told = [], [], [], []
    for number, episode in enumerate(episodes):
        _, goal = point_leg(episode)
        sentences, spot = sentences_of(episode), views.number(*spot_of(episode))
        known = len(goal.views) == len(sentences)
        for t in range(0 if known else len(sentences) - 1, len(sentences)):
            look = goal.direction if t == len(sentences) - 1 else goal.views[t]
            before.append(len(whose) - 1 if known and t else -1)
            whose.append(number)
            spots.append(spot)
            goals.append((look.heading, look.pitch))
            told.append(sentences[: t + 1])
    if not whose:
        raise InputError("episodes that are told in sentences", "none")
    return Rows(
        np.array(whose, np.int64),
        np.array(spots, np.int64),
        np.array(goals, np.float32),
        np.array(before, np.int64),
        tuple(told),
    )


def around(views: Views, seed: int) -> Memory:
    """What each place's visitor remembers who has looked up and around once, from a heading drawn for the place."""
    rng = np.random.default_rng([seed, 1])
    starts, count = rng.uniform(0.0, 360.0, len(views.spots)), len(views.spots)
    sphere = views.config.sphere
    like = torch.empty(0, dtype=views.dtype, device=views.device)
    whole = Memory.empty(sphere, count, views.config.channels, like)
    for begin in range(0, count, SPOTS):
        some = np.arange(begin, min(begin + SPOTS, count))
        memory = Memory.empty(sphere, len(some), views.config.channels, like)
        for k in range(GLANCES + 1):
            pitch = 0.0 if k else 90.0
            looks = np.column_stack([(starts[some] + k * 360.0 / GLANCES) % 360.0, np.full(len(some), pitch)])
            look = torch.from_numpy(looks).to(views.device, torch.float32)
            memory = memory.and_view(sphere, views(some, looks), look)
        whole.put(torch.from_numpy(some).to(views.device), memory)
    return whole


def beyond(goal: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Directions around goals (n, 2), as one looks who has not quite found them."""
    off = np.where(
        rng.random((len(goal), 1)) < WIDE, rng.uniform(-FAR, FAR, goal.shape), rng.normal(0.0, NEAR, goal.shape)
    )
    pitch = np.clip(goal[:, 1] + off[:, 1], -STEEP, STEEP)
    heading = goal[:, 0] + off[:, 0] / np.cos(np.radians(np.clip(goal[:, 1], -60.0, 60.0)))
    return np.column_stack([heading % 360.0, pitch]).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Pool:
    """Views around where sentences lead, some for each, made once."""

    looks: Tensor  # (variants, n, 2)
    cells: Tensor  # (variants, n, channels, side, side)

    @classmethod
    def of(cls, found: Rows, views: Views, variants: int, seed: int) -> Pool:
        rng = np.random.default_rng([seed, 2])
        looks = np.stack([beyond(found.goal, rng) for _ in range(variants)])
        side = views.config.cells
        shape = variants, len(found), views.config.channels, side, side
        cells = torch.empty(shape, dtype=views.dtype, device=views.device)
        for k in range(variants):
            cells[k] = views(found.spot, looks[k])
        return cls(torch.from_numpy(looks).to(views.device), cells)
