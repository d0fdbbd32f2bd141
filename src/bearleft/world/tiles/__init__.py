"""Export of worlds as glTF tiles, for browsers and other triangle renderers. Names are imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bearleft.world.tiles.export import TilesResult as TilesResult
    from bearleft.world.tiles.export import tiles as tiles
    from bearleft.world.tiles.tile import Square as Square
    from bearleft.world.tiles.tile import make_tile as make_tile

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Square": "bearleft.world.tiles.tile",
    "TilesResult": "bearleft.world.tiles.export",
    "make_tile": "bearleft.world.tiles.tile",
    "tiles": "bearleft.world.tiles.export",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
