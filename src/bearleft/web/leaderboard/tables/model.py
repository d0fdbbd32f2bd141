"""A table of entries as data, and as CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bearleft.web.leaderboard.tables.formats import csv_text, latex_table, latex_text, markdown_table, markdown_text

TAG_NAMES = {
    "pictures": "pictures",
    "ground_truth": "ground truth",
    "language_model": "language model",
    "generator_grammar": "generator's grammar",
}


@dataclass(frozen=True)
class Column:
    """A metric of a table.

    Attributes:
        metric: The metric.
        convention: The convention of the table.
        unit: Its unit, such as %.
        higher_is_better: Whether higher figures are better; None if neither.
        digits: Decimals in tables for people.
        primary: Whether rows are sorted by it.
    """

    metric: str
    convention: str
    unit: str
    higher_is_better: bool | None
    digits: int
    primary: bool = False

    @property
    def title(self) -> str:
        """The name and unit."""
        return self.metric if self.unit == "0..1" else f"{self.metric} ({self.unit})"


@dataclass(frozen=True)
class Cell:
    """The figure of an entry for a metric, rounded if the track is hidden.

    Attributes:
        value: The mean over seeds.
        low: The lower end of its 95 % interval over episodes.
        high: The upper end.
        seeds: The figure of each seed.
        spread: The standard deviation over seeds; None of a single seed.
        count: The number of episodes, or of sentences.
        best: Whether no entry of the table has a better figure.
    """

    value: float
    low: float | None
    high: float | None
    seeds: Mapping[int, float]
    spread: float | None
    count: int
    best: bool = False


@dataclass(frozen=True)
class Row:
    """An entry of a table.

    Attributes:
        submission: The public id of the submission.
        rank: Its place by the primary metric; entries with equal figures share one, and without a figure have none.
        team: The name of the team.
        affiliation: Where its members work.
        builtin: Whether it is a baseline that comes with bearleft.
        title: The name of the system.
        tags: What it uses, of TAG_NAMES.
        cost: What a run costs.
        code_url: Address of its code.
        paper_url: Address of its paper.
        note: More about it.
        submitted: When it was submitted.
        published: When it was published.
        version: The version of bearleft that scored it.
        cells: The figures by metric.
    """

    submission: str
    rank: int | None
    team: str
    affiliation: str
    builtin: bool
    title: str
    tags: Sequence[str]
    cost: str
    code_url: str
    paper_url: str
    note: str
    submitted: datetime
    published: datetime | None
    version: str
    cells: Mapping[str, Cell] = field(default_factory=dict)

    @property
    def seeds(self) -> int:
        """The number of seeds."""
        return max((len(cell.seeds) for cell in self.cells.values()), default=0)


@dataclass(frozen=True)
class Table:
    """The table of a track.

    Attributes:
        track: The name of the track.
        title: Its title.
        dataset: The dataset.
        dataset_sha256: The hash that its version is known by.
        convention: The scoring convention.
        hidden: Whether only the server has the answers.
        columns: The metrics.
        rows: The entries, the best first.
    """

    track: str
    title: str
    dataset: str
    dataset_sha256: str
    convention: str
    hidden: bool
    columns: Sequence[Column]
    rows: Sequence[Row]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return flat objects, one for each entry, as CSV and the API hold them."""
        return [self._flat(row) for row in self.rows]

    def _flat(self, row: Row) -> dict[str, Any]:
        out: dict[str, Any] = {"track": self.track, "convention": self.convention, "rank": row.rank}
        out |= {"submission": row.submission, "team": row.team, "affiliation": row.affiliation, "system": row.title}
        out |= {"baseline": row.builtin, "tags": " ".join(row.tags), "cost": row.cost, "seeds": row.seeds}
        for column in self.columns:
            cell, name = row.cells.get(column.metric), column.metric
            out |= {name: cell and cell.value, f"{name} low": cell and cell.low, f"{name} high": cell and cell.high}
            out |= {f"{name} spread": cell and cell.spread, f"{name} n": cell and cell.count}
        out |= {"code": row.code_url, "paper": row.paper_url, "bearleft": row.version}
        out |= {"dataset": self.dataset, "dataset_sha256": self.dataset_sha256}
        return out | {"published": row.published.date().isoformat() if row.published else None}

    def to_csv(self) -> str:
        """Return the table as CSV; a text that a spreadsheet could take for a formula begins with an apostrophe."""
        return csv_text(self.to_rows())

    def to_markdown(self) -> str:
        """Return the table in Markdown: figures with their intervals."""
        head = ["", "system", "team", "uses", *(markdown_text(column.title) for column in self.columns)]
        lines = [
            [
                "" if row.rank is None else str(row.rank),
                *(markdown_text(text) for text in (row.title, row.team, _uses(row))),
                *(_figure(row, column, "{} ({}-{})", " ± {}", "**{}**") for column in self.columns),
            ]
            for row in self.rows
        ]
        return markdown_table(head, lines, [True, False, False, False, *([True] * len(self.columns))])

    def to_latex(self) -> str:
        """Return the table in LaTeX, for the package booktabs: figures with their intervals."""
        head = ["", "System", "Team", "Uses", *(latex_text(column.title) for column in self.columns)]
        lines = [
            [
                "" if row.rank is None else str(row.rank),
                *(latex_text(text) for text in (row.title, row.team, _uses(row))),
                *(_figure(row, column, "{} [{}, {}]", r" $\pm$ {}", r"\textbf{{{}}}") for column in self.columns),
            ]
            for row in self.rows
        ]
        caption = f"{latex_text(self.title)}: {latex_text(self.dataset)}, convention {latex_text(self.convention)}."
        return latex_table(head, lines, f"r{'l' * 3}{'r' * len(self.columns)}", caption)


def _uses(row: Row) -> str:
    return ", ".join(TAG_NAMES.get(tag, tag) for tag in row.tags)


def _figure(row: Row, column: Column, interval: str, spread: str, best: str) -> str:
    """Return a figure as text, with its spread over seeds and its interval."""
    cell = row.cells.get(column.metric)
    if cell is None:
        return "-"
    shown = f"{cell.value:.{column.digits}f}"
    text = best.format(shown) if cell.best else shown
    if cell.spread is not None:
        text += spread.format(f"{cell.spread:.{column.digits}f}")
    if cell.low is None or cell.high is None:
        return text
    return interval.format(text, f"{cell.low:.{column.digits}f}", f"{cell.high:.{column.digits}f}")
