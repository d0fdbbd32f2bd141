"""A leaderboard with a track and teams, without generating a dataset."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.data import load, write
from bearleft.data.dataset import MANIFEST
from bearleft.generate.hidden import ANSWERS, ENTRANTS, FORMAT, hide_goals
from bearleft.records import Episode, LegTrace, Trace, to_json_line
from bearleft.runtime.store import sha256
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import LeaderboardEvent, Submission, Team, Track
from bearleft.web.leaderboard import submissions, teams, tracks, uploads
from bearleft.web.leaderboard.folders import private_folder
from bearleft.web.leaderboard.submissions import EntryDetails
from bearleft.web.leaderboard.tracks import TrackSettings

DATASET = "city/touchdown/test"
FILE = "city-touchdown-test.jsonl"
EPISODES = 4


def write_hidden(folder: Path, dataset: str = DATASET, count: int = EPISODES) -> Path:
    """Write the folder of a hidden dataset, with episodes of the package instead of secret ones."""
    episodes = load("city/touchdown/small")[:count]
    file = f"{dataset.replace('/', '-')}.jsonl"
    write("jsonl", episodes, folder / ANSWERS / file)
    write("jsonl", [hide_goals(episode, episode.id) for episode in episodes], folder / ENTRANTS / file)
    entry = {
        "dataset": dataset,
        "worlds": [episodes[0].world],
        "episodes": count,
        "sha256": sha256(folder / ANSWERS / file),
        "entrants_sha256": sha256(folder / ENTRANTS / file),
        "key": "fingerprint of the key",
        "settings": {"dataset": dataset},
    }
    manifest = folder / ANSWERS / MANIFEST
    before = json.loads(manifest.read_text())["hidden"] if manifest.exists() else {}
    manifest.write_text(json.dumps({"format": FORMAT, "hidden": {**before, file: entry}}))
    return folder


def walk(episode: Episode, dataset: str, **fields: Any) -> Trace:
    """Return a trace that stops at the start."""
    assert episode.start.place is not None
    return Trace(episode.id, dataset, "own", (LegTrace(("stop",), (episode.start.place,)),), **fields)


def lines(traces: Iterable[Trace]) -> bytes:
    """Return the file of some traces."""
    return "".join(f"{to_json_line(trace)}\n" for trace in traces).encode()


@dataclass
class Board:
    """A track that is open, and what is submitted to it.

    Attributes:
        database: The database.
        folder: The private folder.
        made: The folder of the hidden dataset.
        episodes: The episodes of the track as entrants get them.
        teams: Teams by name, with a token each.
    """

    database: Database
    folder: Path
    made: Path
    track: Track
    episodes: list[Episode]
    teams: dict[str, tuple[Team, str]] = field(default_factory=dict)

    @staticmethod
    def of(database: Database, tmp_path: Path, **settings: Any) -> Board:
        """Return a leaderboard with one hidden track."""
        folder, made = private_folder(tmp_path / "leaderboard"), write_hidden(tmp_path / "hidden")
        settings = {"name": "walks", "daily_limit": 3, "total_limit": 5, **settings}
        track = tracks.add_track(database, folder, TrackSettings(**settings), hidden=made, actor="cli")
        with database.write() as session:
            track = tracks.track_named(session, track.name)
            tracks.set_state(session, track, "open", actor="cli")
        return Board(database, folder, made, track, load(made / ENTRANTS / FILE))

    def team(self, name: str = "Bären") -> Team:
        """Return a team, which is founded first."""
        if name not in self.teams:
            with self.database.write() as session:
                code = teams.invite(session, actor="cli", now=self.database.now())
                self.teams[name] = teams.redeem(session, code, name=name, now=self.database.now())
        return self.teams[name][0]

    def traces(self, agent_seed: int = 0) -> list[Trace]:
        """Return a trace of each episode."""
        return [walk(episode, f"anywhere/{FILE}", seed=agent_seed) for episode in self.episodes]

    def store(self, content: bytes | None = None, seed: int = 0) -> uploads.StoredUpload:
        """Upload a file; a valid one by default."""
        content = lines(self.traces(seed)) if content is None else content
        return uploads.store(io.BytesIO(content), self.folder, limits=uploads.UploadLimits.of(self.track))

    def submit(self, key: str, name: str = "Bären", content: bytes | None = None, **entry: Any) -> Submission:
        """Submit one file."""
        details = EntryDetails(**{"title": "System"} | entry)
        team = self.team(name)
        files = {0: self.store(content)}
        return submissions.submit(self.database, self.track, team, files, details, key=key, folder=self.folder)

    def stored(self) -> list[Submission]:
        """Return all submissions."""
        with self.database.read() as session:
            return list(session.scalars(select(Submission).order_by(Submission.id)))

    def files(self) -> set[str]:
        """Return the names of all uploaded files."""
        return {str(path.relative_to(self.folder)) for path in self.folder.glob("uploads/*/*")}

    def change(self, function: Any, *arguments: Any, **options: Any) -> None:
        """Call a function with a session that writes."""
        with self.database.write() as session:
            function(session, *(merged(session, one) for one in arguments), **options)


def merged(session: Session, value: Any) -> Any:
    """Return a row as it is in a session."""
    return session.get_one(type(value), value.id) if isinstance(value, Submission | Team | Track) else value


def actions(database: Database) -> list[str]:
    """Return what the log says, in order."""
    with database.read() as session:
        return list(session.scalars(select(LeaderboardEvent.action).order_by(LeaderboardEvent.id)))
