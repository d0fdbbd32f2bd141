"""`bearleft report`."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import (
    POSITIVE,
    as_json,
    city_option,
    data_option,
    device_option,
    echo,
    pictures_option,
    progress,
)
from bearleft.reports.table import print_rows


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default="report.html", show_default=True, metavar="FILE.html", help="The report.")
@click.option("--dataset", metavar="DATASET/SPLIT", help="The dataset of predictions; traces name their own.")
@click.option("--convention", default="paper", show_default=True, help="Which definitions, as for `bearleft score`.")
@click.option("--title", help="The heading (default: agents and datasets).")
@click.option("--examples", type=POSITIVE, metavar="N", help="Show at most N episodes; all are scored.")
@pictures_option
@city_option
@device_option
@click.option("--full", is_flag=True, help="All pictures in full size, whatever the file's size.")
@click.option("--no-pictures", is_flag=True, help="Maps, but no pictures.")
@data_option
@as_json
def report(files: tuple[str, ...], no_pictures: bool, as_json: bool, **options: Any) -> None:
    """Write one HTML file with scores, charts, and every episode with its map and pictures.

    Reads the same files as `bearleft score`; several become columns side by side. The report needs no network.
    """
    from bearleft import report as write_report

    with progress("reading") as bar:
        result = write_report(*files, with_pictures=not no_pictures, progress=bar, **options)
    print_rows(result.rows, as_json, "Report")
    echo(result.remarks)
