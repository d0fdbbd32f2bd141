"""ArraMon's collectibles: names and models. Names are imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bearleft.world.arramon.items.models import template_classes as template_classes
    from bearleft.world.arramon.items.models import template_index as template_index
    from bearleft.world.arramon.items.models import templates as templates
    from bearleft.world.arramon.items.names import ITEMS as ITEMS
    from bearleft.world.arramon.items.names import Item as Item
    from bearleft.world.arramon.items.names import item_by_name as item_by_name

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "ITEMS": "bearleft.world.arramon.items.names",
    "Item": "bearleft.world.arramon.items.names",
    "item_by_name": "bearleft.world.arramon.items.names",
    "template_classes": "bearleft.world.arramon.items.models",
    "template_index": "bearleft.world.arramon.items.models",
    "templates": "bearleft.world.arramon.items.models",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
