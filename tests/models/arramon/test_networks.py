"""ArraMon's networks: the paper's equations and parameter counts; whole legs equal single steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.arramon.network import (  # noqa: E402
    ACTION_COUNT,
    ASSEMBLE,
    COLLECT,
    NO_ACTION,
    ArraMonShape,
    Steps,
    relative_poses,
)
from bearleft.models.arramon.registry import ARRAMON_NETWORKS, arramon_spec  # noqa: E402
from tests.models.arramon import slow_baseline  # noqa: E402


def maps_of(steps: Steps) -> Any:
    """Return the maps of steps that have some."""
    assert steps.maps is not None
    return steps.maps


PAPER_SHAPE = ArraMonShape(774, 2048, 7)  # words, channels, rows
SHAPE = ArraMonShape(9, 5, 2)
SMALL: dict[str, dict[str, Any]] = {
    **{name: {"word_dim": 6, "action_dim": 4, "hidden_dim": 8} for name in ("arramon-vl", "arramon-vo", "arramon-lo")},
    "arramon-memory": {"word_dim": 6, "dim": 8, "layers": 2, "heads": 2, "direction_dim": 4, "grounding_dim": 4},
}


def make_network(name: str, seed: int = 0, **settings: Any) -> Any:
    spec = arramon_spec(name)
    return spec.build(spec.make_config({"shape": SHAPE, **SMALL[name], **settings}), seed).eval()


def random_legs(seed: int, count: int, length: int) -> tuple[Any, Any, Steps]:
    """Return words, their numbers, and steps of random legs."""
    rng = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 6, (count,), generator=rng)
    words = torch.randint(1, SHAPE.vocabulary_size, (count, 5), generator=rng)
    words[torch.arange(5) >= lengths[:, None]] = 0
    previous = torch.randint(ACTION_COUNT, (count, length), generator=rng)
    previous[:, 0] = NO_ACTION
    maps = torch.randn(count, length, SHAPE.channels, SHAPE.rows, SHAPE.rows, generator=rng)
    poses = torch.randn(count, length, 4, generator=rng)
    return words, lengths, Steps(previous, poses, torch.arange(length), maps)


@pytest.mark.parametrize(("name", "millions"), [("arramon-vl", 1.83), ("arramon-lo", 1.11), ("arramon-vo", 0.73)])
def test_parameter_counts_are_the_papers(name: str, millions: float) -> None:
    spec = arramon_spec(name)
    network = spec.build(spec.make_config({"shape": PAPER_SHAPE}), 0)
    assert round(network.parameter_count / 1e6, 2) == millions


def test_without_the_state_vision_only_is_smaller_than_printed() -> None:
    spec = arramon_spec("arramon-vo")
    network = spec.build(spec.make_config({"shape": PAPER_SHAPE, "state": False}), 0)
    assert round(network.parameter_count / 1e6, 2) == 0.72


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(["arramon-vl", "arramon-vo", "arramon-lo"]), st.booleans())
def test_baselines_compute_the_papers_equations(seed: int, name: str, state: bool) -> None:
    network = make_network(name, seed, state=state).double()
    words, lengths, steps = random_legs(seed, 3, 4)
    maps = maps_of(steps).double()
    steps = Steps(steps.previous_actions, steps.poses, steps.numbers, maps)
    for phase in (COLLECT, ASSEMBLE):
        with torch.no_grad():
            policy = network(network.encode(words, lengths, phase), steps, phase)
        for k in range(3):
            expected = slow_baseline.log_probs(
                network.module(phase),
                words[k, : lengths[k]].tolist(),
                steps.previous_actions[k].tolist(),
                maps[k].numpy() if network.sees else None,
            )
            np.testing.assert_allclose(policy.log_probs[k].numpy(), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ARRAMON_NETWORKS)
def test_steps_one_by_one_equal_one_call(name: str) -> None:
    network = make_network(name)
    words, lengths, steps = random_legs(3, 4, 5)
    with torch.no_grad():
        text = network.encode(words, lengths, COLLECT)
        whole = network(text, steps, COLLECT, None, True)
        state = None
        for t in range(5):
            one = Steps(
                steps.previous_actions[:, t : t + 1],
                steps.poses[:, t : t + 1],
                steps.numbers[t : t + 1],
                maps_of(steps)[:, t : t + 1],
            )
            policy = network(text, one, COLLECT, state, True)
            state = policy.state
            torch.testing.assert_close(policy.log_probs[:, 0], whole.log_probs[:, t], rtol=0, atol=1e-5)
            for part in ("words", "views"):
                if getattr(whole, part) is not None:
                    torch.testing.assert_close(
                        getattr(policy, part)[:, 0], getattr(whole, part)[:, t], rtol=0, atol=1e-5
                    )


@pytest.mark.parametrize("name", ARRAMON_NETWORKS)
def test_padding_of_texts_changes_nothing_and_attention_sums_to_one(name: str) -> None:
    network = make_network(name)
    words, lengths, steps = random_legs(4, 4, 3)
    padded = torch.cat([words, torch.zeros(4, 3, dtype=torch.int64)], 1)
    with torch.no_grad():
        first = network(network.encode(words, lengths, ASSEMBLE), steps, ASSEMBLE, None, True)
        second = network(network.encode(padded, lengths, ASSEMBLE), steps, ASSEMBLE, None, True)
    torch.testing.assert_close(first.log_probs, second.log_probs, rtol=0, atol=1e-5)
    torch.testing.assert_close(first.log_probs.exp().sum(2), torch.ones(4, 3))
    if first.words is not None:
        assert not second.words[:, :, 5:].any()
        torch.testing.assert_close(first.words.sum(2), torch.ones(4, 3))
    if first.views is not None:
        assert first.views.shape == (4, 3, SHAPE.rows, SHAPE.rows)
        torch.testing.assert_close(first.views.sum((2, 3)), torch.ones(4, 3))


def test_ablated_networks_ignore_what_they_do_not_have() -> None:
    words, lengths, steps = random_legs(5, 2, 3)
    other_words, other_maps = 1 + words % (SHAPE.vocabulary_size - 1), maps_of(steps) + 1
    changed = Steps(steps.previous_actions, steps.poses, steps.numbers, other_maps)
    with torch.no_grad():
        for name, text_matters, view_matters in (
            ("arramon-vl", True, True),
            ("arramon-vo", False, True),
            ("arramon-lo", True, False),
        ):
            network = make_network(name)
            plain = network(network.encode(words, lengths, COLLECT), steps, COLLECT).log_probs
            text = network(network.encode(other_words, lengths, COLLECT), steps, COLLECT).log_probs
            view = network(network.encode(words, lengths, COLLECT), changed, COLLECT).log_probs
            assert (not torch.equal(plain, text)) == text_matters
            assert (not torch.equal(plain, view)) == view_matters


def test_one_module_can_serve_both_phases() -> None:
    network = make_network("arramon-memory", shared=True)
    assert network.navigation is network.assembly
    assert network.parameter_count * 2 == make_network("arramon-memory").parameter_count
    words, lengths, steps = random_legs(6, 2, 3)
    with torch.no_grad():
        both = [network(network.encode(words, lengths, p), steps, p).log_probs for p in (COLLECT, ASSEMBLE)]
    assert not torch.allclose(*both)


def test_the_memory_reads_earlier_steps_and_where_they_were() -> None:
    network = make_network("arramon-memory")
    words, lengths, steps = random_legs(7, 2, 4)
    moved = steps.poses.clone()
    moved[:, 1, 0] += 5.0
    with torch.no_grad():
        text = network.encode(words, lengths, COLLECT)
        before = network(text, steps, COLLECT).log_probs
        after = network(text, Steps(steps.previous_actions, moved, steps.numbers, steps.maps), COLLECT).log_probs
    assert torch.equal(before[:, 0], after[:, 0])  # nothing reads the future
    assert not torch.allclose(before[:, 3], after[:, 3])


@pytest.mark.parametrize("grounding", [False, True])
def test_the_memory_computes_in_bfloat16_what_it_does_in_single_precision(grounding: bool) -> None:
    network = make_network("arramon-memory", grounding=grounding)
    words, lengths, steps = random_legs(8, 3, 4)
    plain = network(network.encode(words, lengths, COLLECT), steps, COLLECT).log_probs
    with torch.autocast("cpu", torch.bfloat16):
        half = network(network.encode(words, lengths, COLLECT), steps, COLLECT).log_probs
    torch.testing.assert_close(half, plain, rtol=0, atol=0.05)
    half.sum().backward()
    gradients = [parameter.grad for parameter in network.navigation.parameters() if parameter.grad is not None]
    assert gradients and all(bool(torch.isfinite(gradient).all()) for gradient in gradients)


def test_poses_are_relative_to_the_beginning_of_the_leg() -> None:
    start, heading = torch.tensor([[10.0, 20.0]]), torch.tensor([90.0])  # looking east
    positions = torch.tensor([[[10.0, 20.0], [13.0, 20.0], [13.0, 18.0]]])
    poses = relative_poses(positions, torch.tensor([[90.0, 90.0, 180.0]]), start, heading)
    expected = torch.tensor([[[0.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, 1.0], [2.0, 3.0, 1.0, 0.0]]])
    torch.testing.assert_close(poses, expected, rtol=0, atol=1e-5)


def test_unknown_networks_and_settings_are_named() -> None:
    with pytest.raises(InputError, match="arramon-vl"):
        arramon_spec("arramon-vv")
    with pytest.raises(InputError, match="hidden_dim"):
        arramon_spec("arramon-vl").make_config({"shape": SHAPE, "hiden_dim": 3})
