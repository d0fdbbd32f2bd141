"""Benchmark of language models as agents: many episodes at once against a slow server, and a replay without one."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bearleft.agents.llm.agent import LanguageModelAgent, LanguageModelOptions
from bearleft.agents.llm.client import OpenAIModel
from bearleft.agents.llm.requests import Model
from bearleft.agents.llm.responses import ResponseFile
from bearleft.agents.llm.scripted import Reply, ScriptedServer
from bearleft.bench.harness import BenchResult, describe_machine
from bearleft.envs.legs import EnvOptions
from bearleft.evaluation.evaluate import evaluate

DATASET = "city/touchdown/small"
LATENCY = 1.0  # seconds of the server
STEPS = 5  # requests of each episode
ALONE, AT_ONCE = 1, 16
EPISODES = {ALONE: 4, AT_ONCE: 48}


def language_models(latency: float = LATENCY) -> BenchResult:
    """Run `bearleft bench llm`: walks of 5 requests each, one and 16 episodes at a time."""
    rows: list[dict[str, Any]] = []
    options = EnvOptions(horizon=STEPS)
    with (
        tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder,
        ScriptedServer(lambda _: Reply("ACTION: forward", seconds=latency)) as server,
    ):

        def play(concurrency: int, name: str, model: Model | None) -> float:
            answers = ResponseFile(Path(folder) / f"{concurrency}.answers.jsonl", replay=model is None)
            chosen = LanguageModelOptions(concurrency=concurrency)
            agent = LanguageModelAgent("scripted", model, chosen, server.url, answers)
            output, limit = Path(folder) / name, EPISODES[concurrency]
            return _seconds(lambda: evaluate(agent, DATASET, output, options=options, limit=limit))

        _warm_up(server.url, options)
        seconds = {}
        for concurrency, episodes in EPISODES.items():
            seconds[concurrency] = play(concurrency, f"{concurrency}.jsonl", OpenAIModel(server.url)) / episodes
            rows.append(_row(f"{concurrency} at once", episodes, seconds[concurrency]))
        replay = play(AT_ONCE, "replay.jsonl", None)
        rows.append(_row("replay", EPISODES[AT_ONCE], replay / EPISODES[AT_ONCE]))
        same = (Path(folder) / "replay.jsonl").read_bytes() == (Path(folder) / f"{AT_ONCE}.jsonl").read_bytes()
        if not same:
            raise RuntimeError("the replay's traces differ from the run's")
    ratio = seconds[ALONE] / seconds[AT_ONCE]
    remarks = [
        f"{AT_ONCE} episodes at once are {ratio:.1f} times as fast as one; each request waits {latency:g} s.",
        "The replay's traces equal the run's byte for byte.",
        describe_machine(),
    ]
    return BenchResult(rows, remarks)


def _warm_up(url: str, options: EnvOptions) -> None:
    """Load scenes and compile, without waiting: by a model in this process; import the client."""
    from bearleft.agents.llm.requests import in_process

    agent = LanguageModelAgent("scripted", in_process(lambda _: "ACTION: forward"))
    evaluate(agent, DATASET, options=options, limit=max(EPISODES.values()))
    OpenAIModel(url)._open()


def _row(name: str, episodes: int, seconds: float) -> dict[str, Any]:
    return {
        "name": name,
        "episodes": episodes,
        "requests": episodes * STEPS,
        "seconds_per_episode": seconds,
        "requests_per_second": STEPS / seconds,
    }


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
