"""Navigation instructions for ArraMon: writing, parsing and following walks to an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.arramon_navigation.follow import follow_instruction as follow_instruction
    from bearleft.language.arramon_navigation.parse import parse_frames as parse_frames
    from bearleft.language.arramon_navigation.scene import SectionScene as SectionScene
    from bearleft.language.arramon_navigation.scene import open_scene as open_scene
    from bearleft.language.arramon_navigation.semantics import ClauseFrame as ClauseFrame
    from bearleft.language.arramon_navigation.semantics import follow_frames as follow_frames
    from bearleft.language.arramon_navigation.write import write_instruction as write_instruction

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "ClauseFrame": "bearleft.language.arramon_navigation.semantics",
    "SectionScene": "bearleft.language.arramon_navigation.scene",
    "follow_frames": "bearleft.language.arramon_navigation.semantics",
    "follow_instruction": "bearleft.language.arramon_navigation.follow",
    "open_scene": "bearleft.language.arramon_navigation.scene",
    "parse_frames": "bearleft.language.arramon_navigation.parse",
    "write_instruction": "bearleft.language.arramon_navigation.write",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
