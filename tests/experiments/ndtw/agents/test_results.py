"""Table 2 from saved walks."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from bearleft.cli import cli
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluation.score import score
from bearleft.experiments.ndtw.agents.examples import short_cuts, write_examples
from bearleft.experiments.ndtw.agents.figures import learning_curves, write_figures
from bearleft.experiments.ndtw.agents.markdown import markdown
from bearleft.experiments.ndtw.agents.results import (
    BUILDINGS,
    CONVENTION,
    PATHS,
    AgentTable,
    agent_rows,
    is_comparison,
    open_scorer,
    published_number,
    results,
)
from bearleft.experiments.ndtw.agents.runs import CLS, FIDELITY, GOAL, IMITATION
from bearleft.experiments.ndtw.agents.saved_walks import AgentWalks, read_walks, read_walks_folder, save_walks
from bearleft.experiments.ndtw.tables import COLUMNS, RANDOM
from bearleft.experiments.systems.markdown import read_rows, write_rows
from bearleft.metrics.ragged_paths import Floats
from bearleft.records import to_json_line
from bearleft.world.worlds import open_world
from tests.experiments.ndtw.agents.walks import ALONG, ASTRAY, SHORT, STAY, TOWN, detours, route_of, walks_of

WALKS = 200  # of the random agent


def select(rows: Sequence[dict[str, Any]], **expected: Any) -> list[dict[str, Any]]:
    return [row for row in rows if all(row.get(key) == value for key, value in expected.items())]


@pytest.fixture(scope="module")
def walks() -> list[AgentWalks]:
    walks = [walks_of(GOAL, [ALONG, ASTRAY, STAY, STAY], seed) for seed in (0, 1)]
    walks += [walks_of(FIDELITY, [ALONG, ALONG, STAY, STAY]), walks_of(FIDELITY, [ALONG, ALONG, ALONG, STAY], 1)]
    return [*walks, walks_of(IMITATION, [STAY])]


@pytest.fixture(scope="module")
def rows(walks: list[AgentWalks]) -> list[dict[str, Any]]:
    return results(walks, random_walks=WALKS)


def edits(a: list[Any], b: list[Any]) -> int:
    """Return the edit distance, by its definition."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
    return row[-1]


def slow_scores(path: list[int], route: list[int], metres: Floats) -> dict[str, float]:
    """Return Table 3's metrics of one walk, written down from the paper."""
    goal, length = route[-1], sum(metres[a, b] for a, b in pairwise(path))
    success = float(metres[path[-1], goal] <= 3.0)
    shortest = metres[path[0], goal]
    table = [[math.inf] * (len(path) + 1) for _ in range(len(route) + 1)]
    table[0][0] = 0.0
    for i, r in enumerate(route, 1):
        for j, q in enumerate(path, 1):
            table[i][j] = metres[r, q] + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    ndtw = math.exp(-table[-1][-1] / (len(route) * 3.0))
    coverage = sum(math.exp(-min(metres[r, q] for q in path) / 3.0) for r in route) / len(route)
    expected = coverage * sum(metres[a, b] for a, b in pairwise(route))
    moves, references = list(pairwise(path)), list(pairwise(route))
    return {
        "SR": success,
        "SPL": success * shortest / max(length, shortest),
        "SED": success * (1 - edits(moves, references) / max(len(moves), len(references))),
        "CLS": coverage * expected / (expected + abs(expected - length)),
        "nDTW": ndtw,
        "SDTW": success * ndtw,
    }


def test_scores_equal_a_slow_computation(walks: list[AgentWalks]) -> None:
    episodes = load(TOWN)
    graph = open_world(episodes[0].world)
    metres = graph.metres.matrix()
    for one in (walks[0], walks[3]):
        scores = open_scorer(TOWN, episodes).scores(one)
        for k in range(12):
            expected = slow_scores(one.places[k].tolist(), route_of(episodes[k], graph), metres)
            assert {name: scores[name][k] for name in COLUMNS} == pytest.approx(expected, rel=1e-5)


def test_scores_are_those_of_bearleft_score(walks: list[AgentWalks], tmp_path: Path) -> None:
    episodes = load(TOWN)
    scorer = open_scorer(TOWN, episodes)
    file = tmp_path / "goal.jsonl"
    file.write_text("".join(to_json_line(trace) + "\n" for trace in walks[0].traces(scorer.graphs)))
    expected = {row["metric"]: row for row in score(file, convention=CONVENTION).rows}
    table = AgentTable(scorer, walks[:1])
    for metric in COLUMNS:
        factor = 1.0 if expected[metric]["unit"] == "%" else 100.0
        assert table.estimate(GOAL, metric).value == pytest.approx(factor * expected[metric]["value"])


