"""`bearleft map`: a world from above, with a route and what was walked on it."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import as_json, city_option, data_option, progress, say
from bearleft.reports.table import print_rows


@click.command("map")
@click.argument("world", required=False)
@click.option("-o", "--output", required=True, metavar="FILE.png|FILE.svg", help="Where the map goes.")
@click.option("--at", metavar="EAST,NORTH", help="The middle, in metres (default: the route, or the whole world).")
@click.option("--place", metavar="ID", help="The middle is this place, by id or number.")
@click.option(
    "--reach", type=float, metavar="METRES", help="From the middle to the nearer edge (default 100; the whole room)."
)
@click.option("--route", "dataset", metavar="DATASET/SPLIT", help="Draw the route of an episode of this dataset.")
@click.option("--id", "episode", metavar="EPISODE", help="Of this episode (default: the first).")
@click.option("--places", metavar="ID,ID,...", help="Draw the shortest way along these places instead.")
@click.option("--traces", multiple=True, metavar="FILE", help="Draw what was walked too; may be given several times.")
@click.option("--heading", type=float, help="Show what one sees who looks in this direction, clockwise from north.")
@click.option("--fov", default=90.0, show_default=True, help="Degrees across what one sees.")
@click.option("--size", metavar="WIDTH[xHEIGHT]", help="Pixels (default 1024).")
@click.option("--title", help="Words above (default: the world, and the episode).")
@click.option("--names/--no-names", default=True, help="Whether streets, landmarks, shops and stops are named.")
@click.option("--plain", is_flag=True, help="Places and links alone, without the city on them.")
@city_option
@data_option
@as_json
def map_(world: str | None, output: str, city: int | None, data: str | None, as_json: bool, **asked: Any) -> None:
    """A map of any region of a WORLD, as PNG or SVG.

    WORLD is city/SEED, sections/SEED, rooms/SEED, town/SEED, touchdown or matterport/SCAN. Without one it is that of
    the route, or city/0.
    """
    from bearleft.reports.pictures.maps import MapConfig, write_map

    expected = MapConfig(**asked)
    with progress("planning") as bar:
        written = write_map(output, world, expected, city, data, bar)
    print_rows(written.rows, as_json, "Map")
    say(written.remarks)
