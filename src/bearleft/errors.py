"""The exception for invalid user input; the command line prints its message and exits with code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

MAX_VALUE_LENGTH = 80  # characters of a value in an error message
MAX_LISTED_NAMES = 30  # a hint lists all known names up to this many


@dataclass(eq=False)
class InputError(Exception):
    """Invalid user input.

    Attributes:
        expected: What was expected.
        got: What was given instead.
        field: The field that holds it.
        file: The file that holds it.
        line: The line of the file, counted from 1; 0 if unknown.
        item: The item of a JSON list, counted from 1; 0 if unknown.
        hint: What to do or type next.
    """

    expected: str
    got: str = ""
    field: str = ""
    file: str = ""
    line: int = 0
    item: int = 0
    hint: str = ""

    def __reduce__(self) -> tuple[type[InputError], tuple[object, ...]]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    def at(self, *, field: str = "", file: str = "", line: int = 0, item: int = 0) -> InputError:
        """Return the same error with its location added; a location that is already set is kept.

        Args:
            field: The field that holds the error's own field; both are joined.
            file: The file.
            line: The line, counted from 1.
            item: The item of a list, counted from 1.
        """
        separator = "." if field and self.field and not self.field.startswith("[") else ""
        path = f"{field}{separator}{self.field}"
        return replace(
            self, field=path, file=self.file or file, line=self.line or line, item=self.item or item
        ).with_traceback(self.__traceback__)

    def __str__(self) -> str:
        location = self.file
        if self.line:
            location += f":{self.line}"
        if self.item:
            location += f" (item {self.item})"
        if self.field:
            location += f"{', ' if location else ''}field {self.field}"
        message = f"{location}: " if location else ""
        message += f"expected {self.expected}"
        if self.got:
            message += f", got {self.got}"
        return f"{message}. {self.hint}" if self.hint else message


def format_value(value: object) -> str:
    """Return a value for an error message: short, on one line, strings in quotes."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    text = " ".join(text[: 100 * MAX_VALUE_LENGTH].split())  # lines may have many millions of characters
    text = text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 1] + "…"
    text = text.encode("utf-8", "backslashreplace").decode()
    return f'"{text}"' if isinstance(value, str) else text


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return a hint for a mistyped name: the most similar known name, and all of them if there are few.

    Args:
        name: The name that was typed.
        known: The valid names.
    """
    names = list(known)
    by_lower = {n.lower(): n for n in names}
    matches = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.4)
    hint = f"Did you mean {by_lower[matches[0]]}?" if matches else ""
    if len(names) <= MAX_LISTED_NAMES:
        hint += (" " if hint else "") + f"Known: {', '.join(names)}."
    return hint


def unknown_name(kind: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for an unknown name, with a suggestion.

    Args:
        kind: What the name is of, such as "metric".
        name: The name that was typed.
        known: The valid names.
    """
    names = list(known)
    article = "an" if kind[0] in "aeiou" else "a"
    return InputError(expected=f"the name of {article} {kind}", got=format_value(name), hint=suggest_name(name, names))
