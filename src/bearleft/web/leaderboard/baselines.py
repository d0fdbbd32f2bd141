"""Baselines: entries of bearleft itself.

Tracks of the embedded datasets stand in a leaderboard from its first start, with what rule-based agents do on them.
Saved results of the papers' trained systems are entered from their folders, such as `papers/answers`.
"""

from __future__ import annotations

import io
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.data.catalog import open_dataset
from bearleft.data.dataset import Dataset
from bearleft.errors import InputError, format_value
from bearleft.evaluation.evaluate import evaluate
from bearleft.experiments.systems.saved_results import OWN_TEXTS, UNREADABLE, SavedResult
from bearleft.experiments.touchdown.navigation.saved_walks import SavedWalks, read_walks
from bearleft.experiments.touchdown.predictions import SavedPredictions, read_predictions
from bearleft.models.examples import point_leg
from bearleft.records import Direction, LegTrace, Trace, to_json_line
from bearleft.runtime.store import file_lock
from bearleft.types import DataFolder, Progress
from bearleft.version import VERSION
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import Submission, Team, Track
from bearleft.web.leaderboard import submissions, tracks, uploads
from bearleft.web.leaderboard.log import COMMAND_LINE, record, team_actor
from bearleft.web.leaderboard.submissions import EntryDetails
from bearleft.web.leaderboard.teams import builtin_team
from bearleft.web.leaderboard.tracks import TrackSettings
from bearleft.web.leaderboard.uploads import StoredUpload, UploadLimits
from bearleft.world.worlds import open_world

LABEL = "baselines"
GRAMMAR = ("ground_truth", "generator_grammar")
PRACTICE = "Everybody has the answers: good for practice. Shaded entries are of bearleft."
_OTHERS = re.compile(r"[^A-Za-z0-9-]+")
_KINDS = "a file of saved predictions or walks"
_HINT = "`bearleft paper touchdown --train RUNS` writes RUNS/answers, --train-navigation writes RUNS/walks."


@dataclass(frozen=True)
class Baseline:
    """An agent that enters a track.

    Attributes:
        agent: Its name, as in `bearleft eval`.
        title: The title of its entry.
        note: What it does.
        tags: What it uses, of `TAGS`.
        seeds: Its seeds.
    """

    agent: str
    title: str
    note: str
    tags: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class BaselineTrack:
    """A track of an embedded dataset.

    Attributes:
        name: Its name in addresses.
        title: Its title.
        dataset: DATASET/SPLIT.
        baselines: The agents that enter it.
    """

    name: str
    title: str
    dataset: str
    baselines: Sequence[Baseline]


_STOP = Baseline("stop", "Stop", "Stops at once, or answers with what it sees first.")
_RANDOM = Baseline("random", "Random", "Takes random actions for as long as a reference takes.", seeds=(0, 1, 2))
_FOLLOWER = Baseline("follower", "Follower", "Parses the text by the generator's grammar in the true scene.", GRAMMAR)
_BLIND = Baseline("colour-blind", "Follower without colours", "As the follower, but it knows no colour.", GRAMMAR)
_UNIFORM = Baseline("uniform", "Uniform", "Points anywhere.", seeds=(0, 1, 2))
_CENTER = Baseline("center", "Center", "Points straight ahead.")

TRACKS = (
    BaselineTrack(
        "city-walks",
        "City: walk",
        "city/touchdown/small",
        (
            _STOP,
            _RANDOM,
            Baseline("frequent", "Frequent", "Goes forward for as long as an average reference."),
            _BLIND,
            _FOLLOWER,
        ),
    ),
    BaselineTrack("city-points", "City: point", "city/sdr/small", (_UNIFORM, _CENTER, _BLIND, _FOLLOWER)),
    BaselineTrack(
        "city-bears",
        "City: walk, then point",
        "city/touchdown-complete/small",
        (Baseline("random+center", "Random, then center", "Walks at random and points straight ahead."), _FOLLOWER),
    ),
    BaselineTrack("city-spots", "City: find a spot", "city/refer360/small", (_UNIFORM, _CENTER, _BLIND, _FOLLOWER)),
    BaselineTrack(
        "city-sections", "City: collect and assemble", "city/arramon/small", (_STOP, _RANDOM, _BLIND, _FOLLOWER)
    ),
)


