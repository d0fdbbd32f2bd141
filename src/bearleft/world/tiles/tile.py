"""One tile: the objects whose origins lie in a square, and its ground, as a glTF file.

glTF's axes: x is east, y is up, z is south. The tile's origin is its south-west corner on the ground.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City
from bearleft.world.tiles.atlas import encode_jpeg, ground_picture, make_atlas
from bearleft.world.tiles.glb import INDICES, VERTICES, Glb
from bearleft.world.tiles.hidden_faces import remove_hidden_faces
from bearleft.world.tiles.surface import make_surface

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

MAX_GROUND_DENSITY = 16  # texels of ground per metre
LINEAR, MIPMAPPED, CLAMPED = 9729, 9987, 33071
EXTENSIONS = ["KHR_mesh_quantization", "EXT_mesh_features"]


@dataclass(frozen=True)
class Square:
    """A tile's square: column and row, counted from the origin to the east and north, and its side in metres.

    `origin` is both east and north of the corner where column 0 and row 0 begin.
    """

    column: int
    row: int
    side: float
    origin: float = 0.0

    @property
    def west(self) -> float:
        """West edge in metres."""
        return self.origin + self.column * self.side

    @property
    def south(self) -> float:
        """South edge in metres."""
        return self.origin + self.row * self.side

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"tile_{self.column}_{self.row}.glb"


def make_tile(city: City, square: Square, texels: int = 2048, about: dict[str, Any] | None = None) -> bytes:
    """Return the .glb file of a square; `about` is added to its asset's extras, beside bounds and counts."""
    things = city.plan.things
    inside = np.floor((things["x"] / 1000.0 - square.origin) / square.side) == square.column
    inside &= np.floor((things["y"] / 1000.0 - square.origin) / square.side) == square.row
    numbers = np.flatnonzero(inside)
    file = Glb()
    sampler = {"magFilter": LINEAR, "minFilter": MIPMAPPED, "wrapS": CLAMPED, "wrapT": CLAMPED}
    file.json |= {"samplers": [sampler], "textures": [], "materials": [], "meshes": [], "nodes": []}
    bounds = [square.west, square.south, 0.0, square.west + square.side, square.south + square.side, 0.0]
    triangles = _add_ground(file, city, square, texels)
    if len(numbers):
        count, low, high = _add_objects(file, city, square, numbers, texels)
        triangles += count
        bounds = [*np.minimum(bounds[:3], low).tolist(), *np.maximum(bounds[3:], high).tolist()]
    root = {
        "name": f"{square.column}_{square.row}",
        "translation": [square.west, 0.0, -square.south],
        "children": list(range(len(file.json["nodes"]))),
    }
    file.json["nodes"].append(root)
    file.json |= {"scene": 0, "scenes": [{"nodes": [len(file.json["nodes"]) - 1]}]}
    file.json |= {"extensionsUsed": EXTENSIONS[: 2 if len(numbers) else 1], "extensionsRequired": EXTENSIONS[:1]}
    counts = {"bounds": [round(x, 3) for x in bounds], "instances": len(numbers), "triangles": triangles}
    file.json["asset"] |= {"generator": "bearleft", "extras": (about or {}) | counts}
    return file.bytes()


