"""`bearleft render` and `bearleft visible`: what a city looks like, and what is seen from where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from bearleft.cli.common import as_json, city_option, data_option, progress, say
from bearleft.cli.film import episode_
from bearleft.errors import InputError
from bearleft.reports.table import print_rows


class _Render(click.Command):
    """A verb whose first word may be "episode": then it is another one."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] == ["episode"]:
            return episode_.make_context(f"{info_name} episode", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_Render)
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="Where the picture goes; with --all a folder.")
@click.option("--all", "everything", is_flag=True, help="An album: the panorama of every place, going on after a kill.")
@click.option("--places", metavar="N..M|FILE", help="With --all, only these, by number or a file of ids.")
@click.option("--format", "picture", default="jpg", show_default=True, help="With --all, of colours: jpg or png.")
@click.option("--quality", default=92, show_default=True, help="With --all, of JPEGs, 1 to 100.")
@click.option("--processes", default=1, show_default=True, type=click.IntRange(min=1), help="With --all, at once.")
@click.option("--place", metavar="ID", help="Stand at this place, by id or number (default: the middle of the world).")
@click.option("--at", metavar="EAST,NORTH[,UP]", help="Stand there instead, in metres.")
@click.option("--heading", type=float, help="Degrees clockwise from north (default: along a street).")
@click.option("--pitch", default=0.0, help="Degrees up.")
@click.option("--roll", default=0.0, help="Degrees clockwise.")
@click.option("--fov", default=90.0, show_default=True, help="Degrees across a view.")
@click.option(
    "--size", metavar="WIDTHxHEIGHT", help="Pixels (default: panorama 1024x512, view 640x480, cube 512, all 2048x1024)."
)
@click.option("--panorama", is_flag=True, help="All around (the default).")
@click.option("--view", is_flag=True, help="As through a lens.")
@click.option("--cube", is_flag=True, help="Six faces in a row: ahead, right, back, left, up, down.")
@click.option(
    "--what", default="rgb", help="rgb, depth, instances, classes, parts, or all; with --all several, with commas."
)
@click.option("--legend", is_flag=True, help="Name the classes below their picture.")
@click.option("--hour", default=14.0, show_default=True, help="Time of day, 0 to 24.")
@click.option("--fog", default=0.1, show_default=True, help="From 0 to 1.")
@click.option("--clouds", default=0.35, show_default=True, help="From 0 to 1.")
@click.option("--samples", default=2, show_default=True, help="Rays a side for each pixel, 1 to 8.")
@click.option("--shadows/--no-shadows", default=True, help="Whether the sun throws shadows.")
@city_option
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
@data_option
@as_json
def render(
    world: str,
    output: str,
    city: int | None,
    device: str,
    data: str | None,
    as_json: bool,
    hour: float,
    fog: float,
    clouds: float,
    everything: bool,
    places: str | None,
    picture: str,
    quality: int,
    processes: int,
    panorama: bool,
    view: bool,
    cube: bool,
    **shot: Any,
) -> None:
    """A picture of a city or a room from any place, or of all places.

    WORLD is city/SEED, city/SEED/6x9, sections/SEED, rooms/SEED, rooms/SEED/COUNT, town/SEED or touchdown. It may also
    be "classes", "classes/street" or "classes/rooms": a sheet of every class of thing. A film of what was done in an
    episode is another verb: bearleft render episode --help
    """
    from bearleft.reports.pictures.views import SHEETS, ViewConfig, write_views
    from bearleft.world.render.light import Light

    if everything:
        one_place = ("place", "at", "heading", "pitch", "roll", "fov", "panorama", "view", "cube", "legend")
        check_usual(one_place, "a picture of one place, without --all")
        order = {"picture": picture, "quality": quality, "device": device, "light": Light(hour, fog, clouds)}
        write_all(output, world, city, places, processes, data, as_json, {**order, **shot})
        return
    check_usual(("places", "picture", "quality", "processes"), "an album, with --all")
    if world in SHEETS:
        params = [str(one.name) for one in click.get_current_context().command.params]
        check_usual([one for one in params if one not in ("world", "output", "as_json")], "a picture of a world")
    if panorama + view + cube > 1:
        raise InputError("one of --panorama, --view and --cube", "several")
    form = "view" if view else "cube" if cube else "panorama"
    taken = ViewConfig(light=Light(hour, fog, clouds), form=form, **shot)
    with progress("planning") as bar:
        result = write_views(output, world, city, taken, device, data, bar)
    print_rows(result.rows, as_json, "Pictures")
    say(result.remarks)


def check_usual(names: Sequence[str], expected: str) -> None:
    """An error for options that were given although what is asked for has no use for them."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = next(p for p in context.command.params if p.name == name)
            raise InputError(f"{option.opts[0]} for {expected}", "it for something else")


def write_all(
    output: str,
    world: str,
    city: int | None,
    places: str | None,
    processes: int,
    data: str | None,
    as_json: bool,
    asked: dict[str, Any],
) -> None:
    """`bearleft render --all`."""
    from bearleft.reports.pictures.output import parse_size
    from bearleft.world.album.layout import CHANNELS
    from bearleft.world.album.write import AlbumConfig, write_album

    channels = CHANNELS if asked["what"] == "all" else tuple(asked["what"].split(","))
    order = AlbumConfig(
        parse_size(asked["size"]) or AlbumConfig.size,
        channels,
        asked["light"],
        asked["samples"],
        asked["shadows"],
        asked["picture"],
        asked["quality"],
        asked["device"],
    )
    with progress("planning") as bar:
        done = write_album(output, world, order, city, places, processes, data, bar)
    row = {"path": output, "places": done.places, "written": done.written, "there": done.present}
    print_rows([row | {"seconds": round(done.seconds, 3)}], as_json, "Album")
    say([f"{output} holds {done.total:,} places; docs/album.md says how to read it."])


@click.command()
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="DIR", help="Where the table goes; one that is there goes on.")
@click.option("--width", default=512, show_default=True, help="Pixels across the panoramas that are counted.")
@city_option
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
@data_option
@as_json
def visible(
    world: str, output: str, width: int, city: int | None, device: str, data: str | None, as_json: bool
) -> None:
    """What is visible from every place of a city: things and parts, how large, where, how far, how hidden."""
    from bearleft.world.city.city import open_city
    from bearleft.world.render.devices import check_device
    from bearleft.world.visibility.table import class_statistics, visibility_table

    check_device(device)
    with progress("planning") as bar:
        table = visibility_table(open_city(world, city, data, bar), output, width, device, progress=bar)
    print_rows(class_statistics(table), as_json, "Classes by how many places see them")
    say([f"{output} holds what is visible from {len(table):,} places; docs/visible.md says how to read it."])
