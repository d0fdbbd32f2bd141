"""Targets: points of a city that descriptions refer to.

`choose_targets` selects points on nameable objects, as Touchdown's writers did; `random_targets` selects random
directions, as Refer360 did. `propagate_targets` computes the directions of targets from other places, and where they
are hidden.

Randomness depends on (seed, index) only: the same numbers give the same target, in any order of calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.geometry import turn, unit_vectors
from bearleft.records import Direction, Point, Position
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City
from bearleft.world.city.plan import check_draw_seed
from bearleft.world.city.randomness import Stage, hashes
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Ground
from bearleft.world.visibility.rays import WIDTH, Flags, RayHits, cast, points_visible
from bearleft.world.visibility.table import VISIBLE_OBJECT, Rows

if TYPE_CHECKING:
    from bearleft.types import Floats

WINDOW = int(Ground.WINDOW)
SKY = int(Ground.SKY)
MAX_LATITUDE = 45.0  # degrees; Refer360's targets lie within

# How often writers choose an object of a class if one is visible; rough counts in Touchdown's texts.
CLASS_WEIGHTS = {
    "window": 3, "traffic light": 10, "pedestrian signal": 7, "stop sign": 16, "yield sign": 10, "one way sign": 18,
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
    "manhole cover": 6, "fruit stand": 10, "bridge": 3, "crane": 3, "curb ramp": 5, "median": 2,
    "court": 1, "parking lot": 1, "bike lane": 1, "park": 1,
}  # fmt: skip
# Classes that move, or could: never chosen. Nor are whole buildings, which are too large.
MOVING_CLASSES = (
    *("car", "taxi", "police car", "van", "truck", "garbage truck", "pickup", "ambulance", "bus", "school bus"),
    *("motorcycle", "bicycle", "person", "cyclist", "dog", "pigeons", "food truck", "excavator"),
)
# Parts of static objects that are vehicles themselves.
MOVING_PARTS = {"bike rack": ("bicycle", "wheel", "basket", "handlebar", "saddle")}

MIN_DISTANCE, NEAR_DISTANCE, FAR_DISTANCE, MAX_DISTANCE = (
    2.5,
    4.0,
    14.0,
    45.0,
)  # metres; best between NEAR_DISTANCE and FAR_DISTANCE
MIN_SHARE, FULL_SHARE = 2e-4, 8e-4  # of the sphere; above FULL_SHARE, size does not matter
MAX_HIDDEN = 0.7  # largest hidden share
USUAL_PITCH, PITCH_SPREAD_BELOW, PITCH_SPREAD_ABOVE = (
    -7.0,
    9.0,
    10.0,
)  # degrees of pitch: the mode, and standard deviations below and above
SIDE_ANGLE, BACK_ANGLE = 80.0, 165.0  # degrees from the walking direction: weights fall between them
# Walkers look ahead: objects there weigh more, and count as nearer than they are.
AHEAD_ANGLES, AHEAD_DISTANCE_FACTOR, AHEAD_WEIGHT = (8.0, 30.0), 0.7, 1.1
RIGHT_WEIGHT = 1.6  # objects on the right weigh more: three in five real targets lie there
GRID_SIZE = 16  # rays per side of the grid that samples an object
MIN_HITS = 6  # rays that must hit the object
MAX_CANDIDATES = 12  # points that are tested for visibility
PART_PROBABILITY = 0.15  # probability of choosing a part first, then a point on it
# Where on an object people hide something: on top of objects that stand, in the middle of flat ones, at the foot of
# tall ones. Probability of each point by height (0 the bottom, 1 the top); the rest is anywhere.
Points = tuple[tuple[tuple[float, float], float], ...]
TOP, MIDDLE, BASE = (0.5, 0.93), (0.5, 0.5), (0.5, 0.06)
POINT_SPREAD = 0.07
STANDING_POINTS: Points = ((TOP, 0.75), (MIDDLE, 0.12), (BASE, 0.05))
FLAT_POINTS: Points = ((MIDDLE, 0.72), (TOP, 0.1), (BASE, 0.05))
TALL_POINTS: Points = ((BASE, 0.55), (TOP, 0.2), (MIDDLE, 0.1))
STANDING_CLASSES = (
    *("fire hydrant", "mailbox", "trash can", "trash bags", "bench", "planter", "phone booth", "parking meter"),
    *("newspaper box", "bollard", "bus stop", "food cart", "cafe table", "fire alarm box", "utility box", "barrel"),
    *("dumpster", "traffic cone", "barrier", "picnic table", "drinking fountain", "statue", "fountain", "newsstand"),
    *("potted plant", "canopy", "portable toilet", "material pile", "atm", "fruit stand", "sandwich board", "bush"),
    *("steam stack", "subway entrance", "tire pile", "landmark", "flower bed", "traffic light", "pedestrian signal"),
)
TALL_CLASSES = ("lamp post", "pole", "tree", "scaffolding", "basketball hoop", "barber pole")


@dataclass(frozen=True, slots=True)
class Target:
    """A point of a city, seen from a place.

    `place` is the index of the place; `instance`, `part` and `kind` (the class) are as in rendered pictures; `position`
    is in metres, None for the sky; `direction` and `distance` are as seen from the place.
    """

    place: int
    instance: int
    part: int
    kind: int
    position: Position | None
    direction: Direction
    distance: float

    def point(self, graph: Graph) -> Point:
        """Return the target as the goal of a leg."""
        return Point(self.direction, graph.ids[self.place], float(graph.yaw[self.place]))


def choose_targets(
    city: City,
    rows: Rows,
    heading: float | None = None,
    other_places: Sequence[int] = (),
    seed: int = 0,
    index: int = 0,
    count: int = 1,
) -> list[Target]:
    """Choose up to `count` targets at a place, each on a different object, as a person might.

    Args:
        city: The city.
        rows: Visible objects of the place (rows of the visibility table, dtype VISIBLE_OBJECT).
        heading: Walking direction; without one, all directions weigh the same.
        other_places: Places that should see the target too. Of several points on an object, the point that is visible
            from most of them is chosen; -1 is ignored.
        seed: Seed of the random choice.
        index: Index of the choice; each gives an independent result.
        count: Largest number of targets.

    Returns:
        The targets, in order of choice; fewer than `count`, or none, if too few objects are suitable.

    Raises:
        InputError: The rows are of several places, or `seed` or `count` is out of range.
    """
    if rows.dtype != VISIBLE_OBJECT or len(np.unique(rows["place"])) > 1:
        raise InputError("visible objects of one place", f"{len(np.unique(rows['place']))} places")
    check_draw_seed(seed)
    if count < 1:
        raise InputError("at least one target", format_value(count), "count")
    valid_places = [int(place) for place in other_places if place >= 0]
    candidates, probability = _row_probabilities(rows, heading)
    if not len(candidates):
        return []
    # Gumbel trick: sorting log-probabilities plus Gumbel noise samples without replacement.
    keys = np.log(probability) - np.log(-np.log(_uniform(seed, index, np.arange(len(candidates)))))
    targets: list[Target] = []
    for k in np.argsort(-keys, kind="stable"):
        target = _choose_point(city, candidates[k], valid_places, seed, index, int(k) + 1)
        if target is not None:
            targets.append(target)
        if len(targets) == count:
            break
    return targets


def _row_probabilities(rows: Rows, heading: float | None) -> tuple[Rows, Floats]:
    """Return the rows of suitable objects, and their unnormalised probabilities."""
    rows = rows[(rows["instance"] > 0) & ((rows["part"] == 0) | (rows["kind"] == WINDOW))]
    turn_angle = np.zeros(len(rows)) if heading is None else np.abs(turn(heading, rows["heading"]))
    distance = rows["median"].astype(float)
    if heading is not None:
        distance *= np.interp(turn_angle, AHEAD_ANGLES, [AHEAD_DISTANCE_FACTOR, 1.0])
    weight = np.interp(
        distance, [MIN_DISTANCE, NEAR_DISTANCE, FAR_DISTANCE, 25.0, MAX_DISTANCE], [0.0, 1.0, 1.0, 0.35, 0.0]
    )
    weight *= np.where(rows["share"] < MIN_SHARE, 0.0, np.minimum(rows["share"] / FULL_SHARE, 1.0) ** 0.5)
    weight *= np.where(rows["hidden"] > MAX_HIDDEN, 0.0, 1.0 - rows["hidden"])
    weight *= _pitch_weight(np.clip(USUAL_PITCH, rows["bottom"], rows["top"]))
    if heading is not None:
        weight *= np.interp(turn_angle, [*AHEAD_ANGLES, SIDE_ANGLE, BACK_ANGLE], [AHEAD_WEIGHT, 1.0, 1.0, 0.05])
        weight *= np.where(turn(heading, rows["heading"]) > 0, RIGHT_WEIGHT, 1.0)
    weight[_WEIGHT_BY_CLASS[rows["kind"]] == 0] = 0.0
    rows, weight = rows[weight > 0], weight[weight > 0]
    # Writers choose a class first, then an object: ten windows are not ten times as likely as one hydrant.
    class_best, class_total = np.zeros(256), np.zeros(256)
    np.maximum.at(class_best, rows["kind"], weight)
    np.add.at(class_total, rows["kind"], weight)
    probability = _WEIGHT_BY_CLASS[rows["kind"]] * class_best[rows["kind"]] * weight / class_total[rows["kind"]]
    return rows, np.asarray(probability, float)


def _pitch_weight(pitch: npt.ArrayLike) -> Floats:
    """Return the weight of a pitch, from 0 to 1."""
    off = np.asarray(pitch, float) - USUAL_PITCH
    return np.asarray(np.exp(-0.5 * (off / np.where(off < 0, PITCH_SPREAD_BELOW, PITCH_SPREAD_ABOVE)) ** 2), float)


def _choose_point(city: City, row: Rows, other_places: list[int], seed: int, index: int, draw: int) -> Target | None:
    """Choose a point on the visible part of an object; None if too little of it is visible."""
    place, instance, kind = int(row["place"]), int(row["instance"]), int(row["kind"])
    jitter = _uniform(seed, index, draw * 4096 + np.arange(2 * GRID_SIZE * GRID_SIZE)).reshape(2, GRID_SIZE, GRID_SIZE)
    across, up = (np.arange(GRID_SIZE) + jitter[0]) / GRID_SIZE, (np.arange(GRID_SIZE)[:, None] + jitter[1]) / GRID_SIZE
    heading = (float(row["left"]) + across * float(row["width"])).ravel() % 360.0
    pitch = (float(row["bottom"]) + up * float(row["top"] - row["bottom"])).ravel()
    eye = city.poses([place])[0, :3].astype(float)
    hits = cast(city.scene, np.tile(eye, (GRID_SIZE * GRID_SIZE, 1)), unit_vectors(heading, pitch))
    valid = (hits.instance == instance) & (hits.kind == kind) & ~_hits_moving(hits)
    if valid.sum() < MIN_HITS:
        return None
    draws = _uniform(seed, index, draw * 4096 + 2048 + np.arange(GRID_SIZE * GRID_SIZE + 2))
    if draws[0] < PART_PROBABILITY:
        parts, counts = np.unique(hits.part[valid], return_counts=True)
        parts = parts[counts >= MIN_HITS]
        if len(parts):
            valid &= hits.part == parts[int(draws[1] * len(parts))]
    # Prefer points in the middle of the visible part, and usual pitches.
    weight = _centre_weight(valid.reshape(GRID_SIZE, GRID_SIZE)).ravel() * _pitch_weight(pitch)
    weight *= _salience(kind, float(_uniform(seed, index, [draw * 4096 + 4000])[0]), valid, across, up)
    candidates = np.flatnonzero(valid)
    keys = np.log(np.maximum(weight[candidates], 1e-300)) - np.log(-np.log(draws[2:][candidates]))
    candidates = candidates[np.argsort(-keys, kind="stable")[:MAX_CANDIDATES]]
    points = eye + hits.depth[candidates, None].astype(float) * unit_vectors(heading[candidates], pitch[candidates])
    places_tested = np.repeat([place, *other_places], len(candidates))
    # Test each point from each place; the target's own place comes first.
    place_count = 1 + len(other_places)
    heading, pitch, visible = points_visible(
        city.scene,
        city.poses(places_tested)[:, :3],
        np.tile(points, (place_count, 1)),
        np.tile(hits.instance[candidates], place_count),
        np.tile(hits.part[candidates], place_count),
        city.graph.yaw[places_tested],
    )
    visible_here, *visible_elsewhere = visible.reshape(-1, len(candidates))
    if not visible_here.any():
        return None
    best = int(np.argmax(visible_here * (1 + np.sum(visible_elsewhere, axis=0))))
    direction = Direction(float(heading[best]), float(pitch[best]))
    return _target(place, hits, int(candidates[best]), points[best], direction)


def _centre_weight(valid: Flags) -> Floats:
    """Return, for each ray, the squared share of the 3 x 3 rays around it that hit the object."""
    padded = np.pad(valid.astype(float), 1)
    around = sum(padded[1 + j : 1 + j + GRID_SIZE, 1 + i : 1 + i + GRID_SIZE] for j in (-1, 0, 1) for i in (-1, 0, 1))
    return np.asarray((around / 9.0) ** 2, float)


def _salience(kind: int, chance: float, valid: Flags, across: Floats, up: Floats) -> Floats:
    """Return the weight of points of an object's box: near the one that a person chooses, by its class."""
    hit = valid.reshape(GRID_SIZE, GRID_SIZE)
    across, up = np.broadcast_to(across, hit.shape), np.broadcast_to(up, hit.shape)
    low, high = np.array([across[hit].min(), up[hit].min()]), np.array([across[hit].max(), up[hit].max()])
    size = np.maximum(high - low, 1e-6)
    for point, probability in _POINTS_BY_CLASS[kind]:
        if chance < probability:
            off = np.hypot((across - low[0]) / size[0] - point[0], 2.0 * ((up - low[1]) / size[1] - point[1])).ravel()
            return np.asarray(np.exp(-0.5 * (off / (2.0 * POINT_SPREAD)) ** 2), float)
        chance -= probability
    return np.ones(hit.size)


