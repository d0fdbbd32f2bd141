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
from bearleft.models.pointing.registry import NETWORKS, build_network, config_to_json, network_from_json, network_spec
from bearleft.models.pointing.text_encoder import TextEncoder
from bearleft.models.pointing.unet import encode
from tests.models import slow_reference as slow

SHAPE = Shape(vocabulary_size=20, rows=6, columns=10, channels=8)
SMALL = {"width": 6, "hidden": 7, "embedding_dim": 5, "lstm_dim": 6}
BEARING = {"width": 16, "layers": 2, "heads": 2, "cell_width": 4, "max_words": 12}
PUBLISHED = ["unet", "concat", "concatconv", "text2conv", "lingunet"]
FORMS: list[tuple[str, bool, dict[str, Any]]] = [
    (name, released, {}) for name in PUBLISHED for released in (False, True)
] + [
    ("unet", False, {"m": 1}),
    ("lingunet", False, {"m": 1}),
    ("lingunet", False, {"m": 5}),  # 12 numbers in slices of 3, 3, 2, 2, 2
]


def sizes(name: str) -> dict[str, int]:
    """Return small sizes for a network of this name."""
    known = {field.name for field in fields(network_spec(name).config)}  # type: ignore[arg-type]
    expected = BEARING if name == "bearing" else SMALL
    return {key: value for key, value in expected.items() if key in known}


def small(name: str, shape: Shape = SHAPE, seed: int = 3, **overrides: Any) -> PointNetwork:
    """A network of a few channels."""
    return build_network(name, shape, seed, **sizes(name), **overrides)


def batch(shape: Shape = SHAPE, longest: int = 6, count: int = 3, kind: torch.dtype = torch.float64) -> Batch:
    """Noise for pictures, texts of 2, 6 and 3 words."""
    generator = torch.Generator().manual_seed(5)
    cells = torch.randn(3, shape.channels, shape.rows, shape.columns, generator=generator, dtype=torch.float64)
    words = torch.randint(1, shape.vocabulary_size, (3, 6), generator=generator)
    lengths = torch.tensor([2, 6, 3])
    words = torch.nn.functional.pad(words * (torch.arange(6) < lengths[:, None]), (0, longest - 6))
    cells = cells.to(kind).contiguous(memory_format=torch.channels_last)
    return Batch(cells[:count], words[:count], lengths[:count])


