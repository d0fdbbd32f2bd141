"""Objects on the street sides of buildings: doors, shops, awnings, signs, flags, fire escapes, objects in windows."""

from __future__ import annotations

import numpy as np

from bearleft.world.city import names
from bearleft.world.city.bridges import meets_bridge
from bearleft.world.city.catalog import class_index
from bearleft.world.city.districts import district_values
from bearleft.world.city.facades import STYLES
from bearleft.world.city.placement import (
    Flags,
    RowLayout,
    make_things,
    model_extents,
    new_groups,
    place_rows,
    place_things,
    raster_of,
    reserve,
    running_index,
    select_pair,
    variant_index,
)
from bearleft.world.city.plan import Draft
from bearleft.world.city.randomness import Integers, chance, integers, weighted_choice
from bearleft.world.city.raster import BUILDING
from bearleft.world.city.walls import AT_WALL, STAGE, Walls, building_walls, is_hidden

STORE_WIDTH, AWNING_WIDTH = 5_060, 3_600  # millimetres: widths of the models
SHOP_WIDTH = 5_600  # typical
DOOR_ZONE_WIDTH = 3_200  # part of a front with shops that is reserved for the house's own door


def has_style(walls: Walls, *style_names: str) -> Flags:
    """Return whether each wall's building has one of the styles."""
    styles = [k for k, style in enumerate(STYLES) if style.name in style_names]
    return np.asarray(np.isin(walls.record["style"], styles), np.bool_)


def place_facade_objects(draft: Draft) -> None:
    """Place all objects on walls, and those in front of doors and shops."""
    if not len(draft.buildings):
        return
    walls = building_walls(draft)
    is_behind = is_hidden(draft, walls)
    is_clear = ~meets_bridge(draft, walls) & ~is_behind
    with_shops = has_shops(draft, walls) & is_clear
    is_entered = ~is_behind & (walls.record["street"] >= 0)  # houses behind parks and lots have their doors elsewhere
    place_doors(draft, walls.select(is_entered & is_clear), with_shops[is_entered & is_clear])
    under_bridges = walls.select(is_entered & ~is_clear & (walls.side == 0))
    under_bridges.hang(draft, "door", under_bridges.half - 1_000, 0, variant=variant_index("door", "panel_door"))
    place_storefronts(draft, walls.select(with_shops))
    place_flags(draft, walls.select(is_clear))
    place_fire_escapes(draft, walls.select(is_clear))
    place_in_windows(draft, walls.select(is_clear))
    place_signs(draft, walls.select(~with_shops & is_clear))
    place_murals(draft, walls.select(~with_shops & is_clear))
    place_bollards(draft, walls.select(walls.street >= 0))


