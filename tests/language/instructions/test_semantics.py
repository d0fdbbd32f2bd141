from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import turn
from bearleft.language.instructions.parse import scan
from bearleft.language.instructions.segments import Stretch, passing, side_link, straight_on
from bearleft.language.instructions.semantics import (
    LEFT,
    RIGHT,
    Frame,
    Walker,
    fits_start,
    meaning,
    relation,
    start_link,
)
from tests.language.instructions.street_scene import scene_and_ways


def _crossing_ahead(count: int) -> tuple[int, int]:
    """A place and a link of it, with so many crossings straight ahead, the first a few places on."""
    scene, ways = scene_and_ways()
    for place in range(len(ways.graph)):
        if ways.crossing[place]:
            continue
        for link in ways.graph.links(place).tolist():
            crossings = Stretch.ahead(scene, ways, place, link).crossings
            if len(crossings) >= count and crossings[0] > 3:
                return place, link
    raise AssertionError


def _walk(*frames: Frame, crossings: int = 2) -> tuple[Walker, Stretch]:
    scene, ways = scene_and_ways()
    place, link = _crossing_ahead(crossings)
    walker = Walker(scene, ways, place, link)
    for frame in frames:
        walker.do(frame)
    return walker, Stretch.ahead(scene, ways, place, link)


def test_stretches_go_straight_and_never_twice_through_a_place() -> None:
    scene, ways = scene_and_ways()
    for place in range(0, len(ways.graph), 7):
        for link in ways.graph.links(place).tolist():
            stretch = Stretch.ahead(scene, ways, place, link)
            assert len(set(stretch.places)) == len(stretch)
            assert all(ways.graph.has_link(*pair) for pair in zip(stretch.places, stretch.places[1:], strict=False))
            for k in stretch.crossings[:-1]:
                assert abs(float(turn(stretch.headings[k], stretch.headings[k + 1]))) <= 50.0


def test_left_is_left_and_back_is_neither() -> None:
    _, ways = scene_and_ways()
    for place in np.flatnonzero(ways.crossing).tolist():
        for link in ways.graph.links(place).tolist():
            heading = (float(ways.graph.heading[link]) + 180.0) % 360.0  # of one who comes along it
            for side in (LEFT, RIGHT):
                found = side_link(ways, place, heading, side)
                if found is not None:
                    angle = float(turn(heading, ways.graph.heading[found]))
                    assert angle * side > 0 or abs(angle) < 20.0  # of a fork
                    assert found not in (link, straight_on(ways, place, heading))


def test_second_is_second_and_first_is_first() -> None:
    for nth in (1, 2):
        walker, stretch = _walk(Frame("to crossing", nth=nth))
        assert walker.trail[-1] == stretch.places[stretch.crossings[nth - 1]]


def test_the_second_after_one_gone_through_is_the_next() -> None:
    walker, stretch = _walk(Frame("through", nth=1), Frame("stop at crossing", nth=2))
    assert walker.trail[-1] == stretch.places[stretch.crossings[1]] and walker.stopped


def test_to_a_crossing_and_turn_turns_there() -> None:
    one, stretch = _walk(Frame("to crossing", nth=1), Frame("turn", side=LEFT), Frame("stop steps", count=1))
    other, _ = _walk(Frame("turn", side=LEFT, nth=1), Frame("stop steps", count=1))
    assert one.trail == other.trail
    assert len(one.trail) == stretch.crossings[0] + 2


@pytest.mark.parametrize(
    ("frame", "off"),
    [
        (Frame("stop before crossing", nth=1), -1),
        (Frame("stop before crossing", nth=1, count=3), -3),
        (Frame("stop at crossing", nth=1), 0),
        (Frame("stop after crossing", nth=1, count=2), 2),
    ],
)
def test_stops_by_crossings(frame: Frame, off: int) -> None:
    walker, stretch = _walk(frame)
    assert walker.trail == list(stretch.places[: stretch.crossings[0] + off + 1])


def test_nothing_is_done_after_the_stop() -> None:
    scene, ways = scene_and_ways()
    place, _ = _crossing_ahead(2)
    frames = [Frame("stop steps", count=2), Frame("turn", side=LEFT, nth=1)]
    assert len(meaning(frames, scene, ways, place, 0.0)) == 3


def test_a_thing_on_the_left_turns_one_round() -> None:
    scene, ways = scene_and_ways()
    tried = 0
    for place in range(len(ways.graph)):
        links = ways.graph.links(place).tolist()
        if len(links) != 2:
            continue
        for link in links:
            # The words of the thing whose only copies stand on this side.
            for frame in scan("Turn so that the scaffolding is on your left."):
                fits = [fits_start(frame, scene, ways, place, one) for one in links]
                if sum(fits) == 1 and fits[links.index(link)]:
                    assert start_link([frame], scene, ways, place, 0.0) == link
                    tried += 1
    assert tried > 5


def test_flow_is_the_direction_of_traffic() -> None:
    scene, ways = scene_and_ways()
    for place in range(0, len(ways.graph), 5):
        allowed = ways.link[ways.first[place] : ways.first[place + 1]].tolist()
        if len(allowed) == 1:
            assert start_link([Frame("flow")], scene, ways, place, 0.0) == allowed[0]
            against = start_link([Frame("against")], scene, ways, place, 0.0)
            assert against != allowed[0] or ways.graph.degree[place] == 1


def test_unknown_things_stop_nobody() -> None:
    scene, ways = scene_and_ways()
    place, _ = _crossing_ahead(2)
    frames = scan("Go straight. Pass a lighthouse on your left. Turn left at the dinosaur. Stop at the carousel.")
    assert {frame.name for frame in frames} >= {"pass", "turn", "stop beside"}
    assert len(meaning(frames, scene, ways, place, 0.0)) > 1


def test_relations_do_not_overlap() -> None:
    angle = np.arange(-180.0, 180.0, 5.0)
    left, right = relation("side", LEFT, angle), relation("side", RIGHT, angle)
    assert not (left & right).any()
    assert (left == right[::-1][np.r_[-1, : len(angle) - 1]]).all()
    assert not (relation("ahead", 0, angle) & relation("behind", 0, angle)).any()


def test_passing_knows_sides() -> None:
    """Walked the other way, everything is on the other side."""
    scene, ways = scene_and_ways()
    place, link = _crossing_ahead(2)
    stretch = Stretch.ahead(scene, ways, place, link)
    there = stretch.passed
    back = passing(scene, ways.graph, stretch.places[::-1])
    sides = dict(zip(there.instance.tolist(), there.side.tolist(), strict=True))
    same = [sides[k] == side for k, side in zip(back.instance.tolist(), back.side.tolist(), strict=True) if k in sides]
    assert len(same) > 20 and np.mean(same) < 0.05
