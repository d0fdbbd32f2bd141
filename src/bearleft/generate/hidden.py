"""Hidden datasets: episodes whose goals only the organiser of a comparison has, drawn from a secret key.

`make_hidden_dataset` writes two folders. `entrants/` holds what everybody gets: texts, starts and the world. `answers/`
holds the same episodes with their goals. The generator is public, so everything random comes from a key of 256 bits:

- The seed of routes, targets and texts has 128 secret bits (`SECRET_SEEDS`). Ordinary seeds have 31: whoever tried all
  of them would find the routes and texts of a dataset, and with them its goals.
- Ids are HMACs of the key, and episodes are in the order of their ids. Neither tells anything about a route's number.
- Two files of one key share nothing, not even between two sizes or styles of a split: the answers of one can be
  published without telling anything about another.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bearleft.data.catalog import read, split_name, write
from bearleft.data.dataset import MANIFEST
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.records import Direction, Episode, Leg, Point, Reach
from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import check_writable_folder, file_lock, sha256, write_error, write_text
from bearleft.types import DataFolder, Progress
from bearleft.version import TEXT_GENERATOR, VERSION

HIDDEN_DATASETS = ("city/touchdown", "city/touchdown-complete", "city/sdr", "city/refer360")
# Datasets that cannot be hidden, and why.
WITHOUT_HIDDEN = {
    "city/arramon": "its rules need the goals: which item is to be collected, and where its demonstrations begin",
    "city/pairs": "its texts come in pairs that differ in one word, so that one text tells about the other's answer",
}
ENTRANTS, ANSWERS, MAKING = "entrants", "answers", ".making"
SOURCE = "source"  # field of `extra` in answers: the id in the generated dataset
FORMAT = 1
KEY_BYTES = 32
ID_DIGITS = 16


@dataclass
class HiddenDataset:
    """Result of `make_hidden_dataset`.

    Attributes:
        folder: The folder that holds `entrants` and `answers`.
        rows: One row per split: dataset, episodes, and the two files.
        notes: Warnings and what to do next, as sentences.
    """

    folder: Path
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def make_hidden_dataset(
    dataset: str,
    splits: Sequence[str] = (),
    size: int | None = None,
    *,
    secret: str | os.PathLike[str],
    out: str | os.PathLike[str],
    world: str | None = None,
    city: int | None = None,
    data: DataFolder = None,
    rooms: str | None = None,
    style: str = "plain",
    facing: str = "north",
    processes: int | None = None,
    device: str = "cpu",
    progress: Progress | None = None,
) -> HiddenDataset:
    """Generate splits of a dataset whose goals are hidden, and their answers.

    An interrupted run is continued by the same call:

        bearleft.make_hidden_dataset("city/touchdown", ["test"], 500, secret="key", out="hidden")
        bearleft.evaluate("random", "hidden/entrants/city-touchdown-test.jsonl", "random.jsonl")
        bearleft.score("random.jsonl", dataset="hidden/answers/city-touchdown-test.jsonl")

    Args:
        dataset: "city/touchdown", "city/touchdown-complete", "city/sdr" or "city/refer360"; also with a split, as in
            "city/sdr/test".
        splits: The splits, at least one.
        size: Examples per split; the paper's number by default.
        secret: The file of the key. If it does not exist, a key is drawn and written there; only its owner can read it.
        out: The folder in which `entrants` and `answers` are written. Only its owner can open `answers`.
        world: As in `make_dataset`, and so are the other arguments.
        city: The seed of the city on streets without buildings.
        data: The folder of real datasets.
        rooms: The world of city/refer360's indoor scenes.
        style: "plain" or "loose".
        facing: Where walkers look at the start: "north" or "route".
        processes: The number of processes; all cores by default.
        device: "cpu" or "cuda", for the visibility table.
        progress: Called with a label, the work done and the total.

    Returns:
        The folder, a row per split, and notes.

    Raises:
        InputError: An argument is invalid, others can read the key or it is in the folder of the entrants, or the
            folder holds a file of another key or other settings.
    """
    if split_name(dataset)[1]:
        dataset, split = split_name(dataset)
        splits = (split, *splits)
    _check_dataset(dataset, splits)
    folder = check_writable_folder(out)
    key = open_key(secret, folder)
    options = {"size": size, "world": world, "city": city, "rooms": rooms, "style": style, "facing": facing}
    given = {name: value for name, value in options.items() if value is not None}
    _make_private(folder / ANSWERS)
    result = HiddenDataset(folder)
    with file_lock(folder / ANSWERS / MAKING):
        for split in dict.fromkeys(splits):
            hidden = _HiddenSplit(folder, key, dataset, split, given)
            if not hidden.is_complete():
                notes = hidden.make(data, processes, device, progress)
                result.notes += [note for note in notes if note.startswith("Warning")]
            result.rows.append(hidden.row())
    result.notes.append(
        f"Give {folder / ENTRANTS} to entrants. Keep {os.fspath(secret)} and {folder / ANSWERS} to yourself."
    )
    return result


def hide_goals(episode: Episode, name: str) -> Episode:
    """Return an episode as entrants get it.

    Two episodes with the same dataset, world, start and texts, and the same yaw of the panorama to point in, become
    equal, whatever their goals, ids and further fields are.

    Args:
        episode: An episode of walks and points.
        name: Its new id.

    Raises:
        InputError: A goal is of another kind, or begins where no start is known.
    """
    legs = []
    for k, leg in enumerate(episode.legs):
        goal: Reach | Point
        start = episode.start.place
        if isinstance(leg.goal, Reach) and k == 0 and start is not None:
            goal = Reach((start,), hidden=True)
        elif isinstance(leg.goal, Point) and k == 0 and leg.goal.place == start is not None:
            goal = Point(Direction(0), start, leg.goal.yaw, hidden=True)
        elif isinstance(leg.goal, Point) and k > 0:
            goal = Point(Direction(0), hidden=True)  # its place is where the route ends
        else:
            got = f"leg {k + 1} of episode {format_value(episode.id)}, a {type(leg.goal).__name__}"
            raise InputError("a walk or a point at the start, or a point after it", got, f"legs[{k}]")
        legs.append(Leg(leg.text, goal, leg.sentences))
    return Episode(name, episode.dataset, episode.world, episode.start, tuple(legs))


def open_key(path: str | os.PathLike[str], folder: Path) -> bytes:
    """Return the key of a file; if the file does not exist, draw a key and write it.

    Args:
        path: The file: 64 hexadecimal digits.
        folder: The folder of the datasets, whose `entrants` must not hold the key.

    Raises:
        InputError: The file holds something else, others can read it, or it would be published.
    """
    file = Path(path)
    if (folder / ENTRANTS).resolve() in file.resolve().parents:
        raise InputError("a key outside the folder that entrants get", str(file), "secret")
    with contextlib.suppress(FileExistsError):
        _create_key(file)
    return _read_key(file)


def _create_key(file: Path) -> None:
    """Write a new key to a new file; raise FileExistsError if there is one."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise
    except OSError as error:
        raise write_error(error, file) from error
    with open(descriptor, "w", encoding="ascii") as stream:
        stream.write(f"{secrets.token_hex(KEY_BYTES)}\n")
        stream.flush()
        os.fsync(stream.fileno())


