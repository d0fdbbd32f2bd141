"""Objects at crossings: lights, stop signs, street names, one-way signs, and street furniture at corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import class_index
from bearleft.world.city.names import street_names
from bearleft.world.city.placement import (
    Flags,
    RowLayout,
    Vectors,
    liveliness,
    make_things,
    max_half_size,
    offset,
    place_rows,
    place_things,
    right_of,
    select_pair,
    select_rows,
    variant_index,
)
from bearleft.world.city.plan import Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.city.roads import CROSSWALK_SETBACK, crossing_arms

STAGE = Stage.FURNITURE
FIRST_SALT = 40  # salts from here on belong to the corners


@dataclass(frozen=True, eq=False)
class Arms:
    """Arms of crossings. `away` points out of the crossing; (x, y) is the road's middle where the crossing ends."""

    x: Integers
    y: Integers
    away: Vectors
    road: Rows
    piece: Integers
    end: Integers  # end of the piece (0 or 1) at which the crossing is
    crossing: Integers
    has_incoming: Flags  # whether traffic enters the crossing along it
    has_outgoing: Flags  # whether traffic leaves the crossing along it
    index: Integers

    @classmethod
    def of(cls, draft: Draft, real: bool = True) -> Arms:
        """Return the arms of the real crossings, or of forks and merging lanes."""
        arms = crossing_arms(draft) if real else draft.arms[~draft.arms["real"]]
        road, end = draft.roads[arms["piece"]], arms["end"] == 1
        x, y = (np.where(end, road[axis + "1"], road[axis + "0"]).astype(np.int64) for axis in ("x", "y"))
        away = (arms["ux"].astype(np.int64), arms["uy"].astype(np.int64))
        x, y = offset((x, y), (np.where(end, road["trim1"], road["trim0"]), away))
        towards = np.where(end, 1, -1)
        has_incoming = (road["flow"] != -towards) & (road["lanes"] > 0)
        has_outgoing = (road["flow"] != towards) & (road["lanes"] > 0)
        piece, crossing = arms["piece"].astype(np.int64), arms["crossing"].astype(np.int64)
        index = np.arange(len(arms))
        ends = arms["end"].astype(np.int64)
        return cls(x, y, away, road, piece, ends, crossing, has_incoming, has_outgoing, index)

    def select(self, rows: Flags | Integers) -> Arms:
        """Return the selected arms."""
        return select_rows(self, rows)

    def beside(self, side: npt.ArrayLike, beyond: npt.ArrayLike, out: npt.ArrayLike) -> Vectors:
        """Return points beside the road (1 right, -1 left of `away`), `beyond` the crossing, `out` from the kerb."""
        sideways = np.asarray(side, np.int64) * (self.road["half"].astype(np.int64) + np.asarray(out, np.int64))
        return offset((self.x, self.y), (beyond, self.away), (sideways, right_of(self.away)))

    def corner(self, side: npt.ArrayLike, out: npt.ArrayLike, beyond: npt.ArrayLike = 600) -> Vectors:
        """Return points on the corner, `out` from the own kerb and `beyond` the kerb of the crossing street."""
        return self.beside(side, np.asarray(beyond, np.int64) - CROSSWALK_SETBACK, out)

    @property
    def has_crosswalk(self) -> Flags:
        """Whether there is a crosswalk."""
        return np.asarray(self.road["zebra"].astype(np.int64) >> self.end & 1, np.bool_)

    @property
    def across(self) -> Vectors:
        """Direction to the right of `away`."""
        return right_of(self.away)

    @property
    def street(self) -> Integers:
        """Street index of each arm."""
        return self.road["street"].astype(np.int64)

    def liveliness(self, draft: Draft) -> Integers:
        """Return how lively it is at each arm, from 0 to 1000."""
        return liveliness(draft, self.x, self.y)

    def __len__(self) -> int:
        return len(self.x)


def has_lights(draft: Draft, arms: Arms) -> Flags:
    """Return whether each arm's crossing has traffic lights: most large ones in lively districts, few of the others."""
    if not len(arms):
        return np.zeros(0, np.bool_)
    lanes = np.bincount(arms.crossing, arms.road["lanes"])[arms.crossing]
    max_liveliness = np.zeros(int(arms.crossing.max()) + 1, np.int64)
    np.maximum.at(max_liveliness, arms.crossing, arms.liveliness(draft))
    crossing_liveliness = max_liveliness[arms.crossing]
    per_mille = np.where(
        lanes >= 8, 350 + crossing_liveliness * 65 // 100, np.where(lanes >= 5, crossing_liveliness // 2, 0)
    )
    return chance(draft.seed, STAGE, arms.crossing, per_mille, salt=FIRST_SALT)


