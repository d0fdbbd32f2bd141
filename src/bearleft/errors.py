"""The one exception for a user's mistake; the command line turns it into a message and exit code 2."""

from __future__ import annotations

import contextlib
import difflib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

SHOWN = 80


@dataclass(eq=False)
class InputError(Exception):
    """Raised for invalid user input: what was expected, what was given instead, where, and what to type next."""

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
        """The same error with its place filled in where it was not known deeper down."""
        joint = "." if field and self.field and not self.field.startswith("[") else ""
        path = f"{field}{joint}{self.field}"
        return replace(
            self, field=path, file=self.file or file, line=self.line or line, item=self.item or item
        ).with_traceback(self.__traceback__)

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}"
        if self.item:
            place += f" (item {self.item})"
        if self.field:
            place += f"{', ' if place else ''}field {self.field}"
        message = f"{place}: " if place else ""
        message += f"expected {self.expected}"
        if self.got:
            message += f", got {self.got}"
        return f"{message}. {self.hint}" if self.hint else message


@contextlib.contextmanager
def one_line() -> Iterator[None]:
    """For programs that are run by `python -m`: a user's mistake is a line on standard error and exit code 2."""
    try:
        yield
    except InputError as error:
        print(f"bearleft: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("bearleft: stopped", file=sys.stderr)
        sys.exit(130)


def shown(value: object) -> str:
    """A value as it stands in an error message: short, on one line, with its type where that helps."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    text = " ".join(text.split())
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    text = text.encode("utf-8", "backslashreplace").decode()
    return f'"{text}"' if isinstance(value, str) else text


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for a mistyped name: the nearest known one, and all of them where they are few."""
    names = list(known)
    by_lower = {n.lower(): n for n in names}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.4)
    hint = f"Did you mean {by_lower[close[0]]}?" if close else ""
    if len(names) <= 30:
        hint += (" " if hint else "") + f"Known: {', '.join(names)}."
    return hint


def unknown(what: str, name: str, known: Iterable[str]) -> InputError:
    """The error for a name that is not one of ours."""
    names = list(known)
    article = "an" if what[0] in "aeiou" else "a"
    return InputError(expected=f"the name of {article} {what}", got=shown(name), hint=nearest(name, names))
