"""Places of a world that a report's examples refer to."""

from __future__ import annotations

from dataclasses import dataclass, field

from bearleft.reports.html.pictures import ReportPictures
from bearleft.runtime.json_fields import Json
from bearleft.world.graphs.graph import Graph


@dataclass
class Places:
    """Index of the places of a world, numbered in the order of first use."""

    ids: list[str] = field(default_factory=list)
    positions: list[tuple[float, float] | None] = field(default_factory=list)
    numbers: dict[object, int] = field(default_factory=dict)

    def number(self, place: str, graph: Graph | None) -> int:
        """Return the number of a place id, added on first use; a place that the world lacks has no position."""
        if place not in self.numbers:
            self.numbers[place] = len(self.ids)
            self.ids.append(place)
            in_graph = graph is not None and place in graph.index_by_id
            xy = graph.positions[graph.index_by_id[place]] if graph is not None and in_graph else None
            self.positions.append(None if xy is None else (float(xy[0]), float(xy[1])))
        return self.numbers[place]

    def position(self, east: float, north: float) -> int:
        """Return the number of a position without an id, added on first use."""
        key = round(east, 2), round(north, 2)
        if key not in self.numbers:
            self.numbers[key] = len(self.ids)
            self.ids.append("")
            self.positions.append(key)
        return self.numbers[key]

    def to_json(self, world: str, pictures: ReportPictures) -> Json:
        """Return ids, positions and the panoramas' indices (-1 where there is none) as columns."""
        return {
            "id": self.ids,
            "x": [None if positions is None else round(positions[0], 2) for positions in self.positions],
            "y": [None if positions is None else round(positions[1], 2) for positions in self.positions],
            "panorama": [pictures.panoramas.get((world, name), -1) if name else -1 for name in self.ids],
        }
