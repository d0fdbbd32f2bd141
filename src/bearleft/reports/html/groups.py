"""Metrics by group of episodes (phenomenon, length, dataset, minimal pair, ...) with confidence intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.evaluation.costs import SUCCESS_METRICS
from bearleft.geometry import turn
from bearleft.language.analysis.phenomena import refer360_spans, touchdown_spans
from bearleft.language.analysis.tokens import tokens
from bearleft.metrics.registry import METRICS
from bearleft.metrics.statistics import bootstrap_rows, exact_if_unanimous
from bearleft.records import Collect, Episode, Leg, Point, Reach
from bearleft.reports.html.loading import PAIR_METRICS, SEED, ReportData, ScoredFile
from bearleft.world.graphs.graph import Graph

if TYPE_CHECKING:
    from bearleft.types import Floats


PhenomenonSpan = tuple[str, int, int]  # a phenomenon, and the characters of the text that show it
Key = tuple[int, int]  # dataset, episode
CHARTED_METRICS = (*SUCCESS_METRICS, "nDTW", "SDTW", "SPD", "NE", "Dist-deg", "rPOD")
MAX_PHENOMENA = 24  # a user's dataset may name any number
TURN, LEGS_PER_TURN = "turn", 2  # a turn collects and then assembles
TURN_DEGREES = 45.0  # from which a bend of a route counts as a turn
TOUCHDOWN_TEXT_FIELDS = {
    Reach: "navigation_text",
    Point: "td_location_text",
}  # under which Touchdown files keep their annotations


@dataclass(frozen=True)
class Grouping:
    """A way of grouping episodes: its key, title, group names, and the groups of each episode."""

    by: str
    title: str
    names: list[str]
    members: dict[Key, list[int]]


@dataclass(frozen=True)
class Chart:
    """A metric by group: rows of group, agent, value, low, high, number of values."""

    grouping: Grouping
    metric: str
    cells: list[tuple[int, int, float, float, float, int]]


def played_episodes(report_data: ReportData) -> list[Key]:
    """Return the episodes that have traces."""
    by_dataset = {file.dataset: set[int]() for file in report_data.files}
    for file in report_data.files:
        by_dataset[file.dataset].update(np.unique(file.source.columns.episode).tolist())
    return [(dataset, index) for dataset, numbers in by_dataset.items() for index in sorted(numbers)]


def phenomenon_spans(episode: Episode) -> list[list[PhenomenonSpan]]:
    """Return the phenomena of each leg's text: those stored with the episode, else those that rules detect."""
    stored = episode.extra.get("phenomena")
    bearleft_extra = episode.extra.get("bearleft")  # ArraMon's format has no field for annotations
    by_leg = bearleft_extra.get("phenomena") if isinstance(bearleft_extra, Mapping) else None
    if isinstance(by_leg, list) and len(by_leg) == len(episode.legs):
        return [
            _stored_spans(leg_spans, leg) or _detected_spans(leg)
            for leg_spans, leg in zip(by_leg, episode.legs, strict=True)
        ]
    return [_stored_spans(stored, leg) or _detected_spans(leg) for leg in episode.legs]


def _stored_spans(stored: Any, leg: Leg) -> list[PhenomenonSpan]:
    if isinstance(stored, Mapping):
        stored = stored.get(TOUCHDOWN_TEXT_FIELDS.get(type(leg.goal), ""))
    parsed = []
    for span in stored if isinstance(stored, list) else ():
        if isinstance(span, list) and len(span) == 3 and isinstance(span[0], str) and span[0]:
            name, begin, end = span
            if type(begin) is int and type(end) is int and 0 <= begin < end <= len(leg.text):
                parsed.append((name, begin, end))
    return parsed


def _detected_spans(leg: Leg) -> list[PhenomenonSpan]:
    if not leg.text.strip():
        return []
    return refer360_spans(leg.sentences) if leg.sentences else touchdown_spans(leg.text)


def frequent_phenomena(spans_by_episode: Mapping[Key, Sequence[Sequence[PhenomenonSpan]]]) -> list[str]:
    """Return all phenomena of the texts, most frequent first."""
    counts = Counter(
        name for legs in spans_by_episode.values() for name in {name for leg in legs for name, _, _ in leg}
    )
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))][:MAX_PHENOMENA]


