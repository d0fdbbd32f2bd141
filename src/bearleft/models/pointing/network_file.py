"""Pointing networks of users' Python files."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import torch

from bearleft.errors import InputError, format_value
from bearleft.models.pointing.network import Batch, PointNetwork
from bearleft.models.pointing.spec import NetworkSpec
from bearleft.runtime.user_module import import_file

SUFFIX, VARIABLE = ".py", "NETWORK"
EXPECTED = "a Python file with a network"
HINT = "examples/own_network.py is a complete example."


def is_network_file(name: str) -> bool:
    """Return whether a network's name is the path of a Python file."""
    return name.endswith(SUFFIX)


def load_network_file(path: str | Path) -> NetworkSpec:
    """Run a Python file and return the `NetworkSpec` that it assigns to `NETWORK`.

    Args:
        path: The file. It is run with the rights of the user, so it must be one that the user named and trusts.

    Raises:
        InputError: The file is missing, cannot be imported, or does not define a network.
    """
    path = Path(path)
    module, source = import_file(path, "network", EXPECTED)
    spec = getattr(module, VARIABLE, None)
    file = str(path)
    if not isinstance(spec, NetworkSpec):
        got = "no such variable" if spec is None else f"a {type(spec).__name__}"
        expected = f"{VARIABLE} = NetworkSpec(Config, MyNetwork, learning_rate=0.001)"
        raise InputError(expected, got, file=file, hint=HINT)
    if not (is_dataclass(spec.config) and "shape" in {field.name for field in fields(spec.config)}):
        expected = "a Config that is a dataclass with a field shape"
        raise InputError(expected, _name(spec.config), file=file, hint=HINT)
    if not (inspect.isclass(spec.network) and issubclass(spec.network, PointNetwork)):
        raise InputError("a subclass of PointNetwork", _name(spec.network), file=file, hint=HINT)
    return replace(spec, file=path.name, source=source)


def _name(value: Any) -> str:
    return format_value(getattr(value, "__name__", value))


def check_network(spec: NetworkSpec, config: Any) -> None:
    """Run a user's network once on a batch of two texts, so that a mistake is found before features are computed.

    Raises:
        InputError: The network raises an exception, or its result is not a score for every cell.
    """
    network, shape = spec.build(config, 0), config.shape
    features = torch.zeros(2, shape.channels, shape.rows, shape.columns).contiguous(memory_format=torch.channels_last)
    words = torch.ones(2, 3, dtype=torch.int64)
    words[1, 1:] = 0
    try:
        scores = network(Batch(features, words, torch.tensor([3, 1])))
    except Exception as error:
        got = format_value(f"{type(error).__name__}: {error}")
        raise InputError("a network whose forward accepts a batch", got, file=spec.file, hint=HINT) from error
    expected = f"scores of shape (2, {shape.rows}, {shape.columns}): examples, rows, columns"
    if not isinstance(scores, torch.Tensor):
        raise InputError(expected, f"a {type(scores).__name__}", file=spec.file, hint=HINT)
    if scores.shape != (2, shape.rows, shape.columns):
        raise InputError(expected, str(tuple(scores.shape)), file=spec.file, hint=HINT)
    if not scores.requires_grad:
        raise InputError("scores that depend on parameters", "scores without a gradient", file=spec.file, hint=HINT)
