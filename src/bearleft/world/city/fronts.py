"""What belongs to buildings' street sides: doors, shops, awnings, signs, flags, fire escapes, things in windows."""

from __future__ import annotations

import numpy as np

from bearleft.world.city import names
from bearleft.world.city.bridges import meets_bridge
from bearleft.world.city.catalog import class_index
from bearleft.world.city.districts import district_values
from bearleft.world.city.facades import STYLES
from bearleft.world.city.placement import (
    Flags,
    make_things,
    model_extents,
    new_groups,
    place_rows,
    place_things,
    reserve,
    running_index,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, chance, integers, weighted_choice
from bearleft.world.city.raster import BUILDING
from bearleft.world.city.walls import AT_WALL, STAGE, Walls, building_walls, is_hidden

STORE_WIDTH, AWNING_WIDTH = 5_060, 3_600  # usual widths
SHOP_WIDTH = 5_600  # of a shop, about
DOOR_ZONE_WIDTH = 3_200  # of a shopping front that is left for the house's own door


def has_style(seen: Walls, *expected: str) -> Flags:
    """Whether a wall's building is built in one of some ways."""
    numbers = [k for k, style in enumerate(STYLES) if style.name in expected]
    return np.asarray(np.isin(seen.record["style"], numbers), np.bool_)


def fill_fronts(draft: Draft) -> None:
    """Everything on the walls, and what belongs to doors and shops on the ground before them."""
    if not len(draft.buildings):
        return
    seen = building_walls(draft)
    behind = is_hidden(draft, seen)
    clear = ~meets_bridge(draft, seen) & ~behind
    shops = has_shops(draft, seen) & clear
    entered = ~behind & (seen.record["street"] >= 0)  # houses behind parks and lots are entered elsewhere
    place_doors(draft, seen.select(entered & clear), shops[entered & clear])
    spanned = seen.select(entered & ~clear & (seen.side == 0))
    spanned.hang(draft, "door", spanned.half - 1_000, 0, variant=variant_index("door", "panel_door"))
    place_storefronts(draft, seen.select(shops))
    place_flags(draft, seen.select(clear))
    place_fire_escapes(draft, seen.select(clear))
    place_in_windows(draft, seen.select(clear))
    place_signs(draft, seen.select(~shops & clear))
    place_murals(draft, seen.select(~shops & clear))
    place_bollards(draft, seen.select(seen.street >= 0))


def has_shops(draft: Draft, seen: Walls) -> Flags:
    """Whether a wall's ground floor holds shops: all along some streets, here and there elsewhere."""
    share = district_values("shops", seen.record["district"])
    street = chance(draft.seed, STAGE, seen.street, share * 9 // 10, 1)
    lone = chance(draft.seed, STAGE, seen.index, share // 5, 2)
    fits = (seen.half >= 2_300) & (seen.record["ground"] >= 3_000) & (seen.street >= 0)
    return np.asarray((street | lone) & fits, np.bool_)


def door_offset(draft: Draft, seen: Walls, shops: Flags) -> Integers:
    """Where along a wall its door is: at an end beside shops, else in the middle bay or at an end bay."""
    end = np.where(chance(draft.seed, STAGE, seen.index, 500, 3), 1, -1)
    middle = chance(draft.seed, STAGE, seen.index, 550, 4)
    bay = seen.bay(np.where(middle, seen.bays // 2, np.where(end > 0, 0, seen.bays - 1)))
    room = np.maximum(seen.half - 1_500, 0)
    return np.where(shops, end * np.maximum(seen.half - DOOR_ZONE_WIDTH // 2 - 200, 0), np.clip(bay, -room, room))


def has_side_door(draft: Draft, seen: Walls) -> Flags:
    """Whether a side that is not the front has a door as well."""
    return chance(draft.seed, STAGE, seen.index, 250, 5)


DOOR_WEIGHTS = {"panel_door": 420, "stoop_door": 160, "glass_doors": 200, "arched_door": 110, "garage_door": 60}
HOUSE_DOOR_WEIGHTS = {"panel_door": 300, "stoop_door": 640, "arched_door": 60}
TALL_DOOR_WEIGHTS = {"panel_door": 60, "glass_doors": 700, "arched_door": 180, "garage_door": 60}
MODERN_DOOR_WEIGHTS = {"glass_doors": 930, "garage_door": 70}


def place_doors(draft: Draft, seen: Walls, shops: Flags) -> None:
    """A door on every front and on some other street sides, with lamps, plants, an awning or a canopy."""
    wide = ~shops | (seen.half >= (DOOR_ZONE_WIDTH + SHOP_WIDTH) // 2)
    ours = wide & ((seen.side == 0) | has_side_door(draft, seen)) & (seen.half >= 1_700)
    at, shops, doors_ = door_offset(draft, seen, shops)[ours], shops[ours], seen.select(ours)
    kind = _door_variants(draft, DOOR_WEIGHTS, doors_)
    kind = np.where(doors_.record["height"] > 24_000, _door_variants(draft, TALL_DOOR_WEIGHTS, doors_), kind)
    kind = np.where(
        has_style(doors_, "brownstone", "painted rowhouse"), _door_variants(draft, HOUSE_DOOR_WEIGHTS, doors_), kind
    )
    modern = has_style(doors_, "glass office tower", "panel office", "concrete slab", "white-brick apartment")
    kind = np.where(modern, _door_variants(draft, MODERN_DOOR_WEIGHTS, doors_), kind)
    panel, stoop, garage = (variant_index("door", name) for name in ("panel_door", "stoop_door", "garage_door"))
    kind = np.where((kind == stoop) & shops | (kind == garage) & (doors_.half < 2_500), panel, kind)
    room = np.maximum(doors_.half - model_extents("door").half[0][kind] - 100, 0)
    at = np.clip(at, -room, room)
    x, y = doors_.at(at, 1_250)
    stands = np.zeros(len(doors_), np.bool_)
    stoops = kind == stoop
    stands[stoops] = reserve(
        draft, x[stoops], y[stoops], doors_.out[0][stoops], doors_.out[1][stoops], 1_150, 1_000, AT_WALL
    )
    kind = np.where(stoops & ~stands, panel, kind)
    names_ = names.choose_texts(draft, names.HOUSES, doors_.index, 7)
    named = np.where(kind == variant_index("door", "glass_doors"), names_, -1)
    doors_.hang(draft, "door", at, 0, variant=kind, text=named)
    place_beside_doors(draft, doors_, at, kind, shops, named)


def _door_variants(draft: Draft, table: dict[str, int], seen: Walls) -> Integers:
    kinds = np.array([variant_index("door", name) for name in table])
    return np.asarray(kinds[weighted_choice(draft.seed, STAGE, seen.index, list(table.values()), 6)], np.int64)


def place_beside_doors(draft: Draft, seen: Walls, at: Integers, kind: Integers, shops: Flags, named: Integers) -> None:
    """Porticos, canopies, awnings, pairs of wall lamps and of potted plants at doors."""
    half = np.maximum(model_extents("door").half[0][kind], 700)
    free = (kind != variant_index("door", "stoop_door")) & (kind != variant_index("door", "garage_door")) & ~shops
    grand = free & (seen.record["height"] > 20_000)
    covered = grand & chance(draft.seed, STAGE, seen.index, 330, 8)
    x, y = seen.at(at, 0)
    under = seen.at(at, 2_100)
    fits = np.zeros(len(seen), np.bool_)
    fits[covered] = reserve(
        draft, under[0][covered], under[1][covered], seen.out[0][covered], seen.out[1][covered], 1_050, 1_900, AT_WALL
    )
    ours = seen.select(fits)
    ours.hang(draft, "canopy", at[fits], 0, text=names.choose_texts(draft, names.HOUSES, ours.index, 7))
    columns = grand & ~fits & (seen.half - np.abs(at) > 3_900) & chance(draft.seed, STAGE, seen.index, 90, 9)
    ours = seen.select(columns)
    place_things(
        draft,
        STAGE,
        "portico",
        *ours.at(at[columns], 70),
        *ours.out,
        ours.index,
        AT_WALL,
        owner=ours.record["thing"],
        street=ours.street,
        text=names.choose_texts(draft, names.PORTICO_TEXTS, ours.index, 50),
    )
    shaded = free & ~fits & chance(draft.seed, STAGE, seen.index, 240, 10)
    seen.select(shaded).hang(draft, "awning", at[shaded], 2_500, sx=620, sy=800, sz=800, text=named[shaded])
    lit = ~shops & chance(draft.seed, STAGE, seen.index, 330, 11)
    groups = new_groups(draft, int(lit.sum()))
    high = 2_000 + 1_200 * (kind[lit] == variant_index("door", "stoop_door"))
    for side in (-1, 1):
        beside = at[lit] + side * (half[lit] + 350)
        seen.select(lit).hang(draft, "wall lamp", beside, high, group=groups, place_in_group=(side + 1) // 2)
    green = np.flatnonzero(free & ~fits & ~columns & chance(draft.seed, STAGE, seen.index, 170, 12))
    pairs = []
    for side in (-1, 1):
        x, y = seen.at(at + side * (half + 500), 650)
        ours = seen.select(green)
        plants = place_things(
            draft,
            STAGE,
            "potted plant",
            x[green],
            y[green],
            *ours.out,
            ours.index,
            AT_WALL,
            owner=ours.record["thing"],
            street=ours.street,
        )
        pairs.append(plants)
    both = (pairs[0] >= 0) & (pairs[1] >= 0)
    groups = new_groups(draft, int(both.sum()))
    for place, plants in enumerate(pairs):
        draft.things["group"][plants[both]], draft.things["place_in_group"][plants[both]] = groups, place


def place_storefronts(draft: Draft, seen: Walls) -> None:
    """Shops side by side along whole walls, each with its name, many with an awning, a blade sign, a board, tables."""
    with_door = (seen.half >= (DOOR_ZONE_WIDTH + SHOP_WIDTH) // 2) & ((seen.side == 0) | has_side_door(draft, seen))
    end = np.where(chance(draft.seed, STAGE, seen.index, 500, 3), 1, -1)
    zone = np.where(with_door, DOOR_ZONE_WIDTH, 0)
    width = 2 * seen.half - 500 - zone
    count = np.maximum((width + SHOP_WIDTH // 2) // SHOP_WIDTH, 1)
    unit = np.repeat(width // count, count)
    place = running_index(count)
    shop = seen.select(np.repeat(np.arange(len(seen)), count))
    at = np.repeat(-width // 2 - end * zone // 2, count) + place * unit + unit // 2
    key = shop.index * 64 + place
    text = names.shop_texts(draft, key)
    high = np.clip((shop.record["ground"].astype(np.int64) - 150) * 1000 // 3_700, 600, 1_200)
    groups = np.repeat(new_groups(draft, len(seen)), count)
    columns = {"index": key, "text": text}
    closed = variant_index("storefront", "closed_storefront")
    open_ = np.array([k for k in range(len(model_extents("storefront").half[0])) if k != closed])
    models = open_[integers(draft.seed, STAGE, key, 0, len(open_) - 1, 13)]
    models = np.where(chance(draft.seed, STAGE, key, 60, 14), closed, models)
    shop.hang(
        draft,
        "storefront",
        at,
        0,
        variant=models,
        sx=(unit - 200) * 1000 // STORE_WIDTH,
        sz=high,
        group=groups,
        place_in_group=place,
        **columns,
    )
    alike = chance(draft.seed, STAGE, shop.index, 350, 15)
    shaded = chance(draft.seed, STAGE, np.where(alike, shop.index, key), 480, 16)
    columns = {"index": np.where(alike, shop.index, key)[shaded], "text": text[shaded]}
    low = 2_050 * high[shaded] // 1000  # its upper edge meets the lower edge of the shop's sign
    shop.select(shaded).hang(
        draft, "awning", at[shaded], low, sx=(unit[shaded] - 500) * 1000 // AWNING_WIDTH, sz=600, **columns
    )
    blade = ~shaded & chance(draft.seed, STAGE, key, 300, 17)
    side = np.where(chance(draft.seed, STAGE, key, 500, 18), 1, -1)
    blades = [variant_index("lettered sign", name) for name in ("blade_sign", "blade_sign_round")]
    shop.select(blade).hang(
        draft,
        "lettered sign",
        (at + side * (unit // 2 - 100))[blade],
        shop.record["ground"][blade] + 150,
        index=key[blade],
        text=text[blade],
        variant=np.array(blades)[key[blade] % 2],
    )
    place_before_shops(draft, shop, at, unit, key, models == closed)


def place_before_shops(draft: Draft, shop: Walls, at: Integers, unit: Integers, key: Integers, closed: Flags) -> None:
    """Rows of tables, sandwich boards, barber poles and plants before shops."""
    served = ~closed & chance(draft.seed, STAGE, key, 75, 19)
    ours, index = shop.select(served), key[served]
    x, y = ours.at(at[served], 1_500)
    count = np.clip((unit[served] - 600) // 2_700, 1, 3)
    place_rows(
        draft,
        STAGE,
        "cafe table",
        x,
        y,
        *ours.out,
        index,
        count,
        2_700,
        AT_WALL | BUILDING,
        alike=True,
        owner=ours.record["thing"],
        street=ours.street,
    )
    for name, share, out in (("sandwich board", 130, 2_000), ("potted plant", 70, 700)):
        some = ~closed & chance(draft.seed, STAGE, key, share, 20 + out)
        ours, index = shop.select(some), key[some]
        x, y = ours.at((at + unit // 2 - 900)[some], out)
        said = names.choose_texts(draft, names.BOARDS, index, 21) if name == "sandwich board" else -1
        place_things(
            draft,
            STAGE,
            name,
            x,
            y,
            *ours.out,
            index,
            AT_WALL | BUILDING,
            owner=ours.record["thing"],
            street=ours.street,
            text=said,
        )
    pole = chance(draft.seed, STAGE, key, 14, 22)
    shop.select(pole).hang(draft, "barber pole", (at - unit // 2 + 150)[pole], 1_600, index=key[pole])


def place_flags(draft: Draft, seen: Walls) -> None:
    """One flag, a pair, or a row of three above the ground floor, all alike or not."""
    grand = draft.things["owner"][
        draft.things["kind"] == class_index("portico")
    ]  # it reaches up to where they would hang
    roomy = (seen.half > 2_500) & (seen.floors > 1) & ~np.isin(seen.record["thing"], grand)
    seen = seen.select(roomy).sample(draft, 75, 23)
    count = 1 + weighted_choice(draft.seed, STAGE, seen.index, [55, 30, 15], 24)
    each = seen.select(np.repeat(np.arange(len(seen)), count))
    place, groups = running_index(count), np.repeat(np.where(count > 1, new_groups(draft, len(seen)), -1), count)
    apart = np.repeat(np.where(count == 2, 3_000, 1_600), count)
    at = place * apart - (np.repeat(count, count) - 1) * apart // 2
    alike = chance(draft.seed, STAGE, each.index, 650, 25)
    key = np.where(alike, each.index * 4, each.index * 4 + place)
    each.hang(
        draft,
        "flag",
        at,
        each.record["ground"] + 250,
        index=key,
        group=groups,
        place_in_group=np.where(groups < 0, 0, place),
    )


def place_fire_escapes(draft: Draft, seen: Walls) -> None:
    """Iron stairs on walk-ups, three floors to a piece, as high as the building."""
    walk_up = has_style(seen, "brick walk-up", "tenement", "cast-iron loft", "warehouse") & (seen.bays >= 2)
    walk_up &= (seen.floors >= 2) & (seen.floors <= 7) & (seen.half > 2_600)
    seen = seen.select(walk_up & chance(draft.seed, STAGE, seen.record["thing"], 560, 26))
    seen = seen.sample(draft, 700, 27)
    count = np.maximum(seen.floors // 3, 1)
    each, place = seen.select(np.repeat(np.arange(len(seen)), count)), running_index(count)
    step = each.record["floor"].astype(np.int64)
    room = np.maximum(each.half - 2_000, 0)
    at = np.clip((each.bay(0) + each.bay(1)) // 2, -room, room)
    groups = np.repeat(new_groups(draft, len(seen)), count)
    each.hang(
        draft,
        "fire escape",
        at,
        each.record["ground"] + 3 * place * step + 200,
        sz=step * 1000 // 3_300,
        index=each.index,
        group=groups,
        place_in_group=place,
    )


def place_in_windows(draft: Draft, seen: Walls) -> None:
    """Air conditioners here and there in windows, window boxes along one floor, columns of balconies."""
    lived = (seen.floors >= 1) & (seen.record["bay"] <= 4_500)
    sealed = has_style(seen, "glass office tower", "panel office")  # their windows do not open
    plain = seen.select(lived & (seen.floors <= 12) & ~sealed).sample(draft, 260, 28)
    _place_on_sills(draft, plain, "air conditioner", 0, np.minimum(plain.floors, 5), 110, 29)
    green = seen.select(lived & (seen.floors <= 7) & ~sealed).sample(draft, 45, 30)
    _place_on_sills(draft, green, "window box", 0, np.minimum(green.floors, 2), 900, 31)
    _place_in_columns(draft, seen.select((seen.floors >= 5) & (seen.bays >= 3)).sample(draft, 70, 32), "balcony", 33)
    homely = has_style(seen, "brick walk-up", "brownstone", "painted rowhouse") & (seen.floors <= 5)
    _place_in_columns(draft, seen.select(homely & (seen.half > 2_600)).sample(draft, 70, 44), "bay window", 45)


def _place_in_columns(draft: Draft, seen: Walls, name: str, draw: int) -> None:
    """One above another in a drawn bay, floor by floor."""
    count = np.clip(seen.floors - 1, 0, 8)
    each, place = seen.select(np.repeat(np.arange(len(seen)), count)), running_index(count)
    column = np.repeat(integers(draft.seed, STAGE, seen.index, 0, seen.bays - 1, draw), count)
    step = each.record["floor"].astype(np.int64)
    groups = np.repeat(new_groups(draft, len(seen)), count)
    room = np.maximum(each.half - 1_700, 0)
    each.hang(
        draft,
        name,
        np.clip(each.bay(column), -room, room),
        each.record["ground"] + (place + 1) * step + 150,
        index=each.index,
        group=groups,
        place_in_group=place,
    )


def _place_on_sills(draft: Draft, seen: Walls, name: str, first: int, floors: Integers, share: int, draw: int) -> None:
    """Things on the sills of drawn windows of the lowest floors."""
    count = floors * seen.bays
    wall, place = np.repeat(np.arange(len(seen)), count), running_index(count)
    key = seen.index[wall] * 1024 + place
    drawn = chance(draft.seed, STAGE, key, share, draw)
    each, place, key = seen.select(wall[drawn]), place[drawn], key[drawn]
    floor, column = np.divmod(place, each.bays)
    each.hang(draft, name, each.bay(column), each.sill(floor + first), index=each.index)


def place_signs(draft: Draft, seen: Walls) -> None:
    """Names of houses in tall letters, boards, theatre marquees, clocks, and billboards on low roofs."""
    front = seen.select((seen.side == 0) & (seen.half > 3_000) & (seen.street >= 0))
    tall = front.select(front.floors >= 2).sample(draft, 55, 34)
    tall.hang(
        draft,
        "lettered sign",
        tall.half - 500,
        tall.record["ground"] + 300,
        text=names.choose_texts(draft, names.HOUSES, tall.index, 35),
        variant=variant_index("lettered sign", "blade_sign_tall"),
    )
    board = front.sample(draft, 70, 36)
    board.hang(
        draft,
        "lettered sign",
        0,
        board.record["ground"] - 50,
        text=names.choose_texts(draft, names.HOUSES, board.index, 37),
        variant=variant_index("lettered sign", "sign_board"),
    )
    blank = seen.select((seen.side != 0) & (seen.half > 3_000)).sample(draft, 90, 46)
    blank.hang(draft, "blank sign", 0, 2_200, variant=variant_index("blank sign", "blank_sign_on_wall"))
    show = front.select(front.half > 5_000).sample(draft, 16, 38)
    show.hang(draft, "marquee", 0, 3_400, text=names.choose_texts(draft, names.SHOWS, show.index, 39))
    clock = front.sample(draft, 7, 40)
    clock.hang(draft, "clock", -clock.half // 2, clock.record["ground"] + 200)
    low = front.select((front.record["height"] < 16_000) & (front.half > 3_600)).sample(draft, 30, 41)
    x, y = low.at(0, -1_300)
    draft.add(
        make_things(
            draft,
            STAGE,
            "billboard",
            x,
            y,
            *low.out,
            low.index,
            z=low.record["height"],
            owner=low.record["thing"],
            street=low.street,
            text=names.choose_texts(draft, names.ADVERTS, low.index, 42),
        )
    )


def place_bollards(draft: Draft, seen: Walls) -> None:
    """Rows of bollards near the kerb before some large buildings."""
    large = seen.select((seen.side == 0) & (seen.half > 7_000) & (seen.record["height"] > 20_000)).sample(draft, 70, 49)
    walk = np.zeros(int(draft.roads["street"].max()) + 1, np.int64)
    np.maximum.at(walk, draft.roads["street"], draft.roads["walk"])
    count = np.clip(large.half * 2 // 1_500 - 2, 4, 12)
    x, y = large.at(0, walk[large.street] - 300 - 650)
    place_rows(
        draft,
        STAGE,
        "bollard",
        x,
        y,
        *large.out,
        large.index,
        count,
        1_500,
        alike=True,
        street=large.street,
        owner=large.record["thing"],
    )


MOTIFS = ("painted_portrait", "mural")
MURAL_SIZE = (6_000, 5_200)  # usual width and height


def place_murals(draft: Draft, plain: Walls) -> None:
    """Paintings on side walls that nothing stands close to or that see lots and parks, and graffiti low on others."""
    stairs = draft.things["owner"][draft.things["kind"] == class_index("fire escape")]
    open_ = (plain.street < 0) & (plain.half > 3_000) & ~np.isin(plain.record["thing"], stairs)
    _place_murals(draft, plain.select(open_).sample(draft, 130, 52))
    blank = building_walls(draft, seen=False)
    blank = blank.select((blank.side % 2 == 1) & (blank.half > 3_000)).sample(draft, 700, 43)
    large = chance(draft.seed, STAGE, blank.index, 600, 47)
    sprayed, painted = blank.select(~large), blank.select(large)
    _place_murals(draft, painted)
    sprayed.hang(draft, "graffiti", sprayed.half // 2, 0, text=names.choose_texts(draft, names.TAGS, sprayed.index, 51))
    bare = plain.select((plain.side != 0) & (plain.half > 3_500) & ~has_side_door(draft, plain))
    bare = bare.sample(draft, district_values("litter", bare.record["district"]) // 6, 48)
    bare.hang(draft, "graffiti", -bare.half // 2, 0, text=names.choose_texts(draft, names.TAGS, bare.index, 51))


def _place_murals(draft: Draft, plain: Walls) -> None:
    """A mural over most of each wall."""
    wide = np.minimum(2 * plain.half - 800, 16_000) * 1000 // MURAL_SIZE[0]
    high = np.minimum(plain.record["height"].astype(np.int64) - 1_000, 10_000) * 1000 // MURAL_SIZE[1]
    kind = np.where(chance(draft.seed, STAGE, plain.index, 220, 53), *(variant_index("mural", m) for m in MOTIFS))
    plain.hang(draft, "mural", 0, 300, sx=wide, sz=high, variant=kind)
