"""Ray tracer for scenes of simple solids; the same functions run on CPU and GPU. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.render.camera import Lens as Lens
    from bearleft.world.render.camera import panorama as panorama
    from bearleft.world.render.camera import poses as poses
    from bearleft.world.render.camera import view as view
    from bearleft.world.render.cpu import Pictures as Pictures
    from bearleft.world.render.cpu import render as render
    from bearleft.world.render.devices import check_device as check_device
    from bearleft.world.render.devices import renderer as renderer
    from bearleft.world.render.dynamic_objects import DynamicObjects as DynamicObjects
    from bearleft.world.render.light import Light as Light
    from bearleft.world.render.mesh import Mesh as Mesh
    from bearleft.world.render.mesh import write_ply as write_ply
    from bearleft.world.render.scene import Scene as Scene

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "DynamicObjects": "bearleft.world.render.dynamic_objects",
    "Lens": "bearleft.world.render.camera",
    "Light": "bearleft.world.render.light",
    "Mesh": "bearleft.world.render.mesh",
    "Pictures": "bearleft.world.render.cpu",
    "Scene": "bearleft.world.render.scene",
    "check_device": "bearleft.world.render.devices",
    "panorama": "bearleft.world.render.camera",
    "poses": "bearleft.world.render.camera",
    "render": "bearleft.world.render.cpu",
    "renderer": "bearleft.world.render.devices",
    "view": "bearleft.world.render.camera",
    "write_ply": "bearleft.world.render.mesh",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
