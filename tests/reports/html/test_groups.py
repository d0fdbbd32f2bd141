from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load, write
from bearleft.evaluation.evaluate import evaluate
from bearleft.language.analysis.phenomena import touchdown_spans
from bearleft.language.analysis.tokens import tokens
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach
from bearleft.reports.html.groups import (
    Chart,
    Grouping,
    frequent_phenomena,
    group_episodes,
    make_charts,
    phenomenon_spans,
    played_episodes,
)
from bearleft.reports.html.loading import ReportData, load_report_data

LIMIT = 30


def make_groups(report_data: ReportData) -> tuple[dict[str, Grouping], list[Chart]]:
    spans_by_episode = {
        key: phenomenon_spans(report_data.datasets[key[0]].episodes[key[1]]) for key in played_episodes(report_data)
    }
    groups = group_episodes(report_data, spans_by_episode, frequent_phenomena(spans_by_episode))
    return {group.by: group for group in groups}, make_charts(report_data, groups)


@pytest.fixture(scope="module")
def report_data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    folder = tmp_path_factory.mktemp("groups")
    for agent in ("random", "gold"):
        evaluate(agent, "town/dev", folder / f"{agent}.jsonl", limit=LIMIT)
    evaluate("gold", "town/look", folder / "look.jsonl", limit=5)
    return load_report_data([folder / name for name in ("random.jsonl", "gold.jsonl", "look.jsonl")])


def test_means_of_groups_equal_plain_means(report_data: ReportData) -> None:
    groups, charts = make_groups(report_data)
    assert list(groups) == ["phenomenon", "length", "route", "turns", "split"]
    checked = 0
    for chart in charts:
        metric, scale = (
            report_data.metrics.index(chart.metric),
            100.0 if chart.metric in ("TC", "A@40px", "Acc@11deg") else 1.0,
        )
        for group, agent, mean, low, high, n in chart.cells:
            values = [
                file.table[row, metric]
                for file in report_data.files
                if file.agent == agent
                for row, number in enumerate(file.source.columns.episode.tolist())
                if group in chart.grouping.members.get((file.dataset, number), ())
            ]
            values = [value for value in values if not np.isnan(value)]
            assert n == len(values) and mean == pytest.approx(scale * sum(values) / n)
            assert low <= mean <= high
            checked += 1
    assert checked > 40
    assert {chart.metric for chart in charts} >= {"TC", "nDTW", "SDTW", "SPD", "Dist-deg"}


def test_length_groups_are_named_after_their_range(report_data: ReportData) -> None:
    groups, _ = make_groups(report_data)
    sizes = {
        key: sum(len(tokens(leg.text)) for leg in report_data.datasets[key[0]].episodes[key[1]].legs)
        for key in played_episodes(report_data)
    }
    assert groups["length"].members.keys() == sizes.keys()
    assert 2 <= len(groups["length"].names) <= 4
    for k, name in enumerate(groups["length"].names):
        inside = [sizes[key] for key, numbers in groups["length"].members.items() if numbers == [k]]
        low, high = min(inside), max(inside)
        assert name == (f"{low}-{high} tokens" if low < high else f"{low} tokens")
    assert groups["split"].names == ["town/dev", "town/look"]
    assert all(key[0] == 0 for key in groups["route"].members)  # Point episodes have no route


def test_turns_are_counted_along_the_route(report_data: ReportData) -> None:
    groups, _ = make_groups(report_data)
    graph = report_data.datasets[0].graphs["town/0"]
    for (dataset, number), (group,) in groups["turns"].members.items():
        goal = report_data.datasets[dataset].episodes[number].legs[0].goal
        assert isinstance(goal, Reach)
        positions = graph.positions[[graph.index_by_id[place] for place in goal.route], :2]
        steps = np.diff(positions, axis=0)
        headings = np.degrees(np.arctan2(*steps.T))
        turns = int((np.abs((np.diff(headings) + 180) % 360 - 180) >= 45).sum())
        low, _, high = groups["turns"].names[group].split()[0].partition("-")
        assert int(low) <= turns <= int(high or low)


def make_episode(text: str, extra: dict[str, Any], *more: Leg) -> Episode:
    legs = (Leg(text, Reach(("a", "b"))), *more)
    return Episode("1", "mine", "town/0", Pose(Direction(0), "a"), legs, extra)


