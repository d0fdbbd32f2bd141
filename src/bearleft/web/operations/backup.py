"""Copies of a database in one file, which restores into either kind of database.

The file is compressed JSON, one value in a line: a head, the rows of each table in the order of the primary key, and
an end with the number and the SHA-256 of the rows of each table. `zcat FILE | head` shows it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Connection, MetaData, Table, bindparam, cast, func, insert, inspect, select

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import atomic_write
from bearleft.version import VERSION
from bearleft.web.database import schema
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Base
from bearleft.web.database.values import utc_now

FORMAT = "bearleft backup"
FORMAT_VERSION = 1
BATCH = 500  # rows of one statement
_DAMAGED = "Name another backup; this one is damaged or was not written to its end."


@dataclass
class _Digest:
    """The number of rows and their SHA-256, row by row."""

    rows: int = 0
    sha256: Any = field(default_factory=hashlib.sha256)

    def add(self, line: bytes) -> None:
        self.rows += 1
        self.sha256.update(line + b"\n")

    def to_json(self) -> dict[str, Any]:
        return {"rows": self.rows, "sha256": self.sha256.hexdigest()}


def write_backup(url: str, output: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Write all tables of a database into a file that only its owner may read; servers may go on meanwhile.

    Everything is read in one transaction, which sees one state of the database and hinders no writer. The file appears
    under its name when it is complete.

    Args:
        url: The database; its tables stay at the revision that they have.
        output: The file.

    Returns:
        A row for each table: how many rows it has.

    Raises:
        InputError: The database cannot be opened or has no tables, or the file cannot be written.
    """
    database = open_database(url, migrate=False)
    try:
        with database.read() as session, _private_file(Path(output)) as stream:
            connection = session.connection()
            revision = schema.current(connection)
            if revision is None:
                raise InputError("a database of bearleft", "one without tables", "database")
            tables = _tables(connection)
            head = {
                "format": FORMAT,
                "version": FORMAT_VERSION,
                "bearleft": VERSION,
                "revision": revision,
                "created": utc_now().isoformat(),
                "tables": {table.name: table.c.keys() for table in tables},
            }
            stream.write(_line(head))
            digests = {}
            for table in tables:
                stream.write(_line({"table": table.name}))
                digest = digests[table.name] = _Digest()
                for line in _rows(connection, table):
                    digest.add(line)
                    stream.write(line + b"\n")
            stream.write(_line({"end": {name: digest.to_json() for name, digest in digests.items()}}))
    finally:
        database.close()
    return [{"table": name, "rows": digest.rows} for name, digest in digests.items()]


@contextmanager
def _private_file(path: Path) -> Iterator[gzip.GzipFile]:
    with atomic_write(path, "wb") as raw:
        os.fchmod(raw.fileno(), 0o600)
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as stream:
            yield stream


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _tables(connection: Connection) -> list[Table]:
    """Return the tables of bearleft as they are in a database, each after those that it refers to."""
    names = set(inspect(connection).get_table_names()) & set(Base.metadata.tables)
    metadata = MetaData()
    metadata.reflect(connection, only=sorted(names))
    return [table for table in metadata.sorted_tables if table.name in names]


def _rows(connection: Connection, table: Table) -> Iterator[bytes]:
    """Yield the rows of a table as JSON, in the order of the primary key."""
    converters = [_writer(column) for column in table.c]
    # JSON is read as its text, so that nothing about it changes.
    columns = [cast(column, sa.Text) if isinstance(column.type, sa.JSON) else column for column in table.c]
    order = [column.collate("C") if _is_sorted_by_language(connection, column) else column for column in _keys(table)]
    statement = select(*columns).order_by(*order).execution_options(yield_per=BATCH)
    for row in connection.execute(statement):
        values = [None if value is None else convert(value) for convert, value in zip(converters, row, strict=True)]
        yield json.dumps(values, separators=(",", ":"), allow_nan=False).encode()


def _keys(table: Table) -> list[Column[Any]]:
    return list(table.primary_key) or list(table.c)


