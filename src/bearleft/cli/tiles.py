"""`bearleft tiles`: a world as glTF tiles for browsers."""

from __future__ import annotations

import click

from bearleft.cli.common import as_json, city_option, data_option, progress, say
from bearleft.reports.table import print_rows


@click.command()
@click.argument("world", default="city/0")
@click.option(
    "-o", "--output", required=True, metavar="DIR", help="Where the tiles go; a folder that is there goes on."
)
@click.option("--side", type=float, metavar="M", help="Metres of a tile's side (default 64; in rooms 30, a room each).")
@click.option("--at", metavar="EAST,NORTH", help="Only the tiles around this spot, in metres.")
@click.option("--reach", type=float, metavar="M", help="How far around it.")
@click.option("--texels", default=2048, show_default=True, help="Most texels of a side of a tile's pictures.")
@city_option
@click.option("--processes", type=click.IntRange(min=1), help="How many work at once (default: all cores).")
@data_option
@as_json
def tiles(
    world: str,
    output: str,
    side: float | None,
    at: str | None,
    reach: float | None,
    texels: int,
    city: int | None,
    processes: int | None,
    data: str | None,
    as_json: bool,
) -> None:
    """A world as glTF 2.0 tiles with instance ids, and tiles.json, which lists them.

    WORLD is city/SEED, city/SEED/6x9, sections/SEED, rooms/SEED, rooms/SEED/COUNT, town/SEED or touchdown.
    """
    from bearleft.reports.pictures.output import parse_position
    from bearleft.runtime.compiled import cores
    from bearleft.world.tiles.export import write_tiles

    spot = None
    if at is not None:
        east, north = parse_position(at)
        spot = east, north
    with progress("planning") as bar:
        made = write_tiles(output, world, side, spot, reach, texels, city, data, processes or cores(), bar)
    print_rows(made.rows(), as_json, "Tiles")
    say([f"{file} was not as it had been written, and is made again." for file in made.remade])
    say([f"{output} holds {len(made.tiles):,} tiles and tiles.json; docs/tiles.md says how to look at them."])