def test_means_spreads_and_random_rows(rows: list[dict[str, Any]]) -> None:
    (row,) = select(rows, kind="score", system=GOAL, metric="SR")
    assert (row["value"], row["seeds"], row["spread"], row["n"]) == (50.0, 2, 0.0, 100)
    assert row["low"] < 50.0 < row["high"] and (row["clusters"], row["resampled"]) == (100, PATHS)
    (row,) = select(rows, kind="score", system=FIDELITY, metric="SR")
    assert row["value"] == 62.5 and row["spread"] == pytest.approx(17.68)
    (row,) = select(rows, kind="score", system=IMITATION, metric="nDTW")
    assert row["seeds"] == 1 and row["spread"] is None
    random = select(rows, kind="score", system=RANDOM)
    assert [row["metric"] for row in random] == list(COLUMNS) and {row["n"] for row in random} == {WALKS}
    assert all(row["low"] is None and 0.0 <= row["value"] <= 100.0 for row in random)


def test_differences_are_paired(rows: list[dict[str, Any]], walks: list[AgentWalks]) -> None:
    ours = {row["metric"]: row for row in rows if is_comparison(row)}
    assert set(ours) == set(COLUMNS)
    assert ours["SR"]["value"] == 12.5 and ours["SR"]["spread"] == pytest.approx(17.68) and ours["SR"]["seeds"] == 2
    assert ours["nDTW"]["value"] > 25.0 and ours["nDTW"]["sure"] and ours["nDTW"]["low"] > 0
    assert select(rows, kind="difference", system=IMITATION, metric="SDTW")[0]["seeds"] == 1
    # An agent differs from itself by nothing, in every resample.
    twin = replace(walks[0], system=FIDELITY)
    table = AgentTable(open_scorer(TOWN, load(TOWN)), [walks[0], twin])
    for row in select(agent_rows(table), kind="difference"):
        assert (row["value"], row["low"], row["high"], row["sure"]) == (0.0, 0.0, 0.0, False)


def test_published_numbers() -> None:
    assert published_number("r4r/val_unseen", FIDELITY, "nDTW") == 30.4
    assert published_number("r2r/val_unseen", GOAL, "SR") == 43.7
    assert published_number("r2r/val_unseen", CLS, "SR") is None and published_number(TOWN, GOAL, "SR") is None


def test_buildings_are_resampled_and_the_paper_stands_beside(real_data: Path) -> None:
    name = "r2r/val_unseen"
    episodes = load(name, real_data)[::20]
    ways = {GOAL: [STAY], FIDELITY: [ALONG, STAY]}
    walks = [walks_of(system, ways[system], 0, name, episodes, real_data) for system in ways]
    rows = results(walks, real_data, WALKS, load_episodes=lambda _: episodes)
    (row,) = [row for row in rows if is_comparison(row) and row["metric"] == "SDTW"]
    assert (row["resampled"], row["clusters"]) == (BUILDINGS, len({one.world for one in episodes}))
    assert row["paper"] == 2.2 and row["value"] > 0
    page = markdown(rows)
    assert "### R2R, r2r/val_unseen" in page
    assert "| fidelity-oriented, paper | 44.4 | 41.4 | 33.9 | 57.5 | 58.3 | 38.3 |" in page
    assert "| fidelity-oriented, paper | +0.7 | +3.0 | +2.0 | +4.0 | +3.9 | +2.2 |" in page


def test_walks_round_trip_in_a_small_file(walks: list[AgentWalks], tmp_path: Path) -> None:
    path = save_walks(tmp_path / "walks", walks[3])
    assert path.name == "fidelity-oriented_town-dev_1.npz" and path.stat().st_size < 20_000
    (back,) = read_walks_folder(tmp_path)  # of a folder of runs
    assert (back.system, back.dataset, back.seed, back.ids) == (FIDELITY, TOWN, 1, walks[3].ids)
    assert (back.worlds, back.metadata) == (walks[3].worlds, walks[3].metadata)
    assert all((a == b).all() for a, b in zip(back.places, walks[3].places, strict=True))
    assert (back.stopped == walks[3].stopped).all()
    content = dict(np.load(path))
    with open(path, "wb") as stream:
        np.savez(stream, **{**content, "place_steps": content["place_steps"] + 10_000})
    with pytest.raises(InputError, match="places of the walks' worlds"):
        read_walks(path)
    with pytest.raises(InputError, match="for each id"):
        replace(walks[0], ids=walks[0].ids[1:])


