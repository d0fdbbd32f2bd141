"""Health of a server for those who run it, and metrics for Prometheus."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import secrets
from urllib.parse import urlsplit

from fastapi import APIRouter, HTTPException, Request
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, PlainTextResponse, Response

from bearleft.errors import InputError
from bearleft.web.database import schema
from bearleft.web.database.engines import BusyError, Database
from bearleft.web.database.models import Answer, Attempt, Project, Slot, Unit
from bearleft.web.leaderboard.submissions import oldest_waiting, queue_counts
from bearleft.web.operations.metrics import Counters, gauge_lines, request_lines
from bearleft.web.settings import Settings

router = APIRouter(include_in_schema=False)
log = logging.getLogger("bearleft.web.health")
HEALTH = "/health"
CHECKS = (HEALTH, "/ready")  # not logged
SAVED_EVERY = 1.0  # seconds between two times that other processes see the counters
FORWARDED = ("x-forwarded-for", "forwarded", "via", "x-real-ip")


@router.get(HEALTH)
async def health() -> JSONResponse:
    """Answer that the process lives."""
    return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


@router.get("/ready")
def ready(request: Request) -> JSONResponse:
    """Answer whether requests can be served: the database answers, and its tables are of the newest revision."""
    database: Database = request.app.state.database
    try:
        with database.read() as session:
            revision = schema.current(session.connection())
        reason = "" if revision == request.app.state.revision else "the tables are of another revision"
    except (SQLAlchemyError, BusyError, InputError) as error:
        log.warning("the database does not answer", exc_info=error)
        reason = "the database does not answer"
    status = {"status": "not ready", "reason": reason} if reason else {"status": "ready"}
    return JSONResponse(status, 503 if reason else 200, headers={"Cache-Control": "no-store"})


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return counters of requests and the state of the queue, to this machine only or with a token."""
    if not _may_read_metrics(request):
        raise HTTPException(404, "There is no such page.")
    database: Database = request.app.state.database
    counters: Counters = request.app.state.counters
    lines = request_lines(counters.sums())
    with database.read() as session:
        lines += [*_queue_lines(session, database), *_leaderboard_lines(session, database)]
    text = "\n".join(lines) + "\n"
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4", headers={"Cache-Control": "no-store"})


def _may_read_metrics(request: Request) -> bool:
    settings: Settings = request.app.state.settings
    if token := settings.operations.metrics_token:
        given = request.headers.get("authorization", "")
        return secrets.compare_digest(given.encode(), f"Bearer {token}".encode())
    # A proxy on this machine passes on requests of others; most say so.
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    except ValueError:
        return False
    return _is_loopback(request.client.host if request.client else "") and _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _queue_lines(session: Session, database: Database) -> list[str]:
    active = session.scalar(
        select(func.count()).select_from(Attempt).where(Attempt.state == "active", Attempt.expires > database.now())
    )
    answers = session.execute(
        select(Project.name, func.count(Answer.id))
        .join(Unit, Unit.project_id == Project.id)
        .join(Answer, Answer.unit_id == Unit.id)
        .group_by(Project.name)
        .order_by(Project.name)
    ).all()
    waiting = session.execute(
        select(Project.name, func.count(Slot.id))
        .join(Unit, Unit.project_id == Project.id)
        .join(Slot, Slot.unit_id == Unit.id)
        .where(Slot.attempt_id.is_(None), ~Unit.closed)
        .group_by(Project.name)
        .order_by(Project.name)
    ).all()
    return [
        *gauge_lines("bearleft_active_leases", "Units that are with a worker.", [({}, active or 0)]),
        *gauge_lines("bearleft_answers", "Stored answers.", [({"project": name}, count) for name, count in answers]),
        *gauge_lines(
            "bearleft_queue_depth", "Answers that are wanted.", [({"project": name}, count) for name, count in waiting]
        ),
    ]


def _leaderboard_lines(session: Session, database: Database) -> list[str]:
    counts = [({"state": state}, count) for state, count in queue_counts(session).items()]
    oldest = oldest_waiting(session)
    waited = 0.0 if oldest is None else max(0.0, (database.now() - oldest).total_seconds())
    return [
        *gauge_lines("bearleft_leaderboard_submissions", "Submissions to the leaderboard.", counts),
        *gauge_lines(
            "bearleft_leaderboard_wait_seconds", "How long the oldest one waits for its score.", [({}, waited)]
        ),
    ]


async def save_regularly(counters: Counters) -> None:
    """Let other processes see the counters, until cancelled."""
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(SAVED_EVERY)
            counters.save()
    counters.save()
