"""The plan of a world of sections: streets, houses, facades and street objects."""

from __future__ import annotations

from dataclasses import replace

from bearleft.types import Progress
from bearleft.world.arramon.sections.houses import build_houses
from bearleft.world.arramon.sections.street_objects import place_street_objects
from bearleft.world.arramon.sections.streets import lay_streets, sections_graph
from bearleft.world.city.facade_objects import place_facade_objects
from bearleft.world.city.plan import Draft, Plan, StageFunction, check_seed

STAGES: tuple[StageFunction, ...] = (lay_streets, build_houses, place_facade_objects, place_street_objects)
EYE_HEIGHT = 1600  # millimetres


def sections_plan(seed: int, progress: Progress | None = None) -> Plan:
    """Return the plan of the world sections/SEED.

    Args:
        seed: Seed of the world.
        progress: Called before each stage.
    """
    draft = Draft(check_seed(seed), sections_graph(seed))
    for k, stage in enumerate(STAGES):
        if progress:
            progress(stage.__name__.replace("_", " "), k, len(STAGES))
        stage(draft)
    return replace(draft.plan(), name=draft.graph.name, eye=EYE_HEIGHT, has_item_templates=True)