def _read_key(file: Path) -> bytes:
    hint = "Name a file that does not exist, and a key is written there."
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode):
            raise InputError("a file with a key", "a folder or a device", file=str(file), hint=hint)
        if mode & 0o077:
            expected, got = "a key that only its owner can read", f"a file of mode {stat.S_IMODE(mode):04o}"
            raise InputError(expected, got, file=str(file), hint=f"Type: chmod 600 {file}")
        text = file.read_text(encoding="ascii").strip()
        key = bytes.fromhex(text)
    except OSError as error:
        raise InputError("a key that can be read", format_value(error.strerror or ""), file=str(file)) from None
    except ValueError:
        raise InputError("a key of 64 hexadecimal digits", "something else", file=str(file), hint=hint) from None
    if len(key) != KEY_BYTES or len(text) != 2 * KEY_BYTES:
        raise InputError("a key of 64 hexadecimal digits", f"{len(text)} characters", file=str(file), hint=hint)
    return key


def entrants_sha256(answers: str | os.PathLike[str]) -> str | None:
    """Return the hash of the entrants' file that a file of answers belongs to; None if it is no file of answers."""
    path = Path(answers)
    entry = read_files(path.parent / MANIFEST).get(path.name, {})
    value = entry.get("entrants_sha256")
    return value if isinstance(value, str) else None


