"""Visibility table that is computed place by place, when a place is first asked for.

A few hundred routes through a large street graph pass few of its places; the whole table of Touchdown's 29,641 places
would take about an hour on a core. The rows are the same as those of a whole table, in one file per place, so that any
number of processes may share the folder and an interrupted one loses a single place.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bearleft.errors import InputError
from bearleft.runtime.progress import announce
from bearleft.types import Progress
from bearleft.world.render.camera import panorama
from bearleft.world.render.devices import renderer
from bearleft.world.visibility.table import (
    BATCH_PANORAMAS,
    MIN_SHARE,
    Rows,
    VisibilityTable,
    claim_folder,
    count_visible,
    load_rows,
    rows_file,
    save_rows,
    table_settings,
)

if TYPE_CHECKING:
    from bearleft.world.city.city import City


@dataclass(frozen=True, eq=False)
class OnDemandTable(VisibilityTable):
    """The visible objects of the places of a city; rows that are missing in the folder are computed and kept."""

    city: City

    def build(self, places: Sequence[int], progress: Progress | None = None) -> None:
        """Compute the missing rows of some places.

        Args:
            places: Indices of places.
            progress: Called with a label, the places done and their number.
        """
        distinct = list(dict.fromkeys(places))
        missing = [place for place in distinct if not rows_file(self.folder, place).exists()]
        lens = panorama(self.width)
        for begin in range(0, len(missing), BATCH_PANORAMAS):
            batch = np.array(missing[begin : begin + BATCH_PANORAMAS])
            poses = self.city.poses(batch)
            pictures = renderer(self.city.scene, "cpu")(poses, lens, shadows=False)
            rows = count_visible(pictures, self.city.scene, poses, batch, min_share=self.min_share)
            for place in batch.tolist():
                save_rows(rows_file(self.folder, place), rows[rows["place"] == place])
            if progress:
                progress("places", len(distinct) - len(missing) + begin + len(batch), len(distinct))

    def places_of(self, instance: int) -> np.ndarray:
        """Raise InputError: an object may be visible from places that are not computed yet."""
        raise InputError("a whole visibility table", f"one computed on demand, in {self.folder}")

    def rows(self) -> Rows:
        """Return all rows, computing those that are missing."""
        self.build(range(self.places))
        return super().rows()

    def _file_rows(self, k: int) -> Rows:
        path = rows_file(self.folder, k)
        if not path.exists():
            self.build([k])
        return load_rows(path, mapped=False)  # a mapped file would stay open, one for each place


def on_demand_table(
    city: City, path: str | os.PathLike[str], width: int = 512, min_share: float = MIN_SHARE
) -> OnDemandTable:
    """Return the table of a city in a folder; its rows are computed when a place is first asked for.

    Args:
        city: The city.
        path: The folder, new or with a table of the same settings; another process may write to it at the same time.
        width: Width of the panoramas in pixels.
        min_share: Leave out what has a smaller share of the sphere.

    Raises:
        InputError: An argument is invalid, or the folder holds something else.
    """
    folder = Path(path)
    settings = table_settings(city, width, min_share, places_per_file=1)
    if not (folder / "about.json").exists():
        announce(f"What is visible from places of {city.graph.name} is computed when first needed; kept in {folder}")
    claim_folder(folder, settings)
    return OnDemandTable(folder, city.plan.hash, len(city.graph), width, min_share, 1, city)
