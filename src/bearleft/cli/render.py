"""`bearleft render`: a picture of a world, an album of all places (`--all`), or a film (`render episode`)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from bearleft.cli.cluster import ClusterOptions, cluster_options, run_sharded
from bearleft.cli.common import (
    NON_NEGATIVE,
    POSITIVE,
    CommandWithSubcommands,
    as_json,
    city_option,
    data_option,
    device_option,
    echo,
    progress,
    reject_options,
)
from bearleft.errors import InputError
from bearleft.reports.table import print_rows
from bearleft.runtime.shards import JobSpec


@click.command()
@click.argument("traces", metavar="TRACES.jsonl")
@click.option("--id", "episode", metavar="EPISODE", help="The episode (default: that of the file's first trace).")
@click.option("--agent", metavar="NAME", help="The agent, if the file has several traces of the episode.")
@click.option("--dataset", metavar="DATASET/SPLIT", help="The dataset of other programs' predictions.")
@click.option("-o", "--output", metavar="FILE.gif|FILE.mp4", help="The film (default: EPISODE.gif).")
@click.option("--size", default=880, show_default=True, help="Width in pixels, 320 to 1920.")
@click.option("--fps", type=float, help="Frames per second, 1 to 60 (default: GIF 5, MP4 12, ArraMon 4).")
@click.option("--seconds-per-step", "seconds", default=0.6, show_default=True, help="Duration of a step.")
@click.option("--pictures", metavar="DIR", help="Show panoramas of this album instead of rendered pictures.")
@click.option("--city", type=NON_NEGATIVE, metavar="SEED", help="touchdown, town/SEED: build this city on the streets.")
@click.option("--samples", default=1, show_default=True, help="Rays per side of a pixel, 1 to 8; 2 is smooth.")
@device_option
@data_option
@as_json
def episode(
    traces: str, episode: str | None, output: str | None, data: str | None, as_json: bool, **options: Any
) -> None:
    """Write a film of an episode: the view, the map, and the text with the current part highlighted."""
    from bearleft import write_film
    from bearleft.reports.film.film import FilmConfig

    with progress("planning") as bar:
        result = write_film(traces, episode, output, FilmConfig(**options), data, bar)
    print_rows(result.rows, as_json, "Film")
    echo(result.remarks)


@click.command(cls=CommandWithSubcommands, subcommands={"episode": episode})
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="The picture; with --all, a folder.")
@click.option("--all", "album", is_flag=True, help="Write an album: panoramas of every place; an existing one resumes.")
@click.option("--places", metavar="N..M|FILE", help="--all: only these places, by number or a file of ids.")
@click.option("--format", "file_format", default="jpg", show_default=True, help="--all: format of colours, jpg or png.")
@click.option("--quality", default=92, show_default=True, help="--all: JPEG quality, 1 to 100.")
@click.option("--processes", default=1, show_default=True, type=POSITIVE, help="--all: worker processes.")
@click.option("--place", metavar="ID", help="Stand at this place, by id or number (default: the world's centre).")
@click.option("--at", metavar="EAST,NORTH[,UP]", help="Stand at this point instead, in metres.")
@click.option("--heading", type=float, help="Degrees clockwise from north (default: along a street).")
@click.option("--pitch", default=0.0, help="Degrees up.")
@click.option("--roll", default=0.0, help="Degrees clockwise.")
@click.option("--fov", default=90.0, show_default=True, help="Horizontal field of view of a view, in degrees.")
@click.option(
    "--size", metavar="WIDTHxHEIGHT", help="Pixels (default: panorama 1024x512, view 640x480, cube 512, all 2048x1024)."
)
@click.option("--panorama", is_flag=True, help="An equirectangular panorama (the default).")
@click.option("--view", is_flag=True, help="A perspective view.")
@click.option("--cube", is_flag=True, help="The six faces of a cube map: ahead, right, back, left, up, down.")
@click.option(
    "--channel",
    default="rgb",
    help="rgb, depth, instances, classes, parts, or all; with --all several, separated by commas.",
)
@click.option("--legend", is_flag=True, help="Add a legend to a picture of classes.")
@click.option("--hour", default=14.0, show_default=True, help="Time of day, 0 to 24.")
@click.option("--fog", default=0.1, show_default=True, help="From 0 to 1.")
@click.option("--clouds", default=0.35, show_default=True, help="From 0 to 1.")
@click.option("--samples", default=2, show_default=True, help="Rays per side of a pixel, 1 to 8.")
@click.option("--shadows/--no-shadows", default=True, help="Whether the sun casts shadows.")
@city_option
@device_option
@data_option
@as_json
@cluster_options
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
    album: bool,
    places: str | None,
    file_format: str,
    quality: int,
    processes: int,
    panorama: bool,
    view: bool,
    cube: bool,
    cluster: ClusterOptions,
    **camera: Any,
) -> None:
    """Render a picture of a world from any place, or of all places.

    WORLD is city/SEED, city/SEED/6x9, sections/SEED, rooms/SEED, rooms/SEED/COUNT, town/SEED or touchdown; or
    "classes", "classes/street" or "classes/rooms" for a contact sheet of every class of objects. To film a trace,
    type: bearleft render episode --help
    """
    from bearleft import render as render_picture
    from bearleft.reports.pictures.render import SHEETS, RenderConfig
    from bearleft.world.render.light import Light

    light = Light(hour, fog, clouds)
    if album:
        reject_options(
            ("place", "at", "heading", "pitch", "roll", "fov", "panorama", "view", "cube", "legend"),
            "a picture of one place, without --all",
        )
        settings = {"light": light, "file_format": file_format, "quality": quality, "device": device, **camera}
        write_album(output, world, city, places, processes, data, as_json, settings, cluster)
        return
    if cluster.given:
        raise InputError("--shard and --ray with --all", "them for one picture")
    reject_options(("places", "file_format", "quality", "processes"), "an album, with --all")
    if world in SHEETS:
        names = [str(parameter.name) for parameter in click.get_current_context().command.params]
        reject_options([name for name in names if name not in ("world", "output", "as_json")], "a picture of a world")
    if panorama + view + cube > 1:
        raise InputError("one of --panorama, --view and --cube", "several")
    projection = "view" if view else "cube" if cube else "panorama"
    config = RenderConfig(light=light, projection=projection, **camera)
    with progress("planning") as bar:
        result = render_picture(world, output, config, city, device, data, bar)
    print_rows(result.rows, as_json, "Pictures")
    echo(result.remarks)


def write_album(
    output: str,
    world: str,
    city: int | None,
    places: str | None,
    processes: int,
    data: str | None,
    as_json: bool,
    settings: dict[str, Any],
    cluster: ClusterOptions,
) -> None:
    """Run `bearleft render --all`."""
    from bearleft.reports.pictures.output import parse_size
    from bearleft.world.album import write
    from bearleft.world.album.layout import CHANNELS

    config = write.AlbumConfig(
        parse_size(settings["size"]) or write.AlbumConfig.size,
        CHANNELS if settings["channel"] == "all" else tuple(settings["channel"].split(",")),
        settings["light"],
        settings["samples"],
        settings["shadows"],
        settings["file_format"],
        settings["quality"],
        settings["device"],
    )
    if cluster.given:
        album = {**asdict(config), "light": list(asdict(config.light).values()), "channels": list(config.channels)}
        values = {"world": world, "config": {**album, "size": list(config.size)}, "city": city, "places": places}
        run_sharded(JobSpec("render", output, {**values, "data": data}), cluster, processes, as_json)
        return
    with progress("planning") as bar:
        result = write.write_album(output, world, config, city, places, processes, data, bar)
    row = {"path": output, "places": result.places, "written": result.written, "existing": result.present}
    print_rows([row | {"seconds": round(result.seconds, 3)}], as_json, "Album")
    echo([f"{output} holds {result.total:,} places; docs/album.md describes the format."])
