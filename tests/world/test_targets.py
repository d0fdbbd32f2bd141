"""Targets: what is chosen, what lies anywhere, and that a target found again is the target, by the buffers."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.data.loaders.touchdown import direction, ratio_of
from bearleft.errors import InputError
from bearleft.geometry import angle_between, angular_distance, unit_vectors, vector_angles
from bearleft.language.scene_index import open_visibility_table
from bearleft.metrics.pointing import a_80px, pixel_distances, pixels
from bearleft.records import Direction
from bearleft.world.channel_images import class_name, part_name
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import panorama
from bearleft.world.render.codes import Ground, SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.scene import SOLID, Scene
from bearleft.world.targets import (
    AHEAD_DISTANCE_FACTOR,
    CLASS_WEIGHTS,
    MAX_DISTANCE,
    MOVING_CLASSES,
    MOVING_PARTS,
    Target,
    choose_targets,
    neighbours_of,
    propagate_targets,
    random_targets,
    viewing_places,
)
from bearleft.world.visibility.rays import DEPTH_TOLERANCE, RELATIVE_TOLERANCE, cast, pixel_of, points_visible
from bearleft.world.visibility.table import VISIBLE_OBJECT
from tests.sizes import sized

WIDTH = 1024  # of the panoramas that propagated targets are looked up in
EVERY = 11  # targets drawn at each place


@pytest.fixture(scope="module")
def city() -> City:
    return open_city("city/0/2x2")


@pytest.fixture(scope="module")
def rows(city: City) -> list[Any]:
    """What is visible from every place: other tests share this city's table."""
    table = open_visibility_table(city)
    return [table.at(place) for place in range(len(city.graph))]


@pytest.fixture(scope="module")
def chosen(city: City, rows: list[Any]) -> list[Target]:
    """Some hundred targets, each at the end of a step."""
    found = []
    for index in range(EVERY * len(rows)):
        place = index % len(rows)
        link = np.flatnonzero(city.graph.target == place)[0]
        found += choose_targets(
            city, rows[place], float(city.graph.heading[link]), neighbours_of(city.graph, place), index=index
        )
    return found


def eye(city: City, place: int) -> Any:
    return city.poses([place])[0, :3].astype(float)


def test_every_class_of_the_street_may_be_chosen_or_may_not() -> None:
    names = [one.name for one in STREET_CLASSES]
    assert sorted([*CLASS_WEIGHTS, *MOVING_CLASSES, "building"]) == sorted([*names, "window"])
    assert min(CLASS_WEIGHTS.values()) > 0
    for name, parts in MOVING_PARTS.items():
        assert set(parts) <= set(CLASSES[names.index(name)].parts)


@pytest.mark.slow
def test_there_is_something_to_choose_everywhere(city: City, chosen: list[Target]) -> None:
    assert len(chosen) >= 0.98 * EVERY * len(city.graph)
    assert {target.place for target in chosen} == set(range(len(city.graph)))


def test_nobody_chooses_what_moves_or_the_sky_or_the_ground(chosen: list[Target]) -> None:
    for target in chosen:
        name = class_name(target.kind)
        assert target.instance > 0
        assert name in CLASS_WEIGHTS and name not in MOVING_CLASSES
        assert part_name(target.kind, target.part) not in MOVING_PARTS.get(name, ())


def test_a_chosen_target_is_where_its_ray_ends(city: City, chosen: list[Target]) -> None:
    eyes = np.array([eye(city, target.place) for target in chosen])
    ways = np.array([unit_vectors(target.direction.heading, target.direction.pitch) for target in chosen])
    met = cast(city.scene, eyes, ways)
    assert met.instance.tolist() == [target.instance for target in chosen]
    assert met.part.tolist() == [target.part for target in chosen]
    assert met.kind.tolist() == [target.kind for target in chosen]
    away = np.array([target.distance for target in chosen])
    assert np.abs(met.depth - away).max() < DEPTH_TOLERANCE + RELATIVE_TOLERANCE * away.max()
    assert np.abs(eyes + away[:, None] * ways - [target.position for target in chosen]).max() < 0.01


