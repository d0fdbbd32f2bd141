"""A dataset while it is read: episodes one by one, and beside them what was left out, what is odd, what is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from bearleft.data.json_stream import Reader
from bearleft.errors import InputError, shown
from bearleft.records import Episode, Point, Pose, to_line
from bearleft.runtime.json_fields import Fields, Json, each, some_text
from bearleft.runtime.store import existing_file, sha256

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph


MANIFEST = "manifest.json"  # says how a folder was made, and is no split
Read: TypeAlias = "Callable[[Dataset], Iterator[Episode]]"


@dataclass(frozen=True)
class Remark:
    """What a reader should know of one episode: why it was left out, or what is odd about it."""

    episode: str
    reason: str


@dataclass(frozen=True)
class Place:
    """Files of one kind: `folder` of the data folder, how their names begin and end, how they are read."""

    folder: str
    prefix: str
    suffix: str
    read: Read

    def splits(self, data: Path) -> dict[str, Path]:
        """The files that are there, by split."""
        found = sorted((data / self.folder).glob(f"{self.prefix}*{self.suffix}"))
        files = (p for p in found if p.is_file() and not p.name.startswith(".") and p.name != MANIFEST)
        return {p.name[len(self.prefix) : -len(self.suffix)]: p for p in files}


@dataclass(frozen=True)
class Family:
    """One row of the catalogue: what it is, where its files lie (the first place wins), how they are written again."""

    about: str
    places: tuple[Place, ...]
    rows: Callable[[Iterable[Episode]], Iterator[Json]]
    layout: Callable[[IO[str], Iterable[Json]], None]

    def splits(self, data: Path) -> dict[str, tuple[Place, Path]]:
        """The files that are there, by split, with the place that knows how to read them."""
        found: dict[str, tuple[Place, Path]] = {}
        for place in reversed(self.places):
            found |= {split: (place, path) for split, path in place.splits(data).items()}
        return dict(sorted(found.items()))


class Dataset:
    """Episodes of one file, read anew by each loop over it.

    `left_out` and `notes` hold Remarks, `facts` sentences on the whole file; they are complete when the loop has ended.
    An error in the file is raised; with `strict=False` it is put into `errors` and reading goes on where it can.
    """

    def __init__(
        self, name: str, read: Read, path: Path | None = None, data: Path | None = None, strict: bool = True
    ) -> None:
        """A dataset that is generated has no `path`."""
        self.name, self.path, self.data, self.strict = name, path, data, strict
        self._read = read
        self._reader: Reader | None = None
        self.left_out: list[Remark] = []
        self.notes: list[Remark] = []
        self.facts: list[str] = []
        self.errors: list[InputError] = []

    def __repr__(self) -> str:
        return f"Dataset({self.name!r})"

    def __iter__(self) -> Iterator[Episode]:
        self.left_out, self.notes, self.facts, self.errors = [], [], [], []
        try:
            yield from self._read(self)
        except InputError as error:
            self.fail(error)

    @cached_property
    def sha256(self) -> str:
        """The hash of the file, or of the episodes that are generated."""
        if self.path is not None:
            return sha256(existing_file(self.path))
        return hashlib.sha256("\n".join(map(to_line, self)).encode()).hexdigest()

    @property
    def progress(self) -> tuple[int, int]:
        """Bytes read and bytes in all."""
        return (self._reader.done, self._reader.size) if self._reader else (0, 0)

    def street(self) -> Graph:
        """Touchdown's graph."""
        # Not at the top: graphs are compiled code, and datasets without one should load without it.
        from bearleft.world.graphs.touchdown import read_street

        return read_street(self._data() / "touchdown")

    def building(self, scan: str) -> Graph:
        """The graph of one of Matterport's buildings."""
        from bearleft.world.graphs.matterport import read_matterport

        return read_matterport(self._data() / "r2r" / "connectivity", scan)

    def world(self, name: str, field: str = "") -> Graph:
        """The places of one of bearleft's own cities or rooms, which need no files."""
        from bearleft.world.worlds import open_world

        if not name.startswith(("city/", "rooms/")):
            raise InputError("a city of bearleft's own: city/SEED or city/SEED/6x9", shown(name), field)
        try:
            return open_world(name)
        except InputError as error:
            raise error.at(field=field) from None

    def _data(self) -> Path:
        if self.data is None:
            raise InputError("the data folder that holds the graph", "none", hint="Name it with data=.")
        return self.data

    def leave_out(self, episode: str, reason: str) -> None:
        self.left_out.append(Remark(episode, reason))

    def note(self, episode: str, reason: str) -> None:
        self.notes.append(Remark(episode, reason))

    def fail(self, error: InputError) -> None:
        if self.strict:
            raise error
        self.errors.append(error)

    def by_line(self, read: Callable[[Fields], Iterable[Episode]]) -> Iterator[Episode]:
        """The episodes of a JSONL file; `read` turns one line into some."""
        self._reader = self._open()
        return self._by_row(((line, 0, value) for line, value in self._reader.lines()), read)

    def by_item(self, read: Callable[[Fields], Iterable[Episode]]) -> Iterator[Episode]:
        """The episodes of a file that is one JSON array; `read` turns one item into some."""
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
            left_out, notes = len(self.left_out), len(self.notes)
            try:
                found = list(read(Fields(value)))
                for name in [e.id for e in found] + [remark.episode for remark in self.left_out[left_out:]]:
                    if name in seen:
                        raise InputError("each id once", f"{shown(name)} again")
                    seen.add(name)
            except InputError as error:
                # A line that is an error is neither left out nor odd.
                del self.left_out[left_out:], self.notes[notes:]
                # An error in another file, a graph's, has its own place.
                self.fail(error if error.file else error.at(file=str(self.path), line=line, item=item))
            else:
                yield from found


