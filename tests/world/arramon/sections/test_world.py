"""Worlds of sections: the same everywhere, full of all kinds of things, none in another's place."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.errors import InputError
from bearleft.world.arramon.items.models import templates
from bearleft.world.arramon.moves import GRID_HEADING
from bearleft.world.arramon.sections.layout import section_layouts
from bearleft.world.arramon.sections.object_kinds import OBJECT_KINDS, object_kind
from bearleft.world.arramon.sections.plan import sections_plan
from bearleft.world.arramon.sections.themes import GREYS
from bearleft.world.arramon.sections.walkable_cells import obstacles
from bearleft.world.arramon.sections.world import Sections, is_visible, open_sections
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import open_city
from bearleft.world.render.camera import poses, view
from bearleft.world.render.cpu import render
from bearleft.world.worlds import open_world

Floats = npt.NDArray[np.float64]

# What `sections_plan(0).hash` says. Where it changes and that is meant, put here what it says now.
PINNED = "37402e81714a"


@pytest.fixture(scope="module")
def world() -> Sections:
    return open_sections("sections/0")


@pytest.mark.slow
def test_plan_is_the_same_everywhere(world: Sections) -> None:
    assert sections_plan(0).hash == world.city.plan.hash
    assert world.city.plan.hash.startswith(PINNED)
    assert open_city("sections/5").plan.hash != world.city.plan.hash


def test_it_opens_by_name(world: Sections) -> None:
    assert open_sections("sections/0") is world
    # Not the same objects: cities that were not asked for lately are forgotten.
    assert open_city("sections/0").plan.hash == world.city.plan.hash
    assert open_world("sections/0").ids == world.city.graph.ids
    assert world.city.plan.name == world.name == "sections/0" and world.city.plan.eye == 1600
    for name in ("sections", "sections/", "sections/x", "sections/0/1", "city/0"):
        with pytest.raises(InputError, match="sections/SEED"):
            open_sections(name)
    with pytest.raises(InputError, match="the seed of sections/0"):
        open_city("sections/0", seed=1)


def test_sections_lie_apart(world: Sections) -> None:
    assert len(world.bounds) == 7
    for k, (west, south, east, north) in enumerate(world.bounds):
        side = [(high - low) / 1000 for low, high in (section_layouts(0)[k].outer[:2], section_layouts(0)[k].outer[2:])]
        assert all(60 <= one <= 76 for one in side)
        assert world.section_of((west + east) / 2, (south + north) / 2) == k + 1
        for other in world.bounds[:k]:
            gap = max(west - other[2], other[0] - east, south - other[3], other[1] - north)
            assert gap > 90
    assert world.section_of(0.0, 0.0) == 0


def test_streets_run_along_the_headings_one_walks(world: Sections) -> None:
    graph = world.city.graph
    off = (graph.heading - GRID_HEADING) % 90.0
    assert np.minimum(off, 90.0 - off).max() < 0.02
    step = np.linalg.norm(graph.positions[graph.target] - graph.positions[graph.source], axis=1)
    assert step.min() > 6.0 and step.max() < 13.1
    sections = {world.section_of(*place[:2]) for place in graph.positions}
    assert sections == set(range(1, 8))


@pytest.mark.parametrize("seed", [0, 5])
def test_all_kinds_stand_in_every_section(seed: int) -> None:
    plan = open_city(f"sections/{seed}").plan
    sections = open_sections(f"sections/{seed}")
    assert len(OBJECT_KINDS) == 24
    counts = Counter((one.section, one.kind) for one in sections.street_objects)
    assert all(counts[section, kind] >= 3 for section in range(1, 8) for kind in OBJECT_KINDS)
    for one in sections.street_objects:
        row, kind = plan.things[one.index], OBJECT_KINDS[one.kind]
        assert object_kind(row) == one.kind and CLASSES[row["kind"]].name == one.name == kind.thing
        assert one.colour in kind.colours and one.section == sections.section_of(*one.at)
    # Colours tell things of a kind apart, and some stand in rows.
    painted = Counter((one.kind, one.colour) for one in sections.street_objects)
    for section in range(1, 8):
        barrels = {one.colour for one in sections.street_objects if one.section == section and one.kind == "barrel"}
        assert len(barrels) >= 3
    assert {c for k, c in painted if k == "traffic cone"} == {"orange", "red", "blue", "green"}
    rows = Counter(one.group for one in sections.street_objects if one.group >= 0 and one.kind == "traffic cone")
    assert 3 in rows.values()


def test_barriers_are_five_models() -> None:
    models = {OBJECT_KINDS[f"traffic barrier {k}"].models for k in range(1, 6)}
    assert len(models) == 5
    tree = open_city("sections/0").plan.things
    tree = tree[tree["kind"] == class_index("tree")]
    assert len(tree) and all(object_kind(row) == "" for row in tree)


def test_sections_differ(world: Sections) -> None:
    assert len({layout.omitted for layout in section_layouts(0)}) == 7
    for what in ("colour", "storeys"):
        shares = [Counter(getattr(h, what) for h in world.houses if h.section == k) for k in range(1, 8)]
        assert len({tuple(sorted(one.items())) for one in shares}) == 7
    grey = [np.mean([h.grey for h in world.houses if h.section == k]) for k in range(1, 8)]
    assert all(0.03 < share < 0.55 for share in grey) and 0.15 < np.mean(grey) < 0.35
    assert all(house.grey == (house.colour in GREYS) for house in world.houses)
    assert {house.storeys for house in world.houses} >= {2, 3, 4}


def apart(one: Floats, other: Floats) -> float:
    """How far two rectangles (x, y, ux, uy, hx, hy) lie apart along the best of their axes; negative: they overlap."""
    best = -np.inf
    for ux, uy in (one[2:4], (one[3], -one[2]), other[2:4], (other[3], -other[2])):
        reach = 0.0
        for _, _, vx, vy, hx, hy in (one, other):
            reach += hy * abs(vx * ux + vy * uy) + hx * abs(vy * ux - vx * uy)
        best = max(best, abs((one[0] - other[0]) * ux + (one[1] - other[1]) * uy) - reach)
    return float(best)


def test_nothing_stands_in_anothers_place(world: Sections) -> None:
    plan = world.city.plan
    houses = world.house_footprints
    things = np.array(
        [
            (*one.at, np.sin(np.radians(one.facing)), np.cos(np.radians(one.facing)), one.size[0] / 2, one.size[1] / 2)
            for one in world.street_objects
            if one.kind != "banner"
        ]
    )
    every = np.concatenate([houses, things])
    for k in range(len(every)):
        near = np.flatnonzero(np.hypot(*(every[:k, :2] - every[k, :2]).T) < 14.0)
        for other in near:
            # Houses touch; a thing keeps off houses and off others.
            assert apart(every[k], every[other]) > (-0.02 if k < len(houses) else 0.05)
    assert len(obstacles(plan)) > len(every)


def test_houses_say_where_they_are(world: Sections) -> None:
    for house, wall in list(zip(world.houses, world.house_footprints, strict=True))[::17]:
        assert wall[:2].tolist() == list(house.at) and (2 * wall[4:]).tolist() == pytest.approx(list(house.size))
        for corner in house.corners:
            dx, dy = corner[0] - house.at[0], corner[1] - house.at[1]
            assert abs(dx * wall[3] - dy * wall[2]) == pytest.approx(wall[4], abs=1e-4)
            assert abs(dx * wall[2] + dy * wall[3]) == pytest.approx(wall[5], abs=1e-4)


def test_crossings_have_streets(world: Sections) -> None:
    assert {one.section for one in world.crossings} == set(range(1, 8))
    for one in world.crossings:
        assert 2 <= len(one.arms) <= 4
        for arm in one.arms:
            x, y = (one.at[0] + 7 * np.sin(np.radians(arm)), one.at[1] + 7 * np.cos(np.radians(arm)))
            assert is_visible(world, *one.at, [(x, y)])[0]
            assert np.linalg.norm(world.city.graph.positions[:, :2] - one.at, axis=1).min() < 0.01


def slow_sees(walls: Floats, x: float, y: float, to: list[float]) -> bool:
    """Points every two centimetres along the line; a house that holds one of its ends does not count."""

    def holds(px: Floats, py: Floats, wall: Floats, more: float = 0.0) -> npt.NDArray[np.bool_]:
        dx, dy = px - wall[0], py - wall[1]
        across, along = np.abs(dx * wall[3] - dy * wall[2]), np.abs(dx * wall[2] + dy * wall[3])
        return np.asarray((across < wall[4] + more) & (along < wall[5] + more), np.bool_)

    part = np.linspace(0.0, 1.0, int(np.hypot(to[0] - x, to[1] - y) / 0.02) + 2)
    px, py = x + part * (to[0] - x), y + part * (to[1] - y)
    return not any(holds(px, py, wall).any() for wall in walls if not holds(px[[0, -1]], py[[0, -1]], wall, 0.05).any())


def test_sight_is_that_of_the_slow_version(world: Sections) -> None:
    rng = np.random.default_rng(0)
    west, south, east, north = world.bounds[2]
    eyes = np.stack([rng.uniform(west, east, 150), rng.uniform(south, north, 150)], axis=1)
    to = np.stack([rng.uniform(west, east, 150), rng.uniform(south, north, 150)], axis=1)
    near = world.house_footprints[
        np.abs(world.house_footprints[:, :2] - [(west + east) / 2, (south + north) / 2]).max(axis=1) < 90
    ]
    fast = is_visible(world, eyes[:, 0], eyes[:, 1], to)
    slow = [slow_sees(near, eye[0], eye[1], end) for eye, end in zip(eyes.tolist(), to.tolist(), strict=True)]
    # Lines that only graze a corner fall between the slow version's points.
    assert (fast != np.array(slow)).sum() <= 1 and 20 < fast.sum() < 130
    x, y = eyes[0].tolist()
    assert is_visible(world, x, y, to[:9]).tolist() == [bool(is_visible(world, x, y, [end])[0]) for end in to[:9]]
    house = world.houses[3]
    assert is_visible(world, house.at[0], house.at[1], [house.at])[0]
    assert not len(is_visible(world, 0.0, 0.0, np.zeros((0, 2))))


def test_pictures_have_things_and_hold_collectibles(world: Sections) -> None:
    scene = world.city.scene
    assert scene.templates == len(templates())
    shown = render(scene, world.city.poses([3], [GRID_HEADING]), view(64, 48), shadows=False)
    assert {1, class_index("building") + 10} & set(np.unique(shown.kind).tolist())
    assert (shown.instance > 0).mean() > 0.2
    lamp = next(one for one in world.street_objects if one.kind == "streetlamp")
    back = (lamp.at[0] + 3 * np.sin(np.radians(lamp.facing)), lamp.at[1] + 3 * np.cos(np.radians(lamp.facing)), 1.6)
    shown = render(scene, poses([back], lamp.facing + 180.0), view(65, 49), shadows=False)
    assert shown.instance[0, 24, 32] == lamp.index + 1
