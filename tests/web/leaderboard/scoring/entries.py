"""Small tracks, teams, and traces to submit."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import select

from bearleft.data import load
from bearleft.data.catalog import write
from bearleft.data.dataset import MANIFEST
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.generate.hidden import ANSWERS, ENTRANTS, FORMAT, hide_goals
from bearleft.records import Trace, to_json_line
from bearleft.runtime.store import sha256
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import EpisodeValues, Figure, Submission, Team, Track
from bearleft.web.leaderboard import submissions, tracks, uploads
from bearleft.web.leaderboard.submissions import EntryDetails
from bearleft.web.leaderboard.tracks import TrackSettings
from bearleft.web.leaderboard.uploads import UploadLimits

PUBLIC = "city/touchdown/small"
EPISODES = 8  # of the hidden track
LIMITS: dict[str, Any] = {"daily_limit": 1000, "total_limit": 1000, "time_limit_s": 60, "memory_limit_mb": 1024}
Row = tuple[float, float, float, int]


def write_hidden(folder: Path, dataset: str = "city/touchdown", count: int = EPISODES) -> Path:
    """Write a hidden dataset of the first episodes of an embedded one, which takes no time; return its folder."""
    for name in (ANSWERS, ENTRANTS):
        (folder / name).mkdir(parents=True, mode=0o700)
    episodes = [replace(e, id=f"{k:016x}") for k, e in enumerate(load(f"{dataset}/small")[:count])]
    file = f"{dataset.replace('/', '-')}-test.jsonl"
    answers, entrants = folder / ANSWERS / file, folder / ENTRANTS / file
    write("jsonl", episodes, answers)
    write("jsonl", (hide_goals(episode, episode.id) for episode in episodes), entrants)
    public = {"dataset": f"{dataset}/test", "worlds": [], "episodes": count, "bearleft": "", "text_generator": ""}
    hashes = {"sha256": sha256(answers), "entrants_sha256": sha256(entrants)}
    private = {**public, **hashes, "settings": {}, "key": ""}
    for path, entry in ((answers, private), (entrants, {**public, "sha256": hashes["entrants_sha256"]})):
        content = {"format": FORMAT, "hidden": {file: entry}}
        (path.parent / MANIFEST).write_text(json.dumps(content))
    return folder


def add_hidden_track(database: Database, folder: Path, made: Path, name: str = "hidden", **settings: Any) -> Track:
    """Add an open track whose answers only the server has."""
    wanted = TrackSettings(name, **(LIMITS | settings))
    return _opened(database, tracks.add_track(database, folder, wanted, hidden=made, actor="cli"))


def add_public_track(
    database: Database, folder: Path, dataset: str = PUBLIC, name: str = "public", **settings: Any
) -> Track:
    """Add an open track with public answers."""
    wanted = TrackSettings(name, **(LIMITS | settings))
    return _opened(database, tracks.add_track(database, folder, wanted, dataset=dataset, actor="cli"))


def _opened(database: Database, track: Track) -> Track:
    with database.write() as session:
        row = tracks.track_named(session, track.name)
        tracks.set_state(session, row, "open", actor="cli")
    return row


def add_teams(database: Database, count: int) -> list[Team]:
    """Add teams, without the hashes of invitations and tokens."""
    with database.write() as session:
        teams = [Team(name=f"Team {k}", name_key=f"team {k}") for k in range(count)]
        session.add_all(teams)
    return teams


@cache
def _traces(dataset: str, agent: str, seed: int) -> tuple[Trace, ...]:
    return tuple(evaluate(agent, dataset, seed=seed))


def traces(dataset: str | Path, agent: str = "random", seed: int = 0) -> list[Trace]:
    """Return the traces of an agent on a dataset or file."""
    return list(_traces(os.fspath(dataset), agent, seed))


def mixed(dataset: str | Path, number: int) -> list[Trace]:
    """Return one of many different sets of traces: every episode is taken from one of two runs."""
    runs = [traces(dataset, seed=seed) for seed in range(2)]
    rng = random.Random(number)
    return [rng.choice(pair) for pair in zip(*runs, strict=True)]


def write_traces(path: Path, rows: Sequence[Trace]) -> Path:
    """Write traces to a file."""
    path.write_text("".join(f"{to_json_line(trace)}\n" for trace in rows))
    return path


def submit(
    database: Database,
    folder: Path,
    track: Track,
    team: Team,
    files: dict[int, Sequence[Trace]],
    key: str = "key",
    title: str = "System",
    **details: Any,
) -> Submission:
    """Upload and submit traces, as a team does."""
    stored = {}
    for seed, rows in files.items():
        path = write_traces(folder.parent / f"upload-{key}-{team.id}-{seed}.jsonl", rows)
        with open(path, "rb") as stream:
            stored[seed] = uploads.store(stream, folder, limits=UploadLimits.of(track))
        path.unlink()
    entry = EntryDetails(title, **details)
    return submissions.submit(database, track, team, stored, entry, key=key, folder=folder)


def submission_of(database: Database, submission: Submission) -> Submission:
    """Return the present state of a submission."""
    with database.read() as session:
        return session.get_one(Submission, submission.id)


def figures_of(database: Database, submission: Submission, seed: int | None = None) -> dict[tuple[str, str], Row]:
    """Return the stored figures of a seed, or of the mean of seeds."""
    with database.read() as session:
        rows = session.scalars(select(Figure).where(Figure.submission_id == submission.id)).all()
    return {
        (row.convention, row.metric): (row.value, row.low or 0.0, row.high or 0.0, row.count)
        for row in rows
        if row.seed == seed
    }


def count_values(database: Database, submission: Submission) -> int:
    """Return the number of metrics whose values are stored."""
    with database.read() as session:
        return len(session.scalars(select(EpisodeValues).where(EpisodeValues.submission_id == submission.id)).all())


def scores_of(file: Path, dataset: str | None = None) -> dict[tuple[str, str], Row]:
    """Return what `bearleft score` says of a file under every convention."""
    rows = score(file, dataset=dataset, convention="all").rows
    return {(row["convention"], row["metric"]): (row["value"], row["low"], row["high"], row["n"]) for row in rows}
