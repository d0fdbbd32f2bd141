"""Attention check of ArraMon: follow the texts that a map came with. The page is that of following."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from bearleft.errors import InputError, format_value
from bearleft.web.queue.slots import MAX_SLOTS, NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.arramon.following import FollowingTask
from bearleft.web.tasks.arramon.kinds import CHECK
from bearleft.web.tasks.arramon.sessions import find_maps
from bearleft.web.tasks.base import register

MAPS = 4


def check_units(worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a project: the texts of the first maps of its dataset for which nobody writes texts.

    Raises:
        InputError: There is no such map, since the project has all of the dataset.
    """
    dataset, maps = find_maps(worlds, settings)
    limit = settings.get("limit", len(maps))
    free = [one for one in maps[limit:] if all(leg.text.strip() for leg in one.legs)][:MAPS]
    if not free:
        hint = f"Leave some maps for the checks: --limit {max(len(maps) - MAPS, 1)}"
        raise InputError(f"maps of {dataset} that nobody writes for", format_value(limit), "limit", hint=hint)
    return [
        NewUnit(
            CHECK,
            {"world": one.world, "dataset": dataset, "episode": one.id, "texts": [leg.text for leg in one.legs]},
            MAX_SLOTS,
        )
        for one in free
    ]


@register
class CheckTask(FollowingTask):
    """Follow known texts. Whether it is done well has no consequence but to be shown to those who run the study."""

    kind: ClassVar[str] = CHECK
