"""Protection of pages and answers: headers, limits of size, and checks of text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 512 * 1024
# Of those who are signed in, which is checked before the body is read.
LARGE_BODIES = {
    re.compile(r"/admin/import"): 33 * 2**20,
    re.compile(r"/leaderboard/[^/]+/files|/api/leaderboard/tracks/[^/]+/files/[^/]+"): 256 * 2**20,  # tracks allow less
}
MAX_HEADER_BYTES = 16 * 1024  # of the address and all headers together
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
STRICT_TRANSPORT = {"Strict-Transport-Security": "max-age=31536000"}
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class SecurityMiddleware:
    """Add security headers, refuse large bodies, and refuse writes that come from another site.

    A browser names the site that a request comes from in `Sec-Fetch-Site` and `Origin`, an old one in `Referer`; a page
    of another site can therefore not act in a worker's name. Programs send none of them, and have no worker's cookie.

    Args:
        app: What answers.
        secure: Whether the application is served over HTTPS only.
    """

    def __init__(self, app: ASGIApp, secure: bool = False) -> None:
        self.app, self.secure = app, secure
        self.headers = HEADERS | (STRICT_TRANSPORT if secure else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                response = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    response.setdefault(name, value)
                if scope["path"].startswith("/static/"):  # browsers ask whether a file has changed, as after an update
                    response.setdefault("Cache-Control", "no-cache")
            await send(message)

        if scope["method"] not in SAFE_METHODS and is_foreign(scope["headers"], self.secure):
            refusal = JSONResponse({"detail": "This request comes from another site."}, status_code=403)
            await refusal(scope, receive, send_with_headers)
            return
        if _header_bytes(scope) > MAX_HEADER_BYTES:
            message = f"expected headers of at most {MAX_HEADER_BYTES // 1024} kB, got more."
            await JSONResponse({"detail": message}, status_code=431)(scope, receive, send_with_headers)
            return
        most = max_body_bytes(scope["path"])
        body = _LimitedBody(receive, Headers(scope=scope).get("content-length", "0"), most)
        try:
            if body.is_announced_too_large():
                raise BodyTooLargeError(most)
            await self.app(scope, body, send_with_headers)
        except BodyTooLargeError as error:
            await JSONResponse({"detail": error.detail}, status_code=413)(scope, receive, send_with_headers)


def max_body_bytes(path: str) -> int:
    """Return the largest body of a request to a path."""
    return next((size for pattern, size in LARGE_BODIES.items() if pattern.fullmatch(path)), MAX_BODY_BYTES)


def _header_bytes(scope: Scope) -> int:
    address = len(scope.get("raw_path") or b"") + len(scope["query_string"])
    return address + sum(len(name) + len(value) + 4 for name, value in scope["headers"])


class BodyTooLargeError(HTTPException):
    """The body of a request is larger than allowed."""

    def __init__(self, most: int) -> None:
        super().__init__(413, f"expected at most {most // 1024} kB, got more. Shorten what you send.")


class _LimitedBody:
    """The body of a request, up to a size."""

    def __init__(self, receive: Receive, length: str, most: int) -> None:
        self.receive, self.length, self.most, self.size = receive, length, most, 0

    def is_announced_too_large(self) -> bool:
        """Return whether the header Content-Length says so; the server has refused one that is no number."""
        return self.length.isdigit() and int(self.length[:20]) > self.most

    async def __call__(self) -> Message:
        message = await self.receive()
        self.size += len(message.get("body", b""))
        if self.size > self.most:
            raise BodyTooLargeError(self.most)
        return message


def is_foreign(headers: Iterable[tuple[bytes, bytes]], secure: bool = False) -> bool:
    """Return whether a browser says that a request comes from a page of another site.

    Args:
        headers: The headers of the request; each of several with one name counts.
        secure: Whether a page of the same site that came without HTTPS is another site.
    """
    found: dict[bytes, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), []).append(value.decode("latin-1").strip())
    if any(site not in ("same-origin", "none") for site in found.get(b"sec-fetch-site", [])):
        return True
    hosts = found.get(b"host", [])
    # Pages of no site, such as a sandboxed frame, have the origin "null".
    return not all(
        len(hosts) == 1 and _is_own(origin, hosts[0], secure)
        for origin in found.get(b"origin") or found.get(b"referer", [])
    )


def _is_own(origin: str, host: str, secure: bool) -> bool:
    scheme, sign, rest = origin.partition("://")
    schemes = ("https",) if secure else ("http", "https")
    return bool(host and sign) and scheme in schemes and rest.partition("/")[0].lower() == host.lower()


def page_json(value: Any) -> str:
    """Return JSON that may stand in a script element of a page: without "<", ">" and "&"."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
