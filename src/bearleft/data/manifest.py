"""Manifest of a generated dataset: its settings, and the hash of each file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from bearleft.data.dataset import MANIFEST
from bearleft.errors import InputError, format_value
from bearleft.runtime.store import sha256, write_text

FORMAT = 1
# Names of keys in manifests of earlier versions, and today's: of the dataset, and of each split.
LEGACY_KEYS = {"words": "text_source_hash"}
DEFAULTS = {"facing": "north", "visibility_device": "cpu"}  # of manifests of earlier versions
LEGACY_SPLIT_KEYS = {"asked": "requested", "tried": "attempts", "passed_over": "skipped"}
OTHER_FOLDER_HINT = "Name another folder with -o, or delete this one."


def open_manifest(folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest of a folder, creating it in an empty folder.

    Raises:
        InputError: The folder holds other files, or a dataset with other settings.
    """
    path = folder / MANIFEST
    if not path.exists():
        others = sorted(other.name for other in folder.iterdir() if not other.name.startswith("."))
        if others:
            got = f"a folder without {MANIFEST} that holds {format_value(others[0])}"
            got += f" and {len(others) - 1:,} more" if others[1:] else ""
            hint = "Name another folder with -o, or move the files of this one."
            raise InputError("an empty folder, or one with this dataset", got, file=str(folder), hint=hint)
        manifest: dict[str, Any] = {"format": FORMAT, **settings, "files": {}, "splits": {}}
        write_manifest(folder, manifest)
        return manifest
    manifest = read_manifest(path)
    for name, value in settings.items():
        found = manifest.get(name, DEFAULTS.get(name))
        if found != value:
            got = f"a folder whose {name} is {format_value(found)}, not {format_value(value)}"
            if name == "bearleft":
                got = f"a folder made by another version of bearleft: {manifest[name]}, not {value}"
            elif name == "text_generator":
                got = f"a folder made by version {manifest[name]} of the text generators, not {value}"
            elif name == "text_source_hash":
                got = "a folder made by another version of bearleft, whose texts differ"
            raise InputError("a folder of this dataset", got, file=str(folder), hint=OTHER_FOLDER_HINT)
    return manifest


def check_not_smaller(folder: Path, manifest: dict[str, Any], split: str, count: int) -> None:
    """Raise InputError where an existing split would be cut to fewer examples."""
    entry = manifest["splits"].get(split)
    if entry is None or entry["examples"] <= count or not any((folder / name).exists() for name in entry["files"]):
        return
    expected = f"at least the {entry['examples']:,} existing examples of {split}"
    raise InputError(expected, f"{count:,}", "size", str(folder), hint="Name another folder with -o for fewer.")


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the settings of a dataset, and the size and file hashes of each split.

    `text_source_hash`, the hash of the sources of the texts, may be absent. Keys of earlier versions are renamed, and
    `text_generator` is 1 where it is absent.

    Raises:
        InputError: The file is not a manifest.
    """
    try:
        manifest = json.loads(Path(path).read_text(encoding="utf-8"))
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
            if manifest["format"] != FORMAT or not isinstance(manifest[name], kind):
                raise ValueError
        for split in manifest["splits"].values():
            if not isinstance(split["files"], dict) or not isinstance(split["examples"], int):
                raise ValueError
        return _upgrade(manifest)
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        raise InputError("a manifest of a generated dataset", "something else", file=os.fspath(path)) from error


def _upgrade(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with today's key names."""
    upgraded: dict[str, Any] = {}
    for key, value in manifest.items():
        upgraded[LEGACY_KEYS.get(key, key)] = value
        if key == "bearleft":
            upgraded["text_generator"] = manifest.get("text_generator", 1)
    upgraded["splits"] = {
        split: {LEGACY_SPLIT_KEYS.get(key, key): value for key, value in entry.items()}
        for split, entry in manifest["splits"].items()
    }
    return upgraded


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest."""
    write_text(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")


def is_complete(folder: Path, manifest: dict[str, Any], split: str, count: int) -> bool:
    """Return whether a split was made for this size and its files are unchanged.

    The split may hold fewer examples where the world has no more.
    """
    entry = manifest["splits"].get(split)
    if entry is None or entry.get("requested", entry["examples"]) != count:
        return False
    return all(
        (folder / name).is_file() and sha256(folder / name) == file_hash for name, file_hash in entry["files"].items()
    )
