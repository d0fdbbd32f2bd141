"""Tracks: tests on which entries are compared, with their settings, states and data."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import get_args

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.metrics.assembly import VARIANTS
from bearleft.metrics.conventions import CONVENTIONS
from bearleft.metrics.pointing import CELLS
from bearleft.metrics.registry import metric_name
from bearleft.runtime.store import temporary_path
from bearleft.types import DataFolder
from bearleft.version import VERSION
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import DESCRIPTION_LENGTH, Submission, Track, TrackState
from bearleft.web.database.models import NAME_LENGTH
from bearleft.web.database.values import utc_now
from bearleft.web.leaderboard.errors import LeaderboardError
from bearleft.web.leaderboard.folders import EPISODES, TRACKS, inside, make_private
from bearleft.web.leaderboard.log import record
from bearleft.web.leaderboard.names import clean_line, clean_text
from bearleft.web.leaderboard.track_data import (
    EpisodeIndex,
    TrackData,
    default_measures,
    prepare_hidden,
    prepare_public,
)

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")
STATES: tuple[TrackState, ...] = get_args(TrackState)
HIDDEN_DECIMALS = 1  # of figures of hidden tracks: finer ones would tell about single answers


@dataclass(frozen=True)
class TrackSettings:
    """What an organiser sets for a track.

    Attributes:
        name: Its name in addresses: a-z, 0-9 and -.
        title: Its title; its name by default.
        description: What it is about, and its rules.
        dataset: The dataset, from `TrackData`.
        split: The split.
        convention: The scoring convention of its table.
        measures: The metrics of its table.
        primary_measure: The metric that sorts it; the first of `measures` by default.
        hidden: Whether only the server has the answers.
        decimals: The number of decimals of shown figures; None for 1 on hidden tracks, and all on public ones.
        daily_limit: Submissions of a team on one day in UTC.
        total_limit: Submissions of a team altogether.
        max_bytes: The largest size of an uploaded file, decompressed.
        max_files: The largest number of files of a submission, one for each seed.
        time_limit_s: How long the scoring of a submission may take.
        memory_limit_mb: The memory that the scoring of a submission may use.
        answers_folder: The folder with the answers, in the private folder.
        entrants_archive: The archive for entrants, in the private folder.
        dataset_sha256: The hash that traces of the dataset carry.
    """

    name: str
    title: str = ""
    description: str = ""
    dataset: str = ""
    split: str = ""
    convention: str = "paper"
    measures: Sequence[str] = ()
    primary_measure: str = ""
    hidden: bool = False
    decimals: int | None = None
    daily_limit: int = 3
    total_limit: int = 30
    max_bytes: int = 64 * 2**20
    max_files: int = 5
    time_limit_s: int = 600
    memory_limit_mb: int = 4096
    answers_folder: str = ""
    entrants_archive: str | None = None
    dataset_sha256: str = ""

    def with_data(self, data: TrackData) -> TrackSettings:
        """Return the settings with a prepared dataset, and metrics for it where none are named.

        Raises:
            InputError: The dataset cannot be scored under the convention.
        """
        if self.convention not in data.conventions:
            raise unknown_name("convention of this dataset", self.convention, data.conventions)
        return replace(
            self,
            dataset=data.dataset,
            split=self.split or data.split,
            hidden=data.hidden,
            answers_folder=data.answers_folder,
            entrants_archive=data.entrants_archive,
            dataset_sha256=data.sha256,
            measures=tuple(self.measures) or default_measures(data.goals),
        )


# The smallest and the largest value of each limit.
_LIMITS = {
    "daily_limit": (1, 1000),
    "total_limit": (1, 100_000),
    "max_bytes": (1000, 2**30),
    "max_files": (1, 100),
    "time_limit_s": (1, 86_400),
    "memory_limit_mb": (256, 2**20),
}

_CONVENTIONS = (*CONVENTIONS, *VARIANTS, CELLS)


def check_track_name(session: Session, name: str) -> None:
    """Raise InputError if a name is invalid or another track has it."""
    if not NAME.fullmatch(name):
        raise InputError("a name of a track: a-z, 0-9 and -, at most 41 characters", format_value(name), "name")
    if session.scalar(select(Track.id).where(Track.name == name)) is not None:
        raise InputError("the name of a new track", f"{name}, which exists", "name", hint="Choose another name.")


def create_track(session: Session, settings: TrackSettings, *, actor: str, now: datetime | None = None) -> Track:
    """Add a track as a draft, which only organisers see.

    Args:
        session: A session that writes.
        settings: Its settings, with those of its data.
        actor: Who adds it, for the log.
        now: The present time.

    Raises:
        InputError: A setting is invalid, or there is a track of this name.
    """
    check_track_name(session, settings.name)
    for field, (low, high) in _LIMITS.items():
        value = getattr(settings, field)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise InputError(f"a number from {low:,} to {high:,}", format_value(value), field)
    if settings.convention not in _CONVENTIONS:
        raise unknown_name("convention", settings.convention, _CONVENTIONS)
    if not settings.dataset:
        raise InputError("a dataset", "none", "dataset")
    if settings.hidden and not settings.answers_folder:
        raise InputError("a folder of answers for a hidden track", "none", "answers_folder")
    decimals = settings.decimals if settings.decimals is not None or not settings.hidden else HIDDEN_DECIMALS
    if decimals is not None and not 0 <= decimals <= (HIDDEN_DECIMALS + 1 if settings.hidden else 10):
        got = f"{decimals}, which tells about single answers" if settings.hidden else str(decimals)
        raise InputError("decimals: 0 to 2 on a hidden track, 0 to 10 on a public one", got, "decimals")
    measures = list(dict.fromkeys(metric_name(name) for name in settings.measures))
    if not measures:
        raise InputError("at least one metric", "none", "measures")
    primary = metric_name(settings.primary_measure) if settings.primary_measure else measures[0]
    if primary not in measures:
        raise InputError(f"one of the measures ({', '.join(measures)})", primary, "primary_measure")
    try:
        title = clean_line(settings.title or settings.name, "title", NAME_LENGTH)
        description = clean_text(settings.description, "description", DESCRIPTION_LENGTH)
    except LeaderboardError as error:
        raise InputError("another text", error.message, "title or description") from None
    track = Track(
        name=settings.name,
        title=title,
        description=description,
        dataset=settings.dataset,
        split=settings.split,
        convention=settings.convention,
        measures=measures,
        primary_measure=primary,
        hidden=settings.hidden,
        decimals=decimals,
        answers_folder=settings.answers_folder,
        entrants_archive=settings.entrants_archive,
        dataset_sha256=settings.dataset_sha256,
        package_version=VERSION,
        created_at=now or utc_now(),
        **{name: getattr(settings, name) for name in _LIMITS},
    )
    try:
        with session.begin_nested():
            session.add(track)
    except IntegrityError:  # another process added it in the meantime
        hint = "Choose another name."
        raise InputError("the name of a new track", f"{settings.name}, which exists", "name", hint=hint) from None
    record(session, actor, "add track", track=track, dataset=track.dataset, hidden=track.hidden)
    return track


def add_track(
    database: Database,
    folder: Path,
    settings: TrackSettings,
    *,
    hidden: str | os.PathLike[str] | None = None,
    dataset: str = "",
    data: DataFolder = None,
    actor: str,
) -> Track:
    """Add a track with its data: a hidden dataset, or one whose answers are public.

    Args:
        database: The database.
        folder: The private folder.
        settings: Settings of the track, without those of its data.
        hidden: The folder that `bearleft data make --secret FILE -o FOLDER` wrote; None for public answers.
        dataset: DATASET/SPLIT; of a hidden folder only if it holds several.
        data: The folder of datasets with public answers.
        actor: Who adds it, for the log.

    Raises:
        InputError: A setting is invalid, the dataset cannot be used, or there is a track of this name.
    """
    with database.read() as session:
        check_track_name(session, settings.name)
    target = folder / TRACKS / settings.name
    if target.exists():
        hint = "It is of another database, or was left by an interrupted command; move it away."
        raise InputError("no folder of this track", "one", file=str(target), hint=hint)
    making = make_private(temporary_path(target))
    try:
        if hidden is not None:
            prepared = prepare_hidden(making, settings.name, hidden, dataset)
        else:
            prepared = prepare_public(making, settings.name, dataset, data)
        complete = settings.with_data(prepared)
        with database.write() as session:
            track = create_track(session, complete, actor=actor, now=database.now())
            making.rename(target)
        return track
    finally:
        shutil.rmtree(making, ignore_errors=True)


def track_named(session: Session, name: str) -> Track:
    """Return a track by its name; raise InputError with the known names if there is none."""
    track = find_track(session, name)
    if track is None:
        raise unknown_name("track", name, session.scalars(select(Track.name).order_by(Track.id)))
    return track


def find_track(session: Session, name: str) -> Track | None:
    """Return a track by its name; None if there is none."""
    if not NAME.fullmatch(name):
        return None
    return session.scalars(select(Track).where(Track.name == name)).one_or_none()


def list_tracks(session: Session, *, drafts: bool = False) -> list[Track]:
    """Return the tracks in the order in which they were added; with `drafts` also those that only organisers see."""
    query = select(Track).order_by(Track.id)
    return list(session.scalars(query if drafts else query.where(Track.state != "draft")))


def set_state(session: Session, track: Track, state: str, *, actor: str) -> None:
    """Open or close a track, or make it a draft again.

    Raises:
        InputError: The state is unknown, or a track with submissions would become a draft.
    """
    if state not in STATES:
        raise unknown_name("state", state, STATES)
    if state == "draft" and session.scalar(select(func.count()).where(Submission.track_id == track.id)):
        raise InputError("open or closed for a track with submissions", "draft", "state")
    if track.state != state:
        record(session, actor, "set state", track=track, before=track.state, after=state)
        track.state = state


def episode_index(folder: Path, track: Track) -> EpisodeIndex:
    """Return the episodes of a track without their answers."""
    return EpisodeIndex.read(folder / TRACKS / track.name / EPISODES)


def archive_path(folder: Path, track: Track) -> Path | None:
    """Return the archive that entrants download; None if they can load the dataset themselves."""
    return inside(folder, track.entrants_archive) if track.entrants_archive else None


def data_paths(track: Track) -> list[str]:
    """Return the files and folders of a track in the private folder."""
    found = (f"{TRACKS}/{track.name}/{EPISODES}", track.answers_folder, track.entrants_archive)
    return [path for path in found if path]


@dataclass(frozen=True)
class AnswersSource:
    """Where the answers of a track are, as `score` takes it.

    Attributes:
        dataset: The name of the dataset, or the file of the answers.
        data: The folder of datasets.
    """

    dataset: str
    data: DataFolder


def answers_source(folder: Path, track: Track, data: DataFolder = None) -> AnswersSource:
    """Return where the answers of a track are; only the process that scores opens them.

    Args:
        folder: The private folder.
        track: The track.
        data: The folder of real datasets.
    """
    if not track.answers_folder:
        return AnswersSource(track.dataset, data)
    answers = inside(folder, track.answers_folder)
    if not track.hidden:
        return AnswersSource(track.dataset, answers)
    family, _, split = track.dataset.rpartition("/")
    return AnswersSource(str(answers / f"{family.replace('/', '-')}-{split}.jsonl"), data)
