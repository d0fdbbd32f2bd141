"""The tables of the leaderboard: tracks, teams and their tokens, submissions, figures, and an append-only log."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import DDL, CheckConstraint, Double, ForeignKey, Index, LargeBinary, UniqueConstraint, event, text
from sqlalchemy.orm import Mapped, mapped_column

from bearleft.web.database.models import Base, Id, random_id
from bearleft.web.database.values import Json, Text, utc_now

TrackState = Literal["draft", "open", "closed"]
SubmissionState = Literal["queued", "scoring", "scored", "failed"]

DESCRIPTION_LENGTH = 4000  # characters of descriptions of tracks and of notes
TITLE_LENGTH = 80  # characters of names of teams and systems
URL_LENGTH = 500
PATH_LENGTH = 500


class Track(Base):
    """A test on which entries are compared.

    Attributes:
        id: Number.
        name: Its name in addresses.
        title: Its title on pages.
        description: What it is about, and its rules.
        dataset: The dataset, such as "town/test" or the name of a hidden one.
        split: The split that its title names, such as "test".
        convention: The scoring convention of its table.
        measures: Names of the metrics that its table shows.
        primary_measure: The metric that sorts its table.
        hidden: Whether only the server has the answers.
        decimals: The number of decimals of figures that others may see; None shows all.
        daily_limit: Submissions of a team on one day in UTC.
        total_limit: Submissions of a team altogether.
        max_bytes: The largest size of an uploaded file, decompressed.
        max_files: The largest number of files of a submission, one for each seed.
        time_limit_s: How long the scoring of a submission may take.
        memory_limit_mb: The memory that the scoring of a submission may use.
        answers_folder: The folder of the data with the answers; empty for datasets that everybody can load.
        entrants_archive: The archive that entrants download; None where everybody can load the dataset.
        dataset_sha256: SHA-256 of the ids and answers of the episodes.
        package_version: The version of bearleft that added the track.
        state: "draft" (only organisers see it), "open", or "closed" (its table stays).
        created_at: When it was added.
    """

    __tablename__ = "leaderboard_tracks"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    name: Mapped[str] = mapped_column(Text(64), unique=True)
    title: Mapped[str]
    description: Mapped[str] = mapped_column(Text(DESCRIPTION_LENGTH), default="")
    dataset: Mapped[str]
    split: Mapped[str] = mapped_column(default="")
    convention: Mapped[str] = mapped_column(Text(64), default="paper")
    measures: Mapped[list[str]] = mapped_column(Json)
    primary_measure: Mapped[str] = mapped_column(Text(64))
    hidden: Mapped[bool] = mapped_column(default=False)
    decimals: Mapped[int | None]
    daily_limit: Mapped[int]
    total_limit: Mapped[int]
    max_bytes: Mapped[int] = mapped_column(Id)
    max_files: Mapped[int]
    time_limit_s: Mapped[int]
    memory_limit_mb: Mapped[int]
    answers_folder: Mapped[str] = mapped_column(Text(PATH_LENGTH), default="")
    entrants_archive: Mapped[str | None] = mapped_column(Text(PATH_LENGTH))
    dataset_sha256: Mapped[str] = mapped_column(Text(64), default="")
    package_version: Mapped[str] = mapped_column(Text(64))
    state: Mapped[TrackState] = mapped_column(Text(16), default="draft")
    created_at: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (CheckConstraint("state IN ('draft', 'open', 'closed')", name="state"),)


class Team(Base):
    """Those who submit together.

    Attributes:
        id: Number.
        public_id: Its id in addresses.
        name: Its name on pages.
        name_key: Its name without differences of case and form.
        affiliation: Where its members work.
        builtin: Whether it holds the baselines of bearleft.
        disabled_at: When an organiser disabled it.
        created_at: When it was founded.
    """

    __tablename__ = "leaderboard_teams"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    public_id: Mapped[str] = mapped_column(Text(32), unique=True, default=random_id)
    name: Mapped[str] = mapped_column(Text(TITLE_LENGTH))
    name_key: Mapped[str] = mapped_column(unique=True)
    affiliation: Mapped[str] = mapped_column(default="")
    builtin: Mapped[bool] = mapped_column(default=False)
    disabled_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Invitation(Base):
    """A code with which a team is founded, or joined.

    Attributes:
        id: Number.
        code_sha256: SHA-256 of the code.
        team_id: The team that is joined; None founds a new one.
        note: For whom it is, for organisers.
        uses_left: How often it can still be used.
        expires_at: When it ends.
        created_at: When it was made.
    """

    __tablename__ = "leaderboard_invitations"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    code_sha256: Mapped[str] = mapped_column(Text(64), unique=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("leaderboard_teams.id"), index=True)
    note: Mapped[str] = mapped_column(default="")
    uses_left: Mapped[int] = mapped_column(default=1)
    expires_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (CheckConstraint("uses_left >= 0", name="uses_left"),)


class Token(Base):
    """A secret with which a member of a team signs in and sends requests.

    Attributes:
        id: Number.
        team_id: The team.
        sha256: SHA-256 of the token, so that a copy of the database signs nobody in.
        label: What its owner calls it.
        created_at: When it was made.
        revoked_at: When it was revoked.
        last_used_at: When it was used last, to the day.
    """

    __tablename__ = "leaderboard_tokens"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("leaderboard_teams.id"), index=True)
    sha256: Mapped[str] = mapped_column(Text(64), unique=True)
    label: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


class TeamSession(Base):
    """A browser in which a member of a team is signed in.

    Attributes:
        id: Number.
        token_id: The token with which it signed in; the session ends when that is revoked.
        token_hash: SHA-256 of the token in the cookie.
        form_token: What each form of the session carries; a page of another site does not know it.
        created_at: When the browser signed in.
        expires_at: When the session ends.
    """

    __tablename__ = "leaderboard_sessions"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("leaderboard_tokens.id"), index=True)
    token_hash: Mapped[str] = mapped_column(Text(64), unique=True)
    form_token: Mapped[str] = mapped_column(Text(64))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    expires_at: Mapped[datetime]


_WAITING = text("state IN ('queued', 'scoring')")


class Submission(Base):
    """What a team submitted to a track, once.

    Attributes:
        id: Number, in the order of submission.
        public_id: Its id in addresses.
        track_id: The track.
        team_id: The team.
        created_at: When it was submitted.
        day: The day in UTC on which it counts, such as "2031-05-06".
        key: The idempotency key of the request; the same one returns the same submission.
        title: The name of the system.
        tags: What the system uses, of `TAGS`.
        cost: What a run costs, such as "3 USD".
        code_url: Address of the code.
        paper_url: Address of the paper.
        note: More about the system.
        state: "queued", "scoring", "scored" or "failed".
        attempts: How often its scoring began.
        lease_owner: The process that scores it.
        lease_token: Shows that figures come from the process that has the lease.
        lease_until: When another process may take it.
        error_code: Why its scoring failed, in one word.
        error_text: The same for people; it holds no label.
        scored_at: When it was scored.
        package_version: The version of bearleft that scored it.
        published_at: When its team published it; None is private.
        withdrawn_at: When its team withdrew it.
        hidden_at: When an organiser hid it.
    """

    __tablename__ = "leaderboard_submissions"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    public_id: Mapped[str] = mapped_column(Text(32), unique=True, default=random_id)
    track_id: Mapped[int] = mapped_column(ForeignKey("leaderboard_tracks.id"), index=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("leaderboard_teams.id"))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    day: Mapped[str] = mapped_column(Text(10))
    key: Mapped[str] = mapped_column(Text(64))
    title: Mapped[str] = mapped_column(Text(TITLE_LENGTH))
    tags: Mapped[list[str]] = mapped_column(Json, default=list)
    cost: Mapped[str] = mapped_column(Text(TITLE_LENGTH), default="")
    code_url: Mapped[str] = mapped_column(Text(URL_LENGTH), default="")
    paper_url: Mapped[str] = mapped_column(Text(URL_LENGTH), default="")
    note: Mapped[str] = mapped_column(Text(DESCRIPTION_LENGTH), default="")
    state: Mapped[SubmissionState] = mapped_column(Text(16), default="queued")
    attempts: Mapped[int] = mapped_column(default=0)
    lease_owner: Mapped[str | None]
    lease_token: Mapped[str | None] = mapped_column(Text(32))
    lease_until: Mapped[datetime | None]
    error_code: Mapped[str] = mapped_column(Text(64), default="")
    error_text: Mapped[str] = mapped_column(Text(500), default="")
    scored_at: Mapped[datetime | None]
    package_version: Mapped[str | None] = mapped_column(Text(64))
    published_at: Mapped[datetime | None]
    withdrawn_at: Mapped[datetime | None]
    hidden_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("team_id", "key"),
        CheckConstraint("state IN ('queued', 'scoring', 'scored', 'failed')", name="state"),
        Index("ix_leaderboard_submissions_quota", "team_id", "track_id", "day"),
        # The queue of the scorers, which stays small.
        Index("ix_leaderboard_submissions_queue", "id", sqlite_where=_WAITING, postgresql_where=_WAITING),
    )


class SubmissionFile(Base):
    """An uploaded file of traces.

    Attributes:
        id: Number.
        submission_id: The submission.
        seed: The seed of the system that made it.
        path: Its place in the private folder of uploads.
        bytes: Its size as it is stored.
        sha256: SHA-256 of its content, decompressed.
        traces: The number of its traces.
    """

    __tablename__ = "leaderboard_files"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("leaderboard_submissions.id"))
    seed: Mapped[int] = mapped_column(Id)
    path: Mapped[str] = mapped_column(Text(PATH_LENGTH))
    bytes: Mapped[int] = mapped_column(Id)
    sha256: Mapped[str] = mapped_column(Text(64))
    traces: Mapped[int]

    __table_args__ = (UniqueConstraint("submission_id", "seed"),)


_MEAN = text("seed IS NULL")


class Figure(Base):
    """A measured figure of a submission.

    Attributes:
        id: Number.
        submission_id: The submission.
        convention: The scoring convention.
        metric: The metric.
        seed: The seed; None is the mean of all seeds.
        value: The figure, not rounded.
        low: The lower end of its confidence interval.
        high: The upper end.
        count: The number of values of which it is the mean.
    """

    __tablename__ = "leaderboard_figures"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("leaderboard_submissions.id"))
    convention: Mapped[str] = mapped_column(Text(64))
    metric: Mapped[str] = mapped_column(Text(64))
    seed: Mapped[int | None] = mapped_column(Id)
    value: Mapped[float] = mapped_column(Double)
    low: Mapped[float | None] = mapped_column(Double)
    high: Mapped[float | None] = mapped_column(Double)
    count: Mapped[int]

    __table_args__ = (
        UniqueConstraint("submission_id", "convention", "metric", "seed"),
        Index(
            "uq_leaderboard_figures_mean",
            "submission_id",
            "convention",
            "metric",
            unique=True,
            sqlite_where=_MEAN,
            postgresql_where=_MEAN,
        ),
    )


class EpisodeValues(Base):
    """The values of a metric for each episode, for paired tests; those of hidden tracks are shown to nobody.

    Attributes:
        submission_id: The submission.
        convention: The scoring convention.
        metric: The metric.
        values: Compressed 64-bit floats in the order of the answers, each the mean over seeds.
    """

    __tablename__ = "leaderboard_values"

    submission_id: Mapped[int] = mapped_column(ForeignKey("leaderboard_submissions.id"), primary_key=True)
    convention: Mapped[str] = mapped_column(Text(64), primary_key=True)
    metric: Mapped[str] = mapped_column(Text(64), primary_key=True)
    values: Mapped[bytes] = mapped_column(LargeBinary)


class LeaderboardEvent(Base):
    """One line of the log, which the database itself refuses to change.

    Attributes:
        id: Number.
        at: When it happened.
        actor: "admin:NAME", "team:ID", "scorer" or "cli".
        action: What was done, such as "submit" or "publish".
        track_id: The track.
        team_id: The team.
        submission_id: The submission.
        details: More of it.
    """

    __tablename__ = "leaderboard_events"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    at: Mapped[datetime] = mapped_column(default=utc_now)
    actor: Mapped[str]
    action: Mapped[str] = mapped_column(Text(64))
    track_id: Mapped[int | None] = mapped_column(ForeignKey("leaderboard_tracks.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("leaderboard_teams.id"), index=True)
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("leaderboard_submissions.id"), index=True)
    details: Mapped[dict[str, Any]] = mapped_column(default=dict)


_REFUSAL = "the log of the leaderboard is only added to"
for _change in ("UPDATE", "DELETE"):
    event.listen(
        LeaderboardEvent.__table__,
        "after_create",
        DDL(  # type: ignore[no-untyped-call]
            f"CREATE TRIGGER leaderboard_events_no_{_change.lower()} BEFORE {_change} ON leaderboard_events "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        ).execute_if(dialect="sqlite"),
    )
event.listen(
    LeaderboardEvent.__table__,
    "after_create",
    DDL(  # type: ignore[no-untyped-call]
        "CREATE FUNCTION refuse_leaderboard_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    ).execute_if(dialect="postgresql"),
)
event.listen(
    LeaderboardEvent.__table__,
    "after_create",
    DDL(  # type: ignore[no-untyped-call]
        "CREATE TRIGGER leaderboard_events_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON leaderboard_events "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_leaderboard_change()"
    ).execute_if(dialect="postgresql"),
)
