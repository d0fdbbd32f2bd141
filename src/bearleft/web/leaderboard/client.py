"""Submit traces to a leaderboard over its JSON API, with nothing but Python's own HTTP client."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import stat
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlsplit

from bearleft.errors import InputError, format_value
from bearleft.types import Progress

VARIABLE = "BEARLEFT_TOKEN"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
RETRIES = 5
FIRST_DELAY, MAX_DELAY = 1.0, 60.0  # seconds between two attempts
POLL_DELAY, MAX_POLL_DELAY = 0.5, 10.0  # seconds between two questions whether a submission is scored
RETRIED = (429, 502, 503, 504)
MAX_ANSWER_BYTES = 16 * 2**20
BLOCK = 1 << 16


class RefusedError(InputError):
    """The server refused a request; the message is the server's.

    Attributes:
        status: The HTTP status.
    """

    status = 0

    def __str__(self) -> str:
        return self.got


@dataclass(frozen=True)
class Entry:
    """What a submission says about its system.

    Attributes:
        title: Name of the system.
        tags: What it uses, such as "pictures".
        cost: What a run costs, such as "3 USD".
        code_url: Address of its code.
        paper_url: Address of its paper.
        note: Anything else, at most a few sentences.
    """

    title: str
    tags: tuple[str, ...] = ()
    cost: str = ""
    code_url: str = ""
    paper_url: str = ""
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as the API takes them."""
        return {
            "title": self.title,
            "tags": list(self.tags),
            "cost": self.cost,
            "code_url": self.code_url,
            "paper_url": self.paper_url,
            "note": self.note,
        }


def read_token(file: str | os.PathLike[str] | None = None) -> str:
    """Return the token of a team: the text of a file that only its owner can read, or BEARLEFT_TOKEN.

    Raises:
        InputError: There is no token, or others can read the file.
    """
    if file is None:
        token = os.environ.get(VARIABLE, "").strip()
        if not token:
            hint = f"Type: export {VARIABLE}=..., or name a file: --token-file FILE. Your team's page makes tokens."
            raise InputError("a token of your team", f"no variable {VARIABLE}", hint=hint)
    else:
        path = Path(file)
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
            token = path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise InputError("a file with a token", error.strerror or "", file=str(path)) from error
        except UnicodeDecodeError:
            raise InputError("a file with a token", "bytes that are no text", file=str(path)) from None
        if mode & 0o077:
            hint = f"Type: chmod 600 {path}"
            raise InputError("a token that only its owner can read", f"mode {mode:04o}", file=str(path), hint=hint)
    if not token.isascii() or not token.isprintable() or " " in token or not 16 <= len(token) <= 200:
        raise InputError("a token, as the page of your team shows it", "another text", "token")
    return token


