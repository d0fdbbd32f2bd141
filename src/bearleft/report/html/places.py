"""The places of a world that a report's examples refer to, numbered as they come."""

from __future__ import annotations

from dataclasses import dataclass, field

from bearleft.report.html.pictures import Sights
from bearleft.runtime.json_fields import Json
from bearleft.world.graphs.graph import Graph


@dataclass
class Places:
    """The places of a world that examples refer to, numbered as they come."""

    ids: list[str] = field(default_factory=list)
    at: list[tuple[float, float] | None] = field(default_factory=list)
    numbers: dict[object, int] = field(default_factory=dict)

    def number(self, place: str, graph: Graph | None) -> int:
        """Of a place with an id; one that the world does not have is nowhere."""
        if place not in self.numbers:
            self.numbers[place] = len(self.ids)
            self.ids.append(place)
            known = graph is not None and place in graph.index
            where = graph.positions[graph.index[place]] if graph is not None and known else None
            self.at.append(None if where is None else (float(where[0]), float(where[1])))
        return self.numbers[place]

    def position(self, east: float, north: float) -> int:
        """Of a place that is a position only."""
        key = round(east, 2), round(north, 2)
        if key not in self.numbers:
            self.numbers[key] = len(self.ids)
            self.ids.append("")
            self.at.append(key)
        return self.numbers[key]

    def to_json(self, world: str, sights: Sights) -> Json:
        return {
            "id": self.ids,
            "x": [None if at is None else round(at[0], 2) for at in self.at],
            "y": [None if at is None else round(at[1], 2) for at in self.at],
            "panorama": [sights.panoramas.get((world, name), -1) if name else -1 for name in self.ids],
        }
