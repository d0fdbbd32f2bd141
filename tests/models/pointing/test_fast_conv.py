"""The GPU convolutions equal torch's: values and gradients."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn import functional

from bearleft.models.pointing import fast_conv
from bearleft.models.pointing.fast_conv import AddBias, Conv2dFunction, conv2d, flip_kernel, linear, sum_rows


def assert_equal(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-11, atol=1e-11)


def fast_conv2d(maps: Tensor, kernel: Tensor, bias: Tensor | None, padding: int) -> Tensor:
    result: Tensor = Conv2dFunction.apply(maps, kernel, bias, padding)  # type: ignore[no-untyped-call]
    return result


def add_bias(rows: Tensor, bias: Tensor) -> Tensor:
    result: Tensor = AddBias.apply(rows, bias)  # type: ignore[no-untyped-call]
    return result


def noise(*size: int, seed: int = 0, requires_grad: bool = False) -> Tensor:
    result = torch.randn(*size, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return result.requires_grad_(requires_grad)


def conv_inputs(
    kernel: int, rows: int, columns: int, requires_grad: tuple[bool, bool, bool]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return maps of 3 channels, a kernel with 4 output channels, and a bias."""
    maps = (
        noise(2, 3, rows, columns, seed=1)
        .contiguous(memory_format=torch.channels_last)
        .requires_grad_(requires_grad[0])
    )
    return (
        maps,
        noise(4, 3, kernel, kernel, seed=2, requires_grad=requires_grad[1]),
        noise(4, seed=3, requires_grad=requires_grad[2]),
    )


def gradients(output: Tensor, inputs: list[Tensor]) -> tuple[Tensor, ...]:
    """Return the gradients of a loss with a random weight for every value."""
    return torch.autograd.grad((output * noise(*output.shape, seed=4)).sum(), inputs)


@pytest.mark.parametrize(("kernel", "rows", "columns"), [(1, 4, 6), (3, 5, 7), (5, 6, 10), (5, 1, 3), (5, 9, 2)])
def test_convolution_equals_torch(kernel: int, rows: int, columns: int) -> None:
    inputs = conv_inputs(kernel, rows, columns, (True, True, True))
    padding = kernel // 2
    actual, expected = fast_conv2d(*inputs, padding), functional.conv2d(*inputs, padding=padding)
    assert_equal(actual, expected)
    for gradient, expected_gradient in zip(gradients(actual, [*inputs]), gradients(expected, [*inputs]), strict=True):
        assert gradient.dtype == torch.float64
        assert_equal(gradient, expected_gradient)


