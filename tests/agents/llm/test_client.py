"""Requests to an endpoint: retries, time-outs, budgets, stored answers, and keys that are written nowhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bearleft.agents.llm.budget import Budget, Limits, Prices, RateLimit
from bearleft.agents.llm.client import MAX_RESPONSE_BYTES, OpenAIModel, check_url, read_response
from bearleft.agents.llm.requests import ChatAnswer, ChatRequest
from bearleft.agents.llm.responses import ResponseFile
from bearleft.agents.llm.scripted import Reply, ScriptedServer
from bearleft.errors import InputError

KEY = "sk-secret-0123456789"
Messages = list[dict[str, Any]]


def ask(script: Callable[[Messages], str | Reply], retries: int = 2, timeout: float = 5.0) -> ChatAnswer:
    async def once(url: str) -> ChatAnswer:
        model = OpenAIModel(url, KEY, timeout, retries, first_delay=0.001)
        try:
            return await model(ChatRequest("m", url, [{"role": "user", "content": "hello"}], {"temperature": 0}))
        finally:
            await model.close()

    with ScriptedServer(script) as server:
        answer = asyncio.run(once(server.url))
        assert server.keys == {f"Bearer {KEY}"}
        assert all(row["temperature"] == 0 and row["model"] == "m" for row in server.requests)
        return answer


def in_turn(*replies: str | Reply) -> Callable[[Messages], str | Reply]:
    remaining = list(replies)
    return lambda _: remaining.pop(0)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=429, headers={"Retry-After": "0.01"}, body=b"{}"),
        Reply(status=500, body=b"<html>"),
        Reply(status=503, body=b""),
        Reply("a long answer, of which only half arrives", cut=True),
        Reply(body=b'{"choices": []}'),
        Reply(body=b"[" * 100_000),
        Reply(body=b'{"choices": [{"message": null}]}'),
        Reply(body=b" " * (MAX_RESPONSE_BYTES + 1)),
    ],
    ids=["429", "500", "503", "cut", "no choices", "deep", "no message", "huge"],
)
def test_errors_of_the_server_are_retried(reply: Reply) -> None:
    answer = ask(in_turn(reply, "yes"))
    assert (answer.text, answer.attempts, answer.finish) == ("yes", 2, "stop")
    assert answer.input_tokens == len("hello") // 4


def test_a_slow_answer_is_asked_for_again() -> None:
    assert ask(in_turn(Reply("late", seconds=1.0), "in time"), timeout=0.3).text == "in time"


def test_a_server_that_never_answers_stops_the_run() -> None:
    with pytest.raises(InputError, match=r"HTTP 500, in 3 attempts.*Every answer so far is stored"):
        ask(lambda _: Reply(status=500, body=b"{}"))


def test_a_wrong_key_is_said_at_once_and_not_repeated() -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}}).encode()
    with pytest.raises(InputError) as error:
        ask(in_turn(Reply(status=401, body=body)))
    assert "Incorrect API key provided: <key>" in str(error.value) and KEY not in str(error.value)


def test_a_prompt_that_is_too_long_is_an_unreadable_answer() -> None:
    body = json.dumps({"error": {"message": "too long", "code": "context_length_exceeded"}}).encode()
    assert ask(in_turn(Reply(status=400, body=body))).finish == "rejected"


def test_no_server_stops_the_run() -> None:
    model = OpenAIModel("http://127.0.0.1:9/v1", retries=1, first_delay=0.001)
    with pytest.raises(InputError, match="in 2 attempts"):
        asyncio.run(model(ChatRequest("m", model.url, [])))


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://host/v1", "http://user:secret@host/v1", "http://h/?key=1"]
)
def test_addresses_with_keys_are_refused(url: str) -> None:
    with pytest.raises(InputError):
        check_url(url)


def test_openai_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        OpenAIModel.from_environment()
    assert OpenAIModel.from_environment("http://localhost:8000/v1/").url == "http://localhost:8000/v1"


def test_responses_of_other_servers() -> None:
    parts = {"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}
    assert read_response(json.dumps({"choices": [parts]}).encode()) == ChatAnswer("ab")
    refused = {"message": {"content": None, "refusal": "I cannot"}, "finish_reason": "stop"}
    assert read_response(json.dumps({"choices": [refused]}).encode()) == ChatAnswer("I cannot", "refusal")
    counts = {"prompt_tokens": -1, "completion_tokens": "7"}
    row = {"choices": [{"message": {"content": "\ud800"}, "finish_reason": 7}], "usage": counts}
    assert read_response(json.dumps(row).encode()) == ChatAnswer("?")


def test_keys_of_requests_depend_on_all_that_is_sent() -> None:
    one = ChatRequest("m", "u", [{"role": "user", "content": "x"}], {"temperature": 0})
    others = [
        ChatRequest("n", "u", one.messages, one.sampling),
        ChatRequest("m", "v", one.messages, one.sampling),
        ChatRequest("m", "u", [{"role": "user", "content": "y"}], one.sampling),
        ChatRequest("m", "u", one.messages, {"temperature": 1}),
    ]
    assert len({request.key for request in (one, *others)}) == 5
    assert one.key == ChatRequest("m", "u", [{"content": "x", "role": "user"}], {"temperature": 0}).key


def test_stored_answers_survive_a_killed_run(tmp_path: Path) -> None:
    path, request, answer = tmp_path / "a.jsonl", ChatRequest("m", "u", []), ChatAnswer("é", "stop", 5, 2, 0.25, 3)
    stored = ResponseFile(path)
    stored.add(request, answer)
    with pytest.raises(InputError, match="in use"):
        ResponseFile(path)
    stored.close()
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])  # killed while it wrote
    again = ResponseFile(path)
    assert again.get(request) == answer and path.read_bytes() == whole
    again.close()
    replayed = ResponseFile(path, replay=True)
    assert replayed.get(request) == answer
    with pytest.raises(InputError, match="an answer to every request"):
        replayed.get(ChatRequest("other", "u", []))
    path.write_bytes(b"not JSON\n" + whole)
    with pytest.raises(InputError, match=r"a\.jsonl:1"):
        ResponseFile(path)
    with pytest.raises(InputError, match="replay"):
        ResponseFile(tmp_path / "none.jsonl", replay=True)


def test_budgets_count_what_is_under_way() -> None:
    budget = Budget(Limits(requests=3), Prices())
    budget.spend(ChatAnswer("", attempts=2))
    assert budget.exhausted() is None
    budget.under_way = 1
    assert "requests above 3" in str(budget.exhausted())
    tokens = Budget(Limits(tokens=100), Prices(), [ChatAnswer("", "stop", 40, 9)])
    assert tokens.exhausted() is None
    tokens.under_way = 2
    assert "49 spent" in str(tokens.exhausted())
    money = Budget(Limits(money=0.5), Prices(2, 8), [ChatAnswer("", "stop", 100_000, 50_000)])
    assert money.money == pytest.approx(0.6) and "0.6000 spent" in str(money.exhausted())
    with pytest.raises(InputError, match="prices"):
        Budget(Limits(money=1), Prices())
    with pytest.raises(InputError, match="input and output"):
        Prices(1)


def test_rate_limits_space_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    now = [100.0]

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        now[0] += seconds

    monkeypatch.setattr("bearleft.agents.llm.budget.time.monotonic", lambda: now[0])
    monkeypatch.setattr("bearleft.agents.llm.budget.asyncio.sleep", sleep)

    async def send() -> None:
        rate = RateLimit(requests_per_minute=30, tokens_per_minute=6000)
        for _ in range(3):
            await rate.wait()
        rate.used(500)
        await rate.wait()
        rate.pause(60)
        await rate.wait()

    asyncio.run(send())
    assert slept == [2, 2, 7, 60]