@pytest.mark.parametrize(("name", "released", "overrides"), FORMS)
def test_scores_and_gradients_equal_slow_reference(name: str, released: bool, overrides: dict[str, Any]) -> None:
    model = small(name, released=released, **overrides).double().eval()
    inputs = batch()
    found, expected = model(inputs), slow.scores(model, inputs)
    assert torch.allclose(found, expected, rtol=1e-10, atol=1e-12)
    weight = torch.randn(found.shape, dtype=found.dtype, generator=torch.Generator().manual_seed(1))
    parameters = list(model.parameters())
    quick = torch.autograd.grad((found * weight).sum(), parameters, allow_unused=True)
    plain = torch.autograd.grad((expected * weight).sum(), parameters, allow_unused=True)
    for one, other in zip(quick, plain, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert torch.allclose(one, other, rtol=1e-9, atol=1e-10 * float(other.abs().max()) + 1e-12)


@pytest.mark.parametrize("name", ["unet", "lingunet"])
def test_split_deconvolution_equals_concatenation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = small(name, m=3).double().eval()
    expected = model(batch())
    monkeypatch.setattr(model, "concatenates", not model.concatenates)
    assert torch.allclose(model(batch()), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [(1, 7), (2, 3), (4, 5)])
def test_borders_of_maps_smaller_than_a_kernel(rows: int, columns: int) -> None:
    shape = Shape(20, rows, columns, 3)
    for name in ("concatconv", "text2conv"):
        model = small(name, shape).double().eval()
        assert torch.allclose(model(batch(shape)), slow.scores(model, batch(shape)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", NETWORKS)
def test_padding_and_batch_do_not_matter(name: str) -> None:
    model = small(name).double().eval()
    expected = model(batch())
    assert torch.allclose(model(batch(longest=11)), expected, atol=1e-9)
    assert torch.allclose(model(batch(count=1)), expected[:1], atol=1e-9)


@pytest.mark.parametrize("name", NETWORKS)
def test_contract(name: str) -> None:
    """Scores of every cell in single precision, and gradients of all parameters."""
    model = small(name)
    model.train()
    if name != "bearing":
        assert model(batch(kind=torch.float16)).dtype == torch.float32
    with torch.autocast("cpu", torch.bfloat16):
        found = model(batch(kind=torch.bfloat16))
    assert found.shape == (3, SHAPE.rows, SHAPE.columns) and found.dtype == torch.float32
    assert bool(found.isfinite().all())
    (found * torch.randn(found.shape, generator=torch.Generator().manual_seed(2))).sum().backward()
    for label, parameter in model.named_parameters():
        assert parameter.grad is not None and bool(parameter.grad.any()), label


@pytest.mark.parametrize("name", PUBLISHED)
def test_half_precision_is_close(name: str) -> None:
    model = small(name).eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        half = model(batch(kind=torch.bfloat16))
    with torch.no_grad():
        full = model(batch(kind=torch.bfloat16))
    assert not torch.equal(half, full)
    assert float((half - full).abs().max()) < 0.1 * float((full - full.mean()).abs().max())


def test_maps_are_not_copied() -> None:
    model = small("lingunet")
    assert isinstance(model, LingUNet)
    maps = encode(batch(kind=torch.float32).features, model.convs)
    for each in maps:
        assert flatten_map(each).data_ptr() == each.data_ptr()
        filtered = apply_kernels(each, torch.ones(3, 36))
        assert filtered.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("name", NETWORKS)
def test_config_survives_json(name: str) -> None:
    model = small(name) if name == "bearing" else small(name, released=True)
    again, config = network_from_json(name, json.loads(json.dumps(config_to_json(model.config))))
    assert config == model.config
    again.load_state_dict(model.state_dict())
    assert torch.equal(again.eval()(batch(kind=torch.float32)), model.eval()(batch(kind=torch.float32)))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_seed_determines_the_weights(name: str) -> None:
    before = torch.get_rng_state()
    one, same, other = (small(name, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    weights = [torch.cat([value.detach().flatten() for value in each.parameters()]) for each in (one, same, other)]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
    if network_spec(name).uniform_init:
        assert float(weights[0].abs().max()) <= 0.1 and abs(float(weights[0].std()) - 0.2 / 12**0.5) < 1e-3


def test_sizes_are_the_papers() -> None:
    """Parameters of layers on maps as in appendix D."""
    with torch.device("meta"):
        made = {name: network_spec(name).network(network_spec(name).config(Shape(100))) for name in PUBLISHED}
    found = {name: {key: tuple(value.shape) for key, value in each.named_parameters()} for name, each in made.items()}
    assert found["lingunet"]["kernels.0.weight"] == found["lingunet"]["kernels.1.weight"] == (16384, 300)
    assert found["lingunet"]["convs.1.weight"] == (128, 128, 5, 5)
    assert found["lingunet"]["deconvs.0.weight"] == (256, 128, 5, 5)
    assert found["text2conv"]["kernel.weight"] == (409600, 600)
    assert found["concatconv"]["conv.weight"] == (728, 728, 5, 5)
    assert found["concat"]["perceptron.first.weight"] == (128, 728)
    assert "kernels.0.bias" not in found["lingunet"] and "kernel.bias" not in found["text2conv"]


@pytest.mark.parametrize(("name", "released", "overrides"), FORMS)
def test_multiply_adds_equal_torchs_count(name: str, released: bool, overrides: dict[str, Any]) -> None:
    model = small(name, released=released, **overrides)
    if isinstance(given := getattr(model, "text", None), TextEncoder):
        model.text = FixedText(given.output_dim)
    inputs = batch(kind=torch.float32)
    with FlopCounterMode(display=False) as ahead:
        scores = model(inputs)
    with FlopCounterMode(display=False) as back:
        scores.sum().backward()
    total = multiply_adds(name, SHAPE, released=released, **overrides, **sizes(name))
    counted = ahead.get_total_flops() + back.get_total_flops()
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
        (lambda: network_from_json("unet", {"m": 2}), "with its shape"),
        (lambda: network_from_json("unet", {"shape": {"rows": 3}}), "a value for vocabulary_size"),
        (lambda: multiply_adds("bearings", SHAPE), "with known operations"),
    ],
)
def test_mistakes_raise(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
