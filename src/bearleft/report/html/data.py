"""What the report's page is given: `head` (scores, differences, groups) and `rows` (examples, and places by world)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bearleft.evaluate.score import horizon_of
from bearleft.geometry import angle_between
from bearleft.metrics.table import METRICS
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, LegTrace, Point, Reach, Trace
from bearleft.report.arramon_replay import Played, played, said_of
from bearleft.report.film.shots import State, walk_verdict
from bearleft.report.film.text import sentence_spans
from bearleft.report.html.arramon_data import around, assembled, cell_number, collected, room
from bearleft.report.html.groups import Chart, Grouping, Key, Mark, pair_kind, text_length
from bearleft.report.html.loading import FOLLOWED, FOUND, POINTED, Done, Example, File, Gathered, right_by
from bearleft.report.html.pictures import Sights
from bearleft.report.html.places import Places
from bearleft.report.html.strips import looked_from, walks
from bearleft.runtime.json_fields import Json
from bearleft.version import VERSION
from bearleft.world.graphs.graph import Graph

RANGES = {"%": [0, 100], "0..1": [0, 1]}  # of measures that have an end on both sides
NEXT_TO = "next to the goal"
Graphs = Mapping[str, Graph | None]


def worlds_of(gathered: Gathered) -> list[str]:
    """The worlds of the examples that are shown, in their order."""
    return list(dict.fromkeys(example.episode.world for example in gathered.examples))


def head(
    gathered: Gathered, charts: Sequence[Chart], phenomena: Sequence[str], title: str, notes: Sequence[str]
) -> Json:
    """Everything but the examples."""
    column = {file.source.file: (file.agent, file.dataset) for file in gathered.files}
    shown = [example.dataset for example in gathered.examples]
    return {
        "title": title,
        "version": VERSION,
        "made": date.today().isoformat(),
        "datasets": [
            {"name": one.name, "episodes": len(one.episodes), "shown": shown.count(k), "right": _right(gathered, k)}
            for k, one in enumerate(gathered.datasets)
        ],
        "agents": [
            {"name": one.name, "said": one.said, "files": list(one.files), "traces": one.traces}
            for one in gathered.agents
        ],
        "metrics": [
            {
                "name": one.name,
                "percent": one.percent,
                "higher": one.up,
                "about": one.definition,
                "range": RANGES.get(one.unit),
            }
            for one in (METRICS[name] for name in gathered.metrics)
        ],
        "scores": [
            {
                "agent": column[row["file"]][0],
                "dataset": column[row["file"]][1],
                "metric": gathered.metrics.index(row["metric"]),
                **{name: row[name] for name in ("value", "low", "high", "n", "convention")},
            }
            for row in gathered.scores.rows
        ],
        "pairs": [
            {
                "dataset": column[row["file"]][1],
                "one": column[row["file"]][0],
                "other": column[row["against"]][0],
                "metric": gathered.metrics.index(row["metric"]),
                "p": row["p_permutation"],
                **{name: row[name] for name in ("difference", "low", "high", "p_sign", "above", "below", "n")},
            }
            for row in gathered.scores.pairs
        ],
        "groups": [
            {
                "by": chart.grouping.by,
                "title": chart.grouping.title,
                "names": chart.grouping.names,
                "metric": gathered.metrics.index(chart.metric),
                "cells": [list(cell) for cell in chart.cells],
            }
            for chart in charts
        ],
        "phenomena": list(phenomena),
        "right": _right(gathered),
        "notes": list(dict.fromkeys([*gathered.scores.notes, *_horizons(gathered), *notes])),
        "examples": len(gathered.examples),
        "worlds": worlds_of(gathered),
        "room": room() if _assembles(gathered) else None,
    }


def _assembles(gathered: Gathered) -> bool:
    return any(isinstance(leg.goal, Assemble) for one in gathered.examples for leg in one.episode.legs)


def _horizons(gathered: Gathered) -> list[str]:
    """Return a note on the horizon of each file whose traces say it."""
    found = {Path(file.source.file).name: horizon_of(file.source.columns).get("horizon") for file in gathered.files}
    return [f"{name}: walks end after {horizon} actions (horizon)" for name, horizon in found.items() if horizon]


def _right(gathered: Gathered, dataset: int | None = None) -> dict[str, int]:
    """Which measure says that a leg (of one dataset) was right, by its kind; `sentences` are points told in several."""
    found: dict[str, int] = {}
    examples = [one for one in gathered.examples if dataset in (None, one.dataset)]
    for episode, k in ((one.episode, k) for one in examples for k in range(len(one.episode.legs))):
        name, leg = right_by(episode, k), episode.legs[k]
        if name in gathered.metrics:
            number = gathered.metrics.index(name)
            kinds = {POINTED: "point", FOUND: "point", FOLLOWED: "sentences"}
            found[kinds.get(name, type(leg.goal).__name__.lower())] = number
    if "sentences" in found:
        found.setdefault("point", found["sentences"])
    # The first leads: what was collected says little of a task that also assembles.
    return {kind: found[kind] for kind in sorted(found, key="assemble".__ne__)}


def rows(
    gathered: Gathered,
    groups: Sequence[Grouping],
    marks: Mapping[Key, Sequence[Sequence[Mark]]],
    phenomena: Sequence[str],
    graphs: Graphs,
    sights: Sights,
) -> dict[str, Any]:
    """The examples, and the places that they refer to."""
    worlds = worlds_of(gathered)
    writer = _Rows(
        gathered, {name: k for k, name in enumerate(phenomena)}, graphs, sights, {w: Places() for w in worlds}
    )
    examples = [writer.example(one, marks[one.dataset, one.number], groups) for one in gathered.examples]
    _join_pairs(examples)
    return {"examples": examples, "places": [writer.places[world].to_json(world, sights) for world in worlds]}


def _join_pairs(examples: Sequence[dict[str, Any]]) -> None:
    """Two examples of a minimal pair know each other's number."""
    halves: dict[tuple[int, str, str, bool], int] = {}
    for k, example in enumerate(examples):
        if example["pair"]:
            halves[example["dataset"], example["pair"]["kind"], example["pair"]["name"], example["pair"]["changed"]] = k
    for (dataset, kind, name, changed), k in halves.items():
        examples[k]["pair"]["other"] = halves.get((dataset, kind, name, not changed))


