"""V-trace against its definition, in plain Python and double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from bearleft.training.reinforcement.vtrace import vtrace  # noqa: E402

Walk = list[tuple[float, float, float]]  # logarithm of the ratio, reward and value of each step


def slow_vtrace(walk: Walk, discount: float) -> tuple[list[float], list[float]]:
    """Return the targets and advantages of one walk: equation 1 of Espeholt et al., a sum for each step."""
    ratios = [min(1.0, math.exp(log_ratio)) for log_ratio, _, _ in walk]
    rewards, values = [reward for _, reward, _ in walk], [value for *_, value in walk] + [0.0]
    targets = []
    for s in range(len(walk)):
        target = values[s]
        for t in range(s, len(walk)):
            trace = math.prod(ratios[s:t])
            target += discount ** (t - s) * trace * ratios[t] * (rewards[t] + discount * values[t + 1] - values[t])
        targets.append(target)
    after = [*targets[1:], 0.0]
    advantages = [ratios[t] * (rewards[t] + discount * after[t] - values[t]) for t in range(len(walk))]
    return targets, advantages


steps = st.tuples(st.floats(-3, 3), st.floats(-2, 2), st.floats(-5, 5))
walks = st.lists(st.lists(steps, min_size=1, max_size=7), min_size=1, max_size=5)


@settings(deadline=None)
@given(walks, st.floats(0, 1))
def test_targets_equal_the_definition(batch: list[Walk], discount: float) -> None:
    longest = max(map(len, batch))
    padded = np.full((len(batch), longest, 3), 0.7)  # what stands behind the ends counts for nothing
    running = np.zeros((len(batch), longest), bool)
    for k, walk in enumerate(batch):
        padded[k, : len(walk)], running[k, : len(walk)] = walk, True
    log_ratios, rewards, values = torch.from_numpy(padded).unbind(2)
    got = vtrace(log_ratios, rewards, values, torch.from_numpy(running), discount)
    for k, walk in enumerate(batch):
        targets, advantages = slow_vtrace(walk, discount)
        np.testing.assert_allclose(got.values[k, : len(walk)].numpy(), targets, atol=1e-9)
        np.testing.assert_allclose(got.advantages[k, : len(walk)].numpy(), advantages, atol=1e-9)
        assert not got.values[k, len(walk) :].any() and not got.advantages[k, len(walk) :].any()


@settings(deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=8), st.floats(0, 1))
def test_with_one_policy_targets_are_discounted_returns(rewards: list[float], discount: float) -> None:
    count = len(rewards)
    values = torch.linspace(-1.0, 1.0, count, dtype=torch.float64)[None]
    running = torch.ones(1, count, dtype=torch.bool)
    got = vtrace(torch.zeros(1, count).double(), torch.tensor([rewards]).double(), values, running, discount)
    returns = [sum(discount ** (t - s) * rewards[t] for t in range(s, count)) for s in range(count)]
    np.testing.assert_allclose(got.values[0].numpy(), returns, atol=1e-6)
    np.testing.assert_allclose(got.advantages[0].numpy(), np.array(returns) - values[0].numpy(), atol=1e-6)