def test_stored_spans_belong_to_the_text_of_their_leg() -> None:
    point = Leg("a red car", Point(Direction(3), "b"))
    spans = {
        "navigation_text": [["direction", 0, 4]],
        "td_location_text": [["unique entity", 0, 9]],
        "full_text": [["count", 0, 1]],
    }
    assert phenomenon_spans(make_episode("turn left", {"phenomena": spans}, point)) == [
        [("direction", 0, 4)],
        [("unique entity", 0, 9)],
    ]
    listed = make_episode("turn left", {"phenomena": [["direction", 5, 9]]})
    assert phenomenon_spans(listed) == [[("direction", 5, 9)]]


@pytest.mark.parametrize(
    "spans",
    [
        3,
        "x",
        {},
        [],
        {"navigation_text": 3},
        {"navigation_text": {"a": 1}},
        [["direction", 0, 10]],
        [["direction", 4, 4]],
        [["direction", -1, 3]],
        [["direction", 0]],
        [[3, 0, 3]],
        [["", 0, 3]],
        [["direction", 0.0, 3]],
        [["direction", True, 3]],
        [None],
        None,
        [[["direction"], 0, 3]],
    ],
)
def test_invalid_spans_are_ignored(spans: Any) -> None:
    """Spans found by rules are used instead."""
    text = "turn left"
    assert phenomenon_spans(make_episode(text, {"phenomena": spans})) == [touchdown_spans(text)] != [[]]


def test_text_without_words_has_no_spans() -> None:
    assert phenomenon_spans(make_episode("", {})) == [[]] and phenomenon_spans(make_episode(" \n", {})) == [[]]


def test_phenomena_are_ordered_by_frequency_and_limited() -> None:
    spans = {(0, k): [[(f"kind {k}", 0, 1), ("often", 1, 2)], []] for k in range(100)}
    assert frequent_phenomena(spans)[:3] == ["often", "kind 0", "kind 1"] and len(frequent_phenomena(spans)) == 24
    assert frequent_phenomena({(0, 0): [[]]}) == []


def test_pair_metrics_are_grouped_by_kind(tmp_path: Path) -> None:
    """One of two colour pairs is right; no count pair is, but one of its changed texts is."""
    episodes = [
        replace(episode, extra={"kind": "colour" if k < 4 else "count", "pair": k // 2, "changed": bool(k % 2)})
        for k, episode in enumerate(load("town/dev")[:8])
    ]
    write("jsonl", episodes, tmp_path / "pairs.jsonl")
    failing = (3, 4, 6, 7)
    paths = {}
    for k, episode in enumerate(episodes):
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        paths[episode.id] = list(goal.route[:1] if k in failing else goal.route)
    (tmp_path / "me.json").write_text(json.dumps(paths))
    groups, charts = make_groups(load_report_data([tmp_path / "me.json"], dataset=str(tmp_path / "pairs.jsonl")))
    assert groups["pair"].names == ["colour", "count"] and groups["pair"].members[0, 5] == [1]
    cells_by_metric = {
        chart.metric: [(cell[2], cell[5]) for cell in chart.cells] for chart in charts if chart.grouping.by == "pair"
    }
    assert (
        cells_by_metric["Pairs"] == [(50, 2), (0, 2)]
        and cells_by_metric["Changed"] == [(50, 2), (50, 2)]
        and cells_by_metric["TC"] == [(75, 4), (25, 4)]
    )
    assert not any(chart.metric == "Pairs" for chart in charts if chart.grouping.by != "pair")


def test_one_dataset_per_pair_kind_is_grouped_once(tmp_path: Path) -> None:
    kinds = ("colour", "left-right")
    for kind in kinds:
        evaluate("center", f"city/pairs/{kind}", tmp_path / f"{kind}.jsonl", limit=4)
    report_data = load_report_data([tmp_path / f"{kind}.jsonl" for kind in kinds])
    groups, _ = make_groups(report_data)
    assert report_data.metrics[-2:] == ["Pairs", "Changed"]
    assert groups["pair"].names == list(kinds) and "split" not in groups


def test_groupings_with_a_single_group_are_omitted(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    write(
        "jsonl",
        [
            replace(episode, extra={"kind": 3, "pair": [], "changed": "x", "img_cat": {}})
            for episode in load("town/dev")[:1]
        ],
        path,
    )
    evaluate("gold", str(path), tmp_path / "gold.jsonl")
    groups, charts = make_groups(load_report_data([tmp_path / "gold.jsonl"]))
    assert set(groups) <= {"phenomenon"} and all(len({cell[0] for cell in chart.cells}) > 1 for chart in charts)
