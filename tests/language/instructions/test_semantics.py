from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import turn
from bearleft.language.instructions.parse import parse_frames
from bearleft.language.instructions.segments import Segment, passed_objects, side_link, straight_link
from bearleft.language.instructions.semantics import (
    LEFT,
    RIGHT,
    ClauseFrame,
    Walker,
    choose_start_link,
    fits_start,
    follow_frames,
    in_direction,
)
from tests.language.instructions.street_scene import scene_and_paths


def find_crossing_ahead(count: int) -> tuple[int, int]:
    """Return a place and a link with at least `count` crossings straight ahead, the first a few places on."""
    scene, paths = scene_and_paths()
    for place in range(len(paths.graph)):
        if paths.crossing[place]:
            continue
        for link in paths.graph.links(place).tolist():
            crossings = Segment.ahead(scene, paths, place, link).crossings
            if len(crossings) >= count and crossings[0] > 3:
                return place, link
    raise AssertionError


def walk_frames(*frames: ClauseFrame, crossings: int = 2) -> tuple[Walker, Segment]:
    scene, paths = scene_and_paths()
    place, link = find_crossing_ahead(crossings)
    walker = Walker(scene, paths, place, link)
    for frame in frames:
        walker.execute(frame)
    return walker, Segment.ahead(scene, paths, place, link)


def test_segments_are_straight_and_visit_places_once() -> None:
    scene, paths = scene_and_paths()
    for place in range(0, len(paths.graph), 7):
        for link in paths.graph.links(place).tolist():
            segment = Segment.ahead(scene, paths, place, link)
            assert len(set(segment.places)) == len(segment)
            assert all(paths.graph.has_link(*pair) for pair in zip(segment.places, segment.places[1:], strict=False))
            for k in segment.crossings[:-1]:
                assert abs(float(turn(segment.headings[k], segment.headings[k + 1]))) <= 50.0


def test_side_link_is_on_the_stated_side() -> None:
    _, paths = scene_and_paths()
    for place in np.flatnonzero(paths.crossing).tolist():
        for link in paths.graph.links(place).tolist():
            heading = (float(paths.graph.heading[link]) + 180.0) % 360.0  # heading on arrival
            for side in (LEFT, RIGHT):
                turn_link = side_link(paths, place, heading, side)
                if turn_link is not None:
                    angle = float(turn(heading, paths.graph.heading[turn_link]))
                    assert angle * side > 0 or abs(angle) < 20.0  # at a fork
                    assert turn_link not in (link, straight_link(paths, place, heading))


def test_crossings_are_counted() -> None:
    for nth in (1, 2):
        walker, segment = walk_frames(ClauseFrame("to crossing", nth=nth))
        assert walker.trail[-1] == segment.places[segment.crossings[nth - 1]]


@pytest.mark.parametrize(
    ("text", "crossing"),
    [
        ("Go through the first intersection and stop at the second intersection.", 1),
        ("Go through the first two intersections and stop at the third intersection.", 2),
        ("Go to the first intersection. Go straight through it. Stop at the second intersection.", 1),
        ("Go through the next intersection and stop at the second intersection.", 2),
        ("Go through the intersection. Stop at the second light.", 2),
        ("Go through the first intersection and stop at the next intersection.", 1),
    ],
)
def test_second_counts_crossings_already_passed_only_after_first(text: str, crossing: int) -> None:
    walker, segment = walk_frames(*parse_frames(text), crossings=3)
    assert walker.trail[-1] == segment.places[segment.crossings[crossing]] and walker.stopped


def test_turn_after_reaching_a_crossing_equals_turn_at_it() -> None:
    two_frames, segment = walk_frames(
        ClauseFrame("to crossing", nth=1), ClauseFrame("turn", side=LEFT), ClauseFrame("stop steps", count=1)
    )
    one_frame, _ = walk_frames(ClauseFrame("turn", side=LEFT, nth=1), ClauseFrame("stop steps", count=1))
    assert two_frames.trail == one_frame.trail
    assert len(two_frames.trail) == segment.crossings[0] + 2


@pytest.mark.parametrize(
    ("frame", "offset"),
    [
        (ClauseFrame("stop before crossing", nth=1), -1),
        (ClauseFrame("stop before crossing", nth=1, count=3), -3),
        (ClauseFrame("stop at crossing", nth=1), 0),
        (ClauseFrame("stop after crossing", nth=1, count=2), 2),
    ],
)
def test_stop_frames_end_relative_to_the_crossing(frame: ClauseFrame, offset: int) -> None:
    walker, segment = walk_frames(frame)
    assert walker.trail == list(segment.places[: segment.crossings[0] + offset + 1])


def test_frames_after_the_stop_are_ignored() -> None:
    scene, paths = scene_and_paths()
    place, _ = find_crossing_ahead(2)
    frames = [ClauseFrame("stop steps", count=2), ClauseFrame("turn", side=LEFT, nth=1)]
    assert len(follow_frames(frames, scene, paths, place, 0.0)) == 3


def test_start_link_fits_a_landmark() -> None:
    scene, paths = scene_and_paths()
    checked = 0
    for place in range(len(paths.graph)):
        links = paths.graph.links(place).tolist()
        if len(links) != 2:
            continue
        for link in links:
            for frame in parse_frames("Turn so that the scaffolding is on your left."):
                fits = [fits_start(frame, scene, paths, place, other) for other in links]
                if sum(fits) == 1 and fits[links.index(link)]:
                    assert choose_start_link([frame], scene, paths, place, 0.0) == link
                    checked += 1
    assert checked > 5


def test_flow_is_the_direction_of_traffic() -> None:
    scene, paths = scene_and_paths()
    for place in range(0, len(paths.graph), 5):
        allowed = paths.allowed_links[paths.link_offsets[place] : paths.link_offsets[place + 1]].tolist()
        if len(allowed) == 1:
            assert choose_start_link([ClauseFrame("flow")], scene, paths, place, 0.0) == allowed[0]
            against = choose_start_link([ClauseFrame("against")], scene, paths, place, 0.0)
            assert against != allowed[0] or paths.graph.degree[place] == 1


def test_unknown_objects_are_skipped() -> None:
    scene, paths = scene_and_paths()
    place, _ = find_crossing_ahead(2)
    frames = parse_frames(
        "Go straight. Pass a lighthouse on your left. Turn left at the dinosaur. Stop at the carousel."
    )
    assert {frame.name for frame in frames} >= {"pass", "turn", "stop beside"}
    assert len(follow_frames(frames, scene, paths, place, 0.0)) > 1


def test_directions_do_not_overlap() -> None:
    angle = np.arange(-180.0, 180.0, 5.0)
    left, right = in_direction("side", LEFT, angle), in_direction("side", RIGHT, angle)
    assert not (left & right).any()
    assert (left == right[::-1][np.r_[-1, : len(angle) - 1]]).all()
    assert not (in_direction("ahead", 0, angle) & in_direction("behind", 0, angle)).any()


def test_reversed_segment_swaps_sides() -> None:
    """In the opposite direction, every object is on the other side."""
    scene, paths = scene_and_paths()
    place, link = find_crossing_ahead(2)
    segment = Segment.ahead(scene, paths, place, link)
    forward = segment.passed
    backward = passed_objects(scene, paths.graph, segment.places[::-1])
    sides = dict(zip(forward.instance.tolist(), forward.side.tolist(), strict=True))
    unchanged = [
        sides[k] == side
        for k, side in zip(backward.instance.tolist(), backward.side.tolist(), strict=True)
        if k in sides
    ]
    assert len(unchanged) > 20 and np.mean(unchanged) < 0.05
