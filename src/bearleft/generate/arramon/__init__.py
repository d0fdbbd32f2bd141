"""Generation of ArraMon tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.generate.arramon.dataset import InstructionWriter as InstructionWriter
    from bearleft.generate.arramon.dataset import TaskGenerator as TaskGenerator
    from bearleft.generate.arramon.dataset import TemplateWriter as TemplateWriter
    from bearleft.generate.arramon.dataset import open_task_generator as open_task_generator
    from bearleft.generate.arramon.dataset import task_specs as task_specs
    from bearleft.generate.arramon.decoys import DECOY_MODES as DECOY_MODES
    from bearleft.generate.arramon.tasks import TaskSpec as TaskSpec
    from bearleft.generate.arramon.tasks import draw_navigation as draw_navigation
    from bearleft.generate.arramon.tasks import draw_room as draw_room

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "DECOY_MODES": "bearleft.generate.arramon.decoys",
    "InstructionWriter": "bearleft.generate.arramon.dataset",
    "TaskGenerator": "bearleft.generate.arramon.dataset",
    "TaskSpec": "bearleft.generate.arramon.tasks",
    "TemplateWriter": "bearleft.generate.arramon.dataset",
    "draw_navigation": "bearleft.generate.arramon.tasks",
    "draw_room": "bearleft.generate.arramon.tasks",
    "open_task_generator": "bearleft.generate.arramon.dataset",
    "task_specs": "bearleft.generate.arramon.dataset",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
