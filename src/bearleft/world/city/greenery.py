"""Trees along streets, and what parks and plazas hold: trees, benches, fences, playgrounds, statues, flowers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.districts import district_index, district_values
from bearleft.world.city.placement import (
    IN_PARK,
    ON_WALK,
    Flags,
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
TREE_OFFSET = 1_050  # from the kerb to the middle of a tree
PATH_HALF_WIDTH = 1_500  # half the width of a park's path


def plant_street_trees(draft: Draft) -> None:
    """Trees at equal distances along planted streets, mostly of one kind; slim ones where the sidewalk is narrow."""
    for turn, spacing in enumerate(TREE_SPACINGS):
        spots = kerb_points(draft, spacing, 3_000, 2_000)
        ours = integers(draft.seed, STAGE, spots.street, 0, len(TREE_SPACINGS) - 1, 1) == turn
        green = district_values("greenery", district_index(draft.seed, spots.x, spots.y))
        ours &= chance(draft.seed, STAGE, spots.street * 2 + (spots.side > 0), 150 + green * 8 // 10, 2)
        ours &= chance(draft.seed, STAGE, spots.index, 780 + green // 6, 3) & (spots.walk >= 2_400)
        spots = spots.select(np.asarray(ours, np.bool_))
        own = np.where(chance(draft.seed, STAGE, spots.index, 120, 4), spots.index, spots.street)
        broad = spots.walk >= 3_300
        kind = np.where(broad, _tree_variants(draft, BROAD_TREES, own), _tree_variants(draft, SLIM_TREES, own))
        size = integers(draft.seed, STAGE, spots.index, 850, 1_120, 5)
        reach = crown_half_widths(kind)
        size = np.minimum(size, (spots.walk - TREE_OFFSET + 500) * 1000 // reach)
        x, y = spots.at(TREE_OFFSET)
        groups, place = tree_runs(draft, spots.street, spots.side, spots.step)
        _plant_trees(draft, x, y, spots.along, own, kind, size, ON_WALK, spots.street, groups, place)


def _tree_variants(draft: Draft, among: tuple[str, ...], index: Integers) -> Integers:
    kinds = np.array([variant_index("tree", name) for name in among])
    return kinds[integers(draft.seed, STAGE, index, 0, len(kinds) - 1, 6)]


def crown_half_widths(kind: Integers) -> Integers:
    """Half the width of a tree's crown."""
    whole = model_extents("tree", 99.0)
    return np.asarray(np.maximum(whole.half[0], whole.half[1])[kind], np.int64)


def tree_runs(draft: Draft, street: Integers, side: Integers, step: Integers) -> tuple[Integers, Integers]:
    """Groups of what follows step by step on one side of a street, and places in them; gaps of one do not part them."""
    order = np.lexsort((step, side, street))
    change = (np.diff(street[order]) != 0) | (np.diff(side[order]) != 0) | (np.diff(step[order]) > 2)
    begins = np.concatenate([[True], change]) if len(order) else np.zeros(0, np.bool_)
    number_ = np.cumsum(begins) - 1
    groups, place = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64)
    groups[order] = number_
    place[order] = step[order] - step[order][begins][number_]
    return new_groups(draft, 1)[0] + groups, place


def _plant_trees(
    draft: Draft,
    x: Integers,
    y: Integers,
    way: Vectors,
    index: Integers,
    kind: Integers,
    size: Integers,
    avoid: int,
    street: npt.ArrayLike,
    group: npt.ArrayLike,
    place: npt.ArrayLike,
) -> None:
    """Plants trees whose crowns stay away from cameras and bridges."""
    crown = crown_half_widths(kind) * size // 1000 + 300
    clear = (raster_of(draft).covers(x, y, *way, crown, crown) & (CAMERA | OVERHEAD)) == 0
    columns = {
        "variant": kind,
        "sx": size,
        "sy": size,
        "sz": size,
        "street": street,
        "group": group,
        "place_in_group": place,
    }
    columns = {name: np.broadcast_to(np.asarray(values), x.shape)[clear] for name, values in columns.items()}
    place_things(draft, STAGE, "tree", x[clear], y[clear], way[0][clear], way[1][clear], index[clear], avoid, **columns)


