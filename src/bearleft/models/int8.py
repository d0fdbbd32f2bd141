"""Weights in 8 bits, for storage: a whole number from -127 to 127 and a scale for each row of the first dimension.

Rows are output channels of layers, and words of embeddings. Vectors and small matrices stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

MAX_CODE = 127
MIN_ELEMENTS = 1024  # of a tensor that is worth it
CODES, SCALES = "codes", "scales"


def quantize_weights(weights: Mapping[str, Tensor]) -> dict[str, Any]:
    """Return weights by name, the large ones as codes and scales; the error is at most half a scale.

    Raises:
        ValueError: A weight is not finite.
    """
    return {name: _quantize(name, value) if _is_large(value) else value for name, value in weights.items()}


def _is_large(value: Tensor) -> bool:
    return value.ndim >= 2 and value.is_floating_point() and value.numel() >= MIN_ELEMENTS


def _quantize(name: str, value: Tensor) -> dict[str, Tensor]:
    if not torch.isfinite(value).all():
        raise ValueError(f"expected finite weights, got NaN or infinity in {name}")
    rows = value.detach().float().reshape(len(value), -1)
    scales = rows.abs().amax(1) / MAX_CODE
    codes = (rows / scales.clamp_min(torch.finfo(torch.float32).tiny)[:, None]).round()
    return {CODES: codes.clamp(-MAX_CODE, MAX_CODE).to(torch.int8).reshape(value.shape), SCALES: scales}


def dequantize_weights(stored: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the weights of `quantize_weights`, in single precision.

    Raises:
        ValueError: Codes or scales have the wrong type or shape, or a scale is not finite.
    """
    return {name: value if isinstance(value, Tensor) else _dequantize(name, value) for name, value in stored.items()}


def _dequantize(name: str, stored: Mapping[str, Tensor]) -> Tensor:
    codes, scales = stored[CODES], stored[SCALES]
    if codes.dtype != torch.int8 or scales.shape != codes.shape[:1] or not torch.isfinite(scales).all():
        raise ValueError(f"expected 8-bit codes and a finite scale for each row of {name}")
    return codes.float() * scales.float().reshape(-1, *[1] * (codes.ndim - 1))
