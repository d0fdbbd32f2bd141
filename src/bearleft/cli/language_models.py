"""Options of `bearleft eval llm:MODEL`, and the agent that they make."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bearleft.cli.common import NON_NEGATIVE, POSITIVE
from bearleft.errors import InputError, format_value

if TYPE_CHECKING:
    from bearleft.agents.llm.agent import LanguageModelAgent
    from bearleft.world.pictures import PictureOptions

PREFIX = "llm:"
ABOVE_0 = click.FloatRange(min=0, min_open=True)
FROM_0 = click.FloatRange(min=0)
F = TypeVar("F", bound=Callable[..., Any])
# Each option of a language model; all are None unless they are given.
OPTIONS: tuple[tuple[str, Any, str, str], ...] = (
    ("--base-url", str, "URL", "address of an OpenAI-compatible endpoint (default: $OPENAI_BASE_URL, or OpenAI's)."),
    ("--key-variable", str, "NAME", "environment variable that holds the key (default OPENAI_API_KEY)."),
    ("--observe", click.Choice(("words", "pictures", "both")), "", "what it sees (default words; --see: pictures)."),
    ("--landmarks", str, "text|none|FILE.py", "landmarks in words: objects that the text names, none, or those of your"
        " detector (default text)."),
    ("--shots", NON_NEGATIVE, "", "solved examples in the prompt (default 0)."),
    ("--prompts", str, "DIR", "your own prompt files instead of those of the same name."),
    ("--history", NON_NEGATIVE, "", "earlier observations that are sent again (default: all of the leg)."),
    ("--sampling", str, "JSON", 'settings sent with each request (default {"temperature": 0, "max_tokens": 512}).'),
    ("--ask-again", NON_NEGATIVE, "", "how often an unreadable answer is asked for again (default 1)."),
    ("--give-up", POSITIVE, "", "steps in a row without a readable answer that end a leg (default 3)."),
    ("--concurrency", POSITIVE, "", "episodes at once (default 8)."),
    ("--answers", str, "FILE", "the file of answers, which are never paid twice (default: FILE.answers.jsonl beside -o"
        " FILE.jsonl)."),
    ("--replay", str, "FILE", "take all answers from this file; send nothing, and need no key."),
    ("--budget-requests", POSITIVE, "", "stop when the file of answers holds so many requests."),
    ("--budget-tokens", POSITIVE, "", "stop at so many tokens."),
    ("--budget-money", ABOVE_0, "", "stop at this cost."),
    ("--price-in", FROM_0, "", "price of a million tokens of input."),
    ("--price-out", FROM_0, "", "price of a million tokens of output."),
    ("--timeout", ABOVE_0, "SECONDS", "time for each answer (default 120)."),
    ("--retries", NON_NEGATIVE, "", "further attempts after an error of the server (default 6)."),
    ("--requests-per-minute", ABOVE_0, "", "rate limit."),
    ("--tokens-per-minute", ABOVE_0, "", "rate limit."),
)  # fmt: skip
MODEL_OPTIONS = ("timeout", "retries")


def language_model_options(command: F) -> F:
    """Add the options of language models to a command, which gets them as keywords."""
    for flag, kind, metavar, text in reversed(OPTIONS):
        extra = {"metavar": metavar} if metavar else {}
        command = click.option(flag, type=kind, help=f"llm:MODEL: {text}", **extra)(command)
    return command


def option_names() -> tuple[str, ...]:
    """Return the names of the keywords."""
    return tuple(flag.removeprefix("--").replace("-", "_") for flag, *_ in OPTIONS)


def check_unused(agent: str, options: dict[str, Any]) -> None:
    """Raise InputError for an option of language models with another agent."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"--{name.replace('_', '-')} with llm:MODEL", f"with {format_value(agent)}")


def answers_file(output: str) -> Path:
    """Return the file of answers beside a file of traces."""
    path = Path(output)
    return path.with_name(f"{path.name.removesuffix('.jsonl')}.answers.jsonl")


def make_language_model(
    agent: str,
    output: str,
    options: dict[str, Any],
    pictures: PictureOptions | None,
    city: int | None,
    data: str | None,
) -> LanguageModelAgent:
    """Return the agent of a language model.

    Args:
        agent: The agent's name, "llm:MODEL".
        output: The file of traces.
        options: The options of OPTIONS by name; None where none is given.
        pictures: The options of pictures in observations.
        city: Seed of the city on streets without buildings.
        data: Folder of the datasets.
    """
    from bearleft.agents.llm.agent import LanguageModelAgent, LanguageModelOptions
    from bearleft.agents.llm.budget import Limits, Prices, RateLimit
    from bearleft.agents.llm.client import DEFAULT_URL, URL_VARIABLE, OpenAIModel, check_url
    from bearleft.agents.llm.responses import ResponseFile
    from bearleft.agents.registry import model_name

    name = model_name(agent)
    given = {key: value for key, value in options.items() if value is not None}
    observe = given.get("observe", "pictures" if pictures is not None else "words")
    if observe != "words" and pictures is None:
        raise InputError(f"--see view or --see panorama, to observe {observe}", "none")
    asked: dict[str, Any] = {
        key: given[key]
        for key in ("landmarks", "shots", "prompts", "history", "ask_again", "give_up", "concurrency")
        if key in given
    }
    if "sampling" in given:
        asked["sampling"] = _parse_sampling(given["sampling"])
    model_options = LanguageModelOptions(
        observe=observe, city=city, fov=float((pictures or {}).get("fov", 90.0)), **asked
    )
    prices = Prices(given.get("price_in"), given.get("price_out"))
    limits = Limits(given.get("budget_requests"), given.get("budget_tokens"), given.get("budget_money"))
    if "replay" in given and "answers" in given:
        raise InputError("a file of answers or one to replay", "both")
    if "replay" in given:
        url = check_url(given.get("base_url") or os.environ.get(URL_VARIABLE) or DEFAULT_URL)
        responses = ResponseFile(given["replay"], replay=True)
        return LanguageModelAgent(name, None, model_options, url, responses, Limits(), prices, data)
    rate = RateLimit(given.get("requests_per_minute"), given.get("tokens_per_minute"))
    key = {"key_variable": given["key_variable"]} if "key_variable" in given else {}
    tuned = {key: given[key] for key in MODEL_OPTIONS if key in given}
    model = OpenAIModel.from_environment(given.get("base_url"), **key, rate=rate, **tuned)
    responses = ResponseFile(given.get("answers") or answers_file(output))
    try:
        return LanguageModelAgent(name, model, model_options, model.url, responses, limits, prices, data)
    except BaseException:
        responses.close()
        raise


def _parse_sampling(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or {"model", "messages", "stream"} & set(value):
        expected = 'an object in JSON, such as {"temperature": 0}, without model, messages and stream'
        raise InputError(expected, format_value(text), "sampling")
    return value
