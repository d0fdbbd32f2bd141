"""Solids of buildings: extent, completeness and determinism."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.world.city.facades import CORNICE_OVERHANG, PARTS, STYLES, Roof, building_solids
from bearleft.world.city.palette import COLOURS
from bearleft.world.city.plan import BUILDING, DIRECTION_SCALE, THING, Rows
from bearleft.world.render.codes import Material
from tests.sizes import sized


def row_of_houses(
    count: int,
    style: int | None = None,
    height: int = 18_000,
    hx: int = 6_000,
    hy: int = 8_000,
    sides: int = 1,
    roof: int = 0,
) -> tuple[Rows, Rows]:
    """Return houses 100 m apart along x with alternating directions, in all styles in turn unless one is given."""
    things, buildings = np.zeros(count + 3, THING), np.zeros(count, BUILDING)
    index = np.arange(count)
    things["x"][3:] = index * 100_000
    things["ux"], things["uy"] = 0, DIRECTION_SCALE
    things["ux"][3::2], things["uy"][3::2] = 600_000, -800_000
    things["first"], things["second"] = 3, 5
    buildings["thing"] = index + 3
    buildings["hx"], buildings["hy"], buildings["height"], buildings["sides"] = hx, hy, height, sides
    buildings["ground"], buildings["floor"], buildings["bay"], buildings["roof"] = 4_000, 3_200, 2_500, roof
    buildings["style"] = index % len(STYLES) if style is None else style
    return buildings, things


def local_bounds(solids: Rows, things: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of each solid in its building's own axes: right, ahead, up."""
    house = things[solids["instance"] - 1]
    ahead = np.column_stack([house["ux"], house["uy"]]) / DIRECTION_SCALE
    axes = np.zeros((len(solids), 3, 3))  # rows: right, ahead, up
    axes[:, 0, 0], axes[:, 0, 1] = ahead[:, 1], -ahead[:, 0]
    axes[:, 1, 0], axes[:, 1, 1] = ahead[:, 0], ahead[:, 1]
    axes[:, 2, 2] = 1.0
    centre = solids["centre"] - np.column_stack([house["x"], house["y"], house["z"]]) / 1000.0
    middle = np.einsum("nij,nj->ni", axes, centre)
    reach = np.abs(np.einsum("nij,njk->nik", axes, solids["matrix"])).sum(axis=2)
    return middle - reach, middle + reach


@settings(deadline=None, max_examples=sized(15, 60))
@given(
    seed=st.integers(0, 2**31 - 1),
    height=st.integers(5_000, 200_000),
    hx=st.integers(2_500, 20_000),
    hy=st.integers(3_000, 20_000),
    sides=st.integers(0, 15),
)
def test_solids_are_within_the_footprint_and_cornice(seed: int, height: int, hx: int, hy: int, sides: int) -> None:
    buildings, things = row_of_houses(len(STYLES), None, height, hx, hy, sides)
    solids = building_solids(buildings, things, seed)
    low, high = local_bounds(solids, things)
    limit = np.array([hx, hy]) / 1000 + CORNICE_OVERHANG + 0.01
    assert (low[:, :2] >= -limit).all() and (high[:, :2] <= limit).all()
    assert (low[:, 2] >= -0.001).all()
    assert (solids["size"] > 0).all()
    assert np.isfinite(solids["matrix"]).all() and (np.abs(np.linalg.det(solids["matrix"].astype(float))) > 0).all()


def test_walls_reach_from_the_ground_to_the_roof() -> None:
    buildings, things = row_of_houses(2 * len(STYLES), height=120_000, hx=12_000, hy=12_000)
    solids = building_solids(buildings, things, 4)
    low, high = local_bounds(solids, things)
    for thing in buildings["thing"]:
        walls = (solids["instance"] == thing + 1) & np.isin(
            solids["part"], [PARTS.index("facade"), PARTS.index("setback")]
        )
        spans = sorted(zip(low[walls, 2], high[walls, 2], strict=True))
        assert spans[0][0] == pytest.approx(0, abs=1e-3)
        assert spans[-1][1] == pytest.approx(120, abs=1e-3)
        assert all(first[1] == pytest.approx(other[0], abs=1e-3) for first, other in pairwise(spans))


def test_towers_step_back_and_houses_do_not() -> None:
    setback = PARTS.index("setback")
    for height, expected in ((20_000, 0), (60_000, 1), (150_000, 2)):
        buildings, things = row_of_houses(1, style=9, height=height, hx=12_000, hy=12_000)
        assert (building_solids(buildings, things, 1)["part"] == setback).sum() == expected


def test_number_of_solids_per_building() -> None:
    buildings, things = row_of_houses(20 * len(STYLES))
    solids = building_solids(buildings, things, 2)
    counts = np.bincount(solids["instance"])[buildings["thing"] + 1]
    assert counts.min() >= 3
    assert counts.max() <= 10
    assert set(np.unique(solids["instance"])) == set(buildings["thing"] + 1)


def test_same_seed_same_solids_other_seed_other_roofs() -> None:
    buildings, things = row_of_houses(100)
    first, same, other = (building_solids(buildings, things, seed) for seed in (7, 7, 8))
    assert first.tobytes() == same.tobytes()
    assert first.tobytes() != other.tobytes()


def test_building_does_not_depend_on_others() -> None:
    buildings, things = row_of_houses(60)
    all_solids, single = building_solids(buildings, things, 3), building_solids(buildings[17:18], things, 3)
    subset = all_solids[all_solids["instance"] == buildings["thing"][17] + 1]
    assert subset.tobytes() == single.tobytes()


def test_window_patterns_match_the_building() -> None:
    buildings, things = row_of_houses(len(STYLES))
    solids = building_solids(buildings, things, 1)
    bodies = solids[solids["part"] == PARTS.index("facade")]
    assert (bodies["material"] == Material.FACADE).all()
    assert np.allclose(bodies["pattern"][:, :3], (2.5, 3.2, 4.0))
    by_instance = dict(zip(bodies["instance"], bodies["pattern"][:, 3], strict=True))
    assert [by_instance[thing + 1] for thing in buildings["thing"]] == [style.windows for style in STYLES]
    assert (bodies["colour"] == COLOURS["yellow"]).all()


def test_given_roof_is_built() -> None:
    for roof, part in ((Roof.TANK, "water tank"), (Roof.CHIMNEYS, "chimney"), (Roof.GABLE, "roof"), (Roof.BARE, "")):
        buildings, things = row_of_houses(5, style=0, height=13_000, roof=roof)
        above = building_solids(buildings, things, 1)
        above = above[above["centre"][:, 2] > 13.8]
        parts = {PARTS[k] for k in above["part"]}
        assert (part in parts) == bool(part), parts


def test_side_walls_without_a_street_are_blank() -> None:
    side = PARTS.index("side wall")
    for sides, expected in ((0b0001, 1), (0b1011, 0)):
        buildings, things = row_of_houses(1, style=0, sides=sides)
        assert (building_solids(buildings, things, 1)["part"] == side).sum() == expected


def test_no_buildings_no_solids() -> None:
    buildings, things = row_of_houses(0)
    assert len(building_solids(buildings, things, 1)) == 0


def test_styles_are_valid() -> None:
    for style in STYLES:
        assert set(style.walls) | set(style.trims) <= set(COLOURS)
        assert 2 <= len(style.walls) <= 5
        assert len(style.roofs) == len(Roof) - 1
    assert len({style.name for style in STYLES}) == len(STYLES) >= 10
