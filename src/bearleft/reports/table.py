"""Result rows: a table for people, a JSON array of flat objects for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
FILE_WIDTH = 240


def to_json(rows: Sequence[Row]) -> str:
    """Return one JSON array, one object per line; NaN and infinity become null."""
    lines = [json.dumps({name: _plain_value(value) for name, value in row.items()}, ensure_ascii=False) for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def _plain_value(value: Any) -> Any:
    if hasattr(value, "item"):  # NumPy scalars
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_rows(rows: Sequence[Row], as_json: bool, title: str = "") -> None:
    """Print rows to standard output, as JSON or as a table."""
    if as_json:
        print(to_json(rows))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", title_style="bold", header_style="bold", box=SIMPLE_HEAD)
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        numeric = all(isinstance(_plain_value(row.get(name)), int | float | None) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in names))
    # A table written to a file or a pipe is not cut to the width of a terminal.
    console = Console(width=None if sys.stdout.isatty() else FILE_WIDTH, markup=False, emoji=False)
    console.print(table)


def _cell(value: Any) -> str:
    value = _plain_value(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e-2 or abs(value) >= 1e5 else f"{value:,.3f}".rstrip("0").rstrip(".")
    return str(value)
