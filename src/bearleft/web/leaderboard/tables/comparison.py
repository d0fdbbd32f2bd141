"""Paired tests of two entries of a track, on the same episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, unknown_name
from bearleft.evaluation.score import compare_samples
from bearleft.web.database.leaderboard import EpisodeValues, Submission, Track
from bearleft.web.leaderboard.scoring.compute import unpack
from bearleft.web.leaderboard.tables.formats import csv_text
from bearleft.web.leaderboard.tables.rounding import Rounding
from bearleft.web.leaderboard.tables.rows import conventions_of, shown_convention, table_columns


@dataclass(frozen=True)
class Comparison:
    """The differences of two entries.

    Attributes:
        first: The public id of the first.
        second: The public id of the second.
        first_title: The name of the first system.
        second_title: The name of the second system.
        convention: The scoring convention.
        rows: A row for each metric, as `bearleft score` has them: the first minus the second, a 95 % interval, p
            values of a permutation test and a sign test, and on how many episodes each is above. On a hidden track
            figures are rounded, and the counts of episodes are left out.
    """

    first: str
    second: str
    first_title: str
    second_title: str
    convention: str
    rows: Sequence[dict[str, Any]]

    def to_csv(self) -> str:
        """Return the rows as CSV."""
        about = {"first": self.first, "second": self.second}
        return csv_text([about | row for row in self.rows])


def compare(session: Session, a: Submission, b: Submission, *, convention: str | None = None) -> Comparison:
    """Compare two submissions to a track by paired tests; the seeds of a submission are averaged.

    Args:
        session: A session.
        a: The first submission.
        b: The second one; whoever sees the comparison must be allowed to see both.
        convention: The scoring convention; that of the track by default.

    Raises:
        InputError: They are of different tracks, or one was not scored.
    """
    if a.track_id != b.track_id:
        raise InputError("two submissions to one track", "submissions to two")
    if a.state != "scored" or b.state != "scored":
        raise InputError("two submissions that were scored", f"{a.state} and {b.state}")
    track = session.get_one(Track, a.track_id)
    known = conventions_of(session, track)
    if convention is not None and convention not in known:
        raise unknown_name("convention of this track", convention, known)
    convention = convention or track.convention
    first, second = _values(session, a), _values(session, b)
    rows = []
    for column in table_columns(track, convention):
        own = shown_convention(column.metric, convention, first.keys() & second.keys())
        if own is None:
            continue
        row = _compare(first[own, column.metric], second[own, column.metric], column.metric, own)
        if row is not None:
            rows.append(_shown(row, track))
    return Comparison(a.public_id, b.public_id, a.title, b.title, convention, rows)


def _values(session: Session, submission: Submission) -> dict[tuple[str, str], bytes]:
    statement = select(EpisodeValues).where(EpisodeValues.submission_id == submission.id)
    return {(row.convention, row.metric): row.values for row in session.scalars(statement)}


def _compare(first: bytes, second: bytes, metric: str, convention: str) -> dict[str, Any] | None:
    """Return the row of a metric on the samples that have a value of both; None if there is none."""
    a, b = unpack(first), unpack(second)
    if len(a) != len(b):
        return None  # the answers have changed between the two
    common = np.isfinite(a) & np.isfinite(b)
    return compare_samples(a[common], b[common], metric, convention) if common.any() else None


def _shown(row: dict[str, Any], track: Track) -> dict[str, Any]:
    """Return a row as others may see it."""
    if not track.hidden:
        return row
    rounding, metric = Rounding(track.decimals), row["metric"]
    figures = {name: rounding.figure(metric, row[name]) for name in ("difference", "low", "high")}
    tests = {name: rounding.p_value(row[name]) for name in ("p_permutation", "p_sign")}
    return {name: value for name, value in (row | figures | tests).items() if name not in ("above", "below")}