def _hits_moving(hits: RayHits) -> Flags:
    return np.asarray(_IS_MOVING[hits.kind, hits.part & 0xFF], bool)


def random_targets(city: City, places: npt.ArrayLike, seed: int = 0, first: int = 0) -> list[Target]:
    """Return a target in a random direction at each place.

    Directions are uniform on the sphere between the latitudes -MAX_LATITUDE and MAX_LATITUDE.

    Args:
        city: The city.
        places: Indices of places.
        seed: Seed of the random directions.
        first: Index of the first target; the k-th is drawn from (seed, first + k).
    """
    check_draw_seed(seed)
    indices = np.atleast_1d(np.asarray(places, int))
    index = first + np.arange(len(indices))
    heading = _uniform(seed, index, 0) * 360.0
    edge = np.sin(np.radians(MAX_LATITUDE))
    pitch = np.degrees(np.arcsin((2 * _uniform(seed, index, 1) - 1) * edge))
    eyes, rays = city.poses(indices)[:, :3].astype(float), unit_vectors(heading, pitch)
    hits = cast(city.scene, eyes, rays)
    points = eyes + np.where(np.isfinite(hits.depth), hits.depth, 0.0)[:, None] * rays
    return [
        _target(int(place), hits, k, points[k], Direction(float(heading[k]), float(pitch[k])))
        for k, place in enumerate(indices)
    ]


