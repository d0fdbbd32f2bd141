"""`bearleft map`."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import as_json, city_option, data_option, echo, progress
from bearleft.reports.table import print_rows


@click.command("map")
@click.argument("world", required=False)
@click.option("-o", "--output", required=True, metavar="FILE.png|FILE.svg", help="The map.")
@click.option("--at", metavar="EAST,NORTH", help="The centre, in metres (default: the route, or the whole world).")
@click.option("--place", metavar="ID", help="The centre is this place, by id or number.")
@click.option(
    "--radius", type=float, metavar="METRES", help="From the centre to the nearer edge (default 100; the whole room)."
)
@click.option("--route", "dataset", metavar="DATASET/SPLIT", help="Draw the route of an episode of this dataset.")
@click.option("--id", "episode", metavar="EPISODE", help="The episode (default: the first).")
@click.option("--places", metavar="ID,ID,...", help="Draw the shortest path along these places instead.")
@click.option("--traces", multiple=True, metavar="FILE", help="Draw these trajectories too; repeatable.")
@click.option("--heading", type=float, help="Draw the field of view in this direction, clockwise from north.")
@click.option("--fov", default=90.0, show_default=True, help="Degrees of that field of view.")
@click.option("--size", metavar="WIDTH[xHEIGHT]", help="Pixels (default 1024).")
@click.option("--title", help="The title (default: the world, and the episode).")
@click.option("--names/--no-names", default=True, help="Label streets, landmarks, shops and stops.")
@click.option("--plain", is_flag=True, help="Only places and links, without the city.")
@city_option
@data_option
@as_json
def map_(world: str | None, output: str, city: int | None, data: str | None, as_json: bool, **options: Any) -> None:
    """Draw a map of a WORLD or a region of it, as PNG or SVG.

    WORLD is city/SEED, sections/SEED, rooms/SEED, town/SEED, touchdown or matterport/SCAN (default: the world of the
    route, else city/0).
    """
    from bearleft import draw_map
    from bearleft.reports.pictures.maps import MapConfig

    with progress("planning") as bar:
        result = draw_map(output, world, MapConfig(**options), city, data, bar)
    print_rows(result.rows, as_json, "Map")
    echo(result.remarks)
