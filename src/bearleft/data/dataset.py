"""A dataset file read as a stream of episodes, with its omissions, notes and errors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from bearleft.data.json_stream import Reader
from bearleft.errors import InputError, format_value
from bearleft.records import Episode, Point, Pose, to_json_line
from bearleft.runtime.json_fields import Fields, Json, nonempty_text, parse_list
from bearleft.runtime.store import existing_file, sha256

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph


MANIFEST = "manifest.json"  # provenance of a generated folder; not a split
PICTURES = "pictures"  # folder of a generated dataset's albums, and field of its records that names their files
Loader: TypeAlias = "Callable[[Dataset], Iterator[Episode]]"


@dataclass(frozen=True)
class DatasetNote:
    """A note on one episode: why it was skipped, or what is unusual about it."""

    episode: str
    reason: str


@dataclass(frozen=True)
class SplitFiles:
    """Split files of one format: a subfolder of the data folder, a file name pattern and a loader."""

    folder: str
    prefix: str
    suffix: str
    read: Loader

    def splits(self, data: Path) -> dict[str, Path]:
        """Return the existing files, keyed by split."""
        paths = sorted((data / self.folder).glob(f"{self.prefix}*{self.suffix}"))
        files = (p for p in paths if p.is_file() and not p.name.startswith(".") and p.name != MANIFEST)
        return {p.name[len(self.prefix) : -len(self.suffix)]: p for p in files}


@dataclass(frozen=True)
class DatasetFamily:
    """One entry of the catalogue: its description, its files and its writers.

    Where several `files` hold the same split, the first one wins.
    """

    description: str
    files: tuple[SplitFiles, ...]
    to_rows: Callable[[Iterable[Episode]], Iterator[Json]]
    write_rows: Callable[[IO[str], Iterable[Json]], None]

    def splits(self, data: Path) -> dict[str, tuple[SplitFiles, Path]]:
        """Return the existing files with their `SplitFiles`, keyed by split."""
        splits: dict[str, tuple[SplitFiles, Path]] = {}
        for files in reversed(self.files):
            splits |= {split: (files, path) for split, path in files.splits(data).items()}
        return dict(sorted(splits.items()))


class Dataset:
    """The episodes of one file; each iteration reads the file again.

    `skipped` and `notes` hold `DatasetNote`s and `facts` sentences about the whole file; all three are complete after
    an iteration has ended. An error in the file is raised; with `strict=False` it is appended to `errors` and reading
    continues with the next line or item where possible.
    """

    def __init__(
        self, name: str, read: Loader, path: Path | None = None, data: Path | None = None, strict: bool = True
    ) -> None:
        """Create a dataset that `read` iterates over.

        Args:
            name: The name, such as "touchdown/dev".
            read: The loader, called with this dataset at each iteration.
            path: The file; None for a generated dataset.
            data: The data folder with the graphs, where the loader needs one.
            strict: Whether to raise the first error in the file.
        """
        self.name, self.path, self.data, self.strict = name, path, data, strict
        self._read = read
        self._reader: Reader | None = None
        self.skipped: list[DatasetNote] = []
        self.notes: list[DatasetNote] = []
        self.facts: list[str] = []
        self.errors: list[InputError] = []

    def __repr__(self) -> str:
        return f"Dataset({self.name!r})"

    def __iter__(self) -> Iterator[Episode]:
        self.skipped, self.notes, self.facts, self.errors = [], [], [], []
        try:
            yield from self._read(self)
        except InputError as error:
            self.fail(error)

    @cached_property
    def sha256(self) -> str:
        """The hash of the file, or of the episodes of a generated dataset."""
        if self.path is not None:
            return sha256(existing_file(self.path))
        return hashlib.sha256("\n".join(map(to_json_line, self)).encode()).hexdigest()

    @property
    def progress(self) -> tuple[int, int]:
        """The number of bytes read, and the size of the file."""
        return (self._reader.bytes_read, self._reader.size) if self._reader else (0, 0)

    def touchdown_graph(self) -> Graph:
        """Return Touchdown's graph."""
        # Imported late: graphs are compiled code that other datasets do not need.
        from bearleft.world.graphs.touchdown import read_street_graph, street_graph_folder

        return read_street_graph(street_graph_folder(self._data()))

    def matterport_graph(self, scan: str) -> Graph:
        """Return the graph of a Matterport building."""
        from bearleft.world.graphs.matterport import read_matterport

        return read_matterport(self._data() / "r2r" / "connectivity", scan)

    def world_graph(self, name: str, field: str = "") -> Graph:
        """Return the graph of a generated city, of the streets that one is built on, or of generated rooms.

        Raises:
            InputError: The name is not that of such a world; the error names `field`.
        """
        from bearleft.world.worlds import open_world, world_kind

        kind = world_kind(name)
        if not (kind.rendered_places or kind.buildable):
            expected = "a generated city: city/SEED or city/SEED/6x9; or streets: touchdown or town/SEED"
            raise InputError(expected, format_value(name), field)
        try:
            return open_world(name, self.data)
        except InputError as error:
            raise error.at(field=field) from None

    def _data(self) -> Path:
        if self.data is None:
            raise InputError("a data folder that holds the graph", "none", hint="Pass it as data=.")
        return self.data

    def skip(self, episode: str, reason: str) -> None:
        """Record that an episode was skipped."""
        self.skipped.append(DatasetNote(episode, reason))

    def note(self, episode: str, reason: str) -> None:
        """Record something unusual about an episode that is still read."""
        self.notes.append(DatasetNote(episode, reason))

    def fail(self, error: InputError) -> None:
        """Raise the error, or record it if the dataset is not strict."""
        if self.strict:
            raise error
        self.errors.append(error)

    def read_lines(self, read: Callable[[Fields], Iterable[Episode]]) -> Iterator[Episode]:
        """Yield the episodes of a JSONL file; `read` converts one line."""
        self._reader = self._open()
        return self._by_row(((line, 0, value) for line, value in self._reader.lines()), read)

    def read_items(self, read: Callable[[Fields], Iterable[Episode]]) -> Iterator[Episode]:
        """Yield the episodes of a file with one JSON array; `read` converts one item."""
        self._reader = self._open()
        return self._by_row(self._reader.items(), read)

    def _open(self) -> Reader:
        if self.path is None:
            raise InputError("a file to read", "none", "path")
        return Reader(self.path, self.fail)

    def _by_row(
        self, rows: Iterator[tuple[int, int, Json]], read: Callable[[Fields], Iterable[Episode]]
    ) -> Iterator[Episode]:
        seen: set[str] = set()
        for line, item, value in rows:
            skipped, notes = len(self.skipped), len(self.notes)
            try:
                episodes = list(read(Fields(value)))
                for name in [e.id for e in episodes] + [note.episode for note in self.skipped[skipped:]]:
                    if name in seen:
                        raise InputError("each id once", f"{format_value(name)} again")
                    seen.add(name)
            except InputError as error:
                # An invalid line counts as an error only.
                del self.skipped[skipped:], self.notes[notes:]
                # An error in another file, such as a graph's, names that file already.
                self.fail(error if error.file else error.at(file=str(self.path), line=line, item=item))
            else:
                yield from episodes