class LeaderboardClient:
    """A leaderboard, as a team sees it.

    Args:
        url: Address of the server, such as https://example.org; without HTTPS only on this machine.
        token: A token of the team.
        timeout: Seconds to wait for an answer.
        retries: How often a request is sent again if the server is busy or cannot be reached.
        sleep: Called with the seconds to wait.
    """

    def __init__(
        self,
        url: str,
        token: str,
        timeout: float = 120.0,
        retries: int = RETRIES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = check_url(url)
        self.timeout, self.retries, self._sleep = timeout, retries, sleep
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def track(self, name: str) -> dict[str, Any]:
        """Return a track, with what is left of the team's quota."""
        found: dict[str, Any] = self._request("GET", f"tracks/{quote(name, safe='')}")
        return found

    def upload(self, track: str, path: Path, digest: str, progress: Progress | None = None) -> dict[str, Any]:
        """Send a file of traces to a track, unless the server has it already; return what the server says of it.

        Args:
            track: Name of the track.
            path: The file.
            digest: Its SHA-256, in hexadecimal.
            progress: Called with a label, the bytes that were sent, and all bytes.
        """
        address = f"tracks/{quote(track, safe='')}/files/{digest}"
        try:
            stored: dict[str, Any] = self._request("GET", address)
        except RefusedError as error:
            if error.status != 404:
                raise
            sent: dict[str, Any] = self._request("PUT", address, file=path, progress=progress)
            return sent
        return stored

    def submit(self, track: str, entry: Entry, files: Mapping[int, str], key: str) -> dict[str, Any]:
        """Submit files that were uploaded; the same key gives the same submission.

        Args:
            track: Name of the track.
            entry: What is said about the system.
            files: The SHA-256 of the file of each seed.
            key: The idempotency key.
        """
        rows = [{"seed": seed, "sha256": digest} for seed, digest in files.items()]
        body = {**entry.to_json(), "files": rows, "key": key}
        stored: dict[str, Any] = self._request("POST", f"tracks/{quote(track, safe='')}/submissions", body)
        return stored

    def submission(self, name: str) -> dict[str, Any]:
        """Return a submission of the team: its state and, once it is scored, its figures."""
        found: dict[str, Any] = self._request("GET", f"submissions/{quote(name, safe='')}")
        return found

    def publish(self, name: str) -> dict[str, Any]:
        """Let everybody see a submission in the table."""
        changed: dict[str, Any] = self._request("POST", f"submissions/{quote(name, safe='')}/publish", {})
        return changed

    def wait(self, name: str) -> dict[str, Any]:
        """Return a submission once it is scored, or its scoring has failed."""
        delay = POLL_DELAY
        while (row := self.submission(name))["state"] in ("queued", "scoring"):
            self._sleep(delay)
            delay = min(delay * 1.5, MAX_POLL_DELAY)
        return row

    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        file: Path | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Send a request, again if the server is busy, and return the JSON of its answer."""
        url = f"{self.url}/api/leaderboard/{path}"
        delay, problem = FIRST_DELAY, ""
        for attempt in range(self.retries + 1):
            try:
                return self._send(method, url, body, file, progress)
            except urllib.error.HTTPError as error:
                with error:
                    problem = _detail(error)
                    wait = _retry_after(error)
                    if error.code not in RETRIED:
                        raise self._refusal(url, error.code, problem) from None
            except (OSError, http.client.HTTPException) as error:  # includes URLError and time-outs
                reason = getattr(error, "reason", error)
                problem, wait = str(reason) or type(reason).__name__, 0.0
            if attempt < self.retries:
                self._sleep(min(max(delay, wait), MAX_DELAY))
                delay *= 2
        hint = "Run the same command again: what was sent is kept, and nothing is submitted twice."
        raise InputError(f"an answer from {self.url}", self._redact(problem), hint=hint)

    def _send(
        self,
        method: str,
        url: str,
        body: Mapping[str, Any] | None,
        file: Path | None,
        progress: Progress | None,
    ) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if file is None:
            data = None if body is None else json.dumps(body).encode()
            if data is not None:
                headers["Content-Type"] = "application/json"
            return self._open(urllib.request.Request(url, data, headers, method=method))
        with file.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
            counted = _CountedFile(stream, size, f"uploading {file.name}", progress)
            return self._open(urllib.request.Request(url, counted, headers, method=method))

    def _open(self, request: urllib.request.Request) -> Any:
        with self._opener.open(request, timeout=self.timeout) as answer:
            content = answer.read(MAX_ANSWER_BYTES + 1)
        try:
            return json.loads(content)
        except ValueError:
            hint = "Is this the address of a bearleft server with a leaderboard?"
            raise InputError(f"JSON from {self.url}", "something else", hint=hint) from None

    def _refusal(self, url: str, status: int, problem: str) -> InputError:
        if 300 <= status < 400:
            return InputError(f"an answer from {url}", "a redirection", hint="Name the address that it leads to.")
        message = self._redact(problem) or f"HTTP {status}"
        if status == 401:
            message += f" Is the token in {VARIABLE} or --token-file the right one?"
        refused = RefusedError("a request that the server takes", message)
        refused.status = status
        return refused

    def _redact(self, text: str) -> str:
        return text.replace(self._token, "<token>")


def check_url(url: str) -> str:
    """Return the address of a server without its last slash.

    Raises:
        InputError: It is no address, or it would send the token in the clear over a network.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or parts.username:
        raise InputError("the address of a server, such as https://example.org", format_value(url), "--to")
    if parts.scheme == "http" and host not in LOOPBACK:
        hint = "The token would be readable on the way."
        raise InputError("an address with https://", format_value(url), "--to", hint=hint)
    return url.rstrip("/")


def submit_files(
    client: LeaderboardClient,
    track: str,
    files: Mapping[int, Path],
    entry: Entry,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Upload the file of each seed, submit them together, and return the submission.

    The idempotency key follows from files and entry: the same call continues an interrupted one, and returns the
    submission of a complete one without using the quota again.

    Args:
        client: The leaderboard.
        track: Name of the track.
        files: A file of traces, plain or compressed by gzip, for each seed.
        entry: What is said about the system.
        progress: Called with a label, the bytes that were sent, and all bytes.
    """
    digests = {seed: _digest(path) for seed, path in files.items()}
    content = json.dumps([track, entry.to_json(), sorted(digests.items())], sort_keys=True)
    for seed, path in files.items():
        client.upload(track, path, digests[seed], progress)
    return client.submit(track, entry, digests, hashlib.sha256(content.encode()).hexdigest())


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError("a file of traces", error.strerror or "", file=str(path)) from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirection, which would take the token to another server."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _CountedFile:
    """A file that tells how much of it has been read."""

    def __init__(self, stream: IO[bytes], size: int, label: str, progress: Progress | None) -> None:
        self.stream, self.size, self.label, self.progress, self.done = stream, size, label, progress, 0

    def read(self, size: int = BLOCK) -> bytes:
        """Return the next bytes; more at once than HTTP clients ask for."""
        block = self.stream.read(max(size, BLOCK))
        self.done += len(block)
        if self.progress is not None and block:
            self.progress(self.label, self.done, self.size)
        return block


def _detail(error: urllib.error.HTTPError) -> str:
    """Return what an answer says that is no success."""
    try:
        detail = json.loads(error.read(MAX_ANSWER_BYTES))["detail"]
    except (OSError, ValueError, LookupError, TypeError):
        detail = ""
    return detail[:1000] if isinstance(detail, str) and detail else f"HTTP {error.code}"


def _retry_after(error: urllib.error.HTTPError) -> float:
    try:
        return float(error.headers.get("Retry-After", ""))
    except ValueError:
        return 0.0
