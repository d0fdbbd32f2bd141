"""Language models on all tasks, against a server that answers well and badly; killed runs; replays."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bearleft import evaluate, score
from bearleft.agents.llm import (
    LanguageModelAgent,
    LanguageModelOptions,
    Limits,
    OpenAIModel,
    Prices,
    ResponseFile,
    in_process,
)
from bearleft.agents.llm.requests import ChatRequest
from bearleft.agents.llm.scripted import Reply, ScriptedServer, words_of
from bearleft.cli import main
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.records import Direction, Trace, to_json_line

TASKS = (
    "city/touchdown/small",
    "city/sdr/small",
    "city/touchdown-complete/small",
    "city/refer360/small",
    "city/arramon/small",
)
SHORT = EnvOptions(horizon=6, look_horizon=12, collect_horizon=8, assemble_horizon=6)
Messages = list[dict[str, Any]]
GOOD = {
    "walk along streets": "ACTION: forward",
    "point once": "ACTION: direction 120 -5",
    "turn your view": "ACTION: next",
    "pick it up": "ACTION: forward",
    "room of 5 columns": "Three turns make a quarter.\nACTION: place",
}
BAD = (
    "",
    "I cannot see anything.",
    "ACTION: fly",
    "ACTION: left\nACTION: right",
    "\x1b[31m</script>\u202e" + "A" * 30_000,
)


def good(messages: Messages) -> str:
    return next(answer for words, answer in GOOD.items() if words in words_of(messages[0]))


class Misbehaving:
    """Fails most requests once or twice, by their hash, before it answers; some answers are unreadable."""

    def __init__(self) -> None:
        self.attempts: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def __call__(self, messages: Messages) -> str | Reply:
        digest = hashlib.sha256(json.dumps(messages).encode()).digest()
        self.attempts[digest.hex()] += 1
        failures: tuple[tuple[str, Reply], ...] = (
            ("429", Reply(status=429, headers={"Retry-After": "0.001"}, body=b'{"error": {"message": "slow down"}}')),
            ("500", Reply(status=500, body=b"\x00" * 100)),
            ("cut", Reply(good(messages), cut=True)),
            ("malformed", Reply(body=b"{'choices': nothing}")),
        )
        if self.attempts[digest.hex()] == 1 and digest[0] % 2:
            kind, reply = failures[digest[1] % len(failures)]
            self.kinds[kind] += 1
            return reply
        if digest[2] % 4 == 0:
            self.kinds["unreadable"] += 1
            return BAD[digest[3] % len(BAD)]
        if digest[2] % 16 == 1:
            self.kinds["truncated"] += 1
            return Reply(good(messages)[:-3], "length")
        self.kinds["good"] += 1
        return good(messages)


def make_agent(url: str, answers: Path, limits: Limits | None = None, **options: Any) -> LanguageModelAgent:
    model = OpenAIModel(url, timeout=60, first_delay=0.001)
    chosen = LanguageModelOptions(concurrency=options.pop("concurrency", 4), **options)
    return LanguageModelAgent("m", model, chosen, url, ResponseFile(answers), limits, Prices(1, 4))


def replayed(url: str, answers: Path, **options: Any) -> LanguageModelAgent:
    chosen = LanguageModelOptions(**options)
    return LanguageModelAgent("m", None, chosen, url, ResponseFile(answers, replay=True), prices=Prices(1, 4))


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("dataset", TASKS)
def test_all_tasks_are_played_against_a_misbehaving_server(dataset: str, tmp_path: Path) -> None:
    script = Misbehaving()
    with ScriptedServer(script) as server:
        agent = make_agent(server.url, tmp_path / "a.jsonl")
        traces = evaluate(agent, f"{dataset}@3", tmp_path / "t.jsonl", options=SHORT)
        url = server.url
    assert script.kinds["good"] and sum(script.kinds.values()) > script.kinds["good"]
    calls = [call for trace in traces for leg in trace.legs for call in leg.calls]
    assert all(leg.calls for trace in traces for leg in trace.legs)
    assert all(bool(call.action) != bool(call.error) for call in calls)
    # Unreadable answers are counted by name, and take no step.
    for trace in traces:
        for leg in trace.legs:
            read = [call.action for call in leg.calls if call.action in ("forward", "left", "right")]
            assert [action for action in leg.actions if action in ("forward", "left", "right")] == read
    costs = score(tmp_path / "t.jsonl").costs
    assert costs and costs[0]["unreadable"] == sum(bool(call.error) for call in calls)
    assert costs[0]["requests"] == sum(call.attempts for call in calls) and costs[0]["cost"] > 0
    # Without the server, the same answers make the same bytes.
    evaluate(replayed(url, tmp_path / "a.jsonl"), f"{dataset}@3", tmp_path / "again.jsonl", options=SHORT)
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "t.jsonl").read_bytes()


def test_a_leg_without_readable_answers_is_given_up_and_no_step_is_invented(tmp_path: Path) -> None:
    asked: list[Messages] = []

    def mute(messages: Messages) -> str:
        asked.append(messages)
        return "hm"

    options = LanguageModelOptions(ask_again=1, give_up=2)
    (trace,) = evaluate(LanguageModelAgent("mute", in_process(mute), options), TASKS[2], options=SHORT, limit=1)
    walk, point = trace.legs
    assert walk.actions == ("refused",) * 6 and len(set(walk.path)) == 1
    assert [call.error for call in walk.calls] == ["no action"] * 4  # two steps, each asked twice
    assert point.actions == ("refused",) and point.answer is None and len(point.calls) == 2
    assert "could not be used: no action" in words_of(asked[1][-1])
    path = tmp_path / "t.jsonl"
    path.write_text(to_json_line(trace) + "\n")
    (row,) = [row for row in score(path).costs if row["metric"] == "TC"]
    assert row["unreadable_names"] == "no action 6" and row["steps_without_action"] == 7
    assert row["successes"] == 0 and row["cost_per_success"] is None


@pytest.mark.slow
def test_a_budget_stops_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    data, answers, output = "city/touchdown/small@4", tmp_path / "a.jsonl", tmp_path / "t.jsonl"
    with ScriptedServer(good) as server:
        with pytest.raises(InputError, match=r"a\.jsonl: expected a budget of requests above 10, got 10 spent.*larger"):
            evaluate(make_agent(server.url, answers, Limits(requests=10)), data, output, options=SHORT)
        assert len(server.requests) == 10 == len(answers.read_text().splitlines())
        with pytest.raises(InputError, match="budget of requests above 10"):
            evaluate(make_agent(server.url, answers, Limits(requests=10)), data, output, options=SHORT)
        assert len(server.requests) == 10
        evaluate(make_agent(server.url, answers, Limits(requests=99)), data, output, options=SHORT)
        assert len(server.requests) == 4 * 6
        whole = tmp_path / "whole.jsonl"
        evaluate(replayed(server.url, answers), data, whole, options=SHORT)
    assert output.read_bytes() == whole.read_bytes()


def test_a_failing_server_stops_the_run_and_keeps_what_was_paid(tmp_path: Path) -> None:
    count = Counter[str]()

    def script(messages: Messages) -> str | Reply:
        count["all"] += 1
        return good(messages) if count["all"] <= 8 else Reply(status=401, body=b'{"error": {"message": "no credit"}}')

    with ScriptedServer(script) as server, pytest.raises(InputError, match="no credit"):
        evaluate(
            make_agent(server.url, tmp_path / "a.jsonl"),
            "city/touchdown/small@4",
            tmp_path / "t.jsonl",
            options=SHORT,
        )
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 8


RUN = """
import sys
from bearleft.cli import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_a_killed_run_resumes_without_paying_twice(tmp_path: Path) -> None:
    data, output = "city/touchdown/small@6", tmp_path / "t.jsonl"
    answers = tmp_path / "t.answers.jsonl"

    def script(messages: Messages) -> Reply:
        return Reply(good(messages), seconds=0.02)

    with ScriptedServer(script) as server:
        command = [
            "eval",
            "llm:m",
            data,
            "-o",
            str(output),
            "--base-url",
            server.url,
            "--concurrency",
            "3",
            "--horizon",
            "8",
        ]
        secret = {"OPENAI_API_KEY": "sk-secret-42"}
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, *command], env=os.environ | secret, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and len(server.requests) < 12:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        stored = [
            json.loads(line)["key"] for line in answers.read_text().splitlines(keepends=True) if line.endswith("\n")
        ]
        before = len(server.requests)
        assert stored and before < 6 * 8
        assert run_cli(command) == 0
        asked = Counter(request_key(server.url, row) for row in server.requests)
        assert all(asked[key] == 1 for key in stored)
        assert sum(asked.values()) - len(asked) <= 3  # only those under way when it was killed
        assert len(output.read_text().splitlines()) == 6
        assert run_cli([*command[:3], "-o", str(tmp_path / "r.jsonl"), *command[5:], "--replay", str(answers)]) == 0
    assert (tmp_path / "r.jsonl").read_bytes() == output.read_bytes()
    assert all(b"sk-secret" not in path.read_bytes() for path in tmp_path.iterdir())


