"""Protection of pages and answers: headers, limits of size, and checks of text."""

from __future__ import annotations

import json
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 512 * 1024
LARGE_BODIES = {"/admin/import": 33 * 2**20}  # of signed-in owners, who are checked before the body is read
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class SecurityMiddleware:
    """Add security headers, refuse large bodies, and refuse writes that come from another site.

    A browser names the site that a request comes from in `Sec-Fetch-Site` and `Origin`; a page of another site can
    therefore not act in a worker's name.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                response = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    response.setdefault(name, value)
                if scope["path"].startswith("/static/"):  # browsers ask whether a file has changed, as after an update
                    response.setdefault("Cache-Control", "no-cache")
            await send(message)

        if scope["method"] not in SAFE_METHODS and _is_foreign(headers):
            refusal = JSONResponse({"detail": "This request comes from another site."}, status_code=403)
            await refusal(scope, receive, send_with_headers)
            return
        body = _LimitedBody(receive, headers, LARGE_BODIES.get(scope["path"], MAX_BODY_BYTES))
        try:
            if body.is_announced_too_large():
                raise BodyTooLargeError
            await self.app(scope, body, send_with_headers)
        except BodyTooLargeError:
            message = f"expected at most {body.most // 1024} kB, got more. Shorten what you send."
            await JSONResponse({"detail": message}, status_code=413)(scope, receive, send_with_headers)


class BodyTooLargeError(Exception):
    """The body of a request is larger than allowed."""


class _LimitedBody:
    """The body of a request, up to a size."""

    def __init__(self, receive: Receive, headers: dict[str, str], most: int) -> None:
        self.receive, self.headers, self.most, self.size = receive, headers, most, 0

    def is_announced_too_large(self) -> bool:
        length = self.headers.get("content-length", "0")
        return length.isdigit() and int(length) > self.most

    async def __call__(self) -> Message:
        message = await self.receive()
        self.size += len(message.get("body", b""))
        if self.size > self.most:
            raise BodyTooLargeError
        return message


def _is_foreign(headers: dict[str, str]) -> bool:
    """Return whether a browser says that the request comes from a page of another site."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def page_json(value: Any) -> str:
    """Return JSON that may stand in a script element of a page: without "<", ">" and "&"."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
