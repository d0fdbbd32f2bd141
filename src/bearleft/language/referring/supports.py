"""Where objects stand or hang: on a wall, the ceiling or the floor, in a corner or in the middle of a room."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bearleft.language.referring.view import Flags, cast_directions
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.world.city.catalog import class_index
from bearleft.world.render.codes import Ground

Spot = Literal["wall", "ceiling", "floor", "corner", "middle", "sidewalk", "road", "grass", "building"]
INDOOR_SPOTS: tuple[Spot, ...] = ("wall", "ceiling", "corner", "middle", "floor")
OUTDOOR_SPOTS: tuple[Spot, ...] = ("sidewalk", "road", "grass", "building")
SPOTS = INDOOR_SPOTS + OUTDOOR_SPOTS

MAX_FLOOR_HEIGHT, MIN_CEILING_HEIGHT = 20, 2300  # millimetres of the points by which objects are placed
CORNER_DISTANCE = 1.4  # metres from both walls of a corner
MIDDLE_SHARE = 0.22  # of the size of a room, from its centre
# Objects that make up a wall: nobody says that a door is "on the wall".
_WALL_PARTS = [class_index(name) for name in ("room door", "room window", "curtain", "fitting room", "column")]
_ENTRANCES = [
    class_index(name)
    for name in ("storefront", "door", "portico", "canopy", "bay window", "garage entrance", "scaffolding", "landmark")
]
_WALLS, _BUILDING = [class_index("wall")], class_index("building")
_GROUNDS: dict[Spot, tuple[int, ...]] = {
    "sidewalk": (Ground.SIDEWALK,),
    "road": (Ground.ROAD, Ground.MARKING, Ground.CROSSWALK),
    "grass": (Ground.GRASS,),
}


def at_spot(scene: SceneIndex, visible: VisibleObjects, spot: Spot) -> Flags:
    """Return which of the visible objects are at a spot."""
    things = scene.plan.things
    own = things[visible.instance - 1]
    owned = visible.owner > 0
    owner_kind = np.where(owned, things["kind"][np.maximum(visible.owner - 1, 0)].astype(np.int64), -1)
    if spot in _GROUNDS:
        return _above_ground(scene, visible, _GROUNDS[spot])
    if spot == "building":
        return np.asarray((owner_kind == _BUILDING) & ~np.isin(visible.kind, _ENTRANCES), bool)
    if not scene.plan.indoors:
        return np.zeros(len(visible), bool)
    if spot == "wall":
        return np.isin(owner_kind, _WALLS) & ~np.isin(visible.kind, _WALL_PARTS)
    if spot == "ceiling":
        return np.asarray(~owned & (own["z"] >= MIN_CEILING_HEIGHT), bool)
    standing = ~owned & (own["z"] <= MAX_FLOOR_HEIGHT) & ~np.isin(visible.kind, _WALL_PARTS)
    if spot == "floor":
        return np.asarray(standing, bool)
    east, north, width, depth = _room(scene, visible.place)
    across, along = np.abs(visible.east - east), np.abs(visible.north - north)
    if spot == "corner":
        return np.asarray(
            standing & (across > width / 2 - CORNER_DISTANCE) & (along > depth / 2 - CORNER_DISTANCE), bool
        )
    return np.asarray(standing & (across < MIDDLE_SHARE * width) & (along < MIDDLE_SHARE * depth), bool)


def _room(scene: SceneIndex, place: int) -> tuple[float, float, float, float]:
    """Return the centre, width and depth of the room around a place, in metres."""
    floors = scene.plan.things[scene.plan.things["kind"] == class_index("floor")]
    east, north = scene.city.poses([place])[0, :2].astype(float)
    floor = floors[np.argmin(np.hypot(floors["x"] / 1000.0 - east, floors["y"] / 1000.0 - north))]
    return (
        float(floor["x"]) / 1000.0,
        float(floor["y"]) / 1000.0,
        float(floor["sx"]) / 1000.0,
        float(floor["sy"]) / 1000.0,
    )


def _above_ground(scene: SceneIndex, visible: VisibleObjects, grounds: tuple[int, ...]) -> Flags:
    """Return which objects have one of the grounds just below them in the view."""
    middle = visible.left + visible.width / 2
    below = np.clip(visible.bottom - 0.6, -89.0, 89.0)
    hits = cast_directions(scene, visible.place, middle % 360.0, below)
    return np.asarray(np.isin(hits.kind, grounds) & (visible.owner == 0) & (visible.kind != _BUILDING), bool)