def _target(place: int, hits: RayHits, k: int, point: Floats, direction: Direction) -> Target:
    x, y, z = (float(v) for v in point)
    position = None if hits.instance[k] < 0 else (x, y, z)
    return Target(
        place, int(hits.instance[k]), int(hits.part[k]), int(hits.kind[k]), position, direction, float(hits.depth[k])
    )


def viewing_places(graph: Graph, route: Sequence[int]) -> tuple[int, int, int]:
    """Return the places from which Touchdown shows a target: before the route's end, at it, and the next one ahead.

    The next place is the target of the link that turns least from the walking direction, or -1 if there is none.

    Raises:
        InputError: The route has fewer than two places, or its last two are not linked.
    """
    if len(route) < 2:
        raise InputError("a route of at least two places", str(len(route)))
    before, last = int(route[-2]), int(route[-1])
    last_link = graph.find_link(before, last)
    if last_link is None:
        raise InputError("a route along links", f"none from {graph.ids[before]} to {graph.ids[last]}")
    links = [k for k in graph.links(last) if graph.target[k] != before]
    if not links:
        return before, last, -1
    turn_angle = np.abs(turn(graph.heading[last_link], graph.heading[links]))
    return before, last, int(graph.target[links[int(np.argmin(turn_angle))]])


def neighbours_of(graph: Graph, place: int) -> list[int]:
    """Return the neighbours of a place, linked in either direction."""
    offsets, neighbour = graph.neighbours
    return [int(k) for k in neighbour[offsets[place] : offsets[place + 1]]]


