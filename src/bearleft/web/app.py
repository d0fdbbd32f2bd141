"""The application: pages, API, pictures, and errors that people can act on."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy import select
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

import bearleft
from bearleft.errors import InputError
from bearleft.version import VERSION
from bearleft.web import analyses, pages, platforms, play, work
from bearleft.web.admin import routes as admin
from bearleft.web.admin.routes import leaderboard as admin_leaderboard
from bearleft.web.agent_traces import AgentTraces
from bearleft.web.database import schema
from bearleft.web.database.engines import BusyError, Database, open_database
from bearleft.web.database.models import Project
from bearleft.web.leaderboard import routes as leaderboard
from bearleft.web.leaderboard.errors import LeaderboardError, QuotaError, SubmissionError, TeamError, UploadError
from bearleft.web.operations import routes as operations
from bearleft.web.operations.metrics import Counters
from bearleft.web.operations.middleware import GuardMiddleware, RecordMiddleware
from bearleft.web.people import routes as people
from bearleft.web.projects import PLAY, served_worlds
from bearleft.web.queue.slots import Conflict, NotFound, QueueError, Stale
from bearleft.web.scenes import routes
from bearleft.web.scenes.models import ModelCache
from bearleft.web.scenes.panoramas import PanoramaCache
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.security import SecurityMiddleware
from bearleft.web.settings import Settings
from bearleft.web.templating import render

DESCRIPTION = "Play episodes and collect data: units of work, their actions, and their answers."
THREE = Path(bearleft.__file__).parents[2] / "frontend" / "node_modules" / "three" / "build"  # in a clone
QUEUE_STATUS = {NotFound: 404, Stale: 409, Conflict: 409}
LEADERBOARD_STATUS = {UploadError: 422, TeamError: 422, SubmissionError: 422, QuotaError: 409}


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the web application.

    Args:
        settings: The settings; a SQLite file in the current folder by default.

    Raises:
        InputError: The database cannot be opened, or a setting is invalid.
    """
    settings = settings or Settings()
    database = open_database(settings.database)
    worlds = SceneWorlds(settings.data, settings.pictures, settings.city, settings.device)
    panoramas, models = PanoramaCache(worlds, settings.cache), ModelCache(settings.cache)
    agents = AgentTraces(settings.data)
    counters = Counters(settings.operations.counters, settings.operations.process)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        with database.read() as session:
            games = session.scalars(select(Project.settings).where(Project.family == PLAY)).all()
        agents.start([(game["dataset"], game["kind"]) for game in games])
        saving = asyncio.create_task(operations.save_regularly(counters))
        yield
        saving.cancel()
        await saving
        panoramas.close()
        database.close()

    app = FastAPI(
        title="bearleft",
        version=VERSION,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.settings, app.state.database = settings, database
    app.state.worlds, app.state.panoramas, app.state.models, app.state.agents = worlds, panoramas, models, agents
    app.state.served_worlds = ServedWorlds(database, worlds)
    app.state.counters = counters
    app.state.revision = schema.head()  # of this process; an update may replace the files while it runs
    # The last one that is added sees a request first.
    app.add_middleware(GuardMiddleware, settings=settings)
    app.add_middleware(SecurityMiddleware, secure=settings.secure_cookies)
    options = settings.operations
    app.add_middleware(RecordMiddleware, counters=counters, log_requests=options.log_requests, process=options.process)
    if options.proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(options.proxies))
    for module in (pages, play, work, analyses, people, platforms, routes, operations, admin):
        app.include_router(module.router)
    app.include_router(routes.models_router)
    if settings.leaderboard is not None:
        app.include_router(leaderboard.router)
        app.include_router(admin_leaderboard.router)
    app.mount("/static/shared", StaticFiles(directory=_folder("bearleft", "static")), name="shared")
    app.mount("/static/web", StaticFiles(directory=_folder("bearleft.web", "static")), name="web")
    if three_folder().is_dir():
        app.mount("/static/three", StaticFiles(directory=three_folder()), name="three")
    _add_error_handlers(app)
    return app


def three_folder() -> Path:
    """Return the folder of three.js: BEARLEFT_THREE, or where `make frontend` installs it."""
    return Path(os.environ.get("BEARLEFT_THREE") or THREE)


class ServedWorlds:
    """The worlds that projects of the server are in; looked up again after a while, since projects are added."""

    SECONDS = 5.0

    def __init__(self, database: Database, worlds: SceneWorlds) -> None:
        self.database, self.worlds = database, worlds
        self._names: frozenset[str] = frozenset()
        self._time = -math.inf

    def __contains__(self, world: str) -> bool:
        if world not in self._names and time.monotonic() - self._time > self.SECONDS:
            with self.database.read() as session:
                self._names = served_worlds(session, self.worlds)
            self._time = time.monotonic()
        return world in self._names


def _folder(package: str, name: str) -> Path:
    with as_file(files(package).joinpath(name)) as folder:
        return folder


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(InputError)
    def invalid_input(request: Request, error: InputError) -> Response:
        return _error(request, 422, str(error))

    @app.exception_handler(QueueError)
    def queue_error(request: Request, error: QueueError) -> Response:
        return _error(request, QUEUE_STATUS.get(type(error), 409), str(error))

    @app.exception_handler(LeaderboardError)
    def leaderboard_error(request: Request, error: LeaderboardError) -> Response:
        status = 413 if error.code == "too_large" else LEADERBOARD_STATUS.get(type(error), 422)
        return _error(request, status, str(error))

    @app.exception_handler(BusyError)
    def busy(request: Request, error: BusyError) -> Response:
        return _error(request, 503, str(error), {"Retry-After": "1"})

    @app.exception_handler(StarletteHTTPException)
    def http_error(request: Request, error: HTTPException) -> Response:
        return _error(request, error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    def invalid_request(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"][1:])
        return _error(request, 422, f"field {field}: {first['msg']}" if field else str(first["msg"]))


def _error(request: Request, status: int, message: str, headers: Any = None) -> Response:
    """Return an error as JSON to programs and as a page to people."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"detail": message}, status, headers=headers)
    page = render(request, "error.html", status, status_code=status, message=message)
    page.headers.update(headers or {})
    return page
