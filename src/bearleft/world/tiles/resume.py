"""What a folder of tiles holds already: tiles of this very world, and which of them are no longer as written."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bearleft.errors import InputError, shown
from bearleft.runtime.store import sha256
from bearleft.world.tiles.glb import read_json

LIST = "tiles.json"
COUNTS = ("bounds", "instances", "triangles")


@dataclass(frozen=True)
class About:
    """What every tile of a folder has in common; it stands in each. `origin` is where column and row 0 begin."""

    version: str
    world: str
    plan: str
    side: float
    origin: float
    texels: int

    def check(self, said: dict[str, Any], path: Path) -> None:
        """An error for what is another world's, or was made with other settings."""
        for name, value in asdict(self).items():
            if said.get(name) != value:
                raise InputError(
                    f"a folder of tiles with {name} {shown(value)}, or an empty one",
                    shown(said.get(name)),
                    file=str(path),
                    hint="Name another folder with -o, or remove this one.",
                )


def row_of(path: Path) -> dict[str, Any]:
    """What the list says of a tile."""
    extras = _extras(path)
    counts = {name: extras[name] for name in COUNTS}
    return {"file": path.name, **counts, "bytes": path.stat().st_size, "sha256": sha256(path)}


def kept(folder: Path, about: About, known: Collection[str]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The rows of the tiles that are there and whole, by name, and the names of those to be made again.

    Those are damaged, or have another hash than the folder's list says. `known` are the names of the world's tiles.
    """
    listed = _listed(folder / LIST, about)
    rows, changed = {}, []
    for path in sorted(folder.glob("*.glb")):
        try:
            extras = _extras(path)
        except InputError:
            if path.name not in known:
                raise
            changed.append(path.name)
            continue
        about.check(extras, path)
        row = row_of(path)
        if listed.get(path.name, row["sha256"]) == row["sha256"]:
            rows[path.name] = row
        else:
            changed.append(path.name)
    return rows, changed


def _extras(path: Path) -> dict[str, Any]:
    """What a tile says of itself; an error where it is none, or damaged."""
    hint = "Delete it, or name another folder with -o."
    try:
        extras: dict[str, Any] = read_json(path)["asset"]["extras"]
        if not extras.keys() >= set(COUNTS):
            raise InputError("bounds and counts of a tile", "none", file=str(path), hint=hint)
    except InputError as error:
        raise replace(error, hint=hint) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError("a tile that bearleft wrote", shown(str(error)), file=str(path), hint=hint) from None
    return extras


def _listed(path: Path, about: About) -> dict[str, str]:
    """The hashes of a folder's list, by name; none where there is no list."""
    if not path.exists():
        return {}
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        hashes = {str(one["file"]): str(one["sha256"]) for one in said["tiles"]}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = "Delete it and say the same again: it is written anew."
        raise InputError("a list of tiles", shown(str(error)), file=str(path), hint=hint) from None
    about.check(said, path)
    return hashes
