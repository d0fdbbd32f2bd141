"""What stands along the streets of the sections: all kinds of KINDS, round after round, wherever there is room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bearleft.world.arramon.sections.houses import themes
from bearleft.world.arramon.sections.layout import APART, WAYS, Layout, Piece, layouts
from bearleft.world.arramon.sections.object_kinds import KINDS
from bearleft.world.arramon.sections.themes import Theme
from bearleft.world.city import names, raster
from bearleft.world.city.palette import colour
from bearleft.world.city.placement import bodies, footprints, ground, new_groups, reserve, rows, variant
from bearleft.world.city.plan import UNIT, Draft
from bearleft.world.city.randomness import Stage
from bearleft.world.rooms.room_random import Dice

STREWN = Stage.STREWN
ROUNDS = 4  # so often every kind is put down in a section, clusters counted once
TRIES = 60
LEAST = 3  # of a kind in a section
ROOM = 650  # millimetres between two things, so that one can pass
ALIKE = 9_000  # between two things of one kind, at first
STANDS = raster.CAMERA | raster.BUILDING | raster.THING
BESIDE = STANDS | raster.ROAD


@dataclass(frozen=True)
class Spot:
    """A point in the world, the way its thing looks (a number into WAYS), and the street there."""

    x: int
    y: int
    way: int
    street: int = -1


@dataclass
class Scatter:
    """A section in the making."""

    draft: Draft
    layout: Layout
    dice: Dice
    pieces: list[Piece]
    squares: list[int]
    stood: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    paints: dict[str, list[str]] = field(default_factory=dict)

    def paint(self, kind: str) -> str:
        """The next colour of a kind: by turns, so that a section has as many as it can."""
        left = self.paints.setdefault(kind, [])
        if not left:
            left += self.dice.shuffled(KINDS[kind].colours)
        return left.pop()

    def street(self, piece: Piece) -> int:
        """The number of a piece's street."""
        ahead = piece[0][1] == piece[1][1]
        return (self.layout.number - 1) * 6 + (piece[0][1] if ahead else 3 + piece[0][0])

    def along(self, piece: Piece, on: int, out: int, turn: int) -> Spot:
        """`on` millimetres along a piece and `out` to its right, looking along it, or turned by quarters."""
        begin = self.layout.node(piece[0])
        ahead = piece[0][1] == piece[1][1]
        at = self.layout.at(begin[0] + on, begin[1] + out) if ahead else self.layout.at(begin[0] - out, begin[1] + on)
        return Spot(*at, ((0 if ahead else 1) + turn) % 4, self.street(piece))

    def length(self, piece: Piece) -> int:
        """Of a piece, from node to node."""
        (low, left), (high, right) = (self.layout.node(node) for node in piece)
        return high - low + right - left


Where = Callable[[Scatter, int, int], Spot]  # of a thing so wide and so deep, half of each


def kerb(work: Scatter, _hx: int, hy: int) -> Spot:
    """On the sidewalk beside the kerb, looking at the houses or the road."""
    piece, side = work.dice.one_of(work.pieces), work.dice.one_of((-1, 1))
    on = work.dice.between(work.layout.half + 900, work.length(piece) - work.layout.half - 900)
    turn = side if work.dice.chance(600) else -side
    return work.along(piece, on, side * (work.layout.half + 260 + hy), -turn)


def wall(work: Scatter, hx: int, hy: int) -> Spot:
    """With its back to a house."""
    piece, side = work.dice.one_of(work.pieces), work.dice.one_of((-1, 1))
    on = work.dice.between(work.layout.wide + hx, work.length(piece) - work.layout.wide - hx)
    return work.along(piece, on, side * (work.layout.wide - 260 - hy), -side)


def edge(work: Scatter, hx: int, hy: int) -> Spot:
    """On the road, along the kerb, its back to the sidewalk."""
    piece, side = work.dice.one_of(work.pieces), work.dice.one_of((-1, 1))
    on = work.dice.between(work.layout.half + hx + 600, work.length(piece) - work.layout.half - hx - 600)
    return work.along(piece, on, side * (work.layout.half - 200 - hy), -side)


