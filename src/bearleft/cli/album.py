"""`bearleft album`: panoramas in a folder, one for every place, a renderer's or a camera's."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import Verbs, as_json, data_option, progress, say
from bearleft.reports.table import print_rows

SHOWN = 20  # lines of problems for people; --json has them all


@click.group(cls=Verbs)
def album() -> None:
    """Panoramas in a folder, one for every place: your own, SUN360's, StreetLearn's, or rendered ones."""


@album.command("import")
@click.argument("folder", metavar="FOLDER")
@click.option("-o", "--output", required=True, metavar="DIR", help="Where the album goes; one that is there goes on.")
@click.option("--copy", "how", flag_value="copy", default="link", help="Copy the files (default: link to them).")
@click.option("--size", metavar="WIDTHxHEIGHT", help="Write JPEGs of this size instead.")
@click.option("--quality", default=92, show_default=True, help="Of those JPEGs, 1 to 100.")
@click.option("--layout", help="plain, sun360 or streetlearn (default: what it looks like).")
@click.option("--world", help="Whose places these are: gives positions and headings, e.g. touchdown.")
@click.option("--skip-bad", is_flag=True, help="Leave out pictures that cannot be read, and say which.")
@data_option
@as_json
def import_(folder: str, output: str, size: str | None, data: str | None, as_json: bool, **asked: Any) -> None:
    """Make an album of a folder of panoramas, whoever took them.

    A picture named ID.jpg becomes the place ID; SUN360's category/pano_ID.jpg as well.
    """
    from bearleft.reports.pictures.output import parse_size
    from bearleft.world.album.importers import import_album

    with progress("pictures") as bar:
        done = import_album(folder, output, size=parse_size(size), data=data, progress=bar, **asked)
    row = {"path": output, "places": done.places, "written": done.written, "there": done.present}
    row |= {
        "changed": len(done.changed),
        "left_out": len(done.left_out),
        "converted": len(done.noted),
        "other_files": done.others,
    }
    rows = [{**one, "kind": "left_out"} for one in done.left_out] + [{**one, "kind": "note"} for one in done.noted]
    print_rows([{**row, "kind": "album"}, *rows] if as_json else [row], as_json, "Album")
    some([f"left out: {one['file']} {one['problem']}" for one in done.left_out])
    some([f"{one['file']}: {one['problem']}" for one in done.noted])
    some([f"changed since it was imported, and was imported again: {file}" for file in done.changed])
    if done.without:
        say([f"{done.without:,} places of {asked['world']} have no picture."])


def some(lines: list[str]) -> None:
    """Remarks, of many the first ones."""
    say([*lines[:SHOWN], f"and {len(lines) - SHOWN:,} more; --json has all."] if len(lines) > SHOWN else lines)


@album.command()
@click.argument("folder", metavar="DIR")
@as_json
def check(folder: str, as_json: bool) -> None:
    """Read every picture of an album: how many there are, which are missing or bad; exit code 1 if any is."""
    from bearleft.world.album.check import check_album

    with progress("places") as bar:
        found = check_album(folder, bar)
    rows = [{**one, "kind": "problem"} for one in found.problems] + [{**one, "kind": "note"} for one in found.notes]
    print_rows([{**found.summary, "kind": "album"}, *rows] if as_json else [found.summary], as_json, "Album")
    if not as_json:
        if rows:
            print_rows(rows[:SHOWN], as_json, "Problems, and what is converted when it is read")
        say([f"{len(rows) - SHOWN:,} more; --json has all."] if len(rows) > SHOWN else [])
    if found.summary["bad"]:
        say(["Delete the bad files and run the command that wrote the album again, which writes them anew."])
    elif found.problems:
        say(["Run the command that wrote the album again, which writes what is missing."])
    if found.problems:
        raise SystemExit(1)


@album.command()
@click.argument("folder", metavar="DIR")
@click.argument("place", metavar="ID")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="Where the picture goes.")
@click.option("--heading", type=float, help="Degrees clockwise from north (default: the panorama's middle).")
@click.option("--pitch", default=0.0, help="Degrees up.")
@click.option("--roll", default=0.0, help="Degrees clockwise.")
@click.option("--fov", default=90.0, show_default=True, help="Degrees across.")
@click.option("--size", default="640x480", show_default=True, metavar="WIDTHxHEIGHT", help="Pixels.")
@as_json
def view(
    folder: str,
    place: str,
    output: str,
    heading: float | None,
    pitch: float,
    roll: float,
    fov: float,
    size: str,
    as_json: bool,
) -> None:
    """A view out of a stored panorama, by the place's id."""
    from bearleft.reports.pictures.output import check_output, parse_size
    from bearleft.world.album.album import Album
    from bearleft.world.channel_images import save_png
    from bearleft.world.render.camera import view as lens

    path, (width, height) = check_output(output), parse_size(size, panorama=False) or (640, 480)
    opened = Album.open(folder)
    look = opened.entry(place).yaw if heading is None else heading
    save_png(opened.sphere(place).view(look, pitch, lens(width, height, fov), roll), path)
    row = {"path": output, "place": place, "heading": look, "pitch": pitch, "width": width, "height": height}
    print_rows([row], as_json, "View")
