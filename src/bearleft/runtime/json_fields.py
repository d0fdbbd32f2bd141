"""Validation of untrusted JSON, field by field: errors name the field, the expected value and the actual one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, TypeVar

from bearleft.errors import InputError, format_value

T = TypeVar("T")
Json = Any  # what json.loads returns


def _describe(value: Json) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return format_value(value)


def text(value: Json, field: str = "") -> str:
    """Return `value` if it is a string that can be encoded as UTF-8; JSON may contain lone surrogates.

    Args:
        value: The parsed JSON value.
        field: The name of the field for error messages.

    Raises:
        InputError: The value is not a string, or not valid Unicode.
    """
    if not isinstance(value, str):
        raise InputError("a text", _describe(value), field)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError("a text of valid Unicode", format_value(value), field) from None
    return str(value)


def nonempty_text(value: Json, field: str = "") -> str:
    """Return `value` if it is a string with at least one character that is not white space."""
    checked = text(value, field)
    if not checked.strip():
        raise InputError("a text that is not empty", format_value(checked), field)
    return checked


def number(value: Json, field: str = "", low: float = -math.inf, high: float = math.inf) -> float:
    """Return `value` as a float if it is a finite number from `low` to `high`; booleans are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError("a number", _describe(value), field)
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    if not math.isfinite(as_float):
        raise InputError("a finite number", format_value(as_float), field)
    if not low <= as_float <= high:
        raise InputError(f"a number from {low:g} to {high:g}", format_value(value), field)
    return as_float


def integer(value: Json, field: str = "", low: float = -math.inf, high: float = math.inf) -> int:
    """Return `value` if it is an integer from `low` to `high`; booleans are not integers."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("a whole number", _describe(value), field)
    number(value, field, low, high)
    return value


def items(value: Json, field: str = "", length: int | None = None, nonempty: bool = False) -> list[Json]:
    """Return `value` if it is a list, with exactly `length` items if given, or at least one if `nonempty`."""
    if not isinstance(value, list | tuple):
        raise InputError("a list", _describe(value), field)
    if length is not None and len(value) != length:
        raise InputError(f"a list of {length}", f"a list of {len(value)}", field)
    if nonempty and not value:
        raise InputError("a list that is not empty", "an empty list", field)
    return list(value)


def parse_list(parse: Callable[[Json, str], T], value: Json, field: str = "", nonempty: bool = False) -> tuple[T, ...]:
    """Return the items of a list, each parsed by `parse(item, field)`.

    Args:
        parse: A function of an item and its field name, such as `number` or `Direction.from_json`.
        value: The parsed JSON value.
        field: The name of the field for error messages.
        nonempty: Whether an empty list is an error.

    Raises:
        InputError: The value is not a list, or one of its items is invalid.
    """
    return tuple(parse(item, f"{field}[{k}]") for k, item in enumerate(items(value, field, nonempty=nonempty)))


def numbers(value: Json, field: str, length: int) -> tuple[float, ...]:
    """Return `value` if it is a list of exactly `length` finite numbers."""
    return tuple(number(item, f"{field}[{k}]") for k, item in enumerate(items(value, field, length)))


class Fields:
    """A JSON object whose fields are read and validated by name; `unread()` returns the fields not read so far.

    Attributes:
        value: The object itself.
        prefix: What precedes the names of its fields in error messages.
        used: The names of the fields read so far.
    """

    def __init__(self, value: Json, field: str = "") -> None:
        if not isinstance(value, dict):
            raise InputError("an object", _describe(value), field)
        self.value = value
        self.prefix = f"{field}." if field else ""
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> Json:
        if name not in self.value:
            available = ", ".join(map(format_value, self.value)) or "none"
            raise InputError(f"a field {name}", f"fields {available}"[:200], self.name(name))
        self.used.add(name)
        return self.value[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.value)

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def name(self, field: str) -> str:
        """Return the full name of a field for error messages."""
        return self.prefix + field

    def text(self, name: str) -> str:
        """Return a field that holds a string."""
        return text(self[name], self.name(name))

    def nonempty_text(self, name: str) -> str:
        """Return a field that holds a string with at least one character that is not white space."""
        return nonempty_text(self[name], self.name(name))

    def number(self, name: str, low: float = -math.inf, high: float = math.inf) -> float:
        """Return a field that holds a finite number from `low` to `high`."""
        return number(self[name], self.name(name), low, high)

    def integer(self, name: str, low: float = -math.inf, high: float = math.inf) -> int:
        """Return a field that holds an integer from `low` to `high`."""
        return integer(self[name], self.name(name), low, high)

    def items(self, name: str, length: int | None = None, nonempty: bool = False) -> list[Json]:
        """Return a field that holds a list, with exactly `length` items if given, or at least one if `nonempty`."""
        return items(self[name], self.name(name), length, nonempty)

    def object(self, name: str) -> Fields:
        """Return a field that holds an object."""
        return Fields(self[name], self.name(name))

    def unread(self) -> dict[str, Json]:
        """Return the fields not read so far, to keep what a file holds besides the interpreted fields."""
        return {name: value for name, value in self.value.items() if name not in self.used}


def is_integer(value: object) -> bool:
    """Return whether `value` is an integer, Python's or NumPy's; booleans are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Return whether `value` is a real number, Python's or NumPy's; booleans are not."""
    return isinstance(value, Real) and not isinstance(value, bool)
