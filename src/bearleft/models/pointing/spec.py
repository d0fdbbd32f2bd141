"""How a pointing network is built: its Config, its class, and the optimizer settings that it is trained with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from typing import Any

import torch

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.models.pointing.layers import init_uniform
from bearleft.models.pointing.network import PointNetwork, Shape


@dataclass(frozen=True)
class NetworkSpec:
    """A network, its Config, and its default optimizer settings.

    Attributes:
        config: A frozen dataclass with a field `shape` and default values for all other fields.
        network: A subclass of `PointNetwork` that is called with the Config.
        learning_rate: The learning rate.
        description: What the network is, in a few words.
        warmup_updates: Updates over which the learning rate rises from zero.
        cosine_decay: Whether the learning rate falls to zero over the run.
        weight_decay: The weight decay; with any, the optimizer is AdamW instead of Adam.
        max_grad_norm: The norm to which gradients are clipped; None for no clipping.
        uniform_init: Whether parameters are initialized as in Touchdown's paper, unless the Config says `released`.
        file: Name of the Python file that defines the network; empty for a network of bearleft.
        source: Content of that file.
    """

    config: Callable[..., Any]
    network: Callable[[Any], PointNetwork]
    learning_rate: float
    description: str = ""
    warmup_updates: int = 0
    cosine_decay: bool = False
    weight_decay: float = 0.0
    max_grad_norm: float | None = None
    uniform_init: bool = False
    file: str = ""
    source: bytes = field(default=b"", repr=False)

    @property
    def file_hash(self) -> str:
        """Return the SHA-256 of the file that defines the network; empty for a network of bearleft."""
        return hashlib.sha256(self.source).hexdigest() if self.file else ""

    @property
    def label(self) -> str:
        """Return the file's name with 8 digits of its hash, which changes with the file; empty without a file."""
        return f"{self.file}[{self.file_hash[:8]}]" if self.file else ""

    def make_config(self, values: dict[str, Any]) -> Any:
        """Return the network's Config; names and types of values are checked.

        Args:
            values: The shape, and the settings that differ from their defaults.

        Raises:
            InputError: A setting is unknown, or its value is invalid.
        """
        config = make_dataclass(self.config, values, "config", self._check)
        try:
            json.dumps(asdict(config))
        except (TypeError, ValueError) as error:
            expected = "settings that are numbers, texts, booleans or lists of them"
            raise InputError(expected, format_value(str(error)), "config", self.file) from error
        return config

    def _check(self, name: str, value: Any, default: Any) -> None:
        check_type(name, value, default) if self.file else check_setting(name, value, default)

    def build(self, config: Any, seed: int | None) -> PointNetwork:
        """Return a new network on the CPU; without a seed its weights are arbitrary, since others will be loaded.

        Raises:
            InputError: The network of a user's file raises an exception.
        """
        with torch.random.fork_rng(devices=[]):
            if seed is not None:
                torch.manual_seed(seed)
            try:
                network = self.network(config)
            except Exception as error:
                if not self.file:
                    raise
                got = format_value(f"{type(error).__name__}: {error}")
                raise InputError("a network that can be built from its Config", got, file=self.file) from error
        network.shape = config.shape
        if seed is not None and self.uniform_init and not getattr(config, "released", False):
            init_uniform(network, seed)
        return network


def make_dataclass(
    make: Callable[..., Any], values: dict[str, Any], kind: str, check: Callable[[str, Any, Any], None]
) -> Any:
    """Return a dataclass of values whose names and types are checked.

    Args:
        make: The dataclass.
        values: The values by name.
        kind: What they are, for error messages.
        check: Called with the name, value and default of each; raises InputError.
    """
    known_fields: dict[str, Field[Any]] = {field_.name: field_ for field_ in fields(make)}  # type: ignore[arg-type]
    for name in values:
        if name not in known_fields:
            raise unknown_name("setting", str(name), known_fields).at(field=kind)
    for name, field_ in known_fields.items():
        if name not in values and field_.default is MISSING and field_.default_factory is MISSING:
            raise InputError(f"a value for {name}", "none", kind)
    for name, value in values.items():
        check(name, value, known_fields[name].default)
    return make(**values)


def check_setting(name: str, value: Any, default: Any) -> None:
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


def check_type(name: str, value: Any, default: Any) -> None:
    """Raise InputError if a setting of a user's network is of another type than its default."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, bool):
        expected, valid = "true or false", isinstance(value, bool)
    elif isinstance(default, int):
        expected, valid = "a whole number", is_number and isinstance(value, int)
    elif isinstance(default, float):
        expected, valid = "a number", is_number
    elif isinstance(default, str):
        expected, valid = "a text", isinstance(value, str)
    else:
        return
    if not valid:
        raise InputError(expected, format_value(value), name)


def config_to_json(config: Any) -> dict[str, Any]:
    """Return a network's Config as plain values."""
    return asdict(config)


def network_from_json(spec: NetworkSpec, value: Any) -> tuple[PointNetwork, Any]:
    """Return a network and its Config from the output of `config_to_json`; its weights are not loaded."""
    if not isinstance(value, dict) or not isinstance(value.get("shape"), dict):
        raise InputError("a network's config with its shape", format_value(value), "config")
    shape = make_dataclass(Shape, value["shape"], "shape", check_setting)
    config = spec.make_config({**value, "shape": shape})
    return spec.build(config, None), config
