"""Random records and graphs for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from bearleft.policy import PolicyStep
from bearleft.records import (
    Assemble,
    Collect,
    Direction,
    Episode,
    Goal,
    Heatmap,
    Leg,
    LegTrace,
    Point,
    Policy,
    Pose,
    Reach,
    Trace,
)
from bearleft.world.graphs.graph import Graph

finite = st.floats(-1e6, 1e6)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda s: bool(s.strip()))
texts = st.text(st.characters(exclude_categories=["Cs"]))
directions = st.builds(Direction, finite, st.floats(-90, 90))
positions = st.tuples(finite, finite, finite)
cells = st.tuples(*[st.integers(-9, 9)] * 3)
poses = st.builds(Pose, directions, names, st.none() | positions)
actions = st.lists(st.sampled_from(["forward", "left", "right", "stop"])).map(tuple)


def tuples(of: st.SearchStrategy[Any], min_size: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, min_size=min_size, max_size=6).map(tuple)


goals: st.SearchStrategy[Goal] = st.one_of(
    st.builds(Reach, tuples(names, 1)),
    st.builds(lambda start: Reach((start,), hidden=True), names),
    st.builds(Point, directions, st.none() | names, st.floats(0, 360), tuples(directions)),
    st.builds(lambda place, yaw: Point(Direction(0), place, yaw, hidden=True), names, st.floats(0, 360)),
    st.just(Point(Direction(0), hidden=True)),
    st.builds(Collect, tuples(positions, 1), names, positions, actions),
    st.builds(Assemble, cells, tuples(cells), actions),
)
sentences = tuples(names)
legs = st.one_of(
    st.builds(Leg, texts, goals),
    st.builds(lambda parts, goal: Leg(" ".join(parts), goal, parts), sentences, goals),
)
extras = st.dictionaries(texts, st.none() | st.booleans() | st.integers(-99, 99) | texts | st.lists(texts), max_size=3)
episodes = st.builds(Episode, names, names, names, poses, tuples(legs, 1), extras)
heats = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda size: st.builds(
        Heatmap, st.just(size[0]), st.just(size[1]), st.binary(min_size=size[0] * size[1], max_size=size[0] * size[1])
    )
)
spans = tuples(st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda ends: (min(ends), max(ends))))


@st.composite
def policies(draw: st.DrawFn, count: int) -> Policy:
    """Random policies of so many steps."""
    tokens, sectors = draw(spans), draw(st.integers(0, 9))
    words = st.binary(min_size=len(tokens), max_size=len(tokens))
    step = st.builds(
        PolicyStep, st.tuples(*[st.floats(0, 1)] * 4), words, st.binary(min_size=sectors, max_size=sectors)
    )
    return Policy(tuple(draw(st.lists(step, min_size=count, max_size=count))), tokens)


leg_traces = actions.flatmap(
    lambda taken: st.builds(
        LegTrace,
        st.just(taken),
        tuples(names) | tuples(positions) | tuples(cells),
        tuples(directions),
        st.none() | directions | cells | names,
        st.none() | heats,
        st.none() | policies(len(taken)) if taken else st.none(),
    )
)
traces = st.builds(Trace, names, names, names, tuples(leg_traces), st.integers(), texts, texts)


@st.composite
def graphs(draw: st.DrawFn, max_places: int = 12) -> Graph:
    """Random directed graphs with whole headings, no two alike at one place, some places isolated."""
    count = draw(st.integers(2, max_places))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    expected = rng.random((count, count)) < draw(st.floats(0.05, 0.6))
    np.fill_diagonal(expected, False)
    expected[0, 1] = True
    source, target = np.nonzero(expected)
    shuffled = rng.permutation(len(source))
    source, target = source[shuffled], target[shuffled]
    heading = np.empty(len(source))
    for place in range(count):
        here = np.flatnonzero(source == place)
        heading[here] = rng.choice(360, len(here), replace=False)
    where = rng.uniform(-50, 50, (count, 3))
    return Graph.make("random", [f"n{k}" for k in range(count)], where, source, target, heading)
