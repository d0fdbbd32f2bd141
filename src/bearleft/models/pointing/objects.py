"""Which thing is next to a direction, and which thing each cell shows; known in our own cities and rooms only.

Rays go out around a direction, ring by ring, until one meets a thing. Walls, floors and ceilings of rooms, the ground
and the sky are none. Rays go through the renderer's own code, so they meet what pictures show.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.geometry import vector
from bearleft.language.scene_index import SHELL
from bearleft.models.examples import Examples, Floats, Panorama
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.slices import Slicing
from bearleft.world.visibility.rays import cast

Ints = npt.NDArray[np.int64]
RINGS = (0.0, 1.0, 2.0, 3.5, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0)  # degrees around a direction
WAYS = 24  # rays of a ring
OURS = ("city/", "rooms/")
NOTHING = -1
PIECE = 8  # panoramas whose cells are looked at together, enough for many cores


def next_to(examples: Examples, directions: Sequence[Direction]) -> Ints:
    """(n, 2): instance and class of the thing next to each direction; NOTHING where there is none within 30 degrees."""
    found = np.full((len(examples), 2), NOTHING, np.int64)
    seen = [examples.panoramas[k] for k in examples.pictures]
    for world, which in _by_world(seen):
        city = open_city(world)
        found[which] = things(city, _places(city, [seen[k] for k in which]), [directions[k] for k in which])
    return found


def things(city: City, places: Ints, directions: Sequence[Direction]) -> Ints:
    """The same at places of one city."""
    eyes = city.poses(places)[:, :3]
    rays = _fans(directions)
    count = rays.shape[1]
    met = cast(city.scene, np.repeat(eyes, count, 0), rays.reshape(-1, 3))
    instance, kind = (array.reshape(len(directions), count).astype(np.int64) for array in (met.instance, met.kind))
    some = (instance > 0) & ~np.isin(kind, SHELL)
    first = some.argmax(1)
    rows = np.arange(len(directions))
    named = kind[rows, first]
    # A window is a part of its house.
    named = np.where(named == int(Ground.WINDOW), CLASS_BASE + _number("building"), named)
    out = np.column_stack([instance[rows, first], named])
    return np.where(np.any(some, axis=1, keepdims=True), out, NOTHING)


def instances(panoramas: Sequence[Panorama], slicing: Slicing) -> npt.NDArray[np.int32]:
    """(n, rows, columns): the instance in the middle of each cell; 0 where there is none, as in the sky."""
    found = np.zeros((len(panoramas), slicing.rows, slicing.columns), np.int32)
    row, column = np.mgrid[: slicing.rows, : slicing.columns] + 0.5
    heading, pitch = slicing.directions(row, column)
    for world, all_of in _by_world(panoramas):
        city = open_city(world)
        for begin in range(0, len(all_of), PIECE):
            which = all_of[begin : begin + PIECE]
            some = [panoramas[k] for k in which]
            eyes = city.poses(_places(city, some))[:, :3].astype(np.float32)
            yaws = np.array([one.yaw for one in some])[:, None, None]
            ways = vector(heading + yaws, pitch).reshape(-1, 3)
            met = cast(city.scene, np.repeat(eyes, heading.size, 0), ways)
            found[which] = np.maximum(met.instance, 0).reshape(len(which), *heading.shape)
    return found


def _by_world(panoramas: Sequence[Panorama]) -> list[tuple[str, list[int]]]:
    """Worlds, and which panoramas are theirs."""
    found: dict[str, list[int]] = {}
    for k, panorama in enumerate(panoramas):
        found.setdefault(panorama.world, []).append(k)
    return list(found.items())


def _places(city: City, panoramas: Sequence[Panorama]) -> Ints:
    return np.array([city.graph.number(one.place) for one in panoramas], np.int64)


def _number(name: str) -> int:
    return next(k for k, one in enumerate(CLASSES) if one.name == name)


def _fans(directions: Sequence[Direction]) -> Floats:
    """Rays around directions, from the inside out: (n, 1 + rings x ways, 3)."""
    heading, pitch = np.array([(one.heading, one.pitch) for one in directions]).T
    ahead, right = vector(heading, pitch)[:, None], vector(heading + 90.0, 0.0)[:, None]
    up = np.cross(right, ahead)
    around = (2 * np.pi * np.arange(WAYS) / WAYS)[:, None]
    aside = np.cos(around) * right + np.sin(around) * up
    rings = [np.cos(np.radians(ring)) * ahead + np.sin(np.radians(ring)) * aside for ring in RINGS[1:]]
    return np.concatenate([ahead, *rings], axis=1)
