"""Baselines: rule-based agents and saved results in tracks of their datasets, with the figures of `bearleft score`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load
from bearleft.data.catalog import open_dataset
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.experiments.touchdown.navigation.saved_walks import SavedWalks, path_lengths, save_walks
from bearleft.experiments.touchdown.predictions import SavedPredictions, baselines, save_predictions
from bearleft.experiments.touchdown.scoring import SplitScorer
from bearleft.metrics.ragged_paths import Ragged
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.leaderboard import Submission
from bearleft.web.leaderboard import baselines as module
from bearleft.web.leaderboard import tracks
from bearleft.web.leaderboard.baselines import (
    TRACKS,
    Baseline,
    BaselineTrack,
    add_baselines,
    add_saved_results,
)
from bearleft.web.leaderboard.scoring.client import ScoringProcess
from bearleft.web.leaderboard.scoring.scorer import Scorer
from bearleft.web.leaderboard.submissions import TAGS
from bearleft.web.leaderboard.tables import track_table
from bearleft.web.leaderboard.tracks import TrackSettings
from bearleft.world.graphs.transitions import ACTIONS
from bearleft.world.worlds import open_world
from tests.commands import run_command
from tests.web.leaderboard.scoring.entries import add_public_track, add_teams, scores_of, submit, traces, write_traces

WALKS, POINTS = "city/touchdown/small", "city/sdr/small"
SMALL = (
    BaselineTrack(
        "walks", "Walk", WALKS, (Baseline("random", "Random", "", seeds=(0, 1)), Baseline("frequent", "Frequent", ""))
    ),
    BaselineTrack("points", "Point", POINTS, (Baseline("center", "Center", ""),)),
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A database, on SQLite."""
    opened = open_database(tmp_path / "web.sqlite")
    yield opened
    opened.close()


def score_all(database: Database, folder: Path, process: ScoringProcess) -> None:
    """Score all submissions that wait."""
    scorer = Scorer(database, folder, process=process)
    while scorer.score_next():
        pass


def table(database: Database, name: str) -> dict[str, Any]:
    """Return the public rows of a track by title."""
    with database.read() as session:
        return {row.title: row for row in track_table(session, tracks.track_named(session, name)).rows}


def entries(database: Database) -> list[Submission]:
    """Return all submissions."""
    with database.read() as session:
        return list(session.query(Submission).order_by(Submission.id))


def test_baselines_stand_in_the_tables_with_the_figures_of_score(
    database: Database, folder: Path, process: ScoringProcess, tmp_path: Path
) -> None:
    done: list[tuple[str, int, int]] = []
    assert add_baselines(database, folder, lambda *step: done.append(step), SMALL) == 3
    assert done == [("baselines", k, 3) for k in (1, 2, 3)]
    assert table(database, "walks") == {}  # nothing is shown before it is scored
    score_all(database, folder, process)
    rows = table(database, "walks")
    assert set(rows) == {"Random", "Frequent"} and all(row.builtin and row.rank for row in rows.values())
    assert set(rows["Random"].cells["TC"].seeds) == {0, 1}
    file = write_traces(tmp_path / "frequent.jsonl", traces(WALKS, "frequent"))
    value, low, high, count = scores_of(file)["paper", "SPD"]
    cell = rows["Frequent"].cells["SPD"]
    assert (cell.value, cell.low, cell.high, cell.count) == pytest.approx((value, low, high, count))
    assert add_baselines(database, folder, None, SMALL) == 0
    assert len(entries(database)) == 3


