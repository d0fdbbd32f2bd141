"""Tests of Bearing: independence of the batch, wrapping of the panorama, and directions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.pointing.bearing import (
    FREQUENCIES,
    PATCH,
    Bearing,
    Config,
    TokenLayer,
    apply_rope,
    position_features,
    rope_tables,
    token_directions,
    wrap_pad,
)
from bearleft.models.pointing.network import Batch, Shape
from bearleft.models.pointing.registry import build_network
from bearleft.models.vocabulary import UNKNOWN
from bearleft.world.slices import PAPER, TALL, Slicing

SHAPE = Shape(vocabulary_size=30, rows=8, columns=24, channels=5)
SMALL_CONFIG: dict[str, Any] = {"width": 16, "layers": 2, "heads": 2, "cell_width": 4, "max_words": 7}
TOLERANCE = 3e-6  # scores and angles are single precision


def small_network(shape: Shape = SHAPE, **overrides: Any) -> Bearing:
    network = build_network("bearing", shape, 3, **{**SMALL_CONFIG, **overrides}).double().eval()
    assert isinstance(network, Bearing)
    return network


def make_batch(shape: Shape = SHAPE, lengths: tuple[int, ...] = (2, 9, 5), max_length: int = 9, seed: int = 5) -> Batch:
    rng = torch.Generator().manual_seed(seed)
    size = (len(lengths), shape.channels, shape.rows, shape.columns)
    features = torch.randn(size, generator=rng, dtype=torch.float64).contiguous(memory_format=torch.channels_last)
    words = torch.randint(2, shape.vocabulary_size, (len(lengths), max(lengths)), generator=rng)
    length_tensor = torch.tensor(lengths)
    words = words * (torch.arange(words.shape[1]) < length_tensor[:, None])
    return Batch(features, torch.nn.functional.pad(words, (0, max_length - words.shape[1])), length_tensor)


def score(model: Bearing, inputs: Batch) -> Tensor:
    with torch.no_grad():
        return model(inputs)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("rows", "columns"), [(8, 24), (7, 24), (8, 21), (5, 18), (25, 27), (3, 5)])
def test_padding_and_batch_do_not_matter(rows: int, columns: int) -> None:
    shape = replace(SHAPE, rows=rows, columns=columns)
    model, inputs = small_network(shape), make_batch(shape)
    expected = score(model, inputs)
    assert expected.shape == (3, rows, columns) and bool(expected.isfinite().all())
    torch.testing.assert_close(score(model, make_batch(shape, max_length=14)), expected, rtol=0, atol=1e-9)
    for k in range(3):
        alone = Batch(inputs.features[k : k + 1], inputs.words[k : k + 1], inputs.lengths[k : k + 1])
        torch.testing.assert_close(score(model, alone), expected[k : k + 1], rtol=0, atol=1e-9)
    garbage = torch.where(inputs.mask, inputs.words, 11)  # words behind a text's end are not read
    torch.testing.assert_close(score(model, replace(inputs, words=garbage)), expected, rtol=0, atol=1e-9)


def test_every_input_matters() -> None:
    model, inputs = small_network(), make_batch()
    expected = score(model, inputs)
    for other in (make_batch(seed=6).words, inputs.words.flip(0).where(inputs.mask, inputs.words)):
        assert float((score(model, replace(inputs, words=other)) - expected).abs().max()) > 1e-3
    swapped = inputs.words.clone()
    swapped[1, [0, 1]] = swapped[1, [1, 0]]  # the same words in another order
    assert float((score(model, replace(inputs, words=swapped)) - expected)[1].abs().max()) > 1e-4
    assert float((score(model, replace(inputs, features=inputs.features.flip(0))) - expected).abs().max()) > 1e-3


def without_positions(model: Bearing, without_mixer: bool) -> Bearing:
    """Make a network depend on relative positions only; `without_mixer`: also without its last convolution."""
    with torch.no_grad():
        model.position.weight.zero_()
        for layer in model.layers:
            assert isinstance(layer, TokenLayer)
            if layer.word_layer is not None:
                layer.word_layer.token_output.weight.zero_()
        if without_mixer:
            model.mixer.weight.zero_()
    return model


@pytest.mark.parametrize("tokens", [1, 4])
def test_scores_wrap_around_the_panorama(tokens: int) -> None:
    """Maps rotated by whole tokens have the same scores, rotated."""
    inputs, shift = make_batch(), tokens * PATCH
    rolled = replace(inputs, features=inputs.features.roll(shift, 3).contiguous(memory_format=torch.channels_last))
    model = without_positions(small_network(), True)
    torch.testing.assert_close(score(model, rolled), score(model, inputs).roll(shift, 2), rtol=0, atol=TOLERANCE)
    # The last convolution does not wrap; away from the ends all is the same.
    model = without_positions(small_network(), False)
    difference = (score(model, rolled) - score(model, inputs).roll(shift, 2)).abs().amax((0, 1))
    ends = {0, shift - 1, shift, SHAPE.columns - 1}
    assert {int(k) for k in (difference > TOLERANCE).nonzero()} == ends
    # The unmodified network knows absolute directions.
    model = small_network()
    assert float((score(model, rolled) - score(model, inputs).roll(shift, 2)).abs().max()) > 1e-3


def test_wrap_pad_wraps_columns_only() -> None:
    features = torch.arange(6.0).view(1, 1, 2, 3)
    assert wrap_pad(features)[0, 0].tolist() == [[0] * 5, [2, 0, 1, 2, 0], [5, 3, 4, 5, 3], [0] * 5]
    assert wrap_pad(features, 2).shape == (1, 1, 6, 7)


def test_rope_depends_on_relative_directions_only() -> None:
    width = 16
    rng = torch.Generator().manual_seed(0)
    query, key = torch.randn(2, 1, width, generator=rng, dtype=torch.float64)

    def product(first: tuple[float, float], second: tuple[float, float]) -> float:
        heading, pitch = (torch.tensor(angles, dtype=torch.float64) for angles in zip(first, second, strict=True))
        cosine, sine = rope_tables(heading, pitch, width)
        return float(apply_rope(query, (cosine[:1], sine[:1])) @ apply_rope(key, (cosine[1:], sine[1:])).T)

    expected = product((0.3, 0.1), (1.1, -0.2))
    for heading in (0.5, -2.0, math.pi):
        for pitch in (0.0, 0.4):
            moved = product((0.3 + heading, 0.1 + pitch), (1.1 + heading, -0.2 + pitch))
            assert moved == pytest.approx(expected, abs=1e-5)
    assert product((0.3 + 2 * math.pi, 0.1), (1.1, -0.2)) == pytest.approx(expected, abs=1e-4)  # a full rotation
    assert product((0.3, 0.1), (1.2, -0.2)) != pytest.approx(expected, abs=1e-3)
    assert product((0.3, 0.1), (1.1, -0.1)) != pytest.approx(expected, abs=1e-3)
    assert product((1.1, 0.1), (0.3, -0.2)) != pytest.approx(expected, abs=1e-3)  # left is not right
    length = apply_rope(query, rope_tables(torch.tensor([0.7]), torch.tensor([0.2]), width)).norm()
    assert float(length) == pytest.approx(float(query.norm()))
    assert torch.equal(apply_rope(query, None), query)


@pytest.mark.parametrize("width", [4, 8, 16, 64, 128])
def test_rope_frequencies_of_headings_are_distinct_integers(width: int) -> None:
    cosine, sine = rope_tables(torch.tensor([1e-3]), torch.tensor([0.0]), width)
    assert cosine.shape == sine.shape == (1, width)
    frequencies = torch.asin(sine[0, width // 2 :].double()) / 1e-3  # the second half has the sine as it is
    of_heading, of_pitch = frequencies.chunk(2)
    assert torch.equal(of_pitch, torch.zeros_like(of_pitch))
    torch.testing.assert_close(of_heading, of_heading.round(), rtol=0, atol=1e-3)
    assert len(set(of_heading.round().tolist())) == width // 4 and float(of_heading.min()) > 0.5


@pytest.mark.parametrize("slicing", [PAPER, TALL], ids=["paper", "tall"])
def test_token_directions_equal_those_of_the_slices(slicing: Slicing) -> None:
    """Centres of tokens of 4 x 4 cells, in radians, equal those of Slicing in degrees."""
    aspect = slicing.height / slicing.width
    rows, columns = slicing.rows // PATCH, slicing.columns // PATCH
    heading, pitch = (angle.view(rows, columns).rad2deg() for angle in token_directions(rows, columns, aspect))
    assert float(heading[0, 0] + heading[0, -1]) == pytest.approx(0.0, abs=1e-3)
    assert bool((heading.diff(dim=1) > 0).all()) and bool((pitch.diff(dim=0) < 0).all())
    for row, column in ((0, 0), (rows // 2, columns // 3), (rows - 1, columns - 1)):
        direction = slicing.to_directions(PATCH * (row + 0.5), PATCH * (column + 0.5))
        assert float(heading[row, column]) == pytest.approx(float(direction[0]), abs=2.0)
        assert float(pitch[row, column]) == pytest.approx(float(direction[1]), abs=4.0)
    features = position_features(*token_directions(rows, columns, aspect))
    assert features.shape == (rows * columns, 4 * len(FREQUENCIES)) and float(features.abs().max()) <= 1.0


def test_unknown_words_and_texts_longer_than_max_words_are_scored() -> None:
    model = small_network()
    inputs = make_batch(lengths=(9, 25, 7), max_length=25)
    expected = score(model, inputs)
    assert bool(expected.isfinite().all())
    unknown = replace(inputs, words=torch.full_like(inputs.words, UNKNOWN) * inputs.mask)
    changed = score(model, unknown)
    assert bool(changed.isfinite().all()) and float((changed - expected).abs().max()) > 1e-3
    # Positions count from the end: words before the last seven share one position, and are still read.
    changed_word = inputs.words.clone()
    changed_word[1, 0] = 3 if int(changed_word[1, 0]) != 3 else 4
    difference = (score(model, replace(inputs, words=changed_word)) - expected).abs().amax((1, 2))
    assert float(difference[1]) > 1e-6 and float(difference[0]) == float(difference[2]) == 0.0


def test_every_parameter_gets_a_gradient() -> None:
    model = small_network(replace(SHAPE, rows=7, columns=22)).train()
    inputs = make_batch(replace(SHAPE, rows=7, columns=22))
    scores = model(inputs)
    rng = torch.Generator().manual_seed(2)
    (scores * torch.randn(scores.shape, generator=rng, dtype=scores.dtype)).sum().backward()
    for label, parameter in model.named_parameters():
        assert parameter.grad is not None and bool(parameter.grad.any()), label
    assert not any(label.startswith("layers.1.word_layer") for label, _ in model.named_parameters())


def test_default_size() -> None:
    """The default network has 5 to 12 million parameters."""
    network = Bearing(Config(Shape(1000)))
    assert network.rows * network.columns == 25 * 116
    assert 5e6 < sum(parameter.numel() for parameter in network.parameters()) < 12e6


@pytest.mark.parametrize("overrides", [{"width": 30}, {"heads": 5}, {"cell_width": 3}, {"layers": 0}, {"dropout": 1.0}])
def test_impossible_sizes_raise(overrides: dict[str, float]) -> None:
    with pytest.raises(InputError) as caught:
        replace(Config(SHAPE), **overrides)  # type: ignore[arg-type]
    assert caught.value.field in ("width", *overrides)
