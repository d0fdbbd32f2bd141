"""What the open lots between houses hold: building sites, parking lots, courts for basketball, yards full of tyres."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.world.city.greenery import OpenAreas
from bearleft.world.city.palette import colour_index
from bearleft.world.city.placement import (
    IN_PARK,
    Flags,
    make_things,
    model_extents,
    new_groups,
    place_things,
    reserve,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.render.codes import Ground

STAGE = Stage.CONSTRUCTION
FIRST_SALT = 40  # draws from here on are the yards'
KIND_WEIGHTS = (34, 26, 22, 18)  # how often they are sites, parking lots, courts, dumps
PARKING, COURT = 1, 2
DUMP_LAYOUT = (  # across and ahead
    (-4_800, -3_600, "tire pile"),
    (-2_200, -4_600, "tire pile"),
    (2_400, -4_400, "dumpster"),
    (5_200, -1_000, "dumpster"),
    (-5_200, 1_200, "material pile"),
    (-3_000, 3_200, "tire pile"),
    (1_600, 900, "pickup"),
    (4_800, 3_600, "barrel"),
)
FENCE_DISTANCE = 1_000  # from the front to a fence
GATE_WIDTH = 4_200  # of the front that stays open
CRANE_HEIGHT, CRANE_REACH, MAX_CRANE_HEIGHT = (
    30_000,
    42_000,
    66_000,
)  # a crane's height, how far it swings, and what it may be stretched to


def yards(draft: Draft) -> OpenAreas:
    """The open lots; `way` points to the street."""
    number = np.flatnonzero(draft.areas["ground"] == Ground.YARD)
    lots = draft.areas[number]
    x, y, ux, uy, hx, hy = (lots[name].astype(np.int64) for name in ("x", "y", "ux", "uy", "hx", "hy"))
    return OpenAreas(x, y, (ux, uy), (hx - 500, hy - 500), np.ones(len(lots), np.bool_), number)


def fill_yards(draft: Draft) -> None:
    """Something on every open lot."""
    every = yards(draft)
    drawn = weighted_choice(draft.seed, STAGE, every.index, KIND_WEIGHTS, FIRST_SALT)
    for which, fill in enumerate((sites, parking_lots, courts, dumps)):
        fill(draft, every.select(drawn == which))
    paved = every.index[(drawn == PARKING) | (drawn == COURT)]
    draft.areas["ground"][paved] = Ground.PLAZA


def _place(
    draft: Draft,
    ours: OpenAreas,
    name: str,
    across: npt.ArrayLike,
    ahead: npt.ArrayLike,
    draw: int,
    **columns: npt.ArrayLike,
) -> Integers:
    """One thing of a class on each lot, where there is room; it looks at the street."""
    way = columns.pop("way", None)
    ux, uy = ours.way if way is None else (ours.way[0] * np.asarray(way), ours.way[1] * np.asarray(way))
    return place_things(draft, STAGE, name, *ours.at(across, ahead), ux, uy, ours.index * 64 + draw, IN_PARK, **columns)


def _place_front_fence(
    draft: Draft, ours: OpenAreas, name: str, kind: Integers, side: Integers, open_: int = GATE_WIDTH
) -> None:
    """A fence along the front and, on the side where the gate is not, as far as its end."""
    usual = 2 * model_extents(name).half[0][kind]
    length = 2 * ours.half[0] - open_
    count = np.maximum((length + usual // 2) // np.maximum(usual, 1), 1)
    each, place = ours.each(count)
    which = np.repeat(np.arange(len(ours)), count)
    piece = (length // count)[which]
    at = side[which] * (ours.half[0][which] - piece // 2 - place * piece)
    x, y = each.at(at, each.half[1] - FENCE_DISTANCE)
    deep = model_extents(name).half[1][kind][which]
    stands = reserve(draft, x, y, *each.way, piece // 2 - 200, deep, IN_PARK)
    group = new_groups(draft, len(ours))[which]
    made = make_things(
        draft,
        STAGE,
        name,
        x,
        y,
        *each.way,
        each.index,
        variant=kind[which],
        sx=piece * 1000 // usual[which],
        group=group,
        place_in_group=place,
    )
    if name == "fence":
        made["first"] = np.where(
            made["variant"] == variant_index("fence", "fence_of_wire"), colour_index("grey"), colour_index("brown")
        )
    draft.add(made[stands])


def _gate_sides(draft: Draft, ours: OpenAreas, draw: int) -> Integers:
    return np.where(chance(draft.seed, STAGE, ours.index, 500, draw), 1, -1)


def sites(draft: Draft, ours: OpenAreas) -> None:
    """A fence with a gate, a digger, a crane where it can swing, piles, a toilet, barrels, a dumpster."""
    side = _gate_sides(draft, ours, FIRST_SALT + 1)
    kinds = np.array(
        [variant_index("construction fence", one) for one in ("construction_fence", "construction_fence_of_wire")]
    )
    _place_front_fence(
        draft, ours, "construction fence", kinds[integers(draft.seed, STAGE, ours.index, 0, 1, FIRST_SALT + 2)], side
    )
    high = _tallest_around(draft, ours)
    swings = (high + 6_000 <= MAX_CRANE_HEIGHT) & chance(draft.seed, STAGE, ours.index, 750, FIRST_SALT + 3)
    tall = np.maximum(high + 6_000, CRANE_HEIGHT * 8 // 10) * 1000 // CRANE_HEIGHT
    _place(draft, ours.select(swings), "crane", (side * 5_200)[swings], -4_400, 1, sz=tall[swings])
    hx, hy = ours.half
    _place(draft, ours, "excavator", -side * 3_000, -1_500, 2)
    _place(draft, ours, "portable toilet", side * (hx - 1_200), hy - 2_600, 3)
    rubble = variant_index("dumpster", "dumpster_of_rubble")
    _place(draft, ours, "dumpster", side * (hx - 4_800), hy - 3_000, 4, variant=rubble)
    for k, (across, ahead) in enumerate(((-7_600, -5_200), (-7_800, 400), (7_600, 1_000), (1_000, -5_800))):
        kind = integers(draft.seed, STAGE, ours.index * 4 + k, 0, 4, FIRST_SALT + 4)
        _place(draft, ours, "material pile", side * across, ahead, 5 + k, variant=kind)
    _place(draft, ours, "ladder", side * 3_200, 1_500, 9, variant=variant_index("ladder", "step_ladder"))
    for k in range(3):
        _place(draft, ours, "barrel", -side * (hx - 500 - k * 1_500), hy - FENCE_DISTANCE, 10 + k)
    _place(draft, ours, "road work sign", -side * (hx - 4_600), hy - 2_400, 14)
    _place(draft, ours, "tire pile", -side * 6_000, hy - 3_400, 15)


def _tallest_around(draft: Draft, ours: OpenAreas) -> Integers:
    """The height of the highest house that a crane could reach."""
    house = draft.things[draft.buildings["thing"]]
    found = np.zeros(len(ours), np.int64)
    for k in range(len(ours)):
        near = (np.abs(house["x"] - ours.x[k]) < CRANE_REACH) & (np.abs(house["y"] - ours.y[k]) < CRANE_REACH)
        found[k] = draft.buildings["height"][near].max(initial=0)
    return found


def parking_lots(draft: Draft, ours: OpenAreas) -> None:
    """Two rows of cars, a wire fence with a gap, posts at the way in."""
    side = _gate_sides(draft, ours, FIRST_SALT + 1)
    _place_front_fence(draft, ours, "fence", np.full(len(ours), variant_index("fence", "fence_of_wire")), side, 6_000)
    names = ("car", "car", "car", "car", "pickup", "van")
    for k in range(14):
        column, back = divmod(k, 2)
        drawn = integers(draft.seed, STAGE, ours.index * 16 + k, 0, len(names) - 1, FIRST_SALT + 6)
        there = chance(draft.seed, STAGE, ours.index * 16 + k, 760, FIRST_SALT + 7)
        for name in dict.fromkeys(names):
            one = there & np.isin(drawn, [i for i, other in enumerate(names) if other == name])
            across = side * (ours.half[0] - 1_500 - column * 2_750)
            ahead = np.where(back, -ours.half[1] + 2_900, ours.half[1] - 3_900)
            _place(draft, ours.select(one), name, across[one], ahead[one], 16 + k, way=1 if back else -1)


def courts(draft: Draft, ours: OpenAreas) -> None:
    """A hoop before the street and one that faces it, a wire fence, a bench, and some who play."""
    side = _gate_sides(draft, ours, FIRST_SALT + 1)
    _place_front_fence(draft, ours, "fence", np.full(len(ours), variant_index("fence", "fence_of_wire")), side, 2_500)
    groups = new_groups(draft, len(ours))
    for place, (end, ahead) in enumerate(((1, -ours.half[1] + 1_800), (-1, ours.half[1] - 3_000))):
        ux, uy = ours.way
        x, y = ours.at(0, ahead)
        place_things(
            draft,
            STAGE,
            "basketball hoop",
            x,
            y,
            end * ux,
            end * uy,
            ours.index,
            IN_PARK,
            group=groups,
            place_in_group=place,
        )
    _place(draft, ours, "bench", 5_000, -ours.half[1] + 900, 40)
    for k, (a, b) in enumerate(((-2_600, 500), (800, -1_900), (3_300, 1_300), (-800, 2_300))):
        some = chance(draft.seed, STAGE, ours.index * 4 + k, 600, FIRST_SALT + 8)
        kind = integers(draft.seed, STAGE, ours.index * 4 + k, 0, 1, FIRST_SALT + 9)
        _place(draft, ours.select(some), "person", a, b, 41 + k, variant=kind[some])


def dumps(draft: Draft, ours: OpenAreas) -> None:
    """Tyres, dumpsters and piles behind a fence of wood or wire."""
    side = _gate_sides(draft, ours, FIRST_SALT + 1)
    kinds = np.array([variant_index("fence", one) for one in ("fence_of_wire", "fence_of_wood")])
    _place_front_fence(draft, ours, "fence", kinds[integers(draft.seed, STAGE, ours.index, 0, 1, FIRST_SALT + 2)], side)
    for k, (a, b, name) in enumerate(DUMP_LAYOUT):
        some: Flags = chance(draft.seed, STAGE, ours.index * 16 + k, 820, FIRST_SALT + 10)
        _place(draft, ours.select(some), name, side[some] * a, b, 48 + k)