def _is_sorted_by_language(connection: Connection, column: Column[Any]) -> bool:
    return connection.dialect.name == "postgresql" and isinstance(column.type, sa.String)


def _writer(column: Column[Any]) -> Callable[[Any], Any]:
    """Return what makes JSON of the values of a column, the same for both kinds of databases."""
    kind = column.type
    if isinstance(kind, sa.DateTime):
        return _time_text
    if isinstance(kind, sa.Date):
        return date.isoformat
    if isinstance(kind, sa.LargeBinary):
        return bytes.hex
    if isinstance(kind, sa.Boolean):
        return bool
    if isinstance(kind, sa.Numeric) and kind.asdecimal:
        return str
    return lambda value: value


def _time_text(value: datetime) -> str:
    naive = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return naive.isoformat(timespec="microseconds")


def _reader(connection: Connection, column: Column[Any]) -> Callable[[Any], Any]:
    """Return what makes values of a column of JSON."""
    kind = column.type
    if isinstance(kind, sa.DateTime):
        zone = None if connection.dialect.name == "sqlite" else UTC
        return lambda value: datetime.fromisoformat(value).replace(tzinfo=zone)
    if isinstance(kind, sa.Date):
        return date.fromisoformat
    if isinstance(kind, sa.LargeBinary):
        return bytes.fromhex
    if isinstance(kind, sa.Numeric) and kind.asdecimal:
        return Decimal
    return lambda value: value


@dataclass(frozen=True)
class Backup:
    """What a backup says of itself.

    Attributes:
        path: The file.
        bearleft: The version that wrote it.
        revision: The revision of its tables.
        created: When it was written, as an ISO time.
        tables: The columns of each table.
        digests: The number and the SHA-256 of the rows of each table.
    """

    path: Path
    bearleft: str
    revision: str
    created: str
    tables: dict[str, list[str]]
    digests: dict[str, dict[str, Any]]

    def rows(self) -> Iterator[tuple[str, list[Any]]]:
        """Yield each row with the name of its table."""
        for table, line in _row_lines(self.path):
            if table:
                yield table, json.loads(line)


def read_backup(path: str | os.PathLike[str]) -> Backup:
    """Read a backup to its end and check it.

    Raises:
        InputError: It cannot be read, is damaged or incomplete, or a newer version of bearleft wrote it.
    """
    path = Path(path)
    head = _head(path)
    digests = {name: _Digest() for name in head["tables"]}
    end: dict[str, Any] | None = None
    for table, line in _row_lines(path):
        if table == "":
            end = json.loads(line)["end"]
        elif table not in digests:
            raise _damaged(path, "rows of another table")
        else:
            digests[table].add(line)
    found = {name: digest.to_json() for name, digest in digests.items()}
    if end is None:
        raise _damaged(path, "a file without its end")
    if end != found:
        raise _damaged(path, "other rows than it names at its end")
    return Backup(path, head["bearleft"], head["revision"], head["created"], head["tables"], found)


def _damaged(path: Path, got: str) -> InputError:
    return InputError("a complete backup", got, file=str(path), hint=_DAMAGED)


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as stream:
            for line in stream:
                yield line.rstrip(b"\n")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(path, format_value(str(error))) from error
    except OSError as error:
        raise InputError("a backup", error.strerror or str(error), file=str(path)) from error


def _head(path: Path) -> dict[str, Any]:
    head = _parse(path, next(_lines(path), b""))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InputError("a backup that `bearleft serve backup` wrote", "another file", file=str(path))
    newer = head.get("version") != FORMAT_VERSION or head.get("revision") not in schema.revisions()
    if newer:
        raise InputError(
            f"a backup of this version of bearleft ({VERSION}) or an older one",
            f"one of bearleft {format_value(head.get('bearleft'))}, revision {format_value(head.get('revision'))}",
            file=str(path),
            hint="Install the version of bearleft that wrote it.",
        )
    tables = head.get("tables")
    if not isinstance(tables, dict) or not set(tables) <= set(Base.metadata.tables):
        raise _damaged(path, "a head without its tables")
    return head


