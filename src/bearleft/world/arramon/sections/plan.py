"""The plan of a world of sections: streets, houses, what hangs on them, and what stands around."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bearleft.world.arramon.sections.houses import build_houses
from bearleft.world.arramon.sections.street_objects import place_street_objects
from bearleft.world.arramon.sections.streets import lay_streets, sections_graph
from bearleft.world.city.fronts import fill_fronts
from bearleft.world.city.plan import Draft, Plan, StageFunction, check_seed

Progress = Callable[[str, int, int], None]
STAGES: tuple[StageFunction, ...] = (lay_streets, build_houses, fill_fronts, place_street_objects)
EYE = 1600  # cameras stand so high above the ground


def sections_plan(seed: int, progress: Progress | None = None) -> Plan:
    """Seven sections in one plan."""
    draft = Draft(check_seed(seed), sections_graph(seed))
    for k, stage in enumerate(STAGES):
        if progress:
            progress(stage.__name__.replace("_", " "), k, len(STAGES))
        stage(draft)
    return replace(draft.plan(), name=draft.graph.name, eye=EYE, has_item_templates=True)
