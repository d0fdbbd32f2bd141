"""`bearleft features`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from bearleft.cli.cluster import ClusterOptions, cluster_options, run_sharded
from bearleft.cli.common import (
    as_json,
    city_option,
    data_option,
    device_option,
    echo,
    pictures_option,
    pluralize,
    progress,
)
from bearleft.reports.table import print_rows
from bearleft.runtime.extras import require_torch
from bearleft.runtime.shards import JobSpec

if TYPE_CHECKING:
    from bearleft.world.slices import Slicing

MAX_CLIPPED_SHARE = 0.001  # of values; beyond it the user is warned


def slice_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which pictures a network reads."""
    for option in (
        device_option,
        city_option,
        pictures_option,
        click.option(
            "--size",
            metavar="WIDTHxHEIGHT",
            help="Pixels of each of the eight slices (paper: 460x800, tall: 460x1600).",
        ),
        click.option(
            "--slices",
            type=click.Choice(["paper", "released", "tall"]),
            help="Slices, and how cells map to directions (default: the store's; tall for Refer360, else paper).",
        ),
    ):  # the last is the first in the help
        command = option(command)
    return command


def parse_slicing(slices: str | None, size: str | None, released: bool = False) -> Slicing | None:
    """Return the slicing that options name; None if they leave it to the store or the dataset."""
    from bearleft.reports.pictures.output import parse_size
    from bearleft.world.slices import get_slicing

    pixels = parse_size(size, panorama=False)
    if slices is None and pixels is None:
        return None
    return get_slicing(slices or ("released" if released else "paper"), pixels)


@click.command()
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET/SPLIT...")
@click.option("-o", "--output", required=True, metavar="DIR", help="The feature store; an existing one is extended.")
@click.option(
    "--backbone",
    default="city",
    show_default=True,
    metavar="NAME|FILE",
    help="The backbone: city, or a file of torchvision's resnet18.",
)
@click.option("--half", is_flag=True, help="Store half precision instead of 8 bits: twice the size.")
@slice_options
@data_option
@as_json
@cluster_options
def features(
    datasets: tuple[str, ...],
    output: str,
    slices: str | None,
    size: str | None,
    as_json: bool,
    cluster: ClusterOptions,
    **options: Any,
) -> None:
    """Compute the feature maps of a dataset's panoramas once, and store them in a folder.

    Panoramas of generated worlds are rendered; for other worlds name a folder of panoramas with --pictures. An
    interrupted command is resumed by typing it again. You can add more datasets to the same folder.
    """
    require_torch()
    from bearleft import features as write_features

    slicing = parse_slicing(slices, size)
    if cluster.given:
        shape = None if slicing is None else [slicing.width, slicing.height, slicing.released]
        values = {"datasets": list(datasets), "slicing": shape, **options, "pictures": list(options["pictures"])}
        run_sharded(JobSpec("features", output, values), cluster, 1, as_json)
        return
    try:
        with progress("planning") as bar:
            summary = write_features(
                datasets, output, slicing=slicing, progress=bar, report=lambda line: echo([line]), **options
            )
    except KeyboardInterrupt:
        echo(["Finished parts are stored; the same command resumes."])
        raise
    row = {"path": output, "panoramas": summary.requested, "written": summary.written, "existing": summary.present}
    row |= {"total": summary.total, "bytes": summary.bytes, "clipped": round(summary.clipped, 6)}
    print_rows([row], as_json, "Features")
    if summary.clipped > MAX_CLIPPED_SHARE:
        echo([f"{summary.clipped:.1%} of values exceed the 8-bit range of this store; a new store would fit them."])
    data = f" --data {options['data']}" if options["data"] else ""
    total = f"{output} holds {pluralize(summary.total, 'panorama')}"
    echo([f"{total}. Next: bearleft train NETWORK {datasets[0]} --features {output} -o RUN{data}"])
