"""What an agent asked a language model and what it answered: messages, tokens, cost and time of each request."""

from __future__ import annotations

from dataclasses import dataclass

from bearleft.runtime.json_fields import Fields, Json, parse_list, text

ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation.

    Attributes:
        role: One of ROLES.
        text: The words.
        pictures: The SHA-256 of each picture file that was sent with them.
    """

    role: str
    text: str
    pictures: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the JSON object."""
        return {"role": self.role, "text": self.text, **({"pictures": list(self.pictures)} if self.pictures else {})}

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Message:
        """Return the message of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        pictures = parse_list(text, row["pictures"], row.name("pictures")) if "pictures" in row else ()
        return cls(row.nonempty_text("role"), row.text("text"), pictures)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a language model, and its answer.

    Attributes:
        step: The number of actions of the leg before the request.
        messages: The messages since the request before; those before them were sent again.
        answer: The words of the answer.
        action: The action that was read from it; empty if it was unreadable.
        error: Why the answer was unreadable, such as "truncated" or "unknown action"; empty if it was not.
        input_tokens: The tokens of the prompt.
        output_tokens: The tokens of the answer.
        cost: The price in the currency of the run's prices; None if they are unknown.
        seconds: The time until the answer.
        attempts: How often the request was sent until it was answered.
    """

    step: int
    messages: tuple[Message, ...]
    answer: str
    action: str = ""
    error: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1

    def to_json(self) -> Json:
        """Return the JSON object."""
        return {
            "step": self.step,
            "messages": [message.to_json() for message in self.messages],
            "answer": self.answer,
            "action": self.action,
            **({"error": self.error} if self.error else {}),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            **({} if self.cost is None else {"cost": self.cost}),
            "seconds": self.seconds,
            "attempts": self.attempts,
        }

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> ModelCall:
        """Return the call of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        return cls(
            row.integer("step", 0),
            parse_list(Message.from_json, row["messages"], row.name("messages")),
            row.text("answer"),
            row.text("action"),
            row.text("error") if "error" in row else "",
            row.integer("input_tokens", 0),
            row.integer("output_tokens", 0),
            row.number("cost", 0) if "cost" in row else None,
            row.number("seconds", 0),
            row.integer("attempts", 1),
        )
