"""Our own network: whose company does not matter, what meets at the picture's ends, and what a direction is."""

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
    PATCH,
    TURNS,
    Bearing,
    Config,
    Layer,
    around,
    directions,
    known,
    turned,
    turns,
)
from bearleft.models.pointing.network import Batch, Shape
from bearleft.models.pointing.registry import network
from bearleft.models.vocabulary import UNKNOWN
from bearleft.world.slices import PAPER, TALL, Slicing

SHAPE = Shape(words=30, rows=8, columns=24, channels=5)
SMALL: dict[str, Any] = {"width": 16, "layers": 2, "heads": 2, "fine": 4, "longest": 7}
CLOSE = 3e-6  # scores and angles are single precision


def small(shape: Shape = SHAPE, **changes: Any) -> Bearing:
    made = network("bearing", shape, 3, **{**SMALL, **changes}).double().eval()
    assert isinstance(made, Bearing)
    return made


def batch(shape: Shape = SHAPE, lengths: tuple[int, ...] = (2, 9, 5), longest: int = 9, seed: int = 5) -> Batch:
    draws = torch.Generator().manual_seed(seed)
    size = (len(lengths), shape.channels, shape.rows, shape.columns)
    cells = torch.randn(size, generator=draws, dtype=torch.float64).contiguous(memory_format=torch.channels_last)
    words = torch.randint(2, shape.words, (len(lengths), max(lengths)), generator=draws)
    many = torch.tensor(lengths)
    words = words * (torch.arange(words.shape[1]) < many[:, None])
    return Batch(cells, torch.nn.functional.pad(words, (0, longest - words.shape[1])), many)


def told(model: Bearing, asked: Batch) -> Tensor:
    with torch.no_grad():
        return model(asked)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("rows", "columns"), [(8, 24), (7, 24), (8, 21), (5, 18), (25, 27), (3, 5)])
def test_padding_and_company_do_not_matter(rows: int, columns: int) -> None:
    shape = replace(SHAPE, rows=rows, columns=columns)
    model, asked = small(shape), batch(shape)
    expected = told(model, asked)
    assert expected.shape == (3, rows, columns) and bool(expected.isfinite().all())
    torch.testing.assert_close(told(model, batch(shape, longest=14)), expected, rtol=0, atol=1e-9)
    for k in range(3):
        alone = Batch(asked.cells[k : k + 1], asked.words[k : k + 1], asked.lengths[k : k + 1])
        torch.testing.assert_close(told(model, alone), expected[k : k + 1], rtol=0, atol=1e-9)
    garbage = torch.where(asked.mask, asked.words, 11)  # what stands behind a text's end is not read
    torch.testing.assert_close(told(model, replace(asked, words=garbage)), expected, rtol=0, atol=1e-9)


def test_every_part_of_the_question_matters() -> None:
    model, asked = small(), batch()
    expected = told(model, asked)
    for other in (batch(seed=6).words, asked.words.flip(0).where(asked.mask, asked.words)):
        assert float((told(model, replace(asked, words=other)) - expected).abs().max()) > 1e-3
    first = asked.words.clone()
    first[1, [0, 1]] = first[1, [1, 0]]  # the same words in another order
    assert float((told(model, replace(asked, words=first)) - expected)[1].abs().max()) > 1e-4
    assert float((told(model, replace(asked, cells=asked.cells.flip(0))) - expected).abs().max()) > 1e-3


def unplaced(model: Bearing, ends: bool) -> Bearing:
    """One whose cells know only how they lie from each other; `ends`: whose last convolution meets no ends."""
    with torch.no_grad():
        model.place.weight.zero_()
        for layer in model.layers:
            assert isinstance(layer, Layer)
            if layer.after is not None:  # words know where cells lie for who looks
                layer.after.heard.weight.zero_()
        if ends:
            model.mixed.weight.zero_()
    return model


@pytest.mark.parametrize("tokens", [1, 4])
def test_the_pictures_ends_meet(tokens: int) -> None:
    """Who turns by whole tokens sees the same, turned."""
    asked, by = batch(), tokens * PATCH
    rolled = replace(asked, cells=asked.cells.roll(by, 3).contiguous(memory_format=torch.channels_last))
    model = unplaced(small(), True)
    torch.testing.assert_close(told(model, rolled), told(model, asked).roll(by, 2), rtol=0, atol=CLOSE)
    # The last convolution sees nothing beyond the ends; away from them all is the same.
    model = unplaced(small(), False)
    apart = (told(model, rolled) - told(model, asked).roll(by, 2)).abs().amax((0, 1))
    ends = {0, by - 1, by, SHAPE.columns - 1}
    assert {int(k) for k in (apart > CLOSE).nonzero()} == ends
    # A network as it is knows which way cells lie.
    model = small()
    assert float((told(model, rolled) - told(model, asked).roll(by, 2)).abs().max()) > 1e-3


def test_around_joins_left_and_right_only() -> None:
    cells = torch.arange(6.0).view(1, 1, 2, 3)
    assert around(cells)[0, 0].tolist() == [[0] * 5, [2, 0, 1, 2, 0], [5, 3, 4, 5, 3], [0] * 5]
    assert around(cells, 2).shape == (1, 1, 6, 7)


