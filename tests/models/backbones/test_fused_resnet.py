"""The backbone's GPU form: space-to-depth input, folded batch norms, and fused calls where they are faster."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import Tensor, nn
from torch.nn.functional import max_pool2d

from bearleft.errors import InputError
from bearleft.models.backbones import fused_resnet, space_to_depth
from bearleft.models.backbones.fused_resnet import FusedResNet18
from bearleft.models.backbones.registry import ResNet18, random_resnet18
from tests.models.tolerances import randomize_norms


@pytest.fixture(scope="module")
def backbone() -> ResNet18:
    """Return a backbone in double precision with non-trivial batch norms."""
    network = randomize_norms(random_resnet18("random:5").double().eval())
    network.name, network.hash = "backbone", "its hash"
    return network


def pictures(height: int, width: int, count: int = 2) -> Tensor:
    return torch.from_numpy(np.random.default_rng(height).integers(0, 256, (count, height, width, 3), np.uint8))


@torch.no_grad()
def expected(model: ResNet18, images: Tensor) -> Tensor:
    """Return the features of the unfolded network, on pictures normalized in double precision."""
    return model.encode((images.permute(0, 3, 1, 2).double() - model.mean) / model.scale)


@pytest.mark.parametrize("size", [(40, 28), (8, 8), (26, 30), (25, 32), (32, 23), (9, 11), (1, 1)])
def test_fused_equals_plain(backbone: ResNet18, size: tuple[int, int]) -> None:
    """For sizes that are multiples of a cell or not, even or odd."""
    images = pictures(*size)
    output, true = FusedResNet18(backbone.fold_batch_norms(), torch.float64)(images), expected(backbone, images)
    assert output.shape == true.shape and true.std() > 0.1
    torch.testing.assert_close(output, true, rtol=1e-9, atol=1e-9)
    assert output.is_contiguous(memory_format=torch.channels_last)


def test_space_to_depth_places_every_pixel(backbone: ResNet18) -> None:
    """Every block holds its pixels in the order of the kernel's channels."""
    network, images = FusedResNet18(backbone.fold_batch_norms(), torch.float64), pictures(6, 8, 1)
    blocks = network.preprocess(images)
    assert blocks.shape == (1, 16, 3 + 3, 4 + 3) and bool((blocks[:, 12:] == 0).all())
    centred = (images.double() - network.mean.flatten())[0]
    for row, column, y, x, colour in np.ndindex(3, 4, 2, 2, 3):
        value = blocks[0, 6 * y + 3 * x + colour, 2 + row, 2 + column]
        assert value == centred[2 * row + y, 2 * column + x, colour]
    inner = blocks[:, :, 2:-1, 2:-1]
    assert inner.abs().sum() == blocks.abs().sum()  # the padding is zero


def test_bfloat16_is_close_to_plain(backbone: ResNet18) -> None:
    images = pictures(48, 40)
    network = FusedResNet18(backbone.fold_batch_norms())
    assert {parameter.dtype for parameter in network.parameters()} == {torch.bfloat16}
    assert network.mean.dtype == torch.float32
    assert not any(parameter.requires_grad for parameter in network.parameters())
    assert (network.name, network.hash) == ("backbone", "its hash")
    true = expected(backbone, images).float()
    with torch.autocast("cpu", torch.bfloat16):
        output = network(images)
    assert output.dtype == torch.bfloat16
    error = (output.float() - true).abs().mean()
    plain_error = (
        (backbone.fold_batch_norms().bfloat16()(images).float() - true).abs().mean()
    )  # the plain form in the same precision
    assert error < 0.03 * true.abs().mean() and error < 1.2 * plain_error


def test_source_network_is_unchanged(backbone: ResNet18) -> None:
    folded = backbone.fold_batch_norms()
    before = {name: value.clone() for name, value in folded.state_dict().items()}
    FusedResNet18(folded)(pictures(8, 8))
    assert all(torch.equal(value, before[name]) for name, value in folded.state_dict().items())
    with pytest.raises(InputError, match="pictures as bytes"):
        FusedResNet18(folded)(torch.zeros(1, 3, 8, 8))


