from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load, write
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.geometry import angle_between
from bearleft.metrics.registry import METRICS
from bearleft.records import Direction, Episode, Leg, LegTrace, Point, Pose, Reach, Trace, to_json_line
from bearleft.reports.html.loading import ReportData, ScoredFile, load_report_data, success_metric
from bearleft.world.worlds import open_world

LIMIT = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    traces_folder = tmp_path_factory.mktemp("traces")
    for agent, dataset in (("random", "dev"), ("gold", "dev"), ("uniform", "point"), ("gold", "look")):
        evaluate(agent, f"town/{dataset}", traces_folder / f"{agent}-{dataset}.jsonl", seed=4, limit=LIMIT)
    return traces_folder


def column(report_data: ReportData, metric: str, file: int = 0) -> list[float]:
    values: list[float] = report_data.files[file].table[:, report_data.metrics.index(metric)].tolist()
    return values


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_rows(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_scores_equal_score(folder: Path) -> None:
    files = [folder / name for name in ("random-dev.jsonl", "gold-dev.jsonl", "gold-look.jsonl")]
    report_scores, expected = load_report_data(files).scores, score(*files)
    assert (report_scores.rows, report_scores.comparisons) == (expected.rows, expected.comparisons)
    # Each dataset has its own table, so the note that datasets are not compared is left out.
    assert report_scores.notes == [note for note in expected.notes if "of different datasets" not in note] != []
    single_rows = load_report_data(files[:1]).scores.rows
    assert [row["value"] for row in single_rows] == [row["value"] for row in score(files[0]).rows]


def test_values_of_walks_equal_single_metrics(folder: Path) -> None:
    report_data = load_report_data([folder / "random-dev.jsonl"])
    graph, episodes = open_world("town/0"), load("town/dev")
    hops = graph.hops.matrix()
    for k, shown in enumerate(report_data.traces):
        goal = episodes[k].legs[0].goal
        assert isinstance(goal, Reach) and shown.trace.episode == episodes[k].id
        places = [graph.index_by_id[str(place)] for place in shown.trace.legs[0].path]
        path = [place for n, place in enumerate(places) if not n or place != places[n - 1]]
        route = [graph.index_by_id[place] for place in goal.route]
        for name in ("nDTW", "SDTW", "CLS", "SED", "TC", "SPD"):
            metric: Any = METRICS[name]
            assert column(report_data, name)[k] == pytest.approx(metric(path, route, hops, 1.0)), name
        success = hops[path[-1], route[-1]] <= 1
        assert report_data.files[0].success[k] == float(success)


def test_values_of_pointing_are_great_circle_distances(folder: Path) -> None:
    report_data = load_report_data([folder / "uniform-point.jsonl"])
    episodes = load("town/point")
    for k, shown in enumerate(report_data.traces):
        goal, answer = episodes[k].legs[0].goal, shown.trace.legs[0].answer
        assert isinstance(goal, Point) and isinstance(answer, Direction)
        assert column(report_data, "Dist-deg")[k] == pytest.approx(angle_between(answer, goal.direction), abs=1e-6)
    assert all(math.isnan(value) for value in column(report_data, "C@40px"))  # a metric of sentences, not of traces
    assert report_data.files[0].success.tolist() == column(report_data, "A@40px")


def test_sentences_succeed_within_11_degrees(folder: Path, tmp_path: Path) -> None:
    rows = rows_of(folder / "gold-look.jsonl")
    episodes = load("town/look")
    for k, (row, error) in enumerate(zip(rows, (0, 8, 14, None), strict=False)):
        goal = episodes[k].legs[0].goal
        assert isinstance(goal, Point)
        answer = None if error is None else Direction(goal.direction.heading, goal.direction.pitch - error)
        row["legs"][0] = LegTrace(("point",), (), (), answer).to_json()
    report_data = load_report_data([write_rows(tmp_path / "some.jsonl", rows[:4])])
    assert column(report_data, "Dist-deg")[:3] == pytest.approx([0, 8, 14], abs=1e-6)
    assert math.isnan(column(report_data, "Dist-deg")[3])
    assert report_data.files[0].success.tolist() == [1, 1, 0, 0]


def two_leg_episodes(tmp_path: Path) -> tuple[Path, list[Episode]]:
    """Write episodes of a Reach leg and a Point leg at its end."""
    episodes = []
    for walk, point in zip(load("town/dev")[:5], load("town/point")[:5], strict=True):
        goal = walk.legs[0].goal
        point_goal = point.legs[0].goal
        assert isinstance(goal, Reach) and isinstance(point_goal, Point)
        target = replace(point_goal, place=goal.route[-1])
        episodes.append(replace(walk, legs=(walk.legs[0], Leg(point.legs[0].text, target))))
    path = tmp_path / "both.jsonl"
    write("jsonl", episodes, path)
    return path, load(str(path))


def test_two_leg_episode_succeeds_if_both_legs_do(tmp_path: Path) -> None:
    path, episodes = two_leg_episodes(tmp_path)
    lines = []
    for k, episode in enumerate(episodes):
        walk, point = (leg.goal for leg in episode.legs)
        assert isinstance(walk, Reach) and isinstance(point, Point)
        wrong_direction = Direction(point.direction.heading + 90)
        legs = [
            LegTrace(("stop",), walk.route if k != 1 else walk.route[:1]),
            LegTrace(("point",), (), (), wrong_direction if k == 2 else point.direction),
        ]
        played = legs[: 1 if k in (3, 4) else 2]
        if k == 4:
            played[0] = LegTrace(("stop",), walk.route[:1])
        lines.append(to_json_line(Trace(episode.id, str(path), "me", tuple(played))))
    (tmp_path / "done.jsonl").write_text("\n".join(lines) + "\n")
    file = load_report_data([tmp_path / "done.jsonl"]).files[0]
    # Both legs right; wrong place; wrong direction; one leg right so far; wrong place and never pointed.
    assert [None if math.isnan(x) else x for x in file.success.tolist()] == [1, 0, 0, None, 0]
    assert file.leg_success[:3].tolist() == [[1, 1], [0, 0], [1, 0]]
    assert file.leg_success[3][0] == 1 and math.isnan(file.leg_success[3][1])


def test_agents_are_merged_and_ambiguous_names_get_file_names(folder: Path, tmp_path: Path) -> None:
    names = ["gold-dev.jsonl", "gold-look.jsonl", "random-dev.jsonl"]
    report_data = load_report_data([folder / name for name in names])
    assert [(agent.name, agent.traces) for agent in report_data.agents] == [("gold", 2 * LIMIT), ("random", LIMIT)]
    assert [dataset.name for dataset in report_data.datasets] == ["town/dev", "town/look"]
    copy = Path(shutil.copy(folder / "gold-dev.jsonl", tmp_path / "later.jsonl"))
    ambiguous = load_report_data([folder / "gold-dev.jsonl", copy, folder / "random-dev.jsonl"])
    assert [agent.name for agent in ambiguous.agents] == ["gold (gold-dev.jsonl)", "gold (later.jsonl)", "random"]
    same_name = Path(shutil.copy(folder / "gold-dev.jsonl", tmp_path / "gold-dev.jsonl"))
    paths = [folder / "gold-dev.jsonl", same_name]
    assert [agent.name for agent in load_report_data(paths).agents] == [f"gold ({path})" for path in paths]
    assert len(load_report_data([same_name, same_name]).files) == 1


def test_traces_of_an_episode_are_ordered_by_agent(folder: Path, tmp_path: Path) -> None:
    rows = rows_of(folder / "random-dev.jsonl")
    repeated = write_rows(
        tmp_path / "twice.jsonl", [*rows[:3], {**rows[1], "seed": 9}, {**rows[0], "episode": "stranger"}]
    )
    report_data = load_report_data([repeated, folder / "gold-dev.jsonl"])
    example = next(example for example in report_data.examples if example.episode.id == rows[1]["episode"])
    assert [(shown.trace.agent, shown.trace.seed) for shown in example.traces] == [
        ("random", 4),
        ("random", 9),
        ("gold", 4),
    ]
    assert any("1 episodes unknown, not scored: stranger" in note for note in report_data.scores.notes)
    assert len(report_data.examples) == LIMIT


def test_limited_examples_come_from_every_dataset(folder: Path) -> None:
    files = [folder / name for name in ("random-dev.jsonl", "uniform-point.jsonl", "gold-look.jsonl")]
    report_data = load_report_data(files, examples=7)
    assert np.bincount([example.dataset for example in report_data.examples]).tolist() == [3, 2, 2]
    assert all(len(file.table) == LIMIT for file in report_data.files)
    assert len(load_report_data(files, examples=1).examples) == 1
    assert len(load_report_data(files, examples=10**9).examples) == 3 * LIMIT
    with pytest.raises(InputError, match="at least one example"):
        load_report_data(files, examples=0)


def test_predictions_of_other_tools_are_loaded(folder: Path, tmp_path: Path) -> None:
    routes = {e.id: list(e.legs[0].goal.route) for e in load("town/dev")[:6] if isinstance(e.legs[0].goal, Reach)}
    (tmp_path / "theirs.json").write_text(json.dumps({"stranger": ["x"], **routes}))
    report_data = load_report_data([tmp_path / "theirs.json", folder / "random-dev.jsonl"], dataset="town/dev")
    assert [agent.name for agent in report_data.agents] == ["theirs", "random"]
    assert report_data.files[0].success.tolist() == [1] * 6
    assert len(report_data.examples) == LIMIT and len(report_data.traces) == LIMIT + 6
    with pytest.raises(InputError, match="the dataset that these predictions are of"):
        load_report_data([tmp_path / "theirs.json"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: [], "an empty file"),
        (lambda rows: [{**rows[0], "episode": "stranger"}], "none of its 100"),
        (lambda rows: [rows[0], {**rows[1], "legs": 3}], ":2, field legs"),
        (lambda rows: [rows[0], {**rows[1], "legs": [{**rows[1]["legs"][0], "actions": [3]}]}], ":2, field legs"),
        (lambda rows: [rows[0], {**rows[1], "dataset": "town/look"}], "traces of town/dev"),
    ],
)
def test_errors_name_file_and_line(change: Any, message: str, folder: Path, tmp_path: Path) -> None:
    bad_file = write_rows(tmp_path / "odd.jsonl", change(rows_of(folder / "random-dev.jsonl")))
    with pytest.raises(InputError, match=message) as caught:
        load_report_data([bad_file])
    assert "odd.jsonl" in str(caught.value)