def road(work: Scatter, hx: int, hy: int) -> Spot:
    """On the road, across it or along it."""
    piece, turn = work.dice.one_of(work.pieces), work.dice.between(0, 3)
    reach = max(work.layout.half - 150 - (hx if turn % 2 == 0 else hy), 0)
    out = work.dice.one_of((-1, 1)) * work.dice.between(reach // 2, reach)
    on = work.dice.between(work.layout.half, work.length(piece) - work.layout.half)
    return work.along(piece, on, out, turn)


def corner(work: Scatter, _hx: int, _hy: int) -> Spot:
    """Where a street meets a crossing, on the right of who comes to it and looking at him."""
    piece, far = work.dice.one_of(work.pieces), work.dice.chance(500)
    arms = work.layout.arms(piece[1 if far else 0])
    on = work.layout.half + work.dice.between(650, 1_500) if len(arms) > 1 else work.length(piece) // 2
    return _met(work, piece, on, far)


def post(work: Scatter, _hx: int, _hy: int) -> Spot:
    """Anywhere at the kerb, on the right of who comes and looking at him."""
    piece, far = work.dice.one_of(work.pieces), work.dice.chance(500)
    return _met(work, piece, work.dice.between(work.layout.wide, work.length(piece) - work.layout.wide), far)


def _met(work: Scatter, piece: Piece, on: int, far: bool) -> Spot:
    """So far from one end of a piece, beside the kerb, turned to who comes to that end."""
    if far:
        return work.along(piece, work.length(piece) - on, work.layout.half + 500, 2)
    return work.along(piece, on, -work.layout.half - 500, 0)


def square(work: Scatter, hx: int, hy: int) -> Spot:
    """Somewhere in an alley, a park or on a square, else at a house."""
    if not work.squares:
        return wall(work, hx, hy)
    area = work.draft.areas[work.dice.one_of(work.squares)]
    ahead = work.dice.between(-int(area["hy"]) + 600, int(area["hy"]) - 600)
    right = work.dice.between(-int(area["hx"]) + 600, int(area["hx"]) - 600)
    ux, uy = WAYS[0]
    x = int(area["x"]) + (ahead * ux + right * uy) // UNIT
    return Spot(x, int(area["y"]) + (ahead * uy - right * ux) // UNIT, work.dice.between(0, 3))


# Where each kind likes to stand, and how many of a thousand come as a row of two or three.
PLACES: dict[str, tuple[tuple[Where, ...], int]] = {
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


def strew(draft: Draft) -> None:
    """Puts lamps and banners, then everything else, then trees down in every section."""
    for layout, theme in zip(layouts(draft.seed), themes(draft.seed), strict=True):
        inside = [k for k, area in enumerate(draft.areas) if _is_square(draft, layout, area)]
        work = Scatter(draft, layout, Dice(draft.seed, layout.number, STREWN), list(layout.pieces()), inside)
        _lamps(work)
        for _ in range(ROUNDS):
            for kind in work.dice.shuffled(list(PLACES)):
                _put_kind(work, kind)
        for kind in PLACES:
            for _ in range(ROUNDS):
                if len(work.stood.get(kind, ())) < LEAST:
                    _put_kind(work, kind)
        _trees(work, theme)


def _is_square(draft: Draft, layout: Layout, area: np.void) -> bool:
    """Whether an area is open ground between houses of a section."""
    x, y = int(area["x"]), int(area["y"])
    near = abs(x - layout.x) < APART // 2 and abs(y - layout.y) < APART // 2
    return near and bool(ground(draft).at(x, y) & raster.PARK)


def _put_kind(work: Scatter, kind: str) -> None:
    """One thing of a kind, or a row of them, at the first spot of some that has room."""
    one, (wheres, clustered) = KINDS[kind], PLACES[kind]
    model = work.dice.one_of(one.models)
    paint = work.paint(kind)
    count = work.dice.between(2, 3) if work.dice.chance(clustered) else 1
    for k in range(TRIES):
        where = work.dice.one_of(wheres)
        apart = ALIKE * (TRIES - k) // TRIES
        if _put(work, kind, model, paint, where, count if 2 * k < TRIES else 1, apart):
            return


def _put(work: Scatter, kind: str, model: str, paint: str, where: Where, count: int, apart: int) -> bool:
    """Whether there was room for a row at one drawn spot."""
    thing = KINDS[kind].thing
    number = variant(thing, model)
    body = bodies(thing)
    hx, hy = int(body.half[0][number]), int(body.half[1][number])
    spacing = 2 * hx + 260
    wide = hx + spacing * (count - 1) // 2
    spot = where(work, wide, hy)
    if any(abs(x - spot.x) + abs(y - spot.y) < apart for x, y in work.stood.get(kind, ())):
        return False
    ux, uy = WAYS[spot.way]
    on_road = where in (road, edge)
    # As it will be bid for, its body's middle at the spot.
    mx, my = int(body.middle[0][number]), int(body.middle[1][number])
    x, y = spot.x - (mx * uy + my * ux) // UNIT, spot.y - (my * uy - mx * ux) // UNIT
    clear = ground(work.draft).covers(spot.x, spot.y, ux, uy, wide + ROOM, hy + ROOM)[0]
    if clear & raster.THING or (on_road and clear & raster.BUILDING):
        return False
    if not reserve(work.draft, spot.x, spot.y, ux, uy, wide, hy, STANDS if on_road else BESIDE)[0]:
        return False
    group = int(new_groups(work.draft, 1)[0]) if count > 1 else -1
    for k in range(count):
        shift = spacing * k - spacing * (count - 1) // 2
        at = x + shift * uy // UNIT, y - shift * ux // UNIT
        work.draft.add(
            rows(
                work.draft,
                STREWN,
                thing,
                *at,
                ux,
                uy,
                len(work.draft.things),
                variant=number,
                first=colour(paint),
                street=spot.street,
                group=group,
                place_in_group=k if count > 1 else 0,
            )
        )
        work.stood.setdefault(kind, []).append(at)
    return True


def _lamps(work: Scatter) -> None:
    """Streetlamps alike along a section's streets, on alternating sides; banners on every other one."""
    draft, dice = work.draft, work.dice
    lamps, banners = KINDS["streetlamp"], KINDS["banner"]
    model, paint = dice.one_of(lamps.models), dice.one_of(lamps.colours)
    hung = 0
    for k, piece in enumerate(work.pieces):
        side = 1 if k % 2 else -1
        on = work.length(piece) * dice.between(35, 65) // 100
        spot = work.along(piece, on, side * (work.layout.half + 480), -side)
        way = WAYS[spot.way]
        lamp = rows(
            draft,
            STREWN,
            lamps.thing,
            spot.x,
            spot.y,
            *way,
            k,
            variant=variant(lamps.thing, model),
            first=colour(paint),
            street=spot.street,
        )
        if not reserve(draft, *footprints(lamps.thing, lamp), BESIDE)[0]:
            continue
        post = draft.add(lamp)
        if k % 2 == 0 or hung < 2:
            hung += 1
            flow = WAYS[(spot.way + 1) % 4]
            text = names.words(draft, names.BANNERS, np.array([post]), 3)
            draft.add(
                rows(
                    draft,
                    STREWN,
                    banners.thing,
                    spot.x,
                    spot.y,
                    *flow,
                    post,
                    owner=post,
                    street=spot.street,
                    text=text,
                    variant=variant(banners.thing, banners.models[0]),
                    second=colour("white"),
                    first=colour(work.paint("banner")),
                )
            )


def _trees(work: Scatter, theme: Theme) -> None:
    """A few along the kerbs, more in parks and on squares."""
    draft, dice = work.draft, work.dice
    body = bodies("tree")
    for k in range(24):
        number = variant("tree", dice.one_of(theme.trees))
        hx, hy = int(body.half[0][number]), int(body.half[1][number])
        spot = (square if k % 3 else kerb)(work, hx, hy)
        clear = ground(draft).covers(spot.x, spot.y, *WAYS[spot.way], hx + 1_200, hy + 1_200)[0]
        if clear & (raster.THING | raster.BUILDING):
            continue
        tree = rows(
            draft,
            STREWN,
            "tree",
            spot.x,
            spot.y,
            *WAYS[spot.way],
            len(draft.things),
            variant=number,
            sx=620,
            sy=620,
            sz=620,
        )
        if reserve(draft, *footprints("tree", tree), BESIDE)[0]:
            draft.add(tree)