def test_people_choose_near_things_at_eye_height_on_many_classes_and_parts(chosen: list[Target]) -> None:
    away = np.array([target.distance for target in chosen])
    pitch = np.array([target.direction.pitch for target in chosen])
    assert np.mean((away > 3) & (away < 25)) > 0.75
    assert away.max() < MAX_DISTANCE / AHEAD_DISTANCE_FACTOR + 10  # a row's distance is that of its middle
    assert np.mean((pitch > -25) & (pitch < 20)) > 0.9
    assert -10 < np.median(pitch) < 3
    kinds = [class_name(target.kind) for target in chosen]
    assert len(set(kinds)) >= 25
    assert max(kinds.count(kind) for kind in kinds) < 0.3 * len(kinds)
    assert len({(target.kind, part_name(target.kind, target.part)) for target in chosen}) >= 60


def test_targets_lie_ahead_rather_than_behind(city: City, rows: list[Any]) -> None:
    off = []
    for k, place in enumerate(range(0, len(rows), 2)):
        for heading in (0.0, 180.0):
            off += [
                angular_distance(heading, 0, t.direction.heading, 0)
                for t in choose_targets(city, rows[place], heading, index=k)
            ]
    assert np.mean(np.array(off) < 90) > 0.6


def test_the_mean_answer_is_poor(city: City, chosen: list[Target]) -> None:
    goals = [target.point(city.graph) for target in chosen]
    assert len(goals) > 500
    heading, pitch = [g.direction.heading for g in goals], [g.direction.pitch for g in goals]
    spots = np.column_stack(pixels(heading, pitch, [g.yaw for g in goals]))
    right = a_80px(pixel_distances(np.broadcast_to(spots.mean(axis=0), spots.shape), spots)).mean()
    assert 0.005 < right < 0.08


def test_several_choices_are_several_things(city: City, rows: list[Any]) -> None:
    found = choose_targets(city, rows[5], count=6)
    assert len({target.instance for target in found}) == 6
    assert choose_targets(city, rows[5]) == found[:1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31 - 1), st.integers(0, 10**9))
def test_a_seed_and_an_index_are_a_target(city: City, rows: list[Any], seed: int, index: int) -> None:
    assert choose_targets(city, rows[7], 90.0, seed=seed, index=index) == choose_targets(
        city, rows[7], 90.0, seed=seed, index=index
    )


def test_other_seeds_and_indices_are_other_targets(city: City, rows: list[Any]) -> None:
    one = {choose_targets(city, rows[7], seed=seed)[0].direction for seed in range(20)}
    other = {choose_targets(city, rows[7], index=index)[0].direction for index in range(20)}
    assert len(one) == len(other) == 20


def test_nothing_suits_where_nothing_is_seen(city: City, rows: list[Any]) -> None:
    assert choose_targets(city, np.zeros(0, VISIBLE_OBJECT)) == []
    assert choose_targets(city, rows[3][rows[3]["instance"] <= 0]) == []


def test_the_goal_of_a_leg_is_counted_from_the_middle_of_the_picture(city: City, chosen: list[Target]) -> None:
    for target in chosen[:50]:
        goal = target.point(city.graph)
        assert goal.place == city.graph.ids[target.place]
        x, y = ratio_of(goal.direction, goal.yaw)
        assert 0 <= x <= 1 and 0 <= y <= 1
        assert angle_between(direction(x, y, goal.yaw), target.direction) < 1e-9


def test_points_anywhere_cover_the_band_evenly(city: City) -> None:
    places = np.arange(4000) % len(city.graph)
    found = random_targets(city, places, seed=3)
    pitch = np.array([target.direction.pitch for target in found])
    heading = np.array([target.direction.heading for target in found])
    assert [target.place for target in found] == places.tolist()
    assert np.abs(pitch).max() <= 45
    high = np.sin(np.radians(pitch)) / np.sin(np.radians(45)) / 2 + 0.5
    for share in (high, heading / 360):
        off = np.abs(np.sort(share) - (np.arange(len(share)) + 0.5) / len(share)).max()
        assert off < 1.63 / np.sqrt(len(share))  # Kolmogorov and Smirnov's at 1 %
    assert abs(np.corrcoef(high, heading)[0, 1]) < 0.05