@dataclass(frozen=True, eq=False)
class OpenAreas:
    """Parks and plazas: `half` of what can be used of them, x across and y towards the street they face."""

    x: Integers
    y: Integers
    way: Vectors
    half: Vectors
    paved: Flags
    index: Integers

    def select(self, which: Flags | Integers) -> OpenAreas:
        """Those of them."""
        return select_rows(self, which)

    def at(self, across: npt.ArrayLike, ahead: npt.ArrayLike) -> Vectors:
        """Points by their place within."""
        return offset(self.x, self.y, (across, right_of(*self.way)), (ahead, self.way))

    def sample(self, draft: Draft, per_mille: int, draw: int) -> OpenAreas:
        """Those that a draw picks."""
        return self.select(chance(draft.seed, STAGE, self.index, per_mille, draw))

    def each(self, counts: Integers) -> tuple[OpenAreas, Integers]:
        """So many times each, and which time it is."""
        return self.select(np.repeat(np.arange(len(self.x)), counts)), running_index(counts)

    def __len__(self) -> int:
        return len(self.x)


def park_areas(draft: Draft) -> OpenAreas:
    """All parks and plazas."""
    rows_ = draft.areas[np.array(draft.parks, np.int64)]
    x, y, ux, uy, hx, hy = (rows_[name].astype(np.int64) for name in ("x", "y", "ux", "uy", "hx", "hy"))
    paved = np.asarray(rows_["ground"] == Ground.PLAZA, np.bool_)
    return OpenAreas(x, y, (ux, uy), (hx - 1_400, hy - 1_400), paved, np.array(draft.parks, np.int64))


def fill_parks(draft: Draft) -> None:
    """Everything in parks and plazas, what stands in the middle and around first."""
    every = park_areas(draft)
    green, paved = every.select(~every.paved), every.select(every.paved)
    place_paths(draft, green)
    place_centrepieces(draft, every)
    place_borders(draft, green)
    place_along_paths(draft, every)
    place_playgrounds(draft, green)
    place_garden_playgrounds(draft, green)
    place_picnic_tables(draft, green)
    place_flower_beds(draft, every)
    place_plaza_objects(draft, paved)
    plant_scattered_trees(draft, green, 7_500, 640)
    plant_scattered_trees(draft, paved, 9_000, 350)
    plant_bushes(draft, green)


def place_paths(draft: Draft, green: OpenAreas) -> None:
    """A paved path from the street to the far end of every park."""
    areas = np.zeros(len(green), AREA)
    areas["x"], areas["y"], areas["ux"], areas["uy"] = green.x, green.y, *green.way
    areas["hx"], areas["hy"], areas["ground"] = PATH_HALF_WIDTH, green.half[1] + 1_400, Ground.PLAZA
    draft.areas = np.concatenate([draft.areas, areas])


def place_centrepieces(draft: Draft, every: OpenAreas) -> None:
    """A fountain or a statue where the middle is free."""
    roomy = every.select(np.minimum(*every.half) > 7_000)
    for name, share, draw in (("fountain", 380, 10), ("statue", 700, 11)):
        ours = roomy.sample(draft, share, draw)
        place_things(draft, STAGE, name, *ours.at(0, 0), *ours.way, ours.index, IN_PARK)


