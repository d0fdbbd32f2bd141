"""What stands along the streets of the sections: all kinds of KINDS, round after round, wherever there is room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bearleft.world.arramon.sections.houses import section_themes
from bearleft.world.arramon.sections.layout import DIRECTIONS, SECTION_SPACING, Layout, Segment, section_layouts
from bearleft.world.arramon.sections.object_kinds import OBJECT_KINDS
from bearleft.world.arramon.sections.themes import Theme
from bearleft.world.city import names, raster
from bearleft.world.city.palette import colour_index
from bearleft.world.city.placement import (
    footprints,
    make_things,
    model_extents,
    new_groups,
    raster_of,
    reserve,
    variant_index,
)
from bearleft.world.city.plan import UNIT, Draft
from bearleft.world.city.randomness import Stage
from bearleft.world.rooms.room_random import SeededRandom

STAGE = Stage.STREET_OBJECTS
ROUNDS = 4  # so often every kind is put down in a section, clusters counted once
MAX_TRIES = 60
MIN_PER_KIND = 3  # of a kind in a section
CLEARANCE = 650  # millimetres between two things, so that one can pass
SAME_KIND_DISTANCE = 9_000  # between two things of one kind, at first
BLOCKED_ON_ROAD = raster.CAMERA | raster.BUILDING | raster.THING
BLOCKED_BESIDE_ROAD = BLOCKED_ON_ROAD | raster.ROAD


@dataclass(frozen=True)
class Placement:
    """A point in the world, the way its thing looks (a number into WAYS), and the street there."""

    x: int
    y: int
    way: int
    street: int = -1


@dataclass
class SectionBuilder:
    """A section in the making."""

    draft: Draft
    layout: Layout
    rng: SeededRandom
    pieces: list[Segment]
    squares: list[int]
    stood: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    paints: dict[str, list[str]] = field(default_factory=dict)

    def paint(self, kind: str) -> str:
        """The next colour of a kind: by turns, so that a section has as many as it can."""
        left = self.paints.setdefault(kind, [])
        if not left:
            left += self.rng.shuffled(OBJECT_KINDS[kind].colours)
        return left.pop()

    def street(self, piece: Segment) -> int:
        """The number of a piece's street."""
        ahead = piece[0][1] == piece[1][1]
        return (self.layout.number - 1) * 6 + (piece[0][1] if ahead else 3 + piece[0][0])

    def along(self, piece: Segment, on: int, out: int, turn: int) -> Placement:
        """`on` millimetres along a piece and `out` to its right, looking along it, or turned by quarters."""
        begin = self.layout.node(piece[0])
        ahead = piece[0][1] == piece[1][1]
        at = self.layout.at(begin[0] + on, begin[1] + out) if ahead else self.layout.at(begin[0] - out, begin[1] + on)
        return Placement(*at, ((0 if ahead else 1) + turn) % 4, self.street(piece))

    def length(self, piece: Segment) -> int:
        """Of a piece, from node to node."""
        (low, left), (high, right) = (self.layout.node(node) for node in piece)
        return high - low + right - left


PositionSampler = Callable[[SectionBuilder, int, int], Placement]  # of a thing so wide and so deep, half of each


def kerb(work: SectionBuilder, _hx: int, hy: int) -> Placement:
    """On the sidewalk beside the kerb, looking at the houses or the road."""
    piece, side = work.rng.choice(work.pieces), work.rng.choice((-1, 1))
    on = work.rng.randint(work.layout.half + 900, work.length(piece) - work.layout.half - 900)
    turn = side if work.rng.chance(600) else -side
    return work.along(piece, on, side * (work.layout.half + 260 + hy), -turn)


def wall(work: SectionBuilder, hx: int, hy: int) -> Placement:
    """With its back to a house."""
    piece, side = work.rng.choice(work.pieces), work.rng.choice((-1, 1))
    on = work.rng.randint(work.layout.wide + hx, work.length(piece) - work.layout.wide - hx)
    return work.along(piece, on, side * (work.layout.wide - 260 - hy), -side)


def edge(work: SectionBuilder, hx: int, hy: int) -> Placement:
    """On the road, along the kerb, its back to the sidewalk."""
    piece, side = work.rng.choice(work.pieces), work.rng.choice((-1, 1))
    on = work.rng.randint(work.layout.half + hx + 600, work.length(piece) - work.layout.half - hx - 600)
    return work.along(piece, on, side * (work.layout.half - 200 - hy), -side)