def test_no_files_is_an_error() -> None:
    with pytest.raises(InputError, match="at least one file of traces"):
        load_report_data([])


def test_values_do_not_depend_on_file_order(folder: Path, tmp_path: Path) -> None:
    rows = rows_of(folder / "random-dev.jsonl")
    forward, backward = (
        load_report_data([write_rows(tmp_path / f"{n}.jsonl", r)]) for n, r in (("a", rows), ("b", rows[::-1]))
    )

    def values(report_data: ReportData) -> dict[str, float]:
        file: ScoredFile = report_data.files[0]
        spd = report_data.metrics.index("SPD")
        return {shown.trace.episode: file.table[shown.row, spd] for shown in report_data.traces}

    assert values(forward) == values(backward)


def test_success_metric_of_each_kind_of_leg() -> None:
    def success(world: str, *legs: Leg) -> str:
        return success_metric(Episode("0", "made", world, Pose(Direction(0), "a"), legs), len(legs) - 1)

    walk, point = Leg("Go.", Reach(("a", "b"))), Leg("There.", Point(Direction(0.0)))
    assert [success(world, walk) for world in ("matterport/x", "touchdown", "city/3/4x5")] == ["SR", "TC", "TC"]
    assert success("touchdown", point) == "A@40px" and success("touchdown", walk, point) == "Found@40px"
    assert success("refer360", Leg("There.", Point(Direction(0.0)), ("There.",))) == "Acc@11deg"


