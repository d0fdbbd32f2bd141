"""What else is at the foot of walls: entrances of garages, cash machines, fruit before grocers, ladders."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.fronts import has_style
from bearleft.world.city.placement import (
    Flags,
    make_things,
    model_extents,
    offset,
    place_things,
    reserve,
    right_of,
    variant_index,
)
from bearleft.world.city.plan import UNIT, Draft
from bearleft.world.city.randomness import Integers, chance
from bearleft.world.city.raster import BUILDING, OVERHEAD
from bearleft.world.city.walls import AT_WALL, STAGE, WALL_GAP, Walls, building_walls, is_hidden

FIRST_SALT = 60  # draws from here on are this stage's
STORE_WIDTH = 5_060  # the usual width of a shop
GROCERS = ("MARKET", "GROCERY", "DELI", "FLOWERS")
MIN_OVERHEAD = 5_000  # what hangs above this leaves room for a garage below
MAX_OBSTACLE_DISTANCE = 2_500  # what stands further out is not in the way


def place_wall_objects(draft: Draft) -> None:
    """After the fronts have their doors and shops."""
    if len(draft.buildings):
        seen = building_walls(draft)
        seen = seen.select(~is_hidden(draft, seen))
        garages(draft, seen.select((seen.side == 0) & (seen.street >= 0)))
        cash_machines(draft)
        fruit(draft)
        ladders(draft, seen)


def garages(draft: Draft, fronts: Walls) -> None:
    """Ways into garages at one end of wide fronts, and the sidewalk before them kept free."""
    homely = has_style(fronts, "brownstone", "painted rowhouse", "tenement")
    fronts = fronts.select((fronts.half > 4_300) & ~homely).sample(draft, 130, FIRST_SALT)
    half = int(model_extents("garage entrance").half[0][0]) + 100
    end = np.where(chance(draft.seed, STAGE, fronts.index, 500, FIRST_SALT + 1), 1, -1)
    at = end * (fronts.half - half - 300)
    free = _is_free(draft, fronts, at, half)
    fronts, at = fronts.select(free), at[free]
    free = reserve(draft, *fronts.at(at, 1_500), *fronts.out, half, 1_300, AT_WALL | OVERHEAD)
    fronts.select(free).hang(draft, "garage entrance", at[free], 0)


def _is_free(draft: Draft, seen: Walls, across: Integers, half: int) -> Flags:
    """Whether nothing that belongs to a wall's house is low within `half` of a point of the wall."""
    order = np.argsort(draft.things["owner"], kind="stable")
    owners = draft.things["owner"][order]
    clear, (x, y) = np.ones(len(seen), np.bool_), seen.at(across)
    for k in range(len(seen)):
        house = int(seen.record["thing"][k])
        ours = draft.things[order[slice(*np.searchsorted(owners, [house, house + 1]))]]
        dx, dy = ours["x"].astype(np.int64) - x[k], ours["y"].astype(np.int64) - y[k]
        before = np.abs(dx * seen.out[0][k] + dy * seen.out[1][k]) // UNIT < MAX_OBSTACLE_DISTANCE
        beside = np.abs(dx * seen.out[1][k] - dy * seen.out[0][k]) // UNIT
        wide = np.array([_half_width(int(one["kind"]), int(one["variant"])) for one in ours], np.int64)
        clear[k] = not (before & (beside < half + wide * ours["sx"] // 1000) & (ours["z"] < MIN_OVERHEAD)).any()
    return clear


def _half_width(kind: int, model: int) -> int:
    """Half the width of a model, seen from its origin."""
    body = model_extents(CLASSES[kind].name, 99.0)
    return int(abs(body.middle[0][model]) + body.half[0][model])


def _shops(draft: Draft, *words: str) -> Integers:
    """The numbers of open shops, or of those whose names end with one of some words."""
    shut = variant_index("storefront", "closed_storefront")
    things = draft.things
    found = np.flatnonzero((things["kind"] == class_index("storefront")) & (things["variant"] != shut))
    if not words or not len(found):
        return found
    expected = np.array([text.split()[-1] in words for text in draft.texts], np.bool_)
    return np.asarray(found[expected[things["text"][found]]], np.int64)


def _in_front_of(
    draft: Draft, shops: Integers, across: Integers, out: int
) -> tuple[Integers, Integers, Integers, Integers]:
    """Points before shops, and the way they look."""
    shop = draft.things[shops]
    x, y, ux, uy = (shop[name].astype(np.int64) for name in ("x", "y", "ux", "uy"))
    x, y = offset(x, y, (across, right_of(ux, uy)), (out, (ux, uy)))
    return x, y, ux, uy


def cash_machines(draft: Draft) -> None:
    """On most banks, and on a few other shops, at one end of the window."""
    shops = _shops(draft)
    banks = np.isin(shops, _shops(draft, "BANK", "PHARMACY"))
    shops = shops[chance(draft.seed, STAGE, shops, np.where(banks, 650, 14), FIRST_SALT + 2)]
    width = draft.things["sx"][shops].astype(np.int64) * STORE_WIDTH // 1000
    end = np.where(chance(draft.seed, STAGE, shops, 500, FIRST_SALT + 3), 1, -1)
    at = _in_front_of(draft, shops, end * (width // 2 - 700), WALL_GAP)
    shop = draft.things[shops]
    draft.add(make_things(draft, STAGE, "atm", *at, shops, owner=shop["owner"], street=shop["street"]))


def fruit(draft: Draft) -> None:
    """Crates of fruit before half of those who sell it."""
    shops = _shops(draft, *GROCERS)
    shops = shops[chance(draft.seed, STAGE, shops, 500, FIRST_SALT + 4)]
    width = draft.things["sx"][shops].astype(np.int64) * STORE_WIDTH // 1000
    shop = draft.things[shops]
    at = _in_front_of(draft, shops, width // 4, 1_150)
    place_things(
        draft, STAGE, "fruit stand", *at, shops, AT_WALL | BUILDING, owner=shop["owner"], street=shop["street"]
    )


def ladders(draft: Draft, seen: Walls) -> None:
    """Ladders that lean against a few walls."""
    seen = seen.select(seen.half > 2_500).sample(draft, 14, FIRST_SALT + 5)
    at = np.where(chance(draft.seed, STAGE, seen.index, 500, FIRST_SALT + 6), 1, -1) * (seen.half - 900)
    free = _is_free(draft, seen, at, 350)
    seen, at = seen.select(free), at[free]
    x, y = seen.at(at, WALL_GAP)
    kind = variant_index("ladder", "ladder")
    place_things(
        draft,
        STAGE,
        "ladder",
        x,
        y,
        *seen.out,
        seen.index,
        AT_WALL,
        variant=kind,
        owner=seen.record["thing"],
        street=seen.street,
    )
