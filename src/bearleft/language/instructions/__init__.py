"""Navigation instructions for routes: writing, parsing and following them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.instructions.parse import parse_frames as parse_frames
    from bearleft.language.instructions.parse import parse_spans as parse_spans
    from bearleft.language.instructions.semantics import ClauseFrame as ClauseFrame
    from bearleft.language.instructions.semantics import follow_frames as follow_frames
    from bearleft.language.instructions.semantics import trace_frames as trace_frames
    from bearleft.language.instructions.write import RouteSegment as RouteSegment
    from bearleft.language.instructions.write import instruct as instruct
    from bearleft.language.instructions.write import split_route as split_route

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "ClauseFrame": "bearleft.language.instructions.semantics",
    "RouteSegment": "bearleft.language.instructions.write",
    "follow_frames": "bearleft.language.instructions.semantics",
    "instruct": "bearleft.language.instructions.write",
    "parse_frames": "bearleft.language.instructions.parse",
    "parse_spans": "bearleft.language.instructions.parse",
    "split_route": "bearleft.language.instructions.write",
    "trace_frames": "bearleft.language.instructions.semantics",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
