"""Export of worlds as glTF tiles, for browsers and other triangle renderers. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

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

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
