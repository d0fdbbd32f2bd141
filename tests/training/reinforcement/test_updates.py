"""Updates read nothing back from the device, and CUDA graphs of them equal plain updates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from bearleft.envs.rewards import REWARDS, WalkRewards
from bearleft.errors import InputError
from bearleft.models.panoramic.links import LinkTable
from bearleft.models.panoramic.rollout import policy_along, walk
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import no_report
from bearleft.training.reinforcement.actor_critic import STATISTICS, Experience, mixed_loss
from bearleft.training.reinforcement.loop import ReinforceTrainer
from tests.training.reinforcement.turns import SMALL, turns, turns_config

CONFIG = turns_config(batch_size=10, overrides={**SMALL, "dropout": 0.1})
READS = ("_local_scalar_dense", "nonzero", "masked_select", "equal", "unique")  # operations that wait for a GPU


class ReadsNothing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Fail where a value is read back, or a shape depends on values."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = function.overloadpacket.__name__
        assert not name.startswith(READS), name
        if name in ("index", "index_put", "index_put_"):
            indices = [index for index in args[1] if index is not None]
            assert all(index.dtype != torch.bool for index in indices), "a mask as an index"
        return function(*args, **(kwargs or {}))


def reads_nothing() -> ReadsNothing:
    return ReadsNothing()  # type: ignore[no-untyped-call]


def make_trainer(device: str = "cpu") -> ReinforceTrainer:
    inputs = turns()
    links = LinkTable.build(inputs.links.places.graphs, torch.device(device))
    return ReinforceTrainer(CONFIG, inputs.walks, inputs.validation, links, ProcessGroup(), Path(), no_report)


@pytest.mark.parametrize("reward", REWARDS)
def test_walks_and_their_loss_read_nothing_back(reward: str) -> None:
    trainer = make_trainer()
    rewards = WalkRewards(REWARDS[reward], trainer.rewards.table)
    indices = torch.arange(10)
    with reads_nothing():
        imitate = torch.rand(len(indices)) < 0.5
        text = trainer.examples.encode(trainer.network, indices, 16)
        rollout = walk(trainer.network, trainer.examples, indices, text, 5, rewards, sample=True, imitate=imitate)
        policy = policy_along(trainer.network, trainer.links, text, rollout.places, rollout.headings, rollout.options)
        experience = Experience(rollout.options, rollout.running, rollout.log_probs, rollout.rewards, imitate)
        losses = mixed_loss(policy.log_probs, policy.values, experience, CONFIG)
        losses.loss.backward()  # type: ignore[no-untyped-call]
    with pytest.raises(AssertionError, match="_local_scalar_dense"), reads_nothing():
        float(losses.loss.detach())
    with pytest.raises(AssertionError, match="a mask as an index"), reads_nothing():
        rollout.rewards[rollout.running]


def test_the_loss_of_walks_by_hand() -> None:
    """Along references cross entropy; else policy gradient, entropy and the error of values."""
    trainer = make_trainer()
    indices, imitate = torch.arange(4), torch.tensor([True, False, False, True])
    trainer.network.eval()
    text = trainer.examples.encode(trainer.network, indices, 16)
    torch.manual_seed(3)
    rollout = walk(trainer.network, trainer.examples, indices, text, 5, trainer.rewards, sample=True, imitate=imitate)
    policy = policy_along(trainer.network, trainer.links, text, rollout.places, rollout.headings, rollout.options)
    config = replace(CONFIG, entropy_weight=0.3, value_weight=0.7, discount=0.9)
    total, returns, entropies = 0.0, [], []
    for k in range(4):
        steps = int(rollout.running[k].sum())
        log_probs = policy.log_probs[k, :steps].tolist()
        options, rewards = rollout.options[k, :steps].tolist(), rollout.rewards[k, :steps].tolist()
        if not imitate[k]:
            returns.append(sum(rewards))
        for t in range(steps):
            probabilities = torch.tensor(log_probs[t]).exp()
            entropy = -float((probabilities * torch.tensor(log_probs[t])).sum())
            entropies.append(entropy)
            if imitate[k]:
                total -= log_probs[t][options[t]]
                continue
            gain = sum(0.9 ** (s - t) * rewards[s] for s in range(t, steps))
            error = gain - float(policy.values[k, t].detach())  # with one policy, V-trace gives discounted returns
            total += -log_probs[t][options[t]] * error - 0.3 * entropy + 0.7 * 0.5 * error**2
    experience = Experience(rollout.options, rollout.running, rollout.log_probs, rollout.rewards, imitate)
    losses = mixed_loss(policy.log_probs, policy.values, experience, config)
    assert float(losses.loss.detach()) == pytest.approx(total / 4, abs=1e-4)
    assert float(losses.returns) == pytest.approx(sum(returns) / 2, abs=1e-5)
    assert float(losses.entropy) == pytest.approx(sum(entropies) / len(entropies), abs=1e-5)


def statistics(device: str, recorded: bool) -> Tensor:
    """Return the statistics of twenty updates; on a GPU the fourth and later ones may be recorded."""
    trainer = make_trainer(device)
    updates = trainer.updates
    assert (updates.graphed_step is not None) == (device == "cuda")
    updates.graphed_step = updates.graphed_step if recorded else None
    order = trainer.order()
    for _ in range(20):
        trainer._step(order)
    assert not recorded or updates.graphed_step is None or updates.graphed_step.graphs
    return updates.statistics[:20].cpu()


def test_trainings_on_the_same_walks_encode_them_once() -> None:
    inputs = turns()
    first, second, other = (
        ReinforceTrainer(
            replace(CONFIG, seed=seed, shuffle_texts=shuffled),
            *(inputs.walks, inputs.validation, inputs.links, ProcessGroup(), Path(), no_report),
        )
        for seed, shuffled in ((0, False), (1, False), (0, True))
    )
    assert first.examples is second.examples and first.validation is second.validation
    assert not torch.equal(first.examples.words, other.examples.words)


@pytest.mark.slow
def test_no_graphs_on_a_cpu() -> None:
    values = statistics("cpu", True)
    assert values.shape == (20, len(STATISTICS)) and bool(values.isfinite().all())
    assert len(set(values[:, 0].tolist())) == 20 and torch.equal(values, statistics("cpu", False))


def test_updates_in_half_precision_are_nearly_the_same() -> None:
    losses = []
    for precision in ("float32", "bfloat16"):
        inputs = turns()
        links = LinkTable.build(inputs.links.places.graphs, torch.device("cpu"))
        config = turns_config(batch_size=10, imitation=1.0, precision=precision)
        trainer = ReinforceTrainer(config, inputs.walks, inputs.validation, links, ProcessGroup(), Path(), no_report)
        order = trainer.order()
        for _ in range(5):
            trainer._step(order)
        losses.append(trainer.updates.statistics[:5, 0])
    assert not torch.equal(*losses)
    torch.testing.assert_close(*losses, rtol=0.05, atol=0.02)
    with pytest.raises(InputError, match="bfloat16 or float32"):
        turns_config(precision="float16")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_graphed_updates_equal_plain_updates() -> None:
    torch.testing.assert_close(statistics("cuda", True), statistics("cuda", False), rtol=1e-2, atol=1e-3)
