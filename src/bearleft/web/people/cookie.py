"""Workers: people who play or work, known by a signed cookie."""

from __future__ import annotations

import hmac
from hashlib import sha256

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Worker
from bearleft.web.settings import Settings

COOKIE = "bearleft_worker"
YEAR = 365 * 24 * 3600  # seconds


def sign(settings: Settings, worker_id: int) -> str:
    """Return the cookie of a worker."""
    return f"{worker_id}.{_signature(settings, worker_id)}"


def _signature(settings: Settings, worker_id: int) -> str:
    return hmac.new(settings.secret.encode(), f"worker {worker_id}".encode(), sha256).hexdigest()


def read_cookie(settings: Settings, value: str | None) -> int | None:
    """Return the worker of a cookie; None if there is none, or it was not signed by this server."""
    number, _, signature = (value or "").partition(".")
    if not number.isascii() or not number.isdigit() or len(number) > 18:
        return None
    good = hmac.compare_digest(signature.encode(), _signature(settings, int(number)).encode())
    return int(number) if good else None


def current_worker(request: Request) -> int | None:
    """Return the id of the worker whose browser sends a request, or None."""
    settings: Settings = request.app.state.settings
    database: Database = request.app.state.database
    worker_id = read_cookie(settings, request.cookies.get(COOKIE))
    if worker_id is None:
        return None
    with database.read() as session:
        return worker_id if session.get(Worker, worker_id) is not None else None


def add_worker(database: Database) -> int:
    """Add a worker with a random pseudonym, and return the id."""

    def add(session: Session) -> int:
        worker = Worker()
        session.add(worker)
        session.flush()
        return worker.id

    return database.transact(add)


def set_cookie(response: Response, settings: Settings, worker_id: int) -> None:
    """Let a browser remember its worker for a year."""
    response.set_cookie(
        COOKIE,
        sign(settings, worker_id),
        max_age=YEAR,
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies,
    )
