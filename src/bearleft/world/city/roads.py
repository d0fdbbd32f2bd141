"""First stage: carriageways, lanes, sidewalks and crossings along the streets of any graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit
from bearleft.world.city import raster
from bearleft.world.city.plan import ARM, DIRECTION_SCALE, ROAD, Draft, Rows, positions_in_millimetres
from bearleft.world.city.randomness import Integers, Stage, chance, integers, weighted_choice
from bearleft.world.city.raster import Raster
from bearleft.world.city.street_network import PAIR_DISTANCE, StreetNetwork, build_network, parallel_chains

Array = Any  # NumPy array in compiled functions
Arrays = tuple[Array, Array]
LANE_WIDTH, PARKING_WIDTH = 3100, 2300  # millimetres
MEDIAN_STRIP_WIDTH = 1000  # millimetres that a median and the lines beside it take from the lanes
MIN_HALF_WIDTH = 3200  # millimetres
CROSSWALK_DEPTH = 3200  # millimetres; a crosswalk begins where the trim ends
STOP_LINE_DISTANCE = 1700  # millimetres from a crosswalk to the stop line
CROSSWALK_SETBACK = 600  # millimetres between the kerb of the crossing street and the crosswalk
CAMERA_CLEARANCE = 1200  # millimetres around a camera that stay free
MAX_CROSSING_REACH = 26_000  # millimetres that a crossing may reach along its arms


@dataclass(frozen=True, eq=False)
class KerbSegments:
    """Free stretches of kerb: road piece, side (-1 left, 1 right), and start and end along the piece."""

    piece: Integers
    side: Integers
    start: Integers
    end: Integers


def lay_roads(draft: Draft) -> None:
    """Add a road per pair of neighbours (none where they coincide), the crossing arms, and the raster."""
    graph = draft.graph
    offsets, neighbour = graph.neighbours
    degree = np.diff(offsets)
    if not degree.all():
        place = graph.ids[int(np.argmin(degree))]
        raise InputError("streets to every place of the city", f"the place {place}, which has no links")
    x, y = positions_in_millimetres(graph)
    draft.raster = Raster.covering(x, y)
    source = np.repeat(np.arange(len(graph)), degree)
    forward = source < neighbour
    network = build_network(x, y, source[forward], neighbour[forward].astype(np.int64))
    roads, draft.arms = _build_roads(draft.seed, network, x, y)
    has_length = network.length > 0
    draft.roads = roads[has_length]
    draft.arms["piece"] = (np.cumsum(has_length) - 1)[draft.arms["piece"]]
    _mark(draft.raster, draft.roads)
    draft.raster.mark_disc(x, y, CAMERA_CLEARANCE, raster.CAMERA)


def _build_roads(seed: int, network: StreetNetwork, x: Array, y: Array) -> tuple[Rows, Rows]:
    """Return the roads and the crossing arms of a street network."""
    roads, arms = np.zeros(len(network.a), ROAD), np.zeros(0, ARM)
    roads["x0"], roads["y0"], roads["x1"], roads["y1"] = x[network.a], y[network.a], x[network.b], y[network.b]
    if not len(network.order):
        roads["half"], roads["walk"], roads["lanes"], roads["flow"] = MIN_HALF_WIDTH, 2500, 1, 1
        roads["trim0"] = np.rint(network.length)
        return roads, arms
    chains = np.repeat(np.arange(len(network.street)), np.diff(network.first))
    cumulative = np.cumsum(network.length[network.order]) - network.length[network.order]
    within_chain = cumulative - cumulative[network.first[:-1]][chains]
    spacing, left = parallel_chains(network, x, y)
    widths = _widths(seed, network, x, y, spacing, left)
    for name, values in widths.items():
        roads[name][network.order] = values[chains]
    roads["along"][network.order] = np.rint(network.along[chains] + within_chain)
    roads["street"][network.order] = network.street[chains]
    table, real = _arms(
        network.first, network.order, (network.a, network.b), (x, y), network.ends, network.inner, widths["half"]
    )
    trims, arms = _trims(network, table, real, x, y)
    for name, values in trims.items():
        roads[name] = values
    _fill_spot_pieces(roads, network)
    _shorten_wide_ends(roads, network)
    return roads, arms


def _widths(
    seed: int, network: StreetNetwork, x: Array, y: Array, parallel_distance: Array, left: Array
) -> dict[str, Array]:
    """Return half width, sidewalk, lanes, flow, parking and median of each chain."""
    streets = np.arange(int(network.street.max()) + 1)
    length = np.bincount(network.street, network.totals)
    crossings = np.bincount(network.street, (network.ends[:, 0] >= 0) & ~network.inner)
    spacing = length / np.maximum(crossings, 1)
    avenue = _is_avenue(seed, network, streets, length, spacing)
    alley = (length < 80_000) & (crossings < 2)
    # Types of cross streets: one lane, two lanes, two-way.
    street_type = weighted_choice(seed, Stage.ROADS, streets, [55, 30, 15])
    lanes = np.where(avenue, integers(seed, Stage.ROADS, streets, 3, 4, salt=1), np.where(street_type == 0, 1, 2))
    both_ways = np.where(avenue, chance(seed, Stage.ROADS, streets, 350, salt=2), street_type == 2) & ~alley
    lanes = np.where(avenue & both_ways, 4, np.where(alley, 1, lanes))
    walk = np.where(
        avenue,
        integers(seed, Stage.ROADS, streets, 38, 52, salt=3),
        integers(seed, Stage.ROADS, streets, 27, 40, salt=3),
    )
    walk = np.where(alley, 20, walk) * 100
    flow = np.where(both_ways, 0, _flows(seed, network, x, y, streets))
    parking_bits = np.where(alley, 0, np.where(chance(seed, Stage.ROADS, streets, 850, salt=4), 3, 2))

    lanes, flow, parking, is_alley = (
        lanes[network.street],
        flow[network.street],
        parking_bits[network.street],
        alley[network.street],
    )
    is_paired = (parallel_distance < PAIR_DISTANCE) & (left != 0)
    flow = np.where(is_paired, np.where(left > 0, 1, -1), flow)
    parking = np.where(is_paired & (parking > 0), np.where(left > 0, 2, 1), parking)
    limit = np.maximum(np.where(parallel_distance < 2 * PAIR_DISTANCE, parallel_distance / 2, 1e9), MIN_HALF_WIDTH)
    fitted = _fit_lanes(lanes, parking, flow, limit)
    half = np.clip(
        (fitted[0] * LANE_WIDTH + _parking_lanes(fitted[1]) * PARKING_WIDTH) // 2 + 200, MIN_HALF_WIDTH, limit
    )
    half = np.where(is_alley, MIN_HALF_WIDTH, np.rint(half)).astype(np.int64)
    has_median = chance(seed, Stage.GROUNDS, streets, 650, salt=1)[network.street] & (fitted[0] == 4) & (fitted[2] == 0)
    lanes_to_the_left = np.where(chance(seed, Stage.GROUNDS, streets, 500, salt=2)[network.street], 1, 3)
    return {
        "half": half,
        "walk": walk[network.street],
        "lanes": fitted[0],
        "flow": fitted[2],
        "parking": fitted[1],
        "median": np.where(has_median, lanes_to_the_left, 0),
    }


def _parking_lanes(parking: Array) -> Array:
    """Return the number of parking lanes."""
    return (parking & 1) + (parking >> 1)


def _fit_lanes(lanes: Array, parking: Array, flow: Array, limit: Array) -> tuple[Array, Array, Array]:
    """Reduce lanes, then parking, until they fit within `limit` on either side; return lanes, parking and flow."""
    for _ in range(3):
        too_wide = (lanes * LANE_WIDTH + _parking_lanes(parking) * PARKING_WIDTH > 2 * limit) & (lanes > 1)
        lanes = np.where(too_wide, np.where((flow == 0) & (lanes == 4), 2, lanes - 1), lanes)
    flow = np.where((lanes < 2) & (flow == 0), 1, flow)
    for mask in (2, 0):
        too_wide = lanes * LANE_WIDTH + _parking_lanes(parking) * PARKING_WIDTH > 2 * limit
        parking = np.where(too_wide, parking & mask, parking)
    return lanes, parking, flow


def _is_avenue(seed: int, network: StreetNetwork, streets: Integers, length: Array, spacing: Array) -> Array:
    """Return which streets are avenues: long ones whose crossings are closer than those of the streets they cross."""
    crossed, count = np.zeros(len(streets)), np.zeros(len(streets))
    ends = np.concatenate([network.ends[:, 0], network.ends[:, 1]])
    chain_streets = np.concatenate([network.street, network.street])
    pairs = np.unique(np.stack([ends, chain_streets])[:, ends >= 0], axis=1)
    sums = np.bincount(pairs[0], spacing[pairs[1]]) if pairs.size else np.zeros(1)
    counts = np.bincount(pairs[0]) if pairs.size else np.zeros(1)
    np.add.at(crossed, pairs[1], sums[pairs[0]] - spacing[pairs[1]])
    np.add.at(count, pairs[1], counts[pairs[0]] - 1)
    crossed_spacing = crossed / np.maximum(count, 1)
    per_mille = np.where(spacing < 0.75 * crossed_spacing, 900, np.where(spacing < 1.33 * crossed_spacing, 350, 120))
    return (length > 300_000) & chance(seed, Stage.ROADS, streets, per_mille, salt=5)


def _flows(seed: int, network: StreetNetwork, x: Array, y: Array, streets: Integers) -> Array:
    """Return one-way directions that alternate between parallel streets: 1 along the street, -1 against it."""
    begin, end = np.zeros(len(streets), np.int64), np.zeros(len(streets), np.int64)
    order = np.lexsort((network.along, network.street))
    begin[network.street[order[::-1]]] = network.a[network.order[network.first[:-1]]][order[::-1]]
    end[network.street[order]] = network.b[network.order[network.first[1:] - 1]][order]
    dx, dy = x[end] - x[begin], y[end] - y[begin]
    axes = np.array([[1000, 0], [866, 500], [500, 866], [0, 1000], [-500, 866], [-866, 500]])
    projection = dx[:, None] * axes[:, 0] + dy[:, None] * axes[:, 1]
    axis = np.argmax(np.abs(projection), axis=1)
    sense = np.where(projection[streets, axis] >= 0, 1, -1)
    offset = ((y[begin] + y[end]) * axes[axis, 0] - (x[begin] + x[end]) * axes[axis, 1]) // 2000
    row = np.zeros(len(streets), np.int64)
    order = np.lexsort((offset, axis))
    is_new_row = (np.diff(axis[order]) != 0) | (np.diff(offset[order]) > 25_000)
    row[order] = np.concatenate([[0], np.cumsum(is_new_row)])
    start = np.where(chance(seed, Stage.ROADS, np.arange(6), 500, salt=6), 1, -1)
    return start[axis] * sense * np.where(row % 2 == 0, 1, -1)


@jit
def _arms(
    first: Array, order: Array, places: Arrays, at: Arrays, ends: Array, inner: Array, half: Array
) -> tuple[Array, Array]:
    """Return crossing arms (chain, end, crossing, reach) and which crossings are real."""
    a, b = places  # at the two ends of each piece
    x, y = at
    chains = len(inner)
    table, rows = np.zeros((2 * chains, 4), np.int64), 0
    position, direction = np.zeros((2 * chains, 2)), np.zeros((2 * chains, 2))
    for k in range(chains):
        for end in range(2):
            if ends[k, end] < 0 or inner[k]:
                continue
            table[rows, 0], table[rows, 1], table[rows, 2] = k, end, ends[k, end]
            start = a[order[first[k]]] if end == 0 else b[order[first[k + 1] - 1]]
            position[rows, 0], position[rows, 1] = x[start], y[start]
            for n in range(first[k + 1] - first[k]):
                place = b[order[first[k] + n]] if end == 0 else a[order[first[k + 1] - 1 - n]]
                dx, dy = float(x[place] - x[start]), float(y[place] - y[start])
                distance = np.sqrt(dx * dx + dy * dy)
                if distance > 0:
                    direction[rows, 0], direction[rows, 1] = dx / distance, dy / distance
                if distance >= 12_000:
                    break
            rows += 1
    table = table[:rows]
    by_crossing = np.argsort(table[:, 2], kind="mergesort")
    real = np.zeros(ends.max() + 1 if ends.size else 0, np.bool_)
    row = 0
    while row < rows:
        after = row
        while after < rows and table[by_crossing[after], 2] == table[by_crossing[row], 2]:
            after += 1
        arm_count = 0
        for m in range(row, after):
            i = by_crossing[m]
            is_duplicate, reach = False, 0.0
            for n in range(row, after):
                j = by_crossing[n]
                if i == j:
                    continue
                cosine = direction[i, 0] * direction[j, 0] + direction[i, 1] * direction[j, 1]
                sine = direction[i, 0] * direction[j, 1] - direction[i, 1] * direction[j, 0]
                is_duplicate = is_duplicate or (n < m and cosine > 0.82)
                if abs(sine) < 0.35:
                    continue
                hi, hj = float(half[table[i, 0]]), float(half[table[j, 0]])
                dx, dy = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
                extent = (dx * direction[j, 1] - dy * direction[j, 0]) / sine + (hj + hi * abs(cosine)) / abs(sine)
                if cosine < -0.3:  # it leads away on the other side: only its end overlaps
                    extent = min(extent, dx * direction[i, 0] + dy * direction[i, 1] + (hj + hi * abs(sine)) / -cosine)
                reach = max(reach, extent)
            arm_count += not is_duplicate
            table[i, 3] = int(min(reach, MAX_CROSSING_REACH)) + CROSSWALK_SETBACK
        real[table[by_crossing[row], 2]] = arm_count >= 3
        row = after
    return table, real


def _trims(network: StreetNetwork, table: Array, real: Array, x: Array, y: Array) -> tuple[dict[str, Array], Rows]:
    """Return how far crossings reach into each piece, the crosswalk bits, and the arms with the pieces they end on."""
    reach = np.zeros((len(network.street), 2))
    zebra = np.zeros((len(network.street), 2), np.bool_)
    reach[table[:, 0], table[:, 1]] = table[:, 3]
    zebra[table[:, 0], table[:, 1]] = real[table[:, 2]]
    reach[network.inner, 0] = network.totals[network.inner]
    trims, bits, last = _spread_trims(network.first, network.order, network.length, reach, zebra, len(network.a))
    arms = np.zeros(len(table), ARM)
    arms["crossing"], arms["end"], arms["real"] = table[:, 2], table[:, 1], real[table[:, 2]]
    arms["piece"] = last[table[:, 0], table[:, 1]]
    end_places = np.where(
        table[:, 1] == 0,
        network.a[network.order[network.first[table[:, 0]]]],
        network.b[network.order[network.first[table[:, 0] + 1] - 1]],
    )
    count = np.maximum(np.bincount(table[:, 2]), 1) if len(table) else np.zeros(0)
    for name, axis in (("x", x), ("y", y)):
        arms[name] = np.rint(np.bincount(table[:, 2], axis[end_places])[table[:, 2]] / count[table[:, 2]])
    begin, end = network.a[arms["piece"]], network.b[arms["piece"]]
    sense = np.where(arms["end"] == 0, 1, -1) * DIRECTION_SCALE / np.maximum(network.length[arms["piece"]], 1)
    arms["ux"], arms["uy"] = np.rint((x[end] - x[begin]) * sense), np.rint((y[end] - y[begin]) * sense)
    arms = arms[np.argsort(arms["crossing"], kind="stable")]
    return {"trim0": trims[:, 0], "trim1": trims[:, 1], "zebra": bits}, arms


@jit
def _spread_trims(
    first: Array, order: Array, length: Array, reach: Array, zebra: Array, count: int
) -> tuple[Array, Array, Array]:
    """Spread the reach of crossings over pieces; return trims, crosswalk bits, and the piece where each reach ends."""
    trims, bits = np.zeros((count, 2), np.int64), np.zeros(count, np.int64)
    last = np.zeros((len(first) - 1, 2), np.int64)
    for k in range(len(first) - 1):
        rows = first[k + 1] - first[k]
        total = 0.0
        for n in range(rows):
            total += length[order[first[k] + n]]
        scale = min(1.0, total / max(reach[k, 0] + reach[k, 1], 1.0))
        for end in range(2):
            remaining, n = reach[k, end] * scale, 0
            while remaining > 0 and n < rows:
                piece = order[first[k] + n] if end == 0 else order[first[k + 1] - 1 - n]
                n += 1
                occupied = trims[piece, 1 - end] + (CROSSWALK_DEPTH + STOP_LINE_DISTANCE if bits[piece] else 0)
                free = int(length[piece]) - occupied
                if (
                    zebra[k, end]
                    and remaining + CROSSWALK_DEPTH + STOP_LINE_DISTANCE > free
                    and n < rows
                    and not bits[piece]
                ):
                    # The crosswalk does not fit on this piece: it moves to the start of the next one.
                    remaining = max(remaining, length[piece] + 0.5)
                trims[piece, end] = max(min(int(remaining), int(length[piece]) - trims[piece, 1 - end]), 0)
                last[k, end] = piece
                if (
                    remaining <= length[piece]
                    and zebra[k, end]
                    and remaining + CROSSWALK_DEPTH + STOP_LINE_DISTANCE <= free
                ):
                    bits[piece] |= 1 << end
                remaining -= length[piece]
    return trims, bits, last


def _fill_spot_pieces(roads: Rows, network: StreetNetwork) -> None:
    """Copy the attributes of a neighbour to pieces within a merged spot, without markings."""
    inner_pieces = np.flatnonzero(network.chain < 0)
    if not len(inner_pieces):
        return
    keys = np.concatenate([network.spot[network.a[network.order]], network.spot[network.b[network.order]]])
    pieces = np.concatenate([network.order, network.order])
    order = np.argsort(keys, kind="stable")
    position = np.minimum(np.searchsorted(keys[order], network.spot[network.a[inner_pieces]]), len(order) - 1)
    template = pieces[order][position]
    for name in ("half", "walk", "lanes", "flow", "street", "along", "median"):
        roads[name][inner_pieces] = roads[name][template]
    roads["trim0"][inner_pieces] = np.rint(network.length[inner_pieces])


def _shorten_wide_ends(roads: Rows, network: StreetNetwork) -> None:
    """Shorten the ends of wide streets so that they do not extend beyond the far kerb of narrower ones."""
    pieces = np.concatenate([network.order, network.order])
    spots = np.concatenate([network.spot[network.a[network.order]], network.spot[network.b[network.order]]])
    half = roads["half"][pieces].astype(np.int64)
    order = np.lexsort((-half, spots))
    first = np.searchsorted(spots[order], spots[order])
    second = np.minimum(first + 1, len(order) - 1)
    next_half = np.where(spots[order[second]] == spots[order], half[order[second]], half[order])
    pull = np.empty(len(order), np.int64)
    pull[order] = half[order] - next_half
    _, _, ux, uy, length = road_geometry(roads)
    for end, sign, shift in ((0, 1, pull[: len(network.order)]), (1, -1, pull[len(network.order) :])):
        shift = np.clip(shift, 0, np.maximum(length[network.order] // 2 - 500, 0))
        roads[f"x{end}"][network.order] += sign * ux[network.order] * shift // DIRECTION_SCALE
        roads[f"y{end}"][network.order] += sign * uy[network.order] * shift // DIRECTION_SCALE
        trim = roads[f"trim{end}"][network.order] - shift
        roads[f"trim{end}"][network.order] = np.maximum(trim, 0)
        if end == 0:
            roads["along"][network.order] += shift
    _, _, _, _, length = road_geometry(roads)
    roads["trim0"] = np.minimum(roads["trim0"], length)
    roads["trim1"] = np.minimum(roads["trim1"], length - roads["trim0"])
    roads["zebra"][sum(_crossing_reach(roads, CROSSWALK_DEPTH)) > length] = 0


def _mark(grid: Raster, roads: Rows) -> None:
    """Mark carriageways, sidewalks and crossings with rounded joints."""
    x, y, ux, uy, length = road_geometry(roads)
    for half_width, bit in ((roads["half"] + roads["walk"], raster.WALK), (roads["half"], raster.ROAD)):
        grid.mark(
            (x + ux * (length // 2) // DIRECTION_SCALE, y + uy * (length // 2) // DIRECTION_SCALE),
            (ux, uy),
            (half_width, (length + 1) // 2),
            bit,
        )
        grid.mark_disc(roads["x0"], roads["y0"], half_width, bit)
        grid.mark_disc(roads["x1"], roads["y1"], half_width, bit)
    for end, trim in enumerate(_crossing_reach(roads, CROSSWALK_DEPTH)):
        has_trim = trim > 0
        middle = (trim // 2 if end == 0 else length - trim // 2)[has_trim]
        centre = (
            x[has_trim] + ux[has_trim] * middle // DIRECTION_SCALE,
            y[has_trim] + uy[has_trim] * middle // DIRECTION_SCALE,
        )
        grid.mark(centre, (ux[has_trim], uy[has_trim]), (roads["half"][has_trim], trim[has_trim] // 2), raster.CROSSING)


def _crossing_reach(roads: Rows, crosswalk_depth: int) -> tuple[Integers, Integers]:
    """Return how far crossings reach into each piece from its two ends, crosswalks included."""
    bits = roads["zebra"].astype(np.int64)
    return roads["trim0"] + (bits & 1) * crosswalk_depth, roads["trim1"] + (bits >> 1) * crosswalk_depth


def road_geometry(roads: Rows) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """Return start (x, y), direction (of length DIRECTION_SCALE) and length of each piece."""
    x, y = roads["x0"].astype(np.int64), roads["y0"].astype(np.int64)
    dx, dy = roads["x1"] - x, roads["y1"] - y
    length = np.sqrt((dx * dx + dy * dy).astype(float))
    ux, uy = (np.rint(d * float(DIRECTION_SCALE) / np.maximum(length, 1.0)).astype(np.int64) for d in (dx, dy))
    return x, y, ux, uy, np.rint(length).astype(np.int64)


def free_kerbs(draft: Draft) -> KerbSegments:
    """Return kerb segments of at least a metre outside crossings and other carriageways."""
    assert draft.raster is not None
    x, y, ux, uy, length = road_geometry(draft.roads)
    roads = draft.roads
    half_width = roads["half"].astype(np.int64) + 300
    trims = _crossing_reach(roads, CROSSWALK_DEPTH + STOP_LINE_DISTANCE)
    segments = _free_kerbs(draft.raster, (x, y), (ux, uy), length, half_width, trims)
    return KerbSegments(*segments.T)


@jit
def _free_kerbs(
    ground: Raster, start: Arrays, direction: Arrays, length: Array, half_width: Array, trims: Arrays
) -> Array:
    """Return rows of (piece, side, start, end)."""
    x, y = start
    ux, uy = direction
    segments, rows = np.zeros((64, 4), np.int64), 0
    for k in range(len(x)):
        for side in (-1, 1):
            begin, position, end = -1, trims[0][k], length[k] - trims[1][k]
            while position <= end:
                px = x[k] + (ux[k] * position + side * uy[k] * half_width[k]) // 1_000_000
                py = y[k] + (uy[k] * position - side * ux[k] * half_width[k]) // 1_000_000
                free = not ground.cells[(py - ground.y0) // 250, (px - ground.x0) // 250] & 1
                if free and begin < 0:
                    begin = position
                step = min(500, end - position)
                if begin >= 0 and (not free or step <= 0):
                    until = position if free else position - 500
                    if until - begin >= 1000:
                        if rows == len(segments):
                            segments = np.concatenate((segments, np.zeros_like(segments)))
                        segments[rows, 0], segments[rows, 1], segments[rows, 2], segments[rows, 3] = (
                            k,
                            side,
                            begin,
                            until,
                        )
                        rows += 1
                    begin = -1
                if step <= 0:
                    break
                position += step
    return segments[:rows].copy()


def crossing_arms(draft: Draft) -> Rows:
    """Return the arms of all real crossings (plan.ARM), ordered by crossing; traffic lights and signs are placed there.

    A crosswalk begins where the trim ends and is CROSSWALK_DEPTH deep; cars wait behind it.
    """
    return np.asarray(draft.arms[draft.arms["real"]])