@pytest.mark.parametrize(
    "trains", [(True, False, False), (False, True, False), (False, False, True), (True, False, True)]
)
def test_only_needed_gradients_are_computed(trains: tuple[bool, bool, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = conv_inputs(3, 5, 7, trains)
    expected = gradients(functional.conv2d(*inputs, padding=1), [one for one in inputs if one.requires_grad])
    actual = fast_conv2d(*inputs, 1)
    sums = list[int]()

    def counting_sum_rows(rows: Tensor) -> Tensor:
        sums.append(len(rows))
        return sum_rows(rows)

    monkeypatch.setattr(fast_conv, "sum_rows", counting_sum_rows)
    actual_gradients = gradients(actual, [one for one in inputs if one.requires_grad])
    for one, other in zip(actual_gradients, expected, strict=True):
        assert_equal(one, other)
    assert len(sums) == trains[2]  # gradients that are not needed are not computed


def test_convolution_without_bias_equals_torch() -> None:
    maps, kernel, _ = conv_inputs(5, 6, 7, (True, True, False))
    actual, expected = fast_conv2d(maps, kernel, None, 2), functional.conv2d(maps, kernel, padding=2)
    assert_equal(actual, expected)
    for gradient, expected_gradient in zip(
        gradients(actual, [maps, kernel]), gradients(expected, [maps, kernel]), strict=True
    ):
        assert_equal(gradient, expected_gradient)


def test_output_gradients_may_have_any_layout() -> None:
    """Gradients of the output may be expanded or have channels first."""
    maps, kernel, bias = conv_inputs(3, 5, 7, (True, True, True))
    for output_gradient in (torch.ones((), dtype=torch.float64).expand(2, 4, 5, 7), noise(2, 4, 5, 7)):
        actual = torch.autograd.grad(fast_conv2d(maps, kernel, bias, 1), [maps, kernel, bias], output_gradient)
        expected = torch.autograd.grad(
            functional.conv2d(maps, kernel, bias, padding=1), [maps, kernel, bias], output_gradient
        )
        for gradient, expected_gradient in zip(actual, expected, strict=True):
            assert_equal(gradient, expected_gradient)


def test_flipping_a_kernel_twice_is_the_identity() -> None:
    kernel = noise(4, 3, 5, 5)
    assert flip_kernel(kernel).shape == (3, 4, 5, 5) and torch.equal(flip_kernel(flip_kernel(kernel)), kernel)
    assert flip_kernel(kernel)[2, 1, 0, 4] == kernel[1, 2, 4, 0]


@pytest.mark.parametrize("trains", [(True, True), (True, False), (False, True)])
def test_bias_equals_torch(trains: tuple[bool, bool]) -> None:
    rows, bias = noise(2, 5, 7, 3, requires_grad=trains[0]), noise(3, seed=1, requires_grad=trains[1])
    inputs = [one for one in (rows, bias) if one.requires_grad]
    actual, expected = add_bias(rows, bias), rows + bias
    assert_equal(actual, expected)
    for one, other in zip(gradients(actual, inputs), gradients(expected, inputs), strict=True):
        assert one.dtype == other.dtype
        assert_equal(one, other)


def test_bias_gradient_of_half_precision_rows_is_single_precision() -> None:
    rows, bias = noise(4, 6, 3).bfloat16(), noise(3, seed=1).float().requires_grad_()
    result = add_bias(rows, bias)
    assert result.dtype == torch.bfloat16
    [gradient] = torch.autograd.grad(result.sum(), [bias])
    assert gradient.dtype == torch.float32 and gradient.tolist() == [24.0, 24.0, 24.0]


@pytest.mark.parametrize("rows", [1, 11, 12, 13, 48])
def test_sum_in_blocks_equals_sum(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_conv, "BLOCK_ROWS", 12)
    for values in (noise(rows, 5), noise(5, rows).T, noise(2, rows, 3, 5)):
        assert_equal(sum_rows(values), values.reshape(-1, 5).sum(0))


def test_long_sums_in_bfloat16_stay_exact() -> None:
    """A sum of ones in bfloat16, added one by one, would stop at 256."""
    ones = torch.ones(464 * 100, 2, dtype=torch.bfloat16)
    assert sum_rows(ones).tolist() == torch.tensor([46400.0, 46400.0]).bfloat16().tolist()


def test_cpu_uses_torch() -> None:
    maps, kernel, bias = conv_inputs(3, 5, 7, (False, False, False))
    assert torch.equal(conv2d(maps, kernel, bias, 1), functional.conv2d(maps, kernel, bias, padding=1))
    rows, weight = noise(6, 3), noise(4, 3, seed=1)
    assert torch.equal(linear(rows, weight, bias), functional.linear(rows, weight, bias))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_gpu_equals_cpu() -> None:
    results = []
    for device in ("cpu", "cuda"):
        maps, kernel, bias = (one.float().to(device).requires_grad_() for one in conv_inputs(5, 12, 29, (False,) * 3))
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            output = conv2d(maps, kernel, bias, 2)
            results.append([output, *torch.autograd.grad(output.square().sum(), [maps, kernel, bias])])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(other.cpu(), one, rtol=1e-3, atol=1e-2)
