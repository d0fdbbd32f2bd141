"""The backbone in the form that GPUs compute: blocks instead of pixels, no norms, fused calls where they are faster."""

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
def lively() -> ResNet18:
    """In double precision, with batch norms that do something."""
    made = randomize_norms(random_resnet18("random:5").double().eval())
    made.name, made.hash = "lively", "its hash"
    return made


def pictures(height: int, width: int, count: int = 2) -> Tensor:
    return torch.from_numpy(np.random.default_rng(height).integers(0, 256, (count, height, width, 3), np.uint8))


@torch.no_grad()
def expected(model: ResNet18, seen: Tensor) -> Tensor:
    """Norms and all, on pictures that are normalised in double precision."""
    return model.encode((seen.permute(0, 3, 1, 2).double() - model.mean) / model.scale)


@pytest.mark.parametrize("size", [(40, 28), (8, 8), (26, 30), (25, 32), (32, 23), (9, 11), (1, 1)])
def test_it_is_the_same_function(lively: ResNet18, size: tuple[int, int]) -> None:
    """At every border, for sizes that are whole cells or not, even or odd."""
    seen = pictures(*size)
    found, true = FusedResNet18(lively.fold_batch_norms(), torch.float64)(seen), expected(lively, seen)
    assert found.shape == true.shape and true.std() > 0.1
    torch.testing.assert_close(found, true, rtol=1e-9, atol=1e-9)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_every_pixel_has_its_block(lively: ResNet18) -> None:
    """Blocks of pixels by hand, in the order of a kernel's channels."""
    made, seen = FusedResNet18(lively.fold_batch_norms(), torch.float64), pictures(6, 8, 1)
    blocks = made.preprocess(seen)
    assert blocks.shape == (1, 16, 3 + 3, 4 + 3) and bool((blocks[:, 12:] == 0).all())
    off = (seen.double() - made.mean.flatten())[0]
    for row, column, y, x, colour in np.ndindex(3, 4, 2, 2, 3):
        got = blocks[0, 6 * y + 3 * x + colour, 2 + row, 2 + column]
        assert got == off[2 * row + y, 2 * column + x, colour]
    inner = blocks[:, :, 2:-1, 2:-1]
    assert inner.abs().sum() == blocks.abs().sum()  # nothing lies around


def test_in_bfloat16_it_sees_what_the_others_see(lively: ResNet18) -> None:
    seen = pictures(48, 40)
    made = FusedResNet18(lively.fold_batch_norms())
    assert {one.dtype for one in made.parameters()} == {torch.bfloat16} and made.mean.dtype == torch.float32
    assert not any(one.requires_grad for one in made.parameters()) and (made.name, made.hash) == ("lively", "its hash")
    true = expected(lively, seen).float()
    with torch.autocast("cpu", torch.bfloat16):
        found = made(seen)
    assert found.dtype == torch.bfloat16
    off = (found.float() - true).abs().mean()
    cast = (
        (lively.fold_batch_norms().bfloat16()(seen).float() - true).abs().mean()
    )  # the plain form in the same precision
    assert off < 0.03 * true.abs().mean() and off < 1.2 * cast


def test_the_model_it_is_made_of_stays_as_it_was(lively: ResNet18) -> None:
    folded = lively.fold_batch_norms()
    before = {name: value.clone() for name, value in folded.state_dict().items()}
    FusedResNet18(folded)(pictures(8, 8))
    assert all(torch.equal(value, before[name]) for name, value in folded.state_dict().items())
    with pytest.raises(InputError, match="pictures as bytes"):
        FusedResNet18(folded)(torch.zeros(1, 3, 8, 8))


def by_hand(name: str, given: Tensor, table: Tensor, out: Tensor) -> None:
    """What a kernel does, value after value; two of bfloat16 are one number."""
    there, known, into = given.numpy(), table.numpy(), out.view(torch.int32).numpy()
    for n, row, column, pair in np.ndindex(*into.shape):
        if name == "space_to_depth":
            made = space_to_depth.block_pair(there, known, n, row, column, pair)
        else:
            made = space_to_depth.max_pool_pair(there, n, row, column, pair)
        into[n, row, column, pair] = np.uint32(made & 0xFFFFFFFF).view(np.int32)


@pytest.mark.parametrize("size", [(6, 8), (5, 7), (1, 2)])
def test_cuda_kernels_give_torchs_values(lively: ResNet18, size: tuple[int, int]) -> None:
    made, seen = FusedResNet18(lively.fold_batch_norms()), pictures(*size)
    expected = made.torch_space_to_depth(seen).permute(0, 2, 3, 1)
    found = torch.full(expected.shape, 7.0, dtype=torch.bfloat16)
    by_hand("space_to_depth", seen, made.centred_table, found)
    assert torch.equal(found, expected)
    maps = torch.randn((2, *size, 6), generator=torch.Generator().manual_seed(2)).bfloat16()
    maps[0] = -maps[0].abs() - 1e-3  # below zero, the larger the smaller
    expected = max_pool2d(maps.permute(0, 3, 1, 2), 3, 2, 1).permute(0, 2, 3, 1)
    found = torch.zeros(expected.shape, dtype=torch.bfloat16)
    by_hand("max_pool", maps.view(torch.int32), made.centred_table, found)
    assert torch.equal(found, expected)


