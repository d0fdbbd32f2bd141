"""`bearleft demo`."""

from __future__ import annotations

import click

from bearleft.cli.common import NON_NEGATIVE, as_json, echo, progress
from bearleft.reports.table import print_rows


@click.command()
@click.option("-o", "--output", default="demo", show_default=True, metavar="DIR", help="Folder for all results.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of the random agents.")
@as_json
def demo(output: str, seed: int, as_json: bool) -> None:
    """Run agents in a generated city, score them, and write a film and a report.

    Results that the folder already has are not computed again.
    """
    from bearleft.demo import demo as run_demo

    with progress("demo") as bar:
        result = run_demo(output, seed, bar, lambda line: echo([line]))
    print_rows(result.scores, as_json, "Success rates of agents in percent, with 95 % intervals")
    echo(result.remarks)
