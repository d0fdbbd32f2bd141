"""Every pointing network equals its slow reference, and every entry of NETWORKS keeps the contract."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch.utils.flop_counter import FlopCounterMode

from bearleft.errors import InputError
from bearleft.models.pointing.flops import multiply_adds
from bearleft.models.pointing.layers import flatten_map, init_uniform
from bearleft.models.pointing.lingunet import LingUNet, apply_kernels
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.registry import NETWORKS, build_network, network_spec
from bearleft.models.pointing.spec import config_to_json, network_from_json
from bearleft.models.pointing.text_encoder import TextEncoder
from bearleft.models.pointing.unet import encode
from tests.models import slow_reference as slow

SHAPE = Shape(vocabulary_size=20, rows=6, columns=10, channels=8)
SMALL_CONFIG = {"width": 6, "hidden": 7, "embedding_dim": 5, "lstm_dim": 6}
SMALL_BEARING = {"width": 16, "layers": 2, "heads": 2, "cell_width": 4, "max_words": 12}
PUBLISHED = ["unet", "concat", "concatconv", "text2conv", "lingunet"]
VARIANTS: list[tuple[str, bool, dict[str, Any]]] = [
    (name, released, {}) for name in PUBLISHED for released in (False, True)
] + [
    ("unet", False, {"m": 1}),
    ("lingunet", False, {"m": 1}),
    ("lingunet", False, {"m": 5}),  # 12 numbers in slices of 3, 3, 2, 2, 2
]


def small_sizes(name: str) -> dict[str, int]:
    """Return small sizes for a network of this name."""
    known = {field.name for field in fields(network_spec(name).config)}  # type: ignore[arg-type]
    config = SMALL_BEARING if name == "bearing" else SMALL_CONFIG
    return {key: value for key, value in config.items() if key in known}


def small_network(name: str, shape: Shape = SHAPE, seed: int = 3, **overrides: Any) -> PointNetwork:
    """Return a network of a few channels."""
    return build_network(name, shape, seed, **small_sizes(name), **overrides)


def make_batch(shape: Shape = SHAPE, max_length: int = 6, count: int = 3, dtype: torch.dtype = torch.float64) -> Batch:
    """Return random features and texts of 2, 6 and 3 words."""
    generator = torch.Generator().manual_seed(5)
    cells = torch.randn(3, shape.channels, shape.rows, shape.columns, generator=generator, dtype=torch.float64)
    words = torch.randint(1, shape.vocabulary_size, (3, 6), generator=generator)
    lengths = torch.tensor([2, 6, 3])
    words = torch.nn.functional.pad(words * (torch.arange(6) < lengths[:, None]), (0, max_length - 6))
    cells = cells.to(dtype).contiguous(memory_format=torch.channels_last)
    return Batch(cells[:count], words[:count], lengths[:count])


@pytest.mark.parametrize(("name", "released", "overrides"), VARIANTS)
def test_scores_and_gradients_equal_slow_reference(name: str, released: bool, overrides: dict[str, Any]) -> None:
    model = small_network(name, released=released, **overrides).double().eval()
    inputs = make_batch()
    scores, expected = model(inputs), slow.scores(model, inputs)
    assert torch.allclose(scores, expected, rtol=1e-10, atol=1e-12)
    weight = torch.randn(scores.shape, dtype=scores.dtype, generator=torch.Generator().manual_seed(1))
    parameters = list(model.parameters())
    gradients = torch.autograd.grad((scores * weight).sum(), parameters, allow_unused=True)
    expected_gradients = torch.autograd.grad((expected * weight).sum(), parameters, allow_unused=True)
    for gradient, expected_gradient in zip(gradients, expected_gradients, strict=True):
        assert (gradient is None) == (expected_gradient is None)
        if gradient is not None:
            assert torch.allclose(
                gradient, expected_gradient, rtol=1e-9, atol=1e-10 * float(expected_gradient.abs().max()) + 1e-12
            )


@pytest.mark.parametrize("name", ["unet", "lingunet"])
def test_split_deconvolution_equals_concatenation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_network(name, m=3).double().eval()
    expected = model(make_batch())
    monkeypatch.setattr(model, "concatenates", not model.concatenates)
    assert torch.allclose(model(make_batch()), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [(1, 7), (2, 3), (4, 5)])
def test_maps_smaller_than_a_kernel_equal_slow_reference(rows: int, columns: int) -> None:
    shape = Shape(20, rows, columns, 3)
    for name in ("concatconv", "text2conv"):
        model = small_network(name, shape).double().eval()
        assert torch.allclose(model(make_batch(shape)), slow.scores(model, make_batch(shape)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", NETWORKS)
def test_padding_and_batch_do_not_matter(name: str) -> None:
    model = small_network(name).double().eval()
    expected = model(make_batch())
    assert torch.allclose(model(make_batch(max_length=11)), expected, atol=1e-9)
    assert torch.allclose(model(make_batch(count=1)), expected[:1], atol=1e-9)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_keep_the_contract(name: str) -> None:
    """Scores of every cell in single precision, and gradients of all parameters."""
    model = small_network(name)
    model.train()
    if name != "bearing":
        assert model(make_batch(dtype=torch.float16)).dtype == torch.float32
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(make_batch(dtype=torch.bfloat16))
    assert scores.shape == (3, SHAPE.rows, SHAPE.columns) and scores.dtype == torch.float32
    assert bool(scores.isfinite().all())
    (scores * torch.randn(scores.shape, generator=torch.Generator().manual_seed(2))).sum().backward()
    for label, parameter in model.named_parameters():
        assert parameter.grad is not None and bool(parameter.grad.any()), label


@pytest.mark.parametrize("name", PUBLISHED)
def test_half_precision_is_close(name: str) -> None:
    model = small_network(name).eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        half = model(make_batch(dtype=torch.bfloat16))
    with torch.no_grad():
        full = model(make_batch(dtype=torch.bfloat16))
    assert not torch.equal(half, full)
    assert float((half - full).abs().max()) < 0.1 * float((full - full.mean()).abs().max())


def test_maps_are_not_copied() -> None:
    model = small_network("lingunet")
    assert isinstance(model, LingUNet)
    maps = encode(make_batch(dtype=torch.float32).features, model.convs)
    for feature_map in maps:
        assert flatten_map(feature_map).data_ptr() == feature_map.data_ptr()
        filtered = apply_kernels(feature_map, torch.ones(3, 36))
        assert filtered.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("name", NETWORKS)
def test_config_survives_json(name: str) -> None:
    model = small_network(name) if name == "bearing" else small_network(name, released=True)
    again, config = network_from_json(NETWORKS[name], json.loads(json.dumps(config_to_json(model.config))))
    assert config == model.config
    again.load_state_dict(model.state_dict())
    assert torch.equal(again.eval()(make_batch(dtype=torch.float32)), model.eval()(make_batch(dtype=torch.float32)))


@pytest.mark.parametrize("name", NETWORKS)
def test_seed_determines_the_weights(name: str) -> None:
    rng_state = torch.get_rng_state()
    first, same, other = (small_network(name, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(rng_state, torch.get_rng_state())
    weights = [
        torch.cat([value.detach().flatten() for value in network.parameters()]) for network in (first, same, other)
    ]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
    if network_spec(name).uniform_init:
        assert float(weights[0].abs().max()) <= 0.1 and abs(float(weights[0].std()) - 0.2 / 12**0.5) < 1e-3


def test_sizes_equal_those_of_the_paper() -> None:
    """Parameters of layers on maps as in appendix D."""
    with torch.device("meta"):
        networks = {name: network_spec(name).network(network_spec(name).config(Shape(100))) for name in PUBLISHED}
    shapes = {
        name: {key: tuple(value.shape) for key, value in network.named_parameters()}
        for name, network in networks.items()
    }
    assert shapes["lingunet"]["kernels.0.weight"] == shapes["lingunet"]["kernels.1.weight"] == (16384, 300)
    assert shapes["lingunet"]["convs.1.weight"] == (128, 128, 5, 5)
    assert shapes["lingunet"]["deconvs.0.weight"] == (256, 128, 5, 5)
    assert shapes["text2conv"]["kernel.weight"] == (409600, 600)
    assert shapes["concatconv"]["conv.weight"] == (728, 728, 5, 5)
    assert shapes["concat"]["perceptron.first.weight"] == (128, 728)
    assert "kernels.0.bias" not in shapes["lingunet"] and "kernel.bias" not in shapes["text2conv"]


@pytest.mark.parametrize(("name", "released", "overrides"), VARIANTS)
def test_multiply_adds_equal_torchs_count(name: str, released: bool, overrides: dict[str, Any]) -> None:
    model = small_network(name, released=released, **overrides)
    if isinstance(encoder := getattr(model, "text", None), TextEncoder):
        model.text = FixedText(encoder.output_dim)
    inputs = make_batch(dtype=torch.float32)
    with FlopCounterMode(display=False) as forward:
        scores = model(inputs)
    with FlopCounterMode(display=False) as backward:
        scores.sum().backward()
    total = multiply_adds(name, SHAPE, released=released, **overrides, **small_sizes(name))
    counted = forward.get_total_flops() + backward.get_total_flops()
    assert counted == 3 * total.flops + 2 * total.update
    full = multiply_adds("lingunet", Shape(100))
    assert 520e9 < full.flops < 560e9


class FixedText(torch.nn.Module):
    """A text vector that is a parameter: torch does not count an LSTM."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.output_dim = size
        self.vector = torch.nn.Parameter(torch.ones(3, size))

    def forward(self, _: Batch) -> torch.Tensor:
        return self.vector


def test_init_uniform_covers_every_parameter() -> None:
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(50), torch.nn.Linear(50, 3))
    init_uniform(model, 0)
    for parameter in model.parameters():
        value = parameter.detach()
        assert float(value.abs().max()) <= 0.1 and float(value.std()) > 0.03


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: build_network("lingnet", SHAPE), "Did you mean lingunet"),
        (lambda: build_network("lingunet", SHAPE, widht=3), "Did you mean width"),
        (lambda: build_network("lingunet", SHAPE, m=0), "field m"),
        (lambda: build_network("unet", SHAPE, m=0), "field m"),
        (lambda: network_from_json(NETWORKS["unet"], {"m": 2}), "with its shape"),
        (lambda: network_from_json(NETWORKS["unet"], {"shape": {"rows": 3}}), "a value for vocabulary_size"),
        (lambda: multiply_adds("bearings", SHAPE), "with known operations"),
    ],
)
def test_mistakes_raise(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
