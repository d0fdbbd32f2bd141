"""A tile as others read it: trimesh, and Khronos' validator."""

from __future__ import annotations

import io
import json
import shutil
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from bearleft.errors import InputError
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.tiles.export import squares_of
from bearleft.world.tiles.glb import read_json
from bearleft.world.tiles.tile import Square, make_tile

FRONTEND = Path(__file__).parents[3] / "frontend"


@cache
def fullest() -> tuple[City, Square, bytes]:
    """The tile with most things of a small city."""
    city = open_city("city/3/2x2")
    things = city.plan.things
    squares = squares_of(city.plan, 64.0)
    square = max(
        squares, key=lambda s: int(((things["x"] // 64000 == s.column) & (things["y"] // 64000 == s.row)).sum())
    )
    return city, square, make_tile(city, square, 256, {"world": "city/3/2x2"})


def parsed(data: bytes) -> tuple[dict[str, Any], bytes]:
    length = struct.unpack_from("<I", data, 12)[0]
    made: dict[str, Any] = json.loads(data[20 : 20 + length])
    return made, data[28 + length :]


def values(made: dict[str, Any], body: bytes, number: int) -> Any:
    one = made["accessors"][number]
    view = made["bufferViews"][one["bufferView"]]
    kind = {5120: "i1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[one["componentType"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[one["type"]]
    row = np.dtype(
        {"names": ["v"], "formats": [(kind, width)], "itemsize": view.get("byteStride", width * int(kind[-1]))}
    )
    return np.frombuffer(body, row, one["count"], view["byteOffset"])["v"]


def test_trimesh_reads_it_where_the_things_stand() -> None:
    city, square, data = fullest()
    with np.errstate(invalid="ignore"):  # it takes texture coordinates that are whole numbers for shares of one
        scene = trimesh.load(io.BytesIO(data), file_type="glb")
    assert isinstance(scene, trimesh.Scene)
    extras = parsed(data)[0]["asset"]["extras"]
    west, south, low, east, north, high = extras["bounds"]
    assert np.allclose(scene.bounds, [[west, low, -north], [east, high, -south]], atol=0.01)
    assert sum(len(one.faces) for one in scene.geometry.values()) == extras["triangles"]
    things = city.plan.things
    here = (things["x"] // 64000 == square.column) & (things["y"] // 64000 == square.row)
    assert extras["instances"] == here.sum() > 20
    assert extras["world"] == "city/3/2x2"


def test_corners_know_their_instance_part_and_class() -> None:
    city, square, data = fullest()
    made, body = parsed(data)
    node = next(one for one in made["nodes"] if one["name"] == "things")
    piece = made["meshes"][node["mesh"]]["primitives"][0]
    feature, part = (values(made, body, piece["attributes"][f"_FEATURE_ID_{k}"])[:, 0].astype(int) for k in range(2))
    extras = node["extras"]
    instances = np.array(extras["instances"])
    assert set(feature) == set(range(len(instances)))
    # Turned back and moved to its square, a corner lies in the box of its own thing's solids.
    x, up, south = values(made, body, piece["attributes"]["POSITION"]).T
    where = np.column_stack([x + square.west, square.south - south, up])
    solids = city.scene.solids
    reach = np.abs(solids["matrix"]).sum(axis=2) + 0.01
    for k in range(0, len(instances), 7):
        thing = city.plan.things[instances[k] - 1]
        one = CLASSES[thing["kind"]]
        assert extras["classes"][extras["class_of"][k]] == one.name
        assert extras["parts"][extras["class_of"][k]] == list(one.parts)
        own = solids["instance"] == instances[k]
        corners = where[feature == k]
        assert (corners >= (solids["centre"] - reach)[own].min(axis=0)).all()
        assert (corners <= (solids["centre"] + reach)[own].max(axis=0)).all()
        assert set(part[feature == k]) <= set(solids["part"][own].tolist())
    normals = values(made, body, piece["attributes"]["NORMAL"]) / 127
    assert np.abs(np.linalg.norm(normals, axis=1) - 1).max() < 0.02
    triangles = values(made, body, piece["indices"]).reshape(-1, 3)
    assert triangles.max() < len(where)
    a, b, c = (where[triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    lit = np.column_stack([normals[:, 0], -normals[:, 2], normals[:, 1]])[triangles].sum(axis=1)
    assert (np.einsum("ni,ni->n", facing, lit) > -1e-6).all()


def test_khronos_validator_has_nothing_to_say(tmp_path: Path) -> None:
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    if node is None or not (FRONTEND / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("needs node and frontend/node_modules: make frontend")
    city, _, data = fullest()
    (tmp_path / "full.glb").write_bytes(data)
    (tmp_path / "empty.glb").write_bytes(make_tile(city, Square(90, 90, 64.0), 64))
    files = [str(path) for path in tmp_path.glob("*.glb")]
    done = subprocess.run([node, FRONTEND / "validate.js", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("0 errors, 0 warnings") == 2


@pytest.mark.slow
def test_a_dense_tile_stays_small() -> None:
    city = open_city("city/3/2x2")
    data = make_tile(city, fullest()[1])
    assert len(data) < 3_000_000
    assert parsed(data)[0]["asset"]["extras"]["triangles"] < 200_000


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tile.glb"
    path.write_bytes(b"not glTF at all, by any means")
    with pytest.raises(InputError, match="a glTF 2"):
        read_json(path)
    path.write_bytes(fullest()[2][:-100])
    with pytest.raises(InputError, match="bytes, as it says"):
        read_json(path)
