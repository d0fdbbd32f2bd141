"""What Gymnasium environments share: the spaces of their observations, the episodes they draw, checks of actions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from bearleft.data import load
from bearleft.envs.vector import NO_LINK
from bearleft.errors import InputError, shown
from bearleft.records import Episode
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import Sight

Data = str | os.PathLike[str] | None


def text_space(texts: Sequence[str]) -> spaces.Text:
    """The texts of some episodes as a space: as long as the longest, with just their letters."""
    letters = frozenset("".join(texts)) or frozenset("a")
    return spaces.Text(min_length=0, max_length=max(1, *map(len, texts)), charset=letters)


def reach_space(episodes: Sequence[Episode], graphs: Sequence[Graph], sight: Sight) -> spaces.Dict:
    """What a walker sees: see ReachEnv."""
    most = max(int(graph.degree.max()) for graph in graphs)
    return spaces.Dict(
        {
            "text": text_space([episode.legs[0].text for episode in episodes]),
            "place": spaces.Discrete(max(map(len, graphs))),
            "heading": spaces.Box(0, 360, (1,), np.float64),
            "links": spaces.Box(-180, 180, (most,), np.float64),
            "sides": spaces.MultiDiscrete([NO_LINK + 1] * most, np.int8),
            "progress": spaces.Box(0, 1, (1,), np.float64),
            **picture_space(sight),
        }
    )


def picture_space(sight: Sight) -> dict[str, spaces.Space[Any]]:
    """The space of the pictures that an environment shows, under their name."""
    if sight.see is None or sight.lens is None:
        return {}
    return {sight.see: spaces.Box(0, 255, (sight.lens.height, sight.lens.width, 3), np.uint8)}


def check_options(options: Any, *known: str) -> dict[str, Any]:
    """What a reset is asked for; an error for what no reset knows, since it would else be passed over."""
    if options is not None and not isinstance(options, dict):
        raise InputError(f"options with {' and '.join(known)}, or none", shown(options), "options")
    for name in options or {}:
        if name not in known:
            raise InputError(f"a reset's option: {' or '.join(known)}", shown(name), "options")
    return options or {}


def check_action(env: gym.Env[Any, Any], action: Any) -> None:
    """An error for what is no action: Python would else take -1 for the last one."""
    try:
        given = np.asarray(action, env.action_space.dtype)
    except (TypeError, ValueError, OverflowError):
        given = np.array([np.nan])
    # A number for what is a number, an array for what is one: anything else Gymnasium converts with a warning.
    fits = given.shape == env.action_space.shape and bool(np.all(given == action))
    if not fits or not env.action_space.contains(given[()] if given.shape == () else given):
        raise InputError(f"an action of {env.action_space}", shown(action))


class Episodes:
    """The episodes an environment draws from."""

    def __init__(self, dataset: str | Sequence[Episode], data: Data, goal: type) -> None:
        found = load(dataset, data) if isinstance(dataset, str) else list(dataset)
        self.all = [episode for episode in found if isinstance(episode.legs[0].goal, goal)]
        if not self.all:
            raise InputError(f"episodes whose first leg is to {goal.__name__.lower()}", f"{len(found)} others")
        self.number = {episode.id: k for k, episode in enumerate(self.all)}
        self.worlds = {episode.world for episode in self.all}

    def choose(self, rng: np.random.Generator, options: dict[str, Any] | None) -> int:
        expected = (options or {}).get("episode")
        if expected is None:
            return int(rng.integers(len(self.all)))
        if not isinstance(expected, str) or expected not in self.number:
            raise InputError("the id of an episode", shown(expected))
        return self.number[expected]
