"""What the pictures of a world show in a direction, and the names of its streets, where bearleft knows them."""

from __future__ import annotations

import numpy as np

from bearleft.errors import InputError
from bearleft.geometry import unit_vectors
from bearleft.records import Direction
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.maps.labels import street_names_by_number
from bearleft.world.pictures import RenderedPictures
from bearleft.world.targets import MOVING_CLASSES, MOVING_PARTS
from bearleft.world.visibility.rays import cast


def city_of(worlds: SceneWorlds, world: str) -> City | None:
    """Return the city that the pictures of a world are rendered from; None for photographs."""
    try:
        pictures = worlds.pictures(world)
    except InputError:
        return None
    return pictures.city if isinstance(pictures, RenderedPictures) else None


def street_names(worlds: SceneWorlds, world: str) -> frozenset[str]:
    """Return the names of a world's streets; none where they are not known."""
    city = city_of(worlds, world)
    if city is None or city.plan.indoors or city.plan.has_item_templates:
        return frozenset()
    return frozenset(street_names_by_number(city.plan).values())


def check_place_for_bear(worlds: SceneWorlds, world: str, place: str, direction: Direction) -> None:
    """Check that the bear would sit on something that stays.

    Raises:
        InputError: The direction shows the sky, or something that moves.
    """
    city = city_of(worlds, world)
    if city is None:
        return
    eye = city.poses([city.graph.place_index(place)])[:, :3]
    hit = cast(city.scene, eye, np.atleast_2d(unit_vectors(direction.heading, direction.pitch)))
    if hit.instance[0] < 0:
        raise InputError("a thing to put the bear on", "the sky", hint="Click on something else.")
    name = _class_name(int(hit.kind[0]))
    part = CLASSES[int(hit.kind[0]) - CLASS_BASE].parts[int(hit.part[0]) & 0xFF] if name in MOVING_PARTS else ""
    if name in MOVING_CLASSES or part in MOVING_PARTS.get(name, ()):
        got = f"a {part or name}" if (part or name)[0] not in "aeiou" else f"an {part or name}"
        raise InputError("something that does not move", got, hint="Click on something else.")


def _class_name(kind: int) -> str:
    """Return the name of a class code of rendered pictures; empty for grounds, walls and windows."""
    index = kind - CLASS_BASE
    return CLASSES[index].name if 0 <= index < len(CLASSES) else ""
