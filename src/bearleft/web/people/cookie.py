"""Workers: people who play or work, known by a signed cookie.

There are two kinds of cookies. The browser in which a worker began, or that opened the worker's private link, has the
worker's own. A browser that came by the link of a platform with an id that was known before has one of that session
only: ids in addresses prove nothing, so such a browser can work but does not see what the person did elsewhere.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Worker
from bearleft.web.settings import Settings

COOKIE = "bearleft_worker"
YEAR = 365 * 24 * 3600  # seconds


@dataclass(frozen=True)
class Visitor:
    """Who a browser belongs to.

    Attributes:
        worker_id: The worker.
        session_id: The platform session that the browser is limited to; None in a browser of the worker's own.
    """

    worker_id: int
    session_id: int | None = None

    @property
    def is_owner(self) -> bool:
        """Whether the browser may show and delete what the person did."""
        return self.session_id is None


def sign(settings: Settings, worker_id: int, session_id: int | None = None) -> str:
    """Return the cookie of a worker, or the one of a platform session only."""
    parts = [str(worker_id)] if session_id is None else [str(worker_id), str(session_id)]
    return ".".join([*parts, _signature(settings, "worker", *parts)])


def private_key(settings: Settings, worker_id: int) -> str:
    """Return the key of a worker's private link, by which another browser becomes the worker's own."""
    return f"{worker_id}.{_signature(settings, 'link', str(worker_id))}"


def read_private_key(settings: Settings, value: str) -> int | None:
    """Return the worker of a private link; None if it was not signed by this server."""
    numbers = _verified(settings, "link", value)
    return numbers[0] if numbers and len(numbers) == 1 else None


def _signature(settings: Settings, purpose: str, *parts: str) -> str:
    return hmac.new(settings.secret.encode(), " ".join([purpose, *parts]).encode(), sha256).hexdigest()


def _verified(settings: Settings, purpose: str, value: str) -> list[int] | None:
    *parts, signature = value.split(".")
    if not 1 <= len(parts) <= 2 or not all(p.isascii() and p.isdigit() and len(p) <= 18 for p in parts):
        return None
    good = hmac.compare_digest(signature.encode(), _signature(settings, purpose, *parts).encode())
    return [int(part) for part in parts] if good else None


def read_visitor(settings: Settings, value: str | None) -> Visitor | None:
    """Return whose cookie it is; None if there is none, or it was not signed by this server."""
    numbers = _verified(settings, "worker", value or "")
    return None if numbers is None else Visitor(*numbers)


def read_cookie(settings: Settings, value: str | None) -> int | None:
    """Return the worker of a cookie; None if there is none, or it was not signed by this server."""
    visitor = read_visitor(settings, value)
    return None if visitor is None else visitor.worker_id


def current_visitor(request: Request) -> Visitor | None:
    """Return who sends a request; None for a browser without a cookie, or if the worker was deleted."""
    settings: Settings = request.app.state.settings
    database: Database = request.app.state.database
    visitor = read_visitor(settings, request.cookies.get(COOKIE))
    if visitor is None:
        return None
    with database.read() as session:
        return visitor if session.get(Worker, visitor.worker_id) is not None else None


def current_worker(request: Request) -> int | None:
    """Return the id of the worker whose browser sends a request, or None."""
    visitor = current_visitor(request)
    return None if visitor is None else visitor.worker_id


def add_worker(database: Database) -> int:
    """Add a worker with a random pseudonym, and return the id."""

    def add(session: Session) -> int:
        worker = Worker()
        session.add(worker)
        session.flush()
        return worker.id

    return database.transact(add)


def set_cookie(response: Response, settings: Settings, worker_id: int, session_id: int | None = None) -> None:
    """Let a browser remember its worker for a year; a platform session only until the browser is closed."""
    response.set_cookie(
        COOKIE,
        sign(settings, worker_id, session_id),
        max_age=YEAR if session_id is None else None,
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies,
    )


def remove_cookie(response: Response, settings: Settings) -> None:
    """Let a browser forget its worker."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=settings.secure_cookies)
