"""Worlds: navigation graphs, generated cities and rooms, pictures, maps. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.channel_images import channel_image as channel_image
    from bearleft.world.channel_images import class_name as class_name
    from bearleft.world.channel_images import save_png as save_png
    from bearleft.world.pictures import AlbumPictures as AlbumPictures
    from bearleft.world.pictures import PictureConfig as PictureConfig
    from bearleft.world.pictures import PictureSource as PictureSource
    from bearleft.world.pictures import RenderedPictures as RenderedPictures
    from bearleft.world.pictures import open_pictures as open_pictures
    from bearleft.world.slices import Slicing as Slicing
    from bearleft.world.slices import default_slicing as default_slicing
    from bearleft.world.slices import get_slicing as get_slicing
    from bearleft.world.targets import Target as Target
    from bearleft.world.targets import choose_targets as choose_targets
    from bearleft.world.targets import propagate_targets as propagate_targets
    from bearleft.world.targets import random_targets as random_targets
    from bearleft.world.targets import viewing_places as viewing_places
    from bearleft.world.worlds import WORLD_KINDS as WORLD_KINDS
    from bearleft.world.worlds import WorldKind as WorldKind
    from bearleft.world.worlds import open_world as open_world
    from bearleft.world.worlds import world_kind as world_kind

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "AlbumPictures": "bearleft.world.pictures",
    "PictureConfig": "bearleft.world.pictures",
    "PictureSource": "bearleft.world.pictures",
    "RenderedPictures": "bearleft.world.pictures",
    "Slicing": "bearleft.world.slices",
    "Target": "bearleft.world.targets",
    "WORLD_KINDS": "bearleft.world.worlds",
    "WorldKind": "bearleft.world.worlds",
    "channel_image": "bearleft.world.channel_images",
    "choose_targets": "bearleft.world.targets",
    "class_name": "bearleft.world.channel_images",
    "default_slicing": "bearleft.world.slices",
    "get_slicing": "bearleft.world.slices",
    "open_pictures": "bearleft.world.pictures",
    "open_world": "bearleft.world.worlds",
    "propagate_targets": "bearleft.world.targets",
    "random_targets": "bearleft.world.targets",
    "save_png": "bearleft.world.channel_images",
    "viewing_places": "bearleft.world.targets",
    "world_kind": "bearleft.world.worlds",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
