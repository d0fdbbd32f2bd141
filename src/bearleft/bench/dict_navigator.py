"""A plain dictionary navigator: the peer of the transition table, and its independent check."""

from __future__ import annotations

from bearleft.world.graphs.graph import Graph


class DictionaryNavigator:
    """A walker over `{place: {heading: place}}` that turns by looking at every link."""

    def __init__(self, graph: Graph) -> None:
        self.neighbours: dict[str, dict[float, str]] = {place: {} for place in graph.ids}
        for source, target, heading in zip(graph.source, graph.target, graph.heading, strict=True):
            self.neighbours[graph.ids[source]][float(heading)] = graph.ids[target]

    def step(self, place: str, heading: float, action: str) -> tuple[str, float]:
        """Return place and heading after one action."""
        if action == "stop":
            return place, heading
        if action == "forward":
            target = self.neighbours[place].get(heading, place)
            gap = {h: 180 - abs((h - heading) % 360 - 180) for h in self.neighbours[target]}
            return target, min(gap, key=lambda h: gap[h]) if gap else heading
        sign = 1 if action == "right" else -1
        turns = {h: sign * (h - heading) % 360 for h in self.neighbours[place] if h != heading}
        return place, min(turns, key=lambda h: turns[h]) if turns else heading
