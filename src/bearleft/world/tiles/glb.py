"""Writer of binary glTF 2.0 files: a JSON part and its buffer."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError

MAGIC, VERSION, JSON, BIN = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
VERTICES, INDICES = 34962, 34963
COMPONENTS = {"int8": 5120, "uint8": 5121, "int16": 5122, "uint16": 5123, "uint32": 5125, "float32": 5126}
WIDTHS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


class Glb:
    """A glTF file under construction: add arrays and pictures, fill in `json`, take its bytes."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "images": []}
        self._bytes = bytearray()

    def view(self, data: bytes, target: int | None = None, stride: int | None = None) -> int:
        """Add a buffer view of these bytes; return its index."""
        offset = len(self._bytes)
        self._bytes += data + bytes(-len(data) % 4)
        buffer_view = {"buffer": 0, "byteOffset": offset, "byteLength": len(data)}
        extra = {"target": target, "byteStride": stride}
        self.json["bufferViews"].append(buffer_view | {key: value for key, value in extra.items() if value is not None})
        return len(self.json["bufferViews"]) - 1

    def array(self, values: npt.NDArray[Any], target: int, normalised: bool = False, bounds: bool = False) -> int:
        """Add an accessor of values (n,) or (n, width), aligned to four bytes for attributes; return its index."""
        rows = np.ascontiguousarray(values).reshape(len(values), -1)
        size = rows.shape[1] * rows.itemsize
        stride = None
        data = rows
        if target == VERTICES:
            stride = -(-size // 4) * 4
            data = np.zeros((len(rows), stride // rows.itemsize), rows.dtype)
            data[:, : rows.shape[1]] = rows
        accessor: dict[str, Any] = {
            "bufferView": self.view(data.tobytes(), target, stride),
            "componentType": COMPONENTS[rows.dtype.name],
            "count": len(rows),
            "type": WIDTHS[rows.shape[1]],
        }
        if normalised:
            accessor["normalized"] = True
        if bounds:
            accessor["min"], accessor["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def image(self, data: bytes) -> int:
        """Add a JPEG picture; return its index."""
        self.json["images"].append({"bufferView": self.view(data), "mimeType": "image/jpeg"})
        return len(self.json["images"]) - 1

    def bytes(self) -> bytes:
        """Return the file."""
        text = json.dumps(self.json | {"buffers": [{"byteLength": len(self._bytes)}]}, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        total_size = 12 + 8 + len(text) + 8 + len(self._bytes)
        header = struct.pack("<III", MAGIC, VERSION, total_size) + struct.pack("<II", len(text), JSON)
        return header + text + struct.pack("<II", len(self._bytes), BIN) + bytes(self._bytes)


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the JSON part of a .glb file, or raise InputError if it is none, or truncated."""
    with open(path, "rb") as stream:
        header = stream.read(20)
        size = os.fstat(stream.fileno()).st_size
        if len(header) < 20 or struct.unpack_from("<II", header) != (MAGIC, VERSION):
            raise InputError("a glTF 2.0 binary file", "something else", file=str(path))
        total_size, length, kind = struct.unpack_from("<III", header, 8)
        if total_size != size or kind != JSON or length > size:
            raise InputError(f"a file of {total_size:,} bytes, as it says", f"{size:,} bytes", file=str(path))
        contents: dict[str, Any] = json.loads(stream.read(length))
        return contents