def route_of(row: Fields, name: str, graph: Graph) -> tuple[str, ...]:
    """A route whose places and links are there."""
    route = each(some_text, row[name], row.name(name), some=True)
    try:
        graph.check_route(route)
    except InputError as error:
        raise replace(error, field=row.name(name) + error.field) from None
    return route


def kept(row: Fields, *converted: str) -> dict[str, Json]:
    """What an episode's `extra` keeps of its row: fields not read, and those whose numbers were converted."""
    return {name: value for name, value in row.value.items() if name not in row.used or name in converted}


def in_order(row: dict[str, Json], fields: tuple[str, ...]) -> dict[str, Json]:
    """The row with its fields in the order of the format's files, others behind."""
    return {name: row[name] for name in fields if name in row} | row


def whole_id(name: str, what: str) -> int:
    """An id that its format writes as a whole number."""
    if len(name) > 300 or not name.removeprefix("-").isdecimal() or str(int(name)) != name:
        raise InputError(f"an episode id that is a whole number, for {what}", shown(name), "id")
    return int(name)


def writing(episode: Episode, expected: str) -> InputError:
    """The error for an episode that a format cannot hold."""
    goals = ", ".join(type(leg.goal).__name__ for leg in episode.legs)
    return InputError(expected, f"episode {shown(episode.id)} with {goals}", "legs")


def must_fit(episode: Episode, world: str, start: Pose) -> None:
    """An error where a format would lose something: most hold one world, one kind of start, and no sentences."""
    if episode.world != world:
        raise InputError(f"the world {world}", f"{shown(episode.world)} of episode {shown(episode.id)}", "world")
    if episode.start != start:
        raise InputError(f"a start that can be written: {start}", f"{episode.start} of {shown(episode.id)}", "start")
    for leg in episode.legs:
        if leg.sentences or (isinstance(leg.goal, Point) and leg.goal.views):
            raise InputError("legs without sentences and views", f"some in episode {shown(episode.id)}", "legs")
