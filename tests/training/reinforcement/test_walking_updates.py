"""Updates of walking networks by rewards: the rewards are those of the environment, the loss that of slow code."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from bearleft.envs.rewards import REWARDS, Reward, WalkRewards
from bearleft.errors import InputError
from bearleft.models.walking.compass import Compass
from bearleft.models.walking.examples import NO_LABEL
from bearleft.models.walking.network import MIN_REACHED, Policy
from bearleft.models.walking.rollout import Walks, roll_out
from bearleft.models.walking.states import StateTable
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import no_report
from bearleft.training.reinforcement.actor_critic import STATISTICS
from bearleft.training.reinforcement.config import WalkReinforceConfig
from bearleft.training.reinforcement.walking import WalkReinforceTrainer
from bearleft.world.graphs.transitions import STOP
from tests.training.reinforcement.test_updates import reads_nothing
from tests.training.walking.turn_task import HORIZON, SMALL, turn_episodes, turn_task

NETWORKS = ("rconcat", "ga", "orar", "compass")
NO_DROPOUT = {"compass": {"dropout": 0.0, "word_dropout": 0.0}, "orar": {"dropout": 0.0, "heading_noise": 0.0}}


def make_trainer(network: str, device: str = "cpu", **options: Any) -> WalkReinforceTrainer:
    task = turn_task()
    table = StateTable.build(
        task.table.places.graphs, [*task.walks.starts, *task.validation.starts], torch.device(device)
    )
    settings: dict[str, Any] = {"batch_size": 10, "learning_rate": 0.01, "horizon": HORIZON}
    settings["overrides"] = SMALL[network] | NO_DROPOUT.get(network, {})
    config = WalkReinforceConfig(network, **{**settings, **options})
    return WalkReinforceTrainer(
        config, task.walks, task.validation, table, None, ProcessGroup(), Path(), no_report, None, task.slicing
    )


def sample(trainer: WalkReinforceTrainer, indices: Tensor, imitate: Tensor | None = None) -> Walks:
    text = trainer.examples.encode(trainer.network.eval(), indices, 16)
    return roll_out(
        trainer.network,
        trainer.reader,
        trainer.examples,
        indices,
        text,
        HORIZON,
        sample=True,
        rewards=trainer.rewards,
        imitate=imitate,
        temperature=trainer.config.temperature,
    )


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_those_of_the_environment(reward: str) -> None:
    """Half of the walks follow the reference, and stop at its end."""
    pytest.importorskip("gymnasium")
    from bearleft.envs.gym import ReachEnv

    trainer = make_trainer("compass", reward=reward)
    indices = torch.arange(16)
    torch.manual_seed(1)
    walks = sample(trainer, indices, indices % 2 == 0)
    assert walks.rewards is not None
    ids = {trainer.walks.ids[k]: k for k in indices.tolist()}
    env = ReachEnv([episode for episode in turn_episodes() if episode.id in ids], horizon=HORIZON, reward=reward)
    ends = set()
    for name, k in ids.items():
        env.reset(options={"episode": name})
        for t, action in enumerate(walks.actions[k].tolist()):
            if action == NO_LABEL:
                assert float(walks.rewards[k, t]) == 0.0
                continue
            _, earned, stopped, timed_out, _ = env.step(action)
            assert float(walks.rewards[k, t]) == pytest.approx(earned, abs=1e-6)
        ends.add((stopped, timed_out))
    assert ends == {(True, False), (False, True)}


@pytest.mark.parametrize("network", NETWORKS)
def test_the_loss_of_walks_by_hand(network: str) -> None:
    """Along references cross entropy; else policy gradient, entropy and the error of values; and their gradients."""
    trainer = make_trainer(network, entropy_weight=0.3, value_weight=0.7, discount=0.9, reward="goal")
    torch.nn.init.normal_(trainer.value.weight)
    parameters = list(trainer.actor_critic.parameters())
    indices = torch.arange(6)
    torch.manual_seed(6)
    losses = trainer.walk_losses(indices, 16)
    gradients = torch.autograd.grad(losses.loss, parameters, materialize_grads=True)

    torch.manual_seed(6)
    imitate = torch.rand(len(indices)) < 0.5
    assert 0 < int(imitate.sum()) < len(indices)
    walks = sample(trainer, indices, imitate)
    assert walks.rewards is not None
    text = trainer.examples.encode(trainer.network.train(), indices, 16)
    log_probs, values = step_by_step(trainer, walks, text, imitate)
    losses_of_references: list[Any] = []
    own: list[tuple[Tensor, Tensor, Tensor]] = []  # log-probability, error of the value and entropy of each step
    returns, entropies = [], []
    for k in range(len(indices)):
        steps = int(walks.lengths[k])
        rewards = [float(reward) / len(trainer.walks.routes[k]) for reward in walks.rewards[k, :steps]]
        if not imitate[k]:
            returns.append(sum(rewards))
        for t in range(steps):
            log_prob = log_probs[t][k]
            chosen, entropy = log_prob[walks.actions[k, t]], -(log_prob.exp() * log_prob).sum()
            entropies.append(float(entropy.detach()))
            if imitate[k]:
                losses_of_references.append(-chosen)
                continue
            gain = sum(0.9 ** (s - t) * rewards[s] for s in range(t, steps))  # V-trace's target, with one policy
            own.append((chosen, gain - values[t][k], entropy))
    scale = math.sqrt(sum(float(error.detach()) ** 2 for _, error, _ in own) / len(own))
    total = sum(losses_of_references)
    for chosen, error, entropy in own:
        total += -chosen * error.detach() / scale - 0.3 * entropy + 0.7 * 0.5 * error**2
    loss = total / len(indices)
    assert float(losses.loss.detach()) == pytest.approx(float(loss.detach()), abs=1e-4)
    assert float(losses.returns) == pytest.approx(sum(returns) / len(returns), abs=1e-5)
    assert float(losses.entropy) == pytest.approx(sum(entropies) / len(entropies), abs=1e-5)
    for one, other in zip(gradients, torch.autograd.grad(loss, parameters, materialize_grads=True), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


def slow_sharpened(policy: Policy, walk: int, temperature: float) -> Tensor:
    """Return the policy of drawn actions: powers of probabilities, of stopping and going on, and of the moves."""
    probabilities = policy.probabilities()[walk]
    if policy.reached is None:
        powers: Tensor = probabilities ** (1.0 / temperature)
        return (powers / powers.sum()).log()
    stop = probabilities[STOP].clamp(MIN_REACHED, 1 - MIN_REACHED)
    odds = (stop / (1 - stop)) ** (1.0 / temperature)
    moves = probabilities[:STOP] ** (1.0 / temperature)
    return torch.cat([moves / moves.sum() / (1 + odds), (odds / (1 + odds))[None]]).log()


def step_by_step(
    trainer: WalkReinforceTrainer, walks: Walks, text: Any, imitate: Tensor
) -> tuple[list[Tensor], list[Tensor]]:
    """Return the policy (n, actions) and the values (n,) at each step of walks, one call after the other."""
    table, state, log_probs, values = trainer.table, None, [], []
    headings = table.heading[walks.states]
    previous = torch.full_like(walks.states[:, 0], STOP + 1)
    for t in range(walks.states.shape[1]):
        now, before = headings[:, t], headings[:, max(0, t - 1)]
        steps = trainer.reader(
            table.place[walks.states[:, t]][:, None], now[:, None], before[:, None], previous[:, None], t
        )
        policy = trainer.network(text, steps, state)
        state, previous = policy.state, walks.actions[:, t].clamp(min=0)
        sharpened = [slow_sharpened(policy, k, trainer.config.temperature) for k in range(len(walks.states))]
        log_probs.append(torch.where(imitate[:, None], policy.log_probs[:, 0], torch.stack(sharpened)))
        values.append(trainer.value(policy.features[:, 0])[:, 0])
    return log_probs, values


@pytest.mark.parametrize("network", NETWORKS)
def test_a_policy_that_walks_is_the_one_that_learns(network: str) -> None:
    trainer = make_trainer(network)
    indices, imitate = torch.arange(20), torch.zeros(20, dtype=torch.bool)
    walks = sample(trainer, indices)
    text = trainer.examples.encode(trainer.network, indices, 16)
    log_probs, _ = step_by_step(trainer, walks, text, imitate)
    for t in range(HORIZON):
        torch.testing.assert_close(log_probs[t].exp().sum(1), torch.ones(20))
        chosen = log_probs[t].gather(1, walks.actions[:, t, None].clamp(min=0))[:, 0]
        running = walks.actions[:, t] != NO_LABEL
        torch.testing.assert_close(chosen[running], walks.log_probs[running, t], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("reaches", [False, True])
def test_evaluation_takes_the_mode_of_every_decision(reaches: bool) -> None:
    """At any temperature; at 1 the policy has the probabilities that are shown to people."""
    generator = torch.Generator().manual_seed(0)
    log_probs = torch.randn(200, 1, STOP + 1, generator=generator).log_softmax(2)
    policy = Policy(log_probs, None, reached=torch.rand(200, 1, generator=generator) if reaches else None)
    torch.testing.assert_close(policy.sharpened(1.0)[:, 0].exp(), policy.probabilities())
    for temperature in (2.0, 0.25, 0.01):
        drawn = policy.sharpened(temperature)[:, 0]
        torch.testing.assert_close(drawn.exp().sum(1), torch.ones(200))
        mode = torch.where(drawn[:, STOP] >= math.log(0.5), STOP, drawn[:, :STOP].argmax(1))
        assert torch.equal(mode if reaches else drawn.argmax(1), policy.choose())


@pytest.mark.parametrize("network", NETWORKS)
def test_updates_read_nothing_back(network: str) -> None:
    trainer = make_trainer(network, overrides=SMALL[network])
    for reward in REWARDS if network == "compass" else ("fidelity",):
        trainer.rewards = WalkRewards(REWARDS[reward], trainer.fidelity.table)
        with reads_nothing():
            trainer.walk_losses(torch.arange(10), 16).loss.backward()  # type: ignore[no-untyped-call]


def statistics(device: str, recorded: bool) -> Tensor:
    """Return the statistics of the eight updates of an epoch; on a GPU the fourth and later ones may be recorded."""
    trainer = make_trainer("compass", device, learning_rate=1e-4)
    trainer.half, updates = False, trainer.updates
    assert (updates.graphed_step is not None) == (device == "cuda")
    updates.graphed_step = updates.graphed_step if recorded else None
    order = sources = trainer.order(trainer._sources())
    for _ in range(trainer.updates_per_epoch):
        trainer._step(order, sources)
    assert not recorded or updates.graphed_step is None or updates.graphed_step.graphs
    return updates.statistics.cpu()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_graphed_updates_equal_plain_updates() -> None:
    torch.testing.assert_close(statistics("cuda", True), statistics("cuda", False), rtol=1e-2, atol=1e-3)


def test_a_network_without_features_has_no_critic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compass, "feature_dim", 0)
    with pytest.raises(InputError, match="features, for the critic, got compass"):
        make_trainer("compass")


def test_no_graphs_on_a_cpu() -> None:
    values = statistics("cpu", True)
    assert values.shape == (8, len(STATISTICS)) and bool(values.isfinite().all())


def scaled_goal(scale: float) -> Reward:
    """Return the goal-oriented reward times a number."""
    return replace(REWARDS["goal"], formula=lambda step: scale * REWARDS["goal"].formula(step))


def test_rewards_scale_no_step_of_the_policy() -> None:
    """Advantages are divided by their root mean square, so that any reward weighs as much as the references."""
    losses = []
    for scale in (1.0, 1000.0):
        trainer = make_trainer("rconcat", reward="goal", value_weight=0.0, imitation=0.0)
        trainer.rewards = WalkRewards(scaled_goal(scale), trainer.fidelity.table)
        torch.manual_seed(2)
        losses.append(float(trainer.walk_losses(torch.arange(10), 16).loss.detach()))
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
