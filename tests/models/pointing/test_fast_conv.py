"""The GPU convolutions equal torch's: values and gradients."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn import functional

from bearleft.models.pointing import fast_conv
from bearleft.models.pointing.fast_conv import AddBias, Conv2dFunction, conv2d, flip_kernel, linear, sum_rows


def same(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-11)


def fast_conv2d(maps: Tensor, kernel: Tensor, bias: Tensor | None, padding: int) -> Tensor:
    made: Tensor = Conv2dFunction.apply(maps, kernel, bias, padding)  # type: ignore[no-untyped-call]
    return made


def biased(rows: Tensor, bias: Tensor) -> Tensor:
    made: Tensor = AddBias.apply(rows, bias)  # type: ignore[no-untyped-call]
    return made


def noise(*size: int, seed: int = 0, trains: bool = False) -> Tensor:
    made = torch.randn(*size, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return made.requires_grad_(trains)


def given(kernel: int, rows: int, columns: int, trains: tuple[bool, bool, bool]) -> tuple[Tensor, Tensor, Tensor]:
    """Maps of 3 channels, a kernel that makes 4 of them, and a bias."""
    maps = noise(2, 3, rows, columns, seed=1).contiguous(memory_format=torch.channels_last).requires_grad_(trains[0])
    return maps, noise(4, 3, kernel, kernel, seed=2, trains=trains[1]), noise(4, seed=3, trains=trains[2])


def gradients(made: Tensor, of: list[Tensor]) -> tuple[Tensor, ...]:
    """By a loss that weighs every value differently."""
    return torch.autograd.grad((made * noise(*made.shape, seed=4)).sum(), of)


@pytest.mark.parametrize(("kernel", "rows", "columns"), [(1, 4, 6), (3, 5, 7), (5, 6, 10), (5, 1, 3), (5, 9, 2)])
def test_convolution_equals_torchs(kernel: int, rows: int, columns: int) -> None:
    inputs = given(kernel, rows, columns, (True, True, True))
    padding = kernel // 2
    found, expected = fast_conv2d(*inputs, padding), functional.conv2d(*inputs, padding=padding)
    same(found, expected)
    for one, other in zip(gradients(found, [*inputs]), gradients(expected, [*inputs]), strict=True):
        assert one.dtype == torch.float64
        same(one, other)


@pytest.mark.parametrize(
    "trains", [(True, False, False), (False, True, False), (False, False, True), (True, False, True)]
)
def test_only_needed_gradients_are_computed(trains: tuple[bool, bool, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = given(3, 5, 7, trains)
    expected = gradients(functional.conv2d(*inputs, padding=1), [one for one in inputs if one.requires_grad])
    found = fast_conv2d(*inputs, 1)
    sums = list[int]()

    def counted(rows: Tensor) -> Tensor:
        sums.append(len(rows))
        return sum_rows(rows)

    monkeypatch.setattr(fast_conv, "sum_rows", counted)
    got = gradients(found, [one for one in inputs if one.requires_grad])
    for one, other in zip(got, expected, strict=True):
        same(one, other)
    assert len(sums) == trains[2]  # gradients that are not needed are not computed


def test_a_convolution_without_bias() -> None:
    maps, kernel, _ = given(5, 6, 7, (True, True, False))
    found, expected = fast_conv2d(maps, kernel, None, 2), functional.conv2d(maps, kernel, padding=2)
    same(found, expected)
    for one, other in zip(gradients(found, [maps, kernel]), gradients(expected, [maps, kernel]), strict=True):
        same(one, other)


def test_gradients_of_any_layout_are_taken() -> None:
    """Those that come back may be expanded, or have channels first."""
    maps, kernel, bias = given(3, 5, 7, (True, True, True))
    for back in (torch.ones((), dtype=torch.float64).expand(2, 4, 5, 7), noise(2, 4, 5, 7)):
        found = torch.autograd.grad(fast_conv2d(maps, kernel, bias, 1), [maps, kernel, bias], back)
        expected = torch.autograd.grad(functional.conv2d(maps, kernel, bias, padding=1), [maps, kernel, bias], back)
        for one, other in zip(found, expected, strict=True):
            same(one, other)


def test_flipping_a_kernel_twice_is_the_identity() -> None:
    kernel = noise(4, 3, 5, 5)
    assert flip_kernel(kernel).shape == (3, 4, 5, 5) and torch.equal(flip_kernel(flip_kernel(kernel)), kernel)
    assert flip_kernel(kernel)[2, 1, 0, 4] == kernel[1, 2, 4, 0]


@pytest.mark.parametrize("trains", [(True, True), (True, False), (False, True)])
def test_bias_equals_torchs(trains: tuple[bool, bool]) -> None:
    rows, bias = noise(2, 5, 7, 3, trains=trains[0]), noise(3, seed=1, trains=trains[1])
    inputs = [one for one in (rows, bias) if one.requires_grad]
    found, expected = biased(rows, bias), rows + bias
    same(found, expected)
    for one, other in zip(gradients(found, inputs), gradients(expected, inputs), strict=True):
        assert one.dtype == other.dtype
        same(one, other)


def test_rows_in_half_precision_leave_the_bias_as_it_is() -> None:
    rows, bias = noise(4, 6, 3).bfloat16(), noise(3, seed=1).float().requires_grad_()
    made = biased(rows, bias)
    assert made.dtype == torch.bfloat16
    [back] = torch.autograd.grad(made.sum(), [bias])
    assert back.dtype == torch.float32 and back.tolist() == [24.0, 24.0, 24.0]


@pytest.mark.parametrize("rows", [1, 11, 12, 13, 48])
def test_sum_in_blocks_equals_sum(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_conv, "BLOCK_ROWS", 12)
    for given in (noise(rows, 5), noise(5, rows).T, noise(2, rows, 3, 5)):
        same(sum_rows(given), given.reshape(-1, 5).sum(0))


def test_sums_of_many_halves_keep_their_digits() -> None:
    """Half a million ones that were added one after another in bfloat16 would stop at 256."""
    ones = torch.ones(464 * 100, 2, dtype=torch.bfloat16)
    assert sum_rows(ones).tolist() == torch.tensor([46400.0, 46400.0]).bfloat16().tolist()


def test_cpu_uses_torch() -> None:
    maps, kernel, bias = given(3, 5, 7, (False, False, False))
    assert torch.equal(conv2d(maps, kernel, bias, 1), functional.conv2d(maps, kernel, bias, padding=1))
    rows, weight = noise(6, 3), noise(4, 3, seed=1)
    assert torch.equal(linear(rows, weight, bias), functional.linear(rows, weight, bias))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_gpu_equals_cpu() -> None:
    told = []
    for where in ("cpu", "cuda"):
        maps, kernel, bias = (one.float().to(where).requires_grad_() for one in given(5, 12, 29, (False,) * 3))
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            made = conv2d(maps, kernel, bias, 2)
            told.append([made, *torch.autograd.grad(made.square().sum(), [maps, kernel, bias])])
    for one, other in zip(*told, strict=True):
        torch.testing.assert_close(other.cpu(), one, rtol=1e-3, atol=1e-2)
