"""What stands at crossings: lights, stop signs, street names, one-way signs, and what people like to put at corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import class_index
from bearleft.world.city.names import street_names
from bearleft.world.city.placement import (
    Flags,
    Vectors,
    liveliness,
    make_things,
    max_half_size,
    offset,
    place_rows,
    place_things,
    right_of,
    select_rows,
    variant_index,
)
from bearleft.world.city.plan import Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.roads import CROSSWALK_SETBACK, crossing_arms

STAGE = Stage.FURNITURE
FIRST_SALT = 40  # draws from here on are the corners'


@dataclass(frozen=True, eq=False)
class Arms:
    """The arms of crossings. `away` points out of the crossing, (x, y) lies in the middle of the road where it ends."""

    x: Integers
    y: Integers
    away: Vectors
    road: Rows
    piece: Integers
    end: Integers  # of its piece, at which the crossing lies
    crossing: Integers
    comes: Flags  # whether traffic comes along it
    goes: Flags  # whether traffic leaves along it
    index: Integers

    @classmethod
    def of(cls, draft: Draft, real: bool = True) -> Arms:
        """The arms of the real crossings, or of forks and where lanes merge."""
        arms = crossing_arms(draft) if real else draft.arms[~draft.arms["real"]]
        road, end = draft.roads[arms["piece"]], arms["end"] == 1
        x, y = (np.where(end, road[axis + "1"], road[axis + "0"]).astype(np.int64) for axis in ("x", "y"))
        away = (arms["ux"].astype(np.int64), arms["uy"].astype(np.int64))
        x, y = offset(x, y, (np.where(end, road["trim1"], road["trim0"]), away))
        towards = np.where(end, 1, -1)
        comes, goes = (road["flow"] != -towards) & (road["lanes"] > 0), (road["flow"] != towards) & (road["lanes"] > 0)
        piece, crossing = arms["piece"].astype(np.int64), arms["crossing"].astype(np.int64)
        return cls(x, y, away, road, piece, arms["end"].astype(np.int64), crossing, comes, goes, np.arange(len(arms)))

    def select(self, which: Flags | Integers) -> Arms:
        """Those of them."""
        return select_rows(self, which)

    def beside(self, side: npt.ArrayLike, beyond: npt.ArrayLike, out: npt.ArrayLike) -> Vectors:
        """Points beside the road (1 right, -1 left of the way out), `beyond` the crossing, `out` from the kerb."""
        wide = np.asarray(side, np.int64) * (self.road["half"].astype(np.int64) + np.asarray(out, np.int64))
        return offset(self.x, self.y, (beyond, self.away), (wide, right_of(*self.away)))

    def corner(self, side: npt.ArrayLike, out: npt.ArrayLike, beyond: npt.ArrayLike = 600) -> Vectors:
        """Points on the corner itself, so far from its own kerb and so far from the kerb of the street that crosses."""
        return self.beside(side, np.asarray(beyond, np.int64) - CROSSWALK_SETBACK, out)

    @property
    def zebra(self) -> Flags:
        """Whether a crosswalk leads over it."""
        return np.asarray(self.road["zebra"].astype(np.int64) >> self.end & 1, np.bool_)

    @property
    def across(self) -> Vectors:
        """To the right of the way out."""
        return right_of(*self.away)

    @property
    def street(self) -> Integers:
        """The number of each arm's street."""
        return self.road["street"].astype(np.int64)

    def liveliness(self, draft: Draft) -> Integers:
        """How lively it is there, of a thousand."""
        return liveliness(draft, self.x, self.y)

    def __len__(self) -> int:
        return len(self.x)


