"""Walks that no agent can have walked are found, named, counted, and scored as failures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load
from bearleft.evaluation.score import Scores, score
from bearleft.metrics import trace_values
from bearleft.metrics.conventions import CONVENTIONS
from bearleft.metrics.impossible_walks import find_impossible_walks
from bearleft.metrics.ragged_paths import Ragged
from bearleft.records import Reach
from bearleft.world.worlds import open_world

EPISODES = load("town/dev")
ROUTES = {e.id: list(e.legs[0].goal.route) for e in EPISODES if isinstance(e.legs[0].goal, Reach)}


def predictions(tmp_path: Path, paths: dict[str, list[str]], name: str = "mine.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(paths))
    return path


def values(scores: Scores) -> dict[str, float]:
    return {row["metric"]: row["value"] for row in scores.rows}


def test_start_and_goal_alone_are_not_a_walk(tmp_path: Path) -> None:
    file = predictions(tmp_path, {name: [route[0], route[-1]] for name, route in ROUTES.items()})
    scores = score(file, dataset="town/dev", resamples=10)
    assert values(scores)["TC"] == 0 and values(scores)["SED"] == 0 and values(scores)["nDTW"] == 0
    assert values(scores)["SPD"] > 5  # as far as the goal is from the start
    assert {row["impossible"] for row in scores.rows} == {f"{len(ROUTES)} failed"}
    (note,) = [note for note in scores.notes if "impossible" in note]
    assert f"{len(ROUTES)} impossible walks, scored as failures" in note and "and 95 more" in note
    first = next(iter(ROUTES.values()))
    assert f"jumps from {first[0]} to {first[-1]}" in note and "--keep-impossible" in note


def test_impossible_walks_can_be_scored_as_written(tmp_path: Path) -> None:
    file = predictions(tmp_path, {name: [route[0], route[-1]] for name, route in ROUTES.items()})
    scores = score(file, dataset="town/dev", resamples=10, keep_impossible=True)
    assert values(scores)["TC"] == 100 and values(scores)["SPD"] == 0
    assert {row["impossible"] for row in scores.rows} == {f"{len(ROUTES)} kept"}
    assert any("scored as written" in note for note in scores.notes)


def test_wrong_start_is_named(tmp_path: Path) -> None:
    walks = dict(ROUTES)
    name = next(iter(walks))
    start, walks[name] = walks[name][0], walks[name][1:]
    scores = score(predictions(tmp_path, walks), dataset="town/dev", resamples=10)
    assert values(scores)["TC"] == 99
    note = next(note for note in scores.notes if "impossible" in note)
    assert "1 impossible walk, scored as failures" in note
    assert f"{name} (starts at {walks[name][0]}, not at {start})" in note


@pytest.mark.parametrize("convention", ["paper", "ciff", "vln-transformer"])
@pytest.mark.parametrize("kept", [False, True])
def test_walks_are_scored_in_blocks_as_all_at_once(
    convention: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks = {name: route[::2] if k % 5 == 2 else route[: k + 2] for k, (name, route) in enumerate(ROUTES.items())}
    file = predictions(tmp_path, walks)

    def scored() -> Scores:
        options: dict[str, Any] = {"convention": convention, "keep_impossible": kept, "per_episode": True}
        return score(file, dataset="town/dev", resamples=10, **options)

    whole = scored()
    monkeypatch.setattr(trace_values, "WALKS_PER_BLOCK", 7)
    blocks = scored()
    assert any("impossible" in row for row in whole.rows)
    assert (blocks.rows, blocks.notes, blocks.episodes) == (whole.rows, whole.notes, whole.episodes)


def test_possible_walks_have_no_column_and_no_note(tmp_path: Path) -> None:
    turning = {name: [place for place in route for _ in range(2)] for name, route in ROUTES.items()}
    scores = score(predictions(tmp_path, turning), dataset="town/dev", resamples=10)
    assert values(scores)["TC"] == 100 and not any("impossible" in row for row in scores.rows)
    assert not any("impossible" in note for note in scores.notes)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_impossible_walk_fails_under_every_convention(tmp_path: Path, convention: str) -> None:
    """One impossible walk among perfect ones: every rate loses one episode, and the others keep their values."""
    walks = dict(ROUTES)
    name = list(walks)[3]
    walks[name] = [walks[name][0], *walks[name][2:]]
    files = predictions(tmp_path, ROUTES, "perfect.json"), predictions(tmp_path, walks)
    scores = score(*files, dataset="town/dev", convention=convention, resamples=2, per_episode=True)
    rows = {(Path(row.pop("file")).stem, row["episode"]): row for row in scores.episodes}
    for episode in ROUTES:
        perfect, row = rows["perfect", episode], rows["mine", episode]
        if episode != name:
            assert row == perfect and not row["impossible"]
            continue
        assert row["impossible"]
        for metric in CONVENTIONS[convention].metrics:
            if metric in ("NE", "ONE", "SPD", "AD", "MD") or (convention, metric) == ("ciff", "SED"):
                assert metric not in row or row[metric] > perfect[metric]
            elif metric != "PL":
                assert row[metric] == 0 < perfect[metric]


def test_impossible_walks_equal_a_slow_search() -> None:
    graph = open_world("town/0")
    rng = np.random.default_rng(0)
    paths, starts, expected = [], [], {}
    for k in range(300):
        path = [int(rng.integers(len(graph)))]
        for _ in range(int(rng.integers(1, 12))):
            links = graph.links(path[-1])
            step: Any = rng.choice(graph.target[links]) if rng.random() < 0.9 else rng.integers(len(graph))
            path.append(int(step) if rng.random() < 0.9 else path[-1])
        start = path[0] if rng.random() < 0.9 else int(rng.integers(len(graph)))
        first = (
            0
            if start != path[0]
            else next(
                (
                    i
                    for i in range(1, len(path))
                    if path[i] != path[i - 1] and not graph.are_neighbours(path[i - 1], path[i])
                ),
                None,
            )
        )
        if first is not None:
            expected[k] = first
        paths.append(path)
        starts.append(start)
    offsets = np.concatenate([[0], np.cumsum([len(path) for path in paths])])
    found = find_impossible_walks(graph, Ragged(np.concatenate(paths), offsets), np.array(starts))
    assert dict(zip(found.indices.tolist(), found.jumps.tolist(), strict=True)) == expected
    assert 30 < len(expected) < 270


def test_point_after_an_impossible_walk_is_a_miss(tmp_path: Path) -> None:
    """Touchdown's complete task cannot be solved by jumping to the goal."""
    from bearleft.evaluation.evaluate import evaluate

    traces = evaluate("gold", "city/touchdown-complete/small", limit=3)
    rows = [trace.to_json() for trace in traces]
    rows[0]["legs"][0]["path"] = [rows[0]["legs"][0]["path"][0], rows[0]["legs"][0]["path"][-1]]
    file = tmp_path / "jump.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    by_metric = values(score(file, resamples=10))
    assert by_metric["TC"] == by_metric["Found@40px"] == pytest.approx(100 * 2 / 3)
    kept = values(score(file, resamples=10, keep_impossible=True))
    assert kept["TC"] == kept["Found@40px"] == 100