def group_episodes(
    report_data: ReportData,
    spans_by_episode: Mapping[Key, Sequence[Sequence[PhenomenonSpan]]],
    phenomena: Sequence[str],
) -> list[Grouping]:
    """Return every way of grouping the episodes that gives more than one group."""
    episodes = {key: report_data.datasets[key[0]].episodes[key[1]] for key in spans_by_episode}
    graphs = {name: graph for dataset in report_data.datasets for name, graph in dataset.graphs.items()}
    numbers = {name: k for k, name in enumerate(phenomena)}
    phenomenon_numbers = {
        key: sorted({numbers[name] for leg in legs for name, _, _ in leg if name in numbers})
        for key, legs in spans_by_episode.items()
    }
    groupings = [Grouping("phenomenon", "By phenomenon in the text", list(phenomena), phenomenon_numbers)]
    groupings.append(_by_quartile("length", "By length of the text", episodes, text_length, "tokens"))
    groupings.append(_by_quartile("route", "By length of the route", episodes, _route_length, "places"))
    groupings.append(
        _by_quartile("turns", "By turns of the route", episodes, lambda episode: _count_turns(episode, graphs), "turns")
    )
    groupings.append(_by_turn(episodes))
    split = {key: report_data.datasets[key[0]].name for key in episodes}
    pairs = _by_name("pair", "By kind of minimal pair", {key: pair_kind(episode) for key, episode in episodes.items()})
    groupings.append(_by_name("split", "By dataset", split))
    if pairs.members == groupings[-1].members:
        groupings.pop()  # our own minimal pairs have a dataset for each kind
    groupings.append(pairs)
    groupings.append(
        _by_name("category", "By kind of scene", {key: _category(episode) for key, episode in episodes.items()})
    )
    return [grouping for grouping in groupings if len(grouping.names) > 1]


def _by_turn(episodes: Mapping[Key, Episode]) -> Grouping:
    """Group by ArraMon's turns, each of which collects and assembles; an episode is in all of its turns."""
    turns = {key: sum(isinstance(leg.goal, Collect) for leg in episode.legs) for key, episode in episodes.items()}
    names = [f"turn {k + 1}" for k in range(max(turns.values(), default=0))]
    return Grouping(TURN, "By turn", names, {key: list(range(count)) for key, count in turns.items() if count})


def text_length(episode: Episode) -> int:
    """Count the tokens of all texts of an episode."""
    return sum(len(tokens(leg.text)) for leg in episode.legs)


def _route_length(episode: Episode) -> int | None:
    routes = [leg.goal.route for leg in episode.legs if isinstance(leg.goal, Reach)]
    return sum(map(len, routes)) if routes else None


def _count_turns(episode: Episode, graphs: Mapping[str, Graph]) -> int | None:
    graph, count, has_route = graphs.get(episode.world), 0, False
    for leg in episode.legs:
        if isinstance(leg.goal, Reach) and graph is not None:
            has_route = True
            places = [graph.index_by_id[place] for place in leg.goal.route]
            links = [graph.find_link(a, b) for a, b in pairwise(places)]
            headings = [float(graph.heading[link]) for link in links if link is not None]
            count += sum(abs(float(turn(a, b))) >= TURN_DEGREES for a, b in pairwise(headings))
    return count if has_route else None


def pair_kind(episode: Episode) -> str | None:
    """Return what a minimal pair changes, for an episode that is half of one."""
    extra = episode.extra
    kind = extra.get("kind")
    is_half = "pair" in extra and isinstance(extra.get("changed"), bool)
    return kind if is_half and isinstance(kind, str) else None


def pair_counts(report_data: ReportData) -> list[dict[str, Any]]:
    """Return how many minimal pairs succeeded in both texts, one or none, by agent, dataset and kind of pair.

    As in the metric Pairs, a text that was played several times counts if it succeeded each time, and a pair of which
    only one text was played is left out.
    """
    outcomes: dict[tuple[int, int, str], dict[bool, bool]] = {}  # by agent, dataset and pair: by whether changed
    kinds: dict[tuple[int, int, str], str] = {}
    for file in report_data.files:
        for index, success in zip(file.source.columns.episode.tolist(), file.success.tolist(), strict=True):
            extra = file.source.dataset.episodes[index].extra
            if "pair" not in extra or not isinstance(extra.get("changed"), bool):
                continue
            key = file.agent, file.dataset, str(extra["pair"])
            texts = outcomes.setdefault(key, {})
            texts[extra["changed"]] = texts.get(extra["changed"], True) and success == 1.0
            kinds[key] = pair_kind(file.source.dataset.episodes[index]) or ""
    rows: dict[tuple[int, int, str], dict[str, Any]] = {}
    for key, texts in outcomes.items():
        if len(texts) == 2:
            agent, dataset, kind = key[0], key[1], kinds[key]
            empty = {
                "agent": agent,
                "dataset": dataset,
                "kind": kind,
                "both": 0,
                "original": 0,
                "changed": 0,
                "none": 0,
            }
            names = {(True, True): "both", (True, False): "original", (False, True): "changed", (False, False): "none"}
            rows.setdefault((agent, dataset, kind), empty)[names[texts[False], texts[True]]] += 1
    return list(rows.values())


def _category(episode: Episode) -> str | None:
    category = episode.extra.get("img_cat")
    return category if isinstance(category, str) and category else None


