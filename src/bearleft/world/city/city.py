"""Worlds that can be rendered: a plan, its scene, and camera poses at its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.runtime.memory import check_memory
from bearleft.types import DataFolder, Progress
from bearleft.world.arramon.sections.plan import sections_plan
from bearleft.world.city.plan import Draft, Plan, StageFunction, check_seed
from bearleft.world.city.scene_builder import build_scene
from bearleft.world.city.stages import STAGES
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import Floats32, poses
from bearleft.world.render.scene import Scene
from bearleft.world.rooms.world import room_plan
from bearleft.world.worlds import open_world, world_kind

if TYPE_CHECKING:
    from bearleft.types import Floats

RENDERABLE_WORLDS = "a world that can be rendered: city/SEED, sections/SEED, rooms/SEED, town/SEED or touchdown"
CACHE_SIZE = 4  # most recent cities kept in memory
BYTES_PER_PLACE, INDOOR_BYTES_PER_PLACE = 80_000, 500_000  # of plan and scene while they are built, measured
MEMORY_HINT = "Name a smaller world, such as city/0/8x12 or rooms/0/100."

_CITIES: dict[tuple[Graph, int], City] = {}


def build_plan(
    graph: Graph, seed: int = 0, stages: Sequence[StageFunction] = STAGES, progress: Progress | None = None
) -> Plan:
    """Build a plan on the streets of a graph by running every stage in turn.

    Args:
        graph: Street graph.
        seed: Seed of the city.
        stages: Stages to run.
        progress: Called with the stage's name, its index and the number of stages.

    Returns:
        The finished plan; the same graph and seed give the same plan.

    Raises:
        InputError: The seed is invalid, or the graph is not one of streets.
    """
    draft = Draft(check_seed(seed), graph)
    for k, stage in enumerate(stages):
        if progress:
            progress(stage.__name__.replace("_", " "), k, len(stages))
        stage(draft)
    return draft.plan()


@dataclass(frozen=True, eq=False)
class City:
    """Any world that can be rendered: streets, rooms or ArraMon's sections.

    Its scene is built when it is first used.
    """

    plan: Plan

    @property
    def graph(self) -> Graph:
        """Graph of the places."""
        return self.plan.graph

    @cached_property
    def scene(self) -> Scene:
        """Scene for the renderer."""
        return _scene_with_items(self.plan) if self.plan.has_item_templates else build_scene(self.plan)

    @cached_property
    def eyes(self) -> Floats:
        """East, north and up (n, 3) of a viewer's eye at each place, as in `poses`."""
        return self.poses(np.arange(len(self.graph)))[:, :3].astype(float)

    def poses(
        self,
        places: npt.ArrayLike,
        headings: npt.ArrayLike = 0.0,
        pitches: npt.ArrayLike = 0.0,
        rolls: npt.ArrayLike = 0.0,
    ) -> Floats32:
        """Return camera poses at eye height.

        Args:
            places: Indices of places.
            headings: Degrees clockwise from north.
            pitches: Degrees above the horizon.
            rolls: Degrees of rotation about the viewing direction.

        Raises:
            InputError: A place does not exist.
        """
        indices = np.atleast_1d(np.asarray(places))
        if not np.issubdtype(indices.dtype, np.integer):
            raise InputError("indices of places (integers)", format_value(str(indices.ravel()[:1].tolist())))
        if len(outside := indices[(indices < 0) | (indices >= len(self.graph))]):
            raise InputError(f"places from 0 to {len(self.graph) - 1}", str(outside[0]))
        positions = self.graph.positions[indices].copy()
        positions[:, 2] += self.plan.eye / 1000.0
        return poses(positions, headings, pitches, rolls)


def _scene_with_items(plan: Plan) -> Scene:
    """Return a scene with templates for the collectibles."""
    from bearleft.world.arramon.items.models import (  # imported late: items depend on this package
        template_classes,
        templates,
    )

    return build_scene(plan, templates(), template_classes())


def open_city(
    world: str = "city/0",
    seed: int | None = None,
    data: DataFolder = None,
    progress: Progress | None = None,
) -> City:
    """Return the plan and scene of any world that can be rendered: streets, rooms or ArraMon's sections.

    The most recent ones are cached.

    Args:
        world: "city/SEED" is the built-in city, "rooms/SEED" and "rooms/SEED/COUNT" are furnished rooms,
            "sections/SEED" is ArraMon's city; on any other world's streets a city is built from `seed`.
        seed: Seed of the city, if the world does not name one.
        data: Folder of the datasets.
        progress: Called with the stage's name, its index and the number of stages.

    Raises:
        InputError: The world has no pictures, or `seed` contradicts its name.
    """
    kind = world_kind(world)
    if not kind.renderable:
        raise InputError(RENDERABLE_WORLDS, format_value(world))
    graph = open_world(world, data, RENDERABLE_WORLDS)
    if kind.rendered:
        world_seed = int(world.split("/")[1])
        if seed not in (None, world_seed):
            raise InputError(f"the seed of {world}, or none", format_value(seed), "city")
        seed = world_seed
    key = graph, check_seed(seed or 0)
    if key not in _CITIES:
        size = INDOOR_BYTES_PER_PLACE if kind.indoors else BYTES_PER_PLACE
        check_memory(f"{world} with {len(graph):,} places", size * len(graph), MEMORY_HINT)
        while len(_CITIES) >= CACHE_SIZE:
            _CITIES.pop(next(iter(_CITIES)), None)
        if kind.free_movement:
            plan = sections_plan(key[1], progress)
        else:
            plan = room_plan(key[1], len(graph), progress) if kind.indoors else build_plan(*key, progress=progress)
        _CITIES[key] = city = City(plan)
        return city
    return _CITIES[key]
