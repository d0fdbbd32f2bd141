"""Traces and scores as a log of Inspect (inspect_ai), version 2 of its EvalLog in JSON."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bearleft.data import open_dataset
from bearleft.errors import InputError
from bearleft.evaluation.costs import LANGUAGE_MODEL_PREFIX
from bearleft.evaluation.score import Scores, trace_dataset
from bearleft.evaluation.trace_files import read_trace
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Reach, Trace, check_goals
from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import atomic_write
from bearleft.types import DataFolder
from bearleft.version import VERSION

LOG_VERSION = 2


def write_inspect_log(
    path: str | os.PathLike[str], file: str | os.PathLike[str], scores: Scores, data: DataFolder = None
) -> None:
    """Write a file of traces and its scores as a log of Inspect.

    Args:
        path: The log to write; its name ends with .json.
        file: The file of traces.
        scores: Its scores, with those of episodes.
        data: The folder of real datasets.

    Raises:
        InputError: The name ends otherwise, or the file holds no traces of bearleft.
    """
    check_log_name(path)
    dataset = trace_dataset(file)
    if dataset is None:
        raise InputError("traces of bearleft", "predictions of another program", file=str(file))
    opened = open_dataset(dataset, data)
    episodes = {episode.id: episode for episode in opened}
    check_goals(episodes.values(), "which a log of Inspect holds as targets")
    with open(file, "rb") as lines:
        traces = [read_trace(line, Path(file), number) for number, line in enumerate(lines, 1)]
    log = _log(Path(file), dataset, [trace for trace in traces if trace.episode in episodes], episodes, scores)
    with atomic_write(path) as stream:
        json.dump(log, stream, ensure_ascii=False, indent=1)


def check_log_name(path: str | os.PathLike[str]) -> None:
    """Raise InputError if the name of a log does not end with .json, by which Inspect knows it."""
    if Path(path).suffix != ".json":
        raise InputError("a log whose name ends with .json", Path(path).name)


def _log(
    file: Path, dataset: str, traces: Sequence[Trace], episodes: Mapping[str, Episode], scores: Scores
) -> dict[str, Json]:
    time = datetime.fromtimestamp(int(file.stat().st_mtime), UTC).isoformat()
    agent = traces[0].agent if traces else "none"
    model = agent.removeprefix(LANGUAGE_MODEL_PREFIX).partition("[")[0]
    by_trace = _scores_by_trace(scores)
    epochs: Counter[str] = Counter()
    samples = []
    for trace in traces:
        epochs[trace.episode] += 1
        values = by_trace.get((trace.episode, trace.seed), {})
        samples.append(_sample(trace, episodes[trace.episode], epochs[trace.episode], values, model))
    usage = _usage([leg for trace in traces for leg in trace.legs])
    return {
        "version": LOG_VERSION,
        "status": "success",
        "eval": {
            "created": time,
            "task": dataset,
            "task_id": dataset,
            "run_id": f"{agent} {traces[0].seed if traces else 0}",
            "eval_id": file.name,
            "dataset": {
                "name": dataset,
                "samples": len(episodes),
                "sample_ids": [trace.episode for trace in traces],
                "shuffled": False,
            },
            "model": model,
            "config": {"epochs": max(epochs.values(), default=1)},
            "packages": {"bearleft": VERSION},
            "metadata": {"agent": agent, "sha256": traces[0].sha256 if traces else ""},
        },
        "plan": {"name": "plan", "steps": []},
        "results": {
            "total_samples": len(traces),
            "completed_samples": len(traces),
            "scores": [
                {
                    "name": row["metric"],
                    "scorer": f"{row['convention']}/{row['metric']}",
                    "metrics": {"mean": {"name": "mean", "value": row["value"]}},
                    "metadata": {name: row[name] for name in ("low", "high", "unit", "n", "convention")},
                }
                for row in scores.rows
            ],
        },
        "stats": {"started_at": time, "completed_at": time, "model_usage": {model: usage}},
        "samples": samples,
    }


def _scores_by_trace(scores: Scores) -> dict[tuple[str, int], dict[str, Json]]:
    """Return the values of each episode and seed, by metric; of a leg after the first, with its number."""
    facts = {"file", "episode", "seed", "leg", "convention", "impossible"}
    values: dict[tuple[str, int], dict[str, Json]] = {}
    for row in scores.episodes:
        named = values.setdefault((row["episode"], row["seed"]), {})
        for name, value in row.items():
            if name not in facts and value is not None:
                named.setdefault(f"{name} of leg {row['leg'] + 1}" if row["leg"] and name in named else name, value)
    return values


def _sample(trace: Trace, episode: Episode, epoch: int, values: Mapping[str, Json], model: str) -> dict[str, Json]:
    messages = list(_messages(trace.legs))
    answers = [message["content"] for message in messages if message["role"] == "assistant"]
    final = {"role": "assistant", "content": answers[-1] if answers else "", "source": "generate", "model": model}
    seconds = sum(call.seconds for leg in trace.legs for call in leg.calls)
    usage = _usage(trace.legs)
    return {
        "id": trace.episode,
        "epoch": epoch,
        "input": "\n\n".join(leg.text for leg in episode.legs),
        "target": [_target(episode, k) for k in range(len(episode.legs))],
        "messages": messages,
        "output": {
            "model": model,
            "choices": [{"message": final, "stop_reason": "stop"}],
            "usage": usage,
            "time": seconds,
        },
        "scores": {name: {"value": value, "answer": _answer(trace.legs)} for name, value in values.items()},
        "metadata": {
            "world": episode.world,
            "seed": trace.seed,
            "actions": [list(leg.actions) for leg in trace.legs],
            "unreadable": [call.error for leg in trace.legs for call in leg.calls if call.error],
        },
        "model_usage": {model: usage},
        "total_time": seconds,
        "turn_count": len(answers),
    }


def _messages(legs: Sequence[LegTrace]) -> Iterator[dict[str, Json]]:
    """Yield the conversation of all legs; pictures are named by their hashes."""
    for leg in legs:
        for call in leg.calls:
            for message in call.messages:
                pictures = "".join(f"\n[picture {picture}]" for picture in message.pictures)
                yield {"role": message.role, "content": message.text + pictures}
            yield {"role": "assistant", "content": call.answer, "source": "generate"}


def _usage(legs: Sequence[LegTrace]) -> dict[str, Json]:
    calls = [call for leg in legs for call in leg.calls]
    tokens = sum(call.input_tokens for call in calls), sum(call.output_tokens for call in calls)
    costs = [call.cost for call in calls]
    known = [cost for cost in costs if cost is not None]
    usage: dict[str, Json] = {"input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)}
    return usage | ({"total_cost": sum(known)} if calls and len(known) == len(calls) else {})


def _target(episode: Episode, leg: int) -> str:
    goal = episode.legs[leg].goal
    if isinstance(goal, Reach):
        return goal.route[-1]
    if isinstance(goal, Point):
        return _direction(goal.direction)
    return goal.item if isinstance(goal, Collect) else f"cell {list(goal.cell)}"


def _answer(legs: Sequence[LegTrace]) -> str:
    leg = legs[-1] if legs else LegTrace()
    if isinstance(leg.answer, Direction):
        return _direction(leg.answer)
    if leg.answer is not None:
        return f"cell {list(leg.answer)}" if isinstance(leg.answer, tuple) else leg.answer
    return str(leg.path[-1]) if leg.path else ""


def _direction(look: Direction) -> str:
    return f"heading {look.heading:.1f}, pitch {look.pitch:.1f}"