@pytest.mark.slow
def test_points_anywhere_say_what_lies_there(city: City) -> None:
    found = random_targets(city, np.full(300, 9))
    pictures = render(city.scene, city.poses([9]), panorama(2048), shadows=False)
    column, row = pixel_of([t.direction.heading for t in found], [t.direction.pitch for t in found], 0.0, 2048)
    same = pictures.instance[0][row, column] == [target.instance for target in found]
    assert same.mean() > 0.97  # the pixel's middle is not the point
    assert {-1, 0} < {target.instance for target in found}
    for target in found:
        assert (target.position is None) == (target.instance < 0) == (target.kind == Ground.SKY)
        if target.position is None:
            assert target.distance == np.inf
        else:
            assert np.linalg.norm(np.subtract(target.position, eye(city, 9))) == pytest.approx(
                target.distance, abs=1e-4
            )


def test_a_point_anywhere_depends_on_its_number_alone(city: City) -> None:
    places = np.arange(20)
    assert random_targets(city, places[5:], seed=1, first=5) == random_targets(city, places, seed=1)[5:]
    assert random_targets(city, places, seed=1) != random_targets(city, places, seed=2)


def around(city: City, targets: list[Target]) -> tuple[Any, list[tuple[Direction | None, ...]]]:
    """All linked places of targets, filled up with -1, and where the targets are seen from them."""
    beside = [[target.place, *neighbours_of(city.graph, target.place)] for target in targets]
    longest = max(map(len, beside))
    places = np.array([[*some, *[-1] * (longest - len(some))] for some in beside])
    return places, propagate_targets(city, targets, places, WIDTH)


@pytest.fixture(scope="module")
def panoramas(city: City) -> dict[int, Pictures]:
    """Render the panoramas of some places."""
    places = range(0, len(city.graph), sized(5, 3))
    yaws = city.graph.yaw
    return {
        place: render(city.scene, city.poses([place], float(yaws[place])), panorama(WIDTH), shadows=False)
        for place in places
    }


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("random", [False, True])
def test_propagated_targets_lie_on_the_same_instance_and_part_by_the_buffers(
    city: City, chosen: list[Target], panoramas: dict[int, Pictures], random: bool
) -> None:
    targets = random_targets(city, np.arange(400) % len(city.graph), seed=5) if random else chosen
    places, found = around(city, targets)
    looked = hidden = 0
    for place, picture in panoramas.items():
        yaw = float(city.graph.yaw[place])
        for k, j in zip(*np.nonzero(places == place), strict=True):
            target, seen = targets[k], found[k][j]
            if target.position is None:
                assert (seen == target.direction) == (target.place == place)
                continue
            heading, pitch = (float(x) for x in vector_angles(np.subtract(target.position, eye(city, place))))
            column, row = pixel_of(heading, pitch, yaw, WIDTH)
            shown = picture.instance[0][row, column], picture.part[0][row, column]
            ray = cast(city.scene, [eye(city, place)], [unit_vectors(heading, pitch)], WIDTH)
            met = ray.instance[0], ray.part[0]
            away = float(np.linalg.norm(np.subtract(target.position, eye(city, place))))
            there = abs(ray.depth[0] - away) <= DEPTH_TOLERANCE + RELATIVE_TOLERANCE * away
            mine = target.instance, target.part
            if seen is None:
                hidden += 1
                assert not (shown == mine and met == mine and there)
            else:
                looked += 1
                assert shown == mine and met == mine and there
                assert angle_between(seen, Direction(heading, pitch)) < 1e-3
    assert looked > 100 and hidden > 20


def test_a_target_is_seen_from_its_own_place(city: City, chosen: list[Target]) -> None:
    found = propagate_targets(city, chosen, [[target.place] for target in chosen])
    assert [seen for (seen,) in found] == [target.direction for target in chosen]


def test_no_place_is_no_direction(city: City, chosen: list[Target]) -> None:
    assert set(chain(*propagate_targets(city, chosen[:9], np.full((9, 2), -1)))) == {None}
    assert propagate_targets(city, [], np.zeros((0, 3), int)) == []


