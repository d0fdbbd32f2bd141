"""What a track needs from a dataset: its answers in the private folder, an archive for entrants, and its episodes."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bearleft.data.catalog import EMBEDDED, open_dataset, split_name
from bearleft.data.dataset import MANIFEST, Dataset
from bearleft.errors import InputError, format_value, suggest_name
from bearleft.generate import hidden
from bearleft.metrics.trace_values import available_conventions
from bearleft.records import Episode, Point, Reach, check_goals
from bearleft.runtime.store import sha256, write_text
from bearleft.types import DataFolder
from bearleft.web.leaderboard.folders import ANSWERS, ARCHIVE, EPISODES, TRACKS, make_private

GOALS = {Reach: "reach", Point: "point"}
DATE = (1980, 1, 1, 0, 0, 0)  # of files in archives, so that equal files give equal archives


@dataclass(frozen=True)
class TrackData:
    """The dataset of a track.

    Attributes:
        dataset: Its name.
        split: Its split.
        hidden: Whether its goals are hidden from entrants.
        sha256: The hash that traces of it carry: of the file that entrants have, or of a generated dataset.
        answers_folder: The folder of its answers in the private folder; empty if everybody can load the dataset.
        entrants_archive: The archive for entrants in the private folder; None if they can load the dataset themselves.
        conventions: The conventions under which it can be scored.
        goals: The kinds of its legs: "reach", "point" or "other".
        episodes: The number of its episodes.
    """

    dataset: str
    split: str
    hidden: bool
    sha256: str
    answers_folder: str
    entrants_archive: str | None
    conventions: tuple[str, ...]
    goals: frozenset[str]
    episodes: int


@dataclass(frozen=True)
class EpisodeIndex:
    """The episodes of a track without their answers, by which uploads are checked.

    Attributes:
        legs: The kinds of the legs of each episode by id, in the order of the dataset.
    """

    legs: Mapping[str, tuple[str, ...]]

    def write(self, path: Path) -> None:
        """Write the index as JSON."""
        write_text(path, json.dumps({"episodes": self.legs}) + "\n")

    @classmethod
    def read(cls, path: Path) -> EpisodeIndex:
        """Return the index of a file; raise InputError if it is missing."""
        try:
            episodes = json.loads(path.read_text(encoding="utf-8"))["episodes"]
        except (OSError, ValueError, KeyError, TypeError):
            hint = "Restore the folder of the leaderboard from a backup."
            raise InputError("the episodes of a track", "none", file=str(path), hint=hint) from None
        return cls({name: tuple(legs) for name, legs in episodes.items()})


def prepare_hidden(target: Path, name: str, made: str | os.PathLike[str], dataset: str = "") -> TrackData:
    """Copy a hidden dataset into the folder of a new track.

    Args:
        target: The folder, which is empty and gets its own name later.
        name: The name of the track.
        made: The folder that `bearleft data make --secret FILE -o FOLDER` wrote.
        dataset: DATASET/SPLIT, if the folder holds several.

    Raises:
        InputError: The folder holds no such dataset, or a file of it was changed.
    """
    source = Path(made)
    file, entry = _hidden_file(source, dataset)
    answers, entrants = source / hidden.ANSWERS / file, source / hidden.ENTRANTS / file
    for path, key in ((answers, "sha256"), (entrants, "entrants_sha256")):
        if not path.is_file() or sha256(path) != entry[key]:
            hint = "Make it again with the same command and key: bearleft data make --secret."
            raise InputError("the file as it was made", "a missing or changed one", file=str(path), hint=hint)
    episodes = list(open_dataset(answers))
    check_goals(episodes, "to score traces")
    own = make_private(target / ANSWERS)
    _copy(answers, own / file)
    # The fingerprint of the key and the settings stay with the organiser.
    kept = {key: value for key, value in entry.items() if key not in ("key", "settings")}
    _write_manifest(own / MANIFEST, file, kept)
    public = {key: value for key, value in kept.items() if key not in ("sha256", "entrants_sha256")}
    public["sha256"] = entry["entrants_sha256"]
    manifest = json.dumps({"format": hidden.FORMAT, "hidden": {file: public}}, indent=1) + "\n"
    inner = f"{hidden.ENTRANTS}/{file}"
    readme = (
        f"Episodes of {entry['dataset']} without their goals.\n\n"
        f"    bearleft eval AGENT {inner} -o traces.jsonl\n\n"
        "Replace AGENT by an agent of bearleft or by your own file, and upload traces.jsonl.\n"
    )
    members = {inner: entrants.read_bytes(), f"{hidden.ENTRANTS}/{MANIFEST}": manifest.encode()}
    _write_archive(target / ARCHIVE, {**members, "README.txt": readme.encode()})
    return _finish(target, name, str(entry["dataset"]), episodes, entry["entrants_sha256"], True, has_files=True)


def _hidden_file(source: Path, dataset: str) -> tuple[str, dict[str, Any]]:
    """Return the name of a file of a hidden dataset and its entry in the manifest."""
    files = hidden.read_files(source / hidden.ANSWERS / MANIFEST)
    if not files:
        hint = "Make one: bearleft data make DATASET SPLIT --secret FILE -o FOLDER"
        raise InputError("the folder of a hidden dataset", "another one", file=str(source), hint=hint)
    by_dataset = {str(entry["dataset"]): file for file, entry in files.items()}
    if not dataset and len(by_dataset) > 1:
        hint = f"Name one of them with --dataset: {', '.join(by_dataset)}"
        raise InputError("one dataset", f"{len(by_dataset)}", file=str(source), hint=hint)
    dataset = dataset or next(iter(by_dataset))
    if dataset not in by_dataset:
        hint = suggest_name(dataset, by_dataset)
        raise InputError("a dataset of the folder", format_value(dataset), file=str(source), hint=hint)
    file = by_dataset[dataset]
    return file, files[file]


def prepare_public(target: Path, name: str, dataset: str, data: DataFolder = None) -> TrackData:
    """Prepare a dataset whose answers are public.

    A dataset that was generated into a folder of your own is copied, and entrants can download it. Real datasets are
    not copied: entrants and the server have them already. Those of the package everybody can load.

    Args:
        target: The folder of the new track, which is empty and gets its own name later.
        name: The name of the track.
        dataset: DATASET/SPLIT.
        data: The folder of datasets.

    Raises:
        InputError: There is no such dataset, or its goals are hidden.
    """
    if dataset.endswith(".jsonl"):
        hint = "Name DATASET/SPLIT and its folder with --data DIR, or a hidden dataset with --hidden FOLDER."
        raise InputError("the name of a dataset", "a file", "dataset", hint=hint)
    if "@" in dataset:
        raise InputError("a whole dataset", format_value(dataset), "dataset")
    opened = open_dataset(dataset, data)
    episodes = list(opened)
    check_goals(episodes, "to score traces")
    copied = _is_own(opened)
    if copied:
        assert opened.path is not None
        family = split_name(dataset)[0].replace("-complete", "")
        inner = f"{family}/{opened.path.name}"
        make_private((target / ANSWERS / inner).parent)
        _copy(opened.path, target / ANSWERS / inner)
        readme = (
            f"The dataset {dataset}, with its goals.\n\n"
            f"    bearleft eval AGENT {dataset} --data . -o traces.jsonl\n\n"
            "Replace AGENT by an agent of bearleft or by your own file, and upload traces.jsonl.\n"
        )
        members = {f"{inner}": opened.path.read_bytes(), "README.txt": readme.encode()}
        _write_archive(target / ARCHIVE, members)
    return _finish(target, name, dataset, episodes, opened.sha256, False, has_files=copied)


def _is_own(dataset: Dataset) -> bool:
    """Return whether a generated dataset lies in a folder of the organiser, so that entrants need a copy."""
    is_generated = dataset.name.startswith("city/")
    return is_generated and dataset.path is not None and EMBEDDED not in dataset.path.parents


def _finish(
    target: Path,
    name: str,
    dataset: str,
    episodes: Sequence[Episode],
    sha256: str,
    is_hidden: bool,
    *,
    has_files: bool,
) -> TrackData:
    """Write the index of the episodes, and return the data of the track."""
    legs = {episode.id: tuple(GOALS.get(type(leg.goal), "other") for leg in episode.legs) for episode in episodes}
    if len(legs) < len(episodes):
        raise InputError("episodes with different ids", "some ids twice", dataset)
    EpisodeIndex(legs).write(target / EPISODES)
    relative = f"{TRACKS}/{name}"
    return TrackData(
        dataset,
        split_name(dataset)[1],
        is_hidden,
        sha256,
        f"{relative}/{ANSWERS}" if has_files else "",
        f"{relative}/{ARCHIVE}" if has_files else None,
        available_conventions(episodes),
        frozenset(kind for kinds in legs.values() for kind in kinds),
        len(episodes),
    )


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    target.chmod(0o600)


def _write_manifest(path: Path, file: str, entry: Mapping[str, Any]) -> None:
    write_text(path, json.dumps({"format": hidden.FORMAT, "hidden": {file: entry}}, indent=1) + "\n")
    path.chmod(0o600)


def _write_archive(path: Path, members: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED)
    path.chmod(0o600)


def default_measures(goals: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics that a table shows unless its track names others; the first one sorts it."""
    kinds = set(goals)
    walks = ("nDTW", "SDTW", "TC", "SPD") if "reach" in kinds else ()
    points = ("A@80px", "A@40px", "Dist") if "point" in kinds else ()
    tasks = ("rPOD", "PTC", "CTC-3") if "other" in kinds else ()
    return (*walks, *points, *tasks)
