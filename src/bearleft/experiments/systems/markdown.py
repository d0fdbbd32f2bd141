"""Markdown tables, and files of the rows that they are made of."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from bearleft.errors import InputError
from bearleft.experiments.rows import Row
from bearleft.runtime.store import existing_file, write_text

REQUIRED_KEYS = {"kind", "split", "system", "metric", "value"}  # of every row


def write_rows(path: str | os.PathLike[str], rows: Sequence[Row]) -> None:
    """Write rows to a JSON file, one per line."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    write_text(path, f"[\n{lines}\n]\n")


def read_rows(path: str | os.PathLike[str]) -> list[Row]:
    """Read rows that `write_rows` wrote."""
    file = existing_file(path, "a folder of results, or the file that --json wrote")
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError("a file of results in JSON", str(error), file=str(file)) from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= REQUIRED_KEYS for row in rows):
        raise InputError("rows of results", "something else", file=str(file))
    return rows


def section(title: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table under a heading; nothing where there are no lines."""
    return f"### {title}\n{table(header, lines)}" if lines else ""


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    rows = [header, ["---"] * len(header), *lines]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)
