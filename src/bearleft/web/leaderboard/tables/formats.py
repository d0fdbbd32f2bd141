"""CSV, Markdown and LaTeX of tables that hold what strangers wrote."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@")  # a spreadsheet takes such texts for formulas
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LINK = re.compile(r"\b(?:https?|ftp)(?=:)|\bwww(?=\.)|@", re.IGNORECASE)  # many renderers make links of these


def one_line(text: str) -> str:
    """Return a text with its white space and control characters as single spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a header; texts are single lines, and none is a formula."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_csv_cell(name) for name in names])
    writer.writerows([_csv_cell(row.get(name)) for name in names] for row in rows)
    return out.getvalue()


def _csv_cell(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = one_line(str(value))
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def markdown_text(text: str) -> str:
    """Return a text that Markdown shows as it is: no markup, HTML, or link."""
    escaped = "".join(_HTML.get(c, c) for c in _MARKDOWN.sub(r"\\\1", one_line(text)))
    return _LINK.sub(lambda found: f"{found[0]}<!-- -->", escaped)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """Return a table whose cells are Markdown."""
    rule = ["---:" if is_number else "---" for is_number in numeric]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *rows))


def latex_text(text: str) -> str:
    """Return a text that LaTeX prints as it is."""
    return "".join(_LATEX.get(character, character) for character in one_line(text))


def latex_table(head: Sequence[str], rows: Sequence[Sequence[str]], columns: str, caption: str) -> str:
    """Return a table whose cells are LaTeX."""
    body = "".join(f"{' & '.join(cells)} \\\\\n" for cells in rows)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(head)} \\\\\n\\midrule\n{body}\\bottomrule\n"
        f"\\end{{tabular}}\n\\caption{{{caption}}}\n\\end{{table}}\n"
    )
