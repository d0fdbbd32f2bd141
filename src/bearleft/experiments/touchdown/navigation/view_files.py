"""Files of the views of worlds, one per world and kind: several processes share them, and the first one computes."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from bearleft.models.backbones.registry import Backbone
from bearleft.models.walking.cells import encoder_hash
from bearleft.models.walking.network import CELLS, MEAN_MAP, NO_VIEW, RGB
from bearleft.models.walking.states import PlaceIndex, Start, StateTable
from bearleft.models.walking.views import HEADING_STEPS, FeatureViews, RgbViews, Views, open_views, prepare_together
from bearleft.runtime.store import atomic_write, file_lock
from bearleft.types import Progress
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import RENDERED, PictureConfig
from bearleft.world.slices import PAPER, Slicing

Log = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class ViewFiles:
    """Views of worlds in a folder.

    Attributes:
        folder: The folder.
        device: Where views are computed and kept.
        load_backbone: Returns the backbone; called only if features are needed.
        slicing: How panoramas are cut into slices.
        pictures: Where pictures come from.
        log: Called with each line of progress.
    """

    folder: Path
    device: torch.device
    load_backbone: Callable[[], Backbone]
    slicing: Slicing = PAPER
    pictures: PictureConfig = RENDERED
    log: Log = print

    def backbone(self, kind: str) -> Backbone | None:
        """Return the backbone of a kind of views; None if it needs none."""
        return self.load_backbone() if kind in (MEAN_MAP, CELLS) else None

    def open(self, kind: str, graphs: Sequence[Graph], starts: Iterable[Start], end: float = math.inf) -> Views | None:
        """Return the views of all places of worlds, reading files and computing what is missing.

        Args:
            kind: The kind of views.
            graphs: The worlds, in the order of their places' numbers.
            starts: World, place and heading of each start: RGB views are of these and of the directions of links.
            end: The time (of `time.monotonic`) after which no further world is begun.

        Raises:
            TimeoutError: The time ended before all worlds were computed; the same call goes on.
        """
        if kind == NO_VIEW:
            return None
        by_world: dict[str, list[Start]] = {graph.name: [] for graph in graphs}
        for start in sorted(set(starts)):
            if start[0] in by_world:
                by_world[start[0]].append(start)
        files = []
        for graph in graphs:
            if time.monotonic() >= end:
                raise TimeoutError(f"{kind} views of {graph.name}")
            files.append(self._file(kind, graph, by_world[graph.name]))
        parts = [torch.load(file, map_location="cpu", mmap=True, weights_only=True) for file in files]
        places = PlaceIndex(tuple(graphs))
        views = open_views(kind, places, self.backbone(kind), self.slicing, self.device, pictures=self.pictures)
        values = [part["values"] for part in parts]
        joined = torch.empty(sum(map(len, values)), *values[0].shape[1:], dtype=values[0].dtype, device=self.device)
        begin = 0
        for part in values:
            joined[begin : begin + len(part)].copy_(part)
            begin += len(part)
        if isinstance(views, FeatureViews):
            views.values, views.row = joined, np.arange(len(places), dtype=np.int64)
            views.device_row = torch.from_numpy(views.row).to(self.device)
        elif isinstance(views, RgbViews):
            first = [places.offsets[graph.name] * HEADING_STEPS for graph in graphs]
            keys = torch.cat([part["keys"] + offset for part, offset in zip(parts, first, strict=True)])
            views.values, views.keys, views.device_keys = joined, keys.numpy(), keys.to(self.device)
        return views

    def _file(self, kind: str, graph: Graph, starts: Sequence[Start]) -> Path:
        """Return the file of a world's views, which is written if there is none."""
        file = self._path(kind, graph, starts)
        lock = file if kind == RGB else self._path(MEAN_MAP, graph, starts)  # both kinds of features are made at once
        with file_lock(lock):
            if not file.exists():
                self.log(f"computing {kind} views of {graph.name}: {len(graph):,} places")
                write = self._write_rgb if kind == RGB else self._write_features
                write(graph, starts)
        return file

    def _path(self, kind: str, graph: Graph, starts: Sequence[Start]) -> Path:
        backbone = self.backbone(kind)
        key = [kind, graph.name, len(graph), self.pictures.city, list(map(str, self.pictures.folders))]
        key += [self.device.type, "" if backbone is None else backbone.hash]
        key += [asdict(self.slicing)] if backbone is not None else [starts]
        if kind == CELLS and backbone is not None:
            key.append(encoder_hash(backbone))
        digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:12]
        return self.folder / f"{kind}_{graph.name}_{digest}.pt".replace("/", "-").replace(" ", "-")

    def _write_rgb(self, graph: Graph, starts: Sequence[Start]) -> None:
        table = StateTable.build([graph], starts, torch.device("cpu"))
        views = RgbViews(table.places, self.device, self.pictures)
        views.prepare(table.place.numpy(), table.heading.numpy().astype(np.float64), progress=self._progress())
        content = {"values": views.values.cpu(), "keys": torch.from_numpy(views.keys)}
        self._save(self._path(RGB, graph, starts), content)

    def _write_features(self, graph: Graph, starts: Sequence[Start]) -> None:
        """Write the views of both kinds that are made of the same feature maps."""
        places, backbone = PlaceIndex((graph,)), self.load_backbone()
        kinds = [
            FeatureViews(kind, places, backbone, self.slicing, self.device, pictures=self.pictures)
            for kind in (MEAN_MAP, CELLS)
        ]
        prepare_together(kinds, np.arange(len(graph)), self._progress())
        for views in kinds:
            self._save(self._path(views.kind, graph, starts), {"values": views.values.cpu()})  # in the order of places

    @staticmethod
    def _save(file: Path, content: dict[str, torch.Tensor]) -> None:
        with atomic_write(file, "wb") as stream:
            torch.save(content, stream)

    def _progress(self) -> Progress:
        """Return a function that logs every tenth of the work."""
        last = [0]

        def report(label: str, done: int, total: int) -> None:
            if (tenth := 10 * done // max(total, 1)) > last[0]:
                last[0] = tenth
                self.log(f"{label}: {done:,} of {total:,}")

        return report
