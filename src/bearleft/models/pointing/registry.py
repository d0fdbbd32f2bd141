"""Pointing networks by name, with the settings that each is trained with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

import torch

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.models.pointing import bearing, concat, concatconv, lingunet, text2conv, unet
from bearleft.models.pointing.layers import init_uniform
from bearleft.models.pointing.network import PointNetwork, Shape


@dataclass(frozen=True)
class NetworkSpec:
    """A network, its Config, and its default optimizer settings."""

    config: Callable[..., Any]
    network: Callable[[Any], PointNetwork]
    learning_rate: float
    description: str
    warmup_updates: int = 0
    cosine_decay: bool = False  # whether the learning rate falls to zero over the run
    weight_decay: float = 0.0
    max_grad_norm: float | None = None
    uniform_init: bool = True  # whether parameters are initialized as in the paper, unless `released`


NETWORKS: dict[str, NetworkSpec] = {
    "unet": NetworkSpec(unet.Config, unet.UNet, 0.001, "the pictures alone, without the text"),
    "concat": NetworkSpec(concat.Config, concat.Concat, 0.001, "a perceptron on every cell and the text vector"),
    "concatconv": NetworkSpec(concatconv.Config, concatconv.ConcatConv, 0.001, "as concat, after a convolution"),
    "text2conv": NetworkSpec(text2conv.Config, text2conv.Text2Conv, 0.001, "the text as the kernel of a convolution"),
    "lingunet": NetworkSpec(
        lingunet.Config, lingunet.LingUNet, 0.0005, "the paper's best: a UNet with kernels of the text"
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
        uniform_init=False,
    ),
}


def network_spec(name: str) -> NetworkSpec:
    """Return the settings of a network."""
    if name not in NETWORKS:
        raise unknown_name("network", name, NETWORKS)
    return NETWORKS[name]


def build_network(name: str, shape: Shape, seed: int = 0, **overrides: Any) -> PointNetwork:
    """Return a new network on the CPU, the same for the same seed; `overrides` are fields of its Config."""
    spec = network_spec(name)
    return _build(spec, _config(spec, {"shape": shape, **overrides}), seed)


def config_to_json(config: Any) -> dict[str, Any]:
    """Return a network's Config as plain values."""
    return asdict(config)


def network_from_json(name: str, value: Any) -> tuple[PointNetwork, Any]:
    """Return a network and its Config from the output of `config_to_json`; its weights are not loaded."""
    spec = network_spec(name)
    if not isinstance(value, dict) or not isinstance(value.get("shape"), dict):
        raise InputError("a network's config with its shape", format_value(value), "config")
    shape = _make_dataclass(Shape, value["shape"], "shape")
    config = _config(spec, {**value, "shape": shape})
    return _build(spec, config, None), config


def _config(spec: NetworkSpec, values: dict[str, Any]) -> Any:
    return _make_dataclass(spec.config, values, "config")


def _make_dataclass(make: Callable[..., Any], values: dict[str, Any], field: str) -> Any:
    """Return a dataclass of values whose names and types are checked."""
    known_fields = {field_.name: field_ for field_ in fields(make)}  # type: ignore[arg-type]
    for name in values:
        if name not in known_fields:
            raise unknown_name("setting", str(name), known_fields).at(field=field)
    for name, field_ in known_fields.items():
        if name not in values and field_.default is MISSING:
            raise InputError(f"a value for {name}", "none", field)
    for name, value in values.items():
        _check(name, value, known_fields[name].default)
    return make(**values)


def _check(name: str, value: Any, default: Any) -> None:
    """Raise InputError if a setting is of another type than its default, or out of bounds."""
    if isinstance(default, bool):
        expected, valid = "true or false", isinstance(value, bool)
    elif isinstance(default, int):
        expected, valid = (
            "a whole number from 1 up",
            isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        )
    elif name == "aspect":
        expected, valid = (
            "a number above 0",
            isinstance(value, int | float) and not isinstance(value, bool) and value > 0,
        )
    elif isinstance(default, float):  # all of them are dropout
        number = isinstance(value, int | float) and not isinstance(value, bool)
        expected, valid = "a number from 0 up to 1, without 1", number and 0.0 <= value < 1.0
    else:
        return
    if not valid:
        raise InputError(expected, format_value(value), name)


def _build(spec: NetworkSpec, config: Any, seed: int | None) -> PointNetwork:
    """Return a network; without a seed its weights are arbitrary, since others will be loaded."""
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(seed)
        network = spec.network(config)
    if seed is not None and spec.uniform_init and not config.released:
        init_uniform(network, seed)
    return network
