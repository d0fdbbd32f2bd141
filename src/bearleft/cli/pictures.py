"""`bearleft render` and `bearleft visible`: what a city looks like, and what is seen from where."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import as_json, data_option, progress, say
from bearleft.report.table import print_rows


@click.command()
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="Where the picture goes.")
@click.option("--place", metavar="ID", help="Stand at this place, by id or number (default: the middle of the world).")
@click.option("--at", metavar="EAST,NORTH[,UP]", help="Stand there instead, in metres.")
@click.option("--heading", type=float, help="Degrees clockwise from north (default: along a street).")
@click.option("--pitch", default=0.0, help="Degrees up.")
@click.option("--roll", default=0.0, help="Degrees clockwise.")
@click.option("--fov", default=90.0, show_default=True, help="Degrees across a view.")
@click.option("--size", metavar="WIDTHxHEIGHT", help="Pixels (default: panorama 1024x512, view 640x480, cube 512).")
@click.option("--panorama", "form", flag_value="panorama", default="panorama", help="All around (the default).")
@click.option("--view", "form", flag_value="view", help="As through a lens.")
@click.option("--cube", "form", flag_value="cube", help="Six faces in a row: ahead, right, back, left, up, down.")
@click.option("--what", default="rgb", help="rgb, depth, instances, classes, parts, or all, each in a file.")
@click.option("--legend", is_flag=True, help="Name the classes below their picture.")
@click.option("--hour", default=14.0, show_default=True, help="Time of day, 0 to 24.")
@click.option("--fog", default=0.1, show_default=True, help="From 0 to 1.")
@click.option("--clouds", default=0.35, show_default=True, help="From 0 to 1.")
@click.option("--samples", default=2, show_default=True, help="Rays a side for each pixel, 1 to 8.")
@click.option("--shadows/--no-shadows", default=True, help="Whether the sun throws shadows.")
@click.option("--seed", type=int, help="The city on the streets of a world that is none itself (default 0).")
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
@data_option
@as_json
def render(
    world: str, output: str, seed: int | None, device: str, data: str | None, as_json: bool, hour: float, fog: float,
    clouds: float, **shot: Any,
) -> None:  # fmt: skip
    """A picture of a city from any place: WORLD is city/SEED, city/SEED/6x9, town/SEED or touchdown.

    WORLD may also be "classes", "classes/street" or "classes/rooms": a sheet of every class of thing.
    """
    from bearleft.report.views import Shot, views
    from bearleft.world.render.light import Light

    taken = Shot(light=Light(hour, fog, clouds), **shot)
    with progress("planning") as bar:
        result = views(output, world, seed, taken, device, data, bar)
    print_rows(result.rows, as_json, "Pictures")
    say(result.remarks)


@click.command()
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="DIR", help="Where the table goes; one that is there goes on.")
@click.option("--width", default=512, show_default=True, help="Pixels across the panoramas that are counted.")
@click.option("--seed", type=int, help="The city on the streets of a world that is none itself (default 0).")
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
@data_option
@as_json
def visible(
    world: str, output: str, width: int, seed: int | None, device: str, data: str | None, as_json: bool
) -> None:  # fmt: skip
    """What is visible from every place of a city: things and parts, how large, where, how far, how hidden."""
    from bearleft.world.city.city import open_city
    from bearleft.world.render.devices import check_device
    from bearleft.world.visible import classes_seen, visibility_table

    check_device(device)
    with progress("planning") as bar:
        table = visibility_table(open_city(world, seed, data, bar), output, width, device, progress=bar)
    print_rows(classes_seen(table), as_json, "Classes by how many places see them")
    say([f"{output} holds what is visible from {len(table):,} places; docs/visible.md says how to read it."])
