"""Targets: the points of a city that one is asked to find.

`choose` takes a spot on something nameable, as Touchdown's writers did; `anywhere` any direction, as Refer360 did.
`propagate` finds a target again from other places, by geometry, and says where it is hidden.

Everything is drawn from (seed, index): the same numbers give the same target, in whatever order they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.geometry import Floats, turn, unit_vectors
from bearleft.records import Direction, Point, Position
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City
from bearleft.world.city.plan import check_seed
from bearleft.world.city.randomness import Stage, hashes
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Ground
from bearleft.world.visibility.rays import WIDTH, Flags, RayHits, cast, points_visible
from bearleft.world.visibility.table import SEEN, Rows

WINDOW = int(Ground.WINDOW)
SKY = int(Ground.SKY)
LATITUDE = 45.0  # degrees within which Refer360's targets lie

# How often people choose a thing of a class where there is one to choose; counted, roughly, in Touchdown's texts.
LIKED = {
    "window": 8, "traffic light": 10, "pedestrian signal": 7, "stop sign": 16, "yield sign": 10, "one way sign": 18,
    "street sign": 5, "speed limit sign": 8, "no parking sign": 18, "lettered sign": 28, "blank sign": 16,
    "billboard": 5, "banner": 6, "sandwich board": 10, "fire hydrant": 45, "mailbox": 28, "trash can": 26,
    "trash bags": 12, "bench": 16, "lamp post": 7, "planter": 12, "phone booth": 14, "bike rack": 10,
    "parking meter": 5, "newspaper box": 14, "bollard": 8, "bus stop": 9, "food cart": 12, "cafe table": 10,
    "fire alarm box": 10, "utility box": 9, "pole": 9, "steam stack": 10, "subway entrance": 12, "dumpster": 14,
    "traffic cone": 18, "barrel": 16, "barrier": 14, "scaffolding": 9, "construction fence": 6, "road work sign": 12,
    "fence": 7, "gate": 10, "playground": 12, "picnic table": 12, "drinking fountain": 10, "statue": 14,
    "fountain": 12, "flower bed": 6, "hedge": 3, "tree": 7, "bush": 5, "potted plant": 10, "door": 16,
    "storefront": 7, "awning": 18, "canopy": 10, "flag": 12, "fire escape": 7, "wall lamp": 6, "air conditioner": 8,
    "window box": 6, "balcony": 5, "bay window": 4, "mural": 10, "graffiti": 16, "portico": 8, "marquee": 9,
    "clock": 9, "barber pole": 12, "landmark": 8, "tire pile": 8, "newsstand": 8, "portable toilet": 12,
    "material pile": 8, "ladder": 8, "atm": 12, "basketball hoop": 14, "warning sign": 12, "garage entrance": 8,
    "manhole cover": 6, "fruit stand": 10, "bridge": 3, "crane": 3,
}  # fmt: skip
# What moves, or could: never chosen. Nor is a building as a whole, which is too large to be a spot.
MOVING = (
    *("car", "taxi", "police car", "van", "truck", "garbage truck", "pickup", "ambulance", "bus", "school bus"),
    *("motorcycle", "bicycle", "person", "cyclist", "dog", "pigeons", "food truck", "excavator"),
)
# Parts of things that stand still which are vehicles themselves.
MOVING_PARTS = {"bike rack": ("bicycle", "wheel", "basket", "handlebar", "saddle")}

NEAREST, CLOSE, FAR, FARTHEST = 2.5, 4.0, 14.0, 45.0  # metres: liked best between CLOSE and FAR
SMALLEST, PLAIN = 8e-5, 5e-4  # of the sphere: none smaller, and from PLAIN on none the better for being larger
HIDDEN = 0.7  # the share that may be hidden
LEVEL, LOWER, UPPER = -7.0, 9.0, 10.0  # degrees of pitch: the usual one, and how far below and above it is usual
ASIDE, BEHIND = 80.0, 165.0  # degrees from the way one came: less liked from ASIDE on, hardly from BEHIND on
# Who walks looks ahead: what lies there is liked more, and judged as if it stood at LOOKED of its distance.
AHEAD, LOOKED, FAVOUR = (8.0, 30.0), 0.7, 1.1
RIGHT = 1.6  # what lies on the right is liked more: of the real targets three in five do
GRID = 16  # rays a side that look for spots
FEWEST = 6  # of them that must meet the thing
TRIES = 12  # spots that are looked at closely
PART = 0.35  # how often one part is chosen first, and then a spot on it


@dataclass(frozen=True, slots=True)
class Target:
    """A point of a city, as it is seen from a place (its number).

    `instance`, `part` and `kind` are as in pictures; `position` is in metres, None for the sky.
    """

    place: int
    instance: int
    part: int
    kind: int
    position: Position | None
    direction: Direction
    distance: float

    def point(self, graph: Graph) -> Point:
        """The goal of a leg."""
        return Point(self.direction, graph.ids[self.place], float(graph.yaw[self.place]))


def choose(
    city: City,
    rows: Rows,
    heading: float | None = None,
    beside: Sequence[int] = (),
    seed: int = 0,
    index: int = 0,
    count: int = 1,
) -> list[Target]:
    """Up to `count` targets at a place, each on another thing, as a person might choose them.

    `rows` are what is visible there (SEEN). `heading` is the way one came; without one, all ways are alike. Of several
    spots on a thing, one is taken that most of the places `beside` see as well. Where nothing suits there are fewer
    targets, or none.
    """
    if rows.dtype != SEEN or len(np.unique(rows["place"])) > 1:
        raise InputError("rows of what is visible from one place", f"{len(np.unique(rows['place']))} places")
    check_seed(seed)
    if count < 1:
        raise InputError("at least one target", format_value(count), "count")
    others = [int(place) for place in beside if place >= 0]
    some, chance = _chances(rows, heading)
    if not len(some):
        return []
    # The largest of log(chance) + a Gumbel number is each with its chance; the next ones are draws without it.
    keys = np.log(chance) - np.log(-np.log(_uniform(seed, index, np.arange(len(some)))))
    found: list[Target] = []
    for k in np.argsort(-keys, kind="stable"):
        target = _spot(city, some[k], others, seed, index, int(k) + 1)
        if target is not None:
            found.append(target)
        if len(found) == count:
            break
    return found


def _chances(rows: Rows, heading: float | None) -> tuple[Rows, Floats]:
    """Rows of things that suit, and the chance of each."""
    rows = rows[(rows["instance"] > 0) & ((rows["part"] == 0) | (rows["kind"] == WINDOW))]
    off = np.zeros(len(rows)) if heading is None else np.abs(turn(heading, rows["heading"]))
    away = rows["median"].astype(float)
    if heading is not None:
        away *= np.interp(off, AHEAD, [LOOKED, 1.0])
    fit = np.interp(away, [NEAREST, CLOSE, FAR, 25.0, FARTHEST], [0.0, 1.0, 1.0, 0.35, 0.0])
    fit *= np.where(rows["share"] < SMALLEST, 0.0, np.minimum(rows["share"] / PLAIN, 1.0) ** 0.5)
    fit *= np.where(rows["hidden"] > HIDDEN, 0.0, 1.0 - rows["hidden"])
    fit *= _usual(np.clip(LEVEL, rows["bottom"], rows["top"]))
    if heading is not None:
        fit *= np.interp(off, [*AHEAD, ASIDE, BEHIND], [FAVOUR, 1.0, 1.0, 0.05])
        fit *= np.where(turn(heading, rows["heading"]) > 0, RIGHT, 1.0)
    fit[_LIKES[rows["kind"]] == 0] = 0.0
    rows, fit = rows[fit > 0], fit[fit > 0]
    # People choose what to stand it on and then which: ten windows are not ten times as likely as one hydrant.
    best, total = np.zeros(256), np.zeros(256)
    np.maximum.at(best, rows["kind"], fit)
    np.add.at(total, rows["kind"], fit)
    chance = _LIKES[rows["kind"]] * best[rows["kind"]] * fit / total[rows["kind"]]
    return rows, np.asarray(chance, float)


def _usual(pitch: npt.ArrayLike) -> Floats:
    """How usual a pitch is, from 0 to 1."""
    off = np.asarray(pitch, float) - LEVEL
    return np.asarray(np.exp(-0.5 * (off / np.where(off < 0, LOWER, UPPER)) ** 2), float)


def _spot(city: City, row: Rows, others: list[int], seed: int, index: int, draw: int) -> Target | None:
    """A spot on the visible part of a thing, or None where hardly anything of it is to be seen."""
    place, whose, kind = int(row["place"]), int(row["instance"]), int(row["kind"])
    jitter = _uniform(seed, index, draw * 4096 + np.arange(2 * GRID * GRID)).reshape(2, GRID, GRID)
    across, up = (np.arange(GRID) + jitter[0]) / GRID, (np.arange(GRID)[:, None] + jitter[1]) / GRID
    heading = (float(row["left"]) + across * float(row["width"])).ravel() % 360.0
    pitch = (float(row["bottom"]) + up * float(row["top"] - row["bottom"])).ravel()
    eye = city.poses([place])[0, :3].astype(float)
    met = cast(city.scene, np.tile(eye, (GRID * GRID, 1)), unit_vectors(heading, pitch))
    good = (met.instance == whose) & (met.kind == kind) & ~_moving(met)
    if good.sum() < FEWEST:
        return None
    say = _uniform(seed, index, draw * 4096 + 2048 + np.arange(GRID * GRID + 2))
    if say[0] < PART:
        parts, hits = np.unique(met.part[good], return_counts=True)
        parts = parts[hits >= FEWEST]
        if len(parts):
            good &= met.part == parts[int(say[1] * len(parts))]
    # Rather amid what is seen than at its edge, and rather low than high.
    weight = _amid(good.reshape(GRID, GRID)).ravel() * _usual(pitch)
    some = np.flatnonzero(good)
    keys = np.log(np.maximum(weight[some], 1e-300)) - np.log(-np.log(say[2:][some]))
    some = some[np.argsort(-keys, kind="stable")[:TRIES]]
    points = eye + met.depth[some, None].astype(float) * unit_vectors(heading[some], pitch[some])
    where = np.repeat([place, *others], len(some))
    # Once for each place; the target's own comes first.
    times = 1 + len(others)
    heading, pitch, seen = points_visible(
        city.scene,
        city.poses(where)[:, :3],
        np.tile(points, (times, 1)),
        np.tile(met.instance[some], times),
        np.tile(met.part[some], times),
        city.graph.yaw[where],
    )
    own, *rest = seen.reshape(-1, len(some))
    if not own.any():
        return None
    k = int(np.argmax(own * (1 + np.sum(rest, axis=0))))
    direction = Direction(float(heading[k]), float(pitch[k]))
    return _target(place, met, int(some[k]), points[k], direction)


def _amid(good: Flags) -> Floats:
    """For each ray, the square of the share of the rays around it that meet the thing too."""
    wide = np.pad(good.astype(float), 1)
    around = sum(wide[1 + j : 1 + j + GRID, 1 + i : 1 + i + GRID] for j in (-1, 0, 1) for i in (-1, 0, 1))
    return np.asarray((around / 9.0) ** 2, float)


def _moving(met: RayHits) -> Flags:
    return np.asarray(_MOVES[met.kind, met.part & 0xFF], bool)


def anywhere(city: City, places: npt.ArrayLike, seed: int = 0, first: int = 0) -> list[Target]:
    """A target in any direction at each of some places: any longitude, any latitude within LATITUDE, none likelier.

    The band of the sphere is covered evenly, so the horizon's degrees hold more of them than those at its edges. The
    k-th target is drawn from (seed, first + k).
    """
    check_seed(seed)
    numbers = np.atleast_1d(np.asarray(places, int))
    index = first + np.arange(len(numbers))
    heading = _uniform(seed, index, 0) * 360.0
    edge = np.sin(np.radians(LATITUDE))
    pitch = np.degrees(np.arcsin((2 * _uniform(seed, index, 1) - 1) * edge))
    eyes, ways = city.poses(numbers)[:, :3].astype(float), unit_vectors(heading, pitch)
    met = cast(city.scene, eyes, ways)
    points = eyes + np.where(np.isfinite(met.depth), met.depth, 0.0)[:, None] * ways
    return [
        _target(int(place), met, k, points[k], Direction(float(heading[k]), float(pitch[k])))
        for k, place in enumerate(numbers)
    ]


def _target(place: int, met: RayHits, k: int, point: Floats, direction: Direction) -> Target:
    x, y, z = (float(v) for v in point)
    position = None if met.instance[k] < 0 else (x, y, z)
    return Target(
        place, int(met.instance[k]), int(met.part[k]), int(met.kind[k]), position, direction, float(met.depth[k])
    )


def views(graph: Graph, route: Sequence[int]) -> tuple[int, int, int]:
    """The places from which Touchdown shows a target: before the route's end, at it, and the next ahead; -1 for none.

    Ahead is the place whose link turns least from the way one came.
    """
    if len(route) < 2:
        raise InputError("a route of at least two places", str(len(route)))
    before, last = int(route[-2]), int(route[-1])
    arrived = graph.find_link(before, last)
    if arrived is None:
        raise InputError("a route along links", f"none from {graph.ids[before]} to {graph.ids[last]}")
    links = [k for k in graph.links(last) if graph.target[k] != before]
    if not links:
        return before, last, -1
    off = np.abs(turn(graph.heading[arrived], graph.heading[links]))
    return before, last, int(graph.target[links[int(np.argmin(off))]])


def linked(graph: Graph, place: int) -> list[int]:
    """The places next to one, in either direction."""
    first, number = graph.neighbours
    return [int(k) for k in number[first[place] : first[place + 1]]]


def propagate(
    city: City, targets: Sequence[Target], places: npt.ArrayLike, width: int = WIDTH
) -> list[tuple[Direction | None, ...]]:
    """Where each target is seen from each of its places (n, k): a direction, or None where it is hidden.

    A place of -1 stands for no place at all. The sky, which has no position, is seen from its own place only.
    """
    where = np.asarray(places, int)
    if where.ndim != 2 or len(where) != len(targets):
        raise InputError(f"a row of places for each of {len(targets)} targets", f"an array of shape {where.shape}")
    row, column = np.nonzero(where >= 0)
    number = where[row, column]
    position = np.array([t.position or (np.nan,) * 3 for t in targets]).reshape(-1, 3)
    seen: Flags = np.zeros(where.shape, bool)
    heading, pitch = np.zeros(where.shape), np.zeros(where.shape)
    solid = np.isfinite(position[row, 0])
    row, column, number = row[solid], column[solid], number[solid]
    instance, part = (np.array([getattr(t, name) for t in targets], int) for name in ("instance", "part"))
    eyes = city.poses(number)[:, :3]
    heading[row, column], pitch[row, column], seen[row, column] = points_visible(
        city.scene, eyes, position[row], instance[row], part[row], city.graph.yaw[number], width
    )
    return [
        tuple(
            t.direction
            if t.position is None and t.place == there
            else (Direction(float(heading[k, j]), float(pitch[k, j])) if seen[k, j] else None)
            for j, there in enumerate(where[k])
        )
        for k, t in enumerate(targets)
    ]


def _uniform(seed: int, index: npt.ArrayLike, draw: npt.ArrayLike) -> Floats:
    """Numbers between 0 and 1, neither included."""
    bits = hashes(seed, Stage.TARGETS, index, draw) >> np.uint64(12)
    return (bits.astype(float) + 0.5) / 2.0**52


def _likes() -> Floats:
    table = np.zeros(256)
    for k, one in enumerate(CLASSES):
        table[CLASS_BASE + k] = LIKED.get(one.name, 0)
    table[WINDOW] = LIKED["window"]
    return table


def _moves() -> Flags:
    table = np.zeros((256, 256), bool)
    for k, one in enumerate(CLASSES):
        table[CLASS_BASE + k] = one.name in MOVING
        for part in MOVING_PARTS.get(one.name, ()):
            table[CLASS_BASE + k, one.parts.index(part)] = True
    return table


_LIKES, _MOVES = _likes(), _moves()