def run_kernel_slowly(name: str, inputs: Tensor, table: Tensor, out: Tensor) -> None:
    """Compute a kernel value by value; two bfloat16 values are one integer."""
    source, lookup, target = inputs.numpy(), table.numpy(), out.view(torch.int32).numpy()
    for n, row, column, pair in np.ndindex(*target.shape):
        if name == "space_to_depth":
            value = space_to_depth.block_pair(source, lookup, n, row, column, pair)
        else:
            value = space_to_depth.max_pool_pair(source, n, row, column, pair)
        target[n, row, column, pair] = np.uint32(value & 0xFFFFFFFF).view(np.int32)


@pytest.mark.parametrize("size", [(6, 8), (5, 7), (1, 2)])
def test_cuda_kernels_equal_torch(backbone: ResNet18, size: tuple[int, int]) -> None:
    network, images = FusedResNet18(backbone.fold_batch_norms()), pictures(*size)
    expected = network.torch_space_to_depth(images).permute(0, 2, 3, 1)
    output = torch.full(expected.shape, 7.0, dtype=torch.bfloat16)
    run_kernel_slowly("space_to_depth", images, network.centred_table, output)
    assert torch.equal(output, expected)
    maps = torch.randn((2, *size, 6), generator=torch.Generator().manual_seed(2)).bfloat16()
    maps[0] = -maps[0].abs() - 1e-3  # negative values, for which the order of bit patterns is reversed
    expected = max_pool2d(maps.permute(0, 3, 1, 2), 3, 2, 1).permute(0, 2, 3, 1)
    output = torch.zeros(expected.shape, dtype=torch.bfloat16)
    run_kernel_slowly("max_pool", maps.view(torch.int32), network.centred_table, output)
    assert torch.equal(output, expected)


