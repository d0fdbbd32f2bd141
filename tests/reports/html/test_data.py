from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load, write
from bearleft.envs.game import Decision
from bearleft.envs.reach import ReachGame, actions_along
from bearleft.evaluation.evaluate import evaluate
from bearleft.geometry import angle_between
from bearleft.heatmap import Heatmap
from bearleft.metrics.registry import METRICS
from bearleft.records import (
    Assemble,
    Collect,
    Direction,
    Episode,
    Leg,
    LegTrace,
    Point,
    Pose,
    Reach,
    Trace,
    to_json_line,
)
from bearleft.reports.film.shots import walk_states
from bearleft.reports.html.data import describe_leg, examples_data, summary_data, worlds_of
from bearleft.reports.html.groups import (
    frequent_phenomena,
    group_episodes,
    make_charts,
    pair_counts,
    phenomenon_spans,
    played_episodes,
)
from bearleft.reports.html.loading import ReportData, load_report_data
from bearleft.reports.html.pictures import ReportPictures, StripView
from bearleft.world.worlds import open_world

LIMIT = 12


def page_data(
    report_data: ReportData, report_pictures: ReportPictures | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the summary and the examples, after a round trip through JSON."""
    spans_by_episode = {
        key: phenomenon_spans(report_data.datasets[key[0]].episodes[key[1]]) for key in played_episodes(report_data)
    }
    phenomena = frequent_phenomena(spans_by_episode)
    groups = group_episodes(report_data, spans_by_episode, phenomena)
    graphs = {w: open_world(w) if w.startswith("town/") else None for w in worlds_of(report_data)}
    summary = summary_data(report_data, make_charts(report_data, groups), phenomena, "title", ["a note"])
    examples = examples_data(
        report_data, groups, spans_by_episode, phenomena, graphs, report_pictures or ReportPictures()
    )
    return json.loads(json.dumps(summary, allow_nan=False)), json.loads(json.dumps(examples, allow_nan=False))


@pytest.fixture(scope="module")
def report_data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    folder = tmp_path_factory.mktemp("payload")
    for agent, dataset in (("random", "dev"), ("gold", "dev"), ("gold", "look"), ("uniform", "point")):
        evaluate(agent, f"town/{dataset}", folder / f"{agent}-{dataset}.jsonl", seed=3, limit=LIMIT)
    names = ("random-dev", "gold-dev", "gold-look", "uniform-point")
    return load_report_data([folder / f"{name}.jsonl" for name in names])


def test_summary_equals_scores(report_data: ReportData) -> None:
    summary, _ = page_data(report_data)
    assert [agent["name"] for agent in summary["agents"]] == ["random", "gold", "uniform"]
    assert [(dataset["name"], dataset["episodes"], dataset["shown"]) for dataset in summary["datasets"]] == [
        ("town/dev", 100, LIMIT),
        ("town/look", 100, LIMIT),
        ("town/point", 100, LIMIT),
    ]
    assert len(summary["scores"]) == len(report_data.scores.rows) and len(summary["comparisons"]) == len(
        report_data.scores.comparisons
    )
    for shown, row in zip(summary["scores"], report_data.scores.rows, strict=True):
        assert summary["metrics"][shown["metric"]]["name"] == row["metric"]
        agent, dataset = summary["agents"][shown["agent"]], summary["datasets"][shown["dataset"]]
        assert row["file"] in agent["files"] and dataset["name"].rpartition("/")[2] in row["file"]
        assert (shown["value"], shown["low"], shown["high"], shown["n"]) == tuple(
            row[name] for name in ("value", "low", "high", "n")
        )
    for shown, row in zip(summary["comparisons"], report_data.scores.comparisons, strict=True):
        assert (shown["first"], shown["second"], shown["dataset"]) == (0, 1, 0)
        assert (shown["p"], shown["difference"]) == (row["p_permutation"], row["difference"])
    success_metric_names = {kind: summary["metrics"][m]["name"] for kind, m in summary["success_metrics"].items()}
    assert success_metric_names == {"reach": "TC", "point": "A@40px", "sentences": "Acc@11deg"}
    metric_names = {summary["metrics"][m]["name"] for m in summary["datasets"][1]["success_metrics"].values()}
    assert metric_names == {"Acc@11deg"} and summary["datasets"][0]["success_metrics"] == {
        "reach": summary["success_metrics"]["reach"]
    }
    assert "a note" in summary["notes"] and summary["examples"] == 3 * LIMIT and summary["worlds"] == ["town/0"]
    assert summary["metrics"][0] == {
        "name": "TC",
        "percent": True,
        "higher_is_better": True,
        "definition": METRICS["TC"].definition,
        "range": [0, 100],
    }
    ranges = {metric["name"]: metric["range"] for metric in summary["metrics"]}
    assert ranges["nDTW"] == [0, 1] and ranges["SPD"] is None


def test_values_of_traces_average_to_the_scores(report_data: ReportData) -> None:
    summary, examples = page_data(report_data)
    checked = 0
    for score in summary["scores"]:
        values = [
            trace["values"][score["metric"]]
            for example in examples["examples"]
            if example["dataset"] == score["dataset"]
            for trace in example["traces"]
            if trace["agent"] == score["agent"]
        ]
        values = [value for value in values if value is not None]
        if values:
            checked += 1
            assert len(values) == score["n"] and sum(values) / len(values) == pytest.approx(score["value"], abs=1e-3)
    assert checked > 15


def test_walks_have_all_states(report_data: ReportData) -> None:
    _, examples = page_data(report_data)
    graph, places = open_world("town/0"), examples["places"][0]
    episodes = load("town/dev")
    for example in examples["examples"][:LIMIT]:
        episode = next(candidate for candidate in episodes if candidate.id == example["id"])
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        leg = example["legs"][0]
        assert (leg["kind"], leg["text"], leg["sentences"]) == ("reach", episode.legs[0].text, [])
        assert [places["id"][k] for k in leg["route"]] == list(goal.route)
        for shown in example["traces"]:
            leg_trace = next(
                d.trace
                for example in report_data.examples
                if example.episode.id == episode.id
                for d in example.traces
                if example.dataset == 0 and report_data.files[d.file].agent == shown["agent"]
            )
            states = walk_states(episode.legs[0], leg_trace.legs[0], episode.start, graph)
            assert [places["id"][k] for k in shown["legs"][0]["places"]] == [place for place, _ in states]
            assert shown["legs"][0]["headings"] == [round(heading) % 360 for _, heading in states]
            assert shown["success"] == shown["legs"][0]["success"] == (shown["values"][0] == 100)
            assert ("at the goal" in shown["legs"][0]["outcome"]) <= shown["success"]
    for name, x, y in zip(places["id"], places["x"], places["y"], strict=True):
        assert (x, y) == pytest.approx(graph.positions[graph.index_by_id[name], :2].tolist(), abs=0.01)


def test_points_have_targets_sentences_and_errors(report_data: ReportData) -> None:
    summary, examples = page_data(report_data)
    episodes_by_id = {episode.id: episode for episode in load("town/look")}
    for example in examples["examples"][LIMIT : 2 * LIMIT]:
        leg, episode = example["legs"][0], episodes_by_id[example["id"]]
        goal = episode.legs[0].goal
        assert isinstance(goal, Point)
        expected = [leg["text"][begin:end].strip() for begin, end in leg["sentences"]]
        assert expected == [sentence.strip() for sentence in episode.legs[0].sentences]
        assert leg["target"] == pytest.approx([goal.direction.heading, goal.direction.pitch], abs=0.01)
        assert leg["yaw"] == pytest.approx(goal.yaw, abs=0.01) and len(leg["views"]) == len(goal.views)
        assert example["traces"][0]["success"] is True
    degrees = [metric["name"] for metric in summary["metrics"]].index("Dist-deg")
    for example in examples["examples"][2 * LIMIT :]:
        trace = example["traces"][0]
        answer, target = (Direction(*pair) for pair in (trace["legs"][0]["answer"], example["legs"][0]["target"]))
        assert trace["values"][degrees] == pytest.approx(angle_between(answer, target), abs=0.05)
        assert trace["legs"][0]["outcome"] == f"{trace['values'][degrees]:.1f} degrees from the target"


def test_examples_are_in_the_groups_of_the_charts(report_data: ReportData) -> None:
    summary, examples = page_data(report_data)
    for group in summary["groups"]:
        for name, agent, _, _, _, n in group["cells"]:
            inside = [example for example in examples["examples"] if name in example["groups"].get(group["by"], ())]
            values = [
                t["values"][group["metric"]] for example in inside for t in example["traces"] if t["agent"] == agent
            ]
            assert n == sum(value is not None for value in values)
    for example in examples["examples"]:
        shown = {mark[0] for leg in example["legs"] for mark in leg["phenomena"]}
        assert sorted(shown) == example["groups"].get("phenomenon", [])
        for leg in example["legs"]:
            assert all(0 <= begin < end <= len(leg["text"]) for _, begin, end in leg["phenomena"])


def test_pictures_are_assigned_to_places_and_steps(report_data: ReportData) -> None:
    place = report_data.examples[0].episode.start.place
    strips = {(1, 0): [StripView(0, 4, "start"), StripView(2, 5, "end")]}
    report_pictures = ReportPictures([b""] * 6, {("town/0", str(place)): 3}, strips)
    _, examples = page_data(report_data, report_pictures)
    places = examples["places"][0]
    assert {name: k for name, k in zip(places["id"], places["panorama"], strict=True) if k >= 0} == {place: 3}
    first, second = examples["examples"][0]["traces"]
    assert first["legs"][0]["strip"] == [] and second["legs"][0]["strip"] == [[0, 4, "start"], [2, 5, "end"]]


def test_arramon_has_positions_items_and_cells(tmp_path: Path) -> None:
    goals = Collect(((0, 0, 0), (1, 0, 0)), "Mug", (1, 2, 0)), Assemble((3, 1, 2))
    legs = tuple(Leg(f"leg {k}", goals[k % 2]) for k in range(4))
    write(
        "jsonl", [Episode("7", "mine", "arramon/7", Pose(Direction(0), None, (0, 0, 0)), legs)], tmp_path / "mine.jsonl"
    )
    walks = [[[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0, 9]]]
    leg_trace = {"path_gen": walks, "placement": [[3, 1, 2], [100, 100, 100]], "ctc0": [1, 0]}
    (tmp_path / "done.json").write_text(json.dumps({"7": leg_trace}))
    summary, examples = page_data(load_report_data([tmp_path / "done.json"], dataset=str(tmp_path / "mine.jsonl")))
    (example,), (places,) = examples["examples"], examples["places"]
    assert [leg["kind"] for leg in example["legs"]] == ["collect", "assemble"] * 2
    assert [(places["x"][k], places["y"][k]) for k in example["legs"][0]["route"]] == [(0, 0), (1, 0)]
    assert set(places["id"]) == {""} and set(places["panorama"]) == {-1}
    (trace,) = example["traces"]
    second = trace["legs"][2]
    assert [(places["x"][k], places["y"][k]) for k in second["places"]] == [(0, 0), (0, 0), (0, 9)]
    assert second["headings"] == [90, 0, 0]  # as the first path ended, then in the direction of movement
    assert [leg["success"] for leg in trace["legs"]] == [True, True, False, False] and trace["success"] is False
    assert [leg["outcome"] for leg in trace["legs"]] == [
        "ended 2.0 m from the object, picked up Mug",
        "placed right",
        "ended 7.1 m from the object, nothing picked up",
        "nothing placed",
    ]
    assert trace["legs"][0]["item"] == "Mug" and trace["legs"][1]["cell"] == [3, 1, 2]
    assert trace["legs"][3]["cell"] is None and example["legs"][1]["cell"] == [3, 1, 2]
    assert {kind: summary["metrics"][m]["name"] for kind, m in summary["success_metrics"].items()} == {
        "collect": "CTC-3",
        "assemble": "PTC",
    }
    assert [
        next(iter(metrics_of)) for metrics_of in (summary["success_metrics"], summary["datasets"][0]["success_metrics"])
    ] == ["assemble"] * 2
    values = dict(zip([metric["name"] for metric in summary["metrics"]], trace["values"], strict=True))
    assert values["CTC-0"] == values["CTC-3"] == METRICS["CTC-0"].mean([1, 0]) and values["nDTW"] < 1


def test_outcome_of_placing_without_collecting() -> None:
    leg = Leg("Put it there.", Assemble((3, 1, 2)))
    leg_trace = LegTrace((), (), (), (3, 1, 2))
    assert describe_leg(leg, leg_trace, None, success=True) == "placed right"
    assert describe_leg(leg, leg_trace, None, success=False) == "placed right, but its object was not collected"
    assert describe_leg(leg, LegTrace((), (), (), (3, 1, 1)), None, success=False) == "placed 1 cell from the target"


def test_outcome_of_a_failure_next_to_the_goal_states_the_distance() -> None:
    world = open_world("town/0")
    place = 0
    other_place = next(k for k in range(1, len(world)) if world.are_neighbours(place, k))
    leg = Leg("Go.", Reach((world.ids[5], world.ids[place])))
    leg_trace = LegTrace(("stop",), (world.ids[other_place],))
    distance = float(np.hypot(*(world.positions[place, :2] - world.positions[other_place, :2])))
    assert describe_leg(leg, leg_trace, world, success=True) == "stopped next to the goal"
    assert describe_leg(leg, leg_trace, world, success=False) == f"stopped {distance:.1f} m from the goal"


def test_answer_from_another_place_names_the_place(tmp_path: Path) -> None:
    world = open_world("town/0")
    place, other_place = world.ids[3], world.ids[4]
    leg = Leg("There.", Point(Direction(30.0), place))
    write("jsonl", [Episode("1", "mine", "town/0", Pose(Direction(0), place), (leg,))], tmp_path / "mine.jsonl")
    for name, path in (("lost", (other_place,)), ("there", (place,)), ("nowhere", ())):
        leg_trace = LegTrace(("point",), path, (), Direction(31.0))
        trace = Trace("1", str(tmp_path / "mine.jsonl"), name, (leg_trace,))
        (tmp_path / f"{name}.jsonl").write_text(to_json_line(trace) + "\n")
    _, examples = page_data(load_report_data([tmp_path / f"{name}.jsonl" for name in ("lost", "there", "nowhere")]))
    lost, *others = (trace["legs"][0] for trace in examples["examples"][0]["traces"])
    assert examples["places"][0]["id"][lost["pointed_from"]] == other_place and lost["answer"] == [31.0, 0.0]
    assert not any("pointed_from" in other for other in others)


def test_unusual_texts_and_extras_are_kept(tmp_path: Path) -> None:
    hostile = "</script><b>\"'&\U0001f43b\u2028\x1b\x00 " + "word " * 20_000
    extra = {"phenomena": {"navigation_text": [["<i>", 0, 9]]}, "pair": {"a": 1}, "kind": hostile, "changed": True}
    base = load("town/dev")[0]
    leg = replace(base.legs[0], text=hostile)
    unusual = replace(base, id=hostile[:500], legs=(leg,), extra=extra)
    write("jsonl", [unusual], tmp_path / "odd.jsonl")
    evaluate("gold", str(tmp_path / "odd.jsonl"), tmp_path / "gold.jsonl")
    summary, examples = page_data(load_report_data([tmp_path / "gold.jsonl"]))
    (example,) = examples["examples"]
    assert example["id"] == hostile[:500] and example["legs"][0]["text"] == hostile
    assert summary["phenomena"] == ["<i>"] and example["legs"][0]["phenomena"] == [[0, 0, 9]]
    assert example["pair"] == {"kind": hostile, "name": "{'a': 1}", "changed": True, "partner": None}


def test_halves_of_a_pair_refer_to_each_other(tmp_path: Path) -> None:
    halves = [
        replace(episode, extra={"kind": "count", "pair": k // 2, "changed": bool(k % 2)})
        for k, episode in enumerate(load("town/dev")[:5])
    ]
    write("jsonl", halves, tmp_path / "pairs.jsonl")
    evaluate("gold", str(tmp_path / "pairs.jsonl"), tmp_path / "gold.jsonl")
    _, examples = page_data(load_report_data([tmp_path / "gold.jsonl"]))
    assert [example["pair"]["partner"] for example in examples["examples"]] == [1, 0, 3, 2, None]


def test_policy_is_included_where_every_action_has_its_state(tmp_path: Path) -> None:
    episode = load("town/dev")[0]
    graph = open_world(episode.world)
    assert isinstance(episode.legs[0].goal, Reach)
    route = episode.legs[0].goal.route
    game = ReachGame(episode.legs[0], episode.start, graph)
    actions = [*actions_along(graph, episode.start, route[:3])[:-1], route[3], "stop"]
    for action in actions:
        game.step(Decision(action, (0.5, 0.25, 0.25, 0), (1, 3), ((0, 4), (5, 7)), (1, 2, 2)))
    walk = game.trace()
    traces = {
        "walk": walk,
        "places": replace(walk, path=tuple(dict.fromkeys(map(str, walk.path)))),  # without turns
        "plain": replace(walk, policy=None),
    }
    for name, leg_trace in traces.items():
        (tmp_path / f"{name}.jsonl").write_text(to_json_line(Trace(episode.id, "town/dev", name, (leg_trace,))) + "\n")
    _, examples = page_data(load_report_data([tmp_path / f"{name}.jsonl" for name in traces]))
    legs = [trace["legs"][0] for trace in examples["examples"][0]["traces"]]
    assert walk.policy is not None
    chosen = [("forward", "left", "right", "stop").index(action) for action in actions[:-2]]
    assert legs[0]["policy"] == json.loads(json.dumps(walk.policy.to_json())) | {"actions": [*chosen, -1, 3]}
    assert len(legs[0]["places"]) == len(actions)
    assert "policy" not in legs[1] and "policy" not in legs[2]


def test_heatmap_is_included(tmp_path: Path) -> None:
    episode = load("town/point")[0]
    heat = Heatmap.from_array([[0.0, 1.0], [2.0, 4.0]])
    leg_trace = LegTrace(("point",), (), (), Direction(10.0), heat)
    (tmp_path / "warm.jsonl").write_text(to_json_line(Trace(episode.id, "town/point", "warm", (leg_trace,))) + "\n")
    _, examples = page_data(load_report_data([tmp_path / "warm.jsonl"]))
    assert examples["examples"][0]["traces"][0]["legs"][0]["heatmap"] == heat.to_json()


@pytest.mark.parametrize(
    ("answer", "path", "expected"),
    [
        (Direction(10, 0), (), "10.0 degrees from the target"),
        (Direction(10, 0), ("p",), "10.0 degrees from the target"),
        (Direction(10, 0), ("q",), "pointed from another place"),
        (None, (), "no answer"),
    ],
)
def test_outcomes_of_pointing(answer: Direction | None, path: tuple[str, ...], expected: str) -> None:
    assert describe_leg(Leg("", Point(Direction(0), "p")), LegTrace((), path, (), answer), None) == expected


def test_propagated_target_is_measured_from_its_own_place() -> None:
    goal = Point(Direction(0), "p", propagated=(Point(Direction(40), "q"),))
    for path, expected in (
        (("p",), "30.0 degrees from the target"),
        (("q",), "10.0 degrees from the target, from a panorama beside the goal"),
        (("r",), "pointed from another place"),
    ):
        assert describe_leg(Leg("", goal), LegTrace((), path, (), Direction(30)), None) == expected


def test_agents_are_described_by_what_is_known(tmp_path: Path) -> None:
    evaluate("gold", "town/dev", tmp_path / "gold.jsonl", limit=2)
    routes = [(episode.id, episode.legs[0].goal) for episode in load("town/dev")[:2]]
    paths = {name: list(goal.route) for name, goal in routes if isinstance(goal, Reach)}
    (tmp_path / "theirs.json").write_text(json.dumps(paths))
    other = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    named = "".join(json.dumps({**row, "agent": "ours v2"}) + "\n" for row in other)
    (tmp_path / "ours.jsonl").write_text(named)
    files = [tmp_path / name for name in ("gold.jsonl", "theirs.json", "ours.jsonl")]
    summary, examples = page_data(load_report_data(files, "town/dev"))
    lines = {agent["name"]: agent["description"] for agent in summary["agents"]}
    assert "knows the answer" in lines["gold"]
    assert lines["theirs"] == "Predictions of another program, in theirs.json."
    assert lines["ours v2"] == "The traces in ours.jsonl."
    films = [trace["film"] for trace in examples["examples"][0]["traces"]]
    assert films == [[], ["--dataset", "town/dev"], []]


def test_films_are_offered_for_traces_that_render_episode_finds(tmp_path: Path) -> None:
    for seed in (0, 1):
        evaluate("random", "town/dev", tmp_path / f"random-{seed}.jsonl", seed=seed, limit=1)
    evaluate("gold", "town/dev", tmp_path / "gold.jsonl", limit=1)
    both = tmp_path / "both.jsonl"
    both.write_text("".join((tmp_path / f"{name}.jsonl").read_text() for name in ("random-0", "random-1", "gold")))
    _, examples = page_data(load_report_data([both]))
    films = [trace["film"] for trace in examples["examples"][0]["traces"]]
    # The second trace of an agent cannot be named.
    assert films == [["--agent", "random"], None, ["--agent", "gold"]]


def test_pair_counts_agree_with_the_metric_pairs(tmp_path: Path) -> None:
    files = [tmp_path / f"{agent}.jsonl" for agent in ("follower", "colour-blind", "center")]
    for file in files:
        evaluate(file.stem, "city/pairs/colour", file)
    report_data = load_report_data(files)
    rows = pair_counts(report_data)
    assert [row["kind"] for row in rows] == ["colour"] * 3
    values = {row["file"]: row["value"] for row in report_data.scores.rows if row["metric"] == "Pairs"}
    for row, file in zip(rows, files, strict=True):
        total = sum(row[name] for name in ("both", "original", "changed", "none"))
        assert total == 10 and 100 * row["both"] / total == pytest.approx(values[str(file)])
    assert rows[0]["both"] == 10 and rows[2]["both"] == 0
    assert rows[1]["original"] + rows[1]["changed"] == 6  # without colours, it guesses one of the two
