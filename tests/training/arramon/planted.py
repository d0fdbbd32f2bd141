"""Planted tasks: each text says left or right, and nothing else tells where the item is or belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.models.arramon.legs import reference_actions, replay
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Pose
from bearleft.training.arramon.config import ArraMonTrainConfig
from bearleft.training.arramon.loop import ArraMonInputs
from bearleft.training.arramon.train import prepare_inputs
from bearleft.world.arramon.moves import GRID_HEADING, replay_room
from bearleft.world.arramon.moves import replay as walk_along
from bearleft.world.arramon.task_setup import CityItem, TaskSetup
from tests.envs.arramon.example_tasks import BOOK, MUG, START, TWIN, ahead_of

SMALL: dict[str, Any] = {"word_dim": 8, "action_dim": 8, "hidden_dim": 16}
SMALL_MEMORY: dict[str, Any] = {
    "word_dim": 8, "dim": 16, "layers": 1, "heads": 2, "direction_dim": 4, "grounding_dim": 4,
}  # fmt: skip


SHORT = {"collect_horizon": 8, "assemble_horizon": 6}  # a little more than the references need


def planted_task(number: int, sides: Sequence[str]) -> Episode:
    """Return a task whose four legs lead to a side: "left" or "right"."""
    legs, items, position, heading = [], [], START, GRID_HEADING
    heights: dict[tuple[int, int, int], int] = {}
    for turn, item in enumerate((BOOK, MUG)):
        walk = (sides[2 * turn],) * 3 + ("forward", "pick")
        path, end_heading = walk_along(position, heading, walk)
        at = ahead_of(path[-1], end_heading, 1.5)
        items.append(CityItem(item, at))
        legs.append(Leg(f"Go to the {sides[2 * turn]}.", Collect(tuple(path), item, at, walk)))
        position, heading = path[-1], end_heading
        room = (sides[2 * turn + 1],) * 3 + ("place",)
        cells, ahead = replay_room(room)
        assert ahead is not None
        heights[ahead] = heights.get(ahead, 0) + 1
        cell = (ahead[0], heights[ahead], ahead[2])
        legs.append(Leg(f"Place it on the {sides[2 * turn + 1]}.", Assemble(cell, tuple(cells), room)))
    items.append(CityItem(TWIN, ahead_of(START, GRID_HEADING, -20.0), 1))
    start = Pose(Direction(GRID_HEADING), position=START)
    episode = Episode(str(number), "mine", "arramon/1", start, tuple(legs))
    return replace(episode, extra={"setting": TaskSetup(tuple(items)).to_json()})


def planted_tasks(count: int, seed: int = 0) -> list[Episode]:
    """Return tasks with random sides."""
    sides = np.random.default_rng(seed).choice(["left", "right"], size=(count, 4))
    return [planted_task(k, row.tolist()) for k, row in enumerate(sides)]


def blind_config(**settings: Any) -> ArraMonTrainConfig:
    """Return a configuration of a small L/O."""
    defaults: dict[str, Any] = {"epochs": 6, "batch_size": 8, "learning_rate": 0.01, "overrides": SMALL} | SHORT
    return ArraMonTrainConfig("arramon-lo", **(defaults | settings))


def blind_inputs(count: int = 48) -> ArraMonInputs:
    """Return planted tasks for networks that do not see."""
    episodes, validation = planted_tasks(count), planted_tasks(8, 1)
    legs = replay(VectorArraMon(episodes, count), np.arange(count), reference_actions(episodes))
    vocabulary = Vocabulary.from_texts(leg.text for one in episodes for leg in one.legs)
    return ArraMonInputs(episodes, validation, legs, vocabulary, torch.device("cpu"))


def seeing_config(network: str = "arramon-vl", **settings: Any) -> ArraMonTrainConfig:
    """Return a configuration of a small network that sees views of 16 pixels."""
    defaults: dict[str, Any] = {"epochs": 2, "batch_size": 4, "view_size": 16, "rows": 2, "dagger_tasks": 2} | SHORT
    overrides = SMALL_MEMORY if network == "arramon-memory" else SMALL
    return ArraMonTrainConfig(network, **(defaults | {"overrides": overrides} | settings))


def seeing_inputs(config: ArraMonTrainConfig, count: int = 4) -> ArraMonInputs:
    """Return planted tasks with their views."""
    return prepare_inputs(config, planted_tasks(count), planted_tasks(1, 1), "random:0", torch.device("cpu"))