def test_cuda_launch_grid_covers_every_value(
    backbone: ResNet18, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """There is a thread for every value, and the kernels are compared with torch on one picture before use."""
    launched = []

    def launch(name: str, blocks: Any, threads: Any, *tensors: Tensor) -> None:
        out = tensors[-1]
        launched.append(name)
        assert blocks[2] == len(out) and blocks[1] == out.shape[1] and threads[0] == out.shape[3]
        assert 0 <= blocks[0] * threads[1] - out.shape[2] < threads[1]
        run_kernel_slowly(name, tensors[0], tensors[-2], out.view(torch.bfloat16))

    monkeypatch.setattr(fused_resnet.cuda_kernels(), "_launch", launch)
    network, images = FusedResNet18(backbone.fold_batch_norms()), pictures(8, 10)
    assert network.kernels_agree(images[:1]) and launched == ["space_to_depth", "max_pool"]
    plain = FusedResNet18(backbone.fold_batch_norms())(images)
    network.uses_kernels = True
    assert torch.equal(network(images), plain) and len(launched) == 4
    network.centred_table[1] += 1
    assert not caplog.messages and not network.kernels_agree(images[:1])
    assert caplog.messages[-1] == "the backbone runs without bearleft's CUDA kernels: their values differ from torch's"
    monkeypatch.undo()
    assert not network.kernels_agree(images[:1])  # no GPU
    assert caplog.messages[-1].startswith("the backbone runs without bearleft's CUDA kernels: ")


def test_cuda_kernels_compile_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda: Any = import_module("numba.cuda")
    expected = (9, 0)
    try:
        cuda.compile_ptx(lambda: None, (), cc=expected)
    except Exception as error:  # a missing compiler raises errors of several types
        pytest.skip(f"needs NVVM, CUDA's compiler: {type(error).__name__}")
    monkeypatch.setattr(
        "numba.cuda.dispatcher.get_current_device", lambda: SimpleNamespace(compute_capability=expected)
    )
    kernels: Any = fused_resnet.cuda_kernels().KERNELS
    numbers, table = numba.int32[:, :, :, ::1], numba.int32[:, ::1]
    for name, inputs in (
        ("space_to_depth", (numba.uint8[:, :, :, ::1], table, numbers)),
        ("max_pool", (numbers, numbers)),
    ):
        ptx, _ = cuda.compile_ptx(kernels[name].py_func, inputs, cc=expected)
        assert ".visible .entry" in ptx and ".f64" not in ptx


def reference_fused(conv: nn.Conv2d, x: Tensor, residual: Tensor, factor: float) -> Tensor:
    """Compute what cuDNN does; the residual has the output's shape, and is finite even if its factor is 0."""
    output: Tensor = conv(x)
    assert output.shape == residual.shape and bool(residual.isfinite().all())
    return (output + factor * residual).clamp(min=0)


def test_fused_calls_equal_plain_calls(backbone: ResNet18, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_resnet, "fused_conv_add_relu", reference_fused)
    network, images = FusedResNet18(backbone.fold_batch_norms(), torch.float64), pictures(24, 32)
    network.uses_fused = True
    torch.testing.assert_close(network(images), expected(backbone, images), rtol=1e-9, atol=1e-9)


def test_fused_calls_are_used_only_if_correct_and_faster(
    backbone: ResNet18, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A warning is logged if they fail or are wrong, but not if they are slower or there is no GPU."""
    network, x = FusedResNet18(backbone.fold_batch_norms(), torch.float32), torch.rand(1, 64, 6, 6)
    network(pictures(8, 8))
    assert network.uses_fused is False and not caplog.messages
    assert not network.fused_is_faster(x)  # no cuDNN on a CPU
    [message] = caplog.messages
    assert message.startswith("the backbone runs without fused convolutions: ") and "\n" not in message
    assert caplog.records[0].levelname == "WARNING"
    now = [0.0]
    monkeypatch.setattr(fused_resnet, "_clock", lambda _: now[0])

    def timed(step: Any, seconds: float) -> Any:
        def run(*args: Any) -> Tensor:
            now[0] += seconds
            output: Tensor = step(*args)
            return output

        return run

    def wrong(conv: nn.Conv2d, x: Tensor, *_: Any) -> Tensor:
        return conv(x) * torch.nan  # type: ignore[no-any-return]

    monkeypatch.setattr(fused_resnet, "conv_add_relu", timed(fused_resnet.conv_add_relu, 2.0))
    for step, seconds, used, warns in (
        (reference_fused, 1.0, True, 0),
        (reference_fused, 3.0, False, 0),
        (wrong, 1.0, False, 1),
    ):
        caplog.clear()
        monkeypatch.setattr(fused_resnet, "fused_conv_add_relu", timed(step, seconds))
        assert network.fused_is_faster(x) is used and len(caplog.messages) == warns


def test_kernels_are_tested_on_a_gpu_only(backbone: ResNet18, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark_flags: list[bool] = []

    def step(*args: Any) -> Tensor:
        benchmark_flags.append(torch.backends.cudnn.benchmark)
        return reference_fused(*args)

    monkeypatch.setattr(fused_resnet, "conv_add_relu", step)
    monkeypatch.setattr(fused_resnet, "fused_conv_add_relu", step)
    network = FusedResNet18(backbone.fold_batch_norms(), torch.float32)
    for fused in (False, True):
        network.uses_fused = fused
        network(pictures(8, 8))
        assert not torch.backends.cudnn.benchmark
    assert benchmark_flags == [True] * 8 + [False] * 8


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_gpu_equals_cpu(backbone: ResNet18) -> None:
    images = pictures(96, 80, 4)
    network = backbone.for_inference("cuda")
    assert isinstance(network, FusedResNet18)
    true = expected(backbone, images).float()
    for fused in (None, False, True):
        network.uses_fused = fused
        error = (network(images.cuda()).float().cpu() - true).abs().mean()
        assert error < 0.03 * true.abs().mean()
