"""Measures by group: by phenomenon, by length, by dataset, by minimal pair, each with an interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bearleft.geometry import turn
from bearleft.language.analysis.phenomena import spans, spans_refer360
from bearleft.language.analysis.tokens import tokens
from bearleft.metrics.statistics import bootstrap_rows
from bearleft.metrics.table import METRICS
from bearleft.records import Collect, Episode, Leg, Point, Reach
from bearleft.report.html.loading import OF_PAIRS, RIGHT, SEED, File, Floats, Gathered
from bearleft.world.graphs.graph import Graph

Mark = tuple[str, int, int]  # a phenomenon, and the characters of the text that show it
Key = tuple[int, int]  # dataset, episode
CHARTED = (*RIGHT, "nDTW", "SDTW", "SPD", "NE", "Dist-deg", "rPOD")
MOST = 24  # phenomena; a file of one's own may name any number
TURN, LEGS = "turn", 2  # a turn collects and then assembles
SHARP = 45.0  # degrees from which a bend of a route is a turn
STORED = {Reach: "navigation_text", Point: "td_location_text"}  # whose marks Touchdown's lines keep by name


@dataclass(frozen=True)
class Grouping:
    """Groups of episodes: what `by`, the groups' names, and in which of them each episode is."""

    by: str
    title: str
    names: list[str]
    members: dict[Key, list[int]]


@dataclass(frozen=True)
class Chart:
    """A measure of each group: rows of group, agent, value, low, high, number of values."""

    grouping: Grouping
    metric: str
    cells: list[tuple[int, int, float, float, float, int]]


def played(gathered: Gathered) -> list[Key]:
    """The episodes in which something was done."""
    found = {file.dataset: set[int]() for file in gathered.files}
    for file in gathered.files:
        found[file.dataset].update(np.unique(file.source.columns.episode).tolist())
    return [(dataset, number) for dataset, numbers in found.items() for number in sorted(numbers)]


def marks_of(episode: Episode) -> list[list[Mark]]:
    """Of each leg the phenomena of its text: those that the file keeps, else those that rules find."""
    kept = episode.extra.get("phenomena")
    ours = episode.extra.get("bearleft")  # ArraMon's format has no room for marks, so ours stand beside it, leg by leg
    by_leg = ours.get("phenomena") if isinstance(ours, Mapping) else None
    if isinstance(by_leg, list) and len(by_leg) == len(episode.legs):
        return [_stored(marks, leg) or _found(leg) for marks, leg in zip(by_leg, episode.legs, strict=True)]
    return [_stored(kept, leg) or _found(leg) for leg in episode.legs]


def _stored(kept: Any, leg: Leg) -> list[Mark]:
    if isinstance(kept, Mapping):
        kept = kept.get(STORED.get(type(leg.goal), ""))
    found = []
    for mark in kept if isinstance(kept, list) else ():
        if isinstance(mark, list) and len(mark) == 3 and isinstance(mark[0], str) and mark[0]:
            what, begin, end = mark
            if type(begin) is int and type(end) is int and 0 <= begin < end <= len(leg.text):
                found.append((what, begin, end))
    return found


def _found(leg: Leg) -> list[Mark]:
    if not leg.text.strip():
        return []
    return spans_refer360(leg.sentences) if leg.sentences else spans(leg.text)


def phenomena_of(marks: Mapping[Key, Sequence[Sequence[Mark]]]) -> list[str]:
    """All phenomena that texts show, those of many texts first."""
    counts = Counter(what for legs in marks.values() for what in {what for leg in legs for what, _, _ in leg})
    return [what for what, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))][:MOST]


def groupings(
    gathered: Gathered, marks: Mapping[Key, Sequence[Sequence[Mark]]], phenomena: Sequence[str]
) -> list[Grouping]:
    """All ways of grouping the episodes that have marks, but those of one group only."""
    episodes = {key: gathered.datasets[key[0]].episodes[key[1]] for key in marks}
    graphs = {name: graph for dataset in gathered.datasets for name, graph in dataset.graphs.items()}
    numbers = {what: k for k, what in enumerate(phenomena)}
    shown = {
        key: sorted({numbers[what] for leg in legs for what, _, _ in leg if what in numbers})
        for key, legs in marks.items()
    }
    found = [Grouping("phenomenon", "By phenomenon in the text", list(phenomena), shown)]
    found.append(_binned("length", "By length of the text", episodes, text_length, "tokens"))
    found.append(_binned("route", "By length of the route", episodes, _route_length, "places"))
    found.append(_binned("turns", "By turns of the route", episodes, lambda one: _turns(one, graphs), "turns"))
    found.append(_by_turn(episodes))
    split = {key: gathered.datasets[key[0]].name for key in episodes}
    pairs = _named("pair", "By kind of minimal pair", {key: pair_kind(one) for key, one in episodes.items()})
    found.append(_named("split", "By dataset", split))
    if pairs.members == found[-1].members:
        found.pop()  # our own minimal pairs have a dataset for each kind
    found.append(pairs)
    found.append(_named("category", "By kind of scene", {key: _category(one) for key, one in episodes.items()}))
    return [one for one in found if len(one.names) > 1]


def _by_turn(episodes: Mapping[Key, Episode]) -> Grouping:
    """ArraMon's turns, each of which collects and assembles: an episode is in all of its own."""
    turns = {key: sum(isinstance(leg.goal, Collect) for leg in one.legs) for key, one in episodes.items()}
    names = [f"turn {k + 1}" for k in range(max(turns.values(), default=0))]
    return Grouping(TURN, "By turn", names, {key: list(range(count)) for key, count in turns.items() if count})


def text_length(episode: Episode) -> int:
    """Tokens of all its texts."""
    return sum(len(tokens(leg.text)) for leg in episode.legs)


