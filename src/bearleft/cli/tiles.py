"""`bearleft tiles`."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import POSITIVE, as_json, city_option, data_option, echo, progress
from bearleft.reports.table import print_rows


@click.command()
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="DIR", help="Folder of the tiles; an existing one is resumed.")
@click.option("--side", type=float, metavar="M", help="Metres of a tile's side (default 64; in rooms 30, a room each).")
@click.option("--at", metavar="EAST,NORTH", help="Only tiles around this point, in metres.")
@click.option("--radius", type=float, metavar="M", help="Metres around it.")
@click.option("--texels", default=2048, show_default=True, help="Maximum texels per side of a tile's textures.")
@city_option
@click.option("--processes", type=POSITIVE, help="Worker processes (default: all cores).")
@data_option
@as_json
def tiles(world: str, output: str, at: str | None, as_json: bool, processes: int | None, **options: Any) -> None:
    """Export a world as glTF 2.0 tiles with instance ids, and tiles.json, which lists them.

    WORLD is city/SEED, city/SEED/6x9, sections/SEED, rooms/SEED, rooms/SEED/COUNT, town/SEED or touchdown.
    """
    from bearleft import tiles as export_tiles
    from bearleft.reports.pictures.output import parse_position
    from bearleft.runtime.compiled import num_threads

    point = None
    if at is not None:
        east, north = parse_position(at)
        point = east, north
    with progress("planning") as bar:
        result = export_tiles(output, world, at=point, processes=processes or num_threads(), progress=bar, **options)
    print_rows(result.rows(), as_json, "Tiles")
    echo([f"{file} had changed since it was written, and is written again." for file in result.remade])
    echo([f"{output} holds {len(result.tiles):,} tiles and tiles.json; docs/tiles.md says how to view them."])
