"""Attention check of Refer360: find the target of a given text. The page is that of a finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bearleft.errors import InputError
from bearleft.web.queue.slots import MAX_SLOTS, NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.base import register
from bearleft.web.tasks.refer360.description import random_start
from bearleft.web.tasks.refer360.finding import FindingTask
from bearleft.web.tasks.refer360.sessions import ABLATION_STUDY, CHECK, episode_payload, parse_settings

TEXTS = 4


def check_units(worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a project: the last texts of its dataset.

    Raises:
        InputError: The project is an ablation, whose people read the same texts in part.
    """
    chosen = parse_settings(settings)
    if chosen.study == ABLATION_STUDY:
        raise InputError("a collection", "an ablation, where such texts are given in part", "check_every")
    texts = list(worlds.episodes(chosen.dataset).values())[-TEXTS:]
    return [
        NewUnit(CHECK, episode_payload(episode) | {"start": random_start(chosen.seed, 4, k)}, MAX_SLOTS)
        for k, episode in enumerate(texts)
    ]


@register
class CheckTask(FindingTask):
    """Find a known target. Whether it is found has no consequence but to be shown to those who run the study."""

    kind = CHECK
