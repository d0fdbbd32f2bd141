"""Tests of manifests, and of those that earlier versions wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import check, read_manifest
from bearleft.data.catalog import EMBEDDED
from bearleft.data.manifest import check_not_smaller, is_complete, open_manifest, write_manifest
from bearleft.errors import InputError
from bearleft.runtime.store import sha256

SETTINGS: dict[str, Any] = {
    "dataset": "city/touchdown",
    "seed": 0,
    "bearleft": "1.0",
    "text_generator": 1,
    "text_source_hash": "abc",
    "world": "city/0",
    "plan": "def",
    "style": "plain",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a split of 3 examples, of which 5 were requested, and a manifest with the old keys."""
    (tmp_path / "dev.jsonl").write_text("line\n")
    entry = {"examples": 3, "asked": 5, "lines": 3, "tried": 9, "passed_over": {"routes without a target": 6}}
    splits = {"dev": {**entry, "files": {"dev.jsonl": sha256(tmp_path / "dev.jsonl")}}}
    settings = {"words" if name == "text_source_hash" else name: value for name, value in SETTINGS.items()}
    del settings["text_generator"]  # the first version did not name it
    manifest = {"format": 1, **settings, "files": {}, "splits": splits}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path


def test_keys_of_earlier_versions_are_renamed(folder: Path) -> None:
    manifest = read_manifest(folder / "manifest.json")
    assert list(manifest) == ["format", *SETTINGS, "files", "splits"]
    assert {name: manifest[name] for name in SETTINGS} == SETTINGS
    entry = manifest["splits"]["dev"]
    assert list(entry) == ["examples", "requested", "lines", "attempts", "skipped", "files"]
    assert (entry["requested"], entry["attempts"], entry["skipped"]) == (5, 9, {"routes without a target": 6})


def test_folder_of_an_earlier_version_is_continued(folder: Path) -> None:
    manifest = open_manifest(folder, SETTINGS)
    assert is_complete(folder, manifest, "dev", 5) and not is_complete(folder, manifest, "dev", 4)
    with pytest.raises(InputError, match="at least the 3 existing examples of dev, got 2"):
        check_not_smaller(folder, manifest, "dev", 2)
    with pytest.raises(InputError, match="another version of bearleft, whose texts differ"):
        open_manifest(folder, SETTINGS | {"text_source_hash": "other"})
    with pytest.raises(InputError, match="made by version 1 of the text generators, not 2"):
        open_manifest(folder, SETTINGS | {"text_generator": 2})
    open_manifest(folder, SETTINGS | {"facing": "north"})
    with pytest.raises(InputError, match='whose facing is "north", not "route"'):
        open_manifest(folder, SETTINGS | {"facing": "route"})
    write_manifest(folder, manifest)
    assert read_manifest(folder / "manifest.json") == manifest
    text = (folder / "manifest.json").read_text()
    assert not any(f'"{key}"' in text for key in ("words", "asked", "tried", "passed_over"))


@pytest.mark.parametrize("dataset", ["touchdown", "refer360", "arramon", "pairs"])
def test_manifests_of_the_package(dataset: str) -> None:
    manifest = read_manifest(EMBEDDED / "city" / dataset / "manifest.json")
    assert manifest["dataset"] == f"city/{dataset}" and manifest["splits"]
    for entry in manifest["splits"].values():
        assert {"examples", "lines", "attempts", "skipped", "files"} <= set(entry)


def test_hashes_of_an_old_manifest_are_checked() -> None:
    assert not check(EMBEDDED, ["city/pairs/colour"]).errors
