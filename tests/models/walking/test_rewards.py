"""Rewards of walks of a network equal those of walkers of an environment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.data import load  # noqa: E402
from bearleft.envs.rewards import REWARDS, DistanceTable, WalkRewards  # noqa: E402
from bearleft.envs.rewards.tracking import VectorWalkTracker  # noqa: E402
from bearleft.envs.vector import VectorReach  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.models.walking.examples import NO_LABEL, StepReader, WalkTable, build_walks, open_graphs  # noqa: E402
from bearleft.models.walking.network import WalkShape  # noqa: E402
from bearleft.models.walking.registry import walk_spec  # noqa: E402
from bearleft.models.walking.rollout import roll_out  # noqa: E402
from bearleft.models.walking.states import StateTable  # noqa: E402
from bearleft.world.graphs.transitions import STOP  # noqa: E402

HORIZON = 45


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_those_of_an_environment(reward: str) -> None:
    """Of walks along references, of references with random actions between, and of walks that run out of time."""
    episodes = load("town/dev")[:12]
    examples = build_walks(episodes, HORIZON)
    graphs = open_graphs(["city/3/4x5", "town/0"])  # a second world comes first
    table = StateTable.build(graphs, examples.starts, torch.device("cpu"))
    walks = WalkTable.build(examples, table, Vocabulary.from_texts(examples.texts))
    rng = np.random.default_rng(2)
    actions = np.where(examples.actions == NO_LABEL, STOP, examples.actions)
    noisy = (rng.random(actions.shape) < 0.2) & (np.arange(12) % 3 > 0)[:, None]
    actions = np.where(noisy, rng.integers(0, 3, actions.shape), actions)
    actions[2::6] = rng.integers(0, 3, actions[2::6].shape)
    walkers = VectorReach(episodes, graphs[1], 12, HORIZON)
    walkers.reset(np.arange(12))
    tracker = VectorWalkTracker(REWARDS[reward], walkers)
    expected = []
    for step in range(HORIZON):
        running = ~walkers.ended
        expected.append(np.where(running, tracker.step(*walkers.step(actions[:, step])), 0.0))
    walks = replace(walks, actions=torch.from_numpy(actions))
    spec, everyone = walk_spec("rconcat"), torch.ones(12, dtype=torch.bool)
    shape = WalkShape(int(walks.words.max()) + 1)
    network = spec.build(spec.make_config({"shape": shape, "image": False}), 0).eval()
    reader = StepReader.make(network, table.places, None, torch.device("cpu"))
    rewards = WalkRewards(REWARDS[reward], DistanceTable.build(graphs, torch.device("cpu")))
    indices = torch.arange(12)
    text = walks.encode(network, indices, walks.words.shape[1])
    walked = roll_out(network, reader, walks, indices, text, HORIZON, rewards=rewards, imitate=everyone)
    assert (walked.actions[:, -1] != NO_LABEL).any() and (walked.actions == STOP).sum() > 4
    assert walked.rewards is not None and walked.rewards.dtype == torch.float32
    np.testing.assert_allclose(walked.rewards.numpy(), np.stack(expected, 1), atol=1e-6)
