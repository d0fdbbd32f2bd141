"""State of a folder of tiles: which tiles are complete, and which have changed since they were written."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import sha256
from bearleft.world.tiles.glb import read_json

LIST_FILE = "tiles.json"
COUNT_FIELDS = ("bounds", "instances", "triangles")


@dataclass(frozen=True)
class TilesInfo:
    """Settings that all tiles of a folder share; stored in each. `origin` is where column and row 0 begin."""

    version: str
    world: str
    plan: str
    side: float
    origin: float
    texels: int

    def check(self, stored: dict[str, Any], path: Path) -> None:
        """Raise InputError for tiles of another world, or made with other settings."""
        for name, value in asdict(self).items():
            if stored.get(name) != value:
                raise InputError(
                    f"a folder of tiles with {name} {format_value(value)}, or an empty one",
                    format_value(stored.get(name)),
                    file=str(path),
                    hint="Name another folder with -o, or remove this one.",
                )


def tile_row(path: Path) -> dict[str, Any]:
    """Return a tile's row of the list."""
    extras = _read_extras(path)
    counts = {name: extras[name] for name in COUNT_FIELDS}
    return {"file": path.name, **counts, "bytes": path.stat().st_size, "sha256": sha256(path)}


def complete_tiles(
    folder: Path, about: TilesInfo, known: Collection[str]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the rows of complete tiles, by name, and the names of those to be made again.

    The latter are damaged, or have another hash than the folder's list says. `known` are the names of the world's
    tiles.
    """
    listed = _read_list(folder / LIST_FILE, about)
    rows, changed = {}, []
    for path in sorted(folder.glob("*.glb")):
        try:
            extras = _read_extras(path)
        except InputError:
            if path.name not in known:
                raise
            changed.append(path.name)
            continue
        about.check(extras, path)
        row = tile_row(path)
        if listed.get(path.name, row["sha256"]) == row["sha256"]:
            rows[path.name] = row
        else:
            changed.append(path.name)
    return rows, changed


def _read_extras(path: Path) -> dict[str, Any]:
    """Read a tile's own description, or raise InputError if it is no tile, or damaged."""
    hint = "Delete it, or name another folder with -o."
    try:
        extras: dict[str, Any] = read_json(path)["asset"]["extras"]
        if not extras.keys() >= set(COUNT_FIELDS):
            raise InputError("bounds and counts of a tile", "none", file=str(path), hint=hint)
    except InputError as error:
        raise replace(error, hint=hint) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError("a tile that bearleft wrote", format_value(str(error)), file=str(path), hint=hint) from None
    return extras


def _read_list(path: Path, about: TilesInfo) -> dict[str, str]:
    """Return the hashes of a folder's list, by name; none where there is no list."""
    if not path.exists():
        return {}
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
        hashes = {str(tile["file"]): str(tile["sha256"]) for tile in contents["tiles"]}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = "Delete it and say the same again: it is written anew."
        raise InputError("a list of tiles", format_value(str(error)), file=str(path), hint=hint) from None
    about.check(contents, path)
    return hashes