def test_rows_round_trip(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.json", rows)
    assert read_rows(tmp_path / "rows.json") == rows
    assert markdown(read_rows(tmp_path / "rows.json")) == markdown(rows)


@pytest.mark.slow
def test_learning_curves(walks: list[AgentWalks], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    written = write_figures(walks, tmp_path)
    assert [Path(path).name for path in written] == [
        f"curve-town-dev-{score}.svg" for score in ("ndtw", "sdtw", "sr", "return")
    ]
    ids = [{element.get("id") for element in ElementTree.parse(path).iter()} for path in written]
    assert {f"line {GOAL}", f"line {FIDELITY}", f"line {IMITATION}"} <= ids[0]
    assert f"line {IMITATION}" not in ids[3] and f"line {GOAL}" in ids[3]
    assert list(learning_curves([replace(walks[0], metadata={})])) == []
    with pytest.raises(InputError, match="history"):
        write_figures([replace(walks[0], metadata={})], tmp_path)


@pytest.fixture
def detoured(tmp_path: Path) -> list[AgentWalks]:
    """Return walks of both agents on a file of detours; the goal-oriented one takes every second short cut."""
    episodes, file = detours(12), tmp_path / "detours.jsonl"
    file.write_text("".join(to_json_line(episode) + "\n" for episode in episodes))
    goal, fidelity = (
        walks_of(*agent, 0, str(file), episodes) for agent in ((GOAL, [ALONG, SHORT]), (FIDELITY, [ALONG]))
    )
    return [goal, fidelity]


def test_examples_are_short_cuts(detoured: list[AgentWalks], walks: list[AgentWalks], tmp_path: Path) -> None:
    name = detoured[0].dataset
    scorer = open_scorer(name, detours(12))
    chosen = short_cuts(scorer, *detoured)
    goal, fidelity = map(scorer.scores, detoured)
    assert set(chosen.tolist()) == set(range(1, 12, 2))
    assert (goal["SR"][chosen] == 1.0).all() and (goal["nDTW"][chosen] <= 0.5).all()
    assert (fidelity["nDTW"][chosen] == 1.0).all() and (np.diff(goal["nDTW"][chosen]) >= 0).all()
    ((split, files),) = write_examples(detoured, tmp_path / "examples", count=5).items()
    assert split == name and [Path(file).stem.rpartition("jsonl-")[2] for file in files] == [GOAL, FIDELITY]
    scored = score(*files, convention=CONVENTION).rows
    assert {row["n"] for row in scored if row["metric"] == "SR"} == {5}
    # A longer way is no short cut.
    along = replace(walks[2], system=FIDELITY)
    assert len(short_cuts(open_scorer(TOWN, load(TOWN)), walks[0], along)) == 0
    with pytest.raises(InputError, match="a short cut to the goal"):
        write_examples([walks[0], along], tmp_path)
    with pytest.raises(InputError, match="the same seed"):
        write_examples(walks[:2], tmp_path)


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["paper", "ndtw", *map(str, arguments)])


def test_commands(walks: list[AgentWalks], detoured: list[AgentWalks], tmp_path: Path) -> None:
    for one in (walks[0], walks[2]):
        save_walks(tmp_path / "walks", one)
    printed = run("--results", tmp_path / "walks", "--walks", WALKS)
    assert printed.exit_code == 0 and "### town/dev, town/dev (100 instructions)" in printed.stdout
    assert "differences from the goal-oriented agent" in printed.stdout
    as_json = run("--results", tmp_path / "walks", "--walks", WALKS, "--json")
    rows = json.loads(as_json.stdout)
    assert {row["kind"] for row in rows} == {"score", "difference"}
    (tmp_path / "rows.json").write_text(as_json.stdout)
    assert run("--results", tmp_path / "rows.json").stdout == printed.stdout
    for one in detoured:
        save_walks(tmp_path / "more", one)
    with_report = run("--results", tmp_path / "more", "--walks", WALKS, "--examples", tmp_path / "examples")
    assert with_report.exit_code == 0 and "differences" in with_report.stdout
    (page,) = (tmp_path / "examples").glob("*.html")
    assert str(page) in with_report.stderr and GOAL in page.read_text() and FIDELITY in page.read_text()


def test_errors_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, expected in (
        (("--processes", 2), "expected --processes with --train, got no --train"),
        (("--examples", tmp_path), "expected --examples with --results, got no --results"),
        (("--results", tmp_path / "nothing"), "nothing there"),
        (("--results", tmp_path / "empty"), "--train RUNS"),
        (("--results", tmp_path / "rows.json", "--figures", tmp_path), "a folder of walks beside --figures"),
    ):
        result = run(*arguments)
        assert isinstance(result.exception, InputError) and expected in str(result.exception)
    assert run("--select", "SR").exit_code == 2
