"""Options that all picture commands share (file, size, place), and their result."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import remove_abandoned
from bearleft.world.graphs.graph import Graph


@dataclass(frozen=True)
class Written:
    """The result of a command that writes files: a row for each file, and remarks for the user."""

    rows: list[dict[str, Any]]
    remarks: list[str]


def parse_position(text: str, counts: Sequence[int] = (2,)) -> list[float]:
    """Parse "EAST,NORTH" in metres, or "EAST,NORTH,UP" where three numbers are allowed."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in counts or not np.isfinite(numbers).all():
        expected = "metres EAST,NORTH or EAST,NORTH,UP" if 3 in counts else "metres EAST,NORTH"
        raise InputError(expected, format_value(text), "at", hint="For example: --at 120,-40")
    return numbers


def parse_size(size: str | None, panorama: bool = True) -> tuple[int, int] | None:
    """Parse "WIDTHxHEIGHT" or "WIDTH"; a panorama's height is half its width, other pictures are square."""
    if size is None:
        return None
    parts = size.lower().split("x")
    if not (1 <= len(parts) <= 2 and all(is_number(part) for part in parts)):
        raise InputError("a size like 1024x512", format_value(size), "size")
    width = int(parts[0])
    return width, int(parts[1]) if len(parts) == 2 else (width // 2 if panorama else width)


def is_number(text: str) -> bool:
    """Return whether a text is a whole number of reasonable length."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def place_number(graph: Graph, place: str | None) -> int:
    """Return the number of a place given by id or number; None gives the place nearest to the world's centre."""
    if place is None:
        offsets = graph.positions[:, :2] - graph.positions[:, :2].mean(axis=0)
        return int(np.argmin((offsets**2).sum(axis=1)))
    if place not in graph.index_by_id and is_number(place) and int(place) < len(graph):
        return int(place)
    if place not in graph.index_by_id:
        hint = f"A place is an id like {graph.ids[0]}, or a number from 0 to {len(graph) - 1}."
        raise InputError(f"a place of the world {graph.name}", format_value(place), hint=hint)
    return graph.place_index(place)


def check_output(output: str | os.PathLike[str], endings: Sequence[str] = (".png",)) -> Path:
    """Return the path of an output file, or raise InputError if it cannot be written."""
    path = Path(output)
    if path.suffix.lower() not in endings:
        hint = "" if path.suffix or path.is_dir() else f"Type: -o {path}{endings[0]}"
        raise InputError(f"a file whose name ends in {' or '.join(endings)}", format_value(str(path)), hint=hint)
    parent = next((folder for folder in path.absolute().parents if folder.exists()), Path("/"))
    if path.is_dir() or not parent.is_dir() or not os.access(parent, os.W_OK):
        raise InputError(
            "a file that can be written", "a folder" if path.is_dir() else f"{parent}, where none can", file=str(path)
        )
    remove_abandoned(path)
    return path
