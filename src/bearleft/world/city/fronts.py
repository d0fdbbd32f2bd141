"""What belongs to buildings' street sides: doors, shops, awnings, signs, flags, fire escapes, things in windows."""

from __future__ import annotations

import numpy as np

from bearleft.world.city import names
from bearleft.world.city.bridges import under_bridges
from bearleft.world.city.catalog import number
from bearleft.world.city.districts import usual
from bearleft.world.city.facades import STYLES
from bearleft.world.city.placement import (
    Flags,
    bodies,
    new_groups,
    places,
    put,
    put_rows,
    reserve,
    rows,
    variant,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, chance, integers, one_of
from bearleft.world.city.raster import BUILDING
from bearleft.world.city.walls import AT_WALL, FRONTS, Walls, hidden, walls

STORE, AWNING = 5_060, 3_600  # usual widths
UNIT_WIDTH = 5_600  # of a shop, about
DOOR_ZONE = 3_200  # of a shopping front that is left for the house's own door


def of_style(seen: Walls, *expected: str) -> Flags:
    """Whether a wall's building is built in one of some ways."""
    numbers = [k for k, style in enumerate(STYLES) if style.name in expected]
    return np.asarray(np.isin(seen.record["style"], numbers), np.bool_)


def fill_fronts(draft: Draft) -> None:
    """Everything on the walls, and what belongs to doors and shops on the ground before them."""
    if not len(draft.buildings):
        return
    seen = walls(draft)
    behind = hidden(draft, seen)
    clear = ~under_bridges(draft, seen) & ~behind
    shops = shopping(draft, seen) & clear
    entered = ~behind & (seen.record["street"] >= 0)  # houses behind parks and lots are entered elsewhere
    doors(draft, seen.keep(entered & clear), shops[entered & clear])
    spanned = seen.keep(entered & ~clear & (seen.side == 0))
    spanned.hang(draft, "door", spanned.half - 1_000, 0, variant=variant("door", "panel_door"))
    storefronts(draft, seen.keep(shops))
    flags(draft, seen.keep(clear))
    fire_escapes(draft, seen.keep(clear))
    windows(draft, seen.keep(clear))
    signs(draft, seen.keep(~shops & clear))
    murals(draft, seen.keep(~shops & clear))
    bollards(draft, seen.keep(seen.street >= 0))


def shopping(draft: Draft, seen: Walls) -> Flags:
    """Whether a wall's ground floor holds shops: all along some streets, here and there elsewhere."""
    share = usual("shops", seen.record["district"])
    street = chance(draft.seed, FRONTS, seen.street, share * 9 // 10, 1)
    lone = chance(draft.seed, FRONTS, seen.index, share // 5, 2)
    fits = (seen.half >= 2_300) & (seen.record["ground"] >= 3_000) & (seen.street >= 0)
    return np.asarray((street | lone) & fits, np.bool_)


def door_place(draft: Draft, seen: Walls, shops: Flags) -> Integers:
    """Where along a wall its door is: at an end beside shops, else in the middle bay or at an end bay."""
    end = np.where(chance(draft.seed, FRONTS, seen.index, 500, 3), 1, -1)
    middle = chance(draft.seed, FRONTS, seen.index, 550, 4)
    bay = seen.bay(np.where(middle, seen.bays // 2, np.where(end > 0, 0, seen.bays - 1)))
    room = np.maximum(seen.half - 1_500, 0)
    return np.where(shops, end * np.maximum(seen.half - DOOR_ZONE // 2 - 200, 0), np.clip(bay, -room, room))


def second_door(draft: Draft, seen: Walls) -> Flags:
    """Whether a side that is not the front has a door as well."""
    return chance(draft.seed, FRONTS, seen.index, 250, 5)


DOORS = {"panel_door": 420, "stoop_door": 160, "glass_doors": 200, "arched_door": 110, "garage_door": 60}
HOUSE_DOORS = {"panel_door": 300, "stoop_door": 640, "arched_door": 60}
TALL_DOORS = {"panel_door": 60, "glass_doors": 700, "arched_door": 180, "garage_door": 60}
GLASS_DOORS = {"glass_doors": 930, "garage_door": 70}


def doors(draft: Draft, seen: Walls, shops: Flags) -> None:
    """A door on every front and on some other street sides, with lamps, plants, an awning or a canopy."""
    wide = ~shops | (seen.half >= (DOOR_ZONE + UNIT_WIDTH) // 2)
    ours = wide & ((seen.side == 0) | second_door(draft, seen)) & (seen.half >= 1_700)
    at, shops, doors_ = door_place(draft, seen, shops)[ours], shops[ours], seen.keep(ours)
    kind = _doors(draft, DOORS, doors_)
    kind = np.where(doors_.record["height"] > 24_000, _doors(draft, TALL_DOORS, doors_), kind)
    kind = np.where(of_style(doors_, "brownstone", "painted rowhouse"), _doors(draft, HOUSE_DOORS, doors_), kind)
    modern = of_style(doors_, "glass office tower", "panel office", "concrete slab", "white-brick apartment")
    kind = np.where(modern, _doors(draft, GLASS_DOORS, doors_), kind)
    panel, stoop, garage = (variant("door", name) for name in ("panel_door", "stoop_door", "garage_door"))
    kind = np.where((kind == stoop) & shops | (kind == garage) & (doors_.half < 2_500), panel, kind)
    room = np.maximum(doors_.half - bodies("door").half[0][kind] - 100, 0)
    at = np.clip(at, -room, room)
    x, y = doors_.at(at, 1_250)
    stands = np.zeros(len(doors_), np.bool_)
    stoops = kind == stoop
    stands[stoops] = reserve(
        draft, x[stoops], y[stoops], doors_.out[0][stoops], doors_.out[1][stoops], 1_150, 1_000, AT_WALL
    )
    kind = np.where(stoops & ~stands, panel, kind)
    names_ = names.words(draft, names.HOUSES, doors_.index, 7)
    named = np.where(kind == variant("door", "glass_doors"), names_, -1)
    doors_.hang(draft, "door", at, 0, variant=kind, text=named)
    beside_doors(draft, doors_, at, kind, shops, named)


def _doors(draft: Draft, table: dict[str, int], seen: Walls) -> Integers:
    kinds = np.array([variant("door", name) for name in table])
    return np.asarray(kinds[one_of(draft.seed, FRONTS, seen.index, list(table.values()), 6)], np.int64)


def beside_doors(draft: Draft, seen: Walls, at: Integers, kind: Integers, shops: Flags, named: Integers) -> None:
    """Porticos, canopies, awnings, pairs of wall lamps and of potted plants at doors."""
    half = np.maximum(bodies("door").half[0][kind], 700)
    free = (kind != variant("door", "stoop_door")) & (kind != variant("door", "garage_door")) & ~shops
    grand = free & (seen.record["height"] > 20_000)
    covered = grand & chance(draft.seed, FRONTS, seen.index, 330, 8)
    x, y = seen.at(at, 0)
    under = seen.at(at, 2_100)
    fits = np.zeros(len(seen), np.bool_)
    fits[covered] = reserve(
        draft, under[0][covered], under[1][covered], seen.out[0][covered], seen.out[1][covered], 1_050, 1_900, AT_WALL
    )
    ours = seen.keep(fits)
    ours.hang(draft, "canopy", at[fits], 0, text=names.words(draft, names.HOUSES, ours.index, 7))
    columns = grand & ~fits & (seen.half - np.abs(at) > 3_900) & chance(draft.seed, FRONTS, seen.index, 90, 9)
    ours = seen.keep(columns)
    put(
        draft,
        FRONTS,
        "portico",
        *ours.at(at[columns], 70),
        *ours.out,
        ours.index,
        AT_WALL,
        owner=ours.record["thing"],
        street=ours.street,
        text=names.words(draft, names.GRAND, ours.index, 50),
    )
    shaded = free & ~fits & chance(draft.seed, FRONTS, seen.index, 240, 10)
    seen.keep(shaded).hang(draft, "awning", at[shaded], 2_500, sx=620, sy=800, sz=800, text=named[shaded])
    lit = ~shops & chance(draft.seed, FRONTS, seen.index, 330, 11)
    groups = new_groups(draft, int(lit.sum()))
    high = 2_000 + 1_200 * (kind[lit] == variant("door", "stoop_door"))
    for side in (-1, 1):
        beside = at[lit] + side * (half[lit] + 350)
        seen.keep(lit).hang(draft, "wall lamp", beside, high, group=groups, place_in_group=(side + 1) // 2)
    green = np.flatnonzero(free & ~fits & ~columns & chance(draft.seed, FRONTS, seen.index, 170, 12))
    pairs = []
    for side in (-1, 1):
        x, y = seen.at(at + side * (half + 500), 650)
        ours = seen.keep(green)
        plants = put(
            draft,
            FRONTS,
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


def storefronts(draft: Draft, seen: Walls) -> None:
    """Shops side by side along whole walls, each with its name, many with an awning, a blade sign, a board, tables."""
    with_door = (seen.half >= (DOOR_ZONE + UNIT_WIDTH) // 2) & ((seen.side == 0) | second_door(draft, seen))
    end = np.where(chance(draft.seed, FRONTS, seen.index, 500, 3), 1, -1)
    zone = np.where(with_door, DOOR_ZONE, 0)
    width = 2 * seen.half - 500 - zone
    count = np.maximum((width + UNIT_WIDTH // 2) // UNIT_WIDTH, 1)
    unit = np.repeat(width // count, count)
    place = places(count)
    shop = seen.keep(np.repeat(np.arange(len(seen)), count))
    at = np.repeat(-width // 2 - end * zone // 2, count) + place * unit + unit // 2
    key = shop.index * 64 + place
    text = names.shops(draft, key)
    high = np.clip((shop.record["ground"].astype(np.int64) - 150) * 1000 // 3_700, 600, 1_200)
    groups = np.repeat(new_groups(draft, len(seen)), count)
    columns = {"index": key, "text": text}
    closed = variant("storefront", "closed_storefront")
    open_ = np.array([k for k in range(len(bodies("storefront").half[0])) if k != closed])
    models = open_[integers(draft.seed, FRONTS, key, 0, len(open_) - 1, 13)]
    models = np.where(chance(draft.seed, FRONTS, key, 60, 14), closed, models)
    shop.hang(
        draft,
        "storefront",
        at,
        0,
        variant=models,
        sx=(unit - 200) * 1000 // STORE,
        sz=high,
        group=groups,
        place_in_group=place,
        **columns,
    )
    alike = chance(draft.seed, FRONTS, shop.index, 350, 15)
    shaded = chance(draft.seed, FRONTS, np.where(alike, shop.index, key), 480, 16)
    columns = {"index": np.where(alike, shop.index, key)[shaded], "text": text[shaded]}
    low = 2_050 * high[shaded] // 1000  # its upper edge meets the lower edge of the shop's sign
    shop.keep(shaded).hang(
        draft, "awning", at[shaded], low, sx=(unit[shaded] - 500) * 1000 // AWNING, sz=600, **columns
    )
    blade = ~shaded & chance(draft.seed, FRONTS, key, 300, 17)
    side = np.where(chance(draft.seed, FRONTS, key, 500, 18), 1, -1)
    blades = [variant("lettered sign", name) for name in ("blade_sign", "blade_sign_round")]
    shop.keep(blade).hang(
        draft,
        "lettered sign",
        (at + side * (unit // 2 - 100))[blade],
        shop.record["ground"][blade] + 150,
        index=key[blade],
        text=text[blade],
        variant=np.array(blades)[key[blade] % 2],
    )
    before_shops(draft, shop, at, unit, key, models == closed)


def before_shops(draft: Draft, shop: Walls, at: Integers, unit: Integers, key: Integers, closed: Flags) -> None:
    """Rows of tables, sandwich boards, barber poles and plants before shops."""
    served = ~closed & chance(draft.seed, FRONTS, key, 75, 19)
    ours, index = shop.keep(served), key[served]
    x, y = ours.at(at[served], 1_500)
    count = np.clip((unit[served] - 600) // 2_700, 1, 3)
    put_rows(
        draft,
        FRONTS,
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
        some = ~closed & chance(draft.seed, FRONTS, key, share, 20 + out)
        ours, index = shop.keep(some), key[some]
        x, y = ours.at((at + unit // 2 - 900)[some], out)
        said = names.words(draft, names.BOARDS, index, 21) if name == "sandwich board" else -1
        put(
            draft,
            FRONTS,
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
    pole = chance(draft.seed, FRONTS, key, 14, 22)
    shop.keep(pole).hang(draft, "barber pole", (at - unit // 2 + 150)[pole], 1_600, index=key[pole])


def flags(draft: Draft, seen: Walls) -> None:
    """One flag, a pair, or a row of three above the ground floor, all alike or not."""
    grand = draft.things["owner"][draft.things["kind"] == number("portico")]  # it reaches up to where they would hang
    roomy = (seen.half > 2_500) & (seen.floors > 1) & ~np.isin(seen.record["thing"], grand)
    seen = seen.keep(roomy).draw(draft, 75, 23)
    count = 1 + one_of(draft.seed, FRONTS, seen.index, [55, 30, 15], 24)
    each = seen.keep(np.repeat(np.arange(len(seen)), count))
    place, groups = places(count), np.repeat(np.where(count > 1, new_groups(draft, len(seen)), -1), count)
    apart = np.repeat(np.where(count == 2, 3_000, 1_600), count)
    at = place * apart - (np.repeat(count, count) - 1) * apart // 2
    alike = chance(draft.seed, FRONTS, each.index, 650, 25)
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


def fire_escapes(draft: Draft, seen: Walls) -> None:
    """Iron stairs on walk-ups, three floors to a piece, as high as the building."""
    walk_up = of_style(seen, "brick walk-up", "tenement", "cast-iron loft", "warehouse") & (seen.bays >= 2)
    walk_up &= (seen.floors >= 2) & (seen.floors <= 7) & (seen.half > 2_600)
    seen = seen.keep(walk_up & chance(draft.seed, FRONTS, seen.record["thing"], 560, 26))
    seen = seen.draw(draft, 700, 27)
    count = np.maximum(seen.floors // 3, 1)
    each, place = seen.keep(np.repeat(np.arange(len(seen)), count)), places(count)
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


def windows(draft: Draft, seen: Walls) -> None:
    """Air conditioners here and there in windows, window boxes along one floor, columns of balconies."""
    lived = (seen.floors >= 1) & (seen.record["bay"] <= 4_500)
    sealed = of_style(seen, "glass office tower", "panel office")  # their windows do not open
    plain = seen.keep(lived & (seen.floors <= 12) & ~sealed).draw(draft, 260, 28)
    _in_windows(draft, plain, "air conditioner", 0, np.minimum(plain.floors, 5), 110, 29)
    green = seen.keep(lived & (seen.floors <= 7) & ~sealed).draw(draft, 45, 30)
    _in_windows(draft, green, "window box", 0, np.minimum(green.floors, 2), 900, 31)
    _in_columns(draft, seen.keep((seen.floors >= 5) & (seen.bays >= 3)).draw(draft, 70, 32), "balcony", 33)
    homely = of_style(seen, "brick walk-up", "brownstone", "painted rowhouse") & (seen.floors <= 5)
    _in_columns(draft, seen.keep(homely & (seen.half > 2_600)).draw(draft, 70, 44), "bay window", 45)


def _in_columns(draft: Draft, seen: Walls, name: str, draw: int) -> None:
    """One above another in a drawn bay, floor by floor."""
    count = np.clip(seen.floors - 1, 0, 8)
    each, place = seen.keep(np.repeat(np.arange(len(seen)), count)), places(count)
    column = np.repeat(integers(draft.seed, FRONTS, seen.index, 0, seen.bays - 1, draw), count)
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


def _in_windows(draft: Draft, seen: Walls, name: str, first: int, floors: Integers, share: int, draw: int) -> None:
    """Things on the sills of drawn windows of the lowest floors."""
    count = floors * seen.bays
    wall, place = np.repeat(np.arange(len(seen)), count), places(count)
    key = seen.index[wall] * 1024 + place
    drawn = chance(draft.seed, FRONTS, key, share, draw)
    each, place, key = seen.keep(wall[drawn]), place[drawn], key[drawn]
    floor, column = np.divmod(place, each.bays)
    each.hang(draft, name, each.bay(column), each.sill(floor + first), index=each.index)


def signs(draft: Draft, seen: Walls) -> None:
    """Names of houses in tall letters, boards, theatre marquees, clocks, and billboards on low roofs."""
    front = seen.keep((seen.side == 0) & (seen.half > 3_000) & (seen.street >= 0))
    tall = front.keep(front.floors >= 2).draw(draft, 55, 34)
    tall.hang(
        draft,
        "lettered sign",
        tall.half - 500,
        tall.record["ground"] + 300,
        text=names.words(draft, names.HOUSES, tall.index, 35),
        variant=variant("lettered sign", "blade_sign_tall"),
    )
    board = front.draw(draft, 70, 36)
    board.hang(
        draft,
        "lettered sign",
        0,
        board.record["ground"] - 50,
        text=names.words(draft, names.HOUSES, board.index, 37),
        variant=variant("lettered sign", "sign_board"),
    )
    blank = seen.keep((seen.side != 0) & (seen.half > 3_000)).draw(draft, 90, 46)
    blank.hang(draft, "blank sign", 0, 2_200, variant=variant("blank sign", "blank_sign_on_wall"))
    show = front.keep(front.half > 5_000).draw(draft, 16, 38)
    show.hang(draft, "marquee", 0, 3_400, text=names.words(draft, names.SHOWS, show.index, 39))
    clock = front.draw(draft, 7, 40)
    clock.hang(draft, "clock", -clock.half // 2, clock.record["ground"] + 200)
    low = front.keep((front.record["height"] < 16_000) & (front.half > 3_600)).draw(draft, 30, 41)
    x, y = low.at(0, -1_300)
    draft.add(
        rows(
            draft,
            FRONTS,
            "billboard",
            x,
            y,
            *low.out,
            low.index,
            z=low.record["height"],
            owner=low.record["thing"],
            street=low.street,
            text=names.words(draft, names.ADVERTS, low.index, 42),
        )
    )


def bollards(draft: Draft, seen: Walls) -> None:
    """Rows of bollards near the kerb before some large buildings."""
    large = seen.keep((seen.side == 0) & (seen.half > 7_000) & (seen.record["height"] > 20_000)).draw(draft, 70, 49)
    walk = np.zeros(int(draft.roads["street"].max()) + 1, np.int64)
    np.maximum.at(walk, draft.roads["street"], draft.roads["walk"])
    count = np.clip(large.half * 2 // 1_500 - 2, 4, 12)
    x, y = large.at(0, walk[large.street] - 300 - 650)
    put_rows(
        draft,
        FRONTS,
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
MURALS = (6_000, 5_200)  # usual width and height


def murals(draft: Draft, plain: Walls) -> None:
    """Paintings on side walls that nothing stands close to or that see lots and parks, and graffiti low on others."""
    stairs = draft.things["owner"][draft.things["kind"] == number("fire escape")]
    open_ = (plain.street < 0) & (plain.half > 3_000) & ~np.isin(plain.record["thing"], stairs)
    _paint(draft, plain.keep(open_).draw(draft, 130, 52))
    blank = walls(draft, seen=False)
    blank = blank.keep((blank.side % 2 == 1) & (blank.half > 3_000)).draw(draft, 700, 43)
    large = chance(draft.seed, FRONTS, blank.index, 600, 47)
    sprayed, painted = blank.keep(~large), blank.keep(large)
    _paint(draft, painted)
    sprayed.hang(draft, "graffiti", sprayed.half // 2, 0, text=names.words(draft, names.TAGS, sprayed.index, 51))
    bare = plain.keep((plain.side != 0) & (plain.half > 3_500) & ~second_door(draft, plain))
    bare = bare.draw(draft, usual("litter", bare.record["district"]) // 6, 48)
    bare.hang(draft, "graffiti", -bare.half // 2, 0, text=names.words(draft, names.TAGS, bare.index, 51))


def _paint(draft: Draft, plain: Walls) -> None:
    """A mural over most of each wall."""
    wide = np.minimum(2 * plain.half - 800, 16_000) * 1000 // MURALS[0]
    high = np.minimum(plain.record["height"].astype(np.int64) - 1_000, 10_000) * 1000 // MURALS[1]
    kind = np.where(chance(draft.seed, FRONTS, plain.index, 220, 53), *(variant("mural", m) for m in MOTIFS))
    plain.hang(draft, "mural", 0, 300, sx=wide, sz=high, variant=kind)