def solid(instance: int, at: Any, half: Any, part: int = 0) -> Any:
    row = np.zeros(1, SOLID)
    row["kind"], row["instance"], row["part"], row["text"] = SolidShape.BOX, instance, part, -1
    row["centre"], row["matrix"], row["size"], row["colour"] = at, np.diag(half), half, 128
    return row


def test_hidden_behind_others_behind_itself_and_behind_another_part() -> None:
    # A box of two parts, one on the other; a wall west of it; a thin post by itself.
    scene = Scene.make(
        np.concatenate(
            [
                solid(1, (0, 10, 1), (1, 1, 1), part=1),
                solid(1, (0, 10, 2.5), (1, 1, 0.5), part=2),
                solid(2, (-5, 10, 2), (0.2, 4, 2)),
                solid(3, (0, 30, 1), (0.1, 0.1, 1)),
            ]
        ),
        [Ground.YARD, 20, 21, 22],
    )

    def seen(at: Any, point: Any, instance: int, part: int = 0) -> bool:
        heading, pitch, there = points_visible(scene, [at], [point], [instance], [part])
        way = np.subtract(point, at) / np.linalg.norm(np.subtract(point, at))
        assert unit_vectors(heading[0], pitch[0]) @ way == pytest.approx(1)
        return bool(there[0])

    south, east, north, west = (0.0, 0.0, 2.4), (12.0, 10.0, 2.4), (0.0, 20.0, 2.4), (-12.0, 10.0, 2.4)
    front = (0.3, 9.0, 1.2)
    assert seen(south, front, 1, 1)
    assert not seen(north, front, 1, 1)  # two metres deep: from behind it is not the same spot
    assert not seen(south, front, 1, 2) and not seen(south, front, 2)
    assert seen(east, (1.0, 10.0, 2.5), 1, 2)
    assert not seen(west, (-1.0, 10.0, 2.5), 1, 2)  # the wall
    assert seen(north, (0.0, 29.9, 1.2), 3) and seen(north, (0.0, 30.1, 1.2), 3)  # a post is seen from any side
    assert not seen(south, (0.0, 29.9, 1.2), 3)


def test_views_of_a_route() -> None:
    # 0 - 1 - 2 straight to the north, 3 to the east of 1, 4 slightly to the left of straight on from 2.
    graph = Graph.make(
        "cross",
        list("abcde"),
        [(0, 0, 0), (0, 10, 0), (0, 20, 0), (10, 10, 0), (-2, 30, 0)],
        [0, 1, 1, 1, 2, 2, 3, 4],
        [1, 0, 2, 3, 1, 4, 1, 2],
        [0, 180, 0, 90, 180, 349, 270, 169],
    )
    assert viewing_places(graph, [0, 1]) == (0, 1, 2)
    assert viewing_places(graph, [3, 1]) in [(3, 1, 0), (3, 1, 2)]
    assert viewing_places(graph, [0, 1, 2]) == (1, 2, 4)
    assert viewing_places(graph, [1, 3]) == (1, 3, -1)
    assert neighbours_of(graph, 1) == [0, 2, 3]
    with pytest.raises(InputError, match="along links"):
        viewing_places(graph, [0, 2])
    with pytest.raises(InputError, match="two places"):
        viewing_places(graph, [0])


def test_what_does_not_fit_is_refused(city: City, rows: list[Any], chosen: list[Target]) -> None:
    with pytest.raises(InputError, match="one place"):
        choose_targets(city, np.concatenate(rows[:2]))
    with pytest.raises(InputError, match="seed"):
        choose_targets(city, rows[0], seed=-1)
    with pytest.raises(InputError, match="at least one"):
        choose_targets(city, rows[0], count=0)
    with pytest.raises(InputError, match="seed"):
        random_targets(city, [0], seed=2**40)
    with pytest.raises(InputError, match="places from 0"):
        random_targets(city, [10**6])
    with pytest.raises(InputError, match="a row of places"):
        propagate_targets(city, chosen[:2], [[0]])
    with pytest.raises(InputError, match="as many eyes"):
        cast(city.scene, np.zeros((2, 3)), np.zeros((3, 3)))