def read_route(row: Fields, name: str, graph: Graph) -> tuple[str, ...]:
    """Return a route after checking its places and links against the graph."""
    route = parse_list(nonempty_text, row[name], row.name(name), nonempty=True)
    try:
        graph.check_route(route)
    except InputError as error:
        raise replace(error, field=row.name(name) + error.field) from None
    return route


def remaining_fields(row: Fields, *converted: str) -> dict[str, Json]:
    """Return the fields for an episode's `extra`: those not read, and `converted` ones whose raw values are needed."""
    return {name: value for name, value in row.value.items() if name not in row.used or name in converted}


def order_fields(row: dict[str, Json], fields: tuple[str, ...]) -> dict[str, Json]:
    """Return the row with its fields in the order of the released files; other fields follow."""
    return {name: row[name] for name in fields if name in row} | row


def integer_id(name: str, field: str) -> int:
    """Return an episode id as the integer that the format requires."""
    if len(name) > 300 or not name.removeprefix("-").isdecimal() or str(int(name)) != name:
        raise InputError(f"an episode id that is a whole number, for {field}", format_value(name), "id")
    return int(name)


def unsupported_episode(episode: Episode, expected: str) -> InputError:
    """Return the error for an episode that a format cannot represent."""
    goals = ", ".join(type(leg.goal).__name__ for leg in episode.legs)
    return InputError(expected, f"episode {format_value(episode.id)} with {goals}", "legs")


def check_writable(episode: Episode, world: str, start: Pose) -> None:
    """Raise InputError where a format would lose information.

    Most formats hold one world, one kind of start pose, and neither sentences nor views.
    """
    if episode.world != world:
        raise InputError(
            f"the world {world}", f"{format_value(episode.world)} of episode {format_value(episode.id)}", "world"
        )
    if episode.start != start:
        raise InputError(
            f"a start that can be written: {start}", f"{episode.start} of {format_value(episode.id)}", "start"
        )
    for leg in episode.legs:
        if leg.sentences or (isinstance(leg.goal, Point) and leg.goal.views):
            raise InputError("legs without sentences and views", f"some in episode {format_value(episode.id)}", "legs")
