"""Shards: parts of long work with fixed names, which any number of processes on any number of machines finish.

A shard's name and bytes depend on the work alone, not on who does it. Each is written atomically, so that a finished
shard is found by whoever comes next, and an unfinished one leaves nothing under its name. What the work is stands in a
manifest beside the shards.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import file_lock, remove_abandoned_in, write_text
from bearleft.types import Progress

FORMAT = 1
MAX_SHARES = 1_000_000
SCORES = "Scores"  # title of rows that are printed as scores
STATE_FOLDER = ".shards"  # in a folder that shards are written for; of a file, FILE.shards
JOB_LOCK, CLAIM_LOCK = ".job", ".claim"  # of the manifest, and of the first files of an output


@dataclass(frozen=True)
class Share:
    """One of several equal shares of all shards: "3/64" is the third of 64.

    Attributes:
        number: The number of the share, counted from 1.
        count: The number of shares.
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """Return the share that a text such as "3/64" names.

        Raises:
            InputError: It names none.
        """
        match = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
        number, count = (int(part) for part in match.groups()) if match else (0, 0)
        if not 1 <= number <= count <= MAX_SHARES:
            hint = "Type, for example: --shard 3/64"
            raise InputError("a share K/N with K from 1 to N", format_value(text), "shard", hint=hint)
        return cls(number, count)

    def select(self, shards: Sequence[str]) -> list[str]:
        """Return the shards of this share; they end with their number, such as "places-00012"."""
        return [shard for shard in shards if shard_number(shard) % self.count == self.number - 1]


def shard_number(shard: str) -> int:
    """Return the number at the end of a shard's name."""
    return int(shard.rpartition("-")[2])


@dataclass
class JobResult:
    """The result of a job whose shards were joined.

    Attributes:
        title: The title of the rows.
        rows: The rows, as the command prints them without shards.
        notes: Sentences for people.
    """

    title: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class ShardedJob(ABC):
    """Work that consists of shards, and is joined when all are finished.

    Attributes:
        label: The label of the work's progress.
        threads: Whether one shard uses all cores of its process, so that several processes do not help.
    """

    label: ClassVar[str] = "shards"
    threads: ClassVar[bool] = False

    @abstractmethod
    def pending(self) -> list[str]:
        """Return the names of shards that are known to be needed and are not finished, in order.

        Where the number of shards depends on the content of others, further ones may follow when these are finished.
        """

    @abstractmethod
    def run(self, shard: str) -> None:
        """Compute a shard and write it atomically, unless it is finished."""

    def missing(self) -> list[str]:
        """Return the names of unfinished shards without which the rest cannot be joined."""
        return self.pending()

    @abstractmethod
    def folders(self) -> list[Path]:
        """Return the folders of the shards' files, in which killed processes may leave temporary ones."""

    @abstractmethod
    def join(self, progress: Progress | None = None) -> JobResult:
        """Verify and join the shards; the result is the same as that of one process without shards."""


@dataclass(frozen=True)
class JobSpec:
    """What was asked for: enough to open the job in another process or on another machine.

    Attributes:
        kind: The command, such as "data make".
        output: The folder or file that the command writes.
        options: The options of the command.
    """

    kind: str
    output: str
    options: Mapping[str, Json]

    @property
    def writes_file(self) -> bool:
        """Return whether the output is a file, not a folder."""
        return self.kind in ("eval", "score")

    @property
    def state_folder(self) -> Path:
        """Return the folder of the manifest."""
        return Path(f"{self.output}.shards") if self.writes_file else Path(self.output) / STATE_FOLDER

    @property
    def manifest(self) -> Path:
        """Return the file of the manifest; a data folder can hold jobs of several datasets."""
        dataset = self.options.get("dataset") if self.kind == "data make" else None
        name = " ".join(filter(None, (self.kind, dataset)))
        return self.state_folder / f"{re.sub(r'[^a-z0-9]+', '-', name)}.json"

    def begin(self) -> None:
        """Write the manifest, or check that the work begun there is the same.

        Raises:
            InputError: Other work was begun there.
        """
        options = json.loads(json.dumps(self.options))
        with file_lock(self.state_folder / JOB_LOCK):
            if not self.manifest.exists():
                content = {"format": FORMAT, "kind": self.kind, "options": options, "folder": os.getcwd()}
                write_text(self.manifest, json.dumps(content, indent=1) + "\n")
                return
            begun = read_manifest(self.manifest).options
        for name in options | dict(begun):
            if options.get(name) != begun.get(name):
                got = f"one whose {name} is {format_value(begun.get(name))}, not {format_value(options.get(name))}"
                hint = "Type the same options, or name another output."
                raise InputError("the work that was begun there", got, file=self.output, hint=hint)

    def end(self) -> None:
        """Remove the manifest of work that is joined."""
        remove_abandoned_in(self.state_folder)
        self.manifest.unlink(missing_ok=True)
        for name in (JOB_LOCK, CLAIM_LOCK):
            (self.state_folder / f"{name}.lock").unlink(missing_ok=True)
        if self.state_folder.is_dir() and not any(self.state_folder.iterdir()):
            self.state_folder.rmdir()


def read_manifest(path: Path) -> JobSpec:
    """Return what a manifest says; the output is that beside which it lies.

    Raises:
        InputError: The file is not a manifest.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT or not isinstance(content["options"], dict):
            raise ValueError
        folder = path.parent
        output = folder.parent if folder.name == STATE_FOLDER else folder.with_suffix("")
        return JobSpec(str(content["kind"]), str(output), content["options"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise InputError("a manifest of shards", "something else", file=str(path)) from None


def begun_in(path: Path) -> str:
    """Return the folder in which the work of a manifest was begun: relative names of files are read from there."""
    return str(json.loads(path.read_text(encoding="utf-8"))["folder"])


def find_manifests(output: str | os.PathLike[str]) -> list[Path]:
    """Return the manifests of the work that was begun for an output, or in its folder of shards.

    Raises:
        InputError: There are none.
    """
    path = Path(output)
    folders = (path if path.suffix == STATE_FOLDER or path.name == STATE_FOLDER else path / STATE_FOLDER,)
    for folder in (*folders, Path(f"{path}{STATE_FOLDER}")):
        if found := sorted(path for path in folder.glob("*.json") if not path.name.startswith(".")):
            return found
    hint = "Name the output (-o) of a command with --shard or --ray that is not gathered yet."
    raise InputError("an output with shards", "none there", file=str(path), hint=hint)
