"""The worlds of a server: graphs, pictures, maps and datasets, each opened once."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from bearleft.data import load
from bearleft.errors import InputError, format_value
from bearleft.records import Episode, check_goals
from bearleft.reports.html.maps import map_data
from bearleft.reports.html.pictures import ReportWorlds
from bearleft.types import DataFolder
from bearleft.world.album.album import open_albums
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import PictureSource
from bearleft.world.render.devices import check_device
from bearleft.world.worlds import world_kind


class SceneWorlds:
    """Worlds and datasets, opened on first use; safe to use from several threads.

    Args:
        data: Folder of datasets.
        pictures: Folders of albums of panoramas.
        city: Seed of the city to build on streets that have none.
        device: "cpu" or "cuda", for rendering.
    """

    def __init__(
        self,
        data: DataFolder = None,
        pictures: Sequence[str | os.PathLike[str]] = (),
        city: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.data = data
        self._worlds = ReportWorlds(open_albums(pictures), city, check_device(device), data, None)
        self._graphs: dict[str, Graph | None] = {}
        self._episodes: dict[str, Mapping[str, Episode]] = {}
        self._maps: dict[str, list[Any]] = {}
        self._lock = threading.RLock()

    def graph(self, world: str) -> Graph:
        """Return the graph of a world; raise InputError if it has none."""
        with self._lock:
            if world not in self._graphs:
                self._graphs[world] = self._worlds.graph(world)
        graph = self._graphs[world]
        if graph is None:
            raise InputError("a world with places", format_value(world))
        return graph

    def pictures(self, world: str) -> PictureSource:
        """Return the pictures of a world; raise InputError with what to type if it has none."""
        with self._lock:
            source = self._worlds(world)
        if source is None:
            option = ", or --city 0 for bearleft's city on its streets" if world_kind(world).buildable else ""
            raise InputError(f"pictures of {world}", "none", hint=f"Name their folder with --pictures DIR{option}.")
        return source

    def map_marks(self, world: str) -> list[Any]:
        """Return the background of a world's map, as the report draws it."""
        with self._lock:
            if world not in self._maps:
                source = self._worlds.map_source(world)
                if source is None:
                    raise InputError("a world with a map", format_value(world))
                self._maps[world] = map_data(source)["marks"]
            return self._maps[world]

    def episodes(self, dataset: str) -> Mapping[str, Episode]:
        """Return the episodes of a dataset by id."""
        with self._lock:
            if dataset not in self._episodes:
                episodes = load(dataset, self.data)
                check_goals(episodes, "which people are told")
                self._episodes[dataset] = {episode.id: episode for episode in episodes}
            return self._episodes[dataset]

    def episode(self, dataset: str, name: str) -> Episode:
        """Return an episode of a dataset by its id."""
        episodes = self.episodes(dataset)
        if name not in episodes:
            raise InputError(f"an episode of {dataset}", format_value(name))
        return episodes[name]

    def links(self, world: str, place: str) -> list[dict[str, Any]]:
        """Return the links of a place as the browser shows them: the place, its direction, and its distance."""
        graph = self.graph(world)
        here = graph.place_index(place)
        rows = []
        for link in graph.links(here).tolist():
            there = int(graph.target[link])
            east, north, up = (graph.positions[there] - graph.positions[here]).tolist()
            distance = math.hypot(east, north)
            rows.append(
                {
                    "place": graph.ids[there],
                    "heading": float(graph.heading[link]) % 360.0,
                    "pitch": math.degrees(math.atan2(up, distance)) if distance > 0 else 0.0,
                    "metres": round(distance, 2),
                }
            )
        return rows

    def neighbours(self, world: str, place: str) -> list[str]:
        """Return the places that a place is linked to."""
        return [link["place"] for link in self.links(world, place)]

    def walk(self, world: str, place: str, heading: float) -> dict[str, Any]:
        """Return what the browser shows of a walker: the world, the place, the heading, and the links."""
        return {"world": world, "place": place, "heading": heading % 360.0, "links": self.links(world, place)}
