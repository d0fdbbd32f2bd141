"""`bearleft score`."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import NON_NEGATIVE, as_json, data_option, echo, progress
from bearleft.reports.table import print_rows


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--dataset", metavar="DATASET/SPLIT", help="The dataset of predictions; traces name their own.")
@click.option(
    "--convention",
    default="paper",
    show_default=True,
    help="Which definitions; 'all' for each in turn. Points: paper, cells. ArraMon: paper, strict, released.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="Only this metric; repeatable. nDTW-fast, SDTW-fast, DTW, PL, ONE, OSR, AD and MD are computed by name only.",
)
@click.option("--turns", is_flag=True, help="ArraMon: rows of turn 1 and turn 2 beside the total.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of the bootstrap.")
@click.option("--resamples", default=1000, show_default=True, help="Resamples of the bootstrap, up to a million.")
@data_option
@as_json
def score(files: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Score traces or predictions, with confidence intervals; several files are compared by paired tests.

    Reads traces of bearleft, R2R submissions, the outputs of VELMA and ArraMon, lists of places, and points.
    """
    from bearleft import score as compute_scores

    with progress("scoring") as bar:
        scores = compute_scores(*files, progress=bar, **options)
    print_rows(scores.rows + (scores.comparisons if as_json else []), as_json, "Scores, with 95 % intervals")
    if scores.comparisons and not as_json:
        print_rows(scores.comparisons, as_json, "Differences on the same episodes")
    echo(scores.notes)
