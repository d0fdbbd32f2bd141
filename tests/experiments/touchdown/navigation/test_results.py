"""Navigation tables from saved walks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from bearleft.cli import cli
from bearleft.data import load
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.experiments.systems.saved_walks import ragged
from bearleft.experiments.touchdown.navigation.baselines import baseline_walks
from bearleft.experiments.touchdown.navigation.markdown import markdown
from bearleft.experiments.touchdown.navigation.results import (
    NavigationTable,
    order_rows,
    published_number,
    results,
)
from bearleft.experiments.touchdown.navigation.runs import OTHER_CITY, TEST_UNSEEN
from bearleft.experiments.touchdown.navigation.saved_walks import (
    SavedWalks,
    read_walks,
    read_walks_folder,
    save_walks,
    walks_from_states,
)
from bearleft.experiments.touchdown.navigation.scoring import COLUMNS, WalkScorer, opening_of
from bearleft.records import Episode, Reach, to_json_line
from bearleft.world.graphs.transitions import ACTIONS, transitions
from bearleft.world.worlds import open_world

SMALL, TURNS, OTHER = "city/touchdown/small", "city/pairs/turn-left-right", f"{OTHER_CITY}{TEST_UNSEEN}"


def walks_of(
    system: str, name: str, correct: Sequence[bool], seed: int = 0, texts: str = "own", saved_as: str | None = None
) -> SavedWalks:
    """Walk along the route where `correct`, else stop at once."""
    episodes = load(name)
    graph = open_world(episodes[0].world)
    starts = [(graph.place_index(str(one.start.place)), float(one.start.look.heading)) for one in episodes]
    table = transitions(graph, starts)
    actions = np.full((len(episodes), 50), -1, np.int64)
    for k, (episode, right) in enumerate(zip(episodes, np.resize(np.asarray(correct), len(episodes)), strict=True)):
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        chosen = actions_along(graph, episode.start, goal.route) if right else ["stop"]
        numbers = [ACTIONS.index(action) for action in chosen][:50]
        actions[k, : len(numbers)] = numbers
    state, states = table.start_states.astype(np.int64), []
    for step in range(50):
        states.append(state)
        state = np.where(actions[:, step] >= 0, table.next_state[state, np.maximum(actions[:, step], 0)], state)
    done, places = walks_from_states(table.place.astype(np.int64), np.stack(states, 1), state, actions)
    ids, indices = tuple(episode.id for episode in episodes), np.zeros(len(episodes), np.int64)
    worlds = {graph.name: len(graph)}
    return SavedWalks(system, saved_as or name, seed, ids, worlds, indices, done, places, 1.5, texts, {"epochs": 3})


def select(rows: Sequence[dict[str, Any]], **expected: Any) -> list[dict[str, Any]]:
    return [row for row in rows if all(row.get(key) == value for key, value in expected.items())]


def load_small(name: str) -> Sequence[Episode]:
    return load(SMALL if name.endswith("unseen") else name)


@pytest.fixture(scope="module")
def walks() -> list[SavedWalks]:
    walks = [walks_of("RCONCAT", SMALL, [True, False], seed) for seed in (0, 1)]
    walks += [walks_of("COMPASS", SMALL, [True, True, True, True, False], seed) for seed in (0, 1, 2)]
    walks += [walks_of("ORAR", SMALL, [True, True, False]), walks_of("RCONCAT NO-TEXT", SMALL, [True, True, False])]
    walks += [walks_of("COMPASS", SMALL, [True, *[False] * 19], 0, "shuffled")]
    walks += [walks_of("COMPASS", TURNS, [True, True, True, False]), walks_of("RCONCAT", TURNS, [True, False])]
    walks += [walks_of("COMPASS", SMALL, [True], saved_as=TEST_UNSEEN)]
    return [*walks, walks_of("COMPASS", SMALL, [True, True, False], saved_as=OTHER)]


@pytest.fixture(scope="module")
def rows(walks: list[SavedWalks]) -> list[dict[str, Any]]:
    return results(walks, load_episodes=load_small)


def test_walks_round_trip_in_a_small_file(tmp_path: Path) -> None:
    walks = walks_of("RCONCAT NO-TEXT", SMALL, [True, False], 3, "shuffled")
    path = save_walks(tmp_path, walks)
    assert path.name == "RCONCAT-NO-TEXT_city-touchdown-small_3_shuffled.npz"
    back = read_walks(path)
    assert (back.system, back.dataset, back.seed, back.ids) == (walks.system, SMALL, 3, walks.ids)
    assert (back.texts, back.metadata, back.worlds) == ("shuffled", {"epochs": 3}, walks.worlds)
    for name in ("actions", "places"):
        assert all((a == b).all() for a, b in zip(getattr(back, name), getattr(walks, name), strict=True))
    assert [one.file_name for one in read_walks_folder(tmp_path)] == [path.name]
    # 1,409 random walks, which compress worst, in less than 100 KB.
    many = (load(SMALL) * 24)[:1409]
    random = baseline_walks(SMALL, many, random_seeds=1)[-1]
    assert save_walks(tmp_path, random).stat().st_size < 100_000


def test_damaged_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none there"):
        read_walks_folder(tmp_path)
    path = save_walks(tmp_path, walks_of("GA", SMALL, [True]))
    content = dict(np.load(path))
    for name, value in (("place_steps", content["place_steps"] + 10_000), ("actions", content["actions"] + 9)):
        with open(path, "wb") as stream:
            np.savez(stream, **{**content, name: value})
        with pytest.raises(InputError, match="GA_city"):
            read_walks(path)
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="a file of walks"):
        read_walks(path)


def test_scores_are_those_of_bearleft_score(tmp_path: Path) -> None:
    episodes = load(SMALL)
    scorer = WalkScorer(SMALL, episodes)
    for walks in (walks_of("GA", SMALL, [True, False, True]), baseline_walks(SMALL, episodes, random_seeds=1)[-1]):
        file = tmp_path / f"{walks.system}.jsonl"
        file.write_text("".join(to_json_line(trace) + "\n" for trace in walks.traces(scorer.graphs)))
        expected = {row["metric"]: row["value"] for row in score(file).rows}
        table = NavigationTable(scorer, [walks])
        for metric in COLUMNS:
            assert table.estimate(walks.system, metric).value == pytest.approx(expected[metric])


def test_baselines_walk_as_the_agents_do() -> None:
    episodes = load(SMALL)
    graphs = {episodes[0].world: open_world(episodes[0].world)}
    stop, frequent, *random = baseline_walks(SMALL, episodes)
    assert len(random) == 10
    for walks in (stop, frequent):
        traces = evaluate(walks.system.lower(), SMALL)
        for ours, theirs in zip(walks.traces(graphs), traces, strict=True):
            assert (ours.legs[0].path, ours.legs[0].actions) == (theirs.legs[0].path, theirs.legs[0].actions)
    table = NavigationTable(WalkScorer(SMALL, episodes), random)
    lengths = [len(actions) for walks in random for actions in walks.actions]
    assert set(lengths) == {50} and len(table.metrics["RANDOM", "own"].seeds) == 10


@pytest.mark.slow
def test_scores_differences_and_errors(rows: list[dict[str, Any]]) -> None:
    (row,) = select(rows, kind="score", split=SMALL, system="COMPASS", metric="TC")
    assert row["value"] == pytest.approx(80.0, abs=2.0) and row["seeds"] == 3 and row["spread"] == 0.0
    assert row["low"] < row["value"] < row["high"] and row["n"] == 60
    assert {row["metric"] for row in select(rows, kind="score", split=SMALL)} == set(COLUMNS)
    for against, value in (("RCONCAT", 30.0), ("ORAR", 13.3)):
        (row,) = select(rows, kind="difference", split=SMALL, system="COMPASS", metric="TC", against=against)
        assert row["value"] == pytest.approx(value, abs=2.0) and row["low"] < row["value"] < row["high"]
    (row,) = select(rows, kind="fewer errors", split=SMALL, system="COMPASS")
    assert row["value"] == pytest.approx(60.0, abs=3.0)
    (row,) = select(rows, kind="texts", metric="TC")
    assert row["value"] == pytest.approx(5.0, abs=2.0) and row["own value"] == pytest.approx(75.0, abs=3.0)


def test_own_texts_are_compared_over_the_seeds_that_have_both() -> None:
    walks = [
        walks_of("GA", SMALL, [True]),
        walks_of("GA", SMALL, [False], 1),
        walks_of("GA", SMALL, [False], 0, "other"),
    ]
    gain = NavigationTable(WalkScorer(SMALL, load(SMALL)), walks).gain("GA", "TC", "other")
    assert gain.value > 90  # half as much over all seeds


def test_reversals_are_named(rows: list[dict[str, Any]]) -> None:
    (row,) = select(rows, kind="order", split=SMALL, metric="TC", system="RCONCAT", against="RCONCAT NO-TEXT")
    assert not row["holds"] and row["value"] == pytest.approx(-16.7, abs=2.0)
    (row,) = select(rows, kind="order", split=SMALL, metric="SPD", system="RCONCAT NO-TEXT", against="STOP")
    assert row["holds"] and row["sure"] and row["value"] > 0  # a lower SPD is better
    assert "RCONCAT NO-TEXT above RCONCAT" in markdown(rows)
    table = NavigationTable(WalkScorer(SMALL, load(SMALL)), [walks_of("RCONCAT", SMALL, [True])])
    assert order_rows(table) == []


def test_pairs_and_another_city(rows: list[dict[str, Any]]) -> None:
    both, changed = (select(rows, kind="pairs", system="COMPASS", metric=name)[0] for name in ("Pairs", "Changed"))
    assert both["value"] == changed["value"] == pytest.approx(50.0, abs=3.0)
    assert both["n"] == len(load(TURNS)) // 2
    assert select(rows, kind="pairs", system="RCONCAT", metric="Changed")[0]["value"] < 5.0
    (row,) = select(rows, kind="other city", system="COMPASS")
    assert row["here"] == 100.0 and row["value"] == pytest.approx(-33.3, abs=2.0)


def test_phenomena_and_openings(rows: list[dict[str, Any]]) -> None:
    phenomena = {row["phenomenon"]: row for row in select(rows, kind="phenomenon", split=SMALL, system="COMPASS")}
    assert phenomena["imperative"]["n"] >= phenomena["sequencing"]["n"] >= 20
    openings = [row["opening"] for row in select(rows, kind="opening", split=SMALL, system="COMPASS")]
    assert openings and len(openings) == len(set(openings))
    assert opening_of("Go with the flow of traffic. Turn left at the light.") == "traffic"
    assert opening_of("Turn left at the light.") == "none of these"


def test_published_numbers() -> None:
    assert published_number("city/touchdown/test_unseen", "RCONCAT", "TC") == 10.7
    assert published_number("city/touchdown/dev", "GA NO-IMAGE", "SPD") == 50.1
    assert published_number("city/touchdown/test", "GA NO-IMAGE", "SPD") is None
    assert published_number("city/touchdown/dev", "RCONCAT RGB", "SED") == 0.066
    assert published_number("city/touchdown/dev", "RCONCAT", "nDTW") is None
    assert published_number("map2seq/seen_dev", "ORAR NO-IMAGE", "TC") == 42.3
    assert published_number("map2seq/seen_dev", "COMPASS NO-IMAGE", "TC") is None


def test_walks_of_other_episodes_are_told(walks: list[SavedWalks]) -> None:
    renamed = replace(walks[0], ids=tuple(f"x{name}" for name in walks[0].ids))
    with pytest.raises(InputError, match="--data"):
        results([renamed])
    part = replace(
        walks[1],
        ids=walks[1].ids[:5],
        world_indices=walks[1].world_indices[:5],
        actions=walks[1].actions.take(np.arange(5)),
        places=walks[1].places.take(np.arange(5)),
    )
    with pytest.raises(InputError, match="55 missing"):
        results([walks[0], part])
    with pytest.raises(InputError, match="--other-city"):
        results([walks[-1]])
    with pytest.raises(InputError, match="places"):
        replace(walks[0], places=ragged([np.zeros(1, np.int64)] * 60, np.int32))


def test_commands(tmp_path: Path) -> None:
    for one in (walks_of("RCONCAT", SMALL, [True, False]), walks_of("COMPASS", SMALL, [True])):
        save_walks(tmp_path / "walks", one)
    printed = CliRunner().invoke(cli, ["paper", "touchdown", "--navigation-results", str(tmp_path / "walks")])
    assert printed.exit_code == 0 and "### city/touchdown/small (60 episodes)" in printed.stdout
    assert "| RCONCAT, paper | 9.8 | 19.1 | 0.094 |" in printed.stdout
    as_json = CliRunner().invoke(cli, ["paper", "touchdown", "--navigation-results", str(tmp_path / "walks"), "--json"])
    rows = json.loads(as_json.stdout)
    assert select(rows, kind="score", system="COMPASS", metric="KPA")
    wrong = CliRunner().invoke(cli, ["paper", "touchdown", "--datasets", SMALL])
    assert isinstance(wrong.exception, InputError) and "--train-navigation" in str(wrong.exception)


def test_endings_add_up_and_are_those_of_the_walks(rows: list[dict[str, Any]]) -> None:
    """The synthetic walks follow the route to its end or stop at once."""
    own = select(rows, kind="ending", split=SMALL)
    assert {row["system"] for row in own} == {row["system"] for row in select(rows, kind="score", split=SMALL)}
    for system in {row["system"] for row in own}:
        by_ending = {row["metric"]: row for row in own if row["system"] == system}
        (tc,) = select(rows, kind="score", split=SMALL, system=system, metric="TC")
        assert sum(row["value"] for row in by_ending.values()) == pytest.approx(100.0, abs=0.03)
        assert by_ending["completed"]["value"] == tc["value"] and by_ending["completed"]["low"] == tc["low"]
    compass = {row["metric"]: row["value"] for row in own if row["system"] == "COMPASS"}
    assert compass["stopped too early"] == pytest.approx(100.0 - compass["completed"], abs=0.02)
    assert "### How walks end, city/touchdown/small (%)" in markdown(rows)