def propagate_targets(
    city: City, targets: Sequence[Target], places: npt.ArrayLike, width: int = WIDTH
) -> list[tuple[Direction | None, ...]]:
    """Return the direction of each target from other places, or None if it is hidden there.

    Args:
        city: The city.
        targets: The targets (n).
        places: Indices of places (n, k); -1 stands for no place.
        width: Width of the panorama whose pixels decide what is visible.

    Returns:
        k directions per target. A target in the sky has no position and is visible from its own place only.

    Raises:
        InputError: `places` does not have one row per target.
    """
    place_table = np.asarray(places, int)
    if place_table.ndim != 2 or len(place_table) != len(targets):
        raise InputError(
            f"a row of places for each of {len(targets)} targets", f"an array of shape {place_table.shape}"
        )
    row, column = np.nonzero(place_table >= 0)
    place = place_table[row, column]
    position = np.array([target.position or (np.nan,) * 3 for target in targets]).reshape(-1, 3)
    visible: Flags = np.zeros(place_table.shape, bool)
    heading, pitch = np.zeros(place_table.shape), np.zeros(place_table.shape)
    has_position = np.isfinite(position[row, 0])
    row, column, place = row[has_position], column[has_position], place[has_position]
    instance, part = (np.array([getattr(target, name) for target in targets], int) for name in ("instance", "part"))
    eyes = city.poses(place)[:, :3]
    heading[row, column], pitch[row, column], visible[row, column] = points_visible(
        city.scene, eyes, position[row], instance[row], part[row], city.graph.yaw[place], width
    )
    return [
        tuple(
            target.direction
            if target.position is None and target.place == place_at
            else (Direction(float(heading[k, j]), float(pitch[k, j])) if visible[k, j] else None)
            for j, place_at in enumerate(place_table[k])
        )
        for k, target in enumerate(targets)
    ]


