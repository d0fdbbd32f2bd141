"""Requests to an OpenAI-compatible endpoint, with time-outs, retries and rate limits."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bearleft.agents.llm.budget import RateLimit
from bearleft.agents.llm.requests import ChatAnswer, ChatRequest, limit_text
from bearleft.errors import InputError, format_value
from bearleft.runtime.extras import install_command

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_URL = "https://api.openai.com/v1"
URL_VARIABLE, KEY_VARIABLE = "OPENAI_BASE_URL", "OPENAI_API_KEY"
MAX_RESPONSE_BYTES = 4 << 20  # larger ones are not read to their end
FIRST_DELAY, MAX_DELAY = 0.5, 60.0  # seconds between attempts
RETRIED = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
# Codes of requests that a server rejects for what they say, not for how they are sent.
REJECTED_CODES = frozenset(("context_length_exceeded", "content_filter", "content_policy_violation"))
REJECTED = "rejected"  # why such an answer ends


def check_url(url: str) -> str:
    """Return the address of an endpoint.

    Raises:
        InputError: It is no address, or holds a password or a key, which would be written into files.
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise InputError("the address of an endpoint, such as http://localhost:8000/v1", format_value(url), "base_url")
    if parts.username or parts.password or parts.query or parts.fragment:
        hint = f"Put the key into the environment: export {KEY_VARIABLE}=..."
        raise InputError("an address without user, password and query", "one with them", "base_url", hint=hint)
    return url.rstrip("/")