def add_baselines(
    database: Database, folder: Path, progress: Progress | None = None, listed: Sequence[BaselineTrack] = TRACKS
) -> int:
    """Add the tracks of the embedded datasets with their baselines, and return the number of new entries.

    What is there already stays as it is, so that an interrupted call is resumed by the next one. A track that an
    organiser has closed, or one of another dataset with the same name, gets no entries.

    Args:
        database: The database.
        folder: The private folder of the leaderboard.
        progress: Called with a label, the entries done, and their number.
        listed: The tracks.
    """
    total, added, done = sum(len(track.baselines) for track in listed), 0, 0
    for planned in listed:
        with file_lock(folder / "baselines"):  # another server may start at the same time
            if all(_is_there(database, planned.name, _key(baseline.agent)) for baseline in planned.baselines):
                done += len(planned.baselines)
                continue
            settings = TrackSettings(planned.name, title=planned.title, description=PRACTICE)
            track = _open_track(database, folder, settings, open_dataset(planned.dataset))
            if track is None:
                done += len(planned.baselines)
                continue
            for baseline in planned.baselines:
                rows = {seed: partial(evaluate, baseline.agent, planned.dataset, seed=seed) for seed in baseline.seeds}
                entry = EntryDetails(baseline.title, baseline.tags, note=baseline.note)
                added += _enter(database, folder, track, _key(baseline.agent), rows, entry)
                done += 1
                if progress is not None:
                    progress(LABEL, done, total)
    return added


def _key(system: str) -> str:
    """Return what the key of the submission of a system begins with."""
    return f"baseline-{_OTHERS.sub('-', system)[:50]}"


def _is_there(database: Database, track: str, key: str) -> bool:
    query = (
        select(Submission.id)
        .join(Track, Track.id == Submission.track_id)
        .join(Team, Team.id == Submission.team_id)
        .where(Team.builtin, Track.name == track, Submission.key.startswith(f"{key}."))
    )
    with database.read() as session:
        return session.scalar(query.limit(1)) is not None


def _open_track(
    database: Database, folder: Path, settings: TrackSettings, dataset: Dataset, data: DataFolder = None
) -> Track | None:
    """Return an open track of a dataset, which is added if there is none; None if entries cannot be added."""
    with database.read() as session:
        track = tracks.find_track(session, settings.name)
    if track is None:
        tracks.add_track(database, folder, settings, dataset=dataset.name, data=data, actor=COMMAND_LINE)
        with database.write() as session:
            track = tracks.track_named(session, settings.name)
            tracks.set_state(session, track, "open", actor=COMMAND_LINE)
    same = track.dataset == dataset.name and track.dataset_sha256 == dataset.sha256
    return track if same and track.state == "open" else None


def _enter(
    database: Database,
    folder: Path,
    track: Track,
    key: str,
    rows: Mapping[int, Callable[[], Iterable[Trace]]],
    entry: EntryDetails,
) -> bool:
    """Submit traces by seed as bearleft; the entry is published when it is scored. Return whether it is new."""
    with database.write() as session:
        team = builtin_team(session, now=database.now())
    if _is_there(database, track.name, key):
        return False
    files: dict[int, StoredUpload] = {}
    try:
        for seed, play in rows.items():
            content = "".join(f"{to_json_line(trace)}\n" for trace in play()).encode()
            files[seed] = uploads.store(io.BytesIO(content), folder, limits=UploadLimits.of(track))
    except BaseException:
        uploads.discard(files.values())
        raise
    submission = submissions.submit(database, track, team, files, entry, key=f"{key}.{track.id}", folder=folder)

    def publish(session: Session) -> None:
        stored = session.get_one(Submission, submission.id)
        if stored.published_at is None:
            stored.published_at = database.now()
            record(session, team_actor(team), "publish", submission=stored)

    database.transact(publish)
    return True


