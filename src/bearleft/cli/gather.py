"""`bearleft gather`: join the shards of several machines."""

from __future__ import annotations

import click

from bearleft.cli.cluster import print_result
from bearleft.cli.common import as_json, echo, progress
from bearleft.reports.table import print_rows


@click.command()
@click.argument("output", metavar="OUTPUT")
@as_json
def gather(output: str, as_json: bool) -> None:
    """Verify and join the shards of commands that ran with --shard, or with --ray and were interrupted.

    OUTPUT is what was named by -o: a folder, or a file of traces. The result is the same, byte by byte, as that of one
    process without shards. If shards are missing, nothing is joined, and the message says which.
    """
    from bearleft.cluster import gather as gather_shards

    with progress("checking") as bar:
        results = gather_shards(output, bar)
    if as_json:
        print_rows([row for result in results for row in result.rows], as_json)
    for result in results:
        if not as_json:
            print_result(result, as_json)
        echo(result.notes)
