"""Size, position and viewpoint of each room, chosen before it is furnished."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import is_integer
from bearleft.world.city.plan import check_seed
from bearleft.world.city.randomness import Integers, Stage, integers
from bearleft.world.graphs.graph import Graph

CATEGORIES = ("restaurant", "shop", "restaurant", "expo_showroom", "living_room", "bedroom")
DEFAULT_ROOMS, MAX_ROOMS = 60, 20_000  # per world
ROOM_SPACING = 30_000  # millimetres between the centres of neighbouring rooms
EYE_HEIGHT = 1600  # millimetres of the camera above the floor

# Per category: smallest and largest width (west to east), depth (south to north) and height, in millimetres.
SIZES: dict[str, tuple[int, int, int, int, int, int]] = {
    "restaurant": (9_500, 14_500, 9_000, 12_500, 2_800, 4_200),
    "shop": (7_000, 11_500, 6_500, 10_000, 2_800, 4_000),
    "expo_showroom": (10_500, 15_000, 9_500, 13_500, 3_600, 4_500),
    "living_room": (4_600, 6_400, 4_400, 5_800, 2_500, 3_200),
    "bedroom": (4_200, 5_800, 4_200, 5_600, 2_500, 3_000),
}


def category(place: int) -> str:
    """Return the category of a place of any world of rooms."""
    return CATEGORIES[place % len(CATEGORIES)]


@dataclass(frozen=True, eq=False)
class RoomShells:
    """Rooms before they are furnished, one row each, in millimetres.

    (x, y) is the centre of a room, (east, north) its viewpoint relative to the centre.
    """

    x: Integers
    y: Integers
    width: Integers  # from west to east
    depth: Integers  # from south to north
    height: Integers
    east: Integers
    north: Integers
    main_wall: Integers  # wall that the viewpoint faces: 0 north, 1 east, 2 south, 3 west


def room_shells(seed: int, count: int) -> RoomShells:
    """Return the shells of all rooms of a world.

    Raises:
        InputError: The seed or the number of rooms is out of range.
    """
    check_seed(seed)
    if not is_integer(count) or not 1 <= count <= MAX_ROOMS:
        raise InputError(f"1 to {MAX_ROOMS:,} rooms", format_value(count))
    index = np.arange(count)
    across = int(np.ceil(np.sqrt(count)))
    x, y = (index % across - across // 2) * ROOM_SPACING, (index // across - across // 2) * ROOM_SPACING
    sizes = np.array([SIZES[category(k)] for k in range(count)], np.int64).T

    def sample(low: Integers, high: Integers, salt: int) -> Integers:
        return integers(seed, Stage.ROOMS, index, low, high, salt=salt)

    width, depth, height = (sample(sizes[2 * k] // 50, sizes[2 * k + 1] // 50, k) * 50 for k in range(3))
    east, north = sample(-width // 14, width // 14, 3), sample(-depth // 14, depth // 14, 4)
    main_wall = sample(0 * index, 0 * index + 3, 5)
    # Beds are long: in bedrooms the viewpoint is moved away from the wall with the bed.
    is_bedroom = np.array([category(k) == "bedroom" for k in range(count)])
    distance = np.where(main_wall % 2 == 0, sample(depth // 10, depth // 8, 6), sample(width // 10, width // 8, 6))
    north = np.where(is_bedroom & (main_wall % 2 == 0), np.where(main_wall == 0, -distance, distance), north)
    east = np.where(is_bedroom & (main_wall % 2 == 1), np.where(main_wall == 1, -distance, distance), east)
    return RoomShells(x, y, width, depth, height, east, north, main_wall)


@lru_cache(maxsize=16)
def rooms_graph(seed: int, count: int = DEFAULT_ROOMS) -> Graph:
    """Return a graph with one place per room and no links; its name is rooms/SEED/COUNT, or rooms/SEED by default."""
    rooms = room_shells(seed, count)
    positions = np.stack([rooms.x + rooms.east, rooms.y + rooms.north, 0 * rooms.x], axis=1) / 1000.0
    name = f"rooms/{seed}" if count == DEFAULT_ROOMS else f"rooms/{seed}/{count}"
    return Graph.make(name, [f"{k:07d}" for k in range(count)], positions, [], [], [], rooms.main_wall * 90.0)