def _add_objects(file: Glb, city: City, square: Square, numbers: Integers, texels: int) -> tuple[int, Floats, Floats]:
    """Add a node of all objects; return the number of triangles and the bounding box."""
    scene = city.scene
    solids = scene.solids
    chosen = np.flatnonzero(np.isin(solids["instance"], numbers + 1))
    mesh_surface = remove_hidden_faces(solids, make_surface(solids, chosen))
    texture = make_atlas(scene, mesh_surface, texels)
    solids_of_vertices = solids[mesh_surface.solid]
    attributes = {
        "POSITION": file.array(
            to_gltf_axes(mesh_surface.vertices - (square.west, square.south, 0)), VERTICES, bounds=True
        ),
        "NORMAL": file.array(
            np.rint(to_gltf_axes(mesh_surface.normals) * 127).astype(np.int8), VERTICES, normalised=True
        ),
        "TEXCOORD_0": file.array(np.rint(texture.uv * 65535).astype(np.uint16), VERTICES, normalised=True),
        "_FEATURE_ID_0": file.array(
            np.searchsorted(numbers, solids_of_vertices["instance"] - 1).astype(np.float32), VERTICES
        ),
        "_FEATURE_ID_1": file.array(solids_of_vertices["part"].astype(np.float32), VERTICES),
    }
    kind = city.plan.things["kind"][numbers]
    classes, class_of = np.unique(kind, return_inverse=True)
    parts = [list(CLASSES[k].parts) for k in classes]
    features = [
        {"featureCount": len(numbers), "attribute": 0, "label": "thing"},
        {"featureCount": max(map(len, parts)), "attribute": 1, "label": "part"},
    ]
    extras = {
        "instances": (numbers + 1).tolist(),
        "class_of": class_of.ravel().tolist(),
        "classes": [CLASSES[k].name for k in classes],
        "parts": parts,
    }
    add_node(file, "things", attributes, mesh_surface.triangles, (texture.picture, texture.shine), extras, features)
    return len(mesh_surface.triangles), mesh_surface.vertices.min(axis=0), mesh_surface.vertices.max(axis=0)


def _add_ground(file: Glb, city: City, square: Square, texels: int) -> int:
    """Add a node of the ground."""
    ground_texels = min(texels, int(square.side * MAX_GROUND_DENSITY))
    picture = ground_picture(city.scene, square.west, square.south + square.side, square.side, ground_texels)
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    attributes = {
        "POSITION": file.array(to_gltf_axes(corners * square.side), VERTICES, bounds=True),
        "NORMAL": file.array(np.tile(np.array([0, 127, 0], np.int8), (4, 1)), VERTICES, normalised=True),
        "TEXCOORD_0": file.array((corners[:, :2] * (1, -1) + (0, 1)).astype(np.float32), VERTICES),
    }
    extras = {"instances": [0], "class_of": [0], "classes": ["ground"], "parts": [[""]]}
    add_node(file, "ground", attributes, np.array([[0, 1, 2], [0, 2, 3]]), (picture, None), extras, [])
    return 2


def to_gltf_axes(rows: Floats) -> npt.NDArray[np.float32]:
    """Convert east, north, up to glTF's x, y, z."""
    return np.column_stack([rows[:, 0], rows[:, 2], -rows[:, 1]]).astype(np.float32)


def _add_texture(file: Glb, picture: Bytes) -> dict[str, int]:
    file.json["textures"].append({"source": file.image(encode_jpeg(picture)), "sampler": 0})
    return {"index": len(file.json["textures"]) - 1}


def add_node(
    file: Glb,
    name: str,
    attributes: dict[str, int],
    triangles: Integers,
    pictures: tuple[Bytes, Bytes | None],
    extras: dict[str, Any],
    features: list[dict[str, Any]],
) -> None:
    """Add a mesh of one primitive with its own textures: base colour, and emission."""
    small = int(triangles.max()) < 65535
    corners = triangles.ravel().astype(np.uint16 if small else np.uint32)
    gltf = file.json
    base_colour = {"baseColorTexture": _add_texture(file, pictures[0]), "metallicFactor": 0.0, "roughnessFactor": 1.0}
    material: dict[str, Any] = {"name": name, "pbrMetallicRoughness": base_colour}
    if pictures[1] is not None:
        material |= {"emissiveTexture": _add_texture(file, pictures[1]), "emissiveFactor": [1.0, 1.0, 1.0]}
    gltf["materials"].append(material)
    primitive: dict[str, Any] = {
        "attributes": attributes,
        "indices": file.array(corners, INDICES),
        "material": len(gltf["materials"]) - 1,
    }
    if features:
        primitive["extensions"] = {"EXT_mesh_features": {"featureIds": features}}
    gltf["meshes"].append({"name": name, "primitives": [primitive]})
    gltf["nodes"].append({"name": name, "mesh": len(gltf["meshes"]) - 1, "extras": extras})