def is_red(draft: Draft, arms: Arms) -> Flags:
    """Return whether traffic coming along an arm has a red light."""
    if not len(arms):
        return np.zeros(0, np.bool_)
    first = np.zeros(int(arms.crossing.max()) + 1, np.int64)
    first[arms.crossing[::-1]] = np.arange(len(arms))[::-1]
    reference = first[arms.crossing]
    dot = (arms.away[0] * arms.away[0][reference] + arms.away[1] * arms.away[1][reference]) // 1_000_000
    return np.asarray(
        (np.abs(dot) > 700_000) == chance(draft.seed, STAGE, arms.crossing, 500, salt=FIRST_SALT + 7), np.bool_
    )


def opposite_arm(arms: Arms) -> Integers:
    """Return the arm that continues straight, -1 where there is none."""
    opposite = np.full(len(arms), -1, np.int64)
    bounds = np.flatnonzero(np.diff(arms.crossing, prepend=-1, append=-1))
    first = np.repeat(bounds[:-1], np.diff(bounds))
    last = np.repeat(bounds[1:], np.diff(bounds))
    best = np.full(len(arms), -800_000, np.int64)
    for step in range(int(np.diff(bounds).max(initial=0))):
        other = np.minimum(first + step, last - 1)
        dot = (arms.away[0] * arms.away[0][other] + arms.away[1] * arms.away[1][other]) // 1_000_000
        better = dot < best
        opposite, best = np.where(better, other, opposite), np.where(better, dot, best)
    return opposite


def place_lights(draft: Draft, arms: Arms, red: Flags) -> None:
    """Place a traffic light for every way into a crossing, on the far right corner, and pedestrian signals."""
    opposite = opposite_arm(arms)
    incoming = np.flatnonzero(arms.has_incoming)
    near, ahead = arms.select(incoming), arms.select(np.where(opposite >= 0, opposite, np.arange(len(arms)))[incoming])
    wide, is_red_light = near.road["lanes"] >= 2, red[incoming]
    yellow = ~is_red_light & wide & chance(draft.seed, STAGE, near.crossing, 80, salt=FIRST_SALT)
    mast, pole = "traffic_light", "traffic_light_on_pole"
    variant = np.where(
        is_red_light, *(np.where(wide, *_light_variants(mast, pole, state)) for state in ("red", "green"))
    )
    variant = np.where(yellow, variant_index("traffic light", "traffic_light_yellow"), variant)
    # The light stands on the right of the opposite arm, or across the street where there is none.
    straight = opposite[incoming] >= 0
    beyond = -2 * (near.road["half"].astype(np.int64) + CROSSWALK_SETBACK)
    points = [*zip(ahead.corner(1, 600), near.beside(-1, beyond, 600), strict=True)]
    x, y = (np.where(straight, *pair) for pair in points)
    remaining = np.arange(len(near))
    for candidate in ((x, y), near.corner(-1, 600), near.beside(-1, 900, 600)):
        subset = near.select(remaining)
        placed = place_things(
            draft,
            STAGE,
            "traffic light",
            select_pair(candidate, remaining),
            subset.away,
            subset.crossing,
            variant=variant[remaining],
            street=subset.street,
        )
        remaining = remaining[placed < 0]
    for side in (-1, 1):
        has_signal = chance(draft.seed, STAGE, arms.index * 2 + (side > 0), 700, salt=FIRST_SALT + 1)
        subset = arms.select(has_signal)
        signal = np.where(
            red[has_signal],
            *(variant_index("pedestrian signal", f"pedestrian_signal_{word}") for word in ("walk", "hand")),
        )
        facing = (-side * subset.across[0], -side * subset.across[1])
        at = subset.beside(side, 300, 500)
        place_things(
            draft, STAGE, "pedestrian signal", at, facing, subset.crossing, variant=signal, street=subset.street
        )


def _light_variants(mast: str, pole: str, state: str) -> tuple[int, int]:
    return variant_index("traffic light", f"{mast}_{state}"), variant_index("traffic light", f"{pole}_{state}")


