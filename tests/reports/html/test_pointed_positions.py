"""Positions of targets and answers on the map of a room."""

from __future__ import annotations

import math
from typing import Any

from bearleft.data import load
from bearleft.geometry import turn
from bearleft.records import Point
from bearleft.reports.html.pointed_positions import add_positions, pointed_positions
from bearleft.world.city.city import open_city
from bearleft.world.pictures import RenderedPictures
from bearleft.world.rooms.shell import room_shells

WORLD = "rooms/0/42"


def test_targets_lie_inside_their_room_in_the_direction_of_the_target() -> None:
    source = RenderedPictures(open_city(WORLD))
    episodes = [episode for episode in load("city/refer360/small") if episode.world == WORLD]
    goals = [goal for episode in episodes if isinstance(goal := episode.legs[-1].goal, Point)]
    pointed = [(str(goal.place), [goal.direction.heading, goal.direction.pitch]) for goal in goals]
    positions = pointed_positions(source, pointed)
    shells = room_shells(0, 42)
    assert len(positions) > 10
    for (place, (heading, _)), (x, y) in zip(pointed, positions, strict=True):
        room = source.place_index(place)
        east, north = x - float(shells.x[room]) / 1000, y - float(shells.y[room]) / 1000
        assert abs(east) <= float(shells.width[room]) / 2000 + 0.02, place
        assert abs(north) <= float(shells.depth[room]) / 2000 + 0.02, place
        dx, dy = x - float(source.graph.positions[room, 0]), y - float(source.graph.positions[room, 1])
        if math.hypot(dx, dy) > 0.5:
            assert abs(float(turn(heading, math.degrees(math.atan2(dx, dy))))) < 2


def test_positions_are_added_to_rooms_only() -> None:
    source = RenderedPictures(open_city(WORLD))
    place = source.graph.ids[0]
    leg: dict[str, Any] = {"kind": "point", "place": 0, "target": [90.0, 0.0]}
    answers: list[dict[str, Any]] = [
        {"answer": [180.0, -20.0]},
        {"answer": None},
        {"answer": [0.0, 0.0], "pointed_from": 1},
    ]
    example = {"world": 1, "legs": [leg], "traces": [{"legs": [answer]} for answer in answers]}
    street: dict[str, Any] = {"world": 0, "legs": [{**leg}], "traces": [{"legs": [{"answer": [1.0, 2.0]}]}]}
    rows = {"examples": [street, example], "places": [{"id": ["a"]}, {"id": [place]}]}
    add_positions(rows, ["town/0", WORLD], lambda world: source if world == WORLD else None)
    assert "target_at" not in street["legs"][0]
    ((target_x, target_y), (answer_x, answer_y)) = leg["target_at"], answers[0]["answer_at"]
    x, y = source.graph.positions[0, :2].tolist()
    assert target_x > x and abs(target_y - y) < 0.1  # to the east
    assert answer_y < y and abs(answer_x - x) < 0.1  # to the south
    assert "answer_at" not in answers[1] and "answer_at" not in answers[2]
