"""A metric of your own: how often an agent visits a place again. Score with it by its file:

bearleft eval random town/dev -o random.jsonl
bearleft score random.jsonl --metric TC --metric examples/own_metric.py
"""

from bearleft.metrics import TraceMetric


def revisits(episode, trace):
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