def _by_name(by: str, title: str, names_by_key: Mapping[Key, str | None]) -> Grouping:
    names = list(dict.fromkeys(name for name in names_by_key.values() if name is not None))
    return Grouping(
        by, title, names, {key: [names.index(name)] for key, name in names_by_key.items() if name is not None}
    )


def _by_quartile(
    by: str, title: str, episodes: Mapping[Key, Episode], measure: Callable[[Episode], int | None], unit: str
) -> Grouping:
    """Group by quartiles of an integer measure, named by their ranges."""
    sizes = {key: size for key, episode in episodes.items() if (size := measure(episode)) is not None}
    if not sizes:
        return Grouping(by, title, [], {})
    values = np.array(list(sizes.values()))
    edges = np.unique(np.quantile(values, [0.25, 0.5, 0.75], method="lower"))
    bins = np.searchsorted(edges, values, side="left")
    names: list[str] = []
    group_of_bin: dict[int, int] = {}
    for k in np.unique(bins).tolist():
        low, high = int(values[bins == k].min()), int(values[bins == k].max())
        group_of_bin[k] = len(names)
        names.append(f"{low}-{high} {unit}" if low < high else f"{low} {unit.removesuffix('s') if low == 1 else unit}")
    return Grouping(by, title, names, {key: [group_of_bin[k]] for key, k in zip(sizes, bins.tolist(), strict=True)})


def make_charts(report_data: ReportData, groups: Sequence[Grouping]) -> list[Chart]:
    """Return a chart of every charted metric for every grouping, with the intervals of `score`."""
    rng = np.random.default_rng(SEED)
    charts = []
    for grouping in groups:
        metrics = [name for name in METRICS if name in CHARTED_METRICS and name in report_data.metrics]
        if grouping.by == "pair":
            metrics += [name for name in PAIR_METRICS if name in report_data.metrics]
        cells: dict[str, list[tuple[int, int, float, float, float, int]]] = {name: [] for name in metrics}
        for group in range(len(grouping.names)):
            for agent in range(len(report_data.agents)):
                files = [file for file in report_data.files if file.agent == agent]
                for name, mean, low, high, n in _chart_cells(files, grouping, group, metrics, report_data.metrics, rng):
                    cells[name].append((group, agent, mean, low, high, n))
        charts += [Chart(grouping, name, rows) for name, rows in cells.items() if len({row[0] for row in rows}) > 1]
    return charts


def _chart_cells(
    files: Sequence[ScoredFile],
    grouping: Grouping,
    group: int,
    charted_metrics: Sequence[str],
    metrics: Sequence[str],
    rng: np.random.Generator,
) -> Iterator[tuple[str, float, float, float, int]]:
    """Yield mean and interval of each metric for one agent and group; metrics with equally many values share draws."""
    by_length: dict[Hashable, list[tuple[str, Floats]]] = {}
    for name in charted_metrics:
        values = np.concatenate([_values(file, grouping, group, name, metrics) for file in files])
        if len(values):
            by_length.setdefault(len(values), []).append((name, values))
    for rows in by_length.values():
        for (name, values), interval in zip(rows, bootstrap_rows([row for _, row in rows], rng), strict=True):
            shown = exact_if_unanimous(values, interval) if METRICS[name].binary else interval
            scale = 100.0 if METRICS[name].percent else 1.0
            yield name, shown.mean * scale, shown.low * scale, shown.high * scale, len(values)


def _values(file: ScoredFile, grouping: Grouping, group: int, name: str, metrics: Sequence[str]) -> Floats:
    """Return a file's values of a metric in one group: of traces, or of minimal pairs by their first text."""
    if grouping.by == TURN:
        return _turn_values(file, group, name)
    if name in PAIR_METRICS:
        values, sample_ids, _ = file.values.by_metric.get(name, (np.empty(0), [], ""))
        of = np.asarray(sample_ids, np.int64)
    else:
        values, of = file.table[:, metrics.index(name)], file.source.columns.episode
    in_group = np.zeros(len(file.source.dataset.episodes), bool)
    in_group[
        [number for (dataset, number), of in grouping.members.items() if dataset == file.dataset and group in of]
    ] = 1
    selected: Floats = values[in_group[of] & ~np.isnan(values)]
    return selected


def _turn_values(file: ScoredFile, index: int, name: str) -> Floats:
    """Return a file's values of a metric in one turn of its tasks."""
    episodes = file.source.dataset.episodes
    if name not in file.values.legs or not any(isinstance(leg.goal, Collect) for leg in episodes[0].legs):
        return np.empty(0)
    _, leg = file.values.legs[name]
    values = file.values.by_metric[name].numbers
    selected: Floats = values[(leg // LEGS_PER_TURN == index) & ~np.isnan(values)]
    return selected
