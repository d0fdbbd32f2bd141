"""`bearleft album`: folders of panoramas, rendered or photographed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bearleft.cli.common import CommandGroup, as_json, data_option, echo, progress
from bearleft.reports.table import print_rows

MAX_LINES = 20  # problems that are printed; --json lists all


@click.group(cls=CommandGroup)
def album() -> None:
    """Folders of panoramas, one for each place: your own, SUN360's, StreetLearn's, or rendered ones."""


@album.command("import")
@click.argument("folder", metavar="FOLDER")
@click.option("-o", "--output", required=True, metavar="DIR", help="The album; an existing one is resumed.")
@click.option("--copy", "how", flag_value="copy", default="link", help="Copy the files (default: link to them).")
@click.option("--size", metavar="WIDTHxHEIGHT", help="Write JPEGs of this size instead of linking.")
@click.option("--quality", default=92, show_default=True, help="JPEG quality, 1 to 100.")
@click.option("--layout", help="plain, sun360 or streetlearn (default: detected).")
@click.option("--world", help="World of the places, for positions and headings, e.g. touchdown.")
@click.option("--skip-bad", is_flag=True, help="Skip unreadable pictures, and list them.")
@data_option
@as_json
def import_(folder: str, output: str, size: str | None, data: str | None, as_json: bool, **options: Any) -> None:
    """Import a folder of panoramas as an album.

    A picture named ID.jpg becomes the place ID, as does SUN360's category/pano_ID.jpg.
    """
    from bearleft.reports.pictures.output import parse_size
    from bearleft.world.album.importers import import_album

    with progress("pictures") as bar:
        result = import_album(folder, output, size=parse_size(size), data=data, progress=bar, **options)
    summary = {"path": output, "places": result.places, "written": result.written, "existing": result.present}
    summary |= {
        "changed": len(result.changed),
        "skipped": len(result.left_out),
        "converted": len(result.noted),
        "other_files": result.others,
    }
    rows = [{**row, "kind": "skipped"} for row in result.left_out] + [{**row, "kind": "note"} for row in result.noted]
    print_rows([{**summary, "kind": "album"}, *rows] if as_json else [summary], as_json, "Album")
    echo_first([f"skipped: {row['file']} {row['problem']}" for row in result.left_out])
    echo_first([f"{row['file']}: {row['problem']}" for row in result.noted])
    echo_first([f"changed since it was imported, and was imported again: {file}" for file in result.changed])
    if result.without:
        echo([f"{result.without:,} places of {options['world']} have no picture."])


def echo_first(lines: list[str]) -> None:
    """Print the first of many messages."""
    echo(
        [*lines[:MAX_LINES], f"and {len(lines) - MAX_LINES:,} more; --json has all."]
        if len(lines) > MAX_LINES
        else lines
    )


@album.command()
@click.argument("folder", metavar="DIR")
@as_json
def check(folder: str, as_json: bool) -> None:
    """Validate an album: read every picture, list missing and damaged ones; exit code 1 if there are any."""
    from bearleft.world.album.check import check_album

    with progress("places") as bar:
        result = check_album(folder, bar)
    rows = [{**row, "kind": "problem"} for row in result.problems] + [{**row, "kind": "note"} for row in result.notes]
    print_rows([{**result.summary, "kind": "album"}, *rows] if as_json else [result.summary], as_json, "Album")
    if not as_json:
        if rows:
            print_rows(rows[:MAX_LINES], as_json, "Problems, and conversions on reading")
        echo([f"{len(rows) - MAX_LINES:,} more; --json has all."] if len(rows) > MAX_LINES else [])
    if result.summary["bad"]:
        from bearleft.world.album.layout import INFO_FILE

        written = (Path(folder) / INFO_FILE).is_file()
        again = "Delete the bad files and run the command that wrote the album again: it rewrites them."
        echo([again if written else "Replace the bad files by pictures that can be read, twice as wide as high."])
    elif result.problems:
        echo(["Run the command that wrote the album again: it writes the missing files."])
    if result.problems:
        raise SystemExit(1)


@album.command()
@click.argument("folder", metavar="DIR")
@click.argument("place", metavar="ID")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="The picture.")
@click.option("--heading", type=float, help="Degrees clockwise from north (default: the panorama's centre).")
@click.option("--pitch", default=0.0, help="Degrees up.")
@click.option("--roll", default=0.0, help="Degrees clockwise.")
@click.option("--fov", default=90.0, show_default=True, help="Horizontal field of view in degrees.")
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
    """Write a perspective view of a stored panorama."""
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
