"""Rows of tables, from stored figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import stdev

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from bearleft.errors import unknown_name
from bearleft.evaluation.score import unit_of
from bearleft.metrics.conventions import CONVENTION_METRICS, CONVENTIONS
from bearleft.metrics.impossible_walks import LESS_IS_BETTER
from bearleft.metrics.registry import METRICS
from bearleft.web.database.leaderboard import Figure, Submission, Team, Track
from bearleft.web.leaderboard.tables.model import Cell, Column, Row, Table
from bearleft.web.leaderboard.tables.rounding import Rounding

PAPER, METRES = "paper", "ndtw-paper"
CHUNK = 500  # submissions whose figures are read at once
FiguresOf = Mapping[tuple[str, str], Mapping[int | None, Figure]]  # by convention and metric, then by seed


@dataclass(frozen=True)
class OwnRow:
    """A submission as its team sees it.

    Attributes:
        track: The name of the track.
        row: What is known of it, with its figures if it was scored.
        columns: The metrics of the track.
        state: "queued", "scoring", "scored" or "failed".
        error: Why it failed.
        attempts: How often its scoring began.
        published: Whether others see it.
        withdrawn: Whether its team withdrew it.
        hidden: Whether an organiser hid it.
    """

    track: str
    row: Row
    columns: Sequence[Column]
    state: str
    error: str
    attempts: int
    published: bool
    withdrawn: bool
    hidden: bool


def is_listed() -> ColumnElement[bool]:
    """Return the condition that everybody may see a submission, in a query that joins its team."""
    return and_(
        Submission.state == "scored",
        Submission.published_at.is_not(None),
        Submission.withdrawn_at.is_(None),
        Submission.hidden_at.is_(None),
        Team.disabled_at.is_(None),
    )


def track_table(session: Session, track: Track, *, convention: str | None = None) -> Table:
    """Return the table of a track: the entries that were scored and published.

    Args:
        session: A session.
        track: The track.
        convention: The scoring convention; that of the track by default.

    Raises:
        InputError: No entry has figures under the convention.
    """
    known = conventions_of(session, track)
    if convention is not None and convention not in known:
        raise unknown_name("convention of this track", convention, known)
    convention = convention or track.convention
    found = session.execute(
        select(Submission, Team)
        .join(Team, Submission.team_id == Team.id)
        .where(Submission.track_id == track.id, is_listed())
        .order_by(Submission.id)
    ).all()
    figures = read_figures(session, [submission.id for submission, _ in found])
    columns = table_columns(track, convention)
    rounding = Rounding(track.decimals)
    rows = [make_row(submission, team, figures[submission.id], columns, rounding) for submission, team in found]
    about = (track.name, track.title, track.dataset, track.dataset_sha256, convention, track.hidden)
    return Table(*about, columns, rank_rows(rows, columns))


def own_rows(session: Session, team: Team) -> list[OwnRow]:
    """Return all submissions of a team, the newest first; figures of hidden tracks are rounded here, too."""
    found = session.execute(
        select(Submission, Track)
        .join(Track, Submission.track_id == Track.id)
        .where(Submission.team_id == team.id)
        .order_by(Submission.id.desc())
    ).all()
    figures = read_figures(session, [submission.id for submission, _ in found if submission.state == "scored"])
    return [_own_row(submission, track, team, figures[submission.id]) for submission, track in found]


def _own_row(submission: Submission, track: Track, team: Team, figures: FiguresOf) -> OwnRow:
    columns = table_columns(track, track.convention)
    return OwnRow(
        track.name,
        make_row(submission, team, figures, columns, Rounding(track.decimals)),
        columns,
        submission.state,
        submission.error_text,
        submission.attempts,
        submission.published_at is not None,
        submission.withdrawn_at is not None,
        submission.hidden_at is not None,
    )


def conventions_of(session: Session, track: Track) -> list[str]:
    """Return the conventions that entries of a track have figures under, in the order of the documentation."""
    statement = select(Figure.convention).join(Submission, Figure.submission_id == Submission.id)
    known = {*session.scalars(statement.where(Submission.track_id == track.id).distinct()), track.convention}
    order = {name: k for k, name in enumerate(CONVENTIONS)}
    return sorted(known, key=lambda name: (order.get(name, len(order)), name))


def read_figures(session: Session, submissions: Sequence[int]) -> Mapping[int, FiguresOf]:
    """Return the figures of submissions."""
    result: dict[int, dict[tuple[str, str], dict[int | None, Figure]]] = defaultdict(lambda: defaultdict(dict))
    for begin in range(0, len(submissions), CHUNK):
        part = submissions[begin : begin + CHUNK]
        for figure in session.scalars(select(Figure).where(Figure.submission_id.in_(part))):
            result[figure.submission_id][figure.convention, figure.metric][figure.seed] = figure
    return result


def shown_convention(metric: str, convention: str, known: Container[tuple[str, str]]) -> str | None:
    """Return the convention whose figure of a metric a table shows; None if there is none.

    In buildings `paper` is Table 3 of the nDTW paper. Metrics that have one definition are the same under all.

    Args:
        metric: The metric.
        convention: The convention of the table.
        known: The conventions and metrics of which there are figures.
    """
    choices = [convention, METRES] if convention == PAPER else [convention]
    if metric not in CONVENTION_METRICS or convention not in CONVENTIONS:
        choices.append(PAPER)
    return next((choice for choice in choices if (choice, metric) in known), None)


def table_columns(track: Track, convention: str) -> list[Column]:
    """Return the metrics of a track's table, without those that the convention does not define."""
    rounding = Rounding(track.decimals)
    columns = []
    for metric in track.measures:
        undefined = convention in CONVENTIONS and metric not in CONVENTIONS[convention].metrics
        if metric in CONVENTION_METRICS and convention != PAPER and undefined:
            continue
        better = False if (convention, metric) in LESS_IS_BETTER else METRICS[metric].higher_is_better
        unit, digits = unit_of(metric, convention), rounding.digits(metric)
        columns.append(Column(metric, convention, unit, better, digits, metric == track.primary_measure))
    return columns