def add_saved_results(
    database: Database,
    folder: Path,
    paths: Sequence[str | os.PathLike[str]],
    data: DataFolder = None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Enter the saved results of trained systems into tracks of their datasets, which are added if there are none.

    Args:
        database: The database.
        folder: The private folder of the leaderboard.
        paths: Files of saved predictions or walks, or folders of such files.
        data: The folder of the datasets.
        progress: Called with a label, the entries done, and their number.

    Returns:
        A row for each system and dataset, which says whether it was entered.

    Raises:
        InputError: A file is something else, or a dataset is missing.
    """
    by_dataset: dict[str, dict[str, list[SavedPredictions | SavedWalks]]] = defaultdict(lambda: defaultdict(list))
    for file in _files(paths):
        result = _read(file)
        if result.texts == OWN_TEXTS:  # others are ablations
            by_dataset[result.dataset][result.system].append(result)
    opened = {name: open_dataset(name, data) for name in by_dataset}  # before anything is changed
    total, rows = sum(map(len, by_dataset.values())), []
    for name, systems in by_dataset.items():
        dataset, track_name = opened[name], name.replace("/", "-").replace("_", "-")
        seeds = max(len(results) for results in systems.values())
        settings = TrackSettings(track_name, title=name, max_files=max(5, seeds))
        track = _open_track(database, folder, settings, dataset, data)
        for system, results in systems.items():
            state = "no open track of this dataset" if track is None else _covers(results, dataset)
            if track is not None and not state:
                plays = {result.seed: partial(_traces, result, dataset, data) for result in results}
                is_new = _enter(database, folder, track, _key(system), plays, EntryDetails(system, ("pictures",)))
                state = "entered" if is_new else "was there already"
            rows.append({"track": track_name, "system": system, "seeds": len(results), "entry": state})
            if progress is not None:
                progress(LABEL, len(rows), total)
    return rows


def _files(paths: Sequence[str | os.PathLike[str]]) -> list[Path]:
    found: list[Path] = []
    for path in map(Path, paths):
        inner = sorted(path.glob("*.npz")) if path.is_dir() else [path]
        if not inner:
            raise InputError(f"a folder with {_KINDS} (.npz)", "none there", file=str(path), hint=_HINT)
        found += inner
    return found


def _read(file: Path) -> SavedPredictions | SavedWalks:
    problems = []
    for read in (read_predictions, read_walks):
        try:
            return read(file)
        except (InputError, *UNREADABLE) as error:
            problems.append(error)
    if not file.is_file():
        raise problems[0]
    raise InputError(_KINDS, format_value(str(problems[0]))[:200], file=str(file), hint=_HINT)


def _covers(results: Sequence[SavedResult], dataset: Dataset) -> str:
    """Return why results cannot be entered; nothing if they are of all episodes."""
    expected = {episode.id for episode in dataset}
    for result in results:
        if set(result.ids) != expected:
            found = len(expected.intersection(result.ids))
            return f"results of {found:,} of {len(expected):,} episodes"
    return ""


def _traces(result: SavedPredictions | SavedWalks, dataset: Dataset, data: DataFolder) -> list[Trace]:
    """Return saved results as traces, as `bearleft eval` writes them."""
    if isinstance(result, SavedWalks):
        return result.traces({world: open_world(world, data) for world in result.worlds}, dataset.sha256)
    episodes = {episode.id: episode for episode in dataset}
    rows = []
    for episode_id, (heading, pitch) in zip(result.ids, result.directions.tolist(), strict=True):
        yaw = point_leg(episodes[episode_id])[1].yaw
        answer = Direction((yaw + heading) % 360.0, pitch)
        leg = LegTrace(("point",), answer=answer)
        rows.append(Trace(episode_id, dataset.name, result.system, (leg,), result.seed, dataset.sha256, VERSION))
    return rows
