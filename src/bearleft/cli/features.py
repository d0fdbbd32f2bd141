"""`bearleft features`: pictures as networks read them, made once and stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from bearleft.cli.common import WHOLE, as_json, counted, data_option, progress, say
from bearleft.reports.table import print_rows
from bearleft.runtime.extras import needs_torch

if TYPE_CHECKING:
    from bearleft.world.slices import Slicing


def seeing_options(command: Callable[..., None]) -> Callable[..., None]:
    """How panoramas are seen, for whoever makes features of them."""
    for option in (
        click.option("--device", default="cpu", show_default=True, help="cpu or cuda."),
        click.option(
            "--city", type=WHOLE, metavar="SEED", help="touchdown, town/SEED: build this city on its streets."
        ),
        click.option(
            "--pictures", multiple=True, metavar="FOLDER", help="Look at this album; may be given several times."
        ),
        click.option(
            "--size",
            metavar="WIDTHxHEIGHT",
            help="Pixels of each of the eight slices (paper: 460x800, tall: 460x1600).",
        ),
        click.option(
            "--slices",
            type=click.Choice(["paper", "released", "tall"]),
            help="Which slices, and how cells become directions (default: the store's; tall for Refer360, else paper).",
        ),
    ):  # the last is the first in the help
        command = option(command)
    return command


def slicing_of(slices: str | None, size: str | None, released: bool = False) -> Slicing | None:
    """Return the slicing that options name; None if they leave it to the store or the dataset."""
    from bearleft.reports.pictures.output import parse_size
    from bearleft.world.slices import slicing_named

    pixels = parse_size(size, panorama=False)
    if slices is None and pixels is None:
        return None
    return slicing_named(slices or ("released" if released else "paper"), pixels)


@click.command("features")
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET/SPLIT...")
@click.option("-o", "--output", required=True, metavar="DIR", help="Where they go; a store that is there goes on.")
@click.option(
    "--backbone",
    default="city",
    show_default=True,
    metavar="NAME|FILE",
    help="What reads pictures: city, or torchvision's resnet18 file.",
)
@click.option("--half", is_flag=True, help="Half precision rather than 8 bits: twice as large.")
@seeing_options
@data_option
@as_json
def features_(
    datasets: tuple[str, ...], output: str, slices: str | None, size: str | None, as_json: bool, **asked: Any
) -> None:
    """Make what networks that point read of a dataset's panoramas, and keep it in a folder.

    Worlds of bearleft's own are rendered; of others name the folder of panoramas with --pictures. Killed or stopped,
    the same command goes on; more datasets may join the same folder.
    """
    needs_torch()
    from bearleft.models.features.write import features

    slicing = slicing_of(slices, size)
    try:
        with progress("planning") as bar:
            done = features(datasets, output, slicing=slicing, progress=bar, report=lambda line: say([line]), **asked)
    except KeyboardInterrupt:
        say(["What is done stays; the same command goes on."])
        raise
    row = {
        "path": output,
        "panoramas": done.requested,
        "written": done.written,
        "there": done.present,
        "held": done.total,
    }
    print_rows([row | {"bytes": done.bytes, "clipped": round(done.clipped, 6)}], as_json, "Features")
    if done.clipped > 0.001:
        say([f"{done.clipped:.1%} of values lie beyond what 8 bits hold here; a store of their own would fit them."])
    near = f" --data {asked['data']}" if asked["data"] else ""
    held = f"{output} holds {counted(done.total, 'panorama')}"
    say([f"{held}. Next: bearleft train NETWORK {datasets[0]} --store {output} -o RUN{near}"])