def has_shops(draft: Draft, walls: Walls) -> Flags:
    """Return whether each wall's ground floor has shops: all along some streets, single ones elsewhere."""
    per_mille = district_values("shops", walls.record["district"])
    on_street = chance(draft.seed, STAGE, walls.street, per_mille * 9 // 10, salt=1)
    is_single = chance(draft.seed, STAGE, walls.index, per_mille // 5, salt=2)
    fits = (walls.half >= 2_300) & (walls.record["ground"] >= 3_000) & (walls.street >= 0)
    return np.asarray((on_street | is_single) & fits, np.bool_)


def door_offset(draft: Draft, walls: Walls, shops: Flags) -> Integers:
    """Return the position of each wall's door: at an end beside shops, else in the middle bay or an end bay."""
    end = np.where(chance(draft.seed, STAGE, walls.index, 500, salt=3), 1, -1)
    is_central = chance(draft.seed, STAGE, walls.index, 550, salt=4)
    bay = walls.bay(np.where(is_central, walls.bays // 2, np.where(end > 0, 0, walls.bays - 1)))
    limit = np.maximum(walls.half - 1_500, 0)
    return np.where(shops, end * np.maximum(walls.half - DOOR_ZONE_WIDTH // 2 - 200, 0), np.clip(bay, -limit, limit))


def has_side_door(draft: Draft, walls: Walls) -> Flags:
    """Return whether a side other than the front has a door as well."""
    return chance(draft.seed, STAGE, walls.index, 250, salt=5)


DOOR_WEIGHTS = {"panel_door": 420, "stoop_door": 160, "glass_doors": 200, "arched_door": 110, "garage_door": 60}
HOUSE_DOOR_WEIGHTS = {"panel_door": 300, "stoop_door": 640, "arched_door": 60}
TALL_DOOR_WEIGHTS = {"panel_door": 60, "glass_doors": 700, "arched_door": 180, "garage_door": 60}
MODERN_DOOR_WEIGHTS = {"glass_doors": 930, "garage_door": 70}


def place_doors(draft: Draft, walls: Walls, shops: Flags) -> None:
    """Place a door on every front and on some other street sides, with lamps, plants, an awning or a canopy."""
    is_wide = ~shops | (walls.half >= (DOOR_ZONE_WIDTH + SHOP_WIDTH) // 2)
    has_door = is_wide & ((walls.side == 0) | has_side_door(draft, walls)) & (walls.half >= 1_700)
    position, shops, door_walls = door_offset(draft, walls, shops)[has_door], shops[has_door], walls.select(has_door)
    variant = _door_variants(draft, DOOR_WEIGHTS, door_walls)
    variant = np.where(
        door_walls.record["height"] > 24_000, _door_variants(draft, TALL_DOOR_WEIGHTS, door_walls), variant
    )
    variant = np.where(
        has_style(door_walls, "brownstone", "painted rowhouse"),
        _door_variants(draft, HOUSE_DOOR_WEIGHTS, door_walls),
        variant,
    )
    modern = has_style(door_walls, "glass office tower", "panel office", "concrete slab", "white-brick apartment")
    variant = np.where(modern, _door_variants(draft, MODERN_DOOR_WEIGHTS, door_walls), variant)
    panel, stoop, garage = (variant_index("door", name) for name in ("panel_door", "stoop_door", "garage_door"))
    variant = np.where((variant == stoop) & shops | (variant == garage) & (door_walls.half < 2_500), panel, variant)
    limit = np.maximum(door_walls.half - model_extents("door").half[0][variant] - 100, 0)
    position = np.clip(position, -limit, limit)
    at = door_walls.at(position, 1_250)
    has_stoop = np.zeros(len(door_walls), np.bool_)
    wants_stoop = variant == stoop
    has_stoop[wants_stoop] = reserve(
        draft,
        select_pair(at, wants_stoop),
        select_pair(door_walls.out, wants_stoop),
        (1_150, 1_000),
        AT_WALL,
    )
    variant = np.where(wants_stoop & ~has_stoop, panel, variant)
    house_names = names.choose_texts(draft, names.HOUSES, door_walls.index, 7)
    text = np.where(variant == variant_index("door", "glass_doors"), house_names, -1)
    door_walls.hang(draft, "door", position, 0, variant=variant, text=text)
    place_beside_doors(draft, door_walls, position, variant, shops, text)


def _door_variants(draft: Draft, table: dict[str, int], walls: Walls) -> Integers:
    variants = np.array([variant_index("door", name) for name in table])
    return np.asarray(variants[weighted_choice(draft.seed, STAGE, walls.index, list(table.values()), salt=6)], np.int64)


def place_beside_doors(
    draft: Draft, walls: Walls, position: Integers, variant: Integers, shops: Flags, text: Integers
) -> None:
    """Place porticos, canopies, awnings, and pairs of wall lamps and potted plants at doors."""
    half = np.maximum(model_extents("door").half[0][variant], 700)
    is_plain = (
        (variant != variant_index("door", "stoop_door")) & (variant != variant_index("door", "garage_door")) & ~shops
    )
    grand = is_plain & (walls.record["height"] > 20_000)
    wants_canopy = grand & chance(draft.seed, STAGE, walls.index, 330, salt=8)
    canopy_points = walls.at(position, 2_100)
    # The rectangle begins 500 mm from the wall, so a building below it is another one.
    is_open = (raster_of(draft).covers(walls.at(position, 2_250), walls.out, (1_050, 1_750)) & BUILDING) == 0
    wants_canopy &= is_open
    has_canopy = np.zeros(len(walls), np.bool_)
    has_canopy[wants_canopy] = reserve(
        draft,
        select_pair(canopy_points, wants_canopy),
        select_pair(walls.out, wants_canopy),
        (1_050, 1_900),
        AT_WALL,
    )
    subset = walls.select(has_canopy)
    subset.hang(draft, "canopy", position[has_canopy], 0, text=names.choose_texts(draft, names.HOUSES, subset.index, 7))
    has_portico = (
        grand
        & ~has_canopy
        & (walls.half - np.abs(position) > 3_900)
        & chance(draft.seed, STAGE, walls.index, 90, salt=9)
    )
    subset = walls.select(has_portico)
    place_things(
        draft,
        STAGE,
        "portico",
        subset.at(position[has_portico], 70),
        subset.out,
        subset.index,
        AT_WALL,
        owner=subset.record["thing"],
        street=subset.street,
        text=names.choose_texts(draft, names.PORTICO_TEXTS, subset.index, 50),
    )
    has_awning = is_plain & ~has_canopy & chance(draft.seed, STAGE, walls.index, 240, salt=10)
    walls.select(has_awning).hang(
        draft, "awning", position[has_awning], 2_500, sx=620, sy=800, sz=800, text=text[has_awning]
    )
    has_lamps = ~shops & chance(draft.seed, STAGE, walls.index, 330, salt=11)
    groups = new_groups(draft, int(has_lamps.sum()))
    lamp_height = 2_000 + 1_200 * (variant[has_lamps] == variant_index("door", "stoop_door"))
    for side in (-1, 1):
        beside = position[has_lamps] + side * (half[has_lamps] + 350)
        walls.select(has_lamps).hang(
            draft, "wall lamp", beside, lamp_height, group=groups, place_in_group=(side + 1) // 2
        )
    planted = np.flatnonzero(
        is_plain & ~has_canopy & ~has_portico & chance(draft.seed, STAGE, walls.index, 170, salt=12)
    )
    pairs = []
    for side in (-1, 1):
        at = walls.at(position + side * (half + 500), 650)
        subset = walls.select(planted)
        plants = place_things(
            draft,
            STAGE,
            "potted plant",
            select_pair(at, planted),
            subset.out,
            subset.index,
            AT_WALL,
            owner=subset.record["thing"],
            street=subset.street,
        )
        pairs.append(plants)
    both = (pairs[0] >= 0) & (pairs[1] >= 0)
    groups = new_groups(draft, int(both.sum()))
    for place, plants in enumerate(pairs):
        draft.things["group"][plants[both]], draft.things["place_in_group"][plants[both]] = groups, place


def place_storefronts(draft: Draft, walls: Walls) -> None:
    """Place shops side by side along whole walls, with names, awnings, blade signs, boards and tables."""
    with_door = (walls.half >= (DOOR_ZONE_WIDTH + SHOP_WIDTH) // 2) & ((walls.side == 0) | has_side_door(draft, walls))
    end = np.where(chance(draft.seed, STAGE, walls.index, 500, salt=3), 1, -1)
    zone = np.where(with_door, DOOR_ZONE_WIDTH, 0)
    width = 2 * walls.half - 500 - zone
    count = np.maximum((width + SHOP_WIDTH // 2) // SHOP_WIDTH, 1)
    unit = np.repeat(width // count, count)
    place = running_index(count)
    shop = walls.select(np.repeat(np.arange(len(walls)), count))
    position = np.repeat(-width // 2 - end * zone // 2, count) + place * unit + unit // 2
    key = shop.index * 64 + place
    text = names.shop_texts(draft, key)
    height_scale = np.clip((shop.record["ground"].astype(np.int64) - 150) * 1000 // 3_700, 600, 1_200)
    groups = np.repeat(new_groups(draft, len(walls)), count)
    columns = {"index": key, "text": text}
    closed = variant_index("storefront", "closed_storefront")
    open_models = np.array([k for k in range(len(model_extents("storefront").half[0])) if k != closed])
    models = open_models[integers(draft.seed, STAGE, key, 0, len(open_models) - 1, salt=13)]
    models = np.where(chance(draft.seed, STAGE, key, 60, salt=14), closed, models)
    shop.hang(
        draft,
        "storefront",
        position,
        0,
        variant=models,
        sx=(unit - 200) * 1000 // STORE_WIDTH,
        sz=height_scale,
        group=groups,
        place_in_group=place,
        **columns,
    )
    is_uniform = chance(draft.seed, STAGE, shop.index, 350, salt=15)
    has_awning = chance(draft.seed, STAGE, np.where(is_uniform, shop.index, key), 480, salt=16)
    columns = {"index": np.where(is_uniform, shop.index, key)[has_awning], "text": text[has_awning]}
    awning_z = 2_050 * height_scale[has_awning] // 1000  # its upper edge meets the lower edge of the sign
    shop.select(has_awning).hang(
        draft,
        "awning",
        position[has_awning],
        awning_z,
        sx=(unit[has_awning] - 500) * 1000 // AWNING_WIDTH,
        sz=600,
        **columns,
    )
    has_blade = ~has_awning & chance(draft.seed, STAGE, key, 300, salt=17)
    side = np.where(chance(draft.seed, STAGE, key, 500, salt=18), 1, -1)
    blades = [variant_index("lettered sign", name) for name in ("blade_sign", "blade_sign_round")]
    shop.select(has_blade).hang(
        draft,
        "lettered sign",
        (position + side * (unit // 2 - 100))[has_blade],
        shop.record["ground"][has_blade] + 150,
        index=key[has_blade],
        text=text[has_blade],
        variant=np.array(blades)[key[has_blade] % 2],
    )
    place_before_shops(draft, shop, position, unit, key, models == closed)


def place_before_shops(
    draft: Draft, shop: Walls, position: Integers, unit: Integers, key: Integers, closed: Flags
) -> None:
    """Place tables, sandwich boards, barber poles and plants in front of shops."""
    has_tables = ~closed & chance(draft.seed, STAGE, key, 75, salt=19)
    subset, index = shop.select(has_tables), key[has_tables]
    count = np.clip((unit[has_tables] - 600) // 2_700, 1, 3)
    place_rows(
        draft,
        STAGE,
        "cafe table",
        subset.at(position[has_tables], 1_500),
        subset.out,
        index,
        RowLayout(count, 2_700, alike=True),
        AT_WALL | BUILDING,
        owner=subset.record["thing"],
        street=subset.street,
    )
    for name, per_mille, out in (("sandwich board", 130, 2_000), ("potted plant", 70, 700)):
        mask = ~closed & chance(draft.seed, STAGE, key, per_mille, salt=20 + out)
        subset, index = shop.select(mask), key[mask]
        text = names.choose_texts(draft, names.BOARDS, index, 21) if name == "sandwich board" else -1
        place_things(
            draft,
            STAGE,
            name,
            subset.at((position + unit // 2 - 900)[mask], out),
            subset.out,
            index,
            AT_WALL | BUILDING,
            owner=subset.record["thing"],
            street=subset.street,
            text=text,
        )
    has_pole = chance(draft.seed, STAGE, key, 14, salt=22)
    shop.select(has_pole).hang(draft, "barber pole", (position - unit // 2 + 150)[has_pole], 1_600, index=key[has_pole])


def place_flags(draft: Draft, walls: Walls) -> None:
    """Place one flag, a pair, or a row of three above the ground floor, uniform or not."""
    # A portico reaches up to the height of flags.
    grand = draft.things["owner"][draft.things["kind"] == class_index("portico")]
    is_suitable = (walls.half > 2_500) & (walls.floors > 1) & ~np.isin(walls.record["thing"], grand)
    walls = walls.select(is_suitable).sample(draft, 75, 23)
    count = 1 + weighted_choice(draft.seed, STAGE, walls.index, [55, 30, 15], salt=24)
    repeated = walls.select(np.repeat(np.arange(len(walls)), count))
    place, groups = running_index(count), np.repeat(np.where(count > 1, new_groups(draft, len(walls)), -1), count)
    spacing = np.repeat(np.where(count == 2, 3_000, 1_600), count)
    position = place * spacing - (np.repeat(count, count) - 1) * spacing // 2
    is_uniform = chance(draft.seed, STAGE, repeated.index, 650, salt=25)
    key = np.where(is_uniform, repeated.index * 4, repeated.index * 4 + place)
    repeated.hang(
        draft,
        "flag",
        position,
        repeated.record["ground"] + 250,
        index=key,
        group=groups,
        place_in_group=np.where(groups < 0, 0, place),
    )


def place_fire_escapes(draft: Draft, walls: Walls) -> None:
    """Place iron stairs on walk-ups, three floors per piece, as high as the building."""
    is_walk_up = has_style(walls, "brick walk-up", "tenement", "cast-iron loft", "warehouse") & (walls.bays >= 2)
    is_walk_up &= (walls.floors >= 2) & (walls.floors <= 7) & (walls.half > 2_600)
    walls = walls.select(is_walk_up & chance(draft.seed, STAGE, walls.record["thing"], 560, salt=26))
    walls = walls.sample(draft, 700, 27)
    count = np.maximum(walls.floors // 3, 1)
    repeated, place = walls.select(np.repeat(np.arange(len(walls)), count)), running_index(count)
    step = repeated.record["floor"].astype(np.int64)
    limit = np.maximum(repeated.half - 2_000, 0)
    position = np.clip((repeated.bay(0) + repeated.bay(1)) // 2, -limit, limit)
    groups = np.repeat(new_groups(draft, len(walls)), count)
    repeated.hang(
        draft,
        "fire escape",
        position,
        repeated.record["ground"] + 3 * place * step + 200,
        sz=step * 1000 // 3_300,
        index=repeated.index,
        group=groups,
        place_in_group=place,
    )


def place_in_windows(draft: Draft, walls: Walls) -> None:
    """Place air conditioners in windows, window boxes along one floor, and columns of balconies."""
    is_inhabited = (walls.floors >= 1) & (walls.record["bay"] <= 4_500)
    is_sealed = has_style(walls, "glass office tower", "panel office")  # windows that do not open
    plain = walls.select(is_inhabited & (walls.floors <= 12) & ~is_sealed).sample(draft, 260, 28)
    _place_on_sills(draft, plain, "air conditioner", 0, np.minimum(plain.floors, 5), 110, 29)
    green = walls.select(is_inhabited & (walls.floors <= 7) & ~is_sealed).sample(draft, 45, 30)
    _place_on_sills(draft, green, "window box", 0, np.minimum(green.floors, 2), 900, 31)
    _place_in_columns(draft, walls.select((walls.floors >= 5) & (walls.bays >= 3)).sample(draft, 70, 32), "balcony", 33)
    is_residential = has_style(walls, "brick walk-up", "brownstone", "painted rowhouse") & (walls.floors <= 5)
    _place_in_columns(
        draft, walls.select(is_residential & (walls.half > 2_600)).sample(draft, 70, 44), "bay window", 45
    )


def _place_in_columns(draft: Draft, walls: Walls, name: str, salt: int) -> None:
    """Place objects one above another in a random bay, floor by floor."""
    count = np.clip(walls.floors - 1, 0, 8)
    repeated, place = walls.select(np.repeat(np.arange(len(walls)), count)), running_index(count)
    column = np.repeat(integers(draft.seed, STAGE, walls.index, 0, walls.bays - 1, salt=salt), count)
    step = repeated.record["floor"].astype(np.int64)
    groups = np.repeat(new_groups(draft, len(walls)), count)
    limit = np.maximum(repeated.half - 1_700, 0)
    repeated.hang(
        draft,
        name,
        np.clip(repeated.bay(column), -limit, limit),
        repeated.record["ground"] + (place + 1) * step + 150,
        index=repeated.index,
        group=groups,
        place_in_group=place,
    )


def _place_on_sills(
    draft: Draft, walls: Walls, name: str, first: int, floors: Integers, per_mille: int, salt: int
) -> None:
    """Place objects on the sills of random windows of the lowest floors."""
    count = floors * walls.bays
    wall, place = np.repeat(np.arange(len(walls)), count), running_index(count)
    key = walls.index[wall] * 1024 + place
    is_used = chance(draft.seed, STAGE, key, per_mille, salt=salt)
    repeated, place, key = walls.select(wall[is_used]), place[is_used], key[is_used]
    floor, column = np.divmod(place, repeated.bays)
    repeated.hang(draft, name, repeated.bay(column), repeated.sill(floor + first), index=repeated.index)


def place_signs(draft: Draft, walls: Walls) -> None:
    """Place vertical house names, boards, theatre marquees, clocks, and billboards on low roofs."""
    front = walls.select((walls.side == 0) & (walls.half > 3_000) & (walls.street >= 0))
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
    blank = walls.select((walls.side != 0) & (walls.half > 3_000)).sample(draft, 90, 46)
    blank.hang(draft, "blank sign", 0, 2_200, variant=variant_index("blank sign", "blank_sign_on_wall"))
    show = front.select(front.half > 5_000).sample(draft, 16, 38)
    show.hang(draft, "marquee", 0, 3_400, text=names.choose_texts(draft, names.SHOWS, show.index, 39))
    clock = front.sample(draft, 7, 40)
    clock.hang(draft, "clock", -clock.half // 2, clock.record["ground"] + 200)
    low = front.select((front.record["height"] < 16_000) & (front.half > 3_600)).sample(draft, 30, 41)
    draft.add(
        make_things(
            draft,
            STAGE,
            "billboard",
            low.at(0, -1_300),
            low.out,
            low.index,
            z=low.record["height"],
            owner=low.record["thing"],
            street=low.street,
            text=names.choose_texts(draft, names.ADVERTS, low.index, 42),
        )
    )


def place_bollards(draft: Draft, walls: Walls) -> None:
    """Place rows of bollards near the kerb in front of some large buildings."""
    large = walls.select((walls.side == 0) & (walls.half > 7_000) & (walls.record["height"] > 20_000)).sample(
        draft, 70, 49
    )
    walk = np.zeros(int(draft.roads["street"].max()) + 1, np.int64)
    np.maximum.at(walk, draft.roads["street"], draft.roads["walk"])
    count = np.clip(large.half * 2 // 1_500 - 2, 4, 12)
    place_rows(
        draft,
        STAGE,
        "bollard",
        large.at(0, walk[large.street] - 300 - 650),
        large.out,
        large.index,
        RowLayout(count, 1_500, alike=True),
        street=large.street,
        owner=large.record["thing"],
    )


MOTIFS = ("painted_portrait", "mural")
MURAL_SIZE = (6_000, 5_200)  # millimetres: width and height of the model


def place_murals(draft: Draft, plain: Walls) -> None:
    """Place murals on free side walls, and graffiti low on others."""
    with_stairs = draft.things["owner"][draft.things["kind"] == class_index("fire escape")]
    is_open = (plain.street < 0) & (plain.half > 3_000) & ~np.isin(plain.record["thing"], with_stairs)
    _place_murals(draft, plain.select(is_open).sample(draft, 130, 52))
    blank = building_walls(draft, visible=False)
    blank = blank.select((blank.side % 2 == 1) & (blank.half > 3_000)).sample(draft, 700, 43)
    is_painted = chance(draft.seed, STAGE, blank.index, 600, salt=47)
    sprayed, painted = blank.select(~is_painted), blank.select(is_painted)
    _place_murals(draft, painted)
    sprayed.hang(draft, "graffiti", sprayed.half // 2, 0, text=names.choose_texts(draft, names.TAGS, sprayed.index, 51))
    low_walls = plain.select((plain.side != 0) & (plain.half > 3_500) & ~has_side_door(draft, plain))
    low_walls = low_walls.sample(draft, district_values("litter", low_walls.record["district"]) // 6, 48)
    low_walls.hang(
        draft, "graffiti", -low_walls.half // 2, 0, text=names.choose_texts(draft, names.TAGS, low_walls.index, 51)
    )


def _place_murals(draft: Draft, walls: Walls) -> None:
    """Place a mural over most of each wall."""
    width_scale = np.minimum(2 * walls.half - 800, 16_000) * 1000 // MURAL_SIZE[0]
    height_scale = np.minimum(walls.record["height"].astype(np.int64) - 1_000, 10_000) * 1000 // MURAL_SIZE[1]
    variant = np.where(
        chance(draft.seed, STAGE, walls.index, 220, salt=53), *(variant_index("mural", m) for m in MOTIFS)
    )
    walls.hang(draft, "mural", 0, 300, sx=width_scale, sz=height_scale, variant=variant)
