"""Follower of target descriptions: locates the best fitting object in a scene, and the spot on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bearleft.geometry import turn, unit_vectors, vector_angles
from bearleft.language.descriptions.extents import extents
from bearleft.language.descriptions.semantics import MIN_SCORE, Ints, Meaning, Scorer, Spot, Viewpoint, view_from
from bearleft.language.lexicon.lexicon import PARTS
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.plan import DIRECTION_SCALE
from bearleft.world.render.codes import Ground
from bearleft.world.targets import neighbours_of
from bearleft.world.visibility.rays import cast

if TYPE_CHECKING:
    from bearleft.types import Floats

Flags = npt.NDArray[np.bool_]

RAYS_ACROSS, RAYS_UP = 30, 22  # rays cast at an object
BUILDING_RAYS = (96, 40)  # rays cast at a building, to find its windows
EDGE_DEGREES = 0.5  # degrees added around an object's box, the resolution of the visibility table
BUILDING, WINDOW = 0, int(Ground.WINDOW)
GROUND_FLOOR = CLASSES[BUILDING].parts.index("ground floor")
FACADE = CLASSES[BUILDING].parts.index("facade")
MAX_CACHED_VIEWS = 2048
MIN_FIT = -3.5  # below this score neighbouring places are tried


@dataclass(frozen=True, eq=False)
class ObjectView:
    """View of an object from a place: the rays that hit it, and the part that each ray hits."""

    heading: Floats
    pitch: Floats
    points: Floats  # (n, 3)
    part: Ints  # part codes as in pictures
    window: Flags
    along: Floats  # metres from the left end of the object, as seen
    length: float  # metres from the left end to the right end
    low: float  # height of the bottom
    high: float
    axis: Floats
    begin: float
    eye: Floats
    wall: Ints  # wall of a building: front, back, right or left

    def __len__(self) -> int:
        return len(self.heading)

    def rays_of(self, numbers: Sequence[int]) -> Ints:
        """Return the rays that hit parts with these numbers."""
        mask = np.zeros(256, bool)
        mask[list(numbers)] = True
        return np.flatnonzero(mask[self.part & 0xFF])

    @cached_property
    def up(self) -> Floats:
        """Height of each point."""
        return np.ascontiguousarray(self.points[:, 2])

    @cached_property
    def windows(self) -> WindowTable:
        """Windows of a building."""
        return _find_windows(self)


@dataclass(frozen=True, eq=False)
class WindowTable:
    """Visible windows of a building, one row each. Floor 1 is the ground floor."""

    key: Ints
    floor: Ints
    along: Floats
    up: Floats
    middle: Floats  # (n, 3)
    face: Ints
    rank_left: Ints  # rank from the left on its floor, from 1
    rank_right: Ints


_VIEWS: WeakKeyDictionary[SceneIndex, dict[tuple[int, int], ObjectView]] = WeakKeyDictionary()


def view_object(scene: SceneIndex, place: int, instance: int) -> ObjectView:
    """Return the view of an object from a place; views are cached."""
    views = _VIEWS.setdefault(scene, {})
    if (place, instance) not in views:
        if len(views) >= MAX_CACHED_VIEWS:
            views.clear()
        views[place, instance] = _cast_view(scene, place, instance)
    return views[place, instance]


def _cast_view(scene: SceneIndex, place: int, instance: int) -> ObjectView:
    visible = scene.at(place)
    row, index = visible.find(instance), instance - 1
    building = scene.plan.things["kind"][index] == BUILDING
    across, up = BUILDING_RAYS if building else (RAYS_ACROSS, RAYS_UP)
    left, width = float(visible.left[row]) - EDGE_DEGREES, float(visible.width[row]) + 2 * EDGE_DEGREES
    bottom, top = float(visible.bottom[row]) - EDGE_DEGREES, float(visible.top[row]) + EDGE_DEGREES
    if building:
        top = min(top, 45.0)
    heading = np.repeat((left + (np.arange(across) + 0.5) / across * width) % 360.0, up)
    pitch = np.tile(bottom + (np.arange(up) + 0.5) / up * (top - bottom), across)
    eye = scene.city.eyes[place]
    rays = unit_vectors(heading, pitch)
    hits = cast(scene.city.scene, np.tile(eye, (len(rays), 1)), rays)
    hit = hits.instance == instance
    points = eye + hits.depth[hit, None].astype(float) * rays[hit]
    boxes = extents(scene)
    axis, begin, end = boxes.axis(index, eye)
    wall = _walls(scene, index, points) if building else np.zeros(len(points), np.int64)
    return ObjectView(
        heading[hit],
        pitch[hit],
        points,
        hits.part[hit].astype(np.int64),
        hits.kind[hit] == WINDOW,
        points[:, :2] @ axis - begin,
        max(end - begin, 1e-3),
        float(boxes.low[index, 2]),
        float(boxes.high[index, 2]),
        axis,
        begin,
        eye,
        wall,
    )


def _walls(scene: SceneIndex, index: int, points: Floats) -> Ints:
    """Return the wall of a building that points lie on: 0 front, 1 back, 2 right, 3 left."""
    row = scene.plan.buildings[scene.plan.buildings["thing"] == index][0]
    building = scene.plan.things[index]
    ahead = np.array([building["ux"], building["uy"]]) / DIRECTION_SCALE
    away = points[:, :2] * 1000.0 - np.array([building["x"], building["y"]], float)
    front, right = away @ ahead / row["hy"], away @ np.array([ahead[1], -ahead[0]]) / row["hx"]
    along = np.abs(front) < np.abs(right)
    return np.where(along, np.where(right > 0, 2, 3), np.where(front > 0, 0, 1)).astype(np.int64)


def _find_windows(view: ObjectView) -> WindowTable:
    rays = np.flatnonzero(view.window & np.isin(view.part & 0xFF, (FACADE, GROUND_FLOOR)))
    part = view.part[rays]
    # Column numbers repeat on every wall.
    face = view.wall[rays]
    key = part * 4 + face
    keys, first, which, hits = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    sums = np.zeros((len(keys), 3))
    np.add.at(sums, which, view.points[rays])
    middle = sums / np.maximum(hits, 1)[:, None]
    keep = hits >= 3
    floor = ((part[first] >> 16) & 0xFF) + np.where(part[first] & 0xFF == FACADE, 1, 0)
    middle, floor, wall, keys = middle[keep], floor[keep], face[first][keep], keys[keep]
    along = middle[:, :2] @ view.axis - view.begin
    left, right = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    bearing, _ = vector_angles(middle - view.eye)
    bearing = turn(bearing[0] if len(bearing) else 0.0, bearing)
    for level in set(floor.tolist()):
        row = np.flatnonzero(floor == level)
        order = row[np.argsort(bearing[row], kind="stable")]
        left[order] = np.arange(1, len(order) + 1)
        right[order[::-1]] = np.arange(1, len(order) + 1)
    return WindowTable(keys, floor, along, middle[:, 2], middle, wall, left, right)


@cache
def part_numbers(kind: int, word: str) -> tuple[int, ...]:
    """Return the parts of a class that a word may name."""
    class_ = CLASSES[kind]
    return tuple(k for k, part in enumerate(class_.parts) if part and word in PARTS.get((class_.name, part), ()))


def resolve_reference(viewpoint: Viewpoint, meaning: Meaning, ref: int) -> int:
    """Return the instance that fits a ref best, 0 for none."""
    row, _ = Scorer(viewpoint, meaning).best(ref)
    return int(viewpoint.visible.instance[row]) if row >= 0 else 0


def locate_target(meaning: Meaning, scene: SceneIndex, place: int, heading: float) -> Direction | None:
    """Return the direction that a meaning resolves to.

    If the best object fits badly, it may be hardly visible from here, and the neighbouring places are tried.

    Args:
        meaning: Meaning of a description.
        scene: The scene.
        place: Place of the viewer.
        heading: Heading of the viewer.

    Returns:
        The direction seen from `place`, or None if the meaning has no spot or nothing fits.
    """
    if meaning.spot is None:
        return None
    direction, fit = _best_direction(meaning, scene, place, heading)
    if fit >= MIN_FIT:
        return direction
    for other in neighbours_of(scene.city.graph, place):
        candidate, score = _best_direction(meaning, scene, other, heading)
        if candidate is not None and score > fit + 2.0:
            direction, fit = _reproject(scene, candidate, other, place), score
    return direction


def _best_direction(meaning: Meaning, scene: SceneIndex, place: int, heading: float) -> tuple[Direction | None, float]:
    """Return the direction of the best object, and its score."""
    assert meaning.spot is not None
    viewpoint = view_from(scene, place, heading)
    scorer = Scorer(viewpoint, meaning)
    rows, scores = scorer.scores(meaning.spot.ref_index)
    if not len(rows):
        return None, 3 * MIN_SCORE
    instance = int(viewpoint.visible.instance[rows[int(np.argmax(scores))]])
    return locate_spot(
        viewpoint, meaning.spot, instance, lambda ref: resolve_reference(viewpoint, meaning, ref)
    ), float(scores.max())


def _reproject(scene: SceneIndex, direction: Direction, start: int, end: int) -> Direction:
    """Return the direction from place `end` of the point seen in a direction from place `start`."""
    eyes = scene.city.eyes[[start, end]]
    ray = unit_vectors(direction.heading, direction.pitch)
    depth = float(cast(scene.city.scene, eyes[:1], ray[None]).depth[0])
    heading, pitch = vector_angles(eyes[0] + (depth if np.isfinite(depth) else 50.0) * ray - eyes[1])
    return Direction(float(heading), float(pitch))


def locate_spot(viewpoint: Viewpoint, spot: Spot, instance: int, resolve: Callable[[int], int]) -> Direction | None:
    """Return the direction of a spot on a known object; `resolve` maps refs to instances."""
    view = view_object(viewpoint.scene, viewpoint.visible.place, instance)
    row = viewpoint.visible.find(instance)
    if not len(view):
        return Direction(float(viewpoint.visible.heading[row]), float(viewpoint.visible.pitch[row]))
    anchor = resolve(spot.aligned_with) if spot.aligned_with >= 0 else 0
    anchor_centre = extents(viewpoint.scene).middle(np.array([anchor - 1]))[0] if anchor else None
    kind = int(viewpoint.visible.kind[row])
    if spot.part == "window" and kind == BUILDING:
        return _window_direction(viewpoint, view, spot, anchor_centre)
    numbers = part_numbers(kind, spot.part) if spot.part else ()
    rays = view.rays_of(numbers) if numbers else None
    return _closest_ray(view, spot, rays if rays is not None and len(rays) else None, anchor_centre)


def _closest_ray(view: ObjectView, spot: Spot, rays: Ints | None, anchor: Floats | None) -> Direction:
    """Return the direction of the ray that is closest to a spot.

    Args:
        view: The view of the object.
        spot: The spot.
        rays: The rays that hit the part that the spot is on; None if it is on the whole object.
        anchor: The centre of the object that the spot is in line with.
    """
    along, up = (view.along, view.up) if rays is None else (view.along[rays], view.up[rays])
    if rays is not None:
        left, right = float(along.min()), float(along.max())
        low, high = float(up.min()), float(up.max())
    else:
        left, right, low, high = 0.0, view.length, view.low, view.high
    error = np.zeros(len(along))
    if anchor is not None:
        error += np.abs(along - (float(anchor[:2] @ view.axis) - view.begin))
    elif spot.across is not None:
        error += np.abs(along - (left + spot.across * (right - left)))
    if spot.up is not None:
        error += np.abs(up - (low + spot.up * (high - low)))
    near = np.flatnonzero(error <= error.min() + 0.06 * max(right - left, high - low))
    # The median of all close rays lies on the object itself.
    along, up = along[near], up[near]
    k = near[int(np.argmin(np.abs(along - _median_element(along)) + np.abs(up - _median_element(up))))]
    k = k if rays is None else rays[k]
    return Direction(float(view.heading[k]), float(view.pitch[k]))


def _median_element(values: Floats) -> float:
    """Return the element at the middle of the sorted values."""
    half = len(values) // 2
    return float(np.partition(values, half)[half])


def choose_window(view: ObjectView, spot: Spot, anchor: Floats | None) -> int:
    """Return the window that a spot means, -1 for none."""
    windows = view.windows
    if not len(windows.key):
        return -1
    cost = np.zeros(len(windows.key))
    if spot.floor:
        cost += 20.0 * (windows.floor != spot.floor)
    if spot.column is not None:
        rank = windows.rank_left if spot.column.by == "left" else windows.rank_right
        cost += 20.0 * (rank != spot.column.rank)
    if anchor is not None:
        horizontal = windows.along - (float(anchor[:2] @ view.axis) - view.begin)
        vertical = windows.up - float(anchor[2])
        wrong = {
            "above": vertical < 0.3,
            "below": vertical > -0.3,
            "left": horizontal > -0.2,
            "right": horizontal < 0.2,
        }
        cost += np.where(wrong[spot.side_of], 10.0, 0.0) if spot.side_of in wrong else 0.0
        cost += np.hypot(horizontal, 0.7 * vertical)
    else:
        face, size = np.unique(windows.face, return_counts=True)
        cost += np.where(windows.face == face[int(np.argmax(size))], 0.0, 3.0)
        cost += 0.01 * np.abs(windows.along - np.median(windows.along)) + 0.01 * windows.floor
    return int(np.argmin(cost))


def _window_direction(viewpoint: Viewpoint, view: ObjectView, spot: Spot, anchor: Floats | None) -> Direction:
    k = choose_window(view, spot, anchor)
    if k < 0:
        return _closest_ray(view, Spot(spot.ref_index), None, anchor)
    eye = viewpoint.scene.city.eyes[viewpoint.visible.place]
    heading, pitch = vector_angles(view.windows.middle[k] - eye)
    return Direction(float(heading), float(pitch))


def pixel_distance(direction: Direction, other: Direction) -> float:
    """Return the distance of two directions in pixels of a Touchdown panorama (3712 x 800)."""
    across = float(turn(direction.heading, other.heading)) * 3712 / 360
    return float(np.hypot(across, (direction.pitch - other.pitch) * 800 / 180))