def run_cli(arguments: list[str]) -> int:
    try:
        main(arguments)
    except SystemExit as error:
        return int(error.code or 0)
    return 0


def request_key(url: str, row: dict[str, Any]) -> str:
    sampling = {name: value for name, value in row.items() if name not in ("model", "messages")}
    return ChatRequest(row["model"], url, row["messages"], sampling).key


@pytest.mark.slow
def test_pictures_with_numbered_marks_and_pixels() -> None:
    seen: list[Messages] = []

    def script(messages: Messages) -> str:
        seen.append(messages)
        return "ACTION: pixel 256 128" if len(seen) == 1 else "ACTION: mark 1"

    options = LanguageModelOptions(observe="both", concurrency=1)
    agent = LanguageModelAgent("eyes", in_process(script), options)
    pictures: Any = {"see": "panorama", "shadows": False}
    first, second = evaluate(agent, "city/sdr/small", limit=2, pictures=pictures)
    content = seen[0][-1]["content"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert "Marks in the picture:" in content[0]["text"]
    assert "observe=both" in first.agent and "see=panorama" in first.agent
    # The middle of the panorama is its yaw, on the horizon.
    answer = first.legs[0].answer
    assert isinstance(answer, Direction) and abs(answer.pitch) < 0.5
    assert first.legs[0].calls[0].messages[-1].pictures[0] != second.legs[0].calls[0].messages[-1].pictures[0]
    assert first.legs[0].calls[0].action == "pixel 256 128" and second.legs[0].calls[0].action == "mark 1"


def test_options_of_language_models_are_refused_with_other_agents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases: tuple[tuple[list[str], str], ...] = (
        (["stop", "--shots", "1"], "--shots with llm:MODEL"),
        (["llm:", "--base-url", "http://localhost:1/v1"], "the name of a model"),
        (["llm:m", "--base-url", "http://localhost:1/v1", "--observe", "pictures"], "--see"),
        (["llm:m", "--base-url", "http://localhost:1/v1", "--budget-money", "1"], "prices"),
        (["llm:m", "--base-url", "http://localhost:1/v1", "--sampling", "[]"], "an object in JSON"),
        (["llm:m", "--base-url", "http://localhost:1/v1", "--landmarks", "no.py"], "detector"),
        (["llm:m", "--base-url", "http://localhost:1/v1", "--features", "x"], "--features"),
    )
    for arguments, message in cases:
        assert run_cli(["eval", arguments[0], "town/dev@1", "-o", f"{tmp_path}/t.jsonl", *arguments[1:]]) == 2
        assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_with_a_loop_of_its_own_plays_the_same() -> None:
    options = LanguageModelOptions(landmarks="none")

    def play() -> list[Trace]:
        return evaluate(LanguageModelAgent("m", in_process(good), options), "town/dev", options=SHORT, limit=2)

    async def in_a_loop() -> list[Trace]:
        return play()

    assert asyncio.run(in_a_loop()) == play()


def test_history_shots_and_own_prompts(tmp_path: Path) -> None:
    asked: list[Messages] = []

    def script(messages: Messages) -> str:
        asked.append(messages)
        return "ACTION: forward"

    def play(**options: Any) -> Messages:
        asked.clear()
        agent = LanguageModelAgent("m", in_process(script), LanguageModelOptions(landmarks="none", **options))
        traces = evaluate(agent, "town/dev", options=SHORT, limit=1)
        labels.append(traces[0].agent)
        return asked[-1]

    labels: list[str] = []
    roles = [message["role"] for message in play()]
    assert roles == ["system", *["user", "assistant"] * 5, "user"]
    limited = play(history=1, shots=2)
    assert [message["role"] for message in limited] == ["system", *["user", "assistant"] * 3, "user"]
    assert words_of(limited[-1]).startswith("Instruction: ")
    (tmp_path / "reach.md").write_text("Walk as a bear does.")
    assert words_of(play(prompts=str(tmp_path))[0]).endswith("Walk as a bear does.")
    assert (
        labels[0].startswith("llm:m[landmarks=none,horizon=6,") and "history=1" in labels[1] and "prompts=" in labels[2]
    )
    (tmp_path / "reech.md").write_text("")
    with pytest.raises(InputError, match=r"reech\.md"):
        play(prompts=str(tmp_path))
    with pytest.raises(InputError, match="at most 2 examples"):
        play(shots=3)


def test_a_detector_of_your_own(tmp_path: Path) -> None:
    file = tmp_path / "detector.py"
    file.write_text(
        "from bearleft.agents.llm import Landmark\n"
        "def detect(episode, observation):\n"
        "    return [Landmark('red bear', observation['heading'] + 90, metres=7)]\n"
    )
    seen: list[str] = []

    def script(messages: Messages) -> str:
        seen.append(words_of(messages[-1]))
        return "ACTION: stop"

    def options(name: str) -> LanguageModelOptions:
        return LanguageModelOptions(landmarks=name)

    (trace,) = evaluate(LanguageModelAgent("m", in_process(script), options(str(file))), "town/dev", limit=1)
    assert "- red bear: [1] right (90° right, 7 m)" in seen[0]
    assert trace.legs[0].calls[0].messages[-1].text == seen[0]  # recorded in the trace
    with pytest.raises(InputError, match="--city SEED"):
        evaluate(LanguageModelAgent("m", in_process(script), options("text")), "town/dev", limit=1)
    file.write_text("def detect(episode, observation):\n    return ['bear']\n")
    with pytest.raises(InputError, match="a list of Landmark"):
        evaluate(LanguageModelAgent("m", in_process(script), options(str(file))), "town/dev", limit=1)
