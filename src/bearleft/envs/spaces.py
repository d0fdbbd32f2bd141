"""Shared parts of the Gymnasium environments: observation spaces, episode sampling, checks of actions and options."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from bearleft.data import load, open_dataset
from bearleft.envs.text_space import TextSpace
from bearleft.envs.vector import NO_LINK
from bearleft.errors import InputError, format_value
from bearleft.records import Episode, check_goals
from bearleft.types import DataFolder
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import EnvPictures


def reach_space(episodes: Sequence[Episode], graphs: Sequence[Graph], pictures: EnvPictures) -> spaces.Dict:
    """Return the observation space of ReachEnv."""
    max_links = max(int(graph.degree.max()) for graph in graphs)
    return spaces.Dict(
        {
            "text": TextSpace([episode.legs[0].text for episode in episodes]),
            "place": spaces.Discrete(max(map(len, graphs))),
            "heading": spaces.Box(0, 360, (1,), np.float64),
            "links": spaces.Box(-180, 180, (max_links,), np.float64),
            "sides": spaces.MultiDiscrete([NO_LINK + 1] * max_links, np.int8),
            "progress": spaces.Box(0, 1, (1,), np.float64),
            **picture_space(pictures),
        }
    )


def picture_space(pictures: EnvPictures) -> dict[str, spaces.Space[Any]]:
    """Return the space of an environment's pictures under their name; nothing if it shows none."""
    if pictures.see is None or pictures.lens is None:
        return {}
    return {pictures.see: spaces.Box(0, 255, (pictures.lens.height, pictures.lens.width, 3), np.uint8)}


def check_options(options: Any, *allowed: str) -> dict[str, Any]:
    """Return the options of a reset; raise InputError for unknown ones, which would be ignored otherwise."""
    if options is not None and not isinstance(options, dict):
        raise InputError(f"options with {' and '.join(allowed)}, or none", format_value(options), "options")
    for name in options or {}:
        if name not in allowed:
            raise InputError(f"a reset's option: {' or '.join(allowed)}", format_value(name), "options")
    return options or {}


def check_action(env: gym.Env[Any, Any], action: Any) -> None:
    """Raise InputError for a value outside the action space: -1 would be taken for the last action."""
    try:
        array = np.asarray(action, env.action_space.dtype)
    except (TypeError, ValueError, OverflowError):
        array = np.array([np.nan])
    # Gymnasium converts a number given for an array, or the reverse, with a warning.
    fits = array.shape == env.action_space.shape and bool(np.all(array == action))
    if not fits or not env.action_space.contains(array[()] if array.shape == () else array):
        raise InputError(f"an action of {env.action_space}", format_value(action))


class EpisodeSampler:
    """The episodes of an environment whose first leg has a goal of the given type.

    `queue` holds the options of the next resets, such as {"episode": id}.
    """

    def __init__(self, dataset: str | Sequence[Episode], data: DataFolder, goal: type) -> None:
        loaded = load(dataset, data) if isinstance(dataset, str) else list(dataset)
        check_goals(loaded, "which an environment's rewards need (bearleft eval runs agents without them)")
        self.dataset, self.data = dataset if isinstance(dataset, str) else None, data
        self.queue: list[dict[str, Any]] = []
        self.all = [episode for episode in loaded if isinstance(episode.legs[0].goal, goal)]
        if not self.all:
            raise InputError(f"episodes whose first leg is to {goal.__name__.lower()}", f"{len(loaded)} others")
        self.number = {episode.id: k for k, episode in enumerate(self.all)}
        self.worlds = {episode.world for episode in self.all}

    @property
    def name(self) -> str:
        """The name of the dataset; raise InputError for a list of episodes of several."""
        names = sorted({episode.dataset for episode in self.all}) if self.dataset is None else [self.dataset]
        if len(names) != 1:
            raise InputError("episodes of one dataset", ", ".join(names[:3]), "dataset")
        return names[0]

    @cached_property
    def sha256(self) -> str:
        """The hash of the dataset file; empty for a list of episodes."""
        return "" if self.dataset is None else open_dataset(self.dataset, self.data).sha256

    def next_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options of a reset; those of the queue's first entry, if there is one and they name no episode."""
        return options if "episode" in options or not self.queue else {**options, **self.queue.pop(0)}

    def sample(self, rng: np.random.Generator, options: dict[str, Any] | None) -> int:
        """Return the number of the episode that `options` name, else of a random one."""
        episode = (options or {}).get("episode")
        if episode is None:
            return int(rng.integers(len(self.all)))
        return self.find(episode)

    def find(self, episode: Any) -> int:
        """Return the number of the episode with an id."""
        if not isinstance(episode, str) or episode not in self.number:
            raise InputError("the id of an episode", format_value(episode))
        return self.number[episode]

    def sample_many(self, rng: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
        """Return the numbers of the queue's next episodes, and of random ones when it is empty."""
        queued = [self.sample(rng, options) for options in self.queue[:count]]
        del self.queue[:count]
        drawn = rng.integers(len(self.all), size=count - len(queued))
        return np.concatenate([np.array(queued, np.int64), drawn])