def test_an_interrupted_start_is_resumed(database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(agent: str, dataset: str, **options: Any) -> Any:
        if agent == "frequent":
            raise KeyboardInterrupt
        return evaluate(agent, dataset, **options)

    monkeypatch.setattr(module, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        add_baselines(database, folder, None, SMALL)
    assert [entry.title for entry in entries(database)] == ["Random"]
    monkeypatch.undo()
    assert add_baselines(database, folder, None, SMALL) == 2
    assert all(entry.published_at for entry in entries(database))
    assert len(list(folder.glob("uploads/*/*.jsonl"))) == 4


def test_servers_that_start_at_once_add_each_baseline_once(tmp_path: Path, folder: Path) -> None:
    url, errors = tmp_path / "web.sqlite", []
    open_database(url).close()

    def start() -> None:
        own = open_database(url, migrate=False)
        try:
            add_baselines(own, folder, None, SMALL)
        except BaseException as error:
            errors.append(error)
        finally:
            own.close()

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    own = open_database(url, migrate=False)
    assert sorted(entry.title for entry in entries(own)) == ["Center", "Frequent", "Random"]
    own.close()


def test_tracks_of_organisers_get_no_baselines(database: Database, folder: Path) -> None:
    add_public_track(database, folder, POINTS, "walks")
    track = add_public_track(database, folder, POINTS, "points")
    with database.write() as session:
        tracks.set_state(session, tracks.track_named(session, track.name), "closed", actor="cli")
    assert add_baselines(database, folder, None, SMALL) == 0
    assert entries(database) == []


def test_quotas_hold_for_teams_only(database: Database, folder: Path) -> None:
    track = add_public_track(database, folder, WALKS, "walks", daily_limit=1, total_limit=1)
    (team,) = add_teams(database, 1)
    submit(database, folder, track, team, {0: traces(WALKS)})
    assert add_baselines(database, folder, None, SMALL[:1]) == 2
    with pytest.raises(Exception, match="all its 1 submissions"):
        submit(database, folder, track, team, {0: traces(WALKS, seed=1)}, key="other")


@pytest.mark.slow
def test_every_listed_baseline_can_play_its_track() -> None:
    assert len({track.name for track in TRACKS}) == len(TRACKS)
    for planned in TRACKS:
        TrackSettings(planned.name)
        assert len({baseline.title for baseline in planned.baselines}) == len(planned.baselines)
        episodes = open_dataset(f"{planned.dataset}@2")
        for baseline in planned.baselines:
            assert set(baseline.tags) <= set(TAGS) and baseline.note
            played = evaluate(baseline.agent, f"{planned.dataset}@2")
            assert [trace.episode for trace in played] == [episode.id for episode in episodes]


def predicted(seed: int = 0, name: str = "RANDOM") -> SavedPredictions:
    """Return the predictions of a random system on the small dataset."""
    episodes = load(POINTS)
    made = {(saved.system, saved.seed): saved for saved in baselines(POINTS, episodes, episodes, 2)}
    return made[name, seed]


def walked(seed: int = 0) -> SavedWalks:
    """Return the random walks of a seed as saved walks."""
    found = traces(WALKS, seed=seed)
    by_id = {episode.id: episode for episode in load(WALKS)}
    names = list(dict.fromkeys(episode.world for episode in by_id.values()))
    graphs = {name: open_world(name) for name in names}
    worlds = [by_id[trace.episode].world for trace in found]
    numbers = {name: {place: k for k, place in enumerate(graph.ids)} for name, graph in graphs.items()}
    actions = ragged([[ACTIONS.index(action) for action in trace.legs[0].actions] for trace in found])
    places = ragged(
        [[numbers[world][str(p)] for p in trace.legs[0].path] for world, trace in zip(worlds, found, strict=True)]
    )
    assert (places.lengths == path_lengths(actions)).all()
    indices = np.array([names.index(world) for world in worlds])
    sizes = {name: len(graph.ids) for name, graph in graphs.items()}
    return SavedWalks("WALKER", WALKS, seed, tuple(trace.episode for trace in found), sizes, indices, actions, places)


def ragged(rows: list[list[int]]) -> Ragged:
    """Return rows of different lengths."""
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return Ragged(np.array([value for row in rows for value in row]), starts)


@pytest.mark.slow
def test_saved_results_get_the_figures_of_the_papers_tables(
    database: Database, folder: Path, process: ScoringProcess, tmp_path: Path
) -> None:
    saved = tmp_path / "answers"
    for seed in (0, 1):
        save_predictions(saved, predicted(seed))
        save_walks(saved, walked(seed))
    save_predictions(saved, predicted(name="CENTER"))
    save_predictions(saved, replace(predicted(), system="SHUFFLED", texts="shuffled"))  # ablations are no entries
    rows = add_saved_results(database, folder, [saved])
    assert {(row["track"], row["system"], row["seeds"], row["entry"]) for row in rows} == {
        ("city-sdr-small", "RANDOM", 2, "entered"),
        ("city-sdr-small", "CENTER", 1, "entered"),
        ("city-touchdown-small", "WALKER", 2, "entered"),
    }
    score_all(database, folder, process)
    pointing, scorer = table(database, "city-sdr-small"), SplitScorer(POINTS, load(POINTS), resamples=10)
    for title, seeds in (("RANDOM", (0, 1)), ("CENTER", (0,))):
        for seed in seeds:
            expected = scorer.metrics(scorer.distances(predicted(seed, title)))["Dist"].values.mean()
            assert pointing[title].cells["Dist"].seeds[seed] == pytest.approx(expected, rel=1e-5)
    walking = table(database, "city-touchdown-small")["WALKER"]
    for seed in (0, 1):
        file = write_traces(tmp_path / f"{seed}.jsonl", traces(WALKS, seed=seed))
        assert walking.cells["SPD"].seeds[seed] == pytest.approx(scores_of(file)["paper", "SPD"][0])
    assert {row["entry"] for row in add_saved_results(database, folder, [saved])} == {"was there already"}
    assert len(entries(database)) == 3


def test_results_of_a_part_of_a_dataset_are_no_entry(database: Database, folder: Path, tmp_path: Path) -> None:
    whole = predicted()
    file = save_predictions(tmp_path, replace(whole, ids=whole.ids[:9], directions=whole.directions[:9]))
    (row,) = add_saved_results(database, folder, [file])
    assert row["entry"] == "results of 9 of 164 episodes"
    assert entries(database) == []


def test_bad_results_are_errors_and_change_nothing(database: Database, folder: Path, tmp_path: Path) -> None:
    good = save_predictions(tmp_path / "good", predicted())
    other = save_predictions(tmp_path / "other", replace(predicted(), dataset="city/sdr/none"))
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(good.read_bytes()[:500])
    (tmp_path / "empty").mkdir()
    for path, text in (
        (damaged, "expected a file of saved predictions or walks"),
        (tmp_path / "empty", "expected a folder with a file of saved predictions or walks"),
        (tmp_path / "missing.npz", "expected a file of answers"),
        (other, "city/sdr/none"),
    ):
        with pytest.raises(InputError, match=text):
            add_saved_results(database, folder, [good, path])
    with database.read() as session:
        assert tracks.list_tracks(session, drafts=True) == []


def test_organisers_add_saved_results_in_a_shell(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, own = save_predictions(tmp_path, predicted()), ("--database", tmp_path / "web.sqlite", "--folder", folder)
    code, out, _ = run_command(capsys, "serve", "leaderboard", "add-baselines", file, *own, "--json")
    (row,) = json.loads(out)
    assert (code, row["system"], row["entry"]) == (0, "RANDOM", "entered")
    code, out, error = run_command(capsys, "serve", "leaderboard", "add-baselines", tmp_path / "none.npz", *own)
    assert (code, out) == (2, "") and "expected a file of answers" in error
