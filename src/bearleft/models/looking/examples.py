"""Training examples of the look network: sentences, the directions that they lead to, and views near these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.examples import point_leg
from bearleft.models.looking.network import Sentences
from bearleft.models.looking.player import INITIAL_VIEWS, encode_sentences
from bearleft.models.looking.sphere import Memory
from bearleft.models.looking.views import Views, WorldPlace
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Episode, check_goals

# Degrees that views are off the goal: normally distributed, or for a share of them uniformly up to a maximum.
JITTER_SIGMA, MAX_JITTER, UNIFORM_JITTER_SHARE = 6.0, 35.0, 0.4
MAX_PITCH = 85.0
PLACE_BATCH = 256  # places whose initial views are computed at once


def place_of(episode: Episode) -> WorldPlace:
    """Return the world and place from which an episode looks."""
    _, goal = point_leg(episode)
    place = goal.place or episode.start.place
    if place is None:
        raise InputError("a place to look from", f"none in episode {episode.id}")
    return episode.world, place


def sentences_of(episode: Episode) -> tuple[str, ...]:
    """Return an episode's sentences; a text that is given at once counts as one sentence."""
    leg = episode.legs[-1]
    return leg.sentences or (leg.text,)


@dataclass(frozen=True, eq=False)
class LookExamples:
    """Sentences as arrays; index k of each is one sentence, which follows those before it in its episode."""

    episode: npt.NDArray[np.int64]  # (n,) index of the episode
    place: npt.NDArray[np.int64]  # (n,) index of Views
    goal: npt.NDArray[np.float32]  # (n, 2) direction to which the sentence leads
    previous: npt.NDArray[np.int64]  # (n,) index of the previous sentence, -1 if there is none
    sentences: tuple[tuple[str, ...], ...]  # up to this one

    def __len__(self) -> int:
        return len(self.episode)

    def encode(self, vocabulary: Vocabulary, device: str | torch.device) -> Sentences:
        """Return all sentences as ids."""
        return encode_sentences(vocabulary, self.sentences, device)

    def sample_same_place(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return for each sentence the index of a random sentence of the same place."""
        order = np.argsort(self.place, kind="stable")
        sizes = np.bincount(self.place)
        begins = np.cumsum(sizes) - sizes
        offset = (rng.random(len(self)) * sizes[self.place]).astype(np.int64)
        return np.asarray(order[begins[self.place] + offset], np.int64)


def build_look_examples(episodes: Sequence[Episode], views: Views) -> LookExamples:
    """Return the sentences of episodes; of an episode without recorded views, only the last one.

    Raises:
        InputError: No episode has sentences, or the goals of one are hidden.
    """
    check_goals(episodes, "to learn from")
    episode_index: list[int] = []
    places, goals, previous, sentences_so_far = [], [], [], []
    for number, episode in enumerate(episodes):
        _, goal = point_leg(episode)
        sentences, place = sentences_of(episode), views.index(*place_of(episode))
        has_views = len(goal.views) == len(sentences)
        for t in range(0 if has_views else len(sentences) - 1, len(sentences)):
            look = goal.direction if t == len(sentences) - 1 else goal.views[t]
            previous.append(len(episode_index) - 1 if has_views and t else -1)
            episode_index.append(number)
            places.append(place)
            goals.append((look.heading, look.pitch))
            sentences_so_far.append(sentences[: t + 1])
    if not episode_index:
        raise InputError("episodes with sentences", "none")
    return LookExamples(
        np.array(episode_index, np.int64),
        np.array(places, np.int64),
        np.array(goals, np.float32),
        np.array(previous, np.int64),
        tuple(sentences_so_far),
    )


def initial_memory(views: Views, seed: int) -> Memory:
    """Return the memory, by place, of players that have looked up and around once, from a random heading per place."""
    rng = np.random.default_rng([seed, 1])
    starts, count = rng.uniform(0.0, 360.0, len(views.places)), len(views.places)
    grid = views.config.grid
    like = torch.empty(0, dtype=views.dtype, device=views.device)
    memory = Memory.empty(grid, count, views.config.channels, like)
    for begin in range(0, count, PLACE_BATCH):
        places = np.arange(begin, min(begin + PLACE_BATCH, count))
        batch = Memory.empty(grid, len(places), views.config.channels, like)
        for k in range(INITIAL_VIEWS + 1):
            pitch = 0.0 if k else 90.0
            heading = (starts[places] + k * 360.0 / INITIAL_VIEWS) % 360.0
            looks = np.column_stack([heading, np.full(len(places), pitch)])
            look = torch.from_numpy(looks).to(views.device, torch.float32)
            batch = batch.add_view(grid, views(places, looks), look)
        memory.assign(torch.from_numpy(places).to(views.device), batch)
    return memory


def jitter_directions(goal: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return random directions near goals (n, 2), like those of a player that is slightly off."""
    offset = np.where(
        rng.random((len(goal), 1)) < UNIFORM_JITTER_SHARE,
        rng.uniform(-MAX_JITTER, MAX_JITTER, goal.shape),
        rng.normal(0.0, JITTER_SIGMA, goal.shape),
    )
    pitch = np.clip(goal[:, 1] + offset[:, 1], -MAX_PITCH, MAX_PITCH)
    heading = goal[:, 0] + offset[:, 0] / np.cos(np.radians(np.clip(goal[:, 1], -60.0, 60.0)))
    return np.column_stack([heading % 360.0, pitch]).astype(np.float32)


@dataclass(frozen=True, eq=False)
class ViewPool:
    """Several views near each sentence's goal, computed once."""

    looks: Tensor  # (views per goal, n, 2)
    features: Tensor  # (views per goal, n, channels, side, side)

    @classmethod
    def build(cls, examples: LookExamples, views: Views, views_per_goal: int, seed: int) -> ViewPool:
        """Compute `views_per_goal` views near each goal."""
        rng = np.random.default_rng([seed, 2])
        looks = np.stack([jitter_directions(examples.goal, rng) for _ in range(views_per_goal)])
        side = views.config.view_cells
        shape = views_per_goal, len(examples), views.config.channels, side, side
        features = torch.empty(shape, dtype=views.dtype, device=views.device)
        for k in range(views_per_goal):
            features[k] = views(examples.place, looks[k])
        return cls(torch.from_numpy(looks).to(views.device), features)
