"""What language models cost: requests, tokens, money and time of a file of traces, and per success."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from bearleft.evaluation.predictions import read_predictions
from bearleft.metrics.trace_values import MetricValues
from bearleft.records import REFUSED, Episode, Trace

LANGUAGE_MODEL_PREFIX = "llm:"  # of the names of agents whose traces have costs
# The papers' metrics that say whether a leg succeeded.
SUCCESS_METRICS = ("TC", "SR", "A@40px", "Found@40px", "Acc@11deg", "CTC-3", "PTC")


def cost_rows(
    file: str, agents: Iterable[str], dataset: str, episodes: list[Episode], values: MetricValues
) -> Iterator[dict[str, Any]]:
    """Yield a row of costs for each metric of success that a file of traces of language models has.

    Costs and steps per success are those of all episodes, divided by the number of successes.

    Args:
        file: The file.
        agents: The names of the agents in it.
        dataset: The name of the dataset.
        episodes: Its episodes.
        values: The values of the metrics.
    """
    if not any(agent.startswith(LANGUAGE_MODEL_PREFIX) for agent in agents):
        return
    totals = total_costs(read_predictions(file, dataset, episodes))
    for metric in SUCCESS_METRICS:
        if metric not in values.by_metric:
            continue
        successes = float(values.by_metric[metric].numbers.sum())
        per_success = {
            f"{name}_per_success": totals[name] / successes if successes and totals[name] is not None else None
            for name in ("cost", "steps", "requests")
        }
        yield {"kind": "cost", "file": file, "metric": metric, "successes": successes, **totals, **per_success}


def total_costs(traces: Iterable[Trace]) -> dict[str, Any]:
    """Return the sums over traces: steps, requests, tokens, cost, seconds, and unreadable answers by their name."""
    counts: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    cost: float | None = 0.0
    seconds = 0.0
    for trace in traces:
        counts["episodes"] += 1
        for leg in trace.legs:
            counts["steps"] += len(leg.actions)
            counts["given_up"] += leg.actions.count(REFUSED) if leg.calls else 0
            for call in leg.calls:
                counts["requests"] += call.attempts
                counts["input_tokens"] += call.input_tokens
                counts["output_tokens"] += call.output_tokens
                seconds += call.seconds
                cost = None if cost is None or call.cost is None else cost + call.cost
                if call.error:
                    errors[call.error] += 1
    names = ("episodes", "steps", "requests", "input_tokens", "output_tokens")
    return {
        **{name: counts[name] for name in names},
        "cost": cost,
        "seconds": round(seconds, 3),
        "unreadable": errors.total(),
        "unreadable_names": ", ".join(f"{name} {count}" for name, count in sorted(errors.items())),
        "steps_without_action": counts["given_up"],
    }
