"""The object nearest to a direction, and the object that each cell shows; in rendered cities and rooms only.

Rays are cast around a direction, ring by ring, until one hits an object. Walls, floors and ceilings of rooms, the
ground and the sky do not count. Rays use the renderer's own code, so they hit what pictures show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.geometry import unit_vectors
from bearleft.language.scene_index import ROOM_SHELL_KINDS
from bearleft.models.examples import Examples, Panorama
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.slices import Slicing
from bearleft.world.visibility.rays import cast

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int64]
RING_DEGREES = (0.0, 1.0, 2.0, 3.5, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0)  # degrees around a direction
RAYS_PER_RING = 24
NO_OBJECT = -1
PANORAMA_BATCH = 8  # panoramas whose rays are cast together, enough for many cores


def nearest_objects(examples: Examples, directions: Sequence[Direction]) -> Ints:
    """Return instance and class (n, 2) of the object nearest to each direction; NO_OBJECT if none within 30 degrees."""
    objects = np.full((len(examples), 2), NO_OBJECT, np.int64)
    panoramas = [examples.panoramas[k] for k in examples.panorama_indices]
    for world, indices in _by_world(panoramas):
        city = open_city(world)
        places = _place_indices(city, [panoramas[k] for k in indices])
        objects[indices] = objects_in_city(city, places, [directions[k] for k in indices])
    return objects


def objects_in_city(city: City, places: Ints, directions: Sequence[Direction]) -> Ints:
    """Return instance and class (n, 2) of the object nearest to each direction, from places of one city."""
    eyes = city.poses(places)[:, :3]
    rays = _ray_fans(directions)
    count = rays.shape[1]
    hits = cast(city.scene, np.repeat(eyes, count, 0), rays.reshape(-1, 3))
    instance, kind = (array.reshape(len(directions), count).astype(np.int64) for array in (hits.instance, hits.kind))
    is_object = (instance > 0) & ~np.isin(kind, ROOM_SHELL_KINDS)
    first = is_object.argmax(1)
    rows = np.arange(len(directions))
    object_class = kind[rows, first]
    # A window is a part of its house.
    building = CLASS_BASE + _class_index("building")
    object_class = np.where(object_class == int(Ground.WINDOW), building, object_class)
    out = np.column_stack([instance[rows, first], object_class])
    return np.where(np.any(is_object, axis=1, keepdims=True), out, NO_OBJECT)


def instance_maps(panoramas: Sequence[Panorama], slicing: Slicing) -> npt.NDArray[np.int32]:
    """Return the instance at the centre of each cell (n, rows, columns); 0 where there is none, as in the sky."""
    maps = np.zeros((len(panoramas), slicing.rows, slicing.columns), np.int32)
    row, column = np.mgrid[: slicing.rows, : slicing.columns] + 0.5
    heading, pitch = slicing.to_directions(row, column)
    for world, indices in _by_world(panoramas):
        city = open_city(world)
        for begin in range(0, len(indices), PANORAMA_BATCH):
            batch = indices[begin : begin + PANORAMA_BATCH]
            batch_panoramas = [panoramas[k] for k in batch]
            eyes = city.poses(_place_indices(city, batch_panoramas))[:, :3].astype(np.float32)
            yaws = np.array([panorama.yaw for panorama in batch_panoramas])[:, None, None]
            rays = unit_vectors(heading + yaws, pitch).reshape(-1, 3)
            hits = cast(city.scene, np.repeat(eyes, heading.size, 0), rays)
            maps[batch] = np.maximum(hits.instance, 0).reshape(len(batch), *heading.shape)
    return maps


def _by_world(panoramas: Sequence[Panorama]) -> list[tuple[str, list[int]]]:
    """Return worlds with the indices of their panoramas."""
    indices: dict[str, list[int]] = {}
    for k, panorama in enumerate(panoramas):
        indices.setdefault(panorama.world, []).append(k)
    return list(indices.items())


def _place_indices(city: City, panoramas: Sequence[Panorama]) -> Ints:
    return np.array([city.graph.place_index(panorama.place) for panorama in panoramas], np.int64)


def _class_index(name: str) -> int:
    return next(k for k, cls in enumerate(CLASSES) if cls.name == name)


def _ray_fans(directions: Sequence[Direction]) -> Floats:
    """Return rays around directions, from the inside out: (n, 1 + rings x rays, 3)."""
    heading, pitch = np.array([(direction.heading, direction.pitch) for direction in directions]).T
    ahead, right = unit_vectors(heading, pitch)[:, None], unit_vectors(heading + 90.0, 0.0)[:, None]
    up = np.cross(right, ahead)
    angle = (2 * np.pi * np.arange(RAYS_PER_RING) / RAYS_PER_RING)[:, None]
    aside = np.cos(angle) * right + np.sin(angle) * up
    rings = [np.cos(np.radians(ring)) * ahead + np.sin(np.radians(ring)) * aside for ring in RING_DEGREES[1:]]
    return np.concatenate([ahead, *rings], axis=1)
