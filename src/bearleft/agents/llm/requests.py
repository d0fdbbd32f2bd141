"""A request to a chat model and its answer, and the content address of a request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Messages = Sequence[Mapping[str, Any]]  # as of OpenAI's chat completions
MAX_ANSWER_CHARACTERS = 20_000  # of an answer that is stored


@dataclass(frozen=True)
class ChatRequest:
    """What a model is asked.

    Attributes:
        model: The name of the model.
        url: The address of the endpoint; empty for a model in this process.
        messages: The messages of the conversation, in the form of OpenAI's chat completions.
        sampling: Temperature, length and other settings, sent with the request as they are.
    """

    model: str
    url: str
    messages: Messages
    sampling: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The SHA-256 of model, address, messages and settings."""
        content = {"model": self.model, "url": self.url, "messages": self.messages, "sampling": self.sampling}
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class ChatAnswer:
    """What a model answered.

    Attributes:
        text: The words.
        finish: Why they end: "stop", "length", "content_filter", or what else the server says.
        input_tokens: The tokens of the prompt, as the server counts them.
        output_tokens: The tokens of the answer.
        seconds: The time from the first attempt to the answer.
        attempts: How often the request was sent.
    """

    text: str
    finish: str = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    attempts: int = 1


Model = Callable[[ChatRequest], Awaitable[ChatAnswer]]


def limit_text(text: str) -> str:
    """Return an answer that can be stored: valid Unicode, and not longer than MAX_ANSWER_CHARACTERS."""
    return text[:MAX_ANSWER_CHARACTERS].encode("utf-8", "replace").decode()


def in_process(answer: Callable[[list[dict[str, Any]]], str]) -> Model:
    """Return the model of a function in this process, from messages to words, without HTTP."""

    async def model(request: ChatRequest) -> ChatAnswer:
        return ChatAnswer(limit_text(answer([dict(message) for message in request.messages])))

    return model
