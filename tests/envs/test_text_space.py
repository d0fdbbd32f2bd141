"""Texts of environments in other processes."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

from bearleft.data import load
from bearleft.envs.gym import ReachEnv
from bearleft.envs.text_space import TextSpace

FEW = load("town/dev")[:4]


@pytest.mark.parametrize("shared_memory", [True, False])
def test_texts_arrive_from_other_processes(shared_memory: bool) -> None:
    texts = {episode.id: episode.legs[0].text for episode in FEW}
    envs = AsyncVectorEnv([partial(ReachEnv, FEW, horizon=1)] * 2, shared_memory=shared_memory)
    try:
        first, info = envs.reset(seed=3)
        assert list(first["text"]) == [texts[name] for name in info["episode"]]
        kept, seen = copy.copy(first["text"]), {first["text"]}
        for _ in range(4):
            envs.step(np.zeros(2, np.int64))  # the horizon ends the episodes
            observation, _, _, _, info = envs.step(np.zeros(2, np.int64))  # others begin
            assert list(observation["text"]) == [texts[name] for name in info["episode"]]
            seen.add(observation["text"])
        assert len(seen) > 1 and first["text"] == kept
        assert observation in envs.observation_space
    finally:
        envs.close()


def test_shared_texts_are_a_view() -> None:
    space = TextSpace(["", "geh links", "Straße"])
    memory: Any = create_shared_memory(space, 2)
    write: Any = write_to_shared_memory
    texts = read_from_shared_memory(space, memory, 2)
    assert tuple(texts) == ("", "")
    write(space, 1, "Straße", memory)
    write(space, 0, "geh links", memory)
    write(space, 1, "geh", memory)
    assert texts == ("geh links", "geh") and texts[1] == "geh" and len(texts) == 2
    assert texts[:1] == ("geh links",) and repr(texts) == "('geh links', 'geh')"
    assert type(copy.deepcopy(texts)) is tuple
