"""Open a database: a SQLite file, or a PostgreSQL server by URL.

SQLite allows one writer at a time. Its writers begin with BEGIN IMMEDIATE, so that they wait in a queue instead of
failing in the middle; readers have an engine of their own and never wait (write-ahead logging). On PostgreSQL, readers
see one snapshot as well, and rows are locked where the queue of work says so.
"""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.runtime.extras import install_command
from bearleft.web.database import schema
from bearleft.web.database.values import utc_now

T = TypeVar("T")

WAIT = 30  # seconds that a transaction waits for another one
TRIES = 8  # of a transaction that others made fail
CONNECTIONS = 10  # of one process for readers; as many for PostgreSQL's writers
_POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")
# Serialization failure, deadlock, lock timeout, and a row that was deleted while another one was to refer to it.
_RETRIED_STATES = {"40001", "40P01", "55P03", "23503"}
_RETRIED_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BUSY = "The server is busy. Nothing is lost; please try again in a minute."
_HINT = "Type a file (people.sqlite) or postgresql://USER:PASSWORD@HOST/DATABASE."


class BusyError(Exception):
    """Other transactions were in the way for too long; the same request may succeed later."""


class Turnstile:
    """Lets a number of threads pass at a time, in the order in which they came.

    Connection pools and locks of SQLite keep no order: under load, some threads would wait until all others are done.

    Args:
        places: How many threads may be inside.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def passed(self, timeout: float) -> Iterator[None]:
        """Be inside during a block.

        Raises:
            BusyError: There was no place for too long.
        """
        self._enter(timeout)
        try:
            yield
        finally:
            self._leave()

    def _enter(self, timeout: float) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            in_time = turn.wait(timeout)
        except BaseException:
            self._give_up(turn)
            raise
        if not in_time:
            self._give_up(turn)
            raise BusyError(_BUSY)

    def _give_up(self, turn: threading.Event) -> None:
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
                return
        self._leave()  # the turn came meanwhile

    def _leave(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1


class Database:
    """A database with tables of the newest revision.

    Attributes:
        name: Its URL without password, for people.
        clock: Returns the present time.
    """

    def __init__(self, writer: Engine, reader: Engine, clock: Callable[[], datetime] = utc_now) -> None:
        self.name = writer.url.render_as_string(hide_password=True).replace("+psycopg", "", 1)
        self.clock = clock
        self._writer = writer
        self._reader = reader
        self._writers = Turnstile(1 if writer.dialect.name == "sqlite" else CONNECTIONS)
        self._readers = Turnstile(CONNECTIONS)

    def now(self) -> datetime:
        """Return the present time."""
        return self.clock()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Return a session that sees one state of the database and cannot change it.

        Raises:
            BusyError: Other transactions were in the way for too long.
        """
        with self._readers.passed(WAIT), Session(self._reader, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Return a session whose changes are stored at the end of the block; all of them, or none after an error.

        On SQLite no second one may begin within the block: it would wait for the first.

        Raises:
            BusyError: Other transactions were in the way for too long.
        """
        with (
            self._writers.passed(WAIT),
            Session(self._writer, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    def transact(self, function: Callable[[Session], T]) -> T:
        """Run a function in a transaction, again if another transaction made it fail.

        Args:
            function: What to do; it changes nothing but the database, because it may run several times.

        Returns:
            What the function returned in the run that was stored.

        Raises:
            BusyError: Other transactions were in the way for too long.
        """
        for attempt in range(TRIES):
            if attempt:
                time.sleep(random.uniform(0, 0.02 * 2**attempt))
            try:
                with self.write() as session:
                    return function(session)
            except DBAPIError as error:
                if not is_retried(error):
                    raise
        raise BusyError(_BUSY)

    @contextmanager
    def migration(self) -> Iterator[Connection]:
        """Return a connection that changes tables, in one transaction.

        SQLite changes a table by copying it, which rows that refer to the table would forbid; references are checked
        at the end instead.

        Raises:
            InputError: A row would refer to one that does not exist.
        """
        with self._writers.passed(WAIT), self._writer.connect() as connection:
            if connection.dialect.name != "sqlite":
                with connection.begin():
                    yield connection
                return
            driver: Any = connection.connection.driver_connection
            driver.execute("PRAGMA foreign_keys = OFF")  # has an effect outside of transactions only
            try:
                with connection.begin():
                    yield connection
                    broken = connection.execute(text("PRAGMA foreign_key_check")).all()
                    if broken:
                        raise InputError("rows that refer to existing ones", f"others in {broken[0][0]}", "database")
            finally:
                driver.execute("PRAGMA foreign_keys = ON")

    def checkpoint(self) -> None:
        """Empty SQLite's write-ahead log into the file, so that nothing stays that was deleted."""
        with self._writers.passed(WAIT), self._writer.connect() as connection:
            if connection.dialect.name == "sqlite":
                driver: Any = connection.connection.driver_connection
                driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close all connections."""
        self._reader.dispose()
        self._writer.dispose()


def is_retried(error: DBAPIError) -> bool:
    """Return whether another transaction caused an error, so that the same transaction may succeed next time."""
    if getattr(error.orig, "sqlstate", None) in _RETRIED_STATES:
        return True
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _RETRIED_CODES


def open_database(url: str | Path, *, clock: Callable[[], datetime] = utc_now, migrate: bool = True) -> Database:
    """Open a database and bring its tables to the newest revision; several processes may do so at once.

    Args:
        url: A SQLite file, which is created if it does not exist, as a path or as `sqlite:///FILE`; or the URL of a
            PostgreSQL database.
        clock: Returns the present time.
        migrate: False leaves the tables at the revision that they have, or without any.

    Raises:
        InputError: The URL is wrong, the server does not answer, or the file or database is of something else.
    """
    parsed = _parse(url)
    writer, reader = _postgresql(parsed) if parsed.drivername in _POSTGRESQL else _sqlite(parsed)
    database = Database(writer, reader, clock)
    try:
        with reader.connect() as connection:
            if connection.dialect.name == "postgresql":
                _check_encoding(connection.execute(text("SHOW server_encoding")).scalar_one())
            revision = schema.current(connection)
        if migrate and revision != schema.head():
            with database.migration() as connection:
                schema.upgrade(connection)
    except DBAPIError as error:
        database.close()
        raise InputError(f"a database that opens at {database.name}", _reason(error), "database", hint=_HINT) from error
    except BaseException:
        database.close()
        raise
    return database


def _reason(error: DBAPIError) -> str:
    """Return what a server said: the end of a line with the address that was tried."""
    lines = str(error.orig).splitlines()
    line = next((line for line in lines if " failed: " in line), lines[0] if lines else "no reason")
    return format_value(line.rpartition(" failed: ")[2])


def _parse(url: str | Path) -> URL:
    if isinstance(url, Path) or "://" not in url:
        if "\0" in str(url) or not str(url).strip():
            raise InputError("a file or the URL of a database", format_value(str(url)), "database", hint=_HINT)
        return URL.create("sqlite", database=str(url))
    scheme = url.partition("://")[0]
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The URL itself is not shown: it may hold a password.
        raise InputError("the URL of a database", f"a wrong URL ({scheme}://...)", "database", hint=_HINT) from None
    if parsed.drivername == "sqlite":
        if not parsed.database or parsed.database == ":memory:" or parsed.query or parsed.host:
            raise InputError("sqlite:///FILE", format_value(url), "database", hint=_HINT)
    elif parsed.drivername not in _POSTGRESQL:
        raise InputError("sqlite or postgresql", format_value(scheme), "database", hint=_HINT)
    elif not parsed.database:
        raise InputError("a URL with the name of a database", "none", "database", hint=_HINT)
    return parsed


def _sqlite(url: URL) -> tuple[Engine, Engine]:
    path = Path(url.database or "")
    if path.is_dir():
        raise InputError("a file", "a folder", "database", file=str(path), hint=_HINT)
    if not path.parent.is_dir():
        raise InputError("a file in a folder that exists", "no folder", "database", file=str(path), hint=_HINT)
    try:
        _use_write_ahead_log(path)
    except sqlite3.Error as error:
        hint = "Name a file of bearleft, or a new one."
        raise InputError(
            "a SQLite database", format_value(str(error)), "database", file=str(path), hint=hint
        ) from error
    # Errors do not show the values of statements: they may be what people wrote.
    options: dict[str, Any] = {"connect_args": {"timeout": WAIT}, "max_overflow": 0, "hide_parameters": True}
    # In one process the writers queue for one connection: SQLite's own way to wait, polling, is slow and unfair.
    writer = create_engine(url, pool_size=1, **options)
    reader = create_engine(url, pool_size=CONNECTIONS, **options)
    for engine, begin, read_only in ((writer, "BEGIN IMMEDIATE", False), (reader, "BEGIN", True)):
        event.listen(engine, "connect", _on_connect(read_only=read_only))
        event.listen(engine, "begin", _on_begin(begin))
    return writer, reader


def _use_write_ahead_log(path: Path) -> None:
    with closing(sqlite3.connect(path, timeout=WAIT, isolation_level=None)) as connection:
        end = time.monotonic() + WAIT
        while True:
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                    return
                # SQLite does not wait here for other processes that do the same.
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _RETRIED_CODES or time.monotonic() > end:
                    raise
                time.sleep(0.01)
                continue
            if mode != "wal":
                raise sqlite3.OperationalError("this file system does not support write-ahead logging")


def _on_connect(*, read_only: bool) -> Callable[[sqlite3.Connection, object], None]:
    def connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where `_on_begin` says, and nowhere else
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")  # what was acknowledged survives a power cut
        connection.execute("PRAGMA secure_delete = ON")  # what was deleted is in no copy of the file
        if read_only:
            connection.execute("PRAGMA query_only = ON")

    return connect


def _on_begin(statement: str) -> Callable[[Any], None]:
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(statement)

    return begin


def _postgresql(url: URL) -> tuple[Engine, Engine]:
    if find_spec("psycopg") is None:
        raise InputError("psycopg, for PostgreSQL", "none in this installation", hint=f"Type: {install_command('web')}")
    arguments: dict[str, Any] = {}
    if "connect_timeout" not in url.query:
        arguments["connect_timeout"] = 10
    if "options" not in url.query:
        arguments["options"] = f"-c lock_timeout={WAIT}s"
    if "application_name" not in url.query:
        arguments["application_name"] = "bearleft"
    writer = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args=arguments,
        pool_size=2 * CONNECTIONS,
        max_overflow=0,
        hide_parameters=True,
        pool_pre_ping=True,  # the server may have been started again
    )
    return writer, writer.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _check_encoding(encoding: str) -> None:
    if encoding != "UTF8":
        raise InputError(
            "a database with encoding UTF8", encoding, "database", hint="Type: createdb --encoding=UTF8 NAME"
        )
