"""Streaming JSON: the lines of a JSONL file or the items of one large array, for files of any size.

Errors are InputErrors with line and item. A line or item has at most `MAX_ITEM_BYTES`, so memory stays bounded for any
file.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import IO, Any, BinaryIO

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import existing_file

CHUNK_BYTES = 2**17
MAX_ITEM_BYTES = 64 * 2**20
# A value cut off at the end of the window fails at most this many characters before it; "-Infinity" is the longest.
MAX_TOKEN_LENGTH = 16
BOM = b"\xef\xbb\xbf"
_WHITESPACE = re.compile(r"[ \t\n\r]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise InputError("a finite number", format_value(digits).strip('"'))
    return value


def _constant(name: str) -> float:
    raise InputError("a finite number", name)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in value if names.count(name) > 1)
        raise InputError("each field once", f"{format_value(twice)} twice", twice.encode("utf-8", "replace").decode())
    return value


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_constant, object_pairs_hook=_object)


def _decode(text: str, start: int) -> tuple[Json, int]:
    """Return the value at `start` and its end; raise JSONDecodeError for wrong syntax and InputError otherwise."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise InputError("numbers of at most 4,300 digits", "a longer one") from None
    except RecursionError:
        raise InputError("JSON nested less deeply", "lists or objects too deep to read") from None
    if _SURROGATE.search(text, start, end):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise InputError("a text of valid Unicode", "half of a surrogate pair") from None
    return value, end


def loads(text: str) -> Json:
    """Parse a text that is one JSON value, as strictly as files are parsed."""
    start = _WHITESPACE.match(text).end()  # type: ignore[union-attr]  # matches the empty text as well
    try:
        value, end = _decode(text, start)
    except json.JSONDecodeError as error:
        raise InputError("JSON", f"{format_value(text[error.pos :])} ({error.msg})") from None
    if _WHITESPACE.match(text, end).end() != len(text):  # type: ignore[union-attr]
        raise InputError("one JSON value", f"more after it: {format_value(text[end:])}")
    return value


class Reader:
    """A reader of one file from its beginning; `done` of `size` bytes have been read."""

    def __init__(self, path: str | os.PathLike[str], fail: Callable[[InputError], None]) -> None:
        """Create a reader.

        Args:
            path: The file.
            fail: Called with the error of an invalid line; reading continues if it returns.
        """
        try:
            self.path = existing_file(path)
            self.size = self.path.stat().st_size
        except (OSError, ValueError) as error:
            raise InputError(
                "a file", format_value(str(error)), file=format_value(os.fspath(path)).strip('"')
            ) from None
        self.bytes_read = 0
        self._fail = fail

    def _open(self) -> BinaryIO:
        try:
            return open(self.path, "rb")
        except OSError as error:
            raise InputError("a file that can be read", format_value(str(error)), file=str(self.path)) from None

    def lines(self) -> Iterator[tuple[int, Json]]:
        """Yield line numbers and values of a JSONL file; blank lines are skipped."""
        number, any_value = 0, False
        with self._open() as stream:
            while raw := self._read(lambda: stream.readline(MAX_ITEM_BYTES + 1)):
                number += 1
                if raw.isspace():
                    continue
                any_value = True
                try:
                    value = _line(raw, number)
                except InputError as error:
                    self._fail(error.at(file=str(self.path), line=number))
                    if len(raw) > MAX_ITEM_BYTES:
                        return
                    continue
                yield number, value
        if not any_value:
            self._fail(InputError("at least one line of JSON", "an empty file", file=str(self.path)))

    def _read(self, read: Callable[[], bytes]) -> bytes:
        try:
            raw = read()
        except OSError as error:
            raise InputError("a file that can be read", format_value(str(error)), file=str(self.path)) from None
        self.bytes_read += len(raw)
        return raw

    def items(self) -> Iterator[tuple[int, int, Json]]:
        """Yield line, item number from 1, and value for each item of a file with one JSON array."""
        with self._open() as stream:
            window = _ArrayWindow(lambda size: self._read(lambda: stream.read(size)))
            try:
                for item, value in enumerate(window.items(), 1):
                    yield window.item_line, item, value
            except InputError as error:
                self._fail(error.at(file=str(self.path), line=window.line))


