"""A street plan of bearleft's own: avenues and streets, a diagonal, dead ends, blocks merged for a park."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bearleft.errors import InputError
from bearleft.geometry import angles
from bearleft.world.city.plan import check_seed
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.graphs.graph import Graph

MAX_STREETS = 64  # avenues, and streets
PLACE_SPACING = 10_000  # millimetres between places, about
JITTER = 500
COSINE, SINE = 874_620, 484_810  # of 29 degrees, in millionths: the city is turned clockwise as Manhattan is
MERGE_DISTANCE = 15_000  # nearer to a crossing than this, the diagonal runs through it

Point = tuple[int, int]


def city_graph(seed: int, avenues: int = 8, streets: int = 12) -> Graph:
    """A city of `avenues` x `streets`, a place about every ten metres; its name is city/SEED."""
    check_seed(seed)
    if not (2 <= avenues <= MAX_STREETS and 2 <= streets <= MAX_STREETS):
        raise InputError(f"2 to {MAX_STREETS} avenues and streets", f"{avenues} x {streets}")
    x = _lines(seed, avenues, 100_000, 200_000, 0)
    y = _lines(seed, streets, 62_000, 84_000, 1)
    points, ways = _segments(seed, x, y)
    places, pairs = _places(points, ways)
    index = np.arange(len(places))
    east, north = (
        places[:, axis] + integers(seed, Stage.STREETS, index, -JITTER, JITTER, 20 + axis) for axis in (0, 1)
    )
    turned = np.stack([east * COSINE + north * SINE, north * COSINE - east * SINE, 0 * east], axis=1) // 1_000_000
    where = turned / 1000.0
    source, target = np.concatenate([pairs, pairs[:, ::-1]]).T
    heading, _ = angles(where[target] - where[source])
    ids = [f"c{k:06d}" for k in range(len(where))]
    return Graph.make(f"city/{seed}", ids, where, source, target, np.round(heading) % 360.0)


def _lines(seed: int, count: int, low: int, high: int, draw: int) -> Integers:
    """Where parallel streets lie, around 0."""
    at = np.concatenate([[0], np.cumsum(integers(seed, Stage.STREETS, np.arange(count - 1), low, high, draw))])
    return np.asarray(at - (at[0] + at[-1]) // 2, np.int64)


def _segments(seed: int, x: Integers, y: Integers) -> tuple[list[Point], list[tuple[int, int]]]:
    """Crossings and other ends of streets, and which of them a straight way joins."""
    points = [(int(east), int(north)) for north in y for east in x]
    on_street: list[list[int]] = [[] for _ in y]
    on_avenue: list[list[int]] = [[] for _ in x]
    diagonal = _diagonal(seed, x, y, points, on_street, on_avenue)
    ways = list(pairwise(diagonal))
    across, up = len(x), len(y)
    for i, more in enumerate(on_avenue):
        nodes = sorted([*(j * across + i for j in range(up)), *more], key=lambda k: points[k][1])
        ways += pairwise(nodes)
    for j, more in enumerate(on_street):
        row = range(j * across, (j + 1) * across)
        nodes = sorted([*row, *more], key=lambda k: points[k][0])
        left_out = _interruptions(seed, j, across) if 0 < j < up - 1 else {}
        for one, other in pairwise(nodes):
            stub = left_out.get(one - j * across) if one in row and other in row else None
            if stub is None:
                ways.append((one, other))
            elif stub > 0:  # a dead end, from the one side or from the other
                far = (points[other][0] - points[one][0]) * stub // 100
                begin, sign = (one, 1) if stub % 2 else (other, -1)
                points.append((points[begin][0] + sign * far, points[begin][1]))
                ways.append((begin, len(points) - 1))
        _add_stubs(seed, j, points, ways, row)
    return points, ways


def _diagonal(
    seed: int, x: Integers, y: Integers, points: list[Point], on_street: list[list[int]], on_avenue: list[list[int]]
) -> list[int]:
    """The points of an avenue that crosses the grid from south to north, where it is large enough."""
    if len(x) < 3 or len(y) < 4:
        return []
    wide = int(x[-1] - x[0])
    begin, end = (
        int(x[0]) + wide * int(share) // 100 for share in integers(seed, Stage.STREETS, [0, 1], [8, 62], [38, 92], 2)
    )
    if chance(seed, Stage.STREETS, 0, 500, 3):
        begin, end = end, begin
    found: list[int] = []
    tall = int(y[-1] - y[0])
    for j, north in enumerate(y.tolist()):
        east = begin + (end - begin) * (north - int(y[0])) // tall
        found.append(_crossing_at(x, y, points, on_street[j], (east, north)))
    for i, east in enumerate(x.tolist()):
        if min(begin, end) < east < max(begin, end):
            north = int(y[0]) + tall * (east - begin) // (end - begin)
            found.append(_crossing_at(x, y, points, on_avenue[i], (east, north)))
    return sorted(dict.fromkeys(found), key=lambda k: (points[k][1], points[k][0] if end > begin else -points[k][0]))


def _crossing_at(x: Integers, y: Integers, points: list[Point], line: list[int], at: Point) -> int:
    """The crossing that lies at a point of a street or avenue, or a new one there."""
    i, j = int(np.argmin(np.abs(x - at[0]))), int(np.argmin(np.abs(y - at[1])))
    if abs(int(x[i]) - at[0]) < MERGE_DISTANCE and abs(int(y[j]) - at[1]) < MERGE_DISTANCE:
        return j * len(x) + i
    points.append(at)
    line.append(len(points) - 1)
    return len(points) - 1


def _interruptions(seed: int, street: int, avenues: int) -> dict[int, int]:
    """At which blocks a street is interrupted: 0 for merged blocks, else the per cent that a dead end takes."""
    index = street * MAX_STREETS + np.arange(avenues - 1)
    merged = chance(seed, Stage.STREETS, index, 45, 4)
    dead = chance(seed, Stage.STREETS, index, 40, 5) & ~merged
    share = integers(seed, Stage.STREETS, index, 30, 65, 6)
    return {int(i): 0 if merged[i] else int(share[i]) for i in np.flatnonzero(merged | dead)}


def _add_stubs(seed: int, street: int, points: list[Point], ways: list[tuple[int, int]], row: range) -> None:
    """Dead ends that lead out of the grid on either side."""
    for side, begin, sign in ((0, row[0], -1), (1, row[-1], 1)):
        if chance(seed, Stage.STREETS, 2 * street + side, 180, 7):
            far = int(integers(seed, Stage.STREETS, 2 * street + side, 35_000, 75_000, 8))
            points.append((points[begin][0] + sign * far, points[begin][1]))
            ways.append((begin, len(points) - 1))


def _places(points: list[Point], ways: list[tuple[int, int]]) -> tuple[Integers, Integers]:
    """Places at all points and along all ways, and the pairs of neighbours."""
    ends = np.array(points, np.int64)
    places, pairs, count = [ends], [], len(ends)
    for one, other in ways:
        apart = ends[other] - ends[one]
        length = float(np.sqrt(float(apart @ apart)))
        steps = max(round(length / PLACE_SPACING), 1)
        between = np.arange(1, steps)[:, None]
        places.append(ends[one] + apart * between // steps)
        chain = np.concatenate([[one], np.arange(count, count + steps - 1), [other]])
        pairs.append(np.stack([chain[:-1], chain[1:]], axis=1))
        count += steps - 1
    return np.concatenate(places), np.concatenate(pairs)
