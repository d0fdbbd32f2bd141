"""Around every request: a request id, a line in the log, counters, limits, and what becomes of an error."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bearleft.web.operations.limits import TokenBuckets, address_key, retry_after
from bearleft.web.operations.metrics import Counters
from bearleft.web.operations.routes import CHECKS, HEALTH
from bearleft.web.people import COOKIE, read_cookie
from bearleft.web.security import MAX_BODY_BYTES, BodyTooLargeError, max_body_bytes
from bearleft.web.settings import Settings

log = logging.getLogger("bearleft.web.requests")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REQUEST_ID = "bearleft.request"
CLIENT_LEFT = 499  # the status that logs give a request whose client went away before the answer
NO_PAGES = ("/static/", "/api/")


def route_of(scope: Scope) -> str:
    """Return the template of the route that answered a request; never its path, which may name a unit or a person."""
    route = scope.get("route")
    path = getattr(route, "path", None)
    if isinstance(path, str):
        return path
    if root := scope.get("root_path"):
        return f"{root}/*"
    if scope.get("endpoint") is not None and not scope.get("path_params"):
        return str(scope["path"])
    return "unmatched"


class RecordMiddleware:
    """Give each request an id, count it, and log it.

    Args:
        app: What answers.
        counters: The counters of this process.
        log_requests: Whether to log each request.
        process: Number of the process.
    """

    def __init__(self, app: ASGIApp, counters: Counters, log_requests: bool = False, process: int = 0) -> None:
        self.app, self.counters, self.log_requests, self.process = app, counters, log_requests, process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = scope[REQUEST_ID] = secrets.token_hex(8)
        status = CLIENT_LEFT
        begin = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - begin
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = route_of(scope)
            self.counters.add(method, route, status, seconds)
            if self.log_requests and route not in CHECKS:
                fields = {
                    "request": request,
                    "method": method,
                    "route": route,
                    "status": status,
                    "milliseconds": round(1000 * seconds, 1),
                    "server": self.process,
                }
                log.info("request", extra=fields)


class GuardMiddleware:
    """Refuse requests of those who send too many, give up on bodies that do not come, and answer for errors.

    Args:
        app: What answers.
        settings: The settings.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings
        self.limits = settings.operations.limits
        self._workers = TokenBuckets(self.limits.worker)
        self._addresses = TokenBuckets(self.limits.address)
        self._newcomers = TokenBuckets(self.limits.newcomers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seconds = self._seconds_to_wait(scope)
        if seconds:
            refusal = JSONResponse(
                {"detail": "Too many requests. Nothing is lost; the page tries again by itself."},
                status_code=429,
                headers={"Retry-After": retry_after(seconds)},
            )
            await refusal(scope, receive, send)
            return
        begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            is_large = max_body_bytes(scope["path"]) > MAX_BODY_BYTES
            seconds = self.limits.upload_seconds if is_large else self.limits.body_seconds
            await self.app(scope, _TimelyBody(receive, seconds), send_and_note)
        except BodyTooLargeError:
            raise
        except ClientDisconnect:
            return  # nobody is there to answer
        except Exception as error:
            log.error("an error of the server", exc_info=error, extra=_error_fields(scope))
            if begun:
                raise
            message = f"The server failed. What was saved before is not lost. Please tell us: {scope.get(REQUEST_ID)}"
            await JSONResponse({"detail": message}, status_code=500)(scope, receive, send)

    def _seconds_to_wait(self, scope: Scope) -> float:
        """Return how long a client has to wait for its next request; 0 if it need not."""
        path: str = scope["path"]
        if path == HEALTH:
            return 0.0
        client = scope.get("client")
        address = address_key(client[0] if client else "")
        if seconds := self._addresses.take(address):
            return seconds
        cookie = cookie_parser(Headers(scope=scope).get("cookie", "")).get(COOKIE)
        worker_id = read_cookie(self.settings, cookie)
        if path in CHECKS or path.startswith("/static/"):
            return 0.0
        if worker_id is not None:
            return self._workers.take(str(worker_id))
        return 0.0 if path.startswith(NO_PAGES) else self._newcomers.take(address)


def _error_fields(scope: Scope) -> dict[str, Any]:
    method = scope["method"] if scope["method"] in METHODS else "other"
    return {"request": scope.get(REQUEST_ID), "method": method, "route": route_of(scope)}


class _TimelyBody:
    """The body of a request, as long as it comes in time."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        self.receive, self.complete = receive, False
        self.end = asyncio.get_running_loop().time() + seconds

    async def __call__(self) -> Message:
        if self.complete:  # what comes now is the end of the connection
            return await self.receive()
        try:
            async with asyncio.timeout_at(self.end):
                message = await self.receive()
        except TimeoutError:
            raise HTTPException(408, "The request did not come to its end in time.") from None
        self.complete = not message.get("more_body", False)
        return message