@dataclass
class _Rows:
    gathered: Gathered
    phenomena: Mapping[str, int]
    graphs: Graphs
    sights: Sights
    places: Mapping[str, Places]
    traces: int = 0  # so far, which is how sights number them

    def __post_init__(self) -> None:
        self.scales = [100.0 if METRICS[name].percent else 1.0 for name in self.gathered.metrics]

    def example(self, example: Example, marks: Sequence[Sequence[Mark]], groups: Sequence[Grouping]) -> dict[str, Any]:
        episode, key = example.episode, (example.dataset, example.number)
        graph = self.graphs[episode.world]
        kind, extra = pair_kind(episode), episode.extra
        pair = {"kind": kind, "name": str(extra.get("pair")), "changed": extra.get("changed"), "other": None}
        stands = dict(looked_from(episode))
        return {
            "id": episode.id,
            "dataset": example.dataset,
            "world": list(self.places).index(episode.world),
            "length": text_length(episode),
            "pair": pair if kind is not None else None,
            "groups": {group.by: group.members[key] for group in groups if group.members.get(key)},
            "legs": [self._leg(episode, k, leg, marks[k], stands, graph) for k, leg in enumerate(episode.legs)],
            "traces": [self._trace(episode, done, graph) for done in example.done],
            **around(episode, self.places[episode.world]),
        }

    def _leg(
        self,
        episode: Episode,
        number: int,
        leg: Leg,
        marks: Sequence[Mark],
        stands: Mapping[int, str],
        graph: Graph | None,
    ) -> dict[str, Any]:
        goal, places = leg.goal, self.places[episode.world]
        out: dict[str, Any] = {
            "kind": type(goal).__name__.lower(),
            "text": leg.text,
            "sentences": [list(span) for span in sentence_spans(leg.text, leg.sentences)] if leg.sentences else [],
            "marks": [[self.phenomena[what], begin, end] for what, begin, end in marks if what in self.phenomena],
        }
        if isinstance(goal, Reach):
            out["route"] = [places.number(place, graph) for place in goal.route]
        elif isinstance(goal, Point):
            stand = stands.get(number)
            out["place"] = None if stand is None else places.number(stand, graph)
            out["yaw"] = round(goal.yaw, 2)
            out["target"] = _direction(goal.direction)
            out["views"] = [_direction(view) for view in goal.views]
        elif isinstance(goal, Collect):
            out["route"] = [places.position(east, north) for east, north, _ in goal.path]
            out["item"], out["target_at"] = goal.item, places.position(goal.at[0], goal.at[1])
        else:
            out["cell"] = list(goal.cell)
            out["route_cells"] = [cell_number(column, row) for column, _, row in goal.path]
        return out

    def _trace(self, episode: Episode, done: Done, graph: Graph | None) -> dict[str, Any]:
        file, index = self.gathered.files[done.file], self.traces
        self.traces += 1
        walked = dict(walks(episode, done.trace, graph)) if graph is not None else {}
        tasks = {one.leg: one for one in played(episode, done.trace)}
        right = float(file.right[done.number])
        return {
            "agent": file.agent,
            "file": self.gathered.agents[file.agent].files.index(file.source.file),
            "seed": done.trace.seed,
            "values": [
                _number(value * scale)
                for value, scale in zip(file.table[done.number].tolist(), self.scales, strict=True)
            ],
            "right": None if math.isnan(right) else right == 1.0,
            "legs": [
                self._done(episode, k, leg, done.trace, walked.get(k) or tasks.get(k), graph, index, file, done.number)
                for k, leg in enumerate(episode.legs[: len(done.trace.legs)])
            ],
        }

    def _done(
        self,
        episode: Episode,
        number: int,
        leg: Leg,
        trace: Trace,
        way: Sequence[State] | Played | None,
        graph: Graph | None,
        index: int,
        file: File,
        row: int,
    ) -> dict[str, Any]:
        did, places = trace.legs[number], self.places[episode.world]
        good = bool(file.good[row, number] == 1.0)
        out: dict[str, Any] = {"verdict": verdict(leg, did, graph, good), "good": good}
        if way is not None:
            strip = self.sights.strips.get((index, number), ())
            out["strip"] = [[view.step, view.picture, view.caption] for view in strip]
        if isinstance(way, Played):
            out |= assembled(way, did) if way.inside else collected(episode, way, did, places)
        elif way is not None:
            out["at"] = [places.number(place, graph) for place, _ in way]
            out["to"] = [round(heading) % 360 for _, heading in way]
        elif isinstance(leg.goal, Point):
            out["answer"] = _direction(did.answer) if isinstance(did.answer, Direction) else None
            out["looks"] = [_direction(look) for look in did.looks]
            if (stood := elsewhere(leg, did)) is not None:
                out["from"] = places.number(stood, graph)
            if did.heat is not None:
                out["heat"] = did.heat.to_json()
        return out


