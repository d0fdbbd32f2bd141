"""A city to walk and look at: its plan, its scene, and cameras at its places."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.world.arramon.sections.plan import sections_plan
from bearleft.world.city.plan import Draft, Plan, StageFunction, check_seed
from bearleft.world.city.scene_builder import build_scene
from bearleft.world.city.stages import STAGES
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import Floats32, poses
from bearleft.world.render.scene import Scene
from bearleft.world.rooms.world import room_plan
from bearleft.world.worlds import open_world, world_kind

Progress = Callable[[str, int, int], None]
VISIBLE_WORLDS = "a world one can walk and see: city/SEED, sections/SEED, rooms/SEED, town/SEED or touchdown"
CACHE_SIZE = 4  # cities in memory

_CITIES: dict[tuple[Graph, int], City] = {}


def build_plan(
    graph: Graph, seed: int = 0, stages: Sequence[StageFunction] = STAGES, progress: Progress | None = None
) -> Plan:
    """A city on the streets of a graph: every stage in turn adds to the draft."""
    draft = Draft(check_seed(seed), graph)
    for k, stage in enumerate(stages):
        if progress:
            progress(stage.__name__.replace("_", " "), k, len(stages))
        stage(draft)
    return draft.plan()


@dataclass(frozen=True, eq=False)
class City:
    """A planned city; its scene is built when it is first looked at."""

    plan: Plan

    @property
    def graph(self) -> Graph:
        """Where one can stand."""
        return self.plan.graph

    @cached_property
    def scene(self) -> Scene:
        """What one sees there."""
        return _scene_with_items(self.plan) if self.plan.guests else build_scene(self.plan)

    def poses(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike = 0.0,
        pitches: npt.ArrayLike = 0.0,
        rolls: npt.ArrayLike = 0.0,
    ) -> Floats32:
        """Cameras at eye height at places, by number."""
        numbers = np.atleast_1d(np.asarray(places))
        if not np.issubdtype(numbers.dtype, np.integer):
            raise InputError("places by their numbers", shown(str(numbers.ravel()[:1].tolist())))
        if len(out := numbers[(numbers < 0) | (numbers >= len(self.graph))]):
            raise InputError(f"places from 0 to {len(self.graph) - 1}", str(out[0]))
        where = self.graph.positions[numbers].copy()
        where[:, 2] += self.plan.eye / 1000.0
        return poses(where, headings, pitches, rolls)


def _scene_with_items(plan: Plan) -> Scene:
    """A scene in which collectibles may stand."""
    from bearleft.world.arramon.items.models import template_classes, templates  # models rest on a scene's records

    return build_scene(plan, templates(), template_classes())


def open_city(
    world: str = "city/0",
    seed: int | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> City:
    """The city of a world: "city/SEED" is bearleft's own; on any other world's streets one is built from `seed`.

    "rooms/SEED" and "rooms/SEED/COUNT" are furnished rooms rather than streets, "sections/SEED" ArraMon's sections.
    """
    kind = world_kind(world)
    if not kind.renderable:
        raise InputError(VISIBLE_WORLDS, shown(world))
    graph = open_world(world, data, VISIBLE_WORLDS)
    if kind.rendered:
        own = int(world.split("/")[1])
        if seed not in (None, own):
            raise InputError(f"the seed of {world}, or none", shown(seed), "city")
        seed = own
    asked = graph, check_seed(seed or 0)
    if asked not in _CITIES:
        while len(_CITIES) >= CACHE_SIZE:
            _CITIES.pop(next(iter(_CITIES)), None)
        if kind.arramon:
            laid = sections_plan(asked[1], progress)
        else:
            laid = room_plan(asked[1], len(graph), progress) if kind.indoors else build_plan(*asked, progress=progress)
        _CITIES[asked] = city = City(laid)
        return city
    return _CITIES[asked]
