"""Many teams that submit at once to a hidden track, and one large submission: all scored, once, as `bearleft score`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select

from bearleft.bench.web.load import free_port, wait_for
from bearleft.data import load
from bearleft.data.catalog import write
from bearleft.data.dataset import MANIFEST
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.generate.hidden import ANSWERS, ENTRANTS, FORMAT, hide_goals
from bearleft.records import Episode, Trace, to_json_line
from bearleft.runtime.store import sha256, write_text
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.leaderboard import Figure, LeaderboardEvent, Submission
from bearleft.web.leaderboard import teams, tracks
from bearleft.web.leaderboard.client import Entry, LeaderboardClient, submit_files
from bearleft.web.leaderboard.folders import private_folder
from bearleft.web.leaderboard.tracks import TrackSettings

FILE, DATASET = "city-touchdown-test.jsonl", "city/touchdown/test"
NAVIGATION_TEST = 1409  # walks of Touchdown's test split
LONGEST = 1800.0  # seconds until everything has to be scored


@dataclass(frozen=True)
class LeaderboardLoad:
    """The size of a load.

    Attributes:
        teams: Teams that submit at the same time.
        submissions: Submissions of each team, one after the other.
        episodes: Episodes of the track.
        large: Episodes of the track with the large submission.
        scorers: Processes that score.
    """

    teams: int = 50
    submissions: int = 20
    episodes: int = 60
    large: int = NAVIGATION_TEST
    scorers: int = 2


def bench_leaderboard() -> list[dict[str, Any]]:
    """Return two rows for SQLite and, if BEARLEFT_DATABASE names an empty database, two for it."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rows += run_leaderboard_load(str(Path(folder) / "web.sqlite"), Path(folder) / "sqlite", LeaderboardLoad())
    if url := os.environ.get("BEARLEFT_DATABASE"):
        with tempfile.TemporaryDirectory() as folder:
            rows += run_leaderboard_load(url, Path(folder) / "other", LeaderboardLoad())
    return rows


def run_leaderboard_load(url: str, folder: Path, config: LeaderboardLoad) -> list[dict[str, Any]]:
    """Let teams submit to a server, and return a row for all of them and one for the large submission.

    Args:
        url: The database, which must be empty.
        folder: An empty folder for data and uploads.
        config: The size of the load.

    Raises:
        InputError: The server does not come up.
    """
    private, database = private_folder(folder / "private"), open_database(url)
    small = _add_track(database, private, folder / "small", "small", config.episodes, config.submissions)
    large = _add_track(database, private, folder / "large", "large", config.large, 1)
    tokens = _add_teams(database, config.teams)
    files = _small_files(folder, small, config)
    whole = _write(folder / "large.jsonl", evaluate("random", str(large / ENTRANTS / FILE)))
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    options = ("--database", url, "--port", str(port), "--folder", str(private), "--scorers", str(config.scorers))
    command = [sys.executable, "-m", "bearleft", "serve", "start", "--leaderboard", "--no-baselines", *options]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    name = url.partition(":")[0] if "://" in url else "sqlite"
    try:
        wait_for(address, server)
        rows = [{"database": name, **_submit_all(database, address, tokens, files, small, config)}]
        rows.append({"database": name, **_submit_large(address, tokens[0], whole, config)})
    finally:
        server.terminate()
        server.wait()
        database.close()
    return rows


def _add_track(database: Database, private: Path, made: Path, name: str, count: int, quota: int) -> Path:
    """Add an open track with hidden answers: walks of the embedded city, as often as it takes; return their folder."""
    known = load("city/touchdown/small")
    episodes: list[Episode] = [replace(known[k % len(known)], id=f"{k:016x}") for k in range(count)]
    answers, entrants = made / ANSWERS / FILE, made / ENTRANTS / FILE
    write("jsonl", episodes, answers)
    write("jsonl", (hide_goals(episode, episode.id) for episode in episodes), entrants)
    about = {"dataset": DATASET, "worlds": [], "episodes": count, "settings": {}, "key": ""}
    hashes = {"sha256": sha256(answers), "entrants_sha256": sha256(entrants)}
    for path, entry in ((answers, {**about, **hashes}), (entrants, {**about, "sha256": hashes["entrants_sha256"]})):
        write_text(path.parent / MANIFEST, json.dumps({"format": FORMAT, "hidden": {FILE: entry}}))
    settings = TrackSettings(name, daily_limit=quota, total_limit=quota)
    tracks.add_track(database, private, settings, hidden=made, actor="bench")
    with database.write() as session:
        tracks.set_state(session, tracks.track_named(session, name), "open", actor="bench")
    return made


