"""`bearleft visible`."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.cluster import ClusterOptions, cluster_options, run_sharded
from bearleft.cli.common import as_json, city_option, data_option, device_option, echo, progress
from bearleft.reports.table import print_rows
from bearleft.runtime.shards import JobSpec


@click.command()
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="DIR", help="Folder of the table; an existing one is resumed.")
@click.option("--width", default=512, show_default=True, help="Width of the rendered panoramas in pixels.")
@city_option
@device_option
@data_option
@as_json
@cluster_options
def visible(world: str, output: str, as_json: bool, cluster: ClusterOptions, **options: Any) -> None:
    """Compute what is visible from every place: objects and parts, their size, direction, distance and occlusion."""
    if cluster.given:
        run_sharded(JobSpec("visible", output, {"world": world, **options}), cluster, 1, as_json)
        return
    from bearleft import visible as compute_visibility
    from bearleft.world.visibility.table import class_statistics

    with progress("planning") as bar:
        table = compute_visibility(world, output, progress=bar, **options)
    print_rows(class_statistics(table), as_json, "Classes by the number of places that see them")
    echo([f"{output} holds what is visible from {len(table):,} places; docs/visible.md describes the format."])