def make_row(
    submission: Submission, team: Team, figures: FiguresOf, columns: Sequence[Column], rounding: Rounding
) -> Row:
    """Return the row of a submission, without its rank."""
    cells = {}
    for column in columns:
        convention = shown_convention(column.metric, column.convention, figures)
        if convention is not None and None in figures[convention, column.metric]:
            cells[column.metric] = _cell(figures[convention, column.metric], column.metric, rounding)
    return Row(
        submission.public_id,
        None,
        team.name,
        team.affiliation,
        team.builtin,
        submission.title,
        tuple(submission.tags),
        submission.cost,
        submission.code_url,
        submission.paper_url,
        submission.note,
        submission.created_at,
        submission.published_at,
        submission.package_version or "",
        cells,
    )


def _cell(figures: Mapping[int | None, Figure], metric: str, rounding: Rounding) -> Cell:
    mean = figures[None]
    seeds = {seed: figure.value for seed, figure in sorted(figures.items(), key=_by_seed) if seed is not None}
    spread = stdev(seeds.values()) if len(seeds) > 1 else None
    return Cell(
        rounding.figure(metric, mean.value),
        None if mean.low is None else rounding.figure(metric, mean.low),
        None if mean.high is None else rounding.figure(metric, mean.high),
        {seed: rounding.figure(metric, value) for seed, value in seeds.items()},
        None if spread is None else rounding.figure(metric, spread),
        mean.count,
    )


def _by_seed(item: tuple[int | None, Figure]) -> int:
    return -1 if item[0] is None else item[0]


def rank_rows(rows: Sequence[Row], columns: Sequence[Column]) -> list[Row]:
    """Return rows with their ranks, the best first, and the best figure of each metric marked.

    The order of equal figures is that of submission: on a hidden track an order by exact figures would tell them.
    """
    for column in columns:
        rows = _mark_best(rows, column)
    primary = next((column for column in columns if column.primary), None)
    if primary is None:
        return list(rows)
    values = [_sort_value(row, primary) for row in rows]
    order = sorted(range(len(rows)), key=lambda k: (values[k], rows[k].submitted))
    ranked = []
    for k in order:
        rank = 1 + sum(value < values[k] for value in values) if primary.metric in rows[k].cells else None
        ranked.append(replace(rows[k], rank=rank))
    return ranked


def _sort_value(row: Row, column: Column) -> float:
    if column.metric not in row.cells:
        return float("inf")
    value = row.cells[column.metric].value
    return value if column.higher_is_better is False else -value


def _mark_best(rows: Sequence[Row], column: Column) -> list[Row]:
    if column.higher_is_better is None:
        return list(rows)
    values = [_sort_value(row, column) for row in rows if column.metric in row.cells]
    return [
        replace(row, cells={**row.cells, column.metric: replace(row.cells[column.metric], best=True)})
        if column.metric in row.cells and _sort_value(row, column) == min(values)
        else row
        for row in rows
    ]