def place_borders(draft: Draft, green: OpenAreas) -> None:
    """Fences or hedges around, a gate towards the street."""
    kind = integers(draft.seed, STAGE, green.index, 0, 9, 12)
    gated = green.select(kind < 8)
    place_things(draft, STAGE, "gate", *gated.at(0, gated.half[1]), *gated.way, gated.index, IN_PARK)
    for name, model, first, last in (
        ("fence", "fence", 0, 4),
        ("fence", "fence_of_wire", 5, 5),
        ("hedge", "hedge", 6, 7),
        ("hedge", "hedge_of_bushes", 8, 8),
    ):
        ours = green.select(np.asarray((kind >= first) & (kind <= last), np.bool_))
        hx, hy = ours.half
        fence = variant_index(name, model)
        for middle, ahead, half, turn in (
            ((hx + 2_600) // 2, hy, (hx - 2_600) // 2, 0),
            (-(hx + 2_600) // 2, hy, (hx - 2_600) // 2, 0),
            (0 * hx, -hy, hx, 2),
            (hx, 0 * hy, hy - 400, 1),
            (-hx, 0 * hy, hy - 400, 3),
        ):
            _place_border(draft, ours, name, fence, ours.at(middle, ahead), half, turn)


def _place_border(draft: Draft, ours: OpenAreas, name: str, kind: int, at: Vectors, half: Integers, turn: int) -> None:
    """Pieces of fence or hedge of about their usual length that fill a side, where there is room."""
    usual_ = 2 * int(model_extents(name).half[0][kind])
    deep = int(model_extents(name).half[1][kind])
    count = np.maximum(2 * np.maximum(half, 0) // usual_, 0)
    ux, uy = ours.way
    for _ in range(turn):
        ux, uy = uy, -ux
    each, place = ours.each(count)
    which = np.repeat(np.arange(len(ours)), count)
    length = (2 * half // np.maximum(count, 1))[which]
    ux, uy = ux[which], uy[which]
    x, y = offset(at[0][which], at[1][which], (place * length + length // 2 - half[which], right_of(ux, uy)))
    stands = reserve(draft, x, y, ux, uy, length // 2 - 200, deep, IN_PARK)
    group = new_groups(draft, len(ours))[which]
    draft.add(
        make_things(
            draft,
            STAGE,
            name,
            x,
            y,
            ux,
            uy,
            each.index,
            variant=kind,
            sx=length * 1000 // usual_,
            group=group,
            place_in_group=place,
        )[stands]
    )


def place_along_paths(draft: Draft, every: OpenAreas) -> None:
    """Benches on both sides of the path, facing it, lamps between them, a trash can and a drinking fountain."""
    count = np.maximum((2 * every.half[1] - 7_000) // 6_000, 0)
    each, place = every.each(count)
    ahead = place * 6_000 - (np.repeat(count, count) - 1) * 3_000
    groups = np.repeat(new_groups(draft, len(every)), count)
    for side in (-1, 1):
        facing = (-side * right_of(*each.way)[0], -side * right_of(*each.way)[1])
        x, y = each.at(side * (PATH_HALF_WIDTH + 500), ahead)
        place_things(
            draft,
            STAGE,
            "bench",
            x,
            y,
            *facing,
            each.index,
            IN_PARK,
            group=groups,
            place_in_group=place * 2 + (side > 0),
        )
        lamp = place % 2 == (side > 0)
        lx, ly = each.at(side * (PATH_HALF_WIDTH + 500), ahead + 3_000)
        place_things(
            draft,
            STAGE,
            "lamp post",
            lx[lamp],
            ly[lamp],
            facing[0][lamp],
            facing[1][lamp],
            each.index[lamp],
            IN_PARK,
            variant=variant_index("lamp post", "lamp_post_with_globes"),
        )
    for name, across, draw in (("trash can", 2_600, 13), ("drinking fountain", -2_600, 14)):
        ours = every.sample(draft, 700, draw)
        place_things(draft, STAGE, name, *ours.at(across, ours.half[1] - 2_500), *ours.way, ours.index, IN_PARK)


def place_playgrounds(draft: Draft, green: OpenAreas) -> None:
    """A playground in some parks: one of each thing to play on, side by side."""
    ours = green.select(np.minimum(*green.half) > 8_000).sample(draft, 850, 15)
    kinds = len(CLASSES[class_index("playground")].variants)
    each, place = ours.each(np.full(len(ours), kinds))
    groups = np.repeat(new_groups(draft, len(ours)), kinds)
    x, y = each.at(4_500 + place % 2 * 5_500, each.half[1] // 3 - place // 2 * 6_500 + 1_000)
    place_things(
        draft,
        STAGE,
        "playground",
        x,
        y,
        *each.way,
        each.index,
        IN_PARK,
        variant=place,
        group=groups,
        place_in_group=place,
    )


def place_garden_playgrounds(draft: Draft, green: OpenAreas) -> None:
    """Something to play on in small gardens."""
    small = green.select((np.minimum(*green.half) <= 8_000) & (np.minimum(*green.half) > 4_000)).sample(draft, 600, 26)
    x, y = small.at(4_200, 0)
    place_things(draft, STAGE, "playground", x, y, *small.way, small.index, IN_PARK)


def place_picnic_tables(draft: Draft, green: OpenAreas) -> None:
    """Rows of picnic tables."""
    ours = green.select(np.minimum(*green.half) > 8_000).sample(draft, 450, 16)
    count = integers(draft.seed, STAGE, ours.index, 2, 4, 17)
    x, y = ours.at(-ours.half[0] // 2 - 1_000, ours.half[1] // 2)
    place_rows(
        draft, STAGE, "picnic table", x, y, *ours.way, ours.index, count, 3_000, IN_PARK, alike=True, behind=True
    )


def place_flower_beds(draft: Draft, every: OpenAreas) -> None:
    """Four flower beds around the middle."""
    ours = every.select(np.minimum(*every.half) > 9_500).sample(draft, 550, 18)
    each, place = ours.each(np.full(len(ours), 4))
    groups = np.repeat(new_groups(draft, len(ours)), 4)
    x, y = each.at(np.where(place % 2 == 0, 5_200, -5_200), np.where(place < 2, 5_200, -5_200))
    place_things(draft, STAGE, "flower bed", x, y, *each.way, each.index, IN_PARK, group=groups, place_in_group=place)


def place_plaza_objects(draft: Draft, paved: OpenAreas) -> None:
    """Rows of tables, planters, a food cart and pigeons on plazas."""
    for side in (-1, 1):
        x, y = paved.at(side * paved.half[0] // 2, 0)
        count = np.clip(paved.half[1] // 3_500, 2, 5)
        place_rows(
            draft, STAGE, "cafe table", x, y, *paved.way, paved.index, count, 3_200, IN_PARK, alike=True, behind=True
        )
        x, y = paved.at(side * (paved.half[0] // 2 + 1_500), paved.half[1] - 1_500)
        count = np.clip(paved.half[0] // 3_000, 2, 5)
        place_rows(draft, STAGE, "planter", x, y, *paved.way, paved.index, count, 2_200, IN_PARK, alike=True)
    ours = paved.sample(draft, 500, 19)
    place_things(draft, STAGE, "food cart", *ours.at(5_000, ours.half[1] - 4_500), *ours.way, ours.index, IN_PARK)
    for place, (across, ahead) in enumerate(((3_000, -2_500), (-2_600, 4_200))):
        birds = chance(draft.seed, STAGE, paved.index * 2 + place, 600, 25)
        one = paved.select(birds)
        place_things(draft, STAGE, "pigeons", *one.at(across, ahead), *one.way, one.index * 2 + place, IN_PARK)


def plant_scattered_trees(draft: Draft, every: OpenAreas, apart: int, share: int) -> None:
    """Trees here and there, not too close to each other."""
    across, ahead = (np.maximum((2 * half - 4_000) // apart, 0) for half in every.half)
    each, place = every.each(across * ahead)
    column, row = np.divmod(place, np.repeat(ahead, across * ahead))
    key = each.index * 8192 + place
    jitter = [integers(draft.seed, STAGE, key, -1_800, 1_800, draw) for draw in (20, 21)]
    a = column * apart - (np.repeat(across, across * ahead) - 1) * apart // 2 + jitter[0]
    b = row * apart - (np.repeat(ahead, across * ahead) - 1) * apart // 2 + jitter[1]
    some = chance(draft.seed, STAGE, key, share, 22) & (np.abs(a) > PATH_HALF_WIDTH + 900)
    each, key, (x, y) = each.select(some), key[some], each.at(a, b)
    kind = _tree_variants(draft, (*BROAD_TREES, "conifer"), key)
    size = integers(draft.seed, STAGE, key, 800, 1_300, 23)
    _plant_trees(draft, x[some], y[some], each.way, key, kind, size, IN_PARK, -1, -1, 0)


def plant_bushes(draft: Draft, green: OpenAreas) -> None:
    """Bushes at the edges."""
    each, place = green.each(np.full(len(green), 14))
    key = each.index * 64 + place
    a = integers(draft.seed, STAGE, key, -each.half[0] + 1_500, each.half[0] - 1_500, 24)
    b = np.where(place % 2 == 0, 1, -1) * (each.half[1] - 1_400)
    place_things(draft, STAGE, "bush", *each.at(a, b), *each.way, key, IN_PARK)
