"""The measures of what was done, trace by trace: walks under a convention, points, collecting and assembling."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown_name
from bearleft.evaluation.columns import Columns, Floats, Ints
from bearleft.metrics.assembly import NDTW_THRESHOLD, VARIANTS, assembly_scores, ground
from bearleft.metrics.conventions import CONVENTIONS
from bearleft.metrics.conventions import score as score_walks
from bearleft.metrics.distances import EUCLIDEAN
from bearleft.metrics.dtw import ndtw
from bearleft.metrics.fastdtw import fast_ndtw
from bearleft.metrics.milestones import milestone_11deg, milestone_degrees, milestone_distances
from bearleft.metrics.pairs import both_right, changed_right
from bearleft.metrics.paths import Ragged
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
from bearleft.metrics.walks import Walks, make_walks
from bearleft.records import Assemble, Collect, Direction, Episode, LegTrace, Point, Reach
from bearleft.world.arramon.moves import PLACE, REACH_AHEAD, REACH_ASIDE
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import world_kind

Items = npt.NDArray[np.int64] | list[Any]
Legs = tuple[Ints, Ints]  # of each value: the number of its trace, and of the leg in it
PAPER = "paper"
NAMED = 20  # episodes that a note lists
FARTHEST_REACH = math.hypot(REACH_AHEAD, REACH_ASIDE) + 1e-6  # of a thing that can be picked up
COLLECTED = ("CTC-0", "CTC-3", "CTC-5", "CTC-7")  # ArraMon's measures of a turn's first leg
RIGHT = ("TC", "A@40px")  # who does well by these has done what a text of a minimal pair says


@dataclass
class Values:
    """`by_metric[name]`: values, which item (an episode's number, or a sentence) each is of, and the convention.

    `legs[name]`: the trace and the leg that each value is of, as numbers; measures of several traces have none.
    """

    by_metric: dict[str, tuple[Floats, Items, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    legs: dict[str, Legs] = field(default_factory=dict)

    def add(
        self, metric: str, numbers: Floats, items: Items, convention: str = PAPER, legs: Legs | None = None
    ) -> None:
        """More values of a measure."""
        if metric in self.by_metric:
            there, before, convention = self.by_metric[metric]
            numbers, items = np.concatenate([there, numbers]), [*before, *items]
        self.by_metric[metric] = numbers, items, convention
        if legs is not None:
            earlier = self.legs.get(metric, (np.empty(0, np.int64), np.empty(0, np.int64)))
            trace, leg = (np.concatenate([a, b]) for a, b in zip(earlier, legs, strict=True))
            self.legs[metric] = trace, leg

    def of_turn(self, number: int) -> Values:
        """The values of one of ArraMon's turns, each two legs."""
        chosen = Values()
        for metric, (trace, leg) in self.legs.items():
            numbers, items, convention = self.by_metric[metric]
            which = np.flatnonzero(leg // 2 == number - 1)
            chosen.add(metric, numbers[which], [items[k] for k in which], convention, (trace[which], leg[which]))
        return chosen


def conventions_of(episodes: Sequence[Episode]) -> tuple[str, ...]:
    """The conventions that the legs of these episodes can be scored under."""
    kinds = {type(leg.goal) for episode in episodes for leg in episode.legs}
    walks = tuple(CONVENTIONS) if Reach in kinds else tuple(VARIANTS) if Collect in kinds else (PAPER,)
    return (*walks, CELLS) if Point in kinds else walks


def values_of(
    columns: Columns, episodes: Sequence[Episode], graphs: Mapping[str, Graph], convention: str, fastdtw: bool = False
) -> Values:
    """Every measure that the legs of these traces have. Legs that a convention does not define get the papers'.

    `fastdtw` adds nDTW-fast and SDTW-fast.
    """
    known = conventions_of(episodes)
    if convention not in known:
        raise unknown_name("convention for such legs", convention, known)
    values = Values()
    if len(columns.walk_trace):
        _walks(values, columns, episodes, graphs, PAPER if convention == CELLS else convention, fastdtw)
    if len(columns.point_trace):
        _points(values, columns, episodes, graphs, CELLS if convention == CELLS else PAPER)
        _milestones(values, columns, episodes)
    if columns.others:
        _assemblies(values, columns, episodes, PAPER if convention == CELLS else convention, fastdtw)
    _pairs(values, episodes)
    return values


def _walks(
    values: Values,
    columns: Columns,
    episodes: Sequence[Episode],
    graphs: Mapping[str, Graph],
    asked_for: str,
    fastdtw: bool,
) -> None:
    """World by world; a walk's number is that of its episode."""
    items = columns.episode[columns.walk_trace]
    worlds = {name: number for number, name in enumerate(graphs)}
    world = np.array([worlds.get(episode.world, -1) for episode in episodes])[items]
    before = 0
    for number, graph in enumerate(graphs.values()):
        which = np.flatnonzero(world == number)
        if len(which):
            paths = columns.walks.take(which)
            inside = Ragged(paths.points - before, paths.starts)
            asked = list(zip(items[which].tolist(), columns.walk_leg[which].tolist(), strict=True))
            for convention, names in conventions_for(asked_for, graph).items():
                walks = _beside_routes(graph, inside, columns, which, asked, episodes, convention)
                lost = {"NE"} if convention == "ciff" and np.isnan(columns.heading[which]).any() else set()
                if lost:
                    values.notes.append("ciff's NE is left out: it wants to know where each walk looks in the end")
                for metric, scores in score_walks(walks, convention, fastdtw).items():
                    if metric not in lost and (not names or metric in names):
                        legs = columns.walk_trace[which], columns.walk_leg[which]
                        values.add(metric, scores, items[which], convention, legs)
        before += len(graph)


def conventions_for(asked: str, graph: Graph) -> dict[str, tuple[str, ...]]:
    """Which conventions to use, and which of their measures (none named: all).

    Buildings are the nDTW paper's worlds, so `paper` is its Table 3 there, in metres; TC and SPD stay in hops.
    """
    if asked == "paper" and world_kind(graph.name).distance == "metres":
        return {"ndtw-paper": (), "paper": ("TC", "SPD")}
    return {asked: ()}


def _beside_routes(
    graph: Graph,
    paths: Ragged,
    columns: Columns,
    which: npt.NDArray[np.int64],
    asked: Sequence[tuple[int, int]],
    episodes: Sequence[Episode],
    convention: str,
) -> Walks:
    """The walks of one world with their routes; the few conventions that ask for more than places get it."""
    stopped, heading = columns.stopped[which], columns.heading[which]
    if CONVENTIONS[convention].headings:
        return make_walks(
            graph,
            [[graph.ids[node] for node in path] for path in paths],
            [_route(episodes[number], leg) for number, leg in asked],
            [episodes[number].start.look.heading for number, _ in asked],
            None if np.isnan(heading).any() else heading.tolist(),
            stopped.tolist(),
            [_beside(episodes[number], graph) for number, _ in asked],
        )
    unique = list(dict.fromkeys(asked))
    routes = [np.array([graph.index_by_id[p] for p in _route(episodes[number], leg)], np.int32) for number, leg in unique]
    starts = np.concatenate([[0], np.cumsum([len(route) for route in routes])])
    place = {key: k for k, key in enumerate(unique)}
    together = Ragged(np.concatenate(routes), starts).take(np.array([place[key] for key in asked]))
    nothing: tuple[frozenset[int], ...] = (frozenset(),) * len(paths)
    return Walks(graph, paths, together, together, np.zeros(len(paths)), stopped, nothing)


def _route(episode: Episode, leg: int) -> tuple[str, ...]:
    goal = episode.legs[leg].goal
    assert isinstance(goal, Reach)
    return goal.route


def _beside(episode: Episode, graph: Graph) -> list[str]:
    """Touchdown's panoramas before and after the goal, where the bear can be seen in them."""
    found = []
    for which in ("pre", "post"):
        place, centre = episode.extra.get(f"{which}_pano"), episode.extra.get(f"{which}_static_center")
        if isinstance(place, str) and place in graph.index_by_id and isinstance(centre, str) and _shows(centre):
            found.append(place)
    return found


def _shows(centre: str) -> bool:
    try:
        click = json.loads(centre)
    except ValueError:
        return False
    return isinstance(click, dict) and click.get("x", -1) != -1


def _points(
    values: Values, columns: Columns, episodes: Sequence[Episode], graphs: Mapping[str, Graph], convention: str
) -> None:
    """Who gave no answer, or stood where the target is not annotated, has missed; his distance is not counted.

    A Point leg behind a Reach leg is Touchdown's complete task: it has Found@... instead of A@... and C@...
    """
    items = columns.episode[columns.point_trace]
    targets: list[Point | None] = []
    sentences: list[str] = []
    behind: list[bool] = []  # a Reach leg
    ends = _ends(columns, graphs) if "" in columns.point_place else {}
    pointed = zip(columns.point_trace.tolist(), items.tolist(), columns.point_leg.tolist(), strict=True)
    for (trace, number, leg), place in zip(pointed, columns.point_place, strict=True):
        asked = episodes[number].legs[leg]
        assert isinstance(asked.goal, Point)
        targets.append(asked.goal.seen_from(place or ends.get((trace, leg - 1), asked.goal.place)))
        sentences.append(asked.text)
        behind.append(leg > 0 and isinstance(episodes[number].legs[leg - 1].goal, Reach))
    answered = np.isfinite(columns.points[:, 0]) & np.array([target is not None for target in targets])
    chosen = np.flatnonzero(answered)
    answers = [Direction(*columns.points[k].tolist()) for k in chosen]
    seen = [target for k in chosen if (target := targets[k]) is not None]
    pixels, apart = np.full(len(items), np.inf), np.full(len(items), np.inf)
    pixels[chosen], apart[chosen] = direction_distances(answers, seen, convention), degrees(answers, seen)
    legs = columns.point_trace, columns.point_leg
    walked = np.array(behind)
    for which, measures in (
        (np.flatnonzero(~walked), (a_40px, a_80px, a_120px)),
        (np.flatnonzero(walked), (found_40px, found_80px, found_120px)),
    ):
        for metric in measures if len(which) else ():
            told = legs[0][which], legs[1][which]
            values.add(metric.name, metric(pixels[which]), items[which], convention, told)
    if not walked.all():
        alone = np.flatnonzero(~walked)
        texts = [sentences[k] for k in alone]
        for consistency in (c_40px, c_80px, c_120px):
            values.add(consistency.name, consistency(pixels[alone], texts), list(dict.fromkeys(texts)), convention)
    told = columns.point_trace[chosen], columns.point_leg[chosen]
    values.add(dist.name, dist(pixels[chosen]), items[chosen], convention, told)
    values.add(dist_degrees.name, dist_degrees(apart[chosen]), items[chosen], legs=told)
    values.add(acc_11deg.name, acc_11deg(apart), items, legs=legs)
    if len(chosen) < len(items):
        missed = (
            f"{len(items) - len(chosen):,} points were not answered, or from a panorama with no annotated target: "
            "misses without a distance"
        )
        values.notes.append(missed)


def _ends(columns: Columns, graphs: Mapping[str, Graph]) -> dict[tuple[int, int], str]:
    """Where walks ended, by trace and leg: a point behind a walk that does not say its place was given there."""
    ids = [place for graph in graphs.values() for place in graph.ids]
    last = columns.walks.points[columns.walks.starts[1:] - 1]
    walks = zip(columns.walk_trace.tolist(), columns.walk_leg.tolist(), strict=True)
    return dict(zip(walks, (ids[node] for node in last.tolist()), strict=True))


def _milestones(values: Values, columns: Columns, episodes: Sequence[Episode]) -> None:
    """Intermediate steps of sequences whose files record views; each sequence's value is the mean of its sentences.

    The sentence that was being read when the answer was given ends with it. A sentence after that is a miss without a
    distance.
    """
    shares, means = [], []  # (value, point)
    silent: list[str] = []
    lacking: list[str] = []
    for k, (trace, leg) in enumerate(zip(columns.point_trace.tolist(), columns.point_leg.tolist(), strict=True)):
        episode = episodes[columns.episode[trace]]
        asked, ends = episode.legs[leg], columns.point_ends[k]
        assert isinstance(asked.goal, Point)
        if not asked.sentences:
            continue
        if len(asked.goal.views) != len(asked.sentences):
            lacking.append(episode.id)
        elif ends is None:
            silent.append(episode.id)
        else:
            answer = [Direction(*columns.points[k].tolist())] if np.isfinite(columns.points[k, 0]) else []
            apart = milestone_distances([*ends, *answer][: len(asked.sentences)], asked.goal.views)
            shares.append((float(milestone_11deg(apart).mean()), k))
            if np.isfinite(apart).any():
                means.append((float(apart[np.isfinite(apart)].mean()), k))
    for metric, found in ((milestone_degrees, means), (milestone_11deg, shares)):
        if shares:
            which = np.array([k for _, k in found], np.int64)
            legs = columns.point_trace[which], columns.point_leg[which]
            values.add(metric.name, np.array([value for value, _ in found]), columns.episode[legs[0]], legs=legs)
    if shares or silent:
        for names, why in (
            (silent, "whose traces do not say where sentences ended"),
            (lacking, "with no recorded views"),
        ):
            if names:
                listed, more = ", ".join(names[:NAMED]), f" and {len(names) - NAMED:,} more"
                counted = f"{len(names):,} sequence{'' if len(names) == 1 else 's'} {why}"
                values.notes.append(f"{counted}: not scored by Milestone: {listed}{more if len(names) > NAMED else ''}")


def _assemblies(values: Values, columns: Columns, episodes: Sequence[Episode], convention: str, fastdtw: bool) -> None:
    """ArraMon, turn by turn: what was walked and picked up, and where it was put."""
    by_turn: dict[tuple[int, int], dict[str, Any]] = {}
    for trace, leg, done in columns.others:
        by_turn.setdefault((trace, leg // 2), {})["walk" if leg % 2 == 0 else "place"] = done
    walked, picked, ends, placed, fallback, goals, cells, items = [], [], [], [], [], [], [], []
    for (trace, turn), found in by_turn.items():
        number = int(columns.episode[trace])
        collect, assemble = (episodes[number].legs[2 * turn + k].goal for k in (0, 1))
        if not (isinstance(collect, Collect) and isinstance(assemble, Assemble) and {"walk", "place"} <= set(found)):
            got = f"episode {episodes[number].id} with one of them only"
            raise InputError("turns of collecting and assembling", got)
        walked.append(ground(found["walk"].path))
        picked.append(_picked(found["walk"], collect, episodes[number]))
        ends.append(found["walk"].path[-1])
        put = found["place"].answer
        fallback.append(not placed_by_agent(found["place"]))
        placed.append(put if put is not None else assemble.cell)  # not counted
        goals.append(collect)
        cells.append(assemble.cell)
        items.append(number)
    where = [goal.at for goal in goals]
    asked = [ground(goal.path) for goal in goals]
    trace, turns = np.array(list(by_turn), np.int64).T
    for metric in (ndtw, fast_ndtw) if fastdtw else (ndtw,):
        values.add(metric.name, metric.batch(walked, asked, EUCLIDEAN, NDTW_THRESHOLD), items, legs=(trace, 2 * turns))
    found_scores = assembly_scores(picked, [g.item for g in goals], ends, where, placed, cells, fallback, convention)
    for name, numbers in found_scores.items():
        values.add(name, numbers, items, convention, (trace, 2 * turns + (name not in COLLECTED)))


def _picked(done: LegTrace, goal: Collect, episode: Episode) -> str | None:
    """The name of what was picked up, where it is what was meant.

    In a task of ours another thing of the same name may lie elsewhere; then the walk ends too far from what was meant.
    """
    if not isinstance(done.answer, str) or "setting" not in episode.extra:
        return done.answer if isinstance(done.answer, str) else None
    end = done.path[-1]
    assert isinstance(end, tuple)
    within = math.dist(end[:2], goal.at[:2]) <= FARTHEST_REACH
    return done.answer if within or done.answer != goal.item else f"another {done.answer}"


def placed_by_agent(done: LegTrace) -> bool:
    """Whether the agent placed its object itself.

    The actions tell: where the time limit put the object down, the last one is not "place". Predictions of other
    programs may hold no actions; a cell then is the agent's own.
    """
    return done.answer is not None and (not done.actions or done.actions[-1] == PLACE)


def _pairs(values: Values, episodes: Sequence[Episode]) -> None:
    """Minimal pairs, where the episodes are some: a pair counts when both of its texts were played.

    Who played a text several times is right when it was right each time. A pair's number is that of its first text.
    """
    right: dict[int, bool] = {}
    convention = PAPER
    for metric in RIGHT:
        if metric in values.by_metric:
            numbers, items, used = values.by_metric[metric]
            convention = used if metric == "TC" or convention == PAPER else convention
            for number, item in zip(numbers.tolist(), items, strict=True):
                right[int(item)] = right.get(int(item), True) and number == 1.0
    first: dict[str, int] = {}
    second: dict[str, int] = {}
    for item in sorted(right):
        extra = episodes[item].extra
        if "pair" in extra and isinstance(extra.get("changed"), bool):
            (second if extra["changed"] else first)[str(extra["pair"])] = item
    known = [name for name in first if name in second]
    if known:
        done = [right[first[name]] for name in known], [right[second[name]] for name in known]
        for measure in (both_right, changed_right):
            values.add(measure.name, measure(*done), [first[name] for name in known], convention)
    if alone := len(first.keys() ^ second.keys()):
        values.notes.append(f"{alone:,} minimal pairs lack one of their two texts: they are not scored as pairs")
