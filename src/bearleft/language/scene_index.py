"""Index of the objects that are visible from each place of a city."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.language.lexicon.object_colours import main_colours
from bearleft.language.lexicon.trade_names import letterings_of
from bearleft.runtime.store import cache_folder
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import City, open_city
from bearleft.world.city.plan import Plan
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.visibility.on_demand import on_demand_table
from bearleft.world.visibility.table import Rows, VisibilityTable, visibility_table
from bearleft.world.worlds import world_kind

if TYPE_CHECKING:
    from bearleft.types import Floats, Progress

Ints = npt.NDArray[np.int64]
ON_DEMAND = "-on-demand"  # end of the name of a table's folder
MAX_CACHED_PLACES = 4096  # visible objects of the most recent places stay in memory
ROOM_SHELL_KINDS = [
    CLASS_BASE + kind for kind, object_class in enumerate(CLASSES) if object_class.name in ("wall", "floor", "ceiling")
]


def class_mask(*names: str) -> npt.NDArray[np.bool_]:
    """Return a mask of the classes with these names, by class index."""
    mask = np.zeros(len(CLASSES), bool)
    mask[[class_index(name) for name in names]] = True
    return mask


IS_OPEN_GROUND = class_mask("park", "court", "parking lot")
IS_LEFT_OUT = np.zeros(256, bool)  # by class code
IS_LEFT_OUT[[Ground.WINDOW, *ROOM_SHELL_KINDS]] = True


@dataclass(frozen=True, eq=False)
class VisibleObjects:
    """Whole objects that are visible from a place, one row each.

    `rows` also holds their parts, windows and the ground. Walls, floors and ceilings of rooms are left out, since
    they are visible everywhere.
    """

    place: int
    rows: Rows
    instance: Ints
    kind: Ints  # index into catalog.CLASSES
    variant: Ints  # the style, for buildings
    colour: Ints  # index into palette.COLOUR_NAMES; -1: no colour to name
    first: Ints  # paints, as indices into palette.COLOUR_NAMES
    second: Ints
    lettering: Ints  # index into trade_names.LETTERINGS; -1 for none of them
    east: Floats  # position of the object
    north: Floats
    heading: Floats
    pitch: Floats
    left: Floats
    width: Floats
    bottom: Floats
    top: Floats
    nearest: Floats
    median: Floats
    share: Floats
    hidden: Floats
    owner: Ints  # instance of the object that it stands on or is attached to, 0 for none

    def __len__(self) -> int:
        return len(self.instance)

    def find(self, instance: int) -> int:
        """Return the row of an object, -1 if it is not visible."""
        return self._row_by_instance.get(instance, -1)

    @cached_property
    def _row_by_instance(self) -> dict[int, int]:
        return {instance: row for row, instance in enumerate(self.instance.tolist())}


class SceneIndex:
    """Ground-truth scene of a city: its plan and its visibility table."""

    def __init__(self, city: City, table: VisibilityTable) -> None:
        if table.plan != city.plan.hash:
            raise InputError("the visibility table of this city", f"that of another plan, in {table.folder}")
        self.city, self.table = city, table
        self._cache: OrderedDict[int, VisibleObjects] = OrderedDict()

    @property
    def plan(self) -> Plan:
        """The plan of the city."""
        return self.city.plan

    @cached_property
    def colours(self) -> Ints:
        """Main colour of each object of the plan as a palette index, -1 for none."""
        return np.asarray(main_colours(self.plan), np.int64)

    @cached_property
    def variants(self) -> Ints:
        """Variant of each object of the plan; the style, for buildings."""
        numbers = self.plan.things["variant"].astype(np.int64)
        numbers[self.plan.buildings["thing"]] = self.plan.buildings["style"]
        return numbers

    @cached_property
    def letterings(self) -> Ints:
        """What is written on each object, as an index into `trade_names.LETTERINGS`, -1 for none of them."""
        return np.asarray(letterings_of(self.plan.texts)[self.plan.things["text"]], np.int64)

    @cached_property
    def _thing_columns(self) -> tuple[Any, ...]:
        """Class, paints and owner of each object of the plan, and its position in metres."""
        things = self.plan.things
        integers = (things[name].astype(np.int64) for name in ("kind", "first", "second", "owner"))
        return *integers, things["x"] / 1000.0, things["y"] / 1000.0

    def at(self, place: int) -> VisibleObjects:
        """Return the objects that are visible from a place."""
        if place in self._cache:
            self._cache.move_to_end(place)
            return self._cache[place]
        if len(self._cache) >= MAX_CACHED_PLACES:
            self._cache.popitem(last=False)
        self._cache[place] = self._load(place)
        return self._cache[place]

    def _load(self, place: int) -> VisibleObjects:
        rows = self.table.at(place)
        objects = rows[(rows["instance"] > 0) & (rows["part"] == 0) & ~IS_LEFT_OUT[rows["kind"]]]
        thing = objects["instance"].astype(np.int64) - 1
        kinds, firsts, seconds, owners, easts, norths = self._thing_columns
        kind = kinds[thing]
        names = "heading", "pitch", "left", "width", "bottom", "top", "nearest", "median", "share", "hidden"
        columns: list[Any] = [objects[name].astype(float) for name in names]
        # A park or court is recognised by what stands there, however much of its ground that hides.
        columns[-1][IS_OPEN_GROUND[kind]] = 0.0
        columns.append(owners[thing] + 1)
        return VisibleObjects(
            place,
            rows,
            thing + 1,
            kind,
            self.variants[thing],
            self.colours[thing],
            firsts[thing],
            seconds[thing],
            self.letterings[thing],
            easts[thing],
            norths[thing],
            *columns,
        )


def open_visibility_table(city: City, progress: Progress | None = None, device: str = "cpu") -> VisibilityTable:
    """Return the visibility table of a city from the cache, computing it on first use.

    On a CPU, the rows of places in a city on a street graph without buildings, such as Touchdown's 29,641 places, are
    computed when they are first needed. Tables that a GPU computed are kept apart: a few pixels differ.

    Args:
        city: The city.
        progress: Called with a label, the work done and the total.
        device: "cpu" or "cuda", for rendering.
    """
    folder = cache_folder() / "visible" / f"{city.graph.name.replace('/', '-')}-{city.plan.hash[:12]}"
    if device != "cpu":
        return visibility_table(city, folder.with_name(f"{folder.name}-{device}"), device=device, progress=progress)
    if world_kind(city.graph.name).buildable:
        return on_demand_table(city, folder.with_name(folder.name + ON_DEMAND))
    return visibility_table(city, folder, progress=progress)


def read_visibility_table(city: City, folder: str | Path) -> VisibilityTable:
    """Return the table of a city in a folder that `open_visibility_table` returned."""
    return on_demand_table(city, folder) if str(folder).endswith(ON_DEMAND) else VisibilityTable.read(folder)


@lru_cache(maxsize=2)
def open_scene_index(world: str, city: int | None = None, data: str | None = None) -> SceneIndex:
    """Return the scene index of one of the generated worlds, or of a city on a street graph without buildings.

    Args:
        world: The world.
        city: Seed of the city on a street graph without buildings.
        data: Folder of the datasets, for streets that are read from files.
    """
    plan_and_scene = open_city(world, city, data)
    return SceneIndex(plan_and_scene, open_visibility_table(plan_and_scene))
