"""Objects at the foot of walls: garage entrances, cash machines, fruit stands, ladders."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.facade_objects import has_style
from bearleft.world.city.placement import (
    Flags,
    Vectors,
    make_things,
    model_extents,
    offset,
    place_things,
    reserve,
    right_of,
    variant_index,
)
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.randomness import Integers, chance
from bearleft.world.city.raster import BUILDING, OVERHEAD
from bearleft.world.city.walls import AT_WALL, STAGE, WALL_GAP, Walls, building_walls, is_hidden

FIRST_SALT = 60  # salts from here on belong to this stage
STORE_WIDTH = 5_060  # millimetres: width of the model
GROCERS = ("MARKET", "GROCERY", "DELI", "FLOWERS")
MIN_OVERHEAD = 5_000  # millimetres; objects that hang higher do not block a garage
MAX_OBSTACLE_DISTANCE = 2_500  # millimetres; objects farther from the wall do not block it


def place_wall_objects(draft: Draft) -> None:
    """Place objects at walls that already have their doors and shops."""
    if len(draft.buildings):
        walls = building_walls(draft)
        walls = walls.select(~is_hidden(draft, walls))
        place_garages(draft, walls.select((walls.side == 0) & (walls.street >= 0)))
        place_cash_machines(draft)
        place_fruit_stands(draft)
        place_ladders(draft, walls)


def place_garages(draft: Draft, fronts: Walls) -> None:
    """Place garage entrances at one end of wide fronts and keep the sidewalk in front of them free."""
    is_residential = has_style(fronts, "brownstone", "painted rowhouse", "tenement")
    fronts = fronts.select((fronts.half > 4_300) & ~is_residential).sample(draft, 130, FIRST_SALT)
    half = int(model_extents("garage entrance").half[0][0]) + 100
    side = np.where(chance(draft.seed, STAGE, fronts.index, 500, salt=FIRST_SALT + 1), 1, -1)
    position = side * (fronts.half - half - 300)
    is_free = _is_free(draft, fronts, position, half)
    fronts, position = fronts.select(is_free), position[is_free]
    is_free = reserve(draft, fronts.at(position, 1_500), fronts.out, (half, 1_300), AT_WALL | OVERHEAD)
    fronts.select(is_free).hang(draft, "garage entrance", position[is_free], 0)


def _is_free(draft: Draft, walls: Walls, across: Integers, half: int) -> Flags:
    """Return whether no low object of a wall's building is within `half` of a point of the wall."""
    order = np.argsort(draft.things["owner"], kind="stable")
    owners = draft.things["owner"][order]
    is_clear, (x, y) = np.ones(len(walls), np.bool_), walls.at(across)
    for k in range(len(walls)):
        house = int(walls.record["thing"][k])
        attached = draft.things[order[slice(*np.searchsorted(owners, [house, house + 1]))]]
        dx, dy = attached["x"].astype(np.int64) - x[k], attached["y"].astype(np.int64) - y[k]
        in_front = np.abs(dx * walls.out[0][k] + dy * walls.out[1][k]) // DIRECTION_SCALE < MAX_OBSTACLE_DISTANCE
        beside = np.abs(dx * walls.out[1][k] - dy * walls.out[0][k]) // DIRECTION_SCALE
        half_widths = np.array([_half_width(int(thing["kind"]), int(thing["variant"])) for thing in attached], np.int64)
        is_clear[k] = not (
            in_front & (beside < half + half_widths * attached["sx"] // 1000) & (attached["z"] < MIN_OVERHEAD)
        ).any()
    return is_clear


def _half_width(kind: int, model: int) -> int:
    """Return half the width of a model, as seen from its origin."""
    extents = model_extents(CLASSES[kind].name, 99.0)
    return int(abs(extents.middle[0][model]) + extents.half[0][model])


def _shops(draft: Draft, *words: str) -> Integers:
    """Return the indices of open shops, or of those whose names end with one of the words."""
    closed = variant_index("storefront", "closed_storefront")
    things = draft.things
    shops = np.flatnonzero((things["kind"] == class_index("storefront")) & (things["variant"] != closed))
    if not words or not len(shops):
        return shops
    matches = np.array([text.split()[-1] in words for text in draft.texts], np.bool_)
    return np.asarray(shops[matches[things["text"][shops]]], np.int64)


def _in_front_of(draft: Draft, shops: Integers, across: Integers, out: int) -> tuple[Vectors, Vectors]:
    """Return points in front of shops, and the directions they face."""
    shop = draft.things[shops]
    x, y, ux, uy = (shop[name].astype(np.int64) for name in ("x", "y", "ux", "uy"))
    return offset((x, y), (across, right_of((ux, uy))), (out, (ux, uy))), (ux, uy)


def place_cash_machines(draft: Draft) -> None:
    """Place cash machines on most banks and a few other shops, at one end of the window."""
    shops = _shops(draft)
    is_bank = np.isin(shops, _shops(draft, "BANK", "PHARMACY"))
    shops = shops[chance(draft.seed, STAGE, shops, np.where(is_bank, 650, 14), salt=FIRST_SALT + 2)]
    width = draft.things["sx"][shops].astype(np.int64) * STORE_WIDTH // 1000
    side = np.where(chance(draft.seed, STAGE, shops, 500, salt=FIRST_SALT + 3), 1, -1)
    at, facing = _in_front_of(draft, shops, side * (width // 2 - 700), WALL_GAP)
    shop = draft.things[shops]
    draft.add(make_things(draft, STAGE, "atm", at, facing, shops, owner=shop["owner"], street=shop["street"]))


def place_fruit_stands(draft: Draft) -> None:
    """Place crates of fruit in front of half of the grocers."""
    shops = _shops(draft, *GROCERS)
    shops = shops[chance(draft.seed, STAGE, shops, 500, salt=FIRST_SALT + 4)]
    width = draft.things["sx"][shops].astype(np.int64) * STORE_WIDTH // 1000
    shop = draft.things[shops]
    at, facing = _in_front_of(draft, shops, width // 4, 1_150)
    place_things(
        draft, STAGE, "fruit stand", at, facing, shops, AT_WALL | BUILDING, owner=shop["owner"], street=shop["street"]
    )


def place_ladders(draft: Draft, walls: Walls) -> None:
    """Lean ladders against a few walls."""
    walls = walls.select(walls.half > 2_500).sample(draft, 14, FIRST_SALT + 5)
    position = np.where(chance(draft.seed, STAGE, walls.index, 500, salt=FIRST_SALT + 6), 1, -1) * (walls.half - 900)
    is_free = _is_free(draft, walls, position, 350)
    walls, position = walls.select(is_free), position[is_free]
    variant = variant_index("ladder", "ladder")
    place_things(
        draft,
        STAGE,
        "ladder",
        walls.at(position, WALL_GAP),
        walls.out,
        walls.index,
        AT_WALL,
        variant=variant,
        owner=walls.record["thing"],
        street=walls.street,
    )
