"""glTF 2.0 in one binary file: a JSON part and the bytes it speaks of."""

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
    """A glTF file in the making: add arrays and pictures, fill in `json`, take its bytes."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "images": []}
        self._bytes = bytearray()

    def view(self, data: bytes, target: int | None = None, stride: int | None = None) -> int:
        """The number of a new view of these bytes."""
        begin = len(self._bytes)
        self._bytes += data + bytes(-len(data) % 4)
        made = {"buffer": 0, "byteOffset": begin, "byteLength": len(data)}
        extra = {"target": target, "byteStride": stride}
        self.json["bufferViews"].append(made | {key: value for key, value in extra.items() if value is not None})
        return len(self.json["bufferViews"]) - 1

    def array(self, values: npt.NDArray[Any], target: int, normalised: bool = False, bounds: bool = False) -> int:
        """The number of a new accessor of values (n,) or (n, width); rows of attributes begin at multiples of four."""
        rows = np.ascontiguousarray(values).reshape(len(values), -1)
        size = rows.shape[1] * rows.itemsize
        stride = None
        data = rows
        if target == VERTICES:
            stride = -(-size // 4) * 4
            data = np.zeros((len(rows), stride // rows.itemsize), rows.dtype)
            data[:, : rows.shape[1]] = rows
        made: dict[str, Any] = {
            "bufferView": self.view(data.tobytes(), target, stride),
            "componentType": COMPONENTS[rows.dtype.name],
            "count": len(rows),
            "type": WIDTHS[rows.shape[1]],
        }
        if normalised:
            made["normalized"] = True
        if bounds:
            made["min"], made["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self.json["accessors"].append(made)
        return len(self.json["accessors"]) - 1

    def image(self, data: bytes) -> int:
        """The number of a new JPEG picture."""
        self.json["images"].append({"bufferView": self.view(data), "mimeType": "image/jpeg"})
        return len(self.json["images"]) - 1

    def bytes(self) -> bytes:
        """The file."""
        text = json.dumps(self.json | {"buffers": [{"byteLength": len(self._bytes)}]}, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        whole = 12 + 8 + len(text) + 8 + len(self._bytes)
        head = struct.pack("<III", MAGIC, VERSION, whole) + struct.pack("<II", len(text), JSON)
        return head + text + struct.pack("<II", len(self._bytes), BIN) + bytes(self._bytes)


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON part of a .glb file; an error where it is none, or cut off."""
    with open(path, "rb") as stream:
        head = stream.read(20)
        size = os.fstat(stream.fileno()).st_size
        if len(head) < 20 or struct.unpack_from("<II", head) != (MAGIC, VERSION):
            raise InputError("a glTF 2.0 binary file", "something else", file=str(path))
        whole, length, kind = struct.unpack_from("<III", head, 8)
        if whole != size or kind != JSON or length > size:
            raise InputError(f"a file of {whole:,} bytes, as it says", f"{size:,} bytes", file=str(path))
        made: dict[str, Any] = json.loads(stream.read(length))
        return made
