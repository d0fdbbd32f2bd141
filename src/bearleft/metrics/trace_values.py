"""Metric values of traces: walks under a convention, points, collecting and assembling."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown_name
from bearleft.metrics.assembly import NDTW_THRESHOLD, VARIANTS, assembly_scores, ground_positions
from bearleft.metrics.conventions import CONVENTIONS, score_walks
from bearleft.metrics.distances import EUCLIDEAN
from bearleft.metrics.dtw import ndtw
from bearleft.metrics.fastdtw import fast_ndtw
from bearleft.metrics.impossible_walks import (
    as_failures,
    explain,
    failure_values,
    find_impossible_walks,
    impossible_note,
)
from bearleft.metrics.milestones import milestone_11deg, milestone_degrees, milestone_distances
from bearleft.metrics.minimal_pairs import both_correct, changed_correct
from bearleft.metrics.pointing import (
    CELLS,
    a_40px,
    a_80px,
    a_120px,
    acc_11deg,
    c_40px,
    c_80px,
    c_120px,
    degrees,
    direction_distances,
    dist,
    dist_degrees,
    found_40px,
    found_80px,
    found_120px,
)
from bearleft.metrics.ragged_paths import Ragged
from bearleft.metrics.trace_columns import Ints, TraceColumns
from bearleft.metrics.walks import Walks, make_walks
from bearleft.records import Assemble, Collect, Direction, Episode, LegTrace, Point, Reach, check_goals
from bearleft.world.arramon.moves import PLACE, REACH_AHEAD, REACH_ASIDE
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import world_kind

if TYPE_CHECKING:
    from bearleft.types import Floats

SampleIds = npt.NDArray[np.int64] | list[Any]
Legs = tuple[Ints, Ints]  # of each value: the number of its trace, and of the leg in it
PAPER = "paper"
WALKS_PER_BLOCK = 2**18
MAX_LISTED = 20  # episodes that a note lists
FARTHEST_REACH = math.hypot(REACH_AHEAD, REACH_ASIDE) + 1e-6  # of an item that can be picked up
COLLECT_METRICS = ("CTC-0", "CTC-3", "CTC-5", "CTC-7")  # ArraMon's metrics of a turn's first leg
PAIR_METRICS = ("TC", "A@40px")  # these decide whether a text of a minimal pair was followed


class ValuesOfMetric(NamedTuple):
    """The values of one metric."""

    numbers: Floats
    sample_ids: SampleIds  # what paired tests compare: of each value, the index of its episode, or a sentence
    convention: str


@dataclass(frozen=True)
class ScoringConfig:
    """What to compute of traces.

    Attributes:
        convention: The convention.
        fastdtw: Whether to add nDTW-fast and SDTW-fast.
        other_path_metrics: Metrics of walks to add that no convention defines; see `score_walks`.
        keep_impossible: Whether to score impossible walks as they are written, not as failures.
    """

    convention: str = PAPER
    fastdtw: bool = False
    other_path_metrics: Sequence[str] = ()
    keep_impossible: bool = False

    @property
    def walk_convention(self) -> str:
        """Return the convention of legs that are not points; `cells` is one of points only."""
        return PAPER if self.convention == CELLS else self.convention


DEFAULT_CONFIG = ScoringConfig()


@dataclass
class MetricValues:
    """The values of metrics of a file.

    Attributes:
        by_metric: The values of each metric.
        notes: Sentences for people, such as on legs that could not be scored.
        legs: The index of the trace and of the leg of each value, by metric; metrics of several traces have none.
        impossible: The trace and leg of each impossible walk.
        explanations: An explanation of each impossible walk.
        unanswered: The number of points without an answer that can be measured.
    """

    by_metric: dict[str, ValuesOfMetric] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    legs: dict[str, Legs] = field(default_factory=dict)
    impossible: set[tuple[int, int]] = field(default_factory=set)
    explanations: list[str] = field(default_factory=list)
    unanswered: int = 0

    def add(
        self, metric: str, numbers: Floats, sample_ids: SampleIds, convention: str = PAPER, legs: Legs | None = None
    ) -> None:
        """Append values of a metric.

        Args:
            metric: The name of the metric.
            numbers: The values.
            sample_ids: Of each value, the index of its episode, or a sentence.
            convention: The convention.
            legs: The index of the trace and of the leg of each value.
        """
        if metric in self.by_metric:
            earlier_numbers, earlier_ids, convention = self.by_metric[metric]
            numbers, sample_ids = np.concatenate([earlier_numbers, numbers]), [*earlier_ids, *sample_ids]
        self.by_metric[metric] = ValuesOfMetric(numbers, sample_ids, convention)
        if legs is not None:
            earlier = self.legs.get(metric, (np.empty(0, np.int64), np.empty(0, np.int64)))
            trace, leg = (np.concatenate([a, b]) for a, b in zip(earlier, legs, strict=True))
            self.legs[metric] = trace, leg

    def of_turn(self, number: int) -> MetricValues:
        """Return the values of one of ArraMon's turns of two legs, counted from 1."""
        chosen = MetricValues()
        for metric, (trace, leg) in self.legs.items():
            numbers, sample_ids, convention = self.by_metric[metric]
            which = np.flatnonzero(leg // 2 == number - 1)
            chosen.add(metric, numbers[which], [sample_ids[k] for k in which], convention, (trace[which], leg[which]))
        return chosen


def available_conventions(episodes: Sequence[Episode]) -> tuple[str, ...]:
    """Return the conventions that the legs of these episodes can be scored under."""
    kinds = {type(leg.goal) for episode in episodes for leg in episode.legs}
    walks = tuple(CONVENTIONS) if Reach in kinds else tuple(VARIANTS) if Collect in kinds else (PAPER,)
    return (*walks, CELLS) if Point in kinds else walks


def compute_values(
    columns: TraceColumns,
    episodes: Sequence[Episode],
    graphs: Mapping[str, Graph],
    config: ScoringConfig = DEFAULT_CONFIG,
) -> MetricValues:
    """Compute every metric of the legs of traces; legs that a convention does not define use the papers' definitions.

    Args:
        columns: The traces.
        episodes: The episodes of the dataset.
        graphs: The graph of each world with Reach legs.
        config: What to compute.

    Raises:
        InputError: The legs cannot be scored under the convention, or the goals of an episode are hidden.
    """
    check_goals(episodes, "to score traces")
    available = available_conventions(episodes)
    if config.convention not in available:
        raise unknown_name("convention for such legs", config.convention, available)
    values = MetricValues()
    if len(columns.walk_trace):
        _walks(values, columns, episodes, graphs, config)
    if len(columns.point_trace):
        _points(values, columns, episodes, graphs, config)
        _milestones(values, columns, episodes)
    if columns.others:
        _assemblies(values, columns, episodes, config.walk_convention, config.fastdtw)
    add_pairs(values, episodes)
    counted = count_notes(values.explanations, len(values.explanations), values.unanswered, config)
    values.notes = counted + values.notes
    return values


def count_notes(explanations: Sequence[str], impossible: int, unanswered: int, config: ScoringConfig) -> list[str]:
    """Return the notes on impossible walks, of which the first are explained, and on points without an answer."""
    notes = [impossible_note(explanations, config.keep_impossible, impossible)] if impossible else []
    if unanswered:
        notes.append(
            f"{unanswered:,} points were not answered, or from a panorama with no annotated target: misses without a "
            "distance"
        )
    return notes


def _walks(
    values: MetricValues,
    columns: TraceColumns,
    episodes: Sequence[Episode],
    graphs: Mapping[str, Graph],
    config: ScoringConfig,
) -> None:
    """Score the walks of each world."""
    worlds = {name: number for number, name in enumerate(graphs)}
    world_of_episode = np.array([worlds.get(episode.world, -1) for episode in episodes])
    world = world_of_episode[columns.episode[columns.walk_trace]]
    offset = 0
    for number, graph in enumerate(graphs.values()):
        which = np.flatnonzero(world == number)
        if len(which):
            _walks_of_world(values, columns, episodes, graph, config, which, offset)
        offset += len(graph)


def _walks_of_world(
    values: MetricValues,
    columns: TraceColumns,
    episodes: Sequence[Episode],
    graph: Graph,
    config: ScoringConfig,
    which: npt.NDArray[np.int64],
    offset: int,
) -> None:
    """Score the walks of one world, in blocks, so that what is computed of millions of them takes little memory.

    Args:
        values: Where the values are added.
        columns: The traces.
        episodes: The episodes of the dataset.
        graph: The graph of the world.
        config: What to compute.
        which: The indices of the walks.
        offset: The index of the world's first place among those of all worlds.
    """
    episode_indices = columns.episode[columns.walk_trace[which]]
    legs = columns.walk_trace[which], columns.walk_leg[which]
    start_headings = np.array([episode.start.look.heading for episode in episodes])
    heading = columns.heading[which]
    blocks = [slice(begin, begin + WALKS_PER_BLOCK) for begin in range(0, len(which), WALKS_PER_BLOCK)]
    impossible_walks = []

    def paths_of(block: slice) -> tuple[Ragged, list[tuple[int, int]], npt.NDArray[np.int64]]:
        """Return the paths of a block, their episodes and legs, and the places at which they have to start."""
        taken = columns.walks.take(which[block])
        legs_of_walks = list(zip(episode_indices[block].tolist(), legs[1][block].tolist(), strict=True))
        starts = _start_places(graph, legs_of_walks, episodes)
        return Ragged(taken.points - offset, taken.starts), legs_of_walks, starts

    for block in blocks:
        paths, legs_of_walks, starts = paths_of(block)
        impossible = find_impossible_walks(graph, paths, starts)
        ids = [episodes[legs_of_walks[k][0]].id for k in impossible.indices.tolist()]
        values.explanations += explain(graph, paths, starts, impossible, ids)
        at = block.start + impossible.indices
        values.impossible |= set(zip(legs[0][at].tolist(), legs[1][at].tolist(), strict=True))
        if config.keep_impossible:
            impossible = impossible.none()
        else:
            heading[at] = start_headings[episode_indices[at]]
        impossible_walks.append(impossible)

    has_headings = not np.isnan(heading).any()
    applied = applied_conventions(config.walk_convention, graph)
    if "ciff" in applied and not has_headings:
        values.notes.append("NE of ciff is omitted: it needs the heading at the end of each walk")
    numbers: dict[tuple[str, str], list[Floats]] = {}
    for block, impossible in zip(blocks, impossible_walks, strict=True):
        paths, legs_of_walks, starts = paths_of(block)
        stopped = columns.stopped[which[block]] & ~impossible.mask(len(paths))
        headings = heading[block] if has_headings else None
        walked = WalkedPaths(as_failures(paths, impossible, starts), stopped, headings, legs_of_walks)
        for convention, names in applied.items():
            walks = _with_routes(graph, walked, episodes, convention)
            scores = score_walks(walks, convention, config.fastdtw, config.other_path_metrics)
            for metric in scores:
                if (metric != "NE" or convention != "ciff" or has_headings) and (not names or metric in names):
                    found = failure_values(metric, convention, scores, impossible)
                    numbers.setdefault((convention, metric), []).append(found)
    for (convention, metric), parts in numbers.items():
        values.add(metric, np.concatenate(parts), episode_indices, convention, legs)


def _start_places(
    graph: Graph, legs_of_walks: Sequence[tuple[int, int]], episodes: Sequence[Episode]
) -> npt.NDArray[np.int64]:
    """Return the index of the place at which each walk has to start: that of the route, or of the episode."""
    by_leg = {}
    for number, leg in dict.fromkeys(legs_of_walks):
        start = episodes[number].start.place if leg == 0 else None
        by_leg[number, leg] = graph.index_by_id[start or _route(episodes[number], leg)[0]]
    return np.array([by_leg[key] for key in legs_of_walks], np.int64)


def applied_conventions(requested: str, graph: Graph) -> dict[str, tuple[str, ...]]:
    """Return the conventions to apply in a world, and the metrics of each; an empty tuple means all.

    Buildings are the nDTW paper's worlds, so `paper` is its Table 3 there, in metres; TC and SPD stay in hops.
    """
    if requested == "paper" and world_kind(graph.name).distance == "metres":
        return {"ndtw-paper": (), "paper": ("TC", "SPD")}
    return {requested: ()}


class WalkedPaths(NamedTuple):
    """The walks of one world, without their routes."""

    paths: Ragged
    stopped: npt.NDArray[np.bool_]
    heading: Floats | None  # None if that of any walk is unknown
    legs: Sequence[tuple[int, int]]  # of each walk: the indices of the episode and of the leg in it


def _with_routes(graph: Graph, walked: WalkedPaths, episodes: Sequence[Episode], convention: str) -> Walks:
    """Return the walks of one world with their routes; headings and states only if the convention needs them."""
    paths, stopped, heading, legs = walked
    if CONVENTIONS[convention].needs_headings:
        return make_walks(
            graph,
            [[graph.ids[node] for node in path] for path in paths],
            [_route(episodes[number], leg) for number, leg in legs],
            [episodes[number].start.look.heading for number, _ in legs],
            None if heading is None else heading.tolist(),
            stopped.tolist(),
            [_alternative_goals(episodes[number], graph) for number, _ in legs],
        )
    unique = list(dict.fromkeys(legs))
    routes = [
        np.array([graph.index_by_id[p] for p in _route(episodes[number], leg)], np.int32) for number, leg in unique
    ]
    starts = np.concatenate([[0], np.cumsum([len(route) for route in routes])])
    row = {key: k for k, key in enumerate(unique)}
    all_routes = Ragged(np.concatenate(routes), starts).take(np.array([row[key] for key in legs]))
    no_goals: tuple[frozenset[int], ...] = (frozenset(),) * len(paths)
    return Walks(graph, paths, all_routes, all_routes, np.zeros(len(paths)), stopped, no_goals)


def _route(episode: Episode, leg: int) -> tuple[str, ...]:
    goal = episode.legs[leg].goal
    assert isinstance(goal, Reach)
    return goal.route


def _alternative_goals(episode: Episode, graph: Graph) -> list[str]:
    """Return Touchdown's panoramas before and after the goal that also show the bear."""
    places = []
    for which in ("pre", "post"):
        place, centre = episode.extra.get(f"{which}_pano"), episode.extra.get(f"{which}_static_center")
        if isinstance(place, str) and place in graph.index_by_id and isinstance(centre, str) and _shows_bear(centre):
            places.append(place)
    return places


def _shows_bear(centre: str) -> bool:
    try:
        click = json.loads(centre)
    except ValueError:
        return False
    return isinstance(click, dict) and click.get("x", -1) != -1


def _points(
    values: MetricValues,
    columns: TraceColumns,
    episodes: Sequence[Episode],
    graphs: Mapping[str, Graph],
    config: ScoringConfig,
) -> None:
    """Score points; no answer, or one from a panorama without the target, is a miss without a distance.

    A Point leg after a Reach leg is Touchdown's complete task: it has Found@... instead of A@... and C@... After an
    impossible walk it is a miss, too.
    """
    convention = CELLS if config.convention == CELLS else PAPER
    walked_impossibly = set() if config.keep_impossible else values.impossible
    episode_indices = columns.episode[columns.point_trace]
    targets: list[Point | None] = []
    sentences: list[str] = []
    after_walk: list[bool] = []  # whether the leg follows a Reach leg
    ends = _ends(columns, graphs) if "" in columns.point_place else {}
    pointed = zip(columns.point_trace.tolist(), episode_indices.tolist(), columns.point_leg.tolist(), strict=True)
    for (trace, number, leg), place in zip(pointed, columns.point_place, strict=True):
        reference = episodes[number].legs[leg]
        assert isinstance(reference.goal, Point)
        target = reference.goal.seen_from(place or ends.get((trace, leg - 1), reference.goal.place))
        targets.append(None if (trace, leg - 1) in walked_impossibly else target)
        sentences.append(reference.text)
        after_walk.append(leg > 0 and isinstance(episodes[number].legs[leg - 1].goal, Reach))
    answered = np.isfinite(columns.points[:, 0]) & np.array([target is not None for target in targets])
    chosen = np.flatnonzero(answered)
    answers = [Direction(*columns.points[k].tolist()) for k in chosen]
    seen_targets = [target for k in chosen if (target := targets[k]) is not None]
    pixels, angles = np.full(len(episode_indices), np.inf), np.full(len(episode_indices), np.inf)
    pixels[chosen] = direction_distances(answers, seen_targets, convention)
    angles[chosen] = degrees(answers, seen_targets)
    legs = columns.point_trace, columns.point_leg
    walked = np.array(after_walk)
    for which, metrics in (
        (np.flatnonzero(~walked), (a_40px, a_80px, a_120px)),
        (np.flatnonzero(walked), (found_40px, found_80px, found_120px)),
    ):
        for metric in metrics if len(which) else ():
            leg_indices = legs[0][which], legs[1][which]
            values.add(metric.name, metric(pixels[which]), episode_indices[which], convention, leg_indices)
    if not walked.all():
        alone = np.flatnonzero(~walked)
        texts = [sentences[k] for k in alone]
        for consistency in (c_40px, c_80px, c_120px):
            values.add(consistency.name, consistency(pixels[alone], texts), list(dict.fromkeys(texts)), convention)
    leg_indices = columns.point_trace[chosen], columns.point_leg[chosen]
    values.add(dist.name, dist(pixels[chosen]), episode_indices[chosen], convention, leg_indices)
    values.add(dist_degrees.name, dist_degrees(angles[chosen]), episode_indices[chosen], legs=leg_indices)
    values.add(acc_11deg.name, acc_11deg(angles), episode_indices, legs=legs)
    values.unanswered = len(episode_indices) - len(chosen)


def _ends(columns: TraceColumns, graphs: Mapping[str, Graph]) -> dict[tuple[int, int], str]:
    """Return the place where each walk ended, by trace and leg; a following Point leg without a place starts there."""
    ids = [place for graph in graphs.values() for place in graph.ids]
    last = columns.walks.points[columns.walks.starts[1:] - 1]
    walks = zip(columns.walk_trace.tolist(), columns.walk_leg.tolist(), strict=True)
    return dict(zip(walks, (ids[node] for node in last.tolist()), strict=True))


def _milestones(values: MetricValues, columns: TraceColumns, episodes: Sequence[Episode]) -> None:
    """Score the intermediate steps of sequences with recorded views by the mean over their sentences.

    The current sentence ends with the answer. A sentence after that is a miss without a distance.
    """
    accuracies, means = [], []  # (value, index of the point)
    without_ends: list[str] = []
    without_views: list[str] = []
    for k, (trace, leg) in enumerate(zip(columns.point_trace.tolist(), columns.point_leg.tolist(), strict=True)):
        episode = episodes[columns.episode[trace]]
        reference, ends = episode.legs[leg], columns.point_ends[k]
        assert isinstance(reference.goal, Point)
        if not reference.sentences:
            continue
        if len(reference.goal.views) != len(reference.sentences):
            without_views.append(episode.id)
        elif ends is None:
            without_ends.append(episode.id)
        else:
            answer = [Direction(*columns.points[k].tolist())] if np.isfinite(columns.points[k, 0]) else []
            distances = milestone_distances([*ends, *answer][: len(reference.sentences)], reference.goal.views)
            accuracies.append((float(milestone_11deg(distances).mean()), k))
            if np.isfinite(distances).any():
                means.append((float(distances[np.isfinite(distances)].mean()), k))
    for metric, scored in ((milestone_degrees, means), (milestone_11deg, accuracies)):
        if accuracies:
            which = np.array([k for _, k in scored], np.int64)
            legs = columns.point_trace[which], columns.point_leg[which]
            values.add(metric.name, np.array([value for value, _ in scored]), columns.episode[legs[0]], legs=legs)
    if accuracies or without_ends:
        for names, reason in (
            (without_ends, "whose traces do not say where sentences ended"),
            (without_views, "with no recorded views"),
        ):
            if names:
                listed, more = ", ".join(names[:MAX_LISTED]), f" and {len(names) - MAX_LISTED:,} more"
                counted = f"{len(names):,} sequence{'' if len(names) == 1 else 's'} {reason}"
                values.notes.append(
                    f"{counted}: not scored by Milestone: {listed}{more if len(names) > MAX_LISTED else ''}"
                )


def _assemblies(
    values: MetricValues, columns: TraceColumns, episodes: Sequence[Episode], convention: str, fastdtw: bool
) -> None:
    """Score ArraMon's turns of a Collect leg and an Assemble leg; a turn that ends with its walk is scored by that."""
    by_turn: dict[tuple[int, int], dict[str, Any]] = {}
    for trace, leg, leg_trace in columns.others:
        by_turn.setdefault((trace, leg // 2), {})["walk" if leg % 2 == 0 else "place"] = leg_trace
    walked, picked, ends, placed, fallback, goals, cells, episode_indices = [], [], [], [], [], [], [], []
    for (trace, turn), traces in by_turn.items():
        number = int(columns.episode[trace])
        collect, assemble = (episodes[number].legs[2 * turn + k].goal for k in (0, 1))
        if not (isinstance(collect, Collect) and isinstance(assemble, Assemble) and "walk" in traces):
            got = f"episode {episodes[number].id} with assembling only"
            raise InputError("turns of collecting and assembling", got)
        walked.append(ground_positions(traces["walk"].path))
        picked.append(_picked(traces["walk"], collect, episodes[number]))
        ends.append(traces["walk"].path[-1])
        place = traces.get("place", LegTrace())
        cell = place.answer
        fallback.append(not placed_by_agent(place))
        placed.append(cell if cell is not None else assemble.cell)  # scores 0 as a fallback
        goals.append(collect)
        cells.append(assemble.cell)
        episode_indices.append(number)
    item_positions = [goal.at for goal in goals]
    references = [ground_positions(goal.path) for goal in goals]
    trace, turns = np.array(list(by_turn), np.int64).T
    assembled = np.flatnonzero(["place" in traces for traces in by_turn.values()])
    for metric in (ndtw, fast_ndtw) if fastdtw else (ndtw,):
        values.add(
            metric.name,
            metric.batch(walked, references, EUCLIDEAN, NDTW_THRESHOLD),
            episode_indices,
            legs=(trace, 2 * turns),
        )
    item_names = [goal.item for goal in goals]
    scores = assembly_scores(picked, item_names, ends, item_positions, placed, cells, fallback, convention)
    for name, numbers in scores.items():
        if name in COLLECT_METRICS:
            values.add(name, numbers, episode_indices, convention, (trace, 2 * turns))
        elif len(assembled):
            samples = [episode_indices[k] for k in assembled]
            values.add(name, numbers[assembled], samples, convention, (trace[assembled], 2 * turns[assembled] + 1))


def _picked(leg_trace: LegTrace, goal: Collect, episode: Episode) -> str | None:
    """Return the name of the item that was picked up; another name if it is not the target itself.

    In a generated task another item of the same name may lie elsewhere; then the walk ends too far from the target.
    """
    if not isinstance(leg_trace.answer, str) or "setting" not in episode.extra:
        return leg_trace.answer if isinstance(leg_trace.answer, str) else None
    end = leg_trace.path[-1]
    assert isinstance(end, tuple)
    within = math.dist(end[:2], goal.at[:2]) <= FARTHEST_REACH
    return leg_trace.answer if within or leg_trace.answer != goal.item else f"another {leg_trace.answer}"


def placed_by_agent(leg_trace: LegTrace) -> bool:
    """Return whether the agent placed its object itself.

    If the horizon placed the object, the last action is not "place". Predictions of other programs may have no actions;
    then a cell counts as placed by the agent.
    """
    return leg_trace.answer is not None and (not leg_trace.actions or leg_trace.actions[-1] == PLACE)


def add_pairs(values: MetricValues, episodes: Sequence[Episode]) -> None:
    """Score the minimal pairs of which both texts were played.

    A text that was played several times is correct if it was correct each time. The sample of a pair is the episode
    of its first text.
    """
    correct: dict[int, bool] = {}
    convention = PAPER
    for metric in PAIR_METRICS:
        if metric in values.by_metric:
            numbers, episode_indices, metric_convention = values.by_metric[metric]
            convention = metric_convention if metric == "TC" or convention == PAPER else convention
            for number, episode in zip(numbers.tolist(), episode_indices, strict=True):
                correct[int(episode)] = correct.get(int(episode), True) and number == 1.0
    first: dict[str, int] = {}
    second: dict[str, int] = {}
    for episode in sorted(correct):
        extra = episodes[episode].extra
        if "pair" in extra and isinstance(extra.get("changed"), bool):
            (second if extra["changed"] else first)[str(extra["pair"])] = episode
    complete = [name for name in first if name in second]
    if complete:
        results = [correct[first[name]] for name in complete], [correct[second[name]] for name in complete]
        for pair_metric in (both_correct, changed_correct):
            values.add(pair_metric.name, pair_metric(*results), [first[name] for name in complete], convention)
    if incomplete := len(first.keys() ^ second.keys()):
        values.notes.append(f"{incomplete:,} minimal pairs lack one of their two texts: they are not scored as pairs")
