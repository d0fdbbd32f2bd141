"""Result rows: a table for people, a JSON array of flat objects for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
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

    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        numeric = all(isinstance(_plain_value(row.get(name)), int | float | None) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in names))
    # A table written to a file or a pipe is not cut to the width of a terminal.
    console = Console(width=None if sys.stdout.isatty() else FILE_WIDTH, markup=False, emoji=False)
    console.print(table)


def score_table(rows: Sequence[Row]) -> tuple[str, list[dict[str, Any]]]:
    """Return the title and the rows of a table of scores; the title says what all rows have in common.

    Args:
        rows: The rows of scores, as `Scores.rows`.
    """
    names = [name for name in ("convention", "horizon") if any(name in row for row in rows)]
    common = [name for name in names if len({row.get(name) for row in rows}) == 1]
    title = ", ".join(["Scores", *(f"{name} {_cell(rows[0][name])}" for name in common)])
    table = []
    for row in rows:
        shown = {name: value for name, value in row.items() if name not in common and name != "kind"}
        interval = f"{_cell(shown.pop('low'))}, {_cell(shown.pop('high'))}"
        out: dict[str, Any] = {}
        for name, value in shown.items():
            out[name] = value
            if name == "value":
                out["95 % interval"] = interval
        table.append(out)
    return title, table


def comparison_tables(comparisons: Sequence[Row]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield a title and rows for each pair of files, narrow enough for a terminal of 80 columns.

    Args:
        comparisons: The rows of paired tests, as `Scores.comparisons`.
    """
    pairs = dict.fromkeys((row["file"], row["against"], row["convention"]) for row in comparisons)
    for file, against, convention in pairs:
        same = [
            row
            for row in comparisons
            if (row["file"], row["against"], row["convention"]) == (file, against, convention)
        ]
        counts = {row["n"] for row in same}
        episodes = f"{'up to ' if len(counts) > 1 else ''}{max(counts):,} common episodes"
        title = f"{file} minus {against}, on {episodes}, convention {convention}"
        yield (
            title,
            [
                {
                    "metric": row["metric"],
                    "diff.": _short_number(row["difference"]),
                    "95 % interval": f"{_short_number(row['low'])}, {_short_number(row['high'])}",
                    "unit": row["unit"],
                    "p": _p_value(row["p_permutation"]),
                    "p sign": _p_value(row["p_sign"]),
                    "+/-": f"{row['above']}/{row['below']}",
                }
                for row in same
            ],
        )


def cost_tables(costs: Sequence[Row]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield a title and rows for each file of traces of language models: a quantity and its value.

    Args:
        costs: The rows of costs, as `Scores.costs`.
    """
    for row in costs:
        shown = {name: value for name, value in row.items() if name not in ("kind", "file", "metric")}
        rows = [
            {"quantity": name.replace("_", " "), "value": _cell(value)}
            for name, value in shown.items()
            if value not in (None, "")
        ]
        yield f"Costs of {row['file']}, successes by {row['metric']}", rows


def _short_number(value: float) -> str:
    """Return a number in at most six characters, if it is below 10,000."""
    decimals = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{value:.{decimals}f}"


def _p_value(p: float) -> str:
    """Return a p value in at most six characters."""
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.0e}"


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