def _line(raw: bytes, number: int) -> Json:
    if len(raw) > MAX_ITEM_BYTES:
        hint = "Is it JSONL, with one object per line?"
        raise InputError(f"lines of at most {MAX_ITEM_BYTES:,} bytes", "a longer one", hint=hint)
    if number == 1 and raw.startswith(BOM):
        raise InputError("UTF-8 without a byte order mark", "a byte order mark", hint="Save it as plain UTF-8.")
    try:
        return loads(raw.decode())
    except UnicodeDecodeError as error:
        raise InputError("text in UTF-8", f"byte {error.object[error.start]:#04x} at {error.start}") from None
    except InputError as error:
        if not raw.endswith(b"\n"):
            error.hint = error.hint or "It is the last line and is not terminated: was the file written only in part?"
        raise


class _ArrayWindow:
    """A growing window on the text of an array; `line` is the current line, `began` that of the last item."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self._counted, self._ended = "", 0, 0, False
        self._first = True
        self._line = self.item_line = 1

    @property
    def line(self) -> int:
        """The line of the current position."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _more(self, size: int) -> None:
        """Drop the consumed text and append the next `size` bytes."""
        raw = self._read(size)
        if self._first and raw.startswith(BOM):
            raise InputError("UTF-8 without a byte order mark", "a byte order mark", hint="Save it as plain UTF-8.")
        self._first = False
        self._ended = not raw
        line = self.line
        try:
            new = self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            line += self._text.count("\n", self._at) + bytes(error.object[: error.start]).count(b"\n")
            raise InputError("text in UTF-8", f"byte {error.object[error.start]:#04x}", line=line) from None
        self._text, self._at, self._counted = self._text[self._at :] + new, 0, 0

    def _next(self) -> str:
        """Return the next character that is not whitespace, or "" at the end."""
        while True:
            self._at = _WHITESPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more(CHUNK_BYTES)

    def items(self) -> Iterator[Json]:
        first = self._next()
        if first != "[":
            got = format_value(self._text[self._at : self._at + 40]) if first else "an empty file"
            hint = "Is it JSONL? Then its name ends in .jsonl." if first == "{" else ""
            raise InputError("one JSON array", got, hint=hint)
        self._at += 1
        if self._next() == "]":
            raise InputError("at least one item", "an empty array")
        for item in count(1):
            self._next()
            self.item_line = self.line
            try:
                value = self._value()
            except InputError as error:
                raise error.at(item=item) from None
            yield value
            after = self._next()
            if after not in (",", "]"):
                got = format_value(self._text[self._at : self._at + 40]) if after else "the end of the file"
                raise InputError("a comma or the end of the array", got, hint="" if after else _TRUNCATED_HINT)
            self._at += 1
            if after == "]":
                break
        if self._next():
            raise InputError("nothing after the array", format_value(self._text[self._at : self._at + 40]))

    def _value(self) -> Json:
        size, retry = CHUNK_BYTES, True
        while True:
            try:
                value, end = _decode(self._text, self._at)
                # A number that ends near the end of the window may continue beyond it: "1.", "1e-".
                if self._ended or end <= len(self._text) - MAX_TOKEN_LENGTH or not isinstance(value, int | float):
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - MAX_TOKEN_LENGTH
                if self._ended or not cut:
                    line = self.line + self._text.count("\n", self._at, error.pos)
                    got = f"{format_value(self._text[error.pos : error.pos + 40])} ({error.msg})"
                    raise InputError("JSON", got, line=line, hint=_TRUNCATED_HINT if cut else "") from None
            except InputError:
                # The invalid number may be one that is cut off.
                if self._ended or not retry:
                    raise
                retry = False
            if len(self._text) - self._at > MAX_ITEM_BYTES:
                raise InputError(f"items of at most {MAX_ITEM_BYTES:,} bytes", "a longer one")
            # Doubling the window parses an item of any length in linear time.
            self._more(size)
            size *= 2


_TRUNCATED_HINT = "Was the file written only in part?"


def _dump(row: Json, **layout: Any) -> str:
    try:
        return json.dumps(row, allow_nan=False, **layout)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError("fields that JSON can hold", format_value(str(error))) from None


def write_lines(stream: IO[str], rows: Iterable[Json]) -> None:
    """Write one row per line."""
    for row in rows:
        stream.write(_dump(row) + "\n")


def write_array(stream: IO[str], rows: Iterable[Json]) -> None:
    """Write one array on one line."""
    for k, row in enumerate(rows):
        stream.write((", " if k else "[") + _dump(row))
    stream.write("]")


def write_indented(stream: IO[str], rows: Iterable[Json], comma: str = ", ") -> None:
    """Write one array with one field per line, as in R2R's files."""
    for k, row in enumerate(rows):
        # Line ends inside texts are escaped, so all of these are layout.
        text = _dump(row, indent=2, separators=(comma, ": ")).replace("\n", "\n  ")
        stream.write((f"{comma}\n  " if k else "[\n  ") + text)
    stream.write("\n]")
