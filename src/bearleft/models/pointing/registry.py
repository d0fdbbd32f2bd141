"""All networks that point, by name, with how each is trained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

import torch

from bearleft.errors import InputError, shown, unknown
from bearleft.models.pointing import bearing, concat, concatconv, lingunet, text2conv, unet
from bearleft.models.pointing.layers import paper_start
from bearleft.models.pointing.network import PointNetwork, Shape


@dataclass(frozen=True)
class Kind:
    """A network, its Config, and how it learns."""

    config: Callable[..., Any]
    network: Callable[[Any], PointNetwork]
    rate: float  # Adam's
    about: str
    warm: int = 0  # updates until the rate is reached
    decay: bool = False  # whether the rate falls to zero over the run, as half a cosine
    weight_decay: float = 0.0
    clip: float | None = None  # the longest gradient
    uniform: bool = True  # whether parameters start as the paper's do, unless `released`


NETWORKS: dict[str, Kind] = {
    "unet": Kind(unet.Config, unet.UNet, 0.001, "the pictures alone, without the text"),
    "concat": Kind(concat.Config, concat.Concat, 0.001, "the text beside every cell, then a perceptron"),
    "concatconv": Kind(concatconv.Config, concatconv.ConcatConv, 0.001, "as concat, with a convolution before it"),
    "text2conv": Kind(text2conv.Config, text2conv.Text2Conv, 0.001, "the text as the kernel of a convolution"),
    "lingunet": Kind(lingunet.Config, lingunet.LingUNet, 0.0005, "the paper's best: a UNet seen through the text"),
    "bearing": Kind(
        bearing.Config,
        bearing.Bearing,
        0.0005,
        "ours: words and cells look at each other, and cells know which way they lie",
        warm=200,
        decay=True,
        weight_decay=0.01,
        clip=1.0,
        uniform=False,
    ),
}


def kind(name: str) -> Kind:
    """A network's row."""
    if name not in NETWORKS:
        raise unknown("network", name, NETWORKS)
    return NETWORKS[name]


def network(name: str, shape: Shape, seed: int = 0, **changes: Any) -> PointNetwork:
    """A fresh network on the CPU, the same for the same seed; changes are of its Config."""
    row = kind(name)
    return _fresh(row, _config(row, {"shape": shape, **changes}), seed)


def config_json(config: Any) -> dict[str, Any]:
    """A network's Config as plain values."""
    return asdict(config)


def from_json(name: str, value: Any) -> tuple[PointNetwork, Any]:
    """A network and its Config from what `config_json` gave; its parameters are still to be loaded."""
    row = kind(name)
    if not isinstance(value, dict) or not isinstance(value.get("shape"), dict):
        raise InputError("a network's config with its shape", shown(value), "config")
    shape = _made(Shape, value["shape"], "shape")
    config = _config(row, {**value, "shape": shape})
    return _fresh(row, config, None), config


def _config(row: Kind, values: dict[str, Any]) -> Any:
    return _made(row.config, values, "config")


def _made(make: Callable[..., Any], values: dict[str, Any], field: str) -> Any:
    """A dataclass of values, whose names are checked."""
    known = {one.name: one for one in fields(make)}  # type: ignore[arg-type]
    for name in values:
        if name not in known:
            raise unknown("setting", str(name), known).at(field=field)
    for name, one in known.items():
        if name not in values and one.default is MISSING:
            raise InputError(f"a value for {name}", "none", field)
    for name, value in values.items():
        _check(name, value, known[name].default)
    return make(**values)


def _check(name: str, value: Any, usual: Any) -> None:
    """An error where a setting is of another kind than its default, or out of bounds."""
    if isinstance(usual, bool):
        expected, good = "true or false", isinstance(value, bool)
    elif isinstance(usual, int):
        expected, good = (
            "a whole number from 1 up",
            isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        )
    elif name == "aspect":
        expected, good = (
            "a number above 0",
            isinstance(value, int | float) and not isinstance(value, bool) and value > 0,
        )
    elif isinstance(usual, float):  # dropout, all of them
        number = isinstance(value, int | float) and not isinstance(value, bool)
        expected, good = "a number from 0 up to 1, without 1", number and 0.0 <= value < 1.0
    else:
        return
    if not good:
        raise InputError(expected, shown(value), name)


def _fresh(row: Kind, config: Any, seed: int | None) -> PointNetwork:
    """Without a seed parameters are as they come: something else will be written over them."""
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(seed)
        made = row.network(config)
    if seed is not None and row.uniform and not config.released:
        paper_start(made, seed)
    return made
