"""Object classes with their variants, colours and parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from bearleft.world.city.shapes import Model


@dataclass(frozen=True)
class ObjectClass:
    """A class of things: `variants` are functions that return its models; things are painted in the given colours.

    The parts of a class are those its models name; only buildings, which have no models, declare them.
    """

    name: str
    variants: tuple[Callable[[], Model], ...]
    colours: tuple[str, ...] = ("grey",)
    second_colours: tuple[str, ...] = ("white",)
    declared_parts: tuple[str, ...] = ()

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """Models of all variants."""
        return tuple(make() for make in self.variants)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts, "" first; the index of a part is its position here."""
        if self.declared_parts:
            return self.declared_parts
        return tuple(dict.fromkeys(("", *(solid.part for model in self.models for solid in model))))