def _route_length(episode: Episode) -> int | None:
    routes = [leg.goal.route for leg in episode.legs if isinstance(leg.goal, Reach)]
    return sum(map(len, routes)) if routes else None


def _turns(episode: Episode, graphs: Mapping[str, Graph]) -> int | None:
    graph, number, some = graphs.get(episode.world), 0, False
    for leg in episode.legs:
        if isinstance(leg.goal, Reach) and graph is not None:
            some = True
            places = [graph.index[place] for place in leg.goal.route]
            links = [graph.link(a, b) for a, b in pairwise(places)]
            headings = [float(graph.heading[link]) for link in links if link is not None]
            number += sum(abs(float(turn(a, b))) >= SHARP for a, b in pairwise(headings))
    return number if some else None


def pair_kind(episode: Episode) -> str | None:
    """What a minimal pair changes, of an episode that is half of one."""
    extra = episode.extra
    kind = extra.get("kind")
    is_half = "pair" in extra and isinstance(extra.get("changed"), bool)
    return kind if is_half and isinstance(kind, str) else None


def _category(episode: Episode) -> str | None:
    said = episode.extra.get("img_cat")
    return said if isinstance(said, str) and said else None


def _named(by: str, title: str, said: Mapping[Key, str | None]) -> Grouping:
    names = list(dict.fromkeys(name for name in said.values() if name is not None))
    return Grouping(by, title, names, {key: [names.index(name)] for key, name in said.items() if name is not None})


def _binned(
    by: str, title: str, episodes: Mapping[Key, Episode], measure: Callable[[Episode], int | None], unit: str
) -> Grouping:
    """Up to four groups of about the same size, named by what is in them."""
    sizes = {key: size for key, one in episodes.items() if (size := measure(one)) is not None}
    if not sizes:
        return Grouping(by, title, [], {})
    given = np.array(list(sizes.values()))
    edges = np.unique(np.quantile(given, [0.25, 0.5, 0.75], method="lower"))
    bins = np.searchsorted(edges, given, side="left")
    names: list[str] = []
    order: dict[int, int] = {}
    for k in np.unique(bins).tolist():
        low, high = int(given[bins == k].min()), int(given[bins == k].max())
        order[k] = len(names)
        names.append(f"{low}-{high} {unit}" if low < high else f"{low} {unit.removesuffix('s') if low == 1 else unit}")
    return Grouping(by, title, names, {key: [order[k]] for key, k in zip(sizes, bins.tolist(), strict=True)})


def charts(gathered: Gathered, groups: Sequence[Grouping]) -> list[Chart]:
    """Every measure that is worth a chart, by every grouping, with the bootstrap intervals of its means."""
    rng = np.random.default_rng(SEED)
    found = []
    for grouping in groups:
        charted = [name for name in METRICS if name in CHARTED and name in gathered.metrics]
        if grouping.by == "pair":
            charted += [name for name in OF_PAIRS if name in gathered.metrics]
        cells: dict[str, list[tuple[int, int, float, float, float, int]]] = {name: [] for name in charted}
        for group in range(len(grouping.names)):
            for agent in range(len(gathered.agents)):
                files = [file for file in gathered.files if file.agent == agent]
                for name, mean, low, high, n in _cells(files, grouping, group, charted, gathered.metrics, rng):
                    cells[name].append((group, agent, mean, low, high, n))
        found += [Chart(grouping, name, rows) for name, rows in cells.items() if len({row[0] for row in rows}) > 1]
    return found


def _cells(
    files: Sequence[File],
    grouping: Grouping,
    group: int,
    charted: Sequence[str],
    metrics: Sequence[str],
    rng: np.random.Generator,
) -> Iterator[tuple[str, float, float, float, int]]:
    """Mean and interval of each measure of one agent in one group; those with as many values are drawn together."""
    by_length: dict[Hashable, list[tuple[str, Floats]]] = {}
    for name in charted:
        values = np.concatenate([_values(file, grouping, group, name, metrics) for file in files])
        if len(values):
            by_length.setdefault(len(values), []).append((name, values))
    for rows in by_length.values():
        for (name, values), interval in zip(rows, bootstrap_rows([row for _, row in rows], rng), strict=True):
            scale = 100.0 if METRICS[name].percent else 1.0
            yield name, interval.mean * scale, interval.low * scale, interval.high * scale, len(values)


def _values(file: File, grouping: Grouping, group: int, name: str, metrics: Sequence[str]) -> Floats:
    """A file's values of a measure in one group: of traces, or of minimal pairs by their first text."""
    if grouping.by == TURN:
        return _of_turn(file, group, name)
    if name in OF_PAIRS:
        numbers, items, _ = file.values.by_metric.get(name, (np.empty(0), [], ""))
        of = np.asarray(items, np.int64)
    else:
        numbers, of = file.table[:, metrics.index(name)], file.source.columns.episode
    inside = np.zeros(len(file.source.dataset.episodes), bool)
    inside[
        [number for (dataset, number), of in grouping.members.items() if dataset == file.dataset and group in of]
    ] = 1
    chosen: Floats = numbers[inside[of] & ~np.isnan(numbers)]
    return chosen


def _of_turn(file: File, turn_: int, name: str) -> Floats:
    """A file's values of a measure in one turn of its tasks."""
    episodes = file.source.dataset.episodes
    if name not in file.values.legs or not any(isinstance(leg.goal, Collect) for leg in episodes[0].legs):
        return np.empty(0)
    _, leg = file.values.legs[name]
    numbers = file.values.by_metric[name][0]
    chosen: Floats = numbers[(leg // LEGS == turn_) & ~np.isnan(numbers)]
    return chosen
