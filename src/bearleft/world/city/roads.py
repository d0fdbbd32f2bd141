"""The first stage: carriageways, lanes, sidewalks and crossings along the streets of any graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit
from bearleft.world.city import raster
from bearleft.world.city.plan import ARM, ROAD, UNIT, Draft, Rows, positions_in_millimetres
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import Raster
from bearleft.world.city.road_junctions import PAIR_DISTANCE, StreetNetwork, build_network, parallel_chains

Array = Any  # numpy's, as compiled code takes them
LANE_WIDTH, PARKING_WIDTH = 3100, 2300  # widths of a lane of moving and of parked cars
MIN_HALF_WIDTH = 3200  # no carriageway is less than twice as wide
CROSSWALK_DEPTH = 3200  # so deep is a crosswalk; it begins where the trim ends
STOP_LINE_DISTANCE = 1700  # behind it lies the line where cars wait
CROSSWALK_SETBACK = 600  # between the kerb that one crosses towards and the crosswalk
CAMERA_CLEARANCE = 1200  # nothing stands closer to a camera
MAX_CROSSING_REACH = 26_000  # a crossing does not reach further along its arms


@dataclass(frozen=True, eq=False)
class KerbSegments:
    """Stretches of free kerb: on which side (-1 left, 1 right) of which piece, from `start` to `end` along it."""

    piece: Integers
    side: Integers
    start: Integers
    end: Integers


def lay_roads(draft: Draft) -> None:
    """One row of draft.roads per pair of neighbours (none where they coincide), arms of crossings, and the raster."""
    graph = draft.graph
    offsets, near = graph.neighbours
    degree = np.diff(offsets)
    if not degree.all():
        place = graph.ids[int(np.argmin(degree))]
        raise InputError("streets to every place of the city", f"the place {place}, which has no links")
    x, y = positions_in_millimetres(graph)
    draft.raster = Raster.over(x, y)
    one = np.repeat(np.arange(len(graph)), degree)
    once = one < near
    net = build_network(x, y, one[once], near[once].astype(np.int64))
    roads, draft.arms = _build_roads(draft.seed, net, x, y)
    apart = net.length > 0
    draft.roads = roads[apart]
    draft.arms["piece"] = (np.cumsum(apart) - 1)[draft.arms["piece"]]
    _mark(draft.raster, draft.roads)
    draft.raster.disc(x, y, CAMERA_CLEARANCE, raster.CAMERA)


def _build_roads(seed: int, net: StreetNetwork, x: Array, y: Array) -> tuple[Rows, Rows]:
    roads, arms = np.zeros(len(net.a), ROAD), np.zeros(0, ARM)
    roads["x0"], roads["y0"], roads["x1"], roads["y1"] = x[net.a], y[net.a], x[net.b], y[net.b]
    if not len(net.order):
        roads["half"], roads["walk"], roads["lanes"], roads["flow"] = MIN_HALF_WIDTH, 2500, 1, 1
        roads["trim0"] = np.rint(net.length)
        return roads, arms
    chains = np.repeat(np.arange(len(net.street)), np.diff(net.first))
    before = np.cumsum(net.length[net.order]) - net.length[net.order]
    inside = before - before[net.first[:-1]][chains]
    beside, left = parallel_chains(net, x, y)
    widths = _widths(seed, net, x, y, beside, left)
    for name, values in widths.items():
        roads[name][net.order] = values[chains]
    roads["along"][net.order] = np.rint(net.along[chains] + inside)
    roads["street"][net.order] = net.street[chains]
    table, real = _arms(net.first, net.order, net.a, net.b, x, y, net.ends, net.inner, widths["half"])
    trims, arms = _trims(net, table, real, x, y)
    for name, values in trims.items():
        roads[name] = values
    _fill_spot_pieces(roads, net)
    _shorten_wide_ends(roads, net)
    return roads, arms


def _widths(seed: int, net: StreetNetwork, x: Array, y: Array, beside: Array, left: Array) -> dict[str, Array]:
    """Of each chain: half, walk, lanes, flow, parking."""
    streets = np.arange(int(net.street.max()) + 1)
    length = np.bincount(net.street, net.totals)
    stops = np.bincount(net.street, (net.ends[:, 0] >= 0) & ~net.inner)
    spacing = length / np.maximum(stops, 1)
    avenue = _is_avenue(seed, net, streets, length, spacing)
    alley = (length < 80_000) & (stops < 2)
    wide = weighted_choice(seed, Stage.ROADS, streets, [55, 30, 15])  # of a cross street: 1 lane, 2 lanes, both ways
    lanes = np.where(avenue, integers(seed, Stage.ROADS, streets, 3, 4, 1), np.where(wide == 0, 1, 2))
    both_ways = np.where(avenue, chance(seed, Stage.ROADS, streets, 350, 2), wide == 2) & ~alley
    lanes = np.where(avenue & both_ways, 4, np.where(alley, 1, lanes))
    walk = np.where(
        avenue, integers(seed, Stage.ROADS, streets, 38, 52, 3), integers(seed, Stage.ROADS, streets, 27, 40, 3)
    )
    walk = np.where(alley, 20, walk) * 100
    flow = np.where(both_ways, 0, _flows(seed, net, x, y, streets))
    parks = np.where(alley, 0, np.where(chance(seed, Stage.ROADS, streets, 850, 4), 3, 2))

    lanes, flow, parking, alone = lanes[net.street], flow[net.street], parks[net.street], alley[net.street]
    paired = (beside < PAIR_DISTANCE) & (left != 0)
    flow = np.where(paired, np.where(left > 0, 1, -1), flow)
    parking = np.where(paired & (parking > 0), np.where(left > 0, 2, 1), parking)
    limit = np.maximum(np.where(beside < 2 * PAIR_DISTANCE, beside / 2, 1e9), MIN_HALF_WIDTH)
    fit = _fit_lanes(lanes, parking, flow, limit)
    half = np.clip((fit[0] * LANE_WIDTH + _parking_lanes(fit[1]) * PARKING_WIDTH) // 2 + 200, MIN_HALF_WIDTH, limit)
    half = np.where(alone, MIN_HALF_WIDTH, np.rint(half)).astype(np.int64)
    return {"half": half, "walk": walk[net.street], "lanes": fit[0], "flow": fit[2], "parking": fit[1]}


def _parking_lanes(parking: Array) -> Array:
    return (parking & 1) + (parking >> 1)


def _fit_lanes(lanes: Array, parking: Array, flow: Array, limit: Array) -> tuple[Array, Array, Array]:
    """Lanes, parking and flow that fit within `limit` to either side: first lanes go, then parking."""
    for _ in range(3):
        tight = (lanes * LANE_WIDTH + _parking_lanes(parking) * PARKING_WIDTH > 2 * limit) & (lanes > 1)
        lanes = np.where(tight, np.where((flow == 0) & (lanes == 4), 2, lanes - 1), lanes)
    flow = np.where((lanes < 2) & (flow == 0), 1, flow)
    for kept in (2, 0):
        tight = lanes * LANE_WIDTH + _parking_lanes(parking) * PARKING_WIDTH > 2 * limit
        parking = np.where(tight, parking & kept, parking)
    return lanes, parking, flow


def _is_avenue(seed: int, net: StreetNetwork, streets: Integers, length: Array, spacing: Array) -> Array:
    """Long streets whose crossings lie closer together than those of the streets they cross; some others."""
    crossed, count = np.zeros(len(streets)), np.zeros(len(streets))
    ends = np.concatenate([net.ends[:, 0], net.ends[:, 1]])
    names = np.concatenate([net.street, net.street])
    pairs = np.unique(np.stack([ends, names])[:, ends >= 0], axis=1)
    sums = np.bincount(pairs[0], spacing[pairs[1]]) if pairs.size else np.zeros(1)
    numbers = np.bincount(pairs[0]) if pairs.size else np.zeros(1)
    np.add.at(crossed, pairs[1], sums[pairs[0]] - spacing[pairs[1]])
    np.add.at(count, pairs[1], numbers[pairs[0]] - 1)
    others = crossed / np.maximum(count, 1)
    per_mille = np.where(spacing < 0.75 * others, 900, np.where(spacing < 1.33 * others, 350, 120))
    return (length > 300_000) & chance(seed, Stage.ROADS, streets, per_mille, 5)


def _flows(seed: int, net: StreetNetwork, x: Array, y: Array, streets: Integers) -> Array:
    """One way or the other, neighbouring parallel streets by turns: 1 with the sense of the street, -1 against it."""
    begin, end = np.zeros(len(streets), np.int64), np.zeros(len(streets), np.int64)
    order = np.lexsort((net.along, net.street))
    begin[net.street[order[::-1]]] = net.a[net.order[net.first[:-1]]][order[::-1]]
    end[net.street[order]] = net.b[net.order[net.first[1:] - 1]][order]
    dx, dy = x[end] - x[begin], y[end] - y[begin]
    axes = np.array([[1000, 0], [866, 500], [500, 866], [0, 1000], [-500, 866], [-866, 500]])
    shown = dx[:, None] * axes[:, 0] + dy[:, None] * axes[:, 1]
    axis = np.argmax(np.abs(shown), axis=1)
    sense = np.where(shown[streets, axis] >= 0, 1, -1)
    offset = ((y[begin] + y[end]) * axes[axis, 0] - (x[begin] + x[end]) * axes[axis, 1]) // 2000
    turn = np.zeros(len(streets), np.int64)
    order = np.lexsort((offset, axis))
    new = (np.diff(axis[order]) != 0) | (np.diff(offset[order]) > 25_000)
    turn[order] = np.concatenate([[0], np.cumsum(new)])
    start = np.where(chance(seed, Stage.ROADS, np.arange(6), 500, 6), 1, -1)
    return start[axis] * sense * np.where(turn % 2 == 0, 1, -1)


@jit
def _arms(
    first: Array, order: Array, a: Array, b: Array, x: Array, y: Array, ends: Array, inner: Array, half: Array
) -> tuple[Array, Array]:
    """Arms of crossings: chain, end, crossing, how far the crossing reaches; and which crossings are real ones."""
    chains = len(inner)
    table, rows = np.zeros((2 * chains, 4), np.int64), 0
    at, towards = np.zeros((2 * chains, 2)), np.zeros((2 * chains, 2))
    for k in range(chains):
        for end in range(2):
            if ends[k, end] < 0 or inner[k]:
                continue
            table[rows, 0], table[rows, 1], table[rows, 2] = k, end, ends[k, end]
            start = a[order[first[k]]] if end == 0 else b[order[first[k + 1] - 1]]
            at[rows, 0], at[rows, 1] = x[start], y[start]
            for n in range(first[k + 1] - first[k]):
                place = b[order[first[k] + n]] if end == 0 else a[order[first[k + 1] - 1 - n]]
                dx, dy = float(x[place] - x[start]), float(y[place] - y[start])
                far = np.sqrt(dx * dx + dy * dy)
                if far > 0:
                    towards[rows, 0], towards[rows, 1] = dx / far, dy / far
                if far >= 12_000:
                    break
            rows += 1
    table = table[:rows]
    by = np.argsort(table[:, 2], kind="mergesort")
    real = np.zeros(ends.max() + 1 if ends.size else 0, np.bool_)
    row = 0
    while row < rows:
        after = row
        while after < rows and table[by[after], 2] == table[by[row], 2]:
            after += 1
        ways = 0
        for m in range(row, after):
            i = by[m]
            known, reach = False, 0.0
            for n in range(row, after):
                j = by[n]
                if i == j:
                    continue
                cosine = towards[i, 0] * towards[j, 0] + towards[i, 1] * towards[j, 1]
                sine = towards[i, 0] * towards[j, 1] - towards[i, 1] * towards[j, 0]
                known = known or (n < m and cosine > 0.82)
                if abs(sine) < 0.35:
                    continue
                hi, hj = float(half[table[i, 0]]), float(half[table[j, 0]])
                dx, dy = at[j, 0] - at[i, 0], at[j, 1] - at[i, 1]
                out = (dx * towards[j, 1] - dy * towards[j, 0]) / sine + (hj + hi * abs(cosine)) / abs(sine)
                if cosine < -0.3:  # it leads away on the other side: only its end reaches over
                    out = min(out, dx * towards[i, 0] + dy * towards[i, 1] + (hj + hi * abs(sine)) / -cosine)
                reach = max(reach, out)
            ways += not known
            table[i, 3] = int(min(reach, MAX_CROSSING_REACH)) + CROSSWALK_SETBACK
        real[table[by[row], 2]] = ways >= 3
        row = after
    return table, real


def _trims(net: StreetNetwork, table: Array, real: Array, x: Array, y: Array) -> tuple[dict[str, Array], Rows]:
    """How far crossings reach into each piece, with crosswalks; the arms with the pieces they end on."""
    reach = np.zeros((len(net.street), 2))
    zebra = np.zeros((len(net.street), 2), np.bool_)
    reach[table[:, 0], table[:, 1]] = table[:, 3]
    zebra[table[:, 0], table[:, 1]] = real[table[:, 2]]
    reach[net.inner, 0] = net.totals[net.inner]
    trims, bits, last = _spread_trims(net.first, net.order, net.length, reach, zebra, len(net.a))
    arms = np.zeros(len(table), ARM)
    arms["crossing"], arms["end"], arms["real"] = table[:, 2], table[:, 1], real[table[:, 2]]
    arms["piece"] = last[table[:, 0], table[:, 1]]
    spots = np.where(
        table[:, 1] == 0, net.a[net.order[net.first[table[:, 0]]]], net.b[net.order[net.first[table[:, 0] + 1] - 1]]
    )
    count = np.maximum(np.bincount(table[:, 2]), 1) if len(table) else np.zeros(0)
    for name, axis in (("x", x), ("y", y)):
        arms[name] = np.rint(np.bincount(table[:, 2], axis[spots])[table[:, 2]] / count[table[:, 2]])
    begin, end = net.a[arms["piece"]], net.b[arms["piece"]]
    sense = np.where(arms["end"] == 0, 1, -1) * UNIT / np.maximum(net.length[arms["piece"]], 1)
    arms["ux"], arms["uy"] = np.rint((x[end] - x[begin]) * sense), np.rint((y[end] - y[begin]) * sense)
    arms = arms[np.argsort(arms["crossing"], kind="stable")]
    return {"trim0": trims[:, 0], "trim1": trims[:, 1], "zebra": bits}, arms


@jit
def _spread_trims(
    first: Array, order: Array, length: Array, reach: Array, zebra: Array, count: int
) -> tuple[Array, Array, Array]:
    """Trims and zebra bits of pieces from how far crossings reach into chains; the piece where each reach ends."""
    trims, bits = np.zeros((count, 2), np.int64), np.zeros(count, np.int64)
    last = np.zeros((len(first) - 1, 2), np.int64)
    for k in range(len(first) - 1):
        rows = first[k + 1] - first[k]
        total = 0.0
        for n in range(rows):
            total += length[order[first[k] + n]]
        scale = min(1.0, total / max(reach[k, 0] + reach[k, 1], 1.0))
        for end in range(2):
            left, n = reach[k, end] * scale, 0
            while left > 0 and n < rows:
                piece = order[first[k] + n] if end == 0 else order[first[k + 1] - 1 - n]
                n += 1
                taken = trims[piece, 1 - end] + (CROSSWALK_DEPTH + STOP_LINE_DISTANCE if bits[piece] else 0)
                free = int(length[piece]) - taken
                if (
                    zebra[k, end]
                    and left + CROSSWALK_DEPTH + STOP_LINE_DISTANCE > free
                    and n < rows
                    and not bits[piece]
                ):
                    # The crosswalk would not fit on this piece: it lies at the beginning of the next.
                    left = max(left, length[piece] + 0.5)
                trims[piece, end] = max(min(int(left), int(length[piece]) - trims[piece, 1 - end]), 0)
                last[k, end] = piece
                if left <= length[piece] and zebra[k, end] and left + CROSSWALK_DEPTH + STOP_LINE_DISTANCE <= free:
                    bits[piece] |= 1 << end
                left -= length[piece]
    return trims, bits, last


def _fill_spot_pieces(roads: Rows, net: StreetNetwork) -> None:
    """Pieces within a spot take after a neighbour and bear no markings."""
    small = np.flatnonzero(net.chain < 0)
    if not len(small):
        return
    keys = np.concatenate([net.spot[net.a[net.order]], net.spot[net.b[net.order]]])
    pieces = np.concatenate([net.order, net.order])
    order = np.argsort(keys, kind="stable")
    found = np.minimum(np.searchsorted(keys[order], net.spot[net.a[small]]), len(order) - 1)
    like = pieces[order][found]
    for name in ("half", "walk", "lanes", "flow", "street", "along"):
        roads[name][small] = roads[name][like]
    roads["trim0"][small] = np.rint(net.length[small])


def _shorten_wide_ends(roads: Rows, net: StreetNetwork) -> None:
    """The end of a wide street does not bulge beyond the far kerb of the narrower ones that it meets."""
    pieces = np.concatenate([net.order, net.order])
    spots = np.concatenate([net.spot[net.a[net.order]], net.spot[net.b[net.order]]])
    half = roads["half"][pieces].astype(np.int64)
    order = np.lexsort((-half, spots))
    first = np.searchsorted(spots[order], spots[order])
    second = np.minimum(first + 1, len(order) - 1)
    met = np.where(spots[order[second]] == spots[order], half[order[second]], half[order])
    pull = np.empty(len(order), np.int64)
    pull[order] = half[order] - met
    _, _, ux, uy, length = road_geometry(roads)
    for end, sign, far in ((0, 1, pull[: len(net.order)]), (1, -1, pull[len(net.order) :])):
        far = np.clip(far, 0, np.maximum(length[net.order] // 2 - 500, 0))
        roads[f"x{end}"][net.order] += sign * ux[net.order] * far // UNIT
        roads[f"y{end}"][net.order] += sign * uy[net.order] * far // UNIT
        trim = roads[f"trim{end}"][net.order] - far
        roads[f"trim{end}"][net.order] = np.maximum(trim, 0)
        if end == 0:
            roads["along"][net.order] += far
    _, _, _, _, length = road_geometry(roads)
    roads["trim0"] = np.minimum(roads["trim0"], length)
    roads["trim1"] = np.minimum(roads["trim1"], length - roads["trim0"])
    roads["zebra"][sum(_crossing_reach(roads, CROSSWALK_DEPTH)) > length] = 0


def _mark(ground: Raster, roads: Rows) -> None:
    """Carriageways, sidewalks and crossings, joints rounded."""
    x, y, ux, uy, length = road_geometry(roads)
    for wide, bit in ((roads["half"] + roads["walk"], raster.WALK), (roads["half"], raster.ROAD)):
        ground.mark(
            x + ux * (length // 2) // UNIT, y + uy * (length // 2) // UNIT, ux, uy, wide, (length + 1) // 2, bit
        )
        ground.disc(roads["x0"], roads["y0"], wide, bit)
        ground.disc(roads["x1"], roads["y1"], wide, bit)
    for end, trim in enumerate(_crossing_reach(roads, CROSSWALK_DEPTH)):
        some = trim > 0
        middle = (trim // 2 if end == 0 else length - trim // 2)[some]
        at = x[some] + ux[some] * middle // UNIT, y[some] + uy[some] * middle // UNIT
        ground.mark(*at, ux[some], uy[some], roads["half"][some], trim[some] // 2, raster.CROSSING)


def _crossing_reach(roads: Rows, zebra: int) -> tuple[Integers, Integers]:
    """How far crossings reach into each piece from its ends, crosswalks included."""
    bits = roads["zebra"].astype(np.int64)
    return roads["trim0"] + (bits & 1) * zebra, roads["trim1"] + (bits >> 1) * zebra


def road_geometry(roads: Rows) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """Of each piece: where it begins, its direction (of length UNIT), and its length."""
    x, y = roads["x0"].astype(np.int64), roads["y0"].astype(np.int64)
    dx, dy = roads["x1"] - x, roads["y1"] - y
    length = np.sqrt((dx * dx + dy * dy).astype(float))
    ux, uy = (np.rint(d * float(UNIT) / np.maximum(length, 1.0)).astype(np.int64) for d in (dx, dy))
    return x, y, ux, uy, np.rint(length).astype(np.int64)


def free_kerbs(draft: Draft) -> KerbSegments:
    """The stretches of kerb of at least a metre that lie outside crossings and other carriageways."""
    assert draft.raster is not None
    x, y, ux, uy, length = road_geometry(draft.roads)
    roads = draft.roads
    wide = roads["half"].astype(np.int64) + 300
    found = _free_kerbs(
        draft.raster.cells,
        draft.raster.x0,
        draft.raster.y0,
        x,
        y,
        ux,
        uy,
        length,
        wide,
        *_crossing_reach(roads, CROSSWALK_DEPTH + STOP_LINE_DISTANCE),
    )
    return KerbSegments(*found.T)


@jit
def _free_kerbs(
    cells: Array,
    x0: int,
    y0: int,
    x: Array,
    y: Array,
    ux: Array,
    uy: Array,
    length: Array,
    wide: Array,
    trim0: Array,
    trim1: Array,
) -> Array:
    found, rows = np.zeros((64, 4), np.int64), 0
    for k in range(len(x)):
        for side in (-1, 1):
            begin, at, end = -1, trim0[k], length[k] - trim1[k]
            while at <= end:
                px = x[k] + (ux[k] * at + side * uy[k] * wide[k]) // 1_000_000
                py = y[k] + (uy[k] * at - side * ux[k] * wide[k]) // 1_000_000
                free = not cells[(py - y0) // 250, (px - x0) // 250] & 1
                if free and begin < 0:
                    begin = at
                step = min(500, end - at)
                if begin >= 0 and (not free or step <= 0):
                    until = at if free else at - 500
                    if until - begin >= 1000:
                        if rows == len(found):
                            found = np.concatenate((found, np.zeros_like(found)))
                        found[rows, 0], found[rows, 1], found[rows, 2], found[rows, 3] = k, side, begin, until
                        rows += 1
                    begin = -1
                if step <= 0:
                    break
                at += step
    return found[:rows].copy()


def crossing_arms(draft: Draft) -> Rows:
    """The arms of all real crossings, crossing by crossing (plan.ARM): there stand lights, stop signs, street names.

    A crosswalk begins where the trim ends and is ZEBRA deep; cars wait behind it.
    """
    return np.asarray(draft.arms[draft.arms["real"]])
