"""A class of thing, with its variants, colours and the parts one can point at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from bearleft.world.city.shapes import Model


@dataclass(frozen=True)
class ObjectClass:
    """A class: `variants` are functions that make its models, `colours` and `seconds` what its things are painted with.

    The parts of a class are those its models name; only buildings, which are not made of models, state them.
    """

    name: str
    variants: tuple[Callable[[], Model], ...]
    colours: tuple[str, ...] = ("grey",)
    seconds: tuple[str, ...] = ("white",)
    stated: tuple[str, ...] = ()

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """Its variants' models."""
        return tuple(make() for make in self.variants)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts, "" first; a part's number is its place here."""
        if self.stated:
            return self.stated
        return tuple(dict.fromkeys(("", *(solid.part for model in self.models for solid in model))))
