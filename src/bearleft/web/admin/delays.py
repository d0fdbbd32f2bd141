"""Delays after failures to sign in: each account and each address waits longer with each failure.

The delays are in the database, so that all processes of a server share them, and a restart does not end them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from bearleft.web.database.admins import SignInDelay

FREE = {"account": 4, "address": 20}  # failures without a delay; several people may share an address
LONGEST = timedelta(minutes=15)
FORGOTTEN = timedelta(hours=24)  # since the last failure


def delay_after(failures: int, free: int) -> timedelta:
    """Return how long to wait after failures in a row: 1 s after the first that is not free, then twice as long."""
    if failures <= free:
        return timedelta(0)
    return min(timedelta(seconds=2.0 ** min(failures - free - 1, 20)), LONGEST)


def _key(kind: str, value: str) -> str:
    return sha256(f"{kind} {value}".encode("utf-8", "replace")).hexdigest()


def begin_attempt(session: Session, name: str, address: str, now: datetime) -> timedelta:
    """Count an attempt to sign in as a failure, until `forgive` says that it was none.

    Attempts that come at the same time are counted one after the other, so that none of them is for free.

    Returns:
        How long to wait; nothing is counted then. Zero if the attempt may be made.
    """
    session.execute(delete(SignInDelay).where(SignInDelay.last < now - FORGOTTEN))
    rows = []
    for kind, value in (("account", name), ("address", address)):
        key = _key(kind, value)
        if session.get_bind().dialect.name == "postgresql":
            session.execute(select(func.pg_advisory_xact_lock(int(key[:15], 16))))
        row = session.get(SignInDelay, key)
        if row is None:
            row = SignInDelay(key=key, failures=0, last=now, until=now)
            session.add(row)
        rows.append((row, FREE[kind]))
    wait = max(row.until - now for row, _ in rows)
    if wait > timedelta(0):
        return wait
    for row, free in rows:
        row.failures += 1
        row.last = now
        row.until = now + delay_after(row.failures, free)
    return timedelta(0)


def forgive(session: Session, name: str, address: str) -> None:
    """Forget the failures of an account and an address that have signed in."""
    keys = [_key("account", name), _key("address", address)]
    session.execute(delete(SignInDelay).where(SignInDelay.key.in_(keys)))
