"""Data of the report's page: the summary (scores, differences, groups), and the examples with their places."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from bearleft.agents.descriptions import describe_agent
from bearleft.evaluation.score import horizon_field, trace_dataset
from bearleft.geometry import angle_between
from bearleft.metrics.registry import METRICS
from bearleft.metrics.trace_columns import is_unplayed
from bearleft.policy import POLICY_ACTIONS, Policy
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, LegTrace, Point, Reach
from bearleft.reports.arramon_replay import ReplayedLeg, describe_outcome, replay
from bearleft.reports.film.shots import State, walk_outcome
from bearleft.reports.film.text import sentence_spans
from bearleft.reports.html.arramon_data import assembled_data, cell_number, collected_data, room_data, task_items
from bearleft.reports.html.groups import Chart, Grouping, Key, PhenomenonSpan, pair_counts, pair_kind, text_length
from bearleft.reports.html.loading import (
    POINTED,
    POINTED_AFTER_WALK,
    POINTED_BY_SENTENCE,
    Agent,
    Example,
    ReportData,
    ShownTrace,
    success_metric,
)
from bearleft.reports.html.pictures import ReportPictures
from bearleft.reports.html.places import Places
from bearleft.reports.html.strips import pointing_places, walked_legs
from bearleft.runtime.json_fields import Json
from bearleft.version import VERSION
from bearleft.world.arramon.moves import PICK, PLACE
from bearleft.world.graphs.graph import Graph

RANGES = {"%": [0, 100], "0..1": [0, 1]}  # of bounded metrics
NEXT_TO = "next to the goal"
Graphs = Mapping[str, Graph | None]


def worlds_of(report_data: ReportData) -> list[str]:
    """Return the worlds of the shown examples, in order."""
    return list(dict.fromkeys(example.episode.world for example in report_data.examples))


def summary_data(
    report_data: ReportData, charts: Sequence[Chart], phenomena: Sequence[str], title: str, notes: Sequence[str]
) -> Json:
    """Return the summary of the page: datasets, agents, metrics, scores, paired tests, charts and notes.

    Args:
        report_data: Loaded and scored files.
        charts: Charts of the scores by group.
        phenomena: Names of the phenomena that texts are annotated with.
        title: Title of the page.
        notes: Notes to show in addition to those of the scores.
    """
    columns = {file.source.file: (file.agent, file.dataset) for file in report_data.files}
    shown = [example.dataset for example in report_data.examples]
    return {
        "title": title,
        "version": VERSION,
        "date": date.today().isoformat(),
        "datasets": [
            {
                "name": item.name,
                "episodes": len(item.episodes),
                "shown": shown.count(k),
                "success_metrics": _success_metrics(report_data, k),
            }
            for k, item in enumerate(report_data.datasets)
        ],
        "agents": [
            {
                "name": item.name,
                "trace_name": item.trace_name,
                "description": _agent_description(item),
                "files": list(item.files),
                "traces": item.traces,
            }
            for item in report_data.agents
        ],
        "metrics": [
            {
                "name": item.name,
                "percent": item.percent,
                "higher_is_better": item.higher_is_better,
                "definition": item.definition,
                "range": RANGES.get(item.unit),
            }
            for item in (METRICS[name] for name in report_data.metrics)
        ],
        "scores": [
            {
                "agent": columns[row["file"]][0],
                "dataset": columns[row["file"]][1],
                "metric": report_data.metrics.index(row["metric"]),
                **{name: row[name] for name in ("value", "low", "high", "n", "convention")},
            }
            for row in report_data.scores.rows
        ],
        "comparisons": [
            {
                "dataset": columns[row["file"]][1],
                "first": columns[row["file"]][0],
                "second": columns[row["against"]][0],
                "metric": report_data.metrics.index(row["metric"]),
                "p": row["p_permutation"],
                **{name: row[name] for name in ("difference", "low", "high", "p_sign", "above", "below", "n")},
            }
            for row in report_data.scores.comparisons
        ],
        "groups": [
            {
                "by": chart.grouping.by,
                "title": chart.grouping.title,
                "names": chart.grouping.names,
                "metric": report_data.metrics.index(chart.metric),
                "cells": [list(cell) for cell in chart.cells],
            }
            for chart in charts
        ],
        "pairs": pair_counts(report_data),
        "phenomena": list(phenomena),
        "success_metrics": _success_metrics(report_data),
        "notes": list(dict.fromkeys([*report_data.scores.notes, *_horizon_notes(report_data), *notes])),
        "examples": len(report_data.examples),
        "worlds": worlds_of(report_data),
        "room": room_data() if _assembles(report_data) else None,
    }


def _agent_description(agent: Agent) -> str:
    """Return one line on an agent: what it does, or else where its traces come from."""
    if line := describe_agent(agent.trace_name):
        return line
    names = ", ".join(Path(file).name for file in agent.files)
    predicted = all(trace_dataset(file) is None for file in agent.files)
    return f"Predictions of another program, in {names}." if predicted else f"The traces in {names}."


def _assembles(report_data: ReportData) -> bool:
    return any(isinstance(leg.goal, Assemble) for example in report_data.examples for leg in example.episode.legs)


def _horizon_notes(report_data: ReportData) -> list[str]:
    """Return a note on the horizon of each file whose traces say it."""
    horizons = {
        Path(file.source.file).name: horizon_field(file.source.columns.horizons).get("horizon")
        for file in report_data.files
    }
    return [f"{name}: walks end after {horizon} actions (horizon)" for name, horizon in horizons.items() if horizon]


def _success_metrics(report_data: ReportData, dataset: int | None = None) -> dict[str, int]:
    """Return the metric that decides success for each kind of leg; `sentences` are points with several texts."""
    metrics: dict[str, int] = {}
    examples = [example for example in report_data.examples if dataset in (None, example.dataset)]
    for episode, k in ((example.episode, k) for example in examples for k in range(len(example.episode.legs))):
        name, leg = success_metric(episode, k), episode.legs[k]
        if name in report_data.metrics:
            number = report_data.metrics.index(name)
            kinds = {POINTED: "point", POINTED_AFTER_WALK: "point", POINTED_BY_SENTENCE: "sentences"}
            metrics[kinds.get(name, type(leg.goal).__name__.lower())] = number
    if "sentences" in metrics:
        metrics.setdefault("point", metrics["sentences"])
    # The first is shown as the main one; for tasks that assemble, that is assembling.
    return {kind: metrics[kind] for kind in sorted(metrics, key="assemble".__ne__)}


def examples_data(
    report_data: ReportData,
    groups: Sequence[Grouping],
    spans_by_episode: Mapping[Key, Sequence[Sequence[PhenomenonSpan]]],
    phenomena: Sequence[str],
    graphs: Graphs,
    pictures: ReportPictures,
) -> dict[str, Any]:
    """Return the examples, and the places that they refer to.

    Args:
        report_data: Loaded and scored files.
        groups: Groupings of the episodes.
        spans_by_episode: Spans of phenomena in each leg's text.
        phenomena: Names of the phenomena; examples refer to them by index.
        graphs: Graph of each world, None for a world without places.
        pictures: Pictures of the report.
    """
    worlds = worlds_of(report_data)
    writer = _ExampleWriter(
        report_data, {name: k for k, name in enumerate(phenomena)}, graphs, pictures, {w: Places() for w in worlds}
    )
    examples = [
        writer.example(example, spans_by_episode[example.dataset, example.index], groups)
        for example in report_data.examples
    ]
    _join_pairs(examples)
    return {"examples": examples, "places": [writer.places[world].to_json(world, pictures) for world in worlds]}


def _join_pairs(examples: Sequence[dict[str, Any]]) -> None:
    """Store in each half of a minimal pair the number of the other example."""
    halves: dict[tuple[int, str, str, bool], int] = {}
    for k, example in enumerate(examples):
        if example["pair"]:
            halves[example["dataset"], example["pair"]["kind"], example["pair"]["name"], example["pair"]["changed"]] = k
    for (dataset, kind, name, changed), k in halves.items():
        examples[k]["pair"]["partner"] = halves.get((dataset, kind, name, not changed))


@dataclass
class _ExampleWriter:
    report_data: ReportData
    phenomena: Mapping[str, int]
    graphs: Graphs
    pictures: ReportPictures
    places: Mapping[str, Places]
    traces: int = 0  # written so far: the index of a trace in ReportPictures
    first_rows: dict[tuple[int, str, str], int] = field(default_factory=dict)  # by file, episode and agent
    predicted: dict[int, bool] = field(default_factory=dict)  # whether a file holds predictions instead of traces

    def __post_init__(self) -> None:
        self.scales = [100.0 if METRICS[name].percent else 1.0 for name in self.report_data.metrics]

    def example(
        self, example: Example, spans: Sequence[Sequence[PhenomenonSpan]], groups: Sequence[Grouping]
    ) -> dict[str, Any]:
        episode, key = example.episode, (example.dataset, example.index)
        graph = self.graphs[episode.world]
        kind, extra = pair_kind(episode), episode.extra
        pair = {"kind": kind, "name": str(extra.get("pair")), "changed": extra.get("changed"), "partner": None}
        pointing_from = dict(pointing_places(episode))
        return {
            "id": episode.id,
            "dataset": example.dataset,
            "world": list(self.places).index(episode.world),
            "length": text_length(episode),
            "pair": pair if kind is not None else None,
            "groups": {group.by: group.members[key] for group in groups if group.members.get(key)},
            "legs": [self._leg(episode, k, leg, spans[k], pointing_from, graph) for k, leg in enumerate(episode.legs)],
            "traces": [self._trace(episode, shown, graph) for shown in example.traces],
            **task_items(episode, self.places[episode.world]),
        }

    def _leg(
        self,
        episode: Episode,
        index: int,
        leg: Leg,
        spans: Sequence[PhenomenonSpan],
        pointing_from: Mapping[int, str],
        graph: Graph | None,
    ) -> dict[str, Any]:
        goal, places = leg.goal, self.places[episode.world]
        out: dict[str, Any] = {
            "kind": type(goal).__name__.lower(),
            "text": leg.text,
            "sentences": [list(span) for span in sentence_spans(leg.text, leg.sentences)] if leg.sentences else [],
            "phenomena": [[self.phenomena[name], begin, end] for name, begin, end in spans if name in self.phenomena],
        }
        if isinstance(goal, Reach):
            out["route"] = [places.number(place, graph) for place in goal.route]
        elif isinstance(goal, Point):
            place = pointing_from.get(index)
            out["place"] = None if place is None else places.number(place, graph)
            out["yaw"] = round(goal.yaw, 2)
            out["target"] = _direction(goal.direction)
            out["views"] = [_direction(view) for view in goal.views]
        elif isinstance(goal, Collect):
            out["route"] = [places.position(east, north) for east, north, _ in goal.path]
            out["item"], out["target_place"] = goal.item, places.position(goal.at[0], goal.at[1])
        else:
            out["cell"] = list(goal.cell)
            out["route_cells"] = [cell_number(column, row) for column, _, row in goal.path]
        return out

    def _trace(self, episode: Episode, shown: ShownTrace, graph: Graph | None) -> dict[str, Any]:
        file, trace_index = self.report_data.files[shown.file], self.traces
        self.traces += 1
        walked_states = dict(walked_legs(episode, shown.trace, graph)) if graph is not None else {}
        replayed = {replayed_leg.leg: replayed_leg for replayed_leg in replay(episode, shown.trace)}
        success = float(file.success[shown.row])
        return {
            "agent": file.agent,
            "file": self.report_data.agents[file.agent].files.index(file.source.file),
            "seed": shown.trace.seed,
            "film": self._film_options(shown),
            "values": [
                _number(value * scale) for value, scale in zip(file.table[shown.row].tolist(), self.scales, strict=True)
            ],
            "success": None if math.isnan(success) else success == 1.0,
            "legs": [
                self._leg_trace(episode, k, shown, walked_states.get(k) or replayed.get(k), graph, trace_index)
                for k in range(min(len(episode.legs), len(shown.trace.legs)))
            ],
        }

    def _film_options(self, shown: ShownTrace) -> list[str] | None:
        """Return the options by which `bearleft render episode` finds a trace in its file; None if it cannot."""
        source, trace = self.report_data.files[shown.file].source, shown.trace
        key = shown.file, trace.episode, trace.agent
        if not trace.legs or self.first_rows.setdefault(key, shown.row) != shown.row:
            return None  # a film is of the first trace of an agent and episode
        options = ["--agent", trace.agent] if len(source.columns.agents) > 1 else []
        if shown.file not in self.predicted:
            self.predicted[shown.file] = trace_dataset(source.file) is None
        return [*options, "--dataset", source.dataset.name] if self.predicted[shown.file] else options

    def _leg_trace(
        self,
        episode: Episode,
        number: int,
        shown: ShownTrace,
        states: Sequence[State] | ReplayedLeg | None,
        graph: Graph | None,
        trace_index: int,
    ) -> dict[str, Any]:
        leg, leg_trace, places = episode.legs[number], shown.trace.legs[number], self.places[episode.world]
        success = bool(self.report_data.files[shown.file].leg_success[shown.row, number] == 1.0)
        unplayed = isinstance(leg.goal, Collect | Assemble) and is_unplayed(shown.trace.legs, number)
        outcome = "not played" if unplayed else describe_leg(leg, leg_trace, graph, success)
        out: dict[str, Any] = {"outcome": outcome, "success": success}
        if states is not None:
            strip = self.pictures.strips.get((trace_index, number), ())
            out["strip"] = [[view.step, view.picture, view.caption] for view in strip]
        if isinstance(states, ReplayedLeg):
            out |= (
                assembled_data(states, leg_trace)
                if states.inside
                else collected_data(episode, states, leg_trace, places)
            )
            # A replay has a state before each action, and one behind the last unless that ended the leg.
            if leg_trace.policy is not None and len(states.states) - len(leg_trace.actions) in (0, 1):
                out["policy"] = arramon_policy(leg_trace.policy, leg_trace.actions, states.inside)
        elif states is not None:
            out["places"] = [places.number(place, graph) for place, _ in states]
            out["headings"] = [round(heading) % 360 for _, heading in states]
            # The path of a trace has a state before each action; paths of other programs may lack turns.
            if leg_trace.policy is not None and tuple(place for place, _ in states) == leg_trace.path:
                out["policy"] = _policy(leg_trace.policy, leg_trace.actions)
        elif isinstance(leg.goal, Point):
            out["answer"] = _direction(leg_trace.answer) if isinstance(leg_trace.answer, Direction) else None
            out["looks"] = [_direction(look) for look in leg_trace.looks]
            if (place := pointed_elsewhere(leg, leg_trace)) is not None:
                out["pointed_from"] = places.number(place, graph)
            if leg_trace.heat is not None:
                out["heatmap"] = leg_trace.heat.to_json()
        if leg_trace.calls:
            out["calls"] = [call.to_json() for call in leg_trace.calls]
        return out


def pointed_elsewhere(leg: Leg, leg_trace: LegTrace) -> str | None:
    """Return the place an agent pointed from, if it is not the goal's."""
    if not isinstance(leg.goal, Point) or leg.goal.place is None or not leg_trace.path:
        return None
    place = leg_trace.path[-1]
    return place if isinstance(place, str) and place != leg.goal.place else None


