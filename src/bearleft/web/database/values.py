"""What the database stores alike on SQLite and PostgreSQL: texts, JSON and times. Anything else is refused first."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, String
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import text as checked_unicode

MAX_DEPTH = 100  # of nested JSON; PostgreSQL's parser has a limit of its own
MAX_INTEGER = 2**63 - 1


class RefusedValueError(InputError, DontWrapMixin):
    """A value that no column can hold; SQLAlchemy passes it on as it is."""


def utc_now() -> datetime:
    """Return the present time, with its time zone."""
    return datetime.now(UTC)


def check_text(value: str, field: str = "", max_length: int | None = None) -> str:
    """Return a text that both databases can store.

    Args:
        value: The text.
        field: Its name for error messages.
        max_length: The largest number of characters.

    Raises:
        InputError: It is no text, is too long, or holds a NUL character or half of a surrogate pair.
    """
    try:
        checked_unicode(value, field)
    except InputError as error:
        raise RefusedValueError(error.expected, error.got, error.field) from None
    if "\0" in value:
        place = value.index("\0") + 1
        raise RefusedValueError("a text without NUL characters", f"one as character {place}", field)
    if max_length is not None and len(value) > max_length:
        raise RefusedValueError(f"at most {max_length:,} characters", f"{len(value):,}", field)
    return value


def check_json(value: Any, field: str = "", max_bytes: int | None = None) -> Any:
    """Return a value that both databases can store as JSON.

    Args:
        value: Objects with text keys, lists, texts, finite numbers, booleans, None.
        field: Its name for error messages.
        max_bytes: The largest size in UTF-8.

    Raises:
        InputError: It holds something else, is nested too deeply, or is too large.
    """
    todo: list[tuple[Any, str, int]] = [(value, field, 0)]
    while todo:
        item, path, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise RefusedValueError(f"JSON of at most {MAX_DEPTH} levels", "more", field)
        if isinstance(item, dict):
            for key, inner in item.items():
                check_text(key, f"{path} (a key)")
                todo.append((inner, f"{path}.{key[:40]}" if path else key[:40], depth + 1))
        elif isinstance(item, list | tuple):
            todo.extend((inner, f"{path}[{k}]", depth + 1) for k, inner in enumerate(item))
        elif isinstance(item, str):
            check_text(item, path)
        elif isinstance(item, float) and not math.isfinite(item):
            raise RefusedValueError("a finite number", format_value(item), path)
        elif isinstance(item, int) and abs(item) > MAX_INTEGER:
            raise RefusedValueError("an integer of at most 64 bits", "a larger one", path)
        elif item is not None and not isinstance(item, bool | int | float):
            raise RefusedValueError("JSON", format_value(item), path)
    if max_bytes is not None:
        size = len(json.dumps(value, ensure_ascii=False).encode())
        if size > max_bytes:
            raise RefusedValueError(f"at most {max_bytes:,} bytes of JSON", f"{size:,}", field)
    return value


def canonical_json(value: Any) -> str:
    """Return JSON as one text that is equal for equal values: 1, 1.0 and true are three values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


class Text(TypeDecorator[str]):
    """Any Unicode text up to a length."""

    impl = String
    cache_ok = True

    def __init__(self, length: int | None = None) -> None:
        super().__init__(length)
        self.length = length

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Refuse what PostgreSQL cannot store, on both databases."""
        return None if value is None else check_text(value, max_length=self.length)


class Json(TypeDecorator[Any]):
    """JSON, kept as it was written: `json` and not `jsonb`, which would change numbers and the order of keys."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Refuse what PostgreSQL cannot store, on both databases."""
        return check_json(value)


class UtcDateTime(TypeDecorator[datetime]):
    """A time with its zone, UTC; SQLite stores it without."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time to UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a stored time to UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