AGENT_NAMES = [
    (
        ["walker.py[6a9d6568]", "looker.py[aaaaaaaa]", "looker.py[bbbbbbbb]", "stop"],
        ["walker.py", "looker.py[aaaaaaaa]", "looker.py[bbbbbbbb]", "stop"],
    ),
    (["/home/me/runs/lingunet/best.pt[aaaaaaaa]", "runs/ours/best.pt[bbbbbbbb]", "stop"], ["lingunet", "ours", "stop"]),
    (["a/ours/best.pt[aaaaaaaa]", "b/ours/best.pt[bbbbbbbb]"], ["a/ours", "b/ours"]),
    (["runs/stop/best.pt[aaaaaaaa]", "stop"], ["runs/stop", "stop"]),
    (["ours/best.pt[aaaaaaaa]", "ours/best.pt[bbbbbbbb]"], ["ours/best.pt[aaaaaaaa]", "ours/best.pt[bbbbbbbb]"]),
    (["best.pt[aaaaaaaa]", "old/first.pt[bbbbbbbb]"], ["best.pt", "first.pt"]),
]


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(("names", "short"), AGENT_NAMES)
def test_agent_names_are_shortened_while_unique(names: list[str], short: list[str], tmp_path: Path) -> None:
    leg = LegTrace(("stop",), (load("town/dev")[0].legs[0].goal.route[0],))  # type: ignore[union-attr]
    for k, name in enumerate(names):
        line = to_json_line(Trace(load("town/dev")[0].id, "town/dev", name, (leg,)))
        (tmp_path / f"{k}.jsonl").write_text(line + "\n")
    agents = load_report_data([tmp_path / f"{k}.jsonl" for k in range(len(names))]).agents
    assert [agent.name for agent in agents] == short
    assert [agent.trace_name for agent in agents] == names
