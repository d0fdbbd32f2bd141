"""Trees along streets, and objects in parks and plazas: trees, benches, fences, playgrounds, statues, flowers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.districts import district_index, district_values
from bearleft.world.city.placement import (
    BLOCKS_IN_PARK,
    BLOCKS_ON_SIDEWALK,
    Flags,
    RowLayout,
    Vectors,
    kerb_points,
    make_things,
    model_extents,
    new_groups,
    offset,
    place_rows,
    place_things,
    raster_of,
    reserve,
    right_of,
    running_index,
    select_pair,
    select_rows,
    variant_index,
)
from bearleft.world.city.plan import AREA, Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.raster import CAMERA, OVERHEAD
from bearleft.world.render.codes import Ground

STAGE = Stage.GREENERY
TREE_SPACINGS = (8_000, 10_000, 12_500)
BROAD_TREES = ("round_tree", "round_tree", "tall_tree", "tall_tree", "bare_tree")
SLIM_TREES = ("narrow_tree", "young_tree")
TREE_OFFSET = 1_050  # millimetres from the kerb to the trunk
PATH_HALF_WIDTH = 1_500  # millimetres


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees to plant, in columns."""

    at: Vectors  # positions
    facing: Vectors
    index: Integers  # their colours are drawn from it
    variant: Integers  # index into the models of the class
    size: Integers  # scale, per mille