def describe_leg(leg: Leg, leg_trace: LegTrace, graph: Graph | None, success: bool = True) -> str:
    """Describe how a leg ended; `success` says whether it counts as a success."""
    goal = leg.goal
    if isinstance(goal, Reach):
        return _describe_walk(goal, leg_trace, graph, success) if graph is not None else "walked"
    if not isinstance(goal, Point):
        return describe_outcome(goal, leg_trace, success)
    if leg_trace.answer is None:
        return "no answer"
    place = pointed_elsewhere(leg, leg_trace)
    goal_there = goal if place is None else goal.seen_from(place)
    if goal_there is None:
        return "pointed from another place"
    error = (
        angle_between(leg_trace.answer, goal_there.direction) if isinstance(leg_trace.answer, Direction) else math.nan
    )
    return f"{error:.1f} degrees from the target{'' if place is None else ', from a panorama beside the goal'}"


def _describe_walk(goal: Reach, leg_trace: LegTrace, graph: Graph, success: bool) -> str:
    outcome, _ = walk_outcome(goal, leg_trace, graph)
    if success or not outcome.endswith(NEXT_TO):
        return outcome
    # Next to the goal but no success: too far away, or without a stop.
    end, target = (graph.positions[graph.place_index(str(place)), :2] for place in (leg_trace.path[-1], goal.route[-1]))
    return f"{outcome.removesuffix(NEXT_TO)}{math.dist(end, target):.1f} m from the goal"


def _policy(policy: Policy, actions: Sequence[str]) -> Json:
    """Return a policy, with the index of each action; -1 for a step to a named place."""
    chosen = [POLICY_ACTIONS.index(action) if action in POLICY_ACTIONS else -1 for action in actions]
    return policy.to_json() | {"actions": chosen}


def arramon_policy(policy: Policy, actions: Sequence[str], inside: bool) -> Json:
    """Return a policy of ArraMon with the names of its actions; a refused one was to pick or to place."""
    names = [*POLICY_ACTIONS[:3], PLACE if inside else PICK]
    chosen = [names.index(action) if action in names else len(names) - 1 for action in actions]
    return policy.to_json() | {"actions": chosen, "names": list(names)}


def _direction(direction: Direction) -> list[float]:
    return [round(direction.heading, 2), round(direction.pitch, 2)]


def _number(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None