def test_cuda_kernels_are_launched_for_every_value(
    lively: ResNet18, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Threads for every value, and one picture is compared before they are trusted."""
    asked = []

    def launch(name: str, blocks: Any, threads: Any, *tensors: Tensor) -> None:
        out = tensors[-1]
        asked.append(name)
        assert blocks[2] == len(out) and blocks[1] == out.shape[1] and threads[0] == out.shape[3]
        assert 0 <= blocks[0] * threads[1] - out.shape[2] < threads[1]
        by_hand(name, tensors[0], tensors[-2], out.view(torch.bfloat16))

    monkeypatch.setattr(fused_resnet.cuda_kernels(), "_launch", launch)
    made, seen = FusedResNet18(lively.fold_batch_norms()), pictures(8, 10)
    assert made.kernels_agree(seen[:1]) and asked == ["space_to_depth", "max_pool"]
    plain = FusedResNet18(lively.fold_batch_norms())(seen)
    made.uses_kernels = True
    assert torch.equal(made(seen), plain) and len(asked) == 4
    made.centred_table[1] += 1
    assert not caplog.messages and not made.kernels_agree(seen[:1])
    assert caplog.messages[-1] == "the backbone runs without bearleft's CUDA kernels: their values differ from torch's"
    monkeypatch.undo()
    assert not made.kernels_agree(seen[:1])  # no GPU
    assert caplog.messages[-1].startswith("the backbone runs without bearleft's CUDA kernels: ")


def test_cuda_kernels_compile_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda: Any = import_module("numba.cuda")
    expected = (9, 0)
    try:
        cuda.compile_ptx(lambda: None, (), cc=expected)
    except Exception as error:  # each way of having no compiler answers in its own way
        pytest.skip(f"needs NVVM, CUDA's compiler: {type(error).__name__}")
    monkeypatch.setattr(
        "numba.cuda.dispatcher.get_current_device", lambda: SimpleNamespace(compute_capability=expected)
    )
    kernels: Any = fused_resnet.cuda_kernels().KERNELS
    numbers, table = numba.int32[:, :, :, ::1], numba.int32[:, ::1]
    for name, given in (
        ("space_to_depth", (numba.uint8[:, :, :, ::1], table, numbers)),
        ("max_pool", (numbers, numbers)),
    ):
        ptx, _ = cuda.compile_ptx(kernels[name].py_func, given, cc=expected)
        assert ".visible .entry" in ptx and ".f64" not in ptx


def reference_fused(conv: nn.Conv2d, x: Tensor, more: Tensor, share: float) -> Tensor:
    """What cuDNN promises: numbers to add have the size of what is made, and no NaN where their share is nothing."""
    made: Tensor = conv(x)
    assert made.shape == more.shape and bool(more.isfinite().all())
    return (made + share * more).clamp(min=0)


def test_fused_calls_compute_the_same(lively: ResNet18, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_resnet, "fused_conv_add_relu", reference_fused)
    made, seen = FusedResNet18(lively.fold_batch_norms(), torch.float64), pictures(24, 32)
    made.uses_fused = True
    torch.testing.assert_close(made(seen), expected(lively, seen), rtol=1e-9, atol=1e-9)


def test_calls_are_fused_where_that_is_right_and_faster(
    lively: ResNet18, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where they fail or are wrong it is told; where they are slower, or there is no GPU, nothing is amiss."""
    made, x = FusedResNet18(lively.fold_batch_norms(), torch.float32), torch.rand(1, 64, 6, 6)
    made(pictures(8, 8))
    assert made.uses_fused is False and not caplog.messages
    assert not made.fused_is_faster(x)  # no cuDNN on a CPU
    [told] = caplog.messages
    assert told.startswith("the backbone runs without fused convolutions: ") and "\n" not in told
    assert caplog.records[0].levelname == "WARNING"
    now = [0.0]
    monkeypatch.setattr(fused_resnet, "_clock", lambda _: now[0])

    def timed(step: Any, seconds: float) -> Any:
        def run(*args: Any) -> Tensor:
            now[0] += seconds
            made: Tensor = step(*args)
            return made

        return run

    def wrong(conv: nn.Conv2d, x: Tensor, *_: Any) -> Tensor:
        return conv(x) * torch.nan  # type: ignore[no-any-return]

    monkeypatch.setattr(fused_resnet, "conv_add_relu", timed(fused_resnet.conv_add_relu, 2.0))
    for step, seconds, pays, warns in (
        (reference_fused, 1.0, True, 0),
        (reference_fused, 3.0, False, 0),
        (wrong, 1.0, False, 1),
    ):
        caplog.clear()
        monkeypatch.setattr(fused_resnet, "fused_conv_add_relu", timed(step, seconds))
        assert made.fused_is_faster(x) is pays and len(caplog.messages) == warns


def test_kernels_are_tried_only_here(lively: ResNet18, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def step(*args: Any) -> Tensor:
        seen.append(torch.backends.cudnn.benchmark)
        return reference_fused(*args)

    monkeypatch.setattr(fused_resnet, "conv_add_relu", step)
    monkeypatch.setattr(fused_resnet, "fused_conv_add_relu", step)
    made = FusedResNet18(lively.fold_batch_norms(), torch.float32)
    for fused in (False, True):
        made.uses_fused = fused
        made(pictures(8, 8))
        assert not torch.backends.cudnn.benchmark
    assert seen == [True] * 8 + [False] * 8


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_a_gpu_computes_the_same(lively: ResNet18) -> None:
    seen = pictures(96, 80, 4)
    made = lively.for_inference("cuda")
    assert isinstance(made, FusedResNet18)
    true = expected(lively, seen).float()
    for fused in (None, False, True):
        made.uses_fused = fused
        off = (made(seen.cuda()).float().cpu() - true).abs().mean()
        assert off < 0.03 * true.abs().mean()
