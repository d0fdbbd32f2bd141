"""The network: whole walks equal single steps, batches equal single walks, padding and masks change nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from bearleft.envs.rewards import REWARDS, DistanceTable, Progress, WalkRewards  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models.draw import draw  # noqa: E402
from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint  # noqa: E402
from bearleft.models.panoramic.examples import PanoramicWalks  # noqa: E402
from bearleft.models.panoramic.links import STOP, LinkTable  # noqa: E402
from bearleft.models.panoramic.network import PanoramicNetwork, PanoramicShape, make_config  # noqa: E402
from bearleft.models.panoramic.rollout import Rollout, policy_along, walk  # noqa: E402
from bearleft.models.panoramic.views import VIEW_COUNT, PanoramaViews  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from tests.models.panoramic.random_walks import random_examples, random_graph, small_network  # noqa: E402

CPU = torch.device("cpu")
HORIZON = 6
World = tuple[PanoramicWalks, PanoramicNetwork, WalkRewards]


def make_world(seed: int, reward: str = "fidelity", with_views: bool = False, count: int = 7) -> World:
    """Return walks in two random graphs, a small network, and a reward."""
    rng = np.random.default_rng(seed)
    graphs = [random_graph(rng, f"matterport/{k}", int(rng.integers(4, 9))) for k in range(2)]
    views = None
    if with_views:
        features = rng.normal(0.0, 1.0, (sum(map(len, graphs)), VIEW_COUNT, 4))
        views = PanoramaViews(torch.from_numpy(features).half(), "")
    links = LinkTable.build(graphs, CPU, views)
    walks = random_examples(rng, graphs, count)
    vocabulary = Vocabulary.from_texts(walks.texts)
    examples = PanoramicWalks.build(walks, links, vocabulary, HORIZON)
    rewards = WalkRewards(REWARDS[reward], DistanceTable.build(graphs, CPU))
    return examples, small_network(vocabulary, links.view_dim, seed), rewards


def walk_all(world: World, indices: Tensor, imitate: Tensor | None = None, seed: int | None = None) -> Rollout:
    """Let the network walk; with a seed it draws its options."""
    examples, network, rewards = world
    if seed is not None:
        torch.manual_seed(seed)
    text = examples.encode(network, indices, examples.words.shape[1])
    return walk(network, examples, indices, text, HORIZON, rewards, seed is not None, imitate)


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.booleans())
def test_a_batch_walks_as_each_walker_alone(seed: int, with_views: bool) -> None:
    world = make_world(seed, with_views=with_views)
    examples, network, rewards = world
    everyone = torch.arange(len(examples))
    together = walk_all(world, everyone)
    for k in range(len(examples)):
        words = examples.words[k : k + 1, : int(examples.lengths[k])]  # without padding
        own = replace(examples, words=words.expand(len(examples), -1))
        alone = walk_all((own, network, rewards), everyone[k : k + 1])
        assert torch.equal(alone.options[0], together.options[k]) and torch.equal(alone.places[0], together.places[k])
        assert int(alone.final[0]) == int(together.final[k])
        torch.testing.assert_close(alone.rewards[0], together.rewards[k], rtol=0, atol=1e-5)
        torch.testing.assert_close(alone.log_probs[0], together.log_probs[k], rtol=0, atol=1e-4)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(sorted(REWARDS)))
def test_walks_are_read_again_in_one_call(seed: int, with_views: bool, reward: str) -> None:
    world = make_world(seed, reward, with_views)
    examples, network, _ = world
    imitate = torch.from_numpy(np.random.default_rng(seed).random(len(examples)) < 0.5)
    indices = torch.arange(len(examples))
    rollout = walk_all(world, indices, imitate, seed=seed)
    text = examples.encode(network, indices, examples.words.shape[1])
    policy = policy_along(network, examples.links, text, rollout.places, rollout.headings, rollout.options)
    chosen = policy.log_probs.gather(2, rollout.options[:, :, None])[:, :, 0]
    running = rollout.running
    torch.testing.assert_close(chosen[running], rollout.log_probs[running], rtol=0, atol=1e-4)
    assert rollout.rewards[~running].eq(0).all() and rollout.options[~running].eq(STOP).all()
    mask = examples.links.observe(rollout.places, rollout.headings).mask
    assert policy.log_probs.exp()[~mask].eq(0).all()
    torch.testing.assert_close(policy.log_probs.exp().sum(2), torch.ones_like(chosen))
    assert mask.gather(2, rollout.options[:, :, None]).all()
    # Those who imitate walk along their references.
    for k in imitate.nonzero()[:, 0].tolist():
        size = int(examples.sizes[k])
        path = examples.links.place_in_world(rollout.places[k, :size])
        assert path.tolist() == examples.routes[k, :size].tolist() and int(running[k].sum()) == size


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_rewards_add_up_to_the_metrics_of_the_paths(seed: int) -> None:
    world = make_world(seed)
    examples, _, rewards = world
    rollout = walk_all(world, torch.arange(len(examples)), seed=seed)
    end = Progress(rewards.table, rollout.walks)
    for k in range(len(examples)):
        graph = examples.links.places.graphs[int(examples.worlds[k])]
        visited = [*rollout.places[k].tolist(), int(rollout.final[k])]
        path = [int(examples.links.place_in_world(torch.tensor(place))) for place in visited]
        path = [place for i, place in enumerate(path) if i == 0 or place != path[i - 1]]
        route = examples.routes[k, : int(examples.sizes[k])].tolist()
        costs = np.array([[graph.metres.between(a, b) for b in route] for a in path])
        table = np.full((len(path) + 1, len(route) + 1), np.inf)
        table[0, 0] = 0.0
        for i, row in enumerate(costs):
            for j, cost in enumerate(row):
                table[i + 1, j + 1] = cost + min(table[i, j], table[i + 1, j], table[i, j + 1])
        expected = np.exp(-table[-1, -1] / (3.0 * len(route)))
        assert float(end.ndtw[k]) == pytest.approx(expected, abs=1e-6)
        assert float(end.sdtw[k]) == pytest.approx(expected * (costs[-1, -1] <= 3.0), abs=1e-6)


def test_options_are_drawn_by_their_probabilities() -> None:
    torch.manual_seed(0)
    probabilities = torch.tensor([0.6, 0.3, 0.0, 0.1])
    log_probs = probabilities.log().clamp(min=torch.finfo(torch.float32).min)
    counts = draw(log_probs.expand(20_000, 4)).bincount(minlength=4) / 20_000
    torch.testing.assert_close(counts, probabilities, rtol=0, atol=0.02)
    assert counts[2] == 0


def test_checkpoints_come_back(tmp_path: Path) -> None:
    world = make_world(3)
    network = world[1]
    vocabulary = Vocabulary(tuple(f"w{k}" for k in range(network.config.shape.vocabulary_size - 2)))
    saved = PanoramicCheckpoint(network, network.config, vocabulary, 9, {"seed": 3})
    saved.save(tmp_path / "best.pt")
    loaded = PanoramicCheckpoint.load(tmp_path / "best.pt")
    assert loaded.metadata() == saved.metadata() and loaded.config == saved.config
    torch.testing.assert_close(loaded.network.state_dict(), network.state_dict(), rtol=0, atol=0)
    with pytest.raises(InputError, match='expected the name of a setting, got "hiden_dim"'):
        make_config(PanoramicShape(4), {"hiden_dim": 3})
    with pytest.raises(InputError, match="hidden_dim"):
        make_config(PanoramicShape(4), {"hidden_dim": 0})


@pytest.mark.parametrize("with_views", [False, True])
def test_half_precision_is_nearly_the_same(with_views: bool) -> None:
    """Walks along references have nearly the same probabilities, and gradients flow."""
    examples, network, rewards = make_world(3, with_views=with_views)
    everyone, imitate = torch.arange(len(examples)), torch.ones(len(examples), dtype=torch.bool)
    found = []
    for half in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            text = examples.encode(network, everyone, examples.words.shape[1])
        rollout = walk(network, examples, everyone, text, HORIZON, rewards, imitate=imitate, half=half)
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            policy = policy_along(network, examples.links, text, rollout.places, rollout.headings, rollout.options)
        assert text.words.dtype == text.keys.dtype == (torch.bfloat16 if half else torch.float32)
        assert policy.log_probs.dtype == policy.values.dtype == rollout.log_probs.dtype == torch.float32
        chosen = policy.log_probs.gather(2, rollout.options[:, :, None])[:, :, 0]
        torch.testing.assert_close(chosen[rollout.running], rollout.log_probs[rollout.running], rtol=0, atol=0.05)
        network.zero_grad()
        policy.log_probs.exp().square().sum().backward()  # type: ignore[no-untyped-call]
        gradient = network.get_parameter("text_lstm.weight_ih_l0").grad
        assert gradient is not None
        found.append((rollout, gradient.clone()))
    (single, single_gradient), (half_rollout, half_gradient) = found
    assert torch.equal(single.places, half_rollout.places) and torch.equal(single.rewards, half_rollout.rewards)
    torch.testing.assert_close(half_rollout.log_probs, single.log_probs, rtol=0, atol=0.05)
    cosine = torch.cosine_similarity(single_gradient.flatten(), half_gradient.flatten(), dim=0)
    assert float(cosine) > 0.98


def test_walkers_share_texts() -> None:
    """Three walkers of each text walk as with a text of their own."""
    world = make_world(5)
    examples, network, rewards = world
    indices = torch.arange(len(examples)).repeat_interleave(3)
    shared = examples.encode(network, torch.arange(len(examples)), examples.words.shape[1])
    torch.manual_seed(1)
    together = walk(network, examples, indices, shared, HORIZON, rewards, sample=True)
    alone = walk_all(world, indices, seed=1)
    assert torch.equal(together.options, alone.options) and torch.equal(together.rewards, alone.rewards)
    torch.testing.assert_close(together.log_probs, alone.log_probs, rtol=0, atol=1e-5)
    read = policy_along(network, examples.links, shared, together.places, together.headings, together.options)
    assert read.words.shape == (len(indices), HORIZON, examples.words.shape[1])
    chosen = read.log_probs.gather(2, together.options[:, :, None])[:, :, 0]
    running = together.running
    torch.testing.assert_close(chosen[running], together.log_probs[running], rtol=0, atol=1e-5)