def _add_teams(database: Database, count: int) -> list[str]:
    """Return the tokens of new teams."""
    tokens = []
    for k in range(count):
        with database.write() as session:
            code = teams.invite(session, actor="bench", now=database.now())
            _, token = teams.redeem(session, code, name=f"Team {k}", now=database.now())
            tokens.append(token)
    return tokens


def _small_files(folder: Path, made: Path, config: LeaderboardLoad) -> list[Path]:
    """Write a different file for each submission: every episode is taken from one of two random runs."""
    runs = [evaluate("random", str(made / ENTRANTS / FILE), seed=seed) for seed in range(2)]
    files = []
    for k in range(config.teams * config.submissions):
        rng = random.Random(k)
        files.append(_write(folder / f"{k}.jsonl", [rng.choice(pair) for pair in zip(*runs, strict=True)]))
    return files


def _write(path: Path, rows: Sequence[Trace]) -> Path:
    path.write_text("".join(f"{to_json_line(trace)}\n" for trace in rows))
    return path


def _submit_all(
    database: Database, address: str, tokens: Sequence[str], files: Sequence[Path], made: Path, config: LeaderboardLoad
) -> dict[str, Any]:
    seconds: list[float] = []
    problems: list[str] = []
    names: dict[str, Path] = {}

    def work(team: int) -> None:
        client = LeaderboardClient(address, tokens[team])
        for k in range(config.submissions):
            file, begin = files[team * config.submissions + k], time.perf_counter()
            try:
                row = submit_files(client, "small", {0: file}, Entry(title=f"System {k}"))
            except InputError as error:
                problems.append(str(error))
                continue
            seconds.append(time.perf_counter() - begin)
            names[row["id"]] = file

    begin = time.perf_counter()
    threads = [threading.Thread(target=work, args=(team,)) for team in range(config.teams)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = time.perf_counter() - begin
    states = _wait_until_scored(database)
    scored = time.perf_counter() - begin
    with database.read() as session:
        events = session.scalars(select(LeaderboardEvent.submission_id).where(LeaderboardEvent.action == "scored"))
        twice = sum(number > 1 for number in Counter(events).values())
    return {
        "teams": config.teams,
        "submissions": len(files),
        "episodes": config.episodes,
        "refused": len(problems),
        "scored": states["scored"],
        "failed": states["failed"],
        "scored twice": twice,
        "other figures than score": _differences(database, names, made),
        "submit p50 s": round(float(np.percentile(seconds, 50)), 2),
        "submit p95 s": round(float(np.percentile(seconds, 95)), 2),
        "accepted s": round(accepted, 1),
        "seconds": round(scored, 1),
    }


def _wait_until_scored(database: Database) -> Counter[str]:
    end = time.monotonic() + LONGEST
    while True:
        with database.read() as session:
            states: Counter[str] = Counter(session.scalars(select(Submission.state)))
        if not states["queued"] and not states["scoring"]:
            return states
        if time.monotonic() > end:
            raise InputError(f"all submissions scored within {LONGEST:g} s", str(dict(states)))
        time.sleep(0.2)


def _differences(database: Database, names: dict[str, Path], made: Path) -> int:
    """Return the number of submissions whose figures are not those of `bearleft score`."""
    different = 0
    for name, file in names.items():
        rows = score(file, dataset=str(made / ANSWERS / FILE), convention="all").rows
        expected = {(row["convention"], row["metric"]): (row["value"], row["low"], row["high"]) for row in rows}
        with database.read() as session:
            query = select(Figure).join(Submission, Submission.id == Figure.submission_id)
            figures = session.scalars(query.where(Submission.public_id == name, Figure.seed.is_(None))).all()
        found = {(row.convention, row.metric): (row.value, row.low or 0.0, row.high or 0.0) for row in figures}
        different += found.keys() != expected.keys() or not all(
            np.allclose(found[key], value, rtol=1e-12, atol=1e-12) for key, value in expected.items()
        )
    return different


def _submit_large(address: str, token: str, file: Path, config: LeaderboardLoad) -> dict[str, Any]:
    """Return how long a large submission takes from the upload until it stands in the public table."""
    client, title = LeaderboardClient(address, token), "Large system"
    begin = time.perf_counter()
    name = submit_files(client, "large", {0: file}, Entry(title=title))["id"]
    accepted = time.perf_counter() - begin
    state = client.wait(name)["state"]
    scored = time.perf_counter() - begin
    client.publish(name)
    with urllib.request.urlopen(f"{address}/leaderboard/large") as page:
        shown = title in page.read().decode()
    return {
        "teams": 1,
        "submissions": 1,
        "episodes": config.large,
        "scored": int(state == "scored" and shown),
        "accepted s": round(accepted, 1),
        "scored s": round(scored, 1),
        "seconds": round(time.perf_counter() - begin, 1),
    }