def elsewhere(leg: Leg, did: LegTrace) -> str | None:
    """Where an agent pointed from, if that is not where it should have."""
    if not isinstance(leg.goal, Point) or leg.goal.place is None or not did.path:
        return None
    stood = did.path[-1]
    return stood if isinstance(stood, str) and stood != leg.goal.place else None


def verdict(leg: Leg, did: LegTrace, graph: Graph | None, good: bool = True) -> str:
    """How a leg ended, in words; `good` says whether it counts as right."""
    goal = leg.goal
    if isinstance(goal, Reach):
        return _walked(goal, did, graph, good) if graph is not None else "walked"
    if not isinstance(goal, Point):
        return said_of(goal, did, good)
    if did.answer is None:
        return "no answer"
    stood = elsewhere(leg, did)
    seen = goal if stood is None else goal.seen_from(stood)
    if seen is None:
        return "pointed from another place"
    off = angle_between(did.answer, seen.direction) if isinstance(did.answer, Direction) else math.nan
    return f"{off:.1f} degrees from the target{'' if stood is None else ', from a panorama beside the goal'}"


def _walked(goal: Reach, did: LegTrace, graph: Graph, good: bool) -> str:
    said, _ = walk_verdict(goal, did, graph)
    if good or not said.endswith(NEXT_TO):
        return said
    # Next to the goal and wrong all the same: too far, or without a stop.
    one, other = (graph.positions[graph.number(str(place)), :2] for place in (did.path[-1], goal.route[-1]))
    return f"{said.removesuffix(NEXT_TO)}{math.dist(one, other):.1f} m from the goal"


def _direction(direction: Direction) -> list[float]:
    return [round(direction.heading, 2), round(direction.pitch, 2)]


def _number(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None
