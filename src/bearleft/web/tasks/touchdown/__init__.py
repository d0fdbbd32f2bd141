"""Touchdown's data collection: writing, propagation, validation and segmentation of texts, and the qualification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.records import Reach
from bearleft.runtime.json_fields import integer
from bearleft.web.database.models import Project
from bearleft.web.queue.slots import NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.touchdown import segmentation as segmentation
from bearleft.web.tasks.touchdown import writing as writing
from bearleft.web.tasks.touchdown.check import check_units as check_units
from bearleft.web.tasks.touchdown.pipeline import PROPAGATION, QUALIFICATION, SEGMENTATION, VALIDATION, WRITING
from bearleft.web.tasks.touchdown.propagation import PropagationTask as PropagationTask
from bearleft.web.tasks.touchdown.qualification import is_qualified as is_qualified
from bearleft.web.tasks.touchdown.qualification import qualification_message as qualification_message
from bearleft.web.tasks.touchdown.qualification import qualification_units

DATASET = "city/touchdown/small"
MIN_ROUTE = 2  # places


def create_units(worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a new project: a text to write for each route of a dataset, and the qualification.

    Args:
        worlds: The worlds.
        settings: "dataset" (default: city/touchdown/small) and "limit", the number of routes; and those of
            `qualification_units`.

    Raises:
        InputError: The dataset has no routes, or a setting is invalid.
    """
    dataset = settings.get("dataset", DATASET)
    limit = settings.get("limit")
    if limit is not None:
        integer(limit, "limit", 1)
    routes: dict[tuple[str, tuple[str, ...]], str] = {}
    for episode in worlds.episodes(dataset).values():
        goal = episode.legs[0].goal
        if isinstance(goal, Reach) and len(goal.route) >= MIN_ROUTE:
            routes.setdefault((episode.world, goal.route), episode.id)
    if not routes:
        raise InputError("a dataset of routes, such as city/touchdown/small", format_value(dataset), "dataset")
    written = dict(list(routes.items())[:limit])
    texts = [
        NewUnit(WRITING, {"world": world, "route": list(route), "id": name}) for (world, route), name in written.items()
    ]
    return [*texts, *qualification_units(worlds, settings, written)]


def allowed_kinds(session: Session, project: Project, worker_id: int) -> list[str]:
    """Return the kinds of units that a worker may do now; before the qualification, it takes the place of writing."""
    qualified = is_qualified(session, project, worker_id)
    return [SEGMENTATION, VALIDATION, PROPAGATION, WRITING if qualified else QUALIFICATION]
