"""Street graph of the built-in city: avenues and streets, a diagonal, dead ends, and merged blocks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bearleft.errors import InputError
from bearleft.geometry import vector_angles
from bearleft.world.city.plan import check_seed
from bearleft.world.city.randomness import Integers, Stage, chance, integers
from bearleft.world.graphs.graph import Graph

MAX_STREETS = 64  # limit for avenues and for streets
PLACE_SPACING = 10_000  # millimetres between places, about
JITTER = 500  # millimetres
COSINE, SINE = 874_620, 484_810  # of 29 degrees, in millionths: the grid is rotated clockwise like Manhattan's
MERGE_DISTANCE = 15_000  # millimetres; the diagonal passes through crossings closer than this

Point = tuple[int, int]


def city_graph(seed: int, avenues: int = 8, streets: int = 12) -> Graph:
    """Return the graph of a city, named city/SEED, with a place about every ten metres.

    Args:
        seed: Seed of the city.
        avenues: Number of avenues.
        streets: Number of streets.

    Raises:
        InputError: The seed or the size is out of range.
    """
    check_seed(seed)
    if not (2 <= avenues <= MAX_STREETS and 2 <= streets <= MAX_STREETS):
        raise InputError(f"2 to {MAX_STREETS} avenues and streets", f"{avenues} x {streets}")
    x = _lines(seed, avenues, 100_000, 200_000, 0)
    y = _lines(seed, streets, 62_000, 84_000, 1)
    points, segments = _segments(seed, x, y)
    places, pairs = _places(points, segments)
    index = np.arange(len(places))
    east, north = (
        places[:, axis] + integers(seed, Stage.STREETS, index, -JITTER, JITTER, salt=20 + axis) for axis in (0, 1)
    )
    rotated = np.stack([east * COSINE + north * SINE, north * COSINE - east * SINE, 0 * east], axis=1) // 1_000_000
    positions = rotated / 1000.0
    source, target = np.concatenate([pairs, pairs[:, ::-1]]).T
    heading, _ = vector_angles(positions[target] - positions[source])
    ids = [f"c{k:06d}" for k in range(len(positions))]
    return Graph.make(f"city/{seed}", ids, positions, source, target, np.round(heading) % 360.0)


def _lines(seed: int, count: int, low: int, high: int, salt: int) -> Integers:
    """Return the positions of parallel streets, centred on 0."""
    positions = np.concatenate(
        [[0], np.cumsum(integers(seed, Stage.STREETS, np.arange(count - 1), low, high, salt=salt))]
    )
    return np.asarray(positions - (positions[0] + positions[-1]) // 2, np.int64)


def _segments(seed: int, x: Integers, y: Integers) -> tuple[list[Point], list[tuple[int, int]]]:
    """Return crossings and other ends of streets, and the pairs of them joined by a straight segment."""
    points = [(int(east), int(north)) for north in y for east in x]
    on_street: list[list[int]] = [[] for _ in y]
    on_avenue: list[list[int]] = [[] for _ in x]
    diagonal = _diagonal(seed, x, y, points, on_street, on_avenue)
    segments = list(pairwise(diagonal))
    across, up = len(x), len(y)
    for i, extra in enumerate(on_avenue):
        nodes = sorted([*(j * across + i for j in range(up)), *extra], key=lambda k: points[k][1])
        segments += pairwise(nodes)
    for j, extra in enumerate(on_street):
        row = range(j * across, (j + 1) * across)
        nodes = sorted([*row, *extra], key=lambda k: points[k][0])
        interruptions = _interruptions(seed, j, across) if 0 < j < up - 1 else {}
        for start, end in pairwise(nodes):
            stub = interruptions.get(start - j * across) if start in row and end in row else None
            if stub is None:
                segments.append((start, end))
            elif stub > 0:  # a dead end from either side
                length = (points[end][0] - points[start][0]) * stub // 100
                begin, sign = (start, 1) if stub % 2 else (end, -1)
                points.append((points[begin][0] + sign * length, points[begin][1]))
                segments.append((begin, len(points) - 1))
        _add_stubs(seed, j, points, segments, row)
    return points, segments


def _diagonal(
    seed: int, x: Integers, y: Integers, points: list[Point], on_street: list[list[int]], on_avenue: list[list[int]]
) -> list[int]:
    """Return the points of an avenue that crosses the grid from south to north, if the grid is large enough."""
    if len(x) < 3 or len(y) < 4:
        return []
    width = int(x[-1] - x[0])
    begin, end = (
        int(x[0]) + width * int(share) // 100
        for share in integers(seed, Stage.STREETS, [0, 1], [8, 62], [38, 92], salt=2)
    )
    if chance(seed, Stage.STREETS, 0, 500, salt=3):
        begin, end = end, begin
    nodes: list[int] = []
    height = int(y[-1] - y[0])
    for j, north in enumerate(y.tolist()):
        east = begin + (end - begin) * (north - int(y[0])) // height
        nodes.append(_crossing_at(x, y, points, on_street[j], (east, north)))
    for i, east in enumerate(x.tolist()):
        if min(begin, end) < east < max(begin, end):
            north = int(y[0]) + height * (east - begin) // (end - begin)
            nodes.append(_crossing_at(x, y, points, on_avenue[i], (east, north)))
    return sorted(dict.fromkeys(nodes), key=lambda k: (points[k][1], points[k][0] if end > begin else -points[k][0]))


def _crossing_at(x: Integers, y: Integers, points: list[Point], line: list[int], point: Point) -> int:
    """Return the crossing at a point of a street or avenue, adding one if necessary."""
    i, j = int(np.argmin(np.abs(x - point[0]))), int(np.argmin(np.abs(y - point[1])))
    if abs(int(x[i]) - point[0]) < MERGE_DISTANCE and abs(int(y[j]) - point[1]) < MERGE_DISTANCE:
        return j * len(x) + i
    points.append(point)
    line.append(len(points) - 1)
    return len(points) - 1


def _interruptions(seed: int, street: int, avenues: int) -> dict[int, int]:
    """Return the blocks where a street is interrupted: 0 for merged blocks, else the percentage taken by a dead end."""
    index = street * MAX_STREETS + np.arange(avenues - 1)
    is_merged = chance(seed, Stage.STREETS, index, 45, salt=4)
    is_dead_end = chance(seed, Stage.STREETS, index, 40, salt=5) & ~is_merged
    share = integers(seed, Stage.STREETS, index, 30, 65, salt=6)
    return {int(i): 0 if is_merged[i] else int(share[i]) for i in np.flatnonzero(is_merged | is_dead_end)}


def _add_stubs(seed: int, street: int, points: list[Point], segments: list[tuple[int, int]], row: range) -> None:
    """Add dead ends that lead out of the grid on either side."""
    for side, begin, sign in ((0, row[0], -1), (1, row[-1], 1)):
        if chance(seed, Stage.STREETS, 2 * street + side, 180, salt=7):
            length = int(integers(seed, Stage.STREETS, 2 * street + side, 35_000, 75_000, salt=8))
            points.append((points[begin][0] + sign * length, points[begin][1]))
            segments.append((begin, len(points) - 1))


def _places(points: list[Point], segments: list[tuple[int, int]]) -> tuple[Integers, Integers]:
    """Return places at all points and along all segments, and the pairs of neighbours."""
    ends = np.array(points, np.int64)
    places, pairs, count = [ends], [], len(ends)
    for start, end in segments:
        vector = ends[end] - ends[start]
        length = float(np.sqrt(float(vector @ vector)))
        steps = max(round(length / PLACE_SPACING), 1)
        between = np.arange(1, steps)[:, None]
        places.append(ends[start] + vector * between // steps)
        chain = np.concatenate([[start], np.arange(count, count + steps - 1), [end]])
        pairs.append(np.stack([chain[:-1], chain[1:]], axis=1))
        count += steps - 1
    return np.concatenate(places), np.concatenate(pairs)
