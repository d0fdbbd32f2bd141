"""Logs in JSON lines, without anything about people: no addresses, no ids, no queries, no texts."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

LIBRARIES = ("uvicorn", "sqlalchemy", "alembic", "asyncio", "psycopg")
LITERAL = ("uvicorn", "alembic")  # their messages hold values by arguments only
FIELDS = ("request", "method", "route", "status", "milliseconds", "server", "pid", "exit_code")


class JsonFormatter(logging.Formatter):
    """Format a record as one line of JSON.

    An error has its type and where it was raised, but not its message, which may hold what a person sent.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        own = record.name.partition(".")[0] == "bearleft"
        row: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            # Of libraries only what is written in their source, without the values that are put in.
            "message": record.getMessage() if own else _template(record),
        }
        row |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            row |= describe_error(record.exc_info[1])
        return json.dumps(row)


def _template(record: logging.LogRecord) -> str:
    written = record.args or record.name.partition(".")[0] in LITERAL
    return str(record.msg).strip() if written else "a message of a library"


def describe_error(error: BaseException) -> dict[str, Any]:
    """Return the type of an error, those of its causes, and where each was raised; without their messages."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    trace = [
        f"{frame.filename}:{frame.lineno} {frame.name}: {frame.line}"
        for one in reversed(chain)
        for frame in traceback.extract_tb(one.__traceback__)
    ]
    return {"error": " from ".join(type(one).__name__ for one in chain), "traceback": trace}


def start_log(stream: TextIO | None = None) -> logging.Handler:
    """Write the log of this process as JSON lines, to standard error by default; return the handler."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.setLevel(logging.INFO)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("bearleft.web").setLevel(logging.INFO)
    for name in LIBRARIES:
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
    return handler
