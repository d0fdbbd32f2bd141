"""How the best figure of a track rose, or fell, with time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from bearleft.web.database.leaderboard import Track
from bearleft.web.leaderboard.tables.model import Row
from bearleft.web.leaderboard.tables.rows import track_table


@dataclass(frozen=True)
class HistoryPoint:
    """An entry in the order of publication.

    Attributes:
        at: When it was published.
        submission: The public id of the submission.
        team: The name of the team.
        title: The name of the system.
        builtin: Whether it is a baseline that comes with bearleft.
        value: Its figure, rounded if the track is hidden.
        best: The best figure until then.
        is_record: Whether it was better than all before.
    """

    at: datetime
    submission: str
    team: str
    title: str
    builtin: bool
    value: float
    best: float
    is_record: bool


def history(session: Session, track: Track) -> list[HistoryPoint]:
    """Return the entries of a track with the figure of its primary metric, in the order of publication."""
    table = track_table(session, track)
    primary = next((column for column in table.columns if column.primary), None)
    if primary is None:
        return []
    points: list[HistoryPoint] = []
    best: float | None = None
    for at, row in sorted(_dated(table.rows), key=lambda dated: dated[0]):
        if primary.metric not in row.cells:
            continue
        value = row.cells[primary.metric].value
        is_record = best is None or (value < best if primary.higher_is_better is False else value > best)
        best = value if is_record or best is None else best
        points.append(HistoryPoint(at, row.submission, row.team, row.title, row.builtin, value, best, is_record))
    return points


def _dated(rows: Sequence[Row]) -> list[tuple[datetime, Row]]:
    return [(row.published, row) for row in rows if row.published is not None]
