"""Albums: folders of panoramas, one per place, rendered or photographed. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.album.album import Album as Album
    from bearleft.world.album.album import find_album as find_album
    from bearleft.world.album.check import CheckResult as CheckResult
    from bearleft.world.album.check import check_album as check_album
    from bearleft.world.album.importers import ImportResult as ImportResult
    from bearleft.world.album.importers import find_pictures_in as find_pictures_in
    from bearleft.world.album.importers import import_album as import_album
    from bearleft.world.album.layout import AlbumInfo as AlbumInfo
    from bearleft.world.album.layout import Entry as Entry
    from bearleft.world.album.views import Sphere as Sphere
    from bearleft.world.album.write import AlbumConfig as AlbumConfig
    from bearleft.world.album.write import AlbumResult as AlbumResult
    from bearleft.world.album.write import write_album as write_album

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Album": "bearleft.world.album.album",
    "AlbumConfig": "bearleft.world.album.write",
    "AlbumInfo": "bearleft.world.album.layout",
    "AlbumResult": "bearleft.world.album.write",
    "CheckResult": "bearleft.world.album.check",
    "Entry": "bearleft.world.album.layout",
    "ImportResult": "bearleft.world.album.importers",
    "Sphere": "bearleft.world.album.views",
    "check_album": "bearleft.world.album.check",
    "find_album": "bearleft.world.album.album",
    "find_pictures_in": "bearleft.world.album.importers",
    "import_album": "bearleft.world.album.importers",
    "write_album": "bearleft.world.album.write",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
