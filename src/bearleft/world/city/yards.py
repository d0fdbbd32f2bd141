"""Objects on open lots between houses: building sites, parking lots, basketball courts, playgrounds, dumps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.world.city.greenery import OpenAreas
from bearleft.world.city.palette import colour_index
from bearleft.world.city.placement import (
    BLOCKS_IN_PARK,
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
FIRST_SALT = 40  # salts from here on belong to the yards
LOT_USE_WEIGHTS = (26, 22, 22, 12, 18)  # of building sites, parking lots, courts, dumps, playgrounds
PARKING, COURT, PLAYGROUND = 1, 2, 4
DUMP_LAYOUT = (  # across, ahead, class
    (-4_800, -3_600, "tire pile"),
    (-2_200, -4_600, "tire pile"),
    (2_400, -4_400, "dumpster"),
    (5_200, -1_000, "dumpster"),
    (-5_200, 1_200, "material pile"),
    (-3_000, 3_200, "tire pile"),
    (1_600, 900, "pickup"),
    (4_800, 3_600, "barrel"),
)
FENCE_DISTANCE = 1_000  # millimetres from the front to a fence
GATE_WIDTH = 4_200  # millimetres of the front that stay open
PARKING_LOT_LENGTH = 10_000  # millimetres: width and length of the model
CRANE_HEIGHT = 30_000  # millimetres: height of the model
CRANE_REACH = 42_000  # millimetres: reach of its jib
MAX_CRANE_HEIGHT = 66_000  # millimetres: largest stretched height


def yard_areas(draft: Draft) -> OpenAreas:
    """Return the open lots; they face the street."""
    index = np.flatnonzero(draft.areas["ground"] == Ground.YARD)
    areas = draft.areas[index]
    x, y, ux, uy, hx, hy = (areas[name].astype(np.int64) for name in ("x", "y", "ux", "uy", "hx", "hy"))
    return OpenAreas(x, y, (ux, uy), (hx - 500, hy - 500), np.ones(len(areas), np.bool_), index)


def fill_yards(draft: Draft) -> None:
    """Place objects on every open lot."""
    lots = yard_areas(draft)
    lot_use = weighted_choice(draft.seed, STAGE, lots.index, LOT_USE_WEIGHTS, salt=FIRST_SALT)
    for use_index, fill in enumerate((fill_sites, fill_parking_lots, fill_courts, fill_dumps, fill_playgrounds)):
        fill(draft, lots.select(lot_use == use_index))
    paved = lots.index[np.isin(lot_use, (PARKING, COURT, PLAYGROUND))]
    draft.areas["ground"][paved] = Ground.PLAZA


def _place(
    draft: Draft,
    lots: OpenAreas,
    name: str,
    across: npt.ArrayLike,
    ahead: npt.ArrayLike,
    salt: int,
    **columns: npt.ArrayLike,
) -> Integers:
    """Place one thing of a class on each lot where there is space, facing the street."""
    sign = columns.pop("direction", None)
    ux, uy = lots.facing if sign is None else (lots.facing[0] * np.asarray(sign), lots.facing[1] * np.asarray(sign))
    return place_things(
        draft, STAGE, name, lots.at(across, ahead), (ux, uy), lots.index * 64 + salt, BLOCKS_IN_PARK, **columns
    )


def _place_front_fence(
    draft: Draft, lots: OpenAreas, name: str, variant: Integers, side: Integers, gate_width: int = GATE_WIDTH
) -> None:
    """Place a fence along the front, on the side away from the gate."""
    segment_length = 2 * model_extents(name).half[0][variant]
    length = 2 * lots.half[0] - gate_width
    count = np.maximum((length + segment_length // 2) // np.maximum(segment_length, 1), 1)
    repeated, place = lots.repeat(count)
    lot = np.repeat(np.arange(len(lots)), count)
    length_each = (length // count)[lot]
    position = side[lot] * (lots.half[0][lot] - length_each // 2 - place * length_each)
    at = repeated.at(position, repeated.half[1] - FENCE_DISTANCE)
    half_depth = model_extents(name).half[1][variant][lot]
    is_placed = reserve(draft, at, repeated.facing, (length_each // 2 - 200, half_depth), BLOCKS_IN_PARK)
    group = new_groups(draft, len(lots))[lot]
    things = make_things(
        draft,
        STAGE,
        name,
        at,
        repeated.facing,
        repeated.index,
        variant=variant[lot],
        sx=length_each * 1000 // segment_length[lot],
        group=group,
        place_in_group=place,
    )
    if name == "fence":
        things["first"] = np.where(
            things["variant"] == variant_index("fence", "fence_of_wire"), colour_index("grey"), colour_index("brown")
        )
    draft.add(things[is_placed])


def _gate_sides(draft: Draft, lots: OpenAreas, salt: int) -> Integers:
    """Return a random side (-1 or 1) for each lot."""
    return np.where(chance(draft.seed, STAGE, lots.index, 500, salt=salt), 1, -1)


def fill_sites(draft: Draft, lots: OpenAreas) -> None:
    """Place a fence with a gate, a digger, a crane where no house is too high, piles, a toilet, barrels, a dumpster."""
    side = _gate_sides(draft, lots, FIRST_SALT + 1)
    variants = np.array(
        [variant_index("construction fence", name) for name in ("construction_fence", "construction_fence_of_wire")]
    )
    _place_front_fence(
        draft,
        lots,
        "construction fence",
        variants[integers(draft.seed, STAGE, lots.index, 0, 1, salt=FIRST_SALT + 2)],
        side,
    )
    tallest = _tallest_around(draft, lots)
    has_crane = (tallest + 6_000 <= MAX_CRANE_HEIGHT) & chance(draft.seed, STAGE, lots.index, 750, salt=FIRST_SALT + 3)
    scale = np.maximum(tallest + 6_000, CRANE_HEIGHT * 8 // 10) * 1000 // CRANE_HEIGHT
    _place(draft, lots.select(has_crane), "crane", (side * 5_200)[has_crane], -4_400, 1, sz=scale[has_crane])
    hx, hy = lots.half
    _place(draft, lots, "excavator", -side * 3_000, -1_500, 2)
    _place(draft, lots, "portable toilet", side * (hx - 1_200), hy - 2_600, 3)
    rubble = variant_index("dumpster", "dumpster_of_rubble")
    _place(draft, lots, "dumpster", side * (hx - 4_800), hy - 3_000, 4, variant=rubble)
    for k, (across, ahead) in enumerate(((-7_600, -5_200), (-7_800, 400), (7_600, 1_000), (1_000, -5_800))):
        variant = integers(draft.seed, STAGE, lots.index * 4 + k, 0, 4, salt=FIRST_SALT + 4)
        _place(draft, lots, "material pile", side * across, ahead, 5 + k, variant=variant)
    _place(draft, lots, "ladder", side * 3_200, 1_500, 9, variant=variant_index("ladder", "step_ladder"))
    for k in range(3):
        _place(draft, lots, "barrel", -side * (hx - 500 - k * 1_500), hy - FENCE_DISTANCE, 10 + k)
    _place(draft, lots, "road work sign", -side * (hx - 4_600), hy - 2_400, 14)
    _place(draft, lots, "tire pile", -side * 6_000, hy - 3_400, 15)


def _tallest_around(draft: Draft, lots: OpenAreas) -> Integers:
    """Return the height of the tallest house that a crane could reach."""
    house = draft.things[draft.buildings["thing"]]
    heights = np.zeros(len(lots), np.int64)
    for k in range(len(lots)):
        in_reach = (np.abs(house["x"] - lots.x[k]) < CRANE_REACH) & (np.abs(house["y"] - lots.y[k]) < CRANE_REACH)
        heights[k] = draft.buildings["height"][in_reach].max(initial=0)
    return heights


def fill_parking_lots(draft: Draft, lots: OpenAreas) -> None:
    """Place two rows of cars and a wire fence with a gap."""
    side = _gate_sides(draft, lots, FIRST_SALT + 1)
    _place_front_fence(draft, lots, "fence", np.full(len(lots), variant_index("fence", "fence_of_wire")), side, 6_000)
    hx, hy = lots.half
    draft.add(
        make_things(
            draft,
            STAGE,
            "parking lot",
            (lots.x, lots.y),
            lots.facing,
            lots.index,
            sx=2 * hx * 1000 // PARKING_LOT_LENGTH,
            sy=2 * (hy - FENCE_DISTANCE) * 1000 // PARKING_LOT_LENGTH,
        )
    )
    names = ("car", "car", "car", "car", "pickup", "van")
    for k in range(14):
        column, back = divmod(k, 2)
        name_index = integers(draft.seed, STAGE, lots.index * 16 + k, 0, len(names) - 1, salt=FIRST_SALT + 6)
        is_occupied = chance(draft.seed, STAGE, lots.index * 16 + k, 760, salt=FIRST_SALT + 7)
        for name in dict.fromkeys(names):
            mask = is_occupied & np.isin(name_index, [i for i, candidate in enumerate(names) if candidate == name])
            across = side * (lots.half[0] - 1_500 - column * 2_750)
            ahead = np.where(back, -lots.half[1] + 2_900, lots.half[1] - 3_900)
            _place(draft, lots.select(mask), name, across[mask], ahead[mask], 16 + k, direction=1 if back else -1)


def fill_courts(draft: Draft, lots: OpenAreas) -> None:
    """Place two facing hoops, a wire fence, a bench and players."""
    side = _gate_sides(draft, lots, FIRST_SALT + 1)
    _place_front_fence(draft, lots, "fence", np.full(len(lots), variant_index("fence", "fence_of_wire")), side, 2_500)
    groups = new_groups(draft, len(lots))
    for place, (end, ahead) in enumerate(((1, -lots.half[1] + 1_800), (-1, lots.half[1] - 3_000))):
        ux, uy = lots.facing
        place_things(
            draft,
            STAGE,
            "basketball hoop",
            lots.at(0, ahead),
            (end * ux, end * uy),
            lots.index,
            BLOCKS_IN_PARK,
            group=groups,
            place_in_group=place,
        )
    _place(draft, lots, "bench", 5_000, -lots.half[1] + 900, 40)
    for k, (a, b) in enumerate(((-2_600, 500), (800, -1_900), (3_300, 1_300), (-800, 2_300))):
        mask = chance(draft.seed, STAGE, lots.index * 4 + k, 600, salt=FIRST_SALT + 8)
        variant = integers(draft.seed, STAGE, lots.index * 4 + k, 0, 1, salt=FIRST_SALT + 9)
        _place(draft, lots.select(mask), "person", a, b, 41 + k, variant=variant[mask])


def fill_dumps(draft: Draft, lots: OpenAreas) -> None:
    """Place tyres, dumpsters and piles behind a fence of wood or wire."""
    side = _gate_sides(draft, lots, FIRST_SALT + 1)
    variants = np.array([variant_index("fence", model) for model in ("fence_of_wire", "fence_of_wood")])
    _place_front_fence(
        draft, lots, "fence", variants[integers(draft.seed, STAGE, lots.index, 0, 1, salt=FIRST_SALT + 2)], side
    )
    for k, (a, b, name) in enumerate(DUMP_LAYOUT):
        mask: Flags = chance(draft.seed, STAGE, lots.index * 16 + k, 820, salt=FIRST_SALT + 10)
        _place(draft, lots.select(mask), name, side[mask] * a, b, 48 + k)


def fill_playgrounds(draft: Draft, lots: OpenAreas) -> None:
    """Place a wire fence, swings, a slide, a climbing frame, benches and children."""
    side = _gate_sides(draft, lots, FIRST_SALT + 1)
    _place_front_fence(draft, lots, "fence", np.full(len(lots), variant_index("fence", "fence_of_wire")), side, 2_500)
    groups = new_groups(draft, len(lots))
    for place, (a, b) in enumerate(((-6_000, 1_500), (0, -1_000), (6_000, 1_500))):
        _place(draft, lots, "playground", side * a, b, 56 + place, variant=place, group=groups, place_in_group=place)
    for k, a in enumerate((-5_000, 5_000)):
        _place(draft, lots, "bench", a, -lots.half[1] + 900, 59 + k)
    for k, (a, b) in enumerate(((-3_000, 3_000), (3_200, 3_600))):
        mask = chance(draft.seed, STAGE, lots.index * 4 + k, 700, salt=FIRST_SALT + 11)
        variant = variant_index("person", "child")
        _place(draft, lots.select(mask), "person", a, b, 61 + k, variant=variant)