def require_openai() -> None:
    """Raise InputError with the command to type if the package openai is not installed."""
    if find_spec("openai") is None:
        raise InputError("the package openai", "none in this installation", hint=f"Type: {install_command('llm')}")


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint.

    Args:
        url: The address of the endpoint.
        key: The key; it is sent to the endpoint and kept nowhere else.
        timeout: Seconds to wait for each answer.
        retries: How often a request is sent again.
        rate: The rate limit.
        first_delay: Seconds before the second attempt; each further delay is twice as long.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        timeout: float = 120.0,
        retries: int = 6,
        rate: RateLimit | None = None,
        first_delay: float = FIRST_DELAY,
    ) -> None:
        if timeout <= 0:
            raise InputError("a time-out above 0 seconds", format_value(timeout))
        require_openai()
        self.url, self.timeout, self.retries, self.first_delay = check_url(url), timeout, retries, first_delay
        self.rate = rate or RateLimit()
        self._key = key
        self._client: AsyncOpenAI | None = None

    @classmethod
    def from_environment(cls, url: str | None = None, key_variable: str = KEY_VARIABLE, **options: Any) -> OpenAIModel:
        """Return a model whose key, and address unless given, are in the environment.

        Raises:
            InputError: OpenAI's own endpoint is used without a key.
        """
        url = url or os.environ.get(URL_VARIABLE) or DEFAULT_URL
        key = os.environ.get(key_variable, "")
        if not key and urlsplit(url).hostname == urlsplit(DEFAULT_URL).hostname:
            hint = f"Type: export {key_variable}=..., or name a server of your own: --base-url URL"
            raise InputError("a key in the environment", f"no variable {key_variable}", hint=hint)
        return cls(url, key, **options)

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            from openai import AsyncOpenAI

            self._client = AsyncOpenAI(
                api_key=self._key or "none", base_url=self.url, timeout=self.timeout, max_retries=0
            )
        return self._client

    async def __call__(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer to a request.

        Raises:
            InputError: The server rejects the request, or does not answer it in any attempt.
        """
        self._open()  # imports the package, which would count as time of the first answer
        start, problem = time.monotonic(), ""
        for attempt in range(1, self.retries + 2):
            await self.rate.wait()
            delay = min(self.first_delay * 2 ** (attempt - 1), MAX_DELAY) * random.uniform(0.75, 1.25)
            status, headers, body = 0, dict[str, str](), b""
            try:
                async with asyncio.timeout(self.timeout):
                    status, headers, body = await self._send(request)
            except TimeoutError:
                problem = f"no answer within {self.timeout:g} s"
            except OSError as error:
                problem = self._redact(f"{type(error).__name__}: {error}")
            if 200 <= status < 300:
                answer = read_response(body)
                if isinstance(answer, ChatAnswer):
                    self.rate.used(answer.input_tokens + answer.output_tokens)
                    seconds = round(time.monotonic() - start, 3)
                    return ChatAnswer(
                        answer.text, answer.finish, answer.input_tokens, answer.output_tokens, seconds, attempt
                    )
                problem = answer
            elif status in RETRIED:
                problem = f"HTTP {status}"
                delay = max(delay, _retry_after(headers))
                if status == 429:
                    self.rate.pause(delay)
            elif status:
                code, message = _error_of(body)
                if code in REJECTED_CODES:
                    seconds = round(time.monotonic() - start, 3)
                    return ChatAnswer(limit_text(self._redact(message)), REJECTED, seconds=seconds, attempts=attempt)
                hint = _hint_for(status)
                got = f"HTTP {status}: {format_value(self._redact(message))}"
                raise InputError(f"an answer from {self.url}", got, hint=hint)
            if attempt <= self.retries:
                await asyncio.sleep(delay)
        hint = "Every answer so far is stored. Run the same command again to go on."
        got = f"{problem}, in {self.retries + 1} attempts"
        raise InputError(f"an answer from {self.url}", got, hint=hint)

    async def _send(self, request: ChatRequest) -> tuple[int, dict[str, str], bytes]:
        """Send a request once; return status, headers and body."""
        import openai

        create = self._open().chat.completions.with_streaming_response.create
        body = bytearray()
        try:
            sent: Mapping[str, Any] = {"model": request.model, "messages": list(request.messages)}
            async with create(**sent, extra_body=dict(request.sampling)) as response:
                async for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_RESPONSE_BYTES:
                        return response.status_code, {}, b""
                return response.status_code, {}, bytes(body)
        except openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            try:
                content = error.response.content[:MAX_RESPONSE_BYTES]
            except Exception:  # the body was not read to its end
                content = json.dumps({"error": error.body if isinstance(error.body, dict) else {}}).encode()
            return error.status_code, headers, content
        except openai.APITimeoutError as error:
            raise TimeoutError from error
        except openai.APIError as error:
            raise OSError(str(error.__cause__ or error)) from error
        except Exception as error:
            # The connection ended within the body: errors of the HTTP library, which openai does not translate.
            if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2"):
                raise OSError(str(error) or type(error).__name__) from error
            raise

    def _redact(self, text: str) -> str:
        """Return a text of the server without the key, should it repeat that."""
        return text.replace(self._key, "<key>") if self._key else text

    async def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()


def read_response(body: bytes) -> ChatAnswer | str:
    """Return the answer that the body of a response holds, or what is wrong with it."""
    try:
        row = json.loads(body)
        choice = row["choices"][0]
        message = choice["message"]
        content = message.get("content")
        if isinstance(content, list):  # parts, as some servers send them
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        text = content if isinstance(content, str) else ""
        refusal = message.get("refusal")
        if not text and isinstance(refusal, str) and refusal:
            return ChatAnswer(limit_text(refusal), "refusal", *_usage(row))
        finish = choice.get("finish_reason")
        return ChatAnswer(limit_text(text), finish if isinstance(finish, str) else "stop", *_usage(row))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "a response that is no chat completion"


def _usage(row: Mapping[str, Any]) -> tuple[int, int]:
    """Return the tokens of prompt and answer; 0 where the server does not count them."""
    usage = row.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    numbers = (counts.get(name) for name in ("prompt_tokens", "completion_tokens"))
    prompt, completion = (n if isinstance(n, int) and 0 <= n < 2**40 else 0 for n in numbers)
    return int(prompt), int(completion)


def _retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that a server asks to wait, at most MAX_DELAY."""
    try:
        seconds = float(headers.get("retry-after-ms", "")) / 1000
    except ValueError:
        try:
            seconds = float(headers.get("retry-after", ""))
        except ValueError:
            return 0.0
    return min(max(seconds, 0.0), MAX_DELAY) if seconds == seconds else 0.0


def _error_of(body: bytes) -> tuple[str, str]:
    """Return code and message of an error."""
    try:
        error = json.loads(body)["error"]
        if isinstance(error, str):
            return "", error
        return str(error.get("code") or error.get("type") or ""), str(error.get("message") or "")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "", body[:500].decode(errors="replace")


def _hint_for(status: int) -> str:
    if status in (401, 403):
        return f"Is the key in {KEY_VARIABLE} (or --key-variable) the right one?"
    if status == 404:
        return "Are the name of the model and --base-url right? Most addresses end with /v1."
    return "Every answer so far is stored." if status != 400 else "Does the model take these settings? See --sampling."
