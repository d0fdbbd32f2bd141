"""A metric of your own: how often an agent visits a place again.

bearleft eval random town/dev -o random.jsonl
bearleft score random.jsonl --metric TC --metric examples/own_metric.py
"""

from bearleft.metrics import TraceMetric


def revisits(_episode, trace):
    """Return the share of moves that lead to a place visited before; None if the agent did not move."""
    path = trace.legs[0].path
    places = [place for k, place in enumerate(path) if k == 0 or place != path[k - 1]]  # a turn repeats the place
    if len(places) < 2:
        return None
    return sum(place in places[:k] for k, place in enumerate(places)) / (len(places) - 1)


METRIC = TraceMetric(
    "Revisits",
    higher_is_better=False,
    unit="%",
    definition="The share of moves that lead to a place visited before.",
    percent=True,
    function=revisits,
)

if __name__ == "__main__":
    from bearleft import evaluate, score

    evaluate("random", "town/dev", "random.jsonl", limit=10)
    for row in score("random.jsonl", metrics=["TC", __file__]).rows:
        print(row["metric"], round(row["value"], 1), row["unit"])