@dataclass(frozen=True)
class _HiddenSplit:
    """A split to hide: the folder, the key, and the settings that its routes, targets and texts depend on."""

    folder: Path
    key: bytes
    dataset: str
    split: str
    options: dict[str, Any]

    @property
    def file_name(self) -> str:
        return f"{self.dataset.replace('/', '-')}-{self.split}.jsonl"

    @property
    def answers(self) -> Path:
        return self.folder / ANSWERS / self.file_name

    @property
    def entrants(self) -> Path:
        return self.folder / ENTRANTS / self.file_name

    @property
    def settings(self) -> dict[str, Json]:
        return {"dataset": f"{self.dataset}/{self.split}", **self.options}

    def derive(self, purpose: str) -> bytes:
        """Return 32 bytes that depend on the key, the settings and a purpose."""
        label = json.dumps([purpose, self.settings], sort_keys=True)
        return hmac.digest(self.key, label.encode(), "sha256")

    def is_complete(self) -> bool:
        """Return whether both files exist and are unchanged.

        Raises:
            InputError: The files are of another key, or of other settings.
        """
        entry = read_files(self.answers.parent / MANIFEST).get(self.file_name)
        if entry is None:
            return False
        hint = "Name another folder with -o."
        if entry["key"] != self._fingerprint():
            expected = f"the key and the settings of {self.file_name}"
            got = f"another key, or not {json.dumps(entry['settings'])}"
            raise InputError(expected, got, file=str(self.answers), hint=hint)
        if (entry["bearleft"], entry["text_generator"]) != (VERSION, TEXT_GENERATOR):
            got = f"a file made by {entry['bearleft']}"
            raise InputError(f"a file of bearleft {VERSION}", got, file=str(self.answers), hint=hint)
        hashes = (self.answers, "sha256"), (self.entrants, "entrants_sha256")
        return all(path.is_file() and sha256(path) == entry[name] for path, name in hashes)

    def _fingerprint(self) -> str:
        return self.derive("fingerprint").hex()

    def make(self, data: DataFolder, processes: int | None, device: str, progress: Progress | None) -> list[str]:
        """Generate the split, write both files and enter them into the manifests; return the notes."""
        # Imported late: cities are compiled code.
        from bearleft.generate.datasets import make_dataset
        from bearleft.world.city.randomness import SECRET_SEEDS

        seed = SECRET_SEEDS.start + int.from_bytes(self.derive("seed")[:16], "big")
        making = self.answers.parent / MAKING / self.file_name
        made = make_dataset(
            self.dataset.removesuffix("-complete"),
            [self.split],
            seed=seed,
            out=making,
            data=data,
            processes=processes,
            device=device,
            progress=progress,
            **self.options,
        )
        episodes = self._rename(read(self.dataset, made.rows[0]["file"], data))
        write("jsonl", episodes, self.answers)
        self.answers.chmod(0o600)
        write("jsonl", (hide_goals(episode, episode.id) for episode in episodes), self.entrants)
        self._enter(episodes)
        shutil.rmtree(making)
        with contextlib.suppress(OSError):  # another split is unfinished
            making.parent.rmdir()
        return made.notes

    def _rename(self, episodes: Iterable[Episode]) -> list[Episode]:
        """Return the episodes with new ids, in their order."""
        renamed = []
        for episode in episodes:
            name = self.derive(f"id {episode.id}").hex()[:ID_DIGITS]
            renamed.append(replace(episode, id=name, extra={**episode.extra, SOURCE: episode.id}))
        return sorted(renamed, key=lambda episode: episode.id)

    def _enter(self, episodes: Sequence[Episode]) -> None:
        public: dict[str, Json] = {
            "dataset": f"{self.dataset}/{self.split}",
            "worlds": sorted({episode.world for episode in episodes}),
            **{name: self.options[name] for name in ("city", "style", "facing") if name in self.options},
            "episodes": len(episodes),
            "bearleft": VERSION,
            "text_generator": TEXT_GENERATOR,
        }
        hashes = {"sha256": sha256(self.answers), "entrants_sha256": sha256(self.entrants)}
        private = {**public, **hashes, "settings": self.settings, "key": self._fingerprint()}
        _enter_file(self.entrants, {**public, "sha256": hashes["entrants_sha256"]})
        _enter_file(self.answers, private)  # last: it says that both files are complete
        (self.answers.parent / MANIFEST).chmod(0o600)

    def row(self) -> dict[str, Any]:
        """Return the row of `HiddenDataset`."""
        entry = read_files(self.entrants.parent / MANIFEST)[self.file_name]
        return {
            "dataset": f"{self.dataset}/{self.split}",
            "episodes": entry["episodes"],
            ENTRANTS: str(self.entrants),
            ANSWERS: str(self.answers),
        }


def _check_dataset(dataset: str, splits: Sequence[str]) -> None:
    """Raise InputError for a dataset without hidden goals, and if no split is named."""
    if dataset in WITHOUT_HIDDEN:
        got = f"{dataset}: {WITHOUT_HIDDEN[dataset]}"
        raise InputError(f"a dataset with hidden goals: {', '.join(HIDDEN_DATASETS)}", got, "dataset")
    if dataset not in HIDDEN_DATASETS:
        raise unknown_name("dataset with hidden goals", dataset, HIDDEN_DATASETS)
    if not splits:
        raise InputError("at least one split to hide", "none", "splits", hint="Type, for example: test")


def _make_private(folder: Path) -> None:
    """Create a folder that only its owner can open."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise write_error(error, folder, "a folder") from error


def read_files(manifest: Path) -> dict[str, Any]:
    """Return the entries of a manifest of hidden datasets by file name; none if it is another file or missing."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        return dict(content["hidden"]) if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def _enter_file(path: Path, entry: dict[str, Json]) -> None:
    manifest = path.parent / MANIFEST
    files = read_files(manifest) | {path.name: entry}
    write_text(manifest, json.dumps({"format": FORMAT, "hidden": dict(sorted(files.items()))}, indent=1) + "\n")
