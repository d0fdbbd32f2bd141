"""Scalars in the file format of TensorBoard, which is short enough to be written without its package.

A file is records: a length, its check, the bytes, their check (CRC-32C, masked). A record is an Event in protocol
buffers: wall time (1, double), step (2, integer), the file's version (3, text), a summary (5), whose values (1) are a
tag (1, text) and a number (2, single precision).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from functools import cache

VERSION = b"brain.Event:2"
POLYNOMIAL = 0x82F63B78
Scalars = tuple[float, int, Mapping[str, float]]  # wall time, step, values by tag


def events(points: Iterable[Scalars]) -> bytes:
    """A whole file."""
    points = list(points)
    begin = points[0][0] if points else 0.0
    head = _record(_field(1, struct.pack("<d", begin), 1) + _bytes(3, VERSION))
    return head + b"".join(_record(_event(*point)) for point in points)


def _event(time: float, step: int, values: Mapping[str, float]) -> bytes:
    each = (_bytes(1, tag.encode()) + _field(2, struct.pack("<f", value), 5) for tag, value in values.items())
    summary = b"".join(_bytes(1, one) for one in each)
    return _field(1, struct.pack("<d", time), 1) + _field(2, _varint(step), 0) + _bytes(5, summary)


def _field(number: int, value: bytes, wire: int) -> bytes:
    """A field of fixed width, or an integer."""
    return _varint(number << 3 | wire) + value


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", _masked(length)) + data + struct.pack("<I", _masked(data))


def _masked(data: bytes) -> int:
    found = crc32c(data)
    return ((found >> 15 | found << 17) + 0xA282EAD8) & 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """The check of Castagnoli's polynomial."""
    table, value = _table(), 0xFFFFFFFF
    for byte in data:
        value = table[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    rows = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
        rows.append(value)
    return tuple(rows)