def has_lights(draft: Draft, arms: Arms) -> Flags:
    """Whether an arm's crossing has traffic lights: most large ones where it is lively, of the others fewer."""
    if not len(arms):
        return np.zeros(0, np.bool_)
    lanes = np.bincount(arms.crossing, arms.road["lanes"])[arms.crossing]
    most = np.zeros(int(arms.crossing.max()) + 1, np.int64)
    np.maximum.at(most, arms.crossing, arms.liveliness(draft))
    lively = most[arms.crossing]
    share = np.where(lanes >= 8, 350 + lively * 65 // 100, np.where(lanes >= 5, lively // 2, 0))
    return chance(draft.seed, STAGE, arms.crossing, share, FIRST_SALT)


def is_red(draft: Draft, arms: Arms) -> Flags:
    """Whether those who come along an arm see red: they do, or those who come across."""
    if not len(arms):
        return np.zeros(0, np.bool_)
    first = np.zeros(int(arms.crossing.max()) + 1, np.int64)
    first[arms.crossing[::-1]] = np.arange(len(arms))[::-1]
    like = first[arms.crossing]
    dot = (arms.away[0] * arms.away[0][like] + arms.away[1] * arms.away[1][like]) // 1_000_000
    return np.asarray(
        (np.abs(dot) > 700_000) == chance(draft.seed, STAGE, arms.crossing, 500, FIRST_SALT + 7), np.bool_
    )


def opposite_arm(arms: Arms) -> Integers:
    """The arm that leads straight on, -1 where there is none."""
    found = np.full(len(arms), -1, np.int64)
    bounds = np.flatnonzero(np.diff(arms.crossing, prepend=-1, append=-1))
    first = np.repeat(bounds[:-1], np.diff(bounds))
    last = np.repeat(bounds[1:], np.diff(bounds))
    best = np.full(len(arms), -800_000, np.int64)
    for step in range(int(np.diff(bounds).max(initial=0))):
        other = np.minimum(first + step, last - 1)
        dot = (arms.away[0] * arms.away[0][other] + arms.away[1] * arms.away[1][other]) // 1_000_000
        better = dot < best
        found, best = np.where(better, other, found), np.where(better, dot, best)
    return found


def place_lights(draft: Draft, arms: Arms, red: Flags) -> None:
    """One traffic light for every way into a crossing, on the far right corner, and lights for those who walk."""
    far = opposite_arm(arms)
    some = np.flatnonzero(arms.comes)
    near, ahead = arms.select(some), arms.select(np.where(far >= 0, far, np.arange(len(arms)))[some])
    wide, stop = near.road["lanes"] >= 2, red[some]
    yellow = ~stop & wide & chance(draft.seed, STAGE, near.crossing, 80, FIRST_SALT)
    mast, pole = "traffic_light", "traffic_light_on_pole"
    kind = np.where(stop, *(np.where(wide, *_light_variants(mast, pole, state)) for state in ("red", "green")))
    kind = np.where(yellow, variant_index("traffic light", "traffic_light_yellow"), kind)
    # Beyond the crossing the way out of the far arm keeps to the same side; without one the light stands across.
    straight = far[some] >= 0
    beyond = -2 * (near.road["half"].astype(np.int64) + CROSSWALK_SETBACK)
    points = [*zip(ahead.corner(1, 600), near.beside(-1, beyond, 600), strict=True)]
    x, y = (np.where(straight, *pair) for pair in points)
    todo = np.arange(len(near))
    for tried in ((x, y), near.corner(-1, 600), near.beside(-1, 900, 600)):
        one = near.select(todo)
        stood = place_things(
            draft,
            STAGE,
            "traffic light",
            tried[0][todo],
            tried[1][todo],
            *one.away,
            one.crossing,
            variant=kind[todo],
            street=one.street,
        )
        todo = todo[stood < 0]
    for side in (-1, 1):
        walks = chance(draft.seed, STAGE, arms.index * 2 + (side > 0), 700, FIRST_SALT + 1)
        one = arms.select(walks)
        says = np.where(
            red[walks], *(variant_index("pedestrian signal", f"pedestrian_signal_{word}") for word in ("walk", "hand"))
        )
        facing = (-side * one.across[0], -side * one.across[1])
        x, y = one.beside(side, 300, 500)
        place_things(draft, STAGE, "pedestrian signal", x, y, *facing, one.crossing, variant=says, street=one.street)


def _light_variants(mast: str, pole: str, state: str) -> tuple[int, int]:
    return variant_index("traffic light", f"{mast}_{state}"), variant_index("traffic light", f"{pole}_{state}")


def place_signs(draft: Draft, arms: Arms, lit: Flags) -> None:
    """Stop signs where there are no lights, one-way signs, and names of streets."""
    lanes = arms.road["lanes"].astype(np.int64)
    most = np.zeros(int(arms.crossing.max(initial=0)) + 1, np.int64)
    np.maximum.at(most, arms.crossing, lanes)
    minor = (lanes < most[arms.crossing]) | (most[arms.crossing] <= 2)
    stops = arms.select(~lit & arms.comes & minor)
    place_things(draft, STAGE, "stop sign", *stops.beside(-1, 500, 600), *stops.away, stops.index, street=stops.street)

    merging = Arms.of(draft, real=False)
    yields = merging.select(merging.comes & chance(draft.seed, STAGE, merging.index, 450, FIRST_SALT + 8))
    place_things(
        draft, STAGE, "yield sign", *yields.beside(-1, 500, 650), *yields.away, yields.index, street=yields.street
    )

    _, once = np.unique(arms.crossing * 2**31 + arms.street, return_index=True)
    named = arms.select(np.sort(once))
    _place_street_names(draft, named)
    one_way = named.select((named.road["flow"] != 0) & chance(draft.seed, STAGE, named.index, 800, FIRST_SALT + 3))
    for side in (1, -1):  # whoever comes along the other street sees the arrow point where traffic goes
        facing = (side * one_way.across[0], side * one_way.across[1])
        x, y = one_way.corner(side, 450, 2_300)
        models = np.where(
            one_way.goes == (side > 0), *(variant_index("one way sign", m) for m in ("one_way_right", "one_way_left"))
        )
        place_things(draft, STAGE, "one way sign", x, y, *facing, 0 * x, street=one_way.street, variant=models)


def _place_street_names(draft: Draft, named: Arms) -> None:
    """On one or two corners a pole that names one street, and on top of it, across, the name of the next."""
    names = street_names(draft)
    first = np.flatnonzero(np.diff(named.crossing, prepend=-1))
    after = np.append(first[1:], len(named))
    poles, others = named.select(first), named.select(np.minimum(first + 1, after - 1))
    for side in (1, -1):
        expected = chance(draft.seed, STAGE, poles.crossing, 1000 if side > 0 else 550, FIRST_SALT + 2)
        one, other = poles.select(expected), others.select(expected)
        x, y = one.corner(side, 450, 1_500)
        facing = (side * one.across[0], side * one.across[1])
        pole = place_things(
            draft,
            STAGE,
            "street sign",
            x,
            y,
            *facing,
            0 * x,
            street=one.street,
            text=names[one.street],
            variant=variant_index("street sign", "street_name_sign"),
        )
        both = (pole >= 0) & (one.street != other.street)
        other = other.select(both)
        draft.add(
            make_things(
                draft,
                STAGE,
                "street sign",
                x[both],
                y[both],
                *other.across,
                0 * x[both],
                street=other.street,
                text=names[other.street],
                owner=pole[both],
                variant=variant_index("street sign", "street_name_blade"),
            )
        )


def place_corner_objects(draft: Draft, arms: Arms) -> None:
    """Hydrants, mailboxes, trash cans and rows of newspaper boxes a few steps from the corner."""
    for name, quiet, lively, spread in (
        ("fire hydrant", 140, 140, 6_000),
        ("mailbox", 40, 160, 5_000),
        ("trash can", 160, 560, 2_500),
        ("newspaper box", 20, 240, 6_000),
    ):
        for side in (-1, 1):
            key = arms.index * 2 + (side > 0)
            share = quiet + (lively - quiet) * arms.liveliness(draft) // 1000
            some = arms.select(chance(draft.seed, STAGE, key, share, FIRST_SALT + 4 + class_index(name)))
            key = some.index * 2 + (side > 0)
            beyond = integers(draft.seed, STAGE, key, 1_200, 1_200 + spread, FIRST_SALT + 5 + class_index(name))
            x, y = some.beside(side, beyond, 300 + max_half_size(name)[1])
            facing = (side * some.across[0], side * some.across[1])
            if name == "newspaper box":
                count = integers(draft.seed, STAGE, key, 2, 4, FIRST_SALT + 6)
                place_rows(
                    draft,
                    STAGE,
                    name,
                    x,
                    y,
                    *facing,
                    key,
                    count,
                    560,
                    variant=variant_index(name, "newspaper_box"),
                    street=some.street,
                )
            else:
                place_things(draft, STAGE, name, x, y, *facing, key, street=some.street)


def fill_corners(draft: Draft) -> None:
    """Everything that stands at crossings."""
    arms = Arms.of(draft)
    lit = has_lights(draft, arms)
    place_lights(draft, arms.select(lit), is_red(draft, arms)[lit])
    place_signs(draft, arms, lit)
    place_corner_objects(draft, arms)