def road(work: SectionBuilder, hx: int, hy: int) -> Placement:
    """On the road, across it or along it."""
    piece, turn = work.rng.choice(work.pieces), work.rng.randint(0, 3)
    reach = max(work.layout.half - 150 - (hx if turn % 2 == 0 else hy), 0)
    out = work.rng.choice((-1, 1)) * work.rng.randint(reach // 2, reach)
    on = work.rng.randint(work.layout.half, work.length(piece) - work.layout.half)
    return work.along(piece, on, out, turn)


def corner(work: SectionBuilder, _hx: int, _hy: int) -> Placement:
    """Where a street meets a crossing, on the right of who comes to it and looking at him."""
    piece, far = work.rng.choice(work.pieces), work.rng.chance(500)
    arms = work.layout.arms(piece[1 if far else 0])
    on = work.layout.half + work.rng.randint(650, 1_500) if len(arms) > 1 else work.length(piece) // 2
    return _facing_traffic(work, piece, on, far)


def post(work: SectionBuilder, _hx: int, _hy: int) -> Placement:
    """Anywhere at the kerb, on the right of who comes and looking at him."""
    piece, far = work.rng.choice(work.pieces), work.rng.chance(500)
    return _facing_traffic(work, piece, work.rng.randint(work.layout.wide, work.length(piece) - work.layout.wide), far)


def _facing_traffic(work: SectionBuilder, piece: Segment, on: int, far: bool) -> Placement:
    """So far from one end of a piece, beside the kerb, turned to who comes to that end."""
    if far:
        return work.along(piece, work.length(piece) - on, work.layout.half + 500, 2)
    return work.along(piece, on, -work.layout.half - 500, 0)


def square(work: SectionBuilder, hx: int, hy: int) -> Placement:
    """Somewhere in an alley, a park or on a square, else at a house."""
    if not work.squares:
        return wall(work, hx, hy)
    area = work.draft.areas[work.rng.choice(work.squares)]
    ahead = work.rng.randint(-int(area["hy"]) + 600, int(area["hy"]) - 600)
    right = work.rng.randint(-int(area["hx"]) + 600, int(area["hx"]) - 600)
    ux, uy = DIRECTIONS[0]
    x = int(area["x"]) + (ahead * ux + right * uy) // UNIT
    return Placement(x, int(area["y"]) + (ahead * uy - right * ux) // UNIT, work.rng.randint(0, 3))


# Where each kind likes to stand, and how many of a thousand come as a row of two or three.
PLACEMENTS: dict[str, tuple[tuple[PositionSampler, ...], int]] = {
    "dumpster 1": ((edge, wall, square), 0),
    "dumpster 2": ((edge,), 0),
    "traffic light 1": ((corner,), 0),
    "traffic light 2": ((corner,), 0),
    "stop sign": ((corner, post), 0),
    "speed limit sign": ((post,), 0),
    "traffic barrier 1": ((road, kerb), 300),
    "traffic barrier 2": ((road,), 0),
    "traffic barrier 3": ((edge, road), 200),
    "traffic barrier 4": ((road, edge), 400),
    "traffic barrier 5": ((road, kerb), 300),
    "barrel": ((road, kerb, edge), 400),
    "tire pile": ((edge, wall, square), 0),
    "mailbox": ((kerb, wall), 0),
    "trash can 1": ((kerb, wall, square), 150),
    "trash can 2": ((kerb, wall, square), 0),
    "metal bench": ((wall, kerb, square), 150),
    "wooden bench": ((square, wall, kerb), 200),
    "traffic cone": ((road, edge, kerb), 550),
    "garbage bags": ((kerb, wall, square), 0),
    "hydrant": ((kerb,), 0),
    "phone booth": ((wall, kerb), 0),
}


def place_street_objects(draft: Draft) -> None:
    """Puts lamps and banners, then everything else, then trees down in every section."""
    for layout, theme in zip(section_layouts(draft.seed), section_themes(draft.seed), strict=True):
        inside = [k for k, area in enumerate(draft.areas) if _is_square(draft, layout, area)]
        work = SectionBuilder(
            draft, layout, SeededRandom(draft.seed, layout.number, STAGE), list(layout.pieces()), inside
        )
        _place_lamps(work)
        for _ in range(ROUNDS):
            for kind in work.rng.shuffled(list(PLACEMENTS)):
                _place_kind(work, kind)
        for kind in PLACEMENTS:
            for _ in range(ROUNDS):
                if len(work.stood.get(kind, ())) < MIN_PER_KIND:
                    _place_kind(work, kind)
        _plant_trees(work, theme)


def _is_square(draft: Draft, layout: Layout, area: np.void) -> bool:
    """Whether an area is open ground between houses of a section."""
    x, y = int(area["x"]), int(area["y"])
    near = abs(x - layout.x) < SECTION_SPACING // 2 and abs(y - layout.y) < SECTION_SPACING // 2
    return near and bool(raster_of(draft).at(x, y) & raster.PARK)


def _place_kind(work: SectionBuilder, kind: str) -> None:
    """One thing of a kind, or a row of them, at the first spot of some that has room."""
    one, (wheres, clustered) = OBJECT_KINDS[kind], PLACEMENTS[kind]
    model = work.rng.choice(one.models)
    paint = work.paint(kind)
    count = work.rng.randint(2, 3) if work.rng.chance(clustered) else 1
    for k in range(MAX_TRIES):
        where = work.rng.choice(wheres)
        apart = SAME_KIND_DISTANCE * (MAX_TRIES - k) // MAX_TRIES
        if _try_place(work, kind, model, paint, where, count if 2 * k < MAX_TRIES else 1, apart):
            return


def _try_place(
    work: SectionBuilder, kind: str, model: str, paint: str, where: PositionSampler, count: int, apart: int
) -> bool:
    """Whether there was room for a row at one drawn spot."""
    thing = OBJECT_KINDS[kind].thing
    number = variant_index(thing, model)
    body = model_extents(thing)
    hx, hy = int(body.half[0][number]), int(body.half[1][number])
    spacing = 2 * hx + 260
    wide = hx + spacing * (count - 1) // 2
    spot = where(work, wide, hy)
    if any(abs(x - spot.x) + abs(y - spot.y) < apart for x, y in work.stood.get(kind, ())):
        return False
    ux, uy = DIRECTIONS[spot.way]
    on_road = where in (road, edge)
    # As it will be bid for, its body's middle at the spot.
    mx, my = int(body.middle[0][number]), int(body.middle[1][number])
    x, y = spot.x - (mx * uy + my * ux) // UNIT, spot.y - (my * uy - mx * ux) // UNIT
    clear = raster_of(work.draft).covers(spot.x, spot.y, ux, uy, wide + CLEARANCE, hy + CLEARANCE)[0]
    if clear & raster.THING or (on_road and clear & raster.BUILDING):
        return False
    if not reserve(work.draft, spot.x, spot.y, ux, uy, wide, hy, BLOCKED_ON_ROAD if on_road else BLOCKED_BESIDE_ROAD)[
        0
    ]:
        return False
    group = int(new_groups(work.draft, 1)[0]) if count > 1 else -1
    for k in range(count):
        shift = spacing * k - spacing * (count - 1) // 2
        at = x + shift * uy // UNIT, y - shift * ux // UNIT
        work.draft.add(
            make_things(
                work.draft,
                STAGE,
                thing,
                *at,
                ux,
                uy,
                len(work.draft.things),
                variant=number,
                first=colour_index(paint),
                street=spot.street,
                group=group,
                place_in_group=k if count > 1 else 0,
            )
        )
        work.stood.setdefault(kind, []).append(at)
    return True


def _place_lamps(work: SectionBuilder) -> None:
    """Streetlamps alike along a section's streets, on alternating sides; banners on every other one."""
    draft, rng = work.draft, work.rng
    lamps, banners = OBJECT_KINDS["streetlamp"], OBJECT_KINDS["banner"]
    model, paint = rng.choice(lamps.models), rng.choice(lamps.colours)
    hung = 0
    for k, piece in enumerate(work.pieces):
        side = 1 if k % 2 else -1
        on = work.length(piece) * rng.randint(35, 65) // 100
        spot = work.along(piece, on, side * (work.layout.half + 480), -side)
        way = DIRECTIONS[spot.way]
        lamp = make_things(
            draft,
            STAGE,
            lamps.thing,
            spot.x,
            spot.y,
            *way,
            k,
            variant=variant_index(lamps.thing, model),
            first=colour_index(paint),
            street=spot.street,
        )
        if not reserve(draft, *footprints(lamps.thing, lamp), BLOCKED_BESIDE_ROAD)[0]:
            continue
        post = draft.add(lamp)
        if k % 2 == 0 or hung < 2:
            hung += 1
            flow = DIRECTIONS[(spot.way + 1) % 4]
            text = names.choose_texts(draft, names.BANNERS, np.array([post]), 3)
            draft.add(
                make_things(
                    draft,
                    STAGE,
                    banners.thing,
                    spot.x,
                    spot.y,
                    *flow,
                    post,
                    owner=post,
                    street=spot.street,
                    text=text,
                    variant=variant_index(banners.thing, banners.models[0]),
                    second=colour_index("white"),
                    first=colour_index(work.paint("banner")),
                )
            )


def _plant_trees(work: SectionBuilder, theme: Theme) -> None:
    """A few along the kerbs, more in parks and on squares."""
    draft, rng = work.draft, work.rng
    body = model_extents("tree")
    for k in range(24):
        number = variant_index("tree", rng.choice(theme.trees))
        hx, hy = int(body.half[0][number]), int(body.half[1][number])
        spot = (square if k % 3 else kerb)(work, hx, hy)
        clear = raster_of(draft).covers(spot.x, spot.y, *DIRECTIONS[spot.way], hx + 1_200, hy + 1_200)[0]
        if clear & (raster.THING | raster.BUILDING):
            continue
        tree = make_things(
            draft,
            STAGE,
            "tree",
            spot.x,
            spot.y,
            *DIRECTIONS[spot.way],
            len(draft.things),
            variant=number,
            sx=620,
            sy=620,
            sz=620,
        )
        if reserve(draft, *footprints("tree", tree), BLOCKED_BESIDE_ROAD)[0]:
            draft.add(tree)
