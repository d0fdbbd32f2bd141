"""Walking networks against slow double-precision code, and their sizes against the paper's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.walking.network import (  # noqa: E402
    CELLS,
    MEAN_MAP,
    NO_ACTION,
    NO_VIEW,
    RGB,
    Steps,
    WalkNetwork,
    WalkShape,
)
from bearleft.models.walking.registry import WALK_NETWORKS, walk_spec  # noqa: E402
from bearleft.world.graphs.transitions import STOP  # noqa: E402
from tests.models.walking import slow_networks as slow  # noqa: E402

ROWS, CHANNELS, WORDS = 25, 6, 12
LENGTHS = (5, 2, 7)  # of texts
STEPS = 4
PAPER: dict[str, int] = {"word_dim": 5, "text_dim": 7, "time_dim": 4, "hidden_dim": 6}
SMALL: dict[str, dict[str, Any]] = {
    "rconcat": {**PAPER, "view_dim": 8, "action_dim": 3},
    "ga": {**PAPER, "gate_dim": 9},
    "orar": {"word_dim": 5, "hidden_dim": 8, "action_dim": 3, "junction_dim": 4, "time_dim": 4, "view_dim": 6},
    "compass": {"word_dim": 5, "dim": 8, "layers": 2, "heads": 2, "direction_dim": 4, "grounding_dim": 3},
}
FORMS: list[tuple[str, dict[str, Any]]] = [
    ("rconcat", {}),
    ("rconcat", {"text": False}),
    ("rconcat", {"image": False}),
    ("rconcat", {"rgb": True}),
    ("ga", {}),
    ("ga", {"text": False}),
    ("ga", {"image": False}),
    ("ga", {"rgb": True}),
    ("orar", {}),
    ("orar", {"image": False}),
    ("orar", {"junctions": False}),
    ("compass", {}),
    ("compass", {"image": False}),
    ("compass", {"text": False}),
    ("compass", {"grounding": False}),
]
every_form = pytest.mark.parametrize(("name", "change"), FORMS, ids=lambda value: str(value))


def make_network(name: str, change: dict[str, Any]) -> WalkNetwork:
    """Return a small network in double precision."""
    spec = walk_spec(name)
    config = spec.make_config({"shape": WalkShape(WORDS, ROWS, CHANNELS), **SMALL[name], **change})
    network = spec.build(config, 3).double().eval()
    generator = torch.Generator().manual_seed(7)
    for parameter in network.parameters():
        parameter.data.normal_(0.0, 0.3, generator=generator)
    return network


def make_inputs(network: WalkNetwork, seed: int = 0, numbers: int = 0) -> tuple[Any, Any, Steps]:
    """Return words, lengths and random steps."""
    rng = np.random.default_rng(seed)
    count = len(LENGTHS)
    words = np.zeros((count, max(LENGTHS)), np.int64)
    for k, length in enumerate(LENGTHS):
        words[k, :length] = rng.integers(1, WORDS, length)
    actions = rng.integers(0, 4, (count, STEPS))
    if numbers == 0:
        actions[:, 0] = NO_ACTION
    shapes = {MEAN_MAP: (ROWS, ROWS), RGB: (3, ROWS, ROWS), CELLS: (64, 4, CHANNELS)}
    views = None
    if network.views != NO_VIEW:
        views = torch.from_numpy(rng.normal(0.0, 1.0, (count, STEPS, *shapes[network.views])))
    steps = Steps(
        torch.from_numpy(actions),
        torch.from_numpy(rng.integers(1, 9, (count, STEPS))),
        torch.from_numpy(rng.uniform(-180.0, 180.0, (count, STEPS))),
        torch.arange(numbers, numbers + STEPS),
        views,
        torch.from_numpy(rng.integers(0, 2, (count, STEPS, 64)).astype(float)) if network.uses_links else None,
    )
    return torch.from_numpy(words), torch.tensor(LENGTHS), steps


def part_of(steps: Steps, walks: slice, times: slice) -> Steps:
    return Steps(
        steps.previous_actions[walks, times],
        steps.junctions[walks, times],
        steps.heading_changes[walks, times],
        steps.numbers[times],
        None if steps.views is None else steps.views[walks, times],
        None if steps.links is None else steps.links[walks, times],
    )


def slow_steps(steps: Steps, walk: int) -> list[slow.SlowStep]:
    return [
        slow.SlowStep(
            int(steps.numbers[t]),
            int(steps.previous_actions[walk, t]),
            int(steps.junctions[walk, t]),
            float(steps.heading_changes[walk, t]),
            None if steps.views is None else steps.views[walk, t].numpy(),
            None if steps.links is None else steps.links[walk, t].numpy(),
        )
        for t in range(len(steps.numbers))
    ]


def close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual.detach().numpy(), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("first", [0, 62])
@every_form
def test_networks_equal_slow_code(name: str, change: dict[str, Any], first: int) -> None:
    """Later steps than the 64th share its embedding of time."""
    network = make_network(name, change)
    words, lengths, steps = make_inputs(network, numbers=first)
    with torch.no_grad():
        policy = network(network.encode(words, lengths), steps, attention=True)
    weights = {key: value.numpy() for key, value in network.state_dict().items()}
    weights |= {key: value.numpy() for key, value in network.named_buffers()}
    if "direction_features" in weights:  # in single precision
        np.testing.assert_allclose(weights["direction_features"], slow.compass_directions(), atol=1e-5)
    config: Any = network.config
    for k, length in enumerate(LENGTHS):
        result = getattr(slow, name)(weights, config, words[k, :length].tolist(), slow_steps(steps, k))
        log_probs, over_words, over_sectors = result if isinstance(result, tuple) else (result, None, None)
        close(policy.log_probs[k], np.stack(log_probs))
        if over_words is not None and getattr(config, "text", True):
            close(policy.words[k, :, :length], np.stack(over_words))
        if over_sectors is not None and config.image:
            close(policy.views[k], np.stack(over_sectors))
    close(policy.log_probs.exp().sum(2), 1.0)
    if over_words is None:
        assert policy.words is None and policy.views is None


@every_form
def test_whole_walks_equal_step_by_step(name: str, change: dict[str, Any]) -> None:
    network = make_network(name, change)
    words, lengths, steps = make_inputs(network)
    with torch.no_grad():
        text = network.encode(words, lengths)
        whole = network(text, steps, attention=True)
        state: Any = None
        for t in range(STEPS):
            policy = network(text, part_of(steps, slice(None), slice(t, t + 1)), state, attention=True)
            state = policy.state
            for one, all_steps in ((policy.log_probs, whole.log_probs), (policy.words, whole.words)):
                if one is not None:
                    close(one[:, 0], all_steps[:, t].numpy())
        assert network(text, steps).words is None  # attention is returned if asked for
        half = network(text, part_of(steps, slice(None), slice(0, 2)))
        rest = network(text, part_of(steps, slice(None), slice(2, STEPS)), half.state)
        close(torch.cat([half.log_probs, rest.log_probs], 1), whole.log_probs.numpy())


@every_form
def test_padding_and_other_walks_change_nothing(name: str, change: dict[str, Any]) -> None:
    """Neither words behind a text, nor steps behind a walk, nor the other walks of a batch are read."""
    network = make_network(name, change)
    words, lengths, steps = make_inputs(network)
    padded = torch.cat([words, torch.full((len(words), 5), 3)], 1)
    for k, length in enumerate(LENGTHS):
        padded[k, length:] = 4
    with torch.no_grad():
        whole = network(network.encode(words, lengths), steps, attention=True)
        other = network(network.encode(padded, lengths), steps, attention=True)
        close(other.log_probs, whole.log_probs.numpy())
        for k, length in enumerate(LENGTHS):
            if whole.words is not None:
                close(other.words[k, :, :length], whole.words[k, :, :length].numpy())
                assert float(other.words[k, :, length:].abs().max()) == 0.0
            alone = network.encode(words[k : k + 1, :length], lengths[k : k + 1])
            one = network(alone, part_of(steps, slice(k, k + 1), slice(0, 2)))
            close(one.log_probs[0], whole.log_probs[k, :2].numpy())


def test_words_are_grounded_as_by_slow_code() -> None:
    network: Any = make_network("compass", {})
    words, lengths, steps = make_inputs(network)
    text = network.encode(words, lengths)
    grounding = network(text, steps).grounding
    assert grounding.shape == (3, STEPS, 7, 64 * 4 + 1)
    weights = {key: value.numpy() for key, value in network.state_dict().items()}
    weights["direction_features"] = network.direction_features.numpy()
    assert steps.views is not None
    for k, t, token in ((0, 0, 4), (1, 2, 0), (2, 3, 6)):
        cells = list(steps.views[k, t].reshape(64 * 4, -1).numpy())
        scores, _ = slow.compass_grounding(weights, network.config, text.tokens[k, token].detach().numpy(), cells)
        close(grounding[k, t, token], scores)


@pytest.mark.parametrize("change", [{"image": False}, {"text": False}, {"grounding": False}])
def test_words_are_not_grounded_without_views_or_text_or_if_told_so(change: dict[str, Any]) -> None:
    network = make_network("compass", change)
    words, lengths, steps = make_inputs(network)
    assert not network.grounds_words and network(network.encode(words, lengths), steps).grounding is None


@pytest.mark.parametrize("name", ["orar", "compass"])
def test_attention_sums_to_one(name: str) -> None:
    network = make_network(name, {})
    words, lengths, steps = make_inputs(network)
    policy = network(network.encode(words, lengths), steps, attention=True)
    close(policy.words.sum(2), 1.0)
    close(policy.views.sum(2), 1.0)
    assert policy.words.shape == (3, STEPS, 7) and policy.views.shape == (3, STEPS, 64)


def shapes_of(name: str, **change: Any) -> dict[str, tuple[int, ...]]:
    spec = walk_spec(name)
    network = spec.build(spec.make_config({"shape": WalkShape(100), **change}), 0)
    return {key: tuple(value.shape) for key, value in network.state_dict().items()}


def test_sizes_of_rconcat_are_the_papers() -> None:
    shapes = shapes_of("rconcat")
    assert shapes["embedding.weight"] == (100, 32)
    assert shapes["text_lstm.weight_ih_l0"] == (4 * 256, 32) and "text_lstm.weight_ih_l0_reverse" not in shapes
    assert shapes["view_encoder.conv1.weight"] == (32, 1, 8, 8)
    assert shapes["view_encoder.conv2.weight"] == (64, 32, 4, 4)
    assert shapes["view_encoder.linear.weight"] == (256, 2304)
    assert shapes["action_embedding.weight"] == (5, 16)  # one of them for the first step
    assert shapes["lstm.weight_ih_l0"] == (4 * 256, 256 + 256 + 16)
    assert shapes["time_embedding.weight"][0] >= 55 and shapes["time_embedding.weight"][1] == 32
    assert shapes["output.weight"] == (4, 256 + 32) and shapes["output.bias"] == (4,)
    assert not [key for key in shapes if "l1" in key]
    assert shapes_of("rconcat", text=False)["lstm.weight_ih_l0"][1] == 256 + 16
    assert shapes_of("rconcat", image=False)["lstm.weight_ih_l0"][1] == 256 + 16
    network = walk_spec("rconcat").build(walk_spec("rconcat").make_config({"shape": WalkShape(9, 84), "rgb": True}), 0)
    assert network.state_dict()["view_encoder.conv1.weight"].shape == (32, 3, 8, 8)
    assert network.state_dict()["view_encoder.linear.weight"].shape == (256, 64 * 5 * 5)


def test_sizes_of_ga_are_the_papers() -> None:
    shapes = shapes_of("ga")
    assert shapes["embedding.weight"] == (100, 32) and shapes["text_lstm.weight_hh_l0"] == (4 * 256, 256)
    assert shapes["view_encoder.conv1.weight"] == (128, 1, 8, 8)
    assert shapes["view_encoder.conv2.weight"] == (64, 128, 4, 4)
    assert shapes["view_encoder.linear.weight"] == (64, 64 * 11 * 11)  # 24 cells, then 11 with stride 2
    assert shapes["gate.weight"] == (64, 256) and shapes["linear.weight"] == (256, 64)
    assert shapes["lstm.weight_ih_l0"] == (4 * 256, 256) and shapes["output.weight"] == (4, 256 + 32)
    assert not [key for key in shapes if "action" in key]
    assert not [key for key in shapes_of("ga", text=False) if key.startswith(("embedding", "text", "gate"))]
    assert not [key for key in shapes_of("ga", image=False) if key.startswith("view")]


def test_sizes_of_orar() -> None:
    shapes = shapes_of("orar")
    assert shapes["text_lstm.weight_hh_l0"] == shapes["text_lstm.weight_hh_l0_reverse"] == (4 * 256, 256)
    assert shapes["first.weight_ih_l0"][1] == 256 + 16 + 16 + 1  # view, action, junction, change of heading
    assert shapes_of("orar", image=False)["first.weight_ih_l0"][1] == 33
    assert shapes_of("orar", image=False, junctions=False)["first.weight_ih_l0"][1] == 16


@pytest.mark.parametrize("name", ["rconcat", "ga"])
def test_the_papers_networks_begin_uniformly(name: str) -> None:
    spec = walk_spec(name)
    network = spec.build(spec.make_config({"shape": WalkShape(100)}), 4)
    values = torch.cat([parameter.detach().flatten() for parameter in network.parameters()])
    assert float(values.abs().max()) <= 0.1 and float(values.std()) == pytest.approx(0.1 / 3**0.5, rel=0.02)
    assert spec.learning_rate == 0.00025


@pytest.mark.parametrize("name", WALK_NETWORKS)
def test_weights_depend_on_the_seed(name: str) -> None:
    spec = walk_spec(name)
    config = spec.make_config({"shape": WalkShape(WORDS, ROWS, CHANNELS), **SMALL[name]})
    first, same, other = (spec.build(config, seed).state_dict() for seed in (1, 1, 2))
    torch.testing.assert_close(first, same, rtol=0, atol=0)
    assert any(not torch.equal(first[key], other[key]) for key in first)


def test_too_small_views_are_refused() -> None:
    spec = walk_spec("rconcat")
    spec.build(spec.make_config({"shape": WalkShape(9, 20)}), 0)
    with pytest.raises(InputError, match="views of at least 20 rows"):
        spec.build(spec.make_config({"shape": WalkShape(9, 19)}), 0)


def test_compass_stops_where_it_has_more_probably_reached_the_goal_than_not() -> None:
    network: Any = make_network("compass", {})
    words, lengths, steps = make_inputs(network)
    with torch.no_grad():
        network.remaining[2].bias[0] = 2.0  # it stops soon
        text = network.encode(words, lengths)
        whole = network(text, steps)
        ahead = np.cumprod(1.0 - whole.log_probs[:, :, STOP].exp().numpy(), 1)
        close(whole.reached, 1.0 - ahead)
        stops = torch.from_numpy(ahead <= 0.5)
        close(whole.remaining.exp().sum(2), 1.0)
        close(whole.remaining[:, :, 0], whole.log_probs[:, :, STOP].numpy())
        state: Any = None
        for t in range(STEPS):
            policy = network(text, part_of(steps, slice(None), slice(t, t + 1)), state)
            state = policy.state
            close(policy.reached[:, 0], whole.reached[:, t].numpy())
            moves = whole.log_probs[:, t, :STOP].argmax(1)
            assert torch.equal(policy.choose(), torch.where(stops[:, t], STOP, moves))
            assert torch.equal(whole.choose(t), policy.choose())
            probabilities = policy.probabilities()
            close(probabilities.sum(1), 1.0)
            close(probabilities[:, STOP], 1.0 - ahead[:, t])
            assert torch.equal(probabilities[:, :STOP].argmax(1), moves)
    assert stops.any() and not stops.all()