def plant_street_trees(draft: Draft) -> None:
    """Plant trees at equal distances along streets, mostly of one kind; slim ones where the sidewalk is narrow."""
    for spacing_index, spacing in enumerate(TREE_SPACINGS):
        points = kerb_points(draft, spacing, phase=3_000, edge=2_000)
        mask = integers(draft.seed, STAGE, points.street, 0, len(TREE_SPACINGS) - 1, salt=1) == spacing_index
        greenery = district_values("greenery", district_index(draft.seed, points.x, points.y))
        mask &= chance(draft.seed, STAGE, points.street * 2 + (points.side > 0), 150 + greenery * 8 // 10, salt=2)
        mask &= chance(draft.seed, STAGE, points.index, 780 + greenery // 6, salt=3) & (points.sidewalk_width >= 2_400)
        points = points.select(np.asarray(mask, np.bool_))
        key = np.where(chance(draft.seed, STAGE, points.index, 120, salt=4), points.index, points.street)
        broad = points.sidewalk_width >= 3_300
        variant = np.where(broad, _tree_variants(draft, BROAD_TREES, key), _tree_variants(draft, SLIM_TREES, key))
        size = integers(draft.seed, STAGE, points.index, 850, 1_120, salt=5)
        crown = crown_half_widths(variant)
        size = np.minimum(size, (points.sidewalk_width - TREE_OFFSET + 500) * 1000 // crown)
        groups, place = tree_runs(draft, points.street, points.side, points.step)
        trees = Trees(points.at(TREE_OFFSET), points.along, key, variant, size)
        _plant_trees(draft, trees, BLOCKS_ON_SIDEWALK, street=points.street, group=groups, place_in_group=place)


def _tree_variants(draft: Draft, models: tuple[str, ...], index: Integers) -> Integers:
    variants = np.array([variant_index("tree", name) for name in models])
    return variants[integers(draft.seed, STAGE, index, 0, len(variants) - 1, salt=6)]


def crown_half_widths(variant: Integers) -> Integers:
    """Return half the width of each tree's crown."""
    extents = model_extents("tree", 99.0)
    return np.asarray(np.maximum(extents.half[0], extents.half[1])[variant], np.int64)


def tree_runs(draft: Draft, street: Integers, side: Integers, step: Integers) -> tuple[Integers, Integers]:
    """Return groups of consecutive steps on one side of a street, and places in them; a single gap does not split."""
    order = np.lexsort((step, side, street))
    is_new = (np.diff(street[order]) != 0) | (np.diff(side[order]) != 0) | (np.diff(step[order]) > 2)
    begins = np.concatenate([[True], is_new]) if len(order) else np.zeros(0, np.bool_)
    run = np.cumsum(begins) - 1
    groups, place = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64)
    groups[order] = run
    place[order] = step[order] - step[order][begins][run]
    return new_groups(draft, 1)[0] + groups, place


def _plant_trees(draft: Draft, trees: Trees, avoid: int, **columns: npt.NDArray[Any]) -> None:
    """Plant trees whose crowns stay clear of cameras and bridges; see `place_things` for `avoid` and `columns`."""
    crown = crown_half_widths(trees.variant) * trees.size // 1000 + 300
    is_clear = (raster_of(draft).covers(trees.at, trees.facing, (crown, crown)) & (CAMERA | OVERHEAD)) == 0
    trees, columns = select_rows(trees, is_clear), {name: values[is_clear] for name, values in columns.items()}
    sizes = {"sx": trees.size, "sy": trees.size, "sz": trees.size}
    place_things(
        draft, STAGE, "tree", trees.at, trees.facing, trees.index, avoid, variant=trees.variant, **sizes, **columns
    )


@dataclass(frozen=True, eq=False)
class OpenAreas:
    """Parks, plazas and open lots, in columns.

    `facing` is the direction towards the street; `half` is half the usable size across and along it. `index` is the
    index of each area in the plan.
    """

    x: Integers
    y: Integers
    facing: Vectors
    half: Vectors
    paved: Flags
    index: Integers

    def select(self, rows: Flags | Integers) -> OpenAreas:
        """Return the selected areas."""
        return select_rows(self, rows)

    def at(self, across: npt.ArrayLike, ahead: npt.ArrayLike) -> Vectors:
        """Return points by their position within the areas."""
        return offset((self.x, self.y), (across, right_of(self.facing)), (ahead, self.facing))

    def sample(self, draft: Draft, per_mille: int, salt: int) -> OpenAreas:
        """Return a random sample of the areas."""
        return self.select(chance(draft.seed, STAGE, self.index, per_mille, salt=salt))

    def repeat(self, counts: Integers) -> tuple[OpenAreas, Integers]:
        """Repeat each area `counts` times; return the repeated areas and the running index."""
        return self.select(np.repeat(np.arange(len(self.x)), counts)), running_index(counts)

    def __len__(self) -> int:
        return len(self.x)


def park_areas(draft: Draft) -> OpenAreas:
    """Return all parks and plazas."""
    areas = draft.areas[np.array(draft.parks, np.int64)]
    x, y, ux, uy, hx, hy = (areas[name].astype(np.int64) for name in ("x", "y", "ux", "uy", "hx", "hy"))
    paved = np.asarray(areas["ground"] == Ground.PLAZA, np.bool_)
    return OpenAreas(x, y, (ux, uy), (hx - 1_400, hy - 1_400), paved, np.array(draft.parks, np.int64))


def fill_parks(draft: Draft) -> None:
    """Place all objects in parks and plazas, central and border objects first."""
    areas = park_areas(draft)
    green, paved = areas.select(~areas.paved), areas.select(areas.paved)
    place_paths(draft, green)
    place_centrepieces(draft, areas)
    place_borders(draft, green)
    place_along_paths(draft, areas)
    place_playgrounds(draft, green)
    place_garden_playgrounds(draft, green)
    place_picnic_tables(draft, green)
    place_flower_beds(draft, areas)
    place_plaza_objects(draft, paved)
    plant_scattered_trees(draft, green, 7_500, 640)
    plant_scattered_trees(draft, paved, 9_000, 350)
    plant_bushes(draft, green)


def place_paths(draft: Draft, green: OpenAreas) -> None:
    """Add a paved path from the street to the far end of every park."""
    areas = np.zeros(len(green), AREA)
    areas["x"], areas["y"], areas["ux"], areas["uy"] = green.x, green.y, *green.facing
    areas["hx"], areas["hy"], areas["ground"] = PATH_HALF_WIDTH, green.half[1] + 1_400, Ground.PLAZA
    draft.areas = np.concatenate([draft.areas, areas])


def place_centrepieces(draft: Draft, areas: OpenAreas) -> None:
    """Place a fountain or a statue where the centre is free."""
    roomy = areas.select(np.minimum(*areas.half) > 7_000)
    for name, per_mille, salt in (("fountain", 380, 10), ("statue", 700, 11)):
        subset = roomy.sample(draft, per_mille, salt)
        place_things(draft, STAGE, name, subset.at(0, 0), subset.facing, subset.index, BLOCKS_IN_PARK)


def place_borders(draft: Draft, green: OpenAreas) -> None:
    """Place fences or hedges around parks, with a gate towards the street."""
    border_type = integers(draft.seed, STAGE, green.index, 0, 9, salt=12)
    gated = green.select(border_type < 8)
    place_things(draft, STAGE, "gate", gated.at(0, gated.half[1]), gated.facing, gated.index, BLOCKS_IN_PARK)
    for name, model, first, last in (
        ("fence", "fence", 0, 4),
        ("fence", "fence_of_wire", 5, 5),
        ("hedge", "hedge", 6, 7),
        ("hedge", "hedge_of_bushes", 8, 8),
    ):
        subset = green.select(np.asarray((border_type >= first) & (border_type <= last), np.bool_))
        hx, hy = subset.half
        fence = variant_index(name, model)
        for middle, ahead, half, turn in (
            ((hx + 2_600) // 2, hy, (hx - 2_600) // 2, 0),
            (-(hx + 2_600) // 2, hy, (hx - 2_600) // 2, 0),
            (0 * hx, -hy, hx, 2),
            (hx, 0 * hy, hy - 400, 1),
            (-hx, 0 * hy, hy - 400, 3),
        ):
            place_border(draft, subset, name, fence, subset.at(middle, ahead), half, turn)


def place_border(
    draft: Draft, areas: OpenAreas, name: str, variant: int, at: Vectors, half: Integers, turn: int
) -> None:
    """Fill a side with pieces of fence or hedge of about their usual length, where there is space."""
    segment_length = 2 * int(model_extents(name).half[0][variant])
    half_depth = int(model_extents(name).half[1][variant])
    count = np.maximum(2 * np.maximum(half, 0) // segment_length, 0)
    facing = areas.facing
    for _ in range(turn):
        facing = right_of(facing)
    repeated, place = areas.repeat(count)
    area = np.repeat(np.arange(len(areas)), count)
    length = (2 * half // np.maximum(count, 1))[area]
    facing = select_pair(facing, area)
    at = offset(select_pair(at, area), (place * length + length // 2 - half[area], right_of(facing)))
    is_placed = reserve(draft, at, facing, (length // 2 - 200, half_depth), BLOCKS_IN_PARK)
    group = new_groups(draft, len(areas))[area]
    draft.add(
        make_things(
            draft,
            STAGE,
            name,
            at,
            facing,
            repeated.index,
            variant=variant,
            sx=length * 1000 // segment_length,
            group=group,
            place_in_group=place,
        )[is_placed]
    )


def place_along_paths(draft: Draft, areas: OpenAreas) -> None:
    """Place benches on both sides of the path, lamps between them, a trash can and a drinking fountain."""
    count = np.maximum((2 * areas.half[1] - 7_000) // 6_000, 0)
    repeated, place = areas.repeat(count)
    ahead = place * 6_000 - (np.repeat(count, count) - 1) * 3_000
    groups = np.repeat(new_groups(draft, len(areas)), count)
    for side in (-1, 1):
        ux, uy = right_of(repeated.facing)
        facing = (-side * ux, -side * uy)
        place_things(
            draft,
            STAGE,
            "bench",
            repeated.at(side * (PATH_HALF_WIDTH + 500), ahead),
            facing,
            repeated.index,
            BLOCKS_IN_PARK,
            group=groups,
            place_in_group=place * 2 + (side > 0),
        )
        lamp = place % 2 == (side > 0)
        lamp_at = repeated.at(side * (PATH_HALF_WIDTH + 500), ahead + 3_000)
        place_things(
            draft,
            STAGE,
            "lamp post",
            select_pair(lamp_at, lamp),
            select_pair(facing, lamp),
            repeated.index[lamp],
            BLOCKS_IN_PARK,
            variant=variant_index("lamp post", "lamp_post_with_globes"),
        )
    for name, across, salt in (("trash can", 2_600, 13), ("drinking fountain", -2_600, 14)):
        subset = areas.sample(draft, 700, salt)
        place_things(
            draft, STAGE, name, subset.at(across, subset.half[1] - 2_500), subset.facing, subset.index, BLOCKS_IN_PARK
        )


def place_playgrounds(draft: Draft, green: OpenAreas) -> None:
    """Place playgrounds in some parks: one of each kind, side by side."""
    areas = green.select(np.minimum(*green.half) > 8_000).sample(draft, 850, 15)
    variant_count = len(CLASSES[class_index("playground")].variants)
    repeated, place = areas.repeat(np.full(len(areas), variant_count))
    groups = np.repeat(new_groups(draft, len(areas)), variant_count)
    at = repeated.at(4_500 + place % 2 * 5_500, repeated.half[1] - 4_500 - place // 2 * 6_500)
    place_things(
        draft,
        STAGE,
        "playground",
        at,
        repeated.facing,
        repeated.index,
        BLOCKS_IN_PARK,
        variant=place,
        group=groups,
        place_in_group=place,
    )


def place_garden_playgrounds(draft: Draft, green: OpenAreas) -> None:
    """Place a playground object in small gardens."""
    small = green.select((np.minimum(*green.half) <= 8_000) & (np.minimum(*green.half) > 4_000)).sample(draft, 600, 26)
    place_things(draft, STAGE, "playground", small.at(4_200, 0), small.facing, small.index, BLOCKS_IN_PARK)


def place_picnic_tables(draft: Draft, green: OpenAreas) -> None:
    """Place rows of picnic tables."""
    areas = green.select(np.minimum(*green.half) > 8_000).sample(draft, 450, 16)
    count = integers(draft.seed, STAGE, areas.index, 2, 4, salt=17)
    place_rows(
        draft,
        STAGE,
        "picnic table",
        areas.at(-areas.half[0] // 2 - 1_000, areas.half[1] // 2),
        areas.facing,
        areas.index,
        RowLayout(count, 3_000, alike=True, behind=True),
        BLOCKS_IN_PARK,
    )


def place_flower_beds(draft: Draft, areas: OpenAreas) -> None:
    """Place four flower beds around the centre."""
    subset = areas.select(np.minimum(*areas.half) > 9_500).sample(draft, 550, 18)
    repeated, place = subset.repeat(np.full(len(subset), 4))
    groups = np.repeat(new_groups(draft, len(subset)), 4)
    at = repeated.at(np.where(place % 2 == 0, 5_200, -5_200), np.where(place < 2, 5_200, -5_200))
    place_things(
        draft,
        STAGE,
        "flower bed",
        at,
        repeated.facing,
        repeated.index,
        BLOCKS_IN_PARK,
        group=groups,
        place_in_group=place,
    )


def place_plaza_objects(draft: Draft, paved: OpenAreas) -> None:
    """Place rows of tables, planters, a food cart and pigeons on plazas."""
    for side in (-1, 1):
        at = paved.at(side * paved.half[0] // 2, 0)
        tables = RowLayout(np.clip(paved.half[1] // 3_500, 2, 5), 3_200, alike=True, behind=True)
        place_rows(draft, STAGE, "cafe table", at, paved.facing, paved.index, tables, BLOCKS_IN_PARK)
        at = paved.at(side * (paved.half[0] // 2 + 1_500), paved.half[1] - 1_500)
        planters = RowLayout(np.clip(paved.half[0] // 3_000, 2, 5), 2_200, alike=True)
        place_rows(draft, STAGE, "planter", at, paved.facing, paved.index, planters, BLOCKS_IN_PARK)
    subset = paved.sample(draft, 500, 19)
    place_things(
        draft,
        STAGE,
        "food cart",
        subset.at(5_000, subset.half[1] - 4_500),
        subset.facing,
        subset.index,
        BLOCKS_IN_PARK,
    )
    for place, (across, ahead) in enumerate(((3_000, -2_500), (-2_600, 4_200))):
        has_birds = chance(draft.seed, STAGE, paved.index * 2 + place, 600, salt=25)
        with_birds = paved.select(has_birds)
        place_things(
            draft,
            STAGE,
            "pigeons",
            with_birds.at(across, ahead),
            with_birds.facing,
            with_birds.index * 2 + place,
            BLOCKS_IN_PARK,
        )


def plant_scattered_trees(draft: Draft, areas: OpenAreas, spacing: int, per_mille: int) -> None:
    """Plant scattered trees that are not too close to each other."""
    across, ahead = (np.maximum((2 * half - 4_000) // spacing, 0) for half in areas.half)
    repeated, place = areas.repeat(across * ahead)
    column, row = np.divmod(place, np.repeat(ahead, across * ahead))
    key = repeated.index * 8192 + place
    jitter = [integers(draft.seed, STAGE, key, -1_800, 1_800, salt=salt) for salt in (20, 21)]
    a = column * spacing - (np.repeat(across, across * ahead) - 1) * spacing // 2 + jitter[0]
    b = row * spacing - (np.repeat(ahead, across * ahead) - 1) * spacing // 2 + jitter[1]
    is_planted = chance(draft.seed, STAGE, key, per_mille, salt=22) & (np.abs(a) > PATH_HALF_WIDTH + 900)
    repeated, key, a, b = repeated.select(is_planted), key[is_planted], a[is_planted], b[is_planted]
    variant = _tree_variants(draft, (*BROAD_TREES, "conifer"), key)
    size = integers(draft.seed, STAGE, key, 800, 1_300, salt=23)
    _plant_trees(draft, Trees(repeated.at(a, b), repeated.facing, key, variant, size), BLOCKS_IN_PARK)


def plant_bushes(draft: Draft, green: OpenAreas) -> None:
    """Plant bushes at the edges."""
    repeated, place = green.repeat(np.full(len(green), 14))
    key = repeated.index * 64 + place
    a = integers(draft.seed, STAGE, key, -repeated.half[0] + 1_500, repeated.half[0] - 1_500, salt=24)
    b = np.where(place % 2 == 0, 1, -1) * (repeated.half[1] - 1_400)
    place_things(draft, STAGE, "bush", repeated.at(a, b), repeated.facing, key, BLOCKS_IN_PARK)