def _uniform(seed: int, index: npt.ArrayLike, draw: npt.ArrayLike) -> Floats:
    """Return random numbers between 0 and 1, both excluded."""
    bits = hashes(seed, Stage.TARGETS, index, salt=draw) >> np.uint64(12)
    return (bits.astype(float) + 0.5) / 2.0**52


def _weight_by_class() -> Floats:
    table = np.zeros(256)
    for k, object_class in enumerate(CLASSES):
        table[CLASS_BASE + k] = CLASS_WEIGHTS.get(object_class.name, 0)
    table[WINDOW] = CLASS_WEIGHTS["window"]
    return table


def _is_moving_table() -> Flags:
    table = np.zeros((256, 256), bool)
    for k, object_class in enumerate(CLASSES):
        table[CLASS_BASE + k] = object_class.name in MOVING_CLASSES
        for part in MOVING_PARTS.get(object_class.name, ()):
            table[CLASS_BASE + k, object_class.parts.index(part)] = True
    return table


def _points_by_class() -> list[Points]:
    """Return, by class code, the points that people choose, and their probabilities."""
    table = [FLAT_POINTS] * 256
    for k, object_class in enumerate(CLASSES):
        if object_class.name in STANDING_CLASSES:
            table[CLASS_BASE + k] = STANDING_POINTS
        elif object_class.name in TALL_CLASSES:
            table[CLASS_BASE + k] = TALL_POINTS
    return table


_WEIGHT_BY_CLASS, _IS_MOVING, _POINTS_BY_CLASS = _weight_by_class(), _is_moving_table(), _points_by_class()