def _row_lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each row with its table, and the end with an empty name."""
    lines = _lines(path)
    next(lines, b"")
    table = ""
    ended = False
    for line in lines:
        if ended:
            raise _damaged(path, "lines after its end")
        if line.startswith(b"["):
            yield table, line
            continue
        content = _parse(path, line)
        if not isinstance(content, dict) or not ({"table", "end"} & set(content)):
            raise _damaged(path, "a line that is no row")
        if "end" in content:
            ended = True
            yield "", line
        else:
            table = str(content["table"])


def _parse(path: Path, line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise _damaged(path, "a line that is no JSON") from error


def restore_backup(path: str | os.PathLike[str], url: str) -> list[dict[str, Any]]:
    """Restore a backup into an empty database, all of it or nothing, and bring the tables to the newest revision.

    The rows are read again and compared with the backup before they are stored.

    Args:
        path: The backup.
        url: The database, of either kind; it must have no tables of bearleft.

    Returns:
        A row for each table: how many rows it has.

    Raises:
        InputError: The backup is damaged or newer, or the database is not empty.
    """
    backup = read_backup(path)
    database = open_database(url, migrate=False)
    try:
        with database.migration() as connection:
            schema.lock(connection)
            if schema.current(connection) is not None:
                hint = "Name a new file or database; nothing is ever restored over other data."
                raise InputError("an empty database", "one with tables", "database", hint=hint)
            schema.upgrade(connection, backup.revision)
            tables = {table.name: table for table in _tables(connection)}
            columns = {name: set(table.c.keys()) for name, table in tables.items()}
            if columns != {name: set(names) for name, names in backup.tables.items()}:
                raise _damaged(backup.path, "other tables than those of its revision")
            _insert(connection, backup, tables)
            for name, table in tables.items():
                if _digest(connection, table) != backup.digests[name]:
                    raise InputError(f"the rows of {name} as they are in the backup", "others", "database")
            schema.upgrade(connection)
    finally:
        database.close()
    return [{"table": name, "rows": backup.digests[name]["rows"]} for name in backup.tables]


def _insert(connection: Connection, backup: Backup, tables: dict[str, Table]) -> None:
    waiting: list[list[Any]] = []
    current = ""
    for name, row in backup.rows():
        if waiting and (name != current or len(waiting) == BATCH):
            _insert_rows(connection, tables[current], backup.tables[current], waiting)
            waiting = []
        current = name
        waiting.append(row)
    if waiting:
        _insert_rows(connection, tables[current], backup.tables[current], waiting)
    for table in tables.values():
        _continue_numbers(connection, table)


def _insert_rows(connection: Connection, table: Table, names: list[str], rows: list[list[Any]]) -> None:
    readers = [_reader(connection, table.c[name]) for name in names]
    values = [
        {
            f"_{name}": None if value is None else read(value)
            for name, read, value in zip(names, readers, row, strict=True)
        }
        for row in rows
    ]
    connection.execute(insert(table).values({name: _parameter(connection, table.c[name]) for name in names}), values)


def _parameter(connection: Connection, column: Column[Any]) -> Any:
    if not isinstance(column.type, sa.JSON):
        return bindparam(f"_{column.name}", type_=column.type)
    plain = bindparam(f"_{column.name}", type_=sa.Text())
    return plain if connection.dialect.name == "sqlite" else cast(plain, column.type)


def _continue_numbers(connection: Connection, table: Table) -> None:
    """Let PostgreSQL count on after the restored rows; SQLite does so by itself."""
    if connection.dialect.name != "postgresql":
        return
    for column in table.primary_key:
        sequence = connection.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
        largest = connection.scalar(select(func.max(column)))
        if sequence is not None and largest is not None:
            connection.execute(select(func.setval(sequence, largest)))


def _digest(connection: Connection, table: Table) -> dict[str, Any]:
    digest = _Digest()
    for line in _rows(connection, table):
        digest.add(line)
    return digest.to_json()
