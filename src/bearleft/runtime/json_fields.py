"""Reading untrusted JSON objects field by field: every mistake says the field, what was wanted and what came."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, TypeVar

from bearleft.errors import InputError, shown

T = TypeVar("T")
Json = Any  # what json.loads returns


def _kind(value: Json) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return shown(value)


def text(value: Json, field: str = "") -> str:
    """A string that can be written as UTF-8 again (JSON may smuggle in lone surrogates)."""
    if not isinstance(value, str):
        raise InputError("a text", _kind(value), field)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError("a text of valid Unicode", shown(value), field) from None
    return str(value)


def some_text(value: Json, field: str = "") -> str:
    """A string with something in it."""
    words = text(value, field)
    if not words.strip():
        raise InputError("a text that is not empty", shown(words), field)
    return words


def number(value: Json, field: str = "", low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number within `low` and `high`; true and false are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError("a number", _kind(value), field)
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    if not math.isfinite(as_float):
        raise InputError("a finite number", shown(as_float), field)
    if not low <= as_float <= high:
        raise InputError(f"a number from {low:g} to {high:g}", shown(value), field)
    return as_float


def whole(value: Json, field: str = "", low: float = -math.inf, high: float = math.inf) -> int:
    """A whole number within `low` and `high`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("a whole number", _kind(value), field)
    number(value, field, low, high)
    return value


def items(value: Json, field: str = "", length: int | None = None, some: bool = False) -> list[Json]:
    """A list; of just `length` items where given, of at least one with `some`."""
    if not isinstance(value, list | tuple):
        raise InputError("a list", _kind(value), field)
    if length is not None and len(value) != length:
        raise InputError(f"a list of {length}", f"a list of {len(value)}", field)
    if some and not value:
        raise InputError("a list that is not empty", "an empty list", field)
    return list(value)


def each(read: Callable[[Json, str], T], value: Json, field: str = "", some: bool = False) -> tuple[T, ...]:
    """A list read item by item."""
    return tuple(read(item, f"{field}[{k}]") for k, item in enumerate(items(value, field, some=some)))


def numbers(value: Json, field: str, length: int) -> tuple[float, ...]:
    """A list of just `length` finite numbers."""
    return tuple(number(item, f"{field}[{k}]") for k, item in enumerate(items(value, field, length)))


class Fields:
    """A JSON object whose fields are asked for by name; `rest()` is what nobody asked for."""

    def __init__(self, value: Json, field: str = "") -> None:
        if not isinstance(value, dict):
            raise InputError("an object", _kind(value), field)
        self.value = value
        self.prefix = f"{field}." if field else ""
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> Json:
        if name not in self.value:
            there = ", ".join(map(shown, self.value)) or "none"
            raise InputError(f"a field {name}", f"fields {there}"[:200], self.name(name))
        self.used.add(name)
        return self.value[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.value)

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def name(self, field: str) -> str:
        """The field's full name, as it stands in messages."""
        return self.prefix + field

    def text(self, name: str) -> str:
        return text(self[name], self.name(name))

    def some_text(self, name: str) -> str:
        return some_text(self[name], self.name(name))

    def number(self, name: str, low: float = -math.inf, high: float = math.inf) -> float:
        return number(self[name], self.name(name), low, high)

    def whole(self, name: str, low: float = -math.inf, high: float = math.inf) -> int:
        return whole(self[name], self.name(name), low, high)

    def items(self, name: str, length: int | None = None, some: bool = False) -> list[Json]:
        return items(self[name], self.name(name), length, some)

    def object(self, name: str) -> Fields:
        return Fields(self[name], self.name(name))

    def rest(self) -> dict[str, Json]:
        """The fields that were not read, for keeping what a file holds beside what we interpret."""
        return {name: value for name, value in self.value.items() if name not in self.used}


def is_whole(value: object) -> bool:
    """Whether something is a whole number, numpy's included."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether something is a number that is not complex, numpy's included."""
    return isinstance(value, Real) and not isinstance(value, bool)