def test_a_turned_query_and_key_know_how_far_apart_they_are_and_nothing_else() -> None:
    width = 16
    draws = torch.Generator().manual_seed(0)
    query, key = torch.randn(2, 1, width, generator=draws, dtype=torch.float64)

    def product(one: tuple[float, float], other: tuple[float, float]) -> float:
        heading, pitch = (torch.tensor(each, dtype=torch.float64) for each in zip(one, other, strict=True))
        cosine, sine = turns(heading, pitch, width)
        return float(turned(query, (cosine[:1], sine[:1])) @ turned(key, (cosine[1:], sine[1:])).T)

    expected = product((0.3, 0.1), (1.1, -0.2))
    for heading in (0.5, -2.0, math.pi):
        for pitch in (0.0, 0.4):
            moved = product((0.3 + heading, 0.1 + pitch), (1.1 + heading, -0.2 + pitch))
            assert moved == pytest.approx(expected, abs=1e-5)
    assert product((0.3 + 2 * math.pi, 0.1), (1.1, -0.2)) == pytest.approx(expected, abs=1e-4)  # a whole turn
    assert product((0.3, 0.1), (1.2, -0.2)) != pytest.approx(expected, abs=1e-3)
    assert product((0.3, 0.1), (1.1, -0.1)) != pytest.approx(expected, abs=1e-3)
    assert product((1.1, 0.1), (0.3, -0.2)) != pytest.approx(expected, abs=1e-3)  # left is not right
    length = turned(query, turns(torch.tensor([0.7]), torch.tensor([0.2]), width)).norm()
    assert float(length) == pytest.approx(float(query.norm()))
    assert torch.equal(turned(query, None), query)


@pytest.mark.parametrize("width", [4, 8, 16, 64, 128])
def test_headings_are_turned_by_whole_numbers_each_another(width: int) -> None:
    cosine, sine = turns(torch.tensor([1e-3]), torch.tensor([0.0]), width)
    assert cosine.shape == sine.shape == (1, width)
    frequencies = torch.asin(sine[0, width // 2 :].double()) / 1e-3  # the second half has the sine as it is
    of_heading, of_pitch = frequencies.chunk(2)
    assert torch.equal(of_pitch, torch.zeros_like(of_pitch))
    torch.testing.assert_close(of_heading, of_heading.round(), rtol=0, atol=1e-3)
    assert len(set(of_heading.round().tolist())) == width // 4 and float(of_heading.min()) > 0.5


@pytest.mark.parametrize("slicing", [PAPER, TALL], ids=["paper", "tall"])
def test_directions_are_those_of_the_slices(slicing: Slicing) -> None:
    """Tokens of 4 x 4 cells: their middles, in radians, as Slicing has them in degrees."""
    aspect = slicing.height / slicing.width
    rows, columns = slicing.rows // PATCH, slicing.columns // PATCH
    heading, pitch = (one.view(rows, columns).rad2deg() for one in directions(rows, columns, aspect))
    assert float(heading[0, 0] + heading[0, -1]) == pytest.approx(0.0, abs=1e-3)
    assert bool((heading.diff(dim=1) > 0).all()) and bool((pitch.diff(dim=0) < 0).all())
    for row, column in ((0, 0), (rows // 2, columns // 3), (rows - 1, columns - 1)):
        at = slicing.directions(PATCH * (row + 0.5), PATCH * (column + 0.5))
        assert float(heading[row, column]) == pytest.approx(float(at[0]), abs=2.0)
        assert float(pitch[row, column]) == pytest.approx(float(at[1]), abs=4.0)
    facts = known(*directions(rows, columns, aspect))
    assert facts.shape == (rows * columns, 4 * len(TURNS)) and float(facts.abs().max()) <= 1.0


def test_unknown_words_and_texts_beyond_the_longest() -> None:
    model = small()
    asked = batch(lengths=(9, 25, 7), longest=25)
    expected = told(model, asked)
    assert bool(expected.isfinite().all())
    nothing = replace(asked, words=torch.full_like(asked.words, UNKNOWN) * asked.mask)
    found = told(model, nothing)
    assert bool(found.isfinite().all()) and float((found - expected).abs().max()) > 1e-3
    # Words are counted from the end: those before the last seven have one place together, and are still read.
    far = asked.words.clone()
    far[1, 0] = 3 if int(far[1, 0]) != 3 else 4
    moved = (told(model, replace(asked, words=far)) - expected).abs().amax((1, 2))
    assert float(moved[1]) > 1e-6 and float(moved[0]) == float(moved[2]) == 0.0


def test_every_parameter_gets_a_gradient() -> None:
    model = small(replace(SHAPE, rows=7, columns=22)).train()
    asked = batch(replace(SHAPE, rows=7, columns=22))
    scores = model(asked)
    draws = torch.Generator().manual_seed(2)
    (scores * torch.randn(scores.shape, generator=draws, dtype=scores.dtype)).sum().backward()
    for label, parameter in model.named_parameters():
        assert parameter.grad is not None and bool(parameter.grad.any()), label
    assert not any(label.startswith("layers.1.after") for label, _ in model.named_parameters())


def test_the_size_is_known() -> None:
    """As the Config says: about as many operations as LingUNet, whatever the words."""
    made = Bearing(Config(Shape(1000)))
    assert made.rows * made.columns == 25 * 116
    assert 5e6 < sum(one.numel() for one in made.parameters()) < 12e6


@pytest.mark.parametrize("wrong", [{"width": 30}, {"heads": 5}, {"fine": 3}, {"layers": 0}, {"dropout": 1.0}])
def test_an_impossible_size_is_told(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError) as told:
        replace(Config(SHAPE), **wrong)  # type: ignore[arg-type]
    assert told.value.field in ("width", *wrong)
