"""Attention check of Touchdown: follow a given text whose target is known. The page is that of a validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from bearleft.web.queue.slots import NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.base import register
from bearleft.web.tasks.touchdown.pipeline import CHECK
from bearleft.web.tasks.touchdown.qualification import DATASET, SLOTS, QualificationTask, following_payload
from bearleft.web.tasks.touchdown.validation import ValidationTask

TEXTS = 4


def check_units(worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a project: the last texts of the dataset whose first ones are the qualification."""
    dataset = settings.get("qualification_dataset", DATASET)
    names = list(worlds.episodes(dataset))[-TEXTS:]
    return [NewUnit(CHECK, following_payload(dataset, worlds.episode(dataset, name)), slots=SLOTS) for name in names]


@register
class CheckTask(QualificationTask):
    """Follow a given text. Whether the bear is found has no consequence but to be shown to those who run the study."""

    kind: ClassVar[str] = CHECK
    title: ClassVar[str] = ValidationTask.title
    summary: ClassVar[str] = ValidationTask.summary
