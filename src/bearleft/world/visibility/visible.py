"""`visible`: the visibility table of a world by name."""

from __future__ import annotations

import os

from bearleft.types import DataFolder, Progress
from bearleft.world.city.city import open_city
from bearleft.world.render.devices import check_device
from bearleft.world.visibility.table import VisibilityTable, visibility_table


def visible(
    world: str,
    output: str | os.PathLike[str],
    width: int = 512,
    city: int | None = None,
    device: str = "cpu",
    data: DataFolder = None,
    progress: Progress | None = None,
) -> VisibilityTable:
    """Compute which objects and parts are visible from every place of a world, and store the table in a folder.

    Args:
        world: The world, such as "city/0".
        output: The folder; an interrupted build is resumed.
        width: Width of the panoramas in pixels.
        city: Seed of the city that is built on a street graph without buildings.
        device: cpu or cuda.
        data: Folder of the datasets.
        progress: Called with a label, the work done, and the total.

    Raises:
        InputError: An argument is invalid, or the folder holds something else.
    """
    check_device(device)
    return visibility_table(open_city(world, city, data, progress), output, width, device, progress=progress)
