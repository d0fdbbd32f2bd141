"""The manifest of a dataset that was made: what everything in its folder follows from, and each file with its hash."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from bearleft.data.dataset import MANIFEST
from bearleft.errors import InputError, shown
from bearleft.runtime.store import sha256, write_text

FORMAT = 1
ELSEWHERE = "Name another folder with -o, or delete this one."


def claim(folder: Path, about: dict[str, Any]) -> dict[str, Any]:
    """The folder's manifest; an error where it holds something else."""
    path = folder / MANIFEST
    if not path.exists():
        others = sorted(other.name for other in folder.iterdir() if not other.name.startswith("."))
        if others:
            got = f"one without {MANIFEST} that holds {shown(others[0])}"
            got += f" and {len(others) - 1:,} more" if others[1:] else ""
            hint = "Name another folder with -o, or move what is in this one elsewhere."
            raise InputError("a new folder, or one with this dataset", got, file=str(folder), hint=hint)
        manifest: dict[str, Any] = {"format": FORMAT, **about, "files": {}, "splits": {}}
        save(folder, manifest)
        return manifest
    manifest = read_manifest(path)
    for name, value in about.items():
        if manifest.get(name) != value:
            got = f"one whose {name} is {shown(manifest.get(name))}, not {shown(value)}"
            if name == "bearleft":
                got = f"one made by another bearleft: {manifest[name]}, not {value}"
            elif name == "words":
                got = "one made by another bearleft, whose texts were worded by other sources"
            raise InputError("a folder of this dataset", got, file=str(folder), hint=ELSEWHERE)
    return manifest


def no_fewer(folder: Path, manifest: dict[str, Any], split: str, count: int) -> None:
    """An error where a split that is there would be cut."""
    known = manifest["splits"].get(split)
    if known is None or known["examples"] <= count or not any((folder / name).exists() for name in known["files"]):
        return
    expected = f"at least the {known['examples']:,} examples that are there of {split}"
    raise InputError(expected, f"{count:,}", "size", str(folder), hint="Name another folder with -o for fewer.")


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """How a dataset was made: seed, world, style, version, plan; and of each split its size and files with hashes.

    `words`, the hash of the texts' sources, may be absent.
    """
    try:
        found = json.loads(Path(path).read_text())
        for name, kind in (
            ("dataset", str),
            ("seed", int),
            ("bearleft", str),
            ("world", str),
            ("plan", str),
            ("style", str),
            ("files", dict),
            ("splits", dict),
        ):
            if found["format"] != FORMAT or not isinstance(found[name], kind):
                raise ValueError
        for split in found["splits"].values():
            if not isinstance(split["files"], dict) or not isinstance(split["examples"], int):
                raise ValueError
        return dict(found)
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise InputError("a manifest of bearleft's", "something else", file=os.fspath(path)) from error


def save(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes the manifest."""
    write_text(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")


def whole(folder: Path, manifest: dict[str, Any], split: str, count: int) -> bool:
    """Whether a split is there, made for this size, as it was written; the world may have had fewer."""
    known = manifest["splits"].get(split)
    if known is None or known.get("asked", known["examples"]) != count:
        return False
    return all((folder / name).is_file() and sha256(folder / name) == hashed for name, hashed in known["files"].items())
