"""ArraMon's models as glTF files: a section with its surroundings, the empty room, and each item.

Items face north and stand on the origin. `asset.extras` holds the renderer's light of a section, and of the room.
"""

from __future__ import annotations

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.world.arramon.items.models import template_classes, template_index, templates
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.room import room_scene
from bearleft.world.arramon.sections.layout import SECTION_SPACING, SECTIONS
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.render.codes import Ground
from bearleft.world.render.scene import Scene
from bearleft.world.tiles.atlas import make_atlas
from bearleft.world.tiles.export import light_numbers
from bearleft.world.tiles.glb import VERTICES, Glb
from bearleft.world.tiles.surface import make_surface
from bearleft.world.tiles.tile import CLAMPED, LINEAR, MIPMAPPED, Square, add_node, make_tile, to_gltf_axes

SECTION_TEXELS, ROOM_TEXELS, ITEM_TEXELS = 2048, 1024, 512  # per side of a texture, at most
SHARPNESS = 4.0  # of what is seen from near
NORTH = 0.0


def section_square(world: str, number: int) -> Square:
    """Return the square of a section, whose sides are as long as sections are apart.

    Raises:
        InputError: The world is not one of sections, or has no such section.
    """
    bounds = open_sections(world).bounds
    if not 1 <= number <= len(bounds):
        raise InputError(f"a section from 1 to {SECTIONS}", format_value(number), "section")
    west, south, east, north = bounds[number - 1]
    side = SECTION_SPACING / 1000
    # Sections lie in the middle of their squares: their centres are odd multiples of half a side.
    return Square(int((west + east) / 2 // side), int((south + north) / 2 // side), side)


def make_section(world: str, number: int) -> bytes:
    """Return the .glb file of a section: the ground and all objects, a mesh each."""
    square = section_square(world, number)
    return make_tile(open_sections(world).city, square, SECTION_TEXELS, {"light": light_numbers(indoors=False)})


def make_room() -> bytes:
    """Return the .glb file of the empty room; the origin is the door."""
    return _make_model(room_scene(), "room", ROOM_TEXELS, {"light": light_numbers(indoors=True)})


def make_item(name: str) -> bytes:
    """Return the .glb file of an item, such as "Striped White Book"; raise InputError for any other name."""
    index = template_index(item_by_name(name).name)
    rows = templates(NORTH)[index].copy()
    rows["instance"] = 1
    scene = Scene.make(rows, [Ground.YARD, template_classes()[index]], indoors=True)
    return _make_model(scene, name, ITEM_TEXELS, {})


def _make_model(scene: Scene, name: str, texels: int, about: dict[str, object]) -> bytes:
    """Return the .glb file of all solids of a scene as one mesh."""
    surface = make_surface(scene.solids, np.arange(len(scene.solids)))
    texture = make_atlas(scene, surface, texels, SHARPNESS)
    file = Glb()
    sampler = {"magFilter": LINEAR, "minFilter": MIPMAPPED, "wrapS": CLAMPED, "wrapT": CLAMPED}
    file.json |= {"samplers": [sampler], "textures": [], "materials": [], "meshes": [], "nodes": []}
    normals = np.rint(to_gltf_axes(surface.normals) * 127).astype(np.int8)
    attributes = {
        "POSITION": file.array(to_gltf_axes(surface.vertices), VERTICES, bounds=True),
        "NORMAL": file.array(normals, VERTICES, normalised=True),
        "TEXCOORD_0": file.array(np.rint(texture.uv * 65535).astype(np.uint16), VERTICES, normalised=True),
    }
    add_node(file, name, attributes, surface.triangles, (texture.picture, texture.shine), {}, [])
    file.json |= {"scene": 0, "scenes": [{"nodes": [0]}]}
    file.json |= {"extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"]}
    file.json["asset"] |= {"generator": "bearleft", "extras": about | {"triangles": len(surface.triangles)}}
    return file.bytes()