def place_signs(draft: Draft, arms: Arms, has_light: Flags) -> None:
    """Place stop signs where there are no lights, one-way signs, and street names."""
    lanes = arms.road["lanes"].astype(np.int64)
    max_lanes = np.zeros(int(arms.crossing.max(initial=0)) + 1, np.int64)
    np.maximum.at(max_lanes, arms.crossing, lanes)
    is_minor = (lanes < max_lanes[arms.crossing]) | (max_lanes[arms.crossing] <= 2)
    stops = arms.select(~has_light & arms.has_incoming & is_minor)
    place_things(draft, STAGE, "stop sign", stops.beside(-1, 500, 600), stops.away, stops.index, street=stops.street)

    merging = Arms.of(draft, real=False)
    yields = merging.select(merging.has_incoming & chance(draft.seed, STAGE, merging.index, 450, salt=FIRST_SALT + 8))
    place_things(
        draft, STAGE, "yield sign", yields.beside(-1, 500, 650), yields.away, yields.index, street=yields.street
    )

    _, first_index = np.unique(arms.crossing * 2**31 + arms.street, return_index=True)
    named = arms.select(np.sort(first_index))
    _place_street_names(draft, named)
    one_way = named.select((named.road["flow"] != 0) & chance(draft.seed, STAGE, named.index, 800, salt=FIRST_SALT + 3))
    for side in (1, -1):  # the arrow points along the traffic, as seen from the crossing street
        facing = (side * one_way.across[0], side * one_way.across[1])
        at = one_way.corner(side, 450, 2_300)
        models = np.where(
            one_way.has_outgoing == (side > 0),
            *(variant_index("one way sign", m) for m in ("one_way_right", "one_way_left")),
        )
        place_things(draft, STAGE, "one way sign", at, facing, 0 * one_way.x, street=one_way.street, variant=models)


def _place_street_names(draft: Draft, named: Arms) -> None:
    """Place poles on one or two corners with the name of one street and, on top and across, of the other."""
    names = street_names(draft)
    first = np.flatnonzero(np.diff(named.crossing, prepend=-1))
    after = np.append(first[1:], len(named))
    poles, others = named.select(first), named.select(np.minimum(first + 1, after - 1))
    for side in (1, -1):
        is_used = chance(draft.seed, STAGE, poles.crossing, 1000 if side > 0 else 550, salt=FIRST_SALT + 2)
        pole_arms, blade_arms = poles.select(is_used), others.select(is_used)
        at = pole_arms.corner(side, 450, 1_500)
        facing = (side * pole_arms.across[0], side * pole_arms.across[1])
        pole = place_things(
            draft,
            STAGE,
            "street sign",
            at,
            facing,
            0 * pole_arms.x,
            street=pole_arms.street,
            text=names[pole_arms.street],
            variant=variant_index("street sign", "street_name_sign"),
        )
        has_blade = (pole >= 0) & (pole_arms.street != blade_arms.street)
        blade_arms = blade_arms.select(has_blade)
        draft.add(
            make_things(
                draft,
                STAGE,
                "street sign",
                select_pair(at, has_blade),
                blade_arms.across,
                0 * blade_arms.x,
                street=blade_arms.street,
                text=names[blade_arms.street],
                owner=pole[has_blade],
                variant=variant_index("street sign", "street_name_blade"),
            )
        )


def place_corner_objects(draft: Draft, arms: Arms) -> None:
    """Place hydrants, mailboxes, trash cans and rows of newspaper boxes near corners."""
    for name, quiet, lively, spread in (
        ("fire hydrant", 140, 140, 6_000),
        ("mailbox", 40, 160, 5_000),
        ("trash can", 160, 560, 2_500),
        ("newspaper box", 20, 240, 6_000),
    ):
        for side in (-1, 1):
            key = arms.index * 2 + (side > 0)
            per_mille = quiet + (lively - quiet) * arms.liveliness(draft) // 1000
            subset = arms.select(chance(draft.seed, STAGE, key, per_mille, salt=FIRST_SALT + 4 + class_index(name)))
            key = subset.index * 2 + (side > 0)
            beyond = integers(draft.seed, STAGE, key, 1_200, 1_200 + spread, salt=FIRST_SALT + 5 + class_index(name))
            at = subset.beside(side, beyond, 300 + max_half_size(name)[1])
            facing = (side * subset.across[0], side * subset.across[1])
            if name == "newspaper box":
                count = integers(draft.seed, STAGE, key, 2, 4, salt=FIRST_SALT + 6)
                place_rows(
                    draft,
                    STAGE,
                    name,
                    at,
                    facing,
                    key,
                    RowLayout(count, 560),
                    variant=variant_index(name, "newspaper_box"),
                    street=subset.street,
                )
            else:
                place_things(draft, STAGE, name, at, facing, key, street=subset.street)


def fill_corners(draft: Draft) -> None:
    """Place all objects at crossings."""
    arms = Arms.of(draft)
    has_light = has_lights(draft, arms)
    place_lights(draft, arms.select(has_light), is_red(draft, arms)[has_light])
    place_signs(draft, arms, has_light)
    place_corner_objects(draft, arms)
