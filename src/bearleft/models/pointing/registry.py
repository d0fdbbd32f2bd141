"""Pointing networks by name, or by the Python file that defines one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bearleft.errors import unknown_name
from bearleft.models.pointing import bearing, concat, concatconv, lingunet, text2conv, unet
from bearleft.models.pointing.network import PointNetwork, Shape
from bearleft.models.pointing.network_file import is_network_file, load_network_file
from bearleft.models.pointing.spec import NetworkSpec as NetworkSpec

NETWORKS: dict[str, NetworkSpec] = {
    "unet": NetworkSpec(unet.Config, unet.UNet, 0.001, "the pictures alone, without the text", uniform_init=True),
    "concat": NetworkSpec(
        concat.Config, concat.Concat, 0.001, "a perceptron on every cell and the text vector", uniform_init=True
    ),
    "concatconv": NetworkSpec(
        concatconv.Config, concatconv.ConcatConv, 0.001, "as concat, after a convolution", uniform_init=True
    ),
    "text2conv": NetworkSpec(
        text2conv.Config, text2conv.Text2Conv, 0.001, "the text as the kernel of a convolution", uniform_init=True
    ),
    "lingunet": NetworkSpec(
        lingunet.Config,
        lingunet.LingUNet,
        0.0005,
        "the paper's best: a UNet with kernels of the text",
        uniform_init=True,
    ),
    "bearing": NetworkSpec(
        bearing.Config,
        bearing.Bearing,
        0.0005,
        "ours: attention between words and cells, with rotary positions by direction",
        warmup_updates=200,
        cosine_decay=True,
        weight_decay=0.01,
        max_grad_norm=1.0,
    ),
}


def network_spec(name: str) -> NetworkSpec:
    """Return the settings of a network.

    Args:
        name: A key of `NETWORKS`, or the path of a Python file that defines `NETWORK`.

    Raises:
        InputError: There is no such network, or the file cannot be used.
    """
    if is_network_file(name):
        return load_network_file(name)
    if name not in NETWORKS:
        error = unknown_name("network", name, NETWORKS)
        file = f"Did you mean {name}.py?" if Path(f"{name}.py").is_file() else error.hint
        error.hint = f"{file} Or FILE.py for your own."
        raise error
    return NETWORKS[name]


def build_network(name: str, shape: Shape, seed: int = 0, **overrides: Any) -> PointNetwork:
    """Return a new network on the CPU, the same for the same seed; `overrides` are fields of its Config."""
    spec = network_spec(name)
    return spec.build(spec.make_config({"shape": shape, **overrides}), seed)
