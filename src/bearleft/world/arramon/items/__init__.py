"""ArraMon's collectibles: names and models. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

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

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
