"""Bring the tables of a database to a revision, up or down; what would be lost is named before it is."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, MetaData, func, inspect, select

from bearleft.errors import InputError, unknown_name
from bearleft.web.database import schema
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Base

HEAD = "head"


def migrate(url: str, revision: str = HEAD, discard: bool = False) -> list[dict[str, Any]]:
    """Bring the tables of a database to a revision, in one transaction.

    Args:
        url: The database; no server should use it meanwhile.
        revision: A revision, such as "0001", or "head" for the newest.
        discard: Whether a migration may remove rows, or values of columns, that the older tables cannot hold.

    Returns:
        One row: the database, the revision before and after, and what was removed.

    Raises:
        InputError: The revision is unknown, or something would be removed without `discard`.
    """
    known = schema.revisions()
    target = known[-1] if revision == HEAD else revision
    if target not in known:
        raise unknown_name("revision", revision, [*known, HEAD])
    database = open_database(url, migrate=False)
    try:
        with database.migration() as connection:
            schema.lock(connection)
            before = schema.current(connection)
            content = _content(connection)
            if before is None or known.index(before) <= known.index(target):
                schema.upgrade(connection, target)
            else:
                schema.downgrade(connection, target)
            lost = _lost(content, _content(connection))
            if lost and not discard:
                raise InputError(
                    f"a migration from {before} to {target} that loses nothing",
                    f"one that removes {', '.join(lost)}",
                    "--to",
                    hint="Type `bearleft serve backup -o FILE` first, then repeat it with --discard.",
                )
    finally:
        database.close()
    removed = ", ".join(lost) or "nothing"
    return [{"database": database.name, "before": before or "no tables", "after": target, "removed": removed}]


def _content(connection: Connection) -> dict[str, dict[str, int]]:
    """Return the number of rows of each table, under an empty name, and of values in each column."""
    names = set(inspect(connection).get_table_names()) & set(Base.metadata.tables)
    if not names:
        return {}
    metadata = MetaData()
    metadata.reflect(connection, only=sorted(names), resolve_fks=False)
    found = {}
    for table in metadata.sorted_tables:
        counted = [func.count(), *(func.count(column) for column in table.c)]
        counts = connection.execute(select(*counted).select_from(table))
        found[table.name] = dict(zip(("", *table.c.keys()), counts.one(), strict=True))
    return found


def _lost(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> list[str]:
    """Return what is there no longer: rows of tables, and values of columns."""
    lost = []
    for table, counts in before.items():
        left = after.get(table, {"": 0})
        if left[""] < counts[""]:
            lost.append(f"{table} ({counts[''] - left['']:,} rows)")
        if table in after:
            missing = {name: number for name, number in counts.items() if name not in left and number}
            lost += [f"{table}.{name} ({number:,} values)" for name, number in missing.items()]
    return lost
