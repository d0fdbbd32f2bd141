"""`bearleft report`: traces as one HTML file."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import WHOLE, as_json, data_option, progress, say
from bearleft.reports.table import print_rows


@click.command("report")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default="report.html", show_default=True, metavar="FILE.html", help="Where it goes.")
@click.option("--dataset", metavar="DATASET/SPLIT", help="What others' predictions are of; traces say it.")
@click.option("--convention", default="paper", show_default=True, help="Whose definitions, as for `bearleft score`.")
@click.option("--title", help="The heading (default: who did what).")
@click.option("--examples", type=click.IntRange(min=1), metavar="N", help="Show at most N; all are scored.")
@click.option("--pictures", multiple=True, metavar="FOLDER", help="Look at this album; may be given several times.")
@click.option("--city", type=WHOLE, metavar="SEED", help="touchdown, town/SEED: build this city on its streets.")
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
@click.option("--full", is_flag=True, help="All pictures, however many and large.")
@click.option("--no-pictures", is_flag=True, help="Maps, but no pictures.")
@data_option
@as_json
def report_(files: tuple[str, ...], no_pictures: bool, as_json: bool, **options: Any) -> None:
    """One HTML file of what was done and how well: scores, charts, and every example with its map and pictures.

    Reads what `score` reads. Several files become columns beside each other. The file needs no network.
    """
    from bearleft.reports.html.report import report

    with progress("reading") as bar:
        done = report(*files, look=not no_pictures, progress=bar, **options)
    print_rows(done.rows, as_json, "Report")
    say(done.remarks)
