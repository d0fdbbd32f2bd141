"""What stands around a place, as columns: the visible things of a city with what they are called by."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.geometry import Floats
from bearleft.language.lexicon.object_colours import main_colours
from bearleft.runtime.store import cache_folder
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City, Progress, open_city
from bearleft.world.city.plan import Plan
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.visibility.table import Rows, Visible, visibility_table

Ints = npt.NDArray[np.int64]
KEPT = 4096  # places in memory
SHELL = [CLASS_BASE + kind for kind, one in enumerate(CLASSES) if one.name in ("wall", "floor", "ceiling")]


@dataclass(frozen=True, eq=False)
class Sight:
    """The whole things seen from a place, a row each; `rows` also holds their parts, windows and the ground.

    A room's walls, floor and ceiling are around one everywhere, and not among them.
    """

    place: int
    rows: Rows
    instance: Ints
    kind: Ints  # a row of catalog.CLASSES
    variant: Ints  # of a building: its style
    colour: Ints  # a number into palette.NAMES, -1 for none that one would say
    east: Floats  # where the thing itself stands
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

    def __len__(self) -> int:
        return len(self.instance)

    def find(self, instance: int) -> int:
        """The row of a thing, -1 where it is not seen."""
        found = np.flatnonzero(self.instance == instance)
        return int(found[0]) if len(found) else -1


class SceneIndex:
    """A city and its finished visibility table: the true scene, as writers and followers ask it."""

    def __init__(self, city: City, table: Visible) -> None:
        if table.plan != city.plan.hash:
            raise InputError("the visibility table of this city", f"that of another plan, in {table.folder}")
        self.city, self.table = city, table
        self._kept: OrderedDict[int, Sight] = OrderedDict()

    @property
    def plan(self) -> Plan:
        """Where everything stands."""
        return self.city.plan

    @cached_property
    def colours(self) -> Ints:
        """Of each thing of the plan: the colour one would name it by, -1 for none."""
        return np.asarray(main_colours(self.plan), np.int64)

    @cached_property
    def variants(self) -> Ints:
        """Of each thing of the plan: its variant, of a building its style."""
        found = self.plan.things["variant"].astype(np.int64)
        found[self.plan.buildings["thing"]] = self.plan.buildings["style"]
        return found

    def at(self, place: int) -> Sight:
        """What stands around a place."""
        if place in self._kept:
            self._kept.move_to_end(place)
            return self._kept[place]
        if len(self._kept) >= KEPT:
            self._kept.popitem(last=False)
        self._kept[place] = self._sight(place)
        return self._kept[place]

    def _sight(self, place: int) -> Sight:
        rows = self.table.at(place)
        some = rows[(rows["instance"] > 0) & (rows["part"] == 0) & ~np.isin(rows["kind"], [Ground.WINDOW, *SHELL])]
        thing = some["instance"].astype(np.int64) - 1
        things = self.plan.things[thing]
        names = "heading", "pitch", "left", "width", "bottom", "top", "nearest", "median", "share", "hidden"
        columns = (some[name].astype(float) for name in names)
        return Sight(
            place,
            rows,
            thing + 1,
            things["kind"].astype(np.int64),
            self.variants[thing],
            self.colours[thing],
            things["x"] / 1000.0,
            things["y"] / 1000.0,
            *columns,
        )


def table_of(city: City, progress: Progress | None = None) -> Visible:
    """What is visible in a city, from the cache; counted first where nobody has yet."""
    name = f"{city.graph.name.replace('/', '-')}-{city.plan.hash[:12]}"
    return visibility_table(city, cache_folder() / "visible" / name, progress=progress)


@lru_cache(maxsize=2)
def open_scene_index(world: str) -> SceneIndex:
    """What stands around the places of one of bearleft's own cities."""
    city = open_city(world)
    return SceneIndex(city, table_of(city))
