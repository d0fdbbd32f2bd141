"""Descriptions of targets: writing them, and resolving them to a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.descriptions.locate import locate_target as locate_target
    from bearleft.language.descriptions.locate import pixel_distance as pixel_distance
    from bearleft.language.descriptions.parse import locate_description as locate_description
    from bearleft.language.descriptions.parse import parse_description as parse_description
    from bearleft.language.descriptions.semantics import Meaning as Meaning
    from bearleft.language.descriptions.write import Description as Description
    from bearleft.language.descriptions.write import describe as describe
    from bearleft.language.descriptions.write import describe_with_meaning as describe_with_meaning

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Description": "bearleft.language.descriptions.write",
    "Meaning": "bearleft.language.descriptions.semantics",
    "describe": "bearleft.language.descriptions.write",
    "describe_with_meaning": "bearleft.language.descriptions.write",
    "locate_description": "bearleft.language.descriptions.parse",
    "locate_target": "bearleft.language.descriptions.locate",
    "parse_description": "bearleft.language.descriptions.parse",
    "pixel_distance": "bearleft.language.descriptions.locate",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
