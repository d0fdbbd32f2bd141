"""What organisers do in a shell: each function opens the database, changes something, and returns rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.types import DataFolder, Progress
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.leaderboard import Submission, Team, Track
from bearleft.web.leaderboard import submissions, teams, tracks, uploads
from bearleft.web.leaderboard.errors import LeaderboardError
from bearleft.web.leaderboard.folders import private_folder
from bearleft.web.leaderboard.log import COMMAND_LINE, log_rows
from bearleft.web.leaderboard.submissions import find_submission, submission_rows
from bearleft.web.leaderboard.teams import team_named, team_rows
from bearleft.web.leaderboard.tracks import TrackSettings, track_named

Rows = list[dict[str, Any]]


@contextmanager
def _opened(url: str) -> Iterator[Database]:
    database = open_database(url)
    try:
        yield database
    except LeaderboardError as error:
        raise InputError("what the leaderboard accepts", error.message) from None
    finally:
        database.close()


def _change(url: str, change: Callable[[Session, Database], Rows]) -> Rows:
    with _opened(url) as database:
        return database.transact(lambda session: change(session, database))


def _read(url: str, read: Callable[[Session], Rows]) -> Rows:
    with _opened(url) as database, database.read() as session:
        return read(session)


def add_track_rows(
    url: str,
    folder: str | os.PathLike[str],
    settings: TrackSettings,
    *,
    hidden: str | os.PathLike[str] | None = None,
    dataset: str = "",
    data: DataFolder = None,
    state: str = "draft",
) -> Rows:
    """Add a track with its data, and return its row.

    Args:
        url: The database.
        folder: The private folder of the leaderboard.
        settings: Settings of the track, without those of its data.
        hidden: The folder of a hidden dataset; None for a dataset whose answers are public.
        dataset: DATASET/SPLIT.
        data: The folder of datasets with public answers.
        state: "draft", or "open" to take submissions at once.

    Raises:
        InputError: A setting is invalid, or the dataset cannot be used.
    """
    if hidden is None and not dataset:
        raise InputError("--hidden FOLDER or --dataset DATASET/SPLIT", "neither")
    private = private_folder(folder)
    with _opened(url) as database:
        track = tracks.add_track(
            database, private, settings, hidden=hidden, dataset=dataset, data=data, actor=COMMAND_LINE
        )
    return set_track_state(url, track.name, state)


def add_baseline_rows(
    url: str,
    folder: str | os.PathLike[str],
    paths: Sequence[str | os.PathLike[str]] = (),
    data: DataFolder = None,
    progress: Progress | None = None,
) -> Rows:
    """Add tracks with the entries of bearleft itself, and return their rows.

    Args:
        url: The database.
        folder: The private folder of the leaderboard.
        paths: Saved results of trained systems; none adds the embedded datasets with rule-based agents.
        data: The folder of the datasets of saved results.
        progress: Called with a label, the entries done, and their number.

    Raises:
        InputError: A file of results is damaged, or its dataset is missing.
    """
    from bearleft.web.leaderboard import baselines  # imports all agents

    private = private_folder(folder)
    with _opened(url) as database:
        if paths:
            return baselines.add_saved_results(database, private, paths, data, progress)
        return [{"new entries": baselines.add_baselines(database, private, progress)}]


def track_rows(url: str) -> Rows:
    """Return a row for each track."""
    return _read(url, lambda session: _tracks(session, tracks.list_tracks(session, drafts=True)))


def set_track_state(url: str, name: str, state: str) -> Rows:
    """Open or close a track, and return its row."""

    def change(session: Session, _: Database) -> Rows:
        track = track_named(session, name)
        tracks.set_state(session, track, state, actor=COMMAND_LINE)
        return _tracks(session, [track])

    return _change(url, change)


def _tracks(session: Session, listed: Sequence[Track]) -> Rows:
    query = select(Submission.track_id, func.count(), func.count(Submission.published_at)).group_by(Submission.track_id)
    counts = {row[0]: (row[1], row[2]) for row in session.execute(query)}
    return [
        {
            "track": track.name,
            "dataset": track.dataset,
            "answers": "hidden" if track.hidden else "public",
            "state": track.state,
            "convention": track.convention,
            "measures": ", ".join(track.measures),
            "a day": track.daily_limit,
            "altogether": track.total_limit,
            "submissions": counts.get(track.id, (0, 0))[0],
            "published": counts.get(track.id, (0, 0))[1],
        }
        for track in listed
    ]


def invite_rows(url: str, *, team: str = "", uses: int = 1, days: int = 30, note: str = "") -> Rows:
    """Make an invitation, and return its row with the code, which is stored nowhere.

    Args:
        url: The database.
        team: The team that is joined; none founds a new one.
        uses: How often the code can be used.
        days: After how many days it expires.
        note: For whom it is.
    """

    def change(session: Session, database: Database) -> Rows:
        joined = team_named(session, team) if team else None
        now = database.now()
        code = teams.invite(session, team=joined, uses=uses, days=days, note=note, actor=COMMAND_LINE, now=now)
        return [{"code": code, "team": joined.name if joined else "a new one", "uses": uses, "days": days}]

    return _change(url, change)


def list_teams(url: str) -> Rows:
    """Return a row for each team."""
    return _read(url, team_rows)


def disable_teams(url: str, names: Sequence[str], disabled: bool) -> Rows:
    """Disable teams or enable them again, and return the rows of all teams."""

    def change(session: Session, database: Database) -> Rows:
        for name in names:
            team = team_named(session, name)
            teams.set_disabled(session, team, disabled, actor=COMMAND_LINE, now=database.now())
        session.flush()
        return team_rows(session)

    return _change(url, change)


def list_submissions(url: str, *, track: str = "", team: str = "") -> Rows:
    """Return a row for each submission, the newest first; of one track or team if given."""
    return _read(url, lambda session: submission_rows(session, **_chosen(session, track, team)))


def _chosen(session: Session, track: str, team: str) -> dict[str, Any]:
    chosen: dict[str, Track | Team | None] = {
        "track": track_named(session, track) if track else None,
        "team": team_named(session, team) if team else None,
    }
    return chosen


def hide_submission(url: str, public_id: str, hidden: bool) -> Rows:
    """Hide an entry from everybody but its team or show it again, and return its row."""

    def change(session: Session, database: Database) -> Rows:
        submission = find_submission(session, public_id)
        if submission is None:
            hint = "List them with: bearleft serve leaderboard submissions"
            raise InputError("the id of a submission", format_value(public_id), hint=hint)
        submissions.hide(session, submission, actor=COMMAND_LINE, hidden=hidden, now=database.now())
        session.flush()
        return [row for row in submission_rows(session) if row["submission"] == public_id]

    return _change(url, change)


def list_log(url: str, *, track: str = "", team: str = "", limit: int | None = None) -> Rows:
    """Return the lines of the log, the newest first; of one track or team if given."""
    return _read(url, lambda session: log_rows(session, **_chosen(session, track, team), limit=limit))


def check_files(url: str, folder: str | os.PathLike[str], *, remove_abandoned: bool = False) -> Rows:
    """Return a row for each file of a track or a submission that is missing or was changed.

    Args:
        url: The database.
        folder: The private folder of the leaderboard.
        remove_abandoned: Whether to remove files that no submission names, such as those of interrupted uploads.
    """
    private = private_folder(folder)
    with _opened(url) as database:
        rows = [*_missing_data(database, private), *uploads.file_rows(database, private)]
        if remove_abandoned:
            uploads.remove_abandoned(database, private)
    return rows


def _missing_data(database: Database, folder: Path) -> Rows:
    with database.read() as session:
        listed = tracks.list_tracks(session, drafts=True)
    expected = [(track, path) for track in listed for path in tracks.data_paths(track)]
    return [{"file": path, "problem": "missing"} for _, path in expected if not (folder / path).exists()]
